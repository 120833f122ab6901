/* SPDX-License-Identifier: MIT
 * What the intermediate form makes of conversions and roundings of floating-point numbers, against
 * support/ieee.h: carried out as it is made, and folded by the passes.  Roundings of the formats of
 * 16 bits on all patterns. */
#include "ezpim/ir/float.h"
#include "support/bits.h"
#include "tests/ezpim/expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct lane_type formats[] = {
    {TYPE_FLOAT, 16}, {TYPE_BFLOAT, 16}, {TYPE_FLOAT, 32}, {TYPE_FLOAT, 64}};
enum { FORMATS = sizeof formats / sizeof *formats };

/* A body with one operand, a, and one result. */
struct body {
    struct arena arena;
    struct ir_program program;
    struct ir_builder builder;
    uint32_t a, result;
    uint64_t *values; /* by virtual register */
};

static void open_body(struct body *body, struct lane_type type) {
    *body = (struct body){.program = {.arena = &body->arena}};
    body->builder = (struct ir_builder){.p = &body->program};
    ir_begin_body(&body->builder, ir_code_new(&body->program), IR_NONE);
    body->a = ir_vreg(body->builder.code, type, NULL, (struct span){0});
}

static void close_body(struct body *body) {
    free(body->values);
    ir_builder_free(&body->builder);
    ir_free(&body->program);
    arena_free(&body->arena);
}

static uint64_t value_of(const struct body *body, uint32_t vreg, unsigned bits) {
    return vreg == IR_NONE ? 0 : body->values[vreg] & low_bits(bits);
}

static uint64_t carry_out(const struct body *body, const struct ir_insn *insn) {
    unsigned w = insn->type.bits;
    switch ((enum ir_op)insn->op) {
    case IR_CONST:
        return insn->imm;
    case IR_COPY:
        return value_of(body, insn->a, w);
    case IR_WIDEN:
        return ir_widen(value_of(body, insn->a, insn->from.bits), insn->from, insn->type);
    case IR_CVT:
        return ir_cvt(value_of(body, insn->a, insn->from.bits), insn->imm, insn->from, insn->type);
    default:
        assert_true(insn->op < IR_OPERATION_COUNT);
        return ir_fold(insn->op, insn->type, value_of(body, insn->a, insn->op == IR_SELECT ? 1 : w),
                       insn->op == IR_SHR && insn->b == IR_NONE ? insn->imm
                                                                : value_of(body, insn->b, w),
                       value_of(body, insn->c, w));
    }
}

static uint64_t run(struct body *body, uint64_t a) {
    const struct ir_code *code = body->builder.code;
    if (!body->values)
        body->values = xcalloc(code->vregs.len, sizeof *body->values);
    body->values[body->a] = a;
    for (size_t i = 0; i < code->insns.len; i++)
        body->values[code->insns.data[i].dst] = carry_out(body, &code->insns.data[i]);
    return value_of(body, body->result, code->vregs.data[body->result].type.bits);
}

/* The same by passes that know a: constants and copies are left. */
static uint64_t fold(struct body *body, uint64_t a) {
    struct ir_code *code = body->builder.code;
    struct ir_insn known = {.op = IR_CONST,
                            .type = code->vregs.data[body->a].type,
                            .dst = body->a,
                            .a = IR_NONE,
                            .b = IR_NONE,
                            .c = IR_NONE,
                            .imm = a};
    vec_push(&code->insns, known);
    memmove(code->insns.data + 1, code->insns.data, (code->insns.len - 1) * sizeof known);
    code->insns.data[0] = known;
    code->vregs.data[body->result].result = true;
    ir_optimize(code, 1, false, IR_REACH_ALL);
    for (size_t i = 0; i < code->insns.len; i++)
        assert_true(code->insns.data[i].op == IR_CONST || code->insns.data[i].op == IR_COPY);
    free(body->values);
    body->values = NULL;
    return run(body, ~a);
}

/* ---- conversions ---- */

static void text(struct lane_type type, char out[8]) {
    static const char *const words[] = {"bool", "u", "i", "f", "bf"};
    snprintf(out, 8, "%s%u", words[type.kind], (unsigned)type.bits);
}

