/* SPDX-License-Identifier: MIT */
#include "ezpim/array/fold.h"

#include "support/bits.h"

#include <string.h>

/* Parts that come together.  As many registers are moved with 2 as with 4, but MPUs side by side
 * share the work evenly with 2: mimdram sums 65,536 in 14 ms instead of 20.  Where the length is a
 * size there are half as many levels with 4, in a text that has all that there may be. */
enum { FAR = 2, FAR_OF_SIZES = 4, NEAR = 8, BEST_OF_SIZES = 4, MOST_ITEMS = 64 };

/* Levels of a size in the text are for so many elements; a loop does the rest. */
enum { LEVELS_FOR = 65536 };

/* Parts of uses: those of one type and group differ in these. */
enum {
    PART_OWN,
    PART_OTHER,
    PART_INDEX,
    PART_OTHER_INDEX,
    PART_RESULT,
    PART_RESULT_INDEX,
    PART_REST,
    PART_REST_INDEX,
    PARTS
};

static const struct extent one = {NO_INDEX, 1};

/* ---- what is folded ---- */

static bool with_index(enum array_fold_kind kind) {
    return kind == ARRAY_ARGMIN || kind == ARRAY_ARGMAX;
}

uint64_t array_identity(enum array_fold_kind kind, struct mpu_type type) {
    uint64_t ones = low_bits(type.bits), top = (uint64_t)1 << (type.bits - 1);
    bool with_sign = type.kind == TYPE_INT;
    switch (kind) {
    case ARRAY_PROD:
        return 1;
    case ARRAY_MIN:
    case ARRAY_ARGMIN:
        return with_sign ? ones ^ top : ones;
    case ARRAY_MAX:
    case ARRAY_ARGMAX:
        return with_sign ? top : 0;
    case ARRAY_AND:
        return ones;
    default:
        return 0;
    }
}

enum ir_op array_operation(enum array_fold_kind kind) {
    static const uint8_t ops[] = {
        [ARRAY_SUM] = IR_ADD, [ARRAY_PROD] = IR_MUL, [ARRAY_MIN] = IR_MIN, [ARRAY_MAX] = IR_MAX,
        [ARRAY_AND] = IR_AND, [ARRAY_OR] = IR_OR,    [ARRAY_XOR] = IR_XOR};
    return (enum ir_op)ops[kind];
}

/* Beyond what a sum of 2^40 values of 64 bits needs. */
__extension__ typedef unsigned __int128 large;

static unsigned bits_of(large v) {
    unsigned bits = 0;
    for (; v; v >>= 1)
        bits++;
    return bits;
}

struct mpu_type array_sum_type(struct mpu_type value, uint64_t most, struct mpu_type result) {
    bool with_sign = value.kind == TYPE_INT;
    large largest = (((large)1 << value.bits) - 1) * most;
    unsigned bits = with_sign ? value.bits + bits_of(most - 1) : bits_of(largest);
    if (most == 0 || bits >= result.bits)
        return result;
    return (struct mpu_type){with_sign ? TYPE_INT : TYPE_UINT, (uint8_t)bits};
}

/* Of what is made of so many elements. */
static struct mpu_type exact_type(const struct array_fold *item, uint64_t elements) {
    return item->kind == ARRAY_SUM ? array_sum_type(item->from, elements, item->type) : item->from;
}

struct mpu_type array_fold_type(const struct array_fold *item, uint64_t elements) {
    struct mpu_type type = exact_type(item, elements);
    unsigned bits = (type.bits + 3u) / 4 * 4;
    if (item->kind != ARRAY_SUM || elements <= 64 || bits >= item->type.bits)
        return type;
    return (struct mpu_type){type.kind, (uint8_t)bits};
}

static uint64_t times(uint64_t a, uint64_t b) {
    return a > OBJECT_MAX_EXTENT / b ? OBJECT_MAX_EXTENT : a * b;
}

/* Values of one class of identities may stand in one array: one move fills it. */
static unsigned class_of(const struct array_fold *item, struct mpu_type type) {
    uint64_t v = array_identity(item->kind, type);
    return v == 0 ? 0 : v == low_bits(type.bits) ? 1 : v == 1 ? 2 : v >> (type.bits - 1) ? 3 : 4;
}

static unsigned use_of(unsigned class, unsigned part, uint32_t number) {
    return ARRAY_USE_FOLD + (number * 8u + class) * PARTS + part;
}

/* One that holds something from level to level, and to the end only if it is of the last one. */
static uint32_t level_variable(struct ir_builder *b, uint32_t group, struct mpu_type type,
                               uint32_t count, unsigned use) {
    uint32_t v = ir_hidden(b, group, type, count, use);
    b->p->variables.data[v].chained = true;
    return v;
}

/* ---- levels ---- */

/* One level: elements of `group` take in, of each of the group before, `parts` elements that lie
 * `step` apart along coordinate `axis` of the source. */
struct level {
    struct array_folds *f;
    uint32_t group, axis;
    bool far;        /* the first part lies in the element itself; else parts are neighbours */
    bool ends;       /* `group` has no axis any more */
    bool mpus;       /* MPUs take in each other, along that coordinate */
    uint32_t number; /* of uses, so that no two levels of one group have a variable in common */
    uint32_t parts;  /* with the own one */
    struct extent step;
    struct span at;
};

