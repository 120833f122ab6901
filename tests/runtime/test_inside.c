/* SPDX-License-Identifier: MIT
 * PRINT, ASSERT and the log of values speak of elements: the same on every target, over several
 * VRFs, MPUs and rounds, where elements go different ways. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/draws.h"
#include "runtime/include/mpu/mpu.h"
#include "support/str.h"
#include "support/bits.h"

static const char *const targets[] = {"racer", "mimdram", "duality-cache", "golden"};
enum { TARGETS = sizeof targets / sizeof *targets };

#define RANDOM_PROGRAMS draws(DRAWS_RUN_INSIDE)

/* ---- a run ---- */

struct seen {
    struct str printed, values, message, stats;
    mpu_result result;
};

static void seen_free(struct seen *x) {
    str_free(&x->printed);
    str_free(&x->values);
    str_free(&x->message);
    str_free(&x->stats);
}

static void take_line(void *context, const char *line) {
    str_printf(context, "%s\n", line);
}

static int take_bytes(void *context, const void *bytes, size_t size) {
    str_append_n(context, bytes, size);
    return 0;
}

static mpu_program *build(const char *name, const char *text) {
    mpu_error *e = NULL;
    mpu_source *s = mpu_source_new(NULL);
    mpu_source_add_text(s, name, text, strlen(text));
    mpu_program *p = mpu_source_build(s, &e);
    mpu_source_free(s);
    if (!p)
        fail_msg("%s\n%s", mpu_error_text(e), text);
    return p;
}

/* The target `small`: racer with so little room that there are rounds. */
static const char *const few_vrfs[] = {"machine.mpus=1", "machine.rfh_per_mpu=2",
                                       "machine.vrf_per_rfh=4", NULL};

/* `of`: elements of a log of values, "" for the usual ones; NULL: no log. */
static struct seen run_on(const char *target, mpu_program *program, const char *of) {
    struct seen x = {.result = MPU_OK};
    mpu_error *e = NULL;
    bool golden = strcmp(target, "golden") == 0, small = strcmp(target, "small") == 0;
    mpu_config config = {.size = sizeof config,
                         .print = take_line,
                         .print_context = &x.printed,
                         .engine = golden ? "golden" : NULL};
    mpu_target *t =
        mpu_target_open(golden || small ? "racer" : target, small ? few_vrfs : NULL, &e);
    if (!t)
        fail_msg("%s: %s", target, mpu_error_text(e));
    mpu_session *s = mpu_session_new(program, t, &config, &e);
    if (!s)
        fail_msg("%s: %s", target, mpu_error_text(e));
    if (mpu_program_variable_count(program) &&
        mpu_session_put_data(s, "x", "iota", NULL, &e) != MPU_OK)
        fail_msg("%s: %s", target, mpu_error_text(e));
    if (of &&
        mpu_session_watch_with(s, MPU_VALUES, *of ? of : NULL, take_bytes, &x.values, &e) != MPU_OK)
        fail_msg("%s: %s", target, mpu_error_text(e));
    x.result = mpu_session_run(s, &e);
    if (x.result != MPU_OK)
        str_append(&x.message, mpu_error_text(e));
    mpu_error_free(e);
    mpu_session_watch_end(s, NULL);
    char *stats = mpu_session_stats(s, "csv", NULL);
    str_append(&x.stats, stats ? stats : "");
    mpu_string_free(stats);
    mpu_session_free(s);
    mpu_target_close(t);
    return x;
}

static void expect_same(const char *what, const struct str *first, const struct str *other,
                        const char *target, const char *text) {
    if (strcmp(str_text(first), str_text(other)) != 0)
        fail_msg("%s of %s:\n%s\nof %s:\n%s\nprogram:\n%s", what, targets[0], str_text(first),
                 target, str_text(other), text);
}

