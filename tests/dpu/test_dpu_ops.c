/* SPDX-License-Identifier: MIT
 * What each instruction does: every form with a result under every condition of its class, on edges
 * and at random, against the host's arithmetic; chains of 64 bits; traps by name. */
#include "machines/core/dpu/run/tasklets.h"
#include "tests/dpu/reference.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>
#include <string.h>

static uint64_t random_bits(uint64_t *seed) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 16;
}
static uint32_t edge(uint64_t *seed) {
    static const uint32_t edges[] = {
        0,       1,          2,          31,         32,         33,         0x7f,
        0x80,    0xff,       0x100,      0x7fff,     0x8000,     0xff00,     0xffff,
        0x10000, 0x7fffffff, 0x80000000, 0x80000001, 0xffffff80, 0xfffffffe, 0xffffffff};
    uint32_t r = (uint32_t)random_bits(seed);
    return r % 3 ? edges[r / 3 % (sizeof edges / sizeof *edges)] : (uint32_t)random_bits(seed);
}
static int64_t operand_value(const struct dpu_operand *o, uint64_t *seed) {
    for (;;) {
        int64_t v = o->least + (int64_t)(random_bits(seed) % (uint64_t)(o->most - o->least + 1));
        if (o->kind == DPU_NUMBER && random_bits(seed) % 2)
            v = (int32_t)edge(seed);
        if (dpu_value_fits(o, v))
            return v;
    }
}

static struct dpu_core *core_with(const char *text) {
    struct diag *d = diag_new(NULL, NULL);
    struct dpu_program *p = dpu_assemble("test.s", text, strlen(text), d);
    if (!p)
        fail_msg("%s", diag_first(d));
    struct dpu_core *core = dpu_core_new(&DPU_TIME_MEASURED);
    dpu_core_load(core, p);
    dpu_program_free(p);
    diag_free(d);
    return core;
}

/* ---- forms ---- */

static void compare(const struct dpu_core *core, const struct reference_state *s,
                    const struct dpu_insn *insn) {
    const struct dpu_registers *t = &core->tasklets[0].now;
    bool same = t->pc == s->pc && t->flags.zero == s->zero && t->flags.carry == s->carry;
    for (uint32_t i = 0; i < 24; i++)
        same = same && t->x[i] == s->r[i];
    if (same)
        return;
    struct str text = {0};
    dpu_print(insn, &text);
    print_error("%s: pc %u, %u expected; Z %d, %d; C %d, %d\n", text.text, t->pc, s->pc,
                t->flags.zero, s->zero, t->flags.carry, s->carry);
    for (uint32_t i = 0; i < 24; i++)
        if (t->x[i] != s->r[i])
            print_error("r%u 0x%x, 0x%x expected\n", i, t->x[i], s->r[i]);
    str_free(&text);
    fail();
}
/* The instruction stands at 0, jumps to 9 or goes on at 1, and both stop.  With few instructions
 * allowed it is carried out in its cycle, and else ahead of it. */
static void try(struct dpu_core *core, const struct dpu_insn *insn, uint64_t *seed) {
    struct reference_state s = {.zero = random_bits(seed) & 1, .carry = random_bits(seed) & 1};
    struct dpu_registers *t = &core->tasklets[0].now;
    for (uint32_t i = 0; i < 24; i++)
        s.r[i] = t->x[i] = edge(seed);
    if (random_bits(seed) % 4 == 0)
        s.r[1] = t->x[1] = s.r[0];
    t->flags.zero = s.zero;
    t->flags.carry = s.carry;
    if (!reference_step(&s, insn)) {
        struct str text = {0};
        dpu_print(insn, &text);
        fail_msg("the reference does not know '%s'", text.text);
    }
    assert_true(dpu_core_run(core, random_bits(seed) & 1 ? 100 : 1 << 30));
    compare(core, &s, insn);
}
static bool has_result(enum dpu_op op) {
    switch (dpu_op_class(op)) {
    case DPU_ARITHMETIC:
    case DPU_LOGIC:
    case DPU_SHIFT:
    case DPU_COUNT:
    case DPU_EXTEND:
    case DPU_MULTIPLY:
        return dpu_op_known(op);
    default:
        return false;
    }
}
static void every_form_under_every_condition(void **state) {
    (void)state;
    struct dpu_core *core =
        core_with("stop true, 0\nstop true, 1\nnop\nnop\nnop\nnop\nnop\nnop\nnop\n"
                  "stop true, 9\n");
    uint64_t seed = 21;
    uint32_t forms = 0, conditions = 0;
    for (uint32_t form = 0; form < dpu_form_count(); form++) {
        struct dpu_form f;
        dpu_form_get(form, &f);
        if (f.sugar || !has_result(f.op))
            continue;
        forms++;
        for (int64_t cc = 0; cc < 64; cc++) {
            struct dpu_insn insn = {.form = form};
            bool fits = true, has = false;
            for (uint32_t i = 0; i < f.count; i++)
                if (f.operands[i]->kind == DPU_CONDITION) {
                    has = true;
                    fits = dpu_value_fits(f.operands[i], cc);
                }
            if (!fits || (!has && cc))
                continue;
            conditions++;
            for (int lap = 0; lap < 24; lap++) {
                uint64_t word;
                for (uint32_t i = 0; i < f.count; i++)
                    insn.values[i] = f.operands[i]->kind == DPU_CONDITION ? cc
                                     : f.operands[i]->role == DPU_PC
                                         ? 9
                                         : operand_value(f.operands[i], &seed);
                assert_true(dpu_encode(&insn, &word));
                core->steps[0] = dpu_step_of(word);
                try(core, &insn, &seed);
            }
        }
    }
    assert_int_equal(forms, 815);
    assert_int_equal(conditions, 5523);
    dpu_core_free(core);
}