/* Items that have their values in one variable, and what they take in: part p of item i comes to
 * register i * parts + p, or, if by_part, p * count + i. */
struct set {
    uint32_t count, other;
    uint32_t items[MOST_ITEMS];
    bool by_part;
};

static uint32_t taken_parts(const struct level *l) {
    return l->parts - l->far;
}

static uint32_t other_register(const struct level *l, const struct set *s, uint32_t part,
                               uint32_t i) {
    return s->by_part ? part * s->count + i : i * taken_parts(l) + part;
}

/* Part 0 of all elements; in front of the axis coordinates are the same on both sides. */
static struct ir_move level_move(const struct ir_builder *b, const struct level *l, uint32_t to,
                                 uint32_t from) {
    const struct array_view *v = &l->f->view;
    uint32_t axis = array_view_axis(v), dims = ir_group_dims(b->p, l->group);
    struct ir_move m = ir_plain_move(b->p, to, from);
    for (uint32_t k = axis; k < MOVE_MAX_DIMS; k++)
        m.record.source[k] = (struct move_affine){.size = NO_INDEX};
    if (!l->ends && !l->mpus)
        ir_move_source(&m, axis, axis, l->far ? 1 : (int64_t)l->parts, 0);
    if (v->has_inner)
        ir_move_source(&m, axis + 1, dims - 1, 1, 0);
    for (uint32_t d = l->axis + 1; l->mpus && d < v->lead; d++) /* they are folded: all is in 0 */
        ir_move_bound(&m, d, (struct move_bound){0, NO_INDEX, 0},
                      (struct move_bound){1, NO_INDEX, 0});
    m.record.outside = MOVE_FILL;
    return m;
}

static uint32_t register_coordinate(const struct ir_builder *b, uint32_t variable) {
    return ir_group_dims(b->p, b->p->variables.data[variable].decl.group);
}

/* The destinations are registers first .. first + count - 1. */
static void bound_registers(const struct ir_builder *b, struct ir_move *m, uint32_t first,
                            uint32_t count) {
    if (m->record.dst_has_k)
        ir_move_bound(m, register_coordinate(b, m->to), (struct move_bound){first, NO_INDEX, 0},
                      (struct move_bound){first + count, NO_INDEX, 0});
}

/* Where a part lies, beside the first. */
static void put_offset(const struct level *l, struct move_affine *a, uint32_t part) {
    part += l->far;
    a->offset = (int64_t)(l->step.value * part);
    a->size = part ? l->step.size : NO_INDEX;
    a->size_coeff = a->size == NO_INDEX ? 0 : part;
}

/* All parts of one register of a variable, to registers `first` and so on of another. */
static void move_parts(struct ir_builder *b, const struct level *l, uint32_t to, uint32_t first,
                       const struct array_value *from, uint64_t fill) {
    struct ir_move m = level_move(b, l, to, from->variable);
    struct move_affine *axis = &m.record.source[l->axis];
    int64_t step = (int64_t)l->step.value;
    bound_registers(b, &m, first, taken_parts(l));
    axis->offset = step * l->far;
    if (m.record.dst_has_k) {
        axis->coeff[register_coordinate(b, to)] = step;
        axis->offset -= step * first;
    }
    if (m.record.src_has_k)
        m.record.source[register_coordinate(b, from->variable)].offset = from->element;
    m.record.fill = fill;
    ir_put_move(b, &m, l->at);
}

/* One part of `count` registers of a variable, from that of `from` on. */
static void move_part(struct ir_builder *b, const struct level *l, uint32_t to, uint32_t first,
                      uint32_t part, const struct array_value *from, uint32_t count,
                      uint64_t fill) {
    struct ir_move m = level_move(b, l, to, from->variable);
    bound_registers(b, &m, first, count);
    put_offset(l, &m.record.source[l->axis], part);
    struct move_affine *k = &m.record.source[register_coordinate(b, from->variable)];
    if (m.record.src_has_k)
        k->offset = from->element;
    if (m.record.src_has_k && m.record.dst_has_k) {
        k->coeff[register_coordinate(b, to)] = 1;
        k->offset -= first;
    }
    m.record.fill = fill;
    ir_put_move(b, &m, l->at);
}

/* How many items from the i-th on lie in registers one behind the other. */
static uint32_t in_a_row(const struct array_folds *f, const struct set *s, uint32_t i) {
    uint32_t n = 1, first = f->items[s->items[i]].own.element;
    while (i + n < s->count && f->items[s->items[i + n]].own.element == first + n)
        n++;
    return n;
}

static void move_set(struct ir_builder *b, const struct level *l, const struct set *s) {
    const struct array_folds *f = l->f;
    const struct array_fold *first = &f->items[s->items[0]];
    uint64_t fill = array_identity(first->kind, first->own.type);
    for (uint32_t i = 0; i < s->count && !s->by_part; i++)
        move_parts(b, l, s->other, i * taken_parts(l), &f->items[s->items[i]].own, fill);
    for (uint32_t part = 0; s->by_part && part < taken_parts(l); part++)
        for (uint32_t i = 0, n; i < s->count; i += n) {
            n = in_a_row(f, s, i);
            move_part(b, l, s->other, part * s->count + i, part, &f->items[s->items[i]].own, n,
                      fill);
        }
}

