/* SPDX-License-Identifier: MIT
 * Stretches of ensembles: collected by walking the top level, which no ensemble can influence
 * before the next fence, then carried out in an order drawn at random. */
#include "emu/control/state.h"
#include "support/alloc.h"
#include "support/bits.h"

#include <stdlib.h>

static uint32_t behind_headers(const struct control *c, uint32_t pc) {
    bool compute = c->text.insns[pc].op != OP_MOVE;
    while (pc < c->text.len &&
           (compute ? c->text.insns[pc].op == OP_COMPUTE || c->text.insns[pc].op == OP_COMPUTEG
                    : c->text.insns[pc].op == OP_MOVE))
        pc++;
    return pc;
}

/* The ensemble at the pc; false if there is none that may be part of a stretch.  *end: behind it.
 */
static bool ensemble_at(struct control *c, struct order_item *it, uint32_t *end) {
    const struct insn *x = &c->text.insns[c->top.pc];
    *it = (struct order_item){.pc = c->top.pc,
                              .body = c->top.pc,
                              .base = c->top.base + c->top.depth,
                              .region = c->region};
    *end = c->top.pc + 1;
    switch (x->op) {
    case OP_GMOVE:
        it->kind = ORDER_MOVE;
        it->frame = c->top.frames[c->top.depth];
        return control_gmove_is_own(c);
    case OP_COMPUTE:
    case OP_COMPUTEG:
    case OP_MOVE:
        it->kind = x->op == OP_MOVE ? ORDER_TRANSFER : ORDER_COMPUTE;
        it->body = behind_headers(c, c->top.pc);
        *end = object_text_footer(&c->text, it->body,
                                  x->op == OP_MOVE ? OP_MOVE_DONE : OP_COMPUTE_DONE) +
               1;
        return *end <= c->text.len;
    default:
        return false;
    }
}

/* Control flow of the top level and MARK; false at a fence, and at what is an error. */
static bool pass(struct control *c, const struct insn *x) {
    uint32_t pc = c->top.pc;
    const char *why = NULL;
    if (x->op == OP_MARK) {
        c->region = control_account_region(c, (uint32_t)x->imm);
        control_account_top(c, c->top.pc++);
        return true;
    }
    if (!control_flow_step(&c->top, &c->text, x, &why) || why)
        return false;
    uint32_t next = c->top.pc;
    c->top.pc = pc;
    control_account_top(c, pc);
    c->top.pc = next;
    return true;
}

/* False when the program stopped. */
static bool collect(struct control *c) {
    struct ensemble_order *o = &c->order;
    vec_clear(&o->now);
    while (o->now.len < ORDER_MOST_ENSEMBLES && c->top.pc < c->text.len) {
        struct order_item it;
        uint32_t end;
        if (!control_may_go_on(c, c->top.pc))
            return false;
        if (ensemble_at(c, &it, &end)) {
            vec_push(&o->now, it);
            c->top.pc = end;
        } else if (c->end != CONTROL_DONE || !pass(c, &c->text.insns[c->top.pc])) {
            break;
        }
    }
    return c->end == CONTROL_DONE;
}

/* Compute ensembles anyhow, the others in program order among themselves. */
static void draw_sequence(struct ensemble_order *o) {
    uint32_t n = (uint32_t)o->now.len, next = 0;
    for (uint32_t i = 0; i < n; i++)
        o->sequence[i] = i;
    for (uint32_t i = n; !o->in_order && i > 1; i--) {
        uint32_t k = (uint32_t)(splitmix64(&o->random) % i), held = o->sequence[i - 1];
        o->sequence[i - 1] = o->sequence[k];
        o->sequence[k] = held;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (o->now.data[o->sequence[i]].kind == ORDER_COMPUTE)
            continue;
        while (o->now.data[next].kind == ORDER_COMPUTE)
            next++;
        o->sequence[i] = next++;
    }
}

/* At the place in the flow where the stretch came to it. */
static bool carry_out(struct control *c, struct order_item *it) {
    struct flow stretch = c->top;
    control_flow_begin(&c->top, it->pc, it->base);
    c->top.frames[0] = it->frame;
    c->region = it->region;
    bool fine = it->kind == ORDER_COMPUTE    ? control_compute_ensemble(c)
                : it->kind == ORDER_TRANSFER ? control_transfer_ensemble(c)
                                             : control_gmove_step(c);
    it->region_after = c->region;
    control_flow_free(&c->top);
    c->top = stretch;
    return fine;
}

/* JUMP_ANY asks for A of the ensemble that comes last in the program. */
static void keep_flags(struct control *c, uint8_t *to, const uint8_t *from) {
    for (uint32_t i = 0; i < c->now->count; i++)
        to[c->now->mpus[i]] = from[c->now->mpus[i]];
}

static uint32_t last_compute(const struct ensemble_order *o) {
    uint32_t i = (uint32_t)o->now.len;
    while (i-- > 0)
        if (o->now.data[i].kind == ORDER_COMPUTE)
            return i;
    return NO_INDEX;
}

static void note_order(struct control *c) {
    struct control_note note = {NO_INDEX, NULL};
    note.text = arena_printf(&c->arena,
                             "ensembles are carried out in an order that the paper allows, not in "
                             "the program's (control.order is paper, control.order_seed %llu)",
                             (unsigned long long)c->target->order_seed);
    if (!c->order.in_order)
        vec_push(&c->notes, note);
}

bool control_order_begins(struct control *c) {
    struct order_item it;
    uint32_t end;
    return c->order.paper && ensemble_at(c, &it, &end);
}

bool control_order_stretch(struct control *c) {
    struct ensemble_order *o = &c->order;
    if (!collect(c))
        return false;
    uint32_t region = c->region, last = last_compute(o);
    draw_sequence(o);
    for (size_t i = 0; i < o->now.len; i++) {
        if (!carry_out(c, &o->now.data[o->sequence[i]])) {
            note_order(c);
            return false;
        }
        if (o->sequence[i] == last)
            keep_flags(c, o->flags, c->flag_a);
    }
    if (last != NO_INDEX)
        keep_flags(c, c->flag_a, o->flags);
    const struct order_item *end = &vec_last(&o->now);
    c->region = end->region == region ? end->region_after : region;
    o->carried_out = true;
    return true;
}
