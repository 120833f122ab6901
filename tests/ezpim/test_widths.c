/* SPDX-License-Identifier: MIT
 * Sizes with bounds: what the compiler makes for itself is as wide as the bound can need, and
 * programs whose sizes lie at its edges give what the interpreter gives. */
#include "tests/ezpim/against.h"
#include "tests/ezpim/build.h"
#include "tests/ezpim/expr.h"

#include "ezpim/ez/move.h"
#include "object/object.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Values that are often the same, and often those that stand for elements that take no part. */
static const char whole_text[] =
    "%s"
    "group g[%s];\n"
    "in    x: u8 @ g;\n"
    "in    y: i8 @ g;\n"
    "in    wide: u32 @ g;\n"
    "in    limit: u8;\n"
    "out   least, greatest, even, odd, first, last: u64;\n"
    "out   high, low, found, all, none: u64;\n"
    "out   sum_x, sum_places, sum_chosen: u64;\n"
    "out   sum_y, min_y, max_y: i32;\n"
    "out   min_x, max_x, and_x, or_x, few: u32;\n"
    "out   up, places, product: u64 @ g;\n"
    "out   signed_up: i32 @ g;\n"
    "out   y_chosen: i8 @ g;\n"
    "out   where_x: u32 @ g;\n"
    "out   laps: u8 @ g;\n"
    "var   chosen: u8 @ g;\n"
    "main {\n"
    "    compute g { places = index(); product = index() * %s + index() / 3; laps = 0; }\n"
    "    compute g { for i: u64(0) .. index() + 2 { if (i * 5 < %s) { laps += 1; } } }\n"
    "    least = argmin(x & 1);\n"
    "    greatest = argmax(x);\n"
    "    even = argmax(u32(y & 3));\n"
    "    odd = argmin(i32(y));\n"
    "    first = argmin(select(x < 128, u16(255), 254));\n"
    "    last = argmax(places * 3 %% 64);\n"
    "    found = count(x > limit);\n"
    "    all = count(x == x);\n"
    "    none = count(x != x);\n"
    "    sum_x = sum(u64(x));\n"
    "    sum_places = sum(select(x > limit, index(), 0));\n"
    "    sum_y = sum(i32(y));\n"
    "    min_y = min(i32(y));\n"
    "    max_y = max(i32(y));\n"
    "    min_x = min(u32(x));\n"
    "    max_x = max(select(x > limit, u32(x), 300));\n"
    "    and_x = and(u32(x | 240));\n"
    "    or_x = or(u32(x));\n"
    "    few = xor(wide %% 1000 >> 3 & 63);\n"
    "    up = scan(u64(x));\n"
    "    signed_up = scan(i32(y));\n"
    "    compact y_chosen = y where x > limit;\n"
    "    compact where_x = u32(index()) where x > limit;\n"
    "    compact chosen = x where x > limit;\n"
    "    high = argmax(chosen);\n"
    "    low = argmin(u64(chosen));\n"
    "    sum_chosen = sum(u64(chosen));\n"
    "    min_x = min(u32(chosen));\n"
    "    max_y = max(i32(y_chosen));\n"
    "}\n";

/* What has room in the rows of a DRAM mat. */
static const char small_text[] = "%s"
                                 "group g[%s];\n"
                                 "in    x: u8 @ g;\n"
                                 "in    limit: u8;\n"
                                 "out   least, greatest, found: u64;\n"
                                 "out   high, total: u64;\n"
                                 "out   places: u64 @ g;\n"
                                 "out   chosen: u8 @ g;\n"
                                 "main {\n"
                                 "    compute g { places = index() + (%s - 1) * %s; }\n"
                                 "    least = argmin(x & 3);\n"
                                 "    greatest = argmax(u16(x));\n"
                                 "    found = count(x > limit);\n"
                                 "    compact chosen = x where x > limit;\n"
                                 "    high = argmax(chosen);\n"
                                 "    total = sum(u64(chosen));\n"
                                 "}\n";

struct targets {
    mpu_target *items[3];
};

static int open_targets(void **state) {
    static const char *const names[] = {"golden", "racer", "mimdram"};
    struct targets *t = calloc(1, sizeof *t);
    assert_non_null(t);
    for (size_t i = 0; i < 3; i++) {
        t->items[i] = mpu_target_open(names[i], NULL, NULL);
        assert_non_null(t->items[i]);
    }
    *state = t;
    return 0;
}

static int close_targets(void **state) {
    struct targets *t = *state;
    for (size_t i = 0; i < 3; i++)
        mpu_target_close(t->items[i]);
    free(t);
    return 0;
}