/* ---- taking in ---- */

static bool same_type(struct mpu_type a, struct mpu_type b) {
    return a.kind == b.kind && a.bits == b.bits;
}

static uint32_t at_type(struct ir_builder *b, const struct array_term *t, struct mpu_type type,
                        struct span at) {
    return same_type(t->type, type) ? t->v : ir_convert(b, t->v, t->type, type, IR_NONE, at);
}

static struct array_term combine(struct ir_builder *b, const struct array_fold *item,
                                 const struct array_term *x, const struct array_term *y,
                                 uint32_t dst, struct span at) {
    struct array_term r = {.elements = times(1, x->elements + y->elements)};
    r.type = array_fold_type(item, r.elements);
    uint32_t v = at_type(b, x, r.type, at), w = at_type(b, y, r.type, at);
    r.v = ir_operation(b, array_operation(item->kind), r.type, dst, v, w, IR_NONE, 0, at);
    return r;
}

void array_fold_terms(struct ir_builder *b, const struct array_fold *item, struct array_term *t,
                      uint32_t n, struct mpu_type type, uint32_t dst, struct span at) {
    for (; n > 2; n = (n + 1) / 2)
        for (uint32_t i = 0; i < n; i += 2)
            t[i / 2] = i + 1 < n ? combine(b, item, &t[i], &t[i + 1], IR_NONE, at) : t[i];
    uint32_t v = at_type(b, &t[0], type, at), w = at_type(b, &t[1], type, at);
    ir_operation(b, array_operation(item->kind), type, dst, v, w, IR_NONE, 0, at);
}

/* Into a register of what came: own values stay as they are, since where their group goes on behind
 * that of the level there are others. */
static void add_to_other(struct ir_builder *b, const struct array_fold *item,
                         const struct array_term *t, uint32_t n, uint32_t dst, struct span at) {
    for (uint32_t i = 1; i < n; i++)
        ir_operation(b, array_operation(item->kind), t->type, dst, i == 1 ? t->v : dst, t[i].v,
                     IR_NONE, 0, at);
}

/* What `own` is made of behind the level, at most. */
static uint64_t elements_behind(const struct level *l) {
    uint64_t n = times(l->f->elements, l->parts);
    return n < l->f->most ? n : l->f->most;
}

/* True if the item has a wider type behind the level. */
static bool grows(const struct level *l, const struct array_fold *item) {
    return !same_type(array_fold_type(item, elements_behind(l)), item->own.type);
}

/* Items that come from narrower types to the same one, and class, share a variable. */
static struct array_value new_own(struct ir_builder *b, const struct level *l, uint32_t item,
                                  struct mpu_type type) {
    const struct array_folds *f = l->f;
    uint64_t elements = elements_behind(l);
    unsigned class = class_of(&f->items[item], type);
    struct array_value v = {.type = type};
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        const struct array_fold *k = &f->items[i];
        bool comes =
            k->grows && same_type(array_fold_type(k, elements), type) && class_of(k, type) == class;
        v.element += comes && i < item;
        count += comes;
    }
    v.variable = level_variable(b, l->group, type, count, use_of(class, PART_OWN, l->number));
    return v;
}

static void take_in(struct ir_builder *b, const struct level *l, const struct set *s, uint32_t i) {
    struct array_folds *f = l->f;
    struct array_fold *item = &f->items[s->items[i]];
    struct mpu_type from = item->own.type, type;
    struct array_term t[NEAR];
    uint32_t n = 0;
    if (l->far)
        t[n++] = (struct array_term){array_fold_element(b, item), from, f->elements};
    for (uint32_t p = 0; p < taken_parts(l); p++)
        t[n++] = (struct array_term){ir_element(b, s->other, other_register(l, s, p, i)), from,
                                     f->elements};
    type = array_fold_type(item, elements_behind(l));
    if (!item->grows) {
        uint32_t other = other_register(l, s, 0, i);
        add_to_other(b, item, t, n, ir_element(b, s->other, other), l->at);
        item->own = (struct array_value){s->other, other, type};
        return;
    }
    struct array_value own = new_own(b, l, s->items[i], type);
    array_fold_terms(b, item, t, n, type, ir_element(b, own.variable, own.element), l->at);
    item->own = own;
}

/* ---- the number of the best ---- */

static struct mpu_type bits_type(unsigned bits) {
    return (struct mpu_type){TYPE_UINT, (uint8_t)bits};
}

