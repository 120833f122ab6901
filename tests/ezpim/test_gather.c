/* SPDX-License-Identifier: MIT
 * Gather and scatter of 100,003 elements from ezpim's text, beside loops in C: random, equal and
 * out-of-range indices, and everything that may become of those outside. */
#include "tests/ezpim/build.h"
#include "tests/ezpim/expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* More than two MPUs of racer have lanes for; sanitized, than one. */
#ifdef MPU_SANITIZED
enum { ELEMENTS = 40009 };
#else
enum { ELEMENTS = 100003 };
#endif
enum { OUTSIDE = 77 };

static const char text[] = "size n;\n"
                           "size m;\n"
                           "group g[n];\n"
                           "group h[m];\n"
                           "in k: i32 @ g;\n"
                           "in x: i32 @ h;\n"
                           "in y: i32 @ g;\n"
                           "inout keep: i32 @ g;\n"
                           "out fill, turned, near: i32 @ g;\n"
                           "inout skeep, swrap, sclip: i32 @ h;\n"
                           "main {\n"
                           "    move keep[i] = x[k[i]];\n"
                           "    move fill[i] = x[k[i]] else 77;\n"
                           "    move turned[i] = x[k[i]] wrap;\n"
                           "    move near[i] = x[k[i]] clip;\n"
                           "    move skeep[k[i]] = y[i];\n"
                           "    move swrap[k[i]] = y[i] wrap;\n"
                           "    move sclip[k[i]] = y[i] clip;\n"
                           "}\n";

enum { K, X, Y, KEEP, FILL, WRAP, CLIP, SKEEP, SWRAP, SCLIP, VARIABLES };
static const struct {
    const char *name;
    bool in, of_h;
} variables[VARIABLES] = {{"k", true, false},     {"x", true, true},      {"y", true, false},
                          {"keep", true, false},  {"fill", false, false}, {"turned", false, false},
                          {"near", false, false}, {"skeep", true, true},  {"swrap", true, true},
                          {"sclip", true, true}};

/* Values as they are put in, then as the loops below leave them. */
struct values {
    int64_t n, m;
    int32_t *of[VARIABLES];
};

static int64_t count_of(const struct values *v, unsigned var) {
    return variables[var].of_h ? v->m : v->n;
}

enum indices { RANDOM, EQUAL, OUT_OF_RANGE, INDICES };

static int32_t index_value(struct rng *r, const struct values *v, enum indices kind) {
    if (kind == EQUAL)
        return (int32_t)(v->m - 1);
    if (kind == RANDOM)
        return (int32_t)rng_below(r, (uint32_t)v->m);
    return rng_below(r, 50) ? (int32_t)rng_below(r, 4 * (uint32_t)v->m) - 2 * (int32_t)v->m
                            : (int32_t)rng_next(r);
}

static void make_values(struct values *v, enum indices kind) {
    struct rng r = {(uint64_t)kind + 9};
    for (unsigned var = 0; var < VARIABLES; var++) {
        v->of[var] = calloc((size_t)count_of(v, var), sizeof(int32_t));
        assert_non_null(v->of[var]);
        for (int64_t i = 0; i < count_of(v, var); i++)
            v->of[var][i] = var == K ? index_value(&r, v, kind) : (int32_t)rng_next(&r);
    }
}

static void free_values(struct values *v) {
    for (unsigned var = 0; var < VARIABLES; var++)
        free(v->of[var]);
}

static void work_out(struct values *v) {
    for (int64_t i = 0; i < v->n; i++) {
        int64_t k = v->of[K][i], last = v->m - 1;
        int64_t around = (k % v->m + v->m) % v->m, near = k < 0 ? 0 : k > last ? last : k;
        bool inside = k >= 0 && k <= last;
        if (inside)
            v->of[KEEP][i] = v->of[X][k];
        v->of[FILL][i] = inside ? v->of[X][k] : OUTSIDE;
        v->of[WRAP][i] = v->of[X][around];
        v->of[CLIP][i] = v->of[X][near];
        if (inside)
            v->of[SKEEP][k] = v->of[Y][i];
        v->of[SWRAP][around] = v->of[Y][i];
        v->of[SCLIP][near] = v->of[Y][i];
    }
}

static void put_all(mpu_session *s, const struct values *v) {
    for (unsigned var = 0; var < VARIABLES; var++) {
        mpu_error *e = NULL;
        mpu_array a = {.type = MPU_I32, .ndim = 1, .data = v->of[var]};
        a.shape[0] = (uint64_t)count_of(v, var);
        if (variables[var].in && mpu_session_put(s, variables[var].name, &a, &e) != MPU_OK)
            fail_with(variables[var].name, e);
    }
}

static void expect_all(mpu_session *s, const struct values *v) {
    for (unsigned var = 0; var < VARIABLES; var++) {
        mpu_error *e = NULL;
        mpu_array a = {0};
        if (mpu_session_get(s, variables[var].name, &a, &e) != MPU_OK)
            fail_with(variables[var].name, e);
        assert_int_equal(a.shape[0], count_of(v, var));
        for (int64_t i = 0; i < count_of(v, var); i++)
            if (((const int32_t *)a.data)[i] != v->of[var][i])
                fail_msg("element %lld of `%s`", (long long)i, variables[var].name);
        mpu_array_free(&a);
    }
}

static void check(const char *target, const mpu_program *p, int64_t m, enum indices kind) {
    struct values v = {.n = ELEMENTS, .m = m};
    mpu_error *e = NULL;
    mpu_target *t = mpu_target_open(target, NULL, &e);
    mpu_session *s = t ? mpu_session_new(p, t, NULL, &e) : NULL;
    if (!s)
        fail_with(target, e);
    make_values(&v, kind);
    put_all(s, &v);
    if (mpu_session_run(s, &e) != MPU_OK)
        fail_with(target, e);
    work_out(&v);
    expect_all(s, &v);
    free_values(&v);
    mpu_session_free(s);
    mpu_target_close(t);
}

/* As many elements on either side, and a short table. */
static void equals_loops(void **state) {
    static const char *const targets[] = {"golden",        "racer", "mimdram", "simdram",
                                          "duality-cache", "upmem", "simt"};
    (void)state;
    mpu_program *p = build_program(text, 1);
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++)
        for (unsigned kind = 0; kind < INDICES; kind++) {
            check(targets[t], p, ELEMENTS, (enum indices)kind);
            check(targets[t], p, 1000, (enum indices)kind);
        }
    mpu_program_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(equals_loops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
