/* SPDX-License-Identifier: MIT
 * Groups of rows that are activated together. */
#include "recipe/technology/load.h"

#include <string.h>

#define MAX_GROUPS 64

struct group_reader {
    struct target_text *x;
    const struct target *t;
    const struct yaml_node *node; /* of the group */
};

static bool group_error(const struct group_reader *r, const struct yaml_node *n, const char *text) {
    diag_error(r->x->diag, n->at, "groups.%s: '%s' %s", r->node->key, n->text ? n->text : "...",
               text);
    return false;
}

static bool no_such_row(const struct group_reader *r, const struct yaml_node *n, const char *name) {
    const char *known[64];
    size_t count = 0;
    for (uint32_t i = 0; i < plane_target(r->t)->row_class_count && count < 64; i++)
        if (row_class_rows(&plane_target(r->t)->row_classes[i]) == 1)
            known[count++] = plane_target(r->t)->row_classes[i].name;
    group_error(r, n, "is no class of rows");
    diag_suggest(r->x->diag, n->at, name, known, count);
    return false;
}

static int class_named(const struct target *t, const char *name) {
    for (uint32_t i = 0; i < plane_target(t)->row_class_count; i++)
        if (strcmp(plane_target(t)->row_classes[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* Why a class cannot stand in a group, or NULL. */
static const char *why_no_wordline(const struct row_class *c) {
    if (row_class_rows(c) != 1)
        return "has several rows: a group names classes of one row each";
    if (c->latch)
        return "is a latch: it has no wordline";
    return c->value >= 0 ? "is a constant row, which cannot be overwritten" : NULL;
}

static bool add_row(const struct group_reader *r, const struct yaml_node *n, struct row_group *g) {
    if (n->kind != NODE_SCALAR || !*n->text)
        return group_error(r, n, "is not the name of a class of rows");
    if (g->count == GROUP_MAX_ROWS)
        return group_error(r, n, "is one too many: at most five rows");
    bool inverted = n->text[0] == '!';
    int class = class_named(r->t, n->text + inverted);
    if (class < 0)
        return no_such_row(r, n, n->text + inverted);
    const char *why = why_no_wordline(&plane_target(r->t)->row_classes[class]);
    if (why)
        return group_error(r, n, why);
    for (unsigned i = 0; i < g->count; i++)
        if (g->class[i] == class)
            return group_error(r, n, "stands in this group twice");
    g->class[g->count] = (uint16_t) class;
    g->inverted[g->count++] = inverted;
    return true;
}

/* The negated wordlines last, in the order of the file otherwise. */
static void put_inverted_last(struct row_group *g) {
    struct row_group sorted = {.name = g->name};
    for (unsigned inverted = 0; inverted < 2; inverted++)
        for (unsigned i = 0; i < g->count; i++)
            if (g->inverted[i] == (inverted == 1)) {
                sorted.class[sorted.count] = g->class[i];
                sorted.inverted[sorted.count++] = g->inverted[i];
            }
    *g = sorted;
}

static bool read_group(const struct group_reader *r, struct row_group *g) {
    g->name = r->node->key;
    if (!technology_check_name(r->x, r->node, "a group"))
        return false;
    if (class_named(r->t, g->name) >= 0) {
        diag_error(r->x->diag, r->node->key_at, "groups.%s: a class of rows has this name",
                   g->name);
        return false;
    }
    if (r->node->kind != NODE_LIST || !r->node->first) {
        diag_error(r->x->diag, r->node->at,
                   "groups.%s: expected a list of rows like [T0, T1, \"!DCC0\"]", g->name);
        return false;
    }
    for (const struct yaml_node *n = r->node->first; n; n = n->next)
        if (!add_row(r, n, g))
            return false;
    put_inverted_last(g);
    return true;
}

bool technology_groups_fill(struct target_text *x, struct target *t) {
    const struct yaml_node *groups = target_node_find(x->root, "groups");
    if (!groups)
        return true;
    struct row_group *list = ARENA_ARRAY(x->arena, MAX_GROUPS, struct row_group);
    plane_own(t)->groups = list;
    for (const struct yaml_node *n = groups->first; n; n = n->next) {
        struct group_reader r = {x, t, n};
        if (plane_own(t)->group_count == MAX_GROUPS) {
            diag_error(x->diag, n->key_at, "more than %d groups of rows", MAX_GROUPS);
            return false;
        }
        if (!read_group(&r, &list[plane_own(t)->group_count++]))
            return false;
    }
    return true;
}