/* What all targets print. */
static struct seen run_everywhere(const char *name, const char *text) {
    mpu_program *p = build(name, text);
    struct seen first = run_on(targets[0], p, NULL);
    for (size_t i = 1; i < TARGETS; i++) {
        struct seen x = run_on(targets[i], p, NULL);
        assert_int_equal(x.result, first.result);
        expect_same("prints", &first.printed, &x.printed, targets[i], text);
        if (first.result != MPU_OK) { /* the first line; what follows says where it lies */
            x.message.text[strcspn(x.message.text, "\n")] = '\0';
            first.message.text[strcspn(first.message.text, "\n")] = '\0';
            expect_same("message", &first.message, &x.message, targets[i], text);
        }
        seen_free(&x);
    }
    mpu_program_free(p);
    return first;
}

static void expect_print(const char *text, const char *printed) {
    struct seen x = run_everywhere("inside.ez", text);
    if (x.result != MPU_OK)
        fail_msg("%s", str_text(&x.message));
    assert_string_equal(str_text(&x.printed), printed);
    seen_free(&x);
}

/* ---- PRINT ---- */

static void rows_and_holes(void **state) {
    (void)state;
    expect_print(
        "group g[3, 20];\nin x: i8 @ g;\nmain { compute g {\n"
        "  if (x >= 18 && x < 22 || x == 50) { print(x - 20, \"near\"); print(x); }\n} }\n",
        "near: (x - 20)[0, 18:20] = -2 -1\nnear: (x - 20)[1, 0:2] = 0 1\n"
        "near: (x - 20)[2, 10] = 30\nx[0, 18:20] = 18 19\nx[1, 0:2] = 20 21\nx[2, 10] = 50\n");
}

/* Elements leave the loop one by one; what stands behind it is printed by all together. */
static void laps(void **state) {
    (void)state;
    expect_print(
        "group g[70];\nin x: u8 @ g;\nmain { compute g {\n"
        "  let k = x & 3;\n  while (k > 0) { if (x > 66) { print(k, \"lap\"); } k = k - 1; }\n"
        "  if (x > 66) { print(x); }\n} }\n",
        "lap: k[67] = 3\nlap: k[69] = 1\nlap: k[67] = 2\nlap: k[67] = 1\nx[67:70] = 67 68 69\n");
}

static void mpus_of_a_grid(void **state) {
    (void)state;
    expect_print(
        "mpus m[2];\ngroup g[3] on m;\nin x: u8 @ g;\nmain on m { compute g { print(x + 1); } }\n",
        "(x + 1)[0, 0:3] = 1 2 3\n(x + 1)[1, 0:3] = 4 5 6\n");
}

/* A fixed VRF has lanes. */
static void fixed_vrfs(void **state) {
    (void)state;
    struct seen x = run_everywhere(
        "fixed.s",
        ".geometry lanes=40, vrfs=2, rfhs=2\nCOMPUTE RFH1 VRF1\nLI.8 -3 r1\nPRINT \"v\" r1:i8\n"
        "COMPUTE_DONE\nHALT\n");
    assert_string_equal(str_text(&x.printed),
                        "RFH1.VRF1: v[0:16] = -3 -3 -3 -3 -3 -3 -3 -3 -3 -3 -3 -3 -3 -3 -3 -3\n"
                        "RFH1.VRF1: v[16:32] = -3 -3 -3 -3 -3 -3 -3 -3 -3 -3 -3 -3 -3 -3 -3 -3\n"
                        "RFH1.VRF1: v[32:40] = -3 -3 -3 -3 -3 -3 -3 -3\n");
    seen_free(&x);
}

/* ---- ASSERT ---- */

