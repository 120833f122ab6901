/* SPDX-License-Identifier: MIT
 * Integers of every type of array for variables of every type, where the values fit: with a group
 * and without one, in several registers, of links.  What is computed and charged is the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/include/mpu/mpu.h"
#include "support/bits.h"

enum { ELEMENTS = 150, REGISTERS = 2 };

struct integer_type {
    const char *text;
    mpu_type array; /* what the variable gives */
    unsigned bits;
    int sign;
};

static const struct integer_type variables[] = {
    {"bool", MPU_BOOL, 1, 0}, {"u3", MPU_U8, 3, 0},    {"u8", MPU_U8, 8, 0},
    {"i8", MPU_I8, 8, 1},     {"i12", MPU_I16, 12, 1}, {"u16", MPU_U16, 16, 0},
    {"i32", MPU_I32, 32, 1},  {"u40", MPU_U64, 40, 0}, {"i64", MPU_I64, 64, 1},
};
static const struct integer_type arrays[] = {
    {"bool", MPU_BOOL, 1, 0}, {"u8", MPU_U8, 8, 0},    {"i8", MPU_I8, 8, 1},
    {"u16", MPU_U16, 16, 0},  {"i16", MPU_I16, 16, 1}, {"u32", MPU_U32, 32, 0},
    {"i32", MPU_I32, 32, 1},  {"u64", MPU_U64, 64, 0}, {"i64", MPU_I64, 64, 1},
};

static void expect_ok(mpu_result r, mpu_error *e) {
    if (r != MPU_OK)
        fail_msg("%s", mpu_error_text(e));
}

static size_t bytes_of(const struct integer_type *t) {
    return t->bits <= 8 ? 1 : t->bits <= 16 ? 2 : t->bits <= 32 ? 4 : 8;
}

static int64_t element(const struct integer_type *t, const void *data, uint64_t index) {
    uint64_t v = 0;
    memcpy(&v, (const unsigned char *)data + index * bytes_of(t), bytes_of(t));
    return t->sign ? sign_extend(v, 8 * (unsigned)bytes_of(t)) : (int64_t)v;
}

/* Values that both types have; all of those where one has few. */
static void *make_values(const struct integer_type *array, const struct integer_type *variable,
                         uint64_t count) {
    unsigned char *data = calloc(count, bytes_of(array));
    unsigned a = array->bits - (unsigned)array->sign, v = variable->bits - (unsigned)variable->sign;
    unsigned bits = a < v ? a : v;
    uint64_t seed = 8 * array->bits + variable->bits;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t x = splitmix64(&seed) & low_bits(bits);
        if (array->sign && variable->sign && splitmix64(&seed) & 1)
            x = ~x;
        memcpy(data + i * bytes_of(array), &x, bytes_of(array));
    }
    return data;
}

/* x in each lane, one everywhere, k in registers of each lane, link when the program is linked. */
static const char names[][5] = {"x", "one", "k", "link"};
static const char outs[][2] = {"a", "b", "c", "d"};

static mpu_program *make_program(const struct integer_type *variable) {
    char text[1000];
    const char *t = variable->text;
    unsigned w = variable->bits;
    mpu_error *e = NULL;
    int n = snprintf(text, sizeof text,
                     ".size n = %d\n.group g[n]\n.var in x: %s @g = r0\n.var in one: %s = r1\n"
                     ".var in k: %s[%d] @g = r2\n.value link: %s = 0\n"
                     ".var out a: %s @g = r4\n.var out b: %s @g = r5\n.var out c: %s @g = r6\n"
                     ".var out d: %s @g = r7\nCOMPUTEG @g\n"
                     "MOV.%u x, a\nMOV.%u one, b\nMOV.%u k[1], c\nLI.%u value(link), d\n",
                     ELEMENTS, t, t, t, REGISTERS, t, t, t, t, t, w, w, w, w);
    for (unsigned piece = 1; 12 * piece < w; piece++)
        n += snprintf(text + n, sizeof text - (size_t)n, "LIK%u.%u value(link), d\n", piece, w);
    n += snprintf(text + n, sizeof text - (size_t)n, "COMPUTE_DONE\nHALT\n");
    mpu_source *s = mpu_source_new(NULL);
    mpu_source_add_text(s, "integers.s", text, (size_t)n);
    mpu_program *p = mpu_source_build(s, &e);
    if (!p)
        fail_msg("%s", mpu_error_text(e));
    mpu_source_free(s);
    return p;
}

/* Of a's elements that one of the outputs has in lane `lane`. */
static uint64_t index_of(unsigned out, uint64_t lane) {
    return out == 0 ? lane : out == 2 ? REGISTERS * lane + 1 : 0;
}

static void check_outputs(mpu_session *s, const struct integer_type *variable,
                          const struct integer_type *array, void *const *data) {
    mpu_error *e = NULL;
    mpu_array a;
    for (unsigned o = 0; o < 4; o++) {
        expect_ok(mpu_session_get(s, outs[o], &a, &e), e);
        assert_int_equal(a.type, variable->array);
        for (uint64_t i = 0; i < ELEMENTS; i++) {
            int64_t want = element(array, data[o], index_of(o, i));
            if (element(variable, a.data, i) != want)
                fail_msg("%s of %s from %s: [%u] is %lld, not %lld", names[o], variable->text,
                         array->text, (unsigned)i, (long long)element(variable, a.data, i),
                         (long long)want);
        }
        mpu_array_free(&a);
    }
}

/* The bytes that go to the machine. */
static uint64_t try_types(const mpu_program *p, const mpu_target *t,
                          const struct integer_type *variable, const struct integer_type *array) {
    static const uint64_t counts[] = {ELEMENTS, 1, (uint64_t)ELEMENTS * REGISTERS, 1};
    static const uint32_t ndims[] = {1, 0, 2, 0};
    mpu_error *e = NULL;
    mpu_session *s = mpu_session_new(p, t, NULL, &e);
    void *data[4];
    uint64_t bytes = 0;
    for (unsigned i = 0; i < 4; i++) {
        data[i] = make_values(array, variable, counts[i]);
        mpu_array a = {array->array, ndims[i], {ELEMENTS, REGISTERS}, data[i]};
        expect_ok(mpu_session_put(s, names[i], &a, &e), e);
    }
    expect_ok(mpu_session_run(s, &e), e);
    check_outputs(s, variable, array, data);
    mpu_session_figure(s, "host.bytes_in", &bytes);
    mpu_session_free(s);
    for (unsigned i = 0; i < 4; i++)
        free(data[i]);
    return bytes;
}

static void on(const char *target, bool figures) {
    mpu_error *e = NULL;
    mpu_target *t = mpu_target_open(target, NULL, &e);
    for (size_t v = 0; v < sizeof variables / sizeof *variables; v++) {
        mpu_program *p = make_program(&variables[v]);
        uint64_t first = try_types(p, t, &variables[v], &arrays[0]);
        assert_true(!figures || first);
        for (size_t a = 1; a < sizeof arrays / sizeof *arrays; a++)
            assert_int_equal(try_types(p, t, &variables[v], &arrays[a]), first);
        mpu_program_free(p);
    }
    mpu_target_close(t);
}

static void any_type_on_planes(void **state) {
    (void)state;
    on("racer", true);
}

static void any_type_in_columns(void **state) {
    (void)state;
    on("pypim", true);
}

static void any_type_on_golden(void **state) {
    (void)state;
    on("golden", false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_type_on_planes),
        cmocka_unit_test(any_type_in_columns),
        cmocka_unit_test(any_type_on_golden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
