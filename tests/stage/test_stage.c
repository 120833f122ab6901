/* SPDX-License-Identifier: MIT
 * Stage kernels one by one: what each pattern makes, what parts begin with, results that depend on
 * an order, and every message. */
#include "stage/stage.h"
#include "support/alloc.h"
#include "tests/stage/launched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct lane_type i8 = {TYPE_INT, 8}, i32 = {TYPE_INT, 32}, i64 = {TYPE_INT, 64},
                              u8 = {TYPE_UINT, 8}, u64 = {TYPE_UINT, 64}, f32 = {TYPE_FLOAT, 32},
                              bf16 = {TYPE_BFLOAT, 16};

enum { X, Y, R, F, G, C, V, N, A, B, H };

/* The kernel of all tests here: x and y of n elements, r of 4, and so on. */
static void begin(struct launched *x, uint64_t n, const char *text) {
    *x = (struct launched){.count = 0};
    launched_buffer(x, "x", i32, n);
    launched_buffer(x, "y", i32, n);
    launched_buffer(x, "r", i32, 4);
    launched_buffer(x, "f", f32, n);
    launched_buffer(x, "g", f32, n);
    launched_buffer(x, "c", i64, 1);
    launched_buffer(x, "v", u8, 3);
    launched_number(x, "n", u64, n);
    launched_number(x, "a", i32, 5);
    launched_number(x, "b", i8, (uint64_t)-3);
    launched_buffer(x, "h", bf16, n);
    for (uint64_t i = 0; i < n; i++)
        launched_put(x, X, i, i);
    str_append(&x->text, text);
}

static void expect_wrong(const char *text, const char *wanted) {
    struct launched x;
    struct str wrong = {0};
    begin(&x, 8, text);
    launched_run(&x, &wrong);
    if (!strstr(str_text(&wrong), wanted) || !*wanted)
        fail_msg("'%s', not '%s', of\n%s", str_text(&wrong), wanted, text);
    str_free(&wrong);
    launched_free(&x);
}

/* y, or r, holds these numbers afterwards. */
static void expect(const char *text, unsigned parameter, uint64_t n, unsigned count,
                   const int64_t *want) {
    for (unsigned pieces = 0; pieces < 2; pieces++) {
        struct launched x;
        struct str wrong = {0};
        begin(&x, n, text);
        x.in_pieces = pieces;
        launched_run(&x, &wrong);
        if (wrong.len)
            fail_msg("%s\n%s", wrong.text, text);
        for (unsigned i = 0; i < count; i++) {
            uint64_t got = launched_get(&x, parameter, i);
            if ((parameter == C ? (int64_t)got : (int32_t)got) != want[i])
                fail_msg("%u: 0x%lx, not %ld\n%s", i, (unsigned long)got, (long)want[i], text);
        }
        str_free(&wrong);
        launched_free(&x);
    }
}

#define EXPECT(text, parameter, n, ...)                                                            \
    do {                                                                                           \
        static const int64_t want[] = {__VA_ARGS__};                                               \
        expect("length n;\n" text, parameter, n, sizeof want / sizeof *want, want);                \
    } while (0)

