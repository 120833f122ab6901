/* SPDX-License-Identifier: MIT
 * The control path in time on racer: recipe tables of real programs, and relations that must hold.
 * The mechanisms one by one: tests/timing. */
#include "machine.h"

#include "machines/plane/link/plane.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* Statistics of a program with numbers of the target changed. */
static struct control_stats stats_of(const char *text, const struct target_override *set,
                                     size_t count) {
    struct opened m;
    machine_open_with(&m, ON_RACER, text, set, count);
    machine_run(&m, NULL);
    assert_int_equal(m.end, CONTROL_DONE);
    struct control_stats s = machine_stats(&m);
    machine_close(&m);
    return s;
}

static uint64_t loads(const char *text, const char *key, uint64_t value) {
    char number[24];
    const struct target_override set[] = {{key, number}};
    snprintf(number, sizeof number, "%u", (unsigned)value);
    return stats_of(text, set, key ? 1 : 0).part_cycles[TIMING_RECIPE];
}

/* Templates that the program's two recipes need: the one that is carried out first and last, the
 * other, and both. */
struct recipes {
    uint64_t first, other, both;
    uint32_t pointers; /* that the hungrier one takes */
};

static uint32_t mark(const struct recipe_table *t, const struct recipe_form *f, uint8_t bit,
                     uint8_t *marks) {
    uint32_t leads_to = recipe_table_leads_to(t, f), pointers = 1;
    for (uint32_t i = 0; i < f->count; i++)
        marks[f->first + i] |= bit;
    for (uint32_t p = 0; p < t->pointer_count; p++) {
        uint32_t first = t->pointers[p] >> 10, count = (t->pointers[p] & 1023) + 1;
        for (uint32_t i = 0; leads_to >> p & 1 && i < count; i++)
            marks[first + i] |= bit;
        pointers += leads_to >> p & 1;
    }
    return pointers;
}

static struct recipes recipes_of(const char *text) {
    static uint8_t marks[1024];
    static const struct insn add = {.op = OP_ADD, .width = 8, .rs = 0, .rt = 1, .rd = 2};
    struct opened m;
    struct recipes r = {0};
    machine_open(&m, ON_RACER, text, NULL);
    const struct recipe_table *t = plane_table(m.package->code);
    const struct recipe_form *first = recipe_table_find(t, &add, false);
    assert_int_equal(t->form_count, 2);
    memset(marks, 0, sizeof marks);
    uint32_t a = mark(t, first, 1, marks), b = mark(t, &t->forms[first == t->forms], 2, marks);
    for (size_t i = 0; i < t->template_count; i++) {
        r.first += marks[i] & 1;
        r.other += marks[i] >> 1;
        r.both += marks[i] == 3;
    }
    r.pointers = a > b ? a : b;
    machine_close(&m);
    return r;
}

#define ADD_AND(other)                                                                             \
    "COMPUTE RFH0 VRF0\nADD.8 r0 r1 r2\n" other "\nADD.8 r2 r3 r4\nCOMPUTE_DONE\n"
#define ADD_XOR_ADD ADD_AND("XOR.8 r0 r1 r3")

/* If both fit, each template is loaded once, in a cycle.  With room for one template less, or with
 * pointers for one of the recipes, ADD goes when the other comes.  What they share stays; the
 * rest of ADD comes again.  With room for one template none fits: all of it comes each time. */
static void check_loads(const char *text, const struct recipes *r) {
    uint64_t all = r->first + r->other - r->both, again = all + r->first - r->both;
    assert_int_equal(loads(text, NULL, 0), all);
    assert_int_equal(loads(text, "recipe_templates", all), all);
    assert_int_equal(loads(text, "recipe_templates", all - 1), again);
    assert_int_equal(loads(text, "recipe_pointers", r->pointers), again);
    assert_int_equal(loads(text, "recipe_templates", 1), 2 * r->first + r->other);
}

static void a_recipe_misses_and_is_loaded_again(void **state) {
    struct recipes r = recipes_of(ADD_AND("INIT1.8 r3"));
    (void)state;
    assert_int_equal(r.both, 0);
    check_loads(ADD_AND("INIT1.8 r3"), &r);
}

static void two_recipes_share_templates(void **state) {
    struct recipes r = recipes_of(ADD_XOR_ADD);
    (void)state;
    assert_true(r.both > 0);
    check_loads(ADD_XOR_ADD, &r);
}

/* The table keeps its recipes from one ensemble to the next.  Two controllers with a table each
 * load twice; with one table, once. */
static void tables_of_controllers(void **state) {
    static const char text[] = "COMPUTE RFH0 VRF0\nADD.8 r0 r1 r2\nCOMPUTE_DONE\n"
                               "COMPUTE RFH1 VRF0\nADD.8 r0 r1 r2\nCOMPUTE_DONE\n";
    const struct target_override two[] = {{"controllers", "2"}, {"recipe_table", "private"}};
    (void)state;
    uint64_t once = stats_of(text, NULL, 0).part_cycles[TIMING_RECIPE];
    assert_true(once > 0);
    assert_int_equal(stats_of(text, two, 1).part_cycles[TIMING_RECIPE], once);
    assert_int_equal(stats_of(text, two, 2).part_cycles[TIMING_RECIPE], 2 * once);
}

