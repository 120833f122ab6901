/* SPDX-License-Identifier: MIT
 * libmpu through its public header alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/include/mpu/mpu.h"

#define AXPY                                                                                       \
    "size n;\ngroup g[n];\nin a: i32;\nin x, y: i32 @ g;\nout z: i32 @ g;\n"                       \
    "main { compute g { z = a * x + y; } }\n"

struct session {
    mpu_target *target;
    mpu_program *program;
    mpu_session *s;
};

static void expect_ok(mpu_result r, mpu_error *e) {
    if (r != MPU_OK)
        fail_msg("%s", mpu_error_text(e));
}

/* The call failed with that code and says that. */
static void expect_error(mpu_result r, mpu_result want, mpu_error **e, const char *part) {
    if (r != want || !strstr(mpu_error_text(*e), part))
        fail_msg("result %d (wanted %d): '%s' (wanted '%s')", (int)r, (int)want, mpu_error_text(*e),
                 part);
    assert_int_equal(mpu_error_code(*e), want);
    mpu_error_free(*e);
    *e = NULL;
}

static void write_source(const char *name, const char *text) {
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static mpu_program *compile(const char *suffix, const char *text) {
    char name[64];
    mpu_error *e = NULL;
    snprintf(name, sizeof name, "test_api_program.%s", suffix);
    write_source(name, text);
    mpu_program *p = mpu_program_load_file(name, &e);
    if (!p)
        fail_msg("%s", mpu_error_text(e));
    remove(name);
    return p;
}

static struct session open_session(const char *target, const char *suffix, const char *text,
                                   const mpu_config *config) {
    mpu_error *e = NULL;
    struct session x = {.target = mpu_target_open(target, NULL, &e)};
    if (!x.target)
        fail_msg("%s", mpu_error_text(e));
    x.program = compile(suffix, text);
    x.s = mpu_session_new(x.program, x.target, config, &e);
    if (!x.s)
        fail_msg("%s", mpu_error_text(e));
    return x;
}

static void close_session(struct session *x) {
    mpu_session_free(x->s);
    mpu_program_free(x->program);
    mpu_target_close(x->target);
}

static void put(struct session *x, const char *name, mpu_type type, uint64_t count, void *data) {
    mpu_error *e = NULL;
    mpu_array a = {type, count ? 1 : 0, {count}, data};
    expect_ok(mpu_session_put(x->s, name, &a, &e), e);
}

static mpu_array get(struct session *x, const char *name) {
    mpu_error *e = NULL;
    mpu_array a;
    expect_ok(mpu_session_get(x->s, name, &a, &e), e);
    return a;
}

static uint64_t figure(struct session *x, const char *path) {
    uint64_t v = 0;
    if (mpu_session_figure(x->s, path, &v) != MPU_OK)
        fail_msg("no figure %s", path);
    return v;
}

static void run(struct session *x) {
    mpu_error *e = NULL;
    expect_ok(mpu_session_run(x->s, &e), e);
}

/* ---- several MPUs ---- */

static void arrays_of_a_grid_on(const char *target, const mpu_config *config) {
    static const char text[] = "        .geometry grid=[2, 3]\n"
                               "        .size n\n        .group g[2, n] per mpu\n"
                               "        .group h[n]\n"
                               "        .var in x: u16 @g = r0\n        .var inout w: u16 = r2\n"
                               "        .var out y: u16[2] @g = r4\n"
                               "        .data w = 1000\n"
                               "        COMPUTEG @g\n        ADD.16 r0 r2 r4\n"
                               "        MOV.16 r0 r5\n        COMPUTE_DONE\n";
    struct session x = open_session(target, "s", text, config);
    enum { EACH = 150, ALL = 2 * 3 * 2 * EACH };
    uint16_t *xs = calloc(ALL, sizeof *xs);
    mpu_error *e = NULL;
    mpu_array a = {MPU_U16, 4, {2, 3, 2, EACH}, xs}, wrong = {MPU_U16, 4, {3, 2, 2, EACH}, xs};
    for (uint32_t i = 0; i < ALL; i++)
        xs[i] = (uint16_t)(i * 17);
    expect_error(mpu_session_put(x.s, "x", &wrong, &e), MPU_REJECTED, &e,
                 "the variable has shape (2, 3, 2, n)");
    expect_ok(mpu_session_put(x.s, "x", &a, &e), e);
    run(&x);
    mpu_array y = get(&x, "y"), w = get(&x, "w");
    assert_int_equal(y.ndim, 5);
    assert_int_equal(y.shape[0] * 10000 + y.shape[1] * 1000 + y.shape[3], 20000 + 3000 + EACH);
    for (uint32_t i = 0; i < ALL; i++) {
        assert_int_equal(((uint16_t *)y.data)[2 * i], (uint16_t)(xs[i] + 1000));
        assert_int_equal(((uint16_t *)y.data)[2 * i + 1], xs[i]);
    }
    assert_int_equal(((uint16_t *)w.data)[0], 1000);
    assert_int_equal(figure(&x, "utilisation.mpus_used"), 6);
    mpu_array_free(&y);
    mpu_array_free(&w);
    free(xs);
    close_session(&x);
}

static void arrays_of_a_grid(void **state) {
    const mpu_config check = {.size = sizeof check, .check = 1, .batch = "one"};
    const mpu_config golden = {.size = sizeof golden, .engine = "golden"};
    (void)state;
    arrays_of_a_grid_on("racer", &check);
    arrays_of_a_grid_on("racer", &golden);
    arrays_of_a_grid_on("mimdram", NULL);
}

/* ---- a run ---- */

enum { N = 40000 }; /* more than the 32,768 lanes of one racer MPU */

static void fill_axpy(struct session *x, int32_t *xs, int32_t *ys, uint64_t n) {
    int32_t a = -3;
    for (uint64_t i = 0; i < n; i++) {
        xs[i] = (int32_t)(i * 7 - 5000);
        ys[i] = (int32_t)(0x7fffff00 + i); /* wraps round */
    }
    put(x, "a", MPU_I32, 0, &a);
    put(x, "x", MPU_I32, n, xs);
    put(x, "y", MPU_I32, n, ys);
}

static void axpy_on(const char *target, const mpu_config *config) {
    static int32_t xs[N], ys[N];
    struct session x = open_session(target, "ez", AXPY, config);
    fill_axpy(&x, xs, ys, N);
    run(&x);
    mpu_array z = get(&x, "z");
    assert_int_equal(z.type, MPU_I32);
    assert_int_equal(z.ndim, 1);
    assert_int_equal(z.shape[0], N);
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(((int32_t *)z.data)[i],
                         (int32_t)((uint32_t)-3 * (uint32_t)xs[i] + (uint32_t)ys[i]));
    mpu_array_free(&z);
    assert_int_equal(figure(&x, "size.n"), N);
    assert_true(figure(&x, "utilisation.mpus_used") >= 2); /* auto spreads it where that pays */
    assert_int_equal(figure(&x, "utilisation.lanes_used"), N);
    /* a goes to every valid lane, x and y to theirs, z comes back */
    assert_int_equal(figure(&x, "host.bytes_in"), 3 * 4 * N);
    assert_int_equal(figure(&x, "host.bytes_out"), 4 * N);
    close_session(&x);
}

static void axpy_everywhere(void **state) {
    static const mpu_config configs[] = {
        {.size = sizeof(mpu_config)},
        {.size = sizeof(mpu_config), .init = "random:1", .batch = "one"},
        {.size = sizeof(mpu_config), .init = "random:2", .batch = "all", .check = 1},
        {.size = sizeof(mpu_config), .engine = "golden"},
    };
    (void)state;
    axpy_on("racer", NULL);
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++)
        axpy_on("racer", &configs[i]);
    axpy_on("golden", NULL);
}

