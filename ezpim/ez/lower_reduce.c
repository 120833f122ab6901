/* SPDX-License-Identifier: MIT
 * Reductions: one dimension after the other is folded, the last one first.  Along a dimension of
 * known extent m, element i takes in element i + ceil(m / 2): ceil(log2 m) moves.  Along a size,
 * element i becomes what elements 2i and 2i + 1 make together, as often as it takes: the text is
 * the same for every size.  Prefix sums take in what lies 1, 2, 4 ... elements before. */
#include "ezpim/array/fold.h"
#include "ezpim/ez/lower_top.h"
#include "support/bits.h"

static void put(struct lowering *l, enum ir_op op, struct mpu_type type, uint32_t dst, uint32_t a,
                uint32_t b, uint32_t c, uint64_t imm, struct span at) {
    struct ir_insn i = {
        .op = (uint8_t)op, .type = type, .dst = dst, .a = a, .b = b, .c = c, .imm = imm, .at = at};
    lower_put(l, i);
}

static uint32_t put_new(struct lowering *l, enum ir_op op, struct mpu_type type, uint32_t a,
                        uint32_t b, struct span at) {
    struct ir_insn i = {.op = (uint8_t)op, .type = type};
    uint32_t v = ir_vreg(l->b.code, ir_result_type(&i), NULL, at);
    put(l, op, type, v, a, b, IR_NONE, 0, at);
    return v;
}

uint64_t lower_identity(enum reduction_kind kind, struct mpu_type type) {
    uint64_t ones = low_bits(type.bits), top = (uint64_t)1 << (type.bits - 1);
    bool with_sign = type.kind == TYPE_INT;
    switch (kind) {
    case REDUCE_MIN:
    case REDUCE_ARGMIN:
        return with_sign ? ones ^ top : ones;
    case REDUCE_MAX:
    case REDUCE_ARGMAX:
        return with_sign ? top : 0;
    case REDUCE_AND:
    case REDUCE_ALL:
        return ones;
    default:
        return 0;
    }
}

static uint64_t identity(const struct ez_reduction *r) {
    return lower_identity(r->kind, r->type);
}

enum ir_op lower_reduction_op(enum reduction_kind kind) {
    switch (kind) {
    case REDUCE_MIN:
        return IR_MIN;
    case REDUCE_MAX:
        return IR_MAX;
    case REDUCE_AND:
    case REDUCE_ALL:
        return IR_AND;
    case REDUCE_OR:
    case REDUCE_ANY:
        return IR_OR;
    case REDUCE_XOR:
        return IR_XOR;
    default:
        return IR_ADD;
    }
}

static bool with_index(const struct ez_reduction *r) {
    return r->kind == REDUCE_ARGMIN || r->kind == REDUCE_ARGMAX;
}

/* The reduction behind r that is folded with it, or NULL. */
static const struct ez_reduction *with(const struct lowering *l, const struct ez_reduction *r) {
    return ez_fold_next(l->u, r);
}

static uint32_t slot_of(const struct lowering *l, const struct ez_reduction *r) {
    uint32_t slot = 0;
    for (const struct ez_reduction *k = ez_fold_first(l->u, r); k && k != r; k = with(l, k))
        slot += k->own[0] == r->own[0];
    return slot;
}

static uint32_t own(struct lowering *l, const struct ez_reduction *r) {
    return lower_element(l, r->own[0], slot_of(l, r));
}

static uint32_t other(struct lowering *l, const struct ez_reduction *r) {
    return lower_element(l, r->other[0], slot_of(l, r));
}

/* What stands for the index of an element that takes no part: more than any, or the last one's,
 * which nothing is behind. */
static uint64_t no_index(const struct ez_reduction *r) {
    return low_bits(r->own[1]->type.type.bits);
}

/* Indices are compared without a sign. */
static struct mpu_type index_type(const struct ez_reduction *r) {
    return (struct mpu_type){TYPE_UINT, r->own[1]->type.type.bits};
}

static void reset_others(struct lowering *l, const struct ez_reduction *r, struct span at) {
    for (; r; r = with(l, r)) {
        lower_constant(l, r->type, identity(r), other(l, r), at);
        if (with_index(r))
            lower_constant(l, index_type(r), no_index(r), lower_element(l, r->other[1], 0), at);
    }
}

static void begin(struct lowering *l, const struct ez_reduction *r, struct span at) {
    lower_begin_ensemble(l, r->group, at);
}

