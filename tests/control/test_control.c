/* SPDX-License-Identifier: MIT
 * The control path on small programs: what each instruction does, where programs stop, what they
 * leave behind, and what that costs. */
#include "machine.h"

#include "recipe/technology/plane_target.h"

#include "support/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Runs on golden; the test looks at what is left. */
static void run_golden(struct opened *m, const char *text) {
    machine_open(m, ON_GOLDEN, text, NULL);
    machine_run(m, NULL);
}

static void expect_message(struct opened *m, enum control_end end, const char *part) {
    assert_int_equal(m->end, end);
    if (!strstr(control_message(m->control), part))
        fail_msg("'%s' does not say '%s'", control_message(m->control), part);
}

static void expect_stop(const char *text, const char *part) {
    struct opened m;
    run_golden(&m, text);
    expect_message(&m, CONTROL_STOPPED, part);
    machine_close(&m);
}

/* ---- what programs do ---- */

static void nested_loops_and_calls(void **state) {
    struct opened m;
    (void)state;
    run_golden(&m, "        .sub add\n"
                   "        REPEAT 2\n"
                   "        INC r0 r0\n"
                   "        REPEAT_END\n"
                   "        RETURN\n"
                   "        .endsub\n"
                   "        .global main\n"
                   "main:   REPEAT 3\n"
                   "        COMPUTE RFH0 VRF0\n"
                   "        REPEAT 2\n"
                   "        REPEAT 0\n"
                   "        INC r1 r1\n"
                   "        REPEAT_END\n"
                   "        JUMP add\n"
                   "        REPEAT_END\n"
                   "        COMPUTE_DONE\n"
                   "        REPEAT_END\n"
                   "        HALT\n");
    assert_int_equal(m.end, CONTROL_DONE);
    assert_int_equal(machine_lane(&m, 0, 0, 0, 5), 12);
    assert_int_equal(machine_lane(&m, 0, 0, 1, 5), 0);
    machine_close(&m);
}

/* Collatz steps: lanes leave the loop one by one, VRFs with them. */
static const char collatz[] = "        .global main\n"
                              "main:   COMPUTE RFH0 VRF0\n"
                              "        COMPUTE RFH0 VRF1\n"
                              "        COMPUTE RFH1 VRF0\n"
                              "        LI.32 1 r1\n"
                              "        INIT0.32 r2\n"
                              "        CMPGT.32 r0 r1\n"
                              "        SETMASK cond\n"
                              "        JUMP_NONE done\n"
                              "loop:   AND.32 r0 r1 r3\n"
                              "        SHRI.32 r0 1 r4\n"
                              "        ADD.32 r0 r0 r5\n"
                              "        ADD.32 r5 r0 r5\n"
                              "        INC.32 r5 r5\n"
                              "        SEL.32 r5 r4 r3\n"
                              "        MOV.32 r3 r0\n"
                              "        INC.32 r2 r2\n"
                              "        CMPGT.32 r0 r1\n"
                              "        GETMASK.1 r6\n"
                              "        GETC.1 r6\n"
                              "        SETMASK r6\n"
                              "        JUMP_COND loop\n"
                              "done:   UNMASK\n"
                              "        COMPUTE_DONE\n"
                              "        HALT\n";

static uint32_t collatz_steps(uint32_t x) {
    uint32_t n = 0;
    for (; x > 1; n++)
        x = x % 2 ? 3 * x + 1 : x / 2;
    return n;
}

static void fill_collatz(struct opened *m) {
    for (uint32_t i = 0; i < 64; i++) {
        machine_put(m, 0, 0, 0, i, i);
        machine_put(m, 0, 1, 0, i, 1);
        machine_put(m, 1, 0, 0, i, 27 * i);
    }
}

