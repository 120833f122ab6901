/* SPDX-License-Identifier: MIT
 * The masked form of an instruction where the array's lines do not apply the mask.
 *
 * By select: what would be written to results goes to scratch, where later micro-ops read it; at
 * the end the recipe MASKED merges it into the bits that were written, where M is 1.
 * By latch: a latch that predicates writes holds M.  A recipe that uses the latch itself finds M
 * put back into what it loads there, and the latch holds M again at its end. */
#include "recipe/expand/inline.h"

#include "support/alloc.h"

#include <stdlib.h>

static bool is_visible(uint32_t place) {
    return PLANE_CLASS(place) == PLANE_REGISTER || PLANE_CLASS(place) == PLANE_C;
}

/* A list that is written anew, micro-op by micro-op. */
struct rewrite {
    struct expansion *x;
    struct sym_list to; /* its values stay x's */
    uint32_t *moved;    /* new index of each old micro-op */
};

static void start(struct rewrite *r, struct expansion *x) {
    *r = (struct rewrite){.x = x};
    r->moved = xcalloc(x->list.uops.len + 1, sizeof *r->moved);
}

static void finish(struct rewrite *r) {
    struct sym_list old = {0};
    old.uops.data = r->x->list.uops.data;
    r->x->list.uops.data = r->to.uops.data;
    r->x->list.uops.len = r->to.uops.len;
    r->x->list.uops.cap = r->to.uops.cap;
    free(old.uops.data);
    free(r->moved);
}

static void keep(struct rewrite *r, size_t old, struct sym_uop u) {
    if (u.counterpart != NO_UOP)
        u.counterpart = r->moved[u.counterpart];
    r->moved[old] = (uint32_t)r->to.uops.len;
    vec_push(&r->to.uops, u);
}

/* --- select --- */

#define INDEX_C      (3 * 64)
#define MASK_INDICES (INDEX_C + 1)

struct select {
    struct rewrite r;
    uint32_t now[MASK_INDICES]; /* 1 + value that stands for a result's bit, 0: none */
};

static uint32_t *now_of(struct select *s, uint32_t place) {
    if (!is_visible(place))
        return NULL;
    return &s->now[PLANE_CLASS(place) == PLANE_C ? INDEX_C : PLACE_PAYLOAD(place)];
}

static uint32_t new_place(struct select *s, const struct sym_uop *u, uint32_t place,
                          uint32_t *now) {
    unsigned sections = s->r.x->set->target->sections;
    unsigned section = PLANE_CLASS(place) == PLANE_REGISTER ? (place & 63) % sections : u->section;
    *now = new_scratch(s->r.x, section) + 1;
    return PLACE(PLANE_SCRATCH, *now - 1);
}

/* A scratch value that holds what the place does. */
static bool fetch(struct select *s, const struct sym_uop *u, uint32_t place, uint32_t *now) {
    uint32_t to = new_place(s, u, place, now);
    unsigned section = s->r.x->list.values.data[PLACE_PAYLOAD(to)].section;
    return expand_copy(s->r.x, u, place, to, section, &s->r.to);
}

/* What the op replaces or keeps a part of is fetched first. */
static bool fetch_old(struct select *s, const struct target_op *op, const struct sym_uop *u) {
    for (unsigned k = 0; k < u->ndst; k++) {
        uint32_t *now = now_of(s, u->dst[k]);
        bool old = op->tied[k] || (op->reads_old && !op->preset);
        if (now && old && !*now && !fetch(s, u, u->dst[k], now))
            return false;
    }
    return true;
}

static bool redirect(struct select *s, size_t index) {
    struct sym_uop u = s->r.x->list.uops.data[index];
    const struct target_op *op = &s->r.x->set->target->ops[u.kind];
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
    keep(&s->r, index, u);
    return true;
}

/* MASKED(a, d, M) -> d for the bits of one result. */
struct merged {
    const struct select *s;
    uint8_t field; /* of d; FIELD_C */
};

static uint32_t place_of_merged(const void *context, uint8_t field, unsigned bit) {
    const struct merged *m = context;
    uint32_t d = m->field == FIELD_C ? PLACE(PLANE_C, 0)
                                     : PLACE(PLANE_REGISTER, (uint32_t)m->field << 6 | bit);
    uint32_t now = m->s->now[m->field == FIELD_C ? INDEX_C : m->field * 64u + bit];
    return field == FIELD_RS && now ? PLACE(PLANE_SCRATCH, now - 1) : d;
}

static bool merge(struct select *s, uint8_t field) {
    bool c = field == FIELD_C;
    struct merged m = {s, field};
    struct inlined in = {.op = OP_MASKED, .w = c ? 1 : s->r.x->w, .context = &m};
    in.place = place_of_merged;
    for (unsigned bit = 0; bit < in.w; bit++)
        in.wanted |= (uint64_t)(s->now[c ? INDEX_C : field * 64u + bit] != 0) << bit;
    return !in.wanted || expand_inline(s->r.x, &in, &s->r.to);
}

