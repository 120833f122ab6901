/* SPDX-License-Identifier: MIT
 * Tables that data index, at all indices of a type, against loops. */
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

enum { ELEMENTS = 1024, MOST_ENTRIES = 255 };

/* Entries of the same number: T's are random in 0..1023, N's those less 512, B's their lowest
 * bit. */
struct table {
    uint32_t count;
    uint16_t entries[MOST_ENTRIES];
};

/* kind 0: random; 1: few values; 2: the second half is the first one; 3: all the same. */
static void make_table(struct table *t, uint32_t count, unsigned kind) {
    struct rng r = {count * 4u + kind};
    t->count = count;
    for (uint32_t i = 0; i < count; i++) {
        t->entries[i] = (uint16_t)rng_below(&r, kind == 1 ? 3 : 1024);
        if (kind == 2)
            t->entries[i] = t->entries[i % ((count + 1) / 2)];
        if (kind == 3)
            t->entries[i] = t->entries[0];
    }
}

/* Entry x mod 2^k; beyond the table 0. */
static uint32_t entry(const struct table *t, int64_t x) {
    uint64_t size = 1;
    while (size < t->count)
        size *= 2;
    uint64_t i = (uint64_t)x & (size - 1);
    return i < t->count ? t->entries[i] : 0;
}

static bool in_table(const struct table *t, int64_t x) {
    uint64_t size = 1;
    while (size < t->count)
        size *= 2;
    return ((uint64_t)x & (size - 1)) < t->count;
}

static void list_entries(const struct table *t, struct str *out, const char *type, char name) {
    str_printf(out, "const %c: %s[%u] = {", name, type, t->count);
    for (uint32_t i = 0; i < t->count; i++) {
        if (name == 'B')
            str_append(out, t->entries[i] & 1 ? "true" : "false");
        else
            str_printf(out, "%d", name == 'N' ? t->entries[i] - 512 : t->entries[i]);
        str_append(out, i + 1 < t->count ? ", " : "};\n");
    }
}

static const char body[] =
    "group g[1024];\n"
    "in  x: u10 @ g;\n"
    "in  s: i6 @ g;\n"
    "out plain, part, twice, again, rest, most, place, called, shifted: u16 @ g;\n"
    "out narrow, by_sign: i16 @ g;\n"
    "out bit: bool @ g;\n"
    "out total: u32;\n"
    "sub look(v: u10): u16 { if (v > 500) { return T[v - 500]; } return T[v]; }\n"
    "main {\n"
    "    compute g {\n"
    "        plain = T[x];\n"
    "        by_sign = N[i16(s) * 2 + 1];\n"
    "        narrow = N[s];\n"
    "        bit = B[x];\n"
    "        part = 7;\n"
    "        if (x & 1 == 1) { part = T[x] + 1; }\n"
    "        twice = T[T[x]];\n"
    "        again = x;\n"
    "        again = T[again];\n"
    "        again = T[again];\n"
    "        rest = T[x % COUNT];\n"
    "        most = T[min(x, COUNT - 1)];\n"
    "        place = T[index()];\n"
    "        let few = x >> 7;\n"
    "        shifted = T[few];\n"
    "        called = look(x);\n"
    "    }\n"
    "    total = sum(u32(T[x]));\n"
    "}\n";

static mpu_program *make_program(const struct table *t, int level) {
    struct str text = {0};
    str_printf(&text, "const COUNT = %u;\n", t->count);
    list_entries(t, &text, "u16", 'T');
    list_entries(t, &text, "i16", 'N');
    list_entries(t, &text, "bool", 'B');
    str_append(&text, body);
    mpu_program *p = build_program(str_text(&text), level);
    str_free(&text);
    return p;
}

static void put(mpu_session *s, const char *name, mpu_type type, void *data) {
    mpu_error *e = NULL;
    mpu_array a = {.type = type, .ndim = 1, .shape = {ELEMENTS}, .data = data};
    if (mpu_session_put(s, name, &a, &e) != MPU_OK)
        fail_with(name, e);
}

