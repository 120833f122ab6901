/* SPDX-License-Identifier: MIT
 * Strided targets, and loops whose counter steps moves or is a value, against loops over the
 * elements. */
#include "tests/ezpim/build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char program[] =
    "size n <= 20000;\n"
    "group g[n];\n"
    "group h[3, n];\n"
    "in x: u32 @ g;\n"
    "in a: u32 @ h;\n"
    "inout y: u32 @ g;\n"
    "out b: u32 @ h;\n"
    "out s: u32 @ g;\n"
    "out w: u32[3] @ g;\n"
    "var t: u32 @ g;\n"
    "main {\n"
    "    compute g { s = 0; t = 0; w[0] = 7; w[1] = 8; w[2] = 9; }\n"
    "    compute h { b = 5; }\n"
    "    move y[2 * i + 1] = x[i];\n"
    "    move y[n - 1 - 3 * i] = y[i + 1];\n"
    "    for k: 0 .. 3 {\n"
    "        move t[i] = a[k, i];\n"
    "        move b[2 - k, 2 * j + k] = a[k, j + 2 * k];\n"
    "        compute g { s += t; }\n"
    "        for m: 1 .. 3 { move w[2 * i + m, k] = x[i + k - m] else 3; }\n"
    "    }\n"
    "    for k: 0 .. 70 { move y[i] = x[i + k] for i: 0 .. 1; }\n"
    "    repeat (2) {\n"
    "        for k: 2 .. 5 { move y[k] = y[k - 1] wrap; }\n"
    "    }\n"
    "}\n";

/* Counts laps in two groups, one of them of an element per lap. */
static const char counting[] =
    "size n <= 20000;\n"
    "size laps <= 9 = 9;\n"
    "group g[n];\n"
    "group h[9];\n"
    "in x: u32 @ g;\n"
    "inout y: u32 @ g;\n"
    "out p: u32 @ h;\n"
    "out q: u8 @ h;\n"
    "main {\n"
    "    compute h { p = 0; q = 0; }\n"
    "    for k: 0 .. laps {\n"
    "        for l: 0 .. laps {\n"
    "            compute h { p += 10 * k + l; if (index() == u64(l)) { q = k; } }\n"
    "            move y[l + 9 * i] = x[k + l] wrap;\n"
    "        }\n"
    "        compute g { y += k; }\n"
    "    }\n"
    "}\n";

enum { MOST = 10007 };
static const uint32_t sizes[] = {1, 63, 64, 65, 511, 513, MOST};
static const char *const targets[] = {"golden",        "racer",   "mimdram",
                                      "duality-cache", "simdram", "racer"};
/* The last one is cut into many small MPUs. */
static const char *const small[] = {"array.lanes=7", "machine.rfh_per_mpu=2",
                                    "machine.vrf_per_rfh=16", "machine.mpus=300", NULL};

struct arrays {
    uint32_t n, x[MOST], y[MOST], a[3][MOST], b[3][MOST], s[MOST], w[MOST][3], p[9];
    uint8_t q[9];
};

static void fill(struct arrays *v, uint32_t n) {
    memset(v, 0, sizeof *v);
    v->n = n;
    for (uint32_t i = 0; i < n; i++) {
        v->x[i] = i * 2654435761u;
        v->y[i] = ~i;
        for (uint32_t k = 0; k < 3; k++)
            v->a[k][i] = (i + 1) * 40503u + k;
    }
}

static void step_y(struct arrays *v) {
    uint32_t n = v->n;
    static uint32_t old[MOST];
    for (uint32_t i = 0; 2 * i + 1 < n; i++)
        v->y[2 * i + 1] = v->x[i];
    memcpy(old, v->y, sizeof old);
    for (uint32_t i = 0; 3 * i < n && i + 1 < n; i++)
        v->y[n - 1 - 3 * i] = old[i + 1];
}

static void step_w(struct arrays *v, uint32_t k, uint32_t m) {
    for (uint32_t i = 0; 2 * i + m < v->n; i++) {
        int64_t from = (int64_t)i + k - m;
        v->w[2 * i + m][k] = from >= 0 && from < v->n ? v->x[from] : 3;
    }
}

static void loops(struct arrays *v) {
    uint32_t n = v->n;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < 3; k++) {
            v->b[k][i] = 5;
            v->w[i][k] = 7 + k;
            v->s[i] += v->a[k][i];
        }
    step_y(v);
    for (uint32_t k = 0; k < 3; k++) {
        for (uint32_t j = 0; 2 * j + k < n; j++)
            if (j + 2 * k < n)
                v->b[2 - k][2 * j + k] = v->a[k][j + 2 * k];
        step_w(v, k, 1);
        step_w(v, k, 2);
    }
    v->y[0] = v->x[n > 69 ? 69 : n - 1];
    for (unsigned r = 0; r < 2; r++)
        for (uint32_t k = 2; k < 5; k++)
            v->y[k] = v->y[k - 1];
}

