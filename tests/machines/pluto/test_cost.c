/* SPDX-License-Identifier: MIT
 * What commands take, against the formulas of the paper (tests/pluto) and counts by hand. */
#include "machines/slot/link/link.h"
#include "support/diag.h"
#include "tests/pluto/formula.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const names[FORMULA_DESIGNS] = {"pluto-gsa", "pluto-bsa", "pluto-gmc"};

static void count_message(void *context, const struct diag *d, const struct message *m) {
    (void)d;
    (void)m;
    ++*(unsigned *)context;
}

/* Without a warning: energies of other rows are not those that were forgotten. */
static struct target *open_with(const char *name, const struct target_override *with,
                                size_t count) {
    unsigned messages = 0;
    struct diag *d = diag_new(count_message, &messages);
    struct target *t = target_open(name, with, count, d);
    diag_flush(d);
    if (!t || messages)
        fail_msg("%s: %u messages, %s", name, messages, t ? "warnings" : diag_first(d));
    diag_free(d);
    return t;
}

static struct target *open_set(const char *name, const char *set) {
    const struct target_override with = {"set", set};
    return open_with(name, &with, 1);
}

static void assert_ps(const struct slot_cost *c, double ns) {
    if (fabs((double)c->ps - ns * 1000) > 0.5)
        fail_msg("%llu ps are not %.3f ns", (unsigned long long)c->ps, ns);
}

static struct slot_cost query(const struct target *t, uint64_t rows, uint64_t vrfs) {
    const struct slot_step step = {t, vrfs};
    struct slot_table_shape shape = slot_table_shape(t, rows);
    return slot_cost_query(&step, &shape);
}

/* Table 1, with the ends of a query, at N 2 to 512, in all timings, under all reloads. */
static void queries_are_table_1(void **state) {
    static const char *const sets[FORMULA_TIMINGS] = {"t14.16", "t15", "3ds"};
    static const char *const reloads[FORMULA_RELOADS] = {"rbm", "ap", "aap", "risc"};
    (void)state;
    for (unsigned d = 0; d < FORMULA_DESIGNS; d++)
        for (unsigned s = 0; s < FORMULA_TIMINGS; s++)
            for (unsigned r = 0; r < FORMULA_RELOADS; r++) {
                const struct target_override with[] = {{"set", sets[s]},
                                                       {"pluto.reload", reloads[r]}};
                struct target *t = open_with(names[d], with, 2);
                const struct formula_timing *at = &formula_timings[s];
                double reload = formula_reload_ns(&formula_reloads[r], at);
                for (unsigned n = 2; n <= 512; n *= 2) {
                    struct slot_cost c = query(t, n, 1);
                    assert_ps(&c, formula_query_ns((enum formula_design)d, at, n, reload) +
                                      formula_ends_ns(at));
                }
                target_free(t);
            }
}

static void the_figures_of_256_rows(void **state) {
    (void)state;
    static const double ns[FORMULA_DESIGNS] = {16612.48, 7300.4, 3689.6};
    for (unsigned d = 0; d < FORMULA_DESIGNS; d++) {
        struct target *t = open_with(names[d], NULL, 0);
        struct slot_cost c = query(t, 256, 1);
        assert_ps(&c, ns[d]);
        target_free(t);
    }
}

/* A query's energy is the formula's, an ACT at either end and a PRE, and an RBM. */
static void energy_of_queries(void **state) {
    (void)state;
    for (unsigned d = FORMULA_BSA; d < FORMULA_DESIGNS; d++) {
        struct target *t = open_with(names[d], NULL, 0);
        const struct slot_target *s = slot_target_of(t);
        for (unsigned n = 2; n <= 512; n *= 2) {
            struct slot_cost c = query(t, n, 1);
            double nj = formula_query_nj((enum formula_design)d, n, 0) + 2 * formula_act_nj +
                        formula_pre_nj;
            assert_int_equal(slot_cost_fj(&c), (uint64_t)llround(nj * 1e6) + s->rbm_fj);
            assert_int_equal(c.count[SLOT_ACT], n + 2);
            assert_int_equal(c.count[SLOT_PRE], (d == FORMULA_BSA ? n : 1) + 1);
            assert_int_equal(c.count[SLOT_RBM], 1);
        }
        target_free(t);
    }
}

