/* SPDX-License-Identifier: MIT
 * The masked form of an instruction where the array's lines do not apply the mask.
 *
 * By select: what would be written to results goes to scratch, where later micro-ops read it; at
 * the end the recipe MASKED merges it into the bits that were written, where M is 1.
 * By latch: a latch that predicates writes holds M.  A recipe that uses the latch itself finds M
 * put back into what it loads there, and the latch holds M again at its end.  Where M is a row of
 * the first section, it is brought to each section that needs it before all else. */
#include "recipe/expand/inline.h"
#include "recipe/expand/rewrite.h"
#include "recipe/expand/route.h"

#include "support/alloc.h"

#include <stdlib.h>

static bool is_visible(uint32_t place) {
    return PLANE_CLASS(place) == PLANE_REGISTER || PLANE_CLASS(place) == PLANE_C;
}

/* --- select --- */

/* MASKED(a, d, M) -> d for the bits of one result. */
struct merged {
    const struct redirect *s;
    uint8_t field; /* of d; FIELD_C */
};

static uint32_t place_of_merged(const void *context, uint8_t field, unsigned bit) {
    const struct merged *m = context;
    uint32_t d = m->field == FIELD_C ? PLACE(PLANE_C, 0)
                                     : PLACE(PLANE_REGISTER, (uint32_t)m->field << 6 | bit);
    uint32_t now = m->s->now[m->field == FIELD_C ? REDIRECT_C : m->field * 64u + bit];
    return field == FIELD_RS && now ? PLACE(PLANE_SCRATCH, now - 1) : d;
}

static bool merge(struct redirect *redirect, uint8_t field) {
    bool c = field == FIELD_C;
    struct merged m = {redirect, field};
    struct inlined in = {.op = OP_MASKED, .w = c ? 1 : redirect->r.x->w, .context = &m};
    in.place = place_of_merged;
    for (unsigned bit = 0; bit < in.w; bit++)
        in.wanted |= (uint64_t)(redirect->now[c ? REDIRECT_C : field * 64u + bit] != 0) << bit;
    return !in.wanted || expand_inline(redirect->r.x, &in, &redirect->r.to);
}

static bool expand_select(struct expansion *expansion) {
    static const uint8_t results[] = {FIELD_RS, FIELD_RT, FIELD_RD, FIELD_C};
    struct redirect *s = xcalloc(1, sizeof *s);
    s->fields = 1u << FIELD_RS | 1u << FIELD_RT | 1u << FIELD_RD | 1u << FIELD_C;
    bool fine = expand_redirect_all(s, expansion);
    for (size_t i = 0; i < sizeof results && fine; i++)
        fine = merge(s, results[i]);
    expand_rewrite_finish(&s->r);
    free(s);
    return fine;
}

/* --- latch --- */

struct latch {
    struct rewrite r;
    uint32_t *anded; /* new index of the micro-op that masks the latch after an old one */
    uint32_t *place; /* [section]: 1 + the latch's place, where the list names it */
    bool *holds;     /* [section]: it holds M */
    uint32_t *mask;  /* [section]: where M is read */
};

static bool is_latch(const struct latch *latch, uint32_t place) {
    const struct target *t = latch->r.x->set->target;
    return PLANE_CLASS(place) == PLANE_SCRATCH &&
           latch->r.x->list.values.data[PLACE_PAYLOAD(place)].class ==
               plane_target(t)->mask_latch + 1;
}

/* mask.and and mask.load: the one source that is not the latch is M. */
static struct sym_uop mask_uop(const struct latch *l, uint16_t op_number, uint32_t latch,
                               const struct sym_uop *like) {
    const struct target_op *op = &plane_target(l->r.x->set->target)->ops[op_number - 1];
    struct sym_uop u = *like;
    u.kind = (uint16_t)(op_number - 1);
    u.nsrc = op->nsrc;
    u.ndst = 1;
    for (unsigned k = 0; k < op->nsrc; k++)
        u.src[k] = op->fixed[k] ? latch : l->mask[like->section];
    u.dst[0] = latch;
    return u;
}

static uint32_t apply_mask(struct latch *l, uint16_t op_number, const struct sym_uop *like) {
    struct sym_uop u = mask_uop(l, op_number, l->place[like->section] - 1, like);
    u.counterpart = like->counterpart == NO_UOP ? NO_UOP : l->anded[like->counterpart];
    vec_push(&l->r.to.uops, u);
    return (uint32_t)l->r.to.uops.len - 1;
}

static bool check_visible(struct latch *latch, const struct sym_uop *uop) {
    bool visible = false, looks = false;
    for (unsigned k = 0; k < uop->ndst; k++)
        visible |= is_visible(uop->dst[k]);
    for (unsigned k = 0; k < uop->nsrc; k++)
        looks |= is_latch(latch, uop->src[k]);
    if (!visible || looks || latch->holds[uop->section])
        return true;
    const struct target *t = latch->r.x->set->target;
    expand_error(latch->r.x, uop->unit, uop->stmt->at,
                 "under a mask: %s writes a result while '%s', which masks it, holds something "
                 "else",
                 plane_target(t)->ops[uop->kind].name,
                 plane_target(t)->row_classes[plane_target(t)->mask_latch].name);
    return false;
}

static bool reads_mask(const struct sym_uop *uop) {
    for (unsigned k = 0; k < uop->nsrc; k++)
        if (uop->src[k] == PLACE(PLANE_M, 0))
            return true;
    return false;
}

