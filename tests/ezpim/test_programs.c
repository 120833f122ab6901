/* SPDX-License-Identifier: MIT
 * Random programs with control flow: compiled at every level, run on golden and on racer's
 * micro-ops under every batch, and compared with the interpreter of interp.h. */
#include "tests/draws.h"
#include "ezpim/ezpim.h"
#include "ezpim/code/rows.h"
#include "support/file.h"
#include "tests/ezpim/against.h"
#include "tests/ezpim/program_gen.h"
#include "tests/ezpim/shrink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PROGRAMS draws(DRAWS_EZPIM_PROGRAMS)
enum { SETUPS = 3, SHRINK_TRIES = 3000 };

/* A program and how it runs: by its seed alone. */
struct trial {
    uint64_t seed;
    struct against_setup setups[SETUPS];
    size_t setup_count;
    enum against_outcome outcome;
};

static const char *const batches[] = {"target", "one", "all"};
static const char *const inits[] = {"zero", "random:5"};

/* Every combination of level, batch and first contents comes again after 18 programs.  Half of
 * them keep to operations that every target has at a low cost, and run on racer, too. */
static void choose_setups(struct trial *t, mpu_target *const *targets) {
    uint64_t s = t->seed;
    int level = (int)(s % 3);
    const char *batch = batches[s / 3 % 3], *init = inits[s / 9 % 2];
    t->setups[0] = (struct against_setup){targets[0], level, batch, init, 0, 0, false};
    t->setups[1] =
        (struct against_setup){targets[0], (int)(s / 3 % 3), batches[s % 3], "zero", 0, 0, false};
    t->setups[2] = (struct against_setup){targets[1], level, batch, init, 0, 0, false};
    if (s % 2)
        t->setups[1] = t->setups[2];
    t->setups[2] = (struct against_setup){targets[0], (int)(s / 4 % 3), batch, init, 0, 1, false};
    t->setup_count = 2 + s / 2 % 2;
}

static bool still_fails(void *context, const char *text) {
    const struct trial *t = context;
    struct str why = {0};
    enum against_outcome outcome = against(text, t->seed, t->setups, t->setup_count, &why);
    str_free(&why);
    return outcome == t->outcome;
}

/* The first setup that fails becomes the only one. */
static void choose_failing(struct trial *t, const char *text) {
    size_t count = t->setup_count;
    t->setup_count = 1;
    for (size_t i = 0; i < count; i++) {
        t->setups[0] = t->setups[i];
        if (still_fails(t, text))
            return;
    }
}

static void report_failure(struct trial *t, struct str *text, const char *why) {
    fprintf(stderr, "seed %llu: %s\n%s\n", (unsigned long long)t->seed, why, str_text(text));
    if (t->outcome == AGAINST_DIFFERS) {
        struct str again = {0};
        choose_failing(t, str_text(text));
        shrink(text, SHRINK_TRIES, still_fails, t);
        against(str_text(text), t->seed, t->setups, t->setup_count, &again);
        fprintf(stderr, "shrunk: %s\n%s\n", str_text(&again), str_text(text));
        str_free(&again);
    }
    fail_msg("program %llu", (unsigned long long)t->seed);
}

static void run_trial(uint64_t seed, mpu_target *const *targets, struct str *text) {
    struct trial t = {.seed = seed};
    struct program_options options = {.all_operations = !(seed % 2), .work = seed % 2 ? 60 : 400};
    struct str why = {0};
    choose_setups(&t, targets);
    program_random(seed, &options, text);
    t.outcome = against(str_text(text), seed, t.setups, t.setup_count, &why);
    if (t.outcome != AGAINST_SAME)
        report_failure(&t, text, str_text(&why));
    str_free(&why);
}

/* What runs: the suite's programs, or those of the command line. */
static uint64_t first_seed = 0, programs;

static void test_programs(void **state) {
    (void)state;
    struct str text = {0};
    mpu_target *targets[] = {mpu_target_open("golden", NULL, NULL),
                             mpu_target_open("racer", NULL, NULL)};
    assert_non_null(targets[0]);
    assert_non_null(targets[1]);
    for (uint64_t i = first_seed; i - first_seed < programs; i++)
        run_trial(i, targets, &text);
    str_free(&text);
    mpu_target_close(targets[0]);
    mpu_target_close(targets[1]);
}

/* Programs that were written by hand mean the same to the interpreter.  Those that include others
 * or bring recipes of their own are not among them. */
static struct object *compile(const char *text, const struct ez_options *options) {
    struct diag *quiet = diag_new(NULL, NULL);
    struct object *o = ez_compile("test.ez", text, strlen(text), options, quiet);
    diag_free(quiet);
    return o;
}

static uint32_t rows_of(const struct object *object) {
    struct rows_use use;
    rows_taken(object, &use);
    return rows_of_bits(use.bits, 1);
}

