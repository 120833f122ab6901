/* SPDX-License-Identifier: MIT
 * c = product(a, b) and y = sort(x). */
#include "ezpim/array/sort.h"
#include "ezpim/ez/check_flow.h"
#include "ezpim/ez/check_top.h"
#include "ezpim/ez/move.h"

#include <inttypes.h>
#include <string.h>

static bool check_arg_count(struct checker *c, const struct expr *e, uint32_t least,
                            uint32_t most) {
    if (e->arg_count >= least && e->arg_count <= most)
        return true;
    diag_error(c->u->diag, e->at, "`%s` takes %s, not %" PRIu32, e->name.text,
               most == least ? "2 matrices, or a matrix and a vector"
                             : "a value and, if wanted, a dimension",
               e->arg_count);
    return false;
}

/* What waits for all MPUs. */
static void check_outside(struct checker *c, const struct stmt *s) {
    if (c->on)
        diag_error(c->u->diag, s->at, "`%s` waits for all MPUs: it stands outside of `on`",
                   s->value->name.text);
}

static bool check_number_type(struct checker *c, const struct expr *e, const char *name) {
    if (e->type.state == STATE_NUMBER) {
        diag_error(c->u->diag, e->at, "this number has no type");
        return false;
    }
    if (type_is_bool(e->type))
        diag_error(c->u->diag, e->at, "`%s` takes numbers, not bool", name);
    return !type_is_bool(e->type);
}

/* Whether values of type `from` can be stored in the target. */
static bool check_result_type(struct checker *c, const struct expr *e, struct mpu_type from,
                              const struct ez_symbol *t) {
    struct mpu_type to = t->type.type;
    if (from.kind == to.kind && from.bits <= to.bits)
        return true;
    diag_error(c->u->diag, e->at, "this is %s, and `%s` is %s", type_name(c, from), t->name.text,
               type_name(c, to));
    return false;
}

/* ---- product ---- */

/* A variable of a group, or one register of an array. */
static bool check_factor(struct checker *c, struct expr *e, struct ez_register *r) {
    if (e->kind != EXPR_NAME && e->kind != EXPR_INDEX) {
        diag_error(c->u->diag, e->at,
                   "`product` takes variables of groups: what is computed goes into one first");
        return false;
    }
    if (!check_over_group(c, e) || !check_number_type(c, e, "product"))
        return false;
    *r = (struct ez_register){e->symbol, e->element};
    return true;
}

static bool check_factor_types(struct checker *c, struct expr *e) {
    struct mpu_type a = e->args[0]->type.type, b = e->args[1]->type.type;
    if (a.kind == b.kind)
        return true;
    diag_error(c->u->diag, e->args[1]->at, "`%s` is %s, and `%s` is %s: factors are of one sign",
               source_text(c, e->args[0]->at), type_name(c, a), source_text(c, e->args[1]->at),
               type_name(c, b));
    return false;
}

static const struct ez_symbol *group_of(const struct ez_register *r) {
    return r->symbol->var.group;
}

static const char *extent_text(struct checker *c, struct extent x) {
    if (x.size != NO_INDEX)
        return c->u->sizes.items.data[x.size]->name.text;
    return arena_printf(&c->u->arena, "%" PRIu64, x.value);
}

/* [64, n] */
static const char *shape_text(struct checker *c, const struct extent *extents, uint32_t n) {
    const char *text = "[";
    for (uint32_t d = 0; d < n; d++)
        text =
            arena_printf(&c->u->arena, "%s%s%s", text, d ? ", " : "", extent_text(c, extents[d]));
    return arena_printf(&c->u->arena, "%s]", text);
}

static bool check_factor_shapes(struct checker *c, const struct expr *e,
                                const struct ez_symbol *left, const struct ez_symbol *right) {
    const char *first = shape_text(c, left->layout.extents, left->layout.ndim);
    const char *second = shape_text(c, right->layout.extents, right->layout.ndim);
    if (left->layout.ndim > 2 || right->layout.ndim > 2) {
        diag_error(c->u->diag, e->at, "`product` is of groups of one or two dimensions, not %s",
                   left->layout.ndim > 2 ? first : second);
        return false;
    }
    if (left->layout.ndim == 1 && right->layout.ndim == 1) {
        diag_error(c->u->diag, e->at,
                   "`product` is of matrices, or of a matrix and a vector: of two vectors write "
                   "`sum(%s * %s)`",
                   source_text(c, e->args[0]->at), source_text(c, e->args[1]->at));
        return false;
    }
    if (ez_same_extent(left->layout.extents[left->layout.ndim - 1], right->layout.extents[0]))
        return true;
    diag_error(c->u->diag, e->at,
               "`%s` is %s and `%s` is %s: the last extent of the first is the "
               "first one of the second",
               source_text(c, e->args[0]->at), first, source_text(c, e->args[1]->at), second);
    return false;
}

/* Of a target without a group too. */
static bool check_product_shape(struct checker *c, const struct stmt *s,
                                const struct ez_product *x) {
    const struct ez_symbol *left = group_of(&x->left), *right = group_of(&x->right),
                           *to = group_of(&x->to);
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
        diag_error(c->u->diag, s->target->at, "the product is of a group %s, and `%s` is not",
                   shape_text(c, extents, n), x->to.symbol->name.text);
    return same;
}

