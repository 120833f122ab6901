/* SPDX-License-Identifier: MIT
 * What single operations of kernels in Python cost: the table of docs/numpy-guide.md, and, of
 * names of NumPy, that of docs/from-numpy.md, where what the compiler refuses stands in another. */
#include "runtime/include/mpu/mpu.h"
#include "tests/examples/page.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *parameters, *expression;
} operations[] = {
    {"x: i8[N], y: i8[N]", "x + y"},
    {"x: i32[N], y: i32[N]", "x + y"},
    {"x: i64[N], y: i64[N]", "x + y"},
    {"x: i8[N], y: i8[N]", "x * y"},
    {"x: i32[N], y: i32[N]", "x * y"},
    {"x: i32[N]", "x * 10"},
    {"x: i32[N]", "x // 7"},
    {"x: i32[N]", "x >> 3"},
    {"x: i32[N], y: i32[N]", "x // y"},
    {"x: i32[N], y: i32[N]", "x > y"},
    {"c: bool[N], x: i32[N], y: i32[N]", "np.where(c, x, y)"},
    {"x: u8[N]", "T[x & 15]"},
    {"x: i32[N]", "x.reshape(256, 256).copy()"},
    {"x: i32[256, 256]", "x[:, :128].copy()"},
    {"x: i32[256, 256]", "x.T.copy()"},
    {"x: i32[N]", "np.roll(x, 1)"},
    {"x: i8[N]", "np.roll(x, 1)"},
    {"x: i32[N]", "x[::2].copy()"},
    {"x: i32[N], i: u16[N]", "x[i]"},
    {"x: i32[N]", "np.sum(x, dtype=np.int32)"},
    {"x: i32[256, 256]", "np.sum(x, axis=1, dtype=np.int32)"},
    {"x: i32[256, 256]", "np.sum(x, axis=0, dtype=np.int32)"},
    {"x: i32[N]", "np.argmax(x)"},
    {"x: i32[N]", "np.cumsum(x, dtype=np.int32)"},
    {"x: i32[256, 256]", "np.cumsum(x, axis=1, dtype=np.int32)"},
    {"x: i32[N]", "x[x > 3]"},
    {"x: i32[256, 256]", "np.sort(x)"},
    {"x: i32[256, 256], y: i32[256]", "x @ y"},
    {"x: f16[N], y: f16[N]", "x + y"},
    {"x: f32[N], y: f32[N]", "x + y"},
    {"x: f64[N], y: f64[N]", "x + y"},
    {"x: f16[N], y: f16[N]", "x * y"},
    {"x: f32[N], y: f32[N]", "x * y"},
    {"x: f32[N], y: f32[N]", "x / y"},
    {"x: f32[N]", "np.sqrt(x)"},
    {"x: f32[N], y: f32[N]", "x > y"},
    {"x: i32[N]", "x.astype(np.float32)"},
    {"x: f32[N]", "np.sum(x)"},
};

/* What users of NumPy look for: of its names and forms those that kernels have are measured, and
 * of the others the compiler's advice is taken down. */
static const char elements[] =
    "x: i32[N], y: i32[N], b: bool[N], f: f32[N], g: f32[N], w: i32[64, 64]";