static void compare(const struct targets *t, const char *text, uint64_t seed, size_t first,
                    size_t count) {
    struct against_setup setups[3];
    struct str why = {0};
    for (size_t i = 0; i < count; i++)
        setups[i] = (struct against_setup){t->items[first + i],
                                           (int)(seed % 3),
                                           "target",
                                           seed % 2 ? "zero" : "random:5",
                                           0,
                                           0,
                                           false};
    if (against(text, seed, setups, count, &why) != AGAINST_SAME)
        fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, str_text(&why), text);
    str_free(&why);
}

/* One of the texts above, for n elements. */
static void compare_sized(const struct targets *t, const char *form, uint64_t n, uint64_t bound,
                          uint64_t seed, size_t first, size_t count) {
    struct str text = {0}, size = {0};
    str_printf(&size, "size n <= %llu = %llu;\n", (unsigned long long)bound, (unsigned long long)n);
    str_printf(&text, form, str_text(&size), "n", "u64(n)", "n");
    compare(t, text.text, seed, first, count);
    str_free(&size);
    str_free(&text);
}

static void compare_number(const struct targets *t, uint64_t n, uint64_t seed) {
    struct str text = {0}, number = {0};
    str_printf(&number, "%llu", (unsigned long long)n);
    str_printf(&text, whole_text, "", str_text(&number), str_text(&number), str_text(&number));
    compare(t, text.text, seed, 0, 1);
    str_free(&number);
    str_free(&text);
}

static void edges_on_golden(void **state) {
    static const uint64_t bounds[] = {1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 255, 256, 257};
    struct rng r = {1};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        uint64_t bound = bounds[i], seed = 3 * i;
        compare_sized(*state, whole_text, bound, bound, seed, 0, 1);
        compare_sized(*state, whole_text, 1, bound, seed + 1, 0, 1);
        compare_sized(*state, whole_text, 1 + rng_below(&r, (uint32_t)bound), bound, seed + 2, 0,
                      1);
        if (bound > 1)
            compare_sized(*state, whole_text, bound - 1, bound, seed + 1, 0, 1);
        compare_number(*state, bound, seed);
    }
}

