/* SPDX-License-Identifier: MIT */
#include "ezpim/array/scan.h"

/* Elements of a block. */
enum { PARTS = 8 };

/* Parts of uses: those of one type and group differ in these. */
enum { PART_OWN, PART_BLOCK, PART_SCANNED, PART_TOTAL, PART_OTHER, PART_PADDED, PART_MPU };

static const struct extent one = {NO_INDEX, 1};

static uint32_t scan_variable(struct ir_builder *b, uint32_t group, struct mpu_type type,
                              uint32_t count, unsigned part, uint32_t level) {
    return ir_hidden(b, group, type, count, ARRAY_USE_SCAN + level * 16 + part);
}

static uint64_t most_along(const struct ir_builder *b, const struct array_scan *s, uint32_t level) {
    return (uint64_t)ir_extent_range(b->p, s->along[level]).most;
}

static uint64_t identity(const struct array_scan *s, struct mpu_type type) {
    return array_identity(s->fold.kind, type);
}

/* The group with the elements of a level; of level 0 those of the scan. */
static uint32_t group_of(struct ir_builder *b, const struct array_scan *s, uint32_t level) {
    return array_view_group(b, &s->view, s->along[level]);
}

static uint32_t axis_of(const struct array_scan *s) {
    return array_view_axis(&s->view);
}

static uint32_t combine(struct ir_builder *b, const struct array_scan *s, uint32_t x, uint32_t y,
                        uint32_t dst, struct span at) {
    return ir_operation(b, array_operation(s->fold.kind), s->fold.type, dst, x, y, IR_NONE, 0, at);
}

/* ---- how long blocks are ---- */

static uint32_t most_parts(const struct array_scan *s) {
    uint32_t parts = PARTS;
    while (parts > 1 && parts * 4 > s->room)
        parts /= 2;
    return parts;
}

/* Of lines of n elements, which blocks shall not cut: the largest part of n; else the least that
 * makes no more blocks. */
static uint32_t parts_of(uint64_t n, uint32_t most, bool several_lines) {
    for (uint32_t p = most; p > 1 && several_lines; p--)
        if (n % p == 0)
            return p;
    uint64_t blocks = (n + most - 1) / most;
    return (uint32_t)((n + blocks - 1) / blocks);
}

/* Of a VRF, about: between those of the machines. */
enum { LANES = 128 };

static uint64_t bounded_product(uint64_t x, uint64_t y) {
    return y && x > OBJECT_MAX_EXTENT / y ? OBJECT_MAX_EXTENT : x * y;
}

static uint64_t elements_at(const struct ir_builder *b, const struct array_scan *s,
                            uint32_t level) {
    uint64_t n = most_along(b, s, level);
    if (s->view.has_outer)
        n = bounded_product(n, (uint64_t)ir_extent_range(b->p, s->view.outer).most);
    if (s->view.has_inner)
        n = bounded_product(n, (uint64_t)ir_extent_range(b->p, s->view.inner).most);
    return n;
}

/* True if a level with blocks of so many elements moves fewer registers than rounds at the level
 * below: there each moves all of them, and each register of a block is one, full or not. */
static bool pays(const struct ir_builder *b, const struct array_scan *s, uint32_t level,
                 uint32_t parts) {
    uint64_t registers = (elements_at(b, s, level) + LANES - 1) / LANES, rounds = 1;
    for (uint64_t n = 1; n < most_along(b, s, level); n *= 2)
        rounds++;
    return rounds * registers > 2 * (parts + registers);
}

static uint32_t parts_at(const struct ir_builder *b, const struct array_scan *s, uint32_t level,
                         uint32_t most) {
    struct extent n = s->along[level];
    if (n.size == NO_INDEX)
        return parts_of(n.value, most, s->view.has_outer);
    return most_along(b, s, level) < most ? (uint32_t)most_along(b, s, level) : most;
}

