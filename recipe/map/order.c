/* SPDX-License-Identifier: MIT
 * The order of a segment's micro-ops: first what a carry that goes out needs and what does not
 * wait for one that comes in, then what does, then the hand-on, then the rest; so that the next
 * position may begin early. */
#include "recipe/map/lower.h"

/* --- early and late --- */

static void mark_late(struct segment_order *o) {
    for (size_t i = 0; i < o->nodes.len; i++)
        for (unsigned k = 0; k < o->nodes.data[i].nsrc; k++) {
            const struct operand_value *c = &o->cells.data[o->nodes.data[i].src[k]];
            if (c->input != NOTHING)
                o->nodes.data[i].late |= o->m->names.data[c->input].kind == NAME_CARRY;
            else if (c->node != NOTHING)
                o->nodes.data[i].late |= o->nodes.data[c->node].late;
        }
}

/* Nodes stand behind those that they read. */
static void mark_early(struct segment_order *o) {
    for (size_t i = o->nodes.len; i-- > 0;) {
        struct order_node *n = &o->nodes.data[i];
        n->early |= n->name != NOTHING && o->m->names.data[n->name].kind == NAME_CARRY;
        for (unsigned k = 0; k < n->nsrc && n->early; k++)
            if (o->cells.data[n->src[k]].node != NOTHING)
                o->nodes.data[o->cells.data[n->src[k]].node].early = true;
    }
}

static unsigned class_of(const struct order_node *n) {
    return !n->early ? 2 : n->late;
}

/* --- what may be placed --- */

static bool is_carry(const struct segment_order *o, uint32_t name) {
    return o->m->names.data[name].kind == NAME_CARRY;
}

static bool has_sources(const struct segment_order *o, const struct order_node *n) {
    for (unsigned k = 0; k < n->nsrc; k++) {
        uint32_t maker = o->cells.data[n->src[k]].node;
        if (maker != NOTHING && !o->nodes.data[maker].placed)
            return false;
    }
    return true;
}

/* Does another node still want what the name held before?  A carry that came in stays readable. */
static bool is_wanted(const struct segment_order *o, uint32_t node) {
    uint32_t name = o->nodes.data[node].name;
    if (name == NOTHING || is_carry(o, name))
        return false;
    for (uint32_t i = 0; i < o->nodes.len; i++) {
        const struct order_node *n = &o->nodes.data[i];
        for (unsigned k = 0; k < n->nsrc && i != node && !n->placed; k++)
            if (o->cells.data[n->src[k]].input == name)
                return true;
    }
    return false;
}

/* Carries of one direction share a buffer: they are handed on in the order of the generic recipe.
 */
static bool is_behind(const struct segment_order *o, const struct order_node *node) {
    if (node->name == NOTHING || !is_carry(o, node->name))
        return false;
    for (size_t i = 0; i < o->nodes.len; i++) {
        const struct order_node *n = &o->nodes.data[i];
        if (!n->placed && n->name != NOTHING && is_carry(o, n->name) && n->write < node->write &&
            o->m->names.data[n->name].down == o->m->names.data[node->name].down)
            return true;
    }
    return false;
}

static uint32_t next_node(const struct segment_order *o) {
    uint32_t best = NOTHING;
    for (uint32_t i = 0; i < o->nodes.len; i++) {
        const struct order_node *n = &o->nodes.data[i];
        if (n->placed || !has_sources(o, n) || is_wanted(o, i) || is_behind(o, n))
            continue;
        if (best == NOTHING || class_of(n) < class_of(&o->nodes.data[best]))
            best = i;
    }
    return best;
}

/* The write goes to a temporary, and from there to its name. */
static void move_later(struct segment_order *o, uint32_t i) {
    struct order_node *n = &o->nodes.data[i], last = *n;
    n->name = NOTHING;
    n->target = NULL;
    if (n->cell == NOTHING) {
        n->cell = (uint32_t)o->cells.len;
        vec_push(&o->cells, ((struct operand_value){i, NOTHING, NULL}));
    }
    last.move = true;
    last.nsrc = 1;
    last.src[0] = n->cell;
    last.cell = NOTHING;
    vec_push(&o->nodes, last);
}

/* Names that wait for one another: one of the writes goes to a temporary, and from there to its
 * name when nothing wants the old value any more. */
static void detour(struct segment_order *o) {
    uint32_t i = 0;
    while (o->nodes.data[i].placed || !has_sources(o, &o->nodes.data[i]))
        i++;
    move_later(o, i);
}

/* No micro-op writes the row of a register that it reads: arrays set it before.  The result goes
 * to scratch and is copied. */
static void keep_apart(struct segment_order *o) {
    for (uint32_t i = 0; i < o->nodes.len; i++) {
        const struct order_node *n = &o->nodes.data[i];
        bool row = n->name != NOTHING && (o->m->names.data[n->name].kind == NAME_REGISTER ||
                                          o->m->names.data[n->name].kind == NAME_LATCH);
        bool same = false;
        for (unsigned k = 0; k < n->nsrc && row && !n->move; k++)
            same |= o->cells.data[n->src[k]].input == n->name;
        if (same)
            move_later(o, i);
    }
}

/* --- statements --- */

uint32_t mapping_order_temporary(struct segment_order *o) {
    struct mapping *m = o->m;
    if (o->temporaries == m->temporaries.len) {
        const char *base = arena_printf(&m->set->arena, "t%u", o->temporaries + 1);
        vec_push(&m->temporaries, mapping_new_name(m, base, NAME_SCRATCH));
    }
    return m->temporaries.data[o->temporaries++];
}

