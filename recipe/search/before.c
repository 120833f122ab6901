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

/* Times a byte: that byte eight times. */
#define BYTES UINT64_C(0x0101010101010101)

/* Bit 8k + 7: byte k is zero. */
static uint64_t zero_bytes(uint64_t word) {
    const uint64_t low = 0x7F * BYTES;
    return ~(((word & low) + low) | word) & 0x80 * BYTES;
}

/* Eight rows at a time: those with which the op, as one of its other argument, can make field. */
void search_ops_before_pair(const struct search_ops *ops, const struct search_rows *rows, uint8_t z,
                            uint8_t field, struct function_set *set) {
    for (unsigned i = ops->first[3]; i < ops->first[4]; i++) {
        struct search_op r = search_op_fix(&ops->op[i], z);
        for (unsigned k = 0; k < (rows->count + 7) / 8; k++) {
            uint64_t row = rows->word[k];
            uint64_t wrong = (field * BYTES) ^ (r.c[0] * BYTES) ^ (r.c[1] * BYTES & row);
            uint64_t care = (r.c[2] * BYTES) ^ (r.c[3] * BYTES & row);
            for (uint64_t left = zero_bytes(wrong & ~care); left; left &= left - 1) {
                unsigned byte = (unsigned)__builtin_ctzll(left) & ~7u;
                struct function_set agreeing =
                    set_agreeing(care >> byte & 0xFF, wrong >> byte & 0xFF);
                *set = set_or(*set, &agreeing);
            }
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