static void choose_levels(struct ir_builder *b, struct array_scan *s) {
    uint32_t most = most_parts(s), *level = &s->levels;
    s->along[0] = s->view.along;
    for (*level = 0; most > 1 && *level < SCAN_LEVELS && most_along(b, s, *level) > 1; ++*level) {
        uint32_t parts = parts_at(b, s, *level, most);
        if (!pays(b, s, *level, parts))
            break;
        s->parts[*level] = parts;
        s->along[*level + 1] = array_ceil_div(b, s->along[*level], parts);
    }
    s->most = most_along(b, s, *level);
}

/* ---- blocks ---- */

/* Registers of a level's element: what its block has, from `in` on, and behind the scan what stands
 * in front of each element of it and of the next block, from `out` on. */
struct block {
    uint32_t level, group, parts;
    struct array_value in, out;
};

/* What a level's element holds is made of so many elements. */
static uint64_t elements_of(const struct array_scan *s, uint32_t level) {
    uint64_t n = 1;
    for (uint32_t k = 0; k < level; k++)
        n *= s->parts[k];
    return n;
}

/* Where values have the type of results already, they become what stands behind them. */
static struct block block_of(struct ir_builder *b, const struct array_scan *s, uint32_t level) {
    struct block x = {.level = level, .group = group_of(b, s, level), .parts = s->parts[level - 1]};
    struct mpu_type type = s->fold.type;
    struct mpu_type narrow =
        level == 1 ? s->fold.own.type : array_fold_type(&s->fold, elements_of(s, level - 1));
    x.out = (struct array_value){scan_variable(b, x.group, type, x.parts + 1, PART_SCANNED, level),
                                 0, type};
    x.in = (struct array_value){x.out.variable, 1, narrow};
    if (!ir_same_type(type, narrow)) {
        x.in.variable = scan_variable(b, x.group, narrow, x.parts, PART_BLOCK, level);
        x.in.element = 0;
    }
    return x;
}

/* The sum of a block, of the type that it can have. */
static struct array_value total_of(struct ir_builder *b, const struct array_scan *s,
                                   const struct block *x) {
    struct mpu_type type = array_fold_type(&s->fold, elements_of(s, x->level));
    if (x->level == s->levels)
        type = s->fold.type;
    return (struct array_value){scan_variable(b, x->group, type, 1, PART_TOTAL, x->level), 0, type};
}

static struct ir_move scan_move(const struct ir_builder *b, const struct array_scan *s,
                                const struct array_value *to, uint32_t to_view,
                                const struct array_value *from, uint32_t from_view) {
    struct ir_move m = ir_view_move(b->p, to->variable, to_view, from->variable, from_view);
    uint32_t dims = ir_group_dims(b->p, from_view);
    for (uint32_t d = s->view.lead; d < MOVE_MAX_DIMS; d++)
        m.record.source[d] = (struct move_affine){.size = NO_INDEX};
    if (m.record.src_has_k)
        m.record.source[dims].offset = from->element;
    m.record.outside = MOVE_FILL;
    m.record.fill = identity(s, from->type);
    return m;
}

static void bound_registers(const struct ir_builder *b, struct ir_move *m, uint32_t to_view,
                            uint32_t first, uint32_t count) {
    if (m->record.dst_has_k)
        ir_move_bound(m, ir_group_dims(b->p, to_view), (struct move_bound){first, NO_INDEX, 0},
                      (struct move_bound){first + count, NO_INDEX, 0});
}

/* All coordinates of the view are those of the destination. */
static void same_places(const struct ir_builder *b, const struct array_scan *s, struct ir_move *m,
                        uint32_t view) {
    for (uint32_t d = s->view.lead; d < ir_group_dims(b->p, view); d++)
        ir_move_source(m, d, d, 1, 0);
}

