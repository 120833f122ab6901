/* SPDX-License-Identifier: MIT
 * Products of matrices and vectors: lap by lap factors come to blocks of lanes, which fold one
 * another in the end. */
#include "ezpim/array/product.h"

/* Lanes that blocks may take, and how many blocks there are where the number of factors is a size:
 * it may be small. */
enum { MOST_LANES = 65536, MOST_BLOCKS_OF_SIZES = 64 };

/* Laps that are written out. */
enum { FEW_LAPS = 4 };

enum { USE_LEFT, USE_RIGHT, USE_SUM };

static unsigned use_of(unsigned part) {
    return ARRAY_USE_PRODUCT + part;
}

static const struct extent one = {NO_INDEX, 1};

static const struct group *group_of(const struct ir_program *p, const struct array_value *v) {
    return &p->groups.data[p->variables.data[v->variable].decl.group];
}

/* Of what is made of so many products, at most. */
static struct mpu_type sum_type(const struct array_product *x, uint64_t count) {
    unsigned bits = (unsigned)x->left.type.bits + x->right.type.bits;
    struct mpu_type to = x->to.type;
    return bits < to.bits ? array_sum_type((struct mpu_type){to.kind, (uint8_t)bits}, count, to)
                          : to;
}

/* ---- moves ---- */

/* A value comes to all elements of `to`; of its own coordinates all are 0, of those of the array of
 * MPUs each its own. */
static struct ir_move spread(const struct ir_builder *b, uint32_t to,
                             const struct array_value *from) {
    const struct group *g = group_of(b->p, from);
    struct ir_move m = ir_plain_move(b->p, to, from->variable);
    uint32_t group = b->p->variables.data[from->variable].decl.group;
    uint32_t dims = ir_group_dims(b->p, group);
    for (uint32_t d = dims - g->ndim; d < MOVE_MAX_DIMS; d++)
        m.record.source[d] = (struct move_affine){.size = NO_INDEX};
    if (m.record.src_has_k)
        m.record.source[dims].offset = from->element;
    m.record.outside = MOVE_FILL;
    return m;
}

/* The number of coordinates in front of a group's own. */
static uint32_t lead_of(const struct ir_program *p, uint32_t group) {
    return ir_group_dims(p, group) - p->groups.data[group].ndim;
}

/* ---- the result ---- */

static void put_at(struct ir_builder *b, const struct array_value *from,
                   const struct array_value *to, struct span at) {
    uint32_t group = b->p->variables.data[to->variable].decl.group;
    ir_begin_ensemble(b, group, at);
    ir_convert(b, ir_element(b, from->variable, from->element), from->type, to->type,
               ir_element(b, to->variable, to->element), at);
}

/* Elements that lie in the VRFs of `to`, row by row, are in the lanes where they belong. */
static void put_result(struct ir_builder *b, const struct array_folds *f,
                       const struct array_value *from, const struct array_value *to,
                       struct span at) {
    uint32_t group = b->p->variables.data[to->variable].decl.group;
    struct array_value landed = {.type = from->type};
    if (ir_group_root(b->p, group) == ir_group_root(b->p, f->lane)) {
        put_at(b, from, to, at);
        return;
    }
    struct array_view view = f->view;
    view.base = group;
    landed.variable = ir_hidden(b, array_view_rest(b, &view), from->type, 1, use_of(USE_LEFT));
    struct ir_move m = array_fold_move(b, f, from, landed.variable);
    ir_put_move(b, &m, at);
    put_at(b, &landed, to, at);
}

/* ---- a matrix and a vector ---- */

/* A fold of products along an axis of the matrix's group. */
static struct array_folds fold_of(struct ir_builder *b, struct array_fold *item, uint32_t group,
                                  uint32_t axis, uint32_t room) {
    struct array_folds f = {.items = item, .count = 1, .group = group, .axis = axis, .room = room};
    array_folds_begin(b, &f);
    return f;
}

