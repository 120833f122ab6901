/* SPDX-License-Identifier: MIT
 * DPUs behind libmpu: symbols as buffers, several programs in one DPU, threads, faults. */
#include "machines/core/dpu/dpu.h"
#include "runtime/device_kernels.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { UNITS = 64 };

struct device {
    mpu_target *target;
    mpu_device *device;
};
static struct device open_device(uint32_t threads, const char *watchdog) {
    const char *const set[] = {watchdog, NULL};
    const mpu_config config = {.size = sizeof config, .threads = threads};
    mpu_error *e = NULL;
    struct device d = {.target = mpu_target_open("upmem", set, &e)};
    if (!d.target)
        fail_msg("%s", mpu_error_text(e));
    d.device = mpu_device_open(d.target, &config, &e);
    if (!d.device)
        fail_msg("%s", mpu_error_text(e));
    return d;
}
static void close_device(struct device *d) {
    mpu_device_close(d->device);
    mpu_target_close(d->target);
}

/* The file that a text assembles to: an entry `main`, whose parameters are its symbols. */
static mpu_module *load(struct device *d, const char *text) {
    struct diag *quiet = diag_new(NULL, NULL);
    struct dpu_program *p = dpu_assemble("text", text, strlen(text), quiet);
    struct str file = {0};
    mpu_error *e = NULL;
    if (!p)
        fail_msg("%s", diag_first(quiet));
    dpu_program_write(p, &file);
    mpu_module *m = mpu_module_load(d->device, "dpu", "text.elf", file.text, file.len, &e);
    if (!m)
        fail_msg("%s", mpu_error_text(e));
    dpu_program_free(p);
    str_free(&file);
    diag_free(quiet);
    return m;
}
static mpu_buffer *symbol(mpu_module *m, const char *name) {
    mpu_error *e = NULL;
    mpu_buffer *b = mpu_module_buffer(m, name, &e);
    if (!b)
        fail_msg("%s", mpu_error_text(e));
    return b;
}
static mpu_result start(mpu_module *m, uint32_t units, uint32_t first, mpu_error **e) {
    return mpu_launch_on(mpu_module_kernel(m, "main", e), NULL, NULL, 0, units, first, NULL, 0, e);
}
static void started(mpu_module *m, uint32_t units, uint32_t first) {
    mpu_error *e = NULL;
    if (start(m, units, first, &e) != MPU_OK)
        fail_msg("%s", mpu_error_text(e));
}
static void put(mpu_buffer *b, uint32_t unit, uint64_t offset, uint32_t value) {
    mpu_error *e = NULL;
    if (mpu_buffer_put(b, unit, offset, sizeof value, &value, &e) != MPU_OK)
        fail_msg("%s", mpu_error_text(e));
}
static uint32_t get(mpu_buffer *b, uint32_t unit, uint64_t offset) {
    mpu_error *e = NULL;
    uint32_t value;
    if (mpu_buffer_get(b, unit, offset, sizeof value, &value, &e) != MPU_OK)
        fail_msg("%s", mpu_error_text(e));
    return value;
}

#define HOST(name, bytes)                                                                          \
    "        .globl " name "\n        .type " name ", @object\n" name ": .space " bytes            \
    "\n        .size " name ", " bytes "\n"
/* Adds `step` to a count of its own and, by way of MRAM, to one there. */
static const char counting[] =
    "        .text\nmain: lw r0, zero, step\n"
    "        lw r1, zero, count\n        add r1, r1, r0\n        sw zero, count, r1\n"
    "        move r2, far\n        move r3, block\n        ldma r3, r2, 0\n"
    "        lw r1, r3, 0\n        add r1, r1, r0\n        sw r3, 0, r1\n        sdma r3, r2, 0\n"
    "end: stop true, end\n"
    "        .section .dpu_host, \"aw\"\n" HOST("step", "4")
        HOST("count", "4") "        .data\n        .balign 8\nblock: .space 8\n"
                           "        .mram\n" HOST("far", "8");

