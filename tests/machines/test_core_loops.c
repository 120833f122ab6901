/* SPDX-License-Identifier: MIT
 * Loops, the toy form with an interpreter: random programs on the core beside golden, which is
 * beside itself on its own target; bytes that depend on the order of elements; and code that was
 * changed behind the text's back, which checking finds. */
#include "tests/draws.h"
#include "machines/golden/link/golden.h"
#include "runtime/include/mpu/mpu.h"
#include "support/str.h"
#include "tests/machines/core/core.h"
#include "tests/machines/loop/on.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PROGRAMS draws(DRAWS_MACHINES_CORE_LOOPS)
#define CORE     MPU_SOURCE_DIR "/tests/machines/core/core.yaml"

/* ---- the kinds: golden and a core whose code can be changed ---- */

/* Word `changed` of a kernel's code is another one, if there is one. */
static uint32_t changed = UINT32_MAX, changed_to;

static bool compile(const struct machine_library *l, const struct machine_launches *program,
                    const struct kernel_decl *decl, struct machine_kernel *out,
                    struct machine_kernel_fault *fault) {
    bool fine = loop_on_core.compile(l, program, decl, out, fault);
    for (unsigned b = 0; fine && b < 4 && 4 * (size_t)changed + b < out->code.len; b++)
        out->code.text[4 * changed + b] = (char)(changed_to >> 8 * b);
    return fine;
}

static const struct machine_form loop_changed = {.name = "loop",
                                                 .whole = true,
                                                 .takes = TAKES_GRID | TAKES_BLOCK,
                                                 .declare = golden_declare,
                                                 .compile = compile};
const struct machine_form *const core_forms[] = {&loop_changed, NULL};
static const struct machine_form loop_on_golden = GOLDEN_FORM("loop");
const struct machine_form *const golden_forms[] = {&loop_on_golden, NULL};
const struct portable_form *const portable_list[] = {&loop_form, NULL};
const struct target_kind *const machine_target_kinds[] = {&golden_target_kind, &core_kind, NULL};
const struct machine *const machine_list[] = {&golden_machine, &core_machine, NULL};

static const struct datapath_ops *const golden_engines[] = {&golden_ops, NULL};
static const struct datapath_ops *const core_engines[] = {&core_engine, NULL};
const struct datapath_kind datapath_kinds[] = {
    {"golden", golden_engines}, {"toy-core", core_engines}, {NULL, NULL}};

/* ---- programs ---- */

enum { MOST = 300, KERNELS = 3, LAUNCHES = 5 };

struct program {
    uint64_t seed;
    struct str text;
    uint32_t n;
    bool ordered; /* some byte may depend on the order of elements */
};

static uint64_t next(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 20 ^ *seed << 30;
}

static uint32_t below(struct program *p, uint32_t limit) {
    return (uint32_t)(next(&p->seed) % limit);
}

/* What an element may read of the others': x, which nobody writes, and its own of the rest. */
static void operand(struct program *p, unsigned names) {
    static const char *const own[] = {"x[i]", "y[i]", "z[i]", "a", "i", "n"};
    switch (below(p, 4)) {
    case 0:
        str_printf(&p->text, "%d", (int)below(p, 70) - 3);
        break;
    case 1:
        if (names) {
            str_printf(&p->text, "t%u", (unsigned)below(p, names));
            break;
        }
        __attribute__((fallthrough));
    default:
        str_append(&p->text, own[below(p, 6)]);
    }
}

static void right_side(struct program *p, unsigned names) {
    static const char *const ops[] = {"+", "-", "&", "|", "^", "<<", ">>", "<"};
    operand(p, names);
    if (below(p, 6) == 0)
        return;
    str_printf(&p->text, " %s ", ops[below(p, 8)]);
    operand(p, names);
}

static void kernel(struct program *p, unsigned number) {
    static const char *const bounds[] = {"n", "n", "k", "17"};
    unsigned names = 0, statements = 1 + below(p, 5);
    str_printf(&p->text,
               " .kernel f%u loop(x: i64[], y: i64[], z: i64[], n: u64, k: u16, a: i64)\n"
               "   for i < %s # %u\n\n",
               number, bounds[below(p, 4)], number);
    for (unsigned s = 0; s < statements; s++) {
        unsigned to = below(p, p->ordered ? 5 : 4);
        if (to < 2 && names < 3) {
            str_printf(&p->text, "   t%u = ", names);
            right_side(p, names++);
        } else if (to < 4) {
            str_printf(&p->text, "   %s[i] = ", to % 2 ? "y" : "z");
            right_side(p, names);
        } else {
            str_printf(&p->text, "   u = i & %u\n   z[u] = ", (unsigned)below(p, 8));
            right_side(p, names);
        }
        str_char(&p->text, '\n');
    }
    str_append(&p->text, " .endkernel\n");
}