static void first_element_and_values(void **state) {
    (void)state;
    struct seen x =
        run_everywhere("assert.ez", "group g[4, 50];\nin x: u8 @ g;\nmain { compute g {\n"
                                    "  let y = x + 1;\n  print(y);\n"
                                    "  assert(y != 151 && (x < 170 || y == 3), \"far\");\n} }\n");
    assert_int_equal(x.result, MPU_STOPPED);
    assert_non_null(strstr(str_text(&x.message), "assertion failed: far: y[3, 0] = 151, x[3, 0] = "
                                                 "150, and 30 more (instruction"));
    assert_non_null(strstr(str_text(&x.printed), "y[3, 48:50] = 199 200\n"));
    seen_free(&x);
}

static void values_in_assembly(void **state) {
    (void)state;
    struct seen x = run_everywhere(
        "assert.s",
        ".geometry lanes=8, vrfs=2, rfhs=2\n.group g[100]\n.var in x: u8 @g = r1\n"
        "COMPUTEG @g\nLI.8 90 r2\nCMPLT.8 r1 r2\n.show \"x\", r1:u8\n.show \"most\", r2:u8\n"
        "ASSERT \"small\"\nCOMPUTE_DONE\nHALT\n");
    assert_int_equal(x.result, MPU_STOPPED);
    assert_non_null(strstr(str_text(&x.message),
                           "assertion failed: small: x[90] = 90, most[90] = 90, and 9 more"));
    seen_free(&x);
}

/* ---- random programs ---- */

static void put_random(struct str *out, uint64_t *seed, unsigned depth) {
    for (unsigned n = 1 + (unsigned)(splitmix64(seed) % 3); n; n--)
        switch (depth ? splitmix64(seed) % 5 : splitmix64(seed) % 2) {
        case 0:
            str_printf(out, "print(y + %u, \"p%u\");\n", (unsigned)(splitmix64(seed) % 4),
                       (unsigned)(splitmix64(seed) % 100));
            break;
        case 1:
            str_printf(out, "y = y * 3 + %u;\n", (unsigned)(splitmix64(seed) % 9));
            break;
        case 2:
            str_printf(out, "if ((y & %u) == 1) {\n", 1u | (unsigned)(splitmix64(seed) % 8));
            put_random(out, seed, depth - 1);
            str_append(out, "} else {\n");
            put_random(out, seed, depth - 1);
            str_append(out, "}\n");
            break;
        default:
            str_printf(out, "if (y >= 0) { let k%u = (x + y) & 3; while (k%u > 0) {\n", depth,
                       depth);
            put_random(out, seed, depth - 1);
            str_printf(out, "k%u = k%u - 1; } }\n", depth, depth);
        }
}

static void random_programs(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < RANDOM_PROGRAMS; seed++) {
        uint64_t s = seed;
        struct str text = {0};
        str_printf(&text,
                   "group g[%u, %u];\nin x: u8 @ g;\nout y: u8 @ g;\nmain { compute g {\ny = x;\n",
                   1 + (unsigned)(splitmix64(&s) % 4), 1 + (unsigned)(splitmix64(&s) % 60));
        put_random(&text, &s, 3);
        str_append(&text, "print(y);\n} }\n");
        struct seen x = run_everywhere("random.ez", str_text(&text));
        assert_int_equal(x.result, MPU_OK);
        assert_true(x.printed.len > 0);
        seen_free(&x);
        str_free(&text);
    }
}

/* ---- values ---- */

/* Lines about registers, without number and time: what targets have in common. */
static void keep_registers(const struct str *log, struct str *out) {
    for (const char *at = str_text(log); *at; at += strcspn(at, "\n") + 1) {
        size_t n = strcspn(at, "\n");
        const char *rest = n > 22 ? at + 22 : at + n, *what = rest;
        while (what < at + n && *what != ']')
            what++;
        what += what < at + n;
        what += strspn(what, " ");
        if (*what == 'r')
            str_printf(out, "%.*s\n", (int)(at + n - rest), rest);
    }
}