/* The value of an element, which has fewer bits than its type where that is known. */
static void put_value(struct lowering *l, const struct ez_reduction *r, struct span at) {
    struct mpu_type type = r->value->type.type;
    if (type.bits <= r->type.bits)
        lower_as(l, r->value, r->type, own(l, r));
    else
        put(l, IR_COPY, r->type, own(l, r), lower_as(l, r->value, type, IR_NONE), IR_NONE, IR_NONE,
            0, at);
}

/* What an element has of its own; elements that take no part have what changes nothing. */
static void put_own(struct lowering *l, const struct ez_reduction *r, struct span at) {
    uint32_t region = IR_NONE;
    if (r->front.count) {
        lower_constant(l, r->type, identity(r), own(l, r), at);
        if (with_index(r))
            lower_constant(l, index_type(r), no_index(r), lower_element(l, r->own[1], 0), at);
        region = lower_enter_front(l, &r->front, at);
    }
    put_value(l, r, at);
    if (with_index(r))
        lower_place_in_group(l, index_type(r), lower_element(l, r->own[1], 0), at);
    lower_leave_front(l, region, at);
}

/* Every element has its own value. */
static void lower_first(struct lowering *l, const struct ez_reduction *r, struct span at) {
    begin(l, r, at);
    for (const struct ez_reduction *k = r; k; k = with(l, k))
        put_own(l, k, at);
    uint32_t last = ez_group_dims(l->u, r->group) - 1;
    if (ez_group_extent(l->u, r->group, last).size == NO_INDEX)
        reset_others(l, r, at); /* along a size the moves fill them */
}

/* The better value wins, of equals the one with the lower index. */
static void take_in_indexed(struct lowering *l, const struct ez_reduction *r, struct span at) {
    struct mpu_type type = r->type, index = index_type(r), bit = {TYPE_BOOL, 1};
    uint32_t a = own(l, r), b = other(l, r);
    uint32_t i = lower_element(l, r->own[1], 0), k = lower_element(l, r->other[1], 0);
    uint32_t better = put_new(l, r->kind == REDUCE_ARGMIN ? IR_LT : IR_GT, type, b, a, at);
    uint32_t equal = put_new(l, IR_EQ, type, b, a, at);
    uint32_t earlier = put_new(l, IR_LT, index, k, i, at);
    uint32_t wins = put_new(l, IR_OR, bit, better, put_new(l, IR_AND, bit, equal, earlier, at), at);
    put(l, IR_SELECT, type, a, wins, b, a, 0, at);
    put(l, IR_SELECT, index, i, wins, k, i, 0, at);
}

static void take_in(struct lowering *l, const struct ez_reduction *r, struct span at) {
    for (; r; r = with(l, r))
        if (with_index(r))
            take_in_indexed(l, r, at);
        else
            put(l, lower_reduction_op(r->kind), r->type, own(l, r), own(l, r), other(l, r), IR_NONE,
                0, at);
}

/* A move from `from` to `to`, which leaves all indices as they are, over the elements whose
 * coordinates behind `d` are 0; of the first `slots` registers. */
static struct ez_move plain_move(const struct lowering *l, const struct ez_reduction *r,
                                 struct ez_symbol *to, struct ez_symbol *from, uint32_t d,
                                 uint32_t slots) {
    struct ez_move m = {.to = to, .from = from};
    uint32_t dims = ez_group_dims(l->u, r->group);
    m.record.width = from->type.type.bits;
    m.record.dst_has_k = m.record.src_has_k = from->has_k;
    m.record.dst_count = m.record.src_count = (uint8_t)from->count;
    for (uint32_t k = 0; k < dims + from->has_k; k++) {
        m.record.source[k] = (struct move_affine){.size = NO_INDEX};
        m.record.source[k].coeff[k] = 1;
        if (k <= d)
            continue;
        m.record.bounded |= (uint8_t)(1u << k);
        m.record.first[k] = (struct move_bound){0, NO_INDEX, 0};
        m.record.last[k] = (struct move_bound){k < dims ? 1 : slots, NO_INDEX, 0};
    }
    return m;
}

/* How many registers the run has in r's array, if r is the first that has one; else 0. */
static uint32_t slots_from(const struct lowering *l, const struct ez_reduction *r) {
    uint32_t slots = 0;
    if (slot_of(l, r))
        return 0;
    for (const struct ez_reduction *k = r; k; k = with(l, k))
        slots += k->own[0] == r->own[0];
    return slots;
}