/* high above the `bits` low ones of `low`, which is IR_NONE if there are none. */
static uint32_t concatenate(struct ir_builder *b, uint32_t high, unsigned high_bits, uint32_t low,
                            unsigned bits, struct span at) {
    struct mpu_type type = bits_type(high_bits + bits);
    if (bits == 0)
        return high;
    uint32_t above = ir_convert(b, high, bits_type(high_bits), type, IR_NONE, at);
    uint32_t below = ir_convert(b, low, bits_type(bits), type, IR_NONE, at);
    above = ir_operation(b, IR_SHL, type, IR_NONE, above, IR_NONE, IR_NONE, bits, at);
    return ir_operation(b, IR_OR, type, IR_NONE, above, below, IR_NONE, 0, at);
}

static enum ir_op better(const struct array_fold *item) {
    return item->kind == ARRAY_ARGMIN ? IR_LT : IR_GT;
}

/* The best of an element's parts so far: its value, which of them it is, and its own index. */
struct best {
    uint32_t v, place, low; /* low: IR_NONE: there is none */
    unsigned bits;          /* of place */
};

static void replace(struct ir_builder *b, struct mpu_type type, uint32_t to, uint32_t by,
                    struct span at) {
    ir_operation(b, IR_COPY, type, to, by, IR_NONE, IR_NONE, 0, at);
}

/* Part p with that value and index comes in where it is better.  Lanes that take it are enabled
 * alone: most machines write a register under a mask for less than they select. */
static void compete(struct ir_builder *b, const struct array_fold *item, const struct best *x,
                    uint32_t p, uint32_t v, uint32_t low, struct span at) {
    uint32_t wins = ir_operation(b, better(item), item->own.type, IR_NONE, v, x->v, IR_NONE, 0, at);
    uint32_t region = ir_open(b->code, IR_IF, wins, at);
    replace(b, item->own.type, x->v, v, at);
    ir_constant(b, bits_type(x->bits), p, x->place, at);
    if (low != IR_NONE)
        replace(b, item->index.type, x->low, low, at);
    ir_mark(b->code, IR_END, region, IR_NONE, at);
}

/* The values and indices of `parts` elements are in registers of `value` and `index`, from 0 on:
 * the first becomes the best, of equals the first. */
static struct best find_best(struct ir_builder *b, const struct level *l,
                             const struct array_fold *item, uint32_t value, uint32_t index) {
    bool has_low = item->index.type.bits;
    struct best x = {ir_element(b, value, 0), IR_NONE, IR_NONE, bits_of(l->parts - 1)};
    if (has_low)
        x.low = ir_element(b, index, 0);
    x.place = ir_constant(b, bits_type(x.bits), 0, IR_NONE, l->at);
    for (uint32_t p = 1; p < l->parts; p++)
        compete(b, item, &x, p, ir_element(b, value, p),
                has_low ? ir_element(b, index, p) : IR_NONE, l->at);
    return x;
}

static void choose_best(struct ir_builder *b, const struct level *l, uint32_t number,
                        uint32_t value, uint32_t index) {
    struct array_fold *item = &l->f->items[number];
    unsigned low = item->index.type.bits;
    struct best x = find_best(b, l, item, value, index);
    struct mpu_type all = bits_type(x.bits + low), type = bits_type(bits_of(l->f->most - 1));
    if (type.bits > all.bits)
        type = all;
    uint32_t own = level_variable(b, l->group, type, 1, use_of(0, PART_INDEX, number));
    uint32_t place = concatenate(b, x.place, x.bits, x.low, low, l->at);
    ir_convert(b, place, all, type, ir_element(b, own, 0), l->at);
    item->index = (struct array_value){own, 0, type};
    item->own = (struct array_value){value, 0, item->own.type};
}

/* The values of an element's parts come, and their indices, which all are lower bits. */
static void fold_best(struct ir_builder *b, const struct level *l, uint32_t number) {
    struct array_fold *item = &l->f->items[number];
    struct mpu_type type = item->index.type;
    unsigned class = class_of(item, item->own.type);
    uint32_t index = IR_NONE, value = level_variable(b, l->group, item->own.type, l->parts,
                                                     use_of(class, PART_OTHER, number));
    move_parts(b, l, value, 0, &item->own, array_identity(item->kind, item->own.type));
    if (type.bits) {
        index = level_variable(b, l->group, type, l->parts, use_of(0, PART_OTHER_INDEX, number));
        move_parts(b, l, index, 0, &item->index, 0);
    }
    ir_begin_ensemble(b, l->group, l->at);
    choose_best(b, l, number, value, index);
}

