/* SPDX-License-Identifier: MIT
 * compact (array/compact.h), and what only the elements below a length do. */
#include "ezpim/array/compact.h"
#include "ezpim/ez/lower_top.h"

static const struct lane_type bit = {TYPE_BOOL, 1};

/* ---- parts that others use, too ---- */

static uint32_t put_new(struct lowering *lowering, enum ir_op op, struct lane_type type,
                        uint32_t left, uint32_t right, struct span at) {
    struct ir_insn i = {.op = (uint8_t)op, .type = type};
    uint32_t v = ir_vreg(lowering->b.code, ir_result_type(&i), NULL, at);
    ez_lower_operation(lowering, op, type, v, left, right, 0, at);
    return v;
}

uint32_t ez_lower_not(struct lowering *lowering, uint32_t a, struct span at) {
    return put_new(lowering, IR_NOT, bit, a, IR_NONE, at);
}

uint32_t ez_lower_and(struct lowering *lowering, uint32_t left, uint32_t right, struct span at) {
    return put_new(lowering, IR_AND, bit, left, right, at);
}

uint32_t ez_lower_in_front(struct lowering *lowering, const struct ez_front *front,
                           struct span at) {
    uint32_t all = IR_NONE;
    for (uint32_t i = 0; i < front->count; i++) {
        struct lane_type type = front->lengths[i]->type.type;
        uint32_t in =
            put_new(lowering, IR_LT, type, ez_lower_place_in_group(lowering, type, IR_NONE, at),
                    ez_lower_element(lowering, front->lengths[i], 0), at);
        all = all == IR_NONE ? in : ez_lower_and(lowering, all, in, at);
    }
    return all;
}

uint32_t ez_lower_enter_front(struct lowering *lowering, const struct ez_front *front,
                              struct span at) {
    if (!front->count)
        return IR_NONE;
    uint32_t in = ez_lower_in_front(lowering, front, at),
             region = ir_open(lowering->b.code, IR_BLOCK, IR_NONE, at);
    ir_mark(lowering->b.code, IR_TEST, region, in, at);
    return region;
}

void ez_lower_leave_front(struct lowering *lowering, uint32_t region, struct span at) {
    if (region != IR_NONE)
        ir_mark(lowering->b.code, IR_END, region, IR_NONE, at);
}

static void put_extent(struct lowering *lowering, struct lane_type type, struct extent extent,
                       uint32_t dst, struct span at) {
    if (extent.size == NO_INDEX)
        ez_lower_constant(lowering, type, extent.value, dst, at);
    else
        ez_lower_size(lowering, type, extent.size, dst, at);
}

/* ---- lengths ---- */

static void start_length(struct lowering *lowering, const struct ez_symbol *symbol) {
    struct extent x = ez_group_extent(lowering->u, symbol->var.group, 0);
    for (size_t g = 0; g < lowering->u->groups.items.len; g++) {
        ez_lower_begin_ensemble(lowering, lowering->u->groups.items.data[g], symbol->name.at);
        put_extent(lowering, symbol->var.length->type.type, x,
                   ez_lower_element(lowering, symbol->var.length, 0), symbol->name.at);
    }
}

void ez_lower_late_lengths(struct lowering *lowering) {
    for (size_t i = 0; i < lowering->u->variables.items.len; i++) {
        const struct ez_symbol *v = lowering->u->variables.items.data[i];
        if (v->var.length && v->var.length->var.late_length && !v->var.counted_by)
            start_length(lowering, v);
    }
}

/* ---- compact ---- */

/* Every element knows whether it is chosen, and has its value where it will be moved from.  The
 * question comes first: it may be about what the variable held. */
static void begin(struct lowering *lowering, const struct ez_compact *compact, uint32_t chosen,
                  struct span at) {
    struct lane_type type = compact->to->type.type;
    ez_lower_as(lowering, compact->where, bit, chosen);
    if (compact->front.count)
        ez_lower_operation(lowering, IR_AND, bit, chosen, chosen,
                           ez_lower_in_front(lowering, &compact->front, at), 0, at);
    if (compact->value)
        ez_lower_as(lowering, compact->value, type, ez_lower_element(lowering, compact->to, 0));
    for (uint32_t k = 0; compact->from && compact->from != compact->to && k < compact->to->count;
         k++)
        ez_lower_operation(lowering, IR_COPY, type, ez_lower_element(lowering, compact->to, k),
                           ez_lower_element(lowering, compact->from, k), IR_NONE, 0, at);
}

void ez_lower_compact(struct lowering *lowering, const struct stmt *stmt) {
    const struct ez_compact *x = stmt->compact;
    struct array_compact c = {.group = x->group->index,
                              .count = x->count,
                              .room = 2 * lowering->options.folded,
                              .values = x->to->var.number,
                              .length = x->to->var.length->var.number};
    array_compact_begin(&lowering->b, &c);
    ez_lower_begin_ensemble(lowering, x->group, stmt->at);
    begin(lowering, x, array_compact_chosen(&lowering->b, &c), stmt->at);
    array_compact_run(&lowering->b, &c, stmt->at);
}
