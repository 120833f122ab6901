/* SPDX-License-Identifier: MIT
 * control.order=paper: what may change places does, what may not never does, and --check names the
 * register and the ensembles. */
#include "machine.h"
#include "random_messages.h"
#include "random_program.h"
#include "support/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SEEDS = 20, LANES = 4, RFHS = 3, VRFS = 2, REGS = 6 };

static const struct target_override paper[] = {{"control.order", "paper"}};
static const struct target_override plain[] = {{"control.order", "program"}};

/* Small fixed VRFs on golden, and beside it the machine that --check compares with. */
struct checked {
    struct opened m;
    struct datapath *reference;
};

static struct datapath *open_reference(struct opened *m) {
    struct diag *d = diag_new(NULL, NULL);
    struct dp_setup setup = {
        .target = m->target, .mpus = m->package->mpus, .reg_bits = m->package->reg_bits};
    struct datapath *dp = golden_ops.open(&setup, d);
    assert_non_null(dp);
    diag_free(d);
    return dp;
}

static void open_checked(struct checked *x, enum machine_kind kind, const char *text) {
    machine_open_with(&x->m, kind, text, paper, 1);
    x->reference = open_reference(&x->m);
}

static void close_checked(struct checked *x) {
    x->reference->ops->close(x->reference);
    machine_close(&x->m);
}

static uint64_t start_value(uint32_t rfh, uint32_t vrf, unsigned reg, uint32_t lane) {
    return 100 + 1000 * rfh + 300 * vrf + 17 * reg + lane;
}

/* Known values in the registers that the program has, C = 0 everywhere. */
static void fill(struct opened *m) {
    for (uint32_t h = 0; h < RFHS; h++)
        for (uint32_t v = 0; v < VRFS; v++)
            for (uint32_t lane = 0; lane < LANES; lane++) {
                const uint64_t zero = 0;
                for (unsigned r = 0; r < REGS; r++)
                    if (m->package->reg_bits[r])
                        machine_put(m, h, v, r, lane, start_value(h, v, r, lane));
                m->dp->ops->put(m->dp, v * m->target->rfh_per_mpu + h, DP_C, 0, 1, lane, 1, &zero);
            }
}

static enum control_end run_seed(struct checked *x, uint64_t seed) {
    const struct control_config config = {.reference = x->reference, .check = true};
    const struct control_config bare = {.reference = x->reference};
    x->m.target->order_seed = seed;
    fill(&x->m);
    machine_run(&x->m, x->m.dp->ops == &check_ops ? &config : &bare);
    return x->m.end;
}

/* ---- programs with and without a hazard ---- */

#define HEAD "        .geometry lanes=4 vrfs=2 rfhs=3\n"
#define A    "        COMPUTE RFH0 VRF0\n"
#define DONE "        COMPUTE_DONE\n"
#define SYNC "        MPU_SYNC\n"
#define MOVE(from, to, copy)                                                                       \
    "        MOVE RFH" from " RFH" to "\n        " copy "\n        MOVE_DONE\n"