/* Four transfers of 160,000 bytes: 8,333,333.3 ps each over the link at 19.2 GB/s, and 8,205,128.2
 * ps of the host, which turns 19.5 GB/s, each rounded up; energies are 4,000 fJ a bit and 865,000
 * fJ a byte. */
static void elements_are_turned_into_planes(void **state) {
    static int32_t xs[N], ys[N];
    struct session x = open_session("racer", "ez", AXPY, NULL);
    (void)state;
    fill_axpy(&x, xs, ys, N);
    run(&x);
    mpu_array z = get(&x, "z");
    mpu_array_free(&z);
    assert_int_equal(figure(&x, "host.time_ps"), 4 * 8333334);
    assert_int_equal(figure(&x, "host.energy_fj"), UINT64_C(640000) * 8 * 4000);
    assert_int_equal(figure(&x, "host.transpose_time_ps"), 4 * 8205129);
    assert_int_equal(figure(&x, "host.transpose_energy_fj"), UINT64_C(640000) * 865000);
    assert_int_equal(figure(&x, "total.end_to_end_time_ps"), figure(&x, "total.time_ps") +
                                                                 figure(&x, "load.time_ps") +
                                                                 4 * 8333334 + 4 * 8205129);
    close_session(&x);
}

/* ---- threads ---- */

