/* SPDX-License-Identifier: MIT
 * Scans in ezpim, against plain C. */
#include "tests/ezpim/build.h"
#include "tests/ezpim/shapes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int64_t add(int64_t a, int64_t v) {
    return a + v;
}

static int64_t add_i16(int64_t a, int64_t v) {
    return (int16_t)(a + v);
}

static int64_t least(int64_t a, int64_t v) {
    return v < a ? v : a;
}

static int64_t most(int64_t a, int64_t v) {
    return v > a ? v : a;
}

static int64_t and (int64_t a, int64_t v) {
    return a & v;
}

static int64_t or (int64_t a, int64_t v) {
    return a | v;
}

static int64_t xor (int64_t a, int64_t v) { return a ^ v; }

    static int64_t above_5(int64_t a, int64_t v) {
    return a + (v > 5);
}

static int64_t some_3(int64_t a, int64_t v) {
    return a || v == 3;
}

static int64_t no_3(int64_t a, int64_t v) {
    return a && v != 3;
}

/* What a scan takes in, and what it begins with.  Some lie in registers of arrays. */
static const struct kind {
    const char *name, *stored, *declared, *value;
    const char *words, *behind; /* in front of the dimension and behind it */
    int64_t (*take)(int64_t a, int64_t v);
    int64_t first;
    uint32_t element;
} kinds[] = {
    {"s", "s", "s: i32", "i32(x)", "", "", add, 0, 0},
    {"w", "w", "w: i16", "x", "", ", exclusive", add_i16, 0, 0},
    {"lo", "lo", "lo: i16", "x", ", min", "", least, INT16_MAX, 0},
    {"hi", "hi", "hi: i32", "i24(x)", ", max", ", exclusive", most, -(1 << 23), 0},
    {"an", "an", "an: i16", "x", ", exclusive", ", and", and, -1, 0},
    {"k", "k[1]", "k: i16[3]", "x", ", or", "", or, 0, 1},
    {"k", "k[0]", NULL, "x", ", xor", ", exclusive", xor, 0, 0},
    {"k", "k[2]", NULL, "x - 1 + 1", ", sum", ", exclusive", add_i16, 0, 2},
    {"n", "n", "n: u64", "u64(x > 5)", ", sum", "", above_5, 0, 0},
    {"some", "some", "some: bool", "x == 3", ", any", ", exclusive", some_3, 0, 0},
    {"every", "every", "every: bool", "x != 3", ", all", "", no_3, 1, 0},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void put_source(struct str *s, const struct shape_form *f) {
    shape_put_head(s, f);
    for (size_t i = 0; i < KINDS; i++)
        if (kinds[i].declared)
            str_printf(s, "out %s @ g;\n", kinds[i].declared);
    str_append(s, f->on_mpus ? "main on ring {\n" : "main {\n");
    for (size_t i = 0; i < KINDS; i++) {
        str_printf(s, "    %s = scan(%s%s", kinds[i].stored, kinds[i].value, kinds[i].words);
        if (f->axis != SHAPE_ALL)
            str_printf(s, ", %u", f->axis);
        str_printf(s, "%s);\n", kinds[i].behind);
    }
    str_append(s, "}\n");
}

static void expect_line(const mpu_array *a, const struct kind *k, const struct shape_line *l) {
    uint64_t registers = strcmp(k->name, "k") == 0 ? 3 : 1;
    bool exclusive = strstr(k->words, "exclusive") || strstr(k->behind, "exclusive");
    int64_t want = k->first;
    for (uint64_t i = 0; i < l->count; i++) {
        int64_t before = want;
        want = k->take(want, shape_at(l, i));
        uint64_t element = l->first + i * l->step;
        int64_t got = shape_value(a, element * registers + k->element);
        if (got != (exclusive ? before : want))
            fail_msg("%s of element %llu is %lld, not %lld", k->stored, (unsigned long long)element,
                     (long long)got, (long long)(exclusive ? before : want));
    }
}

static void run_on(const mpu_program *p, mpu_target *t, const struct shape_form *f) {
    int16_t *x = shape_values(f);
    mpu_session *s = shape_run(p, t, f, x);
    for (size_t i = 0; i < KINDS; i++) {
        mpu_array a = shape_get(s, kinds[i].name);
        for (uint64_t number = 0; number < shape_lines(f); number++) {
            struct shape_line l = shape_line(f, x, number);
            expect_line(&a, &kinds[i], &l);
        }
        mpu_array_free(&a);
    }
    mpu_session_free(s);
    free(x);
}

/* rows: of a lane for registers, 0: what machines have. */
static mpu_program *program_of(const struct shape_form *f, int level, unsigned rows) {
    const struct ez_options options = {.optimize = level, .rows = rows};
    struct str source = {0}, messages = {0};
    put_source(&source, f);
    mpu_program *p = try_program_with(str_text(&source), &options, &messages);
    if (!p)
        fail_msg("%s\n%s", str_text(&messages), str_text(&source));
    str_free(&source);
    str_free(&messages);
    return p;
}

struct plan {
    bool sizes, on_mpus;
    int level;
    unsigned rows;
};

static void try_form(const struct shape_form *f, const struct plan *plan, mpu_target **targets) {
    mpu_program *p = program_of(f, plan->level, plan->rows);
    for (size_t k = 0; k < SHAPE_TARGETS; k++)
        run_on(p, targets[k], f);
    mpu_program_free(p);
}

/* Along each dimension, and all elements. */
static void try_shapes(const struct shape *shapes, size_t count, struct plan plan) {
    mpu_target *targets[SHAPE_TARGETS];
    shape_open_targets(targets);
    for (size_t i = 0; i < count; i++) {
        struct shape_form f = {shapes[i], SHAPE_ALL, plan.sizes, plan.on_mpus};
        try_form(&f, &plan, targets);
        for (f.axis = 0; f.axis < shapes[i].ndim; f.axis++)
            try_form(&f, &plan, targets);
    }
    shape_close_targets(targets);
}

#define TRY(shapes, ...)                                                                           \
    try_shapes(shapes, sizeof(shapes) / sizeof *(shapes), (struct plan){__VA_ARGS__})

static const struct shape few[] = {{1, {600}}, {2, {9, 64}}, {3, {3, 37, 5}}};
#ifdef MPU_SANITIZED
#define MOST few
#else
#define MOST shapes
/* Lines that blocks cut and lines that they do not, more and fewer elements than blocks are for. */
static const struct shape shapes[] = {
    {1, {1}},      {1, {63}},     {1, {10007}},   {2, {1, 65}},     {2, {513, 2}},  {2, {40, 37}},
    {2, {24, 64}}, {2, {64, 63}}, {3, {1, 1, 9}}, {3, {5, 30, 17}}, {3, {2, 65, 7}}};
#endif

static void numbers(void **state) {
    (void)state;
    TRY(MOST, false, false, 1, 0);
}

static void sizes(void **state) {
    (void)state;
    TRY(MOST, true, false, 1, 0);
}

static void several_mpus(void **state) {
    (void)state;
    TRY(few, false, true, 1, 0);
    TRY(few, true, true, 1, 0);
}

static void at_other_levels(void **state) {
    (void)state;
    TRY(few, false, false, 0, 0);
    TRY(few, true, false, 2, 0);
}

/* Rows that leave room for short blocks only, and for none. */
enum { ROWS_FOR_2 = 440, ROWS_FOR_NONE = 300 };

static void few_rows(void **state) {
    (void)state;
    TRY(few, false, false, 1, ROWS_FOR_2);
    TRY(few, true, true, 1, ROWS_FOR_2);
    TRY(few, false, false, 1, ROWS_FOR_NONE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),      cmocka_unit_test(sizes),
        cmocka_unit_test(several_mpus), cmocka_unit_test(at_other_levels),
        cmocka_unit_test(few_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
