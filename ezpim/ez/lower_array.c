/* SPDX-License-Identifier: MIT
 * c = product(a, b) and y = sort(x), which are made below all front ends. */
#include "ezpim/array/product.h"
#include "ezpim/array/sort.h"
#include "ezpim/ez/lower_top.h"

static struct array_value value_of(const struct ez_register *r) {
    return (struct array_value){r->symbol->var.number, r->element, r->symbol->type.type};
}

void lower_product(struct lowering *l, const struct stmt *s) {
    const struct ez_product *x = s->product;
    const struct array_product p = {.left = value_of(&x->left),
                                    .right = value_of(&x->right),
                                    .to = value_of(&x->to),
                                    .room = 2u * l->options.folded};
    array_product(&l->b, &p, s->at);
}

/* Hidden variables, beside those of reductions and collectives. */
enum { USE_SORTED = 80 };

static struct array_value sorted_variable(struct lowering *l, const struct ez_sort *x) {
    return (struct array_value){ir_hidden(&l->b, x->group->index, x->type, 1, USE_SORTED), 0,
                                x->type};
}

/* True if the value is a variable's. */
static bool is_variable(const struct ez_sort *x) {
    const struct expr *e = x->value;
    return !x->front.count && (e->kind == EXPR_NAME || e->kind == EXPR_INDEX) && !e->is_constant &&
           e->symbol->kind == SYMBOL_EZ_VARIABLE && e->symbol->var.group;
}

/* Elements behind a length go behind the others. */
static struct array_value put_values(struct lowering *l, const struct ez_sort *x, struct span at) {
    struct array_value v = sorted_variable(l, x);
    struct mpu_type type = x->value->type.type;
    uint32_t region = IR_NONE;
    lower_begin_ensemble(l, x->group, at);
    uint32_t dst = ir_element(&l->b, v.variable, 0);
    if (x->front.count) {
        ir_constant(&l->b, x->type, array_identity(ARRAY_MIN, x->type), dst, at);
        region = lower_enter_front(l, &x->front, at);
    }
    if (type.bits <= x->type.bits)
        lower_as(l, x->value, x->type, dst);
    else
        lower_operation(l, IR_COPY, x->type, dst, lower_as(l, x->value, type, IR_NONE), IR_NONE, 0,
                        at);
    lower_leave_front(l, region, at);
    return v;
}

/* Where the value has a length only as many elements of the target are written. */
static void put_sorted(struct lowering *l, const struct ez_sort *x, const struct array_value *from,
                       struct span at) {
    lower_begin_ensemble(l, x->group, at);
    uint32_t region = lower_enter_front(l, &x->front, at);
    ir_convert(&l->b, ir_element(&l->b, from->variable, 0), from->type, x->to.symbol->type.type,
               lower_element(l, x->to.symbol, x->to.element), at);
    lower_leave_front(l, region, at);
}

void lower_sort(struct lowering *l, const struct stmt *s) {
    const struct ez_sort *x = s->sort;
    struct array_sort sort = {.axis = x->axis, .to = value_of(&x->to)};
    if (is_variable(x))
        sort.from = value_of(&(struct ez_register){x->value->symbol, x->value->element});
    else
        sort.from = put_values(l, x, s->at);
    if (x->front.count)
        sort.to = sorted_variable(l, x);
    array_sort(&l->b, &sort, s->at);
    if (x->front.count)
        put_sorted(l, x, &sort.to, s->at);
}
