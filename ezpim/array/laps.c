/* SPDX-License-Identifier: MIT
 * Numbers that grow in a known way in each lap of the repeated loops around them. */
#include "ezpim/array/array.h"

bool array_laps_any(const struct array_laps *laps) {
    for (uint32_t d = 0; d < MOVE_MAX_LAPS; d++)
        if (laps->coeff[d])
            return true;
    return false;
}

void array_laps_add(struct array_laps *left, int64_t times, const struct array_laps *right) {
    for (uint32_t d = 0; d < MOVE_MAX_LAPS; d++)
        left->coeff[d] += times * right->coeff[d];
}

struct array_range array_laps_range(const struct arrays *arrays, array_int first,
                                    const struct array_laps *laps) {
    struct array_range r = {first, first};
    for (const struct array_repeat *x = arrays->repeat; x; x = x->outer) {
        array_int more = (array_int)laps->coeff[x->depth] * (array_int)(x->laps - 1);
        *(more < 0 ? &r.low : &r.high) += more;
    }
    return r;
}

void array_set_laps(struct arrays *arrays, struct move *move, enum move_form form, uint32_t dim,
                    const struct array_laps *laps) {
    int64_t coeff[MOVE_MAX_LAPS] = {0};
    for (const struct array_repeat *x = arrays->repeat; x; x = x->outer)
        coeff[arrays->b.repeats - 1 - x->around] = laps->coeff[x->depth];
    object_move_set_laps(move, form, dim, coeff, arrays->arena);
}
