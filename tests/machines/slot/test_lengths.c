/* SPDX-License-Identifier: MIT
 * Vectors of several lengths, and of several slots, on machines with few VRFs: who takes all of
 * them finds them, whatever lies there, and what leaves comes back as it was. */
#include "tests/draws.h"
#include "tests/runtime/device.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOT MPU_SOURCE_DIR "/tests/machines/slot/slot.yaml"

static const mpu_vtype u8 = {MPU_KIND_UINT, 8}, u16 = {MPU_KIND_UINT, 16},
                       u32 = {MPU_KIND_UINT, 32}, f32 = {MPU_KIND_FLOAT, 32};

/* A vector that holds numbers, each modulo 2^bits. */
static mpu_vector *vector(mpu_device *d, mpu_vtype type, uint64_t n, const uint32_t *x) {
    mpu_error *e = NULL;
    mpu_vector *v = mpu_vector_new(d, type, n, &e);
    uint32_t bytes = mpu_vtype_bytes(type);
    unsigned char *data = malloc(n * bytes);
    for (uint64_t i = 0; i < n; i++)
        memcpy(data + i * bytes, &x[i], bytes);
    fine(mpu_vector_put(v, 0, n, data, &e), e);
    free(data);
    return v;
}

static void expect(mpu_vector *v, const uint32_t *x) {
    mpu_error *e = NULL;
    uint64_t n = mpu_vector_length(v);
    uint32_t bytes = mpu_vtype_bytes(mpu_vector_type(v));
    unsigned char *data = malloc(n * bytes);
    fine(mpu_vector_get(v, 0, n, data, &e), e);
    for (uint64_t i = 0; i < n; i++)
        if (memcmp(data + i * bytes, &x[i], bytes) != 0)
            fail_msg("element %u of %u", (unsigned)i, (unsigned)n);
    free(data);
}

/* A short vector has one of two rows of VRFs when a long one comes, which needs both. */
static void short_then_long(void **state) {
    static const char *const two[] = {"machine.mpus=1", "machine.vrf_per_rfh=2", NULL};
    uint32_t x[2000];
    (void)state;
    for (uint32_t i = 0; i < 2000; i++)
        x[i] = i * 7;
    for (unsigned never = 0; never < 2; never++) {
        const mpu_config config = {.size = sizeof config, .spill = never ? "never" : NULL};
        mpu_target *target;
        mpu_error *e = NULL;
        mpu_device *d = open_device("racer", two, &config, &target);
        mpu_vector *a = vector(d, u8, 100, x), *b = NULL;
        if (never) {
            b = mpu_vector_new(d, u8, 2000, &e);
            assert_int_equal(mpu_vector_put(b, 0, 2000, x, &e), MPU_CAPACITY);
            mpu_error_free(e);
        } else {
            b = vector(d, u8, 2000, x);
            assert_int_equal(figure(d, "host.spills"), 1);
            expect(b, x);
        }
        /* It comes back, to rows of the long one. */
        expect(a, x);
        assert_int_equal(figure(d, "host.spills"), !never);
        mpu_vector_release(a);
        mpu_vector_release(b);
        close_device(d, target);
    }
}

/* ---- what a program at work holds ---- */

/* A product of 16 x 6 by 6 x 15 elements, with blocks of two rows of VRFs, and beside its factors
 * `count` vectors that are in the way, of `length` elements and one more each. */
static void product(const char *rows, unsigned count, uint64_t length, bool there) {
    const char *const set[] = {"machine.mpus=1", rows, NULL};
    enum { ROWS = 16, INNER = 6, COLUMNS = 15, BY = 3 };
    float left[ROWS * INNER], right[INNER * COLUMNS], result[ROWS * COLUMNS];
    uint32_t x[700];
    mpu_target *target;
    mpu_error *e = NULL;
    mpu_vector *by[BY];
    mpu_device *d = open_device("racer", set, NULL, &target);
    for (uint32_t i = 0; i < 700; i++)
        x[i] = 5 * i;
    for (unsigned i = 0; i < ROWS * INNER; i++)
        left[i] = (float)(i % 7);
    for (unsigned i = 0; i < INNER * COLUMNS; i++)
        right[i] = (float)(i % 5);
    for (unsigned k = 0; k < count; k++)
        by[k] = vector(d, u8, length + k, x);
    mpu_vector *a = mpu_vector_new(d, f32, ROWS * INNER, &e),
               *b = mpu_vector_new(d, f32, INNER * COLUMNS, &e);
    fine(mpu_vector_put(a, 0, ROWS * INNER, left, &e), e);
    fine(mpu_vector_put(b, 0, INNER * COLUMNS, right, &e), e);
    assert_int_equal(figure(d, "host.spills"), 0);
    mpu_vector *c = mpu_matmul(a, b, ROWS, INNER, COLUMNS, &e);
    fine(mpu_vector_get(c, 0, ROWS * COLUMNS, result, &e), e);
    for (unsigned i = 0; i < ROWS; i++)
        for (unsigned j = 0; j < COLUMNS; j++) {
            float sum = 0;
            for (unsigned k = 0; k < INNER; k++)
                sum += left[i * INNER + k] * right[k * COLUMNS + j];
            assert_true(result[i * COLUMNS + j] == sum); /* small whole numbers: exact */
        }
    assert_int_equal(figure(d, "ways.matmul.machine"), there);
    assert_int_equal(figure(d, "host.spills") > 0, there);
    for (unsigned k = 0; k < count; k++) {
        expect(by[k], x);
        mpu_vector_release(by[k]);
    }
    mpu_vector_release(a);
    mpu_vector_release(b);
    mpu_vector_release(c);
    close_device(d, target);
}

