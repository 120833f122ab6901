/* SPDX-License-Identifier: MIT
 * One level of a fold.  Before it each element of the former group has in `own` the result of
 * itself and of all that it took in; after it each element of the level's group has.  The results
 * of all elements together are the same before and after.  Elements of the former group that are
 * not in the level's may hold anything afterwards. */
#include "ezpim/array/fold_level.h"
#include "ezpim/ir/float.h"

/* ---- levels ---- */

/* Items that have their values in one variable, and what they take in: part p of item i comes to
 * register i * parts + p, or, if by_part, p * count + i. */
struct part_set {
    uint32_t count, other;
    uint32_t items[ARRAY_MOST_ITEMS];
    bool by_part;
};

static uint32_t taken_parts(const struct array_level *level) {
    return level->parts - level->far;
}

static uint32_t other_register(const struct array_level *level, const struct part_set *set,
                               uint32_t part, uint32_t index) {
    return set->by_part ? part * set->count + index : index * taken_parts(level) + part;
}

/* As what the variable is looked at: a value that was lent may lie in a group of more axes. */
static uint32_t view_of(struct ir_builder *builder, const struct array_view *view,
                        uint32_t variable) {
    bool lent = builder->p->variables.data[variable].decl.group == view->base;
    return lent ? array_view_group(builder, view, view->along) : IR_NONE;
}

/* Part 0 of all elements; in front of the axis coordinates are the same on both sides. */
static struct ir_move level_move(struct ir_builder *builder, const struct array_level *level,
                                 uint32_t to, uint32_t from) {
    const struct array_view *v = &level->f->view;
    uint32_t axis = array_view_axis(v), dims = ir_group_dims(builder->p, level->group);
    struct ir_move m = ir_view_move(builder->p, to, IR_NONE, from, view_of(builder, v, from));
    for (uint32_t k = axis; k < MOVE_MAX_DIMS; k++)
        m.record.source[k] = (struct move_affine){.size = NO_INDEX};
    if (!level->ends && !level->mpus)
        ir_move_source(&m, axis, axis, level->far ? 1 : (int64_t)level->parts, 0);
    if (v->has_inner)
        ir_move_source(&m, axis + 1, dims - 1, 1, 0);
    for (uint32_t d = level->axis + 1; level->mpus && d < v->lead;
         d++) /* they are folded: all is in 0 */
        ir_move_bound(&m, d, (struct move_bound){0, NO_INDEX, 0},
                      (struct move_bound){1, NO_INDEX, 0});
    m.record.outside = MOVE_FILL;
    return m;
}

static uint32_t register_coordinate(const struct ir_builder *builder, uint32_t variable) {
    return ir_group_dims(builder->p, builder->p->variables.data[variable].decl.group);
}

static struct move_affine *source_register(const struct ir_builder *builder, struct ir_move *move) {
    return &move->record.source[ir_group_dims(builder->p, ir_move_from_group(builder->p, move))];
}

/* The destinations are registers first .. first + count - 1. */
static void bound_registers(const struct ir_builder *builder, struct ir_move *move, uint32_t first,
                            uint32_t count) {
    if (move->record.dst_has_k)
        ir_move_bound(move, register_coordinate(builder, move->to),
                      (struct move_bound){first, NO_INDEX, 0},
                      (struct move_bound){first + count, NO_INDEX, 0});
}

/* Where a part lies, beside the first. */
static void put_offset(const struct array_level *level, struct move_affine *affine, uint32_t part) {
    part += level->far;
    affine->offset = (int64_t)(level->step.value * part);
    affine->size = part ? level->step.size : NO_INDEX;
    affine->size_coeff = affine->size == NO_INDEX ? 0 : part;
}

void array_level_move_parts(struct ir_builder *builder, const struct array_level *level,
                            uint32_t to, uint32_t first, const struct array_value *from,
                            uint64_t fill) {
    struct ir_move m = level_move(builder, level, to, from->variable);
    struct move_affine *axis = &m.record.source[level->axis];
    int64_t step = (int64_t)level->step.value;
    bound_registers(builder, &m, first, taken_parts(level));
    axis->offset = step * level->far;
    if (m.record.dst_has_k) {
        axis->coeff[register_coordinate(builder, to)] = step;
        axis->offset -= step * first;
    }
    if (m.record.src_has_k)
        source_register(builder, &m)->offset = from->element;
    m.record.fill = fill;
    ir_put_move(builder, &m, level->at);
}

