/* SPDX-License-Identifier: MIT
 * Buffers, modules and launches on a device, on the toy core of tests/machines: what they do, what
 * they take, which is what a program's launch takes, and what is refused. */
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const mpu_vtype i64 = {MPU_KIND_INT, 64}, u8 = {MPU_KIND_UINT, 8};
static const char core[] = MPU_SOURCE_DIR "/tests/machines/core/core.yaml";

/* y[w] = x[w] * 2^a for each worker w; all workers count themselves in a table of the text's own;
 * a load that finds nothing.  Labels are those of their entries. */
#define SCALE                                                                                      \
    "            li x6 3\n"                                                                        \
    "            shl x6 x15 x6\n"                                                                  \
    "            add x7 x1 x6\n"                                                                   \
    "            add x8 x2 x6\n"                                                                   \
    "            ld x9 (x7)\n"                                                                     \
    "            beqz x3 out\n"                                                                    \
    "            shl x9 x9 x3\n"                                                                   \
    "       out: st x9 (x8)\n"                                                                     \
    "            end\n"
static const char text[] = ".buffer counts: i64[2]\n"
                           ".entry scale(x: i64[], y: i64[], a: u6)\n" SCALE ".entry count()\n"
                           "            li x5 1\n"
                           "            beqz x0 out\n"
                           "            li x5 7\n"
                           "       out: ld x6 (x1)\n"
                           "            add x6 x6 x5\n"
                           "            st x6 (x1)\n"
                           "            end\n"
                           ".entry lost(x: i64[], n: i16)\n"
                           "            ld x5 (x2)\n"
                           "            end\n"
                           ".entry pair(p: bytes[12, 4])\n" /* x1, x2; the table is x3 */
                           "            add x5 x1 x2\n"
                           "            st x5 (x3)\n"
                           "            end\n";

enum { GOLDEN, CHECKED, ENGINES };
static const mpu_config engines[] = {
    [GOLDEN] = {.size = sizeof(mpu_config), .engine = "golden"},
    [CHECKED] = {.size = sizeof(mpu_config), .check = 1},
};

static void check_refused(mpu_result got, mpu_result wanted, mpu_error **error, const char *says) {
    assert_int_equal(got, wanted);
    assert_non_null(*error);
    if (!strstr(mpu_error_text(*error), says))
        fail_msg("'%s' does not say '%s'", mpu_error_text(*error), says);
    mpu_error_free(*error);
    *error = NULL;
}
#define NULL_IS(handle) ((handle) ? MPU_OK : mpu_error_code(e))

static mpu_buffer *buffer_of(mpu_device *d, uint64_t n, const int64_t *data) {
    mpu_error *e = NULL;
    mpu_buffer *b = mpu_buffer_new(d, i64, 1, &n, &e);
    if (!b)
        fail_msg("%s", mpu_error_text(e));
    if (data)
        fine(mpu_buffer_put(b, MPU_ALL_UNITS, 0, 8 * n, data, &e), e);
    return b;
}

static mpu_module *module_of(mpu_device *d, const char *of) {
    mpu_error *e = NULL;
    mpu_module *m = mpu_module_load(d, "core", "toy.core", of, strlen(of), &e);
    if (!m)
        fail_msg("%s", mpu_error_text(e));
    return m;
}

static mpu_kernel *kernel_of(mpu_module *m, const char *name) {
    mpu_error *e = NULL;
    mpu_kernel *k = mpu_module_kernel(m, name, &e);
    if (!k)
        fail_msg("%s", mpu_error_text(e));
    return k;
}

/* ---- what they do ---- */