static uint64_t expected(uint64_t a, struct lane_type from, struct lane_type to) {
    if (to.kind == TYPE_BOOL)
        return !ieee_is_zero(object_type_format(from), a);
    return ir_fold_convert(a, from, to);
}

/* Numbers of few bits set at the ends, whose roundings are ties and their neighbours; and any. */
static uint64_t pattern(struct rng *rng, unsigned bits) {
    uint64_t x = rng_next(rng);
    unsigned high = (unsigned)rng_below(rng, bits), low = (unsigned)rng_below(rng, bits);
    switch (rng_below(rng, 4)) {
    case 0:
        x = (uint64_t)1 << high | (uint64_t)1 << low;
        break;
    case 1:
        x = ((uint64_t)1 << high) - ((uint64_t)1 << low) + rng_below(rng, 3) - 1;
        break;
    case 2:
        x = (x >> (64 - bits) >> high) + ((uint64_t)1 << low);
        break;
    default:
        break;
    }
    return (rng_below(rng, 2) ? x : 0 - x) & low_bits(bits);
}

static void check_conversion(struct rng *rng, struct lane_type from, struct lane_type to) {
    struct body b;
    char names[2][8];
    text(from, names[0]);
    text(to, names[1]);
    open_body(&b, from);
    b.result = ir_convert(&b.builder, b.a, from, to, IR_NONE, (struct span){0});
    for (unsigned i = 0; i < 400; i++) {
        uint64_t a = pattern(rng, from.bits), got = run(&b, a);
        if (got != expected(a, from, to))
            fail_msg("%s(0x%llx of %s) is 0x%llx, not 0x%llx", names[1], (unsigned long long)a,
                     names[0], (unsigned long long)got, (unsigned long long)expected(a, from, to));
    }
    uint64_t a = pattern(rng, from.bits);
    assert_int_equal(fold(&b, a), expected(a, from, to));
    close_body(&b);
}

static void conversions(void **state) {
    (void)state;
    struct rng rng = {.state = 20};
    for (unsigned f = 0; f < FORMATS; f++) {
        for (unsigned g = 0; g < FORMATS; g++)
            check_conversion(&rng, formats[f], formats[g]);
        for (uint8_t bits = 1; bits <= 64; bits++) {
            struct lane_type plain = {TYPE_UINT, bits}, with_sign = {TYPE_INT, bits};
            check_conversion(&rng, formats[f], plain);
            check_conversion(&rng, plain, formats[f]);
            if (bits < 2)
                continue;
            check_conversion(&rng, formats[f], with_sign);
            check_conversion(&rng, with_sign, formats[f]);
        }
        check_conversion(&rng, formats[f], (struct lane_type){TYPE_BOOL, 1});
        check_conversion(&rng, (struct lane_type){TYPE_BOOL, 1}, formats[f]);
    }
}

/* ---- roundings ---- */

static void check_rounding(struct rng *rng, enum ir_rounding rounding, struct lane_type type) {
    struct ieee_format f = object_type_format(type);
    struct body b;
    open_body(&b, type);
    b.result = ir_float_round(&b.builder, rounding, type, b.a, IR_NONE, (struct span){0});
    for (uint64_t i = 0; i < 1 << 16; i++) {
        uint64_t a = type.bits == 16 ? i : pattern(rng, type.bits);
        if (i % 2 && type.bits > 16) /* near 1, where there are fractions */
            a = (a & low_bits(f.fraction_bits)) |
                (ieee_from_unsigned(f, 1) +
                 (((uint64_t)rng_below(rng, f.fraction_bits + 4u) - 2) << f.fraction_bits)) |
                (a & ieee_sign_bit(f));
        uint64_t got = run(&b, a);
        if (got != ir_fold_round(rounding, type, a))
            fail_msg("rounding %u of 0x%llx, %u bits, is 0x%llx, not 0x%llx", rounding,
                     (unsigned long long)a, type.bits, (unsigned long long)got,
                     (unsigned long long)ir_fold_round(rounding, type, a));
    }
    assert_int_equal(fold(&b, ieee_nan(f)), ieee_nan(f));
    close_body(&b);
}

