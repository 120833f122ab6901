/* SPDX-License-Identifier: MIT
 * The order of a segment's micro-ops: first what a carry that goes out needs and what does not
 * wait for one that comes in, then what does, then the hand-on, then the rest; so that the next
 * position may begin early. */
#include "recipe/map/lower.h"

/* --- early and late --- */

static void mark_late(struct segment_order *order) {
    for (size_t i = 0; i < order->nodes.len; i++)
        for (unsigned k = 0; k < order->nodes.data[i].nsrc; k++) {
            const struct operand_value *c = &order->cells.data[order->nodes.data[i].src[k]];
            if (c->input != NOTHING)
                order->nodes.data[i].late |= order->m->names.data[c->input].kind == NAME_CARRY;
            else if (c->node != NOTHING)
                order->nodes.data[i].late |= order->nodes.data[c->node].late;
        }
}

/* Nodes stand behind those that they read. */
static void mark_early(struct segment_order *order) {
    for (size_t i = order->nodes.len; i-- > 0;) {
        struct order_node *n = &order->nodes.data[i];
        n->early |= n->name != NOTHING && order->m->names.data[n->name].kind == NAME_CARRY;
        for (unsigned k = 0; k < n->nsrc && n->early; k++)
            if (order->cells.data[n->src[k]].node != NOTHING)
                order->nodes.data[order->cells.data[n->src[k]].node].early = true;
    }
}

static unsigned class_of(const struct order_node *node) {
    return !node->early ? 2 : node->late;
}

/* --- what may be placed --- */

static bool is_carry(const struct segment_order *order, uint32_t name) {
    return order->m->names.data[name].kind == NAME_CARRY;
}

static bool has_sources(const struct segment_order *order, const struct order_node *node) {
    for (unsigned k = 0; k < node->nsrc; k++) {
        uint32_t maker = order->cells.data[node->src[k]].node;
        if (maker != NOTHING && !order->nodes.data[maker].placed)
            return false;
    }
    return true;
}

/* Does another node still want what the name held before?  A carry that came in stays readable. */
static bool is_wanted(const struct segment_order *order, uint32_t node) {
    uint32_t name = order->nodes.data[node].name;
    if (name == NOTHING || is_carry(order, name))
        return false;
    for (uint32_t i = 0; i < order->nodes.len; i++) {
        const struct order_node *n = &order->nodes.data[i];
        for (unsigned k = 0; k < n->nsrc && i != node && !n->placed; k++)
            if (order->cells.data[n->src[k]].input == name)
                return true;
    }
    return false;
}

/* Carries of one direction share a buffer: they are handed on in the order of the generic recipe.
 */
static bool is_behind(const struct segment_order *order, const struct order_node *node) {
    if (node->name == NOTHING || !is_carry(order, node->name))
        return false;
    for (size_t i = 0; i < order->nodes.len; i++) {
        const struct order_node *n = &order->nodes.data[i];
        if (!n->placed && n->name != NOTHING && is_carry(order, n->name) &&
            n->write < node->write &&
            order->m->names.data[n->name].down == order->m->names.data[node->name].down)
            return true;
    }
    return false;
}

static uint32_t next_node(const struct segment_order *order) {
    uint32_t best = NOTHING;
    for (uint32_t i = 0; i < order->nodes.len; i++) {
        const struct order_node *n = &order->nodes.data[i];
        if (n->placed || !has_sources(order, n) || is_wanted(order, i) || is_behind(order, n))
            continue;
        if (best == NOTHING || class_of(n) < class_of(&order->nodes.data[best]))
            best = i;
    }
    return best;
}

/* The write goes to a temporary, and from there to its name. */
static void move_later(struct segment_order *order, uint32_t index) {
    struct order_node *n = &order->nodes.data[index], last = *n;
    n->name = NOTHING;
    n->target = NULL;
    if (n->cell == NOTHING) {
        n->cell = (uint32_t)order->cells.len;
        vec_push(&order->cells, ((struct operand_value){index, NOTHING, NULL}));
    }
    last.move = true;
    last.nsrc = 1;
    last.src[0] = n->cell;
    last.cell = NOTHING;
    vec_push(&order->nodes, last);
}

/* Names that wait for one another: one of the writes goes to a temporary, and from there to its
 * name when nothing wants the old value any more. */
static void detour(struct segment_order *order) {
    uint32_t i = 0;
    while (order->nodes.data[i].placed || !has_sources(order, &order->nodes.data[i]))
        i++;
    move_later(order, i);
}

/* No micro-op writes the row of a register that it reads: arrays set it before.  The result goes
 * to scratch and is copied. */
static void keep_apart(struct segment_order *order) {
    for (uint32_t i = 0; i < order->nodes.len; i++) {
        const struct order_node *n = &order->nodes.data[i];
        bool row = n->name != NOTHING && (order->m->names.data[n->name].kind == NAME_REGISTER ||
                                          order->m->names.data[n->name].kind == NAME_LATCH);
        bool same = false;
        for (unsigned k = 0; k < n->nsrc && row && !n->move; k++)
            same |= order->cells.data[n->src[k]].input == n->name;
        if (same)
            move_later(order, i);
    }
}

/* --- statements --- */

uint32_t mapping_order_temporary(struct segment_order *order) {
    struct mapping *m = order->m;
    if (order->temporaries == m->temporaries.len) {
        const char *base = arena_printf(&m->set->arena, "t%u", order->temporaries + 1);
        vec_push(&m->temporaries, mapping_new_name(m, base, NAME_SCRATCH));
    }
    return m->temporaries.data[order->temporaries++];
}