static const struct {
    const char *name, *before, *after;
    const char *reg;           /* that the error names; NULL: there is no hazard */
    const char *first, *later; /* what the notes say of the two ensembles */
} cases[] = {
    {"read after write", A "        INC.16 r0 r1\n" DONE, A "        INC.16 r1 r2\n" DONE,
     "r2 of MPU0.RFH0.VRF0", "writes r1", "reads r1"},
    {"write after read", A "        INC.16 r1 r2\n" DONE, A "        INC.16 r0 r1\n" DONE,
     "r2 of MPU0.RFH0.VRF0", "reads r1", "writes r1"},
    {"write after write", A "        INC.16 r0 r1\n" DONE, A "        INIT0.16 r1\n" DONE,
     "r1 of MPU0.RFH0.VRF0", "writes r1", "writes r1"},
    {"compare before read of C", A "        CMPEQ.16 r0 r0\n" DONE, A "        GETC.16 r2\n" DONE,
     "r2 of MPU0.RFH0.VRF0", "writes C", "reads C"},
    {"a copy of a result", A "        INC.16 r0 r1\n" DONE,
     MOVE("0", "1", "MEMCPY.16 VRF0 r1 VRF1 r3"), "r3 of MPU0.RFH1.VRF1", "writes r1", "reads r1"},
    {"a result overwritten by a copy", A "        INC.16 r0 r1\n" DONE,
     MOVE("1", "0", "MEMCPY.16 VRF0 r2 VRF0 r1"), "r1 of MPU0.RFH0.VRF0", "writes r1", "writes r1"},
    {"a copy into what is read", MOVE("1", "0", "MEMCPY.16 VRF0 r2 VRF0 r1"),
     A "        INC.16 r1 r2\n" DONE, "r2 of MPU0.RFH0.VRF0", "writes r1", "reads r1"},
    {"transfers keep their order", MOVE("0", "1", "MEMCPY.16 VRF0 r0 VRF0 r1"),
     MOVE("1", "2", "MEMCPY.16 VRF0 r1 VRF0 r2"), NULL, NULL, NULL},
    {"other registers", A "        INC.16 r0 r1\n" DONE, A "        INC.16 r0 r2\n" DONE, NULL,
     NULL, NULL},
    {"other VRFs", A "        INC.16 r0 r1\n" DONE,
     "        COMPUTE RFH0 VRF1\n        INC.16 r0 r1\n" DONE, NULL, NULL, NULL},
    {"equal results", A "        INIT0.16 r1\n" DONE, A "        INIT0.16 r1\n" DONE, NULL, NULL,
     NULL},
    {"masks end with their ensemble",
     A "        CMPGT.16 r0 r1\n        SETMASK cond\n        INC.16 r0 r3\n        UNMASK\n" DONE,
     "        COMPUTE RFH1 VRF0\n        INC.16 r0 r3\n" DONE, NULL, NULL, NULL},
    {"sum of two increments", A "        INC.16 r1 r1\n" DONE, A "        INC.16 r1 r1\n" DONE,
     NULL, NULL, NULL},
};
#define CASES (sizeof cases / sizeof *cases)

static void check_message(struct checked *x, size_t i) {
    size_t count;
    const struct control_note *notes = control_notes(x->m.control, &count);
    const char *text = control_message(x->m.control);
    if (strncmp(text, cases[i].reg, strlen(cases[i].reg)) != 0 ||
        !strstr(text, "depends on the order of ensembles"))
        fail_msg("%s: '%s'", cases[i].name, text);
    assert_int_equal(count, 3);
    if (!strstr(notes[0].text, cases[i].first) || !strstr(notes[1].text, cases[i].later))
        fail_msg("%s: '%s' and '%s'", cases[i].name, notes[0].text, notes[1].text);
    assert_int_equal(notes[0].index, 0);
    assert_int_equal(notes[1].index, 3);
    assert_true(strstr(notes[2].text, "MPU_SYNC") != NULL);
}

/* Found under some of 20 seeds, and under none with an MPU_SYNC between. */
static void hazards_on(enum machine_kind kind) {
    for (size_t i = 0; i < CASES; i++)
        for (int fenced = 0; fenced < 2; fenced++) {
            struct checked x;
            struct str text = {0};
            unsigned found = 0;
            str_printf(&text, HEAD "%s%s%s", cases[i].before, fenced ? SYNC : "", cases[i].after);
            open_checked(&x, kind, text.text);
            for (uint64_t seed = 0; seed < SEEDS; seed++) {
                enum control_end end = run_seed(&x, seed);
                if (end == CONTROL_DIFFERS && cases[i].reg)
                    check_message(&x, i);
                else if (end != CONTROL_DONE)
                    fail_msg("%s: %s", cases[i].name, control_message(x.m.control));
                found += end == CONTROL_DIFFERS;
            }
            if ((found > 0) != (cases[i].reg && !fenced))
                fail_msg("%s, %s: found %u times", cases[i].name, fenced ? "fenced" : "bare",
                         found);
            close_checked(&x);
            str_free(&text);
        }
}

static void hazards_are_found_and_named(void **state) {
    (void)state;
    hazards_on(ON_GOLDEN);
    hazards_on(ON_BOTH);
}

