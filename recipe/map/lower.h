/* SPDX-License-Identifier: MIT
 * From gates to micro-ops where a gate is a sequence of them, for lower.c, sequence.c and clean.c.
 *
 * The nodes of a segment have an order.  One after the other is written out as one of the cheapest
 * sequences for its function; what a row for computing or a temporary holds already is not made
 * again, and steps whose result nothing wants are left out.  A few of the cheapest ways so far are
 * followed at a time, since the choice of a sequence decides on what later ones find. */
#ifndef RECIPE_MAP_LOWER_H
#define RECIPE_MAP_LOWER_H

#include "recipe/map/derive.h"
#include "recipe/map/order.h"
#include "recipe/map/value_sets.h"

/* A place of the segment: the frame's rows come first. */
struct spot {
    int class;     /* where_place */
    bool home;     /* where values between gates lie */
    bool row;      /* a row for computing, written again and again */
    bool fleeting; /* a register or latch that the instruction writes */
    bool lost;     /* the name that it was read under holds something else now */
    uint32_t cell; /* that is read there, or NOTHING */
    uint32_t name; /* that is written, or NOTHING */
    const struct recipe_expr *target;
};

struct held_value {
    uint32_t value, spot;
};

/* A micro-op, or the move of a node, which the walker carries out. */
struct low_step {
    uint16_t op;
    bool move;
    uint8_t nsrc, ndst;
    uint32_t src[OP_MAX_SOURCES], dst[OP_MAX_DESTS];     /* spots */
    uint32_t reads[OP_MAX_SOURCES], makes[OP_MAX_DESTS]; /* values */
    uint32_t node;                                       /* of a move */
};

/* One way to do the nodes so far. */
struct plan {
    uint64_t cost;
    bool safe;                   /* rows for computing hold nothing alone that is needed */
    uint32_t rows[FRAME_ROWS];   /* value + 1 in each row, or 0 */
    VEC(struct held_value) held; /* in places that keep what they hold */
    VEC(struct low_step) steps;
};

struct map_lowering {
    struct segment_order *o;
    const struct derived *d;
    const struct target *t;
    /* All results go home and nothing is read elsewhere: no choice of a sequence can lead to one
     * that does not work any more. */
    bool plain;
    struct values values;
    VEC(struct spot) spots;
    unsigned row_count;
    uint8_t row_place[FRAME_ROWS]; /* of the frame */
    uint8_t row_at[FRAME_MAX];     /* place of the frame to row */
    int save[FRAME_ROWS];          /* op that copies a row to a temporary, or -1 */
    uint32_t *value_of_cell;       /* + 1 */
    bool *kept;                    /* by cell: a move reads it, so that it must last */
    VEC(uint32_t) needed;          /* by value: number + 1 of the last node that reads it */
    VEC(uint32_t) made;            /* by value: number + 1 of the first node that makes it, or 0 */
    uint32_t constants[2];         /* spots + 1 */
    uint32_t constant_values[2];
};

/* What a node asks for. */
struct node_demand {
    uint32_t number; /* in the order */
    uint32_t value;
    uint32_t inputs[FRAME_INPUTS]; /* values */
    uint32_t spot;                 /* that it must be written to, or NOTHING */
    uint32_t name;                 /* of that spot, or NOTHING */
    bool keep;                     /* it must last */
    bool anew;                     /* where it lies already is of no use */
};

/* A sequence for a demand, and what its steps make. */
struct template_run {
    const struct step_template *t;
    bool own; /* a micro-op that is a gate by itself, perhaps not with all that it reads at home */
    uint32_t inputs[FRAME_INPUTS]; /* values */
    uint32_t results[TEMPLATE_STEPS][OP_MAX_DESTS];
};

/* sequence.c: fills in the results. */
void mapping_run_fill(struct map_lowering *lowering, struct template_run *run);
/* Appends the steps of the run to the plan, as many as are needed; false if it does not work here
 * (the plan is of no use then). */
bool mapping_run_apply(struct map_lowering *lowering, const struct template_run *run,
                       const struct node_demand *demand, struct plan *plan);
/* A place that holds the value, besides rows for computing, or NOTHING.  `lasting`: one that lies
 * at home and is never written again. */
uint32_t mapping_plan_find(const struct map_lowering *lowering, const struct plan *plan,
                           uint32_t value, bool lasting);
uint32_t mapping_new_spot(struct map_lowering *lowering, struct spot spot);

/* Does the step work in these places, in the section at work? */
bool mapping_step_holds(const struct map_lowering *lowering, const struct low_step *step);

/* clean.c: the same with fewer steps: without those that nothing needs, with smaller ops for those
 * of whose results some are not needed, and with one op that writes several rows for several that
 * write one.  `wanted`: a spot that is read behind the segment, or NOTHING. */
void mapping_plan_clean(struct map_lowering *lowering, struct plan *plan, uint32_t wanted);

/* lower.c: statements for the nodes in this order.  False after reporting. */
bool mapping_lower(struct segment_order *order, const uint32_t *sequence, size_t count);

#endif
