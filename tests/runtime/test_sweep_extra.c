/* SPDX-License-Identifier: MIT
 * Runs beside those of the axes: chips at one area, assumed numbers lower and higher; where time
 * and energy of each run went, as columns. */
#include "run_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/include/mpu/mpu.h"

static int write_files(void **state) {
    (void)state;
    write_words("extra.ez", "size n;\ngroup g[n];\nin x: u8 @ g;\nout y: u8 @ g;\n"
                            "main { compute g { y = x * x; } }\n");
    /* Three MPUs of 100 um2 beside two of 200: 300 and 400. */
    write_words("extra_small.yaml",
                "schema: 1\nname: small\nextends: racer\n"
                "machine: { mpus: 3 }\narea: { arrays_um2: 60, scratch_um2: 0 }\n"
                "front_end: { area_um2: 40 }\n");
    write_words("extra_large.yaml",
                "schema: 1\nname: large\nextends: racer\n"
                "machine: { mpus: 2 }\narea: { arrays_um2: 160, scratch_um2: 0 }\n"
                "front_end: { area_um2: 40 }\n");
    write_words("extra_bare.yaml", "schema: 1\nname: bare\nextends: racer\n"
                                   "area: { per: null, arrays_um2: 60, scratch_um2: 0 }\n");
    write_words("extra_grid.s", "        .geometry grid=[3]\n        .group g[4] per mpu\n"
                                "        COMPUTEG @g\n        INC.8 r0 r0\n        COMPUTE_DONE\n");
    return 0;
}

static const struct words_result *run_fine(const char *words) {
    const struct words_result *r = run_words(words);
    if (r->code != 0)
        fail_msg("%s: exit %d\n%s", words, r->code, r->err);
    return r;
}

