/* SPDX-License-Identifier: MIT
 * Random programs, watched and not: the same end, statistics and state of the machine, byte by
 * byte; spans that do not overlap and end with the run; as many micro-ops as the statistics have.
 */
#include "tests/draws.h"
#include "machines/plane/run/plane.h"
#include "emu/observe/series.h"
#include "emu/observe/watch.h"
#include "emu/report/report.h"
#include "support/vec.h"
#include "tests/control/random_messages.h"
#include "tests/control/random_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PROGRAMS draws(DRAWS_OBSERVE)

struct bench {
    struct target *target[2]; /* of the straight programs, and of those with messages */
    struct machine_library *library[2];
    bool allowed[OP_COUNT];
    bool words; /* gates of one word are events each, and copies and questions have some */
    uint64_t done, spans, uops;
};

static int set_up_on(void **state, const char *target) {
    struct bench *b = calloc(1, sizeof *b);
    struct diag *d = diag_new(NULL, NULL);
    *state = b;
    for (unsigned messages = 0; messages < 2; messages++) {
        const struct target_override changes[] = {{"machine.mpus", messages ? "9" : "3"},
                                                  {"machine.rfh_per_mpu", "2"},
                                                  {"machine.vrf_per_rfh", messages ? "4" : "3"},
                                                  {"machine.active_vrf_per_rfh", "1"},
                                                  {"array.lanes", "8"}};
        b->target[messages] = target_open(target, changes, sizeof changes / sizeof *changes, d);
        b->library[messages] =
            b->target[messages] ? machine_library_open(b->target[messages], NULL, 0, d) : NULL;
    }
    diag_free(d);
    if (!b->library[0] || !b->library[1])
        return -1;
    for (unsigned op = 0; op < OP_COUNT; op++)
        b->allowed[op] = machine_has(b->library[0], (enum isa_op)op);
    return 0;
}

static int set_up(void **state) {
    return set_up_on(state, "racer");
}

static int set_up_pypim(void **state) {
    int failed = set_up_on(state, "pypim");
    ((struct bench *)*state)->words = true;
    return failed;
}

static int tear_down(void **state) {
    struct bench *b = *state;
    for (unsigned k = 0; k < 2; k++) {
        machine_library_close(b->library[k]);
        target_free(b->target[k]);
    }
    free(b);
    return 0;
}

/* All that can be seen of a run, and what observers saw of it. */
struct outcome {
    struct str text;  /* how it ended, and its statistics */
    struct str state; /* of the machine */
    uint64_t time_ps, executed;
    uint64_t slots, batches, datapath_fj, network_fj; /* of the statistics */
    VEC(struct timing_span) spans;
    struct series *series;
    struct str lines; /* that it wrote */
    uint64_t last_number, uops;
};

static void take_span(void *context, const struct timing_span *s) {
    struct outcome *out = context;
    assert_true(s->end_ps >= s->start_ps);
    vec_push(&out->spans, *s);
    observe_series_span(out->series, s);
}

static int take_bytes(void *context, const void *bytes, size_t size) {
    str_append_n(context, bytes, size);
    return 0;
}

static void take_insn(void *context, const struct watched_insn *x) {
    struct outcome *out = context;
    assert_int_equal(x->number, out->last_number + 1); /* none is left out, none comes twice */
    out->last_number = x->number;
}

static void take_uop(void *context, const struct watched_uop *x) {
    struct outcome *out = context;
    assert_true(x->insn.number <= out->last_number); /* behind its instruction */
    out->uops += x->event->vrf_count;
}

static void take_statistics(const struct object *o, const struct package *p, const struct target *t,
                            const struct control *c, struct outcome *out) {
    const struct control_stats *s = control_stats(c);
    const struct report_run run = {
        .program = o,
        .package = p,
        .target = t,
        .control = c,
        .end = "",
        .provenance = {.version = "", .program = "", .engine = "", .batch = "", .init = ""}};
    struct figures f = {0};
    report_fill(&run, &f);
    report_figures_json(&f, &out->text);
    report_figures_free(&f);
    out->time_ps = s->time_ps;
    for (unsigned k = 0; k < control_tables(c)->kind_count; k++)
        out->executed += s->uops[k];
    out->slots = s->issue_slots;
    out->batches = s->batches;
    out->network_fj = s->network_fj;
    for (unsigned k = 0; k < control_tables(c)->part_count; k++)
        out->datapath_fj += s->energy_fj[k];
}

