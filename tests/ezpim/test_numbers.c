/* SPDX-License-Identifier: MIT
 * index(d), and quotients and remainders of index(), beside loops in C: on all kinds of plane
 * targets, at all levels, in several VRFs and MPUs, spread, in rounds, and in what they take. */
#include "tests/ezpim/build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* r is what a lane sees whose value goes round through masks, `let` and a subroutine. */
static const char planes[] = "size h;\nsize w;\nsize d;\n"
                             "group g[h, w, d];\n"
                             "out a, b, c: u32 @ g;\n"
                             "out q, p: u32 @ g;\n"
                             "out s, r: u32 @ g;\n"
                             "sub twice(x: u32): u32 { return x + x; }\n"
                             "main {\n"
                             "    compute g {\n"
                             "        let i = index();\n"
                             "        a = u32(index(0)); b = u32(index(1)); c = u32(index(2));\n"
                             "        q = u32(i / d); p = u32(i % d);\n"
                             "        s = 7;\n"
                             "        if (c != 1) { s = u32(index() % 7) + u32(i / 5); }\n"
                             "        r = twice(u32(index(1))) + u32(u64(3) / u64(d));\n"
                             "    }\n"
                             "}\n";

static const char of_mpus[] = "mpus ring[3];\nsize h;\nsize w;\nsize d;\n"
                              "group g[h, w, d] on ring;\n"
                              "out a, b, c: u32 @ g;\n"
                              "out q, p: u32 @ g;\n"
                              "out s, r: u32 @ g;\n"
                              "main on ring {\n"
                              "    compute g {\n"
                              "        a = u32(index(0)); b = u32(index(1)); c = u32(index(2));\n"
                              "        q = u32(index() / d); p = u32(index() % d); s = 7;\n"
                              "        if (index(2) != 1) { s = u32(index() % 7 + index() / 5); }\n"
                              "        r = u32(b) * 2 + u32(u64(3) / u64(d));\n"
                              "    }\n"
                              "}\n";

struct grid {
    uint64_t h, w, d;
};

static uint32_t wanted(char name, const struct grid *x, uint64_t i) {
    uint64_t c = i % x->d, b = i / x->d % x->w, a = i / x->d / x->w % x->h;
    switch (name) {
    case 'a':
        return (uint32_t)a;
    case 'b':
        return (uint32_t)b;
    case 'c':
        return (uint32_t)c;
    case 'q':
        return (uint32_t)(i / x->d);
    case 'p':
        return (uint32_t)(i % x->d);
    case 's':
        return c != 1 ? (uint32_t)(i % 7 + i / 5) : 7;
    default:
        return (uint32_t)(2 * b + 3 / x->d);
    }
}

static void expect(mpu_session *s, const struct grid *x, uint64_t elements, const char *what) {
    for (const char *name = "abcqpsr"; *name; name++) {
        const char text[2] = {*name, 0};
        mpu_array array = {0};
        mpu_error *e = NULL;
        if (mpu_session_get(s, text, &array, &e) != MPU_OK)
            fail_with(what, e);
        for (uint64_t i = 0; i < elements; i++)
            if (((const uint32_t *)array.data)[i] != wanted(*name, x, i))
                fail_msg("%s: element %llu of `%s` is %u", what, (unsigned long long)i, text,
                         ((const uint32_t *)array.data)[i]);
        mpu_array_free(&array);
    }
}

static mpu_target *open_target(const char *target, const char *const *set) {
    mpu_error *e = NULL;
    mpu_target *t = mpu_target_open(target, set, &e);
    if (!t)
        fail_with(target, e);
    return t;
}

static void run(const mpu_program *p, mpu_target *t, const mpu_config *config, const struct grid *x,
                uint64_t mpus) {
    mpu_error *e = NULL;
    const char *target = mpu_target_name(t);
    mpu_session *s = mpu_session_new(p, t, config, &e);
    if (!s || mpu_session_bind_size(s, "h", x->h, &e) != MPU_OK ||
        mpu_session_bind_size(s, "w", x->w, &e) != MPU_OK ||
        mpu_session_bind_size(s, "d", x->d, &e) != MPU_OK || mpu_session_run(s, &e) != MPU_OK)
        fail_with(target, e);
    expect(s, x, mpus * x->h * x->w * x->d, target);
    mpu_session_free(s);
}

