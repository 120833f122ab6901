/* SPDX-License-Identifier: MIT
 * The bitonic network.  Behind level l blocks of 2^l elements are in ascending order. */
#include "ezpim/array/sort.h"
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
    uint32_t base, group; /* group: [lines * padded] on the VRFs of `base`, that of `to` */
    uint32_t value, number;
    struct span at;
};

static unsigned use_of(unsigned part) {
    return ARRAY_USE_SORT + part;
}

static struct extent number(uint64_t value) {
    return (struct extent){NO_INDEX, value};
}

static bool is_one(struct extent x) {
    return x.size == NO_INDEX && x.value == 1;
}

unsigned array_sort_levels(uint64_t most_elements) {
    unsigned levels = 0;
    while (levels < 63 && (uint64_t)1 << levels < most_elements)
        levels++;
    return levels;
}

static uint32_t group_of(const struct ir_builder *b, uint32_t variable) {
    return b->p->variables.data[variable].decl.group;
}

static struct extent product(struct ir_builder *b, struct extent x, struct extent y) {
    return is_one(x) ? y : is_one(y) ? x : ir_extent(b, DERIVE_MUL, x, y);
}

/* ---- where elements lie ---- */

/* 1 if level l is needed, which makes blocks of 2^l elements, else 0: min((n - 1) / 2^(l - 1), 1).
 */
static struct extent needs_level(struct ir_builder *b, const struct sorting *s, unsigned l) {
    struct extent n = ir_extent(b, DERIVE_SUB, s->view.along, one);
    n = ir_extent(b, DERIVE_DIV, n, number((uint64_t)1 << (l - 1)));
    return ir_extent(b, DERIVE_MIN, n, one);
}

/* 2^k, for a size the least that is not below it, each level that is needed doubling it; where all
 * levels are carried out, that of the most that it can be. */
static struct extent padded_length(struct ir_builder *b, const struct sorting *s) {
    struct extent length = one;
    if (!s->guarded)
        return number((uint64_t)1 << s->levels);
    for (unsigned l = 1; l <= s->levels; l++) {
        struct extent half = number((uint64_t)1 << (l - 1));
        half = product(b, half, needs_level(b, s, l));
        length = ir_extent(b, DERIVE_ADD, length, half);
    }
    return length;
}

static void choose_lanes(struct ir_builder *b, struct sorting *s) {
    struct extent n = s->view.along;
    bool sized = n.size != NO_INDEX;
    s->levels = array_sort_levels((uint64_t)ir_extent_range(b->p, n).most);
    s->guarded = sized && b->repeats < IR_MOST_REPEATS;
    s->padded = padded_length(b, s);
    s->all = product(b, s->lines, s->padded);
    s->in_place =
        !sized && n.value == s->padded.value && !s->view.has_inner &&
        ir_group_root(b->p, group_of(b, s->x->from.variable)) == ir_group_root(b->p, s->base);
}

static struct sorting begin(struct ir_builder *b, const struct array_sort *x, struct span at) {
    struct sorting s = {.x = x, .base = group_of(b, x->to.variable), .lines = one, .at = at};
    s.view = array_view(b, s.base, x->axis);
    if (s.view.has_outer)
        s.lines = product(b, s.lines, s.view.outer);
    if (s.view.has_inner)
        s.lines = product(b, s.lines, s.view.inner);
    choose_lanes(b, &s);
    s.group = ir_group_like(b, s.base, 1, &s.all);
    s.value = ir_hidden(b, s.group, x->from.type, 1, use_of(USE_VALUE));
    return s;
}

static struct array_value hidden(struct ir_builder *b, const struct sorting *s, uint32_t group,
                                 unsigned part) {
    return (struct array_value){ir_hidden(b, group, s->x->from.type, 1, use_of(part)), 0,
                                s->x->from.type};
}

/* In the lanes of the group at hand. */
static void copy(struct ir_builder *b, const struct sorting *s, uint32_t group,
                 const struct array_value *from, const struct array_value *to) {
    ir_begin_ensemble(b, group, s->at);
    ir_convert(b, ir_element(b, from->variable, from->element), from->type, to->type,
               ir_element(b, to->variable, to->element), s->at);
}

