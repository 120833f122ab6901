/* SPDX-License-Identifier: MIT
 * What the parts of the checker share.  Functions that return bool return false after reporting. */
#ifndef STAGE_CHECKER_H
#define STAGE_CHECKER_H

#include "stage/syntax.h"

struct stage_checker {
    struct arena *arena;
    struct diag *diag;
    struct stage_kernel *kernel;
    struct stage_name *scope;  /* the name declared last; those around it behind it */
    struct stage_name *blocks; /* the name declared last in front of the innermost block */
    struct stage_stage *stage; /* whose body is checked */
    bool in_combine, failed;
    uint32_t loops; /* open ones */
    uint64_t slots;
};

bool stage_wrong(struct stage_checker *c, struct span at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- names.c ---- */
/* A new name in the innermost block; NULL after reporting. */
struct stage_name *stage_declare(struct stage_checker *c, enum stage_name_kind kind,
                                 const char *text, struct span at, struct lane_type type);
/* NULL after reporting. */
struct stage_name *stage_find(struct stage_checker *c, const char *text, struct span at);
/* Room for so many numbers. */
bool stage_take_slots(struct stage_checker *c, struct span at, uint64_t count, uint32_t *slot);

/* ---- expressions.c ---- */
/* Types in the expression; it may be a number that has none yet. */
bool stage_check_value(struct stage_checker *c, struct stage_expr **at);
/* As a value of that type. */
bool stage_check_as(struct stage_checker *c, struct stage_expr **at, struct lane_type type);
bool stage_check_condition(struct stage_checker *c, struct stage_expr **at);
/* What is assigned to. */
bool stage_check_target(struct stage_checker *c, struct stage_expr *e);
/* left OP right, of which the types are known; NULL after reporting. */
struct stage_expr *stage_operate(struct stage_checker *c, struct span at, uint32_t line,
                                 enum stage_op op, struct stage_expr *left,
                                 struct stage_expr *right);
bool stage_fit(struct stage_checker *c, struct stage_expr **at, struct lane_type type);
/* A constant from `least` to `most`; `what` is named in messages. */
bool stage_check_constant(struct stage_checker *c, struct stage_expr **at, const char *what,
                          int64_t least, int64_t most, int64_t *value);
bool stage_same_expr(const struct stage_expr *left, const struct stage_expr *right);

/* ---- ranges.c ---- */
struct stage_range stage_type_range(struct lane_type type);
void stage_set_range(struct stage_expr *e);

/* ---- loops.c ---- */
/* What is known of its laps, from what is checked but for the body; the range of the counter holds
 * there.  False where it has no end. */
bool stage_check_laps(struct stage_checker *c, struct stage_stmt *loop);

/* ---- bodies.c ---- */
bool stage_check_body(struct stage_checker *c, struct stage_stmt *body);
bool stage_check_declaration(struct stage_checker *c, struct stage_stmt *s);
/* Whether the body's end is never reached. */
bool stage_always_returns(const struct stage_stmt *s);

/* ---- folds.c ---- */
/* An assignment, checked, whose target is an element of an accumulator. */
void stage_note_update(struct stage_checker *c, struct stage_stmt *s);
/* How parts are put together, when the body is checked. */
bool stage_check_folds(struct stage_checker *c, struct stage_stage *stage);

#endif
