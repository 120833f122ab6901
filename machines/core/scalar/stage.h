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

#include "machines/core/scalar/run.h"
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
    SCALAR_CELL_AT,  /* 8 bytes of a loop, number `index` */
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
    uint32_t unit;                 /* of the stage, from the lap's first on */
    const struct stage_name *name; /* of what is indexed; NULL: it does not end */
    struct lane_type type;         /* of the index */
    uint32_t count; /* elements that can be seen; NO_INDEX: as many as parameter `bound` */
    uint32_t bound;
};
struct scalar_stage {
    const struct stage_kernel *kernel;
    uint32_t row;  /* base elements */
    uint32_t *per; /* [length_count]: elements of each length in a row */
    VEC(struct scalar_stage_array) arrays;
    VEC(struct scalar_stage_site) sites;
    VEC(const void *) rooms; /* names and parameters whose index is data */
    /* Loops that are not written out: those whose laps are data, or too many.  `all_loops`: all. */
    VEC(const struct stage_stmt *) loops;
    bool all_loops, too_long;        /* too_long: fewer rows may be less */
    bool kept_alone;                 /* what a filter does not keep is not written */
    bool (*calls)(uint64_t routine); /* as scalar_body.calls */
    /* Laps of which everything is there: rows behind theirs that are, too, since windows see them.
     */
    uint32_t rows_beyond;
    size_t *sizes; /* [stages]: values of each */
    /* What is not in the IR, and the line of the text that says it. */
    struct str wrong;
    uint32_t line;
};

/* False with `wrong` set: the kernel is none for this. */
bool scalar_stage_open(struct scalar_stage *s, const struct stage_kernel *kernel);
void scalar_stage_close(struct scalar_stage *s);
/* The line of the stage that has most values. */
uint32_t scalar_stage_largest(const struct scalar_stage *s);
/* How many elements of an array, of its length, are in a row. */
uint32_t scalar_stage_per(const struct scalar_stage *s, uint32_t array);
/* Appends a lap of so many rows.  `some`: not all units of its rows have to be there.  False with
 * `wrong` set. */
bool scalar_from_stage(struct scalar_body *b, struct scalar_stage *s, uint32_t rows, bool some);

/* ---- between stage.c, stage_body.c, stage_loops.c and stage_value.c ---- */

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
    uint32_t cells;       /* of loops so far */
    size_t inner;         /* values of units that the one at work has asked for */
    bool again, failed;   /* it needs a room that it did not have; `wrong` is set */
};
/* A body at work.  In a loop that is not written out `path` and the others begin anew: who is there
 * has a lap. */
struct scalar_frame {
    struct scalar_staging *g;
    struct scalar_unit *unit;
    scalar_id path;     /* mask: the statement is carried out; 0: always */
    scalar_id returned; /* mask: it has ended; 0: never */
    scalar_id goes_on;  /* mask: of the loop around, left by `continue`; 0: never */
    uint32_t laps;      /* array with the counter of laps; 0: in no loop of the IR */
};

/* What is built from now on is for that line of the text. */
static inline void scalar_stage_is_for(struct scalar_body *b, uint32_t line) {
    b->source = line <= SCALAR_MOST_SOURCES ? (uint16_t)line : 0;
}
bool scalar_stage_refuse(struct scalar_staging *g, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The number of that array of the IR, which is new if it is not there. */
uint32_t scalar_stage_array(struct scalar_stage *s, enum scalar_stage_kind kind, uint32_t index,
                            const void *of, struct lane_type type, uint32_t count);
/* Element of an array of the IR: words of its type, loaded. */
scalar_id scalar_stage_load(struct scalar_staging *g, uint32_t array, uint32_t element);
/* With zeros, or its sign, above. */
scalar_id scalar_stage_clean(struct scalar_body *b, struct lane_type type, scalar_id a);
/* What came out of memory: a bool is 0 or 1, other types have anything above. */
scalar_id scalar_stage_loaded(struct scalar_body *b, struct lane_type type, scalar_id a);
/* Element `index` of an input of the unit. */
scalar_id scalar_stage_input(struct scalar_staging *g, const struct stage_stage *stage,
                             uint32_t unit, const struct stage_param *q, uint32_t index);
/* Of an input that lies in memory, all that the unit sees: the array of the IR, and which of its
 * elements is the unit's first. */
bool scalar_stage_in_memory(struct scalar_staging *g, const struct stage_stage *stage,
                            uint32_t unit, const struct stage_param *q, uint32_t *array,
                            uint32_t *first);
/* Units but for the first so many are to be computed anew. */
void scalar_stage_forget(struct scalar_staging *g, size_t count);
bool scalar_stage_has_room(const struct scalar_stage *s, const void *of);
/* Masks, of which 0 is "always". */
scalar_id scalar_stage_both(struct scalar_body *b, scalar_id x, scalar_id y);
bool scalar_stage_never(const struct scalar_body *b, scalar_id mask);

/* The first of a name's slots, how many it has, and who owns its room. */
uint32_t scalar_stage_slot(const struct stage_name *n);
uint32_t scalar_stage_count(const struct stage_name *n);
const void *scalar_stage_owner(const struct stage_name *n);
/* It lies in memory from now on: the lap is made once more. */
void scalar_stage_want_room(struct scalar_frame *f, const struct stage_name *n);
/* What is in slot k of the name; of an accumulator what was gathered before. */
scalar_id scalar_stage_held(struct scalar_frame *f, const struct stage_name *n, uint32_t k);
/* The core stops for the last site where the mask holds, with the value. */
void scalar_stage_stop(struct scalar_frame *f, scalar_id mask, scalar_id value);
/* Masks of which 0 is "never"; a path as a mask, and a mask as the path that it is. */
scalar_id scalar_stage_either(struct scalar_frame *f, scalar_id x, scalar_id y);
scalar_id scalar_stage_mask(struct scalar_frame *f, scalar_id path);
scalar_id scalar_stage_path(struct scalar_frame *f, scalar_id mask);
/* Nothing more of the body is carried out. */
bool scalar_stage_dead(struct scalar_frame *f);
void scalar_stage_loop(struct scalar_frame *f, const struct stage_stmt *s);
void scalar_stage_list(struct scalar_frame *f, const struct stage_stmt *s);

/* By the operation of an accumulator; numbers with anything above.  0: it is not in the IR. */
scalar_id scalar_stage_fold(struct scalar_body *b, enum stage_op op, struct lane_type type,
                            scalar_id first, scalar_id second);
scalar_id scalar_stage_value(struct scalar_frame *f, const struct stage_expr *e);
void scalar_stage_assign(struct scalar_frame *f, const struct stage_expr *target, scalar_id value);
void scalar_stage_body(struct scalar_frame *f, const struct stage_stmt *body);

#endif
