/* SPDX-License-Identifier: MIT
 * What runs cost on a DPU: instructions and transferred bytes for an element of each instruction,
 * beside loops by hand; each live array once in a long run.  docs/dpu-runs.md shows the figures;
 * MPU_WRITE_PAGE=1 writes them anew. */
#include "tests/core/dpu_rig.h"
#include "tests/examples/page.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#define ELEMENTS 4096u
#define TASKLETS 16u
#define PAGE     MPU_SOURCE_DIR "/docs/dpu-runs.md"
#define PROGRAM  "build/tests/test_dpu_run_costs"

static const uint64_t entries[256];
static const struct isa_lut luts[] = {
    {8, 8, entries}, {8, 16, entries}, {8, 32, entries}, {8, 64, entries}};

/* Of a run whose registers r0 .. r7 have so many bits. */
struct cost {
    double instructions, bytes;
    struct dpu_loop_about about;
    struct dpu_counters counters;
};
static struct cost cost_of(const struct insn *insns, size_t count, unsigned w, bool dead) {
    uint8_t bits[64] = {0};
    uint64_t seed = 5;
    struct rig r;
    struct str what = {0};
    memset(bits, (int)w, 8);
    rig_open(&r, bits, ELEMENTS, TASKLETS, &seed);
    r.luts = luts;
    r.lut_count = 4;
    for (uint32_t i = 0; i < 4; i++)
        r.table_at[i] = 2048 * i;
    r.loop.run.dead_c = r.loop.run.dead_m = r.loop.run.all_valid = dead;
    if (dead)
        r.loop.run.dead = UINT64_C(0xf0); /* r4 to r7 are in between */
    if (!rig_run(&r, insns, count, false, &what))
        fail_msg("%s\n%s", str_text(&what), str_text(&r.text));
    struct cost c = {.instructions = (double)r.counters.instructions / ELEMENTS,
                     .bytes = (double)(r.counters.read_bytes + r.counters.written_bytes) / ELEMENTS,
                     .about = r.about,
                     .counters = r.counters};
    rig_close(&r);
    str_free(&what);
    return c;
}

/* ---- loops by hand ---- */

/* Instructions for an element of a loop of eight: a line for each with %d where the element's
 * offset stands in the blocks of arrays 0, 1, 2, and the pointer and the end besides. */
static double by_hand(const char *element, unsigned bytes, const char *before) {
    struct str text = {0};
    str_append(&text,
               "  jeq id, 15, go\n  boot id, 1\ngo:\n  lsl r22, id, 11\n  add r22, r22, 4096\n"
               "  move r20, id\n");
    unsigned per = 512 / bytes;
    str_printf(&text,
               "block:\n  jgeu r20, %u, end\n  move r19, 0x08010000\n"
               "  lsl_add r19, r19, r20, 9\n",
               ELEMENTS / per);
    for (unsigned a = 0; a < 2; a++)
        str_printf(&text, "  add r18, r22, %u\n  ldma r18, r19, 63\n  add r19, r19, 0x10000\n",
                   512 * a);
    str_printf(&text, "  move r21, r22\n  add r18, r22, 512\n%slap:\n", before);
    for (unsigned e = 0; e < 8; e++)
        for (const char *s = element; *s;) {
            const char *line = strchr(s, '\n');
            char number[16];
            const char *at = strchr(s, '@');
            if (at && at < line) {
                snprintf(number, sizeof number, "%u", (unsigned)(at[1] - '0') * 512 + e * bytes);
                str_append_n(&text, s, (size_t)(at - s));
                str_append(&text, number);
                s = at + 2;
            }
            /* A label of each element. */
            for (; s < line; s++)
                if (*s == '#')
                    str_printf(&text, "%u", e);
                else
                    str_char(&text, *s);
            str_char(&text, '\n');
            s = line + 1;
        }
    str_printf(&text,
               "  add r21, r21, %u\n  jneq r21, r18, lap\n  add r18, r22, 1024\n"
               "  sdma r18, r19, 63\n  add r20, r20, 16\n  jump block\n"
               "end:\n  stop true, end\n",
               8 * bytes);
    struct diag *d = diag_new(NULL, NULL);
    struct dpu_program *p = dpu_assemble("hand.s", str_text(&text), text.len, d);
    if (!p)
        fail_msg("%s\n%s", diag_first(d), str_text(&text));
    struct dpu_core *core = dpu_core_new(&DPU_TIME_MEASURED);
    struct dpu_counters n;
    dpu_core_load(core, p);
    assert_true(dpu_core_run(core, 100000000));
    dpu_core_counters(core, &n);
    dpu_core_free(core);
    dpu_program_free(p);
    diag_free(d);
    str_free(&text);
    return (double)n.instructions / ELEMENTS;
}

