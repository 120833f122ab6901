/* SPDX-License-Identifier: MIT
 * Random programs about arrays (array_gen.h) against the interpreter of interp.h, on all targets,
 * on small chips, and where they run in rounds. */
#include "tests/draws.h"
#include "tests/ezpim/against.h"
#include "tests/ezpim/array_gen.h"
#include "tests/ezpim/expr.h"
#include "tests/ezpim/shrink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PROGRAMS draws(DRAWS_EZPIM_ARRAYS)
enum {
    SHRINK_TRIES = 2000,
    FORMS = ARRAY_SIZES | ARRAY_STEPS | ARRAY_INDICES | ARRAY_FOLDS | ARRAY_SCANS | ARRAY_PRODUCTS |
            ARRAY_SORTS | ARRAY_VALUES | ARRAY_TABLES | ARRAY_OUTSIDE
};

/* Chips of the targets by what is overridden. */
static const char *const whole[] = {NULL};
static const char *const small[] = {"machine.mpus=8", "machine.rfh_per_mpu=2",
                                    "machine.vrf_per_rfh=8", "array.lanes=16", NULL};
/* For programs that run in rounds: a VRF row for each group.  Only those whose elements do not meet
 * do, so others are not tried on these chips. */
static const char *const tiny[] = {"machine.mpus=1", "machine.rfh_per_mpu=1",
                                   "machine.vrf_per_rfh=4", "array.lanes=8", NULL};

/* often: of 16 programs, on how many the chip is tried. */
static const struct chip {
    const char *target;
    const char *const *overrides;
    unsigned often;
} chips[] = {{"golden", whole, 16},     {"racer", whole, 4},       {"mimdram", whole, 2},
             {"simdram", whole, 2},     {"ambit", whole, 2},       {"duality-cache", whole, 2},
             {"racer-felix", whole, 1}, {"racer-ideal", whole, 1}, {"racer-magic", whole, 1},
             {"upmem", whole, 3},       {"simt", whole, 3},        {"golden", small, 8},
             {"racer", small, 2},       {"golden", tiny, 16},      {"racer", tiny, 4}};
enum { CHIPS = sizeof chips / sizeof *chips };

/* A program and what it runs on. */
struct trial {
    uint64_t seed;
    struct against_sizes sizes;
    struct against_setup setup;
    enum against_outcome outcome;
};

static bool still_fails(void *context, const char *text) {
    const struct trial *t = context;
    struct str why = {0};
    enum against_outcome outcome = against_sized(text, t->seed, &t->sizes, &t->setup, 1, &why);
    str_free(&why);
    return outcome == t->outcome;
}

static void report_failure(struct trial *t, struct str *text, const char *why) {
    fprintf(stderr, "seed %llu: %s\n%s\n", (unsigned long long)t->seed, why, str_text(text));
    for (unsigned i = 0; i < t->sizes.count; i++)
        fprintf(stderr, "%s = %llu\n", t->sizes.items[i].name,
                (unsigned long long)t->sizes.items[i].value);
    if (t->outcome == AGAINST_DIFFERS) {
        struct str again = {0};
        shrink(text, SHRINK_TRIES, still_fails, t);
        against_sized(str_text(text), t->seed, &t->sizes, &t->setup, 1, &again);
        fprintf(stderr, "shrunk: %s\n%s\n", str_text(&again), str_text(text));
        str_free(&again);
    }
    fail_msg("program %llu", (unsigned long long)t->seed);
}

/* Refused because the chip has no room, or too few MPUs, or because elements that meet cannot do so
 * in rounds. */
static bool rightly_refused(const char *why) {
    static const char *const reasons[] = {"rows of a VRF", " lanes in each MPU; ",
                                          "the program cannot run in rounds",
                                          "the program is for MPU"};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (strstr(why, reasons[i]))
            return true;
    return false;
}

/* Whether it ran, with the right results. */
static bool run_on(struct trial *t, struct str *text) {
    struct str why = {0};
    t->outcome = against_sized(str_text(text), t->seed, &t->sizes, &t->setup, 1, &why);
    if (t->outcome != AGAINST_SAME &&
        !(t->outcome == AGAINST_DIFFERS && rightly_refused(str_text(&why))))
        report_failure(t, text, str_text(&why));
    str_free(&why);
    return t->outcome == AGAINST_SAME;
}

