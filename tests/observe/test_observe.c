/* SPDX-License-Identifier: MIT
 * Watching changes nothing: the statistics of a run with every observer are those of the run
 * without, byte for byte; and what the observers tell agrees with the statistics. */
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

/* A link to the folder, whose own path may have blanks, which separate words. */
#define EXAMPLES "observed-examples/"
#define DATA     EXAMPLES "data/"

/* Several MPUs, batches that go their own ways, messages, moves, subroutines, INDEX. */
static const struct {
    const char *name, *words;
} programs[] = {
    {"axpy", "--in x=" DATA "axpy-x.npy --in y=" DATA "axpy-y.npy --in a=" DATA
             "axpy-a.npy " EXAMPLES "axpy.ez"},
    {"collatz", "--in x=" DATA "collatz-x.npy " EXAMPLES "collatz.ez"},
    {"sort", "--in x=" DATA "sort-x.npy " EXAMPLES "sort.ez"},
    {"heat", "--in start=" DATA "heat-start.npy " EXAMPLES "heat.ez"},
    {"allreduce", "--in x=" DATA "allreduce-x.npy " EXAMPLES "allreduce.ez"},
    {"dot", "--in a=" DATA "dot-a.npy --in b=" DATA "dot-b.npy " EXAMPLES "dot.ez"},
};
static const char *const targets[] = {"racer", "mimdram", "racer-magic"};
#define PROGRAMS (sizeof programs / sizeof *programs)
#define TARGETS  (sizeof targets / sizeof *targets)

/* The statistics of a file without the command line, which the observers stand in. */
static char *statistics(const char *path) {
    char *text = read_whole(path, NULL), *from = strstr(text, "\"command\": [");
    assert_non_null(from);
    char *to = strchr(from, ']');
    assert_non_null(to);
    memmove(from, to, strlen(to) + 1);
    return text;
}

static uint64_t figure(const char *text, const char *key) {
    const char *at = strstr(text, key);
    if (!at)
        fail_msg("no figure %s", key);
    return strtoull(at + strlen(key), NULL, 10);
}

/* Micro-ops of the CSV stream: lines times VRFs. */
static uint64_t streamed_micro_ops(const char *path) {
    char *text = read_whole(path, NULL);
    uint64_t sum = 0;
    for (const char *line = strchr(text, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
        const char *column = line;
        for (int i = 0; i < 6; i++)
            column = strchr(column, ',') + 1;
        sum += strtoull(column, NULL, 10);
    }
    free(text);
    return sum;
}

static void compare(const char *program, const char *target, const char *a, const char *b) {
    char *x = statistics(a), *y = statistics(b);
    if (strcmp(x, y) != 0)
        fail_msg("%s on %s: statistics differ", program, target);
    free(x);
    free(y);
}

/* Tracks are sound, and the last span ends with the run. */
static void check_trace(const char *path, const char *stats) {
    struct read_trace t;
    char *text = statistics(stats);
    trace_read(&t, path);
    trace_check_tracks(&t);
    assert_true(t.spans.len > 0);
    assert_int_equal(t.end_ps, figure(text, "\"time_ps\": "));
    trace_read_free(&t);
    free(text);
}

static void watch_one(const char *program, const char *words, const char *target) {
    run_expecting(0, "--target %s -j 1 --stats json:seen-0.json %s", target, words);
    run_expecting(0,
                  "--target %s -j 1 --stats json:seen-1.json --trace seen.json --log-count 500 "
                  "--stats-every 100:seen-every.csv "
                  "--log=insn,uop:seen.log --uops seen.csv:csv --uops seen.txt:text %s",
                  target, words);
    compare(program, target, "seen-0.json", "seen-1.json");
    check_trace("seen.json", "seen-1.json");
}

static void statistics_are_the_same(void **state) {
    (void)state;
    for (size_t i = 0; i < PROGRAMS; i++)
        for (size_t k = 0; k < TARGETS; k++)
            watch_one(programs[i].name, programs[i].words, targets[k]);
}

/* Without a limit, where the stream is of a size that a test can read. */
static void streams_agree_with_statistics(void **state) {
    (void)state;
    for (size_t i = 0; i < PROGRAMS; i++) {
        run_expecting(0, "--target racer --stats json:seen.stats.json --uops seen.csv:csv %s",
                      programs[i].words);
        char *stats = statistics("seen.stats.json");
        assert_int_equal(streamed_micro_ops("seen.csv"), figure(stats, "\"micro_ops\": "));
        free(stats);
    }
}

static void same_bytes_for_all_threads(void **state) {
    (void)state;
    for (size_t i = 0; i < PROGRAMS; i++) {
        size_t n[2], m[2];
        char *trace[2], *log[2];
        for (int j = 0; j < 2; j++) {
            run_expecting(0, "--target racer -j %d --trace seen.json %s", j + 1, programs[i].words);
            trace[j] = read_whole("seen.json", &n[j]);
            run_expecting(0, "--target racer -j %d --log=insn,uop:seen.log --log-count 200 %s",
                          j + 1, programs[i].words);
            log[j] = read_whole("seen.log", &m[j]);
        }
        assert_int_equal(n[0], n[1]);
        assert_memory_equal(trace[0], trace[1], n[0]);
        assert_int_equal(m[0], m[1]);
        assert_memory_equal(log[0], log[1], m[0]);
        for (int j = 0; j < 2; j++) {
            free(trace[j]);
            free(log[j]);
        }
    }
}

static int set_up(void **state) {
    (void)state;
    if (chdir(MPU_BINARY_DIR "/tests") != 0)
        return -1;
    unlink("observed-examples");
    return symlink(MPU_SOURCE_DIR "/examples", "observed-examples");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statistics_are_the_same),
        cmocka_unit_test(streams_agree_with_statistics),
        cmocka_unit_test(same_bytes_for_all_threads),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