/* 65 elements are in two VRFs of racer. */
static void edges_on_bits(void **state) {
    static const uint64_t cases[][2] = {{1, 1}, {2, 2}, {64, 64}, {65, 65}, {63, 64}, {65, 128}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        compare_sized(*state, small_text, cases[i][0], cases[i][1], i, 1, 2);
    compare_sized(*state, whole_text, 64, 64, 1, 1, 1);
}

/* Numbers of elements go up to the product of the extents, MPUs included. */
static void several_extents(void **state) {
    static const char text[] = "mpus ring[3];\n"
                               "size h <= %u = %u;\n"
                               "size w <= %u = %u;\n"
                               "group g[h, w] on ring;\n"
                               "in    x: u8 @ g;\n"
                               "out   first, last, found, total, places: u64;\n"
                               "out   here: u64 @ g;\n"
                               "main on ring {\n"
                               "    compute g { here = index(); }\n"
                               "    first = argmin(x & 7);\n"
                               "    last = argmax(here);\n"
                               "    found = count(x < 200);\n"
                               "    total = sum(u64(x));\n"
                               "    places = sum(select(x < 200, index(), 0));\n"
                               "}\n";
    static const unsigned cases[][4] = {{1, 1, 1, 1}, {3, 3, 5, 5}, {4, 4, 4, 4},
                                        {4, 3, 5, 1}, {2, 1, 8, 7}, {5, 5, 1, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct str s = {0};
        str_printf(&s, text, cases[i][0], cases[i][1], cases[i][2], cases[i][3]);
        compare(*state, s.text, i, 0, 1);
        str_free(&s);
    }
}

/* Laps that REPEAT cannot count any more are counted in a register. */
static void laps_in_registers(void **state) {
    static const char text[] = "size k <= %u = %u;\n"
                               "group g[3];\n"
                               "out   laps, sum: u16 @ g;\n"
                               "main { compute g {\n"
                               "    laps = 0; sum = 0;\n"
                               "    repeat (2) { repeat (2) { repeat (k) { repeat (k) {\n"
                               "        repeat (k) { laps += 1; }\n"
                               "        for i: 0 .. k { sum += i; }\n"
                               "        for i: 0 .. 4 { sum += i; }\n"
                               "    } } } }\n"
                               "} }\n";
    for (unsigned bound = 1; bound <= 4; bound++)
        for (unsigned k = 1; k <= bound; k++) {
            struct str s = {0};
            str_printf(&s, text, bound, k);
            compare(*state, s.text, bound + k, 0, 1);
            str_free(&s);
        }
}

/* ---- widths ---- */

/* Bits of the moves that a program makes, each once, the widest in front. */
static void expect_moves(const char *source, const char *want) {
    struct str messages = {0}, got = {0};
    struct object *o = build_object(source, 1, &messages);
    if (!o)
        fail_msg("%s", str_text(&messages));
    for (unsigned bits = 64; bits > 0; bits--) {
        size_t i = 0;
        while (i < o->moves.len && o->moves.data[i].width != bits)
            i++;
        if (i < o->moves.len)
            str_printf(&got, " %u", bits);
    }
    if (strcmp(str_text(&got), want) != 0)
        fail_msg("moves of bits%s, not%s:\n%s", str_text(&got), want, source);
    str_free(&got);
    str_free(&messages);
    object_free(o);
}

static void expect_widths(const char *bound, const char *type, const char *reduction,
                          const char *want) {
    struct str s = {0};
    str_printf(&s,
               "size n%s;\n"
               "group g[n, 3];\n"
               "in    x: u8 @ g;\n"
               "in    y: i16 @ g;\n"
               "out   z: %s;\n"
               "main { z = %s; compute g { if (u8(z) == x && y > 0) { } } }\n",
               bound, type, reduction);
    expect_moves(s.text, want);
    str_free(&s);
}

/* 3 n elements; a size without a bound gives what it always gave. */
static void moves_are_as_wide_as_needed(void **state) {
    (void)state;
    expect_widths("", "u64", "count(x > 7)", " 41 16 12 7 5 3 1");
    expect_widths(" <= 5", "u64", "count(x > 7)", " 4 3 1");
    expect_widths(" <= 16384", "u64", "count(x > 7)", " 16 15 13 12 7 5 3 1");
    expect_widths("", "u64", "argmin(x)", " 40 14 12 10 8 6 4 2");
    expect_widths(" <= 3", "u64", "argmin(x)", " 8 4 2");
    expect_widths(" <= 21845", "u64", "argmax(u32(x))", " 16 14 12 10 8 6 4 2");
    expect_widths(" <= 21846", "u64", "argmax(u32(x))", " 17 14 12 10 8 6 4 2");
    expect_widths("", "u64", "sum(u64(x))", " 48 24 20 16 14 12 10 8");
    expect_widths(" <= 1", "u64", "sum(u64(x))", " 10 8");
    expect_widths(" <= 1", "i32", "sum(i32(x))", " 10 8");
    expect_widths(" <= 1", "i32", "sum(i32(y))", " 18 16");
    expect_widths(" <= 65536", "u16", "sum(u16(x))", " 16 14 12 10 8");
    expect_widths("", "u64", "min(u64(x))", " 8");
    expect_widths("", "i32", "max(select(x > 3, i32(y), 40000))", " 17");
    expect_widths(" <= 5", "u64", "max(select(x > 3, index(), 0))", " 4");
    expect_widths("", "i32", "sum(i32(y))", " 32 30 28 24 22 20 18 16");
    expect_widths("", "u64", "argmin(x & 7)", " 40 14 12 10 8 6 4 3 2");
    expect_widths("", "u32", "max(u32(x) >> 5)", " 3");
    expect_widths("", "u32", "max(u32(x) >> 8)", " 1");
    expect_widths("", "u32", "max(u32(x) << 8)", " 16");
    expect_widths("", "u32", "max(u32(10) >> x & 63)", " 4");
    expect_widths("", "i32", "max(i32(y) & 7)", " 32");
    expect_widths("", "u8", "min(x % 8)", " 3");
    expect_widths("", "u8", "min(x % 9)", " 4");
    expect_widths("", "u8", "min(x % 1)", " 8");
    expect_widths(" <= 1", "u64", "sum(u64(x % 10))", " 5 4");
}

/* A bound of 2^40 is that of all sizes. */
static void largest_bounds(void **state) {
    (void)state;
    expect_widths(" <= 1 << 40", "u64", "argmin(x)", " 40 14 12 10 8 6 4 2");
    expect_widths(" <= 1 << 40", "u64", "count(x > 7)", " 41 16 12 7 5 3 1");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_on_golden),
        cmocka_unit_test(edges_on_bits),
        cmocka_unit_test(several_extents),
        cmocka_unit_test(laps_in_registers),
        cmocka_unit_test(moves_are_as_wide_as_needed),
        cmocka_unit_test(largest_bounds),
    };
    return cmocka_run_group_tests(tests, open_targets, close_targets);
}