static void gsa_takes_a_copy_and_a_move_a_row_more(void **state) {
    struct target *gsa = open_with("pluto-gsa", NULL, 0), *gmc = open_with("pluto-gmc", NULL, 0);
    (void)state;
    for (unsigned n = 2; n <= 512; n *= 2) {
        struct slot_cost a = query(gsa, n, 1), b = query(gmc, n, 1);
        assert_int_equal(a.count[SLOT_ACT], b.count[SLOT_ACT] + 2 * n);
        assert_int_equal(a.count[SLOT_PRE], b.count[SLOT_PRE] + n);
        assert_int_equal(a.count[SLOT_RBM], b.count[SLOT_RBM] + n);
        assert_int_equal(slot_cost_fj(&a), slot_cost_fj(&b) + n * (UINT64_C(871000) + 435500));
    }
    target_free(gsa);
    target_free(gmc);
}

/* A table that was loaded for the query comes back from no copy: the design is GMC's then. */
static void a_loaded_table_takes_no_reload(void **state) {
    struct target *gsa = open_with("pluto-gsa", NULL, 0), *gmc = open_with("pluto-gmc", NULL, 0);
    const struct slot_step on_gsa = {gsa, 1}, on_gmc = {gmc, 1};
    (void)state;
    for (unsigned n = 2; n <= 4096; n *= 2) {
        struct slot_cost a = slot_price_at(&on_gsa, ROW_QUERY, n, SLOT_HOME_QUERY, NULL),
                         b = slot_price(&on_gmc, ROW_QUERY, n);
        assert_memory_equal(&a, &b, sizeof a);
    }
    target_free(gsa);
    target_free(gmc);
}

/* Sequences of AAP and AP: time at tRCD and tRP, energy as the release has AAP and AP. */
static void logic_and_shifts(void **state) {
    static const struct {
        enum row_kind kind;
        unsigned steps, aaps, aps;
    } rows[] = {{ROW_COPY, 0, 1, 0},        {ROW_NOT, 0, 2, 0},         {ROW_AND, 0, 4, 0},
                {ROW_OR, 0, 4, 0},          {ROW_XOR, 0, 5, 2},         {ROW_XNOR, 0, 6, 2},
                {ROW_BIT_SHIFT_L, 1, 1, 0}, {ROW_BIT_SHIFT_R, 7, 7, 0}, {ROW_BYTE_SHIFT_L, 3, 3, 0},
                {ROW_BYTE_SHIFT_R, 1, 1, 0}};
    struct target *t = open_with("pluto-bsa", NULL, 0);
    const struct slot_step alone = {t, 1};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct slot_cost c = slot_price(&alone, rows[i].kind, rows[i].steps);
        unsigned acts = 2 * rows[i].aaps + rows[i].aps, pres = rows[i].aaps + rows[i].aps;
        assert_ps(&c, 14.16 * (acts + pres));
        assert_int_equal(c.count[SLOT_ACT], acts);
        assert_int_equal(c.count[SLOT_PRE], pres);
        assert_int_equal(slot_cost_fj(&c), 871000 * rows[i].aaps + 664000 * rows[i].aps);
        assert_int_equal(acts + pres, row_act_pre(NULL, rows[i].kind, rows[i].steps));
    }
    target_free(t);
}

/* Sweeps of so many pairs in step, without the ends, beside those without a limit. */
static double speed(const char *name, uint64_t faw_ps, uint64_t pairs) {
    char number[32];
    snprintf(number, sizeof number, "%llu", (unsigned long long)faw_ps);
    const struct target_override with = {"time.t_faw", number};
    struct target *limited = open_with(name, &with, 1), *free_of = open_with(name, NULL, 0);
    double ends[2], time[2];
    for (unsigned i = 0; i < 2; i++) { /* what a row more takes */
        const struct target *t = i ? limited : free_of;
        ends[i] = (double)query(t, 256, pairs).ps;
        time[i] = (double)query(t, 512, pairs).ps - ends[i];
    }
    target_free(limited);
    target_free(free_of);
    return time[0] / time[1];
}

