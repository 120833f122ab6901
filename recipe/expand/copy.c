/* SPDX-License-Identifier: MIT
 * Copies that the expansion itself needs: one micro-op, or where none copies, the sequence that the
 * mapping has found. */
#include "recipe/expand/expand.h"

#include "recipe/map/derive.h"
#include "recipe/map/map.h"

static bool is_row(uint32_t place) {
    return PLANE_CLASS(place) != PLANE_BUFFER;
}

static struct sym_uop start_step(const struct expansion *expansion, unsigned kind, int here) {
    const struct target_op *op = &plane_target(expansion->set->target)->ops[kind];
    struct sym_uop u = {.kind = (uint16_t)kind, .section = (uint16_t)here};
    u.nsrc = op->nsrc;
    u.ndst = op->ndst;
    u.counterpart = NO_UOP;
    return u;
}

static void add_step(const struct expansion *expansion, struct sym_uop uop, struct copy_list *out) {
    unsigned preset = plane_target(expansion->set->target)->ops[uop.kind].preset;
    if (preset) {
        struct sym_uop before = start_step(expansion, preset - 1, uop.section);
        before.dst[0] = uop.dst[0];
        out->preset[out->count] = true;
        out->uops[out->count++] = before;
    }
    out->preset[out->count] = false;
    out->uops[out->count++] = uop;
}

/* Places of the sequence; its temporaries are new values. */
static void fill_places(struct expansion *expansion, const struct step_template *template,
                        uint32_t from, uint32_t to, int here, uint32_t *places) {
    const struct op_frame *f = mapping_frame(expansion->set);
    for (unsigned i = 0; i < f->count; i++)
        places[i] = f->places[i].kind == FRAME_CONST ? PLACE(PLANE_CONST, f->places[i].number)
                                                     : PLACE_NOWHERE;
    places[0] = from;
    places[template->out] = to;
    for (unsigned s = 0; s < template->step_count; s++)
        for (unsigned d = 0; d < template->steps[s].ndst; d++) {
            uint32_t *place = &places[template->steps[s].dst[d]];
            if (*place == PLACE_NOWHERE)
                *place =
                    PLACE(PLANE_SCRATCH, expand_new_scratch(expansion, (unsigned)here, template,
                                                            template->steps[s].dst[d], -1));
        }
}

bool expand_make_copy(struct expansion *expansion, uint32_t from, uint32_t to, int here,
                      struct copy_list *out) {
    int kind = expand_find_copy(expansion, from, to, here);
    const struct step_template *t =
        kind < 0 && is_row(from) && is_row(to) ? mapping_copy(expansion->set) : NULL;
    out->count = 0;
    if (kind >= 0) {
        struct sym_uop u = start_step(expansion, (unsigned)kind, here);
        u.src[0] = from;
        u.dst[0] = to;
        add_step(expansion, u, out);
    }
    if (!t)
        return kind >= 0;
    uint32_t places[FRAME_MAX];
    fill_places(expansion, t, from, to, here, places);
    for (unsigned s = 0; s < t->step_count; s++) {
        const struct op_use *use = &t->steps[s];
        struct sym_uop u = start_step(expansion, use->op, here);
        for (unsigned i = 0; i < use->nsrc; i++)
            u.src[i] = places[use->src[i]];
        for (unsigned d = 0; d < use->ndst; d++)
            u.dst[d] = places[use->dst[d]];
        add_step(expansion, u, out);
    }
    return true;
}

bool expand_copy(struct expansion *expansion, const struct sym_uop *like, uint32_t from,
                 uint32_t to, unsigned section, struct sym_list *list) {
    struct copy_list steps;
    if (!expand_make_copy(expansion, from, to, (int)section, &steps)) {
        expand_error(expansion, like->unit, like->stmt->at,
                     "a value must be copied here, but no micro-op of '%s' copies it",
                     expansion->set->target->name);
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