#define MANY 100000

static const char collatz[] = "size n;\n"
                              "group g[n];\n"
                              "in x: u16 @ g;\n"
                              "out steps: u8 @ g;\n"
                              "main {\n"
                              "    compute g {\n"
                              "        let v: u24 = x;\n"
                              "        steps = 0;\n"
                              "        while (v > 1 && steps < 30) {\n"
                              "            if (v & 1 == 0) { v >>= 1; } else { v = 3 * v + 1; }\n"
                              "            steps += 1;\n"
                              "        }\n"
                              "    }\n"
                              "}\n";

static uint8_t collatz_steps(uint16_t x) {
    uint32_t v = x;
    uint8_t steps = 0;
    for (; v > 1 && steps < 30; steps++)
        v = v & 1 ? 3 * v + 1 : v / 2;
    return steps;
}

/* The statistics of a run that is large enough for threads to be used by themselves. */
static char *collatz_with(uint32_t threads) {
    static uint16_t xs[MANY];
    const mpu_config config = {.size = sizeof config, .threads = threads};
    struct session x = open_session("racer", "ez", collatz, &config);
    mpu_error *e = NULL;
    for (uint32_t i = 0; i < MANY; i++)
        xs[i] = (uint16_t)(i * 40503u >> 4);
    put(&x, "x", MPU_U16, MANY, xs);
    run(&x);
    mpu_array steps = get(&x, "steps");
    for (uint32_t i = 0; i < MANY; i++)
        assert_int_equal(((uint8_t *)steps.data)[i], collatz_steps(xs[i]));
    mpu_array_free(&steps);
    char *stats = mpu_session_stats(x.s, "json", &e);
    assert_non_null(stats);
    close_session(&x);
    return stats;
}

static void threads_are_in_no_statistics(void **state) {
    char *one = collatz_with(1);
    (void)state;
    for (uint32_t threads = 0; threads < 4; threads++) {
        char *other = collatz_with(threads);
        assert_string_equal(one, other);
        mpu_string_free(other);
    }
    mpu_string_free(one);
}

/* A program that was built when there was no such member. */
static void older_configs_go_on(void **state) {
    const mpu_config config = {.size = offsetof(mpu_config, threads), .threads = 1000};
    (void)state;
    axpy_on("racer", &config);
}

static void versions(void **state) {
    (void)state;
    assert_int_equal(mpu_api_version(), MPU_API_MAJOR << 16 | MPU_API_MINOR);
    assert_true(strlen(mpu_version()) >= 5);
}

static void costs_are_null_on_golden(void **state) {
    static int32_t xs[8], ys[8];
    uint64_t v;
    struct session x = open_session("golden", "ez", AXPY, NULL);
    (void)state;
    assert_int_equal(mpu_session_figure(x.s, "total.time_ps", &v), MPU_USAGE);
    fill_axpy(&x, xs, ys, 8);
    run(&x);
    assert_int_equal(mpu_session_figure(x.s, "total.time_ps", &v), MPU_USAGE);
    assert_int_equal(mpu_session_figure(x.s, "host.energy_fj", &v), MPU_USAGE);
    char *json = mpu_session_stats(x.s, "json", NULL);
    assert_non_null(strstr(json, "\"time_ps\": null"));
    assert_null(strstr(json, "\"time_ps\": 0"));
    mpu_string_free(json);
    close_session(&x);
}

/* A program that wants no SHA-256 of what it puts has null in its place. */
static void inputs_are_hashed_unless_told(void **state) {
    static int32_t xs[8], ys[8];
    (void)state;
    for (int unhashed = 0; unhashed < 2; unhashed++) {
        mpu_config config = {.size = sizeof config, .unhashed = unhashed};
        struct session x = open_session("racer", "ez", AXPY, &config);
        fill_axpy(&x, xs, ys, 8);
        run(&x);
        char *json = mpu_session_stats(x.s, "json", NULL);
        assert_int_equal(strstr(json, "\"sha256\": null") != NULL, unhashed);
        assert_int_equal(strstr(json, "\"sha256\": \"") != NULL, !unhashed);
        mpu_string_free(json);
        close_session(&x);
    }
}