static void windows_of_activations(void **state) {
    static const struct {
        const char *name;
        unsigned design;
        uint64_t faw_ps;
        double percent;
    } rows[] = {{"pluto-bsa", FORMULA_BSA, 13328, 53.1}, {"pluto-gmc", FORMULA_GMC, 13328, 26.6},
                {"pluto-bsa", FORMULA_BSA, 6664, 100},   {"pluto-gmc", FORMULA_GMC, 6664, 53.1},
                {"pluto-bsa", FORMULA_BSA, 21000, 33.7}, {"pluto-gmc", FORMULA_GMC, 21000, 16.9}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double percent = 100 * speed(rows[i].name, rows[i].faw_ps, 16);
        assert_true(fabs(percent - rows[i].percent) < 0.05);
        double formula = formula_window((enum formula_design)rows[i].design, &formula_timings[0],
                                        16, (double)rows[i].faw_ps / 1000);
        assert_true(fabs(percent - 100 * formula) < 0.01);
        assert_true(speed(rows[i].name, rows[i].faw_ps, 1) > 0.9999);
    }
}

/* 350 of 7,800 ns go to refreshes. */
static void refreshes(void **state) {
    struct target *t = open_set("pluto-bsa", "refresh");
    const struct slot_step alone = {t, 1};
    struct slot_cost c = slot_price(&alone, ROW_AND, 0);
    (void)state;
    assert_ps(&c, ceil(169920 * 7800.0 / 7450) / 1000);
    target_free(t);
}

/* 3DS has 256 B rows: energies of 8 kB by 32, or as released. */
static void sets_of_3ds(void **state) {
    static const char *const sets[] = {"3ds", "3ds+release-energy", "3ds+tfaw"};
    static const uint64_t fj[] = {4 * 27218, 4 * 871000, 4 * 27218};
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct target *t = open_set("pluto-bsa", sets[i]);
        const struct slot_step alone = {t, 1};
        struct slot_cost c = slot_price(&alone, ROW_AND, 0);
        assert_int_equal(slot_cost_fj(&c), fj[i]);
        assert_ps(&c, 4 * (2 * 10.2 + 9.9));
        assert_int_equal(t->mpus, 32);
        assert_int_equal(t->lanes, 32);
        target_free(t);
    }
}

/* The latency of one part, energy of all; 128 parts come in two turns of a bank of 64. */
static void split_tables(void **state) {
    (void)state;
    for (unsigned d = 0; d < FORMULA_DESIGNS; d++) {
        struct target *t = open_with(names[d], NULL, 0);
        struct slot_cost whole = query(t, 512, 1), split = query(t, 4096, 1);
        assert_int_equal(split.ps, whole.ps);
        assert_int_equal(split.count[SLOT_ACT] - 2, 8 * (whole.count[SLOT_ACT] - 2));
        assert_int_equal(split.count[SLOT_PRE] - 1, 8 * (whole.count[SLOT_PRE] - 1));
        assert_int_equal(split.count[SLOT_RBM], 8 * whole.count[SLOT_RBM]);
        struct slot_table_shape half = slot_table_shape(t, 1 << 15),
                                all = slot_table_shape(t, 1 << 16);
        assert_int_equal(half.parts, 64);
        assert_int_equal(slot_table_turns(t, &half), 1);
        assert_int_equal(slot_table_turns(t, &all), 2);
        target_free(t);
    }
}

/* A bank has a table of eight parts once: one pair of each of the 16 banks at a time.  What comes
 * before and after a sweep is done in all pairs in step. */