/* What runs: the suite's programs, or those of the command line. */
static uint64_t first_seed = 0, programs;
static unsigned forms = FORMS;

static void run_trial(uint64_t seed, mpu_target *const *targets, unsigned *same, struct str *text) {
    static const char *const batches[] = {"target", "one", "all"};
    static const char *const inits[] = {"zero", "random:5"};
    struct trial t = {.seed = seed};
    struct rng r = {seed ^ 0x5eed};
    const struct array_options options = {.forms = forms,
                                          .cheap = seed % 3 != 0,
                                          .alone = seed % 2,
                                          .apart = seed % 8 == 5,
                                          .most = seed % 16 == 15 ? 1100 : 150};
    array_random(seed, &options, text, &t.sizes);
    for (unsigned c = 0; c < CHIPS; c++) {
        if ((chips[c].overrides == tiny && !options.apart) || rng_below(&r, 16) >= chips[c].often ||
            (!options.cheap && chips[c].often < 4))
            continue;
        t.setup = (struct against_setup){targets[c],
                                         (int)rng_below(&r, 3),
                                         batches[rng_below(&r, 3)],
                                         inits[rng_below(&r, 2)],
                                         0,
                                         0,
                                         false};
        same[c] += run_on(&t, text);
    }
}

static void random_programs_are_right(void **state) {
    mpu_target *targets[CHIPS];
    unsigned same[CHIPS] = {0};
    struct str text = {0};
    (void)state;
    for (unsigned c = 0; c < CHIPS; c++) {
        mpu_error *e = NULL;
        targets[c] = mpu_target_open(chips[c].target, chips[c].overrides, &e);
        if (!targets[c])
            fail_msg("%s", mpu_error_text(e));
    }
    for (uint64_t i = first_seed; i - first_seed < programs; i++)
        run_trial(i, targets, same, &text);
    for (unsigned c = 0; c < CHIPS; c++) {
        printf("%s %s: %u\n", chips[c].target, chips[c].overrides[0] ? chips[c].overrides[0] : "",
               same[c]);
        if (programs >= PROGRAMS && same[c] == 0)
            fail_msg("nothing ran on %s", chips[c].target);
        mpu_target_close(targets[c]);
    }
    str_free(&text);
}

