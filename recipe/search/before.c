/* SPDX-License-Identifier: MIT
 * Ops read backwards: from a result to the operands that give it.  An op with one argument x makes
 * (x & c[1]) ^ c[0]: where c[1] has a bit, the result decides x; elsewhere c[0] must be right
 * already and x is free.  So the operands are those that agree with a value in some bits. */
#include "recipe/search/ops.h"

static void add_operands(const struct search_op *op, uint8_t field, struct function_set *set) {
    unsigned care = op->c[1], x = field ^ op->c[0];
    if (!(x & ~care)) {
        struct function_set agreeing = set_agreeing(care, x);
        *set = set_or(*set, &agreeing);
    }
}

struct function_set search_ops_before(const struct search_ops *ops, uint8_t field) {
    struct function_set s = {{0}};
    for (unsigned i = ops->first[1]; i < ops->first[2]; i++)
        add_operands(&ops->op[i], field, &s);
    return s;
}

struct function_set search_ops_before_with(const struct search_ops *ops, uint8_t z, uint8_t field) {
    struct function_set s = {{0}};
    for (unsigned i = ops->first[2]; i < ops->first[3]; i++) {
        struct search_op r = search_op_fix(&ops->op[i], z);
        add_operands(&r, field, &s);
    }
    return s;
}

void search_ops_before_pair(const struct search_ops *ops, const struct search_rows *rows, uint8_t z,
                            uint8_t field, struct function_set *set) {
    for (unsigned i = ops->first[3]; i < ops->first[4]; i++) {
        struct search_op r = search_op_fix(&ops->op[i], z);
        for (unsigned a = 0; a < rows->count; a++) {
            struct search_op q = search_op_fix(&r, rows->f[a]);
            add_operands(&q, field, set);
        }
    }
}

bool search_op_can(const struct search_op *op, uint8_t field) {
    unsigned can = 0;
    for (unsigned a = 0; a < 1u << op->args; a++) {
        unsigned result = 0;
        for (unsigned m = 0; m < 1u << op->args; m++)
            if ((m & a) == m)
                result ^= op->c[m];
        can |= ~(result ^ field);
    }
    return (can & 0xFF) == 0xFF;
}

/* As search_ops_cost, for one op. */
static bool makes(const struct search_op *op, const struct search_rows *rows, uint8_t field) {
    if (!op->args)
        return op->c[0] == field;
    for (unsigned a = 0; a < rows->count; a++) {
        struct search_op r = search_op_fix(op, rows->f[a]);
        if (makes(&r, rows, field))
            return true;
    }
    return false;
}

uint64_t search_ops_cost(const struct search_ops *ops, const struct search_rows *rows,
                         uint8_t field) {
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < ops->first[4]; i++)
        if (ops->op[i].cost < least && makes(&ops->op[i], rows, field))
            least = ops->op[i].cost;
    return least;
}