static void same_run_same_bytes(void **state) {
    static const char *const formats[] = {"json", "csv", "text"};
    static int32_t xs[100], ys[100];
    (void)state;
    for (size_t f = 0; f < 3; f++) {
        char *text[2];
        for (int k = 0; k < 2; k++) {
            struct session x = open_session("racer", "ez", AXPY, NULL);
            fill_axpy(&x, xs, ys, 100);
            run(&x);
            text[k] = mpu_session_stats(x.s, formats[f], NULL);
            assert_non_null(text[k]);
            close_session(&x);
        }
        assert_string_equal(text[0], text[1]);
        mpu_string_free(text[0]);
        mpu_string_free(text[1]);
    }
}

/* Registers keep what they hold between runs; statistics are those of the last run. */
static void a_session_runs_again(void **state) {
    uint8_t first[4] = {1, 2, 3, 4}, second[4] = {10, 10, 10, 10};
    struct session x = open_session("racer", "s",
                                    ".group g[4]\n.var in x: u8 @ g = r0\n.var out s: u8 @ g = r1\n"
                                    "COMPUTEG @g\nADD.8 r1 r0 r1\nCOMPUTE_DONE\n",
                                    NULL);
    (void)state;
    put(&x, "x", MPU_U8, 4, first);
    run(&x);
    uint64_t instructions = figure(&x, "total.instructions");
    put(&x, "x", MPU_U8, 4, second);
    run(&x);
    mpu_array s = get(&x, "s");
    assert_int_equal(((uint8_t *)s.data)[3], 14);
    assert_int_equal(figure(&x, "total.instructions"), instructions);
    mpu_array_free(&s);
    /* Of what was put twice the statistics have the last. */
    char *json = mpu_session_stats(x.s, "json", NULL);
    const char *input = strstr(json, "\"name\": \"x\"");
    assert_non_null(input);
    assert_null(strstr(input + 1, "\"name\": \"x\""));
    mpu_string_free(json);
    close_session(&x);
}

#define CONSUMING                                                                                  \
    ".group g[4]\n.var in consumed x: u8 @g = r0\n.var in consumed k: u8 @g = r2\n"                \
    ".var out s: u8 @g = r1\n.data k = 5, 6, 7, 8\n"                                               \
    "COMPUTEG @g\nADD.8 r2 r0 r1\nINIT0.8 r0\nINIT0.8 r2\nCOMPUTE_DONE\n"

static void expect_s(struct session *x, uint8_t first) {
    mpu_array s = get(x, "s");
    assert_int_equal(((uint8_t *)s.data)[0], first);
    mpu_array_free(&s);
}

/* Nobody reads a consumed input after a run, and none runs without it. */
static void consumed_inputs_are_gone(void **state) {
    uint8_t first[4] = {1, 2, 3, 4}, second[4] = {10, 10, 10, 10};
    struct session x = open_session("racer", "s", CONSUMING, NULL);
    mpu_error *e = NULL;
    mpu_array a;
    (void)state;
    put(&x, "x", MPU_U8, 4, first);
    a = get(&x, "x"); /* nothing ran */
    assert_int_equal(((uint8_t *)a.data)[3], 4);
    mpu_array_free(&a);
    run(&x);
    expect_s(&x, 6);
    expect_error(mpu_session_get(x.s, "x", &a, &e), MPU_USAGE, &e,
                 "'x' was consumed by the program: its registers hold something else now\n"
                 "test_api_program.s:2:18: note: 'x' is declared here; behind its last use");
    expect_error(mpu_session_get(x.s, "k", &a, &e), MPU_USAGE, &e, "'k' was consumed");
    expect_error(mpu_session_run(x.s, &e), MPU_USAGE, &e,
                 "'x' was consumed by the run before: the program needs a new put of it");
    expect_s(&x, 6);
    put(&x, "x", MPU_U8, 4, second);
    run(&x); /* k is as it was declared again */
    expect_s(&x, 15);
    close_session(&x);
}

/* Who put something else than what was declared puts it again. */
static void consumed_data_comes_again(void **state) {
    uint8_t first[4] = {1, 2, 3, 4}, second[4] = {10, 10, 10, 10};
    struct session x = open_session("golden", "s", CONSUMING, NULL);
    mpu_error *e = NULL;
    (void)state;
    put(&x, "x", MPU_U8, 4, first);
    put(&x, "k", MPU_U8, 4, second);
    run(&x);
    expect_s(&x, 11);
    put(&x, "x", MPU_U8, 4, second);
    expect_error(mpu_session_run(x.s, &e), MPU_USAGE, &e, "'k' was consumed by the run before");
    put(&x, "k", MPU_U8, 4, first);
    run(&x);
    expect_s(&x, 11);
    close_session(&x);
}

