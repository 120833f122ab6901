/* SPDX-License-Identifier: MIT
 * Nothing that a program does depends on the number of host threads, nor on the engine: random
 * programs with 1 and 2 of them, some with 3, each run cut into as many parts as there can be, on
 * the engine strict and on fused, which composes at once, have the same end, messages, printed
 * lines, state of the whole machine, statistics, wear among them, and spans, byte by byte. */
#include "tests/draws.h"
#include "machines/plane/run/plane.h"
#include "emu/report/report.h"
#include "random_messages.h"
#include "random_program.h"
#include "support/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PROGRAMS draws(DRAWS_CONTROL_THREADS)

/* With so many lanes the plane machine's sets may be cut at every sixth VRF, within a body too.
 * Golden, whose sets may be cut anywhere, has but few. */
#define WIDE   "1024"
#define NARROW "8"

enum { MACHINE_STRAIGHT, MACHINE_MESSAGES, MACHINES = 4 }; /* wide, then the same narrow */

struct bench {
    struct target *target[MACHINES];
    struct machine_library *recipes[MACHINES];
    bool allowed[OP_COUNT], all[OP_COUNT];
    uint64_t ends[CONTROL_DIFFERS + 1]; /* how often a program ended so */
    uint64_t spans, messages;
};

static struct { uint64_t first, count; } range = {1, 0};
static const char *target_name = "racer";

/* Of the straight programs, and of those with messages. */
static struct target *open_target(unsigned machine, struct diag *d) {
    bool messages = machine % 2 == MACHINE_MESSAGES;
    const struct target_override changes[] = {{"machine.mpus", messages ? "9" : "3"},
                                              {"machine.rfh_per_mpu", "2"},
                                              {"machine.vrf_per_rfh", messages ? "4" : "3"},
                                              {"machine.active_vrf_per_rfh", "1"},
                                              {"array.lanes", machine < 2 ? WIDE : NARROW}};
    return target_open(target_name, changes, sizeof changes / sizeof *changes, d);
}

static int set_up(void **state) {
    struct bench *b = calloc(1, sizeof *b);
    struct diag *d = diag_new(NULL, NULL);
    for (unsigned k = 0; k < MACHINES; k++) {
        b->target[k] = open_target(k, d);
        b->recipes[k] = b->target[k] ? machine_library_open(b->target[k], NULL, 0, d) : NULL;
    }
    if (diag_errors(d))
        fprintf(stderr, "%s\n", diag_first(d));
    diag_free(d);
    *state = b;
    for (unsigned k = 0; k < MACHINES; k++)
        if (!b->recipes[k])
            return -1;
    for (unsigned op = 0; op < OP_COUNT; op++) {
        b->all[op] = true;
        b->allowed[op] = machine_has(b->recipes[MACHINE_STRAIGHT], (enum isa_op)op);
    }
    return 0;
}

static int tear_down(void **state) {
    struct bench *b = *state;
    for (unsigned k = 0; k < MACHINES; k++) {
        machine_library_close(b->recipes[k]);
        target_free(b->target[k]);
    }
    free(b);
    return 0;
}

/* One program and how it is run. */
struct program {
    struct bench *b;
    uint64_t seed;
    unsigned machine;
    const struct object *o;
    const struct package *p;
    const struct datapath_ops *ops;
    enum batch_mode batch;
    enum dp_init init;
    uint64_t max_cycles;
};

/* All that can be seen of a run. */
struct outcome {
    struct str text;  /* how it ended, what it said and printed, spans, statistics */
    struct str state; /* of the machine */
    uint64_t spans;
};

static void take_line(void *context, const char *line) {
    struct outcome *out = context;
    str_printf(&out->text, "%s\n", line);
}

static void take_span(void *context, const struct timing_span *s) {
    struct outcome *out = context;
    out->spans++;
    str_printf(&out->text, "MPU%u %d.%u %llu..%llu %u %u\n", s->mpu, (int)s->unit, s->number,
               (unsigned long long)s->start_ps, (unsigned long long)s->end_ps, s->index, s->batch);
}

