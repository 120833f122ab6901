/* SPDX-License-Identifier: MIT
 * Micro-ops of one recipe, and copies, put into the list of another. */
#include "recipe/expand/inline.h"

#include "support/bits.h"

/* The places of the inlined list as those of the list that it goes into. */
struct place_translation {
    const struct inlined *in;
    uint32_t values; /* number of its value 0 */
};

static uint32_t translate(const struct place_translation *translation, uint32_t place) {
    uint32_t payload = PLACE_PAYLOAD(place);
    switch (PLANE_CLASS(place)) {
    case PLANE_SCRATCH:
        return PLACE(PLANE_SCRATCH, translation->values + payload);
    case PLANE_REGISTER:
        return translation->in->place(translation->in->context, (uint8_t)(payload >> 6),
                                      payload & 63);
    default:
        return place;
    }
}

/* Its operands were registers in the recipe; what they are here may be no row. */
static bool may_work(const struct expansion *expansion, const struct sym_uop *uop) {
    const struct target_op *op = &plane_target(expansion->set->target)->ops[uop->kind];
    if (uop->kind == COPY_LATER ||
        expand_classes_allow(expansion, op, uop->src, uop->dst, uop->section))
        return true;
    expand_error(expansion, uop->unit, uop->stmt->at,
                 "%s may not work ('where') on what a masked result is merged with", op->name);
    return false;
}

static bool append(struct expansion *expansion, const struct sym_list *made,
                   const struct inlined *in, struct sym_list *to) {
    struct place_translation t = {in, (uint32_t)expansion->list.values.len};
    uint32_t first = (uint32_t)to->uops.len;
    for (size_t i = 0; i < made->values.len; i++)
        vec_push(&expansion->list.values, made->values.data[i]);
    for (size_t i = 0; i < made->uops.len; i++) {
        struct sym_uop u = made->uops.data[i];
        for (unsigned k = 0; k < u.nsrc; k++)
            u.src[k] = translate(&t, u.src[k]);
        for (unsigned k = 0; k < u.ndst; k++)
            u.dst[k] = translate(&t, u.dst[k]);
        u.counterpart = u.counterpart == NO_UOP ? NO_UOP : first + u.counterpart;
        if (!may_work(expansion, &u))
            return false;
        vec_push(&to->uops, u);
    }
    return true;
}

bool expand_inline(struct expansion *expansion, const struct inlined *in, struct sym_list *to) {
    const struct recipe *c = recipe_of(expansion->set, in->op, expansion->diag);
    const struct insn insn = {.op = in->op, .width = (uint8_t)in->w, .rt = 1, .rd = 2};
    struct expansion y = {.set = expansion->set,
                          .recipe = c,
                          .insn = &insn,
                          .w = in->w,
                          .diag = expansion->diag,
                          .in_order = expansion->in_order,
                          .allowed = expansion->allowed,
                          .saves_carries = expansion->saves_carries};
    if (!c || c->unit.broken)
        return false;
    y.info = recipe_info(in->op);
    y.wanted = &in->wanted;
    bool fine = expand_body(&y);
    if (fine) {
        expand_drop_dead(&y);
        fine = append(expansion, &y.list, in, to);
    }
    expansion->distributed |= y.distributed;
    expansion->crossed |= y.crossed;
    expand_sym_list_free(&y.list);
    return fine;
}