static void random_program(struct program *p, uint64_t seed) {
    p->seed = seed;
    p->n = 17 + below(p, MOST - 17);
    p->ordered = below(p, 3) == 0;
    str_printf(&p->text,
               " .size n = %" PRIu32 "\n .buffer in x: i64[n]\n .buffer inout y: i64[n]\n"
               " .buffer inout z: i64[n]\n .buffer out w: u8[3]\n",
               p->n);
    for (unsigned k = 0; k < KERNELS; k++)
        kernel(p, k);
    str_append(&p->text, "main:\n");
    for (unsigned l = 0; l < LAUNCHES; l++) {
        static const char *const grids[] = {"", "<<<1>>>", "<<<n>>>", "<<<[3, 2], 5>>>",
                                            "<<<7, n>>>"};
        str_printf(&p->text, " RECIPE f%u%s(x, y, z, n, %u, %d)\n", (unsigned)below(p, KERNELS),
                   grids[below(p, 5)], (unsigned)below(p, 18), (int)below(p, 1000) - 500);
    }
    str_append(&p->text, " HALT\n");
}

/* ---- runs ---- */

struct outcome {
    mpu_result result;
    struct str message;
    uint64_t launches, bytes, unsettled;
    int64_t y[MOST], z[MOST];
    char *csv;
};

static void put(mpu_session *s, const char *name, uint32_t n, int64_t *data) {
    const mpu_array a = {MPU_I64, 1, {n}, data};
    assert_int_equal(mpu_session_put(s, name, &a, NULL), MPU_OK);
}

static void get(mpu_session *s, const char *name, uint32_t n, int64_t *out) {
    mpu_array a;
    assert_int_equal(mpu_session_get(s, name, &a, NULL), MPU_OK);
    memcpy(out, a.data, n * sizeof *out);
    mpu_array_free(&a);
}

static void run(const struct program *p, const char *target, const char *engine, int check,
                uint32_t threads, struct outcome *out) {
    mpu_error *e = NULL;
    mpu_target *t = mpu_target_open(target, NULL, &e);
    mpu_source *source = mpu_source_new(NULL);
    const mpu_config config = {
        .size = sizeof config, .engine = engine, .check = check, .threads = threads};
    int64_t x[MOST], y[MOST], z[MOST];
    uint64_t seed = p->seed;
    mpu_source_add_text(source, "loops.s", p->text.text, p->text.len);
    mpu_program *program = mpu_source_build(source, &e);
    if (!t || !program)
        fail_msg("%s\n%s", mpu_error_text(e), p->text.text);
    mpu_session *s = mpu_session_new(program, t, &config, &e);
    *out = (struct outcome){.result = MPU_OK};
    for (uint32_t i = 0; i < p->n; i++) {
        x[i] = (int64_t)next(&seed);
        y[i] = (int64_t)(next(&seed) % 100);
        z[i] = (int64_t)(next(&seed) % 3);
    }
    put(s, "x", p->n, x);
    put(s, "y", p->n, y);
    put(s, "z", p->n, z);
    out->result = mpu_session_run(s, &e);
    if (out->result != MPU_OK) {
        str_append(&out->message, mpu_error_text(e));
    } else {
        get(s, "y", p->n, out->y);
        get(s, "z", p->n, out->z);
        out->csv = mpu_session_stats(s, "csv", &e);
    }
    if (check)
        mpu_session_checked_kernels(s, &out->launches, &out->bytes, &out->unsettled);
    mpu_error_free(e);
    mpu_session_free(s);
    mpu_program_free(program);
    mpu_source_free(source);
    mpu_target_close(t);
}

static void outcome_free(struct outcome *out) {
    str_free(&out->message);
    mpu_string_free(out->csv);
}

static void same_values(const struct program *p, const struct outcome *left,
                        const struct outcome *right, const char *who) {
    for (uint32_t i = 0; i < p->n; i++)
        if (left->y[i] != right->y[i] || left->z[i] != right->z[i])
            fail_msg("%s: element %" PRIu32 "\n%s", who, i, p->text.text);
}

