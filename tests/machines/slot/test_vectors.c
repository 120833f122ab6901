/* SPDX-License-Identifier: MIT
 * Vectors that stay on a machine with slots: random graphs over several widths against the host;
 * where vectors lie, what is copied because lanes are wider, rows that fill and are freed, tables
 * that VRFs get. */
#include "slot_graphs.h"
#include "tests/draws.h"
#include "tests/runtime/random_graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOT MPU_SOURCE_DIR "/tests/machines/slot/slot.yaml"

/* ---- random graphs ---- */

/* From a few VRFs of few rows, where vectors go to the host, to all that there are. */
static const char *const machines[][SLOT_GRAPH_SETTINGS] = {
    {NULL},
    {"machine.mpus=3", "slot.register_rows=40", NULL},
    {"machine.mpus=1", "machine.rfh_per_mpu=1", "machine.vrf_per_rfh=2", NULL},
    {"machine.mpus=2", "slot.row_bits=64", "machine.rfh_per_mpu=2", NULL},
    {"machine.mpus=1", "machine.vrf_per_rfh=1", "machine.active_vrf_per_rfh=1", "slot.row_bits=128",
     NULL},
};

static void random_graphs(void **state) {
    const unsigned count = draws(DRAWS_MACHINES_SLOT_GRAPHS);
    struct slot_graphs g = {SLOT, machines, sizeof machines / sizeof *machines, count, 1000, 0, 0};
    (void)state;
    slot_graphs_play(&g);
    assert_true(g.copies > count / 8);
    assert_true(g.spills > count / 8);
}

/* ---- where they lie ---- */

static uint64_t of_slab(mpu_device *d, unsigned slab, const char *what) {
    char path[64];
    snprintf(path, sizeof path, "slabs.%u.%s", slab, what);
    return figure(d, path);
}

/* In 512 bits lie 64 elements of 8 bits, 16 of 32, all 512 of one. */
static void slabs_by_slot(void **state) {
    mpu_target *target;
    mpu_device *d = open_device(SLOT, NULL, NULL, &target);
    mpu_vector *a = slot_vector(d, slot_u8, 1000, 0), *b = slot_vector(d, slot_u32, 1000, 70000),
               *c = slot_vector(d, slot_boolean, 1000, 0);
    (void)state;
    const uint64_t slots[] = {8, 32, 1}, rows[] = {4, 16, 1};
    for (unsigned k = 0; k < 3; k++) {
        assert_int_equal(of_slab(d, k, "slot_bits"), slots[k]);
        assert_int_equal(of_slab(d, k, "vrf_rows"), rows[k]); /* of four VRFs each */
        assert_int_equal(of_slab(d, k, "rows"), 1);
        assert_int_equal(of_slab(d, k, "rows_there"), 64);
    }
    /* What is as wide lies there already. */
    mpu_vector *narrow = slot_apply(d, MPU_OP_ADD, slot_u8, 1000, a, NULL);
    mpu_vector *wide = slot_apply(d, MPU_OP_ADD, slot_u32, 1000, b, NULL);
    assert_int_equal(figure(d, "graph.slab_copies"), 0);
    assert_int_equal(of_slab(d, 0, "vectors"), 2);
    assert_int_equal(of_slab(d, 1, "vectors"), 2);
    /* A cast is carried out in lanes of the wider type: the narrow vector goes there, once. */
    mpu_vector *cast = slot_apply(d, MPU_OP_CAST, slot_u32, 1000, narrow, NULL);
    mpu_vector *sum = slot_apply(d, MPU_OP_ADD, slot_u32, 1000, cast, wide);
    assert_int_equal(figure(d, "graph.slab_copies"), 1);
    assert_int_equal(of_slab(d, 0, "vectors"), 1);
    assert_int_equal(of_slab(d, 1, "vectors"), 5);
    /* And is used there. */
    mpu_vector *again = slot_apply(d, MPU_OP_XOR, slot_u8, 1000, narrow, narrow);
    assert_int_equal(figure(d, "graph.slab_copies"), 1);
    /* The results of comparisons lie where they were made, and choose there. */
    mpu_vector *less = slot_apply(d, MPU_OP_LT, slot_u32, 1000, b, wide);
    assert_int_equal(figure(d, "graph.slab_copies"), 1);
    mpu_vector *both = slot_apply(d, MPU_OP_AND, slot_boolean, 1000, less, c);
    assert_int_equal(figure(d, "graph.slab_copies"), 2);
    slot_expect(sum, 999, (999 + 5) % 256 + 70999 + 5);
    slot_expect(again, 77, 0);
    slot_expect(both, 998, 0);
    slot_expect(both, 999, 1);
    mpu_vector *const all[] = {a, b, c, narrow, wide, cast, sum, again, less, both};
    for (unsigned k = 0; k < sizeof all / sizeof *all; k++)
        mpu_vector_release(all[k]);
    close_device(d, target);
}

