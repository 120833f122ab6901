/* SPDX-License-Identifier: MIT
 * Values become code one after another, in one scan. */
#include "machines/core/scalar/emitter.h"
#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

/* ---- one value ---- */

/* Operands of v, and those of operands that are computed with it. */
struct leaves {
    scalar_id ids[16];
    unsigned count;
};
static void gather(const struct scalar_emitter *e, scalar_id id, struct leaves *out) {
    const struct scalar_value *v = scalar_val(e, id);
    const scalar_id operands[] = {v->a, v->b, v->d, v->guard};
    for (unsigned i = 0; i < 4; i++) {
        if (operands[i] && scalar_val(e, operands[i])->tied)
            gather(e, operands[i], out);
        else if (operands[i])
            out->ids[out->count++] = operands[i];
    }
}
static void release_all(struct scalar_emitter *e, const struct leaves *l) {
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
        (scalar_acts(&v) && v.op != SCALAR_PUT))
        e->places->at(e->places->context, v.array, v.element, &n->p, &n->o);
    if (v.op == SCALAR_LOOKUP)
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
    struct leaves l = {.count = 0};
    struct scalar_names n;
    gather(e, id, &l);
    operands(e, id, p, &n);
    temporaries(e, p, &n);
    if (p->early) {
        n.c = (uint8_t)scalar_give(e, id);
        scalar_put_line(e, p->text, &n);
        release_all(e, &l);
    } else {
        const struct scalar_value v = *scalar_val(e, id);
        if (!inherit(e, id, v.a) && !inherit(e, id, v.b)) {
            release_all(e, &l);
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
        release_all(e, &l);
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

/* Jumps to the label unless the mask holds (or when it does). */
static void jump_by(struct scalar_emitter *e, scalar_id mask, bool when, uint32_t label) {
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
/* Registers for what a mask is made from, before anything jumps. */
static void get_mask(struct scalar_emitter *e, scalar_id mask) {
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
    struct leaves l = {.count = 0};
    gather(e, id, &l);
    get_mask(e, v.a);
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
    jump_by(e, v.a, when, label);
    overwrite(e, reg, other, v.wide);
    scalar_put_label(e, label);
    release_all(e, &l);
    scalar_own(e, id, reg);
}

static void store(struct scalar_emitter *e, scalar_id id, const struct scalar_pattern *p) {
    const struct scalar_value v = *scalar_val(e, id);
    struct leaves l = {.count = 0};
    struct scalar_names n;
    gather(e, id, &l);
    if (v.a)
        get_mask(e, v.a);
    operands(e, id, p, &n);
    if (v.a)
        jump_by(e, v.a, false, e->about->labels);
    scalar_put_line(e, p->text, &n);
    if (v.a)
        scalar_put_label(e, e->about->labels++);
    release_all(e, &l);
}

/* ---- calls ---- */

/* Values in registers that the routine changes, and that are used later, go elsewhere. */
static void clear_for_call(struct scalar_emitter *e, uint32_t changes) {
    for (unsigned r = 0; r < e->places->registers; r++) {
        scalar_id id = e->owner[r];
        if (!(changes >> r & 1) || !id || scalar_dies(e, id))
            continue;
        if (scalar_is_const(e, id)) {
            scalar_disown(e, id);
            continue;
        }
        bool wide = scalar_val(e, id)->wide;
        unsigned to = scalar_choose_register(e, scalar_free_registers(e) & ~changes, wide);
        if (to == SCALAR_NOWHERE) {
            scalar_spill(e, id);
            scalar_disown(e, id);
            continue;
        }
        scalar_put_move(e, to, r, wide);
        scalar_disown(e, id);
        scalar_own(e, id, to);
        e->locked |= scalar_held(e, id);
    }
}
static void pass(struct scalar_emitter *e, scalar_id id, unsigned to) {
    bool wide = scalar_val(e, id)->wide;
    if (e->lives[id].reg != SCALAR_NOWHERE)
        scalar_put_move(e, to, e->lives[id].reg, wide);
    else if (scalar_is_const(e, id))
        scalar_put_constant(e, to, scalar_val(e, id)->k, wide);
    else
        scalar_put_stack(e, id, to, false);
}
static void pass_two(struct scalar_emitter *e, scalar_id a, scalar_id b, unsigned second) {
    uint32_t to_a = scalar_bits_at(0, scalar_val(e, a)->wide),
             to_b = scalar_bits_at(second, scalar_val(e, b)->wide);
    bool b_in_a = scalar_held(e, b) & to_a, a_in_b = scalar_held(e, a) & to_b;
    if (a == b) {
        if (!a_in_b)
            pass(e, b, second);
        pass(e, a, 0);
        return;
    }
    if (!b_in_a) {
        pass(e, a, 0);
        pass(e, b, second);
    } else if (!a_in_b) {
        pass(e, b, second);
        pass(e, a, 0);
    } else {
        /* A register beside both, of those that the routine changes. */
        unsigned beside = second + 2;
        scalar_put_move(e, beside, e->lives[b].reg, scalar_val(e, b)->wide);
        pass(e, a, 0);
        scalar_put_move(e, second, beside, scalar_val(e, b)->wide);
    }
}
static void add_routine(struct scalar_code *about, const char *name) {
    for (size_t i = 0; i < about->routines.len; i++)
        if (strcmp(about->routines.data[i], name) == 0)
            return;
    vec_push(&about->routines, name);
}
/* What is left of the division stands behind it, and is there with it. */
static bool claims(const struct scalar_emitter *e, scalar_id id) {
    if (e->at + 1 >= e->count)
        return false;
    const struct scalar_value *next = scalar_val(e, e->order[e->at + 1]);
    return next->op == SCALAR_REST && next->a == id;
}
static void call(struct scalar_emitter *e, scalar_id id, const struct scalar_pattern *p) {
    const struct scalar_value v = *scalar_val(e, id);
    struct leaves l = {.count = 0};
    gather(e, id, &l);
    unsigned second = scalar_second_of(e, &v);
    for (unsigned i = 0; i < l.count; i++)
        if (!scalar_is_const(e, l.ids[i]))
            scalar_get(e, l.ids[i]);
    clear_for_call(e, p->changes);
    uint32_t label = v.guard ? e->about->labels++ : 0;
    if (v.guard)
        jump_by(e, v.guard, false, label);
    pass_two(e, v.a, v.b, second);
    const struct scalar_names n = {.routine = p->routine};
    scalar_put_line(e, e->core->call, &n);
    if (v.guard)
        scalar_put_label(e, label);
    add_routine(e->about, p->routine);
    bool used = scalar_next_use(e, id, true) != SCALAR_NEVER;
    release_all(e, &l);
    /* What is left in them is changed, constants too. */
    for (unsigned r = 0; r < e->places->registers; r++)
        if (p->changes >> r & 1 && e->owner[r])
            scalar_disown(e, e->owner[r]);
    if (claims(e, id)) {
        e->at++;
        scalar_own(e, e->order[e->at], second);
        used = scalar_next_use(e, id, true) != SCALAR_NEVER;
    }
    if (used)
        scalar_own(e, id, 0);
}

/* ---- all ---- */

static bool emit_value(struct scalar_emitter *e, scalar_id id) {
    const struct scalar_value *v = scalar_val(e, id);
    e->locked = 0;
    if (v->op == SCALAR_SELECT)
        return select_value(e, id), true;
    if (v->op == SCALAR_LOW || v->op == SCALAR_HIGH)
        return half(e, id, v->op == SCALAR_LOW), true;
    const struct scalar_pattern *p = scalar_pattern_of(e, id);
    if (!p)
        return false;
    if (p->routine)
        call(e, id, p);
    else if (scalar_acts(v))
        store(e, id, p);
    else
        plain(e, id, p);
    return true;
}

/* A read that moves behind a write may find what that has left. */
struct written {
    scalar_id store, put; /* the last ones so far; 0: none */
};
static void note_written(const struct scalar_emitter *e, scalar_id id, struct written *w) {
    const struct scalar_value *v = scalar_val(e, id);
    if (v->op == SCALAR_STORE && v->bytes)
        w->store = id;
    if (v->op == SCALAR_PUT)
        w->put = id;
}
static bool may_move(const struct scalar_emitter *e, scalar_id id, const struct written *w) {
    unsigned op = scalar_val(e, id)->op;
    return op == SCALAR_FETCH                        ? id > w->put
           : op == SCALAR_LOAD || op == SCALAR_LOADS ? id > w->store
                                                     : true;
}

/* What one select alone uses is computed behind its jump; a comparison is the jump itself. */
static bool can_be_tied(const struct scalar_emitter *e, scalar_id id) {
    const struct scalar_value *v = scalar_val(e, id);
    const struct scalar_pattern *p = scalar_pattern_of(e, id);
    return v->uses == 1 && p && !p->routine && !p->early && !p->temporaries &&
           !scalar_has_label(p->text);
}
static void tie(struct scalar_emitter *e) {
    struct written w = {0, 0};
    for (scalar_id i = 1; i <= e->b->values.len; i++) {
        struct scalar_value *v = &e->b->values.data[i - 1];
        note_written(e, i, &w);
        bool select = v->op == SCALAR_SELECT && v->uses;
        bool guarded = scalar_acts(v) && v->bytes && v->a;
        if ((select || guarded) && scalar_val(e, v->a)->op >= SCALAR_EQ &&
            scalar_val(e, v->a)->op <= SCALAR_GES && can_be_tied(e, v->a) &&
            scalar_pattern_of(e, v->a)->unless)
            e->b->values.data[v->a - 1].tied = true;
        if (!select || v->b == v->d)
            continue;
        unsigned op = scalar_val(e, v->b)->op;
        if (op != SCALAR_CONST && op != SCALAR_SELECT && op != SCALAR_LOW && op != SCALAR_HIGH &&
            op != SCALAR_REST && can_be_tied(e, v->b) && may_move(e, v->b, &w))
            e->b->values.data[v->b - 1].tied = true;
    }
}
static void place(struct scalar_emitter *e, scalar_id id) {
    const struct scalar_pattern *p = scalar_pattern_of(e, id);
    e->calls[e->count] = p && p->routine ? p->changes : 0;
    e->order[e->count++] = id;
    if (scalar_val(e, id)->op != SCALAR_DIVIDE)
        return;
    for (scalar_id rest = id + 1; rest <= e->b->values.len; rest++)
        if (scalar_val(e, rest)->op == SCALAR_REST && scalar_val(e, rest)->a == id &&
            scalar_val(e, rest)->uses)
            e->order[e->count++] = rest;
}
/* Order, uses by position, calls. */
static void plan(struct scalar_emitter *e) {
    size_t n = e->b->values.len;
    e->lives = xcalloc(n + 1, sizeof *e->lives);
    e->order = xcalloc(n + 1, sizeof *e->order);
    e->calls = xcalloc(n + 1, sizeof *e->calls);
    e->next_call = xcalloc(n + 1, sizeof *e->next_call);
    tie(e);
    for (scalar_id id = 1; id <= n; id++) {
        const struct scalar_value *v = scalar_val(e, id);
        e->lives[id].reg = SCALAR_NOWHERE;
        if (scalar_is_live(v) && v->op != SCALAR_CONST && v->op != SCALAR_REST && !v->tied)
            place(e, id);
    }
    uint32_t call = SCALAR_NEVER, all = 0;
    for (uint32_t i = e->count; i-- > 0;)
        e->next_call[i] = call = e->calls[i] ? i : call;
    for (unsigned pass_number = 0; pass_number < 2; pass_number++) {
        for (uint32_t i = 0; i < e->count; i++) {
            struct leaves l = {.count = 0};
            gather(e, e->order[i], &l);
            for (unsigned k = 0; k < l.count; k++) {
                struct scalar_life *life = &e->lives[l.ids[k]];
                if (pass_number)
                    e->uses[life->end] = i;
                life->end++;
            }
        }
        if (pass_number)
            break;
        for (scalar_id id = 1; id <= n; id++) {
            uint32_t of = e->lives[id].end;
            e->lives[id].first = e->lives[id].next = e->lives[id].end = all;
            all += of;
        }
        e->uses = xcalloc(all + 1, sizeof *e->uses);
    }
}

bool scalar_emit(const struct scalar_core *core, struct scalar_body *b,
                 const struct scalar_places *places, struct str *out, struct scalar_code *about,
                 scalar_id *wrong) {
    struct scalar_emitter e = {.core = core, .b = b, .places = places, .out = out, .about = about};
    bool fine = true;
    plan(&e);
    for (e.at = 0; e.at < e.count && fine; e.at++) {
        *wrong = e.order[e.at];
        fine = emit_value(&e, e.order[e.at]);
    }
    free(e.lives);
    free(e.order);
    free(e.calls);
    free(e.next_call);
    free(e.uses);
    vec_free(&e.free_slots);
    return fine;
}