/* ---- shapes, types, values ---- */

static void arrays_are_checked(void **state) {
    struct session x =
        open_session("racer", "ez",
                     "size n = 6;\ngroup g[2, n];\nin a: u5 @ g;\nin f: bool[3] @ g;\n"
                     "in c: i7;\nout z: u5 @ g;\n"
                     "main { compute g { z = a; } }\n",
                     NULL);
    uint8_t values[36] = {0};
    int8_t small = -65;
    float real[12] = {0};
    mpu_error *e = NULL;
    mpu_array a = {MPU_U8, 2, {2, 6}, values};
    (void)state;
    values[9] = 32;
    expect_error(mpu_session_put(x.s, "a", &a, &e), MPU_REJECTED, &e,
                 "a[1, 3] = 32 does not fit u5");
    values[9] = 31;
    a.shape[0] = 3;
    expect_error(mpu_session_put(x.s, "a", &a, &e), MPU_REJECTED, &e, "has shape (3, 6)");
    a.ndim = 1;
    expect_error(mpu_session_put(x.s, "a", &a, &e), MPU_REJECTED, &e,
                 "the variable has shape (2, n)");
    a = (mpu_array){MPU_F32, 2, {2, 6}, real};
    expect_error(mpu_session_put(x.s, "a", &a, &e), MPU_REJECTED, &e, "takes uint8");
    int64_t wide[12] = {[7] = -1};
    a = (mpu_array){MPU_I64, 2, {2, 6}, wide}; /* any integers, if all of them fit */
    expect_error(mpu_session_put(x.s, "a", &a, &e), MPU_REJECTED, &e,
                 "a[1, 1] = -1 does not fit u5");
    wide[7] = 31;
    expect_ok(mpu_session_put(x.s, "a", &a, &e), e);
    a = (mpu_array){(mpu_type)77, 2, {2, 6}, real};
    expect_error(mpu_session_put(x.s, "a", &a, &e), MPU_USAGE, &e, "no valid type");
    a = (mpu_array){MPU_I8, 0, {0}, &small};
    expect_error(mpu_session_put(x.s, "c", &a, &e), MPU_REJECTED, &e, "c = -65 does not fit i7");
    a = (mpu_array){MPU_U8, 2, {2, 6}, values};
    expect_error(mpu_session_put(x.s, "z", &a, &e), MPU_USAGE, &e, "not an input");
    expect_error(mpu_session_put(x.s, "aa", &a, &e), MPU_USAGE, &e, "did you mean 'a'");
    expect_ok(mpu_session_put(x.s, "a", &a, &e), e);
    a = (mpu_array){MPU_BOOL, 3, {2, 6, 3}, values};
    expect_error(mpu_session_put(x.s, "f", &a, &e), MPU_REJECTED, &e, "does not fit bool");
    values[9] = 1;
    expect_ok(mpu_session_put(x.s, "f", &a, &e), e);
    close_session(&x);
}

static void arrays_of_registers_and_single_values(void **state) {
    static const char text[] = "        .group g[70]\n"
                               "        .var in  p: u16[3] @ g = r4\n"
                               "        .var in  c: i5 = r1\n"
                               "        .var out q: u16[3] @ g = r8\n"
                               "        .var out d: i5 = r2\n"
                               "        COMPUTEG @g\n"
                               "        MOV.16 r4 r10\n"
                               "        MOV.16 r5 r9\n"
                               "        MOV.16 r6 r8\n"
                               "        MOV.5 r1 r2\n"
                               "        COMPUTE_DONE\n";
    struct session x = open_session("racer", "s", text, NULL);
    uint16_t p[70][3];
    int8_t c = -16;
    mpu_error *e = NULL;
    (void)state;
    for (uint16_t i = 0; i < 70; i++)
        for (uint16_t k = 0; k < 3; k++)
            p[i][k] = (uint16_t)(1000 * k + i);
    mpu_array a = {MPU_U16, 2, {70, 3}, p};
    expect_ok(mpu_session_put(x.s, "p", &a, &e), e);
    put(&x, "c", MPU_I8, 0, &c);
    run(&x);
    mpu_array q = get(&x, "q"), d = get(&x, "d");
    assert_int_equal(q.ndim, 2);
    for (unsigned i = 0; i < 70; i++)
        for (unsigned k = 0; k < 3; k++)
            assert_int_equal(((uint16_t(*)[3])q.data)[i][k], 1000 * (2 - k) + i);
    assert_int_equal(d.type, MPU_I8);
    assert_int_equal(d.ndim, 0);
    assert_int_equal(*(int8_t *)d.data, -16);
    assert_int_equal(figure(&x, "host.bytes_in"), 70 * 3 * 2 + 70);
    mpu_array_free(&q);
    mpu_array_free(&d);
    close_session(&x);
}