static void multiply(struct ir_builder *b, const struct array_product *x,
                     const struct array_value *left, const struct array_value *right,
                     struct mpu_type type, uint32_t dst, struct span at) {
    uint32_t u = ir_convert(b, ir_element(b, left->variable, left->element), x->left.type, type,
                            IR_NONE, at);
    uint32_t v = ir_convert(b, ir_element(b, right->variable, right->element), x->right.type, type,
                            IR_NONE, at);
    ir_operation(b, IR_MUL, type, dst, u, v, IR_NONE, 0, at);
}

static void matrix_by_vector(struct ir_builder *b, const struct array_product *x, bool vector_left,
                             struct span at) {
    const struct array_value *matrix = vector_left ? &x->right : &x->left;
    const struct array_value *vector = vector_left ? &x->left : &x->right;
    uint32_t group = b->p->variables.data[matrix->variable].decl.group;
    uint32_t axis = vector_left ? 0 : 1, lead = lead_of(b->p, group);
    struct array_value come = {ir_hidden(b, group, vector->type, 1, use_of(USE_RIGHT)), 0,
                               vector->type};
    struct ir_move m = spread(b, come.variable, vector);
    ir_move_source(&m, lead, lead + axis, 1, 0);
    ir_put_move(b, &m, at);
    struct array_fold item = {.kind = ARRAY_SUM, .from = sum_type(x, 1), .type = x->to.type};
    struct array_folds f = fold_of(b, &item, group, axis, x->room);
    ir_begin_ensemble(b, b->p->variables.data[item.own.variable].decl.group, at);
    multiply(b, x, vector_left ? &come : matrix, vector_left ? matrix : &come, item.own.type,
             array_fold_element(b, &item), at);
    array_folds_run(b, &f, at);
    put_result(b, &f, array_fold_result(&item), &x->to, at);
}

/* ---- matrices ---- */

struct matrices {
    const struct array_product *x;
    struct extent factors, laps;
    uint32_t lead, blocks, group; /* [blocks, M, N], of one block [M, N] */
    struct array_value left, right, sum;
    struct span at;
};

static uint64_t times(uint64_t a, uint64_t b) {
    return a > OBJECT_MAX_EXTENT / b ? OBJECT_MAX_EXTENT : a * b;
}

static uint64_t most_of(const struct ir_builder *b, struct extent x) {
    return (uint64_t)ir_extent_range(b->p, x).most;
}

static uint32_t choose_blocks(const struct ir_builder *b, struct extent rows, struct extent columns,
                              struct extent factors) {
    uint64_t lanes = times(most_of(b, rows), most_of(b, columns)), most = most_of(b, factors);
    uint32_t blocks = 1;
    if (factors.size != NO_INDEX && most > MOST_BLOCKS_OF_SIZES)
        most = MOST_BLOCKS_OF_SIZES;
    while (2 * blocks <= most && times(2 * blocks, lanes) <= MOST_LANES)
        blocks *= 2;
    return blocks;
}

static struct matrices begin(struct ir_builder *b, const struct array_product *x, struct span at) {
    uint32_t base = b->p->variables.data[x->to.variable].decl.group;
    const struct group *left = group_of(b->p, &x->left), *right = group_of(b->p, &x->right);
    struct extent extents[] = {one, left->extent[0], right->extent[1]};
    struct matrices w = {.x = x, .factors = left->extent[1], .lead = lead_of(b->p, base), .at = at};
    w.blocks = choose_blocks(b, extents[1], extents[2], w.factors);
    w.laps = w.blocks > 1 ? array_ceil_div(b, w.factors, w.blocks) : w.factors;
    extents[0].value = w.blocks;
    w.group =
        w.blocks > 1 ? ir_group_like(b, base, 3, extents) : ir_group_like(b, base, 2, extents + 1);
    w.left = (struct array_value){ir_hidden(b, w.group, x->left.type, 1, use_of(USE_LEFT)), 0,
                                  x->left.type};
    w.right = (struct array_value){ir_hidden(b, w.group, x->right.type, 1, use_of(USE_RIGHT)), 0,
                                   x->right.type};
    return w;
}

