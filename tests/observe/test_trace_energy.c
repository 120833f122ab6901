/* SPDX-License-Identifier: MIT
 * Energy in slices: those of a batch add up to the batch, batches to their controller's ensemble,
 * and all of them to the statistics; names say what slices are, and counters agree with them. */
#include "tests/observe/command.h"
#include "tests/observe/trace_read.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define EXAMPLES "energy-examples/"
#define DATA     EXAMPLES "data/"

static const struct {
    const char *name, *words;
    bool numbers; /* INDEX, whose energy is in no slice */
} programs[] = {
    {"collatz", "--in x=" DATA "collatz-x.npy " EXAMPLES "collatz.ez", false},
    {"sort", "--in x=" DATA "sort-x.npy " EXAMPLES "sort.ez", true},
    {"heat", "--in start=" DATA "heat-start.npy " EXAMPLES "heat.ez", true},
    {"allreduce", "--in x=" DATA "allreduce-x.npy " EXAMPLES "allreduce.ez", false},
    {"dot", "--in a=" DATA "dot-a.npy --in b=" DATA "dot-b.npy " EXAMPLES "dot.ez", false},
};
/* `whole`: micro-ops are in runs, copies, messages and launches alone, so that the statistics have
 * no energy that no slice has. */
static const struct {
    const char *name, *words, *without;
    bool whole;
} machines[] = {
    {"racer", "--target racer", "", true},
    {"mimdram", "--target mimdram", "", true},
    {"duality-cache", "--target duality-cache", "allreduce", true},
    {"pluto", "--target pluto-bsa", "heat allreduce", false},
    {"pypim", "--target pypim", "dot", false},
    {"upmem", "--target upmem", "heat allreduce", true},
    {"simt", "--target simt", "allreduce", true},
    {"controllers", "--target racer --set control.controllers=3", "", true},
    {"few templates", "--target racer --set control.recipe_templates=60", "", true},
    {"few VRFs at once", "--target racer --set machine.active_vrf_per_rfh=1", "", true},
};
#define COUNT(list) (sizeof list / sizeof *(list))

enum { CONTROLLERS = 1u << 8, BATCHES = 1u << 9, RFHS = 1u << 16, NETWORK = 1u << 28 };
#define TRACKS (1u << 30)

static bool in_threads(const struct read_span *span, uint32_t from, uint32_t end) {
    return span->thread >= from && span->thread < end;
}

static bool is_batch(const struct read_span *span) {
    uint64_t any;
    return in_threads(span, BATCHES, RFHS) && trace_argument(span, "front_end_cycles", &any);
}

static bool is_bar(const struct read_span *span) {
    return json_member(span->args, "part") || strncmp(span->name, "more iterations", 15) == 0;
}

static uint64_t energy_of(const struct read_span *span) {
    uint64_t fj = 0;
    if (!trace_argument(span, "energy_fj", &fj))
        fail_msg("'%s' has no energy", span->name);
    return fj;
}

static bool lies_in(const struct read_span *x, const struct read_span *outer, uint32_t thread) {
    return x->process == outer->process && x->thread == thread && x->start_ps >= outer->start_ps &&
           x->end_ps <= outer->end_ps;
}

/* Spans are sorted by track and begin, and what lies in another stands behind it. */
static void check_batch(const struct read_trace *t, size_t at) {
    const struct read_span *batch = &t->spans.data[at];
    uint64_t bars = 0, lines = 0, in_lines = 0, line_end = 0, datapath, cycles;
    size_t count = 0;
    for (size_t i = at + 1; i < t->spans.len; i++) {
        const struct read_span *x = &t->spans.data[i];
        if (!lies_in(x, batch, batch->thread))
            break;
        if (is_bar(x)) {
            bars += energy_of(x);
            in_lines += x->end_ps <= line_end ? energy_of(x) : 0;
            count++;
        } else {
            lines += energy_of(x);
            line_end = x->end_ps;
        }
    }
    assert_true(count > 0);
    assert_int_equal(bars, energy_of(batch));
    assert_int_equal(lines, in_lines);
    assert_true(trace_argument(batch, "datapath_fj", &datapath));
    assert_true(trace_argument(batch, "front_end_cycles", &cycles));
    assert_true(datapath <= energy_of(batch));
}

/* Batches in their RFHs, once more. */
static void check_rfhs(const struct read_trace *t) {
    uint64_t batches = 0, rfhs = 0;
    for (size_t i = 0; i < t->spans.len; i++) {
        const struct read_span *x = &t->spans.data[i];
        batches += is_batch(x) ? energy_of(x) : 0;
        rfhs += in_threads(x, RFHS, NETWORK) ? energy_of(x) : 0;
    }
    assert_int_equal(batches, rfhs);
}

/* Batches, and what lies between them. */
static uint64_t energy_within(const struct read_trace *t, const struct read_span *ensemble) {
    uint32_t thread = ensemble->thread - CONTROLLERS + BATCHES;
    uint64_t sum = 0;
    for (size_t i = 0; i < t->spans.len; i++) {
        const struct read_span *x = &t->spans.data[i];
        bool between = !is_batch(x) && !is_bar(x) &&
                       (strcmp(x->name, "next batch") == 0 || strstr(x->name, "waits for host"));
        if (lies_in(x, ensemble, thread) && (is_batch(x) || between))
            sum += energy_of(x);
    }
    return sum;
}