static void values_are_written(void **state) {
    static const char text[] =
        "group g[3, 40];\nin x: u8 @ g;\nout y: i16 @ g;\nmain {\n  compute g {\n    y = i16(x) - 7;\n"
        "    while (y > 90) { y = y - 20; }\n  }\n  move y[i, j] = y[i, j - 1] wrap;\n}\n";
    (void)state;
    mpu_program *p = build("values.ez", text);
    struct str first = {0};
    for (size_t i = 0; i < TARGETS; i++) {
        struct seen x = run_on(targets[i], p, "y[2,30],g[0, 3]"),
                    quiet = run_on(targets[i], p, NULL);
        struct str registers = {0};
        keep_registers(&x.values, &registers);
        if (i == 0)
            str_append(&first, str_text(&registers));
        assert_string_equal(str_text(&registers), str_text(&first));
        assert_string_equal(str_text(&x.stats), str_text(&quiet.stats));
        assert_non_null(strstr(str_text(&x.values), "C = 1"));
        seen_free(&x);
        seen_free(&quiet);
        str_free(&registers);
    }
    /* x[2, 30] = 110: 103, then 83; behind the move its neighbour's 102 - 20. */
    assert_non_null(strstr(first.text, "y[2,30]    r1 y = 103 (0x67)"));
    assert_non_null(strstr(first.text, "y[2,30]    r1 y = 83 (0x53)"));
    assert_non_null(strstr(first.text, "y[2,30]    r1 y = 82 (0x52)"));
    assert_non_null(strstr(first.text, "g[0, 3]    r1 y = -4 (0xfffc)"));
    str_free(&first);
    mpu_program_free(p);
}

/* In one of several rounds, under the statistics of a run that nobody watched. */
static void values_in_rounds(void **state) {
    (void)state;
    mpu_program *p =
        build("rounds.ez", "group g[1500];\nin x: u16 @ g;\nout y: u16 @ g;\nmain { compute "
                           "g { y = x + 3; if (x == 1234) { print(y); } } }\n");
    struct seen x = run_on("small", p, "y[1234]");
    if (x.result != MPU_OK)
        fail_msg("%s", str_text(&x.message));
    assert_non_null(strstr(str_text(&x.values), "y = 1237 (0x4d5)"));
    assert_string_equal(str_text(&x.printed), "y[1234] = 1237\n");
    seen_free(&x);
    mpu_program_free(p);
}

static void wrong_elements(void **state) {
    static const char *const list[][2] = {
        {"y[3]", "wants 2 indices in brackets"},
        {"y[3,1", "wants 2 indices"},
        {"y[0,40]", "lies outside of its array"},
        {"yy[0,1]", "did you mean 'y'?"},
        {"y[0,1],", "is followed by nothing"},
        {"RFH0.VRF0[4000000]", "names no lane"},
        {"y[99999999999999999999,0]", "wants 2 indices"},
    };
    (void)state;
    mpu_program *p = build(
        "e.ez", "group g[3, 40];\nin x: u8 @ g;\nout y: u8 @ g;\nmain { compute g { y = x; } }\n");
    mpu_target *t = mpu_target_open("racer", NULL, NULL);
    mpu_session *s = mpu_session_new(p, t, NULL, NULL);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        mpu_error *e = NULL;
        struct str log = {0};
        assert_int_equal(mpu_session_watch_with(s, MPU_VALUES, list[i][0], take_bytes, &log, &e),
                         MPU_USAGE);
        if (!strstr(mpu_error_text(e), list[i][1]))
            fail_msg("%s: %s", list[i][0], mpu_error_text(e));
        mpu_error_free(e);
    }
    mpu_session_free(s);
    mpu_target_close(t);
    mpu_program_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_and_holes),           cmocka_unit_test(laps),
        cmocka_unit_test(mpus_of_a_grid),           cmocka_unit_test(fixed_vrfs),
        cmocka_unit_test(first_element_and_values), cmocka_unit_test(values_in_assembly),
        cmocka_unit_test(random_programs),          cmocka_unit_test(values_are_written),
        cmocka_unit_test(values_in_rounds),         cmocka_unit_test(wrong_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