static void programs(void **state) {
    uint32_t unsettled = 0, ordered = 0;
    (void)state;
    for (uint32_t i = 0; i < PROGRAMS; i++) {
        struct program p = {.n = 0};
        struct outcome checked, golden, engine, two;
        random_program(&p, 4000 + i);
        run(&p, CORE, "strict", 1, 1, &checked);
        if (checked.result != MPU_OK)
            fail_msg("%s\n%s", str_text(&checked.message), p.text.text);
        assert_int_equal(checked.launches, LAUNCHES);
        assert_int_equal(checked.bytes + checked.unsettled, LAUNCHES * (24 * (uint64_t)p.n + 3));
        run(&p, "golden", "strict", 0, 1, &golden);
        run(&p, CORE, "golden", 0, 1, &engine);
        run(&p, CORE, "strict", 0, 2, &two);
        same_values(&p, &golden, &engine, "engine and target golden");
        same_values(&p, &checked, &two, "two threads");
        if (!checked.unsettled)
            same_values(&p, &checked, &golden, "golden");
        /* Nothing depends on an order where each element has its own. */
        assert_true(p.ordered || !checked.unsettled);
        ordered += p.ordered;
        unsettled += checked.unsettled != 0;
        outcome_free(&engine);
        run(&p, CORE, "strict", 0, 1, &engine);
        assert_string_equal(engine.csv, two.csv);
        outcome_free(&checked);
        outcome_free(&golden);
        outcome_free(&engine);
        outcome_free(&two);
        str_free(&p.text);
    }
    assert_true(unsettled > PROGRAMS / 12 && unsettled <= ordered);
}

/* ---- wrong code ---- */

static const char adding[] =
    " .size n = 40\n .buffer in x: i64[n]\n .buffer inout y: i64[n]\n .buffer inout z: i64[n]\n"
    " .kernel f loop(x: i64[], y: i64[], n: u64, a: i64)\n"
    "  for i < n\n"
    "  t = x[i] + a\n"
    "  y[i] = t\n"
    " .endkernel\n"
    "main: RECIPE f<<<3>>>(x, z, n, 0)\n RECIPE f<<<3>>>(x, y, n, 5)\n HALT\n";

/* Each word of the kernel is another one of the same shape, one after another: whatever comes out
 * is the text's, or an error. */
static void wrong_code(void **state) {
    struct program p = {.n = 40};
    struct machine_kernel right = {.mpus = 0};
    struct machine_kernel_fault fault = {.line = 0};
    static const char text[] = "for i < n\nt = x[i] + a\ny[i] = t\n";
    const struct kernel_parameter list[] = {
        {.name = "x", .kind = PARAMETER_BUFFER, .type = {TYPE_INT, 64}},
        {.name = "y", .kind = PARAMETER_BUFFER, .type = {TYPE_INT, 64}},
        {.name = "n", .kind = PARAMETER_NUMBER, .type = {TYPE_UINT, 64}},
        {.name = "a", .kind = PARAMETER_NUMBER, .type = {TYPE_INT, 64}}};
    const struct kernel_decl decl = {.name = "f",
                                     .form = "loop",
                                     .bytes = text,
                                     .size = sizeof text - 1,
                                     .parameters = list,
                                     .parameter_count = 4};
    unsigned found = 0, stopped = 0, tried = 0;
    (void)state;
    p.seed = 7;
    str_append(&p.text, adding);
    assert_true(loop_on_core.compile(NULL, NULL, &decl, &right, &fault));
    for (uint32_t w = 0; 4 * (size_t)w < right.code.len; w++) {
        const unsigned char *bytes = (const unsigned char *)right.code.text + 4 * w;
        uint32_t word = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
                        (uint32_t)bytes[3] << 24;
        enum core_op op = stored_op(&core_stored.isa, word);
        if (op < CORE_ADD || op > CORE_SAR)
            continue;
        struct outcome out;
        changed = w;
        changed_to = word ^ (uint32_t)(op ^ (op == CORE_SUB ? CORE_ADD : CORE_SUB)) << 28;
        run(&p, CORE, "strict", 1, 1, &out);
        changed = UINT32_MAX;
        tried++;
        found += out.result == MPU_DIFFERS;
        stopped += out.result == MPU_STOPPED;
        if (out.result == MPU_DIFFERS)
            assert_true(strstr(str_text(&out.message), "kernel 'f', launch ") &&
                        strstr(str_text(&out.message), "on strict, 0x"));
        outcome_free(&out);
    }
    /* But for x0, which the copy adds. */
    if (tried < 6 || found + stopped + 1 != tried || !found)
        fail_msg("%u tried, %u found, %u stopped", tried, found, stopped);
    machine_kernel_free(&right);
    str_free(&fault.what);
    str_free(&p.text);
}