static void test_patterns(void **state) {
    (void)state;
    EXPECT("map (in x, out y) { y[0] = x[0] * a + b; }", Y, 4, -3, 2, 7, 12);
    EXPECT("map (in x as p, out y as q) { *q = *p + 1; }", Y, 3, 1, 2, 3);
    EXPECT("map (inout x) { if (x[0] % 2) x[0] = -x[0]; } map (in x, out y) { y[0] = x[0]; }", Y, 4,
           0, -1, 2, -3);
    EXPECT("map (in x, out y, whole v[3]) { y[0] = i32(u32(v[x[0] % 3])) + 7; }", Y, 2, 7, 7);
    EXPECT("window 3 (in x, out y) { y[0] = x[0] + x[2]; }", Y, 5, 2, 4, 6, 0, 0);
    EXPECT("window 3 (in x tail r, out y) { y[0] = x[0] + x[2]; }", Y, 5, 2, 4, 6, 3, 4);
    EXPECT("group 2 (in x, out y) { y[0] = x[0] + x[1]; }", Y, 5, 1, 5, 0);
    EXPECT("window 2 group 2 (in x, out y) { y[0] = x[0] + x[3]; }", Y, 7, 3, 7, 0);
    EXPECT("window 2 group 3 (in x tail r, out y) { y[0] = x[0] + x[4]; }", Y, 7, 4, 3, 0);
    EXPECT("filter (in x, out y from x) { return x[0] & 1; }", Y, 6, 1, 3, 5, 0);
    EXPECT("filter (in x, out y, count c) { y[0] = 10 * x[0]; return x[0] > 2; }", C, 6, 3);
    EXPECT("group 2 filter (in x, out y from x) { return x[0] != 2; }", Y, 7, 0, 1, 4, 5, 0);
    EXPECT("group 2 filter (in x, out y from x, count r) { return x[0] != 2; }", R, 7, 2);
    EXPECT("window 2 filter (in x, out y from x) { if (x[1] % 3 == 0) return false; return true; }",
           Y, 7, 0, 1, 3, 4, 0);
    EXPECT("window 1 group 2 filter (in x, out y) { y[0] = x[2]; return x[0]; }", Y, 7, 4, 6, 0);
    EXPECT("reduce (in x, acc r[4]) { r[x[0] & 3] += x[0]; }", R, 8, 4, 6, 8, 10);
    EXPECT("reduce (in x, acc c = 100) { c[0] -= x[0]; }", C, 4, 94);
    EXPECT("filter (in x, out y from x) { return x[0] > 1; } reduce (in y, acc c) { c[0]++; }", C,
           9, 7);
    EXPECT("array t : i64; map (in x, out t) { t[0] = (i64)x[0] << 33; }\n"
           "reduce (in t, acc c) { c[0] |= t[0]; }",
           C, 4, (int64_t)3 << 33);
    EXPECT("map (in x, out y) { y[0] = 1; }", R, 0, 0);
}

static void test_bodies(void **state) {
    (void)state;
    EXPECT(
        "map (in x, out y) { for (int i = 0; i <= x[0]; i++) { if (i == 3) break; y[0] += i; } }",
        Y, 5, 0, 1, 3, 3, 3);
    EXPECT(
        "map (in x, out y) { int i = 9; do { i -= 2; if (i % 3 == 0) continue; y[0] += i; } while (i > x[0]); }",
        Y, 2, 12, 13);
    EXPECT("map (in x, out y) { i32 t[4] = {x[0], 2}; t[3] += t[0] + t[1]; y[0] = t[3] + t[2]; }",
           Y, 3, 2, 3, 4);
    EXPECT("const u8 s[] = {9, 8, 7}; const int k = 2 * 3;\n"
           "map (in x, out y) { y[0] = i32(u32(s[x[0] % 3])) + k; }",
           Y, 4, 15, 14, 13, 15);
    EXPECT("map (in x, out y) { u8 b = 250; b += (u8)x[0] * 3; y[0] = (int)(unsigned char)b; }", Y,
           4, 250, 253, 0, 3);
    EXPECT("map (in x, out y) { y[0] = (x[0] - 2) / (x[0] - 1); }", Y, 4, 2, -1, 0, 0);
    EXPECT("map (in x, out y) { y[0] = x[0] > 1 && 6 / x[0] > 2 ? 0x10 : -1; }", Y, 3, -1, -1, 16);
    EXPECT("map (in x, out y) { { int k = 3; y[0] = k; } int k = 4; y[0] += k; }", Y, 1, 7);
    EXPECT(
        "map (in x, out y) { unsigned long long k = 3ull; long int j = -1l; y[0] = (i32)k + (int)j; }",
        Y, 1, 2);
    EXPECT("map (in x, out y) { float z = x[0] * 0 > 1 ? 1.0f : 0.5; y[0] = (i32)(z * 5); }", Y, 1,
           2);
    EXPECT("map (in x, out y) { bool t = x[0] > 1; y[0] += t; y[0] += x[0] == 3; }", Y, 4, 0, 0, 1,
           2);
    EXPECT("map (in x, out y) { if (x[0]) if (x[0] > 1) y[0] = 2; else y[0] = 1; }", Y, 3, 0, 1, 2);
}