/* What random programs have found, and what they do not come to, at all levels. */
static const char *const texts[] = {
    /* reductions in a row into one variable, of which the first one is narrower */
    "size n;\ngroup g[n];\nin x: u8 @ g;\nin y: u32 @ g;\nout s: u64;\n"
    "main {\ns = min(u64(x));\ns = xor(u64(y));\n}\n",
    /* moves that differ in the strides of their targets alone */
    "group g[9];\nin x: u8 @ g;\ninout y: u8 @ g;\n"
    "main {\nmove y[2 * i] = x[1] for i: 0 .. 4;\nmove y[2 * i + 1] = x[1] for i: 0 .. 4;\n}\n",
    "group g[6];\nin x: u8 @ g;\nout y: u8 @ g;\n"
    "main {\nmove y[2 * i] = x[5 - i];\nmove y[2 * i + 1] = x[5 - i];\n}\n",
    /* values with a length are sorted among themselves, also in the first elements of a target */
    "group g[21];\nin x: u8 @ g;\nvar y: u8 @ g;\ninout z: u16 @ g;\nout least: u8;\n"
    "main {\ncompact y = x where x > 100;\nz = sort(u16(y));\nleast = min(y);\n"
    "y = sort(y);\ncompute g { z += y; }\n}\n",
    /* a product knows no lengths */
    "group g[7, 9];\ngroup v[9];\ngroup r[7];\nin a: u8 @ g;\nin x: u8 @ v;\nvar y: u8 @ v;\n"
    "out z: u32 @ r;\nmain {\ncompact y = x where x > 100;\nz = product(a, y);\n}\n",
    /* registers of arrays; a factor that is overwritten; more laps than are written out, in loops
     */
    "group g[70, 70];\nin x: u8[3] @ g;\nout y: u16[2] @ g;\n"
    "main {\ny[1] = product(x[2], x[1]);\ncompute g { y[0] = y[1]; }\n"
    "repeat (2) {\ny[0] = product(y[0], x[0]);\ny[1] = sort(y[0], 0);\n}\n}\n",
    /* sizes in three loops, and in four, where no level can be left out */
    "size m <= 9 = 5;\ngroup g[m, m];\nin x: i8 @ g;\nout y: i16 @ g;\nout z: i8 @ g;\n"
    "main {\nrepeat (2) { repeat (1) { repeat (2) {\ny = product(x, x);\n"
    "repeat (1) {\nz = sort(x, 0);\ny = sort(y);\n}\n} } }\n}\n",
    /* no bounds */
    "size m;\nsize n;\ngroup g[m, n];\ngroup h[n, m];\ngroup c[m, m];\nin x: i8 @ g;\n"
    "in y: i4 @ h;\nout z: i32 @ c;\nmain {\nz = product(x, y);\n}\n",
    /* places are given */
    "group g[4, 4] at RFH1.VRF2;\ngroup h[4] at RFH0.VRF0;\nin a: u8 @ g;\nin x: u8 @ h;\n"
    "out b: u8 @ g;\nout c: u16 @ g;\nout y: u32 @ h;\n"
    "main {\nb = sort(a, 0);\nc = product(a, b);\ny = product(a, x);\ny = sort(y);\n}\n",
    /* what levels that may be left out keep, and nothing loops */
    "size n;\nmpus ring[3];\ngroup g[n] on ring;\nin x: u8 @ g;\nout s: u64;\n"
    "main on ring {\ns = sum(u64(x));\n}\n",
    /* up to 1,024 elements of a size, in blocks that lines cut */
    "size n;\ngroup g[37, n];\nin x: u8 @ g;\nout y, z: u16 @ g;\nout b: u8 @ g;\n"
    "main {\ny = scan(u16(x));\nz = scan(u16(x), 1, exclusive);\nb = scan(x, max, 0);\n}\n",
    /* a link-time value with and without a default, a table of a table, a type outside */
    "size n;\ngroup g[n];\nconst T: u5[3] = { 7, 30, 1 };\nhost h: i9[2] = { -256, 255 };\n"
    "host k: u5;\nin x: i32 as i9 @ g;\nout y: i64 as i10 @ g;\nout s: i16;\n"
    "main {\ncompute g { y = i10(x) + h[1]; if (T[T[x]] > k) { y = h[0]; } }\n"
    "s = sum(i16(y));\n}\n",
    /* MPUs */
    "mpus grid[2, 3];\ngroup g[5, 4] on grid;\ngroup v[4] on grid;\ngroup w[5] on grid;\n"
    "in a: u8 @ g;\nin x: u8 @ v;\nout y: u8 @ w;\nout z: u8 @ g;\nout p: u64;\n"
    "main on grid {\ny = product(a, x);\nz = sort(a, 0);\nz = sort(a ^ z, 1);\n"
    "p = prod(u64(y) | 1);\n}\n",
};

static void found_programs_are_right(void **state) {
    static const struct against_sizes sizes = {.items = {{"n", 13}, {"m", 5}},
                                               .count = 2}; /* of programs that have them */
    mpu_target *golden = mpu_target_open("golden", NULL, NULL);
    mpu_target *racer = mpu_target_open("racer", NULL, NULL);
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct str why = {0};
        const struct against_setup setups[] = {{golden, 0, "target", "random:5", 0, 0, false},
                                               {golden, 1, "one", "random:5", 0, 0, false},
                                               {racer, 1, "target", "random:5", 0, 0, false},
                                               {golden, 2, "all", "zero", 0, 0, false}};
        if (against_sized(texts[i], i, &sizes, setups, 4, &why) != AGAINST_SAME)
            fail_msg("%s\n%s", texts[i], str_text(&why));
        str_free(&why);
    }
    mpu_target_close(golden);
    mpu_target_close(racer);
}

/* [FIRST_SEED COUNT [FORMS]]: other programs than the suite's, for longer runs. */
int main(int argc, char **argv) {
    programs = PROGRAMS;
    if (argc >= 3) {
        first_seed = strtoull(argv[1], NULL, 10);
        programs = strtoull(argv[2], NULL, 10);
    }
    if (argc == 4)
        forms = (unsigned)strtoul(argv[3], NULL, 10);
    const struct CMUnitTest tests[] = {cmocka_unit_test(found_programs_are_right),
                                       cmocka_unit_test(random_programs_are_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