/* Each element of the level gets a block of the one below. */
static void move_up(struct ir_builder *b, const struct array_scan *s, const struct block *x,
                    const struct array_value *from, struct span at) {
    uint32_t below = group_of(b, s, x->level - 1), axis = axis_of(s);
    struct ir_move m = scan_move(b, s, &x->in, x->group, from, below);
    uint32_t k = ir_group_dims(b->p, x->group);
    same_places(b, s, &m, x->group);
    ir_move_source(&m, axis, axis, x->parts, 0);
    if (m.record.dst_has_k) {
        m.record.source[axis].coeff[k] = 1;
        m.record.source[axis].offset = -(int64_t)x->in.element;
    }
    bound_registers(b, &m, x->group, x->in.element, x->parts);
    ir_put_move(b, &m, at);
}

static uint32_t widened(struct ir_builder *b, const struct array_scan *s,
                        const struct array_value *v, uint32_t part, struct span at) {
    uint32_t x = ir_element(b, v->variable, v->element + part);
    if (ir_same_type(v->type, s->fold.type))
        return x;
    return ir_convert(b, x, v->type, s->fold.type, IR_NONE, at);
}

static void fold_block(struct ir_builder *b, const struct array_scan *s, const struct block *x,
                       const struct array_value *total, struct span at) {
    struct array_term t[PARTS];
    ir_begin_ensemble(b, x->group, at);
    for (uint32_t k = 0; k < x->parts; k++)
        t[k] = (struct array_term){ir_element(b, x->in.variable, x->in.element + k), x->in.type,
                                   elements_of(s, x->level - 1)};
    array_fold_terms(b, &s->fold, t, x->parts, total->type, ir_element(b, total->variable, 0), at);
}

/* Register 0 of `out` has what stands in front of the block; those behind it, up to `last`, get
 * what stands in front of the next elements. */
static void scan_block(struct ir_builder *b, const struct array_scan *s, const struct block *x,
                       uint32_t last, struct span at) {
    ir_begin_ensemble(b, x->group, at);
    for (uint32_t k = 0; k < last; k++)
        combine(b, s, ir_element(b, x->out.variable, k), widened(b, s, &x->in, k, at),
                ir_element(b, x->out.variable, k + 1), at);
}

/* ---- back to the level below ---- */

/* Register `first` + k of a block goes to its k-th element. */
static void move_blocks(struct ir_builder *b, const struct array_scan *s, const struct block *x,
                        uint32_t first, const struct array_value *to, uint32_t blocks,
                        struct span at) {
    uint32_t lines = array_view_lines(b, &s->view, s->along[x->level]), lead = s->view.lead;
    struct array_value from = {x->out.variable, first, x->out.type};
    struct ir_move m = scan_move(b, s, to, blocks, &from, lines);
    ir_move_source(&m, lead, lead, 1, 0);
    if (s->view.has_inner)
        ir_move_source(&m, lead + 1, lead + 2, 1, 0);
    ir_move_source(&m, ir_group_dims(b->p, lines), lead + 1, 1, first);
    bound_registers(b, &m, blocks, to->element, 1);
    ir_put_move(b, &m, at);
}

/* How blocks of a level go to the one below. */
struct way {
    const struct block *x;
    uint32_t first;               /* register of the first element of a block */
    const struct array_value *to; /* of elements of the level below */
    struct extent parts;          /* of a block: no more than there are elements */
    uint32_t blocks;              /* the group of those, and the elements of each */
};

/* Lines of whole blocks: where they cut none, the level below has just these. */
static void move_whole(struct ir_builder *b, const struct array_scan *s, const struct way *w,
                       struct span at) {
    move_blocks(b, s, w->x, w->first, w->to, w->blocks, at);
}

/* Where they do, lines are longer first. */
static void move_cut(struct ir_builder *b, const struct array_scan *s, const struct way *w,
                     struct span at) {
    uint32_t level = w->x->level, below = group_of(b, s, level - 1);
    struct mpu_type type = w->to->type;
    struct array_value longer = {scan_variable(b, w->blocks, type, 1, PART_PADDED, level), 0, type};
    struct extent along = ir_extent(b, DERIVE_MUL, s->along[level], w->parts);
    uint32_t lines = array_view_group(b, &s->view, along);
    move_blocks(b, s, w->x, w->first, &longer, w->blocks, at);
    struct ir_move m = scan_move(b, s, w->to, below, &longer, lines);
    same_places(b, s, &m, lines);
    bound_registers(b, &m, below, w->to->element, 1);
    ir_put_move(b, &m, at);
}