static void lanes_leave_a_loop(void **state) {
    (void)state;
    for (int kind = ON_GOLDEN; kind <= ON_BOTH; kind++) {
        struct opened m;
        struct control_config config = {.check = kind == ON_BOTH};
        machine_open(&m, (enum machine_kind)kind, collatz, NULL);
        fill_collatz(&m);
        machine_run(&m, &config);
        assert_int_equal(m.end, CONTROL_DONE);
        for (uint32_t i = 0; i < 64; i++) {
            assert_int_equal(machine_lane(&m, 0, 0, 2, i), collatz_steps(i));
            assert_int_equal(machine_lane(&m, 0, 1, 2, i), 0);
            assert_int_equal(machine_lane(&m, 1, 0, 2, i), collatz_steps(27 * i));
        }
        machine_close(&m);
    }
}

static void pairs_take_effect_in_order(void **state) {
    struct opened m;
    (void)state;
    machine_open(&m, ON_GOLDEN,
                 "        MOVE RFH0 RFH1\n"
                 "        MOVE RFH1 RFH2\n"
                 "        MEMCPY.32 VRF0 r0 VRF0 r0\n"
                 "        MOVE_DONE\n",
                 NULL);
    machine_put(&m, 0, 0, 0, 3, 7);
    machine_run(&m, NULL);
    assert_int_equal(m.end, CONTROL_DONE);
    assert_int_equal(machine_lane(&m, 2, 0, 0, 3), 7);
    machine_close(&m);
}

static void prints_come_in_the_order_of_the_text(void **state) {
    struct opened m;
    (void)state;
    run_golden(&m, "        .geometry lanes=3\n"
                   "        COMPUTE RFH1 VRF0\n"
                   "        COMPUTE RFH0 VRF0\n"
                   "        LI.8 -2 r0\n"
                   "        PRINT \"a =\" r0:i8\n"
                   "        PRINT \"b = \" r0:u4\n"
                   "        INIT0.8 r1\n"
                   "        SETMASK r1\n"
                   "        PRINT \"never\" r0:u8\n"
                   "        COMPUTE_DONE\n");
    assert_string_equal(str_text(&m.printed), "RFH0.VRF0: a[0:3] = -2 -2 -2\n"
                                              "RFH1.VRF0: a[0:3] = -2 -2 -2\n"
                                              "RFH0.VRF0: b[0:3] = 14 14 14\n"
                                              "RFH1.VRF0: b[0:3] = 14 14 14\n");
    machine_close(&m);
}

/* ---- where programs stop ---- */

static void stops_say_why(void **state) {
    (void)state;
    expect_stop(".sub s\nloop: JUMP s\nRETURN\n.endsub\nmain: JUMP s\n",
                "the return stack is full");
}

enum { LONGEST = 5 };

struct misuse {
    struct insn insns[LONGEST];
    const char *part;
};

#define OPENS                                                                                      \
    { .op = OP_COMPUTE }
#define CLOSES                                                                                     \
    { .op = OP_COMPUTE_DONE }
#define MOVES                                                                                      \
    { .op = OP_MOVE, .vrf = 1 }
#define COPIES                                                                                     \
    { .op = OP_MEMCPY_8, .width = 8, .rd = 1 }
#define INSTRUCTS                                                                                  \
    { .op = OP_INIT0, .width = 8 }
#define OP_AT(o, n)                                                                                \
    { .op = (o), .imm = (n) }

