/* SPDX-License-Identifier: MIT
 * Files that are a kernel each (".pypim"): programs that launch it and end. */
#ifndef EZPIM_WORD_FILE_H
#define EZPIM_WORD_FILE_H

#include "object/object.h"
#include "support/diag.h"

/* The suffix with its dot at the end of a path, or the one that a language is called after
 * ("pypim"); NULL: there is none among the forms of kernels. */
const char *driver_kernel_suffix(const char *path);
const char *driver_kernel_language(const char *name);
/* A program of one kernel, "words", and a buffer `reads` for what it returns, if it does.  NULL
 * after reporting. */
struct object *driver_kernel_program(const char *name, const char *suffix, const char *bytes,
                                     size_t size, struct diag *diag);

#endif