static void bare_registers(void **state) {
    static const char text[] = "        .mpu 1..2\n"
                               "        COMPUTE RFH2 VRF3\n"
                               "        INC.12 r5 r6\n"
                               "        COMPUTE_DONE\n";
    struct session x = open_session("racer", "s", text, NULL);
    uint16_t in[3] = {1, 4095, 7}, large[1] = {4096};
    mpu_error *e = NULL;
    mpu_array a = {MPU_U16, 1, {3}, in}, out;
    (void)state;
    expect_ok(mpu_session_put(x.s, "RFH2.VRF3.r5", &a, &e), e);
    expect_ok(mpu_session_put(x.s, "MPU2.rfh2.vrf3.R5:u16", &a, &e), e);
    expect_error(mpu_session_put(x.s, "RFH2.VRF3.r5:u8", &a, &e), MPU_REJECTED, &e,
                 "= 4095 does not fit u8");
    expect_error(mpu_session_put(x.s, "RFH2.VRF3.r5:u99", &a, &e), MPU_USAGE, &e, "unknown type");
    expect_error(mpu_session_put(x.s, "RFH2.VRF3.r64", &a, &e), MPU_USAGE, &e, "r0 to r63");
    a.shape[0] = 65;
    a.data = calloc(65, 2);
    expect_error(mpu_session_put(x.s, "RFH2.VRF3.r5", &a, &e), MPU_REJECTED, &e, "has 64 lanes");
    free(a.data);
    run(&x);
    out = get(&x, "RFH2.VRF3.r6");
    assert_int_equal(out.type, MPU_U64);
    assert_int_equal(out.shape[0], 64);
    assert_int_equal(((uint64_t *)out.data)[0], 2);
    assert_int_equal(((uint64_t *)out.data)[1], 0);
    assert_int_equal(((uint64_t *)out.data)[3], 1);
    mpu_array_free(&out);
    out = get(&x, "MPU2.RFH2.VRF3.r6:i4");
    assert_int_equal(out.type, MPU_I8);
    assert_int_equal(((int8_t *)out.data)[2], -8);
    mpu_array_free(&out);
    expect_error(mpu_session_get(x.s, "RFH2.VRF3.r9", &out, &e), MPU_REJECTED, &e,
                 "does not use r9");
    expect_error(mpu_session_get(x.s, "MPU9.RFH2.VRF3.r5", &out, &e), MPU_REJECTED, &e, "outside");
    a = (mpu_array){MPU_U16, 1, {1}, large};
    expect_ok(mpu_session_put(x.s, "RFH2.VRF3.r5", &a, &e), e);
    expect_error(mpu_session_run(x.s, &e), MPU_REJECTED, &e, "= 4096 does not fit");
    close_session(&x);
}

static void initial_data(void **state) {
    static const char text[] = "        .group g[3]\n"
                               "        .var inout t: u8 @ g = r0\n"
                               "        .data t 10, 20, 30\n"
                               "        COMPUTEG @g\n"
                               "        INC.8 r0 r0\n"
                               "        COMPUTE_DONE\n";
    struct session x = open_session("racer", "s", text, NULL);
    (void)state;
    run(&x);
    mpu_array t = get(&x, "t");
    assert_int_equal(((uint8_t *)t.data)[2], 31);
    mpu_array_free(&t);
    close_session(&x);
}

/* ---- sizes ---- */

static void sizes_are_bound_once(void **state) {
    struct session x = open_session("racer", "ez", AXPY, NULL);
    int32_t xs[5] = {0};
    mpu_error *e = NULL;
    mpu_array a = {MPU_I32, 1, {5}, xs};
    (void)state;
    expect_error(mpu_session_bind_size(x.s, "m", 4, &e), MPU_USAGE, &e, "no size 'm'");
    expect_error(mpu_session_bind_size(x.s, "n", 0, &e), MPU_REJECTED, &e, "not in 1..2^40");
    expect_error(mpu_session_run(x.s, &e), MPU_REJECTED, &e, "size 'n'");
    expect_ok(mpu_session_bind_size(x.s, "n", 4, &e), e);
    expect_ok(mpu_session_bind_size(x.s, "n", 4, &e), e);
    expect_error(mpu_session_bind_size(x.s, "n", 5, &e), MPU_USAGE, &e, "has its value already");
    expect_error(mpu_session_put(x.s, "x", &a, &e), MPU_REJECTED, &e,
                 "the variable has shape (4,)");
    close_session(&x);
}