/* What output `name` is for inputs x and s, the element's number being x. */
static uint32_t wanted(const struct table *t, const char *name, int32_t x, int32_t s) {
    int32_t n = x > 500 ? x - 500 : x, count = (int32_t)t->count;
    if (strcmp(name, "part") == 0)
        return x & 1 ? entry(t, x) + 1 : 7;
    if (strcmp(name, "twice") == 0 || strcmp(name, "again") == 0)
        return entry(t, entry(t, x));
    if (strcmp(name, "rest") == 0)
        return entry(t, x % count);
    if (strcmp(name, "most") == 0)
        return entry(t, x < count ? x : count - 1);
    if (strcmp(name, "shifted") == 0)
        return entry(t, x >> 7);
    if (strcmp(name, "called") == 0)
        return entry(t, n);
    if (strcmp(name, "by_sign") == 0)
        return in_table(t, s * 2 + 1) ? (uint16_t)(entry(t, s * 2 + 1) - 512) : 0;
    if (strcmp(name, "narrow") == 0)
        return in_table(t, s) ? (uint16_t)(entry(t, s) - 512) : 0;
    return entry(t, x); /* plain, place */
}

static void expect(mpu_session *session, const struct table *t, const char *name, const int8_t *s) {
    mpu_error *e = NULL;
    mpu_array a;
    if (mpu_session_get(session, name, &a, &e) != MPU_OK)
        fail_with(name, e);
    for (int32_t x = 0; x < ELEMENTS; x++) {
        uint32_t got = ((const uint16_t *)a.data)[x], want = wanted(t, name, x, s[x]);
        if (got != want)
            fail_msg("%u entries: `%s` of %d, %d is %u, not %u", t->count, name, x, s[x], got,
                     want);
    }
    mpu_array_free(&a);
}

static void expect_others(mpu_session *session, const struct table *t) {
    mpu_error *e = NULL;
    mpu_array bit, total;
    uint32_t sum = 0;
    if (mpu_session_get(session, "bit", &bit, &e) != MPU_OK ||
        mpu_session_get(session, "total", &total, &e) != MPU_OK)
        fail_with("bit, total", e);
    for (uint32_t x = 0; x < ELEMENTS; x++) {
        sum += entry(t, x);
        assert_int_equal(((const uint8_t *)bit.data)[x], entry(t, x) & 1);
    }
    assert_int_equal(*(const uint32_t *)total.data, sum);
    mpu_array_free(&bit);
    mpu_array_free(&total);
}

static void run(const mpu_program *p, const mpu_target *target, const struct table *t) {
    static const char *const outputs[] = {"plain", "part",    "twice",  "again",  "rest",   "most",
                                          "place", "shifted", "called", "narrow", "by_sign"};
    static uint16_t x[ELEMENTS];
    static int8_t s[ELEMENTS];
    mpu_error *e = NULL;
    const mpu_config config = {.size = sizeof config, .init = "random:3"};
    mpu_session *session = mpu_session_new(p, target, &config, &e);
    if (!session)
        fail_with("session", e);
    for (int i = 0; i < ELEMENTS; i++) {
        x[i] = (uint16_t)i;
        s[i] = (int8_t)((i & 63) - 32);
    }
    put(session, "x", MPU_U16, x);
    put(session, "s", MPU_I8, s);
    if (mpu_session_run(session, &e) != MPU_OK)
        fail_with("run", e);
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        expect(session, t, outputs[i], s);
    expect_others(session, t);
    mpu_session_free(session);
}

static void run_table(const mpu_target *target, uint32_t count, unsigned kind, int level) {
    struct table t;
    make_table(&t, count, kind);
    mpu_program *p = make_program(&t, level);
    run(p, target, &t);
    mpu_program_free(p);
}