/* What the assembler and the linker refuse, but a binary may hold.  Unused places are NOPs. */
static const struct misuse misuses[] = {
    {{{.op = OP_RETURN}}, "RETURN with an empty return stack"},
    {{INSTRUCTS}, "INIT0 outside of a compute ensemble"},
    {{COPIES}, "MEMCPY outside of a transfer ensemble"},
    {{CLOSES}, "COMPUTE_DONE outside of a compute ensemble"},
    {{OPENS, INSTRUCTS}, "the text ends inside a compute ensemble"},
    {{MOVES}, "the text ends inside a transfer ensemble"},
    {{OPENS, INSTRUCTS, {.op = OP_HALT}, CLOSES}, "HALT inside a compute ensemble"},
    {{OPENS, INSTRUCTS, OPENS, CLOSES}, "COMPUTE inside a compute ensemble"},
    {{OPENS, INSTRUCTS, COPIES, CLOSES}, "MEMCPY inside a compute ensemble"},
    {{OPENS, INSTRUCTS, {.op = OP_MPU_SYNC}, CLOSES}, "MPU_SYNC inside a compute ensemble"},
    {{MOVES, INSTRUCTS}, "INIT0 inside a transfer ensemble"},
    {{MOVES, OPENS}, "COMPUTE inside a transfer ensemble"},
    {{OPENS, INSTRUCTS, {.op = OP_RETURN}, CLOSES}, "RETURN with an empty return stack"},
    {{OPENS, OP_AT(OP_JUMP, 3), CLOSES, CLOSES}, "must leave the return stack as it found it"},
    {{OP_AT(OP_JUMP, 1), OPENS, INSTRUCTS, {.op = OP_RETURN}}, "RETURN in a body without a call"},
    {{OP_AT(OP_REPEAT, 2)}, "REPEAT without a REPEAT_END"},
    {{{.op = OP_REPEAT_END}}, "REPEAT_END without its REPEAT"},
    {{OP_AT(OP_GOTO, 2), OP_AT(OP_REPEAT, 2), {.op = OP_REPEAT_END}},
     "REPEAT_END without its REPEAT"},
    {{OPENS, OP_AT(OP_REPEAT, 2), CLOSES, {.op = OP_REPEAT_END}}, "COMPUTE_DONE inside a REPEAT"},
    {{OP_AT(OP_JUMP_COND, 0)}, "JUMP_COND outside of a compute ensemble"},
    {{OPENS, INSTRUCTS, OP_AT(OP_JUMP_ANY, 0), CLOSES}, "JUMP_ANY inside a compute ensemble"},
    {{OP_AT(OP_ASSERT, 0)}, "ASSERT outside of a compute ensemble"},
    {{OP_AT(OP_GOTO, 99)}, "the program left its text"},
};

static void misuses_stop_the_program(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof misuses / sizeof *misuses; i++) {
        struct opened m;
        machine_open_insns(&m, misuses[i].insns, LONGEST);
        machine_run(&m, NULL);
        expect_message(&m, CONTROL_STOPPED, misuses[i].part);
        machine_close(&m);
    }
}

static const char asserting[] = "        COMPUTE RFH0 VRF0\n"
                                "        COMPUTE RFH0 VRF1\n"
                                "        COMPUTE RFH1 VRF1\n"
                                "        LI.8 9 r1\n"
                                "        INC.8 r2 r2\n"
                                "        CMPLT.8 r0 r1\n"
                                "        ASSERT \"small\"\n"
                                "        INC.8 r2 r2\n"
                                "        COMPUTE_DONE\n";

/* Whatever the batching: all VRFs stand before the failing instruction. */
static void assertions_stop_precisely(void **state) {
    (void)state;
    for (int batch = BATCH_TARGET; batch <= BATCH_ALL; batch++) {
        struct opened m;
        struct control_config config = {.batch = (enum batch_mode)batch};
        machine_open(&m, ON_RACER, asserting, NULL);
        machine_put(&m, 1, 1, 0, 5, 9);
        machine_run(&m, &config);
        expect_message(&m, CONTROL_STOPPED, "assertion failed: small (instruction 6: ASSERT");
        expect_message(&m, CONTROL_STOPPED, "RFH1.VRF1, lane 5)");
        assert_int_equal(control_index(m.control), 6);
        assert_int_equal(machine_lane(&m, 0, 0, 2, 0), 1);
        assert_int_equal(machine_lane(&m, 0, 1, 2, 0), 1);
        assert_int_equal(machine_lane(&m, 1, 1, 2, 63), 1);
        machine_close(&m);
    }
}