static void take_statistics(const struct program *x, const struct control *c, struct str *text) {
    const struct report_run run = {
        .program = x->o,
        .package = x->p,
        .target = x->b->target[x->machine],
        .control = c,
        .end = "",
        .provenance = {.version = "", .program = "", .engine = "", .batch = "", .init = ""}};
    struct figures f = {0};
    report_fill(&run, &f);
    report_figures_json(&f, text);
    report_figures_free(&f);
}

static void take_end(const struct control *c, enum control_end end, struct str *text) {
    size_t count;
    const struct control_note *notes = control_notes(c, &count);
    str_printf(text, "end %d at %u: %s\n", (int)end, control_index(c), control_message(c));
    for (size_t i = 0; i < count; i++)
        str_printf(text, "%u: %s\n", notes[i].index, notes[i].text);
}

/* An engine and host threads. */
struct way {
    bool fused;
    unsigned threads;
};

static const char *engine_of(const struct program *x, const struct way *way) {
    return way->fused ? "fused" : x->ops->name;
}

static void run_with(const struct program *x, const struct way *way, struct outcome *out) {
    const struct datapath_ops *ops =
        way->fused && x->ops == &plane_strict_ops ? &plane_fused_ops : x->ops;
    struct diag *d = diag_new(NULL, NULL);
    const struct dp_setup setup = {.target = x->b->target[x->machine],
                                   .mpus = x->p->mpus,
                                   .reg_bits = x->p->reg_bits,
                                   .library = x->b->recipes[x->machine],
                                   .engine = way->fused ? "fused" : NULL,
                                   .init = x->init,
                                   .seed = x->seed};
    const struct control_config config = {.batch = x->batch,
                                          .max_cycles = x->max_cycles,
                                          .threads = way->threads,
                                          .part_ps = 1,
                                          .cost_unknown = x->ops == &golden_ops,
                                          .check = x->ops == &check_ops,
                                          .print = take_line,
                                          .print_context = out,
                                          .span = take_span,
                                          .span_context = out};
    struct datapath *dp = ops->open(&setup, d);
    assert_non_null(dp);
    struct control *c = control_new(x->o, x->p, setup.target, dp, &config);
    enum control_end end = control_run(c);
    take_end(c, end, &out->text);
    take_statistics(x, c, &out->text);
    assert_true(dp->ops->snapshot(dp, false, &out->state));
    x->b->ends[end]++;
    x->b->spans += out->spans;
    x->b->messages += control_stats(c)->messages;
    control_free(c);
    dp->ops->close(dp);
    diag_free(d);
}

/* The first line in which two texts differ. */
static void fail_at_difference(const struct program *x, const struct way *way, const char *a,
                               const char *b) {
    const char *line_a = a, *line_b = b;
    for (; *a == *b; a++, b++)
        if (*a == '\n') {
            line_a = a + 1;
            line_b = b + 1;
        }
    fail_msg("program %llu, %s, %u threads: '%.*s' instead of '%.*s'", (unsigned long long)x->seed,
             engine_of(x, way), way->threads, (int)strcspn(line_b, "\n"), line_b,
             (int)strcspn(line_a, "\n"), line_a);
}

static void compare(const struct program *x, const struct way *way, struct outcome *one,
                    struct outcome *other) {
    if (strcmp(str_text(&one->text), str_text(&other->text)) != 0)
        fail_at_difference(x, way, str_text(&one->text), str_text(&other->text));
    if (one->state.len != other->state.len ||
        memcmp(one->state.text, other->state.text, one->state.len) != 0)
        fail_msg("program %llu, %s: another state with %u threads", (unsigned long long)x->seed,
                 engine_of(x, way), way->threads);
}

static void outcome_free(struct outcome *x) {
    str_free(&x->text);
    str_free(&x->state);
}

