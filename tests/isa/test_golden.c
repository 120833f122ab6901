/* SPDX-License-Identifier: MIT
 * Golden functions against the oracles: all operand values at small widths, edges and random
 * values at large ones, and every immediate that is legal at the width. */
#include "support/bits.h"
#include "tests/isa/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static bool reads(enum isa_op op, uint32_t flag) {
    return isa_info(op)->flags & flag;
}

static int role_of(enum isa_op op) {
    return isa_constant_role(isa_info(op));
}

/* What may be written is compared in w bits, all else must be as it was. */
static bool agrees(enum isa_op op, const struct golden_lane *before, const struct golden_lane *got,
                   const struct golden_lane *want) {
    uint32_t flags = isa_info(op)->flags;
    uint64_t keep = low_bits(before->w);
    return (flags & WRITES_RS ? (got->rs & keep) == want->rs : got->rs == before->rs) &&
           (flags & WRITES_RT ? (got->rt & keep) == want->rt : got->rt == before->rt) &&
           (flags & WRITES_RD ? (got->rd & keep) == want->rd : got->rd == before->rd) &&
           got->c == (flags & WRITES_C ? want->c : before->c) &&
           got->m == (flags & WRITES_M ? want->m : before->m) && got->valid == before->valid;
}

static void check(enum isa_op op, const struct golden_lane *x) {
    struct golden_lane got = *x, want = *x;
    isa_info(op)->golden(&got);
    oracle(op, &want);
    if (!agrees(op, x, &got, &want))
        fail_msg(
            "%s.%u rs=%llx rt=%llx rd=%llx c=%d m=%d valid=%d imm=%lld: "
            "golden rs=%llx rt=%llx rd=%llx c=%d m=%d, oracle rs=%llx rt=%llx rd=%llx c=%d m=%d",
            isa_info(op)->name, x->w, (unsigned long long)x->rs, (unsigned long long)x->rt,
            (unsigned long long)x->rd, x->c, x->m, x->valid, (long long)x->imm,
            (unsigned long long)got.rs, (unsigned long long)got.rt, (unsigned long long)got.rd,
            got.c, got.m, (unsigned long long)want.rs, (unsigned long long)want.rt,
            (unsigned long long)want.rd, want.c, want.m);
}

/* A table for LUTs of width w, the same one for each: its index has k bits, k as large as it can
 * be but at most 10. */
static const struct isa_lut *table_of(unsigned w) {
    static uint64_t entries[65][1024];
    static struct isa_lut tables[65];
    struct isa_lut *t = &tables[w];
    uint64_t seed = w;
    if (t->width)
        return t;
    *t = (struct isa_lut){(uint8_t)(w < 10 ? w : 10), (uint8_t)w, entries[w]};
    for (size_t i = 0; i < (size_t)1 << t->index_bits; i++)
        entries[w][i] = splitmix64(&seed) & low_bits(w);
    return t;
}

/* All states of C, M and valid (M only where valid). */
static void check_bits(enum isa_op op, struct golden_lane x) {
    x.lut = table_of(x.w);
    for (unsigned i = 0; i < 8; i++) {
        x.c = i & 1;
        x.m = i & 2;
        x.valid = i & 4;
        if (!x.m || x.valid)
            check(op, &x);
    }
}

static bool imm_is_legal(enum isa_op op, unsigned w, int32_t imm) {
    struct insn x = {.op = op, .width = (uint8_t)w, .imm = imm};
    uint32_t word;
    return isa_encode(&x, &word) == ISA_OK;
}

