/* SPDX-License-Identifier: MIT
 * c = product(a, b) and y = sort(x). */
#include "ezpim/array/sort.h"
#include "ezpim/ez/check_flow.h"
#include "ezpim/ez/check_top.h"
#include "ezpim/ez/move.h"

#include <inttypes.h>
#include <string.h>

static bool check_arg_count(struct checker *checker, const struct expr *expr, uint32_t least,
                            uint32_t most) {
    if (expr->arg_count >= least && expr->arg_count <= most)
        return true;
    diag_error(checker->u->diag, expr->at, "`%s` takes %s, not %" PRIu32, expr->name.text,
               most == least ? "2 matrices, or a matrix and a vector"
                             : "a value and, if wanted, a dimension",
               expr->arg_count);
    return false;
}

/* What waits for all MPUs. */
static void check_outside(struct checker *checker, const struct stmt *stmt) {
    if (checker->on)
        diag_error(checker->u->diag, stmt->at, "`%s` waits for all MPUs: it stands outside of `on`",
                   stmt->value->name.text);
}

static bool check_number_type(struct checker *checker, const struct expr *expr, const char *name) {
    if (expr->type.state == STATE_NUMBER) {
        diag_error(checker->u->diag, expr->at, "this number has no type");
        return false;
    }
    if (ez_type_is_bool(expr->type))
        diag_error(checker->u->diag, expr->at, "`%s` takes numbers, not bool", name);
    return !ez_type_is_bool(expr->type);
}

/* Whether values of type `from` can be stored in the target. */
static bool check_result_type(struct checker *checker, const struct expr *expr,
                              struct lane_type from, const struct ez_symbol *symbol) {
    struct lane_type to = symbol->type.type;
    if (from.kind == to.kind && from.bits <= to.bits)
        return true;
    diag_error(checker->u->diag, expr->at, "this is %s, and `%s` is %s",
               ez_type_name(checker, from), symbol->name.text, ez_type_name(checker, to));
    return false;
}

/* ---- product ---- */

/* A variable of a group, or one register of an array. */
static bool check_factor(struct checker *checker, struct expr *expr,
                         struct ez_register *ez_register) {
    if (expr->kind != EXPR_NAME && expr->kind != EXPR_INDEX) {
        diag_error(checker->u->diag, expr->at,
                   "`product` takes variables of groups: what is computed goes into one first");
        return false;
    }
    if (!ez_check_over_group(checker, expr) || !check_number_type(checker, expr, "product"))
        return false;
    *ez_register = (struct ez_register){expr->symbol, expr->element};
    return true;
}

static bool check_factor_types(struct checker *checker, struct expr *expr) {
    struct lane_type a = expr->args[0]->type.type, b = expr->args[1]->type.type;
    if (a.kind == b.kind)
        return true;
    diag_error(checker->u->diag, expr->args[1]->at,
               object_type_is_float(a) || object_type_is_float(b)
                   ? "`%s` is %s, and `%s` is %s: factors are of one kind"
                   : "`%s` is %s, and `%s` is %s: factors are of one sign",
               ez_source_text(checker, expr->args[0]->at), ez_type_name(checker, a),
               ez_source_text(checker, expr->args[1]->at), ez_type_name(checker, b));
    return false;
}

static const struct ez_symbol *group_of(const struct ez_register *ez_register) {
    return ez_register->symbol->var.group;
}

static const char *extent_text(struct checker *checker, struct extent extent) {
    if (extent.size != NO_INDEX)
        return checker->u->sizes.items.data[extent.size]->name.text;
    return arena_printf(&checker->u->arena, "%" PRIu64, extent.value);
}

/* [64, n] */
static const char *shape_text(struct checker *checker, const struct extent *extents, uint32_t n) {
    const char *text = "[";
    for (uint32_t d = 0; d < n; d++)
        text = arena_printf(&checker->u->arena, "%s%s%s", text, d ? ", " : "",
                            extent_text(checker, extents[d]));
    return arena_printf(&checker->u->arena, "%s]", text);
}

