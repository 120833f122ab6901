/* SPDX-License-Identifier: MIT
 * Sums and products that stop at the largest number instead of wrapping round: a target file may
 * hold any number, and a total that reads UINT64_MAX is plainly out of range. */
#ifndef SUPPORT_SATURATE_H
#define SUPPORT_SATURATE_H

#include <stdint.h>

static inline uint64_t sat_add(uint64_t left, uint64_t right) {
    uint64_t sum;
    return __builtin_add_overflow(left, right, &sum) ? UINT64_MAX : sum;
}
static inline uint64_t sat_mul(uint64_t left, uint64_t right) {
    uint64_t product;
    return __builtin_mul_overflow(left, right, &product) ? UINT64_MAX : product;
}
/* a * b / c, rounded down or up; c > 0.  The product of picoseconds and a power or a bandwidth
 * exceeds 64 bits. */
__extension__ typedef unsigned __int128 uint128;
static inline uint64_t sat_scale(uint64_t left, uint64_t right, uint64_t c) {
    uint128 q = (uint128)left * right / c;
    return q > UINT64_MAX ? UINT64_MAX : (uint64_t)q;
}
static inline uint64_t sat_scale_up(uint64_t left, uint64_t right, uint64_t c) {
    uint128 p = (uint128)left * right, q = p / c + (p % c != 0);
    return q > UINT64_MAX ? UINT64_MAX : (uint64_t)q;
}

#endif