/* The k-th of the constants to try; false behind the last. */
static bool constant(enum isa_op op, unsigned w, int32_t k, int64_t *imm) {
    int32_t shape;
    if (role_of(op) == ROLE_SHAPE) {
        bool more = isa_product_pick(w, (unsigned)k, &shape);
        *imm = more ? shape : 0;
        return more;
    }
    if (role_of(op) == ROLE_COUNT)
        *imm = k;
    else if (role_of(op) == ROLE_SRCWIDTH)
        *imm = k + 1;
    else if (role_of(op) == ROLE_IMM)
        *imm = k - 2048;
    else
        *imm = 0;
    if (role_of(op) == ROLE_CONVERSION)
        *imm = k;
    return role_of(op) == ROLE_COUNT        ? k < 64
           : role_of(op) == ROLE_CONVERSION ? k < CONVERSIONS
           : role_of(op) == ROLE_SRCWIDTH   ? k < (int32_t)w
           : role_of(op) == ROLE_IMM        ? k < 4096
                                            : k < 1;
}

/* All values of the registers that are read; others hold a pattern. */
static void check_registers(enum isa_op op, unsigned w, int64_t imm) {
    unsigned source = role_of(op) == ROLE_SRCWIDTH ? (unsigned)imm : w;
    uint64_t ns = reads(op, READS_RS) ? low_bits(source) : 0;
    uint64_t nt = reads(op, READS_RT) ? low_bits(w) : 0, nd = reads(op, READS_RD) ? low_bits(w) : 0;
    for (uint64_t rs = 0; rs <= ns; rs++)
        for (uint64_t rt = 0; rt <= nt; rt++)
            for (uint64_t rd = 0; rd <= nd; rd++)
                check(op, &(struct golden_lane){rs, rt, nd ? rd : (rs ^ 5) & low_bits(w), rs & 1,
                                                true, true, w, imm, table_of(w), false});
}

static bool is_float(enum isa_op op) {
    return isa_info(op)->flags & (ISA_FLOAT | ISA_BFLOAT);
}

static unsigned register_reads(enum isa_op op) {
    const uint32_t all[] = {READS_RS, READS_RT, READS_RD};
    unsigned count = 0;
    for (size_t i = 0; i < 3; i++)
        count += reads(op, all[i]);
    return count;
}

static void small_widths(void **state) {
    (void)state;
    for (unsigned i = 0; i < OP_COUNT; i++) {
        enum isa_op op = (enum isa_op)i;
        if (!isa_info(op)->golden)
            continue;
        if (is_float(op))
            continue; /* float_widths */
        unsigned top = register_reads(op) == 3 ? 4 : 8;
        int64_t imm;
        for (unsigned w = 1; w <= top; w++)
            for (int32_t k = 0; constant(op, w, k, &imm); k++)
                if (role_of(op) != ROLE_IMM || imm_is_legal(op, w, (int32_t)imm))
                    check_registers(op, w, imm);
    }
}

/* Values where carries, signs and counts turn over, then random ones. */
static uint64_t pick(uint64_t *seed, unsigned w) {
    uint64_t r = splitmix64(seed),
             edge[] = {0, 1,     low_bits(w),    (uint64_t)1 << (w - 1), low_bits(w) >> 1,
                       w, w - 1, (uint64_t)w + 1};
    if (r % 4 == 0)
        return edge[r / 4 % 8] & low_bits(w);
    return splitmix64(seed) >> (r / 4 % 2 ? r / 8 % 64 : 0) & low_bits(w);
}

static int64_t pick_constant(enum isa_op op, unsigned w, uint64_t *seed) {
    uint64_t r = splitmix64(seed);
    if (role_of(op) == ROLE_COUNT)
        return (int64_t)(r % 64);
    if (role_of(op) == ROLE_SRCWIDTH)
        return (int64_t)(r % w + 1);
    if (role_of(op) != ROLE_IMM)
        return 0;
    int64_t imm = (int64_t)(r % 4096) - 2048;
    return imm_is_legal(op, w, (int32_t)imm) ? imm : 0;
}

static void large_widths(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (unsigned i = 0; i < OP_COUNT; i++) {
        enum isa_op op = (enum isa_op)i;
        if (!isa_info(op)->golden || is_float(op))
            continue;
        for (unsigned w = 1; w <= 64; w++) {
            for (unsigned k = 0; k < 200; k++) {
                int64_t imm = pick_constant(op, w, &seed);
                unsigned source = role_of(op) == ROLE_SRCWIDTH ? (unsigned)imm : w;
                struct golden_lane x = {.w = w, .imm = imm, .rs = pick(&seed, source)};
                x.rt = k % 8 ? pick(&seed, w) : x.rs;
                x.rd = k % 16 != 1 ? pick(&seed, w) : x.rt;
                check_bits(op, x);
            }
        }
    }
}