/* ---- chains of 64 bits, and traps ---- */

static uint64_t random64(uint64_t *seed) {
    uint64_t high = edge(seed);
    return high << 32 | edge(seed);
}
static void set_pair(struct dpu_core *core, uint32_t pair, uint64_t value) {
    dpu_core_set_register(core, 0, pair, (uint32_t)(value >> 32));
    dpu_core_set_register(core, 0, pair + 1, (uint32_t)value);
}
static uint64_t pair_of(const struct dpu_core *core, uint32_t pair) {
    return (uint64_t)dpu_core_register(core, 0, pair) << 32 | dpu_core_register(core, 0, pair + 1);
}
/* d4 = d0 + d2 and d6 = d0 - d2, in both directions of the subtraction. */
static void sums_and_differences_of_64_bits(void **state) {
    (void)state;
    struct dpu_core *core = core_with("add r5, r1, r3\n addc r4, r0, r2\n"
                                      "sub r7, r1, r3\n subc r6, r0, r2\n"
                                      "rsub r9, r3, r1\n rsubc r8, r2, r0\n"
                                      "end: stop true, end\n");
    uint64_t seed = 31;
    for (int lap = 0; lap < 3000; lap++) {
        uint64_t x = random64(&seed), y = lap % 8 ? random64(&seed) : x;
        set_pair(core, 0, x);
        set_pair(core, 2, y);
        assert_true(dpu_core_run(core, 100));
        assert_int_equal(pair_of(core, 4), x + y);
        assert_int_equal(pair_of(core, 6), x - y);
        assert_int_equal(pair_of(core, 8), x - y);
    }
    dpu_core_free(core);
}
/* Jumps on the upper half of a difference: its borrow counts, in signed conditions too. */
static void comparisons_of_64_bits(void **state) {
    (void)state;
    static const char *const conditions[] = {"lts",  "ges",  "ltu",  "geu", "xles",
                                             "xgts", "xleu", "xgtu", "xz",  "xnz"};
    uint64_t seed = 32;
    for (size_t c = 0; c < sizeof conditions / sizeof *conditions; c++) {
        char text[200];
        snprintf(text, sizeof text,
                 "sub zero, r1, r3\n subc zero, r0, r2, %s, yes\n move r4, 0\n"
                 "no: stop true, no\n yes: move r4, 1\n here: stop true, here\n",
                 conditions[c]);
        struct dpu_core *core = core_with(text);
        for (int lap = 0; lap < 2000; lap++) {
            uint64_t x = random64(&seed), y = lap % 4 ? random64(&seed) : x + (uint64_t)(lap % 3);
            const bool expected[] = {
                (int64_t)x<(int64_t)y, (int64_t)x >= (int64_t)y,
                           x<y, x >= y, (int64_t)x <= (int64_t)y, (int64_t)x>(int64_t) y, x <= y, x>
                    y,
                x == y, x != y};
            set_pair(core, 0, x);
            set_pair(core, 2, y);
            assert_true(dpu_core_run(core, 100));
            assert_int_equal(dpu_core_register(core, 0, 4), expected[c]);
        }
        dpu_core_free(core);
    }
}
/* A multiplication in steps, which ends when no bit is left; a division in as many steps as its
 * quotient can have bits, which begins by a jump backwards from the last one. */