static void entries(void **state) {
    const int64_t data[] = {3, -1, 5, 1000};
    const uint32_t grid[] = {4, 1, 1}, two[] = {2, 1, 1};
    int64_t got[4];
    mpu_target *target;
    mpu_error *e = NULL;
    mpu_device *d = open_device(core, NULL, NULL, &target);
    mpu_module *m = module_of(d, text), *other = module_of(d, text);
    mpu_buffer *x = buffer_of(d, 4, data), *y = buffer_of(d, 4, NULL);
    mpu_kernel *scale = kernel_of(m, "scale"), *count = kernel_of(m, "count");
    (void)state;
    assert_string_equal(mpu_module_kernel_name(m, 2), "lost");
    assert_null(mpu_module_kernel_name(m, 4));
    assert_int_equal(mpu_kernel_parameter_count(scale), 3);
    assert_string_equal(mpu_kernel_parameter_name(scale, 2), "a");
    assert_int_equal(mpu_kernel_parameter_type(scale, 2).bits, 6);
    assert_true(mpu_kernel_parameter_is_buffer(scale, 1));
    assert_false(mpu_kernel_parameter_is_buffer(scale, 2));
    assert_int_equal(mpu_kernel_parameter_count(count), 0);

    fine(mpu_launch(scale, grid, NULL, 0,
                    (mpu_argument[]){{x, 0, NULL}, {y, 0, NULL}, {NULL, 2, NULL}}, 3, &e),
         e);
    fine(mpu_buffer_get(y, MPU_ALL_UNITS, 0, 32, got, &e), e);
    assert_int_equal(got[0], 12);
    assert_int_equal(got[1], -4);
    assert_int_equal(got[3], 4000);
    /* From the third element on; the label of the entry, not that of another. */
    fine(mpu_launch(scale, two, NULL, 0,
                    (mpu_argument[]){{x, 16, NULL}, {y, 0, NULL}, {NULL, 0, NULL}}, 3, &e),
         e);
    fine(mpu_buffer_get(y, MPU_ALL_UNITS, 8, 16, got, &e), e);
    assert_int_equal(got[0], 1000);
    assert_int_equal(got[1], 20);

    /* Each module has its own table. */
    for (int i = 0; i < 2; i++)
        fine(mpu_launch(count, (uint32_t[]){5, 2, 1}, two, 0, NULL, 0, &e), e);
    fine(mpu_buffer_get(mpu_module_buffer(m, "counts", &e), MPU_ALL_UNITS, 0, 8, got, &e), e);
    assert_int_equal(got[0], 40);
    fine(mpu_buffer_get(mpu_module_buffer(other, "counts", &e), MPU_ALL_UNITS, 0, 8, got, &e), e);
    assert_int_equal(got[0], 0);
    assert_int_equal(figure(d, "machine.launches"), 4);
    assert_int_equal(figure(d, "load.programs"), 2);
    mpu_device_reset_stats(d);
    assert_int_equal(figure(d, "machine.launches"), 0);
    assert_int_equal(figure(d, "machine.taken_branches"), 0);
    mpu_module_free(other);
    mpu_buffer_free(mpu_module_buffer(m, "counts", &e));    /* the module's */
    fine(mpu_launch(count, NULL, NULL, 0, NULL, 0, &e), e); /* a worker for each of 64 cores */
    fine(mpu_buffer_get(mpu_module_buffer(m, "counts", &e), MPU_ALL_UNITS, 0, 8, got, &e), e);
    assert_int_equal(got[0], 104);

    /* A structure by value. */
    const struct { uint32_t first, second, third; } structure = {1, 2, 3};
    mpu_kernel *pair = kernel_of(m, "pair");
    assert_int_equal(mpu_kernel_parameter_bytes(pair, 0), sizeof structure);
    assert_int_equal(mpu_kernel_parameter_bytes(scale, 0), 0);
    fine(mpu_launch(pair, two, NULL, 0, (mpu_argument[]){{NULL, 0, &structure}}, 1, &e), e);
    fine(mpu_buffer_get(mpu_module_buffer(m, "counts", &e), MPU_ALL_UNITS, 0, 8, got, &e), e);
    assert_true(got[0] == (2ll << 32) + 4);
    check_refused(mpu_launch(pair, two, NULL, 0, (mpu_argument[]){{NULL, 7, NULL}}, 1, &e),
                  MPU_USAGE, &e, "kernel 'pair', parameter 'p' takes bytes");
    mpu_buffer_free(x);
    mpu_buffer_free(y);
    mpu_module_free(m);
    close_device(d, target);
}

/* ---- what they take ---- */

static void same(mpu_device *d, mpu_session *s, const char *path, const char *on_device) {
    uint64_t there, here = 0;
    if (mpu_session_figure(s, path, &there) != MPU_OK)
        fail_msg("a session has no %s", path);
    if (mpu_device_figure(d, on_device ? on_device : path, &here) != MPU_OK || here != there)
        fail_msg("%s: %llu in a session, %llu on a device", path, (unsigned long long)there,
                 (unsigned long long)here);
}