/* MPUs compare indices too: they do not take in each other in their order. */
static void fold_best_of_mpus(struct ir_builder *b, const struct level *l, uint32_t number) {
    struct array_fold *item = &l->f->items[number];
    struct mpu_type value = item->own.type, index = item->index.type, bit = {TYPE_BOOL, 1};
    unsigned class = class_of(item, value);
    uint32_t other =
        level_variable(b, l->group, value, 1, use_of(class, PART_OTHER, l->number + number));
    uint32_t other_index =
        level_variable(b, l->group, index, 1, use_of(0, PART_OTHER_INDEX, l->number + number));
    move_parts(b, l, other, 0, &item->own, array_identity(item->kind, value));
    move_parts(b, l, other_index, 0, &item->index, low_bits(index.bits));
    ir_begin_ensemble(b, l->group, l->at);
    uint32_t x = array_fold_element(b, item), y = ir_element(b, other, 0);
    uint32_t i = ir_element(b, item->index.variable, 0), k = ir_element(b, other_index, 0);
    uint32_t wins = ir_operation(b, better(item), value, IR_NONE, y, x, IR_NONE, 0, l->at);
    uint32_t equal = ir_operation(b, IR_EQ, value, IR_NONE, y, x, IR_NONE, 0, l->at);
    uint32_t earlier = ir_operation(b, IR_LT, index, IR_NONE, k, i, IR_NONE, 0, l->at);
    equal = ir_operation(b, IR_AND, bit, IR_NONE, equal, earlier, IR_NONE, 0, l->at);
    wins = ir_operation(b, IR_OR, bit, IR_NONE, wins, equal, IR_NONE, 0, l->at);
    ir_operation(b, IR_SELECT, value, y, wins, y, x, 0, l->at);
    ir_operation(b, IR_SELECT, index, k, wins, k, i, 0, l->at);
    item->own.variable = other;
    item->own.element = 0;
    item->index.variable = other_index;
}

/* ---- all levels ---- */

/* True if both lie in one variable, and the same stands for what is not there. */
static bool move_together(const struct array_fold *x, const struct array_fold *y) {
    return x->own.variable == y->own.variable &&
           class_of(x, x->own.type) == class_of(y, y->own.type);
}

/* The items that move with the first one that no set has; false: there is none. */
static bool next_set(struct ir_builder *b, const struct level *l, struct set *s, uint64_t *done,
                     uint32_t number) {
    const struct array_folds *f = l->f;
    const struct array_fold *first = NULL;
    s->count = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        const struct array_fold *item = &f->items[i];
        if (*done >> i & 1 || with_index(item->kind) || (first && !move_together(item, first)))
            continue;
        first = first ? first : item;
        *done |= (uint64_t)1 << i;
        s->items[s->count++] = i;
    }
    if (!first)
        return false;
    s->by_part = s->count > taken_parts(l) || l->step.size != NO_INDEX;
    s->other =
        level_variable(b, l->group, first->own.type, s->count * taken_parts(l),
                       use_of(class_of(first, first->own.type), PART_OTHER, l->number + number));
    return true;
}

/* All moves come first, so that one ensemble takes in what they brought. */
static void fold_values(struct ir_builder *b, const struct level *l) {
    struct set *sets = ARENA_ARRAY(b->p->arena, l->f->count, struct set);
    uint32_t count = 0;
    uint64_t done = 0;
    for (uint32_t i = 0; i < l->f->count; i++)
        l->f->items[i].grows = grows(l, &l->f->items[i]);
    while (count < l->f->count && next_set(b, l, &sets[count], &done, count))
        move_set(b, l, &sets[count++]);
    if (count == 0)
        return;
    ir_begin_ensemble(b, l->group, l->at);
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t i = 0; i < sets[k].count; i++)
            take_in(b, l, &sets[k], i);
}

static void fold_level(struct ir_builder *b, const struct level *l) {
    struct array_folds *f = l->f;
    fold_values(b, l);
    for (uint32_t i = 0; i < f->count; i++)
        if (with_index(f->items[i].kind) && l->mpus)
            fold_best_of_mpus(b, l, i);
        else if (with_index(f->items[i].kind))
            fold_best(b, l, i);
    f->elements = elements_behind(l);
}

/* The largest power of two up to `most` for which there is room. */
static uint32_t most_parts(const struct array_folds *f, uint32_t most) {
    uint32_t registers = 0;
    for (uint32_t i = 0; i < f->count; i++)
        registers += with_index(f->items[i].kind) ? 2 : 1;
    while (most > 2 && most * registers > f->room)
        most /= 2;
    return most;
}

/* A register of the group of results for what each level gives: later ones may be left out. */
static struct array_value result_of(struct ir_builder *b, const struct array_folds *f,
                                    struct mpu_type type, unsigned part, uint32_t number) {
    uint32_t v = ir_hidden(b, f->lane, type, 1, use_of(0, part, number));
    return (struct array_value){v, 0, type};
}

static void keep_value(struct ir_builder *b, const struct array_value *from,
                       const struct array_value *to, struct span at) {
    uint32_t v = ir_element(b, from->variable, from->element);
    ir_convert(b, v, from->type, to->type, ir_element(b, to->variable, to->element), at);
}

/* In the ensemble of the level. */
static void keep_results(struct ir_builder *b, const struct level *l) {
    struct array_folds *f = l->f;
    bool joins = b->joins;
    b->joins = true;
    ir_begin_ensemble(b, l->group, l->at);
    b->joins = joins;
    for (uint32_t i = 0; i < f->count; i++) {
        struct array_fold *item = &f->items[i];
        keep_value(b, &item->own, &item->kept, l->at);
        if (with_index(item->kind))
            keep_value(b, &item->index, &item->kept_index, l->at);
    }
}