/* The difference shows two ensembles behind the one that came too early. */
static void the_cause_is_found_behind_its_consequences(void **state) {
    static const char text[] = HEAD A "        INC.16 r0 r1\n" DONE /* 0 */
        A "        ADD.16 r1 r1 r2\n" DONE                          /* 3 */
            MOVE("0", "1", "MEMCPY.16 VRF0 r0 VRF0 r5") SYNC;       /* 6, 9 */
    struct checked x;
    unsigned found = 0;
    (void)state;
    open_checked(&x, ON_GOLDEN, text);
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        if (run_seed(&x, seed) == CONTROL_DIFFERS) {
            size_t count;
            const struct control_note *notes = control_notes(x.m.control, &count);
            assert_int_equal(notes[0].index, 0);
            assert_int_equal(notes[1].index, 3);
            assert_non_null(strstr(control_message(x.m.control), "r2 of MPU0.RFH0.VRF0, lane 0"));
            found++;
        }
    assert_true(found > 0);
    close_checked(&x);
}

/* Passes of a loop and calls at top level are ensembles like others: two passes meet. */
static void loops_and_calls_make_stretches(void **state) {
    static const char racy[] =
        HEAD "main:   REPEAT 3\n        JUMP sub\n        REPEAT_END\n        HALT\n"
             "sub:    COMPUTE RFH0 VRF0\n        MULI.16 3 r1\n" DONE
             "        COMPUTE RFH0 VRF0\n        INC.16 r1 r1\n" DONE "        RETURN\n";
    static const char fenced[] =
        HEAD "main:   REPEAT 3\n        JUMP sub\n        REPEAT_END\n        HALT\n"
             "sub:    COMPUTE RFH0 VRF0\n        MULI.16 3 r1\n" DONE SYNC
             "        COMPUTE RFH0 VRF0\n        INC.16 r1 r1\n" DONE SYNC "        RETURN\n";
    struct checked x;
    unsigned found = 0;
    (void)state;
    open_checked(&x, ON_GOLDEN, racy);
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        found += run_seed(&x, seed) == CONTROL_DIFFERS;
    assert_true(found > 10);
    close_checked(&x);
    open_checked(&x, ON_GOLDEN, fenced);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        assert_int_equal(run_seed(&x, seed), CONTROL_DONE);
        assert_int_equal(machine_lane(&x.m, 0, 0, 1, 2),
                         (uint16_t)(27 * start_value(0, 0, 1, 2) + 13));
    }
    close_checked(&x);
}

/* ---- random programs ---- */

/* Computes and copies over three RFHs of two VRFs; `syncs` per cent of the ensembles have a fence
 * behind them. */
static void random_text(uint64_t seed, unsigned syncs, struct str *s) {
    static const char *const ops[] = {"ADD.16 r%u r%u r%u", "SUB.16 r%u r%u r%u",
                                      "XOR.16 r%u r%u r%u", "MAX.16 r%u r%u r%u"};
    uint64_t x = seed;
#define DRAW(n) ((unsigned)(splitmix64(&x) % (n)))
    str_append(s, HEAD);
    for (unsigned i = 0, n = 4 + DRAW(10); i < n; i++) {
        bool compute = DRAW(3) != 0;
        for (unsigned k = 0, many = 1 + DRAW(2); k < many; k++) {
            unsigned rfh = DRAW(RFHS), other = compute ? DRAW(VRFS) : DRAW(RFHS);
            str_printf(s, compute ? "        COMPUTE RFH%u VRF%u\n" : "        MOVE RFH%u RFH%u\n",
                       rfh, other);
        }
        for (unsigned k = 0, many = 1 + DRAW(3); k < many; k++) {
            unsigned a = DRAW(REGS), b = DRAW(REGS), d = DRAW(REGS), op = DRAW(5);
            unsigned from = compute ? 0 : DRAW(VRFS), to = compute ? 0 : DRAW(VRFS);
            str_append(s, "        ");
            if (!compute)
                str_printf(s, "MEMCPY.16 VRF%u r%u VRF%u r%u", from, a, to, d);
            else if (op == 4)
                str_printf(s, "CMPGT.16 r%u r%u\n        GETC.16 r%u", a, b, d);
            else
                str_printf(s, ops[op], a, b, d);
            str_char(s, '\n');
        }
        str_append(s, compute ? DONE : "        MOVE_DONE\n");
        if (DRAW(100) < syncs)
            str_append(s, SYNC);
    }
#undef DRAW
}