static bool check_product_mpus(struct checker *c, const struct stmt *s,
                               const struct ez_product *x) {
    bool on = group_of(&x->left)->layout.on_mpus;
    if (group_of(&x->right)->layout.on_mpus == on && group_of(&x->to)->layout.on_mpus == on)
        return true;
    diag_error(c->u->diag, s->at,
               "the groups of a product are all `on` an array of MPUs, each of which makes its own "
               "product, or none is");
    return false;
}

static bool check_product_target(struct checker *c, struct stmt *s, struct ez_product *x) {
    const struct expr *e = s->value;
    struct mpu_type a = e->args[0]->type.type, b = e->args[1]->type.type;
    x->to.symbol = check_result(c, s, &x->to.element);
    return x->to.symbol && check_product_shape(c, s, x) && check_product_mpus(c, s, x) &&
           check_result_type(c, e, a.bits < b.bits ? b : a, x->to.symbol);
}

/* It is a loop itself. */
static void check_product_depth(struct checker *c, const struct stmt *s) {
    if (c->repeat_depth >= MAX_REPEAT_DEPTH)
        diag_error(c->u->diag, s->at, "a product is a loop of its own: it stands in %d at most",
                   MAX_REPEAT_DEPTH - 1);
}

static bool check_product(struct checker *c, struct stmt *s) {
    struct ez_product *x = ARENA_NEW(&c->u->arena, struct ez_product);
    struct expr *e = s->value;
    bool good = check_arg_count(c, e, 2, 2) && check_factor(c, e->args[0], &x->left) &&
                check_factor(c, e->args[1], &x->right) && check_factor_types(c, e) &&
                check_factor_shapes(c, e, group_of(&x->left), group_of(&x->right)) &&
                check_product_target(c, s, x);
    if (!good)
        return false;
    check_product_depth(c, s);
    note_result(c, x->to.symbol, x->to.element, false);
    s->product = x;
    return true;
}

/* ---- sort ---- */

static bool check_axis(struct checker *c, struct expr *e, struct ez_sort *x) {
    uint64_t axis;
    if (e->arg_count == 1)
        return true;
    check_expr(c, e->args[1]);
    if (!check_integer(c, e->args[1], 0, x->group->layout.ndim - 1, "the dimension", &axis))
        return false;
    x->axis = (uint32_t)axis;
    return true;
}

/* Whether the number of stages is known. */
static bool check_length_of_lines(struct checker *c, const struct stmt *s,
                                  const struct ez_sort *x) {
    bool all = x->axis == ARRAY_ALL, sized = false;
    uint64_t most = all ? ez_most_elements(c->u, x->group)
                        : ez_most_in_extent(c->u, x->group->layout.extents[x->axis]);
    for (uint32_t d = 0; d < x->group->layout.ndim; d++)
        sized |= (all || d == x->axis) && x->group->layout.extents[d].size != NO_INDEX;
    if (all && x->group->layout.on_mpus) {
        diag_error(c->u->diag, s->value->at,
                   "`%s` is of a group `on` an array of MPUs: each sorts its own elements along a "
                   "dimension, `sort(x, 0)`",
                   source_text(c, s->value->args[0]->at));
        return false;
    }
    if (!sized || (most && array_sort_levels(most) <= ARRAY_MOST_LEVELS_OF_SIZES))
        return true;
    diag_error(c->u->diag, s->value->at,
               "how many stages it takes to sort follows from the number of elements: a size has a "
               "bound, `size n <= 65536;`, and there are no more than %u elements",
               1u << ARRAY_MOST_LEVELS_OF_SIZES);
    return false;
}

static bool check_sort_target(struct checker *c, struct stmt *s, struct ez_sort *x) {
    x->to.symbol = check_result(c, s, &x->to.element);
    if (!x->to.symbol)
        return false;
    if (x->to.symbol->var.group != x->group) {
        diag_error(c->u->diag, s->target->at,
                   "`sort` has a value for each element: `%s` is not of the group `%s`",
                   x->to.symbol->name.text, x->group->name.text);
        return false;
    }
    return check_result_type(c, s->value, x->value->type.type, x->to.symbol);
}

static bool check_sort(struct checker *c, struct stmt *s) {
    struct ez_sort *x = ARENA_NEW(&c->u->arena, struct ez_sort);
    struct expr *e = s->value;
    *x = (struct ez_sort){.axis = ARRAY_ALL};
    if (!check_arg_count(c, e, 1, 2))
        return false;
    x->value = e->args[0];
    x->group = check_over_group(c, x->value);
    if (!x->group || !check_axis(c, e, x) || !check_number_type(c, x->value, "sort"))
        return false;
    x->front = check_front(c, x->value, NULL, NULL);
    if (!check_length_of_lines(c, s, x) || !check_sort_target(c, s, x))
        return false;
    note_result(c, x->to.symbol, x->to.element, x->front.count > 0);
    x->type = ez_value_type(c->u, x->group, x->value);
    x->value = ez_without_widening(x->value);
    s->sort = x;
    return true;
}

static bool calls(const struct expr *e, const char *name) {
    return e->kind == EXPR_CALL && strcmp(e->name.text, name) == 0;
}

bool is_array_call(const struct expr *e) {
    return calls(e, "product") || calls(e, "sort");
}

bool check_array_call(struct checker *c, struct stmt *s) {
    if (s->compound || !is_array_call(s->value))
        return false;
    c->run = NULL;
    if (calls(s->value, "product") ? check_product(c, s) : check_sort(c, s))
        check_outside(c, s);
    else
        c->incomplete = true;
    return true;
}