/* The result has VRFs when those for the blocks are looked for, and no elements yet: it keeps them,
 * and what is in the way leaves. */
static void result_and_blocks(void **state) {
    (void)state;
    product("machine.vrf_per_rfh=5", 3, 100, true);
}

/* What lies where the result will be could leave, but that would free no VRFs: nothing leaves, and
 * the host multiplies. */
static void nothing_in_vain(void **state) {
    (void)state;
    product("machine.vrf_per_rfh=2", 1, 240, false);
}

/* ---- random orders ---- */

enum { POOL = 7, LONGEST = 2500 };

/* Lengths from a few elements of a VRF to several times all lanes. */
static const struct {
    const char *target;
    const char *set[6];
    uint64_t lengths[4];
} machines[] = {
    {"racer", {"machine.mpus=1", "machine.vrf_per_rfh=2", NULL}, {3, 100, 700, 2000}},
    {"racer", {"machine.mpus=2", "machine.vrf_per_rfh=3", NULL}, {10, 600, 1100, 2500}},
    {SLOT, {"machine.mpus=1", "machine.vrf_per_rfh=2", NULL}, {3, 40, 200, 600}},
    {SLOT,
     {"machine.mpus=2", "machine.rfh_per_mpu=2", "machine.vrf_per_rfh=3", NULL},
     {10, 70, 150, 500}},
    {SLOT,
     {"machine.mpus=1", "slot.row_bits=128", "machine.vrf_per_rfh=3", NULL},
     {5, 17, 64, 150}},
};

struct mirror {
    mpu_vector *v;
    mpu_vtype type;
    uint64_t n;
    uint32_t x[LONGEST];
};

struct play {
    mpu_device *d;
    uint64_t seed;
    const uint64_t *lengths;
    struct mirror pool[POOL];
};

static uint32_t roll(struct play *play, uint32_t below) {
    play->seed = play->seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(play->seed >> 33) % below;
}

static uint32_t cut(uint32_t x, mpu_vtype type) {
    return type.bits == 32 ? x : x & ((1u << type.bits) - 1);
}

static void fill(struct play *play, struct mirror *m) {
    const mpu_vtype types[] = {u8, u16, u32};
    mpu_vector_release(m->v);
    m->type = types[roll(play, 3)];
    m->n = play->lengths[roll(play, 4)];
    for (uint64_t i = 0; i < m->n; i++)
        m->x[i] = cut(roll(play, UINT32_MAX), m->type);
    m->v = vector(play->d, m->type, m->n, m->x);
}

/* A sum with another one of the length, at its own type: that of the other may be another slot's.
 */
static void add(struct play *play, struct mirror *m) {
    struct mirror *other = &play->pool[roll(play, POOL)];
    mpu_error *e = NULL;
    if (other->n != m->n)
        return;
    mpu_vector *cast =
        mpu_apply(play->d, MPU_OP_CAST, m->type, m->n, (mpu_operand[]){{other->v, 0}}, 1, &e);
    mpu_vector *sum =
        mpu_apply(play->d, MPU_OP_ADD, m->type, m->n, (mpu_operand[]){{m->v, 0}, {cast, 0}}, 2, &e);
    mpu_vector_release(cast);
    mpu_vector_release(m->v);
    m->v = sum;
    for (uint64_t i = 0; i < m->n; i++)
        m->x[i] = cut(m->x[i] + other->x[i], m->type);
}

static void fold(struct play *play, struct mirror *m) {
    mpu_error *e = NULL;
    uint32_t sum = 0;
    mpu_vector *v = mpu_fold(m->v, MPU_OP_ADD, u32, 0, m->n, m->n, &e);
    for (uint64_t i = 0; i < m->n; i++)
        sum += m->x[i];
    if (!v)
        fail_msg("%s", mpu_error_text(e));
    expect(v, &sum);
    mpu_vector_release(v);
    (void)play;
}

static void step(struct play *play) {
    struct mirror *m = &play->pool[roll(play, POOL)];
    mpu_error *e = NULL;
    switch (roll(play, 6)) {
    case 0:
    case 1:
        fill(play, m);
        break;
    case 2:
    case 3:
        add(play, m);
        break;
    case 4:
        fold(play, m);
        break;
    default:
        expect(m->v, m->x);
        fine(mpu_device_flush(play->d, &e), e);
    }
}

static void random_orders(void **state) {
    const unsigned count = draws(DRAWS_MACHINES_SLOT_LENGTHS);
    const unsigned kinds = sizeof machines / sizeof *machines;
    uint64_t spills = 0;
    (void)state;
    for (unsigned k = 0; k < count; k++) {
        const mpu_config config = {.size = sizeof config, .threads = 1};
        struct play *p = calloc(1, sizeof *p);
        mpu_target *target;
        p->seed = 381000 + k;
        p->lengths = machines[k % kinds].lengths;
        p->d = open_device(machines[k % kinds].target, machines[k % kinds].set, &config, &target);
        for (unsigned i = 0; i < POOL; i++)
            fill(p, &p->pool[i]);
        for (unsigned i = 0; i < 40; i++)
            step(p);
        for (unsigned i = 0; i < POOL; i++) {
            expect(p->pool[i].v, p->pool[i].x);
            mpu_vector_release(p->pool[i].v);
        }
        spills += figure(p->d, "host.spills");
        close_device(p->d, target);
        free(p);
    }
    assert_true(spills > count);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_then_long),
        cmocka_unit_test(result_and_blocks),
        cmocka_unit_test(nothing_in_vain),
        cmocka_unit_test(random_orders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
