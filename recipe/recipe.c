/* SPDX-License-Identifier: MIT
 * Instructions to micro-ops: the public face of expansion. */
#include "recipe/expand/expand.h"

#include "support/alloc.h"

#include <stdlib.h>

static uint32_t plane_of(const struct expansion *x, uint32_t place) {
    uint32_t payload = PLACE_PAYLOAD(place);
    const struct value *v;
    unsigned reg;
    switch (PLANE_CLASS(place)) {
    case PLANE_REGISTER:
        reg = payload >> 6 == FIELD_RS   ? x->insn->rs
              : payload >> 6 == FIELD_RT ? x->insn->rt
                                         : x->insn->rd;
        return PLANE(PLANE_REGISTER, 0, reg << 6 | (payload & 63));
    case PLANE_SCRATCH:
        v = &x->list.values.data[payload];
        return PLANE(PLANE_SCRATCH, v->section, v->row);
    default: /* BUFFER has the layout of uop.h; the rest is one number */
        return place;
    }
}

static bool is_visible(uint32_t plane) {
    return PLANE_CLASS(plane) == PLANE_REGISTER || PLANE_CLASS(plane) == PLANE_C;
}

static struct uop make_uop(const struct expansion *x, size_t index, bool masked) {
    const struct sym_uop *s = &x->list.uops.data[index];
    struct uop u = {.kind = s->kind,
                    .section = s->section,
                    .nsrc = s->nsrc,
                    .ndst = s->ndst,
                    .predicate = PLANE(PLANE_NONE, 0, 0),
                    .count = 1};
    u.pipelined = s->counterpart != NO_UOP;
    u.forwarded = s->counterpart == NO_UOP ? 0 : (uint32_t)(index - s->counterpart);
    for (unsigned i = 0; i < UOP_MAX; i++) {
        u.src[i] = i < s->nsrc ? plane_of(x, s->src[i]) : PLANE(PLANE_NONE, 0, 0);
        u.dst[i] = i < s->ndst ? plane_of(x, s->dst[i]) : PLANE(PLANE_NONE, 0, 0);
        if (masked && i < s->ndst && is_visible(u.dst[i]))
            u.predicate = PLANE(PLANE_M, 0, 0);
    }
    return u;
}

static bool expand_symbolic(struct expansion *x) {
    return expand_body(x) && expand_aliases(x) && expand_rows(x);
}

/* Fields that an insn can only have by mistake of the caller. */
static bool check_insn(const struct recipe_set *s, const struct insn *insn, unsigned *w,
                       struct diag *d) {
    const struct isa_info *info = isa_info(insn->op);
    *w = info->flags & ISA_WIDTH ? insn->width : 1;
    if (*w >= 1 && *w <= 64 && insn->rs < 64 && insn->rt < 64 && insn->rd < 64)
        return true;
    if (d)
        diag_error(d, NO_SPAN, "%s: width or register out of range on target '%s'", info->name,
                   s->target->name);
    return false;
}

bool recipe_expand_with(const struct recipe_set *s, const struct recipe *c, const struct insn *insn,
                        bool masked, struct uop_list *out, struct diag *d) {
    struct expansion x = {.set = s, .recipe = c, .insn = insn, .diag = d};
    if (!check_insn(s, insn, &x.w, d) || c->unit.broken)
        return false;
    x.info = isa_info(insn->op);
    bool fine = expand_symbolic(&x);
    if (fine) {
        vec_reserve(out, out->len + x.list.uops.len);
        for (size_t i = 0; i < x.list.uops.len; i++)
            out->data[out->len++] = make_uop(&x, i, masked && !(x.info->flags & ISA_UNMASKED));
    }
    sym_list_free(&x.list);
    return fine;
}

bool recipe_exists(const struct recipe_set *s, enum mpu_op op) {
    return recipe_of(s, op, NULL) != NULL;
}

bool recipe_expand(const struct recipe_set *s, const struct insn *insn, bool masked,
                   struct uop_list *out, struct diag *d) {
    const struct recipe *c = recipe_of(s, insn->op, d);
    if (c)
        return recipe_expand_with(s, c, insn, masked, out, d);
    if (d && !recipe_origin(s, insn->op))
        diag_error(d, NO_SPAN, "target '%s' has no recipe for %s", s->target->name,
                   (unsigned)insn->op < OP_COUNT ? isa_info(insn->op)->name : "this instruction");
    return false;
}
