/* SPDX-License-Identifier: MIT
 * The published figures of pLUTo (docs/pluto-published.csv) against the release's rule and the
 * formulas, and the page of both.  MPU_WRITE_PAGE=1 writes the page's tables. */
#include "machine.h"
#include "page.h"
#include "tests/examples/page.h"

#include "support/file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PUBLISHED MPU_SOURCE_DIR "/docs/pluto-published.csv"
#define PAGE      MPU_SOURCE_DIR "/docs/pluto-published.md"
#define WRITER    "test_pluto_published"
#define FACTS     304

static int set_up(void **state) {
    static struct facts facts;
    const char *why = NULL;
    char *text = file_read(PUBLISHED, &(size_t){0});
    assert_non_null(text);
    if (!facts_read(text, &facts, &why))
        fail_msg("%s", why);
    free(text);
    *state = &facts;
    return 0;
}

static int tear_down(void **state) {
    facts_free(*state);
    return 0;
}

static void want_fact(struct facts *all, const struct fact *f) {
    for (unsigned w = 0; w < WAYS; w++) {
        double ours = figure_value(all, f, (enum way)w);
        bool agrees = !isnan(ours) && fact_agrees(f, ours);
        if (f->agrees[w] && !agrees)
            fail_msg("line %u: %s is %.6g", f->line, figure_ways[w], ours);
        if (f->none && agrees)
            fail_msg("line %u: %s gives it", f->line, figure_ways[w]);
    }
}

/* What is said to give a figure gives it; what is said to be given by nothing is given by none. */
static void every_fact(void **state) {
    struct facts *all = *state;
    assert_int_equal(all->list.len, FACTS);
    for (size_t i = 0; i < all->list.len; i++)
        if (all->list.data[i].printed != FACT_GIVEN)
            want_fact(all, &all->list.data[i]);
}

static void stacked_memory_over_fpga_is_half(void **state) {
    struct facts *all = *state;
    unsigned count = 0;
    for (size_t i = 0; i < all->list.len; i++) {
        const struct fact *f = &all->list.data[i];
        if (strcmp(f->figure, "Fig. 9") != 0 || !strstr(f->setting, "3DS"))
            continue;
        assert_true(fact_agrees(f, figure_value(all, f, WAY_RELEASE) / 2));
        count++;
    }
    assert_int_equal(count, FORMULA_DESIGNS);
}

static void both_readings_of_table_6(void **state) {
    struct facts *all = *state;
    unsigned count = 0;
    for (size_t i = 0; i < all->list.len; i++) {
        const struct fact *f = &all->list.data[i];
        unsigned rows = (unsigned)fact_number(all, f, "rows");
        unsigned operands = (unsigned)fact_number(all, f, "operands");
        if (strcmp(f->figure, "Table 6") != 0 || !rows)
            continue;
        assert_true(fact_agrees(f, formula_table6_ns(rows, operands, FORMULA_UNSHARED)));
        assert_true(fact_agrees(f, formula_table6_ns(rows, operands, FORMULA_SHARED)));
        count++;
    }
    assert_int_equal(count, 13);
}

/* GMC > BSA > GSA, but with an RBM alone from four rows on. */
static void order_of_designs(void **state) {
    (void)state;
    const struct formula_timing *t = formula_timing_of("DDR4-2400");
    for (unsigned n = 2; n <= 512; n *= 2)
        for (unsigned r = 0; r < FORMULA_RELOADS; r++) {
            double reload = formula_reload_ns(&formula_reloads[r], t);
            double gmc = formula_query_ns(FORMULA_GMC, t, n, 0);
            double bsa = formula_query_ns(FORMULA_BSA, t, n, 0);
            double gsa = formula_query_ns(FORMULA_GSA, t, n, reload);
            bool rbm = strcmp(formula_reloads[r].name, "rbm") == 0;
            assert_true(gmc < bsa);
            assert_int_equal(bsa < gsa, !rbm || n < 4);
        }
}

/* The machine has the same order, with what both ends of a query take. */
static void order_by_machine(void **state) {
    (void)state;
    double bsa = machine_query_ns(FORMULA_BSA, "DDR4-2400", "aap", 256);
    assert_true(machine_query_ns(FORMULA_GMC, "DDR4-2400", "aap", 256) < bsa);
    assert_true(machine_query_ns(FORMULA_GSA, "DDR4-2400", "aap", 256) > bsa);
    assert_true(machine_query_ns(FORMULA_GSA, "DDR4-2400", "rbm", 256) < bsa);
}

