/* SPDX-License-Identifier: MIT
 * Inside the interpreter (interp*.c). */
#ifndef TESTS_EZPIM_INTERP_PARTS_H
#define TESTS_EZPIM_INTERP_PARTS_H

#include "support/map.h"
#include "support/vec.h"
#include "tests/ezpim/interp.h"

__extension__ typedef unsigned __int128 interp_unsigned;

/* Numbers are exact and have no type; values of a type lie in its range. */
struct interp_value {
    bool is_number;
    struct rtype type;
    ez_number v;      /* of a float its pattern */
    const char *real; /* a number with a point: its text, and no type */
};

/* What a name of the program stands for; names are compared by address (interp_intern). */
struct interp_binding {
    const char *name;
    enum { BOUND_NUMBER, BOUND_TABLE, BOUND_CELLS, BOUND_VARIABLE, BOUND_SUB } kind;
    struct interp_value number; /* BOUND_NUMBER; BOUND_CELLS, BOUND_TABLE: the type */
    const struct expr *table;
    struct interp_cell *cells; /* BOUND_CELLS */
    size_t variable;           /* BOUND_VARIABLE */
    uint32_t count;
    bool has_k;
    const struct decl *sub;
};

struct interp_group {
    const char *name;
    uint32_t ndim; /* with those of the grid when it is `on` it */
    uint64_t shape[8], elements;
    bool on_grid;
    const char *counted_by; /* the variable whose length is that of the group, or NULL */
};

enum { INTERP_CELLS = 4096, INTERP_DEPTH = 200 };

/* What an MPU has sent. */
struct interp_message {
    uint64_t from, to, count;
    const struct interp_cell *cells;
    bool taken;
};

/* A reduction so far, of `count` values. */
struct interp_fold {
    ez_number value; /* exact, unless what it is for cuts it on the way */
    uint64_t best;   /* element */
    uint64_t count;
};

struct interp {
    struct arena arena;
    struct ez_program *program;
    struct map names; /* of the tree, each once */
    struct map sizes; /* bound by the host */
    VEC(struct interp_binding) globals;
    VEC(struct interp_variable) variables;
    VEC(struct interp_group) groups;
    struct interp_group grid; /* of MPUs; name NULL: there is one MPU */
    VEC(struct interp_message) messages;
    const struct stmt *on; /* at work, or NULL: all MPUs */
    /* Locals: those from `frame` on are seen; the cells lie one above the other. */
    VEC(struct interp_binding) locals;
    size_t frame;
    struct interp_cell cells[INTERP_CELLS];
    size_t cells_used;
    uint64_t element;                 /* at work */
    const struct interp_group *group; /* its group, or NULL */
    struct interp_value returned;     /* by the latest `return` with a value */
    const struct decl *sub;           /* at work */
    unsigned depth;                   /* of calls and blocks */
    uint64_t steps;                   /* left */
    char *error;
};

/* Keeps the first error. */
void interp_fail(struct interp *it, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Counts a step; false when there is none left, or after an error. */
bool interp_step(struct interp *it);
/* NULL if there is none. */
const struct interp_binding *interp_lookup(struct interp *it, const char *name);
/* NULL after an error. */
const struct interp_binding *interp_find(struct interp *it, const char *name);
bool interp_type(struct interp *it, const char *name, struct rtype *t);
/* The cell that a variable's name or element stands for; NULL after an error. */
struct interp_cell *interp_place(struct interp *it, const struct expr *e, struct rtype *t);
/* All cells of a variable. */
struct interp_cell *interp_cells(struct interp *it, const struct interp_binding *b);
struct rtype interp_type_of(const struct interp *it, const struct interp_binding *b);

struct interp_value interp_eval(struct interp *it, const struct expr *e);
/* The value as it is kept in a variable of type t: numbers and narrower types become t. */
uint64_t interp_as(struct interp *it, struct interp_value v, struct rtype t);
struct interp_value interp_typed(uint64_t pattern, struct rtype t);
struct interp_value interp_number(ez_number v);
struct interp_value interp_binary(struct interp *it, enum binary_op op, struct interp_value a,
                                  struct interp_value b);
bool interp_true(struct interp *it, const struct expr *e);
/* "f16", "f32" and "f64". */
bool interp_float_type(const char *name, struct rtype *t);
/* The value, or the number, as a float of type t: the nearest one. */
struct interp_value interp_to_float(struct interp_value v, struct rtype t);
/* What the value becomes as an integer of type t, toward zero. */
ez_number interp_from_float(struct interp_value v, struct rtype t);
/* Of two floats of one type. */
struct interp_value interp_float_binary(struct interp *it, enum binary_op op, struct interp_value a,
                                        struct interp_value b);
struct interp_value interp_float_extreme(struct interp_value a, struct interp_value b, bool least);
/* The statements of one element. */
void interp_run_lane(struct interp *it, const struct stmt *s);
/* Those of `main`. */
void interp_run_top(struct interp *it, const struct stmt *s);
/* Gives variables that a `compact` of these statements fills their first length: all elements. */
void interp_ready_lengths(struct interp *it, const struct stmt *s);
bool interp_asks_length(const struct expr *e);
/* How many elements take part where the expression (or statements) stands; UINT64_MAX: all. */
uint64_t interp_front(struct interp *it, const struct expr *e);
uint64_t interp_front_of(struct interp *it, const struct stmt *s);
/* The elements of a group[length(y)]; UINT64_MAX: all of another one. */
uint64_t interp_front_in(struct interp *it, const struct interp_group *g);
/* The value of length(x); false if e is something else. */
bool interp_length(struct interp *it, const struct expr *e, struct interp_value *v);
/* Elements of the group (NULL: none) that take part in e. */
uint64_t interp_part(struct interp *it, const struct interp_group *g, const struct expr *e);
/* target = sum(value, ...) and its like; g is the group of the value. */
void interp_reduce(struct interp *it, const struct stmt *s, const struct interp_group *g);
/* target = product(a, b) or sort(value, ...), g as above; false: the call is another one. */
bool interp_array(struct interp *it, const struct stmt *s, const struct interp_group *g);
/* kind: the name of a reduction. */
void interp_fold_in(struct interp_fold *f, const char *kind, struct interp_value v,
                    uint64_t element);
/* The number of the MPU with these coordinates. */
uint64_t interp_mpu(struct interp *it, struct expr *const *index, uint32_t count);
void interp_send(struct interp *it, const struct stmt *s);
void interp_receive(struct interp *it, const struct stmt *s);
void interp_collective(struct interp *it, const struct stmt *s);
void interp_compact(struct interp *it, const struct stmt *s);
void interp_move(struct interp *it, const struct stmt *s);
const struct interp_group *interp_group(struct interp *it, const char *name);
/* A subroutine's call; its value is an error's zero if it has none. */
struct interp_value interp_call(struct interp *it, const struct decl *sub, const struct expr *e);

#endif
