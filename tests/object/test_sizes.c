/* SPDX-License-Identifier: MIT
 * Derived sizes: values, ranges, formulas as text. */
#include "object/object.h"
#include "support/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define LIMIT ((int64_t)OBJECT_MAX_EXTENT)

struct example {
    enum size_op op;
    int64_t left, right, want;
    bool none;
};

static void values_are_exact(void **state) {
    (void)state;
    static const struct example list[] = {
        {DERIVE_ADD, 3, -5, -2, false},
        {DERIVE_SUB, 3, 5, -2, false},
        {DERIVE_MUL, -3, 5, -15, false},
        {DERIVE_DIV, 7, 2, 3, false},
        {DERIVE_DIV, -7, 2, -4, false},
        {DERIVE_DIV, 7, -2, -4, false},
        {DERIVE_DIV, -7, -2, 3, false},
        {DERIVE_DIV, -8, 2, -4, false},
        {DERIVE_DIV, 1, 0, 0, true},
        {DERIVE_MIN, 3, -5, -5, false},
        {DERIVE_MAX, 3, -5, 3, false},
        {DERIVE_MUL, 1 << 20, 1 << 20, LIMIT, false},
        {DERIVE_MUL, -(1 << 20), 1 << 20, -LIMIT, false},
        {DERIVE_MUL, 1 << 20, (1 << 20) + 1, 0, true},
        {DERIVE_MUL, LIMIT, LIMIT, 0, true},
        {DERIVE_MUL, -LIMIT, LIMIT, 0, true},
        {DERIVE_ADD, LIMIT, 1, 0, true},
        {DERIVE_SUB, -LIMIT, 1, 0, true},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        int64_t got = 0;
        bool fine = object_size_compute(list[i].op, list[i].left, list[i].right, &got);
        if (fine == list[i].none || (fine && got != list[i].want))
            fail_msg("example %zu gives %lld", i, (long long)got);
    }
}

static struct size_decl ranged(int64_t least, int64_t most) {
    return (struct size_decl){.name = "x", .op = DERIVE_ADD, .least = least, .most = most};
}

/* Least and most of all values of an operation over two small ranges, tried one by one. */
static struct size_range tried(enum size_op op, const struct size_decl *a,
                               const struct size_decl *b) {
    struct size_range r = {LIMIT, -LIMIT};
    for (int64_t x = a->least; x <= a->most; x++)
        for (int64_t y = b->least; y <= b->most; y++) {
            int64_t z;
            if (!object_size_compute(op, x, y, &z))
                continue;
            r.least = z < r.least ? z : r.least;
            r.most = z > r.most ? z : r.most;
        }
    return r;
}

/* They hold every value, and of intervals of operands that do not depend on one another no other
 * ends are possible. */
static void ranges_hold_all_values(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 3000; i++) {
        struct size_decl s[3];
        for (int k = 0; k < 2; k++) {
            int64_t least = (int64_t)(splitmix64(&seed) % 25) - 12;
            s[k] = ranged(least, least + (int64_t)(splitmix64(&seed) % 12));
        }
        s[2] = (struct size_decl){.op = (enum size_op)(DERIVE_ADD + splitmix64(&seed) % 6),
                                  .left = {0, 0},
                                  .right = {1, 0}};
        object_size_derive(s, &s[2]);
        struct size_range want = tried(s[2].op, &s[0], &s[1]), got = object_size_range(&s[2]);
        if (want.least > want.most)
            want = (struct size_range){-LIMIT, LIMIT};
        if (got.least != want.least || got.most != want.most)
            fail_msg("operation %d of %lld..%lld and %lld..%lld: %lld..%lld", (int)s[2].op,
                     (long long)s[0].least, (long long)s[0].most, (long long)s[1].least,
                     (long long)s[1].most, (long long)got.least, (long long)got.most);
    }
}

static void bounds_follow(void **state) {
    (void)state;
    struct size_decl s[4] = {{.name = "n", .bound = 1000}, {.name = "m"}};
    s[2] = (struct size_decl){.op = DERIVE_DIV, .left = {0, 0}, .right = {NO_INDEX, 4}};
    object_size_derive(s, &s[2]);
    assert_int_equal(s[2].bound, 250);
    assert_int_equal(s[2].least, 0);
    s[3] = (struct size_decl){.op = DERIVE_MUL, .left = {0, 0}, .right = {1, 0}};
    object_size_derive(s, &s[3]);
    assert_int_equal(s[3].bound, 0);
    assert_int_equal(s[3].most, LIMIT);
    s[3] = (struct size_decl){.op = DERIVE_SUB, .left = {NO_INDEX, 0}, .right = {0, 0}};
    object_size_derive(s, &s[3]);
    assert_int_equal(s[3].bound, 1); /* at least 1, for 0 says that none is known */
    assert_int_equal(s[3].least, -1000);
    assert_int_equal(s[3].most, -1);
    s[3] = (struct size_decl){.op = DERIVE_MIN, .left = {0, 0}, .right = {1, 0}};
    object_size_derive(s, &s[3]);
    assert_int_equal(s[3].bound, 1000);
}