/* ---- order ---- */

static uint64_t folded(const char *text, bool descending, uint64_t threads[3]) {
    struct launched x;
    struct str wrong = {0};
    /* 2^24 and ones, which are lost one by one */
    static const float values[] = {16777216.0f, 1, 1, 1, 1, 1};
    begin(&x, 6, text);
    memcpy(x.buffers[F].bytes, values, sizeof values);
    x.descending = descending;
    launched_run(&x, &wrong);
    assert_string_equal(str_text(&wrong), "");
    uint64_t bits = launched_get(&x, G, 0);
    memcpy(threads, x.threads, sizeof x.threads);
    launched_free(&x);
    return bits;
}

static void test_order(void **state) {
    (void)state;
    static const char sum[] = "length n; reduce (in f, acc g = 0.0) { g[0] += f[0]; }";
    static const char most[] = "length n; reduce (in f, acc g) { g[0] = max(g[0], f[0]); }";
    static const char own[] = "length n; reduce (in f, acc g) { if (f[0] > g[0]) g[0] = f[0]; }"
                              "combine (o) { g[0] = max(g[0], o[0]); }";
    uint64_t threads[3];
    assert_int_equal(folded(sum, false, threads), 0x4b800000); /* 2^24 */
    assert_int_equal(threads[0], 0);                           /* two threads seem to write it */
    assert_int_equal(threads[1], 1);
    assert_int_equal(threads[2], 1);
    assert_int_equal(folded(sum, true, threads), 0x4b800002); /* 5 + 2^24, to nearest even */
    for (unsigned descending = 0; descending < 2; descending++) {
        assert_int_equal(folded(most, descending, threads), 0x4b800000);
        assert_int_equal(threads[0], 1);
        assert_int_equal(threads[1] + threads[2], 0);
        assert_int_equal(folded(own, descending, threads), 0x4b800000);
        assert_int_equal(threads[1], 1); /* nobody knows what `combine` does */
    }
}

/* ---- what a compiler finds in the tree ---- */

static struct stage_kernel *read(struct launched *x, struct kernel_decl *decl) {
    struct diag *d = diag_new(NULL, NULL);
    *decl = (struct kernel_decl){.name = "f",
                                 .form = "stage",
                                 .bytes = str_text(&x->text),
                                 .size = x->text.len,
                                 .parameters = x->parameters,
                                 .parameter_count = x->count};
    struct stage_kernel *k = stage_read(decl, "f", d);
    assert_non_null(k);
    diag_free(d);
    return k;
}

/* Laps of the first loop of a map's body; UINT64_MAX of one that does not count. */
static uint64_t laps(const char *body) {
    struct launched x;
    struct kernel_decl decl;
    struct str text = {0};
    str_printf(&text, "length n; map (in x, out y) { %s }", body);
    begin(&x, 4, text.text);
    struct stage_kernel *k = read(&x, &decl);
    const struct stage_stmt *s = k->stages->body->body;
    while (s->kind != STAGE_LOOP)
        s = s->next;
    uint64_t found = s->counted ? s->laps : UINT64_MAX;
    stage_free(k);
    str_free(&text);
    launched_free(&x);
    return found;
}

static void test_laps(void **state) {
    (void)state;
    assert_int_equal(laps("for (int i = 0; i < 10; i++) y[0]++;"), 10);
    assert_int_equal(laps("for (int i = 3; i <= 10; i += 3) y[0]++;"), 3);
    assert_int_equal(laps("for (u8 i = 255; i > 0; i -= 5) y[0]++;"), 51);
    assert_int_equal(laps("for (i8 i = -100; i != 100; i++) y[0]++;"), 200);
    assert_int_equal(laps("for (int i = 0; 8 > i; i = i + 1) y[0]++;"), 8);
    assert_int_equal(laps("for (int i = 9; i < 9; i++) y[0]++;"), 0);
    assert_int_equal(laps("for (int i = 0; i < a; i++) y[0]++;"), 0); /* of the launch */
    assert_int_equal(laps("for (int i = 0; i < 10; i++) if (x[0]) i++;"), UINT64_MAX);
    assert_int_equal(laps("int k = 9; for (int i = 0; i < k; i++) k--;"), UINT64_MAX);
    assert_int_equal(laps("for (int i = 0; i < (x[0] & 7); i++) y[0]++;"), 7);
}