static void count_moves(void *context, const mpu_message *m) {
    assert_string_equal(mpu_message_warning(m), "moves");
    assert_non_null(strstr(mpu_message_text(m), "do not all lie in lanes as wide"));
    ++*(unsigned *)context;
}

static void told_once(void **state) {
    unsigned warnings = 0;
    mpu_messages *messages = mpu_messages_new(count_moves, &warnings);
    const mpu_config config = {.size = sizeof config, .messages = messages};
    mpu_target *target;
    mpu_device *d = open_device(SLOT, NULL, &config, &target);
    (void)state;
    for (unsigned k = 0; k < 3; k++) {
        mpu_vector *a = slot_vector(d, slot_u8, 100, k);
        mpu_vector *z = slot_apply(d, MPU_OP_CAST, slot_u32, 100, a, NULL);
        slot_expect(z, 7, k + 7);
        mpu_vector_release(a);
        mpu_vector_release(z);
    }
    assert_int_equal(figure(d, "graph.slab_copies"), 3);
    mpu_messages_flush(messages);
    assert_int_equal(warnings, 1);
    close_device(d, target);
    mpu_messages_free(messages);
}

/* ---- rows ---- */

/* Eight rows of each VRF: the ninth vector lies in others. */
static void rows_fill(void **state) {
    static const char *const few[] = {"slot.register_rows=8", "machine.mpus=1", NULL};
    mpu_target *target;
    mpu_device *d = open_device(SLOT, few, NULL, &target);
    mpu_vector *v[9];
    (void)state;
    for (unsigned k = 0; k < 9; k++) {
        v[k] = slot_vector(d, slot_u8, 200, 10 * k);
        assert_int_equal(of_slab(d, 0, "rows"), k < 8 ? k + 1 : 8);
    }
    assert_int_equal(of_slab(d, 1, "rows"), 1);
    for (unsigned k = 3; k < 9; k++)
        mpu_vector_release(v[k]);
    assert_int_equal(of_slab(d, 0, "rows"), 3);
    v[3] = slot_vector(d, slot_u8, 200, 30);
    assert_int_equal(of_slab(d, 0, "rows"), 4);
    for (unsigned k = 0; k < 4; k++) {
        slot_expect(v[k], 9, 10 * k + 9);
        mpu_vector_release(v[k]);
    }
    assert_int_equal(figure(d, "host.spills"), 0);
    close_device(d, target);
}

/* One row of VRFs: what is of another width has to leave it, and comes back. */
static void rows_of_others(void **state) {
    static const char *const one[] = {"machine.mpus=1", "machine.vrf_per_rfh=1",
                                      "machine.active_vrf_per_rfh=1", NULL};
    const mpu_config never = {.size = sizeof never, .spill = "never"};
    mpu_target *target;
    mpu_device *d = open_device(SLOT, one, NULL, &target);
    mpu_error *e = NULL;
    (void)state;
    mpu_vector *a = slot_vector(d, slot_u8, 100, 0), *b = slot_vector(d, slot_u32, 60, 1000);
    assert_int_equal(figure(d, "host.spills"), 1);
    assert_int_equal(of_slab(d, 0, "slot_bits"), 32);
    slot_expect(a, 99, 99);
    assert_int_equal(figure(d, "host.spills"), 2);
    assert_int_equal(of_slab(d, 0, "slot_bits"), 8);
    slot_expect(b, 59, 1059);
    /* An operand that is wider than the lanes that are there goes by the host. */
    mpu_vector *c = slot_vector(d, slot_u8, 60, 3),
               *z = slot_apply(d, MPU_OP_CAST, slot_u32, 60, c, NULL);
    mpu_vector *sum = slot_apply(d, MPU_OP_ADD, slot_u32, 60, z, b);
    slot_expect(sum, 50, 53 + 1050);
    slot_expect(a, 12, 12);
    mpu_vector *const all[] = {a, b, c, z, sum};
    for (unsigned k = 0; k < sizeof all / sizeof *all; k++)
        mpu_vector_release(all[k]);
    close_device(d, target);

    d = open_device(SLOT, one, &never, &target);
    a = slot_vector(d, slot_u8, 100, 0);
    b = mpu_vector_new(d, slot_u32, 60, &e);
    uint32_t x[60] = {1};
    assert_int_equal(mpu_vector_put(b, 0, 60, x, &e), MPU_CAPACITY);
    assert_non_null(strstr(mpu_error_text(e), "60 elements need 1 rows beside what is in use; "
                                              "target 'slot' has 64 in each VRF and 64 lanes"));
    mpu_error_free(e);
    mpu_vector_release(a);
    mpu_vector_release(b);
    close_device(d, target);
}

