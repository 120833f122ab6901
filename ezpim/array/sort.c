/* SPDX-License-Identifier: MIT
 * The bitonic network.  After level l each block of 2^l elements is in ascending order. */
#include "ezpim/array/sort.h"
#include "ezpim/ir/float.h"
#include "support/bits.h"

enum { USE_VALUE, USE_OTHER, USE_NUMBER, USE_PADDED, USE_OWN };

static const struct extent one = {NO_INDEX, 1};

/* Elements lie in lines of `padded` lanes, one line behind the other; a line is what is sorted. */
struct sorting {
    const struct array_sort *x;
    struct array_view view;           /* of the groups of `from` and `to` */
    struct extent lines, padded, all; /* all: lines * padded */
    unsigned levels;
    bool guarded;         /* of a size: levels that it does not need are left out */
    bool in_place;        /* elements are in their lanes already */
    uint32_t base, group; /* group: [lines * padded] on the VRFs of `base` */
    uint32_t value, number;
    struct lane_type type; /* that is compared: of floating point its keys (ezpim/ir/float.h) */
    struct span at;
};

static unsigned use_of(unsigned part) {
    return ARRAY_USE_SORT + part;
}

static struct extent number(uint64_t value) {
    return (struct extent){NO_INDEX, value};
}

static bool is_one(struct extent extent) {
    return extent.size == NO_INDEX && extent.value == 1;
}

unsigned array_sort_levels(uint64_t most_elements) {
    unsigned levels = 0;
    while (levels < 63 && (uint64_t)1 << levels < most_elements)
        levels++;
    return levels;
}

static uint32_t group_of(const struct ir_builder *builder, uint32_t variable) {
    return builder->p->variables.data[variable].decl.group;
}

static struct extent product(struct ir_builder *builder, struct extent left, struct extent right) {
    return is_one(left)    ? right
           : is_one(right) ? left
                           : ir_extent(builder, DERIVE_MUL, left, right);
}

/* ---- where elements lie ---- */

/* 1 if level l is needed, which makes blocks of 2^l elements, else 0: min((n - 1) / 2^(l - 1), 1).
 */
static struct extent needs_level(struct ir_builder *builder, const struct sorting *sorting,
                                 unsigned l) {
    struct extent n = ir_extent(builder, DERIVE_SUB, sorting->view.along, one);
    n = ir_extent(builder, DERIVE_DIV, n, number((uint64_t)1 << (l - 1)));
    return ir_extent(builder, DERIVE_MIN, n, one);
}

/* 2^k, for a size the least that is not below it, each level that is needed doubling it; where all
 * levels are carried out, that of the most that it can be. */
static struct extent padded_length(struct ir_builder *builder, const struct sorting *sorting) {
    struct extent length = one;
    if (!sorting->guarded)
        return number((uint64_t)1 << sorting->levels);
    for (unsigned l = 1; l <= sorting->levels; l++) {
        struct extent half = number((uint64_t)1 << (l - 1));
        half = product(builder, half, needs_level(builder, sorting, l));
        length = ir_extent(builder, DERIVE_ADD, length, half);
    }
    return length;
}

/* On the VRFs on which lines are sorted. */
static bool lies_there(const struct ir_builder *builder, const struct sorting *sorting,
                       const struct array_value *value) {
    return ir_group_root(builder->p, group_of(builder, value->variable)) ==
           ir_group_root(builder->p, sorting->base);
}

static void choose_lanes(struct ir_builder *builder, struct sorting *sorting) {
    struct extent n = sorting->view.along;
    bool sized = n.size != NO_INDEX;
    sorting->levels = array_sort_levels((uint64_t)ir_extent_range(builder->p, n).most);
    sorting->guarded = sized && builder->repeats < IR_MOST_REPEATS;
    sorting->padded = padded_length(builder, sorting);
    sorting->all = product(builder, sorting->lines, sorting->padded);
    sorting->in_place = !sized && n.value == sorting->padded.value && !sorting->view.has_inner &&
                        lies_there(builder, sorting, &sorting->x->from) &&
                        lies_there(builder, sorting, &sorting->x->to);
}

static struct sorting begin(struct ir_builder *builder, const struct array_sort *sort,
                            struct span at) {
    struct sorting s = {
        .x = sort, .base = group_of(builder, sort->to.variable), .lines = one, .at = at};
    s.base = sort->base == NO_INDEX ? s.base : sort->base;
    s.type = sort->from.type;
    if (object_type_is_float(s.type))
        s.type.kind = TYPE_UINT;
    s.view = array_view(builder, s.base, sort->axis);
    if (s.view.has_outer)
        s.lines = product(builder, s.lines, s.view.outer);
    if (s.view.has_inner)
        s.lines = product(builder, s.lines, s.view.inner);
    choose_lanes(builder, &s);
    s.group = ir_group_like(builder, s.base, 1, &s.all);
    s.value = ir_hidden(builder, s.group, s.type, 1, use_of(USE_VALUE));
    return s;
}

