/* SPDX-License-Identifier: MIT
 * Loops where all bits of a register lie in one section; for flat.c and flat_write.c alone.
 *
 * A micro-op is a shape (which op, which operands) and values: the bits and rows among its
 * operands.  A loop is a shape, too, and has as values its number of laps and all of its body's,
 * as they are in the first lap; nested loops' lie where they stand in the body.  From lap to lap
 * each value changes by an amount of its own. */
#ifndef RECIPE_TABLE_FLAT_H
#define RECIPE_TABLE_FLAT_H

#include "recipe/table/parts.h"

#include "support/map.h"

/* One value of a loop. */
struct loop_value {
    uint8_t laps;   /* 1: a nested loop's number of laps; 0: a bit or a row */
    uint8_t depth;  /* loops around it, this one among them */
    int8_t sign;    /* it follows the position (1), mirrors it (-1) or stays (0) */
    int8_t outer;   /* what the lap around the innermost loop adds */
    int32_t change; /* LAPS: by that of the loop around it */
    int32_t delta;  /* of the value from lap to lap of this loop */
};

struct flat_shape {
    bool loop, nested;     /* nested: there is a loop in it */
    uint32_t word;         /* of a micro-op: in `words` */
    uint32_t child, count; /* of a loop: its body's shapes in `children` */
    int32_t step;          /* of the position */
    uint32_t slot;         /* of a loop: first one in `slots`, that of its own laps */
    uint32_t values;       /* how many */
};

struct flat_item {
    uint32_t shape, value; /* its first one in `values` */
    uint32_t flat;         /* its first micro-op in the list */
    uint32_t cost;         /* templates */
};

struct flat {
    const struct table_layout *layout;
    size_t count; /* micro-ops */
    VEC(struct flat_item) items, made;
    struct flat_item *list; /* [count]: the micro-ops as they were */
    VEC(struct flat_shape) shapes;
    VEC(uint32_t) children;
    VEC(struct loop_value) slots;
    VEC(int32_t) values;
    struct entry_list words; /* bits and rows are 0 */
    struct map word_ids, loop_ids;
};

/* True for an operand that is a bit or a row. */
bool table_flat_is_value(const struct table_operand *o);

/* flat_write.c: entries of items one behind the other, outside of loops; the templates that they
 * take. */
uint32_t table_flat_write(const struct flat *f, const struct flat_item *items, size_t count,
                          struct entry_list *out);

#endif