/* The same launch as a program of its own, in a session, and on a device. */
static void as_in_a_session(void **state) {
    static const char *const geometries[] = {"", "<<<100>>>", "<<<[3, 7], [2, 1, 5]>>>"};
    static const uint32_t grids[][3] = {{0}, {100, 1, 1}, {3, 7, 1}},
                          blocks[][3] = {{0}, {0}, {2, 1, 5}};
    static const char *const figures[][2] = {{"total.host_cpu_time_ps", "time_ps.host"},
                                             {"total.host_cpu_energy_fj", "energy_fj.host"},
                                             {"total.time_ps", NULL},
                                             {"total.energy_fj", NULL},
                                             {"total.end_to_end_time_ps", NULL},
                                             {"total.end_to_end_energy_fj", NULL},
                                             {"total.datapath_cycles", NULL},
                                             {"total.issue_slots", NULL},
                                             {"total.instructions", NULL},
                                             {"total.micro_ops", NULL},
                                             {"host.puts", NULL},
                                             {"host.gets", NULL},
                                             {"host.bytes_in", NULL},
                                             {"host.bytes_out", NULL},
                                             {"host.time_ps", NULL},
                                             {"host.energy_fj", NULL},
                                             {"load.text_bytes", NULL},
                                             {"load.time_ps", NULL},
                                             {"load.energy_fj", NULL},
                                             {"machine.launches", NULL},
                                             {"machine.port_stall_cycles", NULL},
                                             {"machine.taken_branches", NULL}};
    int64_t data[256];
    const uint64_t n = 256;
    mpu_error *e = NULL;
    (void)state;
    for (int i = 0; i < 256; i++)
        data[i] = i * i - 77;
    for (unsigned g = 0; g < 3; g++) {
        char program[2048];
        mpu_target *target;
        mpu_device *d = open_device(core, NULL, NULL, &target);
        snprintf(program, sizeof program,
                 "        .buffer in x: i64[256]\n"
                 "        .buffer out y: i64[256]\n"
                 "        .kernel scale core(x: i64[], y: i64[], a: u6)\n" SCALE
                 "        .endkernel\n"
                 "main:   RECIPE scale%s(x, y, 3)\n"
                 "        HALT\n",
                 geometries[g]);
        mpu_source *source = mpu_source_new(NULL);
        mpu_source_add_text(source, "p.s", program, strlen(program));
        mpu_program *p = mpu_source_build(source, &e);
        if (!p)
            fail_msg("%s", mpu_error_text(e));
        mpu_session *s = mpu_session_new(p, target, NULL, &e);
        mpu_array a = {MPU_I64, 1, {256}, data}, result;
        fine(mpu_session_put(s, "x", &a, &e), e);
        fine(mpu_session_run(s, &e), e);
        fine(mpu_session_get(s, "y", &result, &e), e);

        mpu_module *m = module_of(d, text);
        mpu_buffer *x = buffer_of(d, n, data), *y = buffer_of(d, n, NULL);
        int64_t got[256];
        fine(mpu_launch(kernel_of(m, "scale"), g ? grids[g] : NULL, g > 1 ? blocks[g] : NULL, 0,
                        (mpu_argument[]){{x, 0, NULL}, {y, 0, NULL}, {NULL, 3, NULL}}, 3, &e),
             e);
        fine(mpu_buffer_get(y, MPU_ALL_UNITS, 0, sizeof got, got, &e), e);
        assert_memory_equal(got, result.data, sizeof got);
        assert_int_equal(got[1], -76 * 8);
        for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
            same(d, s, figures[i][0], figures[i][1]);
        assert_true(figure(d, "energy_fj.static") > 0 && figure(d, "host.time_ps") > 0);

        /* Another launch takes as long, and its text is there. */
        const uint64_t ps = figure(d, "total.time_ps"), load = figure(d, "load.time_ps");
        fine(mpu_launch(kernel_of(m, "scale"), g ? grids[g] : NULL, g > 1 ? blocks[g] : NULL, 0,
                        (mpu_argument[]){{x, 0, NULL}, {y, 0, NULL}, {NULL, 3, NULL}}, 3, &e),
             e);
        assert_int_equal(figure(d, "total.time_ps"), 2 * ps);
        assert_int_equal(figure(d, "load.time_ps"), load);
        mpu_module_free(m);
        mpu_array_free(&result);
        mpu_session_free(s);
        mpu_program_free(p);
        mpu_source_free(source);
        mpu_buffer_free(x);
        mpu_buffer_free(y);
        close_device(d, target);
    }
}

/* ---- what is refused ---- */

