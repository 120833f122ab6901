/* SPDX-License-Identifier: MIT
 * A kernel around one form: a thread loads as many words of 64 bits as the form has operands, and
 * stores its results. */
#ifndef TESTS_PTX_FORM_KERNEL_H
#define TESTS_PTX_FORM_KERNEL_H

#include "portable/portable.h"
#include "support/str.h"

struct form_kernel {
    struct str text;
    unsigned sources, results; /* words of a thread */
    bool simt;                 /* carry it out on near-bank SIMT cores instead of golden, */
    unsigned rows;             /* by these functions of rows (tests/simt/simt_launch.h) */
};
/* False, with what is wrong appended, if it is no form. */
bool form_kernel_make(const char *opcode, struct form_kernel *out, struct str *what);
void form_kernel_free(struct form_kernel *kernel);

/* Carries it out on in[threads][sources], threads a multiple of 32, to out[threads][results]; false
 * with *fault set. */
bool form_kernel_run(const struct form_kernel *kernel, const uint64_t *in, uint64_t *out,
                     uint32_t threads, struct portable_fault *fault);

#endif
