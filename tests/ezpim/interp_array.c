/* SPDX-License-Identifier: MIT
 * c = product(a, b) and y = sort(x): all results are worked out before one is stored. */
#include "tests/ezpim/interp_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- results ---- */

struct results {
    uint64_t *elements, *patterns; /* which element gets which value */
    uint64_t count;
};

static struct results new_results(struct interp *it, uint64_t most) {
    return (struct results){ARENA_ARRAY(&it->arena, most + 1, uint64_t),
                            ARENA_ARRAY(&it->arena, most + 1, uint64_t), 0};
}

static void add_result(struct results *r, uint64_t element, ez_number value) {
    r->elements[r->count] = element;
    r->patterns[r->count++] = (uint64_t)value;
}

static void store(struct interp *it, const struct expr *target, const struct results *r) {
    for (uint64_t i = 0; i < r->count && !it->error; i++) {
        struct rtype t = {0};
        it->element = r->elements[i];
        struct interp_cell *c = interp_place(it, target, &t);
        if (c)
            *c = (struct interp_cell){r->patterns[i] & rtype_mask(t), true};
    }
    it->element = 0;
}

/* ---- product ---- */

/* A matrix, or a vector as one row or column of it. */
struct factor {
    const struct expr *e;
    const struct interp_group *group;
    uint64_t rows, columns;
};

static bool find_factor(struct interp *it, const struct expr *e, bool left, struct factor *f) {
    const struct interp_binding *b = interp_find(it, e->name.text);
    if (!b || b->kind != BOUND_VARIABLE || !it->variables.data[b->variable].group)
        return false;
    const struct interp_group *g = interp_group(it, it->variables.data[b->variable].group);
    uint32_t lead = g->on_grid ? it->grid.ndim : 0, own = g->ndim - lead;
    uint64_t first = g->shape[lead], last = g->shape[g->ndim - 1];
    *f = (struct factor){e, g, own == 2 || !left ? first : 1, own == 2 || left ? last : 1};
    return own == 1 || own == 2;
}

static ez_number element_of(struct interp *it, const struct factor *f, uint64_t mpu, uint64_t row,
                            uint64_t column) {
    it->element = mpu * f->rows * f->columns + row * f->columns + column;
    return interp_eval(it, f->e).v;
}

/* Modulo 2^64. */
static ez_number inner_product(struct interp *it, const struct factor *left,
                               const struct factor *right, uint64_t mpu, uint64_t i, uint64_t j) {
    uint64_t sum = 0;
    for (uint64_t k = 0; k < left->columns && !it->error; k++)
        sum +=
            (uint64_t)element_of(it, left, mpu, i, k) * (uint64_t)element_of(it, right, mpu, k, j);
    return sum;
}

static void run_product(struct interp *it, const struct stmt *s) {
    struct factor left, right;
    if (s->value->arg_count != 2 || !find_factor(it, s->value->args[0], true, &left) ||
        !find_factor(it, s->value->args[1], false, &right) || left.columns != right.rows) {
        interp_fail(it, "no factors of a product");
        return;
    }
    uint64_t mpus = left.group->on_grid ? it->grid.elements : 1, each = left.rows * right.columns;
    struct results r = new_results(it, mpus * each);
    for (uint64_t m = 0; m < mpus; m++)
        for (uint64_t i = 0; i < each && !it->error; i++)
            add_result(&r, m * each + i,
                       inner_product(it, &left, &right, m, i / right.columns, i % right.columns));
    store(it, s->target, &r);
}

/* ---- sort ---- */

static int by_value(const void *a, const void *b) {
    const ez_number *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* count elements, `step` apart. */
static void sort_line(struct interp *it, const struct expr *e, uint64_t first, uint64_t step,
                      uint64_t count, struct results *r) {
    ez_number *values = ARENA_ARRAY(&it->arena, count + 1, ez_number);
    for (uint64_t i = 0; i < count && !it->error; i++) {
        it->element = first + i * step;
        values[i] = interp_eval(it, e).v;
    }
    qsort(values, count, sizeof *values, by_value);
    for (uint64_t i = 0; i < count; i++)
        add_result(r, first + i * step, values[i]);
}

static void sort_along(struct interp *it, const struct expr *e, const struct interp_group *g,
                       uint64_t d, struct results *r) {
    uint64_t step = 1;
    d += g->on_grid ? it->grid.ndim : 0;
    if (d >= g->ndim) {
        interp_fail(it, "there is no such dimension");
        return;
    }
    for (uint32_t i = (uint32_t)d + 1; i < g->ndim; i++)
        step *= g->shape[i];
    for (uint64_t first = 0; first < g->elements && !it->error; first++)
        if (first / step % g->shape[d] == 0)
            sort_line(it, e, first, step, g->shape[d], r);
}

static void run_sort(struct interp *it, const struct stmt *s, const struct interp_group *g) {
    const struct expr *call = s->value, *e = call->args[0];
    if (!g)
        return;
    struct results r = new_results(it, g->elements);
    if (call->arg_count == 2)
        sort_along(it, e, g, (uint64_t)interp_eval(it, call->args[1]).v, &r);
    else
        sort_line(it, e, 0, 1, interp_part(it, g, e), &r);
    store(it, s->target, &r);
}

bool interp_array(struct interp *it, const struct stmt *s, const struct interp_group *g) {
    if (strcmp(s->value->name.text, "product") == 0)
        run_product(it, s);
    else if (strcmp(s->value->name.text, "sort") == 0)
        run_sort(it, s, g);
    else
        return false;
    return true;
}
