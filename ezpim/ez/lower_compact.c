/* SPDX-License-Identifier: MIT
 * compact (array/compact.h), and what only the elements below a length do. */
#include "ezpim/array/compact.h"
#include "ezpim/ez/lower_top.h"

static const struct mpu_type bit = {TYPE_BOOL, 1};

/* ---- parts that others use, too ---- */

static uint32_t put_new(struct lowering *l, enum ir_op op, struct mpu_type type, uint32_t a,
                        uint32_t b, struct span at) {
    struct ir_insn i = {.op = (uint8_t)op, .type = type};
    uint32_t v = ir_vreg(l->b.code, ir_result_type(&i), NULL, at);
    lower_operation(l, op, type, v, a, b, 0, at);
    return v;
}

uint32_t lower_not(struct lowering *l, uint32_t a, struct span at) {
    return put_new(l, IR_NOT, bit, a, IR_NONE, at);
}

uint32_t lower_and(struct lowering *l, uint32_t a, uint32_t b, struct span at) {
    return put_new(l, IR_AND, bit, a, b, at);
}

uint32_t lower_in_front(struct lowering *l, const struct ez_front *f, struct span at) {
    uint32_t all = IR_NONE;
    for (uint32_t i = 0; i < f->count; i++) {
        struct mpu_type type = f->lengths[i]->type.type;
        uint32_t in = put_new(l, IR_LT, type, lower_place_in_group(l, type, IR_NONE, at),
                              lower_element(l, f->lengths[i], 0), at);
        all = all == IR_NONE ? in : lower_and(l, all, in, at);
    }
    return all;
}

uint32_t lower_enter_front(struct lowering *l, const struct ez_front *f, struct span at) {
    if (!f->count)
        return IR_NONE;
    uint32_t in = lower_in_front(l, f, at), region = ir_open(l->b.code, IR_BLOCK, IR_NONE, at);
    ir_mark(l->b.code, IR_TEST, region, in, at);
    return region;
}

void lower_leave_front(struct lowering *l, uint32_t region, struct span at) {
    if (region != IR_NONE)
        ir_mark(l->b.code, IR_END, region, IR_NONE, at);
}

static void put_extent(struct lowering *l, struct mpu_type type, struct extent x, uint32_t dst,
                       struct span at) {
    if (x.size == NO_INDEX)
        lower_constant(l, type, x.value, dst, at);
    else
        lower_size(l, type, x.size, dst, at);
}

/* ---- lengths ---- */

static void start_length(struct lowering *l, const struct ez_symbol *v) {
    struct extent x = ez_group_extent(l->u, v->var.group, 0);
    for (size_t g = 0; g < l->u->groups.items.len; g++) {
        lower_begin_ensemble(l, l->u->groups.items.data[g], v->name.at);
        put_extent(l, v->var.length->type.type, x, lower_element(l, v->var.length, 0), v->name.at);
    }
}

void lower_late_lengths(struct lowering *l) {
    for (size_t i = 0; i < l->u->variables.items.len; i++) {
        const struct ez_symbol *v = l->u->variables.items.data[i];
        if (v->var.length && v->var.length->var.late_length)
            start_length(l, v);
    }
}

/* ---- compact ---- */

/* Every element knows whether it is chosen, and has its value where it will be moved from.  The
 * question comes first: it may be about what the variable held. */
static void begin(struct lowering *l, const struct ez_compact *x, uint32_t chosen, struct span at) {
    struct mpu_type type = x->to->type.type;
    lower_as(l, x->where, bit, chosen);
    if (x->front.count)
        lower_operation(l, IR_AND, bit, chosen, chosen, lower_in_front(l, &x->front, at), 0, at);
    if (x->value)
        lower_as(l, x->value, type, lower_element(l, x->to, 0));
    for (uint32_t k = 0; x->from && x->from != x->to && k < x->to->count; k++)
        lower_operation(l, IR_COPY, type, lower_element(l, x->to, k), lower_element(l, x->from, k),
                        IR_NONE, 0, at);
}

void lower_compact(struct lowering *l, const struct stmt *s) {
    const struct ez_compact *x = s->compact;
    struct array_compact c = {.group = x->group->index,
                              .count = x->count,
                              .room = 2 * l->options.folded,
                              .values = x->to->var.number,
                              .length = x->to->var.length->var.number};
    array_compact_begin(&l->b, &c);
    lower_begin_ensemble(l, x->group, s->at);
    begin(l, x, array_compact_chosen(&l->b, &c), s->at);
    array_compact_run(&l->b, &c, s->at);
}
