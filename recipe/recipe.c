/* SPDX-License-Identifier: MIT
 * Instructions to micro-ops: the public face of expansion. */
#include "recipe/expand/expand.h"
#include "recipe/expand/kept.h"

#include "support/alloc.h"

#include <stdlib.h>

/* In register planes the field stands for the number; kept_register names the register. */
static uint32_t plane_of(const struct expansion *x, uint32_t place) {
    uint32_t payload = PLACE_PAYLOAD(place);
    const struct uop_value *v;
    switch (PLANE_CLASS(place)) {
    case PLANE_REGISTER:
        return PLANE(PLANE_REGISTER, 0, payload);
    case PLANE_SCRATCH:
        v = &x->list.values.data[payload];
        return PLANE(PLANE_SCRATCH, v->section, v->row);
    default: /* BUFFER has the layout of uop.h; the rest is one number */
        return place;
    }
}

static struct uop make_uop(const struct expansion *x, size_t index) {
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

static bool expand_symbolic(struct expansion *x, bool masked) {
    return expand_body(x) && (!masked || expand_mask(x)) && expand_aliases(x) &&
           expand_classes(x) && expand_rows(x);
}

/* Fields that an insn can only have by mistake of the caller. */
static bool check_insn(const struct recipe_set *s, const struct insn *insn, unsigned *w,
                       struct diag *d) {
    const struct isa_info *info = recipe_info(insn->op);
    *w = info->flags & ISA_WIDTH ? insn->width : 1;
    if (*w >= 1 && *w <= 64 && insn->rs < 64 && insn->rt < 64 && insn->rd < 64)
        return true;
    if (d)
        diag_error(d, NO_SPAN, "%s: width or register out of range on target '%s'", info->name,
                   s->target->name);
    return false;
}

/* Makes the list anew, and keeps it. */
static bool make_list(struct expansion *x, const struct kept_key *key, struct uop_list *out) {
    struct uop_list made = {0};
    bool fine = expand_symbolic(x, key->masked);
    if (fine) {
        vec_reserve(&made, x->list.uops.len);
        for (size_t i = 0; i < x->list.uops.len; i++)
            made.data[made.len++] = make_uop(x, i);
        expand_kept_append(made.data, made.len, x->insn, out);
        expand_kept_put(x->set->kept, key, &made);
    }
    expand_sym_list_free(&x->list);
    return fine;
}

bool recipe_expand_with(const struct recipe_set *s, const struct recipe *c, const struct insn *insn,
                        bool masked, struct uop_list *out, struct diag *d) {
    struct expansion x = {.set = s, .recipe = c, .insn = insn, .diag = d};
    if (!check_insn(s, insn, &x.w, d) || c->unit.broken)
        return false;
    x.info = recipe_info(insn->op);
    masked = masked && !(x.info->flags & ISA_UNMASKED);
    struct kept_key key =
        expand_kept_key_of(c, insn, masked && plane_target(s->target)->mask_by != MASK_GATE);
    size_t first = out->len;
    if (!expand_kept_get(s->kept, &key, insn, out) && !make_list(&x, &key, out))
        return false;
    if (masked && plane_target(s->target)->mask_by != MASK_SELECT)
        put_mask(out->data + first, out->len - first);
    return true;
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