/* k@j */
static struct recipe_expr *came_in(struct segment_order *o, uint32_t name, struct span at) {
    struct recipe_expr *e = mapping_name_expr(o->m, name, at);
    e->kind = EXPR_AT;
    e->count = 1;
    e->args = ARENA_ARRAY(&o->m->set->arena, 1, struct recipe_expr *);
    e->args[0] = (struct recipe_expr *)(uintptr_t)o->segment->position;
    return e;
}

struct recipe_expr *mapping_order_read(struct segment_order *o, const struct operand_value *c,
                                       struct span at) {
    if (c->input == NOTHING || o->m->names.data[c->input].kind == NAME_REGISTER)
        return (struct recipe_expr *)(uintptr_t)c->expr;
    if (is_carry(o, c->input) && (c->expr->kind == EXPR_AT || o->handed_on[c->input]))
        return came_in(o, c->input, at);
    return mapping_name_expr(o->m, c->input, at);
}

struct recipe_expr *mapping_order_target(struct segment_order *o, uint32_t name,
                                         const struct recipe_expr *target, struct span at) {
    if (name == NOTHING)
        return mapping_name_expr(o->m, mapping_order_temporary(o), at);
    if (target->kind == EXPR_INDEX && o->m->names.data[name].kind == NAME_REGISTER)
        return (struct recipe_expr *)(uintptr_t)target;
    return mapping_name_expr(o->m, name, at);
}

struct recipe_expr *mapping_order_call(struct segment_order *o, uint32_t kind, struct span at) {
    struct recipe_expr *e = ARENA_NEW(&o->m->set->arena, struct recipe_expr);
    *e = (struct recipe_expr){.kind = EXPR_CALL, .ref = kind, .at = at, .name_at = at};
    e->name = plane_target(o->m->set->target)->ops[kind].name;
    e->args = ARENA_ARRAY(&o->m->set->arena, EXPR_MAX_ARGS, struct recipe_expr *);
    return e;
}

void mapping_order_append(struct segment_order *o, struct recipe_stmt *s) {
    *o->tail = s;
    o->tail = &s->next;
}

static void append(struct segment_order *o, const struct order_node *n, enum recipe_stmt_kind kind,
                   struct recipe_expr *value) {
    struct recipe_stmt *s = mapping_new_stmt(o->m, kind, n->at);
    s->value = value;
    s->targets[0] = mapping_order_target(o, n->name, n->target, n->at);
    s->target_count = 1;
    if (n->cell != NOTHING)
        o->cells.data[n->cell].expr = s->targets[0];
    if (n->name != NOTHING && is_carry(o, n->name))
        o->handed_on[n->name] = true;
    mapping_order_append(o, s);
}

void mapping_order_move(struct segment_order *o, const struct order_node *n,
                        struct recipe_expr *from) {
    append(o, n, STMT_PASS, from);
}

static void write_node(struct segment_order *o, const struct order_node *n) {
    if (n->move) {
        mapping_order_move(o, n, mapping_order_read(o, &o->cells.data[n->src[0]], n->at));
        return;
    }
    struct recipe_expr *e = mapping_order_call(o, n->kind, n->at);
    for (; e->count < n->nsrc; e->count++)
        e->args[e->count] = mapping_order_read(o, &o->cells.data[n->src[e->count]], n->at);
    append(o, n, STMT_CALL, e);
}

static void begin_carry(struct segment_order *o) {
    const struct recipe_stmt *from = o->segment->carry;
    struct recipe_stmt *s = mapping_new_stmt(o->m, STMT_CARRY, from->at);
    bool alone = o->nodes.len == 0;
    s->down = from->down;
    s->first = alone ? from->first : NULL;
    s->targets[0] = mapping_name_expr(o->m, from->targets[0]->ref, from->targets[0]->at);
    s->target_count = 1;
    s->value = mapping_order_read(o, &o->cells.data[o->begun], from->at);
    mapping_order_append(o, s);
    o->segment->wrapped &= !alone;
}

/* The nodes in order; `sequence` gets their numbers. */
static void order_nodes(struct segment_order *o, bool write, uint32_t *sequence) {
    for (size_t placed = 0; placed < o->nodes.len;) {
        uint32_t next = next_node(o);
        if (next == NOTHING) {
            detour(o);
            continue;
        }
        o->nodes.data[next].placed = true;
        if (write)
            write_node(o, &o->nodes.data[next]);
        else
            sequence[placed] = next;
        placed++;
    }
}

bool mapping_place_nodes(struct segment_order *o) {
    bool derived = o->m->gates.derived != NULL, fine = true;
    o->handed_on = ARENA_ARRAY(&o->m->scratch, o->m->names.len + 1, bool);
    o->tail = &o->first;
    if (!derived)
        keep_apart(o);
    mark_late(o);
    mark_early(o);
    /* Each detour adds a node, and there is at most one for each name that is written. */
    uint32_t *sequence = ARENA_ARRAY(&o->m->scratch, 2 * o->nodes.len + 1, uint32_t);
    order_nodes(o, !derived, sequence);
    if (derived)
        fine = mapping_lower(o, sequence, o->nodes.len);
    if (o->begun != NOTHING && fine)
        begin_carry(o);
    return fine;
}