enum cuts { CUTS_NONE, CUTS_SOME, CUTS_UNKNOWN };

/* Whether blocks of that level cut lines. */
static enum cuts cuts_lines(const struct array_scan *s, uint32_t level) {
    struct extent n = s->along[level - 1];
    if (!s->view.has_outer)
        return CUTS_NONE;
    if (n.size != NO_INDEX)
        return CUTS_UNKNOWN;
    return n.value % s->parts[level - 1] == 0 ? CUTS_NONE : CUTS_SOME;
}

/* 1 if blocks cut lines of that size, else 0. */
static struct extent cuts_of_size(struct ir_builder *b, const struct array_scan *s,
                                  uint32_t level) {
    struct extent n = s->along[level - 1], parts = {NO_INDEX, s->parts[level - 1]};
    struct extent whole = ir_extent(b, DERIVE_MUL, ir_extent(b, DERIVE_DIV, n, parts), parts);
    return ir_extent(b, DERIVE_MIN, ir_extent(b, DERIVE_SUB, n, whole), one);
}

/* One of both is left out when the program is packaged. */
static void move_either(struct ir_builder *b, const struct array_scan *s, const struct way *w,
                        struct span at) {
    struct extent cuts = cuts_of_size(b, s, w->x->level);
    struct ir_repeat r = ir_open_repeat(b, ir_extent(b, DERIVE_SUB, one, cuts), at);
    move_whole(b, s, w, at);
    ir_close_repeat(b, &r);
    r = ir_open_repeat(b, cuts, at);
    move_cut(b, s, w, at);
    ir_close_repeat(b, &r);
}

/* Elements of the level below get what is in front of them or (first 1) they are in, too. */
static void move_down(struct ir_builder *b, const struct array_scan *s, const struct block *x,
                      uint32_t first, const struct array_value *to, struct span at) {
    struct extent along = s->along[x->level - 1];
    struct way w = {.x = x, .first = first, .to = to, .parts = {NO_INDEX, x->parts}};
    enum cuts cuts = cuts_lines(s, x->level);
    if (along.size != NO_INDEX)
        w.parts = ir_extent(b, DERIVE_MIN, along, w.parts);
    w.blocks = array_view_blocks(b, &s->view, s->along[x->level], w.parts);
    if (cuts == CUTS_NONE)
        move_whole(b, s, &w, at);
    else if (cuts == CUTS_UNKNOWN && b->repeats < IR_MOST_REPEATS)
        move_either(b, s, &w, at);
    else
        move_cut(b, s, &w, at);
}

/* ---- above the blocks ---- */

/* Elements of the level that lie `distance` before; the first get what changes nothing. */
static void move_back(struct ir_builder *b, const struct array_scan *s, uint32_t level,
                      const struct array_value *to, const struct array_value *from,
                      uint64_t distance, struct span at) {
    uint32_t group = group_of(b, s, level);
    struct ir_move m = scan_move(b, s, to, group, from, group);
    same_places(b, s, &m, group);
    m.record.source[axis_of(s)].offset = -(int64_t)distance;
    bound_registers(b, &m, group, to->element, 1);
    ir_put_move(b, &m, at);
}

/* min((n - 1) / distance, 1): 0 if nothing lies so far before another element. */
static struct extent reaches(struct ir_builder *b, struct extent n, uint64_t distance) {
    n = ir_extent(b, DERIVE_SUB, n, one);
    n = ir_extent(b, DERIVE_DIV, n, (struct extent){NO_INDEX, distance});
    return ir_extent(b, DERIVE_MIN, n, one);
}

