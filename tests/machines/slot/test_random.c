/* SPDX-License-Identifier: MIT
 * The control path's random programs on the toy: against golden; the same figures and bits with one
 * thread and two, watched and not, once and again; sums that are the whole; energy and wear as
 * counted from outside. */
#include "tests/draws.h"
#include "ledger.h"
#include "tests/machines/target_bench.h"

#include "emu/observe/watch.h"
#include "emu/report/report.h"
#include "support/alloc.h"
#include "tests/control/random_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PROGRAMS draws(DRAWS_MACHINES_SLOT)

struct bench {
    struct target_bench on;
    bool allowed[OP_COUNT];
    uint64_t seen[SLOT_KINDS], lanes_fj, unmatched; /* of all programs: that there is something */
};

static int set_up(void **state) {
    static const struct target_override small[] = {{"machine.mpus", "3"},
                                                   {"machine.rfh_per_mpu", "2"},
                                                   {"machine.vrf_per_rfh", "3"},
                                                   {"machine.active_vrf_per_rfh", "1"},
                                                   {"slot.at_once", "2"}};
    struct bench *b = xcalloc(1, sizeof *b);
    *state = b;
    b->on = target_bench_open(MPU_SOURCE_DIR "/tests/machines/slot/slot.yaml", small, 5);
    for (unsigned op = 0; op < OP_COUNT; op++)
        b->allowed[op] = machine_has(b->on.library, (enum isa_op)op);
    return 0;
}

/* A program with its package, code among it. */
struct program {
    struct bench *b;
    uint64_t seed;
    struct object *o;
    struct package p;
};

static void program_open(struct program *x, struct bench *b, uint64_t seed) {
    struct diag *d = diag_new(NULL, NULL);
    struct arena arena = {0};
    struct text text;
    *x = (struct program){.b = b, .seed = seed, .o = object_new()};
    bench_package(&x->p);
    unsigned regs = random_program(seed, b->allowed, x->o);
    memset(x->p.reg_bits + regs, 0, sizeof x->p.reg_bits - regs);
    uint32_t file = object_file(x->o, "random.s");
    for (uint32_t i = 0; i < x->o->text.len; i += 3)
        vec_push(&x->o->lines, ((struct line_entry){i, {.file = file, .line = 1 + i / 3}}));
    object_text_load(&text, x->o->text.data, x->o->text.len, object_luts(x->o, &arena), &arena);
    x->p.code = slot_machine.build(
        b->on.library, &(struct machine_program){.text = &text, .reg_bits = x->p.reg_bits}, d);
    arena_free(&arena);
    diag_free(d);
}

static void program_close(struct program *x) {
    machine_code_free(x->p.code);
    object_free(x->o);
}

/* A way to run it, and all that can be seen of it then. */
struct run {
    const struct datapath_ops *ops;
    enum batch_mode batch;
    unsigned threads;
    bool watched, counted;
    struct str text, state, visible; /* figures; snapshot; registers of lanes that were valid */
    struct ledger ledger;
    uint64_t uops_seen;
};

static void take_uop(void *context, const struct watched_uop *x) {
    struct run *r = context;
    r->uops_seen += x->event->vrf_count;
}

static uint64_t sum_of(const struct figures *f, const char *list, const char *key) {
    bool inside = false, kernel = true;
    uint64_t sum = 0;
    for (size_t i = 0; i < f->list.len; i++) {
        const struct figure *x = &f->list.data[i];
        if (x->kind == FIGURE_ARRAY && x->key)
            inside = strcmp(x->key, list) == 0;
        if (inside && x->key && x->kind == FIGURE_TEXT && strcmp(x->key, "of") == 0)
            kernel = strcmp(x->text, "kernel") == 0;
        if (inside && x->key && x->kind == FIGURE_NUMBER && kernel && strcmp(x->key, key) == 0)
            sum += x->number;
    }
    return sum;
}

static uint64_t figure(const struct figures *f, const char *path) {
    uint64_t value;
    if (!report_figures_find(f, path, &value))
        fail_msg("there is no %s", path);
    return value;
}

