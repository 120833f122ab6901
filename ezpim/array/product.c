/* SPDX-License-Identifier: MIT
 * Products of matrices and vectors: lap by lap factors are moved to blocks of lanes and multiplied;
 * in the end the blocks are folded. */
#include "ezpim/array/product.h"
#include "ezpim/ir/float.h"

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

static const struct group *group_of(const struct ir_program *program,
                                    const struct array_value *value) {
    return &program->groups.data[program->variables.data[value->variable].decl.group];
}

/* Of what is made of so many products, at most. */
static struct lane_type sum_type(const struct array_product *product, uint64_t count) {
    unsigned bits = (unsigned)product->left.type.bits + product->right.type.bits;
    struct lane_type to = product->to.type;
    if (object_type_is_float(to))
        return to;
    return bits < to.bits ? array_sum_type((struct lane_type){to.kind, (uint8_t)bits}, count, to)
                          : to;
}

/* ---- moves ---- */

/* A value comes to all elements of `to`; of its own coordinates all are 0, of those of the array of
 * MPUs each its own. */
static struct ir_move spread(const struct ir_builder *builder, uint32_t to,
                             const struct array_value *from) {
    const struct group *g = group_of(builder->p, from);
    struct ir_move m = ir_plain_move(builder->p, to, from->variable);
    uint32_t group = builder->p->variables.data[from->variable].decl.group;
    uint32_t dims = ir_group_dims(builder->p, group);
    for (uint32_t d = dims - g->ndim; d < MOVE_MAX_DIMS; d++)
        m.record.source[d] = (struct move_affine){.size = NO_INDEX};
    if (m.record.src_has_k)
        m.record.source[dims].offset = from->element;
    m.record.outside = MOVE_FILL;
    return m;
}

/* The number of coordinates in front of a group's own. */
static uint32_t lead_of(const struct ir_program *program, uint32_t group) {
    return ir_group_dims(program, group) - program->groups.data[group].ndim;
}

/* ---- the result ---- */

static void put_at(struct ir_builder *builder, const struct array_value *from,
                   const struct array_value *to, struct span at) {
    uint32_t group = builder->p->variables.data[to->variable].decl.group;
    ir_begin_ensemble(builder, group, at);
    ir_convert(builder, ir_element(builder, from->variable, from->element), from->type, to->type,
               ir_element(builder, to->variable, to->element), at);
}

/* Elements that lie in the VRFs of `to`, row by row, are in the lanes where they belong. */
static void put_result(struct ir_builder *builder, const struct array_folds *folds,
                       const struct array_value *from, const struct array_value *to,
                       struct span at) {
    uint32_t group = builder->p->variables.data[to->variable].decl.group;
    struct array_value landed = {.type = from->type};
    if (ir_group_root(builder->p, group) == ir_group_root(builder->p, folds->lane)) {
        put_at(builder, from, to, at);
        return;
    }
    struct array_view view = folds->view;
    view.base = group;
    landed.variable =
        ir_hidden(builder, array_view_rest(builder, &view), from->type, 1, use_of(USE_LEFT));
    struct ir_move m = array_fold_move(builder, folds, from, landed.variable);
    ir_put_move(builder, &m, at);
    put_at(builder, &landed, to, at);
}

/* ---- a matrix and a vector ---- */

/* A fold of products along an axis of the matrix's group. */
static struct array_folds fold_of(struct ir_builder *builder, struct array_fold *item,
                                  uint32_t group, uint32_t axis, uint32_t room) {
    struct array_folds f = {.items = item, .count = 1, .group = group, .axis = axis, .room = room};
    array_folds_begin(builder, &f);
    return f;
}

static void multiply(struct ir_builder *builder, const struct array_product *product,
                     const struct array_value *left, const struct array_value *right,
                     struct lane_type type, uint32_t dst, struct span at) {
    uint32_t u = ir_convert(builder, ir_element(builder, left->variable, left->element),
                            product->left.type, type, IR_NONE, at);
    uint32_t v = ir_convert(builder, ir_element(builder, right->variable, right->element),
                            product->right.type, type, IR_NONE, at);
    ir_typed(builder, IR_MUL, type, dst, u, v, at);
}

