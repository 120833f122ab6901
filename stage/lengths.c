/* SPDX-License-Identifier: MIT
 * How many elements there are behind each stage. */
#include "stage/stage.h"

uint64_t stage_units(uint64_t n, uint32_t unit, uint32_t overlap) {
    return n < (uint64_t)unit + overlap ? 0 : (n - unit - overlap) / unit + 1;
}

void stage_lengths_most(const struct stage_kernel *kernel, uint64_t n, uint64_t *out) {
    for (uint32_t i = 0; i < kernel->length_count; i++) {
        const struct stage_length *l = &kernel->lengths[i];
        out[i] = l->kind == STAGE_ALL     ? n
                 : l->kind == STAGE_UNITS ? stage_units(out[l->of], l->unit, l->overlap)
                                          : out[l->of] * l->unit;
    }
}
