/* SPDX-License-Identifier: MIT
 * A function is kept with the variables that it depends on, in order, and with no others: equal
 * functions look alike. */
#include "recipe/map/value_sets.h"

#include <string.h>

static const uint64_t patterns[VALUE_VARIABLES] = {
    UINT64_C(0xAAAAAAAAAAAAAAAA), UINT64_C(0xCCCCCCCCCCCCCCCC), UINT64_C(0xF0F0F0F0F0F0F0F0),
    UINT64_C(0xFF00FF00FF00FF00), UINT64_C(0xFFFF0000FFFF0000), UINT64_C(0xFFFFFFFF00000000)};

void mapping_values_free(struct values *values) {
    vec_free(&values->list);
    vec_free(&values->large);
    hash_table_free(&values->numbers);
}

/* --- functions of a few variables --- */

static bool depends_on(uint64_t truth, unsigned value) {
    return ((truth >> (1u << value) ^ truth) & ~patterns[value]) != 0;
}

/* The function where variable `from` is called `to`, which it does not depend on, to < from. */
static uint64_t rename_variable(uint64_t truth, unsigned from, unsigned to) {
    uint64_t zero = truth & ~patterns[from], one = truth & patterns[from];
    zero |= zero << (1u << from);
    one |= one >> (1u << from);
    return (zero & ~patterns[to]) | (one & patterns[to]);
}

/* Leaves out the variables that do not count. */
static void reduce(struct known_value *value) {
    unsigned kept = 0;
    for (unsigned i = 0; i < value->count; i++) {
        if (!depends_on(value->truth, i))
            continue;
        if (kept != i)
            value->truth = rename_variable(value->truth, i, kept);
        value->variables[kept++] = value->variables[i];
    }
    for (unsigned i = kept; i < value->count; i++)
        value->variables[i] = 0;
    value->count = kept;
}

static uint32_t find(struct values *values, const struct known_value *value) {
    uint32_t *number = hash_table_put(&values->numbers, value);
    if (!*number) {
        vec_push(&values->list, *value);
        *number = (uint32_t)values->list.len;
    }
    return *number - 1;
}

uint32_t mapping_value_constant(struct values *values, bool one) {
    return find(values, &(struct known_value){.truth = one ? ~UINT64_C(0) : 0});
}

uint32_t mapping_value_variable(struct values *values) {
    uint32_t number = (uint32_t)values->list.len;
    return find(values,
                &(struct known_value){.truth = patterns[0], .variables = {number}, .count = 1});
}

/* --- ops --- */

/* The variables of all sources, in order; false if they are too many. */
static bool unite(const struct values *values, const uint32_t *src, unsigned count,
                  struct known_value *value) {
    for (unsigned s = 0; s < count; s++) {
        const struct known_value *y = &values->list.data[src[s]];
        for (unsigned i = 0; i < y->count; i++) {
            unsigned at = 0;
            while (at < value->count && value->variables[at] < y->variables[i])
                at++;
            if (at < value->count && value->variables[at] == y->variables[i])
                continue;
            if (value->count == VALUE_VARIABLES)
                return false;
            memmove(&value->variables[at + 1], &value->variables[at],
                    (value->count - at) * sizeof *value->variables);
            value->variables[at] = y->variables[i];
            value->count++;
        }
    }
    return true;
}

/* right over the variables of left, which are more. */
static uint64_t widen(const struct known_value *right, const struct known_value *left) {
    uint64_t truth = right->truth;
    unsigned at = left->count;
    for (unsigned i = right->count; i-- > 0;) {
        do
            at--;
        while (left->variables[at] != right->variables[i]);
        if (at == i)
            break; /* so are those before */
        uint64_t zero = truth & ~patterns[i], one = truth & patterns[i];
        zero |= zero << (1u << i);
        one |= one >> (1u << i);
        truth = (zero & ~patterns[at]) | (one & patterns[at]);
    }
    return truth;
}

/* Bits of a truth table where source `value` is 1. */
static uint32_t rows_of(unsigned value, unsigned count) {
    uint32_t rows = 0;
    for (uint32_t row = 0; row < 1u << count; row++)
        rows |= (row >> value & 1) << row;
    return rows;
}

/* Leaves out source number `value`, which does not count. */
static uint32_t leave_out(uint32_t truth, unsigned value, unsigned count) {
    uint32_t left = 0;
    for (uint32_t row = 0, to = 0; row < 1u << count; row++)
        if (!(row >> value & 1))
            left |= (truth >> row & 1) << to++;
    return left;
}

/* The function where sources `value` and `value` + 1 change places. */
static uint32_t swap_next(uint32_t truth, unsigned value, unsigned count) {
    uint32_t swapped = 0;
    for (uint32_t row = 0; row < 1u << count; row++) {
        uint32_t differ = (row >> value ^ row >> (value + 1)) & 1;
        swapped |= (truth >> (row ^ (differ * 3u) << value) & 1) << row;
    }
    return swapped;
}

/* Only sources that count, in order: equal functions of equal sources look alike. */
static unsigned arrange(uint32_t *truth, uint32_t *src, unsigned count) {
    for (unsigned i = count; i-- > 0;) {
        uint32_t ones = *truth & rows_of(i, count), zeros = *truth & ~rows_of(i, count);
        if (ones >> (1u << i) != (zeros & (uint32_t)((UINT64_C(1) << (1u << count)) - 1)))
            continue;
        *truth = leave_out(*truth, i, count);
        memmove(&src[i], &src[i + 1], (count - 1 - i) * sizeof *src);
        count--;
    }
    for (unsigned end = count; end > 1; end--)
        for (unsigned i = 0; i + 1 < end; i++)
            if (src[i] > src[i + 1]) {
                uint32_t kept = src[i];
                src[i] = src[i + 1];
                src[i + 1] = kept;
                *truth = swap_next(*truth, i, count);
            }
    return count;
}

static uint32_t apply_large(struct values *values, uint32_t truth, const uint32_t *sources,
                            unsigned count) {
    uint32_t src[VALUE_SOURCES];
    memcpy(src, sources, count * sizeof *src);
    if (count <= 5)
        count = arrange(&truth, src, count);
    if (count == 1 && truth == 2)
        return src[0];
    for (size_t i = 0; i < values->large.len; i++) {
        const struct large_value *l = &values->large.data[i];
        if (l->truth == truth && l->count == count && memcmp(l->src, src, count * sizeof *src) == 0)
            return l->value;
    }
    struct large_value l = {
        .value = mapping_value_variable(values), .truth = truth, .count = count};
    memcpy(l.src, src, count * sizeof *src);
    vec_push(&values->large, l);
    return l.value;
}

uint32_t mapping_value_apply(struct values *values, uint32_t truth, const uint32_t *src,
                             unsigned count) {
    struct known_value x = {.count = 0};
    uint64_t inputs[VALUE_SOURCES];
    if (!unite(values, src, count, &x))
        return apply_large(values, truth, src, count);
    for (unsigned s = 0; s < count; s++)
        inputs[s] = widen(&values->list.data[src[s]], &x);
    for (uint32_t row = 0; row < 1u << count; row++) {
        uint64_t here = truth >> row & 1 ? ~UINT64_C(0) : 0;
        for (unsigned s = 0; s < count && here; s++)
            here &= row >> s & 1 ? inputs[s] : ~inputs[s];
        x.truth |= here;
    }
    reduce(&x);
    return find(values, &x);
}
