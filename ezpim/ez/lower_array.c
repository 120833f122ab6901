/* SPDX-License-Identifier: MIT
 * c = product(a, b) and y = sort(x), which are made below all front ends. */
#include "ezpim/array/product.h"
#include "ezpim/array/sort.h"
#include "ezpim/ez/lower_top.h"

static struct array_value value_of(const struct ez_register *ez_register) {
    return (struct array_value){ez_register->symbol->var.number, ez_register->element,
                                ez_register->symbol->type.type};
}

void ez_lower_product(struct lowering *lowering, const struct stmt *stmt) {
    const struct ez_product *x = stmt->product;
    const struct array_product p = {.left = value_of(&x->left),
                                    .right = value_of(&x->right),
                                    .to = value_of(&x->to),
                                    .room = 2u * lowering->options.folded};
    array_product(&lowering->b, &p, stmt->at);
}

/* Hidden variables, beside those of reductions and collectives. */
enum { USE_SORTED = 80 };

static struct array_value sorted_variable(struct lowering *lowering, const struct ez_sort *sort) {
    return (struct array_value){
        ir_hidden(&lowering->b, sort->group->index, sort->type, 1, USE_SORTED), 0, sort->type};
}

/* True if the value is a variable's. */
static bool is_variable(const struct ez_sort *sort) {
    const struct expr *e = sort->value;
    return !sort->front.count && (e->kind == EXPR_NAME || e->kind == EXPR_INDEX) &&
           !e->is_constant && e->symbol->kind == SYMBOL_EZ_VARIABLE && e->symbol->var.group;
}

/* Elements behind a length go behind the others. */
static struct array_value put_values(struct lowering *lowering, const struct ez_sort *sort,
                                     struct span at) {
    struct array_value v = sorted_variable(lowering, sort);
    struct lane_type type = sort->value->type.type;
    uint32_t region = IR_NONE;
    ez_lower_begin_ensemble(lowering, sort->group, at);
    uint32_t dst = ir_element(&lowering->b, v.variable, 0);
    if (sort->front.count) {
        ir_constant(&lowering->b, sort->type, array_identity(ARRAY_MIN, sort->type), dst, at);
        region = ez_lower_enter_front(lowering, &sort->front, at);
    }
    if (type.bits <= sort->type.bits)
        ez_lower_as(lowering, sort->value, sort->type, dst);
    else
        ez_lower_operation(lowering, IR_COPY, sort->type, dst,
                           ez_lower_as(lowering, sort->value, type, IR_NONE), IR_NONE, 0, at);
    ez_lower_leave_front(lowering, region, at);
    return v;
}

/* Where the value has a length only as many elements of the target are written. */
static void put_sorted(struct lowering *lowering, const struct ez_sort *sort,
                       const struct array_value *from, struct span at) {
    ez_lower_begin_ensemble(lowering, sort->group, at);
    uint32_t region = ez_lower_enter_front(lowering, &sort->front, at);
    ir_convert(&lowering->b, ir_element(&lowering->b, from->variable, 0), from->type,
               sort->to.symbol->type.type,
               ez_lower_element(lowering, sort->to.symbol, sort->to.element), at);
    ez_lower_leave_front(lowering, region, at);
}

void ez_lower_sort(struct lowering *lowering, const struct stmt *stmt) {
    const struct ez_sort *x = stmt->sort;
    struct array_sort sort = {.axis = x->axis, .to = value_of(&x->to), .base = NO_INDEX};
    if (is_variable(x))
        sort.from = value_of(&(struct ez_register){x->value->symbol, x->value->element});
    else
        sort.from = put_values(lowering, x, stmt->at);
    if (x->front.count)
        sort.to = sorted_variable(lowering, x);
    array_sort(&lowering->b, &sort, stmt->at);
    if (x->front.count)
        put_sorted(lowering, x, &sort.to, stmt->at);
}