static void buffers(void **state) {
    unsigned char bytes[64] = {0}, small[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    const uint64_t shape[] = {2, 5}, none[] = {4, 0}, huge[] = {1ull << 39, 4};
    mpu_target *target;
    mpu_error *e = NULL;
    mpu_device *d = open_device(core, NULL, NULL, &target);
    mpu_buffer *b = mpu_buffer_new(d, u8, 2, shape, &e);
    (void)state;
    assert_int_equal(mpu_buffer_bytes(b), 10);
    assert_int_equal(mpu_buffer_type(b).bits, 8);
    fine(mpu_buffer_put(b, MPU_ALL_UNITS, 3, 4, small, &e), e);
    fine(mpu_buffer_get(b, MPU_ALL_UNITS, 0, 10, bytes, &e), e);
    assert_memory_equal(bytes, ((unsigned char[]){0, 0, 0, 1, 2, 3, 4, 0, 0, 0}), 10);
    fine(mpu_buffer_get(b, MPU_ALL_UNITS, 10, 0, bytes, &e), e);
    assert_int_equal(figure(d, "host.bytes_in"), 4);
    assert_int_equal(figure(d, "host.gets"), 1);
    check_refused(mpu_buffer_put(b, MPU_ALL_UNITS, 3, 8, small, &e), MPU_USAGE, &e,
                  "a buffer of 10 bytes has no 8 bytes from byte 3 on");
    check_refused(mpu_buffer_get(b, MPU_ALL_UNITS, UINT64_MAX, 2, bytes, &e), MPU_USAGE, &e,
                  "has no 2 bytes from byte 18446744073709551615 on");
    check_refused(mpu_buffer_get(b, 3, 0, 1, bytes, &e), MPU_USAGE, &e,
                  "there is no part of unit 3: the buffer is one place for all units");
    check_refused(NULL_IS(mpu_buffer_new(d, i64, 2, none, &e)), MPU_USAGE, &e,
                  "a buffer has 1 to 2^40 elements, not 0");
    check_refused(NULL_IS(mpu_buffer_new(d, i64, 2, huge, &e)), MPU_USAGE, &e,
                  "a buffer has 1 to 2^40 elements");
    check_refused(NULL_IS(mpu_buffer_new(d, (mpu_vtype){MPU_KIND_FLOAT, 8}, 0, NULL, &e)),
                  MPU_USAGE, &e, "there is no buffer of kind 3 with 8 bits");
    check_refused(NULL_IS(mpu_buffer_new(d, i64, 9, shape, &e)), MPU_USAGE, &e, "9 dimensions");
    mpu_buffer *one = mpu_buffer_new(d, i64, 0, NULL, &e);
    assert_int_equal(mpu_buffer_bytes(one), 8);
    mpu_buffer_free(b);
    mpu_buffer_free(NULL);

    mpu_device_close(d); /* the other one is without a place */
    check_refused(mpu_buffer_put(one, MPU_ALL_UNITS, 0, 1, small, &e), MPU_USAGE, &e,
                  "the buffer's device was closed");
    mpu_buffer_free(one);
    mpu_target_close(target);
}

static void vectors_are_optional(void **state) {
    mpu_target *target;
    mpu_error *e = NULL;
    mpu_device *d = open_device(core, NULL, NULL, &target);
    (void)state;
    check_refused(NULL_IS(mpu_vector_new(d, i64, 4, &e)), MPU_USAGE, &e,
                  "target 'core' keeps no vectors: machines of kind toy-core do not");
    check_refused(NULL_IS(mpu_apply(d, MPU_OP_COPY, i64, 4, (mpu_operand[]){{NULL, 1}}, 1, &e)),
                  MPU_USAGE, &e, "target 'core' keeps no vectors");
    fine(mpu_device_flush(d, &e), e);
    close_device(d, target);

    /* A machine of planes has vectors, and buffers, but knows nothing of this form. */
    d = open_device("racer", NULL, NULL, &target);
    mpu_buffer *b = buffer_of(d, 4, (int64_t[]){1, 2, 3, 4});
    int64_t got = 0;
    fine(mpu_buffer_get(b, MPU_ALL_UNITS, 16, 8, &got, &e), e);
    assert_int_equal(got, 3);
    check_refused(NULL_IS(mpu_module_load(d, "core", "toy.core", text, strlen(text), &e)),
                  MPU_REJECTED, &e, "target 'racer' knows no kernels of form 'core'");
    mpu_buffer_free(b);
    close_device(d, target);

    /* Golden and checked have both, too. */
    for (unsigned k = GOLDEN; k < ENGINES; k++) {
        const int64_t data[] = {1, -2, 3, 4};
        mpu_vector *v, *sum;
        d = open_device("racer", NULL, &engines[k], &target);
        b = buffer_of(d, 4, data);
        v = mpu_vector_new(d, i64, 4, &e);
        fine(mpu_vector_put(v, 0, 4, data, &e), e);
        sum = mpu_apply(d, MPU_OP_ADD, i64, 4, (mpu_operand[]){{v, 0}, {v, 0}}, 2, &e);
        if (!sum)
            fail_msg("%s", mpu_error_text(e));
        int64_t twice[4];
        fine(mpu_vector_get(sum, 0, 4, twice, &e), e);
        assert_int_equal(twice[1], -4);
        fine(mpu_buffer_get(b, MPU_ALL_UNITS, 8, 8, &got, &e), e);
        assert_int_equal(got, -2);
        mpu_vector_release(v);
        mpu_vector_release(sum);
        mpu_buffer_free(b);
        close_device(d, target);
    }
}

/* ---- golden, and checked ---- */

/* Entries of a form with an interpreter. */
static const char loops[] = ".buffer seen: i64[64]\n"
                            ".entry shift(x: i64[], y: i64[], n: u64, a: i64)\n"
                            "  for i < n\n"
                            "  t = x[i] + a\n"
                            "  y[i] = t << 2\n"
                            "  seen[i] = t\n"
                            ".entry turn(x: i64[], y: i64[], n: u64)\n"
                            "  for i < n\n"
                            "  l = n - i\n"
                            "  l = l - 1\n"
                            "  y[l] = x[i]\n"
                            ".entry lost(y: i64[], at: i64)\n"
                            "  for i < 3\n"
                            "  y[i] = i + 5\n"
                            "  j = i + at\n"
                            "  y[j] = 7\n";

static mpu_module *loops_of(mpu_device *d, const char *of) {
    mpu_error *e = NULL;
    mpu_module *m = mpu_module_load(d, "loop", "toy.loop", of, strlen(of), &e);
    if (!m)
        fail_msg("%s", mpu_error_text(e));
    return m;
}

/* Launches one after another, parts of buffers among them; what is in them in the end. */
static void launch_loops(const char *name, const mpu_config *config, int64_t got[3][64]) {
    mpu_target *target;
    mpu_error *e = NULL;
    mpu_device *d = open_device(name, NULL, config, &target);
    int64_t data[64];
    for (int i = 0; i < 64; i++)
        data[i] = (int64_t)i * i * i - 999;
    mpu_buffer *x = buffer_of(d, 64, data), *y = buffer_of(d, 64, NULL);
    for (uint64_t lap = 0; lap < 6; lap++) {
        mpu_module *m = loops_of(d, loops);
        fine(mpu_launch(kernel_of(m, "shift"), (uint32_t[]){1 + (uint32_t)lap, 1, 1}, NULL, 0,
                        (mpu_argument[]){
                            {x, 8 * lap, NULL}, {y, 16, NULL}, {NULL, 50, NULL}, {NULL, lap, NULL}},
                        4, &e),
             e);
        fine(mpu_launch(kernel_of(m, "turn"), NULL, NULL, 0,
                        (mpu_argument[]){{y, 0, NULL}, {x, 0, NULL}, {NULL, 64 - lap, NULL}}, 3,
                        &e),
             e);
        fine(mpu_buffer_get(mpu_module_buffer(m, "seen", &e), MPU_ALL_UNITS, 0, sizeof got[2],
                            got[2], &e),
             e);
        mpu_module_free(m);
        /* Another text, whose kernel may lie where one lay before. */
        m = loops_of(d, ".entry shift(x: i64[], y: i64[], n: u64, a: i64)\n for i < n\n"
                        " t = y[i] ^ a\n y[i] = t\n");
        fine(mpu_launch(
                 kernel_of(m, "shift"), NULL, NULL, 0,
                 (mpu_argument[]){{x, 0, NULL}, {y, 0, NULL}, {NULL, 9, NULL}, {NULL, 85, NULL}}, 4,
                 &e),
             e);
        mpu_module_free(m);
        /* A buffer that comes and goes. */
        mpu_buffer *z = buffer_of(d, 3 + lap, NULL);
        fine(mpu_buffer_put(y, MPU_ALL_UNITS, 8 * (40 + lap), 8, &data[lap], &e), e);
        mpu_buffer_free(z);
    }
    fine(mpu_buffer_get(x, MPU_ALL_UNITS, 0, sizeof got[0], got[0], &e), e);
    fine(mpu_buffer_get(y, MPU_ALL_UNITS, 0, sizeof got[1], got[1], &e), e);
    mpu_buffer_free(x);
    mpu_buffer_free(y);
    close_device(d, target);
}

static void engines_agree(void **state) {
    int64_t strict[3][64], got[3][64];
    (void)state;
    launch_loops(core, NULL, strict);
    assert_true(strict[2][10] != 0 && strict[1][10] != strict[1][11]);
    for (unsigned k = GOLDEN; k < ENGINES; k++) {
        launch_loops(core, &engines[k], got);
        assert_memory_equal(got, strict, sizeof got);
    }
    launch_loops("golden", NULL, got);
    assert_memory_equal(got, strict, sizeof got);
}

/* A kernel that stops has written some of its bytes; a checked device goes on with the machine's.
 */
static void goes_on_after_a_fault(void **state) {
    (void)state;
    for (unsigned k = GOLDEN; k < ENGINES; k++) {
        int64_t got[4];
        mpu_target *target;
        mpu_error *e = NULL;
        mpu_device *d = open_device(core, NULL, &engines[k], &target);
        mpu_module *m = loops_of(d, loops);
        mpu_buffer *y = buffer_of(d, 4, NULL);
        mpu_argument at[] = {{y, 0, NULL}, {NULL, (uint64_t)-100000, NULL}};
        check_refused(mpu_launch(kernel_of(m, "lost"), (uint32_t[]){2, 1, 1}, NULL, 0, at, 2, &e),
                      MPU_STOPPED, &e, "toy.loop:16: ");
        /* A launch that leaves them alone. */
        fine(mpu_launch(kernel_of(m, "turn"), NULL, NULL, 0,
                        (mpu_argument[]){{y, 0, NULL}, {y, 0, NULL}, {NULL, 0, NULL}}, 3, &e),
             e);
        fine(mpu_buffer_get(y, MPU_ALL_UNITS, 0, 8, got, &e), e);
        assert_int_equal(got[0], 5);
        at[1].value = 1;
        fine(mpu_launch(kernel_of(m, "lost"), (uint32_t[]){1, 1, 1}, NULL, 0, at, 2, &e), e);
        fine(mpu_buffer_get(y, MPU_ALL_UNITS, 0, sizeof got, got, &e), e);
        assert_int_equal(got[3], 7);
        mpu_buffer_free(y);
        mpu_module_free(m);
        close_device(d, target);
    }
}

/* What they refuse, and form stage, which target golden has. */
static void forms(void **state) {
    static const char *const why[] = {[GOLDEN] = "engine golden cannot carry them out",
                                      [CHECKED] = "there is nothing to check them with"};
    static const char stage[] = ".entry scale(x: i32[], y: i32[], n: u64, a: i32)\n"
                                "  length n;\n"
                                "  map (in x, out y) {\n"
                                "    y[0] = x[0] * a;\n"
                                "  }\n";
    mpu_target *target;
    mpu_device *d;
    mpu_error *e = NULL;
    (void)state;
    for (unsigned k = GOLDEN; k < ENGINES; k++) {
        d = open_device(core, NULL, &engines[k], &target);
        check_refused(NULL_IS(mpu_module_load(d, "core", "toy.core", text, strlen(text), &e)),
                      MPU_REJECTED, &e, "golden does not interpret kernels of form 'core', so ");
        NULL_IS(mpu_module_load(d, "core", "toy.core", text, strlen(text), &e));
        check_refused(MPU_REJECTED, MPU_REJECTED, &e, why[k]);
        static const char data[] = ".data 5\n.entry f()\n for i < 1\n t = i\n";
        check_refused(NULL_IS(mpu_module_load(d, "loop", "toy.loop", data, strlen(data), &e)),
                      MPU_REJECTED, &e, "kernels of this form share no data");
        close_device(d, target);
    }
    d = open_device("golden", NULL, NULL, &target);
    mpu_module *m = mpu_module_load(d, "stage", "scale.stage", stage, strlen(stage), &e);
    if (!m)
        fail_msg("%s", mpu_error_text(e));
    const uint64_t n = 5;
    const int32_t from[] = {1, -2, 3, 4, 50};
    int32_t got[5];
    mpu_kernel *scale = kernel_of(m, "scale");
    mpu_buffer *x = mpu_kernel_buffer_new(scale, 0, 1, &n, &e),
               *y = mpu_kernel_buffer_new(scale, 1, 1, &n, &e);
    fine(mpu_buffer_put(x, MPU_ALL_UNITS, 0, sizeof from, from, &e), e);
    fine(mpu_launch(scale, NULL, NULL, 0,
                    (mpu_argument[]){{x, 0, NULL}, {y, 0, NULL}, {NULL, n, NULL}, {NULL, 7, NULL}},
                    4, &e),
         e);
    fine(mpu_buffer_get(y, MPU_ALL_UNITS, 0, sizeof got, got, &e), e);
    assert_int_equal(got[1], -14);
    assert_int_equal(got[4], 350);
    mpu_buffer_free(x);
    mpu_buffer_free(y);
    mpu_module_free(m);
    close_device(d, target);
}

static void texts(void **state) {
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"li x1 1\nend\n", "bad.core:1:1: error: module 'bad.core': this stands before the first"},
        {"\n\n", "module 'bad.core': it has no .entry"},
        {".entry k(x: i64[]\n end\n", "bad.core:1:1: error: module 'bad.core': expected .entry"},
        {".entry k(x: i65)\n end\n", "expected .entry NAME"},
        {".entry k()\n end\n\n.entry k()\n end",
         "bad.core:4:1: error: module 'bad.core': entry 'k'"},
        {".buffer b: i64[0]\n.entry k()\n end\n", "expected .buffer NAME: i64[8]"},
        {".buffer b: i64[2]\n.entry k(b: u8)\n end\n", "two parameters of one name"},
        {".entry k()\n end\n.entry l()\n li x1 1\n jump x1\n end\n",
         "bad.core:5:1: error: kernel 'l': jump is nothing that stands here"},
        {".entry k()\n beqz x0 on\n end\n.entry l()\n on: end\n",
         "bad.core:2:1: error: kernel 'k': on is nothing that stands here"},
        {".entry k()\n li x1 1\n.entry l()\n end\n", "kernel 'k': it does not end with 'end'"},
        {".entry k(x: i32[])\n end\n", "elements of 'x' have less than the 8 bytes"},
        {".data 1, x\n.entry k()\n end\n",
         "bad.core:1:1: error: module 'bad.core': expected .data"},
        {".entry k(p: bytes[8, 3])\n end\n", "expected .entry NAME"},
        {".buffer b: i64[4]\n.entry k()\n .split b 8 0\n end\n.entry l()\n end\n",
         "module 'bad.core': buffer 'b' cannot lie in two ways: kernel 'l' wants it flat, in one "
         "place, and kernel 'k' split by 8 bytes with a halo of 0"},
        {".buffer b: i64[65, 2]\n.entry k()\n end\n", "expected .buffer NAME: i64[8]"},
        {".buffer b: i64[65]\n.entry k()\n .each b\n end\n",
         "a buffer of 65 rows, one for each unit: target 'core' has 64 units"},
    };
    mpu_target *target;
    mpu_error *e = NULL;
    mpu_device *d = open_device(core, NULL, NULL, &target);
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        check_refused(NULL_IS(mpu_module_load(d, "core", "bad.core", wrong[i].text,
                                              strlen(wrong[i].text), &e)),
                      MPU_REJECTED, &e, wrong[i].says);
    check_refused(NULL_IS(mpu_module_load(d, "ptx", "bad.ptx", text, strlen(text), &e)),
                  MPU_REJECTED, &e, "target 'core' knows no kernels of form 'ptx'");
    mpu_module *m = module_of(d, text);
    check_refused(NULL_IS(mpu_module_kernel(m, "sclae", &e)), MPU_USAGE, &e,
                  "module 'toy.core' has no kernel 'sclae'");
    NULL_IS(mpu_module_kernel(m, "cuont", &e));
    check_refused(MPU_USAGE, MPU_USAGE, &e, "did you mean 'count'?");
    NULL_IS(mpu_module_kernel(m, "nothing", &e));
    check_refused(MPU_USAGE, MPU_USAGE, &e, "its kernels are: scale, count, lost, pair");
    check_refused(NULL_IS(mpu_module_buffer(m, "count", &e)), MPU_USAGE, &e,
                  "module 'toy.core' has no buffer 'count'");
    mpu_device_close(d);
    check_refused(mpu_launch(kernel_of(m, "count"), NULL, NULL, 0, NULL, 0, &e), MPU_USAGE, &e,
                  "the kernel's device was closed");
    mpu_module_free(m);
    mpu_target_close(target);
}