/* Under sanitizers each number of entries in one kind. */
static void run_all(const char *name, unsigned kinds, int last_level) {
    mpu_target *target = mpu_target_open(name, NULL, NULL);
    assert_non_null(target);
    for (uint32_t count = 1; count <= 19; count += MPU_SANITIZED ? 3 : 1)
        for (unsigned kind = MPU_SANITIZED ? count / 3 % kinds : 0; kind < kinds;
             kind += MPU_SANITIZED ? kinds : 1)
            for (int level = last_level == 1; level <= last_level; level++)
                run_table(target,
                          count == 18   ? 64
                          : count == 19 ? MOST_ENTRIES
                                        : count,
                          kind, level);
    mpu_target_close(target);
}

static void on_golden(void **state) {
    (void)state;
    run_all("golden", 4, 2);
}

static void on_racer(void **state) {
    (void)state;
    run_all("racer", 1, 1);
}

static void on_mimdram(void **state) {
    (void)state;
    run_all("mimdram", 1, 1);
}

/* Entries of the tables of all LUTs that `z = e;` becomes. */
static unsigned looked_up(const char *table, const char *e) {
    struct str text = {0};
    unsigned count = 0;
    str_printf(&text,
               "size n;\ngroup g[n];\nin x: u8 @ g;\nin s: i2 @ g;\nout z: u8 @ g;\n%s\n"
               "main { compute g { z = %s; } }\n",
               table, e);
    struct object *o = build_object(str_text(&text), 1, NULL);
    assert_non_null(o);
    for (size_t i = 0; i < o->text.len; i++) {
        struct insn insn;
        assert_int_equal(object_decode(o, o->text.data[i], &insn), ISA_OK);
        count += insn.op == OP_LUT ? 1u << insn.table->index_bits : 0;
        assert_int_not_equal(insn.op, OP_SEL);
    }
    object_free(o);
    str_free(&text);
    return count;
}

/* What an index cannot name, and halves that are equal, cost nothing. */
static void no_more_than_needed(void **state) {
    (void)state;
    static const char eight[] = "const T: u8[8] = {1, 2, 3, 5, 8, 13, 21, 34};";
    static const char five[] = "const T: u8[5] = {1, 2, 3, 5, 8};";
    static const char halves[] = "const T: u8[8] = {1, 2, 3, 4, 1, 2, 3, 4};";
    static const char same[] = "const T: u8[5] = {9, 9, 9, 9, 9};";
    static const char later[] = "host T: u8[5];";
    assert_int_equal(looked_up(eight, "T[x]"), 8);
    assert_int_equal(looked_up(eight, "T[x & 3]"), 4);
    assert_int_equal(looked_up(eight, "T[x >> 6]"), 4);
    assert_int_equal(looked_up(eight, "T[s]"), 4);
    assert_int_equal(looked_up(eight, "T[u8(x > 3)]"), 2);
    assert_int_equal(looked_up(eight, "T[x % 5]"), 8);
    assert_int_equal(looked_up(five, "T[min(x, 4)]"), 8);
    assert_int_equal(looked_up(halves, "T[x]"), 4);
    assert_int_equal(looked_up(same, "T[x % 5]"), 0);
    assert_int_equal(looked_up(eight, "T[x] + T[x]"), 8);
    assert_int_equal(looked_up(eight, "T[x] + lut(T, x)"), 8);
    assert_int_equal(looked_up(eight, "T[5]"), 0);
    assert_int_equal(looked_up(eight, "lut(T, 5)"), 0);
    assert_int_equal(looked_up(later, "T[x]"), 8);
    assert_int_equal(looked_up(later, "T[3]"), 0);
    assert_int_equal(looked_up("host T: u8[1];", "T[x]"), 0);
}

/* Entries that are known when the program is packaged, and signed ones in more bits than they
 * have. */
