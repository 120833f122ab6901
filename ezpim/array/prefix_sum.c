/* SPDX-License-Identifier: MIT
 * Prefix sums and other scans.  After the way up, each level has the results of its blocks; on the
 * way back each block begins with the result of everything in front of it. */
#include "ezpim/array/prefix_sum.h"
#include "ezpim/ir/float.h"

/* Elements of a block. */
enum { PARTS = 8 };

/* Parts of uses: those of one type and group differ in these. */
enum { PART_OWN, PART_BLOCK, PART_SCANNED, PART_TOTAL, PART_OTHER, PART_PADDED, PART_MPU };

static const struct extent one = {NO_INDEX, 1};

static uint32_t scan_variable(struct ir_builder *builder, uint32_t group, struct lane_type type,
                              uint32_t count, unsigned part, uint32_t level) {
    return ir_hidden(builder, group, type, count, ARRAY_USE_SCAN + level * 16 + part);
}

static uint64_t most_along(const struct ir_builder *builder, const struct array_scan *scan,
                           uint32_t level) {
    return (uint64_t)ir_extent_range(builder->p, scan->along[level]).most;
}

static uint64_t identity(const struct array_scan *scan, struct lane_type type) {
    return array_identity(scan->fold.kind, type);
}

/* The group with the elements of a level; of level 0 those of the scan. */
static uint32_t group_of(struct ir_builder *builder, const struct array_scan *scan,
                         uint32_t level) {
    return array_view_group(builder, &scan->view, scan->along[level]);
}

static uint32_t axis_of(const struct array_scan *scan) {
    return array_view_axis(&scan->view);
}

static uint32_t combine(struct ir_builder *builder, const struct array_scan *scan, uint32_t left,
                        uint32_t right, uint32_t dst, struct span at) {
    return ir_typed(builder, array_operation(scan->fold.kind), scan->fold.type, dst, left, right,
                    at);
}

/* ---- how long blocks are ---- */

