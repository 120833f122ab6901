/* SPDX-License-Identifier: MIT
 * Inside the generator of programs with many live values (live_*.c). */
#ifndef TESTS_EZPIM_LIVE_PARTS_H
#define TESTS_EZPIM_LIVE_PARTS_H

#include "tests/ezpim/expr.h"
#include "tests/ezpim/live_gen.h"

enum {
    LIVE_ARRAY = 7,   /* elements of an array */
    LIVE_MOST = 100,  /* values */
    LIVE_RESULTS = 6, /* of reductions: values that all lanes have */
    LIVE_DEPTH = 3    /* of control flow */
};

/* What is drawn of one program. */
struct live {
    struct rng rng;
    struct str *text;
    struct rtype type[LIVE_MOST]; /* of values: those of arrays first, each array of one type */
    struct rtype result[LIVE_RESULTS]; /* all0, all1, ..: integers */
    unsigned values, arrays, results;
    unsigned loops; /* that were opened, for names */
    unsigned depth, repeats;
    unsigned trips; /* how often the statement at hand is run, at most */
    unsigned work;  /* that is left: statements that are run */
    unsigned elements, dims;
    bool declared; /* values are variables of the program, not of one body */
    bool divides;
    bool sees;          /* values are printed and checked */
    bool chooses;       /* elements, in the end */
    bool real;          /* there are floats */
    const char *extent; /* of the first dimension, as written */
};

unsigned live_draw(struct live *live, unsigned below);
/* A value that can be written and read: a single one, or an element of an array. */
void live_put_value(struct live *live, unsigned value);
/* A value of that type, or LIVE_MOST. */
unsigned live_find(struct live *live, struct rtype type);
/* A value that is no float, or LIVE_MOST. */
unsigned live_find_integer(struct live *live);
/* Something short that has that type. */
void live_put_term(struct live *live, struct rtype type);
void live_put_expression(struct live *live, struct rtype type, unsigned depth);
void live_put_condition(struct live *live);

/* Statements of a body. */
void live_put_block(struct live *live, unsigned count, bool in_loop);
/* Statements of `main`. */
void live_put_top(struct live *live, unsigned count, unsigned depth);

#endif
