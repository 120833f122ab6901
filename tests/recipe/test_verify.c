/* SPDX-License-Identifier: MIT
 * Every built-in recipe against the golden functions: all operand values at small widths, random
 * and edge values at others, every width, masked and not, every alias that the ISA allows; what is
 * not written keeps every bit. */
#include "machine.h"

#include "support/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#ifdef MPU_SANITIZED
#define LIGHT 1
#else
#define LIGHT 0
#endif

struct fixture {
    struct diag *diag;
    struct target *target;
    struct recipe_set *set;
};

static int open_racer(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    f->diag = diag_new(NULL, NULL);
    f->target = target_open("racer", NULL, 0, f->diag);
    f->set = f->target ? recipe_set_open(f->target, f->diag) : NULL;
    if (!f->set)
        print_error("%s\n", diag_first(f->diag));
    *state = f;
    return f->set ? 0 : -1;
}

static int close_racer(void **state) {
    struct fixture *f = *state;
    recipe_set_free(f->set);
    target_free(f->target);
    diag_free(f->diag);
    free(f);
    return 0;
}

/* Registers of rs, rt, rd: distinct, and every way that some of them are one. */
static const uint8_t aliases[][3] = {{1, 2, 3}, {1, 1, 3}, {1, 2, 1}, {1, 2, 2}, {1, 1, 1}};
#define ALIASES (sizeof aliases / sizeof aliases[0])

/* Values of the lanes of rs, rt and rd. */
struct value_choice {
    uint64_t seed;
    unsigned w;
};
typedef uint64_t value_source(const struct value_choice *x, unsigned reg, size_t lane);

#define REGISTERS 4 /* r0 is never an operand: nothing may touch it */

struct trial {
    struct fixture *f;
    struct insn insn;
    bool masked;
    struct machine machine;
    size_t first_lane, lanes;
    value_source *values;
    struct value_choice choice;
    uint64_t seed;
};

static unsigned width_of(const struct insn *x) {
    return isa_info(x->op)->flags & ISA_WIDTH ? x->width : 1;
}

static unsigned rs_width(const struct insn *x) {
    const struct isa_info *info = isa_info(x->op);
    for (unsigned i = 0; i < info->operand_count; i++)
        if (info->operands[i] == ROLE_SRCWIDTH)
            return (unsigned)x->imm;
    return width_of(x);
}

static void fill(struct trial *t) {
    uint64_t values[64], above = ~low_bits(width_of(&t->insn));
    for (size_t i = 0; i < t->machine.words; i++) {
        for (unsigned r = 0; r < REGISTERS; r++) {
            for (size_t lane = 0; lane < 64; lane++)
                values[lane] = t->values(&t->choice, r, t->first_lane + i * 64 + lane) ^
                               (splitmix64(&t->seed) & above);
            machine_put(&t->machine, r, i, values);
        }
        t->machine.c[i] = splitmix64(&t->seed);
        t->machine.valid[i] = splitmix64(&t->seed) | splitmix64(&t->seed);
        t->machine.m[i] = splitmix64(&t->seed) & t->machine.valid[i];
    }
}

/* What the ISA says of one lane. */
struct lane {
    uint64_t regs[REGISTERS];
    bool c, m, valid;
};

static uint64_t merge(uint64_t old, uint64_t new, unsigned w) {
    return (old & ~low_bits(w)) | (new &low_bits(w));
}

static void golden_lane(const struct trial *t, struct lane *x) {
    const struct isa_info *info = isa_info(t->insn.op);
    unsigned w = width_of(&t->insn);
    struct golden_lane g = {.rs = x->regs[t->insn.rs] & low_bits(rs_width(&t->insn)),
                            .rt = x->regs[t->insn.rt] & low_bits(w),
                            .rd = x->regs[t->insn.rd] & low_bits(w),
                            .c = x->c,
                            .m = x->m,
                            .valid = x->valid,
                            .w = w,
                            .imm = t->insn.imm};
    if (t->masked && !x->m && !(info->flags & ISA_UNMASKED))
        return;
    info->golden(&g);
    if (info->flags & WRITES_RS)
        x->regs[t->insn.rs] = merge(x->regs[t->insn.rs], g.rs, w);
    if (info->flags & WRITES_RT)
        x->regs[t->insn.rt] = merge(x->regs[t->insn.rt], g.rt, w);
    if (info->flags & WRITES_RD)
        x->regs[t->insn.rd] = merge(x->regs[t->insn.rd], g.rd, w);
    x->c = info->flags & WRITES_C ? g.c : x->c;
    x->m = info->flags & WRITES_M ? g.m : x->m;
}