/* VRFs that stay in a loop for different times: the one that fails in the third pass finds the
 * others after their third pass, or after their last if they made fewer. */
static const char looping[] = "        COMPUTE RFH0 VRF0\n"
                              "        COMPUTE RFH0 VRF1\n"
                              "        COMPUTE RFH1 VRF1\n"
                              "        LI.8 1 r1\n"
                              "        LI.8 3 r4\n"
                              "        INIT0.8 r5\n"
                              "loop:   INC.8 r2 r2\n"
                              "        CMPLT.8 r2 r3\n"
                              "        ASSERT \"below r3\"\n"
                              "        SUB.8 r0 r1 r0\n"
                              "        CMPGT.8 r0 r5\n"
                              "        GETMASK.1 r6\n"
                              "        GETC.1 r6\n"
                              "        SETMASK r6\n"
                              "        JUMP_COND loop\n"
                              "        COMPUTE_DONE\n";

static void loops_stop_precisely(void **state) {
    (void)state;
    for (int batch = BATCH_TARGET; batch <= BATCH_ALL; batch++) {
        struct opened m;
        struct control_config config = {.batch = (enum batch_mode)batch};
        static const uint32_t vrfs[3][2] = {{0, 0}, {0, 1}, {1, 1}};
        machine_open(&m, ON_GOLDEN, looping, NULL);
        for (unsigned v = 0; v < 3; v++)
            for (uint32_t i = 0; i < 64; i++) {
                machine_put(&m, vrfs[v][0], vrfs[v][1], 0, i, v == 0 ? 2 : 9);
                machine_put(&m, vrfs[v][0], vrfs[v][1], 3, i, v == 1 ? 3 : 100);
            }
        machine_run(&m, &config);
        expect_message(&m, CONTROL_STOPPED, "assertion failed: below r3");
        expect_message(&m, CONTROL_STOPPED, "RFH0.VRF1, lane 0)");
        assert_int_equal(machine_lane(&m, 0, 0, 2, 0), 2);
        assert_int_equal(machine_lane(&m, 0, 1, 2, 0), 3);
        assert_int_equal(machine_lane(&m, 1, 1, 2, 0), 3);
        assert_int_equal(machine_lane(&m, 1, 1, 0, 0), 7);
        machine_close(&m);
    }
}

static void limits_end_every_loop(void **state) {
    static const char *const endless[] = {
        "loop: GOTO loop\n",
        "loop: COMPUTE RFH0 VRF0\nINIT0 r0\nCOMPUTE_DONE\nGOTO loop\n",
        "COMPUTE RFH0 VRF0\nloop: GOTO loop\nCOMPUTE_DONE\n",
        "COMPUTE RFH0 VRF0\nCOMPUTE RFH0 VRF1\nloop: JUMP_COND loop\nCOMPUTE_DONE\n",
        "COMPUTE RFH0 VRF0\nINIT0 r0\nSETMASK r0\nloop: JUMP_NONE loop\nCOMPUTE_DONE\n",
        "COMPUTE RFH0 VRF0\nloop: INC r0 r0\nGOTO loop\nCOMPUTE_DONE\n",
        "MOVE RFH0 RFH1\nloop: MEMCPY.8 VRF0 r0 VRF0 r1\nGOTO loop\nMOVE_DONE\n",
        "loop: COMPUTE RFH0 VRF0\nINIT0 r0\nCOMPUTE_DONE\nJUMP_ANY loop\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof endless / sizeof *endless; i++) {
        struct opened m;
        volatile int interrupted = 1;
        struct control_config cycles = {.max_cycles = 5000};
        struct control_config interrupt = {.interrupted = &interrupted};
        machine_open(&m, i % 2 ? ON_RACER : ON_GOLDEN, endless[i], NULL);
        machine_run(&m, &cycles);
        expect_message(&m, CONTROL_LIMIT, "the limit of 5000 cycles is reached");
        machine_run(&m, &interrupt);
        expect_message(&m, CONTROL_INTERRUPTED, "interrupted");
        machine_close(&m);
    }
}

