/* SPDX-License-Identifier: MIT
 * Stretches of ensembles.  They are collected by walking the top level up to the next fence, as no
 * ensemble can influence it before that, and then carried out in an order drawn at random. */
#include "emu/control/state.h"
#include "support/alloc.h"
#include "support/bits.h"

#include <stdlib.h>

static uint32_t behind_headers(const struct control *control, uint32_t pc) {
    bool compute = control->text.insns[pc].op != OP_MOVE;
    while (pc < control->text.len && (compute ? control->text.insns[pc].op == OP_COMPUTE ||
                                                    control->text.insns[pc].op == OP_COMPUTEG
                                              : control->text.insns[pc].op == OP_MOVE))
        pc++;
    return pc;
}

/* The ensemble at the pc; false if there is none that may be part of a stretch.  *end: behind it.
 */
static bool ensemble_at(struct control *control, struct order_item *it, uint32_t *end) {
    const struct insn *x = &control->text.insns[control->top.pc];
    *it = (struct order_item){.pc = control->top.pc,
                              .body = control->top.pc,
                              .base = control->top.base + control->top.depth,
                              .region = control->region};
    *end = control->top.pc + 1;
    switch (x->op) {
    case OP_GMOVE:
        it->kind = ORDER_MOVE;
        it->frame = control->top.frames[control->top.depth];
        return control_gmove_is_own(control);
    case OP_COMPUTE:
    case OP_COMPUTEG:
    case OP_MOVE:
        it->kind = x->op == OP_MOVE ? ORDER_TRANSFER : ORDER_COMPUTE;
        it->body = behind_headers(control, control->top.pc);
        *end = object_text_footer(&control->text, it->body,
                                  x->op == OP_MOVE ? OP_MOVE_DONE : OP_COMPUTE_DONE) +
               1;
        return *end <= control->text.len;
    default:
        return false;
    }
}

/* Control flow of the top level and MARK; false at a fence, and at what is an error. */
static bool pass(struct control *control, const struct insn *insn) {
    uint32_t pc = control->top.pc;
    const char *why = NULL;
    if (insn->op == OP_MARK) {
        control->region = control_account_region(control, (uint32_t)insn->imm);
        control_account_top(control, control->top.pc++);
        return true;
    }
    if (!control_flow_step(&control->top, &control->text, insn, &why) || why)
        return false;
    uint32_t next = control->top.pc;
    control->top.pc = pc;
    control_account_top(control, pc);
    control->top.pc = next;
    return true;
}

/* False when the program stopped. */
static bool collect(struct control *control) {
    struct ensemble_order *o = &control->order;
    vec_clear(&o->now);
    while (o->now.len < ORDER_MOST_ENSEMBLES && control->top.pc < control->text.len) {
        struct order_item it;
        uint32_t end;
        if (!control_may_go_on(control, control->top.pc))
            return false;
        if (ensemble_at(control, &it, &end)) {
            vec_push(&o->now, it);
            control->top.pc = end;
        } else if (control->ended.how != CONTROL_DONE ||
                   !pass(control, &control->text.insns[control->top.pc])) {
            break;
        }
    }
    return control->ended.how == CONTROL_DONE;
}

/* Compute ensembles anyhow, the others in program order among themselves. */
static void draw_sequence(struct ensemble_order *order) {
    uint32_t n = (uint32_t)order->now.len, next = 0;
    for (uint32_t i = 0; i < n; i++)
        order->sequence[i] = i;
    for (uint32_t i = n; !order->in_order && i > 1; i--) {
        uint32_t k = (uint32_t)(splitmix64(&order->random) % i), held = order->sequence[i - 1];
        order->sequence[i - 1] = order->sequence[k];
        order->sequence[k] = held;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (order->now.data[order->sequence[i]].kind == ORDER_COMPUTE)
            continue;
        while (order->now.data[next].kind == ORDER_COMPUTE)
            next++;
        order->sequence[i] = next++;
    }
}

/* At the place in the flow where the stretch came to it. */
static bool carry_out(struct control *control, struct order_item *it) {
    struct flow stretch = control->top;
    control_flow_begin(&control->top, it->pc, it->base);
    control->top.frames[0] = it->frame;
    control->region = it->region;
    bool fine = it->kind == ORDER_COMPUTE    ? control_compute_ensemble(control)
                : it->kind == ORDER_TRANSFER ? control_transfer_ensemble(control)
                                             : control_gmove_step(control);
    it->region_after = control->region;
    control_flow_free(&control->top);
    control->top = stretch;
    return fine;
}

/* JUMP_ANY asks for A of the ensemble that comes last in the program. */
static void keep_flags(struct control *control, struct control_flag *to,
                       const struct control_flag *from) {
    for (uint32_t i = 0; i < control->now->count; i++)
        to[control->now->mpus[i]] = from[control->now->mpus[i]];
}

static uint32_t last_compute(const struct ensemble_order *order) {
    uint32_t i = (uint32_t)order->now.len;
    while (i-- > 0)
        if (order->now.data[i].kind == ORDER_COMPUTE)
            return i;
    return NO_INDEX;
}

static void note_order(struct control *control) {
    struct control_note note = {NO_INDEX, NULL};
    note.text = arena_printf(&control->arena,
                             "ensembles are carried out in an order that the paper allows, not in "
                             "the program's (control.order is paper, control.order_seed %llu)",
                             (unsigned long long)control->target->order_seed);
    if (!control->order.in_order)
        vec_push(&control->notes, note);
}

bool control_order_begins(struct control *control) {
    struct order_item it;
    uint32_t end;
    return control->order.paper && ensemble_at(control, &it, &end);
}

bool control_order_stretch(struct control *control) {
    struct ensemble_order *o = &control->order;
    if (!collect(control))
        return false;
    uint32_t region = control->region, last = last_compute(o);
    draw_sequence(o);
    for (size_t i = 0; i < o->now.len; i++) {
        if (!carry_out(control, &o->now.data[o->sequence[i]])) {
            note_order(control);
            return false;
        }
        if (o->sequence[i] == last)
            keep_flags(control, o->flags, control->streams.a);
    }
    if (last != NO_INDEX)
        keep_flags(control, control->streams.a, o->flags);
    const struct order_item *end = &vec_last(&o->now);
    control->region = end->region == region ? end->region_after : region;
    o->carried_out = true;
    return true;
}