static void move_halves(struct lowering *l, const struct ez_reduction *r, uint32_t d, uint64_t m,
                        uint64_t half, struct span at) {
    for (; r; r = with(l, r))
        for (unsigned part = 0; slots_from(l, r) && part < 1u + with_index(r); part++) {
            struct ez_move move =
                plain_move(l, r, r->other[part], r->own[part], d, slots_from(l, r));
            move.record.source[d].offset = (int64_t)half;
            move.record.bounded |= (uint8_t)(1u << d);
            move.record.first[d] = (struct move_bound){0, NO_INDEX, 0};
            move.record.last[d] = (struct move_bound){(int64_t)(m - half), NO_INDEX, 0};
            lower_gmove(l, &move, at);
        }
}

static void fold_known(struct lowering *l, const struct ez_reduction *r, uint32_t d, uint64_t m,
                       struct span at) {
    for (uint64_t half = (m + 1) / 2; m > 1; m = half, half = (m + 1) / 2) {
        move_halves(l, r, d, m, half, at);
        begin(l, r, at);
        take_in(l, r, at);
        reset_others(l, r, at);
    }
}

static void move_pair(struct lowering *l, const struct ez_reduction *r, unsigned part, uint32_t d,
                      struct span at) {
    for (unsigned odd = 2; odd-- > 0;) {
        struct ez_move move = plain_move(l, r, odd ? r->other[part] : r->own[part], r->own[part], d,
                                         slots_from(l, r));
        move.record.source[d].coeff[d] = 2;
        move.record.source[d].offset = odd;
        move.record.outside = MOVE_FILL;
        move.record.fill = part ? no_index(r) : identity(r);
        lower_gmove(l, &move, at);
    }
}

static void move_pairs(struct lowering *l, const struct ez_reduction *r, uint32_t d,
                       struct span at) {
    for (; r; r = with(l, r))
        for (unsigned part = 0; slots_from(l, r) && part < 1u + with_index(r); part++)
            move_pair(l, r, part, d, at);
}

/* left = n - 1; do { fold; left >>= 1; } while (any(left > 0)); */
static void fold_size(struct lowering *l, const struct ez_reduction *r, uint32_t d, uint32_t size,
                      struct span at) {
    struct mpu_type type = r->left->type.type;
    begin(l, r, at);
    lower_size(l, type, size, lower_element(l, r->left, 0), at);
    vec_last(&l->b.code->insns).imm = UINT64_MAX;
    struct ir_node *n = lower_node(l, IR_NODE_WHILE, at), *first = NULL, **outer = l->b.end;
    n->body_first = true;
    l->b.end = &first;
    move_pairs(l, r, d, at);
    n->body = first;
    l->b.end = outer;
    lower_begin_code(l, n, r->group);
    take_in(l, r, at);
    uint32_t left = lower_element(l, r->left, 0), none = ir_vreg(l->b.code, type, NULL, at);
    put(l, IR_SHR, type, left, left, IR_NONE, IR_NONE, 1, at);
    put(l, IR_CONST, type, none, IR_NONE, IR_NONE, IR_NONE, 0, at);
    put(l, IR_ENABLE, (struct mpu_type){TYPE_BOOL, 1}, IR_NONE,
        put_new(l, IR_GT, type, left, none, at), IR_NONE, IR_NONE, 0, at);
}

/* The results behind r that one move gives out with its own: registers of one array from r's on, of
 * values at equal distances.  *step: the distance; at least 1 is returned. */
static uint32_t side_by_side(const struct lowering *l, const struct ez_reduction *r,
                             int64_t *step) {
    uint32_t n = 1, first = slot_of(l, r);
    *step = 0;
    for (const struct ez_reduction *k = with(l, r); k; k = with(l, k)) {
        if (k->target != r->target || k->own[0] != r->own[0] || k->element != r->element + n)
            continue;
        int64_t distance = (int64_t)slot_of(l, k) - first;
        if (n == 1)
            *step = distance;
        if (distance != *step * n)
            break;
        n++;
    }
    return n;
}

/* True if a result in front of r in its run takes r's along. */
static bool taken_along(const struct lowering *l, const struct ez_reduction *r) {
    int64_t step;
    for (const struct ez_reduction *k = ez_fold_first(l->u, r); k != r; k = with(l, k))
        if (k->target == r->target && k->own[0] == r->own[0] && k->element < r->element &&
            !taken_along(l, k) && side_by_side(l, k, &step) > r->element - k->element)
            return true;
    return false;
}

