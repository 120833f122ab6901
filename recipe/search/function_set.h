/* SPDX-License-Identifier: MIT
 * Sets of the 256 functions of three variables: function f is bit f % 64 of word f / 64. */
#ifndef RECIPE_SEARCH_FUNCTION_SET_H
#define RECIPE_SEARCH_FUNCTION_SET_H

#include <stdbool.h>
#include <stdint.h>

struct function_set {
    uint64_t w[4];
};

static inline bool set_has(const struct function_set *set, unsigned f) {
    return set->w[f >> 6] >> (f & 63) & 1;
}
static inline void set_add(struct function_set *set, unsigned f) {
    set->w[f >> 6] |= (uint64_t)1 << (f & 63);
}
static inline bool set_empty(const struct function_set *set) {
    return !(set->w[0] | set->w[1] | set->w[2] | set->w[3]);
}
static inline struct function_set set_or(struct function_set set,
                                         const struct function_set *function_set) {
    for (unsigned i = 0; i < 4; i++)
        set.w[i] |= function_set->w[i];
    return set;
}
static inline struct function_set set_and(struct function_set set,
                                          const struct function_set *function_set) {
    for (unsigned i = 0; i < 4; i++)
        set.w[i] &= function_set->w[i];
    return set;
}
static inline struct function_set set_without(struct function_set set,
                                              const struct function_set *function_set) {
    for (unsigned i = 0; i < 4; i++)
        set.w[i] &= ~function_set->w[i];
    return set;
}
static inline bool set_meets(const struct function_set *left, const struct function_set *right) {
    return ((left->w[0] & right->w[0]) | (left->w[1] & right->w[1]) | (left->w[2] & right->w[2]) |
            (left->w[3] & right->w[3])) != 0;
}
/* Those that agree with `value` where `care` has bits. */
static inline struct function_set set_agreeing(unsigned care, unsigned value) {
    /* Word with bit i set where bit v of i is set. */
    static const uint64_t variable[6] = {
        UINT64_C(0xAAAAAAAAAAAAAAAA), UINT64_C(0xCCCCCCCCCCCCCCCC), UINT64_C(0xF0F0F0F0F0F0F0F0),
        UINT64_C(0xFF00FF00FF00FF00), UINT64_C(0xFFFF0000FFFF0000), UINT64_C(0xFFFFFFFF00000000)};
    struct function_set set;
    uint64_t low = ~UINT64_C(0);
    for (unsigned v = 0; v < 6; v++) {
        uint64_t other = variable[v] ^ (0 - (uint64_t)(value >> v & 1));
        low &= ~(other & (0 - (uint64_t)(care >> v & 1)));
    }
    for (unsigned high = 0; high < 4; high++)
        set.w[high] = (high ^ value >> 6) & care >> 6 & 3 ? 0 : low;
    return set;
}
/* Takes the lowest function out of set; false if there is none. */
static inline bool set_take(struct function_set *set, unsigned *f) {
    for (unsigned i = 0; i < 4; i++)
        if (set->w[i]) {
            *f = 64 * i + (unsigned)__builtin_ctzll(set->w[i]);
            set->w[i] &= set->w[i] - 1;
            return true;
        }
    return false;
}

#endif
