/* SPDX-License-Identifier: MIT
 * Numbers for values: two places that hold the same function of what was there before have the same
 * number.  Exact for functions of up to six variables; what needs more is a variable of its own. */
#ifndef RECIPE_MAP_VALUE_SETS_H
#define RECIPE_MAP_VALUE_SETS_H

#include "support/hash_table.h"
#include "support/vec.h"

#include <stdbool.h>
#include <stdint.h>

#define VALUE_VARIABLES 6
#define VALUE_SOURCES   6

struct known_value {
    uint64_t truth; /* of the variables, in their order */
    uint32_t variables[VALUE_VARIABLES];
    uint32_t count;
    uint32_t spare; /* 0: all of it is compared */
};

/* A variable that stands for an op on values of more variables than six. */
struct large_value {
    uint32_t value, truth, src[VALUE_SOURCES];
    unsigned count;
};

/* All zero is an empty table. */
struct values {
    VEC(struct known_value) list;
    VEC(struct large_value) large;
    HASH_TABLE(struct known_value, uint32_t) numbers; /* from 1 */
};

void mapping_values_free(struct values *values);
uint32_t mapping_value_constant(struct values *values, bool one);
/* A new one, unlike all others. */
uint32_t mapping_value_variable(struct values *values);
/* The value of an op on others: bit i of truth where source s has bit (i >> s) & 1. */
uint32_t mapping_value_apply(struct values *values, uint32_t truth, const uint32_t *src,
                             unsigned count);

#endif