/* Which of the factors comes: blocks * lap + block.  `stepped`: the lap is the number of this and
 * those of the REPEAT around, which is the innermost one. */
static void choose_factor(const struct matrices *w, struct ir_move *m, uint32_t d, uint64_t lap,
                          struct move_laps *stepped) {
    struct move_affine *a = &m->record.source[d];
    a->offset = (int64_t)(w->blocks * lap);
    if (w->blocks > 1)
        a->coeff[w->lead] = 1;
    if (!stepped)
        return;
    *stepped = (struct move_laps){0};
    stepped->coeff[MOVE_SOURCE][d][0] = w->blocks;
    m->record.laps = stepped;
}

static void bring_factors(struct ir_builder *b, const struct matrices *w, uint64_t lap,
                          bool steps) {
    struct move_laps stepped;
    uint32_t row = w->lead + (w->blocks > 1);
    struct ir_move m = spread(b, w->left.variable, &w->x->left);
    ir_move_source(&m, w->lead, row, 1, 0);
    choose_factor(w, &m, w->lead + 1, lap, steps ? &stepped : NULL);
    ir_put_move(b, &m, w->at);
    m = spread(b, w->right.variable, &w->x->right);
    ir_move_source(&m, w->lead + 1, row + 1, 1, 0);
    choose_factor(w, &m, w->lead, lap, steps ? &stepped : NULL);
    ir_put_move(b, &m, w->at);
}

/* Products of the first lap are the sum, those of later ones are added to it. */
static void lap(struct ir_builder *b, const struct matrices *w, uint64_t number, bool steps) {
    struct mpu_type type = w->sum.type;
    bring_factors(b, w, number, steps);
    ir_begin_ensemble(b, b->p->variables.data[w->sum.variable].decl.group, w->at);
    uint32_t sum = ir_element(b, w->sum.variable, 0);
    uint32_t v = number == 0 ? sum : ir_vreg(b->code, type, NULL, w->at);
    multiply(b, w->x, &w->left, &w->right, type, v, w->at);
    if (number > 0)
        ir_operation(b, IR_ADD, type, sum, sum, v, IR_NONE, 0, w->at);
}

static void all_laps(struct ir_builder *b, const struct matrices *w) {
    bool few = w->laps.size == NO_INDEX && w->laps.value <= FEW_LAPS;
    lap(b, w, 0, false);
    for (uint64_t i = 1; few && i < w->laps.value; i++)
        lap(b, w, i, false);
    if (few)
        return;
    struct ir_repeat r = ir_open_repeat(b, ir_extent(b, DERIVE_SUB, w->laps, one), w->at);
    lap(b, w, 1, true);
    ir_close_repeat(b, &r);
}

static void matrix_by_matrix(struct ir_builder *b, const struct array_product *x, struct span at) {
    struct matrices w = begin(b, x, at);
    struct mpu_type type = sum_type(x, most_of(b, w.laps));
    if (w.blocks == 1) {
        w.sum = (struct array_value){ir_hidden(b, w.group, type, 1, use_of(USE_SUM)), 0, type};
        all_laps(b, &w);
        put_at(b, &w.sum, &x->to, at);
        return;
    }
    struct array_fold item = {.kind = ARRAY_SUM, .from = type, .type = x->to.type};
    struct array_folds f = fold_of(b, &item, w.group, 0, x->room);
    w.sum = item.own;
    all_laps(b, &w);
    array_folds_run(b, &f, at);
    put_result(b, &f, array_fold_result(&item), &x->to, at);
}

void array_product(struct ir_builder *b, const struct array_product *x, struct span at) {
    bool left = group_of(b->p, &x->left)->ndim == 1, right = group_of(b->p, &x->right)->ndim == 1;
    if (left || right)
        matrix_by_vector(b, x, left, at);
    else
        matrix_by_matrix(b, x, at);
}