static void run(struct bench *b, const struct object *o, const struct package *p, unsigned machine,
                uint64_t seed, bool watched, struct outcome *out) {
    struct diag *d = diag_new(NULL, NULL);
    struct watch *w = observe_watch_new(1, 0);
    const struct dp_setup setup = {.target = b->target[machine],
                                   .mpus = p->mpus,
                                   .reg_bits = p->reg_bits,
                                   .library = b->library[machine],
                                   .init = DP_INIT_RANDOM,
                                   .seed = seed};
    struct control_config config = {.batch = (enum batch_mode)(seed % 3)};
    struct datapath *dp = plane_strict_ops.open(&setup, d);
    assert_non_null(dp);
    struct file_stream *lines = watched ? file_stream_call(take_bytes, &out->lines) : NULL;
    if (watched) {
        out->series = observe_series_new(setup.target, 1 + seed % 50, lines);
        observe_watch_add(w, (struct listener){.insn = take_insn, .uop = take_uop, .context = out});
        observe_watch_machine(w, dp);
        config.span = take_span;
        config.step = observe_watch_step;
        config.span_context = out;
        config.span_bars = true;
        config.step_context = w;
    }
    struct control *c = control_new(o, p, setup.target, dp, &config);
    enum control_end end = control_run(c);
    observe_watch_end(w);
    observe_watch_free(w);
    if (watched) {
        observe_series_end(out->series);
        assert_true(file_stream_close(lines));
    }
    str_printf(&out->text, "end %d at %u: %s\n", (int)end, control_index(c), control_message(c));
    take_statistics(o, p, setup.target, c, out);
    assert_true(dp->ops->snapshot(dp, false, &out->state));
    b->done += end == CONTROL_DONE;
    control_free(c);
    dp->ops->close(dp);
    diag_free(d);
}

static int by_track(const void *x, const void *y) {
    const struct timing_span *a = x, *b = y;
    if (a->mpu != b->mpu)
        return a->mpu < b->mpu ? -1 : 1;
    if (a->unit != b->unit)
        return a->unit < b->unit ? -1 : 1;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    if (a->start_ps != b->start_ps)
        return a->start_ps < b->start_ps ? -1 : 1;
    return (a->end_ps > b->end_ps) - (a->end_ps < b->end_ps);
}

/* As they came: the bars of a batch are all of it, one behind the other. */
static void check_bars(const struct outcome *x, uint64_t seed) {
    const struct timing_span *batch = NULL;
    uint64_t at = 0;
    for (size_t i = 0; i <= x->spans.len; i++) {
        const struct timing_span *s = i < x->spans.len ? &x->spans.data[i] : NULL;
        bool bar = s && s->kind == SPAN_BAR;
        if (bar && (!batch || s->start_ps != at || s->batch != batch->batch))
            fail_msg("program %llu: a bar at %llu ps where %llu ps was reached",
                     (unsigned long long)seed, (unsigned long long)s->start_ps,
                     (unsigned long long)at);
        if (!bar && batch && at != batch->end_ps)
            fail_msg("program %llu: bars end at %llu ps, their batch at %llu ps",
                     (unsigned long long)seed, (unsigned long long)at,
                     (unsigned long long)batch->end_ps);
        if (!bar)
            batch = s && s->unit == UNIT_BATCHES && s->vrfs ? s : NULL;
        at = bar ? s->end_ps : batch ? batch->start_ps : 0;
    }
}

/* Spans of work do not overlap, but for messages; those of a controller and its batches are two
 * units. */
static void check_spans(struct outcome *x, uint64_t seed) {
    uint64_t last = 0;
    const struct timing_span *before = NULL;
    if (x->spans.len)
        qsort(x->spans.data, x->spans.len, sizeof *x->spans.data, by_track);
    for (size_t i = 0; i < x->spans.len; i++) {
        const struct timing_span *s = &x->spans.data[i];
        if (s->kind != SPAN_WORK)
            continue;
        bool same = before && before->mpu == s->mpu && before->unit == s->unit &&
                    before->number == s->number && s->unit != UNIT_NETWORK;
        if (same && s->start_ps < before->end_ps)
            fail_msg("program %llu: MPU %u, unit %d, number %u: spans overlap at %llu ps",
                     (unsigned long long)seed, s->mpu, (int)s->unit, s->number,
                     (unsigned long long)s->start_ps);
        if (s->unit != UNIT_NETWORK && s->end_ps > last) /* nobody may wait for a message */
            last = s->end_ps;
        before = s;
    }
    if (last != x->time_ps)
        fail_msg("program %llu: spans end at %llu ps, the run at %llu ps", (unsigned long long)seed,
                 (unsigned long long)last, (unsigned long long)x->time_ps);
}

/* A message arrives once at most, and not before it is there. */
static void check_arrivals(const struct outcome *x) {
    for (size_t i = 0; i < x->spans.len; i++) {
        const struct timing_span *s = &x->spans.data[i];
        size_t sent = 0, arrived = 0;
        if (s->unit != UNIT_NETWORK)
            continue;
        for (size_t k = 0; k < x->spans.len; k++) {
            const struct timing_span *y = &x->spans.data[k];
            sent += y->message == s->message && y->unit == UNIT_NETWORK;
            arrived += y->message == s->message && y->kind == SPAN_ARRIVAL;
            if (y->message == s->message && y->kind == SPAN_ARRIVAL)
                assert_true(y->start_ps >= s->end_ps && y->mpu == s->number);
        }
        assert_int_equal(sent, 1);
        assert_true(arrived <= 1);
    }
}