static void choose_results(struct ir_builder *b, struct array_folds *f) {
    for (uint32_t i = 0; i < f->count; i++) {
        struct array_fold *item = &f->items[i];
        item->kept = result_of(b, f, exact_type(item, f->most), PART_RESULT, i);
        if (with_index(item->kind))
            item->kept_index =
                result_of(b, f, bits_type(bits_of(f->most - 1)), PART_RESULT_INDEX, i);
    }
}

static void take_results(struct array_folds *f) {
    for (uint32_t i = 0; i < f->count; i++) {
        f->items[i].own = f->items[i].kept;
        if (with_index(f->items[i].kind))
            f->items[i].index = f->items[i].kept_index;
    }
}

/* min(n - 1, most). */
static struct extent laps(struct ir_builder *b, struct extent n, uint64_t most) {
    n = ir_extent(b, DERIVE_SUB, n, one);
    return ir_extent(b, DERIVE_MIN, n, (struct extent){NO_INDEX, most});
}

/* A level that is left out, if that is asked for, where n, the size before it, is 1. */
static void fold_level_of_size(struct ir_builder *b, const struct level *l, struct extent n,
                               bool guarded) {
    struct ir_repeat r = {NULL};
    if (guarded)
        r = ir_open_repeat(b, laps(b, n, 1), l->at);
    fold_level(b, l);
    keep_results(b, l);
    if (guarded)
        ir_close_repeat(b, &r);
}

/* Elements 2i + part of a register of a group with n elements come to element i. */
static void move_pairs(struct ir_builder *b, const struct level *l, uint32_t to, uint32_t from,
                       uint32_t part, uint64_t fill) {
    struct ir_move m = ir_plain_move(b->p, to, from);
    ir_move_source(&m, l->axis, l->axis, 2, part);
    m.record.outside = MOVE_FILL;
    m.record.fill = fill;
    ir_put_move(b, &m, l->at);
}

/* What is left of an item, at the width of the result. */
struct rest {
    struct array_value own, index;
    uint32_t other, other_index;
};

/* Places along the axis are the upper bits of indices from here on. */
static void put_rest_index(struct ir_builder *b, const struct level *l,
                           const struct array_fold *item, const struct rest *r) {
    struct mpu_type type = r->index.type;
    unsigned low = item->index.type.bits;
    uint32_t i = ir_lane_index(b, type, IR_NONE, l->at);
    uint32_t mpu = ir_operation(b, IR_SHL, type, IR_NONE, i, IR_NONE, IR_NONE, low, l->at);
    uint32_t below = ir_convert(b, ir_element(b, item->index.variable, item->index.element),
                                item->index.type, type, IR_NONE, l->at);
    ir_operation(b, IR_OR, type, ir_element(b, r->index.variable, 0), mpu, below, IR_NONE, 0,
                 l->at);
}

static struct rest rest_of(struct ir_builder *b, const struct level *l, uint32_t number) {
    struct array_fold *item = &l->f->items[number];
    struct mpu_type type = item->kept.type, index = item->kept_index.type;
    struct rest r = {
        .own = {level_variable(b, l->group, type, 1, use_of(0, PART_REST, number)), 0, type},
        .index.type = index};
    r.other = level_variable(b, l->group, type, 1, use_of(0, PART_REST, MOST_ITEMS + number));
    keep_value(b, &item->own, &r.own, l->at);
    if (!with_index(item->kind))
        return r;
    r.index.variable = level_variable(b, l->group, index, 1, use_of(0, PART_REST_INDEX, number));
    r.other_index =
        level_variable(b, l->group, index, 1, use_of(0, PART_REST_INDEX, MOST_ITEMS + number));
    put_rest_index(b, l, item, &r);
    return r;
}

static void move_rest(struct ir_builder *b, const struct level *l, const struct array_fold *item,
                      const struct rest *r) {
    uint64_t fill = array_identity(item->kind, r->own.type);
    move_pairs(b, l, r->other, r->own.variable, 1, fill);
    move_pairs(b, l, r->own.variable, r->own.variable, 0, fill);
    if (!with_index(item->kind))
        return;
    move_pairs(b, l, r->other_index, r->index.variable, 1, 0);
    move_pairs(b, l, r->index.variable, r->index.variable, 0, 0);
}

static void take_in_rest(struct ir_builder *b, const struct level *l, const struct array_fold *item,
                         const struct rest *r) {
    struct mpu_type type = r->own.type, index = r->index.type;
    uint32_t x = ir_element(b, r->own.variable, 0), y = ir_element(b, r->other, 0);
    if (!with_index(item->kind)) {
        ir_operation(b, array_operation(item->kind), type, x, x, y, IR_NONE, 0, l->at);
        return;
    }
    uint32_t i = ir_element(b, r->index.variable, 0), k = ir_element(b, r->other_index, 0);
    uint32_t wins = ir_operation(b, better(item), type, IR_NONE, y, x, IR_NONE, 0, l->at);
    ir_operation(b, IR_SELECT, type, x, wins, y, x, 0, l->at);
    ir_operation(b, IR_SELECT, index, i, wins, k, i, 0, l->at);
}

/* Elements of a size that is larger than what levels are for take in their neighbours, over and
 * over: not as fast, but in a text that does not grow with the bound. */
