/* SPDX-License-Identifier: MIT
 * Reductions along a dimension in ezpim, against plain C. */
#include "tests/ezpim/build.h"
#include "tests/ezpim/shapes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int64_t sum_of(const struct shape_line *l) {
    int64_t r = 0;
    for (uint64_t i = 0; i < l->count; i++)
        r += shape_at(l, i);
    return r;
}

static int64_t first_min_of(const struct shape_line *l) {
    uint64_t best = 0;
    for (uint64_t i = 1; i < l->count; i++)
        best = shape_at(l, i) < shape_at(l, best) ? i : best;
    return (int64_t)best;
}

static int64_t first_max_of(const struct shape_line *l) {
    uint64_t best = 0;
    for (uint64_t i = 1; i < l->count; i++)
        best = shape_at(l, i) > shape_at(l, best) ? i : best;
    return (int64_t)best;
}

static int64_t min_of(const struct shape_line *l) {
    return shape_at(l, (uint64_t)first_min_of(l));
}

static int64_t max_of(const struct shape_line *l) {
    return shape_at(l, (uint64_t)first_max_of(l));
}

static int64_t and_of(const struct shape_line *l) {
    int16_t r = -1;
    for (uint64_t i = 0; i < l->count; i++)
        r = (int16_t)(r & shape_at(l, i));
    return r;
}

static int64_t or_of(const struct shape_line *l) {
    int16_t r = 0;
    for (uint64_t i = 0; i < l->count; i++)
        r = (int16_t)(r | shape_at(l, i));
    return r;
}

static int64_t xor_of(const struct shape_line *l) {
    int16_t r = 0;
    for (uint64_t i = 0; i < l->count; i++)
        r = (int16_t)(r ^ shape_at(l, i));
    return r;
}

static int64_t threes_of(const struct shape_line *l) {
    int64_t r = 0;
    for (uint64_t i = 0; i < l->count; i++)
        r += shape_at(l, i) == 3;
    return r;
}

static int64_t any_of(const struct shape_line *l) {
    return threes_of(l) > 0;
}

static int64_t all_of(const struct shape_line *l) {
    return threes_of(l) == 0;
}

/* The last two lie in registers of an array: in a run of three of them. */
static const struct kind {
    const char *name, *declared, *stored, *type, *value;
    int64_t (*want)(const struct shape_line *l);
    uint32_t element;
} kinds[] = {
    {"s", "s", "s", "i32", "sum(i32(x)", sum_of, 0},
    {"lo", "lo", "lo", "i16", "min(x", min_of, 0},
    {"hi", "hi", "hi", "i24", "max(i24(x)", max_of, 0},
    {"an", "an", "an", "i16", "and(x", and_of, 0},
    {"some", "some", "some", "bool", "any(x == 3", any_of, 0},
    {"every", "every", "every", "bool", "all(x != 3", all_of, 0},
    {"n", "n", "n", "u64", "count(x == 3", threes_of, 0},
    {"first", "first", "first", "u64", "argmin(x", first_min_of, 0},
    {"last", "last", "last", "u64", "argmax(x", first_max_of, 0},
    {"k", "k", "k[0]", "i16[2]", "or(x", or_of, 0},
    {"k", NULL, "k[1]", NULL, "xor(x", xor_of, 1},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void put_source(struct str *s, const struct shape_form *f) {
    shape_put_head(s, f);
    str_append(s, "group r");
    shape_put_extents(s, f, f->axis);
    for (size_t i = 0; i < KINDS; i++)
        if (kinds[i].declared)
            str_printf(s, "out %s: %s @ r;\n", kinds[i].declared, kinds[i].type);
    str_append(s, f->on_mpus ? "main on ring {\n" : "main {\n");
    for (size_t i = 0; i < KINDS; i++)
        str_printf(s, "    %s = %s, %u);\n", kinds[i].stored, kinds[i].value, f->axis);
    str_append(s, "}\n");
}

static void expect(mpu_session *s, const struct shape_form *f, const struct kind *k,
                   const int16_t *x) {
    uint64_t lines = shape_lines(f), have = 1;
    uint64_t registers = strcmp(k->name, "k") == 0 ? 2 : 1;
    mpu_array a = shape_get(s, k->name);
    for (uint32_t d = 0; d < a.ndim; d++)
        have *= a.shape[d];
    assert_int_equal(have, lines * registers);
    for (uint64_t i = 0; i < lines; i++) {
        struct shape_line l = shape_line(f, x, i);
        int64_t got = shape_value(&a, i * registers + k->element), want = k->want(&l);
        if (got != want)
            fail_msg("%s[%llu] is %lld, not %lld", k->stored, (unsigned long long)i, (long long)got,
                     (long long)want);
    }
    mpu_array_free(&a);
}

static void run_on(const mpu_program *p, mpu_target *t, const struct shape_form *f) {
    int16_t *x = shape_values(f);
    mpu_session *s = shape_run(p, t, f, x);
    for (size_t i = 0; i < KINDS; i++)
        expect(s, f, &kinds[i], x);
    mpu_session_free(s);
    free(x);
}

static void try_shapes(const struct shape *shapes, size_t count, bool sizes, bool on_mpus,
                       int level) {
    mpu_target *targets[SHAPE_TARGETS];
    shape_open_targets(targets);
    for (size_t i = 0; i < count; i++)
        for (uint32_t axis = 0; axis < shapes[i].ndim; axis++) {
            struct shape_form f = {shapes[i], axis, sizes, on_mpus};
            struct str source = {0};
            put_source(&source, &f);
            mpu_program *p = build_program(str_text(&source), level);
            for (size_t k = 0; k < SHAPE_TARGETS; k++)
                run_on(p, targets[k], &f);
            mpu_program_free(p);
            str_free(&source);
        }
    shape_close_targets(targets);
}

#define TRY(shapes, sizes, on_mpus, level)                                                         \
    try_shapes(shapes, sizeof(shapes) / sizeof *(shapes), sizes, on_mpus, level)

static const struct shape shapes[] = {
    {1, {1}},      {1, {63}},     {1, {10007}},   {2, {1, 65}},    {2, {513, 2}},
    {2, {3, 511}}, {2, {64, 63}}, {3, {1, 1, 9}}, {3, {5, 3, 17}}, {3, {2, 65, 7}}};
static const struct shape few[] = {{1, {65}}, {2, {9, 64}}, {3, {3, 17, 5}}};

static void numbers(void **state) {
    (void)state;
    TRY(shapes, false, false, 1);
}

static void sizes(void **state) {
    (void)state;
    TRY(shapes, true, false, 1);
}

static void several_mpus(void **state) {
    (void)state;
    TRY(few, false, true, 1);
    TRY(few, true, true, 1);
}

static void at_other_levels(void **state) {
    (void)state;
    TRY(few, false, false, 0);
    TRY(few, true, false, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(sizes),
        cmocka_unit_test(several_mpus),
        cmocka_unit_test(at_other_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
