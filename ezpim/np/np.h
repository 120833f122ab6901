/* SPDX-License-Identifier: MIT
 * Kernels in Python on NumPy's arrays (docs/numpy.md): source text to object. */
#ifndef EZPIM_NP_NP_H
#define EZPIM_NP_NP_H

#include "ezpim/ezpim.h"

/* Compiles text[0..size), named `name` in messages.  NULL after errors were reported, or where the
 * text of a form was asked for. */
struct object *np_compile(const char *name, const char *text, size_t size,
                          const struct ez_options *options, struct diag *diag);

#endif