static void roundings(void **state) {
    (void)state;
    struct rng rng = {.state = 754};
    for (unsigned f = 0; f < FORMATS; f++)
        for (unsigned r = IR_ROUND_NEAREST; r <= IR_ROUND_ZERO; r++)
            check_rounding(&rng, (enum ir_rounding)r, formats[f]);
}

/* ---- operations ---- */

typedef uint32_t classify(struct ir_builder *builder, struct lane_type type, uint32_t a,
                          uint32_t dst, struct span at);

static void check_class(classify *function, struct lane_type type, uint64_t a, bool is) {
    struct body b;
    open_body(&b, type);
    b.result = function(&b.builder, type, b.a, IR_NONE, (struct span){0});
    assert_int_equal(run(&b, a), is);
    assert_int_equal(fold(&b, a), is);
    close_body(&b);
}

static void classes(void **state) {
    (void)state;
    for (unsigned k = 0; k < FORMATS; k++) {
        struct lane_type t = formats[k];
        struct ieee_format f = object_type_format(t);
        uint64_t sign = ieee_sign_bit(f), infinity = ieee_infinity(f, false);
        const uint64_t values[] = {0, 1, infinity - 1, infinity, infinity + 1, ieee_nan(f)};
        for (unsigned i = 0; i < 12; i++) {
            uint64_t x = values[i / 2], a = x | (i % 2 ? sign : 0);
            check_class(ir_float_is_nan, t, a, x > infinity);
            check_class(ir_float_is_infinite, t, a, x == infinity);
            check_class(ir_float_is_finite, t, a, x < infinity);
            check_class(ir_float_sign, t, a, i % 2);
        }
    }
}

/* What holds of integers does not of these: x + 0, x - x, x * 1, x <= x, min(x, x) are made. */
static void no_algebra(void **state) {
    (void)state;
    static const uint8_t ops[] = {IR_ADD, IR_SUB, IR_MUL, IR_DIV, IR_MIN,
                                  IR_MAX, IR_EQ,  IR_NE,  IR_LE,  IR_GE};
    struct lane_type type = {TYPE_FLOAT, 32};
    for (unsigned k = 0; k < 3 * sizeof ops; k++) {
        struct body b;
        open_body(&b, type);
        b.builder.code->vregs.data[b.a].given = true;
        uint32_t other = b.a;
        if (k % 3)
            other = ir_constant(&b.builder, type, k % 3 == 1 ? 0 : 0x3f800000, IR_NONE,
                                (struct span){0});
        b.result = ir_typed(&b.builder, (enum ir_op)ops[k / 3], type, IR_NONE, b.a, other,
                            (struct span){0});
        b.builder.code->vregs.data[b.result].result = true;
        ir_optimize(b.builder.code, 2, false, IR_REACH_ALL);
        unsigned made = 0;
        for (size_t i = 0; i < b.builder.code->insns.len; i++)
            made += b.builder.code->insns.data[i].op >= IR_FADD &&
                    b.builder.code->insns.data[i].op <= IR_FUN;
        assert_int_equal(made, 1);
        close_body(&b);
    }
}

/* Equal ones are made once, with their operands in either order where that does not matter. */
static void made_once(void **state) {
    (void)state;
    struct lane_type type = {TYPE_FLOAT, 32};
    for (unsigned k = 0; k < 2; k++) {
        struct body b;
        open_body(&b, type);
        struct ir_code *code = b.builder.code;
        uint32_t c = ir_vreg(code, type, NULL, (struct span){0});
        code->vregs.data[b.a].given = code->vregs.data[c].given = true;
        enum ir_op op = k ? IR_SUB : IR_ADD;
        uint32_t x = ir_typed(&b.builder, op, type, IR_NONE, b.a, c, (struct span){0});
        uint32_t y = ir_typed(&b.builder, op, type, IR_NONE, c, b.a, (struct span){0});
        b.result = ir_typed(&b.builder, IR_MUL, type, IR_NONE, x, y, (struct span){0});
        code->vregs.data[b.result].result = true;
        ir_optimize(code, 1, false, IR_REACH_ALL);
        assert_int_equal(code->insns.len, k ? 3 : 2);
        close_body(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conversions), cmocka_unit_test(roundings), cmocka_unit_test(classes),
        cmocka_unit_test(no_algebra),  cmocka_unit_test(made_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