/* What entries share begins as the text says, is the module's own, and stays; a structure lies in
 * registers. */
static void shared_and_structures(void **state) {
    static const char pair[] = ".data -5, 20\n"
                               ".entry add(y: i64[], p: bytes[20, 4])\n"
                               "            ld x5 (x13)\n"
                               "            add x5 x5 x2\n"
                               "            add x5 x5 x3\n"
                               "            add x5 x5 x4\n"
                               "            st x5 (x13)\n"
                               "            st x5 (x1)\n"
                               "            end\n"
                               ".entry take(y: i64[])\n"
                               "            ld x5 (x13)\n"
                               "            st x5 (x1)\n"
                               "            end\n";
    static const uint32_t one[] = {1, 1, 1};
    const int32_t p[5] = {1000, 0, 30, 0, 7};
    mpu_target *target;
    mpu_error *e = NULL;
    mpu_device *d = open_device(core, NULL, NULL, &target);
    mpu_buffer *y = buffer_of(d, 2, NULL);
    mpu_module *m = module_of(d, pair), *other = module_of(d, pair);
    mpu_argument a[] = {{y, 0, NULL}, {NULL, 0, p}}, at[] = {{y, 8, NULL}};
    int64_t got[2];
    (void)state;
    assert_false(mpu_kernel_parameter_is_buffer(kernel_of(m, "add"), 1));
    fine(mpu_launch(kernel_of(m, "add"), one, NULL, 0, a, 2, &e), e);
    fine(mpu_launch(kernel_of(m, "add"), one, NULL, 0, a, 2, &e), e);
    fine(mpu_launch(kernel_of(m, "take"), one, NULL, 0, at, 1, &e), e);
    fine(mpu_buffer_get(y, MPU_ALL_UNITS, 0, sizeof got, got, &e), e);
    assert_int_equal(got[0], 2 * 1037 - 5);
    assert_int_equal(got[1], got[0]);
    fine(mpu_launch(kernel_of(other, "take"), one, NULL, 0, at, 1, &e), e);
    fine(mpu_buffer_get(y, MPU_ALL_UNITS, 0, sizeof got, got, &e), e);
    assert_int_equal(got[1], -5);
    a[1].bytes = NULL;
    check_refused(mpu_launch(kernel_of(m, "add"), one, NULL, 0, a, 2, &e), MPU_USAGE, &e,
                  "kernel 'add', parameter 'p' takes bytes");
    a[0].bytes = p;
    check_refused(mpu_launch(kernel_of(m, "take"), one, NULL, 0, a, 1, &e), MPU_USAGE, &e,
                  "kernel 'take', parameter 'y' takes no bytes");
    mpu_module_free(m);
    mpu_module_free(other);
    mpu_buffer_free(y);
    mpu_device_close(d);
    mpu_target_close(target);
}

