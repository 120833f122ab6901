/* SPDX-License-Identifier: MIT
 * Values become code one after another, in one scan. */
#include "machines/core/scalar/emitter.h"

#include <stdlib.h>

/* ---- one value ---- */

void scalar_gather(const struct scalar_emitter *e, scalar_id id, struct scalar_leaves *out) {
    const struct scalar_value *v = scalar_val(e, id);
    const scalar_id operands[] = {v->a, v->b, v->d, v->guard};
    for (unsigned i = 0; i < 4; i++) {
        if (operands[i] && scalar_val(e, operands[i])->tied)
            scalar_gather(e, operands[i], out);
        else if (operands[i])
            out->ids[out->count++] = operands[i];
    }
}
void scalar_release_all(struct scalar_emitter *e, const struct scalar_leaves *l) {
    for (unsigned i = 0; i < l->count; i++)
        scalar_release(e, l->ids[i]);
}

/* Puts the operands of a pattern into registers, or has them as constants. */
static void operands(struct scalar_emitter *e, scalar_id id, const struct scalar_pattern *p,
                     struct scalar_names *n) {
    const struct scalar_value v = *scalar_val(e, id);
    *n = (struct scalar_names){.c = SCALAR_NOWHERE,
                               .a = SCALAR_NOWHERE,
                               .b = SCALAR_NOWHERE,
                               .d = SCALAR_NOWHERE,
                               .k = v.k};
    scalar_id a = scalar_acts(&v) ? 0 : v.a; /* a store's is its mask */
    if (a && (scalar_is_const(e, a)))
        n->a_k = scalar_val(e, a)->k;
    if (v.b && scalar_is_const(e, v.b))
        n->b_k = scalar_val(e, v.b)->k;
    if (a && !scalar_a_zero(e, p, a))
        n->a = (uint8_t)scalar_get(e, a);
    if (v.b && !scalar_b_immediate(e, p, v.b))
        n->b = (uint8_t)scalar_get(e, v.b);
    if (v.op == SCALAR_PUT)
        n->d = (uint8_t)scalar_get(e, v.d);
    if (v.op == SCALAR_LOAD || v.op == SCALAR_LOADS || v.op == SCALAR_ADDRESS ||
        v.op == SCALAR_CELL || (scalar_acts(&v) && v.op != SCALAR_PUT))
        e->places->at(e->places->context, v.array, v.element, &n->p, &n->o);
    if (v.op == SCALAR_LOOKUP || v.op == SCALAR_LOOKUP_FAR)
        e->places->table(e->places->context, v.array, &n->p, &n->o);
    n->label = e->about->labels;
}
static void temporaries(struct scalar_emitter *e, const struct scalar_pattern *p,
                        struct scalar_names *n) {
    for (unsigned i = 0; i < p->temporaries; i++) {
        n->temporary[i] = (uint8_t)scalar_take(e, false, 0);
        e->locked |= scalar_bits_at(n->temporary[i], false);
    }
}
static void finish_label(struct scalar_emitter *e, const char *text) {
    if (scalar_has_label(text))
        scalar_put_label(e, e->about->labels++);
}

/* The register of an operand that ends here becomes the result's. */
static bool inherit(struct scalar_emitter *e, scalar_id id, scalar_id from) {
    if (!from || scalar_val(e, from)->tied || e->lives[from].reg == SCALAR_NOWHERE ||
        !scalar_dies(e, from) || scalar_val(e, from)->wide != scalar_val(e, id)->wide)
        return false;
    unsigned reg = e->lives[from].reg;
    if (scalar_to_avoid(e, id) & scalar_bits_at(reg, scalar_val(e, id)->wide))
        return false;
    scalar_release(e, from);
    scalar_own(e, id, reg);
    return true;
}
static void plain(struct scalar_emitter *e, scalar_id id, const struct scalar_pattern *p) {
    struct scalar_leaves l = {.count = 0};
    struct scalar_names n;
    scalar_gather(e, id, &l);
    operands(e, id, p, &n);
    temporaries(e, p, &n);
    if (p->early) {
        n.c = (uint8_t)scalar_give(e, id);
        scalar_put_line(e, p->text, &n);
        scalar_release_all(e, &l);
    } else {
        const struct scalar_value v = *scalar_val(e, id);
        if (!inherit(e, id, v.a) && !inherit(e, id, v.b)) {
            scalar_release_all(e, &l);
            /* What ends here may be overwritten. */
            e->locked = 0;
            for (unsigned i = 0; i < l.count; i++)
                e->locked |= scalar_held(e, l.ids[i]);
            for (unsigned i = 0; i < p->temporaries; i++)
                e->locked |= scalar_bits_at(n.temporary[i], false);
            scalar_give(e, id);
        }
        n.c = e->lives[id].reg;
        scalar_put_line(e, p->text, &n);
        scalar_release_all(e, &l);
    }
    finish_label(e, p->text);
}

/* Of a pair one word, where the pair ends: the register is there. */
static void half(struct scalar_emitter *e, scalar_id id, bool low) {
    scalar_id a = scalar_val(e, id)->a;
    unsigned from = scalar_half_register(e, scalar_get(e, a), low ? 'l' : 'h');
    if (scalar_dies(e, a)) {
        scalar_release(e, a);
        scalar_own(e, id, from);
        return;
    }
    scalar_put_move(e, scalar_give(e, id), from, false);
}

