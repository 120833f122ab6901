/* SPDX-License-Identifier: MIT
 * Where PyPIM's own library is wrong and target pypim is right: comparisons of numbers whose
 * difference has no room, results in operands' registers, operands up to the last bit, and more
 * values alive than scratch leaves room for.  References are C's, not the ISA's golden functions.
 */
#include "runtime/include/mpu/mpu.h"
#include "support/bits.h"
#include "support/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const uint32_t edges[] = {
    0,          1,          2,          3,          7,          0x7f,       0x80,       0xff,
    0x100,      0x7fff,     0x8000,     0xffff,     0x10000,    0x55555555, 0xaaaaaaaa, 0x3fffffff,
    0x40000000, 0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xc0000000, 0xfffffffe, 0xffffffff};
enum { EDGES = sizeof edges / sizeof *edges, PAIRS = EDGES * EDGES, RANDOM = 448 };
enum { COUNT = PAIRS + RANDOM }; /* one crossbar's lanes */

struct operands {
    uint32_t x[COUNT], y[COUNT];
};

static mpu_target *target;
static struct operands given;

/* All pairs of edges, then numbers from the whole range. */
static void draw_operands(struct operands *out) {
    uint64_t seed = 22;
    for (unsigned i = 0; i < COUNT; i++) {
        out->x[i] = i < PAIRS ? edges[i / EDGES] : (uint32_t)splitmix64(&seed);
        out->y[i] = i < PAIRS ? edges[i % EDGES] : (uint32_t)splitmix64(&seed);
    }
}

static void need(bool good, const char *what, mpu_error *error) {
    if (!good)
        fail_msg("%s: %s", what, mpu_error_text(error));
}

static mpu_session *open_program(const char *name, const char *text, bool spill, mpu_program **p) {
    mpu_error *e = NULL;
    const mpu_config config = {.size = sizeof config, .init = "random:3"};
    mpu_source *s = mpu_source_new(NULL);
    mpu_source_add_text(s, name, text, strlen(text));
    mpu_source_for_target(s, "pypim");
    mpu_source_set_spill(s, spill);
    *p = mpu_source_build(s, &e);
    need(*p != NULL, text, e);
    mpu_source_free(s);
    mpu_session *session = mpu_session_new(*p, target, &config, &e);
    need(session != NULL, text, e);
    need(mpu_session_bind_size(session, "n", COUNT, &e) == MPU_OK, text, e);
    return session;
}

static void close_program(mpu_session *session, mpu_program *p) {
    mpu_session_free(session);
    mpu_program_free(p);
}

static void put(mpu_session *session, const char *name, mpu_type type, void *data) {
    mpu_error *e = NULL;
    const mpu_array a = {.type = type, .ndim = 1, .shape = {COUNT}, .data = data};
    need(mpu_session_put(session, name, &a, &e) == MPU_OK, name, e);
}

static void run(mpu_session *session) {
    mpu_error *e = NULL;
    need(mpu_session_run(session, &e) == MPU_OK, "run", e);
}

static mpu_array get(mpu_session *session, const char *name) {
    mpu_error *e = NULL;
    mpu_array a = {0};
    need(mpu_session_get(session, name, &a, &e) == MPU_OK, name, e);
    return a;
}

/* ---- comparisons ---- */

static bool compares(unsigned which, bool is_signed, uint32_t x, uint32_t y) {
    int64_t a = is_signed ? (int32_t)x : (int64_t)x, b = is_signed ? (int32_t)y : (int64_t)y;
    const bool results[] = {a == b, a != b, a<b, a <= b, a> b, a >= b};
    return results[which];
}

static void check_comparison(unsigned which, bool is_signed) {
    static const char *const names[] = {"==", "!=", "<", "<=", ">", ">="};
    struct str text = {0};
    mpu_program *p;
    str_printf(&text,
               "size n;\ngroup g[n];\nin x, y: %c32 @ g;\nout z: bool @ g;\n"
               "main { compute g { z = x %s y; } }\n",
               is_signed ? 'i' : 'u', names[which]);
    mpu_session *s = open_program("compare.ez", str_text(&text), false, &p);
    put(s, "x", is_signed ? MPU_I32 : MPU_U32, given.x);
    put(s, "y", is_signed ? MPU_I32 : MPU_U32, given.y);
    run(s);
    mpu_array z = get(s, "z");
    assert_int_equal(z.type, MPU_BOOL);
    for (unsigned i = 0; i < COUNT; i++)
        if (((const uint8_t *)z.data)[i] != compares(which, is_signed, given.x[i], given.y[i]))
            fail_msg("%s 0x%x %s 0x%x", is_signed ? "signed" : "unsigned", given.x[i], names[which],
                     given.y[i]);
    mpu_array_free(&z);
    close_program(s, p);
    str_free(&text);
}

static void numbers_compare(void **state) {
    (void)state;
    for (unsigned which = 0; which < 6; which++)
        for (unsigned is_signed = 0; is_signed < 2; is_signed++)
            check_comparison(which, is_signed);
}

/* ---- results in operands' registers ---- */

