/* SPDX-License-Identifier: MIT
 * Values become code one after another, in one scan. */
#include "machines/core/scalar/emitter.h"
#include "machines/core/scalar/routines.h"
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
    if (!b) {
        pass(e, a, 0);
        return;
    }
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
static void add_called(struct scalar_code *about, uint64_t routine) {
    for (size_t i = 0; i < about->called.len; i++)
        if (about->called.data[i] == routine)
            return;
    vec_push(&about->called, routine);
}
void scalar_code_free(struct scalar_code *code) {
    vec_free(&code->routines);
    vec_free(&code->called);
    vec_free(&code->sources);
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
    e->source |= SCALAR_CALLS;
    scalar_put_line(e, e->core->call, &n);
    e->source &= (uint16_t)~SCALAR_CALLS;
    if (v.guard)
        scalar_put_label(e, label);
    if (v.op == SCALAR_CALL)
        add_called(e->about, v.k);
    else
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

/* Of a routine that is made from IR. */
static uint32_t called_changes(const struct scalar_emitter *e) {
    return (UINT32_C(1) << e->core->called_registers) - 1;
}
static void call_made(struct scalar_emitter *e, scalar_id id) {
    struct str name = {0};
    scalar_routine_name(scalar_val(e, id)->k, &name);
    const struct scalar_pattern p = {.routine = str_text(&name), .changes = called_changes(e)};
    call(e, id, &p);
    str_free(&name);
}
static void argument(struct scalar_emitter *e, scalar_id id) {
    const struct scalar_value *v = scalar_val(e, id);
    const unsigned second = v->wide ? e->core->second_pair : e->core->second_word;
    scalar_own(e, id, v->k ? second : 0);
}
static void result(struct scalar_emitter *e, scalar_id id) {
    pass(e, scalar_val(e, id)->b, 0);
}

/* ---- loops ---- */

/* At both ends of a loop nothing is in registers: what lives on is on the stack. */
static void leave_registers(struct scalar_emitter *e) {
    for (unsigned r = 0; r < e->places->registers; r++)
        if (e->owner[r] && scalar_next_use(e, e->owner[r], true) != SCALAR_NEVER)
            scalar_spill(e, e->owner[r]);
}
static void empty_registers(struct scalar_emitter *e) {
    for (unsigned r = 0; r < e->places->registers; r++)
        if (e->owner[r])
            scalar_disown(e, e->owner[r]);
}
/* What ends here, in registers or on the stack. */
static void release_ended(struct scalar_emitter *e) {
    for (scalar_id id = 1; id <= e->b->values.len; id++)
        if (e->lives[id].end > e->lives[id].first && e->uses[e->lives[id].end - 1] == e->at)
            scalar_release(e, id);
}
/* Labels: the first lap's, and that behind the loop. */
static void loop_begin(struct scalar_emitter *e, scalar_id id) {
    struct scalar_value *v = &e->b->values.data[id - 1];
    v->element = e->about->labels;
    e->about->labels += 2;
    if (v->a)
        get_mask(e, v->a);
    leave_registers(e);
    if (v->a)
        jump_by(e, v->a, false, v->element + 1);
    release_ended(e);
    empty_registers(e);
    scalar_put_label(e, v->element);
}
static void loop_again(struct scalar_emitter *e, scalar_id id) {
    const struct scalar_value *v = scalar_val(e, id);
    const uint32_t label = scalar_val(e, (scalar_id)v->k)->element;
    get_mask(e, v->a);
    leave_registers(e);
    jump_by(e, v->a, true, label);
    release_ended(e);
    empty_registers(e);
    scalar_put_label(e, label + 1);
}

/* ---- all ---- */

/* What has no pattern of its own. */
static bool emit_frame(struct scalar_emitter *e, scalar_id id) {
    switch (scalar_val(e, id)->op) {
    case SCALAR_CALL:
        call_made(e, id);
        break;
    case SCALAR_ARGUMENT:
        argument(e, id);
        break;
    case SCALAR_RESULT:
        result(e, id);
        break;
    case SCALAR_BEGIN:
        loop_begin(e, id);
        break;
    case SCALAR_AGAIN:
        loop_again(e, id);
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
        call(e, id, p);
    else if (scalar_acts(v))
        store(e, id, p);
    else
        plain(e, id, p);
    return true;
}

/* What one select alone uses is computed behind its jump; a comparison is the jump itself.  What is
 * fetched may be put there before that. */
static bool can_be_tied(const struct scalar_emitter *e, scalar_id id) {
    const struct scalar_value *v = scalar_val(e, id);
    const struct scalar_pattern *p = scalar_pattern_of(e, id);
    return v->uses == 1 && v->op != SCALAR_FETCH && v->op != SCALAR_CELL && p && !p->routine &&
           !p->early && !p->temporaries && !scalar_has_label(p->text);
}
static void tie(struct scalar_emitter *e) {
    for (size_t i = 1; i <= e->b->values.len; i++) {
        struct scalar_value *v = &e->b->values.data[i - 1];
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
            op != SCALAR_REST && can_be_tied(e, v->b))
            e->b->values.data[v->b - 1].tied = true;
    }
}
static void place(struct scalar_emitter *e, scalar_id id) {
    const struct scalar_pattern *p = scalar_pattern_of(e, id);
    e->calls[e->count] = p && p->routine                        ? p->changes
                         : scalar_val(e, id)->op == SCALAR_CALL ? called_changes(e)
                                                                : 0;
    e->placed[id] = e->count;
    e->order[e->count++] = id;
    if (scalar_val(e, id)->op != SCALAR_DIVIDE)
        return;
    for (scalar_id rest = id + 1; rest <= e->b->values.len; rest++)
        if (scalar_val(e, rest)->op == SCALAR_REST && scalar_val(e, rest)->a == id &&
            scalar_val(e, rest)->uses) {
            e->placed[rest] = e->count;
            e->order[e->count++] = rest;
        }
}
static void note_use(struct scalar_emitter *e, scalar_id id, uint32_t at, bool writes) {
    struct scalar_life *life = &e->lives[id];
    if (writes)
        e->uses[life->end] = at;
    life->end++;
    e->last[id] = at;
}
/* What was there before a loop, and is used in it, is used in each lap. */
static void note_lap(struct scalar_emitter *e, uint32_t at, bool writes) {
    const uint32_t begin = e->placed[scalar_val(e, e->order[at])->k];
    for (scalar_id id = 1; id <= e->b->values.len; id++)
        if (e->placed[id] < begin && e->last[id] != SCALAR_NEVER && e->last[id] > begin &&
            e->last[id] != at)
            note_use(e, id, at, writes);
}
static void note_uses(struct scalar_emitter *e, bool writes) {
    for (scalar_id id = 1; id <= e->b->values.len; id++)
        e->last[id] = SCALAR_NEVER;
    for (uint32_t i = 0; i < e->count; i++) {
        struct leaves l = {.count = 0};
        gather(e, e->order[i], &l);
        for (unsigned k = 0; k < l.count; k++)
            note_use(e, l.ids[k], i, writes);
        if (scalar_val(e, e->order[i])->op == SCALAR_AGAIN)
            note_lap(e, i, writes);
    }
}
/* Order, uses by position, calls. */
static void plan(struct scalar_emitter *e) {
    size_t n = e->b->values.len;
    e->lives = xcalloc(n + 1, sizeof *e->lives);
    e->order = xcalloc(n + 1, sizeof *e->order);
    e->placed = xcalloc(2 * (n + 1), sizeof *e->placed);
    e->last = e->placed + n + 1;
    e->calls = xcalloc(n + 1, sizeof *e->calls);
    e->next_call = xcalloc(n + 1, sizeof *e->next_call);
    tie(e);
    for (scalar_id id = 1; id <= n; id++) {
        const struct scalar_value *v = scalar_val(e, id);
        e->lives[id].reg = SCALAR_NOWHERE;
        e->placed[id] = SCALAR_NEVER;
        if (scalar_is_live(v) && v->op != SCALAR_CONST && v->op != SCALAR_REST && !v->tied)
            place(e, id);
    }
    uint32_t call = SCALAR_NEVER, all = 0;
    for (uint32_t i = e->count; i-- > 0;)
        e->next_call[i] = call = e->calls[i] ? i : call;
    note_uses(e, false);
    for (scalar_id id = 1; id <= n; id++) {
        uint32_t of = e->lives[id].end;
        e->lives[id].first = e->lives[id].next = e->lives[id].end = all;
        all += of;
    }
    e->uses = xcalloc(all + 1, sizeof *e->uses);
    note_uses(e, true);
}

bool scalar_emit(const struct scalar_core *core, struct scalar_body *b,
                 const struct scalar_places *places, struct str *out, struct scalar_code *about,
                 scalar_id *wrong) {
    struct scalar_emitter e = {.core = core, .b = b, .places = places, .out = out, .about = about};
    bool fine = true;
    plan(&e);
    for (e.at = 0; e.at < e.count && fine; e.at++) {
        *wrong = e.order[e.at];
        e.source = scalar_val(&e, e.order[e.at])->source;
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

/* ---- routines from IR ---- */

static void put_frame(struct scalar_emitter *e, const char *text, uint32_t offset) {
    scalar_put_line(e, text, &(struct scalar_names){.o = offset});
}
/* Behind the way back lie its cells. */
static void cell_at(const void *context, uint32_t array, uint32_t element, const char **reg,
                    uint32_t *offset) {
    const struct scalar_emitter *e = context;
    (void)element;
    *reg = e->core->own;
    *offset = e->places->stack + 8 + 8 * array;
}
/* One that calls another keeps the way back. */
static bool emit_routine(const struct scalar_core *core, uint64_t routine, uint32_t stack,
                         struct str *out, struct scalar_code *about, uint32_t *bytes) {
    struct scalar_body b = {.from = 0};
    struct scalar_code code = {.labels = about->labels};
    struct str name = {0}, text = {0};
    const struct scalar_places frame = {.stack = stack};
    struct scalar_emitter e = {.core = core, .places = &frame, .out = out, .about = about};
    const uint32_t own = 8 + 8 * SCALAR_ROUTINE_CELLS;
    const struct scalar_places places = {
        .at = cell_at, .context = &e, .stack = stack + own, .registers = core->called_registers};
    scalar_id wrong = 0;
    scalar_routine_body(routine, &b);
    scalar_finish(&b);
    bool fine = scalar_emit(core, &b, &places, &text, &code, &wrong);
    scalar_routine_name(routine, &name);
    str_printf(out, "%s:\n", str_text(&name));
    if (code.routines.len)
        put_frame(&e, core->enter, stack);
    str_append(out, str_text(&text));
    if (code.routines.len)
        put_frame(&e, core->leave, stack);
    put_frame(&e, core->back, stack);
    about->labels = code.labels;
    for (size_t i = 0; i < code.routines.len; i++)
        add_routine(about, code.routines.data[i]);
    *bytes = own + code.stack > *bytes ? own + code.stack : *bytes;
    scalar_free(&b);
    scalar_code_free(&code);
    str_free(&name);
    str_free(&text);
    return fine;
}

bool scalar_emit_called(const struct scalar_core *core, uint32_t stack, struct str *out,
                        struct scalar_code *about, uint32_t *bytes) {
    bool fine = true;
    *bytes = 0;
    for (size_t i = 0; i < about->called.len && fine; i++)
        fine = emit_routine(core, about->called.data[i], stack, out, about, bytes);
    return fine;
}
