/* SPDX-License-Identifier: MIT
 * Runs of MPU instructions compiled for a DPU: each instruction at each width, masked or not, with
 * its operands in the same registers or not, and random runs of several, against golden. */
#include "tests/core/dpu_rig.h"
#include "support/bits.h"
#include "tests/draws.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t entries[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 0xff};
static const uint64_t wide_entries[16] = {
    UINT64_C(0x123456789abcdef0), 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, UINT64_MAX};
static const struct isa_lut luts[] = {
    {4, 8, entries}, {4, 32, entries}, {3, 64, wide_entries}, {4, 12, entries}};

static bool is_float(enum isa_op op) {
    return isa_info(op)->flags & (ISA_FLOAT | ISA_BFLOAT);
}
static bool is_compiled(enum isa_op op) {
    const struct isa_info *info = isa_info(op);
    return (info->flags & ISA_VECTOR) && info->golden && !(info->flags & (ISA_USER | ISA_RESERVED));
}

static void draw_shape(struct insn *x, unsigned w, uint64_t *seed) {
    struct isa_product p = {.a = (uint8_t)(1 + rig_random(seed) % 64),
                            .b = (uint8_t)(1 + rig_random(seed) % 64),
                            .width = (uint8_t)w,
                            .signed_a = rig_random(seed) % 2,
                            .signed_b = rig_random(seed) % 2};
    p.lo = (uint8_t)(rig_random(seed) % 3 ? rig_random(seed) % (p.a + p.b) : 0);
    isa_set_product(x, &p);
}

/* The most bits that it reads of a register. */
static unsigned most_read(const struct insn *x) {
    unsigned rs = isa_source_bits(x), rt = isa_operand_bits(x, ROLE_RT);
    return rs > rt ? rs : rt;
}

/* An instruction at that width whose registers are among `registers`; false: there is none. */
static bool draw(struct insn *x, enum isa_op op, unsigned w, unsigned registers, bool alias,
                 uint64_t *seed) {
    const struct isa_info *info = isa_info(op);
    int role = isa_constant_role(info);
    uint32_t word;
    *x = (struct insn){.op = op};
    if (info->flags & ISA_WIDTH)
        x->width = (uint8_t)w;
    for (unsigned tries = 0; tries < 50; tries++) {
        uint8_t *regs[] = {&x->rs, &x->rt, &x->rd};
        for (unsigned i = 0; i < info->operand_count; i++)
            if (info->operands[i] <= ROLE_RD)
                *regs[info->operands[i]] =
                    (uint8_t)(alias ? rig_random(seed) % 2 : rig_random(seed) % registers);
        if (role == ROLE_COUNT)
            x->imm = (int32_t)(rig_random(seed) % 64);
        else if (role == ROLE_CONVERSION)
            x->imm = (int32_t)(rig_random(seed) % CONVERSIONS);
        else if (role == ROLE_SRCWIDTH)
            x->imm = (int32_t)(1 + rig_random(seed) % w);
        else if (role == ROLE_IMM)
            x->imm = (int32_t)(rig_random(seed) % 4096) - 2048;
        if (role == ROLE_SHAPE)
            draw_shape(x, w, seed);
        if (isa_has_table(op)) {
            x->lut = (uint16_t)(rig_random(seed) % 4);
            isa_set_table(x, &luts[x->lut]);
        }
        struct insn back;
        /* What is written is what is read. */
        if (isa_encode(x, &word) == ISA_OK && isa_decode(word, &back) == ISA_OK) {
            if (role != ROLE_SHAPE)
                x->imm = back.imm;
            return true;
        }
    }
    return false;
}

/* Each in WRAM or in MRAM. */
static void tables(struct rig *r, uint64_t *seed) {
    r->luts = luts;
    r->lut_count = 4;
    for (uint32_t i = 0; i < 4; i++)
        r->table_at[i] = 1024 + 256 * i;
    for (uint32_t i = 0; i < 4; i++)
        r->far[i] = rig_random(seed) % 2;
}
static void check(struct rig *r, const struct insn *insns, size_t count, bool masked) {
    struct str what = {0};
    if (rig_run(r, insns, count, masked, &what)) {
        str_free(&what);
        return;
    }
    rig_print(insns, count, &what);
    fail_msg("%s%s\n%s", masked ? "masked, " : "", str_text(&what), str_text(&r->text));
}