/* Every class against every other, then random pairs; of integers, random ones. */
static void check_floats(const struct insn *insn, uint64_t *seed) {
    struct ieee_format format = isa_source_format(insn);
    for (unsigned k = 0; k < IEEE_EDGES * IEEE_EDGES + 4000; k++) {
        uint64_t pair[2] = {pick(seed, insn->width), pick(seed, insn->width)};
        if (format.exponent_bits && k < IEEE_EDGES * IEEE_EDGES) {
            pair[0] = ieee_edge(format, k % IEEE_EDGES);
            pair[1] = ieee_edge(format, k / IEEE_EDGES);
        } else if (format.exponent_bits)
            ieee_random_pair(format, seed, pair);
        check(insn->op,
              &(struct golden_lane){
                  .w = insn->width, .imm = insn->imm, .rs = pair[0], .rt = pair[1], .valid = true});
    }
}

static void float_widths(void **state) {
    uint64_t seed = 5;
    unsigned forms = 0;
    (void)state;
    for (unsigned i = 0; i < OP_COUNT; i++)
        for (unsigned w = 16; is_float((enum isa_op)i) && w <= 64; w *= 2) {
            struct insn insn = {.op = (enum isa_op)i, .width = (uint8_t)w};
            bool converts = role_of(insn.op) == ROLE_CONVERSION;
            for (insn.imm = 0; insn.imm < (converts ? CONVERSIONS : 1); insn.imm++)
                if (imm_is_legal(insn.op, w, insn.imm)) {
                    check_floats(&insn, &seed);
                    forms++;
                }
        }
    assert_int_equal(forms, 3 * 15 + 15 + 3 * 10 + 10);
}

/* Cases that design pages name one by one. */
static void named_cases(void **state) {
    (void)state;
    struct golden_lane x = {.rs = 7, .rt = 0, .w = 64};
    isa_info(OP_QRDIV)->golden(&x);
    assert_true(x.rd == UINT64_MAX && x.rt == 7);
    x = (struct golden_lane){.rs = (uint64_t)1 << 63, .rt = UINT64_MAX, .w = 64};
    isa_info(OP_SDIV)->golden(&x);
    assert_true(x.rd == (uint64_t)1 << 63);
    isa_info(OP_SREM)->golden(&x);
    assert_true(x.rd == 0);
    x = (struct golden_lane){.rs = 0xF9, .rt = 2, .w = 8}; /* -7 by 2 */
    isa_info(OP_FLDIV)->golden(&x);
    assert_true((x.rd & 0xFF) == 0xFC);
    isa_info(OP_FLMOD)->golden(&x);
    assert_true((x.rd & 0xFF) == 1);
    x = (struct golden_lane){.rs = 0x80, .imm = 63, .w = 8};
    isa_info(OP_SARI)->golden(&x);
    assert_true((x.rd & 0xFF) == 0xFF);
    x = (struct golden_lane){.rd = 255, .imm = -1, .w = 8};
    isa_info(OP_CMPEQI)->golden(&x);
    assert_true(x.c);
}

static void who_has_golden(void **state) {
    (void)state;
    for (unsigned i = 0; i < OP_COUNT; i++) {
        const struct isa_info *info = isa_info((enum isa_op)i);
        assert_int_equal(info->golden != NULL,
                         (info->flags & (ISA_VECTOR | ISA_USER)) == ISA_VECTOR);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_has_golden), cmocka_unit_test(named_cases),
        cmocka_unit_test(small_widths),   cmocka_unit_test(large_widths),
        cmocka_unit_test(float_widths),
    };
    return cmocka_run_group_tests_name("isa golden", tests, NULL, NULL);
}
