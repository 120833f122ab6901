/* SPDX-License-Identifier: MIT
 * compact and lengths, against loops: groups of a few elements up to several VRFs, RFHs and MPUs.
 */
#include "tests/ezpim/build.h"

#include "support/str.h"
#include "tests/ezpim/expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifndef MPU_SANITIZED
#define MPU_SANITIZED 0
#endif

enum { MOST = 700 };

/* What `x where p` gives: the chosen elements of x, p holding where the low byte is below limit. */
struct chosen {
    uint32_t x[MOST], count;
};

static void choose(const uint32_t *x, uint32_t n, uint32_t limit, struct chosen *c) {
    c->count = 0;
    for (uint32_t i = 0; i < n; i++)
        if ((x[i] & 255) < limit)
            c->x[c->count++] = x[i];
}

/* n is a size, without a bound or with the least one, or a number: the rounds are asked for, or
 * known. */
enum extent_form { AS_NUMBER, AS_SIZE, AS_BOUNDED_SIZE, EXTENT_FORMS };

static const char program_text[] = "%s"
                                   "group g[%s];\n"
                                   "group h[3];\n"
                                   "in    x: u32 @ g;\n"
                                   "in    limit: u9;\n"
                                   "in    pair: u16[2] @ g;\n"
                                   "out   y: u32 @ g;\n"
                                   "out   again: u32 @ g;\n"
                                   "out   both: u16[2] @ g;\n"
                                   "inout here: u32 @ g;\n"
                                   "out   all: u32 @ g;\n"
                                   "out   elsewhere: u32 @ h;\n"
                                   "out   sum_y, most: u64;\n"
                                   "out   first, count_y: u64;\n"
                                   "group f[length(y)];\n"
                                   "out   sevens, doubled: u32 @ f;\n"
                                   "out   odd: bool;\n"
                                   "main {\n"
                                   "    compact y = x where u9(u8(x)) < limit;\n"
                                   "    compact both = pair where u9(u8(x)) < limit;\n"
                                   "    compact here where u9(u8(here)) < limit;\n"
                                   "    compact again = y + 1 where y & 1 == 1;\n"
                                   "    compact here = here * 2 where here & 2 == 2;\n"
                                   "    compute g { all = 7; }\n"
                                   "    compute g { all = y; }\n"
                                   "    compute f { sevens = 7; }\n"
                                   "    compute f { doubled = y * 2 + u32(index()); }\n"
                                   "    compute h { elsewhere = u32(length(again)); }\n"
                                   "    sum_y = sum(u64(y));\n"
                                   "    most = max(u64(y));\n"
                                   "    first = argmax(again);\n"
                                   "    count_y = count(y == y);\n"
                                   "    compute g { odd = false; }\n"
                                   "    if (all(y & 1 == 1)) { compute g { odd = true; } }\n"
                                   "}\n";

static mpu_program *make_program(uint32_t n, enum extent_form form) {
    struct str text = {0}, number = {0}, size = {0};
    str_printf(&number, "%u", n);
    if (form != AS_NUMBER)
        str_append(&size, "size n");
    if (form == AS_BOUNDED_SIZE)
        str_printf(&size, " <= %u", n);
    if (form != AS_NUMBER)
        str_append(&size, ";\n");
    str_printf(&text, program_text, str_text(&size), form == AS_NUMBER ? str_text(&number) : "n");
    mpu_program *p = build_program(str_text(&text), n % 3 == 0 ? 0 : n % 3 == 1 ? 1 : 2);
    str_free(&text);
    str_free(&number);
    str_free(&size);
    return p;
}

static void put(mpu_session *s, const char *name, mpu_type type, uint32_t ndim, uint64_t n,
                void *data) {
    mpu_error *e = NULL;
    mpu_array a = {.type = type, .ndim = ndim, .shape = {n, 2}, .data = data};
    if (mpu_session_put(s, name, &a, &e) != MPU_OK)
        fail_with(name, e);
}

/* An output as 64-bit numbers; its number of elements. */
static uint64_t get(mpu_session *s, const char *name, uint64_t *values) {
    static const uint8_t bytes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8};
    mpu_error *e = NULL;
    mpu_array a;
    if (mpu_session_get(s, name, &a, &e) != MPU_OK)
        fail_with(name, e);
    uint64_t n = 1;
    for (uint32_t d = 0; d < a.ndim; d++)
        n *= a.shape[d];
    assert_true(n <= 2 * MOST);
    for (uint64_t i = 0; i < n; i++) {
        values[i] = 0;
        memcpy(&values[i], (const char *)a.data + i * bytes[a.type], bytes[a.type]);
    }
    uint64_t first = a.ndim ? a.shape[0] : 1;
    mpu_array_free(&a);
    return first;
}