/* Pairs of all classes of floats, where the instruction reads them. */
static void put_floats(struct rig *r, const struct insn *x, uint64_t *seed) {
    struct ieee_format format = isa_source_format(x);
    for (uint32_t i = 0; format.exponent_bits && i < r->state.elements; i++) {
        uint64_t pair[2] = {ieee_edge(format, i % IEEE_EDGES),
                            ieee_edge(format, (uint32_t)rig_random(seed) % IEEE_EDGES)};
        if (i >= 2 * IEEE_EDGES)
            ieee_random_pair(format, seed, pair);
        r->state.values[x->rt][i] = pair[1];
        r->state.values[x->rs][i] = pair[0];
    }
}
static void one(enum isa_op op, unsigned w, unsigned form, uint64_t *seed) {
    uint8_t bits[64] = {0};
    struct insn x;
    struct rig r;
    bool masked = form & 1, alias = form & 2;
    /* Registers as wide as the instruction, or wider, or of several sizes. */
    for (unsigned i = 0; i < 4; i++)
        bits[i] = (uint8_t)(form & 4 ? w + rig_random(seed) % (65 - w) : w);
    if (!draw(&x, op, w, 4, alias, seed))
        return;
    if (isa_has_table(op))
        for (unsigned i = 0; i < 4; i++)
            bits[i] = 64;
    unsigned source = is_float(op) || isa_has_shape(op) ? most_read(&x) : 0;
    for (unsigned i = 0; i < 4; i++)
        bits[i] = bits[i] < source ? (uint8_t)source : bits[i];
    rig_open(&r, bits, is_float(op) ? 200 : 45, 3, seed);
    if (is_float(op))
        put_floats(&r, &x, seed);
    r.state.flush = form & 8;
    tables(&r, seed);
    r.loop.most_unrolled = w % 8 == 0 ? 8 : 1;
    check(&r, &x, 1, masked);
    rig_close(&r);
}

static void each_instruction(void **state) {
    (void)state;
    uint64_t seed = 44;
    unsigned count = 0;
    for (enum isa_op op = 0; op < OP_COUNT; op++) {
        if (!is_compiled(op))
            continue;
        count++;
        for (unsigned w = 1; w <= 64; w++)
            for (unsigned form = 0;
                 form < (is_float(op) ? 16 : 8) && (!is_float(op) || w % 16 == 0);
                 form += is_float(op) ? 3 : 1)
                if (draws(DRAWS_CORE_INSTRUCTIONS) == 2 || is_float(op) ||
                    (w + form + op) % 16 == 0)
                    one(op, w, form, &seed);
    }
    assert_true(count > 100);
}

enum { MOST_INSTRUCTIONS = 66 };

/* A register, written at each width from 64 on down: what is left of all of them stays.  Another
 * one changes before and after that. */
static size_t draw_falling(struct insn *insns, uint64_t *seed) {
    const struct insn other = {.op = OP_INC, .width = 64, .rs = 1, .rd = 1};
    unsigned w = 64;
    size_t n = 0;
    insns[n++] = other;
    while (w) {
        enum isa_op op = (enum isa_op)(rig_random(seed) % OP_COUNT);
        const uint32_t flags = isa_info(op)->flags;
        if (is_compiled(op) && !is_float(op) && flags & WRITES_RD && flags & ISA_WIDTH &&
            draw(&insns[n], op, w, 1, false, seed)) {
            n++;
            w--;
        }
    }
    insns[n++] = other;
    return n;
}
static size_t draw_run(struct insn *insns, size_t most, const uint8_t *bits, unsigned registers,
                       uint64_t *seed) {
    size_t count = 1 + rig_random(seed) % most, n = 0;
    unsigned least = 64;
    for (unsigned i = 0; i < registers; i++)
        least = bits[i] < least ? bits[i] : least;
    while (n < count) {
        enum isa_op op = (enum isa_op)(rig_random(seed) % OP_COUNT);
        unsigned w = rig_random(seed) % 2 ? least : 1 + (unsigned)(rig_random(seed) % least);
        if (is_compiled(op) && draw(&insns[n], op, w, registers, false, seed) &&
            insns[n].width <= least && (!isa_has_shape(op) || most_read(&insns[n]) <= least))
            n++;
    }
    return n;
}
static void random_runs(void **state) {
    (void)state;
    for (unsigned i = 0; i < draws(DRAWS_CORE_RUNS); i++) {
        uint64_t seed = 1000 + i;
        uint8_t bits[64] = {0};
        struct insn insns[MOST_INSTRUCTIONS];
        struct rig r;
        const bool falling = i % 16 == 15;
        unsigned registers = 3 + (unsigned)(rig_random(&seed) % 10);
        unsigned w = 1 + (unsigned)(rig_random(&seed) % 64);
        if (rig_random(&seed) % 2)
            w = 8u << rig_random(&seed) % 4;
        for (unsigned k = 0; k < registers; k++)
            bits[k] = (uint8_t)(rig_random(&seed) % 4 ? w : w + rig_random(&seed) % (65 - w));
        if (falling)
            bits[0] = bits[1] = 64;
        size_t n = falling ? draw_falling(insns, &seed)
                           : draw_run(insns, i % 4 ? 12 : 40, bits, registers, &seed);
        rig_open(&r, bits, 1 + (uint32_t)(rig_random(&seed) % 100),
                 1 + (uint32_t)(rig_random(&seed) % 16), &seed);
        tables(&r, &seed);
        r.loop.most_unrolled = i % 3 ? 1 : 8;
        r.loop.arguments = i % 2 ? 8192 : 0;
        r.state.flush = i % 5 == 0;
        check(&r, insns, n, rig_random(&seed) % 2);
        rig_close(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_instruction),
        cmocka_unit_test(random_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