/* Golden has one engine; the rest is beside strict on one thread. */
static void one_program(const struct program *x) {
    const struct way ways[] = {{false, 1}, {false, x->seed % 4 ? 2 : 3}, {true, 1}, {true, 2}};
    const size_t count = x->ops == &golden_ops ? 2 : sizeof ways / sizeof *ways;
    struct outcome one = {0};
    run_with(x, &ways[0], &one);
    for (size_t i = 1; i < count; i++) {
        struct outcome other = {0};
        run_with(x, &ways[i], &other);
        compare(x, &ways[i], &one, &other);
        outcome_free(&other);
    }
    outcome_free(&one);
}

/* Of 24 programs four run on golden, and one beside golden. */
static void choose_way(struct program *x, uint64_t number) {
    bool golden = number % 6 == 3, check = number % 24 == 7;
    x->ops = golden ? &golden_ops : check ? &check_ops : &plane_strict_ops;
    x->machine += golden ? 2 : 0;
    x->batch = (enum batch_mode)(number / 8 % 3);
    x->init = number / 3 % 8 ? DP_INIT_ZERO : DP_INIT_RANDOM;
}

static void one_straight(struct bench *b, uint64_t seed) {
    struct object *o = object_new();
    struct package p;
    struct program x = {.b = b, .seed = seed, .machine = MACHINE_STRAIGHT, .o = o, .p = &p};
    choose_way(&x, seed);
    bench_package(&p);
    unsigned regs = random_program(seed, x.ops == &golden_ops ? b->all : b->allowed, o);
    memset(p.reg_bits + regs, 0, sizeof p.reg_bits - regs);
    one_program(&x);
    object_free(o);
}

/* Some words are changed into others that decode. */
static void damage(struct object *o, uint64_t seed) {
    for (uint64_t n = 1 + splitmix64(&seed) % 4; n > 0; n--) {
        uint64_t draw = splitmix64(&seed);
        uint32_t *word = &o->text.data[draw % o->text.len], other = *word ^ 1u << (draw >> 32 & 31);
        struct insn insn;
        *word = isa_decode(other, &insn) == ISA_OK ? other : *word;
    }
}

static void one_of_messages(struct bench *b, uint64_t seed, bool damaged) {
    struct diag *d = diag_new(NULL, NULL);
    struct object *o = object_new();
    struct program x = {.b = b, .seed = seed, .machine = MACHINE_MESSAGES, .o = o};
    choose_way(&x, damaged ? 3 : seed);
    random_messages(seed, o);
    if (damaged) {
        o->sets = (1u << SET_COUNT) - 1;
        damage(o, seed);
        x.max_cycles = 2000;
    }
    bool fits = !damaged || object_check(o, d, NO_SPAN);
    struct package *p =
        fits ? package_build(o, b->target[x.machine], b->recipes[x.machine], NULL, 0, d) : NULL;
    x.p = p;
    if (p)
        one_program(&x);
    package_free(p);
    object_free(o);
    diag_free(d);
}

/* Of ten programs six have one text with loops and branches, three exchange messages, and one is
 * such a one, damaged. */
static void threads_change_nothing(void **state) {
    struct bench *b = *state;
    for (uint64_t i = 0; i < range.count; i++)
        if (i % 10 < 6)
            one_straight(b, range.first + i);
        else
            one_of_messages(b, range.first + i, i % 10 == 9);
}

/* Else the test would show little; a few programs may well. */
static void programs_do_something(void **state) {
    struct bench *b = *state;
    if (range.count < PROGRAMS)
        return;
    assert_true(b->ends[CONTROL_DONE] > range.count);
    assert_true(b->ends[CONTROL_STOPPED] > range.count / 20);
    assert_true(b->spans > 100 * range.count);
    assert_true(b->messages > range.count);
    assert_int_equal(b->ends[CONTROL_DIFFERS], 0);
}

/* [FIRST_SEED COUNT [TARGET]]: other programs than the suite's, for longer runs, and on another
 * machine of planes. */
int main(int argc, char **argv) {
    range.count = PROGRAMS;
    setenv("MPU_COMPOSE_AT", "0", 1);
    if (argc == 4)
        target_name = argv[3];
    if (argc == 3 || argc == 4) {
        range.first = strtoull(argv[1], NULL, 10);
        range.count = strtoull(argv[2], NULL, 10);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(programs_do_something),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