static void launches(void **state) {
    static const uint32_t one[] = {1, 1, 1}, zero[] = {0, 1, 1}, behind[] = {4, 1, 0},
                          many[] = {1u << 31, 1u << 31, 1};
    const mpu_config limit = {.size = sizeof limit, .max_cycles = 20};
    mpu_target *target, *far_target;
    mpu_error *e = NULL;
    mpu_device *d = open_device(core, NULL, NULL, &target),
               *far = open_device(core, NULL, &limit, &far_target);
    mpu_module *m = module_of(d, text), *far_module = module_of(far, text);
    mpu_buffer *x = buffer_of(d, 4, NULL), *elsewhere = buffer_of(far, 4, NULL);
    mpu_buffer *bytes = mpu_buffer_new(d, u8, 1, (uint64_t[]){9}, &e);
    mpu_kernel *lost = kernel_of(m, "lost");
    const struct {
        const uint32_t *grid, *block;
        uint64_t bytes;
        mpu_argument arguments[3];
        uint32_t count;
        const char *says;
    } wrong[] = {
        {one, NULL, 0, {{x, 0, NULL}}, 1, "kernel 'lost' has 2 parameters, and gets 1"},
        {one, NULL, 0, {{x, 0, NULL}, {NULL, 1, NULL}, {NULL, 1, NULL}}, 3, "and gets 3"},
        {one,
         NULL,
         0,
         {{NULL, 3, NULL}, {NULL, 1, NULL}},
         2,
         "kernel 'lost', parameter 'x' takes the name of a buffer"},
        {one,
         NULL,
         0,
         {{x, 0, NULL}, {x, 0, NULL}},
         2,
         "parameter 'n' takes a number, not a buffer"},
        {one,
         NULL,
         0,
         {{bytes, 0, NULL}, {NULL, 1, NULL}},
         2,
         "parameter 'x' gets a buffer of another type"},
        {one,
         NULL,
         0,
         {{elsewhere, 0, NULL}, {NULL, 1, NULL}},
         2,
         "parameter 'x' gets a buffer that is not there, or one of another device"},
        {one,
         NULL,
         0,
         {{x, 40, NULL}, {NULL, 1, NULL}},
         2,
         "parameter 'x' gets a buffer of 32 bytes, of elements of 8, from byte 40 on"},
        {one, NULL, 0, {{x, 4, NULL}, {NULL, 1, NULL}}, 2, "from byte 4 on"},
        {one,
         NULL,
         0,
         {{x, 0, NULL}, {NULL, 32768, NULL}},
         2,
         "parameter 'n' gets a number that is none of its type"},
        {one, NULL, 0, {{x, 0, "12"}, {NULL, 1, NULL}}, 2, "parameter 'x' takes no bytes"},
        {zero,
         NULL,
         0,
         {{x, 0, NULL}, {NULL, 1, NULL}},
         2,
         "kernel 'lost': the grid is 0, not 1 to 4294967295"},
        {one,
         behind,
         0,
         {{x, 0, NULL}, {NULL, 1, NULL}},
         2,
         "the third dimension of the block is 0, not 1"},
        {many,
         NULL,
         0,
         {{x, 0, NULL}, {NULL, 1, NULL}},
         2,
         "the launch has more than 2^40 workers"},
        {one,
         one,
         64,
         {{x, 0, NULL}, {NULL, 1, NULL}},
         2,
         "kernel 'lost': form 'core' leaves the number of bytes of a block to the machine"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        check_refused(mpu_launch(lost, wrong[i].grid, wrong[i].block, wrong[i].bytes,
                                 wrong[i].arguments, wrong[i].count, &e),
                      MPU_USAGE, &e, wrong[i].says);
    assert_int_equal(figure(d, "machine.launches"), 0);

    /* A fault stops with its place; the device goes on. */
    mpu_argument at[] = {{x, 0, NULL}, {NULL, (uint64_t)-5, NULL}};
    check_refused(mpu_launch(lost, one, NULL, 0, at, 2, &e), MPU_STOPPED, &e,
                  "kernel 'lost', pc 0, toy.core:21: unit 0, worker 0 finds no 8 bytes at "
                  "0xfffffffffffffffb, which is not aligned\n");
    fine(mpu_launch(kernel_of(m, "count"), one, NULL, 0, NULL, 0, &e), e);
    /* A buffer that was freed is none. */
    mpu_buffer *gone = x;
    mpu_buffer_free(x);
    check_refused(
        mpu_launch(lost, one, NULL, 0, (mpu_argument[]){{gone, 0, NULL}, {NULL, 1, NULL}}, 2, &e),
        MPU_USAGE, &e, "gets a buffer that is not there");
    /* Limits are those of each launch. */
    fine(mpu_launch(kernel_of(far_module, "count"), one, NULL, 0, NULL, 0, &e), e);
    check_refused(
        mpu_launch(kernel_of(far_module, "count"), (uint32_t[]){4000, 1, 1}, NULL, 0, NULL, 0, &e),
        MPU_STOPPED, &e, "the limit of 20 cycles is reached (kernel 'count', toy.core:12)");
    mpu_buffer_free(bytes);
    mpu_buffer_free(elsewhere);
    mpu_module_free(m);
    mpu_module_free(far_module);
    close_device(d, target);
    close_device(far, far_target);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries),
        cmocka_unit_test(as_in_a_session),
        cmocka_unit_test(buffers),
        cmocka_unit_test(vectors_are_optional),
        cmocka_unit_test(texts),
        cmocka_unit_test(shared_and_structures),
        cmocka_unit_test(launches),
        cmocka_unit_test(engines_agree),
        cmocka_unit_test(goes_on_after_a_fault),
        cmocka_unit_test(forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
