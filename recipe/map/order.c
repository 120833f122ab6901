/* SPDX-License-Identifier: MIT
 * The order of a segment's micro-ops: first what a carry that goes out needs and what does not
 * wait for one that comes in, then what does, then the hand-on, then the rest; so that the next
 * position may begin early. */
#include "recipe/map/order.h"

/* --- early and late --- */

static void mark_late(struct order *o) {
    for (size_t i = 0; i < o->nodes.len; i++)
        for (unsigned k = 0; k < o->nodes.data[i].nsrc; k++) {
            const struct cell *c = &o->cells.data[o->nodes.data[i].src[k]];
            if (c->input != NOTHING)
                o->nodes.data[i].late |= o->m->names.data[c->input].kind == NAME_CARRY;
            else if (c->node != NOTHING)
                o->nodes.data[i].late |= o->nodes.data[c->node].late;
        }
}

/* Nodes stand behind those that they read. */
static void mark_early(struct order *o) {
    for (size_t i = o->nodes.len; i-- > 0;) {
        struct node *n = &o->nodes.data[i];
        n->early |= n->name != NOTHING && o->m->names.data[n->name].kind == NAME_CARRY;
        for (unsigned k = 0; k < n->nsrc && n->early; k++)
            if (o->cells.data[n->src[k]].node != NOTHING)
                o->nodes.data[o->cells.data[n->src[k]].node].early = true;
    }
}

static unsigned class_of(const struct node *n) {
    return !n->early ? 2 : n->late;
}

/* --- what may be placed --- */

static bool is_carry(const struct order *o, uint32_t name) {
    return o->m->names.data[name].kind == NAME_CARRY;
}

static bool has_sources(const struct order *o, const struct node *n) {
    for (unsigned k = 0; k < n->nsrc; k++) {
        uint32_t maker = o->cells.data[n->src[k]].node;
        if (maker != NOTHING && !o->nodes.data[maker].placed)
            return false;
    }
    return true;
}

/* Does another node still want what the name held before?  A carry that came in stays readable. */
static bool is_wanted(const struct order *o, uint32_t node) {
    uint32_t name = o->nodes.data[node].name;
    if (name == NOTHING || is_carry(o, name))
        return false;
    for (uint32_t i = 0; i < o->nodes.len; i++) {
        const struct node *n = &o->nodes.data[i];
        for (unsigned k = 0; k < n->nsrc && i != node && !n->placed; k++)
            if (o->cells.data[n->src[k]].input == name)
                return true;
    }
    return false;
}

/* Carries of one direction share a buffer: they are handed on in the order of the generic recipe.
 */
static bool is_behind(const struct order *o, const struct node *node) {
    if (node->name == NOTHING || !is_carry(o, node->name))
        return false;
    for (size_t i = 0; i < o->nodes.len; i++) {
        const struct node *n = &o->nodes.data[i];
        if (!n->placed && n->name != NOTHING && is_carry(o, n->name) && n->write < node->write &&
            o->m->names.data[n->name].down == o->m->names.data[node->name].down)
            return true;
    }
    return false;
}

static uint32_t next_node(const struct order *o) {
    uint32_t best = NOTHING;
    for (uint32_t i = 0; i < o->nodes.len; i++) {
        const struct node *n = &o->nodes.data[i];
        if (n->placed || !has_sources(o, n) || is_wanted(o, i) || is_behind(o, n))
            continue;
        if (best == NOTHING || class_of(n) < class_of(&o->nodes.data[best]))
            best = i;
    }
    return best;
}

/* The write goes to a temporary, and from there to its name. */
static void move_later(struct order *o, uint32_t i) {
    struct node *n = &o->nodes.data[i], last = *n;
    n->name = NOTHING;
    n->target = NULL;
    if (n->cell == NOTHING) {
        n->cell = (uint32_t)o->cells.len;
        vec_push(&o->cells, ((struct cell){i, NOTHING, NULL}));
    }
    last.move = true;
    last.nsrc = 1;
    last.src[0] = n->cell;
    last.cell = NOTHING;
    vec_push(&o->nodes, last);
}

/* Names that wait for one another: one of the writes goes to a temporary, and from there to its
 * name when nothing wants the old value any more. */
static void detour(struct order *o) {
    uint32_t i = 0;
    while (o->nodes.data[i].placed || !has_sources(o, &o->nodes.data[i]))
        i++;
    move_later(o, i);
}