void scalar_jump_by(struct scalar_emitter *e, scalar_id mask, bool when, uint32_t label) {
    struct scalar_names n;
    if (scalar_val(e, mask)->tied) {
        const struct scalar_pattern *p = scalar_pattern_of(e, mask);
        operands(e, mask, p, &n);
        n.label = label;
        scalar_put_line(e, when ? p->when : p->unless, &n);
        return;
    }
    n = (struct scalar_names){.a = (uint8_t)scalar_get(e, mask), .label = label};
    scalar_put_line(e, when ? e->core->if_not_zero : e->core->if_zero, &n);
}
void scalar_get_mask(struct scalar_emitter *e, scalar_id mask) {
    struct scalar_names n;
    if (scalar_val(e, mask)->tied)
        operands(e, mask, scalar_pattern_of(e, mask), &n);
    else
        scalar_get(e, mask);
}

/* The register `reg` becomes a ? b : d, which has the value of `other` already. */
static void overwrite(struct scalar_emitter *e, unsigned reg, scalar_id with, bool wide) {
    if (scalar_val(e, with)->tied) {
        const struct scalar_pattern *p = scalar_pattern_of(e, with);
        struct scalar_names n;
        operands(e, with, p, &n);
        n.c = (uint8_t)reg;
        scalar_put_line(e, p->text, &n);
    } else if (e->lives[with].reg == SCALAR_NOWHERE && scalar_is_const(e, with)) {
        scalar_put_constant(e, reg, scalar_val(e, with)->k, wide);
    } else {
        scalar_put_move(e, reg, scalar_get(e, with), wide);
    }
}
static void prepare(struct scalar_emitter *e, scalar_id id) {
    struct scalar_names n;
    if (scalar_val(e, id)->tied)
        operands(e, id, scalar_pattern_of(e, id), &n);
    else if (!scalar_is_const(e, id))
        scalar_get(e, id);
}
static bool ends_in_register(struct scalar_emitter *e, scalar_id id) {
    return !scalar_val(e, id)->tied && e->lives[id].reg != SCALAR_NOWHERE && scalar_dies(e, id);
}
static void select_value(struct scalar_emitter *e, scalar_id id) {
    const struct scalar_value v = *scalar_val(e, id);
    struct scalar_leaves l = {.count = 0};
    scalar_gather(e, id, &l);
    scalar_get_mask(e, v.a);
    prepare(e, v.b);
    prepare(e, v.d);
    scalar_id base = v.d, other = v.b;
    bool when = false;
    if (!ends_in_register(e, v.d) && !scalar_val(e, v.b)->tied && ends_in_register(e, v.b)) {
        base = v.b;
        other = v.d;
        when = true;
    }
    uint32_t label = e->about->labels++;
    unsigned reg;
    if (ends_in_register(e, base)) {
        reg = e->lives[base].reg;
    } else {
        reg = scalar_take(e, v.wide, scalar_to_avoid(e, id));
        e->locked |= scalar_bits_at(reg, v.wide);
        overwrite(e, reg, base, v.wide);
    }
    scalar_jump_by(e, v.a, when, label);
    overwrite(e, reg, other, v.wide);
    scalar_put_label(e, label);
    scalar_release_all(e, &l);
    scalar_own(e, id, reg);
}

static void store(struct scalar_emitter *e, scalar_id id, const struct scalar_pattern *p) {
    const struct scalar_value v = *scalar_val(e, id);
    struct scalar_leaves l = {.count = 0};
    struct scalar_names n;
    scalar_gather(e, id, &l);
    if (v.a)
        scalar_get_mask(e, v.a);
    operands(e, id, p, &n);
    if (v.a)
        scalar_jump_by(e, v.a, false, e->about->labels);
    scalar_put_line(e, p->text, &n);
    if (v.a)
        scalar_put_label(e, e->about->labels++);
    scalar_release_all(e, &l);
}

/* ---- all ---- */

/* What has no pattern of its own. */
static bool emit_frame(struct scalar_emitter *e, scalar_id id) {
    switch (scalar_val(e, id)->op) {
    case SCALAR_CALL:
        if (!e->core->called_registers)
            return false;
        scalar_emit_made(e, id);
        break;
    case SCALAR_ARGUMENT:
        scalar_emit_argument(e, id);
        break;
    case SCALAR_RESULT:
        scalar_emit_result(e, id);
        break;
    case SCALAR_BEGIN:
        scalar_emit_begin(e, id);
        break;
    case SCALAR_AGAIN:
        scalar_emit_again(e, id);
        break;
    default:
        return false;
    }
    return true;
}
static bool emit_value(struct scalar_emitter *e, scalar_id id) {
    const struct scalar_value *v = scalar_val(e, id);
    e->locked = 0;
    if (v->op == SCALAR_SELECT)
        return select_value(e, id), true;
    if (v->op == SCALAR_LOW || v->op == SCALAR_HIGH)
        return half(e, id, v->op == SCALAR_LOW), true;
    if (emit_frame(e, id))
        return true;
    const struct scalar_pattern *p = scalar_pattern_of(e, id);
    if (!p)
        return false;
    if (p->routine)
        scalar_emit_call(e, id, p);
    else if (scalar_acts(v))
        store(e, id, p);
    else
        plain(e, id, p);
    return true;
}

bool scalar_emit(const struct scalar_core *core, struct scalar_body *b,
                 const struct scalar_places *places, struct str *out, struct scalar_code *about,
                 scalar_id *wrong) {
    struct scalar_emitter e = {.core = core, .b = b, .places = places, .out = out, .about = about};
    bool fine = true;
    scalar_plan(&e);
    for (e.at = 0; e.at < e.count && fine; e.at++) {
        *wrong = e.order[e.at];
        fine = emit_value(&e, e.order[e.at]);
    }
    free(e.lives);
    free(e.order);
    free(e.placed);
    free(e.calls);
    free(e.next_call);
    free(e.uses);
    vec_free(&e.free_slots);
    return fine;
}