static void save(struct opened *m, struct str *out) {
    for (uint32_t h = 0; h < RFHS; h++)
        for (uint32_t v = 0; v < VRFS; v++)
            for (unsigned r = 0; r < REGS; r++)
                for (uint32_t lane = 0; lane < LANES && m->package->reg_bits[r]; lane++)
                    str_printf(out, "%llu ", (unsigned long long)machine_lane(m, h, v, r, lane));
}

/* The program in its own order. */
static void in_program_order(const char *text, struct str *out) {
    struct opened m;
    machine_open_with(&m, ON_GOLDEN, text, plain, 1);
    fill(&m);
    machine_run(&m, NULL);
    assert_int_equal(m.end, CONTROL_DONE);
    save(&m, out);
    machine_close(&m);
}

static void fenced_programs_do_not_depend_on_the_seed(void **state) {
    (void)state;
    for (uint64_t program = 1; program <= 60; program++) {
        struct str text = {0}, want = {0}, have = {0};
        struct checked x;
        random_text(program, 100, &text);
        in_program_order(text.text, &want);
        open_checked(&x, ON_GOLDEN, text.text);
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            if (run_seed(&x, seed) != CONTROL_DONE)
                fail_msg("program %llu: %s", (unsigned long long)program,
                         control_message(x.m.control));
            str_clear(&have);
            save(&x.m, &have);
            assert_string_equal(have.text, want.text);
        }
        close_checked(&x);
        str_free(&text);
        str_free(&want);
        str_free(&have);
    }
}

/* What an ensemble of random_text reads and writes: bit RFH * 16 + VRF * 8 + register (C: 6). */
struct effect {
    uint64_t reads, writes;
    bool transfer;
};

static struct effect effect_at(const struct object *o, uint32_t pc) {
    struct effect e = {0, 0, false};
    uint32_t first = pc;
    struct insn x, h;
    assert_int_equal(isa_decode(o->text.data[pc], &h), ISA_OK);
    e.transfer = h.op == OP_MOVE;
    for (;; pc++) {
        assert_int_equal(isa_decode(o->text.data[pc], &x), ISA_OK);
        if (x.op == OP_COMPUTE_DONE || x.op == OP_MOVE_DONE)
            return e;
        if (x.op == OP_COMPUTE || x.op == OP_MOVE)
            continue;
        for (uint32_t k = first; k < pc; k++) {
            uint32_t f = isa_info(x.op)->flags;
            assert_int_equal(isa_decode(o->text.data[k], &h), ISA_OK);
            if (h.op != OP_COMPUTE && h.op != OP_MOVE)
                break;
            if (e.transfer) {
                e.reads |= UINT64_C(1) << (h.rfh * 16 + x.vrf_src * 8 + x.rs);
                e.writes |= UINT64_C(1) << (h.vrf * 16 + x.vrf_dst * 8 + x.rd);
                continue;
            }
            unsigned at = h.rfh * 16u + h.vrf * 8u;
            e.reads |= f & READS_RS ? UINT64_C(1) << (at + x.rs) : 0;
            e.reads |= f & READS_RT ? UINT64_C(1) << (at + x.rt) : 0;
            e.reads |= f & READS_C ? UINT64_C(1) << (at + 6) : 0;
            e.writes |= f & WRITES_RD ? UINT64_C(1) << (at + x.rd) : 0;
            e.writes |= f & WRITES_C ? UINT64_C(1) << (at + 6) : 0;
        }
    }
}

static bool conflict(const struct effect *a, const struct effect *b) {
    return !(a->transfer && b->transfer) &&
           ((a->writes & (b->reads | b->writes)) || (b->writes & a->reads));
}