/* What spans have adds up to the run's, and what bars have to that of their batches. */
static void check_sums(const struct outcome *x, uint64_t seed) {
    uint64_t cycles = 0, batches = 0, fj = 0, network = 0, in_bars = 0, of_batches = 0, bars = 0;
    for (size_t i = 0; i < x->spans.len; i++) {
        const struct timing_span *s = &x->spans.data[i];
        cycles += s->cycles;
        batches += s->vrfs != 0;
        bool batch = s->unit == UNIT_BATCHES && s->vrfs;
        network += s->unit == UNIT_NETWORK ? s->energy_fj : 0;
        fj += batch ? s->energy_fj : 0;
        of_batches += batch ? s->cycles : 0;
        bars += s->kind == SPAN_BAR ? s->energy_fj : 0;
        in_bars += s->kind == SPAN_BAR ? s->note.cycles : 0;
    }
    assert_int_equal(bars, fj);
    assert_int_equal(in_bars, of_batches);
    if (cycles != x->slots || batches != x->batches || fj != x->datapath_fj ||
        network != x->network_fj)
        fail_msg("program %llu: spans have %llu cycles of %llu, %llu batches of %llu, %llu fJ of "
                 "%llu, %llu fJ of links of %llu",
                 (unsigned long long)seed, (unsigned long long)cycles, (unsigned long long)x->slots,
                 (unsigned long long)batches, (unsigned long long)x->batches,
                 (unsigned long long)fj, (unsigned long long)x->datapath_fj,
                 (unsigned long long)network, (unsigned long long)x->network_fj);
}

/* The sum of a column of CSV. */
static uint64_t column_sum(const char *text, const char *name) {
    size_t column = 0, length = strlen(name);
    uint64_t sum = 0;
    const char *at = text;
    while (strncmp(at, name, length) != 0 || !strchr(",\n", at[length])) {
        column++;
        at = strchr(at, ',') + 1;
    }
    for (const char *line = strchr(text, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
        for (size_t i = 0, skip = 0; i < column; i++)
            line += skip = strcspn(line, ",") + 1;
        sum += strtoull(line, NULL, 10);
    }
    return sum;
}

/* Its intervals follow one another to the end of the run, and lose nothing. */
static void check_series(const struct outcome *x) {
    const char *text = str_text(&x->lines);
    uint64_t duration = column_sum(text, "duration_ps");
    assert_true(duration >= x->time_ps); /* nobody may wait for a message */
    assert_int_equal(column_sum(text, "front_end_cycles"), x->slots);
    assert_int_equal(column_sum(text, "batches"), x->batches);
    assert_int_equal(column_sum(text, "datapath_fj"), x->datapath_fj);
    assert_int_equal(column_sum(text, "network_fj"), x->network_fj);
}

static void outcome_free(struct outcome *x) {
    str_free(&x->text);
    str_free(&x->state);
    vec_free(&x->spans);
    str_free(&x->lines);
}

static void watch_one(struct bench *b, const struct object *o, const struct package *p,
                      unsigned machine, uint64_t seed) {
    struct outcome plain = {0}, watched = {0};
    run(b, o, p, machine, seed, false, &plain);
    run(b, o, p, machine, seed, true, &watched);
    if (strcmp(str_text(&plain.text), str_text(&watched.text)) != 0)
        fail_msg("program %llu: other statistics when watched", (unsigned long long)seed);
    assert_int_equal(plain.state.len, watched.state.len);
    assert_memory_equal(plain.state.text, watched.state.text, plain.state.len);
    check_bars(&watched, seed);
    if (b->words) {
        assert_true(watched.uops >= watched.executed);
    } else {
        assert_int_equal(watched.uops, watched.executed);
        check_sums(&watched, seed);
        check_series(&watched);
    }
    check_arrivals(&watched);
    check_spans(&watched, seed);
    b->spans += watched.spans.len;
    b->uops += watched.uops;
    outcome_free(&plain);
    outcome_free(&watched);
}

static void watching_changes_nothing(void **state) {
    struct bench *b = *state;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct object *o = object_new();
        struct package straight, *p = &straight;
        struct diag *d = diag_new(NULL, NULL);
        bool messages = seed % 2;
        if (messages) {
            random_messages(seed, o);
            p = package_build(o, b->target[1], b->library[1], NULL, 0, d);
        } else {
            bench_package(&straight);
            unsigned regs = random_program(seed, b->allowed, o);
            memset(straight.reg_bits + regs, 0, sizeof straight.reg_bits - regs);
        }
        if (p)
            watch_one(b, o, p, messages, seed);
        if (messages)
            package_free(p);
        object_free(o);
        diag_free(d);
    }
    assert_true(b->done > PROGRAMS); /* else the test would show little */
    assert_true(b->spans > 20 * PROGRAMS);
    assert_true(b->uops > 1000 * PROGRAMS);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(watching_changes_nothing)};
    int failed = cmocka_run_group_tests(tests, set_up, tear_down);
    return failed + cmocka_run_group_tests(tests, set_up_pypim, tear_down);
}
