/* SPDX-License-Identifier: MIT
 * Products of matrices and vectors.  Arrays in lanes are multiplied by the layer that all front
 * ends share (ezpim/array/product.c).  Every lane has the elements of a table: if one operand is a
 * table, the lines of the other are multiplied by its elements and added up, and nothing of the
 * table is moved. */
#include "ezpim/array/product.h"
#include "ezpim/np/functions.h"
#include "ezpim/np/promotion.h"

static const struct np_value none = {.kind = NP_ERROR};

/* Elements of a table of the text that are multiplied one by one; more of them go to lanes. */
enum { MOST_ENTRIES = 256 };

struct product {
    struct np_unit *u;
    const char *name;
    struct span at;
    struct np_value a, b;
};

/* ---- shapes ---- */

static bool shapes_agree(const struct product *product) {
    const struct array_ref *a = product->a.array, *b = product->b.array;
    struct np_unit *u = product->u;
    const char *first = np_shape_string(u, a->ndim, a->shape);
    const char *second = np_shape_string(u, b->ndim, b->shape);
    if (a->ndim > 2 || b->ndim > 2)
        np_error(u, product->at,
                 "`%s` is of arrays with one or two axes, and these have the shapes %s and %s",
                 product->name, first, second);
    else if (a->shape[a->ndim - 1] != b->shape[0])
        np_error(u, product->at,
                 "`%s` of shapes %s and %s: the last axis of the first is as long as the first of "
                 "the second",
                 product->name, first, second);
    else
        return true;
    np_note_shapes(u, a, b);
    return false;
}

/* ---- arrays in lanes ---- */

static struct np_value of_vectors(const struct product *p) {
    struct np_value v = np_binary(p->u, NP_OP_MUL, p->a, p->b, NULL, p->at);
    if (v.kind != NP_ARRAY)
        return v;
    const struct lane_type type = v.array->type;
    return np_array_value(
        array_reduced(&p->u->arrays, v.array, ARRAY_SUM, ARRAY_ALL, type, type, p->at), p->at);
}

static struct np_value in_lanes(const struct product *p) {
    struct np_unit *u = p->u;
    const struct lane_type type = np_promoted(p->a.array->type, p->b.array->type);
    struct array_ref *a = np_at_type(u, &p->a, type, p->name, p->at);
    struct array_ref *b = np_at_type(u, &p->b, type, p->name, p->at);
    if (!a || !b || !np_readable(u, a, p->at) || !np_readable(u, b, p->at))
        return none;
    return np_array_value(array_multiplied(&u->arrays, a, b, p->at), p->at);
}

/* ---- tables ---- */

static bool is_table(const struct np_value *value) {
    const struct array_known *t = value->array->table;
    return t && (t->linked || t->count <= MOST_ENTRIES);
}

/* Element i along the axis of the sum, `line` along the other one, or all of these (-1). */
static struct np_value part(const struct product *p, bool second, uint64_t index, np_int line) {
    const struct np_value *v = second ? &p->b : &p->a;
    struct np_value items[2], all[3] = {{.kind = NP_NONE}, {.kind = NP_NONE}, {.kind = NP_NONE}};
    items[second || v->array->ndim == 1 ? 0 : 1] = np_int_value((np_int)index, p->at);
    if (v->array->ndim == 2)
        items[second] =
            line < 0 ? np_items_value(NP_SLICE, all, 3, p->at) : np_int_value(line, p->at);
    return np_index(p->u, *v, items, v->array->ndim, p->at);
}

static struct np_value add(const struct product *p, struct np_value left, struct np_value right) {
    return np_binary(p->u, NP_OP_ADD, left, right, NULL, p->at);
}

/* Every blocks-th product from the first on, of elements or lines of both operands. */
static struct np_value block_of(const struct product *p, np_int row, np_int column, uint64_t first,
                                uint64_t blocks) {
    struct np_value sum = none;
    for (uint64_t i = first; i < p->b.array->shape[0]; i += blocks) {
        struct np_value v = np_binary(p->u, NP_OP_MUL, part(p, false, i, row),
                                      part(p, true, i, column), NULL, p->at);
        if (v.kind != NP_ARRAY)
            return none;
        sum = i > first ? add(p, sum, v) : v;
    }
    return sum;
}