/* The message: kernel, launch, buffer, element, both values, and the line that has it right. */
static void message(void **state) {
    struct program p = {.n = 40};
    struct outcome out;
    (void)state;
    p.seed = 7;
    str_append(&p.text, adding);
    for (uint32_t w = 0; w < 64; w++) { /* x[i] + a, whatever its word */
        changed = w;
        changed_to = (uint32_t)CORE_SUB << 28 | 5u << 24 | 11u << 20 | 4u << 16;
        run(&p, CORE, "strict", 1, 1, &out);
        if (strstr(str_text(&out.message), "launch 2, buffer 'y', element 0: "))
            break;
        outcome_free(&out);
    }
    changed = UINT32_MAX;
    assert_int_equal(out.result, MPU_DIFFERS);
    assert_non_null(
        strstr(str_text(&out.message), "kernel 'f', launch 2, buffer 'y', element 0: 0x"));
    assert_non_null(strstr(str_text(&out.message), " on golden, as loops.s:8 leaves it"));
    outcome_free(&out);
    str_free(&p.text);
}

/* The same on a device, which goes on: each launch is compared by itself. */
static void on_a_device(void **state) {
    static const char text[] = ".buffer s: i64[4]\n.entry f(x: i64[], y: i64[], n: u64, a: i64)\n"
                               "  for i < n\n"
                               "  t = x[i] + a\n"
                               "  y[i] = t\n";
    const mpu_config config = {.size = sizeof config, .check = 1};
    const mpu_vtype i64 = {MPU_KIND_INT, 64};
    const uint64_t n = 40;
    mpu_error *e = NULL;
    mpu_target *t = mpu_target_open(CORE, NULL, &e);
    mpu_device *d = mpu_device_open(t, &config, &e);
    mpu_buffer *x = mpu_buffer_new(d, i64, 1, &n, &e), *y = mpu_buffer_new(d, i64, 1, &n, &e);
    mpu_module *right = mpu_module_load(d, "loop", "f.loop", text, sizeof text - 1, &e);
    const mpu_argument a[] = {{x, 0, NULL}, {y, 16, NULL}, {NULL, 30, NULL}, {NULL, 5, NULL}};
    bool found = false;
    int64_t got[40];
    (void)state;
    if (!right)
        fail_msg("%s", mpu_error_text(e));
    for (uint32_t w = 0; w < 64 && !found; w++) { /* x[i] + a, whatever its word */
        changed = w;
        changed_to = (uint32_t)CORE_SUB << 28 | 5u << 24 | 11u << 20 | 4u << 16;
        mpu_module *m = mpu_module_load(d, "loop", "f.loop", text, sizeof text - 1, &e);
        changed = UINT32_MAX;
        mpu_launch(mpu_module_kernel(right, "f", &e), NULL, NULL, 0, a, 4, &e);
        assert_null(e);
        struct str said = {0};
        str_printf(&said, "kernel 'f', launch %" PRIu32 ", buffer 'y', element 0: 0x", 2 * w + 2);
        found = mpu_launch(mpu_module_kernel(m, "f", &e), NULL, NULL, 0, a, 4, &e) == MPU_DIFFERS &&
                strstr(mpu_error_text(e), str_text(&said)) &&
                strstr(mpu_error_text(e), "on golden, as f.loop:5 leaves it (kernel 'f'");
        /* What the machine holds is what there is. */
        assert_int_equal(mpu_buffer_get(y, MPU_ALL_UNITS, 0, sizeof got, got, NULL), MPU_OK);
        str_printf(&said, "%" PRIx64 " on strict, 0x5 on golden", (uint64_t)got[2]);
        found = found && got[2] != 5 && strstr(mpu_error_text(e), str_text(&said));
        str_free(&said);
        mpu_error_free(e);
        e = NULL;
        mpu_module_free(m);
    }
    assert_true(found);
    const mpu_argument none[] = {{x, 0, NULL}, {y, 0, NULL}, {NULL, 0, NULL}, {NULL, 5, NULL}};
    if (mpu_launch(mpu_module_kernel(right, "f", &e), NULL, NULL, 0, none, 4, &e) != MPU_OK)
        fail_msg("%s", mpu_error_text(e));
    if (mpu_launch(mpu_module_kernel(right, "f", &e), NULL, NULL, 0, a, 4, &e) != MPU_OK)
        fail_msg("%s", mpu_error_text(e));
    assert_int_equal(mpu_buffer_get(y, MPU_ALL_UNITS, 0, sizeof got, got, &e), MPU_OK);
    assert_int_equal(got[2], 5);
    mpu_module_free(right);
    mpu_buffer_free(x);
    mpu_buffer_free(y);
    mpu_device_close(d);
    mpu_target_close(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(programs), cmocka_unit_test(wrong_code),
                                       cmocka_unit_test(message), cmocka_unit_test(on_a_device)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
