/* SPDX-License-Identifier: MIT
 * Derived sizes and link-time values in ezpim, against plain C. */
#include "tests/ezpim/build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A fold of quarters, loops that may have no lap, a mirrored middle, and a filter of host values.
 */
static const char source[] =
    "size n <= 65536;\n"
    "size h = (n + 3) / 4;\n"
    "size less = n - 70;\n"
    "group g[n];\n"
    "group q[(n + 3) / 4] like g;\n"
    "group t[2, min(n, 8)] like q;\n"
    "host k: i16[3] = {3, -1, 2000};\n"
    "host bias: i32;\n"
    "host on_: bool = true;\n"
    "in x: u32 @ g;\n"
    "out y, w: u32 @ q;\n"
    "out a: u32 @ g;\n"
    "out b: i32 @ t;\n"
    "out f: i32 @ g;\n"
    "var p0, p1, p2, p3: u32 @ q;\n"
    "var left: u32 @ g;\n"
    "main {\n"
    "    move p0[i] = x[i];\n"
    "    move p1[i] = x[i + h] else 0;\n"
    "    move p2[i] = x[i + 2 * h] else 0;\n"
    "    move p3[i] = x[i + 3 * ((n + 3) / 4)] else 0;\n"
    "    move left[i] = x[i - 1] wrap;\n"
    "    compute q {\n"
    "        y = p0 + p1 + p2 + p3;\n"
    "        w = 0;\n"
    "        repeat (n / 64) { w += 2; }\n"
    "        for j: 0 .. n / 300 - 1 { w += j; }\n"
    "    }\n"
    "    compute g { a = x; }\n"
    "    repeat (n / 500) {\n"
    "        compute g { a += 1; }\n"
    "    }\n"
    "    compute t {\n"
    "        b = i32(less);\n"
    "        repeat (2) { repeat (1) { repeat (2) { repeat (1) { repeat (n / 600) { b += 1; } } } } }\n"
    "    }\n"
    "    compute g {\n"
    "        f = bias;\n"
    "        if (on_) { f += i32(x) * i32(k[0]) + i32(left) * i32(k[1]) + i32(k[2]); }\n"
    "    }\n"
    "    move a[i] = x[n - 1 - i] for i: n / 2 .. n - h / 2;\n"
    "}\n";

struct run {
    mpu_session *s;
    uint32_t n, h, wide;
    uint32_t *x;
    int32_t k[3], bias;
};

static uint32_t x_at(const struct run *r, uint32_t i) {
    return i < r->n ? r->x[i] : 0;
}

static uint32_t want_y(const struct run *r, uint32_t i) {
    return x_at(r, i) + x_at(r, i + r->h) + x_at(r, i + 2 * r->h) + x_at(r, i + 3 * r->h);
}

static uint32_t want_w(const struct run *r, uint32_t i) {
    uint32_t w = r->n / 64 * 2;
    (void)i;
    for (uint32_t j = 0; j + 1 < r->n / 300; j++)
        w += j;
    return w;
}

static uint32_t want_a(const struct run *r, uint32_t i) {
    bool mirrored = i >= r->n / 2 && i < r->n - r->h / 2;
    return mirrored ? r->x[r->n - 1 - i] : r->x[i] + r->n / 500;
}

static uint32_t want_b(const struct run *r, uint32_t i) {
    (void)i;
    return r->n - 70 + 4 * (r->n / 600);
}

static uint32_t want_f(const struct run *r, uint32_t i) {
    uint32_t left = r->x[(i + r->n - 1) % r->n];
    return (uint32_t)r->bias + r->x[i] * (uint32_t)r->k[0] + left * (uint32_t)r->k[1] +
           (uint32_t)r->k[2];
}

static void expect(const struct run *r, const char *name, uint32_t count,
                   uint32_t (*want)(const struct run *r, uint32_t i)) {
    mpu_error *e = NULL;
    mpu_array a;
    if (mpu_session_get(r->s, name, &a, &e) != MPU_OK)
        fail_with(name, e);
    uint64_t have = 1;
    for (uint32_t d = 0; d < a.ndim; d++)
        have *= a.shape[d];
    assert_int_equal(have, count);
    for (uint32_t i = 0; i < count; i++)
        if (((const uint32_t *)a.data)[i] != want(r, i))
            fail_msg("n = %u: %s[%u] is %u, not %u", r->n, name, i, ((const uint32_t *)a.data)[i],
                     want(r, i));
    mpu_array_free(&a);
}

static void give(struct run *r, const char *name, mpu_type type, uint32_t ndim, uint64_t count,
                 void *data) {
    mpu_error *e = NULL;
    mpu_array a = {type, ndim, {count}, data};
    if (mpu_session_put(r->s, name, &a, &e) != MPU_OK)
        fail_with(name, e);
}

static void run_one(const mpu_program *p, const mpu_target *t, uint32_t n, bool own_filter) {
    mpu_error *e = NULL;
    struct run r = {.n = n, .h = (n + 3) / 4, .wide = n < 8 ? n : 8, .k = {3, -1, 2000}};
    int16_t filter[3] = {-32768, 32767, 7};
    r.bias = own_filter ? INT32_MIN : -5;
    r.s = mpu_session_new(p, t, NULL, &e);
    if (!r.s)
        fail_with("session", e);
    r.x = calloc(n, sizeof *r.x);
    for (uint32_t i = 0; i < n; i++)
        r.x[i] = i * 2654435761u;
    give(&r, "x", MPU_U32, 1, n, r.x);
    give(&r, "bias", MPU_I32, 0, 0, &r.bias);
    for (int i = 0; i < 3 && own_filter; i++)
        r.k[i] = filter[i];
    if (own_filter)
        give(&r, "k", MPU_I16, 1, 3, filter);
    if (mpu_session_run(r.s, &e) != MPU_OK)
        fail_with("run", e);
    expect(&r, "y", r.h, want_y);
    expect(&r, "w", r.h, want_w);
    expect(&r, "a", n, want_a);
    expect(&r, "b", 2 * r.wide, want_b);
    expect(&r, "f", n, want_f);
    mpu_session_free(r.s);
    free(r.x);
}

static void on_all_targets(int level) {
    static const char *const targets[] = {"golden",  "racer", "mimdram", "duality-cache",
                                          "simdram", "upmem", "simt"};
    static const uint32_t sizes[] = {1, 2, 63, 64, 65, 511, 513, 1201, 10007};
    mpu_program *p = build_program(source, level);
    for (size_t k = 0; k < sizeof targets / sizeof *targets; k++) {
        mpu_error *e = NULL;
        mpu_target *t = mpu_target_open(targets[k], NULL, &e);
        if (!t)
            fail_with(targets[k], e);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            run_one(p, t, sizes[i], i & 1);
        mpu_target_close(t);
    }
    mpu_program_free(p);
}

static void plain_c_agrees(void **state) {
    (void)state;
    on_all_targets(2);
}

static void without_optimization(void **state) {
    (void)state;
    on_all_targets(0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_c_agrees),
        cmocka_unit_test(without_optimization),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
