/* SPDX-License-Identifier: MIT
 * A machine that measures what its code takes, under the control path: random programs beside
 * golden; figures that add up, and that nothing changes but the program; what a core executes,
 * counted once more from what the observer sees. */
#include "tests/draws.h"
#include "emu/control/control.h"
#include "linker/linker.h"
#include "support/alloc.h"
#include "support/bits.h"
#include "tests/control/machine.h"
#include "tests/control/random_program.h"
#include "tests/machines/core/core.h"
#include "tests/machines/target_bench.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PROGRAMS draws(DRAWS_MACHINES_CORE)

#define CORE MPU_SOURCE_DIR "/tests/machines/core/core.yaml"

/* ---- what was executed, as the observer sees it ---- */

/* Of one instruction on the VRFs of a batch, all that follows from its core instructions. */
struct naive {
    const struct target *target;
    const struct datapath *dp;
    uint64_t executed[CORE_OPS]; /* of all */
    uint64_t taken, stalls, ps;  /* likewise */
    /* Of the instruction at work, by place in the MPU: cycles, accesses. */
    uint64_t cycles[64], accesses[64];
    uint32_t insn; /* of its run */
    /* The core instruction before, whose branch was taken if what follows is not the next word. */
    uint32_t vrf, lane, word;
    enum core_op op;
};

static const struct core_keys *keys_of(const struct naive *n) {
    return n->target->own;
}

static void branch_taken(struct naive *n) {
    n->taken++;
    n->cycles[n->vrf % 64] += keys_of(n)->branch_cycles - 1;
}

/* The instruction is over on all VRFs of its batch. */
static void finish_insn(struct naive *n) {
    uint32_t rfhs = n->target->rfh_per_mpu;
    uint64_t most = 0;
    for (uint32_t h = 0; h < rfhs; h++) {
        uint64_t core = 0, port = 0;
        for (uint32_t v = h; v < 64; v += rfhs) {
            core = n->cycles[v] > core ? n->cycles[v] : core;
            port += n->accesses[v] * keys_of(n)->port_cycles;
        }
        n->stalls += port > core ? port - core : 0;
        most = port > most ? port : most;
        most = core > most ? core : most;
    }
    n->ps += most * n->target->datapath_ps;
    memset(n->cycles, 0, sizeof n->cycles);
    memset(n->accesses, 0, sizeof n->accesses);
}

/* One core instruction; the MPUs of these tests have less than 64 VRFs. */
static void see(void *context, const struct dp_event *e) {
    struct naive *n = context;
    struct str line = {0};
    uint32_t lane, word, vrf = e->vrf_first % target_vrfs_per_mpu(n->target);
    enum core_op op = e->kind;
    n->dp->ops->format(n->dp, e, STORED_FORMAT_CSV, &line);
    assert_int_equal(sscanf(str_text(&line), "%" SCNu32 ",%" SCNu32 ",", &lane, &word), 2);
    str_free(&line);
    assert_int_equal(e->unit, lane);
    assert_int_equal(e->vrf_count, 1);
    if (n->insn == e->insn && n->op != CORE_END && word != n->word + 1)
        branch_taken(n);
    if (n->insn != e->insn)
        finish_insn(n);
    n->executed[op]++;
    n->cycles[vrf] += op == CORE_LD || op == CORE_ST ? keys_of(n)->access_cycles : 1;
    n->accesses[vrf] += op == CORE_LD || op == CORE_ST;
    n->insn = e->insn;
    n->vrf = vrf;
    n->lane = lane;
    n->word = word;
    n->op = op;
}

/* Another run begins, or the same on another batch. */
static void next_run(void *context, const struct control_step *s) {
    (void)s;
    finish_insn(context);
}

static uint64_t naive_fj(const struct naive *n) {
    uint64_t all = 0, accesses = n->executed[CORE_LD] + n->executed[CORE_ST];
    for (unsigned k = 0; k < CORE_OPS; k++)
        all += n->executed[k];
    return (all - accesses) * keys_of(n)->alu_fj + accesses * keys_of(n)->access_fj;
}

/* ---- figures ---- */

static uint64_t sum(const uint64_t *list, uint32_t count) {
    uint64_t all = 0;
    for (uint32_t i = 0; i < count; i++)
        all += list[i];
    return all;
}