static const char valued[] = ".size n\n.size h = (n + 1) / 2\n.group g[n]\n.group q[h] like g\n"
                             ".value k: i16[2]\n.var in x: i16 @q r1\n.var out y: i16 @q r2\n"
                             "COMPUTEG @q\nLI.16 value(k[1]) r2\nLIK1.16 value(k[1]) r2\n"
                             "ADD.16 r1 r2 r2\nCOMPUTE_DONE\nHALT\n";

/* Link-time values are put as arrays are, and extents may be worked out from sizes. */
static void values_and_formulas(void **state) {
    (void)state;
    struct session x = open_session("racer", "s", valued, NULL);
    int16_t ks[3] = {5, -300, 7}, xs[3] = {1, 2, 3};
    float real[2] = {1, 2};
    mpu_error *e = NULL;
    mpu_array k = {MPU_I16, 1, {3}, ks}, wrong = {MPU_F32, 1, {2}, real}, v = {MPU_I16, 1, {2}, xs};
    expect_error(mpu_session_put(x.s, "k", &k, &e), MPU_REJECTED, &e, "value has shape (2,)");
    expect_error(mpu_session_put(x.s, "k", &wrong, &e), MPU_REJECTED, &e, "takes int16");
    expect_error(mpu_session_bind_size(x.s, "h", 3, &e), MPU_USAGE, &e, "it is (n + 1) / 2");
    expect_ok(mpu_session_bind_size(x.s, "n", 5, &e), e);
    expect_error(mpu_session_put(x.s, "x", &v, &e), MPU_REJECTED, &e, "is 3, with n = 5");
    put(&x, "x", MPU_I16, 3, xs);
    expect_error(mpu_session_run(x.s, &e), MPU_REJECTED, &e, "value 'k' has no elements");
    put(&x, "k", MPU_I16, 2, ks);
    put(&x, "k", MPU_I16, 2, ks);
    run(&x);
    mpu_array y = get(&x, "y");
    const int16_t want[] = {-299, -298, -297};
    assert_memory_equal(y.data, want, sizeof want);
    mpu_array_free(&y);
    expect_error(mpu_session_get(x.s, "k", &y, &e), MPU_USAGE, &e, "is a link-time value");
    put(&x, "k", MPU_I16, 2, ks);
    ks[1] = 4;
    k.shape[0] = 2;
    expect_error(mpu_session_put(x.s, "k", &k, &e), MPU_USAGE, &e, "has its elements already");
    close_session(&x);
}

static void capacity_is_checked(void **state) {
    struct session x = open_session("racer", "ez", AXPY, NULL);
    mpu_error *e = NULL;
    (void)state;
    expect_ok(mpu_session_bind_size(x.s, "n", (uint64_t)1 << 40, &e), e);
    expect_error(mpu_session_run(x.s, &e), MPU_REJECTED, &e,
                 "the variables of all rounds: 13194139533316 bytes; a run may take ");
    close_session(&x);
}

/* ---- what goes wrong ---- */