static void matrix_by_vector(struct ir_builder *builder, const struct array_product *product,
                             bool vector_left, struct span at) {
    const struct array_value *matrix = vector_left ? &product->right : &product->left;
    const struct array_value *vector = vector_left ? &product->left : &product->right;
    uint32_t group = builder->p->variables.data[matrix->variable].decl.group;
    uint32_t axis = vector_left ? 0 : 1, lead = lead_of(builder->p, group);
    struct array_value come = {ir_hidden(builder, group, vector->type, 1, use_of(USE_RIGHT)), 0,
                               vector->type};
    struct ir_move m = spread(builder, come.variable, vector);
    ir_move_source(&m, lead, lead + axis, 1, 0);
    ir_put_move(builder, &m, at);
    struct array_fold item = {
        .kind = ARRAY_SUM, .from = sum_type(product, 1), .type = product->to.type};
    struct array_folds f = fold_of(builder, &item, group, axis, product->room);
    ir_begin_ensemble(builder, builder->p->variables.data[item.own.variable].decl.group, at);
    multiply(builder, product, vector_left ? &come : matrix, vector_left ? matrix : &come,
             item.own.type, array_fold_element(builder, &item), at);
    array_folds_run(builder, &f, at);
    put_result(builder, &f, array_fold_result(&item), &product->to, at);
}

/* ---- matrices ---- */

struct matrices {
    const struct array_product *x;
    struct extent factors, laps;
    uint32_t lead, blocks, group; /* [blocks, M, N], of one block [M, N] */
    struct array_value left, right, sum;
    struct span at;
};

static uint64_t times(uint64_t left, uint64_t right) {
    return left > OBJECT_MAX_EXTENT / right ? OBJECT_MAX_EXTENT : left * right;
}

static uint64_t most_of(const struct ir_builder *builder, struct extent extent) {
    return (uint64_t)ir_extent_range(builder->p, extent).most;
}

uint32_t array_product_blocks(uint64_t elements, uint64_t factors, struct lane_type type) {
    uint32_t blocks = 1;
    if (!object_type_is_float(type) && times(factors, elements) <= MOST_LANES)
        return (uint32_t)factors; /* one lap */
    while (2 * blocks <= factors && times(2 * blocks, elements) <= MOST_LANES)
        blocks *= 2;
    return blocks;
}

static uint32_t choose_blocks(const struct ir_builder *builder, struct extent rows,
                              struct extent columns, struct extent factors, struct lane_type type) {
    uint64_t lanes = times(most_of(builder, rows), most_of(builder, columns)),
             most = most_of(builder, factors);
    if (factors.size != NO_INDEX && most > MOST_BLOCKS_OF_SIZES)
        most = MOST_BLOCKS_OF_SIZES;
    return array_product_blocks(lanes, most, type);
}

static struct matrices begin(struct ir_builder *builder, const struct array_product *product,
                             struct span at) {
    uint32_t base = builder->p->variables.data[product->to.variable].decl.group;
    const struct group *left = group_of(builder->p, &product->left),
                       *right = group_of(builder->p, &product->right);
    struct extent extents[] = {one, left->extent[0], right->extent[1]};
    struct matrices w = {
        .x = product, .factors = left->extent[1], .lead = lead_of(builder->p, base), .at = at};
    w.blocks = choose_blocks(builder, extents[1], extents[2], w.factors, product->to.type);
    w.laps = w.blocks > 1 ? array_ceil_div(builder, w.factors, w.blocks) : w.factors;
    extents[0].value = w.blocks;
    w.group = w.blocks > 1 ? ir_group_like(builder, base, 3, extents)
                           : ir_group_like(builder, base, 2, extents + 1);
    w.left =
        (struct array_value){ir_hidden(builder, w.group, product->left.type, 1, use_of(USE_LEFT)),
                             0, product->left.type};
    w.right =
        (struct array_value){ir_hidden(builder, w.group, product->right.type, 1, use_of(USE_RIGHT)),
                             0, product->right.type};
    return w;
}

/* Which of the factors comes: blocks * lap + block.  `stepped`: the lap is the number of this and
 * those of the REPEAT around, which is the innermost one. */