/* Lists are of one mind with totals. */
static void adds_up(const struct control *c, uint32_t text_len) {
    const struct control_stats *s = control_stats(c);
    const struct dp_tables *t = control_tables(c);
    const struct control_insn_stats *x = control_insn_stats(c);
    size_t regions;
    const struct control_region_stats *r = control_regions(c, &regions);
    uint64_t uops = sum(s->uops, t->kind_count), fj = sum(s->energy_fj, t->part_count);
    uint64_t all = fj + s->transfer_fj + s->network_fj + s->front_end_fj;
    uint64_t by_kind = 0, insn_uops = 0, insn_fj = 0, region_uops = 0, region_fj = 0, region_ps = 0;
    for (uint32_t k = 0; k < t->kind_count; k++)
        by_kind += s->uops[k] * t->kinds[k].energy_fj;
    for (uint32_t i = 0; i < text_len; i++) {
        insn_uops += x[i].micro_ops;
        insn_fj += x[i].energy_fj;
    }
    for (size_t i = 0; i < regions; i++) {
        region_uops += r[i].micro_ops;
        region_fj += r[i].energy_fj;
        region_ps += r[i].time_ps;
    }
    assert_int_equal(by_kind, fj);
    assert_int_equal(insn_uops, uops);
    assert_int_equal(region_uops, uops);
    assert_int_equal(insn_fj, all);
    assert_int_equal(region_fj, all);
    assert_int_equal(region_ps, s->time_ps);
    assert_int_equal(sum(s->part_ps, TIMING_PARTS), s->time_ps);
    assert_int_equal(s->masks.known, uops == 0);
    if (uops) {
        assert_true(s->peak.energy_fj && s->peak.energy_fj <= fj);
        assert_true(s->peak.time_ps && s->peak.time_ps <= s->compute_ps);
        assert_true(s->peak.power_nw == sat_scale(s->peak.energy_fj, 1000000, s->peak.time_ps));
    }
}

static void put(struct str *out, const uint64_t *list, size_t count) {
    for (size_t i = 0; i < count; i++)
        str_printf(out, " %" PRIu64, list[i]);
    str_char(out, '\n');
}

/* All of them as text. */
static void print_figures(const struct control *c, uint32_t text_len, struct str *out) {
    const struct control_stats *s = control_stats(c);
    const struct dp_tables *t = control_tables(c);
    size_t regions;
    const struct control_region_stats *r = control_regions(c, &regions);
    const uint64_t plain[] = {s->time_ps,      s->instructions,    s->ensembles,   s->batches,
                              s->transfers,    s->mpu_time_ps,     s->issue_slots, s->compute_ps,
                              s->transfer_ps,  s->host_ps,         s->control_ps,  s->transfer_fj,
                              s->front_end_fj, s->static_fj,       s->host_fj,     s->vrfs_used,
                              s->elements,     s->peak.power_nw,   s->peak.vrfs,   s->peak.first,
                              s->peak.time_ps, s->datapath_cycles, s->lanes_valid};
    put(out, plain, sizeof plain / sizeof *plain);
    put(out, s->part_ps, TIMING_PARTS);
    put(out, s->part_cycles, TIMING_PARTS);
    put(out, s->uops, t->kind_count);
    put(out, s->energy_fj, t->part_count);
    put(out, s->counters, t->counter_count);
    for (uint32_t i = 0; i < t->unit_counter_count; i++) {
        const struct control_unit_counter *x = &s->unit_counters[i];
        put(out, (const uint64_t[]){x->sum, x->least, x->most}, 3);
    }
    for (uint32_t i = 0; i < text_len; i++) {
        const struct control_insn_stats *x = &control_insn_stats(c)[i];
        put(out, (const uint64_t[]){x->executed, x->micro_ops, x->energy_fj, x->time_ps}, 4);
    }
    for (size_t i = 0; i < regions; i++)
        put(out, (const uint64_t[]){r[i].time_ps, r[i].micro_ops, r[i].energy_fj}, 3);
}

/* ---- random programs ---- */

struct bench {
    struct target_bench on;
    bool allowed[OP_COUNT];
};

static int set_up(void **state) {
    static const struct target_override small[] = {{"machine.mpus", "3"},
                                                   {"machine.rfh_per_mpu", "2"},
                                                   {"machine.vrf_per_rfh", "3"},
                                                   {"machine.active_vrf_per_rfh", "2"},
                                                   {"array.lanes", "8"}};
    struct bench *b = xcalloc(1, sizeof *b);
    *state = b;
    b->on = target_bench_open(CORE, small, sizeof small / sizeof *small);
    for (unsigned op = 0; op < OP_COUNT; op++)
        b->allowed[op] = machine_has(b->on.library, (enum isa_op)op);
    return 0;
}

/* What a run says, and to the observer if there is one. */
struct way {
    const struct datapath_ops *ops;
    enum batch_mode batch;
    unsigned threads;
    bool watched;
};

