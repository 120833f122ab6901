/* SPDX-License-Identifier: MIT
 * What a run took, divided among its instructions by weights: whole numbers that ascend from
 * instruction to instruction, of which the last is not 0. */
#ifndef MACHINES_CORE_SCALAR_SHARES_H
#define MACHINES_CORE_SCALAR_SHARES_H

#include "support/saturate.h"

#include <stdint.h>

/* The part of a sum that instructions 0 .. i have; of all of them it is the sum. */
static inline uint64_t scalar_share_to(uint64_t sum, const uint64_t *weights, uint32_t i,
                                       uint32_t count) {
    return sat_scale(sum, weights[i], weights[count - 1]);
}
static inline uint64_t scalar_share(uint64_t sum, const uint64_t *weights, uint32_t i,
                                    uint32_t count) {
    return scalar_share_to(sum, weights, i, count) -
           (i ? scalar_share_to(sum, weights, i - 1, count) : 0);
}

#endif