/* k@j */
static struct recipe_expr *came_in(struct segment_order *order, uint32_t name, struct span at) {
    struct recipe_expr *e = mapping_name_expr(order->m, name, at);
    e->kind = EXPR_AT;
    e->count = 1;
    e->args = ARENA_ARRAY(&order->m->set->arena, 1, struct recipe_expr *);
    e->args[0] = (struct recipe_expr *)(uintptr_t)order->segment->position;
    return e;
}

struct recipe_expr *mapping_order_read(struct segment_order *order,
                                       const struct operand_value *value, struct span at) {
    if (value->input == NOTHING || order->m->names.data[value->input].kind == NAME_REGISTER)
        return (struct recipe_expr *)(uintptr_t)value->expr;
    if (is_carry(order, value->input) &&
        (value->expr->kind == EXPR_AT || order->handed_on[value->input]))
        return came_in(order, value->input, at);
    return mapping_name_expr(order->m, value->input, at);
}

struct recipe_expr *mapping_order_target(struct segment_order *order, uint32_t name,
                                         const struct recipe_expr *target, struct span at) {
    if (name == NOTHING)
        return mapping_name_expr(order->m, mapping_order_temporary(order), at);
    if (target->kind == EXPR_INDEX && order->m->names.data[name].kind == NAME_REGISTER)
        return (struct recipe_expr *)(uintptr_t)target;
    return mapping_name_expr(order->m, name, at);
}

struct recipe_expr *mapping_order_call(struct segment_order *order, uint32_t kind, struct span at) {
    struct recipe_expr *e = ARENA_NEW(&order->m->set->arena, struct recipe_expr);
    *e = (struct recipe_expr){.kind = EXPR_CALL, .ref = kind, .at = at, .name_at = at};
    e->name = plane_target(order->m->set->target)->ops[kind].name;
    e->args = ARENA_ARRAY(&order->m->set->arena, EXPR_MAX_ARGS, struct recipe_expr *);
    return e;
}

void mapping_order_append(struct segment_order *order, struct recipe_stmt *stmt) {
    *order->tail = stmt;
    order->tail = &stmt->next;
}

static void append(struct segment_order *order, const struct order_node *node,
                   enum recipe_stmt_kind kind, struct recipe_expr *value) {
    struct recipe_stmt *s = mapping_new_stmt(order->m, kind, node->at);
    s->value = value;
    s->targets[0] = mapping_order_target(order, node->name, node->target, node->at);
    s->target_count = 1;
    if (node->cell != NOTHING)
        order->cells.data[node->cell].expr = s->targets[0];
    if (node->name != NOTHING && is_carry(order, node->name))
        order->handed_on[node->name] = true;
    mapping_order_append(order, s);
}

void mapping_order_move(struct segment_order *order, const struct order_node *node,
                        struct recipe_expr *from) {
    append(order, node, STMT_PASS, from);
}

static void write_node(struct segment_order *order, const struct order_node *node) {
    if (node->move) {
        mapping_order_move(order, node,
                           mapping_order_read(order, &order->cells.data[node->src[0]], node->at));
        return;
    }
    struct recipe_expr *e = mapping_order_call(order, node->kind, node->at);
    for (; e->count < node->nsrc; e->count++)
        e->args[e->count] =
            mapping_order_read(order, &order->cells.data[node->src[e->count]], node->at);
    append(order, node, STMT_CALL, e);
}

static void begin_carry(struct segment_order *order) {
    const struct recipe_stmt *from = order->segment->carry;
    struct recipe_stmt *s = mapping_new_stmt(order->m, STMT_CARRY, from->at);
    bool alone = order->nodes.len == 0;
    s->down = from->down;
    s->first = alone ? from->first : NULL;
    s->targets[0] = mapping_name_expr(order->m, from->targets[0]->ref, from->targets[0]->at);
    s->target_count = 1;
    s->value = mapping_order_read(order, &order->cells.data[order->begun], from->at);
    mapping_order_append(order, s);
    order->segment->wrapped &= !alone;
}

/* The nodes in order; `sequence` gets their numbers. */
static void order_nodes(struct segment_order *order, bool write, uint32_t *sequence) {
    for (size_t placed = 0; placed < order->nodes.len;) {
        uint32_t next = next_node(order);
        if (next == NOTHING) {
            detour(order);
            continue;
        }
        order->nodes.data[next].placed = true;
        if (write)
            write_node(order, &order->nodes.data[next]);
        else
            sequence[placed] = next;
        placed++;
    }
}

bool mapping_place_nodes(struct segment_order *order) {
    bool derived = order->m->gates.derived != NULL, fine = true;
    order->handed_on = ARENA_ARRAY(&order->m->scratch, order->m->names.len + 1, bool);
    order->tail = &order->first;
    if (!derived)
        keep_apart(order);
    mark_late(order);
    mark_early(order);
    /* Each detour adds a node, and there is at most one for each name that is written. */
    uint32_t *sequence = ARENA_ARRAY(&order->m->scratch, 2 * order->nodes.len + 1, uint32_t);
    order_nodes(order, !derived, sequence);
    if (derived)
        fine = mapping_lower(order, sequence, order->nodes.len);
    if (order->begun != NOTHING && fine)
        begin_carry(order);
    return fine;
}