/* The state of all lanes. */
static struct lane *get_lanes(const struct machine *m, struct lane *lanes) {
    uint64_t values[64];
    for (size_t i = 0; i < m->words; i++)
        for (unsigned r = 0; r < REGISTERS; r++) {
            machine_get(m, r, i, values);
            for (size_t k = 0; k < 64; k++)
                lanes[i * 64 + k].regs[r] = values[k];
        }
    for (size_t i = 0; i < m->words * 64; i++) {
        lanes[i].c = lane_bit(m->c, i);
        lanes[i].m = lane_bit(m->m, i);
        lanes[i].valid = lane_bit(m->valid, i);
    }
    return lanes;
}

static void compare(const struct trial *t, const struct lane *before, const struct lane *got,
                    const struct lane *want, size_t i) {
    bool same = got->c == want->c && got->m == want->m && got->valid == want->valid &&
                memcmp(got->regs, want->regs, sizeof got->regs) == 0;
    if (same)
        return;
    const struct insn *x = &t->insn;
    fail_msg("%s.%u rs=r%u rt=r%u rd=r%u imm=%d%s lane %zu: before %llx %llx %llx c%d m%d, "
             "got %llx %llx %llx c%d m%d, expected %llx %llx %llx c%d m%d",
             isa_info(x->op)->name, x->width, x->rs, x->rt, x->rd, x->imm,
             t->masked ? " masked" : "", i, (unsigned long long)before->regs[1],
             (unsigned long long)before->regs[2], (unsigned long long)before->regs[3], before->c,
             before->m, (unsigned long long)got->regs[1], (unsigned long long)got->regs[2],
             (unsigned long long)got->regs[3], got->c, got->m, (unsigned long long)want->regs[1],
             (unsigned long long)want->regs[2], (unsigned long long)want->regs[3], want->c,
             want->m);
}

static void run_trial(struct trial *t) {
    struct uop_list list = {0};
    if (!recipe_expand(t->f->set, &t->insn, t->masked, &list, t->f->diag))
        fail_msg("%s", diag_first(t->f->diag));
    machine_open(&t->machine, t->f->target, (t->lanes + 63) / 64);
    fill(t);
    size_t lanes = t->machine.words * 64;
    struct lane *before = get_lanes(&t->machine, calloc(lanes, sizeof *before));
    if (!machine_run(&t->machine, &list))
        fail_msg("%s.%u: %s", isa_info(t->insn.op)->name, t->insn.width, t->machine.error);
    struct lane *after = get_lanes(&t->machine, calloc(lanes, sizeof *after));
    for (size_t i = 0; i < lanes; i++) {
        struct lane want = before[i];
        golden_lane(t, &want);
        compare(t, &before[i], &after[i], &want, i);
    }
    free(before);
    free(after);
    machine_close(&t->machine);
    vec_free(&list);
}

/* --- constants of an instruction --- */

static int constant_role(enum mpu_op op) {
    const struct isa_info *info = isa_info(op);
    for (unsigned i = 0; i < info->operand_count; i++)
        if (info->operands[i] == ROLE_COUNT || info->operands[i] == ROLE_SRCWIDTH ||
            info->operands[i] == ROLE_IMM)
            return info->operands[i];
    return -1;
}