/* One part of `count` registers of a variable, from that of `from` on. */
static void move_part(struct ir_builder *builder, const struct array_level *level, uint32_t to,
                      uint32_t first, uint32_t part, const struct array_value *from, uint32_t count,
                      uint64_t fill) {
    struct ir_move m = level_move(builder, level, to, from->variable);
    bound_registers(builder, &m, first, count);
    put_offset(level, &m.record.source[level->axis], part);
    struct move_affine *k = source_register(builder, &m);
    if (m.record.src_has_k)
        k->offset = from->element;
    if (m.record.src_has_k && m.record.dst_has_k) {
        k->coeff[register_coordinate(builder, to)] = 1;
        k->offset -= first;
    }
    m.record.fill = fill;
    ir_put_move(builder, &m, level->at);
}

/* How many items from the i-th on lie in registers one behind the other. */
static uint32_t in_a_row(const struct array_folds *folds, const struct part_set *set,
                         uint32_t index) {
    uint32_t n = 1, first = folds->items[set->items[index]].own.element;
    while (index + n < set->count && folds->items[set->items[index + n]].own.element == first + n)
        n++;
    return n;
}

static void move_set(struct ir_builder *builder, const struct array_level *level,
                     const struct part_set *set) {
    const struct array_folds *f = level->f;
    const struct array_fold *first = &f->items[set->items[0]];
    uint64_t fill = array_identity(first->kind, first->own.type);
    for (uint32_t i = 0; i < set->count && !set->by_part; i++)
        array_level_move_parts(builder, level, set->other, i * taken_parts(level),
                               &f->items[set->items[i]].own, fill);
    for (uint32_t part = 0; set->by_part && part < taken_parts(level); part++)
        for (uint32_t i = 0, n; i < set->count; i += n) {
            n = in_a_row(f, set, i);
            move_part(builder, level, set->other, part * set->count + i, part,
                      &f->items[set->items[i]].own, n, fill);
        }
}

/* Into a register of what came: own values stay as they are, since where their group goes on behind
 * that of the level there are others. */
static void add_to_other(struct ir_builder *builder, const struct array_fold *item,
                         struct array_term *term, uint32_t n, uint32_t dst, struct span at) {
    if (array_fold_in_order(item)) {
        array_fold_terms(builder, item, term, n, term->type, dst, at);
        return;
    }
    for (uint32_t i = 1; i < n; i++)
        ir_typed(builder, array_operation(item->kind), term->type, dst, i == 1 ? term->v : dst,
                 term[i].v, at);
}

/* What `own` is made of behind the level, at most. */
static uint64_t elements_behind(const struct array_level *level) {
    uint64_t n = array_fold_times(level->f->elements, level->parts);
    return n < level->f->most ? n : level->f->most;
}

static void look_behind(const struct array_level *level, struct array_fold *item) {
    item->next = array_fold_type(item, elements_behind(level));
    item->next_class = array_fold_class(item, item->next);
    item->grows = !ir_same_type(item->next, item->own.type);
}

/* Items that come from narrower types to the same one, and class, share a variable. */
static struct array_value new_own(struct ir_builder *builder, const struct array_level *level,
                                  uint32_t item) {
    const struct array_folds *f = level->f;
    struct lane_type type = f->items[item].next;
    unsigned class = f->items[item].next_class;
    struct array_value v = {.type = type};
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        const struct array_fold *k = &f->items[i];
        bool comes = k->grows && ir_same_type(k->next, type) && k->next_class == class;
        v.element += comes && i < item;
        count += comes;
    }
    v.variable = array_level_variable(builder, level->group, type, count,
                                      array_fold_use(class, ARRAY_PART_OWN, level->number));
    return v;
}