/* Some two ensembles that no fence keeps apart touch the same register. */
static bool may_depend(const struct object *o) {
    struct effect list[64];
    unsigned n = 0;
    bool found = false, inside = false;
    struct insn x;
    for (uint32_t pc = 0; pc < o->text.len; pc++) {
        assert_int_equal(isa_decode(o->text.data[pc], &x), ISA_OK);
        bool header = x.op == OP_COMPUTE || x.op == OP_MOVE;
        if (header && !inside) {
            list[n] = effect_at(o, pc);
            for (unsigned k = 0; k < n; k++)
                found |= conflict(&list[k], &list[n]);
            n++;
            inside = true;
        }
        inside &= x.op != OP_COMPUTE_DONE && x.op != OP_MOVE_DONE;
        if (x.op == OP_MPU_SYNC)
            n = 0;
    }
    return found;
}

/* Programs without a conflict never differ; where one does, the two that are named conflict. */
static void only_conflicts_are_named(void **state) {
    unsigned found = 0, clean = 0;
    (void)state;
    for (uint64_t program = 1; program <= 150; program++) {
        struct str text = {0};
        struct checked x;
        random_text(program, (unsigned)(program % 3) * 35, &text);
        open_checked(&x, ON_GOLDEN, text.text);
        bool may = may_depend(x.m.object);
        for (uint64_t seed = 0; seed < 6; seed++) {
            if (run_seed(&x, seed) == CONTROL_DONE) {
                clean += !may;
                continue;
            }
            size_t count;
            const struct control_note *notes = control_notes(x.m.control, &count);
            assert_int_equal(x.m.end, CONTROL_DIFFERS);
            assert_true(may);
            if (count != 3)
                fail_msg("program %llu, seed %llu: %s\n%s", (unsigned long long)program,
                         (unsigned long long)seed, control_message(x.m.control), text.text);
            struct effect a = effect_at(x.m.object, notes[0].index);
            struct effect b = effect_at(x.m.object, notes[1].index);
            if (!conflict(&a, &b))
                fail_msg("program %llu, seed %llu: %s; %s", (unsigned long long)program,
                         (unsigned long long)seed, notes[0].text, notes[1].text);
            found++;
        }
        close_checked(&x);
        str_free(&text);
    }
    assert_true(found > 100 && clean > 20);
}

/* ---- seeds, threads, statistics ---- */

static void a_seed_gives_one_order(void **state) {
    unsigned different = 0;
    (void)state;
    for (uint64_t program = 200; program < 230; program++) {
        struct str text = {0}, first = {0}, again = {0}, other = {0};
        struct opened m;
        random_text(program, 0, &text);
        machine_open_with(&m, ON_RACER, text.text, paper, 1);
        for (int k = 0; k < 3; k++) {
            const struct control_config config = {.threads = k == 1 ? 4 : 1, .part_ps = 1};
            struct str *out = k == 0 ? &first : k == 1 ? &again : &other;
            m.target->order_seed = k < 2 ? 7 : 8;
            fill(&m);
            machine_run(&m, &config);
            assert_int_equal(m.end, CONTROL_DONE);
            save(&m, out);
            str_printf(out, "%llu", (unsigned long long)control_stats(m.control)->time_ps);
        }
        assert_string_equal(first.text, again.text);
        different += strcmp(first.text, other.text) != 0;
        machine_close(&m);
        str_free(&text);
        str_free(&first);
        str_free(&again);
        str_free(&other);
    }
    assert_true(different > 10);
}

/* As many instructions, ensembles and transfers in every order. */
static void counts_do_not_depend_on_the_order(void **state) {
    struct str text = {0};
    struct opened m, p;
    (void)state;
    random_text(77, 0, &text);
    machine_open_with(&p, ON_RACER, text.text, plain, 1);
    machine_run(&p, NULL);
    machine_open_with(&m, ON_RACER, text.text, paper, 1);
    machine_run(&m, NULL);
    const struct control_stats *a = control_stats(p.control), *b = control_stats(m.control);
    assert_int_equal(a->instructions, b->instructions);
    assert_int_equal(a->ensembles, b->ensembles);
    assert_int_equal(a->transfers, b->transfers);
    assert_int_equal(a->issue_slots, b->issue_slots);
    machine_close(&m);
    machine_close(&p);
    str_free(&text);
}

/* ---- what is a fence, too ---- */