static void bad_calls(void **state) {
    static const struct {
        mpu_config config;
        const char *part;
    } bad[] = {
        {{.size = sizeof(mpu_config), .engine = "turbo"}, "unknown engine 'turbo'"},
        {{.size = sizeof(mpu_config), .batch = "two"}, "unknown batching 'two'"},
        {{.size = sizeof(mpu_config), .init = "random"}, "unknown initial state 'random'"},
        {{.size = sizeof(mpu_config), .init = "random:x"}, "unknown initial state"},
        {{.size = sizeof(mpu_config), .engine = "golden", .check = 1}, "nothing to compare"},
        {{.size = sizeof(mpu_config), .threads = 257}, "257 threads; there may be 1 to 256"},
        {{.size = 1}, "mpu_config.size is 1"},
        {{.size = 100000}, "mpu_config.size is 100000"},
    };
    static const char *const overrides[] = {"clocks.datapath_p=1", NULL};
    mpu_error *e = NULL;
    mpu_program *p = compile("s", "NOP\n");
    mpu_target *t = mpu_target_open("racer", NULL, &e);
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_null(mpu_session_new(p, t, &bad[i].config, &e));
        expect_error(mpu_error_code(e), MPU_USAGE, &e, bad[i].part);
    }
    assert_null(mpu_target_open("racr", NULL, &e));
    expect_error(mpu_error_code(e), MPU_USAGE, &e, "did you mean 'racer'");
    assert_null(mpu_target_open("racer", overrides, &e));
    expect_error(mpu_error_code(e), MPU_USAGE, &e, "clocks.datapath_ps");
    assert_null(mpu_target_open("nowhere.yaml", NULL, &e));
    expect_error(mpu_error_code(e), MPU_FILE, &e, "nowhere.yaml");
    assert_null(mpu_program_load_file("nowhere.mpu", &e));
    expect_error(mpu_error_code(e), MPU_FILE, &e, "nowhere.mpu");
    assert_null(mpu_program_load("not an ELF file", 15, &e));
    expect_error(mpu_error_code(e), MPU_REJECTED, &e, "error:");
    assert_null(mpu_target_open(NULL, NULL, NULL));
    mpu_program_free(p);
    mpu_target_close(t);
}

static void stops_are_reported(void **state) {
    static const char text[] = "        COMPUTE RFH0 VRF0\n"
                               "        INC.8 r0 r0\n"
                               "        CMPEQ.8 r0 r1\n"
                               "        ASSERT \"r0 is r1\"\n"
                               "        COMPUTE_DONE\n";
    struct session x = open_session("racer", "s", text, NULL);
    mpu_error *e = NULL;
    (void)state;
    mpu_result r = mpu_session_run(x.s, &e);
    assert_non_null(strstr(mpu_error_text(e), "test_api_program.s:4:"));
    expect_error(r, MPU_STOPPED, &e, "assertion failed: r0 is r1");
    mpu_array out = get(&x, "RFH0.VRF0.r0");
    assert_int_equal(((uint64_t *)out.data)[63], 1);
    assert_int_equal(figure(&x, "total.instructions"), 3);
    char *json = mpu_session_stats(x.s, "json", NULL);
    assert_non_null(strstr(json, "\"end\": \"stopped\""));
    mpu_string_free(json);
    assert_null(mpu_session_stats(x.s, "xml", &e));
    expect_error(mpu_error_code(e), MPU_USAGE, &e, "unknown format 'xml'");
    mpu_array_free(&out);
    close_session(&x);
}

static void limits_and_interrupts(void **state) {
    static volatile int interrupted = 1;
    const mpu_config cycles = {.size = sizeof cycles, .max_cycles = 1000};
    const mpu_config interrupt = {.size = sizeof cycles, .interrupted = &interrupted};
    mpu_error *e = NULL;
    struct session x = open_session("racer", "s", "loop: GOTO loop\n", &cycles);
    (void)state;
    expect_error(mpu_session_run(x.s, &e), MPU_STOPPED, &e, "limit of 1000 cycles");
    close_session(&x);
    x = open_session("racer", "s", "loop: GOTO loop\n", &interrupt);
    expect_error(mpu_session_run(x.s, &e), MPU_STOPPED, &e, "interrupted");
    close_session(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions),
        cmocka_unit_test(arrays_of_a_grid),
        cmocka_unit_test(axpy_everywhere),
        cmocka_unit_test(elements_are_turned_into_planes),
        cmocka_unit_test(threads_are_in_no_statistics),
        cmocka_unit_test(older_configs_go_on),
        cmocka_unit_test(costs_are_null_on_golden),
        cmocka_unit_test(inputs_are_hashed_unless_told),
        cmocka_unit_test(same_run_same_bytes),
        cmocka_unit_test(a_session_runs_again),
        cmocka_unit_test(consumed_inputs_are_gone),
        cmocka_unit_test(consumed_data_comes_again),
        cmocka_unit_test(arrays_are_checked),
        cmocka_unit_test(arrays_of_registers_and_single_values),
        cmocka_unit_test(bare_registers),
        cmocka_unit_test(initial_data),
        cmocka_unit_test(sizes_are_bound_once),
        cmocka_unit_test(values_and_formulas),
        cmocka_unit_test(capacity_is_checked),
        cmocka_unit_test(bad_calls),
        cmocka_unit_test(stops_are_reported),
        cmocka_unit_test(limits_and_interrupts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