/* Every lane of every group gets what element 0 has. */
static void broadcast(struct lowering *l, const struct ez_reduction *r, struct span at) {
    struct ez_symbol *from = r->own[with_index(r)], *to = r->target;
    struct ez_move m = {.to = to, .from = from};
    uint32_t dims = ez_group_dims(l->u, r->group);
    int64_t step;
    uint32_t count = side_by_side(l, r, &step);
    m.record.dst_has_k = to->has_k;
    m.record.dst_count = (uint8_t)to->count;
    m.record.src_has_k = from->has_k;
    m.record.src_count = (uint8_t)from->count;
    m.record.width = from->type.type.bits;
    for (uint32_t d = 0; d < dims + from->has_k; d++)
        m.record.source[d] = (struct move_affine){.size = NO_INDEX};
    if (from->has_k) {
        m.record.source[dims].coeff[0] = to->has_k ? step : 0;
        m.record.source[dims].offset = slot_of(l, r) - (to->has_k ? step * r->element : 0);
    }
    if (to->has_k) {
        m.record.bounded = 1;
        m.record.first[0] = (struct move_bound){r->element, NO_INDEX, 0};
        m.record.last[0] = (struct move_bound){r->element + count, NO_INDEX, 0};
    }
    lower_gmove(l, &m, at);
}

/* Where the result has more bits than the values, it is extended in every lane. */
static void widen_result(struct lowering *l, const struct ez_reduction *r, struct span at) {
    struct mpu_type type = r->own[with_index(r)]->type.type, to = r->target->type.type;
    if (type.bits == to.bits)
        return;
    for (size_t g = 0; g < l->u->groups.items.len; g++) {
        lower_begin_ensemble(l, l->u->groups.items.data[g], at);
        uint32_t v = lower_element(l, r->target, r->element);
        put(l, IR_WIDEN, to, v, v, IR_NONE, IR_NONE, 0, at);
        vec_last(&l->b.code->insns).from = type;
    }
}

static void fold(struct lowering *l, const struct ez_reduction *r, struct span at) {
    for (uint32_t d = ez_group_dims(l->u, r->group); d-- > 0;) {
        struct extent x = ez_group_extent(l->u, r->group, d);
        if (x.size == NO_INDEX) {
            fold_known(l, r, d, x.value, at);
            continue;
        }
        fold_size(l, r, d, x.size, at);
        if (d == 0)
            continue;
        begin(l, r, at); /* an odd extent has an element that takes in nothing */
        reset_others(l, r, at);
    }
}

/* Elements take in what lies `distance` before them. */
static void scan_round(struct lowering *l, const void *what, uint64_t distance, struct span at) {
    const struct ez_reduction *r = what;
    struct ez_move m = plain_move(l, r, r->other[0], r->own[0], 0, 1);
    m.record.source[0].offset = -(int64_t)distance;
    m.record.outside = MOVE_FILL;
    lower_gmove(l, &m, at);
    begin(l, r, at);
    take_in(l, r, at);
}

void lower_prefix_sums(struct lowering *l, const struct ez_reduction *r, struct span at) {
    lower_rounds(l, r->group, scan_round, r, at);
}

static void scan(struct lowering *l, const struct ez_reduction *r, struct span at) {
    struct mpu_type from = r->type, to = r->target->type.type;
    lower_prefix_sums(l, r, at);
    begin(l, r, at);
    uint32_t region = lower_enter_front(l, &r->front, at);
    uint32_t value = own(l, r), target = lower_element(l, r->target, r->element);
    put(l, from.bits == to.bits ? IR_COPY : IR_WIDEN, to, target, value, IR_NONE, IR_NONE, 0, at);
    vec_last(&l->b.code->insns).from = from;
    lower_leave_front(l, region, at);
}

/* ---- known extents ---- */

static enum array_fold_kind fold_kind(enum reduction_kind kind) {
    static const uint8_t kinds[] = {
        [REDUCE_SUM] = ARRAY_SUM,       [REDUCE_MIN] = ARRAY_MIN,      [REDUCE_MAX] = ARRAY_MAX,
        [REDUCE_AND] = ARRAY_AND,       [REDUCE_OR] = ARRAY_OR,        [REDUCE_XOR] = ARRAY_XOR,
        [REDUCE_ANY] = ARRAY_OR,        [REDUCE_ALL] = ARRAY_AND,      [REDUCE_COUNT] = ARRAY_SUM,
        [REDUCE_ARGMIN] = ARRAY_ARGMIN, [REDUCE_ARGMAX] = ARRAY_ARGMAX};
    return (enum array_fold_kind)kinds[kind];
}