static void steps_multiply_and_divide(void **state) {
    (void)state;
    struct str text = {0};
    str_append(&text, "move r2, r1\n move r1, 0\n");
    for (int i = 0; i < 32; i++)
        str_printf(&text, "mul_step d0, r2, d0, %d, z, divide\n", i);
    str_append(&text, "divide: move.u d8, r3\n clz r10, r3\n clz r11, r4\n"
                      "sub r10, r10, r11, gts, end\n jump r10, last\n");
    for (int i = 31; i > 0; i--)
        str_printf(&text, "div_step d8, r4, d8, %d\n", i);
    str_append(&text, "last: div_step d8, r4, d8, 0\n end: stop true, end\n");
    struct dpu_core *core = core_with(text.text);
    uint64_t seed = 33;
    for (int lap = 0; lap < 4000; lap++) {
        uint32_t x = edge(&seed), y = edge(&seed), n = edge(&seed), by;
        do
            by = lap % 2 ? edge(&seed) : (uint32_t)random_bits(&seed) >> random_bits(&seed) % 32;
        while (by == 0);
        dpu_core_set_register(core, 0, 0, x);
        dpu_core_set_register(core, 0, 1, y);
        dpu_core_set_register(core, 0, 3, n);
        dpu_core_set_register(core, 0, 4, by);
        assert_true(dpu_core_run(core, 1000));
        assert_int_equal(dpu_core_register(core, 0, 1), x * y);
        assert_int_equal(dpu_core_register(core, 0, 8), n / by);
        assert_int_equal(dpu_core_register(core, 0, 9), n % by);
    }
    dpu_core_free(core);
    str_free(&text);
}
static uint32_t run_of(const char *text, uint32_t number) {
    struct dpu_core *core = core_with(text);
    assert_true(dpu_core_run(core, 1000));
    uint32_t value = dpu_core_register(core, 0, number);
    dpu_core_free(core);
    return value;
}
#define STOP "\nend: stop true, end\n"
static void traps_by_name(void **state) {
    (void)state;
    /* Of lsl_add the last register is shifted. */
    assert_int_equal(run_of("move r1, 100\n move r2, 3\n lsl_add r0, r1, r2, 4" STOP, 0), 148);
    assert_int_equal(run_of("move r1, 100\n move r2, 3\n lsl_sub r0, r1, r2, 4" STOP, 0), 52);
    /* A step whose bit is 0 keeps the sum that is there, not the other pair's. */
    assert_int_equal(run_of("move r1, 7\n move r2, 4\n move r3, 9\n move r4, 5\n"
                            "mul_step d0, r4, d2, 0" STOP,
                            1),
                     7);
    assert_int_equal(run_of("move r1, 7\n move r2, 4\n move r3, 9\n move r4, 10\n"
                            "div_step d0, r4, d2, 0" STOP,
                            1),
                     7);
    assert_int_equal(run_of("move r1, 7\n move r2, 4\n move r3, 9\n move r4, 8\n"
                            "div_step d0, r4, d2, 0" STOP,
                            1),
                     1);
    /* pl and mi, true and false. */
    assert_int_equal(run_of("move r0, 1\n add zero, r0, -2, pl, end\n move r0, 2" STOP, 0), 2);
    assert_int_equal(run_of("move r0, 1\n add zero, r0, -2, mi, end\n move r0, 2" STOP, 0), 1);
    assert_int_equal(run_of("move r0, 1, true, end\n move r0, 2" STOP, 0), 1);
    /* subc leaves its borrow. */
    assert_int_equal(run_of("sub zero, zero, 1, false\n subc r0, one, 1, false\n"
                            "subc r0, zero, 0, false" STOP,
                            0),
                     UINT32_MAX - 0u);
    /* xor, nxor, rol, ror. */
    assert_int_equal(run_of("move r0, 12\n move r1, 10\n xor r0, r0, r1" STOP, 0), 6);
    assert_int_equal(run_of("move r0, 12\n move r1, 10\n nxor r0, r0, r1" STOP, 0), ~6u);
    assert_int_equal(run_of("move r0, 0x80000001\n rol r0, r0, 4" STOP, 0), 0x18);
    assert_int_equal(run_of("move r0, 0x80000001\n ror r0, r0, 4" STOP, 0), 0x18000000);
    /* Sets write 1 or 0, into pairs too. */
    assert_int_equal(run_of("move r0, 5\n sub.s d2, r0, 5, z" STOP, 3), 1);
    /* nc6 asks for the carry out of the lowest 6 bits: a step out of a block of 64 bytes. */
    assert_int_equal(run_of("move r0, 126\n add r0, r0, 1, nc6, end\n move r0, 9" STOP, 0), 127);
    assert_int_equal(run_of("move r0, 127\n add r0, r0, 1, nc6, end\n move r0, 9" STOP, 0), 9);
    assert_int_equal(run_of("move r0, 63\n add r0, r0, 1, nc6, end\n move r0, 9" STOP, 0), 9);
    /* A factor with a bit in its second byte is large, whatever the product is. */
    assert_int_equal(
        run_of("move r1, 0x101\n move r3, 1\n mul_ul_ul r0, r1, r3, small, end\n move r0, 9" STOP,
               0),
        9);
    assert_int_equal(run_of("move r1, 255\n mul_ul_ul r0, r1, r1, small, end\n move r0, 9" STOP, 0),
                     65025);
}