static void check_sums(const struct figures *f, const struct control *c) {
    static const char *const lists[] = {"by_instruction", "by_line", "by_region"};
    const struct control_stats *s = control_stats(c);
    uint64_t datapath = 0;
    for (unsigned i = 0; i < control_tables(c)->part_count; i++)
        datapath += s->energy_fj[i];
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(sum_of(f, lists[i], "micro_ops"), figure(f, "total.micro_ops"));
        assert_int_equal(sum_of(f, lists[i], "energy_fj"),
                         datapath + s->transfer_fj + s->network_fj + s->front_end_fj);
    }
    assert_int_equal(sum_of(f, "by_micro_op", "executed"), figure(f, "total.micro_ops"));
    assert_int_equal(sum_of(f, "by_component", "time_ps"), figure(f, "total.time_ps"));
    assert_int_equal(sum_of(f, "by_component", "energy_fj"), figure(f, "total.energy_fj"));
    assert_int_equal(sum_of(f, "by_component", "cycles"), figure(f, "total.issue_slots"));
    assert_int_equal(sum_of(f, "by_region", "time_ps"), figure(f, "total.time_ps"));
}

static void report(const struct program *x, const struct control *c, struct run *r) {
    const struct report_run run = {
        .program = x->o,
        .package = &x->p,
        .target = x->b->on.target,
        .control = c,
        .end = "",
        .provenance = {.version = "", .program = "", .engine = "", .batch = "", .init = ""}};
    struct figures f = {0};
    report_fill(&run, &f);
    check_sums(&f, c);
    report_figures_json(&f, &r->text);
    report_figures_free(&f);
}

static void take_visible(const struct program *x, struct datapath *dp, struct str *out) {
    for (uint32_t v = 0; v < BENCH_ALL_VRFS; v++)
        for (unsigned reg = 0; reg < 64; reg++) {
            uint64_t valid[BENCH_LANES], values[BENCH_LANES];
            dp->ops->get(dp, v, DP_VALID, 0, 0, BENCH_LANES, valid);
            dp->ops->get(dp, v, DP_REGISTER, reg, 0, BENCH_LANES, values);
            for (unsigned i = 0; x->p.reg_bits[reg] && i < BENCH_LANES; i++)
                str_printf(out, " %llx", (unsigned long long)(valid[i] ? values[i] : 0));
        }
}

/* Energy and wear: what the statistics say and what was counted. */
static void compare_ledger(const struct ledger *l, const struct control_stats *s) {
    uint64_t writes = 0, written = 0, most = 0, where = 0;
    for (uint64_t i = 0; i < (uint64_t)l->vrfs * LEDGER_CELLS; i++) {
        writes += l->writes[i];
        written += l->writes[i] != 0;
        where = l->writes[i] > most ? i : where;
        most = l->writes[i] > most ? l->writes[i] : most;
    }
    assert_true(s->wear.known);
    assert_int_equal(s->wear.writes, writes);
    assert_int_equal(s->wear.cells_written, written);
    assert_int_equal(s->wear.most_writes, most);
    assert_int_equal(s->wear.most_vrf, where / LEDGER_CELLS);
    assert_int_equal(s->wear.most_cell, where % LEDGER_CELLS);
    assert_memory_equal(s->uops, l->uops, sizeof l->uops);
    const uint64_t fj[] = {l->logic_fj, l->sweep_fj, l->access_fj, l->lanes_fj};
    assert_memory_equal(s->energy_fj, fj, sizeof fj);
}

static void run(const struct program *x, struct run *r) {
    struct diag *d = diag_new(NULL, NULL);
    const struct dp_setup setup = {.target = x->b->on.target,
                                   .mpus = BENCH_MPUS,
                                   .reg_bits = x->p.reg_bits,
                                   .library = x->b->on.library,
                                   .code = x->p.code,
                                   .init = DP_INIT_RANDOM,
                                   .seed = x->seed};
    struct watch *w = observe_watch_new(1, 0);
    struct datapath *dp = r->ops->open(&setup, d);
    struct control_config config = {.batch = r->batch,
                                    .check = r->ops == &check_ops,
                                    .threads = r->threads,
                                    .part_ps = r->threads > 1};
    assert_non_null(dp);
    if (r->counted)
        ledger_open(&r->ledger, dp, x->b->on.target, BENCH_LANES);
    if (r->watched) {
        observe_watch_add(w, (struct listener){.uop = take_uop, .context = r});
        observe_watch_machine(w, dp);
        config.step = observe_watch_step;
        config.step_context = w;
    }
    struct control *c = control_new(x->o, &x->p, x->b->on.target, dp, &config);
    if (control_run(c) != CONTROL_DONE)
        fail_msg("program %llu: %s", (unsigned long long)x->seed, control_message(c));
    observe_watch_end(w);
    observe_watch_free(w);
    report(x, c, r);
    take_visible(x, dp, &r->visible);
    assert_true(dp->ops->snapshot(dp, false, &r->state));
    if (r->counted) {
        const struct control_stats *s = control_stats(c);
        compare_ledger(&r->ledger, s);
        for (unsigned k = 0; k < SLOT_KINDS; k++)
            x->b->seen[k] += s->uops[k];
        x->b->lanes_fj += r->ledger.lanes_fj;
        x->b->unmatched += s->counters[0];
        ledger_close(&r->ledger);
    }
    control_free(c);
    dp->ops->close(dp);
    diag_free(d);
}

