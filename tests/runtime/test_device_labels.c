/* SPDX-License-Identifier: MIT
 * What calls cost by their labels: they add up to the totals, and change no other figure.  Copies
 * of ranges between vectors, and tables of other people's. */
#include "random_graph.h"
#include "tests/draws.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const mpu_vtype i32 = {MPU_KIND_INT, 32}, u8 = {MPU_KIND_UINT, 8};
static const char *const targets[] = {"golden",        "racer", "mimdram",
                                      "duality-cache", "pypim", "simdram"};
enum { TARGETS = sizeof targets / sizeof *targets };

/* ---- sums ---- */

/* Of all labels; a target without costs has none. */
static uint64_t sum_of(mpu_device *d, const char *key, bool *known) {
    uint64_t sum = 0, value;
    char path[64];
    *known = false;
    for (unsigned i = 0;; i++) {
        snprintf(path, sizeof path, "labels.%u.operations", i);
        if (mpu_device_figure(d, path, &value) != MPU_OK)
            return sum;
        snprintf(path, sizeof path, "labels.%u.%s", i, key);
        if (mpu_device_figure(d, path, &value) != MPU_OK)
            continue;
        *known = true;
        sum += value;
    }
}

static void check_sums(mpu_device *d) {
    static const char *const pairs[][2] = {{"operations", "graph.operations"},
                                           {"time_ps", "total.time_ps"},
                                           {"energy_fj", "total.energy_fj"},
                                           {"end_to_end_time_ps", "total.end_to_end_time_ps"},
                                           {"end_to_end_energy_fj", "total.end_to_end_energy_fj"},
                                           {"bytes_in", "host.bytes_in"},
                                           {"bytes_out", "host.bytes_out"}};
    for (unsigned k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        uint64_t total = 0;
        bool known;
        const uint64_t sum = sum_of(d, pairs[k][0], &known);
        const bool there = mpu_device_figure(d, pairs[k][1], &total) == MPU_OK;
        assert_true(there || !known);
        if (sum != total) /* 0 where there is no label, or no cost */
            fail_msg("%s: labels have %llu, of %llu", pairs[k][0], (unsigned long long)sum,
                     (unsigned long long)total);
    }
}

/* The statistics before their labels, and behind them. */
static char *without_labels(mpu_device *d) {
    mpu_error *e = NULL;
    char *json = mpu_device_stats(d, "json", &e);
    assert_non_null(json);
    char *begin = strstr(json, "\"labels\""), *end = begin ? strstr(begin, "\"slabs\"") : NULL;
    assert_non_null(end);
    memmove(begin, end, strlen(end) + 1);
    return json;
}

static void random_graphs(void **state) {
    static const char *const few[] = {"machine.mpus=1", "machine.vrf_per_rfh=2", NULL};
    static const mpu_vtype narrow[] = {{MPU_KIND_BOOL, 1}, {MPU_KIND_UINT, 8}, {MPU_KIND_INT, 16}};
    (void)state;
    for (unsigned t = 0; t < TARGETS; t++)
        for (unsigned seed = 1; seed <= draws(DRAWS_DEVICE_LABELS); seed++) {
            char *json[2];
            for (unsigned labels = 0; labels < 2; labels++) {
                mpu_target *target;
                mpu_device *d =
                    open_device(targets[t], seed % 3 == 0 && t ? few : NULL, NULL, &target);
                graph_play((struct play){.d = d,
                                         .n = 1 + 37 * (seed % 9),
                                         .seed = seed,
                                         .floats = seed % 3 == 2 && t != 4,
                                         .types = t == 4 ? narrow : NULL, /* 30 columns */
                                         .type_count = t == 4 ? 3 : 0,
                                         .flushes = 9,
                                         .labels = labels ? 5 : 0},
                           120);
                if (labels)
                    check_sums(d);
                json[labels] = without_labels(d);
                if (labels) {
                    mpu_device_reset_stats(d);
                    check_sums(d);
                }
                close_device(d, target);
            }
            assert_string_equal(json[0], json[1]);
            mpu_string_free(json[0]);
            mpu_string_free(json[1]);
        }
}

/* ---- one program of several labels ---- */