/* No micro-op writes the row of a register that it reads: arrays set it before.  The result goes
 * to scratch and is copied. */
static void keep_apart(struct order *o) {
    for (uint32_t i = 0; i < o->nodes.len; i++) {
        const struct node *n = &o->nodes.data[i];
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

static uint32_t new_temporary(struct order *o) {
    struct mapping *m = o->m;
    if (o->temporaries == m->temporaries.len) {
        const char *base = arena_printf(&m->set->arena, "t%u", o->temporaries + 1);
        vec_push(&m->temporaries, map_new_name(m, base, NAME_SCRATCH));
    }
    return m->temporaries.data[o->temporaries++];
}

/* k@j */
static struct expr *came_in(struct order *o, uint32_t name, struct span at) {
    struct expr *e = map_name_expr(o->m, name, at);
    e->kind = EXPR_AT;
    e->count = 1;
    e->args = ARENA_ARRAY(&o->m->set->arena, 1, struct expr *);
    e->args[0] = (struct expr *)(uintptr_t)o->segment->position;
    return e;
}

static struct expr *read_cell(struct order *o, const struct cell *c, struct span at) {
    if (c->input == NOTHING || o->m->names.data[c->input].kind == NAME_REGISTER)
        return (struct expr *)(uintptr_t)c->expr;
    if (is_carry(o, c->input) && (c->expr->kind == EXPR_AT || o->handed_on[c->input]))
        return came_in(o, c->input, at);
    return map_name_expr(o->m, c->input, at);
}

static struct expr *write_target(struct order *o, const struct node *n) {
    if (n->name == NOTHING)
        return map_name_expr(o->m, new_temporary(o), n->at);
    if (n->target->kind == EXPR_INDEX && o->m->names.data[n->name].kind == NAME_REGISTER)
        return (struct expr *)(uintptr_t)n->target;
    return map_name_expr(o->m, n->name, n->at);
}

static struct expr *make_call(struct order *o, const struct node *n) {
    struct expr *e = ARENA_NEW(&o->m->set->arena, struct expr);
    *e = (struct expr){.kind = EXPR_CALL, .ref = n->kind, .at = n->at, .name_at = n->at};
    e->name = o->m->set->target->ops[n->kind].name;
    e->args = ARENA_ARRAY(&o->m->set->arena, EXPR_MAX_ARGS, struct expr *);
    for (; e->count < n->nsrc; e->count++)
        e->args[e->count] = read_cell(o, &o->cells.data[n->src[e->count]], n->at);
    return e;
}

static void append(struct order *o, struct stmt *s) {
    *o->tail = s;
    o->tail = &s->next;
}

static void place(struct order *o, struct node *n) {
    struct stmt *s = map_new_stmt(o->m, n->move ? STMT_PASS : STMT_CALL, n->at);
    s->value = n->move ? read_cell(o, &o->cells.data[n->src[0]], n->at) : make_call(o, n);
    s->targets[0] = write_target(o, n);
    s->target_count = 1;
    if (n->cell != NOTHING)
        o->cells.data[n->cell].expr = s->targets[0];
    if (n->name != NOTHING && is_carry(o, n->name))
        o->handed_on[n->name] = true;
    n->placed = true;
    append(o, s);
}

static void begin_carry(struct order *o) {
    const struct stmt *from = o->segment->carry;
    struct stmt *s = map_new_stmt(o->m, STMT_CARRY, from->at);
    bool alone = o->nodes.len == 0;
    s->down = from->down;
    s->first = alone ? from->first : NULL;
    s->targets[0] = map_name_expr(o->m, from->targets[0]->ref, from->targets[0]->at);
    s->target_count = 1;
    s->value = read_cell(o, &o->cells.data[o->begun], from->at);
    append(o, s);
    o->segment->wrapped &= !alone;
}

void map_place_nodes(struct order *o) {
    o->handed_on = ARENA_ARRAY(&o->m->scratch, o->m->names.len + 1, bool);
    o->tail = &o->first;
    keep_apart(o);
    mark_late(o);
    mark_early(o);
    for (size_t placed = 0; placed < o->nodes.len;) {
        uint32_t next = next_node(o);
        if (next == NOTHING) {
            detour(o);
            continue;
        }
        place(o, &o->nodes.data[next]);
        placed++;
    }
    if (o->begun != NOTHING)
        begin_carry(o);
}
