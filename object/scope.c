/* SPDX-License-Identifier: MIT
 * Where registers lie that are of no group. */
#include "object/check_object.h"

#include <stdlib.h>
#include <string.h>

bool object_scope_same(const struct group_scope *left, const struct group_scope *right) {
    return left->count == right->count &&
           (!left->count ||
            memcmp(left->groups, right->groups, left->count * sizeof *left->groups) == 0);
}

bool object_scope_has(const struct group_scope *scope, uint32_t group) {
    bool has = scope->count == 0;
    for (uint32_t i = 0; i < scope->count && !has; i++)
        has = scope->groups[i] == group;
    return has;
}

static int by_number(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
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

uint32_t object_variable_home(const struct variable *variable) {
    return variable->scope.count ? variable->scope.groups[0] : 0;
}

void object_check_scope(struct check *check, const char *what, const char *name, uint32_t group,
                        const struct group_scope *scope) {
    if (scope->count && group != NO_INDEX)
        object_check_fail(check, "%s '%s' is of a group and lies in others", what, name);
    for (uint32_t i = 0; i < scope->count; i++)
        if (scope->groups[i] >= check->o->groups.len ||
            (i && scope->groups[i] <= scope->groups[i - 1]))
            object_check_fail(check, "%s '%s' lies in groups that are not there, or not in order",
                              what, name);
}