static uint32_t divide(uint32_t x, uint32_t y, bool remainder) {
    int64_t a = (int32_t)x, b = (int32_t)y;
    if (b == 0)
        return remainder ? x : UINT32_MAX;
    return (uint32_t)(remainder ? a % b : a / b);
}

static uint32_t result_of(unsigned op, uint32_t x, uint32_t y) {
    switch (op) {
    case 0:
        return x + y;
    case 1:
        return x - y;
    case 2:
        return x * y;
    case 3:
        return y ? x / y : UINT32_MAX;
    case 4:
        return y ? x % y : x;
    case 5:
        return divide(x, y, false);
    case 6:
        return divide(x, y, true);
    case 7:
        return (int32_t)x < (int32_t)y ? x : y;
    default:
        return x > y ? x : y;
    }
}
static const char *const operations[] = {"ADD",  "SUB",  "MUL",  "QDIV", "RDIV",
                                         "SDIV", "SREM", "MINS", "MAX"};
enum { OPERATIONS = sizeof operations / sizeof *operations };

/* rs, rt, rd. */
static const uint8_t forms[][3] = {{0, 1, 2}, {0, 1, 0}, {0, 1, 1}, {1, 1, 1}, {1, 1, 0}};

static void check_form(unsigned op, const uint8_t form[3]) {
    struct str text = {0};
    mpu_program *p;
    str_printf(&text,
               "        .size n\n        .group g[n]\n        .var inout a: u32 @g = r0\n"
               "        .var inout b: u32 @g = r1\n        .var inout c: u32 @g = r2\n"
               "        .global main\nmain:   COMPUTEG @g\n        %s.32 r%u r%u r%u\n"
               "        COMPUTE_DONE\n        HALT\n",
               operations[op], form[0], form[1], form[2]);
    mpu_session *s = open_program("alias.s", str_text(&text), false, &p);
    put(s, "a", MPU_U32, given.x);
    put(s, "b", MPU_U32, given.y);
    put(s, "c", MPU_U32, given.y);
    run(s);
    for (unsigned r = 0; r < 3; r++) {
        const char name[] = {(char)('a' + r), 0};
        mpu_array got = get(s, name);
        for (unsigned i = 0; i < COUNT; i++) {
            const uint32_t before[] = {given.x[i], given.y[i], given.y[i]};
            uint32_t want =
                r == form[2] ? result_of(op, before[form[0]], before[form[1]]) : before[r];
            if (((const uint32_t *)got.data)[i] != want)
                fail_msg("%s r%u r%u r%u of 0x%x, 0x%x: r%u is 0x%x", operations[op], form[0],
                         form[1], form[2], given.x[i], given.y[i], r,
                         ((const uint32_t *)got.data)[i]);
        }
        mpu_array_free(&got);
    }
    close_program(s, p);
    str_free(&text);
}

static void results_lie_in_operands(void **state) {
    (void)state;
    for (unsigned op = 0; op < OPERATIONS; op++)
        for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
            check_form(op, forms[f]);
}

/* ---- many values ---- */

enum { VALUES = 28 };

static uint32_t made(unsigned value, uint32_t x, uint32_t y) {
    return x * (2 * value + 1) + (y ^ (value << 24));
}

/* 28 values of 32 bits, all made before the first is used, and each needed to the end. */
static void many_values_live(void **state) {
    struct str text = {0};
    mpu_program *p;
    (void)state;
    str_append(&text, "size n;\ngroup g[n];\nin x, y: u32 @ g;\n");
    for (unsigned v = 0; v < VALUES; v++)
        str_printf(&text, "out v%u: u32 @ g;\n", v);
    str_append(&text, "main { compute g {\n");
    for (unsigned v = 0; v < VALUES; v++)
        str_printf(&text, "v%u = x * %u + (y ^ %u);\n", v, 2 * v + 1, v << 24);
    for (unsigned v = 0; v < VALUES; v++)
        str_printf(&text, "v%u -= v%u;\n", v, (v + 1) % VALUES);
    str_append(&text, "} }\n");
    mpu_session *s = open_program("many.ez", str_text(&text), true, &p);
    put(s, "x", MPU_U32, given.x);
    put(s, "y", MPU_U32, given.y);
    run(s);
    for (unsigned v = 0; v < VALUES; v++) {
        char name[8];
        snprintf(name, sizeof name, "v%u", v);
        mpu_array got = get(s, name);
        for (unsigned i = 0; i < COUNT; i++) {
            uint32_t x = given.x[i], y = given.y[i];
            uint32_t first = made(0, x, y) - made(1, x, y); /* v0, when the last takes it away */
            uint32_t want = made(v, x, y) - (v + 1 < VALUES ? made(v + 1, x, y) : first);
            assert_int_equal(((const uint32_t *)got.data)[i], want);
        }
        mpu_array_free(&got);
    }
    close_program(s, p);
    str_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_compare),
                                       cmocka_unit_test(results_lie_in_operands),
                                       cmocka_unit_test(many_values_live)};
    mpu_error *e = NULL;
    draw_operands(&given);
    target = mpu_target_open("pypim", NULL, &e);
    int failed = target ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
    mpu_target_close(target);
    return failed;
}
