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

/* A question about one micro-op in as few words as say it: most were asked just before.  Of its
 * values each is named by the operand that is it first, so that one answer serves all micro-ops
 * that lie alike. */
#define QUESTION_WORDS (1 + (ALLOWED_OPERANDS + 1) / 2 + ALLOWED_OPERANDS)
struct allowed_question {
    uint64_t words[QUESTION_WORDS];
    unsigned len;
    unsigned value_count;
    uint32_t values[ALLOWED_OPERANDS]; /* no part of the question */
};
struct allowed_answer {
    uint64_t words[QUESTION_WORDS];
    uint64_t fine[ALLOWED_OPERANDS]; /* [value]: classes left */
    uint8_t len;                     /* 0: nothing is kept here */
    bool any;                        /* something is allowed */
};
/* `domains`: classes of each value, as in classes.c; NULL: what has no class may lie in all.
 * `other`: a copy may be any micro-op that copies. */
void expand_question_put(const struct expansion *expansion, const struct target_op *op,
                         const uint32_t *src, const uint32_t *dst, int here,
                         const uint64_t *domains, bool other, struct allowed_question *question);
/* Where its answer is kept: `known`, or to be filled in. */
struct allowed_answer *expand_question_answer(struct allowed_memo *memo,
                                              const struct allowed_question *question, bool *known);

/* The same questions are asked again and again: what was answered for one target.  One expansion at
 * a time. */
struct allowed_memo *expand_allowed_new(void);
void expand_allowed_free(struct allowed_memo *memo);
/* Has it grown so large that it had better begin anew? */
bool expand_allowed_is_full(const struct allowed_memo *memo);

#endif
