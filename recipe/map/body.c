/* SPDX-License-Identifier: MIT
 * The mapped body: control as it was, segments as micro-ops. */
#include "recipe/map/order.h"

static bool emit_list(struct mapping *mapping, const struct body_part *part,
                      struct recipe_stmt **out);

/* --- names --- */

/* What is held inverted says so in its name. */
static void rename_inverted(struct mapping *mapping) {
    struct scope *s = &mapping->made->unit.scope;
    for (uint32_t i = 0; i < mapping->names.len; i++) {
        uint32_t var = mapping->names.data[i].phase;
        if (var == NOTHING || !mapping->phases.data[var])
            continue;
        const char *base = arena_printf(&mapping->set->arena, "not_%s", s->names[i]);
        s->names[i] = mapping_new_text(mapping, base);
        map_put(&mapping->name_index, s->names[i], i);
    }
}

/* --- segments --- */

static struct recipe_stmt *wrap(struct mapping *mapping, const struct segment *segment,
                                struct recipe_stmt *body) {
    struct recipe_stmt *at = mapping_new_stmt(mapping, STMT_AT, body->at);
    at->first = (struct recipe_expr *)(uintptr_t)segment->position;
    at->body = body;
    return at;
}

static bool emit_segment(struct mapping *mapping, struct segment *segment,
                         struct recipe_stmt **out) {
    struct segment_order o = {.m = mapping, .segment = segment};
    bool fine = mapping_make_nodes(&o) && mapping_place_nodes(&o);
    if (fine)
        *out = o.first && segment->wrapped ? wrap(mapping, segment, o.first) : o.first;
    vec_free(&o.cells);
    vec_free(&o.nodes);
    return fine;
}

/* --- control --- */

static struct recipe_stmt *copy_control(struct mapping *mapping, const struct recipe_stmt *stmt) {
    struct recipe_stmt *made = mapping_new_stmt(mapping, stmt->kind, stmt->at);
    uint32_t id = made->id;
    *made = *stmt;
    made->id = id;
    made->next = made->body = made->otherwise = NULL;
    if (stmt->kind == STMT_CARRY)
        made->targets[0] = mapping_name_expr(mapping, stmt->targets[0]->ref, stmt->targets[0]->at);
    return made;
}

/* Control around nothing is left out. */
static bool is_empty(const struct recipe_stmt *stmt) {
    bool block = stmt->kind == STMT_FOR || stmt->kind == STMT_AT || stmt->kind == STMT_IF;
    return block && !stmt->body && !stmt->otherwise;
}

static bool emit_part(struct mapping *mapping, const struct body_part *part,
                      struct recipe_stmt **out) {
    if (part->segment)
        return emit_segment(mapping, part->segment, out);
    struct recipe_stmt *s = copy_control(mapping, part->stmt);
    if (!emit_list(mapping, part->body, &s->body) ||
        !emit_list(mapping, part->otherwise, &s->otherwise))
        return false;
    if (!is_empty(s))
        *out = s;
    return true;
}

static bool emit_list(struct mapping *mapping, const struct body_part *part,
                      struct recipe_stmt **out) {
    for (; part; part = part->next) {
        if (!emit_part(mapping, part, out))
            return false;
        while (*out)
            out = &(*out)->next;
    }
    return true;
}

bool mapping_emit_body(struct mapping *mapping) {
    rename_inverted(mapping);
    return emit_list(mapping, mapping->parts, &mapping->made->unit.body);
}
