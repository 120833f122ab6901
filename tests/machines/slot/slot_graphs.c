/* SPDX-License-Identifier: MIT */
#include "slot_graphs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const mpu_vtype slot_boolean = {MPU_KIND_BOOL, 1}, slot_u8 = {MPU_KIND_UINT, 8},
                slot_u32 = {MPU_KIND_UINT, 32};

/* ---- random graphs ---- */

static const mpu_vtype mixed[] = {
    {MPU_KIND_UINT, 8}, {MPU_KIND_UINT, 32}, {MPU_KIND_BOOL, 1}, {MPU_KIND_INT, 16}};
static const struct {
    const mpu_vtype *types;
    unsigned count;
} palettes[] = {{&mixed[0], 1}, {&mixed[1], 1}, {mixed, 2}, {mixed, 4}, {NULL, 0}};

void slot_graphs_play(struct slot_graphs *g) {
    const unsigned palette_count = sizeof palettes / sizeof *palettes;
    for (unsigned k = 0; k < g->count; k++) {
        const mpu_config config = {
            .size = sizeof config, .check = k % 3 == 1, .threads = 1 + k % 2};
        const unsigned palette = k % palette_count, machine = k / palette_count % g->machine_count;
        struct play p = {.n = 1, .seed = g->first + k, .flushes = k % 4 * 3};
        mpu_target *target;
        p.d = open_device(g->target, g->machines[machine], &config, &target);
        p.types = palettes[palette].types;
        p.type_count = palettes[palette].count;
        p.n = 1 + graph_roll(&p, machine < 2 ? 300 : 40);
        graph_play(p, 40);
        g->copies += figure(p.d, "graph.slab_copies");
        g->spills += figure(p.d, "host.spills");
        close_device(p.d, target);
    }
}

/* ---- vectors ---- */

mpu_vector *slot_vector(mpu_device *d, mpu_vtype type, uint64_t n, uint64_t first) {
    mpu_error *e = NULL;
    mpu_vector *v = mpu_vector_new(d, type, n, &e);
    uint32_t bytes = mpu_vtype_bytes(type);
    unsigned char *data = calloc(n, bytes);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t x = first + i;
        memcpy(data + i * bytes, &x, type.bits == 1 ? 0 : bytes);
        if (type.bits == 1)
            data[i] = x & 1;
    }
    fine(mpu_vector_put(v, 0, n, data, &e), e);
    free(data);
    return v;
}

mpu_vector *slot_apply(mpu_device *d, mpu_op op, mpu_vtype type, uint64_t n, mpu_vector *a,
                       mpu_vector *b) {
    mpu_error *e = NULL;
    mpu_vector *z =
        mpu_apply(d, op, type, n, (mpu_operand[]){{a, 0}, {b, 5}}, mpu_op_operands(op), &e);
    if (!z)
        fail_msg("%s", mpu_error_text(e));
    fine(mpu_device_flush(d, &e), e);
    return z;
}

void slot_expect(mpu_vector *v, uint64_t i, uint64_t x) {
    mpu_error *e = NULL;
    uint64_t have = 0;
    fine(mpu_vector_get(v, i, 1, &have, &e), e);
    assert_int_equal(have, x);
}

/* ---- programs of their own ---- */

/* Folds, scans, sorts, moves, tables and products of narrow vectors with narrow and wide results,
 * wherever they are carried out. */
static void programs_alone(mpu_device *d, uint64_t *on_machine) {
    mpu_error *e = NULL;
    uint8_t table[256], x[300];
    uint32_t y[300], sum = 0;
    mpu_vector *v[8] = {slot_vector(d, slot_u8, 300, 0)};
    for (unsigned i = 0; i < 256; i++)
        table[i] = (uint8_t)(i * 7 + 3);
    const mpu_array values = {.type = MPU_U8, .ndim = 1, .shape = {256}, .data = table};
    v[1] = mpu_scan(v[0], MPU_OP_ADD, slot_u32, &e);
    v[2] = mpu_fold(v[0], MPU_OP_ADD, slot_u32, 0, 300, 300, &e);
    v[3] = mpu_sort(v[0], 300, &e);
    v[4] = mpu_take(v[0], &values, &e);
    v[5] = mpu_move(v[0], (mpu_dim[]){{300, -1}}, 1, 299, 0, 0, &e);
    v[6] = mpu_matmul(v[0], v[0], 10, 30, 10, &e);
    v[7] = mpu_fold(v[0], MPU_OP_MAX, slot_u8, 0, 300, 30, &e);
    fine(mpu_vector_get(v[1], 0, 300, y, &e), e);
    for (unsigned i = 0; i < 300; i++)
        assert_int_equal(y[i], sum += i % 256);
    slot_expect(v[2], 0, sum);
    fine(mpu_vector_get(v[3], 0, 300, x, &e), e);
    for (unsigned i = 0; i < 300; i++)
        assert_int_equal(x[i], i < 88 ? i / 2 : i - 44);
    fine(mpu_vector_get(v[4], 0, 300, x, &e), e);
    for (unsigned i = 0; i < 300; i++)
        assert_int_equal(x[i], (i * 7 + 3) % 256);
    fine(mpu_vector_get(v[5], 0, 300, x, &e), e);
    for (unsigned i = 0; i < 300; i++)
        assert_int_equal(x[i], (299 - i) % 256);
    fine(mpu_vector_get(v[6], 0, 100, x, &e), e);
    for (unsigned i = 0; i < 100; i++) {
        unsigned product = 0;
        for (unsigned k = 0; k < 30; k++)
            product += (i / 10 * 30 + k) % 256 * ((k * 10 + i % 10) % 256);
        assert_int_equal(x[i], product % 256);
    }
    slot_expect(v[7], 3, 119);
    slot_expect(v[7], 8, 255);
    slot_expect(v[0], 299, 43);
    const char *const kinds[] = {"scan", "fold", "sort", "take", "move", "matmul"};
    for (unsigned k = 0; k < 6; k++) {
        char path[64];
        snprintf(path, sizeof path, "ways.%s.machine", kinds[k]);
        *on_machine += figure(d, path);
    }
    for (unsigned k = 0; k < 8; k++)
        mpu_vector_release(v[k]);
}

uint64_t slot_alone(const char *target_name) {
    uint64_t on_machine = 0;
    const char *const finish[] = {"auto", "device", "host"};
    for (unsigned k = 0; k < 3; k++) {
        const mpu_config config = {.size = sizeof config, .finish = finish[k], .check = k == 1};
        mpu_target *target;
        mpu_device *d = open_device(target_name, NULL, &config, &target);
        uint64_t all = 0;
        programs_alone(d, &all);
        on_machine = k == 1 ? all : on_machine;
        close_device(d, target);
    }
    return on_machine;
}
