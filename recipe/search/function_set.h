/* SPDX-License-Identifier: MIT
 * Sets of the 256 functions of three variables: function f is bit f % 64 of word f / 64. */
#ifndef RECIPE_SEARCH_FUNCTION_SET_H
#define RECIPE_SEARCH_FUNCTION_SET_H

#include <stdbool.h>
#include <stdint.h>

struct function_set {
    uint64_t w[4];
};

static inline bool set_has(const struct function_set *s, unsigned f) {
    return s->w[f >> 6] >> (f & 63) & 1;
}
static inline void set_add(struct function_set *s, unsigned f) {
    s->w[f >> 6] |= (uint64_t)1 << (f & 63);
}
static inline bool set_empty(const struct function_set *s) {
    return !(s->w[0] | s->w[1] | s->w[2] | s->w[3]);
}
static inline struct function_set set_or(struct function_set a, const struct function_set *b) {
    for (unsigned i = 0; i < 4; i++)
        a.w[i] |= b->w[i];
    return a;
}
static inline struct function_set set_and(struct function_set a, const struct function_set *b) {
    for (unsigned i = 0; i < 4; i++)
        a.w[i] &= b->w[i];
    return a;
}
static inline struct function_set set_without(struct function_set a, const struct function_set *b) {
    for (unsigned i = 0; i < 4; i++)
        a.w[i] &= ~b->w[i];
    return a;
}
static inline bool set_meets(const struct function_set *a, const struct function_set *b) {
    return ((a->w[0] & b->w[0]) | (a->w[1] & b->w[1]) | (a->w[2] & b->w[2]) |
            (a->w[3] & b->w[3])) != 0;
}
/* Takes the lowest function out of s; false if there is none. */
static inline bool set_take(struct function_set *s, unsigned *f) {
    for (unsigned i = 0; i < 4; i++)
        if (s->w[i]) {
            *f = 64 * i + (unsigned)__builtin_ctzll(s->w[i]);
            s->w[i] &= s->w[i] - 1;
            return true;
        }
    return false;
}

#endif
