/* SPDX-License-Identifier: MIT
 * Statistics as people read them: units, shares, the largest rows, bars. */
#include "emu/report/figures.h"
#include "emu/report/report_text.h"
#include "emu/report/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect_unit(const char *key, uint64_t value, const char *want) {
    struct str s = {0};
    report_unit_text(key, value, &s);
    assert_string_equal(str_text(&s), want);
    str_free(&s);
}

static void four_digits_and_a_unit(void **state) {
    (void)state;
    expect_unit("time_ps", 0, "0 ps");
    expect_unit("time_ps", 999, "999 ps");
    expect_unit("time_ps", 1000, "1.000 ns");
    expect_unit("time_ps", 1904000, "1.904 us");
    expect_unit("time_ps", 12345, "12.35 ns");
    expect_unit("time_ps", 123456, "123.5 ns");
    expect_unit("time_ps", 99994, "99.99 ns");
    expect_unit("time_ps", 99996, "100.0 ns");
    expect_unit("time_ps", 999949, "999.9 ns");
    expect_unit("time_ps", 999950, "1.000 us");
    expect_unit("time_ps", 9999, "9.999 ns");
    expect_unit("time_ps", 9999499, "9.999 us");
    expect_unit("time_ps", 9999500, "10.00 us");
    expect_unit("time_ps", 99994999, "99.99 us");
    expect_unit("time_ps", 99995000, "100.0 us");
    expect_unit("time_ps", 5000000000000, "5.000 s");
    expect_unit("time_ps", UINT64_MAX, "18446744 s");
    expect_unit("time_per_element_fs", 1500, "1.500 ps");
    expect_unit("energy_fj", 71720, "71.72 pJ");
    expect_unit("average_power_nw", 1220000, "1.220 mW");
    expect_unit("average_power_nw", 80000000000, "80.00 W");
    expect_unit("executed", 123456789, "123456789");
    expect_unit("ps", 1000, "1000");
    assert_int_equal(report_unit_stem("time_ps"), 4);
    assert_int_equal(report_unit_stem("mean_writes_milli"), 17);
}

static void expect_percent(uint64_t part, uint64_t whole, const char *want) {
    struct str s = {0};
    report_percent_text(part, whole, &s);
    assert_string_equal(str_text(&s), want);
    str_free(&s);
}

static void percents(void **state) {
    (void)state;
    expect_percent(0, 7, "0.0");
    expect_percent(1, 3, "33.3");
    expect_percent(7, 7, "100.0");
    expect_percent(1, 0, "-");
    expect_percent(UINT64_MAX, UINT64_MAX, "100.0");
}

/* The frame of statistics with one list. */
static void begin(struct figures *f, const char *list) {
    report_figures_object(f, NULL);
    report_figures_text(f, "end", "done");
    report_figures_object(f, "provenance");
    report_figures_text(f, "program", "x.ez");
    report_figures_text(f, "target", "racer");
    report_figures_end(f);
    report_figures_object(f, "total");
    report_figures_number(f, "time_ps", 1000000);
    report_figures_number(f, "energy_fj", 2000);
    report_figures_null(f, "micro_ops");
    report_figures_end(f);
    report_figures_array(f, list);
}

static void instruction(struct figures *f, const char *name, uint64_t time, uint64_t energy) {
    report_figures_object(f, NULL);
    report_figures_text(f, "instruction", name);
    report_figures_number(f, "executed", 3);
    report_figures_number(f, "busy_time_ps", time);
    report_figures_number(f, "energy_fj", energy);
    report_figures_end(f);
}

static void expect_text(struct figures *f, unsigned columns, const char *want) {
    struct str s = {0};
    report_figures_end(f);
    report_figures_end(f);
    report_text(f, columns, &s);
    assert_string_equal(str_text(&s), want);
    str_free(&s);
    report_figures_free(f);
}

#define HEAD                                                                                       \
    "x.ez on racer: done\n"                                                                        \
    "  time              1.000 us; with loading and transfers unknown\n"                           \
    "  energy            2.000 pJ; with loading and transfers unknown\n"                           \
    "  power             unknown on average; of the datapath at most unknown\n"                    \
    "  work              unknown element-instructions in enabled lanes; unknown a second\n"        \
    "  lanes used        unknown of unknown, unknown of unknown VRFs, unknown of unknown MPUs\n"   \
    "  most              unknown\n"                                                                \
    "  hottest lines     unknown\n"                                                                \
    "  issue slots used  unknown of unknown\n"                                                     \
    "  executed          ensembles unknown, batches unknown, instructions unknown, "               \
    "micro-ops unknown\n"                                                                          \
    "\n"                                                                                           \
    "total\n"                                                                                      \
    "  time_ps                          1000000              1.000 us\n"                           \
    "  energy_fj                        2000                 2.000 pJ\n"                           \
    "  micro_ops                        unknown\n"                                                 \
    "\n"                                                                                           \
    "by_instruction\n"
