/* SPDX-License-Identifier: MIT
 * Stage kernels (stage/stage.h) as scalar IR: all stages of a kernel in one pass over its elements.
 *
 * The base elements of a kernel, those of `length`, are worked on in rows: as many as there are
 * elements of each length, whole numbers of them, in a row.  A lap is some rows.  What a stage
 * makes for a later one is computed where that wants it, windows over it included, so nothing is
 * kept between stages.  A core's loop around is told what the IR touches, and says where that lies.
 */
#ifndef MACHINES_CORE_SCALAR_STAGE_H
#define MACHINES_CORE_SCALAR_STAGE_H

#include "machines/core/scalar/ir.h"
#include "stage/stage.h"
#include "support/str.h"

/* What has a number as `array` of the IR. */
enum scalar_stage_kind {
    SCALAR_BLOCK,    /* elements of a buffer, from the first of the lap on; array `index` */
    SCALAR_NUMBER,   /* a number of the launch, as it lies; parameter `index` */
    SCALAR_LEFT,     /* a word: how many elements of length `index` there are from the unit's first
                        on */
    SCALAR_END,      /* a word: at which row of the unit the laps end */
    SCALAR_COUNTER,  /* its address is the row of the lap less that, below 0 */
    SCALAR_GATHERED, /* elements that a worker has gathered; parameter `of` */
    SCALAR_KEPT_AT,  /* a word: the address where the next kept element of array `index` goes */
    SCALAR_KEPT,     /* a word: units that stage `of` has kept */
    SCALAR_SEEN,     /* elements of an array that is seen whole, or of a tail; array `index` */
    SCALAR_TABLE,    /* constants of a body; name `of` */
    SCALAR_ROOM,     /* an array of a body whose index is data; name `of` */
    SCALAR_WRONG,    /* 8 bytes: an index that is wrong */
};
struct scalar_stage_array {
    enum scalar_stage_kind kind;
    uint32_t index;
    const void *of;
    struct lane_type type;
    uint32_t bytes;  /* of an element in memory */
    uint32_t count;  /* elements; of SCALAR_BLOCK those of a row */
    uint32_t beyond; /* SCALAR_BLOCK: elements behind those of the lap's rows that are seen */
    bool loaded, stored;
    bool bounded; /* SCALAR_SEEN: a number of the launch says how many are seen */
};
/* Why a core may stop: reason n is site n - 1. */
struct scalar_stage_site {
    const struct stage_stage *stage;
    uint32_t line;
    uint32_t unit; /* of the stage, from the lap's first on */
    const struct stage_name *name;
    struct lane_type type; /* of the index */
    uint32_t count;        /* elements that can be seen; NO_INDEX: as many as parameter `bound` */
    uint32_t bound;
};
struct scalar_stage {
    const struct stage_kernel *kernel;
    uint32_t row;  /* base elements */
    uint32_t *per; /* [length_count]: elements of each length in a row */
    VEC(struct scalar_stage_array) arrays;
    VEC(struct scalar_stage_site) sites;
    VEC(const void *) rooms; /* names and parameters whose index is data */
    /* What is not in the IR, and the line of the text that says it. */
    struct str wrong;
    uint32_t line;
};

/* False with `wrong` set: the kernel is none for this. */
bool scalar_stage_open(struct scalar_stage *s, const struct stage_kernel *kernel);
void scalar_stage_close(struct scalar_stage *s);
/* How many elements of an array, of its length, are in a row. */
uint32_t scalar_stage_per(const struct scalar_stage *s, uint32_t array);
/* Appends a lap of so many rows.  `some`: not all units of its rows have to be there.  False with
 * `wrong` set. */
bool scalar_from_stage(struct scalar_body *b, struct scalar_stage *s, uint32_t rows, bool some);

/* ---- between stage.c, stage_body.c and stage_value.c ---- */

/* A unit of a stage, as far as it is known. */
struct scalar_unit {
    const struct stage_stage *stage;
    uint32_t unit;
    scalar_id *slots; /* [slots of the stage] */
    scalar_id keep;   /* of a filter: mask */
    scalar_id valid;  /* mask: it is there; 0: always */
    bool done;
};
struct scalar_staging {
    struct scalar_stage *s;
    struct scalar_body *b;
    uint32_t rows;
    bool some;
    VEC(struct scalar_unit *) units;
    scalar_id **gathered; /* [number of the stage]: slots of what a reduce has gathered; NULL */
    bool again, failed;   /* it needs a room that it did not have; `wrong` is set */
};
/* A body at work. */
struct scalar_frame {
    struct scalar_staging *g;
    struct scalar_unit *unit;
    scalar_id path;     /* mask: the statement is carried out; 0: always */
    scalar_id returned; /* mask: it has ended; 0: never */
    scalar_id goes_on;  /* mask: of the loop around, left by `continue`; 0: never */
};

bool scalar_stage_refuse(struct scalar_staging *g, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The number of that array of the IR, which is new if it is not there. */
uint32_t scalar_stage_array(struct scalar_stage *s, enum scalar_stage_kind kind, uint32_t index,
                            const void *of, struct lane_type type, uint32_t count);
uint32_t scalar_stage_number(const struct stage_kernel *k, const struct stage_stage *stage);
/* Element of an array of the IR: words of its type, loaded. */
scalar_id scalar_stage_load(struct scalar_staging *g, uint32_t array, uint32_t element);
/* With zeros, or its sign, above. */
scalar_id scalar_stage_clean(struct scalar_body *b, struct lane_type type, scalar_id a);
/* What came out of memory: a bool is 0 or 1, other types have anything above. */
scalar_id scalar_stage_loaded(struct scalar_body *b, struct lane_type type, scalar_id a);
/* The unit with its body carried out. */
struct scalar_unit *scalar_stage_unit(struct scalar_staging *g, const struct stage_stage *stage,
                                      uint32_t unit);
/* Whether element i of a length, from the lap's first on, is there; 0: it is. */
scalar_id scalar_stage_valid(struct scalar_staging *g, uint32_t length, uint32_t i);
scalar_id scalar_stage_is_left(struct scalar_staging *g, uint32_t length, uint32_t i,
                               scalar_id *beyond);
/* Element `index` of an input of the unit. */
scalar_id scalar_stage_input(struct scalar_staging *g, const struct stage_stage *stage,
                             uint32_t unit, const struct stage_param *q, uint32_t index);
bool scalar_stage_has_room(const struct scalar_stage *s, const void *of);
/* Masks, of which 0 is "always". */
scalar_id scalar_stage_both(struct scalar_body *b, scalar_id x, scalar_id y);
bool scalar_stage_never(const struct scalar_body *b, scalar_id mask);

scalar_id scalar_stage_value(struct scalar_frame *f, const struct stage_expr *e);
void scalar_stage_assign(struct scalar_frame *f, const struct stage_expr *target, scalar_id value);
void scalar_stage_body(struct scalar_frame *f, const struct stage_stmt *body);
scalar_id scalar_stage_operation(struct scalar_frame *f, uint32_t line, enum stage_op op,
                                 struct lane_type type, scalar_id a, scalar_id c);

#endif