static void values_of_the_link(const mpu_target *target) {
    static const char text[] = "host h: i5[19] = {-1, 2, -3, 4, -5, 6, -7, 8, -9, 10, -11, 12, -13,"
                               " 14, -15, 15, -16, 0, 7};\n"
                               "group g[1024];\nin x: u10 @ g;\nin s: i6 @ g;\n"
                               "out y, z: i16 @ g;\n"
                               "main { compute g { y = h[x]; z = i16(lut(h, s)) - 1; } }\n";
    static const int8_t want[32] = {-1,  2,  -3,  4,  -5,  6,  -7,  8, -9, 10,
                                    -11, 12, -13, 14, -15, 15, -16, 0, 7};
    static uint16_t x[ELEMENTS];
    static int8_t s[ELEMENTS];
    mpu_error *e = NULL;
    mpu_array y, z;
    mpu_program *p = build_program(text, 1);
    mpu_session *session = mpu_session_new(p, target, NULL, &e);
    if (!session)
        fail_with("session", e);
    for (int i = 0; i < ELEMENTS; i++) {
        x[i] = (uint16_t)i;
        s[i] = (int8_t)((i & 63) - 32);
    }
    put(session, "x", MPU_U16, x);
    put(session, "s", MPU_I8, s);
    if (mpu_session_run(session, &e) != MPU_OK || mpu_session_get(session, "y", &y, &e) != MPU_OK ||
        mpu_session_get(session, "z", &z, &e) != MPU_OK)
        fail_with("run", e);
    for (int i = 0; i < ELEMENTS; i++) {
        assert_int_equal(((const int16_t *)y.data)[i], want[x[i] & 31]);
        assert_int_equal(((const int16_t *)z.data)[i], want[s[i] & 31] - 1);
    }
    mpu_array_free(&y);
    mpu_array_free(&z);
    mpu_session_free(session);
    mpu_program_free(p);
}

static void link_time_values(void **state) {
    static const char *const targets[] = {"golden", "racer", "mimdram"};
    (void)state;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        mpu_target *target = mpu_target_open(targets[i], NULL, NULL);
        assert_non_null(target);
        values_of_the_link(target);
        mpu_target_close(target);
    }
}

/* As many entries as there can be, of 16 bits. */
static void largest(void **state) {
    struct str text = {0};
    mpu_error *e = NULL;
    mpu_array y;
    static uint16_t x[ELEMENTS];
    mpu_target *target = mpu_target_open("golden", NULL, NULL);
    (void)state;
    str_append(&text, "const T: u16[65536] = {");
    for (uint32_t i = 0; i < 65536; i++)
        str_printf(&text, "%u%s", (unsigned)(i * 40503u >> 3 & 0xffff), i < 65535 ? "," : "};\n");
    str_append(&text, "group g[1024];\nin x: u16 @ g;\nout y: u16 @ g;\n"
                      "main { compute g { y = T[x]; } }\n");
    mpu_program *p = build_program(str_text(&text), 1);
    mpu_session *session = mpu_session_new(p, target, NULL, &e);
    if (!session)
        fail_with("session", e);
    for (uint32_t i = 0; i < ELEMENTS; i++)
        x[i] = (uint16_t)(i * 64 + i % 64);
    put(session, "x", MPU_U16, x);
    if (mpu_session_run(session, &e) != MPU_OK || mpu_session_get(session, "y", &y, &e) != MPU_OK)
        fail_with("run", e);
    for (uint32_t i = 0; i < ELEMENTS; i++)
        assert_int_equal(((const uint16_t *)y.data)[i], x[i] * 40503u >> 3 & 0xffff);
    mpu_array_free(&y);
    mpu_session_free(session);
    mpu_program_free(p);
    mpu_target_close(target);
    str_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_more_than_needed),
        cmocka_unit_test(link_time_values),
        cmocka_unit_test(largest),
        cmocka_unit_test(on_golden),
        cmocka_unit_test(on_racer),
        cmocka_unit_test(on_mimdram),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
