/* SPDX-License-Identifier: MIT
 * --place (docs/places.md): every program gives the same at each place, what is counted before a
 * run is what the run takes, and auto is no slower than the better of packed and spread, or hardly:
 * 5 % where the laps of all loops are known at link time; else never 1.5 times packed.  The tables
 * of the page are computed here. */
#include "emu/place/count.h"
#include "emu/place/place.h"
#include "runtime/session.h"
#include "support/file.h"
#include "tests/examples/list.h"
#include "tests/examples/page.h"
#include "tests/places/programs.h"
#include "tests/draws.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#ifndef MPU_SANITIZED
#define MPU_SANITIZED 0
#endif

static const char page[] = MPU_SOURCE_DIR "/docs/places.md";
static const char *const targets[] = {"racer",   "racer-magic", "racer-felix", "racer-ideal",
                                      "mimdram", "simdram",     "ambit",       "duality-cache"};
#define TARGETS (sizeof targets / sizeof *targets)
static mpu_target *opened[TARGETS];

/* The targets of the table of programs. */
static bool in_programs(size_t target) {
    return target == 0 || (!MPU_SANITIZED && (target == 4 || target == 7));
}

static const char *const places[] = {"packed", "spread", "auto"};
enum { PACKED, SPREAD, AUTO, RUNS };

/* What a run at a place took. */
struct taken {
    uint64_t ps, fj, mpus, laps, in_part;
    bool spread;
};

static uint64_t figure(mpu_session *s, const char *path) {
    uint64_t value = 0;
    assert_int_equal(mpu_session_figure(s, path, &value), MPU_OK);
    return value;
}

/* Which registers such moves read and write is known when they are carried out. */
static bool has_indices(const struct object *o) {
    for (size_t i = 0; i < o->moves.len; i++)
        if (o->moves.data[i].index.kind)
            return true;
    return false;
}

/* In per mille of the run's time. */
static uint64_t off_by(uint64_t counted, uint64_t took) {
    return (counted > took ? counted - took : took - counted) * 1000 / took;
}

enum { INDICES_OFF_BY = 50 };

/* A count to the end says what the run took, unless data had a say: all but exactly where that is
 * about the indices of moves alone. */
static void expect_counted(mpu_session *s, const char *what) {
    struct place_count x =
        place_count(s->object, s->package, s->target->t, s->library.library, 0, UINT64_C(1) << 26);
    assert_true(x.known && x.whole);
    uint64_t off = off_by(x.time_ps, figure(s, "total.time_ps"));
    bool exact = x.time_ps == figure(s, "total.time_ps");
    if (!x.laps && (has_indices(s->object) ? off > INDICES_OFF_BY : !exact))
        fail_msg("%s on %s: counted %llu ps, took %llu", what, mpu_target_name(s->target),
                 (unsigned long long)x.time_ps, (unsigned long long)figure(s, "total.time_ps"));
    assert_int_equal(x.mpus, figure(s, "utilisation.mpus_used"));
}

static struct taken taken_of(mpu_session *s) {
    return (struct taken){
        figure(s, "total.time_ps"),         figure(s, "total.energy_fj"),
        figure(s, "utilisation.mpus_used"), figure(s, "place.laps_counted"),
        figure(s, "place.counted_in_part"), s->package->place.chosen == PLACE_SPREAD};
}

static void expect_good(const char *what, const char *target, const struct taken *x) {
    uint64_t better = x[PACKED].ps < x[SPREAD].ps ? x[PACKED].ps : x[SPREAD].ps;
    bool known = !x[AUTO].laps && !x[AUTO].in_part;
    if (known ? x[AUTO].ps > better + better / 20 : x[AUTO].ps > x[PACKED].ps + x[PACKED].ps / 2)
        fail_msg("%s on %s: packed %llu ps, spread %llu, auto %llu", what, target,
                 (unsigned long long)x[PACKED].ps, (unsigned long long)x[SPREAD].ps,
                 (unsigned long long)x[AUTO].ps);
}

static void add_row(const char *what, const char *target, const struct taken *x, struct str *out) {
    str_printf(out, "| %s | %s |", what, target);
    for (int i = 0; i < RUNS; i++)
        str_printf(out, " %llu |", (unsigned long long)x[i].ps);
    for (int i = 0; i < RUNS; i++)
        str_printf(out, " %llu |", (unsigned long long)x[i].fj);
    str_printf(out, " %llu | %llu | %llu%s |\n", (unsigned long long)x[PACKED].mpus,
               (unsigned long long)x[SPREAD].mpus, (unsigned long long)x[AUTO].mpus,
               x[AUTO].laps ? ", laps" : "");
}

#define HEAD                                                                                       \
    "| program | target | packed, ps | spread, ps | auto, ps | packed, fJ | spread, fJ | "         \
    "auto, fJ | MPUs packed | spread | auto |\n|---|---|---|---|---|---|---|---|---|---|---|\n"

static int open_targets(void **state) {
    (void)state;
    for (size_t i = 0; i < TARGETS; i++) {
        mpu_error *e = NULL;
        opened[i] = mpu_target_open(targets[i], NULL, &e);
        need(opened[i] != NULL, targets[i], e);
    }
    return 0;
}

static int close_targets(void **state) {
    (void)state;
    for (size_t i = 0; i < TARGETS; i++)
        mpu_target_close(opened[i]);
    return 0;
}