/* Before the round with that distance each element has the sum of so many up to it. */
static void double_round(struct ir_builder *b, const struct array_scan *s,
                         const struct array_value *sums, uint64_t distance, struct span at) {
    uint32_t group = group_of(b, s, s->levels);
    struct array_value other = {scan_variable(b, group, sums->type, 1, PART_OTHER, s->levels), 0,
                                sums->type};
    move_back(b, s, s->levels, &other, sums, distance, at);
    ir_begin_ensemble(b, group, at);
    uint32_t own = ir_element(b, sums->variable, sums->element);
    combine(b, s, own, ir_element(b, other.variable, 0), own, at);
}

/* Sums of the elements of the highest level become those up to them. */
static void scan_sums(struct ir_builder *b, const struct array_scan *s,
                      const struct array_value *sums, struct span at) {
    struct extent n = s->along[s->levels];
    bool guarded = n.size != NO_INDEX && b->repeats < IR_MOST_REPEATS;
    for (uint64_t distance = 1; distance < s->most; distance *= 2) {
        struct ir_repeat r;
        if (guarded)
            r = ir_open_repeat(b, reaches(b, n, distance), at);
        double_round(b, s, sums, distance, at);
        if (guarded)
            ir_close_repeat(b, &r);
    }
}

/* ---- several MPUs ---- */

static bool over_mpus(const struct array_scan *s) {
    return s->axis == ARRAY_ALL && s->view.lead;
}

static struct array_value mpu_value(struct ir_builder *b, const struct array_scan *s,
                                    uint32_t number) {
    uint32_t lane = array_view_rest(b, &s->view);
    uint32_t v = scan_variable(b, lane, s->fold.type, 1, PART_MPU, number);
    return (struct array_value){v, 0, s->fold.type};
}

/* MPUs get what those have whose coordinate d is smaller by `distance`. */
static void move_mpus(struct ir_builder *b, const struct array_scan *s,
                      const struct array_value *to, const struct array_value *from, uint32_t d,
                      uint64_t distance, struct span at) {
    uint32_t lane = array_view_rest(b, &s->view);
    struct ir_move m = scan_move(b, s, to, lane, from, lane);
    m.record.source[d].offset = -(int64_t)distance;
    ir_put_move(b, &m, at);
}

static void take_mpus(struct ir_builder *b, const struct array_scan *s,
                      const struct array_value *to, const struct array_value *from,
                      struct span at) {
    ir_begin_ensemble(b, array_view_rest(b, &s->view), at);
    uint32_t own = ir_element(b, to->variable, 0);
    combine(b, s, own, ir_element(b, from->variable, 0), own, at);
}

/* MPUs get what the last one along coordinate d has. */
static void take_last_mpu(struct ir_builder *b, const struct array_scan *s,
                          const struct array_value *v, uint32_t d, struct span at) {
    uint32_t lane = array_view_rest(b, &s->view);
    struct ir_move m = scan_move(b, s, v, lane, v, lane);
    m.record.source[d] = (struct move_affine){.size = NO_INDEX, .offset = b->p->grid[d] - 1};
    ir_put_move(b, &m, at);
}

/* From what each MPU has all in all, which is spent, what stands in front of each. */
static void scan_mpus(struct ir_builder *b, const struct array_scan *s,
                      const struct array_value *total, const struct array_value *before,
                      struct span at) {
    struct array_value other = mpu_value(b, s, 2);
    ir_begin_ensemble(b, array_view_rest(b, &s->view), at);
    ir_constant(b, before->type, identity(s, before->type), ir_element(b, before->variable, 0), at);
    for (uint32_t d = s->view.lead; d-- > 0;) {
        for (uint64_t distance = 1; distance < b->p->grid[d]; distance *= 2) {
            move_mpus(b, s, &other, total, d, distance, at);
            take_mpus(b, s, total, &other, at);
        }
        move_mpus(b, s, &other, total, d, 1, at);
        take_mpus(b, s, before, &other, at);
        if (d)
            take_last_mpu(b, s, total, d, at);
    }
}

