/* SPDX-License-Identifier: MIT
 * A new list grows micro-op by micro-op; values that are replaced are redirected in all of it. */
#include "recipe/expand/rewrite.h"

#include "recipe/expand/inline.h"
#include "recipe/expand/route.h"
#include "recipe/map/derive.h"

#include "support/alloc.h"

#include <stdlib.h>

void expand_rewrite_start(struct rewrite *rewrite, struct expansion *expansion) {
    *rewrite = (struct rewrite){.x = expansion};
    rewrite->moved = xcalloc(expansion->list.uops.len + 1, sizeof *rewrite->moved);
    /* Most that are rewritten get some more. */
    vec_reserve(&rewrite->to.uops, expansion->list.uops.len + expansion->list.uops.len / 8 + 64);
}

void expand_rewrite_finish(struct rewrite *rewrite) {
    struct sym_list old = {0};
    old.uops.data = rewrite->x->list.uops.data;
    rewrite->x->list.uops.data = rewrite->to.uops.data;
    rewrite->x->list.uops.len = rewrite->to.uops.len;
    rewrite->x->list.uops.cap = rewrite->to.uops.cap;
    free(old.uops.data);
    free(rewrite->moved);
}

void expand_rewrite_drop(struct rewrite *rewrite) {
    vec_free(&rewrite->to.uops);
    free(rewrite->moved);
}

void expand_rewrite_keep(struct rewrite *rewrite, size_t old, struct sym_uop uop) {
    if (uop.counterpart != NO_UOP)
        uop.counterpart = rewrite->moved[uop.counterpart];
    rewrite->moved[old] = (uint32_t)rewrite->to.uops.len;
    vec_push(&rewrite->to.uops, uop);
}

/* --- results to scratch --- */

static uint32_t *now_of(struct redirect *redirect, uint32_t place) {
    bool c = PLANE_CLASS(place) == PLANE_C;
    unsigned field = c ? FIELD_C : PLACE_PAYLOAD(place) >> 6;
    if ((!c && PLANE_CLASS(place) != PLANE_REGISTER) || !(redirect->fields >> field & 1))
        return NULL;
    return &redirect->now[c ? REDIRECT_C : PLACE_PAYLOAD(place)];
}

static uint32_t new_place(struct redirect *redirect, const struct sym_uop *uop, uint32_t place,
                          uint32_t *now) {
    unsigned sections = plane_target(redirect->r.x->set->target)->sections;
    unsigned section =
        PLANE_CLASS(place) == PLANE_REGISTER ? (place & 63) % sections : uop->section;
    int bit = PLANE_CLASS(place) == PLANE_REGISTER ? (int)(place & 63) : -1;
    unsigned field = bit < 0 ? FIELD_C : PLACE_PAYLOAD(place) >> 6;
    *now = expand_new_scratch(redirect->r.x, section, redirect->r.x->info, field, bit) + 1;
    redirect->r.x->list.values.data[*now - 1].redirected = bit >= 0;
    return PLACE(PLANE_SCRATCH, *now - 1);
}

/* A scratch value that holds what the place does, before micro-op `index`. */
static bool fetch(struct redirect *redirect, size_t index, uint32_t place, uint32_t *now) {
    uint32_t to = new_place(redirect, &redirect->r.x->list.uops.data[index], place, now);
    unsigned section = redirect->r.x->list.values.data[PLACE_PAYLOAD(to)].section;
    return expand_copy(redirect->r.x, index, place, to, section, &redirect->r.to);
}

/* What the op replaces or keeps a part of is fetched first. */
static bool fetch_old(struct redirect *redirect, const struct target_op *op, size_t index) {
    const struct sym_uop *uop = &redirect->r.x->list.uops.data[index];
    for (unsigned k = 0; k < uop->ndst; k++) {
        uint32_t *now = now_of(redirect, uop->dst[k]);
        bool old = op->tied[k] || plane_op_keeps_old(op, k);
        if (now && old && !*now && !fetch(redirect, index, uop->dst[k], now))
            return false;
    }
    return true;
}

