/* SPDX-License-Identifier: MIT
 * What the parts of the writer share. */
#ifndef EZPIM_STAGE_WRITER_H
#define EZPIM_STAGE_WRITER_H

#include "ezpim/stage/otherwise.h"

/* Registers that a lane has for elements of an array that a body sees at once, and of all its
 * arrays (the ISA has 64, and a body needs some for what it works out); of accumulators; entries of
 * a table that is looked up; laps of a loop that are written out, of loops in each other together.
 */
enum {
    MOST_SEEN = 40,
    MOST_TOGETHER = 56,
    MOST_GATHERED = 16,
    MOST_LOCAL = 32,
    MOST_UNROLLED = 64,
    MOST_WRITTEN_OUT = 1024
};

/* What a name of the body is in a lane. */
struct stage_place {
    const char *name;
    uint32_t registers; /* 0: one value */
};
/* An index that was put into a variable in front of its statement. */
struct stage_index {
    const struct stage_expr *of;
    uint32_t number;
};
/* A counter of a loop that is written out. */
struct stage_counter {
    const struct stage_name *name;
    uint32_t number;
    int64_t start, by;
    struct stage_counter *outer;
};
/* A table of constants, and its name in the program. */
struct stage_table {
    const struct stage_name *of;
    struct stage_place at;
    const struct stage_table *next;
};
struct stage_writer {
    struct stage_otherwise *o;
    struct arena arena;
    const struct stage_stage *stage;
    struct stage_place *places; /* [param_count] of the stage */
    struct stage_place *others; /* likewise, in `combine` */
    const char *keeps;          /* the variable of what a filter's body returns */
    const char *bin; /* one accumulator alone is gathered, element by element: this one */
    const struct stage_param *binned; /* its accumulator; NULL: all in registers */
    bool skip_large;                  /* those that are too large for registers are left out */
    struct stage_counter *counters;
    uint64_t laps; /* of the loops that are written out around */
    struct stage_table *tables;
    struct stage_index indices[256];
    uint32_t index_count, index_from;
    uint32_t number; /* of the next name that is made */
    bool failed;
};

/* Names last as long as the writer. */
const char *stage_text(struct stage_writer *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* What is written from now on is made of that. */
void stage_mark(struct stage_writer *w, struct span at);
const char *stage_made_name(struct stage_writer *w, const char *what);
bool stage_cannot(struct stage_writer *w, struct span at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void stage_put_type(struct str *out, struct lane_type type);
/* A constant of the type, as an expression. */
void stage_put_value(struct str *out, struct lane_type type, uint64_t value);
uint32_t stage_param_index(const struct stage_stage *stage, const struct stage_param *param);
bool stage_is_large(const struct stage_param *acc);

/* ---- lane_values.c ---- */
void stage_put_expr(struct stage_writer *w, struct str *out, const struct stage_expr *e);
/* In front of a statement: variables for indices that are data, and what stops a wild one. */
void stage_put_indices(struct stage_writer *w, const struct stage_expr *e, const char *guard);
void stage_put_index(struct stage_writer *w, const struct stage_expr *e, const char *guard);
uint32_t stage_index_number(const struct stage_writer *w, const struct stage_expr *e);
/* Whether it is a register of its own whatever the element is. */
bool stage_is_direct(const struct stage_writer *w, const struct stage_expr *e);
struct stage_place stage_place_of(struct stage_writer *w, const struct stage_name *name);

/* ---- lane_body.c ---- */
void stage_put_body(struct stage_writer *w, const struct stage_stmt *body);

#endif
