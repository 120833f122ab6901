/* SPDX-License-Identifier: MIT
 * What DPU programs print by the runtime library's vprintf, as dpu_log_read gives it; and what
 * launches of any number of DPUs take. */
#include "machines/core/dpu/dpu.h"
#include "runtime/include/mpu/dpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

static char said[512];
static void keep(const char *text) {
    snprintf(said, sizeof said, "%s", text);
}
static struct dpu_set_t run_on(uint32_t count, const char *text) {
    struct dpu_set_t set;
    struct str file = {0};
    struct diag *d = diag_new(NULL, NULL);
    struct dpu_program *p = dpu_assemble("test.s", text, strlen(text), d);
    if (!p)
        fail_msg("%s", diag_first(d));
    dpu_program_write(p, &file);
    dpu_program_free(p);
    diag_free(d);
    assert_int_equal(mpu_dpu_alloc(count, NULL, NULL, &set, keep), DPU_OK);
    assert_int_equal(mpu_dpu_load_bytes(set, file.text, file.len, NULL, keep), DPU_OK);
    str_free(&file);
    if (mpu_dpu_launch(set, DPU_SYNCHRONOUS, keep) != DPU_OK)
        fail_msg("%s", said);
    return set;
}
static struct dpu_set_t run(const char *text) {
    return run_on(1, text);
}
static void expect_log(struct dpu_set_t set, const char *wanted) {
    char *text = NULL;
    if (mpu_dpu_log(set, &text, keep) != DPU_OK)
        fail_msg("%s", said);
    assert_string_equal(text, wanted);
    mpu_string_free(text);
}

/* All kinds of arguments, in one message and in two launches. */
static void all_conversions(void **state) {
    (void)state;
    static const char program[] =
        "    .set NR_TASKLETS, 1\n    jump __bootstrap\n"
        "main: move r15, r23\n move r0, format\n move r1, arguments\n call r23, vprintf\n"
        " move r0, plain\n call r23, vprintf\n move r0, empty\n call r23, vprintf\n jump r15\n"
        ".data\nformat: .asciz \"%d|%5u|%-6x|%c|%s|%ld|%lx|%%|%.3f|%g end\\n\"\n"
        "plain: .asciz \"100%% of it\\n\"\nempty: .asciz \"\"\nname: .asciz \"tasklet\"\n"
        ".balign 8\narguments: .word -5, 7, 0xabc, 'z', name\n.balign 8\n"
        ".quad -5000000000, 0x123456789ab, 0x3ff8000000000000, 0xc000000000000000\n";
#define MESSAGE "-5|    7|abc   |z|tasklet|-5000000000|123456789ab|%|1.500|-2 end\n100% of it\n"
    struct dpu_set_t set = run(program);
    expect_log(set, MESSAGE);
    assert_int_equal(mpu_dpu_launch(set, DPU_SYNCHRONOUS, keep), DPU_OK);
    expect_log(set, MESSAGE MESSAGE);
    dpu_free(set);
}
/* Messages of many tasklets do not mix. */
static void tasklets_print(void **state) {
    (void)state;
    struct dpu_set_t set =
        run("    .set NR_TASKLETS, 24\n    jump __bootstrap\n"
            "main: move r15, r23\n sd r22, 0, d22\n move r0, id\n sw r22, 8, r0\n sw r22, 12, r0\n"
            " move r0, format\n add r1, r22, 8\n call r23, vprintf\n jump r15\n"
            ".data\nformat: .asciz \"%d is %d\\n\"\n");
    char *text = NULL;
    unsigned seen = 0, count = 0;
    assert_int_equal(mpu_dpu_log(set, &text, keep), DPU_OK);
    for (const char *at = text; *at; count++) {
        int a, b, n = 0;
        assert_int_equal(sscanf(at, "%d is %d\n%n", &a, &b, &n), 2);
        assert_true(a == b && a >= 0 && a < 24 && !(seen & 1u << a));
        seen |= 1u << a;
        at += n;
    }
    assert_int_equal(count, 24);
    mpu_string_free(text);
    dpu_free(set);
}
/* The buffer lies in front of what a host has of MRAM. */
static void buffer_is_the_programs(void **state) {
    (void)state;
    struct diag *d = diag_new(NULL, NULL);
    static const char text[] = " .set STDOUT_BUFFER_SIZE, 4096\n call r23, vprintf\n"
                               "end: stop true, end\n.globl __sys_used_mram_end\n";
    struct dpu_program *p = dpu_assemble("test.s", text, strlen(text), d);
    if (!p)
        fail_msg("%s", diag_first(d));
    const struct dpu_symbol *buffer = dpu_program_symbol(p, "__stdout_buffer"),
                            *mram = dpu_program_symbol(p, "__sys_used_mram_end");
    assert_true(mram && buffer && mram->space == DPU_IN_MRAM);
    assert_int_equal(mram->value, buffer->value + 4096);
    dpu_program_free(p);
    diag_free(d);
}

/* A ring of 16 MiB that went round and ends in no message: each of its messages is read once,
 * though the first whole one may begin at any place of 64 KiB. */
static void a_ring_without_an_end(void **state) {
    enum { BYTES = 16 << 20 };
    struct dpu_symbol_t ring;
    char *text = NULL;
    (void)state;
    struct dpu_set_t set = run("end: stop true, end\n.data\n.balign 8\n"
                               "__stdout_buffer_size: .word 0x1000000\n.balign 8\n"
                               "__stdout_buffer_state: .word 0, 1\n"
                               ".section .mram.noinit\n__stdout_buffer: .space 0x1000000\n");
    assert_int_equal(mpu_dpu_symbol_of(set, "__stdout_buffer", &ring, keep), DPU_OK);
    assert_int_equal(mpu_dpu_copy_to(set, ring, BYTES - 8, "no text.", 8, keep), DPU_OK);
    assert_int_equal(mpu_dpu_log(set, &text, keep), DPU_ERR_LOG_FORMAT);
    mpu_string_free(text);
    assert_int_equal(mpu_dpu_copy_to(set, ring, BYTES - 8, "%c\0w\0\0\0", 8, keep), DPU_OK);
    expect_log(set, "w");
    dpu_free(set);
}

/* 150 us each (reference figures of silicon: 0.14 to 0.16 ms on 16 and 64 DPUs), however many DPUs
 * there are; the kernel's time is one DPU's. */
static void launches(void **state) {
    (void)state;
    static const uint32_t counts[] = {1, 4, 16, 64};
    for (unsigned i = 0; i < 4; i++) {
        mpu_dpu_times took;
        struct dpu_set_t set = run_on(counts[i], " nop\nend: stop true, end\n");
        assert_int_equal(mpu_dpu_launch(set, DPU_SYNCHRONOUS, keep), DPU_OK);
        mpu_dpu_time(set, &took);
        assert_int_equal(took.launches, 2);
        assert_int_equal(took.launch_ps, 2 * UINT64_C(150000000));
        assert_int_equal(took.instructions, 2 * 2 * counts[i]);
        assert_true(took.kernel_ps > 0 && took.kernel_ps < 200000);
        dpu_free(set);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_conversions),
        cmocka_unit_test(tasklets_print),
        cmocka_unit_test(buffer_is_the_programs),
        cmocka_unit_test(a_ring_without_an_end),
        cmocka_unit_test(launches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