static const struct {
    const char *part, *expressions[24];
} names[] = {
    {"arithmetic",
     {"x + y", "np.add(x, y)", "x - 1", "np.diff(x)", "x * y", "x * 10", "x // 7", "x % y",
      "x ** 3", "-x", "abs(x)", "np.sign(x)", "np.square(x)", "x & y", "x << 3", "x >> (y & 7)",
      "np.minimum(x, y)", "np.clip(x, 0, 255)", "x / y"}},
    {"truth and choice",
     {"x < y", "x == 7", "np.logical_and(x, y)", "~b", "np.where(x > y, x, y)",
      "np.where(b, 255, 0)", "np.select([x < 0, x < 9], [y, x], default=7)"}},
    {"types", {"x.astype(np.int8)", "x.astype(int)", "x.astype(np.float32)", "f.astype(np.int32)"}},
    {"floats", {"f + g", "f * g", "f / g", "np.sqrt(f)", "np.floor(f)", "np.isnan(f)", "f ** 3"}},
    {"new arrays",
     {"np.zeros(N)", "np.empty(N, dtype=int)", "np.full_like(x, 7)", "np.arange(N)",
      "np.array([1, 2, 3])", "np.frombuffer(b\"ABC\", dtype=np.uint8)"}},
    {"shape and order",
     {"x.reshape(64, 64).copy()", "x[1:].copy()", "x[::2].copy()", "x[::-1].copy()", "w.T.copy()",
      "np.roll(x, 1)", "np.roll(w, 1, axis=0)", "np.concatenate((x, y))",
      "np.stack((x, y), axis=1)", "np.hstack((x, y))", "np.vstack((x, y))", "np.pad(x, 1)"}},
    {"elements", {"x[5]", "x[x > 3]", "T[x & 15]", "x[y & 1023]", "np.take(x, y, mode=\"wrap\")"}},
    {"reductions",
     {"x.sum()", "np.sum(x, dtype=np.int32)", "w.sum(axis=0)", "w.sum(axis=1)", "x.prod()",
      "x.mean()", "x.min()", "np.any(b)", "np.count_nonzero(b)", "np.argmax(x)", "f.sum()",
      "np.cumsum(x)", "np.sort(x)"}},
    {"products", {"np.dot(x, y)", "w @ x[:64]", "np.outer(x[:64], y[:64])"}},
    {"lists",
     {"sum(k * x[k:k + 1000] for k in range(4))", "(lambda v: v * v)(x)",
      "np.array([x.min(), x.max()])", "x + ord('a')", "int(x.sum()) + 1 > N"}},
    {"not there",
     {"np.cbrt(f)", "f // g", "x ** y", "np.round(f)", "x.std()", "np.median(x)", "np.tile(x, 2)",
      "np.repeat(x, 2)", "np.pad(x, 1, \"edge\")", "np.nonzero(x)", "np.unique(x)", "np.argsort(x)",
      "np.bincount(x)", "np.convolve(x, [1, 2, 1])", "np.random.rand(N)", "x.tolist()", "np.eye(4)",
      "np.linspace(0, 1, 5)", "x[y]"}},
};
enum { PARTS = sizeof names / sizeof *names };

static const char *const target_names[] = {"racer", "mimdram", "duality-cache", "pypim"};
enum { TARGETS = 4, TARGETS_OF_GUIDE = 3 };
static mpu_target *targets[TARGETS];

static const char *text_of(mpu_error *e) {
    return e ? mpu_error_text(e) : "no message";
}

/* The first error of a sink, and its first note. */
struct refusal {
    char error[200], note[200];
};

static void take_down(void *context, const mpu_message *m) {
    struct refusal *r = context;
    if (mpu_message_severity(m) != MPU_ERROR || r->error[0])
        return;
    snprintf(r->error, sizeof r->error, "%s", mpu_message_text(m));
    if (mpu_message_note_count(m))
        snprintf(r->note, sizeof r->note, "%s", mpu_message_text(mpu_message_note(m, 0)));
}

/* NULL where kernels do not take the expression. */
static mpu_program *compile(unsigned long long count, const char *parameters,
                            const char *expression, const char *target, struct refusal *refusal) {
    mpu_error *e = NULL;
    struct str text = {0};
    mpu_messages *m = mpu_messages_new(take_down, refusal);
    mpu_source *s = mpu_source_new(m);
    *refusal = (struct refusal){{0}, {0}};
    str_printf(&text,
               "from __future__ import annotations\nimport numpy as np\nN = %llu\n"
               "T = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3], dtype=np.uint8)\n\n"
               "def kernel(%s):\n    z = %s\n    return z\n",
               count, parameters, expression);
    mpu_source_add_text(s, "kernel.py", str_text(&text), text.len);
    if (target)
        mpu_source_for_target(s, target);
    mpu_program *p = mpu_source_build(s, &e);
    mpu_messages_flush(m);
    if (e)
        mpu_error_free(e);
    mpu_source_free(s);
    mpu_messages_free(m);
    str_free(&text);
    return p;
}

/* With everything in place: what the host could finish is the machine's here.  False: the program
 * has no room there. */
static bool measure(const mpu_program *p, const mpu_target *t, const char *what, uint64_t *ps,
                    uint64_t *fj) {
    const mpu_config config = {.size = sizeof config, .finish = "device"};
    mpu_error *e = NULL;
    mpu_session *s = mpu_session_new(p, t, &config, &e);
    for (size_t i = 0; s && i < mpu_program_variable_count(p); i++)
        if (mpu_program_variable_use(p, i) & MPU_IN)
            mpu_session_put_data(s, mpu_program_variable_name(p, i), "zeros", NULL, NULL);
    bool runs = s && mpu_session_run(s, &e) == MPU_OK;
    if (!runs && !strstr(text_of(e), "columns"))
        fail_msg("%s: %s", what, text_of(e));
    if (runs && (mpu_session_figure(s, "total.time_ps", ps) != MPU_OK ||
                 mpu_session_figure(s, "total.energy_fj", fj) != MPU_OK))
        fail_msg("%s", what);
    mpu_session_free(s);
    if (e)
        mpu_error_free(e);
    return runs;
}

