/* SPDX-License-Identifier: MIT
 * compact.  The inclusive prefix sum of the chosen elements gives each of them its place, and so
 * how far it has to go towards the front.  They go by 1, 2, 4 ... as the bits of that distance say,
 * the lowest first.  No two ever meet: of two chosen elements the one behind has at least as far to
 * go, but at most so much farther as there are others between them; the same holds for what is left
 * of both ways above any bit.  An element that leaves its place has no way left there. */
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

/* if (any(n > distance)) { the round; the next ones } */
static void rounds_of_size(struct lowering *l, const struct ez_symbol *group, round_lowering *round,
                           const void *what, uint64_t distance, struct span at) {
    struct extent x = ez_group_extent(l->u, group, 0);
    uint64_t most = ez_most_in_extent(l->u, x);
    struct mpu_type type = ez_type_up_to(most, EZ_SIZE_BITS);
    if (distance >= (most ? most : OBJECT_MAX_EXTENT))
        return;
    struct ir_node *n = lower_node(l, IR_NODE_IF, at), *first = NULL, **outer = l->b.end;
    lower_begin_code(l, n, group);
    uint32_t size = lower_size(l, type, x.size, IR_NONE, at);
    uint32_t more =
        put_new(l, IR_GT, type, size, lower_constant(l, type, distance, IR_NONE, at), at);
    lower_operation(l, IR_ENABLE, bit, IR_NONE, more, IR_NONE, 0, at);
    l->b.end = &first;
    round(l, what, distance, at);
    rounds_of_size(l, group, round, what, 2 * distance, at);
    n->body = first;
    l->b.end = outer;
}

void lower_rounds(struct lowering *l, const struct ez_symbol *group, round_lowering *round,
                  const void *what, struct span at) {
    struct extent x = ez_group_extent(l->u, group, 0);
    if (x.size != NO_INDEX)
        rounds_of_size(l, group, round, what, 1, at);
    for (uint64_t distance = 1; x.size == NO_INDEX && distance < x.value; distance *= 2)
        round(l, what, distance, at);
}

/* ---- lengths ---- */

static void start_length(struct lowering *l, const struct ez_symbol *v) {
    struct extent x = ez_group_extent(l->u, v->group, 0);
    for (size_t g = 0; g < l->u->groups.items.len; g++) {
        lower_begin_ensemble(l, l->u->groups.items.data[g], v->name.at);
        put_extent(l, v->length->type.type, x, lower_element(l, v->length, 0), v->name.at);
    }
}

void lower_late_lengths(struct lowering *l) {
    for (size_t i = 0; i < l->u->variables.items.len; i++) {
        const struct ez_symbol *v = l->u->variables.items.data[i];
        if (v->length && v->length->late_length)
            start_length(l, v);
    }
}

/* ---- compact ---- */

/* Uses of hidden variables, beside those of reductions. */
enum { USE_CHOSEN = 32, USE_VALUES };

/* A `compact` and its hidden variables. */
struct work {
    const struct ez_compact *x;
    struct lower_scan places; /* the count, and later the way that is left */
    uint32_t chosen;          /* 1 or 0 */
    uint32_t other;           /* values that come */
};

static struct work work_of(struct lowering *l, const struct ez_compact *x) {
    uint32_t group = x->group->index;
    struct work w = {.x = x, .places = lower_scan_of(l, x->group, x->count)};
    w.chosen = ir_hidden(&l->b, group, bit, 1, USE_CHOSEN);
    w.other = ir_hidden(&l->b, group, x->to->type.type, x->to->count, USE_VALUES);
    return w;
}

static uint32_t way(struct lowering *l, const struct work *w) {
    return ir_element(&l->b, w->places.own, 0);
}

static void copy(struct lowering *l, struct mpu_type type, uint32_t dst, uint32_t a,
                 struct span at) {
    lower_operation(l, IR_COPY, type, dst, a, IR_NONE, 0, at);
}

/* Every element knows whether it is chosen, and has its value where it will be moved from.  The
 * question comes first: it may be about what the variable held. */
static void begin(struct lowering *l, const struct work *w, struct span at) {
    const struct ez_compact *x = w->x;
    struct mpu_type count = x->count;
    uint32_t chosen = ir_element(&l->b, w->chosen, 0);
    lower_as(l, x->where, bit, chosen);
    if (x->front.count)
        lower_operation(l, IR_AND, bit, chosen, chosen, lower_in_front(l, &x->front, at), 0, at);
    lower_operation(l, IR_WIDEN, count, way(l, w), chosen, IR_NONE, 0, at);
    vec_last(&l->b.code->insns).from = bit;
    if (x->value)
        lower_as(l, x->value, x->to->type.type, lower_element(l, x->to, 0));
    for (uint32_t k = 0; x->from && x->from != x->to && k < x->to->count; k++)
        copy(l, x->to->type.type, lower_element(l, x->to, k), lower_element(l, x->from, k), at);
}

