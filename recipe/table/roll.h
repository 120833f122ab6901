/* SPDX-License-Identifier: MIT
 * Loops found in a list of micro-ops; for roll.c and its two notations alone.
 *
 * A micro-op is a shape (which op, which operands) and values.  A loop is a shape, too; the first
 * of its values is its number of laps.  What the values are, and how a loop says that they change
 * from lap to lap, is a notation's:
 *   roll_sections.c  where the bits of a register lie in several sections, micro-ops have a
 *                    position; moves in a loop's body set it
 *   roll_flat.c      where they lie in one, operands say how they follow the position */
#ifndef RECIPE_TABLE_ROLL_H
#define RECIPE_TABLE_ROLL_H

#include "recipe/table/parts.h"

#include "support/map.h"

/* How a value of a loop of roll_flat.c changes. */
struct loop_value {
    uint8_t laps;   /* 1: a nested loop's number of laps; 0: a bit or a row */
    uint8_t depth;  /* loops around it, this one among them */
    int8_t sign;    /* it follows the position (1), mirrors it (-1) or stays (0) */
    int8_t outer;   /* what the lap around the innermost loop adds */
    int32_t change; /* LAPS: by that of the loop around it */
    int32_t delta;  /* of the value from lap to lap of this loop */
};

struct roll_shape {
    bool loop, nested;     /* nested: there is a loop in it */
    uint32_t word;         /* of a micro-op: in `words` */
    uint32_t child, count; /* of a loop: its header and body in `pool`, or its body in `children` */
    int32_t step;          /* of the position */
    uint32_t slot;         /* of a loop: first one in `slots`, that of its own laps */
    uint32_t values;       /* how many */
};

struct roll_item {
    uint32_t shape, value; /* its first one in `values` */
    uint32_t forward;      /* FORWARD_..., of a micro-op */
    uint32_t begin;        /* its first micro-op in the list */
    uint32_t cost;         /* templates */
};
struct roll_items {
    struct roll_item *data;
    size_t len, cap;
};

struct roll_notation;
struct roll {
    const struct roll_notation *notation;
    const struct table_layout *layout;
    const struct table_token *tokens;
    size_t count; /* micro-ops */
    struct roll_items items, made;
    struct roll_item *list; /* [count]: the micro-ops as they were */
    VEC(struct roll_shape) shapes;
    VEC(int32_t) values;
    struct entry_list words;      /* micro-ops without their values */
    struct entry_list pool;       /* roll_sections.c: loops */
    VEC(uint32_t) children;       /* roll_flat.c: shapes in loops */
    VEC(struct loop_value) slots; /* roll_flat.c: values of loops */
    struct entry_list scratch;    /* roll_flat.c: what was written to know its cost */
    struct map word_ids, loop_ids;
};

/* A stretch of the row that may become a loop: `laps` laps of `length` items.  It may begin up to
 * `slack` items later. */
struct roll_stretch {
    size_t first, length, laps, slack;
    bool pipelined; /* all laps but the first are forwarded throughout */
};

/* Compares what a loop's lap gives with the list, from `at` on. */
struct roll_comparison {
    const struct roll *roll;
    size_t at;
    bool count_only;
};

struct roll_notation {
    /* Shape and cost of a micro-op; its values behind those that there are. */
    struct roll_item (*read)(struct roll *roll, const struct table_token *token);
    /* Of two items of one shape, a lap apart: may they be in the first two laps?  `inside`: so are
     * those before them.  NULL: always. */
    bool (*may_begin)(const struct roll *roll, const struct roll_item *item,
                      const struct roll_item *next, bool inside);
    /* The stretch as one item; false if that cannot be or saves nothing. */
    bool (*make_loop)(struct roll *roll, struct roll_stretch *stretch, struct roll_item *made);
    /* True if lap `number` (also -1, and those behind the last) gives the micro-ops from
     * comparison->at on, which is then behind them. */
    bool (*lap_matches)(const struct roll *roll, const struct roll_item *loop, int32_t number,
                        struct roll_comparison *comparison);
    /* The loop with a lap more before its first.  False if that cannot be. */
    bool (*add_lap_before)(struct roll *roll, struct roll_item *loop);
    /* Entries of items one behind the other, outside of loops; the templates that they take. */
    uint32_t (*write)(const struct roll *roll, const struct roll_item *items, size_t count,
                      struct entry_list *out);
};
extern const struct roll_notation table_roll_sections, table_roll_flat;

static inline const struct roll_shape *roll_shape_of(const struct roll *roll,
                                                     const struct roll_item *item) {
    return &roll->shapes.data[item->shape];
}
static inline const int32_t *roll_values_of(const struct roll *roll, const struct roll_item *item) {
    return roll->values.data + item->value;
}
/* The shape with this key, a new one (*known is false) or that which has it. */
uint32_t table_roll_shape(struct roll *roll, struct map *ids, const void *key, size_t size,
                          struct roll_shape shape, bool *known);

/* roll_flat_write.c: true for an operand that is a bit or a row, which is a value. */
bool table_flat_is_value(const struct table_operand *operand);
uint32_t table_flat_write(const struct roll *roll, const struct roll_item *items, size_t count,
                          struct entry_list *out);

#endif