static uint64_t of_label(mpu_device *d, const char *name, const char *key) {
    mpu_error *e = NULL;
    char *json = mpu_device_stats(d, "json", &e), text[64], path[64];
    uint64_t value = 0;
    assert_non_null(json);
    unsigned at = 0;
    snprintf(text, sizeof text, "\"name\": \"%s\"", name);
    const char *list = strstr(json, "\"labels\""), *here = list ? strstr(list, text) : NULL;
    if (!here)
        fail_msg("no label '%s' in %s", name, json);
    for (const char *c = list; (c = strstr(c, "\"name\"")) && c < here; c++)
        at++;
    snprintf(path, sizeof path, "labels.%u.%s", at, key);
    assert_int_equal(mpu_device_figure(d, path, &value), MPU_OK);
    mpu_string_free(json);
    return value;
}

/* What an operation takes by itself, without the host's side. */
static uint64_t alone_ps(const char *name, mpu_op op) {
    mpu_target *target;
    mpu_error *e = NULL;
    mpu_device *d = open_device(name, NULL, NULL, &target);
    mpu_vector *x = mpu_vector_new(d, i32, 300, &e);
    int32_t data[300] = {1};
    fine(mpu_vector_put(x, 0, 300, data, &e), e);
    mpu_vector *z = mpu_apply(d, op, i32, 300, (mpu_operand[]){{x, 0}, {x, 0}}, 2, &e);
    fine(mpu_device_flush(d, &e), e);
    const uint64_t ps = figure(d, "total.time_ps");
    mpu_vector_release(x);
    mpu_vector_release(z);
    close_device(d, target);
    return ps;
}

/* A product and a sum in one program: each pays about what it takes by itself. */
static void fused(void **state) {
    (void)state;
    for (unsigned t = 1; t < TARGETS; t++) {
        mpu_target *target;
        mpu_error *e = NULL;
        mpu_device *d = open_device(targets[t], NULL, NULL, &target);
        mpu_vector *x = mpu_vector_new(d, i32, 300, &e);
        int32_t data[300] = {1};
        mpu_device_label(d, "put");
        fine(mpu_vector_put(x, 0, 300, data, &e), e);
        mpu_device_label(d, "product");
        mpu_vector *p = mpu_apply(d, MPU_OP_MUL, i32, 300, (mpu_operand[]){{x, 0}, {x, 0}}, 2, &e);
        mpu_device_label(d, "sum");
        mpu_vector *s = mpu_apply(d, MPU_OP_ADD, i32, 300, (mpu_operand[]){{p, 0}, {x, 0}}, 2, &e);
        mpu_device_label(d, NULL);
        fine(mpu_device_flush(d, &e), e);
        mpu_device_label(d, "get");
        fine(mpu_vector_get(s, 0, 300, data, &e), e);
        assert_int_equal(data[0], 2);
        assert_int_equal(figure(d, "graph.runs"), 1);
        check_sums(d);
        const uint64_t product = of_label(d, "product", "time_ps"),
                       sum = of_label(d, "sum", "time_ps"), much = alone_ps(targets[t], MPU_OP_MUL),
                       little = alone_ps(targets[t], MPU_OP_ADD);
        assert_true(product < much + much / 4 && product > much - much / 4);
        assert_true(sum < 2 * little && sum > little / 4);
        assert_int_equal(of_label(d, "put", "time_ps"), 0);
        assert_int_equal(of_label(d, "put", "bytes_in"), figure(d, "host.bytes_in"));
        assert_int_equal(of_label(d, "get", "bytes_out"), figure(d, "host.bytes_out"));
        assert_int_equal(of_label(d, "get", "calls"), 1);
        assert_int_equal(of_label(d, "product", "operations"), 1);
        mpu_vector *all[] = {x, p, s};
        for (unsigned i = 0; i < 3; i++)
            mpu_vector_release(all[i]);
        close_device(d, target);
    }
}

/* Names that are none, and too many. */
static void names(void **state) {
    mpu_target *target;
    mpu_device *d = open_device("racer", NULL, NULL, &target);
    char name[300];
    uint64_t value;
    (void)state;
    assert_int_equal(mpu_device_figure(d, "labels.0.calls", &value), MPU_USAGE);
    memset(name, 'x', sizeof name);
    name[256] = 0;
    assert_int_equal(mpu_device_label(d, name), MPU_USAGE);
    name[255] = 0;
    assert_int_equal(mpu_device_label(d, name), MPU_OK);
    assert_int_equal(mpu_device_label(d, "a\nb"), MPU_USAGE);
    assert_int_equal(mpu_device_label(d, "a \"quoted\" name, \xc3\xa4"), MPU_OK);
    assert_int_equal(of_label(d, "a \\\"quoted\\\" name, \xc3\xa4", "calls"), 1);
    for (unsigned i = 0; i < 4094; i++) {
        snprintf(name, sizeof name, "%u", i);
        assert_int_equal(mpu_device_label(d, name), MPU_OK);
    }
    assert_int_equal(mpu_device_label(d, "one more"), MPU_USAGE);
    assert_int_equal(mpu_device_label(d, "17"), MPU_OK);
    assert_int_equal(of_label(d, "17", "calls"), 2);
    close_device(d, target);
}