static bool expand_select(struct expansion *x) {
    static const uint8_t results[] = {FIELD_RS, FIELD_RT, FIELD_RD, FIELD_C};
    struct select *s = xcalloc(1, sizeof *s);
    bool fine = true;
    start(&s->r, x);
    for (size_t i = 0; i < x->list.uops.len && fine; i++)
        fine = redirect(s, i);
    for (size_t i = 0; i < sizeof results && fine; i++)
        fine = merge(s, results[i]);
    finish(&s->r);
    free(s);
    return fine;
}

/* --- latch --- */

struct latch {
    struct rewrite r;
    uint32_t *anded; /* new index of the micro-op that masks the latch after an old one */
    uint32_t *place; /* [section]: 1 + the latch's place, where the list names it */
    bool *holds;     /* [section]: it holds M */
};

static bool is_latch(const struct latch *l, uint32_t place) {
    const struct target *t = l->r.x->set->target;
    return PLANE_CLASS(place) == PLANE_SCRATCH &&
           l->r.x->list.values.data[PLACE_PAYLOAD(place)].class == t->mask_latch + 1;
}

/* mask.and and mask.load: the one source that is not the latch is M. */
static uint32_t apply_mask(struct latch *l, uint8_t op_number, const struct sym_uop *like) {
    const struct target_op *op = &l->r.x->set->target->ops[op_number - 1];
    struct sym_uop u = *like;
    uint32_t latch = l->place[like->section] - 1;
    u.kind = (uint16_t)(op_number - 1);
    u.nsrc = op->nsrc;
    u.ndst = 1;
    for (unsigned k = 0; k < op->nsrc; k++)
        u.src[k] = op->fixed[k] ? latch : PLACE(PLANE_M, 0);
    u.dst[0] = latch;
    u.counterpart = like->counterpart == NO_UOP ? NO_UOP : l->anded[like->counterpart];
    vec_push(&l->r.to.uops, u);
    return (uint32_t)l->r.to.uops.len - 1;
}

static bool check_visible(struct latch *l, const struct sym_uop *u) {
    bool visible = false, looks = false;
    for (unsigned k = 0; k < u->ndst; k++)
        visible |= is_visible(u->dst[k]);
    for (unsigned k = 0; k < u->nsrc; k++)
        looks |= is_latch(l, u->src[k]);
    if (!visible || looks || l->holds[u->section])
        return true;
    const struct target *t = l->r.x->set->target;
    expansion_error(l->r.x, u->unit, u->stmt->at,
                    "under a mask: %s writes a result while '%s', which masks it, holds something "
                    "else",
                    t->ops[u->kind].name, t->row_classes[t->mask_latch].name);
    return false;
}

static bool put_mask(struct latch *l, size_t index) {
    const struct target *t = l->r.x->set->target;
    const struct sym_uop u = l->r.x->list.uops.data[index];
    bool writes = false;
    l->anded[index] = NO_UOP;
    if (!check_visible(l, &u))
        return false;
    keep(&l->r, index, u);
    for (unsigned k = 0; k < u.ndst; k++)
        if (is_latch(l, u.dst[k])) {
            l->place[u.section] = u.dst[k] + 1;
            writes = true;
        }
    if (!writes || u.kind + 1u == t->mask_and)
        return true;
    l->holds[u.section] = u.kind + 1u == t->mask_load && u.src[0] == PLACE(PLANE_M, 0);
    if (!l->holds[u.section])
        l->anded[index] = apply_mask(l, t->mask_and, &u);
    return true;
}

/* Where the latch does not hold M in the end, it is loaded again. */
static void load_mask(struct latch *l) {
    const struct expansion *x = l->r.x;
    for (size_t i = x->list.uops.len; i-- > 0;) {
        struct sym_uop last = x->list.uops.data[i];
        if (l->holds[last.section])
            continue;
        last.counterpart = NO_UOP;
        apply_mask(l, x->set->target->mask_load, &last);
        l->holds[last.section] = true;
    }
}

static bool expand_latch(struct expansion *x) {
    unsigned sections = x->set->target->sections;
    struct latch l;
    bool fine = true;
    start(&l.r, x);
    l.anded = xcalloc(x->list.uops.len + 1, sizeof *l.anded);
    l.place = xcalloc(sections, sizeof *l.place);
    l.holds = xcalloc(sections, sizeof *l.holds);
    for (unsigned s = 0; s < sections; s++)
        l.holds[s] = true;
    for (size_t i = 0; i < x->list.uops.len && fine; i++)
        fine = put_mask(&l, i);
    if (fine)
        load_mask(&l);
    finish(&l.r);
    free(l.anded);
    free(l.place);
    free(l.holds);
    return fine;
}

bool expand_mask(struct expansion *x) {
    switch (x->set->target->mask_by) {
    case MASK_SELECT:
        return expand_select(x);
    case MASK_LATCH:
        return expand_latch(x);
    case MASK_GATE:
        break;
    }
    return true;
}
