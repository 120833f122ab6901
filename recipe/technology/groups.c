/* SPDX-License-Identifier: MIT
 * Groups of rows that are activated together. */
#include "recipe/technology/read_plane.h"

#include <string.h>

#define MAX_GROUPS 64

struct group_reader {
    struct target_text *x;
    const struct target *t;
    const struct yaml_node *node; /* of the group */
};

static bool group_error(const struct group_reader *reader, const struct yaml_node *node,
                        const char *text) {
    diag_error(reader->x->diag, node->at, "groups.%s: '%s' %s", reader->node->key,
               node->text ? node->text : "...", text);
    return false;
}

static bool no_such_row(const struct group_reader *reader, const struct yaml_node *node,
                        const char *name) {
    const char *known[64];
    size_t count = 0;
    for (uint32_t i = 0; i < plane_target(reader->t)->row_class_count && count < 64; i++)
        if (row_class_rows(&plane_target(reader->t)->row_classes[i]) == 1)
            known[count++] = plane_target(reader->t)->row_classes[i].name;
    group_error(reader, node, "is no class of rows");
    diag_suggest(reader->x->diag, node->at, name, known, count);
    return false;
}

static int class_named(const struct target *target, const char *name) {
    for (uint32_t i = 0; i < plane_target(target)->row_class_count; i++)
        if (strcmp(plane_target(target)->row_classes[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* Why a class cannot stand in a group, or NULL. */
static const char *why_no_wordline(const struct row_class *class) {
    if (row_class_rows(class) != 1)
        return "has several rows: a group names classes of one row each";
    if (class->latch)
        return "is a latch: it has no wordline";
    return class->value >= 0 ? "is a constant row, which cannot be overwritten" : NULL;
}

static bool add_row(const struct group_reader *reader, const struct yaml_node *node,
                    struct row_group *group) {
    if (node->kind != NODE_SCALAR || !*node->text)
        return group_error(reader, node, "is not the name of a class of rows");
    if (group->count == GROUP_MAX_ROWS)
        return group_error(reader, node, "is one too many: at most five rows");
    bool inverted = node->text[0] == '!';
    int class = class_named(reader->t, node->text + inverted);
    if (class < 0)
        return no_such_row(reader, node, node->text + inverted);
    const char *why = why_no_wordline(&plane_target(reader->t)->row_classes[class]);
    if (why)
        return group_error(reader, node, why);
    for (unsigned i = 0; i < group->count; i++)
        if (group->class[i] == class)
            return group_error(reader, node, "stands in this group twice");
    group->class[group->count] = (uint16_t) class;
    group->inverted[group->count++] = inverted;
    return true;
}

/* The negated wordlines last, in the order of the file otherwise. */
static void put_inverted_last(struct row_group *group) {
    struct row_group sorted = {.name = group->name};
    for (unsigned inverted = 0; inverted < 2; inverted++)
        for (unsigned i = 0; i < group->count; i++)
            if (group->inverted[i] == (inverted == 1)) {
                sorted.class[sorted.count] = group->class[i];
                sorted.inverted[sorted.count++] = group->inverted[i];
            }
    *group = sorted;
}

static bool read_group(const struct group_reader *reader, struct row_group *group) {
    group->name = reader->node->key;
    if (!technology_check_name(reader->x, reader->node, "a group"))
        return false;
    if (class_named(reader->t, group->name) >= 0) {
        diag_error(reader->x->diag, reader->node->key_at,
                   "groups.%s: a class of rows has this name", group->name);
        return false;
    }
    if (reader->node->kind != NODE_LIST || !reader->node->first) {
        diag_error(reader->x->diag, reader->node->at,
                   "groups.%s: expected a list of rows like [T0, T1, \"!DCC0\"]", group->name);
        return false;
    }
    for (const struct yaml_node *n = reader->node->first; n; n = n->next)
        if (!add_row(reader, n, group))
            return false;
    put_inverted_last(group);
    return true;
}

bool technology_groups_fill(struct target_text *text, struct target *target) {
    const struct yaml_node *groups = target_node_find(text->root, "groups");
    if (!groups)
        return true;
    struct row_group *list = ARENA_ARRAY(text->arena, MAX_GROUPS, struct row_group);
    plane_own(target)->groups = list;
    for (const struct yaml_node *n = groups->first; n; n = n->next) {
        struct group_reader r = {text, target, n};
        if (plane_own(target)->group_count == MAX_GROUPS) {
            diag_error(text->diag, n->key_at, "more than %d groups of rows", MAX_GROUPS);
            return false;
        }
        if (!read_group(&r, &list[plane_own(target)->group_count++]))
            return false;
    }
    return true;
}
