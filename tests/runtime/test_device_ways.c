/* SPDX-License-Identifier: MIT
 * Folds and scans are carried out where they take least time, the host's link included: as a device
 * does them that is told to use the machine, or the host, where that is less. */
#include "tests/draws.h"
#include "device.h"

#include <stdlib.h>
#include <string.h>

static const char *const targets[] = {"racer", "mimdram", "duality-cache", "pypim"};
static const char *const places[] = {"spread", "packed"};
static const mpu_vtype types[] = {
    {MPU_KIND_INT, 32}, {MPU_KIND_UINT, 8}, {MPU_KIND_INT, 64}, {MPU_KIND_FLOAT, 32}};
static const char *const ways[] = {"auto", "device", "host"};
enum { TARGETS = 4, PLACES = 2, TYPES = 4, WAYS_ASKED = 3 };

/* A value of each kind of node; NULL: this machine has no room for it. */
static mpu_vector *made(const mpu_vector *v, mpu_vtype type, uint64_t n, unsigned what) {
    return what == 0   ? mpu_fold(v, MPU_OP_ADD, type, 0, n, n, NULL)
           : what == 1 ? mpu_fold(v, MPU_OP_MAX, type, 0, n, n, NULL)
                       : mpu_scan(v, MPU_OP_ADD, type, NULL);
}

/* When the program, and the recipes of it, are there. */
static uint64_t time_of(mpu_device *device, const mpu_vector *v, mpu_vtype type, uint64_t n,
                        unsigned what) {
    mpu_error *e = NULL;
    uint64_t before = 0;
    for (unsigned turn = 0; turn < 3; turn++) {
        before = figure(device, "total.end_to_end_time_ps");
        mpu_vector *x = made(v, type, n, what);
        assert_non_null(x);
        fine(mpu_device_flush(device, &e), e);
        mpu_vector_release(x);
    }
    return figure(device, "total.end_to_end_time_ps") - before;
}

static void measure(const char *target, const char *place, const char *finish, mpu_vtype type,
                    uint64_t n, uint64_t ps[3]) {
    const mpu_config config = {.size = sizeof config, .place = place, .finish = finish};
    mpu_target *t;
    mpu_error *e = NULL;
    mpu_device *d = open_device(target, NULL, &config, &t);
    unsigned char *data = calloc(n, mpu_vtype_bytes(type));
    mpu_vector *v = mpu_vector_new(d, type, n, &e);
    fine(mpu_vector_put(v, 0, n, data, &e), e);
    for (unsigned what = 0; what < 3; what++)
        ps[what] = time_of(d, v, type, n, what);
    mpu_vector_release(v);
    free(data);
    close_device(d, t);
}

static void compare(const char *target, const char *place, mpu_vtype type, uint64_t n) {
    uint64_t ps[WAYS_ASKED][3];
    for (unsigned w = 0; w < WAYS_ASKED; w++)
        measure(target, place, ways[w], type, n, ps[w]);
    for (unsigned what = 0; what < 3; what++) {
        const uint64_t least = ps[1][what] < ps[2][what] ? ps[1][what] : ps[2][what];
        if (10 * ps[0][what] > 11 * least)
            fail_msg("%s, %s, %llu elements of kind %u with %u bits, %u: %llu ps where %llu would "
                     "do",
                     target, place, (unsigned long long)n, (unsigned)type.kind, (unsigned)type.bits,
                     what, (unsigned long long)ps[0][what], (unsigned long long)least);
    }
}

static void cheapest(void **state) {
    static const uint64_t lengths[] = {64, 1000, 4096, 65536, 262144, 1048576, 4194304};
    const size_t count = (size_t)draws(DRAWS_DEVICE_WAYS);
    (void)state;
    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < TARGETS * PLACES * TYPES; k++)
            if (i < 2 || count > 4 || k / TARGETS % 4 == i) /* the longer ones in turn */
                compare(targets[k % TARGETS], places[k / TARGETS % PLACES],
                        types[k / TARGETS / PLACES], lengths[i]);
}

/* ---- published rows ---- */

static uint64_t sum_or_sort_ps(mpu_vector *v, uint64_t n, bool sort, mpu_device *device) {
    mpu_error *e = NULL;
    const uint64_t before = figure(device, "total.time_ps");
    mpu_vector *z = sort ? mpu_sort(v, n, &e) : mpu_fold(v, MPU_OP_ADD, types[0], 0, n, n, &e);
    assert_non_null(z);
    fine(mpu_device_flush(device, &e), e);
    mpu_vector_release(z);
    return figure(device, "total.time_ps") - before;
}

/* Rows of docs/pypim-published.md: a sum of 65,536 int32 in 2,644 cycles, a sort of 16,384 in
 * 199,367, of crossbars one behind the other; a cycle takes 3,333 ps. */
static void published(void **state) {
    static const struct {
        uint64_t n, cycles;
        bool sort;
    } rows[] = {{65536, 2644, false}, {16384, 199367, true}};
    const mpu_config config = {.size = sizeof config, .place = "packed", .finish = "device"};
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        mpu_target *t;
        mpu_error *e = NULL;
        mpu_device *d = open_device("pypim", NULL, &config, &t);
        int32_t *data = calloc(rows[k].n, sizeof *data);
        mpu_vector *v = mpu_vector_new(d, types[0], rows[k].n, &e);
        for (uint64_t i = 0; i < rows[k].n; i++)
            data[i] = (int32_t)(i * 2654435761u);
        fine(mpu_vector_put(v, 0, rows[k].n, data, &e), e);
        assert_true(sum_or_sort_ps(v, rows[k].n, rows[k].sort, d) <= 3333 * rows[k].cycles);
        mpu_vector_release(v);
        free(data);
        close_device(d, t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(cheapest), cmocka_unit_test(published)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