/* As many times faster as there are subarrays at work, at the same energy. */
static void subarrays_at_equal_energy(void **state) {
    (void)state;
    struct machine_run one = machine_run_parallel(FORMULA_BSA, 0);
    double query = machine_query_ns(FORMULA_BSA, "DDR4-2400", "aap", 256);
    for (unsigned i = 0; i < MACHINE_PARALLEL; i++) {
        struct machine_run r = machine_run_parallel(FORMULA_BSA, i);
        double turns = 1024.0 / machine_parallel[i];
        assert_true(r.nj == one.nj && one.nj > 1024 * formula_query_nj(FORMULA_BSA, 256, 0));
        assert_true(r.ns >= turns * query && r.ns < turns * (query + 5) + 1000);
    }
}

/* Fig. 12a: the larger a table, the fewer queries a second and the more energy. */
static void larger_tables_take_more(void **state) {
    (void)state;
    const struct formula_timing *t = formula_timing_of("DDR4-2400");
    for (unsigned d = 0; d < FORMULA_DESIGNS; d++) {
        double rate = INFINITY, energy = 0;
        for (unsigned n = 2; n <= 512; n *= 2) {
            double now = formula_per_second(n, formula_query_ns((enum formula_design)d, t, n, 8));
            double nj = formula_query_nj((enum formula_design)d, n, formula_ap_nj);
            assert_true(now < rate && nj > energy);
            rate = now;
            energy = nj;
        }
    }
    double one = formula_per_second(256, formula_query_ns(FORMULA_BSA, t, 256, 0));
    assert_true(fabs(one - 8192 / 7249.92e-9) < 1);
}

#define HEAD "figure,quantity,subject,setting,value,unit,printed,agrees,source,note\n"

static void expect_mistake(const char *row, const char *part) {
    struct facts facts = {0};
    struct str text = {0};
    const char *why = NULL;
    str_printf(&text, "%s%s\n", HEAD, row);
    assert_false(facts_read(str_text(&text), &facts, &why));
    if (!strstr(why, part))
        fail_msg("'%s' does not say '%s'", why, part);
    str_free(&text);
    facts_free(&facts);
}

static void mistakes_are_named(void **state) {
    (void)state;
    expect_mistake("a,b,c,d,1,x", "line 2: not ten columns");
    expect_mistake("a,b,c,d,one,x,rounded,formula,s,", "no number");
    expect_mistake("a,b,c,d,1,x,nearly,formula,s,", "printed is unknown");
    expect_mistake("a,b,c,d,1,x,rounded,guess,s,", "agrees is unknown");
    expect_mistake("a,b,c,d,1,x,given,formula,s,", "given value");
    expect_mistake("a,b,c,d,1,x,rounded,none,s,", "needs a note");
}

static void digits(void **state) {
    (void)state;
    struct fact f = {.text = "10.2", .value = 10.2, .printed = FACT_ROUNDED};
    assert_true(fact_agrees(&f, 10.249) && fact_agrees(&f, 10.15));
    assert_false(fact_agrees(&f, 10.26) || fact_agrees(&f, 10.14));
    f.printed = FACT_TRUNCATED;
    assert_true(fact_agrees(&f, 10.299) && fact_agrees(&f, 10.2));
    assert_false(fact_agrees(&f, 10.3) || fact_agrees(&f, 10.19));
    f.printed = FACT_WITHIN;
    f.within = 1;
    assert_true(fact_agrees(&f, 11.1));
    assert_false(fact_agrees(&f, 11.3));
}

static void tables_of_the_page(void **state) {
    for (unsigned i = 0; i < PAGE_TABLES; i++) {
        struct str table = {0};
        page_tables[i].put(*state, &table);
        page_check(PAGE, page_tables[i].name, &table, WRITER);
        str_free(&table);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_fact),
                                       cmocka_unit_test(stacked_memory_over_fpga_is_half),
                                       cmocka_unit_test(both_readings_of_table_6),
                                       cmocka_unit_test(order_of_designs),
                                       cmocka_unit_test(order_by_machine),
                                       cmocka_unit_test(subarrays_at_equal_energy),
                                       cmocka_unit_test(larger_tables_take_more),
                                       cmocka_unit_test(mistakes_are_named),
                                       cmocka_unit_test(digits),
                                       cmocka_unit_test(tables_of_the_page)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