static void expect_array(mpu_session *s, const char *name, const uint32_t *want, uint64_t n) {
    static uint64_t got[2 * MOST];
    uint64_t have = get(s, name, got);
    if (have != n)
        fail_msg("`%s` has %llu elements, not %llu", name, (unsigned long long)have,
                 (unsigned long long)n);
    for (uint64_t i = 0; i < n; i++)
        if (got[i] != want[i])
            fail_msg("`%s`[%llu] is %llu, not %u", name, (unsigned long long)i,
                     (unsigned long long)got[i], (unsigned)want[i]);
}

static void expect_single(mpu_session *s, const char *name, uint64_t want) {
    uint64_t got[1];
    get(s, name, got);
    if (got[0] != want)
        fail_msg("`%s` is %llu, not %llu", name, (unsigned long long)got[0],
                 (unsigned long long)want);
}

/* The elements of `of` that have all bits of `bits`, each f times and a more. */
static void keep(const struct chosen *of, uint32_t bits, uint32_t f, uint32_t a,
                 struct chosen *to) {
    to->count = 0;
    for (uint32_t i = 0; i < of->count; i++)
        if ((of->x[i] & bits) == bits)
            to->x[to->count++] = of->x[i] * f + a;
}

static void check_pairs(mpu_session *s, const uint32_t *x, uint32_t n, uint32_t limit) {
    static uint64_t got[2 * MOST];
    uint64_t have = get(s, "both", got), k = 0;
    for (uint32_t i = 0; i < n; i++) {
        if ((x[i] & 255) >= limit)
            continue;
        assert_true(k < have);
        assert_int_equal(got[2 * k], x[i] & 0xFFFF);
        assert_int_equal(got[2 * k + 1], i);
        k++;
    }
    assert_int_equal(have, k);
}

static void check_whole(mpu_session *s, const struct chosen *y, const struct chosen *again) {
    uint64_t sum = 0, most = 0, first = UINT64_MAX, odd = 1;
    for (uint32_t i = 0; i < y->count; i++) {
        sum += y->x[i];
        most = y->x[i] > most ? y->x[i] : most;
        odd &= y->x[i];
    }
    for (uint32_t i = 0; i < again->count; i++)
        if (first == UINT64_MAX || again->x[i] > again->x[first])
            first = i;
    expect_single(s, "sum_y", sum);
    expect_single(s, "most", most);
    expect_single(s, "first", first);
    expect_single(s, "count_y", y->count);
    expect_single(s, "odd", odd & 1);
}

static void check_outputs(mpu_session *s, const uint32_t *x, uint32_t n, uint32_t limit) {
    static struct chosen y, again, here;
    uint32_t all[MOST], elsewhere[3], sevens[MOST], doubled[MOST];
    choose(x, n, limit, &y);
    keep(&y, 1, 1, 1, &again);
    keep(&y, 2, 2, 0, &here);
    for (uint32_t i = 0; i < n; i++)
        all[i] = i < y.count ? y.x[i] : 7;
    for (uint32_t i = 0; i < y.count; i++) {
        sevens[i] = 7;
        doubled[i] = 2 * y.x[i] + i;
    }
    for (uint32_t i = 0; i < 3; i++)
        elsewhere[i] = again.count;
    expect_array(s, "y", y.x, y.count);
    expect_array(s, "again", again.x, again.count);
    expect_array(s, "here", here.x, here.count);
    expect_array(s, "all", all, n);
    expect_array(s, "elsewhere", elsewhere, 3);
    expect_array(s, "sevens", sevens, y.count);
    expect_array(s, "doubled", doubled, y.count);
    check_pairs(s, x, n, limit);
    check_whole(s, &y, &again);
}

/* limit: of 256, how many bytes are chosen on the average. */
static void run(const mpu_program *p, const mpu_target *t, uint32_t n, uint16_t limit) {
    static uint32_t x[MOST];
    static uint16_t pair[2 * MOST];
    struct rng r = {n * 1000u + limit};
    mpu_error *e = NULL;
    const mpu_config config = {.size = sizeof config, .init = "random:5"};
    mpu_session *s = mpu_session_new(p, t, &config, &e);
    if (!s)
        fail_with("session", e);
    for (uint32_t i = 0; i < n; i++) {
        x[i] = (uint32_t)rng_next(&r) >> (limit % 5);
        pair[2 * i] = (uint16_t)x[i];
        pair[2 * i + 1] = (uint16_t)i;
    }
    put(s, "x", MPU_U32, 1, n, x);
    put(s, "here", MPU_U32, 1, n, x);
    put(s, "pair", MPU_U16, 2, n, pair);
    put(s, "limit", MPU_U16, 0, 0, &limit);
    if (mpu_session_run(s, &e) != MPU_OK)
        fail_with("run", e);
    check_outputs(s, x, n, limit);
    mpu_session_free(s);
}