static void seconds_are_limited(void **state) {
    struct opened m;
    struct control_config config = {.max_seconds = 1};
    (void)state;
    machine_open(&m, ON_GOLDEN, "loop: GOTO loop\n", NULL);
    machine_run(&m, &config);
    expect_message(&m, CONTROL_LIMIT, "the limit of 1 seconds is reached");
    machine_close(&m);
}

/* A program that just fits is not stopped. */
static void limits_are_exact(void **state) {
    struct opened m;
    (void)state;
    machine_open(&m, ON_GOLDEN, "NOP\nNOP\nNOP\n", NULL);
    machine_run(&m, &(struct control_config){.max_cycles = 3});
    assert_int_equal(m.end, CONTROL_DONE);
    machine_run(&m, &(struct control_config){.max_cycles = 2});
    assert_int_equal(m.end, CONTROL_LIMIT);
    assert_int_equal(control_stats(m.control)->instructions, 2);
    machine_close(&m);
}

/* ---- what it costs ---- */

static const struct control_stats *run_racer(struct opened *m, const char *text,
                                             enum batch_mode batch) {
    machine_open(m, ON_RACER, text, NULL);
    machine_run(m, &(struct control_config){.batch = batch});
    assert_int_equal(m->end, CONTROL_DONE);
    return control_stats(m->control);
}

/* The adder takes 196 datapath cycles of 3 ns, as in docs/targets.md.  Control: header, footer and
 * HALT, a slot of 1 ns each; the fetch of the adder, 1 ns; and its recipe, a template in each ns.
 * The footer is fetched, and HALT read, while the adder works. */
static void one_adder_takes_196_cycles(void **state) {
    struct opened m;
    const struct control_stats *s =
        run_racer(&m, "COMPUTE RFH0 VRF0\nADD.64 r0 r1 r2\nCOMPUTE_DONE\nHALT\n", BATCH_TARGET);
    (void)state;
    assert_true(s->cost_known);
    struct machine_load load;
    machine_load(m.package->code, &load);
    uint64_t templates = load.words;
    assert_in_range(templates, 10, 40);
    assert_int_equal(s->part_ps[TIMING_DECODE], 2 * m.target->front_end_ps);
    assert_int_equal(s->part_ps[TIMING_FETCH], m.target->front_end_ps);
    assert_int_equal(s->part_cycles[TIMING_FETCH], 2);
    assert_int_equal(s->part_ps[TIMING_RECIPE], templates * m.target->front_end_ps);
    assert_int_equal(s->time_ps, s->compute_ps + s->transfer_ps + s->control_ps);
    assert_in_range(s->compute_ps, 196 * 3000, 196 * 3000 + 3000);
    assert_int_equal(s->instructions, 4);
    /* Four instructions, and what is issued and not forwarded: the micro-ops of the first lap and
     * of the second are issued in the first sections, and forwarded from there. */
    assert_in_range(s->part_cycles[TIMING_COMPUTE], 9, 4 * 9);
    assert_int_equal(s->part_cycles[TIMING_DECODE], 4);
    assert_int_equal(s->issue_slots, 4 + s->part_cycles[TIMING_COMPUTE] + 2 + templates);
    assert_int_equal(s->front_end_fj, s->issue_slots * m.target->front_end_fj);
    machine_close(&m);
}