static void page_is_fresh(void **state) {
    struct str table = {0};
    (void)state;
    str_append(&table, "| of 65,536 elements | racer, us | uJ | mimdram, us | uJ | duality-cache, "
                       "us | uJ |\n|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        struct refusal refusal;
        mpu_program *p =
            compile(65536, operations[i].parameters, operations[i].expression, NULL, &refusal);
        if (!p)
            fail_msg("%s: %s", operations[i].expression, refusal.error);
        str_printf(&table, "| `%s`, %s |", operations[i].expression, operations[i].parameters);
        for (size_t t = 0; t < TARGETS_OF_GUIDE; t++) {
            uint64_t ps = 0, fj = 0;
            assert_true(measure(p, targets[t], operations[i].expression, &ps, &fj));
            str_printf(&table, " %" PRIu64 ".%02u | %" PRIu64 ".%02u |", ps / 1000000,
                       (unsigned)(ps / 10000 % 100), fj / 1000000000,
                       (unsigned)(fj / 10000000 % 100));
        }
        str_append(&table, "\n");
        mpu_program_free(p);
    }
    page_check(MPU_SOURCE_DIR "/docs/numpy-guide.md", "costs", &table, "test_np_costs");
    str_free(&table);
}

/* The parameters that the expression names. */
static void parameters_of(const char *expression, struct str *out) {
    const char *rest = elements;
    for (size_t n; *rest; rest += n) {
        const char *behind = strstr(rest, "], ");
        n = behind ? (size_t)(behind - rest) + 3 : strlen(rest);
        for (const char *at = strchr(expression, *rest); at; at = strchr(at + 1, *rest)) {
            bool begins = at == expression || strchr(" (-~[", at[-1]);
            if (!begins || !(at[1] == '\0' || strchr(" ,.)[]:", at[1])))
                continue;
            str_append(out, out->len ? ", " : "");
            str_append_n(out, rest, behind ? n - 2 : n);
            break;
        }
    }
    if (!out->len)
        str_append(out, "x: i32[N]");
}

/* A row of the one table or of the other. */
static void look_at(const char *part, const char *expression, struct str *there,
                    struct str *missing) {
    struct str parameters = {0};
    struct refusal refusal;
    parameters_of(expression, &parameters);
    mpu_program *p = compile(4096, str_text(&parameters), expression, "pypim", &refusal);
    if (p) {
        str_printf(there, "| %s | `%s` |", part, expression);
        for (size_t t = 0; t < TARGETS; t++) {
            uint64_t ps = 0, fj = 0;
            if (measure(p, targets[t], expression, &ps, &fj))
                str_printf(there, " %" PRIu64 ".%02u |", ps / 1000000,
                           (unsigned)(ps / 10000 % 100));
            else
                str_append(there, " no room |");
        }
        str_append(there, "\n");
    } else {
        str_printf(missing, "| `%s` | %s | %s |\n", expression, refusal.error,
                   refusal.note[0] ? refusal.note : "-");
    }
    mpu_program_free(p);
    str_free(&parameters);
}

static void names_are_fresh(void **state) {
    struct str there = {0}, missing = {0};
    (void)state;
    str_append(&there, "| | of 4,096 elements, us | racer | mimdram | duality-cache | pypim "
                       "|\n|---|---|---|---|---|---|\n");
    str_append(&missing, "| NumPy | what the compiler says | and its advice |\n|---|---|---|\n");
    for (size_t i = 0; i < PARTS; i++)
        for (size_t k = 0; k < sizeof names->expressions / sizeof *names->expressions; k++)
            if (names[i].expressions[k])
                look_at(names[i].part, names[i].expressions[k], &there, &missing);
    page_check(MPU_SOURCE_DIR "/docs/from-numpy.md", "there", &there, "test_np_costs");
    page_check(MPU_SOURCE_DIR "/docs/from-numpy.md", "not there", &missing, "test_np_costs");
    str_free(&there);
    str_free(&missing);
}

int main(void) {
    for (size_t t = 0; t < TARGETS; t++)
        targets[t] = mpu_target_open(target_names[t], NULL, NULL);
    const struct CMUnitTest tests[] = {cmocka_unit_test(page_is_fresh),
                                       cmocka_unit_test(names_are_fresh)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (size_t t = 0; t < TARGETS; t++)
        mpu_target_close(targets[t]);
    return failed;
}