/* Under sanitizers each size in one form. */
static void run_all(const mpu_target *t, const uint32_t *sizes, size_t count) {
    static const uint16_t limits[] = {0, 3, 128, 250, 256};
    for (size_t i = 0; i < count; i++)
        for (int form = MPU_SANITIZED ? (int)i % EXTENT_FORMS : AS_NUMBER; form < EXTENT_FORMS;
             form += MPU_SANITIZED ? EXTENT_FORMS : 1) {
            mpu_program *p = make_program(sizes[i], (enum extent_form)form);
            for (size_t k = 0; k < sizeof limits / sizeof *limits; k++)
                run(p, t, sizes[i], limits[k]);
            mpu_program_free(p);
        }
}

static void on_golden(void **state) {
    (void)state;
    static const uint32_t sizes[] = {1, 2, 3, 4, 5, 31, 32, 33, 64, 65, 127, 300, 700};
    mpu_target *t = mpu_target_open("golden", NULL, NULL);
    assert_non_null(t);
    run_all(t, sizes, sizeof sizes / sizeof *sizes);
    mpu_target_close(t);
}

/* 700 elements are in 11 VRFs of 8 RFHs. */
static void on_racer(void **state) {
    (void)state;
    static const uint32_t sizes[] = {1, 65, 700};
    mpu_target *t = mpu_target_open("racer", NULL, NULL);
    assert_non_null(t);
    run_all(t, sizes, sizeof sizes / sizeof *sizes);
    mpu_target_close(t);
}

/* Two VRFs in each MPU: 300 elements lie in three. */
static void over_several_mpus(void **state) {
    (void)state;
    static const uint32_t sizes[] = {130, 300};
    static const char *const set[] = {"machine.vrf_per_rfh=2", "machine.rfh_per_mpu=2",
                                      "machine.mpus=8", NULL};
    mpu_target *t = mpu_target_open("racer", set, NULL);
    assert_non_null(t);
    run_all(t, sizes, sizeof sizes / sizeof *sizes);
    mpu_target_close(t);
}

/* What is not chosen yet has all elements; in a loop the length is that of the lap before. */
static void lengths_before_and_in_loops(void **state) {
    (void)state;
    static const char text[] = "size n;\n"
                               "group g[n];\n"
                               "inout x: u32 @ g;\n"
                               "out   laps: u8;\n"
                               "out   before: u64[4];\n"
                               "main {\n"
                               "    compute g { laps = 0; before[3] = length(x); }\n"
                               "    for k: 0 .. 3 {\n"
                               "        compute g { before[k] = length(x); }\n"
                               "        compact x = x / 2 where x > 3;\n"
                               "    }\n"
                               "    while (any(x > 0)) {\n"
                               "        compute g { laps += 1; }\n"
                               "        compact x = x - 1 where x > 1;\n"
                               "    }\n"
                               "}\n";
    uint32_t x[40];
    uint64_t before[4] = {0}, want[4] = {40, 36, 32, 40}, got[4];
    mpu_target *t = mpu_target_open("golden", NULL, NULL);
    mpu_error *e = NULL;
    for (uint32_t level = 0; level < 3; level++) {
        mpu_program *p = build_program(text, (int)level);
        const mpu_config config = {.size = sizeof config, .init = "random:9"};
        mpu_session *s = mpu_session_new(p, t, &config, &e);
        assert_non_null(s);
        for (uint32_t i = 0; i < 40; i++)
            x[i] = (i * 7) % 40;
        put(s, "x", MPU_U32, 1, 40, x);
        if (mpu_session_run(s, &e) != MPU_OK)
            fail_with("run", e);
        assert_int_equal(get(s, "before", before), 4);
        assert_memory_equal(before, want, sizeof want);
        expect_single(s, "laps", 4); /* 39 / 2 / 2 / 2 = 4 */
        assert_int_equal(get(s, "x", got), 0);
        mpu_session_free(s);
        mpu_program_free(p);
    }
    mpu_target_close(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_golden),
        cmocka_unit_test(on_racer),
        cmocka_unit_test(over_several_mpus),
        cmocka_unit_test(lengths_before_and_in_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