/* VRFs of one RFH take turns (racer works on one at a time), VRFs of different RFHs do not. */
static void batches_follow_one_another(void **state) {
    static const char one[] = "COMPUTE RFH0 VRF0\nADD.32 r0 r1 r2\nCOMPUTE_DONE\n";
    static const char side[] =
        "COMPUTE RFH0 VRF0\nCOMPUTE RFH1 VRF0\nADD.32 r0 r1 r2\nCOMPUTE_DONE\n";
    static const char turns[] =
        "COMPUTE RFH0 VRF0\nCOMPUTE RFH0 VRF1\nADD.32 r0 r1 r2\nCOMPUTE_DONE\n";
    struct opened a, b, c, d;
    const struct control_stats *s1 = run_racer(&a, one, BATCH_TARGET);
    const struct control_stats *s2 = run_racer(&b, side, BATCH_TARGET);
    const struct control_stats *s3 = run_racer(&c, turns, BATCH_TARGET);
    const struct control_stats *s4 = run_racer(&d, turns, BATCH_ALL);
    (void)state;
    assert_int_equal(s2->compute_ps, s1->compute_ps);
    assert_int_equal(s3->compute_ps, 2 * s1->compute_ps);
    assert_int_equal(s4->compute_ps, s1->compute_ps);
    assert_int_equal(s3->batches, 2);
    assert_int_equal(s2->energy_fj[OPCLASS_LOGIC], 2 * s1->energy_fj[OPCLASS_LOGIC]);
    assert_int_equal(s3->energy_fj[OPCLASS_LOGIC], 2 * s1->energy_fj[OPCLASS_LOGIC]);
    machine_close(&a);
    machine_close(&b);
    machine_close(&c);
    machine_close(&d);
}

/* A loop that depends on data costs what its passes cost: the batch with the longest lane. */
static void data_dependent_time(void **state) {
    struct opened m, n;
    uint64_t few, many;
    (void)state;
    machine_open(&m, ON_RACER, collatz, NULL);
    machine_put(&m, 0, 0, 0, 0, 2);
    machine_run(&m, NULL);
    few = control_stats(m.control)->time_ps;
    machine_open(&n, ON_RACER, collatz, NULL);
    machine_put(&n, 0, 0, 0, 0, 27);
    machine_run(&n, NULL);
    many = control_stats(n.control)->time_ps;
    assert_true(many > 20 * few);
    machine_close(&m);
    machine_close(&n);
}

static void transfers_cost_set_up_and_registers(void **state) {
    struct opened m;
    const struct control_stats *s =
        run_racer(&m,
                  "MOVE RFH0 RFH1\nMOVE RFH2 RFH3\nMEMCPY.32 VRF0 r0 VRF0 r1\n"
                  "MEMCPY.8 VRF0 r2 VRF0 r1\nMOVE_DONE\n",
                  BATCH_TARGET);
    const struct target *t = m.target;
    uint64_t in_turn = t->network == NETWORK_SERIAL ? 2 : 1;
    (void)state;
    assert_int_equal(s->transfers, 4);
    assert_int_equal(s->transfer_ps, in_turn * (t->setup_ps + 2 * t->register_ps));
    /* The header and the first MEMCPY; the second and the footer are read behind the copies. */
    assert_int_equal(s->control_ps, 3 * t->front_end_ps);
    machine_close(&m);
}