/* In as few rows as a program takes at one level it has room at the others. */
static void test_levels(void **state) {
    (void)state;
    struct str text = {0};
    for (uint64_t i = first_seed; i - first_seed < programs; i += 4) {
        struct program_options options = {.all_operations = true, .work = 100};
        program_random(i, &options, &text);
        struct object *o =
            compile(str_text(&text), &(struct ez_options){.optimize = (int)(i % 3), .tight = true});
        if (!o)
            continue;
        uint32_t rows = rows_of(o);
        object_free(o);
        for (int level = 0; level < 3; level++) {
            const struct ez_options limited = {.optimize = level, .rows = rows ? rows : 1};
            o = compile(str_text(&text), &limited);
            if (!o || rows_of(o) > limited.rows)
                fail_msg("seed %llu, -O%d: %u rows do not do\n%s", (unsigned long long)i, level,
                         rows, str_text(&text));
            object_free(o);
        }
    }
    str_free(&text);
}

enum { MACHINES = 7 };
static const char *const machines[MACHINES] = {"mimdram", "simdram", "ambit", "duality-cache",
                                               "pypim",   "upmem",   "simt"};

/* Right, or refused because its registers or its groups have no room. */
static bool fits_and_is_right(const char *text, uint64_t seed, mpu_target *t, int level) {
    unsigned room = strcmp(mpu_target_name(t), "pypim") == 0 ? AGAINST_ROOM : 0;
    const struct against_setup setup = {t, level, "target", "random:5", 0, room, false};
    struct str why = {0};
    enum against_outcome outcome = against(text, seed, &setup, 1, &why);
    bool full = outcome == AGAINST_DIFFERS && (strstr(str_text(&why), "rows of a VRF") ||
                                               strstr(str_text(&why), " lanes in each MPU; ") ||
                                               strstr(str_text(&why), "--set machine.mpus="));
    full |= outcome == AGAINST_REFUSED && strstr(str_text(&why), " columns, and target ");
    if (outcome != AGAINST_SAME && !full)
        fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, str_text(&why), text);
    str_free(&why);
    return !full;
}

/* What has room on a target at -O0 has it at -O1 and -O2, and all that has room is right.  Half of
 * the programs are as in test_programs, half of wide operations; each is for one of the targets. */
static void test_targets(void **state) {
    (void)state;
    mpu_target *targets[MACHINES];
    struct str text = {0};
    unsigned fits[MACHINES] = {0};
    uint64_t step = programs == PROGRAMS ? 10 : 1, number = 0;
    static const char *const more[] = {"machine.mpus=24", NULL}; /* which programs name */
    for (unsigned t = 0; t < MACHINES; t++) {
        const bool core = strcmp(machines[t], "upmem") == 0 || strcmp(machines[t], "simt") == 0;
        targets[t] = mpu_target_open(machines[t], core ? more : NULL, NULL);
    }
    for (uint64_t i = first_seed; i - first_seed < programs; i += step, number++) {
        const struct program_options options = {.all_operations = number % 2, .work = 60};
        program_random(i, &options, &text);
        for (unsigned t = (unsigned)(number / 2 % MACHINES); t < MACHINES; t += MACHINES) {
            bool room = fits_and_is_right(str_text(&text), i, targets[t], 0);
            for (int level = 1; level < 3; level++)
                if (!fits_and_is_right(str_text(&text), i, targets[t], level) && room)
                    fail_msg("seed %llu has room on %s at -O0, not at -O%d\n%s",
                             (unsigned long long)i, machines[t], level, str_text(&text));
            fits[t] += room;
        }
    }
    for (unsigned t = 0; t < MACHINES; t++) {
        printf("%s: %u have room\n", machines[t], fits[t]);
        assert_true(fits[t] > 0 || number < 60); /* of few programs none may have room */
        mpu_target_close(targets[t]);
    }
    str_free(&text);
}

static void test_examples(void **state) {
    (void)state;
    static const char *const names[] = {
        "allreduce",     "axpy",     "brightness", "collatz",  "crc32",     "dot",
        "edit-distance", "factor",   "grid-edit",  "heat",     "histogram", "kmeans",
        "life",          "outliers", "poly",       "popcount", "sort",      "systolic"};
    mpu_target *golden = mpu_target_open("golden", NULL, NULL);
    assert_non_null(golden);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[4096];
        size_t size;
        struct str why = {0};
        snprintf(path, sizeof path, MPU_SOURCE_DIR "/examples/%s.ez", names[i]);
        char *text = file_read(path, &size);
        assert_non_null(text);
        const struct against_setup setups[] = {{golden, 0, "target", "random:5", 0, 0, false},
                                               {golden, 1, "one", "random:5", 0, 0, false},
                                               {golden, 2, "all", "zero", 0, 0, false}};
        if (against(text, i, setups, 3, &why) != AGAINST_SAME)
            fail_msg("%s: %s", names[i], str_text(&why));
        str_free(&why);
        free(text);
    }
    mpu_target_close(golden);
}

/* [FIRST_SEED COUNT]: other programs than the suite's, for longer runs. */
int main(int argc, char **argv) {
    programs = PROGRAMS;
    if (argc == 3) {
        first_seed = strtoull(argv[1], NULL, 10);
        programs = strtoull(argv[2], NULL, 10);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_programs), cmocka_unit_test(test_levels),
        cmocka_unit_test(test_targets), cmocka_unit_test(test_examples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
