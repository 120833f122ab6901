/* SPDX-License-Identifier: MIT
 * One level of a fold.  In front of it the elements of the group before have in `own` what they and
 * those that they took in come to; behind it those of the level's group have, and together that is
 * the same.  Elements of the group before that are none of this one may hold anything then. */
#include "ezpim/array/fold_level.h"

/* ---- levels ---- */

/* Items that have their values in one variable, and what they take in: part p of item i comes to
 * register i * parts + p, or, if by_part, p * count + i. */
struct set {
    uint32_t count, other;
    uint32_t items[ARRAY_MOST_ITEMS];
    bool by_part;
};

static uint32_t taken_parts(const struct array_level *l) {
    return l->parts - l->far;
}

static uint32_t other_register(const struct array_level *l, const struct set *s, uint32_t part,
                               uint32_t i) {
    return s->by_part ? part * s->count + i : i * taken_parts(l) + part;
}

/* Part 0 of all elements; in front of the axis coordinates are the same on both sides. */
static struct ir_move level_move(const struct ir_builder *b, const struct array_level *l,
                                 uint32_t to, uint32_t from) {
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
static void put_offset(const struct array_level *l, struct move_affine *a, uint32_t part) {
    part += l->far;
    a->offset = (int64_t)(l->step.value * part);
    a->size = part ? l->step.size : NO_INDEX;
    a->size_coeff = a->size == NO_INDEX ? 0 : part;
}

void array_level_move_parts(struct ir_builder *b, const struct array_level *l, uint32_t to,
                            uint32_t first, const struct array_value *from, uint64_t fill) {
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
static void move_part(struct ir_builder *b, const struct array_level *l, uint32_t to,
                      uint32_t first, uint32_t part, const struct array_value *from, uint32_t count,
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

static void move_set(struct ir_builder *b, const struct array_level *l, const struct set *s) {
    const struct array_folds *f = l->f;
    const struct array_fold *first = &f->items[s->items[0]];
    uint64_t fill = array_identity(first->kind, first->own.type);
    for (uint32_t i = 0; i < s->count && !s->by_part; i++)
        array_level_move_parts(b, l, s->other, i * taken_parts(l), &f->items[s->items[i]].own,
                               fill);
    for (uint32_t part = 0; s->by_part && part < taken_parts(l); part++)
        for (uint32_t i = 0, n; i < s->count; i += n) {
            n = in_a_row(f, s, i);
            move_part(b, l, s->other, part * s->count + i, part, &f->items[s->items[i]].own, n,
                      fill);
        }
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
static uint64_t elements_behind(const struct array_level *l) {
    uint64_t n = array_fold_times(l->f->elements, l->parts);
    return n < l->f->most ? n : l->f->most;
}

/* True if the item has a wider type behind the level. */
static bool grows(const struct array_level *l, const struct array_fold *item) {
    return !ir_same_type(array_fold_type(item, elements_behind(l)), item->own.type);
}

/* Items that come from narrower types to the same one, and class, share a variable. */
static struct array_value new_own(struct ir_builder *b, const struct array_level *l, uint32_t item,
                                  struct mpu_type type) {
    const struct array_folds *f = l->f;
    uint64_t elements = elements_behind(l);
    unsigned class = array_fold_class(&f->items[item], type);
    struct array_value v = {.type = type};
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        const struct array_fold *k = &f->items[i];
        bool comes = k->grows && ir_same_type(array_fold_type(k, elements), type) &&
                     array_fold_class(k, type) == class;
        v.element += comes && i < item;
        count += comes;
    }
    v.variable = array_level_variable(b, l->group, type, count,
                                      array_fold_use(class, ARRAY_PART_OWN, l->number));
    return v;
}

static void take_in(struct ir_builder *b, const struct array_level *l, const struct set *s,
                    uint32_t i) {
    struct array_folds *f = l->f;
    struct array_fold *item = &f->items[s->items[i]];
    struct mpu_type from = item->own.type, type;
    struct array_term t[ARRAY_NEAR];
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

/* ---- all levels ---- */

/* True if both lie in one variable, and the same stands for what is not there. */
static bool move_together(const struct array_fold *x, const struct array_fold *y) {
    return x->own.variable == y->own.variable &&
           array_fold_class(x, x->own.type) == array_fold_class(y, y->own.type);
}

/* The items that move with the first one that no set has; false: there is none. */
static bool next_set(struct ir_builder *b, const struct array_level *l, struct set *s,
                     uint64_t *done, uint32_t number) {
    const struct array_folds *f = l->f;
    const struct array_fold *first = NULL;
    s->count = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        const struct array_fold *item = &f->items[i];
        if (*done >> i & 1 || array_fold_with_index(item->kind) ||
            (first && !move_together(item, first)))
            continue;
        first = first ? first : item;
        *done |= (uint64_t)1 << i;
        s->items[s->count++] = i;
    }
    if (!first)
        return false;
    s->by_part = s->count > taken_parts(l) || l->step.size != NO_INDEX;
    s->other = array_level_variable(b, l->group, first->own.type, s->count * taken_parts(l),
                                    array_fold_use(array_fold_class(first, first->own.type),
                                                   ARRAY_PART_OTHER, l->number + number));
    return true;
}

/* All moves come first, so that one ensemble takes in what they brought. */
static void fold_values(struct ir_builder *b, const struct array_level *l) {
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

void array_level_fold(struct ir_builder *b, const struct array_level *l) {
    struct array_folds *f = l->f;
    fold_values(b, l);
    for (uint32_t i = 0; i < f->count; i++)
        if (array_fold_with_index(f->items[i].kind) && l->mpus)
            array_fold_best_of_mpus(b, l, i);
        else if (array_fold_with_index(f->items[i].kind))
            array_fold_best(b, l, i);
    f->elements = elements_behind(l);
}

uint32_t array_level_most_parts(const struct array_folds *f, uint32_t most) {
    uint32_t registers = 0;
    for (uint32_t i = 0; i < f->count; i++)
        registers += array_fold_with_index(f->items[i].kind) ? 2 : 1;
    while (most > 2 && most * registers > f->room)
        most /= 2;
    return most;
}