static bool check_factor_shapes(struct checker *checker, const struct expr *expr,
                                const struct ez_symbol *left, const struct ez_symbol *right) {
    const char *first = shape_text(checker, left->layout.extents, left->layout.ndim);
    const char *second = shape_text(checker, right->layout.extents, right->layout.ndim);
    if (left->layout.ndim > 2 || right->layout.ndim > 2) {
        diag_error(checker->u->diag, expr->at,
                   "`product` is of groups of one or two dimensions, not %s",
                   left->layout.ndim > 2 ? first : second);
        return false;
    }
    if (left->layout.ndim == 1 && right->layout.ndim == 1) {
        diag_error(checker->u->diag, expr->at,
                   "`product` is of matrices, or of a matrix and a vector: of two vectors write "
                   "`sum(%s * %s)`",
                   ez_source_text(checker, expr->args[0]->at),
                   ez_source_text(checker, expr->args[1]->at));
        return false;
    }
    if (ez_same_extent(left->layout.extents[left->layout.ndim - 1], right->layout.extents[0]))
        return true;
    diag_error(checker->u->diag, expr->at,
               "`%s` is %s and `%s` is %s: the last extent of the first is the "
               "first one of the second",
               ez_source_text(checker, expr->args[0]->at), first,
               ez_source_text(checker, expr->args[1]->at), second);
    return false;
}

/* Of a target without a group too. */
static bool check_product_shape(struct checker *checker, const struct stmt *stmt,
                                const struct ez_product *product) {
    const struct ez_symbol *left = group_of(&product->left), *right = group_of(&product->right),
                           *to = group_of(&product->to);
    struct extent extents[2];
    uint32_t n = 0;
    if (left->layout.ndim == 2)
        extents[n++] = left->layout.extents[0];
    if (right->layout.ndim == 2)
        extents[n++] = right->layout.extents[1];
    bool same = to && to->layout.ndim == n;
    for (uint32_t d = 0; same && d < n; d++)
        same = ez_same_extent(to->layout.extents[d], extents[d]);
    if (!same)
        diag_error(checker->u->diag, stmt->target->at,
                   "the product is of a group %s, and `%s` is not", shape_text(checker, extents, n),
                   product->to.symbol->name.text);
    return same;
}

static bool check_product_mpus(struct checker *checker, const struct stmt *stmt,
                               const struct ez_product *product) {
    bool on = group_of(&product->left)->layout.on_mpus;
    if (group_of(&product->right)->layout.on_mpus == on &&
        group_of(&product->to)->layout.on_mpus == on)
        return true;
    diag_error(checker->u->diag, stmt->at,
               "the groups of a product are all `on` an array of MPUs, each of which makes its own "
               "product, or none is");
    return false;
}

static bool check_product_target(struct checker *checker, struct stmt *stmt,
                                 struct ez_product *product) {
    const struct expr *e = stmt->value;
    struct lane_type a = e->args[0]->type.type, b = e->args[1]->type.type;
    product->to.symbol = ez_check_result(checker, stmt, &product->to.element);
    return product->to.symbol && check_product_shape(checker, stmt, product) &&
           check_product_mpus(checker, stmt, product) &&
           check_result_type(checker, e, a.bits < b.bits ? b : a, product->to.symbol);
}

/* It is a loop itself. */
static void check_product_depth(struct checker *checker, const struct stmt *stmt) {
    if (checker->repeat_depth >= MAX_REPEAT_DEPTH)
        diag_error(checker->u->diag, stmt->at,
                   "a product is a loop of its own: it stands in %d at most", MAX_REPEAT_DEPTH - 1);
}

static bool check_product(struct checker *checker, struct stmt *stmt) {
    struct ez_product *x = ARENA_NEW(&checker->u->arena, struct ez_product);
    struct expr *e = stmt->value;
    bool good = check_arg_count(checker, e, 2, 2) && check_factor(checker, e->args[0], &x->left) &&
                check_factor(checker, e->args[1], &x->right) && check_factor_types(checker, e) &&
                check_factor_shapes(checker, e, group_of(&x->left), group_of(&x->right)) &&
                check_product_target(checker, stmt, x);
    if (!good)
        return false;
    check_product_depth(checker, stmt);
    ez_note_result(checker, x->to.symbol, x->to.element, false);
    stmt->product = x;
    return true;
}

