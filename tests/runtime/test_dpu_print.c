/* SPDX-License-Identifier: MIT
 * What DPU programs print by the runtime library's vprintf, as dpu_log_read gives it; and what
 * launches of any number of DPUs take. */
#include "machines/core/dpu/dpu.h"
#include "runtime/include/mpu/dpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
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
/* Random formats print what the host's printf does with the same arguments. */
static uint64_t state_of_draws;
static uint32_t draw(uint32_t below) {
    state_of_draws = state_of_draws * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state_of_draws >> 33) % below;
}
struct formats {
    struct str program, data, wanted;
    uint32_t count;
};
static void add_format(struct formats *f) {
    static const char kinds[] = "diuxXocsfeEgG%";
    static const char *const texts[] = {"", "one", "a longer text"};
    static const double doubles[] = {0, 1.5, -2.25e-7, 6.02e23, -0.0};
    static const int64_t numbers[] = {0, 1, -1, 77, INT32_MIN, INT64_MIN, 0x123456789abcdef};
    char kind = kinds[draw(sizeof kinds - 1)], one[40] = "%", host[48], *at = one + 1;
    const char *flags = strchr("sc", kind) ? "-" : strchr("diuxXo", kind) ? "-+ 0" : "-+ #0";
    bool wide = strchr("diuxXo", kind) && draw(3) == 0;
    if (kind != '%') {
        for (const char *flag = flags; *flag; flag++)
            if (draw(4) == 0)
                *at++ = *flag;
        if (draw(2))
            at += sprintf(at, "%u", draw(8) ? 1 + draw(30) : 9999 - draw(3));
        if (kind != 'c' && draw(3) == 0)
            at += sprintf(at, ".%u", draw(12));
    }
    snprintf(host, sizeof host, "%s%s%c|", one, wide ? "ll" : "", kind);
    str_printf(&f->data, "f%u: .asciz \"%s%s%c|\"\n.balign 8\na%u: ", f->count, one,
               wide ? "l" : "", kind, f->count);
    str_printf(&f->program, " move r0, f%u\n move r1, a%u\n call r23, vprintf\n", f->count,
               f->count);
    if (kind == '%') {
        str_append(&f->data, ".word 0\n");
        str_append(&f->wanted, "%|");
    } else if (kind == 's') {
        const char *text = texts[draw(3)];
        str_printf(&f->data, ".word . + 4\n.asciz \"%s\"\n", text);
        str_printf(&f->wanted, host, text);
    } else if (kind == 'c') {
        int c = 'a' + (int)draw(26);
        str_printf(&f->data, ".word %d\n", c);
        str_printf(&f->wanted, host, c);
    } else if (strchr("feEgG", kind)) {
        double value = doubles[draw(5)];
        int64_t bits;
        memcpy(&bits, &value, 8);
        str_printf(&f->data, ".quad 0x%" PRIx64 "\n", (uint64_t)bits);
        str_printf(&f->wanted, host, value);
    } else {
        int64_t value = numbers[draw(7)];
        str_printf(&f->data, ".quad 0x%" PRIx64 "\n", (uint64_t)value);
        if (wide)
            str_printf(&f->wanted, host, (long long)value);
        else
            str_printf(&f->wanted, host, (int)value);
    }
    f->count++;
}
static void random_formats(void **state) {
    (void)state;
    for (uint32_t round = 0; round < 5; round++) {
        struct formats f = {0};
        str_append(&f.program, ".text\n jump __bootstrap\nmain: move r15, r23\n");
        while (f.count < 120)
            add_format(&f);
        str_printf(&f.program, " jump r15\n.data\n%s", str_text(&f.data));
        struct dpu_set_t set = run(str_text(&f.program));
        expect_log(set, str_text(&f.wanted));
        dpu_free(set);
        str_free(&f.program);
        str_free(&f.data);
        str_free(&f.wanted);
    }
}
/* Pointers as the host prints them, the SDK's %b, and what is no conversion, which stays. */
static void odd_formats(void **state) {
    (void)state;
    struct dpu_set_t set =
        run("    jump __bootstrap\nmain: move r15, r23\n move r0, format\n move r1, arguments\n"
            " call r23, vprintf\n move r0, last\n call r23, vprintf\n jump r15\n"
            ".data\nformat: .asciz \"%p,%8p,%-8p,%b,%hd,%c%d,\"\nlast: .asciz \"100%\"\n"
            ".balign 8\narguments: .word 0xabc, 0, 16, 5, 7, 0, 8\n");
    expect_log(set, "0xabc,   (nil),0x10    ,10100000000000000000000000000000,%hd,8,100");
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
        cmocka_unit_test(random_formats),
        cmocka_unit_test(odd_formats),
        cmocka_unit_test(tasklets_print),
        cmocka_unit_test(buffer_is_the_programs),
        cmocka_unit_test(a_ring_without_an_end),
        cmocka_unit_test(launches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
