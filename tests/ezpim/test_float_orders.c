/* SPDX-License-Identifier: MIT
 * Sums, products, scans, sorts and matrix products of floating point against plain C that follows
 * the orders that docs/ezpim.md states, to the last bit, on targets and MPUs that lay elements out
 * differently. */
#include "ezpim/ir/ir.h"
#include "support/ieee.h"
#include "tests/ezpim/build.h"
#include "tests/ezpim/expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- what is expected ---- */

typedef uint64_t operation(struct ieee_format format, uint64_t left, uint64_t right);

struct format {
    const char *name;
    mpu_type type;
    struct ieee_format format;
};
static const struct format half = {"f16", MPU_F16, {5, 10, false, IEEE_NEAREST}};
static const struct format single = {"f32", MPU_F32, {8, 23, false, IEEE_NEAREST}};
static const struct format brain = {"bf16", MPU_BF16, {8, 7, false, IEEE_NEAREST}};

/* A line of elements. */
struct line {
    uint64_t v[2048];
    uint32_t n;
};

/* Elements 2i and 2i + 1 become element i. */
static uint64_t in_pairs(struct ieee_format format, operation *op, struct line line) {
    for (; line.n > 1; line.n = (line.n + 1) / 2)
        for (uint32_t i = 0; i < line.n; i += 2)
            line.v[i / 2] = i + 1 < line.n ? op(format, line.v[i], line.v[i + 1]) : line.v[i];
    return line.v[0];
}

/* Each takes in the one 1, 2, 4 .. before it. */
static void scanned(struct ieee_format format, operation *op, struct line *line) {
    for (uint32_t distance = 1; distance < line->n; distance *= 2)
        for (uint32_t i = line->n; i-- > distance;)
            line->v[i] = op(format, line->v[i - distance], line->v[i]);
}

static uint32_t best(struct ieee_format format, const struct line *line, bool most) {
    uint32_t found = 0;
    for (uint32_t i = 1; i < line->n; i++) {
        uint64_t x = line->v[most ? found : i], y = line->v[most ? i : found];
        if (ieee_less(format, x, y) ||
            (ieee_is_nan(format, line->v[found]) && !ieee_is_nan(format, line->v[i])))
            found = i;
    }
    return found;
}

/* -0 in front of +0, what is no number last. */
static bool is_before(struct ieee_format format, uint64_t left, uint64_t right) {
    if (ieee_is_nan(format, left) || ieee_is_nan(format, right))
        return !ieee_is_nan(format, left);
    return ieee_less(format, left, right) ||
           (ieee_equal(format, left, right) && left > right); /* the sign of a zero */
}

static void sorted(struct ieee_format format, struct line *line) {
    for (uint32_t i = 1; i < line->n; i++)
        for (uint32_t k = i; k > 0 && is_before(format, line->v[k], line->v[k - 1]); k--) {
            uint64_t t = line->v[k];
            line->v[k] = line->v[k - 1];
            line->v[k - 1] = t;
        }
}

/* ---- running ---- */

static unsigned bytes_of(const struct format *format) {
    return ieee_width(format->format) / 8;
}

static uint64_t element(const void *data, unsigned bytes, uint64_t i) {
    uint64_t value = 0;
    memcpy(&value, (const char *)data + bytes * i, bytes);
    return value;
}

/* An input or an output. */
struct array {
    const char *name;
    uint32_t ndim;
    uint64_t shape[3], count;
    uint8_t data[8 * 2048];
};

static void fill(struct rng *rng, const struct format *format, struct array *array) {
    struct ieee_format f = format->format;
    const uint64_t special[] = {0, ieee_sign_bit(f), ieee_infinity(f, false), ieee_nan(f), 1};
    array->count = 1;
    for (uint32_t d = 0; d < array->ndim; d++)
        array->count *= array->shape[d];
    bool plain = rng_below(rng, 2);
    for (uint64_t i = 0; i < array->count; i++) {
        uint64_t x = ieee_convert(ieee_binary(64), f,
                                  (rng_next(rng) & 0x800fffffffffffff) |
                                      (uint64_t)(0x3f8 + rng_below(rng, 12)) << 52);
        if (!plain && !rng_below(rng, 16))
            x = special[rng_below(rng, 5)];
        memcpy(array->data + bytes_of(format) * i, &x, bytes_of(format));
    }
}