static struct array_value hidden(struct ir_builder *builder, const struct sorting *sorting,
                                 uint32_t group, unsigned part) {
    return (struct array_value){ir_hidden(builder, group, sorting->type, 1, use_of(part)), 0,
                                sorting->type};
}

/* In the lanes of the group at hand.  Floating point becomes keys, and keys that. */
static void copy(struct ir_builder *builder, const struct sorting *sorting, uint32_t group,
                 const struct array_value *from, const struct array_value *to) {
    struct lane_type own = sorting->x->from.type, type = from->type;
    ir_begin_ensemble(builder, group, sorting->at);
    uint32_t v = ir_element(builder, from->variable, from->element),
             dst = ir_element(builder, to->variable, to->element);
    bool keys = object_type_is_float(own);
    if (keys && type.kind == own.kind && to->type.kind == TYPE_UINT) {
        ir_float_key(builder, own, v, false, ir_float_nan_key(own), dst, sorting->at);
        return;
    }
    if (keys && type.kind == TYPE_UINT && to->type.kind == own.kind) {
        v = ir_float_of_key(builder, own, v, IR_NONE, sorting->at);
        type = own;
    }
    ir_convert(builder, v, type, to->type, dst, sorting->at);
}

/* [outer, inner, padded]: the axis comes last. */
static uint32_t padded_group(struct ir_builder *builder, const struct sorting *sorting) {
    struct extent extents[GROUP_MAX_DIMS];
    uint32_t n = 0;
    if (sorting->view.has_outer)
        extents[n++] = sorting->view.outer;
    if (sorting->view.has_inner)
        extents[n++] = sorting->view.inner;
    extents[n++] = sorting->padded;
    return ir_group_like(builder, sorting->base, n, extents);
}

/* Source coordinates, [outer, axis, inner], of a target with the axis last, or the other way. */
static void turn(const struct sorting *sorting, struct ir_move *move, bool to_last) {
    uint32_t axis = array_view_axis(&sorting->view), last = axis + sorting->view.has_inner;
    ir_move_source(move, to_last ? axis : last, to_last ? last : axis, 1, 0);
    if (sorting->view.has_inner)
        ir_move_source(move, to_last ? last : axis, to_last ? axis : last, 1, 0);
    move->record.outside = MOVE_FILL;
}

/* Where elements of the value's group are as they are moved. */
static struct array_value outside(struct ir_builder *builder, const struct sorting *sorting,
                                  const struct array_value *value) {
    struct array_view view = sorting->view;
    view.base = group_of(builder, value->variable);
    return hidden(builder, sorting, array_view_group(builder, &view, view.along), USE_OWN);
}

/* Behind the elements of a line lies what comes last. */
static void bring_in(struct ir_builder *builder, const struct sorting *sorting) {
    const struct array_value *from = &sorting->x->from, value = {sorting->value, 0, sorting->type};
    if (sorting->in_place) {
        copy(builder, sorting, sorting->group, from, &value);
        return;
    }
    struct array_value own = outside(builder, sorting, from);
    struct array_value padded =
        hidden(builder, sorting, padded_group(builder, sorting), USE_PADDED);
    copy(builder, sorting, group_of(builder, own.variable), from, &own);
    struct ir_move m = ir_plain_move(builder->p, padded.variable, own.variable);
    turn(sorting, &m, true);
    m.record.fill = array_identity(ARRAY_MIN, sorting->type);
    ir_put_move(builder, &m, sorting->at);
    copy(builder, sorting, sorting->group, &padded, &value);
}

static void bring_back(struct ir_builder *builder, const struct sorting *sorting) {
    const struct array_value *to = &sorting->x->to, value = {sorting->value, 0, sorting->type};
    if (sorting->in_place) {
        copy(builder, sorting, group_of(builder, to->variable), &value, to);
        return;
    }
    struct array_value own = outside(builder, sorting, to);
    struct array_value padded =
        hidden(builder, sorting, padded_group(builder, sorting), USE_PADDED);
    copy(builder, sorting, group_of(builder, padded.variable), &value, &padded);
    struct ir_move m = ir_plain_move(builder->p, own.variable, padded.variable);
    turn(sorting, &m, false);
    ir_put_move(builder, &m, sorting->at);
    copy(builder, sorting, group_of(builder, to->variable), &own, to);
}

/* ---- stages ---- */

/* How many blocks of 2^bits elements there are; in a level that a size does not need, no more lanes
 * than there are, too. */
static struct extent blocks_of(struct ir_builder *builder, const struct sorting *sorting,
                               unsigned bits) {
    struct extent n = ir_extent(builder, DERIVE_DIV, sorting->all, number((uint64_t)1 << bits));
    return sorting->guarded ? ir_extent(builder, DERIVE_MAX, n, one) : n;
}

static struct extent part_of(struct ir_builder *builder, const struct sorting *sorting,
                             unsigned bits, struct extent most) {
    struct extent length = number((uint64_t)1 << bits);
    return sorting->guarded ? ir_extent(builder, DERIVE_MIN, length, most) : length;
}