static void count(struct arrays *v) {
    for (uint32_t k = 0; k < 9; k++) {
        for (uint32_t l = 0; l < 9; l++) {
            for (uint32_t i = 0; i < 9; i++)
                v->p[i] += 10 * k + l;
            v->q[l] = (uint8_t)k;
            for (uint32_t i = l; i < v->n; i += 9)
                v->y[i] = v->x[(k + l) % v->n];
        }
        for (uint32_t i = 0; i < v->n; i++)
            v->y[i] += k;
    }
}

static void put(mpu_session *s, const char *name, mpu_array a) {
    mpu_error *e = NULL;
    if (mpu_session_put(s, name, &a, &e) != MPU_OK)
        fail_with(name, e);
}

static void expect(mpu_session *s, const char *where, const char *name, mpu_array a,
                   const void *want, size_t bytes) {
    mpu_error *e = NULL;
    a.data = NULL;
    if (mpu_session_get(s, name, &a, &e) != MPU_OK)
        fail_with(name, e);
    if (memcmp(a.data, want, bytes) != 0)
        fail_msg("%s on %s is wrong", name, where);
    mpu_array_free(&a);
}

static mpu_array line(const uint32_t *data, uint32_t n) {
    mpu_array a = {.type = MPU_U32, .ndim = 1, .data = (void *)(uintptr_t)data};
    a.shape[0] = n;
    return a;
}

/* Rows of h as they lie in memory, one behind the other. */
static mpu_array rows(uint32_t (*from)[MOST], uint32_t n, uint32_t *flat) {
    mpu_array a = {.type = MPU_U32, .ndim = 2, .data = flat};
    for (uint32_t k = 0; k < 3; k++)
        memcpy(flat + (size_t)k * n, from[k], n * sizeof *flat);
    a.shape[0] = 3;
    a.shape[1] = n;
    return a;
}

static mpu_session *open_session(const mpu_program *p, const mpu_target *t, uint32_t n) {
    mpu_error *e = NULL;
    mpu_config config = {.size = sizeof config, .init = "random:5"};
    config.place = n % 2 ? "spread" : "packed";
    mpu_session *s = mpu_session_new(p, t, &config, &e);
    if (!s || mpu_session_bind_size(s, "n", n, &e) != MPU_OK)
        fail_with("session", e);
    return s;
}

static void run_session(mpu_session *s) {
    mpu_error *e = NULL;
    if (mpu_session_run(s, &e) != MPU_OK)
        fail_with("run", e);
}

static void steps_on(const mpu_program *p, const mpu_target *t, uint32_t n) {
    static struct arrays v, want;
    static uint32_t flat[3 * MOST], more[3 * MOST];
    mpu_session *s = open_session(p, t, n);
    fill(&v, n);
    want = v;
    loops(&want);
    put(s, "x", line(v.x, n));
    put(s, "y", line(v.y, n));
    put(s, "a", rows(v.a, n, flat));
    run_session(s);
    mpu_array b = rows(want.b, n, more);
    expect(s, mpu_target_name(t), "y", line(NULL, n), want.y, n * sizeof *want.y);
    expect(s, mpu_target_name(t), "s", line(NULL, n), want.s, n * sizeof *want.s);
    expect(s, mpu_target_name(t), "b", b, more, 3 * (size_t)n * sizeof *more);
    mpu_array w = {.type = MPU_U32, .ndim = 2, .shape = {n, 3}};
    expect(s, mpu_target_name(t), "w", w, want.w, n * sizeof *want.w);
    mpu_session_free(s);
}

static void counts_on(const mpu_program *p, const mpu_target *t, uint32_t n) {
    static struct arrays v, want;
    mpu_session *s = open_session(p, t, n);
    fill(&v, n);
    want = v;
    count(&want);
    put(s, "x", line(v.x, n));
    put(s, "y", line(v.y, n));
    run_session(s);
    mpu_array q = {.type = MPU_U8, .ndim = 1, .shape = {9}};
    expect(s, mpu_target_name(t), "y", line(NULL, n), want.y, n * sizeof *want.y);
    expect(s, mpu_target_name(t), "p", line(NULL, 9), want.p, sizeof want.p);
    expect(s, mpu_target_name(t), "q", q, want.q, sizeof want.q);
    mpu_session_free(s);
}

typedef void on_target(const mpu_program *p, const mpu_target *t, uint32_t n);

static void on_all(const char *text, on_target *run, uint32_t least) {
    for (int level = 0; level <= 1; level++) {
        mpu_program *p = build_program(text, level);
        for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
            bool last = t + 1 == sizeof targets / sizeof *targets;
            mpu_target *target = mpu_target_open(targets[t], last ? small : NULL, NULL);
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
                if (sizes[i] >= least && (level || t < 2))
                    run(p, target, sizes[i]);
            mpu_target_close(target);
        }
        mpu_program_free(p);
    }
}

static void moves_step(void **state) {
    (void)state;
    on_all(program, steps_on, 5);
}

static void counters_are_values(void **state) {
    (void)state;
    on_all(counting, counts_on, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_step),
        cmocka_unit_test(counters_are_values),
    };
    return cmocka_run_group_tests_name("steps", tests, NULL, NULL);
}