/* Floats are added up in the order that arrays in lanes have, integers one by one. */
static uint64_t blocks_of(const struct product *p) {
    const struct array_ref *a = p->a.array, *b = p->b.array;
    bool matrices = a->ndim == 2 && b->ndim == 2;
    const struct lane_type type = np_promoted(a->type, b->type);
    return !array_is_float(type) ? 1
           : matrices ? array_product_blocks(a->shape[0] * b->shape[1], b->shape[0], type)
                      : b->shape[0];
}

/* The sum of all products: of pairs of blocks, then of pairs of these.  On the stack lie the sums
 * of 2^k blocks for each bit k of the number of blocks so far. */
static struct np_value line_of(const struct product *p, np_int row, np_int column) {
    struct np_value stack[65];
    unsigned top = 0;
    uint64_t blocks = blocks_of(p);
    for (uint64_t i = 0; i < blocks; i++) {
        stack[top++] = block_of(p, row, column, i, blocks);
        for (uint64_t n = i + 1; n % 2 == 0; n /= 2, top--)
            stack[top - 2] = add(p, stack[top - 2], stack[top - 1]);
    }
    for (; top > 1; top--)
        stack[top - 2] = add(p, stack[top - 2], stack[top - 1]);
    return stack[0];
}

/* Lines along the table's axis that stays are put side by side. */
static struct np_value by_table(const struct product *product, bool second) {
    const struct np_value *table = second ? &product->b : &product->a;
    uint64_t n = table->array->ndim == 2 ? table->array->shape[second] : 0;
    struct np_value *lines = ARENA_ARRAY(&product->u->arena, n + 1, struct np_value);
    if (n == 0)
        return line_of(product, -1, -1);
    for (uint64_t i = 0; i < n; i++) {
        lines[i] = line_of(product, second ? -1 : (np_int)i, second ? (np_int)i : -1);
        if (lines[i].kind != NP_ARRAY)
            return none;
    }
    uint32_t last = lines[0].array->ndim;
    struct np_value items[] = {np_items_value(NP_LIST, lines, (uint32_t)n, product->at),
                               np_int_value(second ? last : 0, product->at)};
    const struct np_args stack = {"stack", product->at, items, 0};
    return np_stack(product->u, &stack);
}

/* ---- functions ---- */

static struct np_value multiply(const struct product *p) {
    if (!shapes_agree(p))
        return none;
    if (is_table(&p->b) && !p->a.array->table)
        return by_table(p, true);
    if (is_table(&p->a) && !p->b.array->table)
        return by_table(p, false);
    return p->a.array->ndim + p->b.array->ndim == 2 ? of_vectors(p) : in_lanes(p);
}

static bool has_axes(const struct np_value *value) {
    return value->kind == NP_ARRAY && value->array->ndim > 0;
}

struct np_value np_matmul(struct np_unit *unit, const struct np_args *args) {
    if (!np_given(unit, args, 1, "x2"))
        return none;
    const struct product p = {unit, args->name, args->at, args->items[0], args->items[1]};
    if (!np_factors(unit, args->name, &p.a, &p.b, args->at))
        return none;
    if (has_axes(&p.a) && has_axes(&p.b))
        return multiply(&p);
    return np_error(unit, args->at, "`%s` is of arrays; by one value it is written `*`",
                    args->name);
}

/* With a value without dimension it is `*`. */
struct np_value np_dot(struct np_unit *unit, const struct np_args *args) {
    if (!np_given(unit, args, 1, "b"))
        return none;
    if (has_axes(&args->items[0]) && has_axes(&args->items[1]))
        return np_matmul(unit, args);
    return np_apply(unit, "dot", NP_OP_MUL, args->items[0], &args->items[1], args->at);
}