/* The last element's count is for all lanes of all groups. */
static void give_length(struct lowering *l, const struct work *w, struct span at) {
    struct extent n = ez_group_extent(l->u, w->x->group, 0);
    struct ir_move m = ir_plain_move(l->b.p, w->x->to->length->number, w->places.own);
    m.record.source[0] = (struct move_affine){.size = n.size};
    m.record.source[0].offset = n.size == NO_INDEX ? (int64_t)n.value - 1 : -1;
    m.record.source[0].size_coeff = n.size != NO_INDEX;
    ir_put_move(&l->b, &m, at);
}

/* The way of a chosen element: its number less those chosen in front of it; of others: none. */
static void find_ways(struct lowering *l, const struct work *w, struct span at) {
    struct mpu_type type = w->x->count;
    uint32_t none = lower_constant(l, type, 0, IR_NONE, at);
    uint32_t one = lower_constant(l, type, 1, IR_NONE, at);
    uint32_t before = put_new(l, IR_SUB, type, way(l, w), one, at);
    uint32_t v = put_new(l, IR_SUB, type, lower_place_in_group(l, type, IR_NONE, at), before, at);
    lower_operation(l, IR_SELECT, type, way(l, w), ir_element(&l->b, w->chosen, 0), v, 0, at);
    vec_last(&l->b.code->insns).c = none;
}

/* Elements get what `from` has `distance` behind them. */
static void fetch(struct lowering *l, uint32_t to, uint32_t from, uint64_t distance,
                  struct span at) {
    struct ir_move m = ir_plain_move(l->b.p, to, from);
    m.record.source[0].offset = (int64_t)distance;
    m.record.outside = MOVE_FILL;
    ir_put_move(&l->b, &m, at);
}

/* Whether the way v has a part of `distance`, a power of two. */
static uint32_t has_part(struct lowering *l, uint32_t v, struct mpu_type type, uint64_t distance,
                         struct span at) {
    uint32_t low = v;
    if (distance > 1) {
        low = ir_vreg(l->b.code, type, NULL, at);
        lower_operation(l, IR_SHR, type, low, v, IR_NONE, (uint64_t)__builtin_ctzll(distance), at);
    }
    return put_new(l, IR_COPY, bit, low, IR_NONE, at);
}

static void compact_round(struct lowering *l, const void *what, uint64_t distance, struct span at) {
    const struct work *w = what;
    const struct ez_compact *x = w->x;
    struct mpu_type type = x->count;
    fetch(l, w->places.other, w->places.own, distance, at);
    fetch(l, w->other, x->to->number, distance, at);
    lower_begin_ensemble(l, x->group, at);
    uint32_t coming = ir_element(&l->b, w->places.other, 0), own = way(l, w);
    uint32_t comes = has_part(l, coming, type, distance, at);
    uint32_t leaves = has_part(l, own, type, distance, at);
    uint32_t none = lower_constant(l, type, 0, IR_NONE, at);
    lower_operation(l, IR_SELECT, type, own, leaves, none, 0, at);
    vec_last(&l->b.code->insns).c = own;
    lower_operation(l, IR_SELECT, type, own, comes, coming, 0, at);
    vec_last(&l->b.code->insns).c = own;
    for (uint32_t k = 0; k < x->to->count; k++) {
        uint32_t v = lower_element(l, x->to, k);
        lower_operation(l, IR_SELECT, x->to->type.type, v, comes, ir_element(&l->b, w->other, k), 0,
                        at);
        vec_last(&l->b.code->insns).c = v;
    }
}

/* Behind the chosen elements there is 0. */
static void clear_rest(struct lowering *l, const struct ez_compact *x, struct span at) {
    const struct ez_front front = {(struct ez_symbol *[]){x->to->length}, 1};
    struct mpu_type type = x->to->type.type;
    uint32_t in = lower_in_front(l, &front, at), none = lower_constant(l, type, 0, IR_NONE, at);
    for (uint32_t k = 0; k < x->to->count; k++) {
        uint32_t v = lower_element(l, x->to, k);
        lower_operation(l, IR_SELECT, type, v, in, v, 0, at);
        vec_last(&l->b.code->insns).c = none;
    }
}

void lower_compact(struct lowering *l, const struct stmt *s) {
    const struct ez_compact *x = s->compact;
    struct work w = work_of(l, x);
    lower_begin_ensemble(l, x->group, s->at);
    begin(l, &w, s->at);
    lower_prefix_sums(l, &w.places, s->at);
    give_length(l, &w, s->at);
    lower_begin_ensemble(l, x->group, s->at);
    find_ways(l, &w, s->at);
    lower_rounds(l, x->group, compact_round, &w, s->at);
    lower_begin_ensemble(l, x->group, s->at);
    clear_rest(l, x, s->at);
}
