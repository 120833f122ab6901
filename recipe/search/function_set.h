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
    /* [care][value], of three bits each: bit i if i agrees. */
    static const uint8_t agreeing[8][8] = {{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF},
                                           {0x55, 0xAA, 0x55, 0xAA, 0x55, 0xAA, 0x55, 0xAA},
                                           {0x33, 0x33, 0xCC, 0xCC, 0x33, 0x33, 0xCC, 0xCC},
                                           {0x11, 0x22, 0x44, 0x88, 0x11, 0x22, 0x44, 0x88},
                                           {0x0F, 0x0F, 0x0F, 0x0F, 0xF0, 0xF0, 0xF0, 0xF0},
                                           {0x05, 0x0A, 0x05, 0x0A, 0x50, 0xA0, 0x50, 0xA0},
                                           {0x03, 0x03, 0x0C, 0x0C, 0x30, 0x30, 0xC0, 0xC0},
                                           {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80}};
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t bits = agreeing[care & 7][value & 7];
    uint64_t bytes = agreeing[care >> 3 & 7][value >> 3 & 7] * ones & UINT64_C(0x8040201008040201);
    /* A byte of the word for each of the middle three bits: all ones where that one agrees. */
    bytes = (bytes + 0x7F * ones) >> 7 & ones;
    struct function_set set;
    uint64_t low = bytes * 0xFF & bits * ones;
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