static void everything_equals_program_order(const char *text, uint32_t mpus) {
    struct opened want;
    struct checked x;
    machine_open_with(&want, ON_GOLDEN, text, plain, 1);
    machine_run(&want, NULL);
    assert_int_equal(want.end, CONTROL_DONE);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        open_checked(&x, ON_GOLDEN, text);
        const struct control_config config = {.reference = x.reference};
        x.m.target->order_seed = seed;
        machine_run(&x.m, &config);
        if (x.m.end != CONTROL_DONE)
            fail_msg("%s", control_message(x.m.control));
        for (uint32_t mpu = 0; mpu < mpus; mpu++)
            for (unsigned r = 0; r < REGS; r++)
                for (uint32_t lane = 0; lane < LANES && want.package->reg_bits[r]; lane++)
                    assert_int_equal(machine_lane_of(&x.m, mpu, 0, 0, r, lane),
                                     machine_lane_of(&want, mpu, 0, 0, r, lane));
        close_checked(&x);
    }
    machine_close(&want);
}

/* Each MPU computes, sends to the next, takes from the one before, computes on. */
static void messages_are_fences(void **state) {
    (void)state;
    everything_equals_program_order(
        "        .geometry lanes=4 vrfs=2 rfhs=3 grid=[3]\n"
        "        COMPUTE RFH0 VRF0\n        LI.16 5 r0\n        INC.16 r0 r1\n" DONE
        "        SEND MPU+1 wrap\n        MOVE RFH0 RFH0\n        MEMCPY.16 VRF0 r1 VRF0 r2\n"
        "        MOVE_DONE\n        SEND_DONE\n"
        "        COMPUTE RFH0 VRF0\n        INIT0.16 r1\n" DONE "        RECV MPU-1 wrap\n"
        "        COMPUTE RFH0 VRF0\n        ADD.16 r2 r1 r3\n" DONE,
        3);
}

/* The loop goes on while some lane has not come to its end: A is that of the last ensemble of the
 * text, whichever came last. */
static void jump_any_asks_the_last_ensemble(void **state) {
    (void)state;
    everything_equals_program_order(
        HEAD "loop:   COMPUTE RFH1 VRF0\n        INC.16 r5 r5\n" DONE
             "        COMPUTE RFH2 VRF0\n        INC.16 r5 r5\n" DONE
             "        COMPUTE RFH0 VRF0\n        INC.16 r0 r0\n        LI.16 9 r1\n"
             "        CMPLT.16 r0 r1\n        SETMASK cond\n" DONE "        JUMP_ANY loop\n",
        1);
}

/* A move among the own MPU's elements is a transfer, one that others take part in a fence, and so
 * is one with an index. */
static void moves_are_transfers_or_fences(void **state) {
    struct checked x;
    unsigned found = 0;
    (void)state;
    open_checked(&x, ON_GOLDEN,
                 HEAD "        .group g[8]\n        .var in a: u16 @g = r0\n"
                      "        .var out b: u16 @g = r1\n"
                      "        .move up u16 b[i] = a[i + 1]\n"
                      "        COMPUTEG @g\n        INDEX.16 r0\n" DONE "        GMOVE up\n");
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        if (run_seed(&x, seed) == CONTROL_DIFFERS) {
            size_t count;
            const struct control_note *notes = control_notes(x.m.control, &count);
            assert_int_equal(notes[1].index, 3);
            found++;
        }
    assert_true(found > 0);
    close_checked(&x);
    everything_equals_program_order("        .geometry lanes=4 vrfs=2 rfhs=3 grid=[2]\n"
                                    "        .group g[4] per mpu\n        .var in a: u16 @g = r0\n"
                                    "        .var out b: u16 @g = r1\n"
                                    "        .move across u16 b[m, i] = a[m + 1, i]\n"
                                    "        COMPUTEG @g\n        INDEX.16 r0\n" DONE
                                    "        GMOVE across\n"
                                    "        COMPUTEG @g\n        INC.16 r1 r1\n" DONE,
                                    2);
    everything_equals_program_order(HEAD "        .group g[8]\n        .var in a: u16 @g = r0\n"
                                         "        .var out b: u16 @g = r1\n"
                                         "        .move take u16 b[i] = a[a[i]] wrap\n"
                                         "        COMPUTEG @g\n        INDEX.16 r0\n"
                                         "        INC.16 r0 r0\n" DONE "        GMOVE take\n"
                                         "        COMPUTEG @g\n        INC.16 r1 r1\n" DONE,
                                    1);
}