static void show(const char *name, struct str *rows) {
    struct str table = {0};
    str_append(&table, HEAD);
    str_append(&table, str_text(rows));
    if (draws_all() && !MPU_SANITIZED)
        page_check(page, name, &table, "test_places");
    else
        page_check_rows(page, name, rows);
    str_free(&table);
    str_free(rows);
}

/* ---- programs of moves and messages ---- */

static mpu_array output(mpu_session *s, const char *name) {
    mpu_array a = {0};
    mpu_error *e = NULL;
    need(mpu_session_get(s, name, &a, &e) == MPU_OK, name, e);
    return a;
}

static size_t bytes_of(const mpu_array *a) {
    static const uint8_t size[] = {1, 1, 2, 4, 8, 1, 2, 4, 8};
    size_t n = size[a->type];
    for (uint32_t d = 0; d < a->ndim; d++)
        n *= a->shape[d];
    return n;
}

static void expect_same(const char *what, const mpu_array *a, mpu_array b) {
    if (bytes_of(a) != bytes_of(&b) || memcmp(a->data, b.data, bytes_of(a)) != 0)
        fail_msg("%s depends on the place", what);
    mpu_array_free(&b);
}

static void run_program(const struct place_program *x, const mpu_program *p, size_t target,
                        struct str *rows) {
    struct taken taken[RUNS];
    mpu_array first = {0};
    for (int i = 0; i < RUNS; i++) {
        mpu_session *s = place_run(x, p, opened[target], places[i]);
        taken[i] = taken_of(s);
        expect_counted(s, x->name);
        if (i == 0)
            first = output(s, x->out);
        else
            expect_same(x->name, &first, output(s, x->out));
        mpu_session_free(s);
    }
    mpu_array_free(&first);
    expect_good(x->name, targets[target], taken);
    add_row(x->name, targets[target], taken, rows);
}

static void programs(void **state) {
    struct str rows = {0};
    (void)state;
    for (size_t i = 0; i < PLACE_PROGRAMS; i++) {
        mpu_program *p = place_load(&place_programs[i]);
        for (size_t t = 0; t < TARGETS; t++)
            if (in_programs(t))
                run_program(&place_programs[i], p, t, &rows);
        mpu_program_free(p);
    }
    show("programs", &rows);
}

/* Counters that no input touches: in a body, from body to body, in a loop of all MPUs. */
static const char loops[] = "size  n;\ngroup g[n];\ninout x: u16 @ g;\nvar k: u8 @ g;\n"
                            "main {\n"
                            "    compute g { k = 0; while (k < 37) { k += 1; x = x * 3 + k; } }\n"
                            "    while (any(k > 20)) { compute g { k -= 2; x += 1; } }\n"
                            "    compute g { if (k == 0) { x = x * x * x; } else { x += 5; } }\n"
                            "}\n";
/* What one of them is if the input has a say. */
static const char asks[] = "size  n;\ngroup g[n];\ninout x: u16 @ g;\nvar k: u8 @ g;\n"
                           "main { compute g { k = u8(x); while (k < 37) { k += 1; } x += k; } }\n";

static const struct place_program looping = {"loops", 5000, {{"x", MPU_U16, 1, {5000}}}, "x"};

static void expect_laps(const char *text, uint64_t laps) {
    static const char path[] = "places_loops.ez";
    mpu_error *e = NULL;
    assert_true(file_write(path, text, strlen(text)));
    mpu_program *p = mpu_program_load_file(path, &e);
    need(p != NULL, path, e);
    unlink(path);
    mpu_session *s = place_run(&looping, p, opened[0], "auto");
    assert_int_equal(figure(s, "place.laps_counted"), laps);
    assert_int_equal(figure(s, "place.counted_in_part"), 0);
    expect_counted(s, "loops");
    mpu_session_free(s);
    mpu_program_free(p);
}

static void laps_that_follow_from_the_text(void **state) {
    (void)state;
    expect_laps(loops, 0);
    expect_laps(asks, PLACE_LAPS);
}

/* ---- the examples with their data ---- */

static void run_example(const struct example *x, const mpu_program *p, size_t target,
                        struct str *rows) {
    struct taken taken[RUNS];
    for (int i = 0; i < RUNS; i++) {
        mpu_session *s = example_run(x, p, opened[target], "target", "zero", places[i]);
        taken[i] = taken_of(s);
        mpu_session_free(s);
    }
    expect_good(x->program, targets[target], taken);
    add_row(x->program, targets[target], taken, rows);
}

/* Those that work on whole rows of DRAM have as many rows as the one that works on mats. */
static bool fits(const struct example *x, const char *target) {
    bool rows = strcmp(target, "simdram") == 0 || strcmp(target, "ambit") == 0;
    return example_fits(x, rows ? "mimdram" : target);
}

static void examples(void **state) {
    struct str rows = {0};
    (void)state;
    for (size_t i = 0; i < EXAMPLES && !MPU_SANITIZED; i++) {
        char path[4096];
        mpu_error *e = NULL;
        mpu_program *p =
            mpu_program_load_file(example_path(path, "", example_list[i]->program), &e);
        need(p != NULL, example_list[i]->program, e);
        for (size_t t = 0; t < TARGETS; t++)
            if (draws_takes(i + t, 3) && fits(example_list[i], targets[t]))
                run_example(example_list[i], p, t, &rows);
        mpu_program_free(p);
    }
    show("examples", &rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(programs),
                                       cmocka_unit_test(laps_that_follow_from_the_text),
                                       cmocka_unit_test(examples)};
    return cmocka_run_group_tests(tests, open_targets, close_targets);
}