#define TAIL                                                                                       \
    "\n"                                                                                           \
    "provenance\n"                                                                                 \
    "  program                          x.ez\n"                                                    \
    "  target                           racer\n"

static void largest_first_with_shares(void **state) {
    struct figures f = {0};
    (void)state;
    begin(&f, "by_instruction");
    instruction(&f, "ADD.8", 250000, 2000);
    instruction(&f, "MUL.32", 750000, 0);
    instruction(&f, "SUB.8", 250000, 2001);
    expect_text(&f, 0,
                HEAD "  instruction  executed  busy_time  % of busy    energy  % of kernel\n"
                     "  MUL.32              3   750.0 ns       60.0      0 fJ          0.0\n"
                     "  SUB.8               3   250.0 ns       20.0  2.001 pJ        100.0\n"
                     "  ADD.8               3   250.0 ns       20.0  2.000 pJ        100.0\n" TAIL);
}

/* 88 columns leave 17 for the bars, and one at the right. */
static void bars_on_a_terminal(void **state) {
    struct figures f = {0};
    (void)state;
    begin(&f, "by_instruction");
    instruction(&f, "MUL.32", 750000, 0);
    instruction(&f, "ADD.8", 250000, 2000);
    expect_text(
        &f, 88,
        HEAD "  instruction  executed  busy_time  % of busy    energy  % of kernel\n"
             "  MUL.32              3   750.0 ns       75.0      0 fJ          0.0  #############\n"
             "  ADD.8               3   250.0 ns       25.0  2.000 pJ        100.0  ####\n" TAIL);
}

static void no_room_for_bars(void **state) {
    struct figures f = {0};
    (void)state;
    begin(&f, "by_instruction");
    instruction(&f, "MUL.32", 750000, 0);
    expect_text(&f, 60,
                HEAD "  instruction  executed  busy_time  % of busy  energy  % of kernel\n"
                     "  MUL.32              3   750.0 ns      100.0    0 fJ          0.0\n" TAIL);
}

static void the_rest_is_counted(void **state) {
    struct figures f = {0};
    struct str s = {0};
    char name[16];
    (void)state;
    begin(&f, "by_instruction");
    for (unsigned i = 0; i < TEXT_ROWS + 5; i++) {
        snprintf(name, sizeof name, "OP%u", i);
        instruction(&f, name, i, 0);
    }
    report_figures_end(&f);
    report_figures_end(&f);
    report_text(&f, 0, &s);
    assert_non_null(strstr(str_text(&s), "\n  OP20 "));
    assert_non_null(strstr(str_text(&s), "\n  OP5 "));
    assert_null(strstr(str_text(&s), "\n  OP4 "));
    assert_non_null(strstr(str_text(&s), "\n  and 5 more, which json and csv have\n"));
    str_free(&s);
    report_figures_free(&f);
}

/* Rows of a component that has no time, and wholes that are not known. */
static void what_is_not_there(void **state) {
    struct figures f = {0};
    (void)state;
    begin(&f, "by_component");
    report_figures_object(&f, NULL);
    report_figures_text(&f, "component", "static");
    report_figures_none(&f, "time_ps");
    report_figures_null(&f, "energy_fj");
    report_figures_end(&f);
    report_figures_end(&f);
    report_figures_array(&f, "by_region");
    report_figures_object(&f, NULL);
    report_figures_text(&f, "region", "r\xc3\xa9gion");
    report_figures_none(&f, "time_ps");
    report_figures_number(&f, "energy_fj", 500);
    report_figures_end(&f);
    struct str s = {0};
    report_figures_end(&f);
    report_figures_end(&f);
    report_text(&f, 0, &s);
    assert_non_null(strstr(str_text(&s), "by_component\n"
                                         "  component  time   energy\n"
                                         "  static        -  unknown\n"));
    assert_non_null(strstr(str_text(&s),
                           "by_region\n"
                           "  region  time  % of kernel  energy  % of kernel\n"
                           "  r\xc3\xa9gion     -            -  500 fJ         25.0\n"));
    str_free(&s);
    report_figures_free(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_digits_and_a_unit),    cmocka_unit_test(percents),
        cmocka_unit_test(largest_first_with_shares), cmocka_unit_test(bars_on_a_terminal),
        cmocka_unit_test(no_room_for_bars),          cmocka_unit_test(the_rest_is_counted),
        cmocka_unit_test(what_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