static void take_in(struct ir_builder *builder, const struct array_level *level,
                    const struct part_set *set, uint32_t index) {
    struct array_folds *f = level->f;
    struct array_fold *item = &f->items[set->items[index]];
    struct lane_type from = item->own.type, type = item->next;
    struct array_term t[ARRAY_NEAR];
    uint32_t n = 0;
    if (level->far)
        t[n++] = (struct array_term){array_fold_element(builder, item), from, f->elements};
    for (uint32_t p = 0; p < taken_parts(level); p++)
        t[n++] = (struct array_term){
            ir_element(builder, set->other, other_register(level, set, p, index)), from,
            f->elements};
    if (!item->grows) {
        uint32_t other = other_register(level, set, 0, index);
        add_to_other(builder, item, t, n, ir_element(builder, set->other, other), level->at);
        item->own = (struct array_value){set->other, other, type};
        return;
    }
    struct array_value own = new_own(builder, level, set->items[index]);
    array_fold_terms(builder, item, t, n, type, ir_element(builder, own.variable, own.element),
                     level->at);
    item->own = own;
}

/* ---- all levels ---- */

/* True if both lie in one variable, and the same stands for what is not there. */
static bool move_together(const struct array_fold *left, const struct array_fold *right) {
    return left->own.variable == right->own.variable &&
           array_fold_class(left, left->own.type) == array_fold_class(right, right->own.type);
}

/* The items that move with the first one that no set has; false: there is none. */
static bool next_set(struct ir_builder *builder, const struct array_level *level,
                     struct part_set *set, uint64_t *done, uint32_t number) {
    const struct array_folds *f = level->f;
    const struct array_fold *first = NULL;
    set->count = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        const struct array_fold *item = &f->items[i];
        if (*done >> i & 1 || array_fold_with_index(item->kind) ||
            (first && !move_together(item, first)))
            continue;
        first = first ? first : item;
        *done |= (uint64_t)1 << i;
        set->items[set->count++] = i;
    }
    if (!first)
        return false;
    set->by_part = set->count > taken_parts(level) || level->step.size != NO_INDEX;
    set->other = array_level_variable(builder, level->group, first->own.type,
                                      set->count * taken_parts(level),
                                      array_fold_use(array_fold_class(first, first->own.type),
                                                     ARRAY_PART_OTHER, level->number + number));
    return true;
}

/* All moves come first, so that one ensemble takes in what they brought. */
static void fold_values(struct ir_builder *builder, const struct array_level *level) {
    struct part_set *sets = ARENA_ARRAY(builder->p->arena, level->f->count, struct part_set);
    uint32_t count = 0;
    uint64_t done = 0;
    for (uint32_t i = 0; i < level->f->count; i++)
        look_behind(level, &level->f->items[i]);
    while (count < level->f->count && next_set(builder, level, &sets[count], &done, count))
        move_set(builder, level, &sets[count++]);
    if (count == 0)
        return;
    ir_begin_ensemble(builder, level->group, level->at);
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t i = 0; i < sets[k].count; i++)
            take_in(builder, level, &sets[k], i);
}

void array_level_fold(struct ir_builder *builder, const struct array_level *level) {
    struct array_folds *f = level->f;
    fold_values(builder, level);
    for (uint32_t i = 0; i < f->count; i++)
        if (array_fold_with_index(f->items[i].kind) && level->mpus)
            array_fold_best_of_mpus(builder, level, i);
        else if (array_fold_with_index(f->items[i].kind))
            array_fold_best(builder, level, i);
    f->elements = elements_behind(level);
}

uint32_t array_level_most_parts(const struct array_folds *folds, uint32_t most) {
    uint32_t registers = 0;
    for (uint32_t i = 0; i < folds->count; i++)
        registers += array_fold_with_index(folds->items[i].kind) ? 2 : 1;
    while (most > 2 && most * registers > folds->room)
        most /= 2;
    return most;
}

/* An addition of floating point takes longer than to move its operand: with 4 at a time fewer are
 * made one behind the other, and of 8 that are the last ones none waits for a level of its own. */
enum { NEAR_IN_ORDER = 4 };

uint32_t array_level_near(const struct array_folds *folds, uint64_t left, uint32_t most) {
    bool in_order = false;
    for (uint32_t i = 0; i < folds->count; i++)
        in_order |= array_fold_in_order(&folds->items[i]);
    return in_order && left > most && most > NEAR_IN_ORDER ? NEAR_IN_ORDER : most;
}