/* The same VRFs, one after the other in lanes of two widths: what a program was for the one, it is
 * not for the other. */
static void same_rows_other_lanes(void **state) {
    static const char *const one[] = {"machine.mpus=1", "machine.vrf_per_rfh=1",
                                      "machine.active_vrf_per_rfh=1", NULL};
    (void)state;
    for (int check = 0; check < 2; check++) {
        const mpu_config config = {.size = sizeof config, .check = check};
        mpu_target *target;
        mpu_device *d = open_device(SLOT, one, &config, &target);
        mpu_vector *a = slot_vector(d, slot_u8, 60, 10),
                   *z = slot_apply(d, MPU_OP_ADD, slot_u8, 60, a, a);
        const uint64_t programs = figure(d, "graph.programs");
        mpu_vector *w = slot_vector(d, slot_u32, 60, 300);
        assert_int_equal(of_slab(d, 0, "slot_bits"), 32);
        assert_int_equal(of_slab(d, 0, "vrf_rows"), 1);
        /* Narrow elements that lie in wide lanes, and are used there. */
        mpu_vector *c = slot_apply(d, MPU_OP_CAST, slot_u8, 60, w, NULL);
        mpu_vector *y = slot_apply(d, MPU_OP_ADD, slot_u8, 60, c, c);
        assert_int_equal(of_slab(d, 0, "slot_bits"), 32);
        assert_int_equal(of_slab(d, 0, "vectors"), 3);
        assert_int_equal(figure(d, "graph.programs"), programs + 2);
        for (uint64_t i = 0; i < 60; i++) {
            slot_expect(y, i, 2 * (300 + i) % 256);
            slot_expect(z, i, 2 * (10 + i));
        }
        mpu_vector *const all[] = {a, z, w, c, y};
        for (unsigned k = 0; k < sizeof all / sizeof *all; k++)
            mpu_vector_release(all[k]);
        close_device(d, target);
    }
}

/* Room for more VRFs of a width comes from others' alone: what is as wide stays, however old. */
static void as_wide_stay(void **state) {
    static const char *const three[] = {"machine.mpus=1", "machine.vrf_per_rfh=3", NULL};
    mpu_target *target;
    mpu_device *d = open_device(SLOT, three, NULL, &target);
    (void)state;
    mpu_vector *a = slot_vector(d, slot_u8, 100, 0), *b = slot_vector(d, slot_u32, 120, 1000);
    assert_int_equal(of_slab(d, 0, "vrf_rows"), 1);
    assert_int_equal(of_slab(d, 1, "vrf_rows"), 2);
    assert_int_equal(figure(d, "host.spills"), 0);
    mpu_vector *c = slot_vector(d, slot_u8, 512, 7);
    assert_int_equal(figure(d, "host.spills"), 1);
    for (unsigned k = 0; k < 2; k++) {
        assert_int_equal(of_slab(d, k, "slot_bits"), 8);
        assert_int_equal(of_slab(d, k, "vrf_rows"), k + 1);
        assert_int_equal(of_slab(d, k, "vectors"), 1);
    }
    /* Nor does it lie in their VRFs: none of them has changed the others. */
    for (uint64_t i = 0; i < 512; i++) {
        slot_expect(c, i, (7 + i) % 256);
        if (i < 100)
            slot_expect(a, i, i);
    }
    for (uint64_t i = 0; i < 120; i++)
        slot_expect(b, i, 1000 + i);
    mpu_vector *const all[] = {a, b, c};
    for (unsigned k = 0; k < sizeof all / sizeof *all; k++)
        mpu_vector_release(all[k]);
    close_device(d, target);
}

/* More elements than lanes: chunks, in each slot of its own size. */
static void chunks(void **state) {
    static const char *const one[] = {"machine.mpus=1", "machine.vrf_per_rfh=2", NULL};
    mpu_target *target;
    mpu_device *d = open_device(SLOT, one, NULL, &target);
    (void)state;
    mpu_vector *a = slot_vector(d, slot_u8, 3000, 0);
    assert_int_equal(of_slab(d, 0, "chunks"), 6);
    mpu_vector *z = slot_apply(d, MPU_OP_ADD, slot_u8, 3000, a, a);
    mpu_vector *w = slot_apply(d, MPU_OP_CAST, slot_u32, 3000, z, NULL);
    assert_int_equal(of_slab(d, 0, "slot_bits"), 32);
    assert_int_equal(of_slab(d, 0, "chunks"), 24);
    slot_expect(w, 2999, 2 * 2999 % 256);
    slot_expect(a, 2998, 2998 % 256);
    mpu_vector_release(a);
    mpu_vector_release(z);
    mpu_vector_release(w);
    close_device(d, target);
}

