/* SPDX-License-Identifier: MIT
 * Vectors that stay in rows of pLUTo's three designs: random graphs against the host. */
#include "../slot/slot_graphs.h"
#include "machines/datapath.h"
#include "target/target.h"
#include "tests/draws.h"
#include "tests/runtime/random_graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- random graphs ---- */

/* From a few VRFs of few rows, where vectors go to the host, to all that there are. */
static const char *const machines[][SLOT_GRAPH_SETTINGS] = {
    {NULL},
    {"machine.mpus=3", "pluto.rows=160", NULL},
    {"machine.mpus=1", "machine.rfh_per_mpu=1", "machine.vrf_per_rfh=2", "pluto.row_bits=512",
     "array.lanes=8", NULL},
    {"machine.mpus=2", "machine.rfh_per_mpu=2", "pluto.row_bits=64", "array.lanes=1", NULL},
    {"machine.mpus=1", "machine.vrf_per_rfh=1", "pluto.row_bits=128", "array.lanes=2",
     "pluto.rows=160", "pluto.logic=table2", NULL},
};

static void random_graphs(void **state) {
    static const char *const designs[] = {"pluto-bsa", "pluto-gsa", "pluto-gmc"};
    const unsigned count = draws(DRAWS_MACHINES_PLUTO_GRAPHS);
    uint64_t copies = 0, spills = 0;
    (void)state;
    for (unsigned k = 0; k < 3; k++) {
        struct slot_graphs g = {designs[k],
                                machines,
                                sizeof machines / sizeof *machines,
                                (count + 2 - k) / 3,
                                5000 + 2000 * k,
                                0,
                                0};
        slot_graphs_play(&g);
        copies += g.copies;
        spills += g.spills;
    }
    assert_true(copies > count / 8);
    assert_true(spills > count / 8);
}

/* ---- programs of their own ---- */

static void programs_alone(void **state) {
    (void)state;
    assert_int_equal(slot_alone("pluto-gmc"), 7);
}

/* ---- what programs bring ---- */

static uint64_t set_up(mpu_device *d) {
    return figure(d, "load.established_micro_ops");
}

/* A program's constants and tables are brought once, and again when lanes are others' or another
 * program brought its own. */
static void constants(void **state) {
    static const char *const one[] = {"machine.mpus=1", "machine.rfh_per_mpu=1",
                                      "machine.vrf_per_rfh=1", NULL};
    mpu_target *target;
    mpu_device *d = open_device("pluto-bsa", one, NULL, &target);
    (void)state;
    mpu_vector *a = slot_vector(d, slot_u8, 200, 0);
    assert_int_equal(set_up(d), 0);
    mpu_vector *b = slot_apply(d, MPU_OP_ADD, slot_u8, 200, a, a);
    const uint64_t sum = set_up(d);
    assert_int_equal(sum, 1); /* all bits but the lowest of each slot */
    mpu_vector *c = slot_apply(d, MPU_OP_ADD, slot_u8, 200, b, a);
    assert_int_equal(set_up(d), sum);
    mpu_vector *x = slot_apply(d, MPU_OP_XOR, slot_u8, 200, c, a); /* has none */
    mpu_vector *e = slot_apply(d, MPU_OP_ADD, slot_u8, 200, x, a);
    assert_int_equal(set_up(d), sum);
    mpu_vector *w = slot_vector(d, slot_u32, 20, 0);
    mpu_vector *y = slot_apply(d, MPU_OP_ADD, slot_u32, 20, w, w);
    const uint64_t wide = set_up(d);
    assert_true(wide > sum);
    slot_expect(y, 7, 14);
    slot_expect(e, 5, (15 ^ 5) + 5);
    mpu_vector *z = slot_apply(d, MPU_OP_ADD, slot_u8, 200, e, a);
    assert_int_equal(set_up(d), wide + sum);
    mpu_vector *const all[] = {a, b, c, x, e, w, y, z};
    for (unsigned k = 0; k < sizeof all / sizeof *all; k++)
        mpu_vector_release(all[k]);
    close_device(d, target);
}

/* A VRF of so many rows that holds vectors of 8 bits, of which two are added; those that went to
 * the host. */
