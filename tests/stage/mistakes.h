/* SPDX-License-Identifier: MIT
 * Maps of x into y, of 3 and more elements i32, with one mistake: it is refused, or stops. */
#ifndef TESTS_STAGE_MISTAKES_H
#define TESTS_STAGE_MISTAKES_H

#include "tests/stage/launched.h"

struct mistaken {
    struct launched launched; /* x is 0, 1, 2 .. */
    const char *refused;      /* what is said of it when it is read, or NULL: */
    const char *stops;        /* what is said at run time, of the element */
    bool endless;             /* it takes all the steps that an element has */
    unsigned line, element, elements;
};

/* Mistake number i, behind some lines, at some element. */
void mistaken_kernel(struct mistaken *x, unsigned i, uint64_t *seed);

#endif
