/* SPDX-License-Identifier: MIT */
#include "recipe/map/value_sets.h"

#include <string.h>

static const uint64_t patterns[VALUE_VARIABLES] = {
    UINT64_C(0xAAAAAAAAAAAAAAAA), UINT64_C(0xCCCCCCCCCCCCCCCC), UINT64_C(0xF0F0F0F0F0F0F0F0),
    UINT64_C(0xFF00FF00FF00FF00), UINT64_C(0xFFFF0000FFFF0000), UINT64_C(0xFFFFFFFF00000000)};

void mapping_values_free(struct values *v) {
    vec_free(&v->list);
    vec_free(&v->large);
}

/* --- functions of a few variables --- */

static bool depends_on(uint64_t truth, unsigned v) {
    return ((truth >> (1u << v) ^ truth) & ~patterns[v]) != 0;
}

/* The function where variable `from` is called `to`, which it does not depend on, to < from. */
static uint64_t rename_variable(uint64_t truth, unsigned from, unsigned to) {
    uint64_t zero = truth & ~patterns[from], one = truth & patterns[from];
    zero |= zero << (1u << from);
    one |= one >> (1u << from);
    return (zero & ~patterns[to]) | (one & patterns[to]);
}

/* Leaves out the variables that do not count. */
static void reduce(struct known_value *x) {
    unsigned kept = 0;
    for (unsigned i = 0; i < x->count; i++) {
        if (!depends_on(x->truth, i))
            continue;
        if (kept != i)
            x->truth = rename_variable(x->truth, i, kept);
        x->variables[kept++] = x->variables[i];
    }
    x->count = kept;
}

static uint32_t find(struct values *v, const struct known_value *x) {
    uint64_t hash = x->truth;
    for (unsigned i = 0; i < x->count; i++)
        hash = (hash ^ x->variables[i]) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t *slot = &v->slots[(hash ^ hash >> 32) % VALUE_SLOTS];
    for (uint32_t i = *slot; i; i = v->list.data[i - 1].next) {
        const struct known_value *y = &v->list.data[i - 1];
        if (y->truth == x->truth && y->count == x->count &&
            memcmp(y->variables, x->variables, x->count * sizeof *x->variables) == 0)
            return i - 1;
    }
    struct known_value made = *x;
    made.next = *slot;
    vec_push(&v->list, made);
    *slot = (uint32_t)v->list.len;
    return *slot - 1;
}

uint32_t mapping_value_constant(struct values *v, bool one) {
    return find(v, &(struct known_value){.truth = one ? ~UINT64_C(0) : 0});
}

uint32_t mapping_value_variable(struct values *v) {
    uint32_t number = (uint32_t)v->list.len;
    return find(v, &(struct known_value){patterns[0], {number}, 1, 0});
}

/* --- ops --- */

/* The variables of all sources, in order; false if they are too many. */
static bool unite(const struct values *v, const uint32_t *src, unsigned count,
                  struct known_value *x) {
    for (unsigned s = 0; s < count; s++) {
        const struct known_value *y = &v->list.data[src[s]];
        for (unsigned i = 0; i < y->count; i++) {
            unsigned at = 0;
            while (at < x->count && x->variables[at] < y->variables[i])
                at++;
            if (at < x->count && x->variables[at] == y->variables[i])
                continue;
            if (x->count == VALUE_VARIABLES)
                return false;
            memmove(&x->variables[at + 1], &x->variables[at],
                    (x->count - at) * sizeof *x->variables);
            x->variables[at] = y->variables[i];
            x->count++;
        }
    }
    return true;
}

/* y over the variables of x, which are more. */
static uint64_t widen(const struct known_value *y, const struct known_value *x) {
    uint64_t truth = y->truth;
    unsigned at = x->count;
    for (unsigned i = y->count; i-- > 0;) {
        do
            at--;
        while (x->variables[at] != y->variables[i]);
        if (at == i)
            break; /* so are those before */
        uint64_t zero = truth & ~patterns[i], one = truth & patterns[i];
        zero |= zero << (1u << i);
        one |= one >> (1u << i);
        truth = (zero & ~patterns[at]) | (one & patterns[at]);
    }
    return truth;
}

static uint32_t apply_large(struct values *v, uint32_t truth, const uint32_t *src, unsigned count) {
    for (size_t i = 0; i < v->large.len; i++) {
        const struct large_value *l = &v->large.data[i];
        if (l->truth == truth && l->count == count && memcmp(l->src, src, count * sizeof *src) == 0)
            return l->value;
    }
    struct large_value l = {.value = mapping_value_variable(v), .truth = truth, .count = count};
    memcpy(l.src, src, count * sizeof *src);
    vec_push(&v->large, l);
    return l.value;
}

uint32_t mapping_value_apply(struct values *v, uint32_t truth, const uint32_t *src,
                             unsigned count) {
    struct known_value x = {.count = 0};
    uint64_t inputs[VALUE_SOURCES];
    if (!unite(v, src, count, &x))
        return apply_large(v, truth, src, count);
    for (unsigned s = 0; s < count; s++)
        inputs[s] = widen(&v->list.data[src[s]], &x);
    for (uint32_t row = 0; row < 1u << count; row++) {
        uint64_t here = truth >> row & 1 ? ~UINT64_C(0) : 0;
        for (unsigned s = 0; s < count && here; s++)
            here &= row >> s & 1 ? inputs[s] : ~inputs[s];
        x.truth |= here;
    }
    reduce(&x);
    return find(v, &x);
}