static void test_tree(void **state) {
    (void)state;
    struct launched x;
    struct kernel_decl decl;
    begin(&x, 16,
          "length n; group 4 (in x, out y) { for (int i = 0; i < 4; i++) y[0] += x[i]; }\n"
          "reduce (in f, acc g, acc r = 9) { g[0] = min(g[0], f[0]); r[0] &= 6; }");
    struct stage_kernel *k = read(&x, &decl);
    const struct stage_stmt *loop = k->stages->body->body;
    const struct stage_expr *sum = loop->body->value;
    assert_int_equal(sum->kind, STAGE_BINARY);
    assert_int_equal(sum->args[1]->kind, STAGE_ELEMENT);
    assert_true(sum->args[1]->inside);
    assert_int_equal(sum->args[1]->args[0]->range.most, 3);
    assert_int_equal(k->stages->unit, 4);
    const struct stage_param *g = k->stages->next->params->next, *r = g->next;
    assert_int_equal(g->fold, STAGE_MIN);
    assert_int_equal(g->begin, 0x7fc00000); /* a NaN gives the other one */
    assert_false(g->unsettled);
    assert_int_equal(r->fold, STAGE_AND);
    assert_int_equal((int64_t)r->begin, -1);
    assert_int_equal(r->value, 9);
    assert_int_equal(k->lengths[k->arrays[Y]->length].unit, 4);
    stage_free(k);
    launched_free(&x);
}

static void test_identities(void **state) {
    (void)state;
    static const enum stage_op ops[] = {STAGE_ADD, STAGE_MUL, STAGE_AND, STAGE_OR,
                                        STAGE_XOR, STAGE_MIN, STAGE_MAX};
    const struct lane_type types[] = {i8, u8, i32, i64, u64, f32, bf16};
    static const uint64_t values[] = {0, 1, 0x80, 0x7f, UINT64_MAX, 0x80000000, 0x8000, 0x3f800000};
    for (unsigned t = 0; t < sizeof types / sizeof *types; t++)
        for (unsigned o = 0; o < sizeof ops / sizeof *ops; o++)
            for (unsigned v = 0; v < sizeof values / sizeof *values; v++) {
                uint64_t value = stage_normal(types[t], values[v]);
                bool is_float = object_type_is_float(types[t]);
                bool bits = ops[o] == STAGE_AND || ops[o] == STAGE_OR || ops[o] == STAGE_XOR;
                if (is_float && (bits || ieee_is_nan(object_type_format(types[t]), value)))
                    continue;
                uint64_t one = stage_identity(ops[o], types[t]);
                assert_int_equal(stage_binary(ops[o], types[t], one, value), value);
                assert_int_equal(stage_binary(ops[o], types[t], value, one), value);
            }
}

static void test_units(void **state) {
    (void)state;
    assert_int_equal(stage_units(10, 1, 0), 10);
    assert_int_equal(stage_units(10, 1, 2), 8);
    assert_int_equal(stage_units(10, 4, 0), 2);
    assert_int_equal(stage_units(10, 4, 3), 1);
    assert_int_equal(stage_units(11, 4, 3), 2);
    assert_int_equal(stage_units(0, 3, 5), 0);
    assert_int_equal(stage_units(UINT64_MAX, 1, 0), UINT64_MAX);
}

/* ---- messages ---- */

#define MAP(body)    "length n;\nmap (in x, out y) {\n" body "\n}"
#define REDUCE(body) "length n;\nreduce (in x, acc r) {\n" body "\n}"