static struct ir_move stage_move(struct ir_builder *builder, const struct sorting *sorting,
                                 uint32_t ndim, const struct extent *extents) {
    uint32_t group = ir_group_like(builder, sorting->base, ndim, extents);
    uint32_t other = ir_hidden(builder, group, sorting->type, 1, use_of(USE_OTHER));
    struct ir_move m = ir_plain_move(builder->p, other, sorting->value);
    m.record.outside = MOVE_FILL;
    return m;
}

/* Blocks of 2^bits elements are turned round. */
static struct ir_move turned_blocks(struct ir_builder *builder, const struct sorting *sorting,
                                    unsigned bits) {
    struct extent extents[] = {blocks_of(builder, sorting, bits),
                               part_of(builder, sorting, bits, sorting->all)};
    struct ir_move m = stage_move(builder, sorting, 2, extents);
    struct move_affine *a = &m.record.source[sorting->view.lead];
    int64_t length = (int64_t)1 << bits;
    a->coeff[sorting->view.lead] = length;
    a->coeff[sorting->view.lead + 1] = -1;
    a->offset = length - 1;
    return m;
}

/* The halves of blocks of 2^bits elements change places. */
static struct ir_move swapped_halves(struct ir_builder *builder, const struct sorting *sorting,
                                     unsigned bits) {
    struct extent extents[] = {blocks_of(builder, sorting, bits), number(2),
                               part_of(builder, sorting, bits - 1, sorting->view.along)};
    struct ir_move m = stage_move(builder, sorting, 3, extents);
    struct move_affine *a = &m.record.source[sorting->view.lead];
    int64_t half = (int64_t)1 << (bits - 1);
    a->coeff[sorting->view.lead] = 2 * half;
    a->coeff[sorting->view.lead + 1] = -half;
    a->coeff[sorting->view.lead + 2] = 1;
    a->offset = half;
    return m;
}

/* Whether the element lies in the second half of its block. */
static uint32_t second_half(struct ir_builder *builder, const struct sorting *sorting,
                            unsigned bits) {
    static const struct lane_type bit = {TYPE_BOOL, 1};
    struct lane_type upper = {TYPE_UINT, (uint8_t)bits};
    uint32_t v = ir_element(builder, sorting->number, 0);
    if (bits > 1)
        v = ir_operation(builder, IR_SHR, upper, IR_NONE, v, IR_NONE, IR_NONE, bits - 1,
                         sorting->at);
    return ir_operation(builder, IR_COPY, bit, IR_NONE, v, IR_NONE, IR_NONE, 0, sorting->at);
}

/* Blocks of 2^bits elements: of each two that are compared the first half keeps the smaller one. */
static void stage(struct ir_builder *builder, const struct sorting *sorting, unsigned bits,
                  bool turns) {
    static const struct lane_type bit = {TYPE_BOOL, 1};
    struct ir_move m =
        turns ? turned_blocks(builder, sorting, bits) : swapped_halves(builder, sorting, bits);
    struct lane_type type = sorting->type;
    ir_put_move(builder, &m, sorting->at);
    ir_begin_ensemble(builder, sorting->group, sorting->at);
    uint32_t own = ir_element(builder, sorting->value, 0), other = ir_element(builder, m.to, 0);
    uint32_t less =
        ir_operation(builder, IR_LT, type, IR_NONE, other, own, IR_NONE, 0, sorting->at);
    uint32_t takes = ir_operation(builder, IR_XOR, bit, IR_NONE, less,
                                  second_half(builder, sorting, bits), IR_NONE, 0, sorting->at);
    ir_operation(builder, IR_SELECT, type, own, takes, other, own, 0, sorting->at);
}

/* Sorted blocks of 2^l elements: turned round, the second half makes with the first one a sequence
 * that goes up and then down, and so does each half of what the first stage leaves. */
static void level(struct ir_builder *builder, const struct sorting *sorting, unsigned l) {
    struct ir_repeat r = {NULL};
    if (sorting->guarded)
        r = ir_open_repeat(builder, needs_level(builder, sorting, l), sorting->at);
    stage(builder, sorting, l, true);
    for (unsigned bits = l - 1; bits > 0; bits--)
        stage(builder, sorting, bits, false);
    if (sorting->guarded)
        ir_close_repeat(builder, &r);
}

/* Of the number of the element in its line the low bits are asked for. */
static void number_elements(struct ir_builder *builder, struct sorting *sorting) {
    struct lane_type type = {TYPE_UINT, (uint8_t)sorting->levels};
    sorting->number = ir_hidden(builder, sorting->group, type, 1, use_of(USE_NUMBER));
    ir_begin_ensemble(builder, sorting->group, sorting->at);
    ir_lane_index(builder, type, ir_element(builder, sorting->number, 0), sorting->at);
}

void array_sort(struct ir_builder *builder, const struct array_sort *sort, struct span at) {
    struct sorting s = begin(builder, sort, at);
    bring_in(builder, &s);
    if (s.levels > 0)
        number_elements(builder, &s);
    for (unsigned l = 1; l <= s.levels; l++)
        level(builder, &s, l);
    bring_back(builder, &s);
}
