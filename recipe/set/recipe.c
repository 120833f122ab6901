/* SPDX-License-Identifier: MIT
 * Instructions to micro-ops: the public face of expansion. */
#include "recipe/expand/kept.h"
#include "recipe/lut/lut.h"
#include "recipe/timing/timing.h"
#include "recipe/set/words.h"

#include "support/alloc.h"

#include <stdlib.h>

/* In register planes the field stands for the number; kept_register names the register. */
static uint32_t plane_of(const struct expansion *expansion, uint32_t place) {
    uint32_t payload = PLACE_PAYLOAD(place);
    const struct uop_value *v;
    switch (PLANE_CLASS(place)) {
    case PLANE_REGISTER:
        return PLANE(PLANE_REGISTER, 0, payload);
    case PLANE_SCRATCH:
        v = &expansion->list.values.data[payload];
        return PLANE(PLANE_SCRATCH, v->section, v->row);
    default: /* BUFFER has the layout of uop.h; the rest is one number */
        return place;
    }
}

static struct uop make_uop(const struct expansion *expansion, size_t index) {
    const struct sym_uop *s = &expansion->list.uops.data[index];
    struct uop u = {.kind = s->kind,
                    .section = s->section,
                    .nsrc = s->nsrc,
                    .ndst = s->ndst,
                    .predicate = PLANE(PLANE_NONE, 0, 0)};
    u.pipelined = s->counterpart != NO_UOP;
    u.forwarded = s->counterpart == NO_UOP ? 0 : (uint32_t)(index - s->counterpart);
    for (unsigned i = 0; i < UOP_MAX; i++) {
        u.src[i] = i < s->nsrc ? plane_of(expansion, s->src[i]) : PLANE(PLANE_NONE, 0, 0);
        u.dst[i] = i < s->ndst ? plane_of(expansion, s->dst[i]) : PLANE(PLANE_NONE, 0, 0);
    }
    return u;
}

static bool is_visible(uint32_t plane) {
    return PLANE_CLASS(plane) == PLANE_REGISTER || PLANE_CLASS(plane) == PLANE_C;
}

/* What writes a visible plane is predicated. */
static void put_mask(struct uop *uops, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < uops[i].ndst; k++)
            if (is_visible(uops[i].dst[k]))
                uops[i].predicate = PLANE(PLANE_M, 0, 0);
}

static bool make_body(struct expansion *expansion) {
    struct kept_lists *kept = expansion->set->kept;
    bool saved_carries = expansion->saves_carries;
    if (expand_kept_get_body(kept, expansion))
        return true;
    if (!expand_body(expansion))
        return false;
    expand_kept_put_body(kept, expansion, saved_carries);
    return true;
}

static bool expand_once(struct expansion *expansion, bool masked) {
    return make_body(expansion) && (!masked || expand_mask(expansion)) &&
           expand_aliases(expansion) && expand_classes(expansion) && expand_rows(expansion);
}

/* Quietly; what the expansion was where that fails.  *few: for lack of rows of a class. */
static bool expand_try(struct expansion *expansion, const struct expansion *with, bool masked,
                       bool *few) {
    struct expansion taken = *with;
    taken.diag = NULL;
    bool fine = expand_once(&taken, masked);
    *few = !fine && taken.short_of;
    taken.diag = expansion->diag;
    if (fine)
        *expansion = taken;
    else
        expand_sym_list_free(&taken.list);
    return fine;
}

/* Where classes of rows contradict, once more with copies that suit the rows that the mapping has
 * its values in, and then with more copies; and each time, where a class has too few rows, with
 * another order in which values choose theirs.  The error is that of the first time. */
static bool expand_symbolic(struct expansion *expansion, bool masked) {
    struct expansion with = *expansion;
    bool again =
        expansion->recipe->unit.mapped && !expand_classes_are_plain(expansion->set->target);
    bool few;
    for (int round = 0; again && round < 3; round++) {
        with.copies_at_home = round == 1;
        with.may_split = round > 1;
        with.lasting_first = false;
        if (expand_try(expansion, &with, masked, &few))
            return true;
        with.lasting_first = true;
        if (few && expand_try(expansion, &with, masked, &few))
            return true;
    }
    return expand_once(expansion, masked);
}

/* Fields that an insn can only have by mistake of the caller. */
static bool check_insn(const struct recipe_set *set, const struct insn *insn, unsigned *w,
                       struct diag *diag) {
    const struct isa_info *info = recipe_info(insn->op);
    *w = info->flags & ISA_WIDTH ? insn->width : 1;
    if (*w >= 1 && *w <= 64 && insn->rs < 64 && insn->rt < 64 && insn->rd < 64)
        return true;
    if (diag)
        diag_error(diag, NO_SPAN, "%s: width or register out of range on target '%s'", info->name,
                   set->target->name);
    return false;
}

/* Lap by lap, after words that failed or take more than two thirds of the rows, which registers
 * then lack.  Without errors there is a result in any case. */
static bool expand_in_order(struct expansion *expansion, struct expansion *words, bool fine,
                            bool masked) {
    struct expansion ordered = *expansion;
    ordered.in_order = true;
    ordered.diag = fine ? NULL : expansion->diag;
    bool better =
        expand_symbolic(&ordered, masked) && (!fine || ordered.scratch_rows < words->scratch_rows);
    expand_sym_list_free(better ? &words->list : &ordered.list);
    *expansion = better ? ordered : *words;
    return fine || better;
}

/* Where sections can be joined, with laps side by side that may be words, unless the target's
 * arithmetic is to be serial. */