/* Precoders, data-transfer controllers, ensembles, messages and kernels: each joule once. */
static uint64_t energy_of_all(const struct read_trace *t) {
    uint64_t sum = 0;
    for (size_t i = 0; i < t->spans.len; i++) {
        const struct read_span *x = &t->spans.data[i];
        bool set_up = strstr(x->name, ": set-up");
        if (!set_up && !in_threads(x, BATCHES, NETWORK) && x->thread < TRACKS)
            sum += energy_of(x);
    }
    return sum;
}

static uint64_t figure(const char *text, const char *key) {
    const char *at = strstr(text, key);
    if (!at)
        fail_msg("no figure %s", key);
    return strtoull(at + strlen(key), NULL, 10);
}

static uint64_t component(const char *text, const char *name) {
    char key[64];
    snprintf(key, sizeof key, "\"component\": \"%s\"", name);
    const char *at = strstr(text, key);
    return at ? figure(at, "\"energy_fj\": ") : 0;
}

/* Instruction and what it is about; "next batch" and the like are of no instruction. */
static void check_names(const struct read_trace *t) {
    for (size_t i = 0; i < t->spans.len; i++) {
        const struct read_span *x = &t->spans.data[i];
        const struct json_value *text = json_member(x->args, "text");
        const char *about = strstr(x->name, ": ");
        if (!is_bar(x) || !text)
            continue;
        size_t length = about ? (size_t)(about - x->name) : 0;
        if (!length || strncmp(x->name, text->text, length) != 0 ||
            (text->text[length] && text->text[length] != ' '))
            fail_msg("'%s' is '%s'", text->text, x->name);
    }
}

/* Parts of a slice are not longer than it is, and what is loaded stands at loads. */
static uint64_t check_parts(const struct read_trace *t) {
    uint64_t loaded = 0;
    for (size_t i = 0; i < t->spans.len; i++) {
        const struct read_span *x = &t->spans.data[i];
        uint64_t parts[3] = {0}, templates = 0;
        trace_argument(x, "issue_ps", &parts[0]);
        trace_argument(x, "section_ps", &parts[1]);
        trace_argument(x, "port_ps", &parts[2]);
        trace_argument(x, "templates", &templates);
        if (strncmp(x->name, "more iterations", 15) != 0)
            assert_true(parts[0] + parts[1] + parts[2] <= x->end_ps - x->start_ps);
        loaded += templates;
    }
    return loaded;
}

static uint64_t front_end_fj(const struct read_trace *t) {
    uint64_t datapath = 0, cycles = 0;
    for (size_t i = 0; i < t->spans.len; i++)
        if (is_batch(&t->spans.data[i]) &&
            trace_argument(&t->spans.data[i], "front_end_cycles", &cycles) && cycles &&
            trace_argument(&t->spans.data[i], "datapath_fj", &datapath))
            return (energy_of(&t->spans.data[i]) - datapath) / cycles;
    return 0;
}

static void check_one(const char *program, const char *machine, const char *words, bool whole) {
    struct read_trace t;
    run_expecting(0, "%s -j 1 -Wno-all --trace energy.json --stats json:energy-stats.json %s",
                  machine, words);
    char *stats = read_whole("energy-stats.json", NULL);
    trace_read(&t, "energy.json");
    check_names(&t);
    for (size_t i = 0; i < t.spans.len; i++) {
        const struct read_span *x = &t.spans.data[i];
        if (is_batch(x))
            check_batch(&t, i);
        if (in_threads(x, CONTROLLERS, BATCHES))
            assert_int_equal(energy_within(&t, x), energy_of(x));
    }
    check_rfhs(&t);
    assert_int_equal(check_parts(&t) * front_end_fj(&t), component(stats, "recipe"));
    uint64_t expected = figure(stats, "\"energy_fj\": ") - component(stats, "static") -
                        component(stats, "host_cpu");
    uint64_t found = energy_of_all(&t);
    if (whole ? found != expected : found > expected)
        fail_msg("%s on %s: slices have %" PRIu64 " fJ, the statistics %" PRIu64, program, machine,
                 found, expected);
    trace_check_counters(&t, "issue queue");
    trace_read_free(&t);
    free(stats);
}

static void energy_adds_up(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(machines); k++)
        for (size_t i = 0; i < COUNT(programs); i++)
            if (!strstr(machines[k].without, programs[i].name))
                check_one(programs[i].name, machines[k].words, programs[i].words,
                          machines[k].whole && !programs[i].numbers);
}

static int set_up(void **state) {
    (void)state;
    if (chdir(MPU_BINARY_DIR "/tests") != 0)
        return -1;
    unlink("energy-examples");
    return symlink(MPU_SOURCE_DIR "/examples", "energy-examples");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(energy_adds_up)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