static size_t lines(const char *text) {
    size_t n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

/* Behind the comma of a field, which may stand in quotes (none of these tables has quotes in it).
 */
static const char *next_field(const char *at) {
    if (*at == '"')
        at = strchr(at + 1, '"');
    return strchr(at, ',') + 1;
}

/* A field of a table as CSV, by line from 1 and name; the text belongs to the caller. */
static char *field(const char *csv, size_t line, const char *name) {
    size_t column = 0, n = strlen(name);
    const char *at = csv;
    while (strncmp(at, name, n) != 0 || !strchr(",\n", at[n])) {
        size_t skip = strcspn(at, ",\n");
        if (at[skip] != ',')
            fail_msg("no column %s in %s", name, csv);
        at += skip + 1;
        column++;
    }
    for (at = csv; line; line--)
        at = strchr(at, '\n') + 1;
    for (; column; column--)
        at = next_field(at);
    return *at == '"' ? strndup(at + 1, strcspn(at + 1, "\"")) : strndup(at, strcspn(at, ",\n"));
}

static uint64_t number(const char *csv, size_t line, const char *name) {
    char *text = field(csv, line, name);
    if (!*text)
        fail_msg("line %zu has no %s", line, name);
    uint64_t value = strtoull(text, NULL, 10);
    free(text);
    return value;
}

static bool is(const char *csv, size_t line, const char *name, const char *want) {
    char *text = field(csv, line, name);
    bool same = strcmp(text, want) == 0;
    free(text);
    return same;
}

/* ---- one area ---- */

#define AREA "extra.ez --size n=100 --in x=iota --stats csv "

/* The larger chip once more, with as many MPUs as the smaller one has room for. */
static void least_area(void **state) {
    (void)state;
    const char *csv = run_fine("--target extra_small.yaml,extra_large.yaml " AREA)->out;
    assert_int_equal(lines(csv), 4);
    assert_true(is(csv, 1, "iso_area_um2", "") && is(csv, 2, "iso_area_um2", ""));
    assert_true(is(csv, 3, "target", "large, iso-area"));
    assert_int_equal(number(csv, 3, "iso_area_um2"), 300);
    assert_int_equal(number(csv, 3, "area_um2"), 200);
}

/* A chip has its row and, at one area, another: each by a name of its own, in every format. */
static void names(void **state) {
    (void)state;
    static const char words[] = "--target extra_small.yaml,extra_large.yaml extra.ez --size n=100 "
                                "--in x=iota --stats ";
    static const struct {
        const char *format, *plain, *iso;
    } forms[] = {{"text", "\n  large  ", "\n  large, iso-area  "},
                 {"csv", "\nlarge,", "\n\"large, iso-area\","},
                 {"json", "\"target\": \"large\",\n      \"set\"",
                  "\"target\": \"large, iso-area\",\n      \"set\""}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char line[256];
        snprintf(line, sizeof line, "%s%s", words, forms[i].format);
        const char *out = run_fine(line)->out;
        assert_non_null(strstr(out, forms[i].plain));
        assert_non_null(strstr(out, forms[i].iso));
        assert_null(strstr(strstr(out, forms[i].plain) + 1, forms[i].plain));
    }
}

/* Areas that are asked for hold for all of them; none, the number of MPUs, and one target alone ask
 * for no more runs. */
static void asked_for(void **state) {
    (void)state;
    const char *csv =
        run_fine("--iso-area 600um2 --target extra_small.yaml,extra_large.yaml " AREA)->out;
    assert_int_equal(lines(csv), 5);
    assert_int_equal(number(csv, 3, "area_um2"), 600);
    assert_int_equal(number(csv, 4, "area_um2"), 600);
    assert_int_equal(
        lines(run_fine("--iso-area none --target extra_small.yaml,extra_large.yaml " AREA)->out),
        3);
    assert_int_equal(
        lines(run_fine("--set mpus=2 --target extra_small.yaml,extra_large.yaml " AREA)->out), 3);
    assert_int_equal(
        lines(run_fine("--target extra_small.yaml --set control.queue=1,2 " AREA)->out), 3);
    words_end_with("--iso-area 4 --target racer,mimdram " AREA, 2, "or an area as 400mm2");
    words_end_with("--iso-area 0mm2 --target racer,mimdram " AREA, 2, "or an area as 400mm2");
}

/* Chips whose areas differ by what a part of an MPU would take are of one size: of the built-in
 * machines racer alone is larger. */
static void built_in(void **state) {
    (void)state;
    const char *csv = run_fine("--target racer,mimdram,duality-cache,golden " AREA)->out;
    assert_int_equal(lines(csv), 6);
    assert_true(is(csv, 5, "target", "racer, iso-area"));
    assert_int_equal(number(csv, 1, "area_um2"), 449412250);
    assert_true(number(csv, 5, "area_um2") <= number(csv, 5, "iso_area_um2"));
}

/* The page's own sweep: twice the lanes take twice the arrays. */
static void lanes_take_area(void **state) {
    (void)state;
    const char *csv =
        run_fine("--target racer --set array.lanes=32,64,128 --set mpus=1 " AREA)->out;
    assert_int_equal(number(csv, 2, "area_um2"), 904250);
    assert_int_equal(number(csv, 1, "area_um2"), 904250 - 781250 / 2 - 12300 / 2);
    assert_int_equal(number(csv, 3, "area_um2"), 904250 + 781250 + 12300);
    words_end_with("--target extra_bare.yaml --set array.lanes=128 " AREA, 0,
                   "they stay as they are: area.arrays_um2");
}

/* With sizes and numbers of the targets, each combination has its own. */
static void of_each_combination(void **state) {
    (void)state;
    const char *csv =
        run_fine("--target extra_small.yaml,extra_large.yaml --set area.arrays_um2=60,160 "
                 "extra.ez --size n=100,200 --in x=iota --stats csv")
            ->out;
    assert_int_equal(lines(csv), 1 + 8 + 4); /* small and large differ by the same everywhere */
}

/* ---- assumed numbers ---- */

#define VARY "--target racer extra.ez --size n=100 --in x=iota "

static void sensitivity(void **state) {
    (void)state;
    const char *text = run_fine(VARY "--sensitivity 20%")->out;
    assert_non_null(strstr(text, "extra.ez on racer: each assumed number 20 % lower and higher"));
    /* Half of the host's energy goes with it: its share of the whole changes by as much. */
    const char *at = strstr(text, "  host.transpose_fj_per_byte  ");
    assert_non_null(at);
    assert_non_null(strstr(at, "865000"));
    assert_non_null(strstr(at, "692000"));
    assert_non_null(strstr(at, "1038000"));
    assert_non_null(strstr(text, "change nothing: "));
    assert_non_null(strstr(strstr(text, "change nothing: "), "thermal.window_ps"));
    assert_non_null(strstr(text, "network.header_bytes (0: 0 has no part)"));
    assert_non_null(strstr(text, "network.chip (mesh-2d: no number)"));
}

/* The same runs as records: what is varied, to what, and that its end is another. */
static void sensitivity_as_records(void **state) {
    (void)state;
    const char *csv = run_fine(VARY "--sensitivity 50 --stats csv")->out;
    size_t found = 0;
    for (size_t i = 2; i < lines(csv); i++) {
        if (!is(csv, i, "varied", "host.bytes_per_s"))
            continue;
        bool lower = number(csv, i, "varied_to") == 9600000000;
        assert_true(lower || number(csv, i, "varied_to") == 28800000000);
        assert_int_equal(number(csv, i, "time_ps"), number(csv, 1, "time_ps"));
        assert_true((number(csv, i, "end_to_end_time_ps") > number(csv, 1, "end_to_end_time_ps")) ==
                    lower);
        found++;
    }
    assert_int_equal(found, 2);
    words_end_with(VARY "--sensitivity 0%", 2, "takes 1% to 99%");
    words_end_with(VARY "--sensitivity 20%x", 2, "takes 1% to 99%");
    words_end_with(VARY "--sensitivity 20% --target mimdram", 2, "the numbers of one run");
    words_end_with(VARY "--sensitivity 20% --trace t.json", 2, "watch one run at a time");
}

/* A number that the program needs as it is stands first, and the command succeeds without a word:
 * three MPUs, of which a third less are two. */
static void what_fails_matters(void **state) {
    (void)state;
    const struct words_result *r =
        run_fine("--target extra_small.yaml extra_grid.s --sensitivity 34%");
    const char *row = strchr(strchr(r->out, '\n') + 1, '\n') + 1;
    assert_int_equal(strncmp(row, "  machine.mpus ", 15), 0);
    assert_non_null(strstr(r->out, "rejected / 0"));
    assert_non_null(strstr(r->out, "rejected / +33.33")); /* of the area */
    assert_string_equal(r->err, "");
}

static void refused_by_the_api(void **state) {
    static const char *const targets[] = {"racer", "mimdram", NULL};
    mpu_sweep *w = mpu_sweep_new(NULL);
    (void)state;
    assert_int_equal(mpu_sweep_add_area(w, 0, NULL), MPU_USAGE); /* no targets */
    mpu_sweep_add(w, MPU_SWEEP_TARGET, NULL, targets, NULL);
    assert_int_equal(mpu_sweep_add_sensitivity(w, 20, NULL), MPU_USAGE); /* two runs */
    assert_int_equal(mpu_sweep_add_area(w, 0, NULL), MPU_OK);
    assert_int_equal(mpu_sweep_count(w), 3);
    assert_string_equal(mpu_sweep_value(w, 2, MPU_SWEEP_TARGET, NULL), "racer");
    assert_string_equal(mpu_sweep_value(w, 2, MPU_SWEEP_SET, "machine.mpus"), "iso:399999600um2");
    assert_int_equal(mpu_sweep_add_area(w, 0, NULL), MPU_USAGE); /* again */
    assert_int_equal(mpu_sweep_add(w, MPU_SWEEP_PLACE, NULL, targets, NULL), MPU_USAGE);
    mpu_sweep_free(w);
}

/* ---- components ---- */

/* Those of the kernel add up to its time and energy. */
static void components_add_up(void **state) {
    static const char *const parts[] = {"fetch",    "decode",   "recipe",  "compute", "evaluate",
                                        "schedule", "transfer", "network", "wait",    "host_cpu"};
    static const char *const classes[] = {"logic", "copy", "crossing", "static"};
    (void)state;
    const char *csv = run_fine("--target racer,mimdram,golden " AREA)->out;
    for (size_t line = 1; line <= 2; line++) {
        uint64_t ps = 0, fj = 0;
        char name[64];
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            snprintf(name, sizeof name, "%s_time_ps", parts[i]);
            ps += number(csv, line, name);
            snprintf(name, sizeof name, "%s_energy_fj", parts[i]);
            fj += number(csv, line, name);
        }
        for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
            snprintf(name, sizeof name, "%s_energy_fj", classes[i]);
            fj += number(csv, line, name);
        }
        assert_int_equal(ps, number(csv, line, "time_ps"));
        assert_int_equal(fj, number(csv, line, "energy_fj"));
        assert_int_equal(number(csv, line, "end_to_end_time_ps"),
                         ps + number(csv, line, "load_time_ps") +
                             number(csv, line, "host_time_ps") +
                             number(csv, line, "transpose_time_ps"));
    }
    assert_true(is(csv, 3, "compute_time_ps", "")); /* golden knows none */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(least_area),
        cmocka_unit_test(lanes_take_area),
        cmocka_unit_test(names),
        cmocka_unit_test(asked_for),
        cmocka_unit_test(built_in),
        cmocka_unit_test(of_each_combination),
        cmocka_unit_test(sensitivity),
        cmocka_unit_test(sensitivity_as_records),
        cmocka_unit_test(what_fails_matters),
        cmocka_unit_test(refused_by_the_api),
        cmocka_unit_test(components_add_up),
    };
    return cmocka_run_group_tests(tests, write_files, NULL);
}