/* Hidden variables of reductions, beside those of the folds. */
enum { USE_WIDE, USE_INDEX };

/* A run of reductions and the folds that carry it out. */
struct run {
    struct array_folds folds;
    const struct ez_reduction **reductions; /* [folds.count] */
    struct span at;
};

static struct array_fold fold_of(const struct lowering *l, const struct ez_reduction *r) {
    struct array_fold f = {.kind = fold_kind(r->kind), .from = r->type, .type = r->type};
    if (r->kind == REDUCE_COUNT)
        f.from = (struct mpu_type){TYPE_UINT, 1};
    else if (r->kind == REDUCE_SUM)
        f.from = ez_value_type(l->u, r->group, r->value);
    return f;
}

static struct run run_of(struct lowering *l, const struct ez_reduction *first, struct span at) {
    struct run x = {.folds = {.group = first->group->index, .axis = ARRAY_ALL}, .at = at};
    for (const struct ez_reduction *r = first; r; r = with(l, r))
        x.folds.count++;
    x.folds.room = 2 * l->u->folded;
    x.folds.items = ARENA_ARRAY(l->b.p->arena, x.folds.count, struct array_fold);
    x.reductions = ARENA_ARRAY(l->b.p->arena, x.folds.count, const struct ez_reduction *);
    uint32_t i = 0;
    for (const struct ez_reduction *r = first; r; r = with(l, r), i++) {
        x.folds.items[i] = fold_of(l, r);
        x.reductions[i] = r;
    }
    return x;
}

/* The value of an element, which has fewer bits than its type where that is known. */
static void put_item(struct lowering *l, const struct ez_reduction *r,
                     const struct array_fold *item, struct span at) {
    struct mpu_type type = r->value->type.type, to = item->own.type;
    uint32_t dst = array_fold_element(&l->b, item), region = IR_NONE;
    if (r->front.count) {
        ir_constant(&l->b, to, array_identity(item->kind, to), dst, at);
        region = lower_enter_front(l, &r->front, at);
    }
    if (type.bits <= to.bits)
        lower_as(l, r->value, to, dst);
    else
        lower_operation(l, IR_COPY, to, dst, lower_as(l, r->value, type, IR_NONE), IR_NONE, 0, at);
    lower_leave_front(l, region, at);
}

/* True if the value is a variable's, from which it can be moved. */
static bool borrow_item(struct lowering *l, const struct run *x, uint32_t i) {
    const struct expr *e = x->reductions[i]->value;
    if (x->reductions[i]->front.count || (e->kind != EXPR_NAME && e->kind != EXPR_INDEX) ||
        e->is_constant || e->symbol->kind != SYMBOL_EZ_VARIABLE || !e->symbol->group)
        return false;
    struct array_value v = {e->symbol->number, e->element, e->symbol->type.type};
    return array_fold_borrow(&l->b, &x->folds, i, &v);
}

static void put_items(struct lowering *l, const struct run *x) {
    bool begun = false;
    for (uint32_t i = 0; i < x->folds.count; i++) {
        if (borrow_item(l, x, i))
            continue;
        if (!begun)
            begin(l, x->reductions[0], x->at);
        put_item(l, x->reductions[i], &x->folds.items[i], x->at);
        begun = true;
    }
}

/* The result behind those in front of it, in one array, for targets side by side: how many go with
 * the i-th, and how far apart they are. */
static uint32_t go_together(const struct run *x, uint32_t i, int64_t *step) {
    const struct array_value *first = array_fold_result(&x->folds.items[i]);
    uint32_t n = 1;
    *step = 0;
    for (; i + n < x->folds.count; n++) {
        const struct array_value *v = array_fold_result(&x->folds.items[i + n]);
        int64_t distance = (int64_t)v->element - first->element;
        if (n == 1)
            *step = distance;
        if (x->reductions[i + n]->target != x->reductions[i]->target ||
            x->reductions[i + n]->element != x->reductions[i]->element + n ||
            v->variable != first->variable || distance != *step * n)
            break;
    }
    return n;
}