/* WRAM is a program's and stays when another one comes; MRAM is the DPU's. */
static void programs_take_turns(void **state) {
    struct device d = open_device(1, NULL);
    (void)state;
    mpu_module *one = load(&d, counting), *two = load(&d, counting);
    for (uint32_t u = 0; u < UNITS; u++) {
        put(symbol(one, "step"), u, 0, u + 1);
        put(symbol(two, "step"), u, 0, 1000);
    }
    started(one, UNITS, 0);
    started(two, UNITS / 2, 0);
    started(one, UNITS, 0);
    for (uint32_t u = 0; u < UNITS; u++) {
        uint32_t second = u < UNITS / 2 ? 1000 : 0;
        assert_int_equal(get(symbol(one, "count"), u, 0), 2 * (u + 1));
        assert_int_equal(get(symbol(two, "count"), u, 0), second);
        assert_int_equal(get(symbol(one, "far"), u, 0), 2 * (u + 1) + second);
        assert_int_equal(get(symbol(two, "far"), u, 0), 2 * (u + 1) + second);
    }
    mpu_module_free(two);
    started(one, 1, 3);
    assert_int_equal(get(symbol(one, "count"), 3, 0), 12);
    assert_int_equal(mpu_buffer_units(symbol(one, "count")), 2560);
    mpu_module_free(one);
    close_device(&d);
}

/* Where one DPU stops the others are carried out all the same, on any number of threads. */
static void one_stops(void **state) {
    static const char text[] =
        "        .text\nmain: lw r0, zero, step\n        jeq r0, 9, bad\n"
        "lap: lw r1, zero, count\n        add r1, r1, 1\n        sw zero, count, r1\n"
        "        jltu r1, r0, lap\nend: stop true, end\nbad: lw r1, mneg, 0\n"
        "        .section .dpu_host, \"aw\"\n" HOST("step", "4") HOST("count", "4");
    char said[2][400];
    (void)state;
    for (uint32_t threads = 1; threads <= 2; threads++) {
        struct device d = open_device(threads, NULL);
        mpu_module *m = load(&d, text);
        mpu_error *e = NULL;
        for (uint32_t u = 0; u < UNITS; u++)
            put(symbol(m, "step"), u, 0, u % 32 == 20 ? 9 : 1 + (u * 7919) % 5000);
        assert_int_equal(start(m, UNITS, 0, &e), MPU_STOPPED);
        snprintf(said[threads - 1], sizeof said[0], "%s", mpu_error_text(e));
        mpu_error_free(e);
        mpu_module_free(m);
        close_device(&d);
    }
    assert_string_equal(said[0], said[1]);
    assert_non_null(strstr(said[0], "DPU 20, tasklet 0 at instruction 7 (bad), 'lw r1, mneg, 0': "
                                    "4 bytes at 0x80000000 lie beyond WRAM"));
}

static void same_on_threads(void **state) {
    uint32_t counts[2][UNITS];
    (void)state;
    for (uint32_t threads = 1; threads <= 2; threads++) {
        struct device d = open_device(threads, NULL);
        mpu_module *m = load(&d, counting);
        for (uint32_t u = 0; u < UNITS; u++)
            put(symbol(m, "step"), u, 0, u * u);
        for (unsigned i = 0; i < 3; i++)
            started(m, UNITS, 0);
        for (uint32_t u = 0; u < UNITS; u++)
            counts[threads - 1][u] = get(symbol(m, "far"), u, 0);
        mpu_module_free(m);
        close_device(&d);
    }
    assert_memory_equal(counts[0], counts[1], sizeof counts[0]);
    assert_int_equal(counts[0][5], 75);
}

/* Of a program that is gone nothing is left to reach. */
static void forgotten(void **state) {
    struct device d = open_device(1, NULL);
    (void)state;
    mpu_module *m = load(&d, counting);
    const struct dp_program program = device_kernel_program(mpu_module_kernel(m, "main", NULL));
    struct datapath *dp = d.device->dp;
    struct diag *quiet = diag_new(NULL, NULL);
    uint64_t address, stride;
    uint32_t word = 7;
    assert_true(dp->ops->mem_own(dp, &program, 0, 4, UNITS, &address, &stride, quiet));
    assert_true(dp->ops->mem_put(dp, address + 5 * stride, &word, sizeof word, quiet));
    mpu_module_free(m);
    assert_false(dp->ops->mem_get(dp, address + 5 * stride, &word, sizeof word, quiet));
    assert_non_null(strstr(diag_first(quiet), "no buffer has 4 bytes"));
    assert_false(dp->ops->mem_put(dp, address + 6 * stride, &word, sizeof word, quiet));
    diag_free(quiet);
    close_device(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_take_turns),
        cmocka_unit_test(one_stops),
        cmocka_unit_test(same_on_threads),
        cmocka_unit_test(forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