static void run_way(const struct bench *b, const struct object *o, struct package *p, uint64_t seed,
                    const struct way *w, struct str *figures) {
    const struct dp_setup setup = {.target = b->on.target,
                                   .mpus = BENCH_MPUS,
                                   .lanes = BENCH_LANES,
                                   .reg_bits = p->reg_bits,
                                   .library = b->on.library,
                                   .init = DP_INIT_RANDOM,
                                   .seed = seed};
    struct diag *d = diag_new(NULL, NULL);
    struct datapath *dp = w->ops->open(&setup, d);
    struct naive n = {.target = b->on.target, .dp = dp};
    const struct control_config config = {.batch = w->batch,
                                          .threads = w->threads,
                                          .part_ps = 1,
                                          .check = w->ops == &check_ops,
                                          .step = w->watched ? next_run : NULL,
                                          .step_context = &n};
    assert_non_null(dp);
    if (w->watched)
        dp->ops->observe(dp, see, &n);
    struct control *c = control_new(o, p, b->on.target, dp, &config);
    if (control_run(c) != CONTROL_DONE)
        fail_msg("program %" PRIu64 ": %s", seed, control_message(c));
    adds_up(c, (uint32_t)o->text.len);
    print_figures(c, (uint32_t)o->text.len, figures);
    if (w->watched) {
        const struct control_stats *s = control_stats(c);
        finish_insn(&n);
        assert_memory_equal(n.executed, s->uops, sizeof n.executed);
        assert_int_equal(naive_fj(&n), sum(s->energy_fj, 2));
        assert_int_equal(n.stalls, s->counters[0]);
        assert_int_equal(n.taken, s->counters[1]);
    }
    control_free(c);
    dp->ops->close(dp);
    diag_free(d);
}

/* Beside golden, on one thread and on two, watched and not: the same in every figure. */
static void programs(void **state) {
    const struct bench *b = *state;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct object *o = object_new();
        struct package p;
        struct str first = {0};
        enum batch_mode batch = (enum batch_mode)(seed % 3);
        const struct way ways[] = {{&core_engine, batch, 1, false},
                                   {&core_engine, batch, 2, false},
                                   {&core_engine, batch, 1, true},
                                   {&check_ops, batch, 2, false}};
        bench_package(&p);
        unsigned regs = random_program(seed, b->allowed, o);
        memset(p.reg_bits + regs, 0, sizeof p.reg_bits - regs);
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            struct str figures = {0};
            if (ways[i].watched && seed % 12) /* that takes long */
                continue;
            run_way(b, o, &p, seed, &ways[i], &figures);
            if (i == 0)
                str_append(&first, str_text(&figures));
            assert_string_equal(str_text(&figures), str_text(&first));
            str_free(&figures);
        }
        str_free(&first);
        object_free(o);
    }
}

/* ---- one MPU, straight ---- */

static const char straight[] = "        .geometry lanes=5, vrfs=64, rfhs=8\n"
                               "        COMPUTE RFH0 VRF0\n"
                               "        COMPUTE RFH1 VRF0\n"
                               "        COMPUTE RFH0 VRF1\n"
                               "        MUL.16 r1 r2 r3\n"
                               "        QDIV.16 r1 r2 r4\n"
                               "        NOP\n"
                               "        CMPGT.16 r1 r2\n"
                               "        SETMASK cond\n"
                               "        MUL.16 r2 r2 r5\n"
                               "        COMPUTE_DONE\n"
                               "        HALT\n";

struct spans {
    uint64_t end_ps, rfh_ps;
    uint32_t count;
};

static void take_span(void *context, const struct timing_span *s) {
    struct spans *x = context;
    assert_true(s->start_ps <= s->end_ps);
    x->count++;
    x->end_ps = s->end_ps > x->end_ps ? s->end_ps : x->end_ps;
    x->rfh_ps += s->unit == UNIT_RFH ? s->end_ps - s->start_ps : 0;
}

static void open_straight(struct opened *m, enum machine_kind kind) {
    machine_open_at(m, kind, CORE, straight);
    uint64_t seed = 7;
    for (uint32_t v = 0; v < 3; v++)
        for (unsigned r = 1; r < 3; r++)
            for (uint32_t lane = 0; lane < 5; lane++)
                machine_put(m, v == 1, v == 2, r, lane, splitmix64(&seed) >> (lane + 8 * v + 40));
}

/* Headers and the footer are round trips, a run is a launch, and the rest is what the cores take:
 * their cycles of each instruction, or what the port that they share takes. */
