/* SPDX-License-Identifier: MIT
 * The micro-ops and moves of one segment, and the order in which they stand. */
#ifndef RECIPE_MAP_ORDER_H
#define RECIPE_MAP_ORDER_H

#include "recipe/map/mapping.h"

/* Something that is read: what a name held before the segment, a constant, or what a node makes. */
struct operand_value {
    uint32_t node;                  /* that makes it, or NOTHING */
    uint32_t input;                 /* the name that held it before, or NOTHING */
    const struct recipe_expr *expr; /* how it is read; of a node's: once it is placed */
};

struct order_node {
    bool move;     /* a second name, a hand-on or a copy of its one source */
    uint32_t kind; /* op of the target or DERIVED_TAG + group, unless it moves */
    uint8_t gate;  /* of map_gates, unless it moves */
    uint32_t src[3];
    unsigned nsrc;
    uint32_t cell;  /* that it makes, or NOTHING */
    uint32_t name;  /* that it writes, or NOTHING: a temporary */
    uint32_t write; /* of the segment, where it writes a name */
    const struct recipe_expr *target;
    bool early; /* a carry that goes out waits for it */
    bool late;  /* it waits for a carry that comes in */
    bool placed;
    struct span at;
};

struct segment_order {
    struct mapping *m;
    struct segment *segment;
    VEC(struct operand_value) cells;
    VEC(struct order_node) nodes;
    uint32_t *cell_of_value; /* index + 1 */
    uint32_t constants[2];   /* cells + 1 */
    uint32_t begun;          /* cell of a carry's first value, or NOTHING */
    bool *handed_on;         /* by name */
    unsigned temporaries;
    struct recipe_stmt *first, **tail;
};

/* nodes.c: the nodes of the segment's blocks.  False after reporting. */
bool mapping_make_nodes(struct segment_order *o);
/* The cell of a constant row. */
uint32_t mapping_constant_cell(struct segment_order *o, bool one, struct span at);
/* order.c: statements, in an order that hands carries on early.  False after reporting. */
bool mapping_place_nodes(struct segment_order *o);

/* order.c, for lower.c: how a cell is read and a name written; a new temporary; a call without
 * operands; the next statement; a move of what `from` reads. */
struct recipe_expr *mapping_order_read(struct segment_order *o, const struct operand_value *c,
                                       struct span at);
struct recipe_expr *mapping_order_target(struct segment_order *o, uint32_t name,
                                         const struct recipe_expr *target, struct span at);
uint32_t mapping_order_temporary(struct segment_order *o);
struct recipe_expr *mapping_order_call(struct segment_order *o, uint32_t kind, struct span at);
void mapping_order_append(struct segment_order *o, struct recipe_stmt *s);
void mapping_order_move(struct segment_order *o, const struct order_node *n,
                        struct recipe_expr *from);

#endif