static void parts_keep_others_waiting(void **state) {
    (void)state;
    for (unsigned d = 0; d < FORMULA_DESIGNS; d++) {
        struct target *t = open_with(names[d], NULL, 0);
        uint64_t one = query(t, 4096, 16).ps, eight = query(t, 4096, 16 * 8).ps,
                 nine = query(t, 4096, 16 * 8 + 1).ps, small = query(t, 512, 16 * 64).ps,
                 around = 14160 + 2 * 14160; /* of the source, and of the result */
        assert_int_equal(one, query(t, 4096, 1).ps);
        assert_int_equal(eight, around + 8 * (one - around));
        assert_int_equal(nine, around + 9 * (one - around));
        assert_int_equal(small, query(t, 512, 1).ps);
        /* One of a single part, too, where it lies in another pair of the bank. */
        const struct slot_step step = {t, 16 * 2};
        assert_true(slot_price_at(&step, ROW_QUERY, 512, SLOT_HOME_BANK, NULL).ps >
                    2 * (small - around));
        target_free(t);
    }
}

/* Where other tables leave three pairs, a loaded table of eight parts comes in three turns; where
 * queries bring back what they need, the whole bank is there. */
static void loaded_in_turns(void **state) {
    (void)state;
    for (unsigned d = 0; d < FORMULA_DESIGNS; d++) {
        struct target *t = open_with(names[d], NULL, 0);
        const struct slot_step alone = {t, 1};
        const struct slot_room three = {0, 1, 2}, none = {0}, all = {0, 64, 0};
        uint64_t once = slot_price_at(&alone, ROW_QUERY, 4096, SLOT_HOME_QUERY, &all).ps,
                 turns = slot_price_at(&alone, ROW_QUERY, 4096, SLOT_HOME_QUERY, &three).ps,
                 each = slot_price_at(&alone, ROW_QUERY, 4096, SLOT_HOME_QUERY, &none).ps,
                 around = 14160 + 2 * 14160;
        bool copies = slot_keeps_copies(t);
        assert_int_equal(turns, copies ? once : around + 3 * (once - around));
        assert_int_equal(each, copies ? once : around + 8 * (once - around));
        target_free(t);
    }
}

/* A bank's share of the channel brings 256 rows in the paper's time, and what a row is opened for;
 * rows that are there take nothing. */
static void loading(void **state) {
    static const char *const from[] = {"memory", "generate", "storage", "resident"};
    double bus = formula_load_ns(FORMULA_DECIMAL) / 16, open = 256 * 2 * 14.16;
    const double ns[] = {bus + open, bus + open + 256, bus + open + 256 * 8192 / 7.5, 0};
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        const struct target_override with = {"pluto.load", from[i]};
        struct target *t = open_with("pluto-bsa", &with, 1);
        struct slot_cost c = slot_cost_load(t, 256);
        assert_true(fabs((double)c.ps / 1000 - ns[i]) < 1);
        assert_int_equal(c.count[SLOT_WR], i < 3 ? 256 : 0);
        assert_int_equal(c.count[SLOT_RD], i == 0 ? 256 : 0);
        target_free(t);
    }
}

/* Keys that numbers alone do not make wrong. */
static void wrong_keys(void **state) {
    static const struct target_override wrong[] = {
        {"pluto.row_bits", "65535"}, {"array.lanes", "1000"},        {"pluto.table_rows", "500"},
        {"pluto.match_bits", "7"},   {"pluto.bus_bytes_per_s", "0"}, {"pluto.reload", "never"},
        {"energy.e_aap", "1"},       {"set", "t14.16+t15"},          {"set", "t14"}};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct diag *d = diag_new(NULL, NULL);
        assert_null(target_open("pluto-gsa", &wrong[i], 1, d));
        assert_non_null(diag_first(d));
        diag_free(d);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_are_table_1),
        cmocka_unit_test(the_figures_of_256_rows),
        cmocka_unit_test(energy_of_queries),
        cmocka_unit_test(gsa_takes_a_copy_and_a_move_a_row_more),
        cmocka_unit_test(a_loaded_table_takes_no_reload),
        cmocka_unit_test(logic_and_shifts),
        cmocka_unit_test(windows_of_activations),
        cmocka_unit_test(refreshes),
        cmocka_unit_test(sets_of_3ds),
        cmocka_unit_test(split_tables),
        cmocka_unit_test(parts_keep_others_waiting),
        cmocka_unit_test(loaded_in_turns),
        cmocka_unit_test(loading),
        cmocka_unit_test(wrong_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