static bool expand_in_words(struct expansion *expansion, bool masked) {
    const struct plane_target *t = plane_target(expansion->set->target);
    struct expansion words = *expansion;
    expansion->in_order = expansion->set->target->arith == ARITH_SERIAL;
    if (!t->partitioned || expansion->in_order)
        return expand_symbolic(expansion, masked);
    words.diag = NULL;
    bool fine = expand_symbolic(&words, masked);
    if (!fine || (words.distributed && words.scratch_rows > t->scratch_rows * 2 / 3))
        return expand_in_order(expansion, &words, fine, masked);
    *expansion = words;
    return true;
}

static void make_uops(const struct expansion *expansion, struct uop_list *made) {
    vec_reserve(made, expansion->list.uops.len);
    made->len = 0;
    for (size_t i = 0; i < expansion->list.uops.len; i++)
        made->data[made->len++] = make_uop(expansion, i);
}

/* Is there an order of time in which one buffer for each direction is enough? */
static bool has_order(const struct target *target, const struct uop_list *list) {
    const char *problem;
    struct recipe_timeline *t = recipe_timeline_open(target);
    bool found = recipe_timeline_list(t, list->data, list->len, &problem) != NULL;
    recipe_timeline_close(t);
    return found;
}

/* Sections of a pipeline may wait until a buffer has been read; where that leads nowhere, what
 * comes in is copied. */
static bool expand_to_uops(struct expansion *expansion, bool masked, struct uop_list *made) {
    struct expansion again = *expansion;
    if (!expand_in_words(expansion, masked))
        return false;
    make_uops(expansion, made);
    if (!expansion->crossed || has_order(expansion->set->target, made))
        return true;
    expand_sym_list_free(&expansion->list);
    again.saves_carries = true;
    *expansion = again;
    if (!expand_in_words(expansion, masked))
        return false;
    make_uops(expansion, made);
    return true;
}

/* Makes the list anew, and keeps it. */
static bool make_list(struct expansion *expansion, const struct kept_key *key,
                      struct uop_list *out) {
    struct uop_list made = {0};
    expansion->allowed = expand_kept_take_answers(expansion->set->kept);
    bool fine = expand_to_uops(expansion, key->masked, &made);
    expand_kept_give_answers(expansion->set->kept, expansion->allowed);
    expansion->allowed = NULL;
    if (fine) {
        recipe_words_form(expansion->set->target, made.data, made.len);
        expand_kept_append(made.data, made.len, expansion->insn, out);
        expand_kept_put(expansion->set->kept, key, &made);
    } else {
        vec_free(&made);
    }
    expand_sym_list_free(&expansion->list);
    return fine;
}

static bool expand_with(struct expansion *expansion, bool masked, struct uop_list *out) {
    const struct recipe_set *set = expansion->set;
    const struct insn *insn = expansion->insn;
    const struct recipe *recipe = expansion->recipe;
    if (!check_insn(set, insn, &expansion->w, expansion->diag) || recipe->unit.broken ||
        !(expansion->recipe = recipe = recipe_at_width(set, recipe, expansion->w, expansion->diag)))
        return false;
    expansion->info = recipe_info(insn->op);
    masked = masked && !(expansion->info->flags & ISA_UNMASKED);
    struct kept_key key =
        expand_kept_key_of(recipe, insn, masked && plane_target(set->target)->mask_by != MASK_GATE);
    size_t first = out->len;
    if (!expand_kept_get(set->kept, &key, insn, out) &&
        !expand_kept_get_alike(set->kept, set->target, &key, insn, out) &&
        !make_list(expansion, &key, out))
        return false;
    if (masked && plane_target(set->target)->mask_by != MASK_SELECT)
        put_mask(vec_from(out, first), out->len - first);
    return true;
}

bool recipe_expand_with(const struct recipe_set *set, const struct recipe *recipe,
                        const struct insn *insn, bool masked, struct uop_list *out,
                        struct diag *diag) {
    struct expansion x = {.set = set, .recipe = recipe, .insn = insn, .diag = diag};
    return expand_with(&x, masked, out);
}

int recipe_short_of(const struct recipe_set *set, const struct recipe *recipe,
                    const struct insn *insn, bool masked) {
    struct expansion x = {.set = set, .recipe = recipe, .insn = insn};
    struct uop_list list = {0};
    bool fine = expand_with(&x, masked, &list);
    vec_free(&list);
    return fine ? -1 : x.short_of - 1;
}

const struct recipe *recipe_of_insn(const struct recipe_set *set, const struct insn *insn,
                                    struct diag *diag) {
    if (insn->op != OP_LUT)
        return recipe_of(set, insn->op, diag);
    struct alloc_lock lock;
    recipe_set_lock(set, &lock);
    const struct recipe *c =
        lut_recipe_kept((struct recipe_set *)(uintptr_t)set, insn, recipe_expand_with, diag);
    alloc_unlock(&lock);
    return c;
}

bool recipe_exists(const struct recipe_set *set, enum isa_op op) {
    return recipe_of(set, op, NULL) != NULL;
}

bool recipe_expand(const struct recipe_set *set, const struct insn *insn, bool masked,
                   struct uop_list *out, struct diag *diag) {
    const struct recipe *c = recipe_of_insn(set, insn, diag);
    if (c)
        return recipe_expand_with(set, c, insn, masked, out, diag);
    if (diag && insn->op != OP_LUT && !recipe_origin(set, insn->op))
        diag_error(diag, NO_SPAN, "target '%s' has no recipe for %s", set->target->name,
                   (unsigned)insn->op < OP_COUNT ? isa_info(insn->op)->name : "this instruction");
    return false;
}