static void same(const struct program *x, const char *what, const struct str *a,
                 const struct str *b) {
    if (strcmp(str_text(a), str_text(b)) != 0)
        fail_msg("program %llu: other %s\n%s\n%s", (unsigned long long)x->seed, what, str_text(a),
                 str_text(b));
}

static void run_free(struct run *r) {
    str_free(&r->text);
    str_free(&r->state);
    str_free(&r->visible);
}

/* All that must not change anything. */
static void one_program(struct bench *b, uint64_t seed) {
    struct program x;
    program_open(&x, b, seed);
    enum batch_mode mode = (enum batch_mode)(seed % 3);
    struct run plain = {.ops = &slot_ops, .batch = mode};
    struct run others[] = {{.ops = &slot_ops, .batch = mode}, /* again */
                           {.ops = &slot_ops, .batch = mode, .threads = 2},
                           {.ops = &slot_ops, .batch = mode, .watched = true},
                           {.ops = &slot_ops, .batch = mode, .counted = true},
                           {.ops = &check_ops, .batch = mode}};
    struct run next = {.ops = &slot_ops, .batch = (enum batch_mode)((seed + 1) % 3)};
    run(&x, &plain);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct run *r = &others[i];
        run(&x, r);
        same(&x, "figures", &plain.text, &r->text);
        same(&x, "registers", &plain.visible, &r->visible);
        if (r->ops == &slot_ops) {
            assert_int_equal(plain.state.len, r->state.len);
            assert_memory_equal(plain.state.text, r->state.text, plain.state.len);
        }
        run_free(r);
    }
    run(&x, &next);
    same(&x, "registers", &plain.visible, &next.visible);
    run_free(&next);
    run_free(&plain);
    program_close(&x);
}

static void test_random_programs(void **state) {
    struct bench *b = *state;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++)
        one_program(b, seed);
    for (unsigned k = 0; k < SLOT_KINDS; k++)
        assert_true(b->seen[k] > 0);
    assert_true(b->seen[SLOT_READ] != b->seen[SLOT_WRITE] && b->lanes_fj && b->unmatched);
}

/* A snapshot brings back what was there; one of another machine is refused. */
static void test_snapshot(void **state) {
    struct bench *b = *state;
    struct program x;
    program_open(&x, b, 7);
    struct run r = {.ops = &slot_ops};
    struct diag *d = diag_new(NULL, NULL);
    struct dp_setup setup = {.target = b->on.target,
                             .mpus = BENCH_MPUS,
                             .reg_bits = x.p.reg_bits,
                             .library = b->on.library};
    run(&x, &r);
    struct datapath *dp = slot_ops.open(&setup, d);
    struct str seen = {0};
    assert_true(dp->ops->snapshot(dp, true, &r.state));
    take_visible(&x, dp, &seen);
    same(&x, "registers", &r.visible, &seen);
    assert_true(dp->ops->snapshot(dp, false, &r.state));
    dp->ops->close(dp);
    setup.mpus = 1;
    dp = slot_ops.open(&setup, d);
    assert_false(dp->ops->snapshot(dp, true, &r.state));
    dp->ops->close(dp);
    str_free(&seen);
    run_free(&r);
    program_close(&x);
    diag_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_programs),
        cmocka_unit_test(test_snapshot),
    };
    return cmocka_run_group_tests(tests, set_up, target_bench_tear_down);
}