/* All 512 VRFs of an MPU: 64 batches with one active VRF in each RFH, 32 with two, 16 with four.
 * The first batch loads recipes, the others are alike: 32 of them more take twice what 16 do. */
static void twice_as_many_active_vrfs_take_half_the_time(void **state) {
    static const char text[] = ".group g[32768]\nCOMPUTEG @g\nADD.32 r0 r1 r2\nMUL.8 r2 r1 r3\n"
                               "COMPUTE_DONE\n";
    const struct target_override two[] = {{"active_vrf_per_rfh", "2"}};
    const struct target_override four[] = {{"active_vrf_per_rfh", "4"}};
    (void)state;
    struct control_stats s = stats_of(text, NULL, 0), half = stats_of(text, two, 1),
                         quarter = stats_of(text, four, 1);
    assert_int_equal(s.batches, 64);
    assert_int_equal(half.batches, 32);
    assert_int_equal(s.part_ps[TIMING_COMPUTE] - half.part_ps[TIMING_COMPUTE],
                     2 * (half.part_ps[TIMING_COMPUTE] - quarter.part_ps[TIMING_COMPUTE]));
    assert_int_equal(s.energy_fj[OPCLASS_LOGIC], half.energy_fj[OPCLASS_LOGIC]);
}

/* A datapath whose cycle is 0.7 of one of the front end: times are whole picoseconds, and the last
 * cycle of the datapath counts whole. */
static void clocks_that_do_not_divide(void **state) {
    const struct target_override fast[] = {{"datapath_ps", "700"}};
    (void)state;
    struct control_stats s = stats_of(ADD_XOR_ADD, fast, 1);
    assert_int_not_equal(s.compute_ps % 700, 0);
    assert_int_equal(s.datapath_cycles, s.compute_ps / 700 + 1);
    assert_int_equal(s.time_ps % 100, 0);
}

/* Issue is never faster than a micro-op in a front-end cycle, also where the datapath would be. */
static void one_micro_op_in_a_cycle(void **state) {
    static const char text[] = "COMPUTE RFH0 VRF0\nREPEAT 20\nADD.64 r0 r1 r2\nXOR.64 r2 r1 r3\n"
                               "CMPLT.64 r2 r3\nSETMASK cond\nREPEAT_END\nCOMPUTE_DONE\n"
                               "COMPUTE RFH1 VRF0\nREPEAT 20\nMUL.8 r0 r1 r2\nREPEAT_END\n"
                               "COMPUTE_DONE\n";
    const struct target_override set[] = {{"datapath_ps", "1"}, {"controllers", "2"}};
    (void)state;
    for (size_t n = 0; n <= 2; n++) {
        struct control_stats s = stats_of(text, set, n);
        uint64_t issued = s.part_cycles[TIMING_COMPUTE] + s.part_cycles[TIMING_DECODE];
        assert_true(s.part_cycles[TIMING_COMPUTE] > 1000);
        assert_true(issued * 1000 <= s.time_ps);
    }
}

/* MPU0 works long behind each of four messages that it receives; MPU1 sends them and is done.  The
 * emulator lets MPU0 receive each as soon as it is there, but in time all four lie in a queue that
 * holds them: their sender never waits, as a queue of eight shows.  In a queue of one it does. */
static void a_queue_holds_what_it_holds_in_time(void **state) {
    static const char text[] =
        "        .geometry lanes=4, vrfs=2, rfhs=2, grid=[2]\n"
        "        .mpu 0, take\n        .mpu 1, give\n"
        "take: REPEAT 4\nRECV MPU1\nCOMPUTE RFH0 VRF0\nMUL.64 r0 r0 r1\nMUL.64 r1 r1 r0\n"
        "COMPUTE_DONE\nREPEAT_END\nHALT\n"
        "give: REPEAT 4\nSEND MPU0\nMOVE RFH0 RFH1\nMEMCPY.8 VRF0 r0 VRF0 r0\nMOVE_DONE\n"
        "SEND_DONE\nREPEAT_END\n";
    const struct target_override one[] = {{"queue", "1"}}, four[] = {{"queue", "4"}},
                                 eight[] = {{"queue", "8"}};
    (void)state;
    struct control_stats a = stats_of(text, one, 1), b = stats_of(text, four, 1),
                         c = stats_of(text, eight, 1);
    assert_int_equal(b.time_ps, c.time_ps);
    assert_int_equal(b.mpu_time_ps, c.mpu_time_ps);
    assert_true(b.mpu_time_ps - b.time_ps < b.time_ps / 10); /* the sender's */
    assert_true(a.mpu_time_ps - a.time_ps > a.time_ps / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recipe_misses_and_is_loaded_again),
        cmocka_unit_test(two_recipes_share_templates),
        cmocka_unit_test(tables_of_controllers),
        cmocka_unit_test(twice_as_many_active_vrfs_take_half_the_time),
        cmocka_unit_test(clocks_that_do_not_divide),
        cmocka_unit_test(one_micro_op_in_a_cycle),
        cmocka_unit_test(a_queue_holds_what_it_holds_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