static bool next_constant(enum mpu_op op, unsigned w, unsigned i, uint64_t *seed, int32_t *imm) {
    const int32_t edges[] = {0, 1, -1, 2047, -2048, 5, -6};
    const int32_t counts[] = {0, 1, 2, 63, (int32_t)w / 2, (int32_t)w - 1, (int32_t)w};
    switch (constant_role(op)) {
    case ROLE_COUNT:
        *imm = i < 7 ? (counts[i] < 0 || counts[i] > 63 ? 3 : counts[i]) : 0;
        return i < 7;
    case ROLE_SRCWIDTH:
        *imm = i < 2 ? (i ? (int32_t)w : 1) : (int32_t)(splitmix64(seed) % w) + 1;
        return i < 4;
    case ROLE_IMM:
        *imm = i < 7 ? edges[i] : (int32_t)(splitmix64(seed) % 4096) - 2048;
        return i < 9;
    default:
        *imm = 0;
        return i < 1;
    }
}

static unsigned registers_read(enum mpu_op op) {
    uint32_t f = isa_info(op)->flags;
    return (f & READS_RS ? 1u : 0u) + (f & READS_RT ? 1u : 0u) + (f & READS_RD ? 1u : 0u);
}

/* Runs the trial for every constant that makes a legal word, with the given alias. */
static unsigned run_constants(struct trial *t, unsigned alias, unsigned most) {
    unsigned runs = 0;
    uint32_t word;
    t->insn.rs = aliases[alias][0];
    t->insn.rt = aliases[alias][1];
    t->insn.rd = aliases[alias][2];
    for (unsigned i = 0;
         i < most && next_constant(t->insn.op, width_of(&t->insn), i, &t->seed, &t->insn.imm);
         i++) {
        struct insn x = t->insn;
        uint32_t used = isa_info(x.op)->flags;
        x.rs = used & (READS_RS | WRITES_RS) ? x.rs : 0;
        x.rt = used & (READS_RT | WRITES_RT) ? x.rt : 0;
        x.rd = used & (READS_RD | WRITES_RD) ? x.rd : 0;
        if (isa_encode(&x, &word) != ISA_OK)
            continue;
        struct insn whole = t->insn;
        t->insn = x;
        run_trial(t);
        t->insn = whole;
        runs++;
    }
    return runs;
}

static void set_width(struct trial *t, unsigned w) {
    t->insn.width = isa_info(t->insn.op)->flags & ISA_WIDTH ? (uint8_t)w : 0;
}

/* --- values --- */

/* All combinations: a lane number is rs, rt and rd, w bits each. */
static uint64_t all_values(const struct value_choice *x, unsigned reg, size_t lane) {
    unsigned w = x->w;
    return reg >= 1 && reg <= 3 ? (lane >> (w * (reg - 1))) & low_bits(w)
                                : lane * 7919 & low_bits(w);
}

/* Random, close to random others, and edges. */
static uint64_t mixed_values(const struct value_choice *x, unsigned reg, size_t lane) {
    const uint64_t edges[] = {0, 1, low_bits(x->w), (uint64_t)1 << (x->w - 1), low_bits(x->w) >> 1,
                              2};
    uint64_t state = x->seed + lane * 0x9e3779b9u, a = splitmix64(&state), b = splitmix64(&state);
    if (lane < 36)
        return edges[reg == 1 ? lane % 6 : reg == 2 ? lane / 6 : (lane / 3) % 6];
    if (lane % 4 == 0)
        return (a + (reg == 1 ? b % 3 : 0)) & low_bits(x->w);
    state += reg;
    return splitmix64(&state) & low_bits(x->w);
}

/* --- tests --- */

static void for_all_ops(void **state, void (*test)(struct trial *t)) {
    unsigned ops = 0;
    for (int op = 0; op < OP_COUNT; op++) {
        struct trial t = {.f = *state, .insn = {.op = (enum mpu_op)op}, .seed = 7};
        if (!recipe_exists(t.f->set, (enum mpu_op)op))
            continue;
        test(&t);
        ops++;
    }
    assert_true(ops >= 60);
}