static void fold_rest(struct ir_builder *b, struct array_folds *f, struct extent n, bool guarded,
                      struct span at) {
    struct level l = {.f = f, .axis = array_view_axis(&f->view), .at = at};
    struct rest *rest = ARENA_ARRAY(b->p->arena, f->count, struct rest);
    struct ir_repeat once = {NULL};
    l.group = array_view_group(b, &f->view, n);
    if (guarded)
        once = ir_open_repeat(b, laps(b, n, 1), at);
    ir_begin_ensemble(b, l.group, at);
    for (uint32_t i = 0; i < f->count; i++)
        rest[i] = rest_of(b, &l, i);
    uint64_t most = (uint64_t)ir_extent_range(b->p, n).most;
    struct ir_repeat each = ir_open_repeat(b, laps(b, n, bits_of(most - 1)), at);
    for (uint32_t i = 0; i < f->count; i++)
        move_rest(b, &l, &f->items[i], &rest[i]);
    ir_begin_ensemble(b, l.group, at);
    for (uint32_t i = 0; i < f->count; i++)
        take_in_rest(b, &l, &f->items[i], &rest[i]);
    ir_close_repeat(b, &each);
    ir_begin_ensemble(b, f->lane, at);
    for (uint32_t i = 0; i < f->count; i++) {
        keep_value(b, &rest[i].own, &f->items[i].kept, at);
        if (with_index(f->items[i].kind))
            keep_value(b, &rest[i].index, &f->items[i].kept_index, at);
    }
    if (guarded)
        ir_close_repeat(b, &once);
}

static void fold_levels_of_size(struct ir_builder *b, struct array_folds *f, uint32_t parts,
                                bool far, struct span at) {
    struct extent n = f->view.along, m;
    bool guarded = b->repeats + 2 <= IR_MOST_REPEATS, loops = b->repeats + 1 <= IR_MOST_REPEATS;
    uint64_t covered = 1;
    for (; ir_extent_range(b->p, n).most > 1; n = m, covered *= parts) {
        if (covered >= LEVELS_FOR && f->axis == ARRAY_ALL && !f->view.lead && loops) {
            fold_rest(b, f, n, guarded, at);
            return;
        }
        m = array_ceil_div(b, n, parts);
        struct level l = {.f = f, .axis = array_view_axis(&f->view), .far = far, .at = at};
        l.ends = ir_extent_range(b->p, m).most == 1;
        l.parts = l.ends ? (uint32_t)ir_extent_range(b->p, n).most : parts;
        l.step = far ? m : one;
        l.group = l.ends ? f->lane : array_view_group(b, &f->view, m);
        fold_level_of_size(b, &l, n, guarded && covered > 1);
    }
}

static bool any_index(const struct array_folds *f) {
    for (uint32_t i = 0; i < f->count; i++)
        if (with_index(f->items[i].kind))
            return true;
    return false;
}

static void fold_size(struct ir_builder *b, struct array_folds *f, bool far, struct span at) {
    uint32_t most = far ? FAR_OF_SIZES : any_index(f) ? BEST_OF_SIZES : NEAR;
    if (f->most == 1)
        return;
    choose_results(b, f);
    fold_levels_of_size(b, f, most_parts(f, most), far, at);
    take_results(f);
}

static void fold_number(struct ir_builder *b, struct array_folds *f, bool far, struct span at) {
    uint32_t most = most_parts(f, far ? FAR : NEAR);
    for (uint64_t n = f->view.along.value, m; n > 1; n = m) {
        m = (n + most - 1) / most;
        struct level l = {.f = f, .axis = array_view_axis(&f->view), .far = far, .at = at};
        l.ends = m == 1;
        l.parts = far ? (uint32_t)((n + m - 1) / m) : l.ends ? (uint32_t)n : most;
        l.step = (struct extent){NO_INDEX, far ? m : 1};
        l.group = l.ends ? f->lane : array_view_group(b, &f->view, (struct extent){NO_INDEX, m});
        fold_level(b, &l);
    }
}

static uint64_t mpu_count(const struct ir_program *p, const struct array_folds *f) {
    uint64_t n = 1;
    for (uint32_t d = 0; d < f->view.lead; d++)
        n *= p->grid[d];
    return n;
}

/* Numbers of elements become those among the elements of all MPUs. */
static void number_mpus(struct ir_builder *b, const struct array_folds *f, uint32_t number,
                        struct span at) {
    struct array_fold *item = &f->items[number];
    struct mpu_type type = bits_type(bits_of(f->most - 1));
    uint32_t own = level_variable(b, f->lane, type, 1, use_of(0, PART_INDEX, MOST_ITEMS + number));
    ir_begin_ensemble(b, f->lane, at);
    uint32_t mpu = ir_lane_index(b, type, IR_NONE, at);
    uint32_t first =
        ir_operation(b, IR_MUL, type, IR_NONE, mpu,
                     ir_extent_value(b, type, f->view.along, 0, IR_NONE, at), IR_NONE, 0, at);
    uint32_t i =
        ir_convert(b, ir_element(b, item->index.variable, 0), item->index.type, type, IR_NONE, at);
    ir_operation(b, IR_ADD, type, ir_element(b, own, 0), first, i, IR_NONE, 0, at);
    item->index = (struct array_value){own, 0, type};
}

