/* SPDX-License-Identifier: MIT
 * The calculator of the release's rule, against everything that the release prints
 * (docs/pluto-release.csv): each time and energy to its last decimal. */
#include "release.h"
#include "tests/figures/csv.h"

#include "support/file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PRINTED MPU_SOURCE_DIR "/docs/pluto-release.csv"
#define ROWS    288
#define WINDOWS 3
static const double windows[WINDOWS] = {0, 6.664, 13.328};

enum { DESIGN, WORKLOAD, MEMORY, PARALLEL, ENERGY, TIME, COLUMNS = TIME + WINDOWS };

static void want(double ours, const char *printed, const char *what) {
    char text[40];
    snprintf(text, sizeof text, "%.4f", ours);
    if (strcmp(text, printed) != 0)
        fail_msg("%s: %s, printed %s", what, text, printed);
}

static struct release_run run_of(const struct csv_row *row) {
    struct release_run r = {0};
    assert_int_equal(row->count, COLUMNS);
    assert_true(formula_design_of(row->fields[DESIGN], &r.design));
    assert_true(release_workload_of(row->fields[WORKLOAD], &r.workload));
    assert_true(release_memory_of(row->fields[MEMORY], &r.memory));
    r.parallel = (unsigned)strtoul(row->fields[PARALLEL], NULL, 10);
    return r;
}

static void all_rows(void **state) {
    (void)state;
    struct arena arena = {0};
    struct csv csv = {0};
    const char *why = NULL;
    unsigned line = 0;
    char *text = file_read(PRINTED, &(size_t){0});
    assert_non_null(text);
    assert_true(csv_parse(text, &arena, &csv, &why, &line));
    assert_int_equal(csv.rows.len, 1 + ROWS);
    for (size_t i = 1; i < csv.rows.len; i++) {
        const struct csv_row *row = &csv.rows.data[i];
        struct release_run r = run_of(row);
        char what[80];
        snprintf(what, sizeof what, "line %u: %s %s", row->line, row->fields[DESIGN],
                 row->fields[WORKLOAD]);
        want(release_nj(&r), row->fields[ENERGY], what);
        for (unsigned w = 0; w < WINDOWS; w++) {
            r.tfaw = windows[w];
            want(release_ns(&r), row->fields[TIME + w], what);
        }
    }
    csv_free(&csv);
    arena_free(&arena);
    free(text);
}

/* Each mended defect changes a time or an energy of some workload, and none but of those that it
 * speaks of. */
static bool changes(enum release_mend mend, enum release_workload w, enum formula_design d,
                    enum release_memory m, double tfaw) {
    struct release_run r = {d, w, m, m == RELEASE_DDR4 ? 16 : 512, tfaw, RELEASE_NOTHING};
    double ns = release_ns(&r), nj = release_nj(&r);
    r.mended = mend;
    return ns != release_ns(&r) || nj != release_nj(&r);
}

static void each_mend_tells(void **state) {
    (void)state;
    for (unsigned i = 0; i < RELEASE_MENDS; i++) {
        unsigned changed = 0;
        for (unsigned w = 0; w < RELEASE_WORKLOADS; w++)
            for (unsigned d = 0; d < FORMULA_DESIGNS; d++)
                for (unsigned m = 0; m < RELEASE_MEMORIES; m++)
                    changed += changes((enum release_mend)(1u << i), (enum release_workload)w,
                                       (enum formula_design)d, (enum release_memory)m, windows[2]);
        if (!changed)
            fail_msg("mend %u changes nothing", i);
    }
    assert_false(changes(RELEASE_GSA_ONCE, RELEASE_CRC8, FORMULA_BSA, RELEASE_DDR4, 0));
    assert_false(changes(RELEASE_ROW_NJ, RELEASE_CRC8, FORMULA_BSA, RELEASE_DDR4, 0));
    assert_false(changes(RELEASE_PRECHARGE, RELEASE_BITCOUNT, FORMULA_BSA, RELEASE_DDR4, 0));
    assert_false(changes(RELEASE_WINDOW, RELEASE_BITCOUNT, FORMULA_BSA, RELEASE_DDR4, 0));
    assert_false(changes(RELEASE_CRC_BYTES, RELEASE_CRC8, FORMULA_BSA, RELEASE_DDR4, 0));
}

/* How many subarrays work at once changes the time alone. */
static void energy_is_of_commands(void **state) {
    (void)state;
    static const unsigned parallel[] = {1, 16, 256, 1024};
    for (unsigned w = 0; w < RELEASE_WORKLOADS; w++)
        for (unsigned d = 0; d < FORMULA_DESIGNS; d++)
            for (unsigned all = 0; all < 2; all++) {
                struct release_run r = {(enum formula_design)d,
                                        (enum release_workload)w,
                                        RELEASE_DDR4,
                                        1,
                                        0,
                                        all ? RELEASE_ALL : RELEASE_NOTHING};
                double nj = release_nj(&r), before = INFINITY;
                for (size_t i = 0; i < sizeof parallel / sizeof *parallel; i++) {
                    r.parallel = parallel[i];
                    assert_true(release_nj(&r) == nj);
                    assert_true(release_ns(&r) <= before);
                    before = release_ns(&r);
                }
            }
}

/* A query for one row, the ends aside, is Table 1 where everything is mended. */
static void mended_queries_are_table_1(void **state) {
    (void)state;
    const struct formula_timing *ddr4 = formula_timing_of("DDR4-2400");
    double reload = formula_reload_ns(formula_reload_of("release"), ddr4);
    for (unsigned d = 0; d < FORMULA_DESIGNS; d++) {
        enum formula_design design = (enum formula_design)d;
        struct release_run r = {design, RELEASE_BITCOUNT, RELEASE_DDR4, 16, 0, RELEASE_ALL};
        double query = formula_query_ns(design, ddr4, 256, reload) + formula_ends_ns(ddr4);
        assert_true(fabs(release_ns(&r) - query) < 1e-6);
        double nj = formula_query_nj(design, 256, formula_ap_nj) + formula_aap_nj;
        assert_true(fabs(release_nj(&r) - 16 * nj) < 1e-6);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_rows), cmocka_unit_test(each_mend_tells),
        cmocka_unit_test(energy_is_of_commands), cmocka_unit_test(mended_queries_are_table_1)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
