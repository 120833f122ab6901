/* SPDX-License-Identifier: MIT
 * The mapped body: control as it was, segments as micro-ops. */
#include "recipe/map/order.h"

static bool emit_list(struct mapping *m, const struct body_part *p, struct recipe_stmt **out);

/* --- names --- */

/* What is held inverted says so in its name. */
static void rename_inverted(struct mapping *m) {
    struct scope *s = &m->made->unit.scope;
    for (uint32_t i = 0; i < m->names.len; i++) {
        uint32_t var = m->names.data[i].phase;
        if (var == NOTHING || !m->phases.data[var])
            continue;
        const char *base = arena_printf(&m->set->arena, "not_%s", s->names[i]);
        s->names[i] = mapping_new_text(m, base);
        map_put(&m->name_index, s->names[i], i);
    }
}

/* --- segments --- */

static struct recipe_stmt *wrap(struct mapping *m, const struct segment *s,
                                struct recipe_stmt *body) {
    struct recipe_stmt *at = mapping_new_stmt(m, STMT_AT, body->at);
    at->first = (struct recipe_expr *)(uintptr_t)s->position;
    at->body = body;
    return at;
}

static bool emit_segment(struct mapping *m, struct segment *s, struct recipe_stmt **out) {
    struct segment_order o = {.m = m, .segment = s};
    bool fine = mapping_make_nodes(&o) && mapping_place_nodes(&o);
    if (fine)
        *out = o.first && s->wrapped ? wrap(m, s, o.first) : o.first;
    vec_free(&o.cells);
    vec_free(&o.nodes);
    return fine;
}

/* --- control --- */

static struct recipe_stmt *copy_control(struct mapping *m, const struct recipe_stmt *s) {
    struct recipe_stmt *made = mapping_new_stmt(m, s->kind, s->at);
    uint32_t id = made->id;
    *made = *s;
    made->id = id;
    made->next = made->body = made->otherwise = NULL;
    if (s->kind == STMT_CARRY)
        made->targets[0] = mapping_name_expr(m, s->targets[0]->ref, s->targets[0]->at);
    return made;
}

/* Control around nothing is left out. */
static bool is_empty(const struct recipe_stmt *s) {
    bool block = s->kind == STMT_FOR || s->kind == STMT_AT || s->kind == STMT_IF;
    return block && !s->body && !s->otherwise;
}

static bool emit_part(struct mapping *m, const struct body_part *p, struct recipe_stmt **out) {
    if (p->segment)
        return emit_segment(m, p->segment, out);
    struct recipe_stmt *s = copy_control(m, p->stmt);
    if (!emit_list(m, p->body, &s->body) || !emit_list(m, p->otherwise, &s->otherwise))
        return false;
    if (!is_empty(s))
        *out = s;
    return true;
}

static bool emit_list(struct mapping *m, const struct body_part *p, struct recipe_stmt **out) {
    for (; p; p = p->next) {
        if (!emit_part(m, p, out))
            return false;
        while (*out)
            out = &(*out)->next;
    }
    return true;
}

bool mapping_emit_body(struct mapping *m) {
    rename_inverted(m);
    return emit_list(m, m->parts, &m->made->unit.body);
}