static void fold_mpus(struct ir_builder *b, struct array_folds *f, struct span at) {
    f->most = times(f->most, mpu_count(b->p, f));
    for (uint32_t i = 0; i < f->count && f->view.lead; i++)
        if (with_index(f->items[i].kind))
            number_mpus(b, f, i, at);
    struct level l = {.f = f, .group = f->lane, .far = true, .mpus = true, .parts = 2, .at = at};
    uint32_t round = 0;
    for (l.axis = f->view.lead; l.axis-- > 0;)
        for (uint64_t m = b->p->grid[l.axis]; m > 1; m = l.step.value) {
            l.step = (struct extent){NO_INDEX, (m + 1) / 2};
            l.number = MOST_ITEMS * (1 + round++ % 2);
            fold_level(b, &l);
        }
}

/* ---- for others ---- */

/* Where values lie that are made for the fold; `held`: which nobody has had before. */
static uint32_t first_own(struct ir_builder *b, const struct array_folds *f, uint32_t group,
                          const struct array_fold *item, uint32_t count, uint32_t held) {
    struct mpu_type type = array_fold_type(item, 1);
    unsigned class = class_of(item, type);
    if (f->held)
        return ir_hidden(b, group, type, count, ARRAY_USE_HELD + held * 8 % ARRAY_USE_HELD + class);
    return level_variable(b, group, type, count, use_of(class, PART_OWN, 0));
}

/* Items that begin with values of one type and class share a variable. */
void array_folds_begin(struct ir_builder *b, struct array_folds *f) {
    f->view = array_view(b, f->group, f->axis);
    f->lane = array_view_rest(b, &f->view);
    f->elements = 1;
    f->most = (uint64_t)ir_extent_range(b->p, f->view.along).most;
    uint32_t group = array_view_group(b, &f->view, f->view.along);
    uint32_t held = (uint32_t)b->p->variables.len;
    for (uint32_t i = 0; i < f->count; i++) {
        struct array_fold *item = &f->items[i];
        struct mpu_type type = array_fold_type(item, 1);
        uint32_t count = 0, before = 0;
        for (uint32_t k = 0; k < f->count; k++) {
            bool shares = same_type(array_fold_type(&f->items[k], 1), type) &&
                          class_of(&f->items[k], type) == class_of(item, type);
            before += shares && k < i;
            count += shares;
        }
        item->own = (struct array_value){first_own(b, f, group, item, count, held), before, type};
        item->index = (struct array_value){IR_NONE, 0, {TYPE_UINT, 0}};
    }
}

bool array_fold_borrow(struct ir_builder *b, const struct array_folds *f, uint32_t item,
                       const struct array_value *value) {
    struct array_fold *x = &f->items[item];
    uint32_t group = b->p->variables.data[value->variable].decl.group;
    if (group != b->p->variables.data[x->own.variable].decl.group ||
        !same_type(value->type, x->own.type))
        return false;
    x->own = *value;
    return true;
}

uint32_t array_fold_element(struct ir_builder *b, const struct array_fold *item) {
    return ir_element(b, item->own.variable, item->own.element);
}

/* The only element along the axis has the number 0. */
static void number_nothing(struct ir_builder *b, const struct array_folds *f, struct span at) {
    for (uint32_t i = 0; i < f->count; i++) {
        struct array_fold *item = &f->items[i];
        if (!with_index(item->kind) || item->index.variable != IR_NONE)
            continue;
        item->index.type = bits_type(1);
        item->index.variable =
            level_variable(b, f->lane, item->index.type, 1, use_of(0, PART_INDEX, i));
        ir_begin_ensemble(b, f->lane, at);
        ir_constant(b, item->index.type, 0, ir_element(b, item->index.variable, 0), at);
    }
}

void array_folds_run(struct ir_builder *b, struct array_folds *f, struct span at) {
    bool far = !f->view.has_outer && !any_index(f);
    if (f->view.along.size == NO_INDEX)
        fold_number(b, f, far, at);
    else
        fold_size(b, f, far, at);
    number_nothing(b, f, at);
    if (f->axis == ARRAY_ALL)
        fold_mpus(b, f, at);
}

struct array_value *array_fold_result(struct array_fold *item) {
    return with_index(item->kind) ? &item->index : &item->own;
}

struct ir_move array_fold_move(struct ir_builder *b, const struct array_folds *f,
                               const struct array_value *from, uint32_t to) {
    uint32_t group = b->p->variables.data[from->variable].decl.group,
             axis = array_view_axis(&f->view);
    struct ir_move m = ir_plain_move(b->p, to, from->variable);
    uint32_t k = ir_group_dims(b->p, group);
    if (group != f->lane) {
        m.record.source[axis] = (struct move_affine){.size = NO_INDEX};
        if (f->view.has_inner)
            ir_move_source(&m, axis + 1, axis, 1, 0);
    }
    if (m.record.src_has_k)
        m.record.source[k] = (struct move_affine){.size = NO_INDEX, .offset = from->element};
    return m;
}