/* All that an MPU has: the last of the highest level's sums. */
static void move_last(struct ir_builder *b, const struct array_scan *s,
                      const struct array_value *to, const struct array_value *sums,
                      struct span at) {
    struct extent n = s->along[s->levels];
    struct ir_move m =
        scan_move(b, s, to, array_view_rest(b, &s->view), sums, group_of(b, s, s->levels));
    struct move_affine *a = &m.record.source[axis_of(s)];
    a->offset = n.size == NO_INDEX ? (int64_t)n.value - 1 : -1;
    a->size = n.size;
    a->size_coeff = n.size != NO_INDEX;
    ir_put_move(b, &m, at);
}

/* `v`, of elements of the highest level, takes in what the MPUs in front have; they have `sums`. */
static void take_mpus_in_front(struct ir_builder *b, const struct array_scan *s,
                               const struct array_value *sums, const struct array_value *v,
                               struct span at) {
    struct array_value total = mpu_value(b, s, 0), before = mpu_value(b, s, 1);
    uint32_t group = group_of(b, s, s->levels);
    struct array_value front = {scan_variable(b, group, v->type, 1, PART_OTHER, s->levels), 0,
                                v->type};
    move_last(b, s, &total, sums, at);
    scan_mpus(b, s, &total, &before, at);
    struct ir_move m = scan_move(b, s, &front, group, &before, array_view_rest(b, &s->view));
    ir_put_move(b, &m, at);
    ir_begin_ensemble(b, group, at);
    uint32_t own = ir_element(b, v->variable, v->element);
    combine(b, s, ir_element(b, front.variable, 0), own, own, at);
}

/* ---- all of it ---- */

static void begin_with_nothing(struct ir_builder *b, const struct array_scan *s,
                               const struct block *x, struct span at) {
    ir_begin_ensemble(b, x->group, at);
    ir_constant(b, s->fold.type, identity(s, s->fold.type), ir_element(b, x->out.variable, 0), at);
}

/* What stands in front of the blocks of the highest level. */
static void begin_highest(struct ir_builder *b, const struct array_scan *s, const struct block *x,
                          struct span at) {
    bool alone = s->most == 1;
    struct array_value total = total_of(b, s, x);
    if (!alone || over_mpus(s))
        fold_block(b, s, x, &total, at);
    scan_sums(b, s, &total, at);
    if (alone)
        begin_with_nothing(b, s, x, at);
    else
        move_back(b, s, s->levels, &x->out, &total, 1, at);
    if (over_mpus(s))
        take_mpus_in_front(b, s, &total, &x->out, at);
}

static void scan_levels(struct ir_builder *b, const struct array_scan *s,
                        const struct array_value *to, struct span at) {
    struct block blocks[SCAN_LEVELS + 1] = {{0}};
    struct array_value from = s->fold.own;
    for (uint32_t level = 1; level <= s->levels; level++) {
        struct block *x = &blocks[level];
        *x = block_of(b, s, level);
        move_up(b, s, x, &from, at);
        if (level == s->levels)
            continue;
        from = total_of(b, s, x);
        fold_block(b, s, x, &from, at);
        if (cuts_lines(s, level + 1) == CUTS_UNKNOWN) /* it is given out in one of two ways */
            begin_with_nothing(b, s, x, at);
    }
    begin_highest(b, s, &blocks[s->levels], at);
    for (uint32_t level = s->levels; level > 0; level--) {
        const struct block *x = &blocks[level];
        uint32_t first = level == 1 && !s->exclusive;
        scan_block(b, s, x, x->parts - 1 + first, at);
        move_down(b, s, x, first, level > 1 ? &blocks[level - 1].out : to, at);
    }
}