/* Before what presets its results, where that begins here. */
static bool fetch_for_group(struct redirect *redirect, size_t index) {
    const struct sym_list *list = &redirect->r.x->list;
    const unsigned most = plane_target(redirect->r.x->set->target)->most_presets;
    bool fine = true;
    for (size_t i = index; i < list->uops.len && i <= index + most && fine; i++) {
        uint16_t kind = list->uops.data[i].kind;
        if (kind == COPY_LATER)
            continue;
        const struct target_op *op = &plane_target(redirect->r.x->set->target)->ops[kind];
        if (i - index == plane_op_preset_count(op) &&
            expand_group_start(redirect->r.x, (uint32_t)i) == index)
            fine = fetch_old(redirect, op, i);
    }
    return fine;
}

bool expand_settle_kind(const struct expansion *expansion, struct sym_uop *uop) {
    const struct plane_target *t = plane_target(expansion->set->target);
    const struct target_op *op = &t->ops[uop->kind];
    if (expand_classes_allow(expansion, op, uop->src, uop->dst, uop->section))
        return true;
    int kind = plane_op_is_copy(op) && !op->preset
                   ? expand_find_copy(expansion, uop->src[0], uop->dst[0], uop->section)
                   : -1;
    if (kind < 0 || t->ops[kind].preset)
        return false;
    uop->kind = (uint16_t)kind;
    uop->counterpart = NO_UOP;
    return true;
}

/* A copy of what is no row, or to it, where a row stands for that. */
static bool settle(const struct redirect *redirect, struct sym_uop *uop) {
    const struct expansion *x = redirect->r.x;
    const struct plane_target *t = plane_target(x->set->target);
    if (uop->kind == COPY_LATER || expand_settle_kind(x, uop))
        return true;
    bool copies = plane_op_is_copy(&t->ops[uop->kind]) && !t->ops[uop->kind].preset;
    if (copies && !(redirect->fields >> FIELD_C & 1) && PLANE_CLASS(uop->src[0]) == PLANE_SCRATCH &&
        PLANE_CLASS(uop->dst[0]) == PLANE_SCRATCH)
        return true; /* dropped once all copies are made, or refused then */
    expand_error(x, uop->unit, uop->stmt->at,
                 "%s may not work on the row that stands for a result ('where')",
                 t->ops[uop->kind].name);
    return false;
}

static bool redirect(struct redirect *redirect, size_t index) {
    struct sym_uop u = redirect->r.x->list.uops.data[index];
    const struct target_op *op = &plane_target(redirect->r.x->set->target)->ops[u.kind];
    if (!fetch_for_group(redirect, index))
        return false;
    for (unsigned k = 0; k < u.nsrc; k++) {
        const uint32_t *now = now_of(redirect, u.src[k]);
        if (now && *now)
            u.src[k] = PLACE(PLANE_SCRATCH, *now - 1);
    }
    for (unsigned k = 0; k < u.ndst; k++) {
        uint32_t *now = now_of(redirect, u.dst[k]);
        bool keeps = op->tied[k] || plane_op_uses_old(op, k) || plane_op_presets(op, k);
        if (now)
            u.dst[k] = keeps && *now ? PLACE(PLANE_SCRATCH, *now - 1)
                                     : new_place(redirect, &u, u.dst[k], now);
    }
    if (!settle(redirect, &u))
        return false;
    expand_rewrite_keep(&redirect->r, index, u);
    return true;
}

bool expand_redirect_all(struct redirect *s, struct expansion *expansion) {
    bool fine = true;
    expand_rewrite_start(&s->r, expansion);
    for (size_t i = 0; i < expansion->list.uops.len && fine; i++)
        fine = redirect(s, i);
    return fine;
}

/* --- ways as micro-ops --- */

void expand_route_constants(struct expansion *expansion, const struct route_step *step,
                            uint32_t constants[2]) {
    for (unsigned value = 0; value < 2; value++)
        constants[value] =
            step->made[value]
                ? PLACE(PLANE_SCRATCH, expand_new_scratch(expansion, step->section, NULL, 0, -1))
                : PLACE(PLANE_CONST, value);
}

void expand_route_add(struct expansion *expansion, const struct route_step *step, uint32_t from,
                      uint32_t to, struct copy_list *out) {
    uint32_t src[UOP_MAX], constants[2];
    expand_route_constants(expansion, step, constants);
    expand_route_read(step, from, to, constants, src);
    for (unsigned value = 0; value < 2; value++)
        if (step->made[value])
            expand_copy_step(expansion, step->made[value] - 1u, src, constants[value],
                             step->section, out);
    if (step->first)
        expand_copy_step(expansion, step->first - 1u, src, to, step->section, out);
    expand_copy_step(expansion, step->kind, src, to, step->section, out);
}