static uint32_t most_parts(const struct array_scan *scan) {
    uint32_t parts = array_fold_in_order(&scan->fold) ? 1 : PARTS;
    while (parts > 1 && parts * 4 > scan->room)
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

static uint64_t bounded_product(uint64_t left, uint64_t right) {
    return right && left > OBJECT_MAX_EXTENT / right ? OBJECT_MAX_EXTENT : left * right;
}

static uint64_t elements_at(const struct ir_builder *builder, const struct array_scan *scan,
                            uint32_t level) {
    uint64_t n = most_along(builder, scan, level);
    if (scan->view.has_outer)
        n = bounded_product(n, (uint64_t)ir_extent_range(builder->p, scan->view.outer).most);
    if (scan->view.has_inner)
        n = bounded_product(n, (uint64_t)ir_extent_range(builder->p, scan->view.inner).most);
    return n;
}

/* True if a level with blocks of so many elements moves fewer registers than rounds at the level
 * below: there each moves all of them, and each register of a block is one, full or not. */
static bool pays(const struct ir_builder *builder, const struct array_scan *scan, uint32_t level,
                 uint32_t parts) {
    uint64_t registers = (elements_at(builder, scan, level) + LANES - 1) / LANES, rounds = 1;
    for (uint64_t n = 1; n < most_along(builder, scan, level); n *= 2)
        rounds++;
    return rounds * registers > 2 * (parts + registers);
}

static uint32_t parts_at(const struct ir_builder *builder, const struct array_scan *scan,
                         uint32_t level, uint32_t most) {
    struct extent n = scan->along[level];
    if (n.size == NO_INDEX)
        return parts_of(n.value, most, scan->view.has_outer);
    return most_along(builder, scan, level) < most ? (uint32_t)most_along(builder, scan, level)
                                                   : most;
}

static void choose_levels(struct ir_builder *builder, struct array_scan *scan) {
    uint32_t most = most_parts(scan), *level = &scan->levels;
    scan->along[0] = scan->view.along;
    for (*level = 0; most > 1 && *level < SCAN_LEVELS && most_along(builder, scan, *level) > 1;
         ++*level) {
        uint32_t parts = parts_at(builder, scan, *level, most);
        if (!pays(builder, scan, *level, parts))
            break;
        scan->parts[*level] = parts;
        scan->along[*level + 1] = array_ceil_div(builder, scan->along[*level], parts);
    }
    scan->most = most_along(builder, scan, *level);
}

/* ---- blocks ---- */

/* Registers of a level's element: what its block has, from `in` on, and behind the scan what stands
 * in front of each element of it and of the next block, from `out` on. */
struct block {
    uint32_t level, group, parts;
    struct array_value in, out;
};

/* What a level's element holds is made of so many elements. */
static uint64_t elements_of(const struct array_scan *scan, uint32_t level) {
    uint64_t n = 1;
    for (uint32_t k = 0; k < level; k++)
        n *= scan->parts[k];
    return n;
}

/* Where values have the type of results already, they become what stands behind them. */
static struct block block_of(struct ir_builder *builder, const struct array_scan *scan,
                             uint32_t level) {
    struct block x = {
        .level = level, .group = group_of(builder, scan, level), .parts = scan->parts[level - 1]};
    struct lane_type type = scan->fold.type;
    struct lane_type narrow = level == 1
                                  ? scan->fold.own.type
                                  : array_fold_type(&scan->fold, elements_of(scan, level - 1));
    x.out = (struct array_value){
        scan_variable(builder, x.group, type, x.parts + 1, PART_SCANNED, level), 0, type};
    x.in = (struct array_value){x.out.variable, 1, narrow};
    if (!ir_same_type(type, narrow)) {
        x.in.variable = scan_variable(builder, x.group, narrow, x.parts, PART_BLOCK, level);
        x.in.element = 0;
    }
    return x;
}

/* The sum of a block, of the type that it can have. */
static struct array_value total_of(struct ir_builder *builder, const struct array_scan *scan,
                                   const struct block *block) {
    struct lane_type type = array_fold_type(&scan->fold, elements_of(scan, block->level));
    if (block->level == scan->levels)
        type = scan->fold.type;
    return (struct array_value){
        scan_variable(builder, block->group, type, 1, PART_TOTAL, block->level), 0, type};
}

static struct ir_move scan_move(const struct ir_builder *builder, const struct array_scan *scan,
                                const struct array_value *to, uint32_t to_view,
                                const struct array_value *from, uint32_t from_view) {
    struct ir_move m = ir_view_move(builder->p, to->variable, to_view, from->variable, from_view);
    uint32_t dims = ir_group_dims(builder->p, from_view);
    for (uint32_t d = scan->view.lead; d < MOVE_MAX_DIMS; d++)
        m.record.source[d] = (struct move_affine){.size = NO_INDEX};
    if (m.record.src_has_k)
        m.record.source[dims].offset = from->element;
    m.record.outside = MOVE_FILL;
    m.record.fill = identity(scan, from->type);
    return m;
}

static void bound_registers(const struct ir_builder *builder, struct ir_move *move,
                            uint32_t to_view, uint32_t first, uint32_t count) {
    if (move->record.dst_has_k)
        ir_move_bound(move, ir_group_dims(builder->p, to_view),
                      (struct move_bound){first, NO_INDEX, 0},
                      (struct move_bound){first + count, NO_INDEX, 0});
}

/* All coordinates of the view are those of the destination. */
static void same_places(const struct ir_builder *builder, const struct array_scan *scan,
                        struct ir_move *move, uint32_t view) {
    for (uint32_t d = scan->view.lead; d < ir_group_dims(builder->p, view); d++)
        ir_move_source(move, d, d, 1, 0);
}

/* Each element of the level gets a block of the one below. */
static void move_up(struct ir_builder *builder, const struct array_scan *scan,
                    const struct block *block, const struct array_value *from, struct span at) {
    uint32_t below = group_of(builder, scan, block->level - 1), axis = axis_of(scan);
    struct ir_move m = scan_move(builder, scan, &block->in, block->group, from, below);
    uint32_t k = ir_group_dims(builder->p, block->group);
    same_places(builder, scan, &m, block->group);
    ir_move_source(&m, axis, axis, block->parts, 0);
    if (m.record.dst_has_k) {
        m.record.source[axis].coeff[k] = 1;
        m.record.source[axis].offset = -(int64_t)block->in.element;
    }
    bound_registers(builder, &m, block->group, block->in.element, block->parts);
    ir_put_move(builder, &m, at);
}

static uint32_t widened(struct ir_builder *builder, const struct array_scan *scan,
                        const struct array_value *value, uint32_t part, struct span at) {
    uint32_t x = ir_element(builder, value->variable, value->element + part);
    if (ir_same_type(value->type, scan->fold.type))
        return x;
    return ir_convert(builder, x, value->type, scan->fold.type, IR_NONE, at);
}

static void fold_block(struct ir_builder *builder, const struct array_scan *scan,
                       const struct block *block, const struct array_value *total, struct span at) {
    struct array_term t[PARTS];
    ir_begin_ensemble(builder, block->group, at);
    for (uint32_t k = 0; k < block->parts; k++)
        t[k] = (struct array_term){ir_element(builder, block->in.variable, block->in.element + k),
                                   block->in.type, elements_of(scan, block->level - 1)};
    array_fold_terms(builder, &scan->fold, t, block->parts, total->type,
                     ir_element(builder, total->variable, 0), at);
}

/* Register 0 of `out` has what stands in front of the block; those behind it, up to `last`, get
 * what stands in front of the next elements. */
static void scan_block(struct ir_builder *builder, const struct array_scan *scan,
                       const struct block *block, uint32_t last, struct span at) {
    ir_begin_ensemble(builder, block->group, at);
    for (uint32_t k = 0; k < last; k++)
        combine(builder, scan, ir_element(builder, block->out.variable, k),
                widened(builder, scan, &block->in, k, at),
                ir_element(builder, block->out.variable, k + 1), at);
}

/* ---- back to the level below ---- */

/* Register `first` + k of a block goes to its k-th element. */
static void move_blocks(struct ir_builder *builder, const struct array_scan *scan,
                        const struct block *block, uint32_t first, const struct array_value *to,
                        uint32_t blocks, struct span at) {
    uint32_t lines = array_view_lines(builder, &scan->view, scan->along[block->level]),
             lead = scan->view.lead;
    struct array_value from = {block->out.variable, first, block->out.type};
    struct ir_move m = scan_move(builder, scan, to, blocks, &from, lines);
    ir_move_source(&m, lead, lead, 1, 0);
    if (scan->view.has_inner)
        ir_move_source(&m, lead + 1, lead + 2, 1, 0);
    ir_move_source(&m, ir_group_dims(builder->p, lines), lead + 1, 1, first);
    bound_registers(builder, &m, blocks, to->element, 1);
    ir_put_move(builder, &m, at);
}

/* How blocks of a level go to the one below. */
struct scan_way {
    const struct block *x;
    uint32_t first;               /* register of the first element of a block */
    const struct array_value *to; /* of elements of the level below */
    struct extent parts;          /* of a block: no more than there are elements */
    uint32_t blocks;              /* the group of those, and the elements of each */
};

/* Lines of whole blocks: where they cut none, the level below has just these. */
static void move_whole(struct ir_builder *builder, const struct array_scan *scan,
                       const struct scan_way *way, struct span at) {
    move_blocks(builder, scan, way->x, way->first, way->to, way->blocks, at);
}

/* Where they do, lines are longer first. */
static void move_cut(struct ir_builder *builder, const struct array_scan *scan,
                     const struct scan_way *way, struct span at) {
    uint32_t level = way->x->level, below = group_of(builder, scan, level - 1);
    struct lane_type type = way->to->type;
    struct array_value longer = {scan_variable(builder, way->blocks, type, 1, PART_PADDED, level),
                                 0, type};
    struct extent along = ir_extent(builder, DERIVE_MUL, scan->along[level], way->parts);
    uint32_t lines = array_view_group(builder, &scan->view, along);
    move_blocks(builder, scan, way->x, way->first, &longer, way->blocks, at);
    struct ir_move m = scan_move(builder, scan, way->to, below, &longer, lines);
    same_places(builder, scan, &m, lines);
    bound_registers(builder, &m, below, way->to->element, 1);
    ir_put_move(builder, &m, at);
}

enum cuts { CUTS_NONE, CUTS_SOME, CUTS_UNKNOWN };

/* Whether blocks of that level cut lines. */
static enum cuts cuts_lines(const struct array_scan *scan, uint32_t level) {
    struct extent n = scan->along[level - 1];
    if (!scan->view.has_outer)
        return CUTS_NONE;
    if (n.size != NO_INDEX)
        return CUTS_UNKNOWN;
    return n.value % scan->parts[level - 1] == 0 ? CUTS_NONE : CUTS_SOME;
}

/* 1 if blocks cut lines of that size, else 0. */
static struct extent cuts_of_size(struct ir_builder *builder, const struct array_scan *scan,
                                  uint32_t level) {
    struct extent n = scan->along[level - 1], parts = {NO_INDEX, scan->parts[level - 1]};
    struct extent whole =
        ir_extent(builder, DERIVE_MUL, ir_extent(builder, DERIVE_DIV, n, parts), parts);
    return ir_extent(builder, DERIVE_MIN, ir_extent(builder, DERIVE_SUB, n, whole), one);
}

/* One of both is left out when the program is packaged. */
static void move_either(struct ir_builder *builder, const struct array_scan *scan,
                        const struct scan_way *way, struct span at) {
    struct extent cuts = cuts_of_size(builder, scan, way->x->level);
    struct ir_repeat r = ir_open_repeat(builder, ir_extent(builder, DERIVE_SUB, one, cuts), at);
    move_whole(builder, scan, way, at);
    ir_close_repeat(builder, &r);
    r = ir_open_repeat(builder, cuts, at);
    move_cut(builder, scan, way, at);
    ir_close_repeat(builder, &r);
}

/* Elements of the level below get what is in front of them or (first 1) they are in, too. */
static void move_down(struct ir_builder *builder, const struct array_scan *scan,
                      const struct block *block, uint32_t first, const struct array_value *to,
                      struct span at) {
    struct extent along = scan->along[block->level - 1];
    struct scan_way w = {.x = block, .first = first, .to = to, .parts = {NO_INDEX, block->parts}};
    enum cuts cuts = cuts_lines(scan, block->level);
    if (along.size != NO_INDEX)
        w.parts = ir_extent(builder, DERIVE_MIN, along, w.parts);
    w.blocks = array_view_blocks(builder, &scan->view, scan->along[block->level], w.parts);
    if (cuts == CUTS_NONE)
        move_whole(builder, scan, &w, at);
    else if (cuts == CUTS_UNKNOWN && builder->repeats < IR_MOST_REPEATS)
        move_either(builder, scan, &w, at);
    else
        move_cut(builder, scan, &w, at);
}

/* ---- above the blocks ---- */

/* Elements of the level that lie `distance` before; the first get what changes nothing. */
static void move_back(struct ir_builder *builder, const struct array_scan *scan, uint32_t level,
                      const struct array_value *to, const struct array_value *from,
                      uint64_t distance, struct span at) {
    uint32_t group = group_of(builder, scan, level);
    struct ir_move m = scan_move(builder, scan, to, group, from, group);
    same_places(builder, scan, &m, group);
    m.record.source[axis_of(scan)].offset = -(int64_t)distance;
    bound_registers(builder, &m, group, to->element, 1);
    ir_put_move(builder, &m, at);
}

/* min((extent - 1) / distance, 1): 0 if nothing lies so far before another element. */
static struct extent reaches(struct ir_builder *builder, struct extent extent, uint64_t distance) {
    extent = ir_extent(builder, DERIVE_SUB, extent, one);
    extent = ir_extent(builder, DERIVE_DIV, extent, (struct extent){NO_INDEX, distance});
    return ir_extent(builder, DERIVE_MIN, extent, one);
}

/* Before the round with that distance each element has the sum of so many up to it. */
static void double_round(struct ir_builder *builder, const struct array_scan *scan,
                         const struct array_value *sums, uint64_t distance, struct span at) {
    uint32_t group = group_of(builder, scan, scan->levels);
    struct array_value other = {
        scan_variable(builder, group, sums->type, 1, PART_OTHER, scan->levels), 0, sums->type};
    move_back(builder, scan, scan->levels, &other, sums, distance, at);
    ir_begin_ensemble(builder, group, at);
    uint32_t own = ir_element(builder, sums->variable, sums->element);
    combine(builder, scan, own, ir_element(builder, other.variable, 0), own, at);
}

/* Sums of the elements of the highest level become those up to them. */
static void scan_sums(struct ir_builder *builder, const struct array_scan *scan,
                      const struct array_value *sums, struct span at) {
    struct extent n = scan->along[scan->levels];
    bool guarded = n.size != NO_INDEX && builder->repeats < IR_MOST_REPEATS;
    for (uint64_t distance = 1; distance < scan->most; distance *= 2) {
        struct ir_repeat r;
        if (guarded)
            r = ir_open_repeat(builder, reaches(builder, n, distance), at);
        double_round(builder, scan, sums, distance, at);
        if (guarded)
            ir_close_repeat(builder, &r);
    }
}

/* ---- several MPUs ---- */

static bool over_mpus(const struct array_scan *scan) {
    return scan->axis == ARRAY_ALL && scan->view.lead;
}

static struct array_value mpu_value(struct ir_builder *builder, const struct array_scan *scan,
                                    uint32_t number) {
    uint32_t lane = array_view_rest(builder, &scan->view);
    uint32_t v = scan_variable(builder, lane, scan->fold.type, 1, PART_MPU, number);
    return (struct array_value){v, 0, scan->fold.type};
}

/* MPUs get what those have whose coordinate `dim` is smaller by `distance`. */
static void move_mpus(struct ir_builder *builder, const struct array_scan *scan,
                      const struct array_value *to, const struct array_value *from, uint32_t dim,
                      uint64_t distance, struct span at) {
    uint32_t lane = array_view_rest(builder, &scan->view);
    struct ir_move m = scan_move(builder, scan, to, lane, from, lane);
    m.record.source[dim].offset = -(int64_t)distance;
    ir_put_move(builder, &m, at);
}

static void take_mpus(struct ir_builder *builder, const struct array_scan *scan,
                      const struct array_value *to, const struct array_value *from,
                      struct span at) {
    ir_begin_ensemble(builder, array_view_rest(builder, &scan->view), at);
    uint32_t own = ir_element(builder, to->variable, 0);
    combine(builder, scan, own, ir_element(builder, from->variable, 0), own, at);
}

/* MPUs get what the last one along coordinate `dim` has. */
static void take_last_mpu(struct ir_builder *builder, const struct array_scan *scan,
                          const struct array_value *value, uint32_t dim, struct span at) {
    uint32_t lane = array_view_rest(builder, &scan->view);
    struct ir_move m = scan_move(builder, scan, value, lane, value, lane);
    m.record.source[dim] =
        (struct move_affine){.size = NO_INDEX, .offset = builder->p->grid[dim] - 1};
    ir_put_move(builder, &m, at);
}

/* From what each MPU has all in all, which is spent, what stands in front of each. */
static void scan_mpus(struct ir_builder *builder, const struct array_scan *scan,
                      const struct array_value *total, const struct array_value *before,
                      struct span at) {
    struct array_value other = mpu_value(builder, scan, 2);
    ir_begin_ensemble(builder, array_view_rest(builder, &scan->view), at);
    ir_constant(builder, before->type, identity(scan, before->type),
                ir_element(builder, before->variable, 0), at);
    for (uint32_t d = scan->view.lead; d-- > 0;) {
        for (uint64_t distance = 1; distance < builder->p->grid[d]; distance *= 2) {
            move_mpus(builder, scan, &other, total, d, distance, at);
            take_mpus(builder, scan, total, &other, at);
        }
        move_mpus(builder, scan, &other, total, d, 1, at);
        take_mpus(builder, scan, before, &other, at);
        if (d)
            take_last_mpu(builder, scan, total, d, at);
    }
}

/* All that an MPU has: the last of the highest level's sums. */
static void move_last(struct ir_builder *builder, const struct array_scan *scan,
                      const struct array_value *to, const struct array_value *sums,
                      struct span at) {
    struct extent n = scan->along[scan->levels];
    struct ir_move m = scan_move(builder, scan, to, array_view_rest(builder, &scan->view), sums,
                                 group_of(builder, scan, scan->levels));
    struct move_affine *a = &m.record.source[axis_of(scan)];
    a->offset = n.size == NO_INDEX ? (int64_t)n.value - 1 : -1;
    a->size = n.size;
    a->size_coeff = n.size != NO_INDEX;
    ir_put_move(builder, &m, at);
}

/* `value`, of elements of the highest level, takes in what the MPUs in front have; they have
 * `sums`. */
static void take_mpus_in_front(struct ir_builder *builder, const struct array_scan *scan,
                               const struct array_value *sums, const struct array_value *value,
                               struct span at) {
    struct array_value total = mpu_value(builder, scan, 0), before = mpu_value(builder, scan, 1);
    uint32_t group = group_of(builder, scan, scan->levels);
    struct array_value front = {
        scan_variable(builder, group, value->type, 1, PART_OTHER, scan->levels), 0, value->type};
    move_last(builder, scan, &total, sums, at);
    scan_mpus(builder, scan, &total, &before, at);
    struct ir_move m =
        scan_move(builder, scan, &front, group, &before, array_view_rest(builder, &scan->view));
    ir_put_move(builder, &m, at);
    ir_begin_ensemble(builder, group, at);
    uint32_t own = ir_element(builder, value->variable, value->element);
    combine(builder, scan, ir_element(builder, front.variable, 0), own, own, at);
}

/* ---- all of it ---- */

static void begin_with_nothing(struct ir_builder *builder, const struct array_scan *scan,
                               const struct block *block, struct span at) {
    ir_begin_ensemble(builder, block->group, at);
    ir_constant(builder, scan->fold.type, identity(scan, scan->fold.type),
                ir_element(builder, block->out.variable, 0), at);
}

/* What stands in front of the blocks of the highest level. */
static void begin_highest(struct ir_builder *builder, const struct array_scan *scan,
                          const struct block *block, struct span at) {
    bool alone = scan->most == 1;
    struct array_value total = total_of(builder, scan, block);
    if (!alone || over_mpus(scan))
        fold_block(builder, scan, block, &total, at);
    scan_sums(builder, scan, &total, at);
    if (alone)
        begin_with_nothing(builder, scan, block, at);
    else
        move_back(builder, scan, scan->levels, &block->out, &total, 1, at);
    if (over_mpus(scan))
        take_mpus_in_front(builder, scan, &total, &block->out, at);
}

static void scan_levels(struct ir_builder *builder, const struct array_scan *scan,
                        const struct array_value *to, struct span at) {
    struct block blocks[SCAN_LEVELS + 1] = {{0}};
    struct array_value from = scan->fold.own;
    for (uint32_t level = 1; level <= scan->levels; level++) {
        struct block *x = &blocks[level];
        *x = block_of(builder, scan, level);
        move_up(builder, scan, x, &from, at);
        if (level == scan->levels)
            continue;
        from = total_of(builder, scan, x);
        fold_block(builder, scan, x, &from, at);
        if (cuts_lines(scan, level + 1) == CUTS_UNKNOWN) /* it is given out in one of two ways */
            begin_with_nothing(builder, scan, x, at);
    }
    begin_highest(builder, scan, &blocks[scan->levels], at);
    for (uint32_t level = scan->levels; level > 0; level--) {
        const struct block *x = &blocks[level];
        uint32_t first = level == 1 && !scan->exclusive;
        scan_block(builder, scan, x, x->parts - 1 + first, at);
        move_down(builder, scan, x, first, level > 1 ? &blocks[level - 1].out : to, at);
    }
}

/* Without blocks. */
static void scan_alone(struct ir_builder *builder, const struct array_scan *scan,
                       const struct array_value *to, struct span at) {
    uint32_t group = group_of(builder, scan, 0);
    struct array_value sums = {scan_variable(builder, group, scan->fold.type, 1, PART_TOTAL, 0), 0,
                               scan->fold.type};
    ir_begin_ensemble(builder, group, at);
    ir_convert(builder, array_fold_element(builder, &scan->fold), scan->fold.own.type, sums.type,
               ir_element(builder, sums.variable, 0), at);
    scan_sums(builder, scan, &sums, at);
    if (scan->exclusive)
        move_back(builder, scan, 0, to, &sums, 1, at);
    /* The same lanes, whatever axes they are of: as the sums, which are made in one go with it. */
    ir_begin_ensemble(builder, over_mpus(scan) ? scan->group : group, at);
    if (!scan->exclusive)
        ir_operation(builder, IR_COPY, to->type, ir_element(builder, to->variable, to->element),
                     ir_element(builder, sums.variable, 0), IR_NONE, IR_NONE, 0, at);
    if (over_mpus(scan))
        take_mpus_in_front(builder, scan, &sums, to, at);
}

void array_scan_begin(struct ir_builder *builder, struct array_scan *scan) {
    struct lane_type type = array_fold_type(&scan->fold, 1);
    scan->view = array_view(builder, scan->group, scan->axis);
    choose_levels(builder, scan);
    scan->fold.own =
        (struct array_value){scan_variable(builder, scan->group, type, 1, PART_OWN, 0), 0, type};
}

bool array_scan_borrow(struct ir_builder *builder, struct array_scan *scan,
                       const struct array_value *value) {
    if (builder->p->variables.data[value->variable].decl.group != scan->group ||
        !ir_same_type(value->type, scan->fold.own.type))
        return false;
    scan->fold.own = *value;
    return true;
}

/* Elements for which a size has no blocks; and for which it has one level of short ones: above 64
 * lanes or more, the registers of longer ones would be nearly empty. */
enum { FEW = 256, SOME = 1024, SOME_PARTS = 4 };

/* 0 for up to `most` elements, else 1. */
static struct extent has_more(struct ir_builder *builder, const struct array_scan *scan,
                              uint64_t most) {
    struct extent n = scan->view.along;
    if (scan->view.has_outer)
        n = ir_extent(builder, DERIVE_MUL, n, scan->view.outer);
    if (scan->view.has_inner)
        n = ir_extent(builder, DERIVE_MUL, n, scan->view.inner);
    return reaches(builder, n, most);
}

/* Such a scan if it is asked for, else left out when the program is packaged. */
static void scan_if(struct ir_builder *builder, const struct array_scan *scan,
                    const struct array_value *to, struct extent asked, struct span at) {
    struct ir_repeat r = ir_open_repeat(builder, asked, at);
    if (scan->levels)
        scan_levels(builder, scan, to, at);
    else
        scan_alone(builder, scan, to, at);
    ir_close_repeat(builder, &r);
}

static void scan_size(struct ir_builder *builder, const struct array_scan *scan,
                      const struct array_value *to, struct span at) {
    struct array_scan few = *scan, some = *scan;
    bool shorter = scan->parts[0] > SOME_PARTS;
    struct extent above = has_more(builder, scan, FEW),
                  far_above = shorter ? has_more(builder, scan, SOME) : above;
    few.levels = 0;
    few.most = FEW;
    scan_if(builder, &few, to, ir_extent(builder, DERIVE_SUB, one, above), at);
    some.levels = 1;
    some.parts[0] = SOME_PARTS;
    some.along[1] = array_ceil_div(builder, scan->along[0], SOME_PARTS);
    some.most = SOME / SOME_PARTS;
    if (shorter)
        scan_if(builder, &some, to, ir_extent(builder, DERIVE_SUB, above, far_above), at);
    scan_if(builder, scan, to, far_above, at);
}

void array_scan_run(struct ir_builder *builder, const struct array_scan *scan,
                    const struct array_value *to, struct span at) {
    bool of_size = scan->view.along.size != NO_INDEX && builder->repeats < IR_MOST_REPEATS;
    if (!scan->levels)
        scan_alone(builder, scan, to, at);
    else if (of_size)
        scan_size(builder, scan, to, at);
    else
        scan_levels(builder, scan, to, at);
}