static const struct grid grids[] = {{1, 1, 1}, {7, 5, 3}, {13, 1, 29}, {31, 17, 9}};

static void equals_loops(void **state) {
    static const char *const targets[] = {"golden",        "racer", "mimdram", "simdram",
                                          "duality-cache", "ambit", "upmem",   "simt"};
    const mpu_config spread = {.size = sizeof spread, .place = "spread"};
    mpu_target *opened[sizeof targets / sizeof *targets];
    (void)state;
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++)
        opened[t] = open_target(targets[t], NULL);
    for (int level = 0; level < 3; level++) {
        mpu_program *p = build_program(planes, level), *on_mpus = build_program(of_mpus, level);
        for (size_t t = 0; t < sizeof targets / sizeof *targets; t++)
            for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
                bool all = level == 1 && t < 2;
                if ((!all && i != 1) || (level != 1 && t > 1))
                    continue;
                run(p, opened[t], NULL, &grids[i], 1);
                run(on_mpus, opened[t], NULL, &grids[i], 3);
                if (t == 1)
                    run(p, opened[t], &spread, &grids[i], 1);
            }
        mpu_program_free(p);
        mpu_program_free(on_mpus);
    }
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++)
        mpu_target_close(opened[t]);
}

/* A chip of eight lanes. */
static void equals_loops_in_rounds(void **state) {
    static const char *const tiny[] = {"machine.mpus=1", "machine.rfh_per_mpu=1",
                                       "machine.vrf_per_rfh=2", "array.lanes=4", NULL};
    mpu_target *golden = open_target("golden", tiny), *racer = open_target("racer", tiny);
    (void)state;
    for (int level = 0; level < 3; level++) {
        mpu_program *p = build_program(planes, level);
        run(p, golden, NULL, &grids[1], 1);
        run(p, racer, NULL, &grids[1], 1);
        mpu_program_free(p);
    }
    mpu_target_close(golden);
    mpu_target_close(racer);
}

static uint64_t time_of(const char *text, uint64_t h, uint64_t w) {
    mpu_error *e = NULL;
    const mpu_config packed = {.size = sizeof packed, .place = "packed"};
    mpu_program *p = build_program(text, 1);
    mpu_target *t = mpu_target_open("racer", NULL, &e);
    mpu_session *s = mpu_session_new(p, t, &packed, &e);
    if (!s || mpu_session_bind_size(s, "h", h, &e) != MPU_OK ||
        mpu_session_bind_size(s, "w", w, &e) != MPU_OK || mpu_session_run(s, &e) != MPU_OK)
        fail_with(text, e);
    char *stats = mpu_session_stats(s, "json", &e);
    assert_non_null(stats);
    const char *at = strstr(stats, "\"time_ps\":");
    assert_non_null(at);
    uint64_t ps = strtoull(at + strlen("\"time_ps\":"), NULL, 10);
    mpu_string_free(stats);
    mpu_session_free(s);
    mpu_target_close(t);
    mpu_program_free(p);
    return ps;
}

/* A division takes 470 us here. */
static void takes_less_than_ten_microseconds(void **state) {
    static const char *const texts[] = {
        "size h; size w; group g[h, w]; out y, x: u16 @ g;\n"
        "main { compute g { y = u16(index(0)); x = u16(index(1)); } }\n",
        "size h; size w; group g[h, w]; out y, x: u16 @ g;\n"
        "main { compute g { y = u16(index() / w); x = u16(index() % w); } }\n"};
    static const uint64_t extents[][2] = {{64, 64}, {60, 52}};
    (void)state;
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < 2; k++)
            assert_in_range(time_of(texts[i], extents[k][0], extents[k][1]), 1, 10000000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(equals_loops),
                                       cmocka_unit_test(equals_loops_in_rounds),
                                       cmocka_unit_test(takes_less_than_ten_microseconds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