/* [outer, inner, padded]: the axis comes last. */
static uint32_t padded_group(struct ir_builder *b, const struct sorting *s) {
    struct extent extents[GROUP_MAX_DIMS];
    uint32_t n = 0;
    if (s->view.has_outer)
        extents[n++] = s->view.outer;
    if (s->view.has_inner)
        extents[n++] = s->view.inner;
    extents[n++] = s->padded;
    return ir_group_like(b, s->base, n, extents);
}

/* Source coordinates, [outer, axis, inner], of a target with the axis last, or the other way. */
static void turn(const struct sorting *s, struct ir_move *m, bool to_last) {
    uint32_t axis = array_view_axis(&s->view), last = axis + s->view.has_inner;
    ir_move_source(m, to_last ? axis : last, to_last ? last : axis, 1, 0);
    if (s->view.has_inner)
        ir_move_source(m, to_last ? last : axis, to_last ? axis : last, 1, 0);
    m->record.outside = MOVE_FILL;
}

/* Behind the elements of a line lies what comes last. */
static void bring_in(struct ir_builder *b, const struct sorting *s) {
    const struct array_value *from = &s->x->from, value = {s->value, 0, from->type};
    if (s->in_place) {
        copy(b, s, s->group, from, &value);
        return;
    }
    struct array_view view = s->view;
    view.base = group_of(b, from->variable);
    struct array_value own = hidden(b, s, array_view_group(b, &view, view.along), USE_OWN);
    struct array_value padded = hidden(b, s, padded_group(b, s), USE_PADDED);
    copy(b, s, group_of(b, own.variable), from, &own);
    struct ir_move m = ir_plain_move(b->p, padded.variable, own.variable);
    turn(s, &m, true);
    m.record.fill = array_identity(ARRAY_MIN, from->type);
    ir_put_move(b, &m, s->at);
    copy(b, s, s->group, &padded, &value);
}

static void bring_back(struct ir_builder *b, const struct sorting *s) {
    const struct array_value *to = &s->x->to, value = {s->value, 0, s->x->from.type};
    if (s->in_place) {
        copy(b, s, s->base, &value, to);
        return;
    }
    struct array_value own = hidden(b, s, array_view_group(b, &s->view, s->view.along), USE_OWN);
    struct array_value padded = hidden(b, s, padded_group(b, s), USE_PADDED);
    copy(b, s, group_of(b, padded.variable), &value, &padded);
    struct ir_move m = ir_plain_move(b->p, own.variable, padded.variable);
    turn(s, &m, false);
    ir_put_move(b, &m, s->at);
    copy(b, s, s->base, &own, to);
}

/* ---- stages ---- */

/* How many blocks of 2^bits elements there are; in a level that a size does not need, no more lanes
 * than there are, too. */
static struct extent blocks_of(struct ir_builder *b, const struct sorting *s, unsigned bits) {
    struct extent n = ir_extent(b, DERIVE_DIV, s->all, number((uint64_t)1 << bits));
    return s->guarded ? ir_extent(b, DERIVE_MAX, n, one) : n;
}

static struct extent part_of(struct ir_builder *b, const struct sorting *s, unsigned bits,
                             struct extent most) {
    struct extent length = number((uint64_t)1 << bits);
    return s->guarded ? ir_extent(b, DERIVE_MIN, length, most) : length;
}

static struct ir_move stage_move(struct ir_builder *b, const struct sorting *s, uint32_t ndim,
                                 const struct extent *extents) {
    uint32_t group = ir_group_like(b, s->base, ndim, extents);
    uint32_t other = ir_hidden(b, group, s->x->from.type, 1, use_of(USE_OTHER));
    struct ir_move m = ir_plain_move(b->p, other, s->value);
    m.record.outside = MOVE_FILL;
    return m;
}

/* Blocks of 2^bits elements are turned round. */
static struct ir_move turned_blocks(struct ir_builder *b, const struct sorting *s, unsigned bits) {
    struct extent extents[] = {blocks_of(b, s, bits), part_of(b, s, bits, s->all)};
    struct ir_move m = stage_move(b, s, 2, extents);
    struct move_affine *a = &m.record.source[s->view.lead];
    int64_t length = (int64_t)1 << bits;
    a->coeff[s->view.lead] = length;
    a->coeff[s->view.lead + 1] = -1;
    a->offset = length - 1;
    return m;
}

