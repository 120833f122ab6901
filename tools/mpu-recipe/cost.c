/* SPDX-License-Identifier: MIT */
#include "tools/mpu-recipe/cost.h"

#include "recipe/set.h"

bool cost_of(const struct recipe_source *s, const struct insn *insn, bool masked,
             struct uop_list *list, struct recipe_count *n, struct diag *d) {
    const char *error;
    if (!recipe_expand(s->recipes, insn, masked, list, d))
        return false;
    if (recipe_count_list(s->target, list, n, &error))
        return true;
    diag_error(d, NO_SPAN, "%s at width %u on target '%s': %s",
               isa_users_name(&s->recipes->users, insn->op), shown_width(insn), s->target->name,
               error);
    return false;
}

bool cost_count(const struct recipe_source *s, const struct insn *insn, bool masked,
                struct recipe_count *n, struct diag *d) {
    struct uop_list list = {0};
    bool fine = cost_of(s, insn, masked, &list, n, d);
    vec_free(&list);
    return fine;
}

unsigned shown_width(const struct insn *insn) {
    return insn->width ? insn->width : 1;
}