static void try_all_values(struct trial *t) {
    unsigned operands = registers_read(t->insn.op);
    unsigned most = operands >= 3 ? (LIGHT ? 2 : 4) : operands == 2 ? 5 : 6;
    for (unsigned w = 1; w <= most; w++) {
        set_width(t, w);
        t->lanes = (size_t)1 << (w * (operands < 1 ? 1 : operands >= 3 ? 3 : 2));
        t->values = all_values;
        t->choice.w = w;
        for (unsigned a = 0; a < ALIASES; a++)
            for (int masked = 0; masked < 2; masked++) {
                t->masked = masked;
                assert_true(run_constants(t, a, 9) > 0 || t->insn.op == OP_LIK1 || w < 61);
            }
    }
}

static void test_all_values(void **state) {
    for_all_ops(state, try_all_values);
}

static void try_mixed(struct trial *t, unsigned w, unsigned constants, unsigned ways) {
    set_width(t, w);
    t->lanes = 64;
    t->values = mixed_values;
    t->choice = (struct value_choice){w * 1000 + (uint64_t)t->insn.op, w};
    for (unsigned i = 0; i < ways; i++) {
        t->masked = i % 2;
        run_constants(t, i / 2 % ALIASES, constants);
    }
}

static void try_chosen_widths(struct trial *t) {
    static const uint8_t widths[] = {8, 9, 13, 16, 31, 32, 33, 63, 64};
    for (size_t i = 0; i < sizeof widths; i++)
        try_mixed(t, widths[i], 9, LIGHT ? 4 : 10);
}

static void test_chosen_widths(void **state) {
    for_all_ops(state, try_chosen_widths);
}

static void try_every_width(struct trial *t) {
    for (unsigned w = 1; w <= 64; w += LIGHT ? 5 : 1)
        try_mixed(t, w, 3, 2);
}

static void test_every_width(void **state) {
    for_all_ops(state, try_every_width);
}

static void try_pairs_at_8(struct trial *t) {
    unsigned w = 8;
    if (registers_read(t->insn.op) != 2 || LIGHT)
        return;
    set_width(t, w);
    t->lanes = 65536;
    t->values = all_values;
    t->choice.w = w;
    t->masked = false;
    run_constants(t, 0, 1);
}

static void test_pairs_at_8(void **state) {
    for_all_ops(state, try_pairs_at_8);
}

/* All triples of bytes, 65,536 at a time. */
static void try_triples_at_8(struct trial *t) {
    if (registers_read(t->insn.op) != 3 || LIGHT)
        return;
    set_width(t, 8);
    t->lanes = 65536;
    t->values = all_values;
    t->choice.w = 8;
    for (size_t i = 0; i < 256; i++) {
        t->first_lane = i * 65536;
        run_constants(t, 0, 1);
    }
}

static void test_triples_at_8(void **state) {
    for_all_ops(state, try_triples_at_8);
}

/* Instructions that the toolchain relies on. */
static void test_there(void **state) {
    struct fixture *f = *state;
    static const char *const names[] = {
        "INIT0", "INIT1",   "MOV",     "INV",    "AND",    "OR",   "XOR",     "ADD",
        "SUB",   "MUL",     "CMPEQ",   "CMPGT",  "CMPLT",  "MUX",  "SEL",     "MIN",
        "MAX",   "GETMASK", "SETMASK", "UNMASK", "GETC",   "SETC", "ANDMASK", "ANDNMASK",
        "POPC",  "SHLI",    "SHRI",    "SARI",   "ZEXT",   "SEXT", "LI",      "LIK1",
        "LIK2",  "LIK3",    "LIK4",    "LIK5",   "LSHIFT", "INC",  "DEC",     "NAND",
        "NOR",   "XNOR",    "CAS",     "MAC",    "BFLIP",  "RELU", "FUZZY"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (enum mpu_op op = isa_find(names[i], strlen(names[i])); op != OP_COUNT;
             op = isa_next_form(op))
            if (!recipe_exists(f->set, op))
                fail_msg("no recipe for %s", names[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there),         cmocka_unit_test(test_all_values),
        cmocka_unit_test(test_chosen_widths), cmocka_unit_test(test_every_width),
        cmocka_unit_test(test_pairs_at_8),    cmocka_unit_test(test_triples_at_8),
    };
    return cmocka_run_group_tests(tests, open_racer, close_racer);
}