static const char *const messages[][2] = {
    {"map (in x, out y) { y[0] = 1; }", "the text says no `length`"},
    {"length n;", "the text has no stage"},
    {"length n; length n; map (in x, out y) { }", "1:11: the length is said twice"},
    {"length nn; map (in x, out y) { }", "1:8: nothing is called 'nn' here; did you mean 'n'?"},
    {"length -3; map (in x, out y) { }", "the length is from 0 to"},
    {"length f; map (in x, out y) { }", "nothing is called 'f' here"},
    {"length n; mop (in x, out y) { }", "found `mop`; did you mean 'map'?"},
    {"length n; map (in z, out y) { }", "1:16: no array is called 'z'"},
    {"length n; map (in xx, out y) { }", "did you mean 'x'?"},
    {"length n; map (in x, out y) { y[0] = 1;", "1:29: the body that begins here is not closed"},
    {"length n; map (in x, out y) { /* }", "the comment is not closed"},
    {"length n; map (in x, out y) { y[0] = $; }", "`$` has no meaning here"},
    {"length n; map (in x, out y) { y[0] = 1 }", "expected `;`, found `}`"},
    {"length n; map (in x, x) { }", "expected `in`, `out`, `inout`, `whole`, `acc` or `count`"},
    {"length n; array x : i32; map (in x, out y) { }", "'x' is declared twice"},
    {"length n; array t : i32; map (in t, out y) { }", "no stage before this one has written 't'"},
    {"length n; map (out y) { y[0] = 1; }", "nothing goes into this stage"},
    {"length n; map (in x) { }", "nothing comes of this stage"},
    {"length n; reduce (in x, out y) { }", "a reduce gathers in `acc`"},
    {"length n; map (in x, acc r) { r[0]++; }", "an accumulator is a reduce's"},
    {"length n; map (in x, count c, out y) { }", "only a filter counts"},
    {"length n; filter (in x, count v) { return true; }",
     "a count is an integer of at least 32 bits"},
    {"length n; filter (in x) { return true; }", "nothing comes of this stage"},
    {"length n; filter (in x, out y from f) { return true; }",
     "nothing that goes in is called 'f'"},
    {"length n; filter (in x, in f, out y from f) { return true; }", "have not the same type"},
    {"length n; filter (in x, out y from x) { if (x[0]) return true; }",
     "may end without `return`"},
    {"length n; filter (in x, out y from x) { y[0] = 1; return true; }",
     "nothing is called 'y' here"},
    {"length n; filter (in x, out y from x) { return; }", "a filter returns whether"},
    {MAP("return 1;"), "only a filter returns a value"},
    {"length n; map (in x, in x as z, out y) { }", "a stage names 'x' twice"},
    {"length n; map (in x, out y) { } map (in x, out y) { }", "'y' is read or written already"},
    {"length n; map (in x tail r, out y) { }", "a tail is of a window"},
    {"length n; window 2 (in x tail v, out y) { }", "'x' and its tail have not the same type"},
    {"length n; window 2 (in x tail r, in f, out y) { }", "has a tail, or none of it"},
    {"length n; window 0 (in x, out y) { }", "a window is from 1 to"},
    {"length n; window n (in x, out y) { }", "a window is a constant integer"},
    {"length n; group 2 (in x, inout y) { }", "`inout` is an array of a map"},
    {"length n; group 2 (in x, out y) { } map (in x, in y, out g) { }",
     "'y' and 'x' have not the same length"},
    {"length n; filter (in x, out y from x) { return true; } map (in y, out g) { }",
     "what a filter has kept goes into filters and reductions alone; 'y' is written here"},
    {"length n; reduce (in x, acc r) { r[0]++; } map (in r, out y) { }",
     "'r' is gathered, and known when the kernel has ended"},
    {"length n; map (in x, whole x[3], out y) { }", "a stage names 'x' twice"},
    {"length n; map (in x, out y) { } map (in f, whole x[3], out g) { }",
     "'x' would lie in two ways"},
    {"length n; array t : i32; map (in x, whole t[3], out y) { }", "'t' is no buffer"},
    {"length n; reduce (in x, acc r = a) { r[0]++; }", "what 'r' begins with is a constant"},
    {"length n; reduce (in x, acc r) { }", "the body gathers nothing in 'r'"},
    {REDUCE("r[0] = x[0];"), "say how with `combine`"},
    {REDUCE("r[0] += x[0]; r[0] *= 2;"), "say how with `combine`"},
    {REDUCE("if (r[0] < 9) r[0] += x[0];"), "say how with `combine`"},
    {REDUCE("r[0] += r[0];"), "say how with `combine`"},
    {REDUCE("r[0] = x[0] - r[0];"), "say how with `combine`"},
    {REDUCE("r[0]++;") "combine () { }", "expected a name"},
    {REDUCE("r[0]++;") "combine (p, q) { }", "names more than there are"},
    {REDUCE("r[0]++;") "combine (p) { p[0] = 1; }", "'p' is only read here"},
    {REDUCE("r[0]++;") "combine (p) { r[0] = x[0]; }", "nothing is called 'x' here"},
    {MAP("y[0] = 1;") "combine (p) { }", "`combine` is a reduce's"},
    {MAP("int y = 1;"), "3:5: 'y' is declared twice"},
    {MAP("y = 1;"), "'y' is an array"},
    {MAP("a = 1;"), "'a' is not changed by a body"},
    {MAP("a[0] = 1;"), "'a' is a number"},
    {MAP("x[0] = 1;"), "'x' is only read here: `inout`"},
    {MAP("const i32 k = 1; k = 2;"), "'k' is not changed"},
    {MAP("const i32 k[2] = {1, 2}; k[x[0]] = 2;"), "'k' is only read"},
    {MAP("const i32 k[2] = {1, x[0]};"), "the elements of 'k' are constants"},
    {MAP("i32 k[1] = {1, 2};"), "'k' has fewer elements"},
    {MAP("i32 k[0];"), "the number of elements is from 1 to"},
    {MAP("i32 k[x[0]];"), "the number of elements is a constant"},
    {MAP("i32 k[];"), "needs a number of elements"},
    {MAP("const i32 k;"), "a constant has a value"},
    {"length n; const i32 k = a; map (in x, out y) { }", "'k' is no constant"},
    {MAP("y[0] = z;"), "nothing is called 'z' here"},
    {MAP("y[0] = x[0] + f[0];"), "nothing is called 'f' here"},
    {MAP("y[0] = 5000000000;"), "5000000000 is no number of type i32"},
    {MAP("u8 k = 256;"), "256 is no number of type u8"},
    {MAP("u8 k = -1;"), "-1 is no number of type u8"},
    {MAP("y[0] = 99999999999999999999;"), "this is no number"},
    {MAP("y[0] = 12ab;"), "this is no number"},
    {MAP("y[0] = 0777;"), "numbers that begin with 0 have base 8 in C"},
    {MAP("y[0] = 08;"), "numbers that begin with 0 have base 8 in C"},
    {MAP("f32 k = 16777217;"), "16777217 is no number of type f32"},
    {MAP("f16 k = 1e9;"), "'1e9' is no number of type f16"},
    {MAP("f32 k = 0.5; y[0] = k;"), "a value of type f32 becomes no i32 by itself: write (i32)"},
    {MAP("if (0.5f) y[0] = 1;"), "a float is no condition"},
    {MAP("y[0] = x[0] % 2.0f;"), "f32"},
    {MAP("f32 k = 1.0; k = k % 2.0;"), "there is no `%` of type f32"},
    {MAP("bool k = x[0] > 1; y[0] = k + k;"), "there is no `+` of type bool"},
    {MAP("y[0] = sqrt(x[0]);"), "there is no `sqrt` of type i32"},
    {MAP("y[0] = min(x[0]);"), "`min` takes two values"},
    {MAP("y[0] = mix(x[0], 1);"), "did you mean 'min'?"},
    {MAP("y[0] = x[0.5];"), "an index is an integer"},
    {MAP("y[0] = x[18446744073709551615];"), "nothing has this many elements"},
    {MAP("y[0] = &x;"), "nothing has an address"},
    {MAP("y[0] = (x + 1)[0];"), "only what has a name has elements"},
    {MAP("(x[0] + 1) = 2;"), "this is no place that can be assigned to"},
    {MAP("x[0];"), "nothing comes of this value"},
    {MAP("break;"), "there is no loop around this"},
    {MAP("goto end;"), "`goto` is C that bodies are not written in"},
    {MAP("int float k = 1;"), "a value has one type"},
    {MAP("while (a > 3) y[0]++;"), "nothing in this loop changes"},
    {MAP("for (;;) { int k = 0; while (1) { break; } }"), "nothing ends this loop"},
    {MAP("for (u8 k = 200; k < 250; k += 100) y[0]++;"), "never comes to its end"},
    {MAP("for (int k = 5; k != 3; k++) y[0]++;"), "never comes to its end"},
    {MAP("for (int k = 0; k < 5000000; k++) y[0]++;"), "this loop has 5000000 iterations"},
    {"length 9;" MAP(""), "the length is said twice"},
    {"length 9; map (in x, out y) { y[0] = x[0]; }", "stops at 1: element 8: 'x' has no element 8"},
    {"length n; window 2 (in v, out y) { y[0] = 1; }\nreduce (in y, acc r[4]) { r[y[0] * 4]++; }",
     "index 4 is outside of 'r', of which 4 elements"},
};