static void regions_and_instructions_add_up(void **state) {
    struct opened m;
    size_t count;
    const struct control_stats *s =
        run_racer(&m,
                  "MARK \"first\"\nCOMPUTE RFH0 VRF0\nCOMPUTE RFH0 VRF1\nADD.8 r0 r1 r2\n"
                  "MARK \"second\"\nADD.16 r0 r1 r2\nCOMPUTE_DONE\nNOP\n",
                  BATCH_TARGET);
    const struct control_region_stats *r = control_regions(m.control, &count);
    const struct control_insn_stats *x = control_insn_stats(m.control);
    uint64_t time = 0, uops = 0, all = 0, of_insns = 0, energy = 0, of_regions = 0;
    (void)state;
    assert_int_equal(count, 3);
    for (size_t i = 0; i < count; i++) {
        time += r[i].time_ps;
        uops += r[i].micro_ops;
        of_regions += r[i].energy_fj;
    }
    for (unsigned k = 0; k < control_tables(m.control)->kind_count; k++)
        all += s->uops[k];
    for (size_t i = 0; i < m.object->text.len; i++) {
        of_insns += x[i].micro_ops;
        energy += x[i].energy_fj;
    }
    assert_int_equal(time, s->time_ps);
    assert_int_equal(uops, all);
    assert_int_equal(of_insns, all);
    assert_int_equal(energy, s->energy_fj[OPCLASS_LOGIC] + s->energy_fj[OPCLASS_COPY] +
                                 s->energy_fj[OPCLASS_CROSSING] + s->front_end_fj);
    assert_int_equal(of_regions, energy);
    /* COMPUTE_DONE: fetched once, a slot for each batch.  NOP: a slot. */
    assert_int_equal(x[6].energy_fj, 3 * m.target->front_end_fj);
    assert_int_equal(x[7].energy_fj, m.target->front_end_fj);
    assert_true(r[2].micro_ops > r[1].micro_ops);
    assert_int_equal(x[3].executed, 2);
    machine_close(&m);
}

static void golden_costs_are_unknown(void **state) {
    struct opened m;
    (void)state;
    run_golden(&m, "COMPUTE RFH0 VRF0\nADD r0 r1 r2\nCOMPUTE_DONE\n");
    assert_false(control_stats(m.control)->cost_known);
    machine_close(&m);
}

/* ---- checking ---- */

/* An OR that is an AND at one width, which the check of recipes at small widths does not see:
 * --check says where results part from the ISA. */
static const char damaged[] = "recipe OR(a, b) -> d any w for racer\n"
                              "{\n"
                              "  for j in 0 .. w-1 {\n"
                              "    x = NOR(a[j], a[j])\n"
                              "    y = NOR(b[j], b[j])\n"
                              "    n = NOR(a[j], b[j])\n"
                              "    if w == 23 { d[j] = NOR(x, y) }\n"
                              "    if w < 23 { d[j] = NOR(n, n) }\n"
                              "    if w > 23 { d[j] = NOR(n, n) }\n"
                              "  }\n"
                              "  computes d == a | b\n"
                              "}\n";

static void check_finds_a_damaged_recipe(void **state) {
    struct opened m;
    struct control_config config = {.check = true};
    (void)state;
    machine_open(&m, ON_BOTH,
                 "COMPUTE RFH0 VRF0\nLI.23 5 r0\nLI.23 3 r1\nOR.22 r0 r1 r3\nCOMPUTE_DONE\n"
                 "COMPUTE RFH0 VRF0\nOR.23 r0 r1 r2\nCOMPUTE_DONE\n",
                 damaged);
    machine_run(&m, &config);
    expect_message(&m, CONTROL_DIFFERS, "r2");
    assert_int_equal(control_index(m.control), 7);
    machine_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_loops_and_calls),
        cmocka_unit_test(lanes_leave_a_loop),
        cmocka_unit_test(pairs_take_effect_in_order),
        cmocka_unit_test(prints_come_in_the_order_of_the_text),
        cmocka_unit_test(stops_say_why),
        cmocka_unit_test(misuses_stop_the_program),
        cmocka_unit_test(assertions_stop_precisely),
        cmocka_unit_test(loops_stop_precisely),
        cmocka_unit_test(limits_end_every_loop),
        cmocka_unit_test(seconds_are_limited),
        cmocka_unit_test(limits_are_exact),
        cmocka_unit_test(one_adder_takes_196_cycles),
        cmocka_unit_test(batches_follow_one_another),
        cmocka_unit_test(data_dependent_time),
        cmocka_unit_test(transfers_cost_set_up_and_registers),
        cmocka_unit_test(regions_and_instructions_add_up),
        cmocka_unit_test(golden_costs_are_unknown),
        cmocka_unit_test(check_finds_a_damaged_recipe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