/* ---- anything at all ---- */

/* Random programs with everything in them: each ends, and the reference keeps up. */
static void the_reference_keeps_up_on(const struct object *o, struct package *p, struct target *t,
                                      uint64_t seed, unsigned ends[2]) {
    struct diag *d = diag_new(NULL, NULL);
    struct dp_setup setup = {.target = t,
                             .mpus = p->mpus,
                             .reg_bits = p->reg_bits,
                             .init = DP_INIT_RANDOM,
                             .seed = seed};
    struct datapath *dp = golden_ops.open(&setup, d), *reference = golden_ops.open(&setup, d);
    const struct control_config config = {.cost_unknown = true, .reference = reference};
    t->order_seed = seed;
    struct control *c = control_new(o, p, t, dp, &config);
    enum control_end end = control_run(c);
    if (end == CONTROL_DIFFERS)
        assert_non_null(strstr(control_message(c), "depends on the order of ensembles"));
    if (end == CONTROL_STOPPED && !strstr(control_message(c), "deadlock: "))
        fail_msg("seed %llu: %s", (unsigned long long)seed, control_message(c));
    ends[end == CONTROL_DIFFERS]++;
    control_free(c);
    dp->ops->close(dp);
    reference->ops->close(reference);
    diag_free(d);
}

static void random_programs_end(void **state) {
    static const struct target_override set[] = {
        {"machine.mpus", "3"}, {"machine.rfh_per_mpu", "2"}, {"machine.vrf_per_rfh", "3"},
        {"array.lanes", "8"},  {"control.order", "paper"},   {"machine.active_vrf_per_rfh", "1"}};
    bool all[OP_COUNT];
    unsigned ends[2] = {0, 0};
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = target_open("golden", set, sizeof set / sizeof *set, d);
    (void)state;
    if (!t)
        fail_msg("%s", diag_first(d));
    memset(all, true, sizeof all);
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct object *o = object_new();
        struct package p;
        bench_package(&p);
        unsigned regs = random_program(seed, all, o);
        memset(p.reg_bits + regs, 0, sizeof p.reg_bits - regs);
        the_reference_keeps_up_on(o, &p, t, seed, ends);
        object_free(o);
    }
    assert_true(ends[0] > 10 && ends[1] > 10);
    target_free(t);
    diag_free(d);
}

static void random_messages_end(void **state) {
    static const struct target_override set[] = {
        {"machine.mpus", "9"}, {"machine.rfh_per_mpu", "2"}, {"machine.vrf_per_rfh", "4"},
        {"array.lanes", "8"},  {"control.order", "paper"},   {"machine.active_vrf_per_rfh", "1"}};
    unsigned ends[2] = {0, 0};
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = target_open("golden", set, sizeof set / sizeof *set, d);
    (void)state;
    if (!t)
        fail_msg("%s", diag_first(d));
    struct machine_library *library = machine_library_open(t, NULL, 0, d);
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct object *o = object_new();
        random_messages(seed, o);
        struct package *p = package_build(o, t, library, NULL, 0, d);
        if (!p)
            fail_msg("%s", diag_first(d));
        the_reference_keeps_up_on(o, p, t, seed, ends);
        package_free(p);
        object_free(o);
    }
    assert_true(ends[0] > 10);
    machine_library_close(library);
    target_free(t);
    diag_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hazards_are_found_and_named),
        cmocka_unit_test(the_cause_is_found_behind_its_consequences),
        cmocka_unit_test(loops_and_calls_make_stretches),
        cmocka_unit_test(fenced_programs_do_not_depend_on_the_seed),
        cmocka_unit_test(only_conflicts_are_named),
        cmocka_unit_test(a_seed_gives_one_order),
        cmocka_unit_test(counts_do_not_depend_on_the_order),
        cmocka_unit_test(messages_are_fences),
        cmocka_unit_test(jump_any_asks_the_last_ensemble),
        cmocka_unit_test(moves_are_transfers_or_fences),
        cmocka_unit_test(random_programs_end),
        cmocka_unit_test(random_messages_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