static void choose_factor(const struct matrices *matrices, struct ir_move *move, uint32_t dim,
                          uint64_t lap, struct move_laps *stepped) {
    struct move_affine *a = &move->record.source[dim];
    a->offset = (int64_t)(matrices->blocks * lap);
    if (matrices->blocks > 1)
        a->coeff[matrices->lead] = 1;
    if (!stepped)
        return;
    *stepped = (struct move_laps){0};
    stepped->coeff[MOVE_SOURCE][dim][0] = matrices->blocks;
    move->record.laps = stepped;
}

/* A factor whose product with 0 changes no sum: of floating point -0. */
static uint64_t nothing_of(struct lane_type type) {
    return object_type_is_float(type) ? ieee_sign_bit(object_type_format(type)) : 0;
}

static void bring_factors(struct ir_builder *builder, const struct matrices *matrices, uint64_t lap,
                          bool steps) {
    struct move_laps stepped;
    uint32_t row = matrices->lead + (matrices->blocks > 1);
    struct ir_move m = spread(builder, matrices->left.variable, &matrices->x->left);
    ir_move_source(&m, matrices->lead, row, 1, 0);
    choose_factor(matrices, &m, matrices->lead + 1, lap, steps ? &stepped : NULL);
    m.record.fill = nothing_of(matrices->left.type);
    ir_put_move(builder, &m, matrices->at);
    m = spread(builder, matrices->right.variable, &matrices->x->right);
    ir_move_source(&m, matrices->lead + 1, row + 1, 1, 0);
    choose_factor(matrices, &m, matrices->lead, lap, steps ? &stepped : NULL);
    ir_put_move(builder, &m, matrices->at);
}

/* Products of the first lap are the sum, those of later ones are added to it. */
static void lap(struct ir_builder *builder, const struct matrices *matrices, uint64_t number,
                bool steps) {
    struct lane_type type = matrices->sum.type;
    bring_factors(builder, matrices, number, steps);
    ir_begin_ensemble(builder, builder->p->variables.data[matrices->sum.variable].decl.group,
                      matrices->at);
    uint32_t sum = ir_element(builder, matrices->sum.variable, 0);
    uint32_t v = number == 0 ? sum : ir_vreg(builder->code, type, NULL, matrices->at);
    multiply(builder, matrices->x, &matrices->left, &matrices->right, type, v, matrices->at);
    if (number > 0)
        ir_typed(builder, IR_ADD, type, sum, sum, v, matrices->at);
}

static void all_laps(struct ir_builder *builder, const struct matrices *matrices) {
    bool few = matrices->laps.size == NO_INDEX && matrices->laps.value <= FEW_LAPS;
    lap(builder, matrices, 0, false);
    for (uint64_t i = 1; few && i < matrices->laps.value; i++)
        lap(builder, matrices, i, false);
    if (few)
        return;
    struct ir_repeat r =
        ir_open_repeat(builder, ir_extent(builder, DERIVE_SUB, matrices->laps, one), matrices->at);
    lap(builder, matrices, 1, true);
    ir_close_repeat(builder, &r);
}

static void matrix_by_matrix(struct ir_builder *builder, const struct array_product *product,
                             struct span at) {
    struct matrices w = begin(builder, product, at);
    struct lane_type type = sum_type(product, most_of(builder, w.laps));
    if (w.blocks == 1) {
        w.sum =
            (struct array_value){ir_hidden(builder, w.group, type, 1, use_of(USE_SUM)), 0, type};
        all_laps(builder, &w);
        put_at(builder, &w.sum, &product->to, at);
        return;
    }
    struct array_fold item = {.kind = ARRAY_SUM, .from = type, .type = product->to.type};
    struct array_folds f = fold_of(builder, &item, w.group, 0, product->room);
    w.sum = item.own;
    all_laps(builder, &w);
    array_folds_run(builder, &f, at);
    put_result(builder, &f, array_fold_result(&item), &product->to, at);
}

void array_product(struct ir_builder *builder, const struct array_product *product,
                   struct span at) {
    bool left = group_of(builder->p, &product->left)->ndim == 1,
         right = group_of(builder->p, &product->right)->ndim == 1;
    if (left || right)
        matrix_by_vector(builder, product, left, at);
    else
        matrix_by_matrix(builder, product, at);
}
