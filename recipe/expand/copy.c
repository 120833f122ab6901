/* SPDX-License-Identifier: MIT
 * Copies that the expansion itself needs: one micro-op, or where none copies, the sequence that the
 * mapping has found. */
#include "recipe/expand/expand.h"

#include "recipe/map/derive.h"
#include "recipe/map/map.h"

static bool is_row(uint32_t place) {
    return PLANE_CLASS(place) != PLANE_BUFFER;
}

static struct sym_uop start_step(const struct expansion *x, unsigned kind, int here) {
    const struct target_op *op = &plane_target(x->set->target)->ops[kind];
    struct sym_uop u = {.kind = (uint16_t)kind, .section = (uint16_t)here};
    u.nsrc = op->nsrc;
    u.ndst = op->ndst;
    u.counterpart = NO_UOP;
    return u;
}

static void add_step(const struct expansion *x, struct sym_uop u, struct copy_list *out) {
    unsigned preset = plane_target(x->set->target)->ops[u.kind].preset;
    if (preset) {
        struct sym_uop before = start_step(x, preset - 1, u.section);
        before.dst[0] = u.dst[0];
        out->preset[out->count] = true;
        out->uops[out->count++] = before;
    }
    out->preset[out->count] = false;
    out->uops[out->count++] = u;
}

/* Places of the sequence; its temporaries are new values. */
static void fill_places(struct expansion *x, const struct step_template *t, uint32_t from,
                        uint32_t to, int here, uint32_t *places) {
    const struct op_frame *f = mapping_frame(x->set);
    for (unsigned i = 0; i < f->count; i++)
        places[i] = f->places[i].kind == FRAME_CONST ? PLACE(PLANE_CONST, f->places[i].number)
                                                     : PLACE_NOWHERE;
    places[0] = from;
    places[t->out] = to;
    for (unsigned s = 0; s < t->step_count; s++)
        for (unsigned d = 0; d < t->steps[s].ndst; d++) {
            uint32_t *place = &places[t->steps[s].dst[d]];
            if (*place == PLACE_NOWHERE)
                *place = PLACE(PLANE_SCRATCH,
                               expand_new_scratch(x, (unsigned)here, t, t->steps[s].dst[d], -1));
        }
}

bool expand_make_copy(struct expansion *x, uint32_t from, uint32_t to, int here,
                      struct copy_list *out) {
    int kind = expand_find_copy(x, from, to, here);
    const struct step_template *t =
        kind < 0 && is_row(from) && is_row(to) ? mapping_copy(x->set) : NULL;
    out->count = 0;
    if (kind >= 0) {
        struct sym_uop u = start_step(x, (unsigned)kind, here);
        u.src[0] = from;
        u.dst[0] = to;
        add_step(x, u, out);
    }
    if (!t)
        return kind >= 0;
    uint32_t places[FRAME_MAX];
    fill_places(x, t, from, to, here, places);
    for (unsigned s = 0; s < t->step_count; s++) {
        const struct op_use *use = &t->steps[s];
        struct sym_uop u = start_step(x, use->op, here);
        for (unsigned i = 0; i < use->nsrc; i++)
            u.src[i] = places[use->src[i]];
        for (unsigned d = 0; d < use->ndst; d++)
            u.dst[d] = places[use->dst[d]];
        add_step(x, u, out);
    }
    return true;
}

bool expand_copy(struct expansion *x, const struct sym_uop *like, uint32_t from, uint32_t to,
                 unsigned section, struct sym_list *list) {
    struct copy_list steps;
    if (!expand_make_copy(x, from, to, (int)section, &steps)) {
        expand_error(x, like->unit, like->stmt->at,
                     "a value must be copied here, but no micro-op of '%s' copies it",
                     x->set->target->name);
        return false;
    }
    for (unsigned i = 0; i < steps.count; i++) {
        struct sym_uop u = steps.uops[i];
        u.path = like->path;
        u.stmt = like->stmt;
        u.unit = like->unit;
        vec_push(&list->uops, u);
    }
    return true;
}