static bool put_mask(struct latch *latch, size_t index) {
    const struct target *t = latch->r.x->set->target;
    const struct sym_uop u = latch->r.x->list.uops.data[index];
    bool writes = false;
    latch->anded[index] = NO_UOP;
    if (!check_visible(latch, &u))
        return false;
    expand_rewrite_keep(&latch->r, index, u);
    for (unsigned k = 0; k < u.ndst; k++)
        if (is_latch(latch, u.dst[k])) {
            latch->place[u.section] = u.dst[k] + 1;
            writes = true;
        }
    if (!writes || u.kind + 1u == plane_target(t)->mask_and)
        return true;
    latch->holds[u.section] = u.kind + 1u == plane_target(t)->mask_load && reads_mask(&u);
    if (!latch->holds[u.section])
        latch->anded[index] = apply_mask(latch, plane_target(t)->mask_and, &u);
    return true;
}

/* Where the latch does not hold M in the end, it is loaded again. */
static void load_mask(struct latch *latch) {
    const struct expansion *x = latch->r.x;
    for (size_t i = x->list.uops.len; i-- > 0;) {
        struct sym_uop last = x->list.uops.data[i];
        if (latch->holds[last.section])
            continue;
        last.counterpart = NO_UOP;
        apply_mask(latch, plane_target(x->set->target)->mask_load, &last);
        latch->holds[last.section] = true;
    }
}

/* --- M in other sections --- */

static uint32_t place_of_step(struct expansion *expansion, const struct route_step *step,
                              uint32_t end) {
    if (step->into == ROUTE_END)
        return end;
    if (step->into == ROUTE_SCRATCH)
        return PLACE(PLANE_SCRATCH, expand_new_scratch(expansion, step->at, NULL, 0, -1));
    uint32_t direction = step->into == ROUTE_FROM_NEXT;
    return PLACE(PLANE_BUFFER,
                 (uint32_t)step->at << 16 | direction << 8 | expansion->carries[direction]);
}

static void add_step(struct latch *latch, const struct sym_uop *like, const struct route_step *step,
                     uint32_t from, uint32_t to) {
    struct copy_list steps = {.count = 0};
    expand_route_add(latch->r.x, step, from, to, &steps);
    for (unsigned i = 0; i < steps.count; i++) {
        struct sym_uop u = steps.uops[i];
        u.path = like->path;
        u.stmt = like->stmt;
        u.unit = like->unit;
        vec_push(&latch->r.to.uops, u);
    }
}

static bool bring_mask(struct latch *latch, const struct sym_uop *like) {
    struct expansion *x = latch->r.x;
    const struct plane_target *t = plane_target(x->set->target);
    uint32_t from = PLACE(PLANE_M, 0),
             end = PLACE(PLANE_SCRATCH, expand_new_scratch(x, like->section, like->stmt, 0, -1));
    struct route way;
    if (!expand_route_find(x, from, 0, end, false, &way)) {
        expand_error(x, like->unit, like->stmt->at,
                     "under a mask: target '%s' has no micro-ops ('where') that bring M from "
                     "section 0 to section %u, where '%s' masks what is written",
                     x->set->target->name, like->section, t->row_classes[t->mask_latch].name);
        return false;
    }
    for (size_t i = 0; i < way.steps.len; i++) {
        uint32_t to = place_of_step(x, &way.steps.data[i], end);
        add_step(latch, like, &way.steps.data[i], from, to);
        from = to;
    }
    vec_free(&way.steps);
    latch->mask[like->section] = end;
    return true;
}

/* The micro-op writes the latch of a section from which nothing reaches M. */
static bool lacks_mask(const struct latch *latch, const struct sym_uop *uop) {
    const struct expansion *x = latch->r.x;
    const struct plane_target *t = plane_target(x->set->target);
    uint16_t numbers[] = {t->mask_and, t->mask_load};
    bool lacks = false;
    for (unsigned d = 0; d < uop->ndst; d++)
        for (unsigned i = 0; i < 2 && is_latch(latch, uop->dst[d]); i++) {
            struct sym_uop u = mask_uop(latch, numbers[i], uop->dst[d], uop);
            lacks |= !expand_classes_allow(x, &t->ops[u.kind], u.src, u.dst, u.section);
        }
    return lacks;
}

static bool bring_masks(struct latch *latch) {
    const struct expansion *x = latch->r.x;
    bool fine = true;
    for (size_t i = 0; i < x->list.uops.len && fine; i++) {
        struct sym_uop u = x->list.uops.data[i];
        u.counterpart = NO_UOP;
        fine = !lacks_mask(latch, &u) || bring_mask(latch, &u);
    }
    return fine;
}

static bool expand_latch(struct expansion *expansion) {
    unsigned sections = plane_target(expansion->set->target)->sections;
    struct latch l;
    bool fine;
    expand_rewrite_start(&l.r, expansion);
    l.anded = xcalloc(expansion->list.uops.len + 1, sizeof *l.anded);
    l.place = xcalloc(sections, sizeof *l.place);
    l.holds = xcalloc(sections, sizeof *l.holds);
    l.mask = xcalloc(sections, sizeof *l.mask);
    for (unsigned s = 0; s < sections; s++) {
        l.holds[s] = true;
        l.mask[s] = PLACE(PLANE_M, 0);
    }
    fine = bring_masks(&l);
    for (size_t i = 0; i < expansion->list.uops.len && fine; i++)
        fine = put_mask(&l, i);
    if (fine)
        load_mask(&l);
    expand_rewrite_finish(&l.r);
    free(l.anded);
    free(l.place);
    free(l.holds);
    free(l.mask);
    return fine;
}

bool expand_mask(struct expansion *expansion) {
    switch (plane_target(expansion->set->target)->mask_by) {
    case MASK_SELECT:
        return expand_select(expansion);
    case MASK_LATCH:
        return expand_latch(expansion);
    case MASK_GATE:
        break;
    }
    return true;
}