static void straight_time(void **state) {
    struct opened m;
    struct naive n;
    struct spans spans = {0};
    (void)state;
    open_straight(&m, ON_RACER);
    n = (struct naive){.target = m.target, .dp = m.dp};
    m.dp->ops->observe(m.dp, see, &n);
    machine_run(
        &m, &(struct control_config){
                .span = take_span, .span_context = &spans, .step = next_run, .step_context = &n});
    assert_int_equal(m.end, CONTROL_DONE);
    finish_insn(&n);
    const struct control_stats *s = control_stats(m.control);
    const struct target *t = m.target;
    uint64_t nop = 2 * t->front_end_ps; /* fetched, and a slot */
    assert_int_equal(s->compute_ps, n.ps);
    assert_int_equal(s->host_ps, 4 * t->host_round_trip_ps + 2 * t->launch_ps);
    assert_int_equal(s->time_ps, s->host_ps + n.ps + nop);
    assert_memory_equal(n.executed, s->uops, sizeof n.executed);
    assert_int_equal(spans.end_ps, s->time_ps);
    assert_true(spans.count >= 2 && spans.rfh_ps >= n.ps);
    adds_up(m.control, (uint32_t)m.object->text.len);
    machine_close(&m);
}

/* What it takes depends on the data: a factor of 0 leaves the loop at once. */
static void data_counts(void **state) {
    struct opened m;
    uint64_t ps[2];
    (void)state;
    for (unsigned zero = 0; zero < 2; zero++) {
        open_straight(&m, ON_BOTH);
        for (uint32_t lane = 0; zero && lane < 5; lane++)
            for (uint32_t v = 0; v < 3; v++)
                machine_put(&m, v == 1, v == 2, 2, lane, 0);
        machine_run(&m, &(struct control_config){.check = true});
        assert_int_equal(m.end, CONTROL_DONE);
        ps[zero] = control_stats(m.control)->compute_ps;
        machine_close(&m);
    }
    assert_true(ps[1] < ps[0]);
}

/* A batch takes longer where its cores share a port than where each has its own. */
static void port_counts(void **state) {
    static const char *const texts[] = {"COMPUTE RFH0 VRF0\n COMPUTE RFH1 VRF0\n",
                                        "COMPUTE RFH0 VRF0\n COMPUTE RFH0 VRF1\n"};
    uint64_t ps[2], stalls[2];
    (void)state;
    for (unsigned shared = 0; shared < 2; shared++) {
        struct opened m;
        struct str text = {0};
        str_printf(&text,
                   " .geometry lanes=5, vrfs=64, rfhs=8\n %s MOV.8 r1 r2\n COMPUTE_DONE\n HALT\n",
                   texts[shared]);
        machine_open_on(&m, CORE, str_text(&text));
        /* As if an access kept the port for longer than a core needs for its whole routine. */
        ((struct core_keys *)m.target->own)->port_cycles = 4;
        machine_run(&m, NULL);
        assert_int_equal(m.end, CONTROL_DONE);
        ps[shared] = control_stats(m.control)->compute_ps;
        stalls[shared] = control_stats(m.control)->counters[0];
        machine_close(&m);
        str_free(&text);
    }
    assert_int_equal(ps[1], 2 * ps[0]);
    assert_int_equal(stalls[0], 2 * 5 * (8 - 5));
    assert_int_equal(stalls[1], 5 * (16 - 5));
}

/* Copies go by the host, and cost what its link takes. */
static void copies(void **state) {
    struct opened m;
    (void)state;
    machine_open_at(&m, ON_BOTH, CORE,
                    " .geometry lanes=5, vrfs=64, rfhs=8\n"
                    " MOVE RFH0 RFH1\n MEMCPY.16 VRF0 r1 VRF0 r2\n MOVE_DONE\n HALT\n");
    machine_put(&m, 0, 0, 1, 3, 77);
    machine_run(&m, &(struct control_config){.check = true});
    assert_int_equal(m.end, CONTROL_DONE);
    assert_int_equal(machine_lane(&m, 1, 0, 2, 3), 77);
    assert_true(control_stats(m.control)->transfer_ps > 0 &&
                control_stats(m.control)->transfer_fj > 0);
    adds_up(m.control, (uint32_t)m.object->text.len);
    machine_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs),    cmocka_unit_test(straight_time),
        cmocka_unit_test(data_counts), cmocka_unit_test(port_counts),
        cmocka_unit_test(copies),
    };
    return cmocka_run_group_tests(tests, set_up, target_bench_tear_down);
}