/* The halves of blocks of 2^bits elements change places. */
static struct ir_move swapped_halves(struct ir_builder *b, const struct sorting *s, unsigned bits) {
    struct extent extents[] = {blocks_of(b, s, bits), number(2),
                               part_of(b, s, bits - 1, s->view.along)};
    struct ir_move m = stage_move(b, s, 3, extents);
    struct move_affine *a = &m.record.source[s->view.lead];
    int64_t half = (int64_t)1 << (bits - 1);
    a->coeff[s->view.lead] = 2 * half;
    a->coeff[s->view.lead + 1] = -half;
    a->coeff[s->view.lead + 2] = 1;
    a->offset = half;
    return m;
}

/* Whether the element lies in the second half of its block. */
static uint32_t second_half(struct ir_builder *b, const struct sorting *s, unsigned bits) {
    static const struct mpu_type bit = {TYPE_BOOL, 1};
    struct mpu_type upper = {TYPE_UINT, (uint8_t)bits};
    uint32_t v = ir_element(b, s->number, 0);
    if (bits > 1)
        v = ir_operation(b, IR_SHR, upper, IR_NONE, v, IR_NONE, IR_NONE, bits - 1, s->at);
    return ir_operation(b, IR_COPY, bit, IR_NONE, v, IR_NONE, IR_NONE, 0, s->at);
}

/* Blocks of 2^bits elements: of each two that are compared the first half keeps the smaller one. */
static void stage(struct ir_builder *b, const struct sorting *s, unsigned bits, bool turns) {
    static const struct mpu_type bit = {TYPE_BOOL, 1};
    struct ir_move m = turns ? turned_blocks(b, s, bits) : swapped_halves(b, s, bits);
    struct mpu_type type = s->x->from.type;
    ir_put_move(b, &m, s->at);
    ir_begin_ensemble(b, s->group, s->at);
    uint32_t own = ir_element(b, s->value, 0), other = ir_element(b, m.to, 0);
    uint32_t less = ir_operation(b, IR_LT, type, IR_NONE, other, own, IR_NONE, 0, s->at);
    uint32_t takes =
        ir_operation(b, IR_XOR, bit, IR_NONE, less, second_half(b, s, bits), IR_NONE, 0, s->at);
    ir_operation(b, IR_SELECT, type, own, takes, other, own, 0, s->at);
}

/* Sorted blocks of 2^l elements: turned round, the second half makes with the first one a sequence
 * that goes up and then down, and so does each half of what the first stage leaves. */
static void level(struct ir_builder *b, const struct sorting *s, unsigned l) {
    struct ir_repeat r = {NULL};
    if (s->guarded)
        r = ir_open_repeat(b, needs_level(b, s, l), s->at);
    stage(b, s, l, true);
    for (unsigned bits = l - 1; bits > 0; bits--)
        stage(b, s, bits, false);
    if (s->guarded)
        ir_close_repeat(b, &r);
}

/* Of the number of the element in its line the low bits are asked for. */
static void number_elements(struct ir_builder *b, struct sorting *s) {
    struct mpu_type type = {TYPE_UINT, (uint8_t)s->levels};
    s->number = ir_hidden(b, s->group, type, 1, use_of(USE_NUMBER));
    ir_begin_ensemble(b, s->group, s->at);
    ir_operation(b, IR_MACHINE, type, ir_element(b, s->number, 0), IR_NONE, IR_NONE, IR_NONE, 0,
                 s->at);
    vec_last(&b->code->insns).machine = OP_INDEX;
    vec_last(&b->code->insns).width = type.bits;
}

void array_sort(struct ir_builder *b, const struct array_sort *x, struct span at) {
    struct sorting s = begin(b, x, at);
    bring_in(b, &s);
    if (s.levels > 0)
        number_elements(b, &s);
    for (unsigned l = 1; l <= s.levels; l++)
        level(b, &s, l);
    bring_back(b, &s);
}
