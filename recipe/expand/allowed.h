/* SPDX-License-Identifier: MIT
 * Which classes of rows the open values of one micro-op may have. */
#ifndef RECIPE_EXPAND_ALLOWED_H
#define RECIPE_EXPAND_ALLOWED_H

#include "recipe/expand/expand.h"

#define ALLOWED_OPERANDS (OP_MAX_SOURCES + OP_MAX_DESTS)

/* The places of a micro-op's operands, and the values among them whose class is open. */
struct open_places {
    struct where_place places[ALLOWED_OPERANDS];
    unsigned operands, count;
    uint32_t values[ALLOWED_OPERANDS];
    uint32_t at[ALLOWED_OPERANDS]; /* bit k: operand k is this value */
};

/* Combinations of classes that the open values may have. */
struct combinations {
    struct open_places *places;
    const struct target_op *op;
    int here;
    const uint64_t *sets; /* [value]: classes to be tried */
    bool one;             /* one allowed combination is enough */
    uint64_t fine[ALLOWED_OPERANDS], chosen[ALLOWED_OPERANDS];
};

/* Too many to be tried? */
bool expand_combinations_too_many(const struct combinations *combinations);
/* combinations->fine[value]: its classes in the combinations that the op's condition allows, all
 * zero if there is none.  The open places have no class then. */
void expand_combinations_try(const struct expansion *expansion, struct combinations *combinations);

/* The same questions are asked again and again: what was answered in one expansion. */
struct allowed_memo;
struct allowed_memo *expand_allowed_new(void);
void expand_allowed_free(struct allowed_memo *memo);

#endif