static mpu_session *run(const mpu_program *program, mpu_target *target, const struct format *format,
                        const struct array *inputs, size_t count) {
    mpu_error *e = NULL;
    mpu_session *s = mpu_session_new(program, target, NULL, &e);
    if (!s)
        fail_with("session", e);
    for (size_t k = 0; k < count; k++) {
        mpu_array a = {.type = format->type,
                       .ndim = inputs[k].ndim,
                       .data = (void *)(uintptr_t)inputs[k].data};
        for (uint32_t d = 0; d < a.ndim; d++)
            a.shape[d] = inputs[k].shape[d];
        if (mpu_session_put(s, inputs[k].name, &a, &e) != MPU_OK)
            fail_with("put", e);
    }
    if (mpu_session_run(s, &e) != MPU_OK)
        fail_with("run", e);
    return s;
}

static mpu_array get(mpu_session *s, const char *name) {
    mpu_error *e = NULL;
    mpu_array a;
    if (mpu_session_get(s, name, &a, &e) != MPU_OK)
        fail_with(name, e);
    return a;
}

static void expect_number(const struct format *format, const mpu_array *array, uint64_t i,
                          uint64_t want, const char *what) {
    uint64_t got = element(array->data, bytes_of(format), i);
    if (got != want && !(ieee_is_nan(format->format, got) && ieee_is_nan(format->format, want)))
        fail_msg("%s[%llu] of %s is 0x%llx, not 0x%llx", what, (unsigned long long)i, format->name,
                 (unsigned long long)got, (unsigned long long)want);
}

/* ---- along a dimension ---- */

/* A group, of sizes or of numbers, and a dimension; axis ndim: all elements. */
struct shape_case {
    const struct format *format;
    uint32_t ndim, axis;
    uint64_t shape[3];
    enum { NUMBERS, SIZES, SIZES_WITHOUT_BOUND } extents;
};

static void put_group(struct str *s, const struct shape_case *c, const char *name,
                      uint32_t without) {
    const char *before = "[";
    str_printf(s, "group %s", name);
    for (uint32_t d = 0; d < c->ndim; d++) {
        if (d == without)
            continue;
        if (c->extents)
            str_printf(s, "%sn%u", before, d);
        else
            str_printf(s, "%s%u", before, (unsigned)c->shape[d]);
        before = ", ";
    }
    str_append(s, before[0] == '[' ? "[1];\n" : "];\n");
}

/* `declared` and `statements` have %T for the type, %D for the dimension as a further argument. */
static void put_text(struct str *s, const struct shape_case *c, const char *text) {
    for (; *text; text++) {
        if (*text != '%') {
            str_char(s, *text);
        } else if (*++text == 'T') {
            str_append(s, c->format->name);
        } else if (c->axis < c->ndim) {
            str_printf(s, ", %u", c->axis);
        }
    }
}

static mpu_program *build(const struct shape_case *c, const char *text, int level) {
    struct str s = {0};
    for (uint32_t d = 0; d < c->ndim && c->extents; d++)
        if (c->extents == SIZES_WITHOUT_BOUND)
            str_printf(&s, "size n%u;\n", d);
        else
            str_printf(&s, "size n%u <= %u;\n", d, c->ndim == 1 ? 2048 : 64);
    put_group(&s, c, "g", c->ndim);
    if (c->axis < c->ndim)
        put_group(&s, c, "h", c->axis);
    put_text(&s, c, text);
    mpu_program *p = build_program(str_text(&s), level);
    str_free(&s);
    return p;
}

static uint64_t inner_of(const struct shape_case *c) {
    uint64_t n = 1;
    for (uint32_t d = c->axis + 1; d < c->ndim; d++)
        n *= c->shape[d];
    return n;
}

/* Where the elements of line `number` begin, and how far apart they are. */
static uint64_t first_of(const struct shape_case *c, uint64_t number, uint64_t *step) {
    if (c->axis == c->ndim) {
        *step = 1;
        return 0;
    }
    *step = inner_of(c);
    return number / *step * *step * c->shape[c->axis] + number % *step;
}

static struct line line_of(const struct shape_case *c, const struct array *x, uint64_t number) {
    struct line l = {.n = (uint32_t)(c->axis == c->ndim ? x->count : c->shape[c->axis])};
    uint64_t step, first = first_of(c, number, &step);
    for (uint32_t i = 0; i < l.n; i++)
        l.v[i] = element(x->data, bytes_of(c->format), first + step * i);
    return l;
}

static uint64_t lines_of(const struct shape_case *c, const struct array *x) {
    return c->axis == c->ndim ? 1 : x->count / c->shape[c->axis];
}

typedef void expectation(const struct shape_case *c, const struct array *x, mpu_session *s);

