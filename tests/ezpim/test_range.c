/* SPDX-License-Identifier: MIT
 * Ranges of results against all values of the operands at few bits, and against random ones at
 * many. */
#include "ezpim/ir/range.h"
#include "support/bits.h"
#include "tests/ezpim/expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct operation {
    struct ir_insn insn;
    struct ir_range a, b, result;
    bool decided, outcome;
};

static void make_operation(enum ir_op op, struct lane_type type, struct ir_range a,
                           struct ir_range b, struct operation *o) {
    *o = (struct operation){
        .insn = {.op = (uint8_t)op, .type = type, .a = 1, .b = 2, .c = IR_NONE}, .a = a, .b = b};
    if (op == IR_SHL || op == IR_SHR) { /* by a constant */
        o->insn.b = IR_NONE;
        o->insn.imm = b.low;
    }
    o->result = ir_range_result(&o->insn, a, b, b);
    o->decided = ir_op_compares((uint8_t)op) && ir_range_decides(&o->insn, a, b, &o->outcome);
}

static void check_values(const struct operation *o, uint64_t x, uint64_t y) {
    const struct ir_insn *i = &o->insn;
    if (i->op == IR_SHL || i->op == IR_SHR)
        y = i->imm;
    uint64_t v = ir_fold((enum ir_op)i->op, i->type, x, y, 0);
    if (ir_op_compares(i->op))
        v &= 1;
    bool outside = v < o->result.low || v > o->result.high;
    if (outside || (o->decided && (v & 1) != o->outcome))
        fail_msg("%s at %u bits, %s: %llu and %llu give %llu: said to be %llu to %llu%s",
                 ir_op_name((enum ir_op)i->op), i->type.bits,
                 i->type.kind == TYPE_INT ? "signed" : "unsigned", (unsigned long long)x,
                 (unsigned long long)y, (unsigned long long)v, (unsigned long long)o->result.low,
                 (unsigned long long)o->result.high, o->decided ? ", and decided" : "");
}

static void check_all_values(enum ir_op op, struct lane_type type, struct ir_range a,
                             struct ir_range b) {
    struct operation o;
    make_operation(op, type, a, b, &o);
    for (uint64_t x = a.low; x <= a.high; x++)
        for (uint64_t y = b.low; y <= b.high; y++)
            check_values(&o, x, y);
}

static void at_few_bits(enum ir_op op, struct lane_type type) {
    uint64_t most = low_bits(type.bits);
    struct ir_range a, b;
    for (a.low = 0; a.low <= most; a.low++)
        for (a.high = a.low; a.high <= most; a.high++)
            for (b.low = 0; b.low <= most; b.low++)
                for (b.high = b.low; b.high <= most; b.high++)
                    check_all_values(op, type, a, b);
}

/* SELECT aside, which has three operands, and floating point, which has no ranges. */
static bool is_tested(enum ir_op op) {
    return op < IR_SELECT;
}

static void all_of_few_bits(void **state) {
    (void)state;
    for (unsigned op = 0; op < IR_OPERATION_COUNT; op++)
        for (unsigned bits = 1; bits <= 3; bits++) {
            if (!is_tested((enum ir_op)op))
                continue;
            at_few_bits((enum ir_op)op, (struct lane_type){TYPE_UINT, (uint8_t)bits});
            if (bits > 1)
                at_few_bits((enum ir_op)op, (struct lane_type){TYPE_INT, (uint8_t)bits});
        }
}

/* Both ends near a random power of two, now and then the same. */
static struct ir_range random_range(struct rng *r, unsigned bits) {
    uint64_t x = rng_next(r) >> rng_below(r, 64) & low_bits(bits);
    uint64_t y = rng_below(r, 4) ? rng_next(r) >> rng_below(r, 64) & low_bits(bits) : x;
    return x < y ? (struct ir_range){x, y} : (struct ir_range){y, x};
}

static uint64_t random_in(struct rng *r, struct ir_range of) {
    uint64_t size = of.high - of.low;
    switch (rng_below(r, 3)) {
    case 0:
        return of.low;
    case 1:
        return of.high;
    default:
        return size == UINT64_MAX ? rng_next(r) : of.low + rng_next(r) % (size + 1);
    }
}

static void some_of_many_bits(void **state) {
    (void)state;
    struct rng r = {7};
    for (unsigned i = 0; i < 300000; i++) {
        struct operation o;
        enum ir_op op = (enum ir_op)rng_below(&r, IR_OPERATION_COUNT);
        struct lane_type type = {rng_below(&r, 2) ? TYPE_UINT : TYPE_INT,
                                 (uint8_t)(2 + rng_below(&r, 63))};
        if (!is_tested(op))
            continue;
        make_operation(op, type, random_range(&r, type.bits), random_range(&r, type.bits), &o);
        for (unsigned k = 0; k < 4; k++)
            check_values(&o, random_in(&r, o.a), random_in(&r, o.b));
    }
}

/* What must not get lost, or the tests above would pass with ranges that say nothing. */
static void known_results(void **state) {
    (void)state;
    static const struct {
        enum ir_op op;
        struct lane_type type;
        struct ir_range a, b, want;
    } cases[] = {
        {IR_ADD, {TYPE_UINT, 8}, {10, 20}, {5, 200}, {15, 220}},
        {IR_ADD, {TYPE_UINT, 8}, {10, 100}, {5, 200}, {0, 255}},
        {IR_SUB, {TYPE_UINT, 8}, {10, 20}, {5, 10}, {0, 15}},
        {IR_SUB, {TYPE_UINT, 8}, {10, 20}, {5, 11}, {0, 255}},
        {IR_MUL, {TYPE_UINT, 64}, {3, UINT64_MAX / 2}, {1, 2}, {3, UINT64_MAX - 1}},
        {IR_DIV, {TYPE_UINT, 8}, {10, 20}, {5, 10}, {1, 4}},
        {IR_DIV, {TYPE_INT, 8}, {10, 20}, {5, 10}, {1, 4}},
        {IR_REM, {TYPE_UINT, 8}, {0, 255}, {7, 7}, {0, 6}},
        {IR_REM, {TYPE_UINT, 8}, {0, 255}, {0, 7}, {0, 255}},
        {IR_AND, {TYPE_INT, 32}, {0, UINT32_MAX}, {15, 15}, {0, 15}},
        {IR_OR, {TYPE_UINT, 32}, {3, 9}, {4, 6}, {4, 15}},
        {IR_SHR, {TYPE_UINT, 32}, {0, UINT32_MAX}, {24, 24}, {0, 255}},
        {IR_SHR, {TYPE_INT, 32}, {0, UINT32_MAX}, {24, 24}, {0, UINT32_MAX}},
        {IR_SHL, {TYPE_UINT, 32}, {1, 3}, {4, 4}, {16, 48}},
        {IR_MIN, {TYPE_UINT, 32}, {0, UINT32_MAX}, {9, 9}, {0, 9}},
        {IR_MAX, {TYPE_INT, 32}, {2, 5}, {9, 12}, {9, 12}},
        {IR_LT, {TYPE_UINT, 32}, {2, 5}, {0, 12}, {0, 1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct operation o;
        make_operation(cases[i].op, cases[i].type, cases[i].a, cases[i].b, &o);
        if (o.result.low != cases[i].want.low || o.result.high != cases[i].want.high)
            fail_msg("case %zu: %llu to %llu", i, (unsigned long long)o.result.low,
                     (unsigned long long)o.result.high);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_few_bits),
        cmocka_unit_test(some_of_many_bits),
        cmocka_unit_test(known_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
