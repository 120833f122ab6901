/* SPDX-License-Identifier: MIT
 * Inside the generator of programs (program_*.c). */
#ifndef TESTS_EZPIM_PROGRAM_PARTS_H
#define TESTS_EZPIM_PROGRAM_PARTS_H

#include "tests/ezpim/expr.h"
#include "tests/ezpim/program_gen.h"

enum {
    GEN_PARAMS = 4,
    GEN_SUBS = 6,
    GEN_PALETTE = 5,
    GEN_GROUPS = 2,
    GEN_GROUP_VARS = 20,
    GEN_SHARED = 4
};

/* What else there is to say of a variable of the expressions' context. */
struct gen_var {
    bool writable;
    bool is_output;       /* of the subroutine at hand */
    unsigned array, size; /* number and length of the array that it belongs to; 0: none */
};

enum gen_direction { GEN_IN, GEN_OUT, GEN_INOUT };

struct gen_sub {
    char name[16];
    struct {
        struct rtype type;
        enum gen_direction direction;
        unsigned size; /* of an array; 0: none */
    } params[GEN_PARAMS];
    unsigned param_count;
    bool has_result;
    struct rtype result;
    unsigned cost, code; /* statements that it runs, at most, and has, with those that it calls */
};

/* A variable of a group, between the ensembles. */
struct gen_group_var {
    struct rvar var;
    struct gen_var more;
    unsigned place; /* in its array */
    bool is_output;
    bool has_length; /* a `compact` of the program fills it */
    bool is_fuel;    /* bounds a loop over all elements: nothing else writes it */
};
struct gen_group {
    const char *name;
    struct gen_group_var vars[GEN_GROUP_VARS];
    unsigned var_count;
    const char *extents[4]; /* as written, those of the grid of MPUs first */
    unsigned ndim;
};

/* A loop around the statement at hand. */
struct gen_loop {
    struct gen_loop *outer;
    bool may_continue;  /* the end of its body may be skipped */
    bool leaves, skips; /* a break, return or continue was made inside */
};

struct gen {
    struct rng rng;
    const struct program_options *options;
    struct rcontext c;
    struct gen_var more[R_MAX_VARS]; /* beside c.vars */
    struct str *text;
    unsigned indent;
    unsigned names; /* given so far */
    unsigned arrays;
    struct rtype palette[GEN_PALETTE];
    struct gen_sub subs[GEN_SUBS];
    unsigned sub_count;
    struct gen_group groups[GEN_GROUPS];
    unsigned group_count;
    unsigned shared;  /* the first of GEN_SHARED variables without a group that reductions write */
    bool lengths;     /* some variable of the first group has one */
    bool compacts;    /* it was filled somewhere */
    bool counted;     /* a group `f` has that length */
    bool laps_count;  /* a loop of `laps` is open */
    bool fuel_burns;  /* a loop over all elements is open */
    bool launched;    /* what stands behind the `else` of a launch is at hand */
    bool one_message; /* all messages are of one variable */
    bool asks_last;   /* the loop that is opened next ends in `while (..)` */
    unsigned grid[2], grid_dims; /* of MPUs; no dimensions: there is one */
    /* Where the statement at hand stands. */
    struct gen_loop *loop;
    struct gen_sub *sub;
    unsigned depth;             /* of control flow */
    unsigned trips;             /* how often it is run at most */
    unsigned cost, code;        /* of the ensemble or subroutine so far */
    unsigned work;              /* that it may still cost */
    bool dead;                  /* no lane comes to the end of the block */
    bool returned;              /* a `return` of the ensemble was made */
    bool at_return[R_MAX_VARS]; /* known at all of them */
};

bool gen_chance(struct gen *g, unsigned one_in);
unsigned gen_below(struct gen *g, unsigned n);
struct rtype gen_type(struct gen *g);

/* A line of text, and its parts. */
void gen_line(struct gen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gen_begin(struct gen *g);
void gen_add(struct gen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gen_end(struct gen *g);
void gen_expr(struct gen *g, struct rtype t, unsigned depth);
void gen_type_text(struct gen *g, struct rtype t);
/* "T name" of a variable of that type. */
const char *gen_type_name(struct rtype t, char text[8]);
/* A new name: the letter and a number. */
void gen_name(struct gen *g, char letter, char name[16]);

/* The variable's number; it is known if `known`. */
unsigned gen_declare(struct gen *g, const char *name, struct rtype t, bool known,
                     struct gen_var more);
/* A writable variable of that type (NULL: of any), or R_MAX_VARS.  known: that has a value. */
unsigned gen_find(struct gen *g, const struct rtype *t, bool known);
/* The first element of a writable array, or R_MAX_VARS.  known: all of it has values. */
unsigned gen_find_array(struct gen *g, struct rtype t, unsigned size, bool known);
bool gen_same_type(struct rtype a, struct rtype b);
void gen_written(struct gen *g, unsigned var);

/* Statements in a block of `count` or fewer. */
void gen_block(struct gen *g, unsigned count);
void gen_let(struct gen *g, struct rtype t, bool with_value, unsigned *var);
/* An array; its first element.  some: not all of it gets values. */
unsigned gen_let_array(struct gen *g, struct rtype t, unsigned size, bool some);
void gen_call(struct gen *g, const struct gen_sub *s);
/* A subroutine that may be called here, or NULL. */
const struct gen_sub *gen_choose_sub(struct gen *g);
/* Writes what a way out of the subroutine needs, and the return. */
void gen_return(struct gen *g);
void gen_make_sub(struct gen *g);

/* What the next statements may cost, and how often they are run. */
void gen_begin_code(struct gen *g, unsigned work, unsigned trips);
/* The group's variables come into the expressions' context; the number of the first. */
unsigned gen_enter(struct gen *g, const struct gen_group *group);
/* A statement of `main`. */
void gen_top(struct gen *g, unsigned work, unsigned depth, unsigned trips);
/* variable = reduction(...); */
void gen_reduction(struct gen *g, unsigned var);
void gen_move(struct gen *g);
void gen_message(struct gen *g, bool inside);
void gen_collective(struct gen *g);
void gen_compact(struct gen *g);
void gen_loop(struct gen *g);
/* for k: number .. number step number, up or down; the greatest number. */
int gen_steps(struct gen *g, bool unroll, const char *name, int low, unsigned laps);

#endif