static void expect_lines(const struct shape_case *c, const mpu_array *a, uint64_t number,
                         const struct line *line, const char *what) {
    uint64_t step, first = first_of(c, number, &step);
    for (uint32_t i = 0; i < line->n; i++)
        expect_number(c->format, a, first + step * i, line->v[i], what);
}

static void expect_sums(const struct shape_case *c, const struct array *x, mpu_session *s) {
    mpu_array sum = get(s, "s"), product = get(s, "p");
    for (uint64_t i = 0; i < lines_of(c, x); i++) {
        struct line l = line_of(c, x, i);
        expect_number(c->format, &sum, i, in_pairs(c->format->format, ieee_add, l), "sum");
        expect_number(c->format, &product, i, in_pairs(c->format->format, ieee_mul, l), "prod");
    }
    mpu_array_free(&sum);
    mpu_array_free(&product);
}

static void expect_ends(const struct shape_case *c, const struct array *x, mpu_session *s) {
    mpu_array least = get(s, "lo"), most = get(s, "hi"), first = get(s, "i"), last = get(s, "k");
    struct ieee_format f = c->format->format;
    for (uint64_t i = 0; i < lines_of(c, x); i++) {
        struct line l = line_of(c, x, i);
        expect_number(c->format, &least, i, in_pairs(f, ieee_min, l), "min");
        expect_number(c->format, &most, i, in_pairs(f, ieee_max, l), "max");
        assert_int_equal(element(first.data, 8, i), best(f, &l, false));
        assert_int_equal(element(last.data, 8, i), best(f, &l, true));
    }
    mpu_array_free(&least);
    mpu_array_free(&most);
    mpu_array_free(&first);
    mpu_array_free(&last);
}

static void expect_scans(const struct shape_case *c, const struct array *x, mpu_session *s) {
    mpu_array up_to = get(s, "y"), before = get(s, "z"), highest = get(s, "w");
    struct ieee_format f = c->format->format;
    for (uint64_t i = 0; i < lines_of(c, x); i++) {
        struct line l = line_of(c, x, i), m = l;
        scanned(f, ieee_add, &l);
        expect_lines(c, &up_to, i, &l, "scan");
        memmove(l.v + 1, l.v, (l.n - 1) * sizeof *l.v);
        l.v[0] = ieee_sign_bit(f);
        expect_lines(c, &before, i, &l, "exclusive scan");
        scanned(f, ieee_max, &m);
        expect_lines(c, &highest, i, &m, "scan by max");
    }
    mpu_array_free(&up_to);
    mpu_array_free(&before);
    mpu_array_free(&highest);
}

static void expect_sorted(const struct shape_case *c, const struct array *x, mpu_session *s) {
    mpu_array y = get(s, "y");
    for (uint64_t i = 0; i < lines_of(c, x); i++) {
        struct line l = line_of(c, x, i);
        sorted(c->format->format, &l);
        expect_lines(c, &y, i, &l, "sort");
    }
    mpu_array_free(&y);
}