#define I(op_, w_, s_, t_, d_)                                                                     \
    { .op = OP_##op_, .width = w_, .rs = s_, .rt = t_, .rd = d_ }
#define MEM(w, in, load, store)                                                                    \
    "  " load " r0, r21, @0\n  " load " r1, r21, @1\n" in "  " store " r21, @2, r2\n"
/* r2 = r0 * r1 by bytes, as routines.c has it. */
#define PRODUCT                                                                                    \
    "  lsr r3, r0, 16\n  lsr r4, r1, 16\n  mul_uh_ul r5, r3, r1\n  mul_ul_uh r6, r3, r1\n"         \
    "  add r5, r5, r6\n  mul_uh_ul r6, r0, r4\n  add r5, r5, r6\n  mul_ul_uh r6, r0, r4\n"         \
    "  add r5, r5, r6\n  mul_ul_ul r7, r3, r1\n  mul_ul_ul r6, r0, r4\n  add r7, r7, r6\n"         \
    "  mul_uh_uh r6, r0, r1\n  add r7, r7, r6\n  lsl_add r7, r7, r5, 8\n  mul_uh_ul r5, r0, r1\n"  \
    "  mul_ul_uh r6, r0, r1\n  add r5, r5, r6\n  lsl_add r7, r5, r7, 8\n  mul_ul_ul r5, r0, r1\n"  \
    "  lsl_add r2, r5, r7, 8\n"

static const struct {
    const char *name;
    unsigned w;
    struct insn insns[6];
    unsigned count;
    const char *hand, *before;
} loops[] = {
    {"ADD.8", 8, {I(ADD, 8, 0, 1, 2)}, 1, MEM(8, "  add r2, r0, r1\n", "lbu", "sb"), ""},
    {"ADD.16", 16, {I(ADD, 16, 0, 1, 2)}, 1, MEM(16, "  add r2, r0, r1\n", "lhu", "sh"), ""},
    {"ADD.32", 32, {I(ADD, 32, 0, 1, 2)}, 1, MEM(32, "  add r2, r0, r1\n", "lw", "sw"), ""},
    {"ADD.64",
     64,
     {I(ADD, 64, 0, 1, 2)},
     1,
     "  ld d0, r21, @0\n  ld d2, r21, @1\n  add r1, r1, r3\n  addc r0, r0, r2\n  sd r21, @2, d0\n",
     ""},
    {"XOR.8", 8, {I(XOR, 8, 0, 1, 2)}, 1, MEM(8, "  xor r2, r0, r1\n", "lbu", "sb"), ""},
    {"XOR.16", 16, {I(XOR, 16, 0, 1, 2)}, 1, MEM(16, "  xor r2, r0, r1\n", "lhu", "sh"), ""},
    {"XOR.32", 32, {I(XOR, 32, 0, 1, 2)}, 1, MEM(32, "  xor r2, r0, r1\n", "lw", "sw"), ""},
    {"XOR.64",
     64,
     {I(XOR, 64, 0, 1, 2)},
     1,
     "  ld d0, r21, @0\n  ld d2, r21, @1\n  xor r1, r1, r3\n  xor r0, r0, r2\n  sd r21, @2, d0\n",
     ""},
    {"CMPLT.32, SETMASK, MOV.32",
     32,
     {I(CMPLT, 32, 0, 1, 0), {.op = OP_SETMASK_COND}, I(MOV, 32, 0, 0, 2)},
     3,
     "  lw r0, r21, @0\n  lw r1, r21, @1\n  jgeu r0, r1, over#\n  sw r21, @2, r0\nover#:\n",
     ""},
    {"CMPLT.32, GETC.32, SEL.32",
     32,
     {I(CMPLT, 32, 0, 1, 0), I(GETC, 32, 0, 0, 2), I(SEL, 32, 0, 1, 2)},
     3,
     "  lw r2, r21, @0\n  lw r1, r21, @1\n  jltu r2, r1, over#\n  move r2, r1\nover#:\n"
     "  sw r21, @2, r2\n",
     ""},
    {"MUL.8", 8, {I(MUL, 8, 0, 1, 2)}, 1, MEM(8, "  mul_ul_ul r2, r0, r1\n", "lbu", "sb"), ""},
    {"MUL.32", 32, {I(MUL, 32, 0, 1, 2)}, 1, MEM(32, PRODUCT, "lw", "sw"), ""},
    {"LI, LIK1, MUL, ADD.32",
     32,
     {{.op = OP_LI, .width = 32, .rd = 4, .imm = 0x123},
      {.op = OP_LIK1, .width = 32, .rd = 4, .imm = 0xa},
      I(MUL, 32, 0, 4, 5),
      I(ADD, 32, 5, 1, 2)},
     4,
     /* The factor's 16 bits are in r9 before the loop. */
     "  lw r0, r21, @0\n  lsr r3, r0, 16\n  mul_uh_ul r2, r3, r9\n  mul_ul_uh r4, r3, r9\n"
     "  add r2, r2, r4\n  mul_ul_ul r3, r3, r9\n  lsl_add r2, r3, r2, 8\n  mul_uh_uh r4, r0, r9\n"
     "  add r2, r2, r4\n  mul_uh_ul r3, r0, r9\n  mul_ul_uh r4, r0, r9\n  add r3, r3, r4\n"
     "  lsl_add r2, r3, r2, 8\n  mul_ul_ul r3, r0, r9\n  lsl_add r2, r3, r2, 8\n"
     "  lw r1, r21, @1\n  add r2, r2, r1\n  sw r21, @2, r2\n",
     "  move r9, 0xa123\n"},
};

static void beside_loops_by_hand(void **state) {
    (void)state;
    struct str table = {0};
    str_append(
        &table,
        "| run | instructions an element | by hand | ratio | lap, unrolled |\n|---|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        struct cost c = cost_of(loops[i].insns, loops[i].count, loops[i].w, true);
        double hand = by_hand(loops[i].hand, loops[i].w / 8, loops[i].before);
        str_printf(&table, "| %s | %.2f | %.2f | %.2f | %" PRIu32 ", %" PRIu32 " |\n",
                   loops[i].name, c.instructions, hand, c.instructions / hand, c.about.lap,
                   c.about.unrolled);
        if (c.instructions > 1.3 * hand)
            fail_msg("%s: %.2f instructions, by hand %.2f", loops[i].name, c.instructions, hand);
    }
    page_check(PAGE, "loops by hand", &table, PROGRAM);
    str_free(&table);
}

/* ---- each instruction ---- */

static void put_cost(struct str *table, enum isa_op op, unsigned w, unsigned i) {
    struct insn x = {.op = op, .rs = 0, .rt = 1, .rd = 2};
    uint32_t word;
    const struct isa_info *info = isa_info(op);
    if (info->flags & ISA_WIDTH)
        x.width = (uint8_t)w;
    int role = isa_constant_role(info);
    x.imm = role == ROLE_SRCWIDTH ? (int)w / 2 : role == ROLE_COUNT ? 3 : role == ROLE_IMM ? 5 : 0;
    if (isa_has_table(op)) {
        x.lut = (uint16_t)i;
        isa_set_table(&x, &luts[i]);
    }
    /* Fields that it does not have. */
    uint32_t has = 0;
    for (unsigned k = 0; k < info->operand_count; k++)
        has |= 1u << info->operands[k];
    x.rs = has & 1u << ROLE_RS ? 0 : 0;
    x.rt = has & 1u << ROLE_RT ? 1 : 0;
    x.rd = has & 1u << ROLE_RD ? 2 : 0;
    if (isa_encode(&x, &word) != ISA_OK) {
        str_append(table, " - |");
        return;
    }
    struct cost c = cost_of(&x, 1, w, false);
    str_printf(table, " %.1f, %.2f |", c.instructions, c.instructions / c.bytes);
}
static void each_instruction(void **state) {
    (void)state;
    struct str table = {0};
    static const unsigned widths[] = {8, 16, 32, 64};
    str_append(
        &table,
        "| instruction | 8 bits | 16 bits | 32 bits | 64 bits |\n|---|---:|---:|---:|---:|\n");
    for (enum isa_op op = 0; op < OP_COUNT; op++) {
        const struct isa_info *info = isa_info(op);
        if (!(info->flags & ISA_VECTOR) || !info->golden)
            continue;
        str_printf(&table, "| %s%s |", info->name,
                   op == OP_SETMASK_COND || op == OP_ANDMASK_COND ? " cond"
                   : op == OP_CVT                                 ? " from_int"
                                                                  : "");
        for (unsigned i = 0; i < (info->flags & ISA_WIDTH ? 4u : 1u); i++)
            put_cost(&table, op, widths[i], i);
        str_append(&table, info->flags & ISA_WIDTH ? "\n" : " | | |\n");
    }
    page_check(PAGE, "each instruction", &table, PROGRAM);
    str_free(&table);
}

/* ---- a run of twelve ---- */

static void each_live_array_once(void **state) {
    (void)state;
    /* r0, r1, r3 are read first; r2 and r3 are left, what is in r4 to r7 is nobody's. */
    static const struct insn twelve[] = {
        I(ADD, 32, 0, 1, 4), I(XOR, 32, 4, 0, 5), I(SUB, 32, 5, 1, 6), I(ADD, 32, 6, 3, 6),
        I(AND, 32, 6, 4, 7), I(OR, 32, 7, 5, 4),  I(INC, 32, 4, 0, 4), I(MAX, 32, 4, 6, 5),
        I(ADD, 32, 5, 0, 2), I(XOR, 32, 2, 1, 2), I(SUB, 32, 3, 2, 3), I(ADD, 32, 3, 4, 3)};
    struct cost c = cost_of(twelve, 12, 32, true);
    assert_int_equal(c.about.loads, 0xb);
    assert_int_equal(c.about.stores, 0xc);
    assert_int_equal(c.counters.read_bytes, 3u * 4 * ELEMENTS);
    assert_int_equal(c.counters.written_bytes, 2u * 4 * ELEMENTS);
    /* In WRAM, beside the number of the block. */
    uint64_t blocks = ELEMENTS / c.about.block;
    assert_int_equal(c.counters.classes[DPU_LOAD], 3u * ELEMENTS + blocks);
    assert_int_equal(c.counters.classes[DPU_STORE], 2u * ELEMENTS + blocks);
    assert_int_equal(c.about.spills, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beside_loops_by_hand),
        cmocka_unit_test(each_instruction),
        cmocka_unit_test(each_live_array_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