/* Without blocks. */
static void scan_alone(struct ir_builder *b, const struct array_scan *s,
                       const struct array_value *to, struct span at) {
    uint32_t group = group_of(b, s, 0);
    struct array_value sums = {scan_variable(b, group, s->fold.type, 1, PART_TOTAL, 0), 0,
                               s->fold.type};
    ir_begin_ensemble(b, group, at);
    ir_convert(b, array_fold_element(b, &s->fold), s->fold.own.type, sums.type,
               ir_element(b, sums.variable, 0), at);
    scan_sums(b, s, &sums, at);
    if (s->exclusive)
        move_back(b, s, 0, to, &sums, 1, at);
    ir_begin_ensemble(b, s->group, at);
    if (!s->exclusive)
        ir_operation(b, IR_COPY, to->type, ir_element(b, to->variable, to->element),
                     ir_element(b, sums.variable, 0), IR_NONE, IR_NONE, 0, at);
    if (over_mpus(s))
        take_mpus_in_front(b, s, &sums, to, at);
}

void array_scan_begin(struct ir_builder *b, struct array_scan *s) {
    struct mpu_type type = array_fold_type(&s->fold, 1);
    s->view = array_view(b, s->group, s->axis);
    choose_levels(b, s);
    s->fold.own = (struct array_value){scan_variable(b, s->group, type, 1, PART_OWN, 0), 0, type};
}

bool array_scan_borrow(struct ir_builder *b, struct array_scan *s,
                       const struct array_value *value) {
    if (b->p->variables.data[value->variable].decl.group != s->group ||
        !ir_same_type(value->type, s->fold.own.type))
        return false;
    s->fold.own = *value;
    return true;
}

/* Elements for which a size has no blocks; and for which it has one level of short ones: above 64
 * lanes or more, the registers of longer ones would be nearly empty. */
enum { FEW = 256, SOME = 1024, SOME_PARTS = 4 };

/* 0 for up to `most` elements, else 1. */
static struct extent has_more(struct ir_builder *b, const struct array_scan *s, uint64_t most) {
    struct extent n = s->view.along;
    if (s->view.has_outer)
        n = ir_extent(b, DERIVE_MUL, n, s->view.outer);
    if (s->view.has_inner)
        n = ir_extent(b, DERIVE_MUL, n, s->view.inner);
    return reaches(b, n, most);
}

/* Such a scan if it is asked for, else left out when the program is packaged. */
static void scan_if(struct ir_builder *b, const struct array_scan *s, const struct array_value *to,
                    struct extent asked, struct span at) {
    struct ir_repeat r = ir_open_repeat(b, asked, at);
    if (s->levels)
        scan_levels(b, s, to, at);
    else
        scan_alone(b, s, to, at);
    ir_close_repeat(b, &r);
}

static void scan_size(struct ir_builder *b, const struct array_scan *s,
                      const struct array_value *to, struct span at) {
    struct array_scan few = *s, some = *s;
    bool shorter = s->parts[0] > SOME_PARTS;
    struct extent above = has_more(b, s, FEW), far_above = shorter ? has_more(b, s, SOME) : above;
    few.levels = 0;
    few.most = FEW;
    scan_if(b, &few, to, ir_extent(b, DERIVE_SUB, one, above), at);
    some.levels = 1;
    some.parts[0] = SOME_PARTS;
    some.along[1] = array_ceil_div(b, s->along[0], SOME_PARTS);
    some.most = SOME / SOME_PARTS;
    if (shorter)
        scan_if(b, &some, to, ir_extent(b, DERIVE_SUB, above, far_above), at);
    scan_if(b, s, to, far_above, at);
}

void array_scan_run(struct ir_builder *b, const struct array_scan *s, const struct array_value *to,
                    struct span at) {
    bool of_size = s->view.along.size != NO_INDEX && b->repeats < IR_MOST_REPEATS;
    if (!s->levels)
        scan_alone(b, s, to, at);
    else if (of_size)
        scan_size(b, s, to, at);
    else
        scan_levels(b, s, to, at);
}