static uint32_t derived(struct object *o, const char *name, enum size_op op,
                        struct size_operand left, struct size_operand right) {
    struct size_decl s = {.name = name, .op = op, .left = left, .right = right};
    object_size_normalise(&s);
    object_size_derive(o->sizes.data, &s);
    vec_push(&o->sizes, s);
    return (uint32_t)o->sizes.len - 1;
}

static struct size_operand size_(uint32_t i) {
    return (struct size_operand){i, 0};
}

static struct size_operand number(int64_t x) {
    return (struct size_operand){NO_INDEX, x};
}

static void expect_formula(const struct object *o, uint32_t size, const char *want) {
    struct str got = {0};
    object_size_formula(o, size, &got);
    assert_string_equal(str_text(&got), want);
    str_free(&got);
}

static void formulas_as_text(void **state) {
    (void)state;
    struct object *o = object_new();
    struct size_decl n = {.name = "n"}, h = {.name = "h"};
    vec_push(&o->sizes, n);
    vec_push(&o->sizes, h);
    uint32_t twice = derived(o, "$S0", DERIVE_MUL, size_(0), number(2));
    uint32_t plus = derived(o, "$S1", DERIVE_ADD, number(3), size_(twice));
    expect_formula(o, derived(o, "m", DERIVE_DIV, size_(plus), number(4)), "(2 * n + 3) / 4");
    uint32_t less = derived(o, "$S2", DERIVE_SUB, size_(0), number(3));
    expect_formula(o, less, "n - 3");
    uint32_t inner = derived(o, "$S3", DERIVE_SUB, size_(1), size_(less));
    expect_formula(o, inner, "h - (n - 3)");
    uint32_t half = derived(o, "$S4", DERIVE_DIV, size_(0), number(2));
    expect_formula(o, derived(o, "$S5", DERIVE_MUL, number(2), size_(half)), "2 * (n / 2)");
    uint32_t low = derived(o, "$S6", DERIVE_MIN, size_(inner), number(-7));
    expect_formula(o, low, "min(h - (n - 3), (-7))");
    expect_formula(o, derived(o, "$S7", DERIVE_DIV, size_(4), size_(half)), "m / (n / 2)");
    assert_string_equal(object_size_name(o), "$S11");
    object_free(o);
}

/* Formulas share their parts: what is written out must not grow with all of them. */
static void long_formulas_stay_short(void **state) {
    (void)state;
    struct object *o = object_new();
    struct str text = {0};
    struct size_decl n = {.name = "n"};
    vec_push(&o->sizes, n);
    for (uint32_t i = 0; i < 20000; i++)
        derived(o, arena_printf(&o->arena, "$S%u", (unsigned)i), DERIVE_MIN, size_(i), size_(i));
    object_size_formula(o, 20000, &text);
    assert_true(text.len < 10000);
    int64_t *values = xcalloc(o->sizes.len, sizeof *values);
    struct diag *d = diag_new(NULL, NULL);
    object_size_note(o, 20000, values, d);
    diag_free(d);
    free(values);
    str_free(&text);
    object_free(o);
}

static void parts_of_a_formula(void **state) {
    (void)state;
    struct object *o = object_new();
    struct size_decl n = {.name = "n"}, h = {.name = "h"}, k = {.name = "k"};
    uint8_t needed[5];
    vec_push(&o->sizes, n);
    vec_push(&o->sizes, h);
    vec_push(&o->sizes, k);
    uint32_t sum = derived(o, "sum", DERIVE_ADD, size_(0), size_(2));
    uint32_t half = derived(o, "half", DERIVE_DIV, size_(sum), number(2));
    object_size_parts(o, half, needed);
    static const uint8_t want[] = {1, 0, 1, 1, 1};
    assert_memory_equal(needed, want, sizeof want);
    object_free(o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_exact),
        cmocka_unit_test(ranges_hold_all_values),
        cmocka_unit_test(bounds_follow),
        cmocka_unit_test(formulas_as_text),
        cmocka_unit_test(long_formulas_stay_short),
        cmocka_unit_test(parts_of_a_formula),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