static uint64_t spills_in(unsigned rows, unsigned vectors) {
    char setting[32];
    const char *const one[] = {"machine.mpus=1", "machine.rfh_per_mpu=1", "machine.vrf_per_rfh=1",
                               setting, NULL};
    mpu_target *target;
    mpu_vector *v[20];
    snprintf(setting, sizeof setting, "pluto.rows=%u", rows);
    mpu_device *d = open_device("pluto-bsa", one, NULL, &target);
    for (unsigned k = 0; k < vectors; k++) {
        v[k] = slot_vector(d, slot_u8, 200, k);
        if (k) /* it is there */
            mpu_vector_release(slot_apply(d, MPU_OP_XOR, slot_u8, 200, v[k], v[0]));
    }
    const uint64_t before = figure(d, "host.spills");
    v[vectors] = slot_apply(d, MPU_OP_ADD, slot_u8, 200, v[vectors - 1], v[vectors - 2]);
    const uint64_t spills = figure(d, "host.spills") - before;
    for (unsigned k = 0; k <= vectors; k++)
        mpu_vector_release(v[k]);
    close_device(d, target);
    return spills;
}

/* Beside C, M, valid and the vectors a sum has its result, scratch rows and a constant. */
static void rows_of_constants(void **state) {
    enum { VECTORS = 12, SUM = 1 + 6 + 1, STATE = 3 };
    (void)state;
    assert_int_equal(spills_in(VECTORS + SUM + STATE, VECTORS), 0);
    assert_int_equal(spills_in(VECTORS + SUM + STATE - 1, VECTORS), 1);
}

/* Rows of vectors that went are given back when others begin where they lay: vectors of 8 bits fill
 * 104 bits of a lane, one bit further on in each turn. */
static void memory(void **state) {
    enum { BITS = 8, COUNT = 12, ROW = 8192 };
    struct diag *d = diag_new(NULL, NULL);
    struct target *target = target_open("pluto-gmc", NULL, 0, d);
    const uint8_t none[64] = {0}, bits[64] = {[3] = BITS};
    const struct dp_setup setup = {.target = target,
                                   .mpus = 1,
                                   .lanes = 8 * ROW,
                                   .reg_bits = none,
                                   .bits = (COUNT + 1) * BITS,
                                   .memory_limit = (COUNT + BITS) * ROW};
    const struct datapath_ops *ops = datapath_find("slot", NULL);
    struct datapath *dp = ops->open(&setup, d);
    const struct vrf_range vrf = {5, 1};
    (void)state;
    assert_non_null(dp);
    ops->shape(dp, (struct vrf_set){&vrf, 1}, BITS);
    for (unsigned turn = 0; turn < 40; turn++)
        for (unsigned k = 0; k < 2 * COUNT; k++) {
            const uint32_t first[64] = {[3] = k % COUNT * BITS + turn % BITS};
            uint64_t value = turn + k, have;
            ops->remap(dp, &(struct dp_map){.bits = bits, .first = first});
            if (k < COUNT)
                ops->put(dp, 5, DP_REGISTER, 3, BITS, ROW - 1, 1, &value);
            ops->get(dp, 5, DP_REGISTER, 3, ROW - 1, 1, &have);
            if (dp->failure)
                fail_msg("turn %u, %u: %s", turn, k, dp->failure);
            assert_int_equal(have, k < COUNT ? value : value - COUNT);
        }
    assert_null(dp->failure);
    ops->close(dp);
    target_free(target);
    diag_free(d);
}

/* ---- what is not there ---- */

static void floats(void **state) {
    static const mpu_vtype f32 = {MPU_KIND_FLOAT, 32};
    mpu_target *target;
    mpu_error *e = NULL;
    mpu_device *d = open_device("pluto-gmc", NULL, NULL, &target);
    (void)state;
    mpu_vector *a = mpu_vector_new(d, f32, 3, &e);
    const float x[] = {1, 2, 3};
    fine(mpu_vector_put(a, 0, 3, x, &e), e);
    mpu_vector *z = mpu_apply(d, MPU_OP_ADD, f32, 3, (mpu_operand[]){{a, 0}, {a, 0}}, 2, &e);
    assert_int_equal(mpu_device_flush(d, &e), MPU_REJECTED);
    assert_non_null(strstr(mpu_error_text(e), "rows of slots shift all lanes alike"));
    mpu_error_free(e);
    mpu_vector_release(z);
    mpu_vector_release(a);
    close_device(d, target);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_alone),
        cmocka_unit_test(constants),
        cmocka_unit_test(memory),
        cmocka_unit_test(floats),
        cmocka_unit_test(rows_of_constants),
        cmocka_unit_test(random_graphs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