/* ---- sort ---- */

static bool check_axis(struct checker *checker, struct expr *expr, struct ez_sort *sort) {
    uint64_t axis;
    if (expr->arg_count == 1)
        return true;
    ez_check_expr(checker, expr->args[1]);
    if (!ez_check_integer(checker, expr->args[1], 0, sort->group->layout.ndim - 1, "the dimension",
                          &axis))
        return false;
    sort->axis = (uint32_t)axis;
    return true;
}

/* Whether the number of stages is known. */
static bool check_length_of_lines(struct checker *checker, const struct stmt *stmt,
                                  const struct ez_sort *sort) {
    bool all = sort->axis == ARRAY_ALL, sized = false;
    uint64_t most = all ? ez_most_elements(checker->u, sort->group)
                        : ez_most_in_extent(checker->u, sort->group->layout.extents[sort->axis]);
    for (uint32_t d = 0; d < sort->group->layout.ndim; d++)
        sized |= (all || d == sort->axis) && sort->group->layout.extents[d].size != NO_INDEX;
    if (all && sort->group->layout.on_mpus) {
        diag_error(checker->u->diag, stmt->value->at,
                   "`%s` is of a group `on` an array of MPUs: each sorts its own elements along a "
                   "dimension, `sort(x, 0)`",
                   ez_source_text(checker, stmt->value->args[0]->at));
        return false;
    }
    if (!sized || (most && array_sort_levels(most) <= ARRAY_MOST_LEVELS_OF_SIZES))
        return true;
    diag_error(checker->u->diag, stmt->value->at,
               "how many stages it takes to sort follows from the number of elements: a size has a "
               "bound, `size n <= 65536;`, and there are no more than %u elements",
               1u << ARRAY_MOST_LEVELS_OF_SIZES);
    return false;
}

static bool check_sort_target(struct checker *checker, struct stmt *stmt, struct ez_sort *sort) {
    sort->to.symbol = ez_check_result(checker, stmt, &sort->to.element);
    if (!sort->to.symbol)
        return false;
    if (sort->to.symbol->var.group != sort->group) {
        diag_error(checker->u->diag, stmt->target->at,
                   "`sort` has a value for each element: `%s` is not of the group `%s`",
                   sort->to.symbol->name.text, sort->group->name.text);
        return false;
    }
    return check_result_type(checker, stmt->value, sort->value->type.type, sort->to.symbol);
}

static bool check_sort(struct checker *checker, struct stmt *stmt) {
    struct ez_sort *x = ARENA_NEW(&checker->u->arena, struct ez_sort);
    struct expr *e = stmt->value;
    *x = (struct ez_sort){.axis = ARRAY_ALL};
    if (!check_arg_count(checker, e, 1, 2))
        return false;
    x->value = e->args[0];
    x->group = ez_check_over_group(checker, x->value);
    if (!x->group || !check_axis(checker, e, x) || !check_number_type(checker, x->value, "sort"))
        return false;
    x->front = ez_check_front(checker, x->value, NULL, NULL, NULL);
    if (!check_length_of_lines(checker, stmt, x) || !check_sort_target(checker, stmt, x))
        return false;
    ez_note_result(checker, x->to.symbol, x->to.element, x->front.count > 0);
    x->type = ez_value_type(checker->u, x->group, x->value);
    x->value = ez_without_widening(x->value);
    stmt->sort = x;
    return true;
}

static bool calls(const struct expr *expr, const char *name) {
    return expr->kind == EXPR_CALL && strcmp(expr->name.text, name) == 0;
}

bool ez_is_array_call(const struct expr *expr) {
    return calls(expr, "product") || calls(expr, "sort");
}

bool ez_check_array_call(struct checker *checker, struct stmt *stmt) {
    if (stmt->compound || !ez_is_array_call(stmt->value))
        return false;
    checker->run = NULL;
    if (calls(stmt->value, "product") ? check_product(checker, stmt) : check_sort(checker, stmt))
        check_outside(checker, stmt);
    else
        checker->incomplete = true;
    return true;
}
