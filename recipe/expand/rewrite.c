/* SPDX-License-Identifier: MIT */
#include "recipe/expand/rewrite.h"

#include "recipe/expand/inline.h"

#include "support/alloc.h"

#include <stdlib.h>

void expand_rewrite_start(struct rewrite *r, struct expansion *x) {
    *r = (struct rewrite){.x = x};
    r->moved = xcalloc(x->list.uops.len + 1, sizeof *r->moved);
}

void expand_rewrite_finish(struct rewrite *r) {
    struct sym_list old = {0};
    old.uops.data = r->x->list.uops.data;
    r->x->list.uops.data = r->to.uops.data;
    r->x->list.uops.len = r->to.uops.len;
    r->x->list.uops.cap = r->to.uops.cap;
    free(old.uops.data);
    free(r->moved);
}

void expand_rewrite_keep(struct rewrite *r, size_t old, struct sym_uop u) {
    if (u.counterpart != NO_UOP)
        u.counterpart = r->moved[u.counterpart];
    r->moved[old] = (uint32_t)r->to.uops.len;
    vec_push(&r->to.uops, u);
}

/* --- results to scratch --- */

static uint32_t *now_of(struct redirect *s, uint32_t place) {
    bool c = PLANE_CLASS(place) == PLANE_C;
    unsigned field = c ? FIELD_C : PLACE_PAYLOAD(place) >> 6;
    if ((!c && PLANE_CLASS(place) != PLANE_REGISTER) || !(s->fields >> field & 1))
        return NULL;
    return &s->now[c ? REDIRECT_C : PLACE_PAYLOAD(place)];
}

static uint32_t new_place(struct redirect *s, const struct sym_uop *u, uint32_t place,
                          uint32_t *now) {
    unsigned sections = plane_target(s->r.x->set->target)->sections;
    unsigned section = PLANE_CLASS(place) == PLANE_REGISTER ? (place & 63) % sections : u->section;
    int bit = PLANE_CLASS(place) == PLANE_REGISTER ? (int)(place & 63) : -1;
    unsigned field = bit < 0 ? FIELD_C : PLACE_PAYLOAD(place) >> 6;
    *now = expand_new_scratch(s->r.x, section, s->r.x->info, field, bit) + 1;
    s->r.x->list.values.data[*now - 1].redirected = bit >= 0;
    return PLACE(PLANE_SCRATCH, *now - 1);
}

/* A scratch value that holds what the place does. */
static bool fetch(struct redirect *s, const struct sym_uop *u, uint32_t place, uint32_t *now) {
    uint32_t to = new_place(s, u, place, now);
    unsigned section = s->r.x->list.values.data[PLACE_PAYLOAD(to)].section;
    return expand_copy(s->r.x, u, place, to, section, &s->r.to);
}

/* What the op replaces or keeps a part of is fetched first. */
static bool fetch_old(struct redirect *s, const struct target_op *op, const struct sym_uop *u) {
    for (unsigned k = 0; k < u->ndst; k++) {
        uint32_t *now = now_of(s, u->dst[k]);
        bool old = op->tied[k] || (op->reads_old && !op->preset);
        if (now && old && !*now && !fetch(s, u, u->dst[k], now))
            return false;
    }
    return true;
}

static bool redirect(struct redirect *s, size_t index) {
    struct sym_uop u = s->r.x->list.uops.data[index];
    const struct target_op *op = &plane_target(s->r.x->set->target)->ops[u.kind];
    if (!fetch_old(s, op, &u))
        return false;
    for (unsigned k = 0; k < u.nsrc; k++) {
        const uint32_t *now = now_of(s, u.src[k]);
        if (now && *now)
            u.src[k] = PLACE(PLANE_SCRATCH, *now - 1);
    }
    for (unsigned k = 0; k < u.ndst; k++) {
        uint32_t *now = now_of(s, u.dst[k]);
        bool keeps = op->tied[k] || op->reads_old || op->preset;
        if (now)
            u.dst[k] =
                keeps && *now ? PLACE(PLANE_SCRATCH, *now - 1) : new_place(s, &u, u.dst[k], now);
    }
    expand_rewrite_keep(&s->r, index, u);
    return true;
}

bool expand_redirect_all(struct redirect *s, struct expansion *x) {
    bool fine = true;
    expand_rewrite_start(&s->r, x);
    for (size_t i = 0; i < x->list.uops.len && fine; i++)
        fine = redirect(s, i);
    return fine;
}
