/* SPDX-License-Identifier: MIT
 * Why recipes do not hold: a reason is told once, with all instructions that it holds for. */
#include "support/alloc.h"
#include "tools/mpu-recipe/checking.h"

#include <stdlib.h>
#include <string.h>

/* The first error, behind the "ADD: " that it begins with. */
static void keep_reason(void *context, const struct diag *d, const struct message *message) {
    struct str *reason = context;
    const char *behind = strstr(message->text, ": ");
    (void)d;
    if (reason->len == 0 && message->severity == SEVERITY_ERROR)
        str_append(reason, behind ? behind + 2 : message->text);
}

struct diag *command_check_listen(struct str *reason) {
    return diag_new(keep_reason, reason);
}

void command_check_free(struct checking *checking) {
    for (size_t i = 0; i < checking->recipes.len; i++)
        free(checking->recipes.data[i].reason);
    vec_free(&checking->recipes);
}

/* --- all that one reason holds for --- */

static bool is_told_with(const struct checked_recipe *recipe, const struct checked_recipe *other) {
    return other > recipe && other->reason && !other->told && !command_check_is_short(other) &&
           !other->recipe->unit.file->own && strcmp(other->reason, recipe->reason) == 0;
}

/* "ADD, SUB from width 8 on", each width once; returns how many. */
static size_t list_others(struct checking *checking, const struct checked_recipe *recipe,
                          struct str *names) {
    size_t count = 0;
    for (size_t w = 0; w < checking->width_count; w++) {
        size_t before = count;
        for (size_t i = 0; i < checking->recipes.len; i++) {
            struct checked_recipe *r = &checking->recipes.data[i];
            if (r->failed != w || !is_told_with(recipe, r))
                continue;
            str_printf(names, "%s%s",
                       !count            ? ""
                       : count == before ? "; "
                                         : ", ",
                       r->recipe->unit.name);
            r->told = true;
            count++;
        }
        if (count > before)
            str_printf(names, " from width %u on", checking->widths[w]);
    }
    return count;
}

void command_check_note_others(struct checking *checking, const struct checked_recipe *recipe) {
    struct str names = {0};
    if (!recipe->reason || recipe->recipe->unit.file->own)
        return;
    size_t count = list_others(checking, recipe, &names);
    if (count)
        diag_note(checking->job->d, NO_SPAN, "for the same reason %zu more do%s not hold: %s",
                  count, count == 1 ? "es" : "", str_text(&names));
    str_free(&names);
}
