/* SPDX-License-Identifier: MIT
 * What the text of an op says: its function and the condition on the places of its operands. */
#ifndef RECIPE_TARGET_WHERE_H
#define RECIPE_TARGET_WHERE_H

#include "recipe/notation/expr.h"
#include "recipe/target/target.h"

/* Classes of places, as class(x) yields them: row classes count from 0. */
enum place_class { CLASS_BUFFER = 1000, CLASS_C, CLASS_M, CLASS_VALID };

struct where_place {
    int class;
    int section; /* -1: the latches C, M and valid, which belong to no section */
};

/* A condition over class(x), section(x) and `here`, the issuing section. */
struct where_expr {
    const struct expr *expr; /* names resolved */
};

/* Names of an op's operands, sources first. */
struct op_names {
    const char *names[OP_MAX_SOURCES + OP_MAX_DESTS]; /* a tied destination has its source's name */
    unsigned nsrc, ndst;
};

/* The truth table of one destination's function, as struct target_op has it; sets *reads_old if
 * the function uses the old value.  False after reporting. */
bool fn_compile(struct parser *p, const struct op_names *names, unsigned dest, uint32_t *truth,
                bool *reads_old);
/* NULL after reporting. */
const struct where_expr *where_compile(struct parser *p, const struct op_names *names,
                                       const struct row_class *classes, uint32_t class_count);
/* Places in the order of op_names. */
bool where_holds(const struct where_expr *where, const struct where_place *places, int here);

/* A time or energy: numbers and names with + - *; names are looked up by the caller. */
typedef bool quantity_lookup(const void *context, const char *name, int64_t *value);
bool quantity_eval(struct parser *p, quantity_lookup *lookup, const void *context,
                   const char *const *known, size_t known_count, uint64_t *value);

#endif