/* A sort on other VRFs, and one of wider elements after it at once, which needs wider lanes. */
static void sorts_apart(void **state) {
    const mpu_config config = {.size = sizeof config, .place = "auto", .finish = "device"};
    (void)state;
    for (unsigned wide_first = 0; wide_first < 2; wide_first++) {
        mpu_target *target;
        mpu_error *e = NULL;
        mpu_device *d = open_device(SLOT, NULL, &config, &target);
        mpu_vector *a = slot_vector(d, slot_u8, 300, 0), *w = slot_vector(d, slot_u32, 300, 0);
        mpu_vector *first = mpu_sort(wide_first ? w : a, 300, &e);
        mpu_vector *second = mpu_sort(wide_first ? a : w, 300, &e);
        mpu_vector *narrow = wide_first ? second : first, *wide = wide_first ? first : second;
        fine(mpu_device_flush(d, &e), e);
        assert_int_equal(figure(d, "ways.sort.machine"), 2);
        for (uint64_t i = 0; i < 300; i++) {
            slot_expect(narrow, i, i < 88 ? i / 2 : i - 44);
            slot_expect(wide, i, i);
        }
        mpu_vector *const all[] = {a, w, first, second};
        for (unsigned k = 0; k < sizeof all / sizeof *all; k++)
            mpu_vector_release(all[k]);
        close_device(d, target);
    }
}

/* ---- tables ---- */

/* A VRF gets a table of as many rows as its slots have bits, once, and another one when its lanes
 * become others'. */
static void tables(void **state) {
    static const char *const one[] = {"machine.mpus=1", "machine.vrf_per_rfh=1",
                                      "machine.active_vrf_per_rfh=1", NULL};
    mpu_target *target;
    mpu_device *d = open_device(SLOT, one, NULL, &target);
    (void)state;
    mpu_vector *a = slot_vector(d, slot_u8, 200, 0); /* in four VRFs */
    assert_int_equal(figure(d, "load.established_micro_ops"), 0);
    mpu_vector *b = slot_apply(d, MPU_OP_ADD, slot_u8, 200, a, a);
    assert_int_equal(figure(d, "load.established_micro_ops"), 4 * 8);
    assert_int_equal(figure(d, "load.established_time_ps"), 4 * 8 * 11000);
    assert_int_equal(figure(d, "load.established_energy_fj"), 4 * 8 * 700);
    uint64_t load = figure(d, "load.time_ps");
    assert_true(load > 4 * 8 * 11000);
    mpu_vector *c = slot_apply(d, MPU_OP_ADD, slot_u8, 200, b, a);
    assert_int_equal(figure(d, "load.established_micro_ops"), 4 * 8);
    mpu_vector *w = slot_vector(d, slot_u32, 20, 0); /* in two of them */
    mpu_vector *x = slot_apply(d, MPU_OP_ADD, slot_u32, 20, w, w);
    assert_int_equal(figure(d, "load.established_micro_ops"), 4 * 8 + 2 * 32);
    slot_expect(c, 5, 15);
    mpu_vector *y = slot_apply(d, MPU_OP_ADD, slot_u8, 200, b, c);
    assert_int_equal(figure(d, "load.established_micro_ops"), 4 * 8 + 2 * 32 + 4 * 8);
    mpu_vector *const all[] = {a, b, c, w, x, y};
    for (unsigned k = 0; k < sizeof all / sizeof *all; k++)
        mpu_vector_release(all[k]);
    close_device(d, target);
}

/* ---- programs of their own ---- */

static void programs_alone(void **state) {
    (void)state;
    assert_int_equal(slot_alone(SLOT), 6); /* it has no tables: the host takes */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slabs_by_slot),
        cmocka_unit_test(told_once),
        cmocka_unit_test(rows_fill),
        cmocka_unit_test(rows_of_others),
        cmocka_unit_test(same_rows_other_lanes),
        cmocka_unit_test(as_wide_stay),
        cmocka_unit_test(sorts_apart),
        cmocka_unit_test(chunks),
        cmocka_unit_test(tables),
        cmocka_unit_test(programs_alone),
        cmocka_unit_test(random_graphs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
