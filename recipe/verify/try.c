/* SPDX-License-Identifier: MIT
 * The forms that a program uses, each tried before anything runs. */
#include "recipe/verify/try.h"

#include "recipe/verify/computes.h"
#include "recipe/expand/kept.h"

#include "support/alloc.h"
#include <stdlib.h>

/* --- whose --- */

static bool is_own(const struct recipe_set *set, enum isa_op op) {
    const struct recipe *c = recipe_of(set, op, NULL);
    return c && c->unit.file && c->unit.file->own;
}

bool recipe_is_users(const struct recipe_set *set, const struct insn *insn, bool masked) {
    bool merged = masked && !(recipe_info(insn->op)->flags & ISA_UNMASKED) &&
                  plane_target(set->target)->mask_by == MASK_SELECT;
    return (insn->op != OP_LUT && is_own(set, insn->op)) || (merged && is_own(set, OP_MASKED));
}

bool recipe_is_own(const struct recipe_set *set, const struct insn *insn, bool masked) {
    return recipe_target_is_own(set->target) || recipe_is_users(set, insn, masked);
}

/* --- one form --- */

struct insn recipe_name_registers(const struct insn *insn) {
    static const uint32_t fields[] = {READS_RS | WRITES_RS, READS_RT | WRITES_RT,
                                      READS_RD | WRITES_RD};
    const uint8_t registers[] = {insn->rs, insn->rt, insn->rd};
    uint32_t flags = recipe_info(insn->op)->flags;
    uint8_t names[3] = {0}, next = 0;
    for (unsigned k = 0; k < 3; k++) {
        if (!(flags & fields[k]))
            continue;
        for (unsigned i = 0; i < k && !names[k]; i++)
            names[k] = names[i] && registers[i] == registers[k] ? names[i] : 0;
        names[k] = names[k] ? names[k] : ++next;
    }
    struct insn named = *insn;
    named.rs = names[0];
    named.rt = names[1];
    named.rd = names[2];
    return named;
}

static struct tried_key key_of(const struct recipe_set *set, const struct insn *insn, bool masked) {
    struct kept_key k = expand_kept_key_of(recipe_of_insn(set, insn, NULL), insn, masked);
    return (struct tried_key){.recipe = k.recipe,
                              .op = (uint32_t)insn->op,
                              .imm = insn->imm,
                              .width = insn->width,
                              .alias = k.alias,
                              .masked = masked};
}

static bool run_form(const struct recipe_set *set, const struct insn *insn, bool masked,
                     struct diag *diag) {
    const struct recipe *recipe = recipe_of_insn(set, insn, diag);
    struct insn named = recipe_name_registers(insn);
    struct uop_list list = {0};
    bool fine = recipe && recipe_expand_with(set, recipe, &named, masked, &list, diag) &&
                recipe_verify(set, recipe, &named, masked, RECIPE_ALL, &list, diag);
    vec_free(&list);
    return fine;
}

bool recipe_try(const struct recipe_set *set, const struct insn *insn, bool masked,
                struct diag *diag) {
    struct tried_forms *t = set->tried;
    if (!recipe_is_own(set, insn, masked))
        return true;
    struct tried_key key = key_of(set, insn, masked);
    /* Another thread may do the same; what did not hold is reported each time. */
    if (recipe_tried_has(t, &key))
        return true;
    if (!run_form(set, insn, masked, diag))
        return false;
    recipe_tried_put(t, &key);
    return true;
}
