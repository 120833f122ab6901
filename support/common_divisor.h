/* SPDX-License-Identifier: MIT
 * The greatest common divisor, by Euclid. */
#ifndef SUPPORT_COMMON_DIVISOR_H
#define SUPPORT_COMMON_DIVISOR_H

#include <stdint.h>

/* Of 0 and a number it is that number. */
static inline uint64_t common_divisor(uint64_t left, uint64_t right) {
    while (right) { /* what divides both divides the rest, too */
        uint64_t rest = left % right;
        left = right;
        right = rest;
    }
    return left;
}

#endif