/* ---- copies ---- */

static void copies(void **state) {
    (void)state;
    for (unsigned t = 0; t < TARGETS; t++) {
        mpu_target *target;
        mpu_error *e = NULL;
        mpu_device *d = open_device(targets[t], NULL, NULL, &target);
        const uint64_t length[] = {130, 75};
        uint8_t x[2][130], got[130];
        mpu_vector *v[2];
        for (unsigned k = 0; k < 2; k++) {
            for (unsigned i = 0; i < length[k]; i++)
                x[k][i] = (uint8_t)(100 * k + i);
            v[k] = mpu_vector_new(d, u8, length[k], &e);
            fine(mpu_vector_put(v[k], 0, length[k], x[k], &e), e);
        }
        struct play p = {.d = d, .seed = t + 1};
        for (unsigned turn = 0; turn < 40; turn++) {
            const unsigned to = (unsigned)graph_roll(&p, 2),
                           from = turn % 4 ? (unsigned)graph_roll(&p, 2) : to;
            uint64_t most = length[to] < length[from] ? length[to] : length[from],
                     count = turn % 5 ? graph_roll(&p, most + 1) : most,
                     at = graph_roll(&p, length[to] - count + 1),
                     src = graph_roll(&p, length[from] - count + 1);
            fine(mpu_vector_copy(v[to], at, v[from], src, count, &e), e);
            memmove(x[to] + at, x[from] + src, count);
            if (turn % 8 == 7) {
                fine(mpu_vector_get(v[to], 0, length[to], got, &e), e);
                assert_memory_equal(got, x[to], length[to]);
            }
        }
        for (unsigned k = 0; k < 2; k++) {
            fine(mpu_vector_get(v[k], 0, length[k], got, &e), e);
            assert_memory_equal(got, x[k], length[k]);
        }
        assert_int_equal(mpu_vector_copy(v[0], 120, v[1], 0, 11, &e), MPU_USAGE);
        assert_non_null(strstr(mpu_error_text(e), "to 120 on leaves a vector of 130"));
        mpu_error_free(e);
        assert_int_equal(mpu_vector_copy(v[0], 0, v[1], UINT64_MAX, 2, &e), MPU_USAGE);
        mpu_error_free(e);
        mpu_vector *other = mpu_vector_new(d, i32, 130, &e);
        assert_int_equal(mpu_vector_copy(other, 0, v[1], 0, 1, &e), MPU_USAGE);
        assert_non_null(strstr(mpu_error_text(e), "one type"));
        mpu_error_free(e);
        mpu_vector_release(other);
        mpu_vector_release(v[0]);
        mpu_vector_release(v[1]);
        close_device(d, target);
    }
}

/* Entries that nobody may write. */
static void tables(void **state) {
    static const int32_t entries[] = {7, -1, 1 << 30, -5};
    (void)state;
    for (unsigned t = 0; t < TARGETS; t++) {
        mpu_target *target;
        mpu_error *e = NULL;
        mpu_device *d = open_device(targets[t], NULL, NULL, &target);
        const uint8_t index[] = {3, 0, 9, 1, 2};
        int32_t got[5];
        mpu_vector *v = mpu_vector_new(d, u8, 5, &e);
        fine(mpu_vector_put(v, 0, 5, index, &e), e);
        mpu_vector *z = mpu_take_entries(v, MPU_I32, entries, 4, &e);
        fine(mpu_vector_get(z, 0, 5, got, &e), e);
        for (unsigned i = 0; i < 5; i++)
            assert_int_equal(got[i], index[i] < 4 ? entries[index[i]] : 0);
        assert_null(mpu_take_entries(v, MPU_I32, entries, 0, &e));
        mpu_error_free(e);
        mpu_vector_release(v);
        mpu_vector_release(z);
        close_device(d, target);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_graphs), cmocka_unit_test(fused),
                                       cmocka_unit_test(names), cmocka_unit_test(copies),
                                       cmocka_unit_test(tables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
