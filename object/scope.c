/* SPDX-License-Identifier: MIT
 * Where registers lie that are of no group. */
#include "object/check_object.h"

#include <stdlib.h>
#include <string.h>

bool object_scope_same(const struct group_scope *a, const struct group_scope *b) {
    return a->count == b->count &&
           (!a->count || memcmp(a->groups, b->groups, a->count * sizeof *a->groups) == 0);
}

bool object_scope_has(const struct group_scope *s, uint32_t group) {
    bool has = s->count == 0;
    for (uint32_t i = 0; i < s->count && !has; i++)
        has = s->groups[i] == group;
    return has;
}

static int by_number(const void *x, const void *y) {
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

struct group_scope object_scope_of(struct arena *arena, const uint32_t *groups, uint32_t count) {
    uint32_t *list = ARENA_ARRAY(arena, count, uint32_t), kept = 0;
    if (count == 0)
        return (struct group_scope){0};
    memcpy(list, groups, count * sizeof *list);
    qsort(list, count, sizeof *list, by_number);
    for (uint32_t i = 0; i < count; i++)
        if (kept == 0 || list[kept - 1] != list[i])
            list[kept++] = list[i];
    return (struct group_scope){kept, list};
}

uint32_t object_variable_home(const struct variable *v) {
    return v->scope.count ? v->scope.groups[0] : 0;
}

void object_check_scope(struct check *c, const char *what, const char *name, uint32_t group,
                        const struct group_scope *s) {
    if (s->count && group != NO_INDEX)
        object_check_fail(c, "%s '%s' is of a group and lies in others", what, name);
    for (uint32_t i = 0; i < s->count; i++)
        if (s->groups[i] >= c->o->groups.len || (i && s->groups[i] <= s->groups[i - 1]))
            object_check_fail(c, "%s '%s' lies in groups that are not there, or not in order", what,
                              name);
}
