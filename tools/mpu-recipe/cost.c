/* SPDX-License-Identifier: MIT
 * Counts of a recipe as one row; an instruction without a recipe says why it has no cost. */
#include "tools/mpu-recipe/cost.h"

#include "recipe/set/set.h"

bool cost_of(const struct recipe_source *source, const struct insn *insn, bool masked,
             struct uop_list *list, struct recipe_count *count, struct diag *diag) {
    const char *error;
    if (!recipe_expand(source->recipes, insn, masked, list, diag))
        return false;
    if (recipe_count_list(source->target, list, count, &error))
        return true;
    diag_error(diag, NO_SPAN, "%s at width %u on target '%s': %s",
               isa_users_name(&source->recipes->users, insn->op), cost_shown_width(insn),
               source->target->name, error);
    recipe_note_keys(diag, source->target, error);
    return false;
}

bool cost_count(const struct recipe_source *source, const struct insn *insn, bool masked,
                struct recipe_count *count, struct diag *diag) {
    struct uop_list list = {0};
    bool fine = cost_of(source, insn, masked, &list, count, diag);
    vec_free(&list);
    return fine;
}

unsigned cost_shown_width(const struct insn *insn) {
    return insn->width ? insn->width : 1;
}

void cost_each_slot(const struct recipe_source *source, const struct insn *insn,
                    const uint8_t *slots, size_t count, slot_visit *visit, void *context) {
    const uint8_t *least = source->library->machine->slots;
    for (size_t i = 0; i < count; i++)
        if (slots[i] >= cost_shown_width(insn))
            visit(context, slots[i]);
    while (least && *least < cost_shown_width(insn))
        least++;
    if (!count)
        visit(context, least ? *least : 64);
}

bool cost_figures(const struct recipe_source *source, const struct insn *insn, unsigned slot,
                  bool masked, struct machine_figures *figures, struct str *text,
                  struct diag *diag) {
    const struct machine_library *l = source->library;
    struct str problem = {0};
    bool fine = l->machine->figures(l, insn, slot, masked, figures, text, &problem);
    if (!fine)
        diag_error(diag, NO_SPAN, "%s at width %u on target '%s': %s",
                   isa_users_name(source_users(source), insn->op), cost_shown_width(insn),
                   source->target->name, str_text(&problem));
    str_free(&problem);
    return fine;
}
