/* SPDX-License-Identifier: MIT
 * What single operations of kernels in Python cost: the table of docs/numpy-guide.md. */
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

static const char *const names[] = {"racer", "mimdram", "duality-cache"};
enum { TARGETS = 3 };
static mpu_target *targets[TARGETS];

static const char *text_of(mpu_error *e) {
    return e ? mpu_error_text(e) : "no message";
}

static mpu_program *compile(const char *parameters, const char *expression) {
    static const char path[] = "test_np_costs.py";
    mpu_error *e = NULL;
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f,
            "from __future__ import annotations\nimport numpy as np\nN = 65536\n"
            "T = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3], dtype=np.uint8)\n\n"
            "def kernel(%s):\n    z = %s\n    return z\n",
            parameters, expression);
    fclose(f);
    mpu_program *p = mpu_program_load_file(path, &e);
    remove(path);
    if (!p)
        fail_msg("%s: %s", expression, text_of(e));
    return p;
}

/* With everything in place: what the host could finish is the machine's here. */
static void run(const mpu_program *p, const mpu_target *t, const char *what, struct str *row) {
    const mpu_config config = {.size = sizeof config, .finish = "device"};
    mpu_error *e = NULL;
    uint64_t ps = 0, fj = 0;
    mpu_session *s = mpu_session_new(p, t, &config, &e);
    for (size_t i = 0; s && i < mpu_program_variable_count(p); i++)
        if (mpu_program_variable_use(p, i) & MPU_IN)
            mpu_session_put_data(s, mpu_program_variable_name(p, i), "zeros", NULL, NULL);
    if (!s || mpu_session_run(s, &e) != MPU_OK ||
        mpu_session_figure(s, "total.time_ps", &ps) != MPU_OK ||
        mpu_session_figure(s, "total.energy_fj", &fj) != MPU_OK)
        fail_msg("%s: %s", what, text_of(e));
    mpu_session_free(s);
    str_printf(row, " %" PRIu64 ".%02u | %" PRIu64 ".%02u |", ps / 1000000,
               (unsigned)(ps / 10000 % 100), fj / 1000000000, (unsigned)(fj / 10000000 % 100));
}

static void page_is_fresh(void **state) {
    struct str table = {0};
    (void)state;
    str_append(&table, "| of 65,536 elements | racer, us | uJ | mimdram, us | uJ | duality-cache, "
                       "us | uJ |\n|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        mpu_program *p = compile(operations[i].parameters, operations[i].expression);
        str_printf(&table, "| `%s`, %s |", operations[i].expression, operations[i].parameters);
        for (size_t t = 0; t < TARGETS; t++)
            run(p, targets[t], operations[i].expression, &table);
        str_append(&table, "\n");
        mpu_program_free(p);
    }
    page_check(MPU_SOURCE_DIR "/docs/numpy-guide.md", "costs", &table, "test_np_costs");
    str_free(&table);
}

int main(void) {
    for (size_t t = 0; t < TARGETS; t++)
        targets[t] = mpu_target_open(names[t], NULL, NULL);
    const struct CMUnitTest tests[] = {cmocka_unit_test(page_is_fresh)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (size_t t = 0; t < TARGETS; t++)
        mpu_target_close(targets[t]);
    return failed;
}
