/* SPDX-License-Identifier: MIT
 * Expressions, in one grammar for recipes (indices, bounds, conditions, expect, computes) and for
 * target files (fn, where, times, energies).  What the names mean is the reader's business.
 *
 * Precedence from loose to tight, as in ezpim:  ||  &&  == != < <= > >= (do not chain)  |  ^  &
 * << >>  + -  * / %  unary ! ~ -  then x[i]  x@s  f(x, y). */
#ifndef RECIPE_NOTATION_EXPR_H
#define RECIPE_NOTATION_EXPR_H

#include "recipe/notation/lex.h"

enum recipe_expr_kind {
    EXPR_NUMBER,
    EXPR_NAME,
    EXPR_INDEX,  /* name [ args[0] ] */
    EXPR_AT,     /* name @ args[0] */
    EXPR_CALL,   /* name ( args ) */
    EXPR_UNARY,  /* op args[0] */
    EXPR_BINARY, /* args[0] op args[1] */
};

#define EXPR_MAX_ARGS 8
/* Chains like a + b + c + ... nest to the left; their readers recurse. */
#define EXPR_MAX_HEIGHT 1000

struct recipe_expr {
    enum recipe_expr_kind kind;
    uint16_t op; /* mark */
    uint8_t count;
    uint16_t height; /* 0: no args */
    uint32_t ref;    /* what the name was resolved to; the reader's own numbering */
    int64_t number;
    const char *name;
    union {
        struct recipe_expr **args;
        const void *table; /* without args: what the reader's own kind of value is looked up in */
    };
    struct span at, name_at;
};

/* NULL after reporting; then p->failed is set. */
struct recipe_expr *notation_parse_expr(struct notation_parser *parser);
/* An operand: name, name[i], name@s or a call. */
struct recipe_expr *notation_parse_operand(struct notation_parser *parser);

/* Integer operators of the grammar on two's complement; false on division by zero, on overflow
 * and on a shift by a count that is not in 0..62. */
bool notation_expr_binary(uint16_t op, int64_t left, int64_t right, int64_t *result);

#endif