/* Of all elements and along a dimension. */
static const struct program {
    const char *all, *along;
    expectation *expects;
} programs[] = {
    {"in x: %T @ g;\nout s, p: %T;\nmain { s = sum(x); p = prod(x); }\n",
     "in x: %T @ g;\nout s, p: %T @ h;\nmain { s = sum(x%D); p = prod(x%D); }\n", expect_sums},
    {"in x: %T @ g;\nout lo, hi: %T;\nout i, k: u64;\n"
     "main { lo = min(x); hi = max(x); i = argmin(x); k = argmax(x); }\n",
     "in x: %T @ g;\nout lo, hi: %T @ h;\nout i, k: u64 @ h;\n"
     "main { lo = min(x%D); hi = max(x%D); i = argmin(x%D); k = argmax(x%D); }\n",
     expect_ends},
    {"in x: %T @ g;\nout y, z, w: %T @ g;\n"
     "main { y = scan(x); z = scan(x, exclusive); w = scan(x, max); }\n",
     "in x: %T @ g;\nout y, z, w: %T @ g;\n"
     "main { y = scan(x%D); z = scan(x%D, exclusive); w = scan(x, max%D); }\n",
     expect_scans},
    {"in x: %T @ g;\nout y: %T @ g;\nmain { y = sort(x); }\n",
     "in x: %T @ g;\nout y: %T @ g;\nmain { y = sort(x%D); }\n", expect_sorted},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

static void try_case(struct rng *rng, const struct shape_case *c, mpu_target **targets,
                     size_t target_count, int level) {
    struct array x = {
        .name = "x", .ndim = c->ndim, .shape = {c->shape[0], c->shape[1], c->shape[2]}};
    fill(rng, c->format, &x);
    size_t count = c->extents == SIZES_WITHOUT_BOUND ? PROGRAMS - 1 : PROGRAMS; /* no sort */
    for (size_t k = 0; k < count; k++) {
        mpu_program *p = build(c, c->axis == c->ndim ? programs[k].all : programs[k].along, level);
        for (size_t t = 0; t < target_count; t++) {
            mpu_session *s = run(p, targets[t], c->format, &x, 1);
            programs[k].expects(c, &x, s);
            mpu_session_free(s);
        }
        mpu_program_free(p);
    }
}

static const char *const names[] = {"golden", "racer", "mimdram", "duality-cache"};
enum { TARGETS = sizeof names / sizeof *names };

static void open_targets(mpu_target **targets) {
    for (size_t i = 0; i < TARGETS; i++) {
        mpu_error *e = NULL;
        targets[i] = mpu_target_open(names[i], NULL, &e);
        if (!targets[i])
            fail_with(names[i], e);
    }
}

static void close_targets(mpu_target **targets) {
    for (size_t i = 0; i < TARGETS; i++)
        mpu_target_close(targets[i]);
}

static void on_golden(void **state) {
    (void)state;
    static const struct {
        uint32_t ndim;
        uint64_t shape[3];
    } shapes[] = {{1, {1}},    {1, {2}},     {1, {7}},    {1, {64}},      {1, {1300}},
                  {2, {3, 5}}, {2, {17, 9}}, {2, {1, 8}}, {3, {5, 2, 19}}};
    mpu_target *targets[TARGETS];
    struct rng rng = {754};
    open_targets(targets);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (uint32_t axis = 0; axis <= shapes[i].ndim; axis++)
            for (int k = 0; k < 6; k++) {
                struct shape_case c = {k % 2 ? &single : &brain, shapes[i].ndim, axis, {0}, k / 2};
                memcpy(c.shape, shapes[i].shape, sizeof c.shape);
                try_case(&rng, &c, targets, 1, k % 3);
            }
    close_targets(targets);
}

/* Lanes of these hold other elements, and lines cross VRFs. */
static void on_machines(void **state) {
    (void)state;
    mpu_target *targets[TARGETS];
    struct rng rng = {20};
    open_targets(targets);
    for (int sizes = 0; sizes < 2; sizes++) {
        struct shape_case all = {&half, 1, 1, {150}, sizes}, along = {&half, 2, 1, {9, 11}, sizes};
        try_case(&rng, &all, targets, TARGETS, 1);
        try_case(&rng, &along, targets, TARGETS, 1);
        along.axis = 0;
        try_case(&rng, &along, targets, TARGETS, 1);
    }
    close_targets(targets);
}

/* ---- several MPUs ---- */

/* Elements of an MPU, then MPUs in their order, each next to each. */
static void over_mpus(void **state) {
    (void)state;
    mpu_target *targets[TARGETS];
    struct rng rng = {5};
    open_targets(targets);
    for (uint32_t mpus = 2; mpus < 8; mpus++) {
        struct array x = {.name = "x", .ndim = 2, .shape = {mpus, 9}};
        struct str text = {0};
        struct line l = {.n = mpus}, own = {.n = 9};
        str_printf(&text,
                   "mpus ring[%u];\ngroup g[9] on ring;\nin x: f32 @ g;\nout s: f32;\nout n: u64;\n"
                   "main on ring { s = sum(x); n = sum(u64(as_u32(x))); repeat (1) { n = n + 0; } "
                   "}\n",
                   mpus);
        fill(&rng, &single, &x);
        uint64_t bits = 0;
        for (uint32_t p = 0; p < mpus; p++) {
            for (uint32_t i = 0; i < 9; i++)
                own.v[i] = element(x.data, 4, 9 * p + i);
            for (uint32_t i = 0; i < 9; i++)
                bits += own.v[i];
            l.v[p] = in_pairs(single.format, ieee_add, own);
        }
        mpu_program *p = build_program(str_text(&text), 1);
        mpu_session *s = run(p, targets[0], &single, &x, 1);
        mpu_array sum = get(s, "s"), n = get(s, "n");
        expect_number(&single, &sum, 0, in_pairs(single.format, ieee_add, l), "sum over MPUs");
        assert_int_equal(element(n.data, 8, 0), bits);
        mpu_array_free(&sum);
        mpu_array_free(&n);
        mpu_session_free(s);
        mpu_program_free(p);
        str_free(&text);
    }
    close_targets(targets);
}

/* ---- products of matrices ---- */

static uint32_t blocks_of(uint64_t rows, uint64_t factors, uint64_t columns) {
    uint32_t blocks = 1;
    while (2 * blocks <= factors && 2 * blocks * rows * columns <= 65536)
        blocks *= 2;
    return blocks;
}

static uint64_t expected_product(const struct array *a, const struct array *b, uint64_t i,
                                 uint64_t k, uint32_t blocks) {
    uint64_t factors = a->shape[1], columns = b->shape[1];
    struct line l = {.n = blocks};
    for (uint64_t f = 0; f < factors; f++) {
        uint64_t v = ieee_mul(half.format, element(a->data, 2, i * factors + f),
                              element(b->data, 2, f * columns + k));
        l.v[f % blocks] = f < blocks ? v : ieee_add(half.format, l.v[f % blocks], v);
    }
    return in_pairs(half.format, ieee_add, l);
}

static void try_product(struct rng *rng, uint64_t m, uint64_t k, uint64_t n, mpu_target **targets) {
    struct array in[] = {{.name = "a", .ndim = 2, .shape = {m, k}},
                         {.name = "b", .ndim = 2, .shape = {k, n}}};
    struct str text = {0};
    str_printf(&text,
               "group ga[%u, %u];\ngroup gb[%u, %u];\ngroup gc[%u, %u];\nin a: f16 @ ga;\n"
               "in b: f16 @ gb;\nout c: f16 @ gc;\nmain { c = product(a, b); }\n",
               (unsigned)m, (unsigned)k, (unsigned)k, (unsigned)n, (unsigned)m, (unsigned)n);
    fill(rng, &half, &in[0]);
    fill(rng, &half, &in[1]);
    mpu_program *p = build_program(str_text(&text), 1);
    for (size_t t = 0; t < TARGETS; t++) {
        mpu_session *s = run(p, targets[t], &half, in, 2);
        mpu_array c = get(s, "c");
        for (uint64_t i = 0; i < m * n; i++)
            expect_number(&half, &c, i,
                          expected_product(&in[0], &in[1], i / n, i % n, blocks_of(m, k, n)),
                          "product");
        mpu_array_free(&c);
        mpu_session_free(s);
    }
    mpu_program_free(p);
    str_free(&text);
}

static void products(void **state) {
    (void)state;
    mpu_target *targets[TARGETS];
    struct rng rng = {33};
    open_targets(targets);
    try_product(&rng, 1, 1, 1, targets);
    try_product(&rng, 3, 5, 4, targets);
    try_product(&rng, 4, 19, 3, targets);
    close_targets(targets);
}

/* A divisor that is a power of two makes a shift of the quotient of significands: what is left of
 * the dividend follows from it. */
static void known_divisors(void **state) {
    static const double divisors[] = {2, 1, -0.5, 1024, 3, 0x1p-20};
    double x[40], q[40];
    (void)state;
    mpu_target *t = mpu_target_open("upmem", NULL, NULL);
    assert_non_null(t);
    for (size_t i = 0; i < 40; i++)
        x[i] = (double)i * 1.37 - 11;
    for (size_t d = 0; d < sizeof divisors / sizeof *divisors; d++) {
        char text[200];
        mpu_error *e = NULL;
        mpu_array a = {.type = MPU_F64, .ndim = 1, .shape = {40}, .data = x}, got;
        const mpu_config config = {.size = sizeof config};
        snprintf(text, sizeof text,
                 "group g[40];\nin x: f64 @ g;\nout q: f64 @ g;\n"
                 "main { compute g { q = x / %a; } }\n",
                 divisors[d]);
        mpu_program *p = build_program(text, 1);
        mpu_session *s = mpu_session_new(p, t, &config, &e);
        if (!s || mpu_session_put(s, "x", &a, &e) != MPU_OK || mpu_session_run(s, &e) != MPU_OK ||
            mpu_session_get(s, "q", &got, &e) != MPU_OK)
            fail_with("a quotient", e);
        for (size_t i = 0; i < 40; i++)
            q[i] = x[i] / divisors[d];
        assert_memory_equal(got.data, q, sizeof q);
        mpu_array_free(&got);
        mpu_session_free(s);
        mpu_program_free(p);
    }
    mpu_target_close(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_golden), cmocka_unit_test(on_machines),    cmocka_unit_test(over_mpus),
        cmocka_unit_test(products),  cmocka_unit_test(known_divisors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