static void test_messages(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++)
        expect_wrong(messages[i][0], messages[i][1]);
}

/* Deep nesting ends in a message, whatever nests. */
static void test_depth(void **state) {
    (void)state;
    static const char *const nests[][3] = {
        {"y[0] = ", "(", "nested too deep"},     {"y[0] = ", "- ", "nested too deep"},
        {"y[0] = ", "1 ? ", "nested too deep"},  {"", "{", "blocks stand in each other"},
        {"", "if (x[0]) ", "nested too deep"},   {"y[0] = ", "x[", "nested too deep"},
        {"y[0] = ", "(i32)", "nested too deep"}, {"", "do ", "nested too deep"}};
    for (size_t i = 0; i < sizeof nests / sizeof *nests; i++) {
        struct str text = {0};
        str_printf(&text, "length n; map (in x, out y) { %s", nests[i][0]);
        for (unsigned k = 0; k < 30000; k++)
            str_append(&text, nests[i][1]);
        expect_wrong(text.text, nests[i][2]);
        str_free(&text);
    }
}

static void test_limits(void **state) {
    (void)state;
    struct launched x;
    struct str wrong = {0};
    begin(&x, 8, "length n; map (in x, out y) { int k = 9; while (k) { k = 1; } }");
    x.most_steps = 5000;
    launched_run(&x, &wrong);
    assert_string_equal(str_text(&wrong), "stops at 0: "); /* told to: nothing to say */
    launched_free(&x);
    str_clear(&wrong);
    begin(&x, 8, "length b; map (in x, out y) { y[0] = 1; }");
    launched_run(&x, &wrong);
    assert_string_equal(str_text(&wrong), "stops at 0: the length is -3");
    launched_free(&x);
    str_clear(&wrong);
    begin(&x, 8, "length 4611686018427387904; array t : i64; map (in x, out t) { t[0] = 1; }");
    launched_run(&x, &wrong);
    assert_non_null(strstr(wrong.text, "'t' takes"));
    launched_free(&x);
    str_clear(&wrong);
    begin(&x, 8, "length 8; map (in x, out y) { y[0] = 1; }");
    uint64_t near = x.buffers[X].address + 4;
    memcpy(x.arguments + 8, &near, sizeof near);
    launched_run(&x, &wrong);
    assert_string_equal(str_text(&wrong),
                        "stops at 0: 'x' and 'y' overlap in memory, and the kernel writes there: "
                        "it works on 32 and 32 bytes of them");
    launched_free(&x);
    str_free(&wrong);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns), cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_order),    cmocka_unit_test(test_laps),
        cmocka_unit_test(test_tree),     cmocka_unit_test(test_identities),
        cmocka_unit_test(test_units),    cmocka_unit_test(test_messages),
        cmocka_unit_test(test_depth),    cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