/* ---- loads, stores, pairs ---- */

static void loads_and_stores(void **state) {
    (void)state;
    struct dpu_core *core = core_with(
        "lbs r0, zero, 3\n lbu r1, zero, 3\n lhs r2, zero, 2\n lhu r3, zero, 2\n"
        "lw r4, zero, 0\n lw !big, r5, zero, 0\n lhu !big, r6, zero, 2\n lbs.s d8, zero, 3\n"
        "lbu.u d10, zero, 3\n ld d12, zero, 0\n ld !big, d14, zero, 0\n lw.s d16, zero, 0\n"
        "sb zero, 64, r4\n sb zero, 65, -2\n sh zero, 66, r4\n sw zero, 68, r4\n sd zero, 72, d12\n"
        "sw zero, 80, -3\n sd zero, 88, -4\n sw !big, zero, 96, r4\n sd_id zero, 104, 16\n"
        "sh zero, 112, 0x1234\n sw_id zero, 116\n sd !big, zero, 120, d12\n"
        "movd d18, d12\n swapd d20, d12\n end: stop true, end\n");
    static const uint8_t bytes[8] = {0x11, 0x22, 0x33, 0xf4, 0x55, 0x66, 0x77, 0x88};
    static const uint8_t after[64] = {
        0x11, 0xfe, 0x11, 0x22, 0x11, 0x22, 0x33, 0xf4, 0x11, 0x22, 0x33, 0xf4, 0x55,
        0x66, 0x77, 0x88, 0xfd, 0xff, 0xff, 0xff, 0,    0,    0,    0,    0xfc, 0xff,
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xf4, 0x33, 0x22, 0x11, 0,    0,    0,
        0,    16,   0,    0,    0,    0,    0,    0,    0,    0x34, 0x12, 0,    0,
        0,    0,    0,    0,    0x88, 0x77, 0x66, 0x55, 0xf4, 0x33, 0x22, 0x11};
    uint8_t got[64];
    const uint32_t registers[22] = {0xfffffff4, 0xf4,       0xfffff433, 0xf433,     0xf4332211,
                                    0x112233f4, 0x33f4,     0,          0xffffffff, 0xfffffff4,
                                    0,          0xf4,       0x88776655, 0xf4332211, 0x112233f4,
                                    0x55667788, 0xffffffff, 0xf4332211, 0x88776655, 0xf4332211,
                                    0xf4332211, 0x88776655};
    assert_true(dpu_core_wram_put(core, 0, bytes, 8));
    assert_true(dpu_core_run(core, 100));
    for (uint32_t i = 0; i < 22; i++)
        assert_int_equal(dpu_core_register(core, 0, i), registers[i]);
    assert_true(dpu_core_wram_get(core, 64, got, 64));
    assert_memory_equal(got, after, 64);
    dpu_core_free(core);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_under_every_condition),
        cmocka_unit_test(sums_and_differences_of_64_bits),
        cmocka_unit_test(comparisons_of_64_bits),
        cmocka_unit_test(steps_multiply_and_divide),
        cmocka_unit_test(traps_by_name),
        cmocka_unit_test(loads_and_stores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