/* Every lane of every group gets what element 0 has. */
static uint32_t give_out(struct lowering *l, const struct run *x, uint32_t i) {
    const struct ez_reduction *r = x->reductions[i];
    const struct array_value *v = array_fold_result(&x->folds.items[i]);
    int64_t step;
    uint32_t count = go_together(x, i, &step);
    struct ir_move m = array_fold_move(&l->b, &x->folds, v, r->target->number);
    uint32_t k = ir_group_dims(l->b.p, l->b.p->variables.data[v->variable].decl.group);
    if (r->target->has_k) {
        ir_move_bound(&m, 0, (struct move_bound){r->element, NO_INDEX, 0},
                      (struct move_bound){r->element + count, NO_INDEX, 0});
        if (m.record.src_has_k)
            ir_move_source(&m, k, 0, step, v->element - step * r->element);
    }
    ir_put_move(&l->b, &m, x->at);
    return count;
}

static bool has_type(const struct run *x, uint32_t i, struct mpu_type type) {
    struct mpu_type to = x->reductions[i]->target->type.type;
    return to.kind == type.kind && to.bits == type.bits;
}

/* Where the result has more bits than the values, it is extended where it is.  Results of one type
 * lie side by side. */
static void extend(struct lowering *l, const struct run *x, uint32_t i) {
    struct array_value *v = array_fold_result(&x->folds.items[i]);
    struct mpu_type to = x->reductions[i]->target->type.type;
    uint32_t count = 0, before = 0;
    if (v->type.bits == to.bits)
        return;
    for (uint32_t k = 0; k < x->folds.count; k++) {
        count += has_type(x, k, to);
        before += k < i && has_type(x, k, to);
    }
    uint32_t wide = ir_hidden(&l->b, x->folds.lane, to, count, USE_WIDE);
    ir_begin_ensemble(&l->b, x->folds.lane, x->at);
    ir_convert(&l->b, ir_element(&l->b, v->variable, v->element), v->type, to,
               ir_element(&l->b, wide, before), x->at);
    *v = (struct array_value){wide, before, to};
}

/* Of no elements the index is all ones, which at one bit more are no element's number. */
static void note_none(struct lowering *l, const struct run *x, uint32_t i) {
    struct array_value *v = &x->folds.items[i].index;
    const struct ez_front *f = &x->reductions[i]->front;
    struct mpu_type type = {TYPE_INT, (uint8_t)(v->type.bits + 1)};
    if (!f->count || x->folds.items[i].index.variable == IR_NONE || v->type.bits == 64)
        return;
    uint32_t to = ir_hidden(&l->b, x->folds.lane, type, 1, USE_INDEX);
    ir_begin_ensemble(&l->b, x->folds.lane, x->at);
    uint32_t in = lower_in_front(l, f, x->at);
    uint32_t found = ir_convert(&l->b, ir_element(&l->b, v->variable, v->element), v->type,
                                (struct mpu_type){TYPE_UINT, type.bits}, IR_NONE, x->at);
    uint32_t none = ir_constant(&l->b, type, low_bits(type.bits), IR_NONE, x->at);
    ir_operation(&l->b, IR_SELECT, type, ir_element(&l->b, to, 0), in, found, none, 0, x->at);
    *v = (struct array_value){to, 0, type};
}

static void lower_folds(struct lowering *l, const struct ez_reduction *first, struct span at) {
    struct run x = run_of(l, first, at);
    array_folds_begin(&l->b, &x.folds);
    put_items(l, &x);
    array_folds_run(&l->b, &x.folds, at);
    for (uint32_t i = 0; i < x.folds.count; i++)
        note_none(l, &x, i);
    for (uint32_t i = 0; i < x.folds.count; i++)
        extend(l, &x, i);
    for (uint32_t i = 0; i < x.folds.count;)
        i += give_out(l, &x, i);
}

void lower_reduction(struct lowering *l, const struct stmt *s) {
    const struct ez_reduction *r = s->reduction;
    if (ez_fold_first(l->u, r) != r)
        return; /* the first one has done it */
    if (r->kind != REDUCE_SCAN) {
        lower_folds(l, r, s->at);
        return;
    }
    lower_first(l, r, s->at);
    if (r->kind == REDUCE_SCAN) {
        scan(l, r, s->at);
        return;
    }
    fold(l, r, s->at);
    for (const struct ez_reduction *k = r; k; k = with(l, k))
        if (!taken_along(l, k))
            broadcast(l, k, s->at);
    for (; r; r = with(l, r))
        widen_result(l, r, s->at);
}

void ez_fold_runs(struct unit *u, uint32_t folded) {
    u->folded = folded;
    for (size_t i = 0; i < u->hidden.items.len; i++) {
        struct ez_symbol *s = u->hidden.items.data[i];
        if (!s->grows)
            continue;
        if (!s->together)
            s->together = s->count;
        s->count = s->together < folded ? s->together : folded;
    }
}
