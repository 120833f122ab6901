/* SPDX-License-Identifier: MIT
 * Kernels of a few lines in time. */
#include "tests/simt/timed_kernel.h"

#include "machines/core/simt/compile.h"
#include "machines/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BASE  UINT64_C(0x10000)
#define BYTES (UINT64_C(1) << 20)

static void keep(void *context, const struct simt_issued *x) {
    struct taken *t = context;
    t->issued[x->step] = *x;
}

/* What stands before and behind the lines: %rd3 is the thread's word, %r1 its number. */
static void kernel_text(const char *lines, struct str *out) {
    str_printf(out,
               ".version 6.3\n.target sm_75\n.address_size 64\n"
               ".visible .entry k(.param .u64 p)\n{\n.reg .pred %%p<4>;\n.reg .b32 %%r<16>;\n"
               ".reg .f32 %%f<16>;\n.reg .b64 %%rd<16>;\n.shared .align 4 .b8 parts[4096];\n"
               "ld.param.u64 %%rd1, [p];\nmov.u32 %%r1, %%tid.x;\nmul.wide.u32 %%rd2, %%r1, 4;\n"
               "add.s64 %%rd3, %%rd1, %%rd2;\n%s\nret;\n}\n",
               lines);
}

void timed_take_on(const char *target, struct taken *t, const char *lines, uint32_t threads,
                   const char *const *set, size_t count) {
    static unsigned char memory[BYTES + 8];
    struct target_override overrides[8];
    struct portable_fault fault = {.line = 0};
    struct diag *d = diag_new(NULL, NULL);
    struct str text = {0}, code = {0};
    const char *problem = NULL;
    memset(t, 0, sizeof *t);
    for (size_t i = 0; i < count; i++)
        overrides[i] = (struct target_override){set[2 * i], set[2 * i + 1]};
    assert_int_equal(machine_open_target(target, overrides, count, d, &t->target, &t->library),
                     TARGET_FINE);
    kernel_text(lines, &text);
    const struct simt_options options = {.registers = SIMT_REGISTERS,
                                         .near_shared = simt_keys(t->target)->time.near_units};
    struct ptx_module *module = ptx_read(text.text, text.len, &fault);
    assert_non_null(module);
    struct simt_kernel *k = simt_compile(module, 0, &options, &fault);
    assert_non_null(k);
    simt_kernel_write(k, &code);
    simt_kernel_free(k);
    ptx_free(module);
    t->program = simt_program_new(code.text, code.len, NULL, &problem);
    assert_non_null(t->program);
    t->kernel = t->program->kernel;
    assert_true(t->kernel->insn_count < TIMED_STEPS);
    struct state_memory m = {.limit = 0};
    vec_push(&m.arrays, ((struct state_array){.address = BASE,
                                              .size = BYTES,
                                              .slices = 1,
                                              .stride = UINT64_C(1) << 40,
                                              .bytes = memory}));
    memset(memory, 0, sizeof memory);
    unsigned char parameter[8] = {0, 0, 1};
    const struct dp_launch x = {
        .parameters = parameter, .parameter_bytes = 8, .grid = {1}, .block = {threads}};
    t->time = (struct simt_launch_time){.places = t->places, .issued = keep, .context = t};
    struct simt_run run = {.program = t->program,
                           .launch = &x,
                           .target = t->target,
                           .memory = &m,
                           .diag = d,
                           .timed = &t->time};
    assert_true(simt_launch(&run));
    vec_free(&m.arrays);
    str_free(&text);
    str_free(&code);
    diag_free(d);
}

void timed_take(struct taken *t, const char *lines, uint32_t threads, const char *const *set,
                size_t count) {
    timed_take_on("simt", t, lines, threads, set, count);
}

void timed_let_go(struct taken *t) {
    simt_program_free(t->program);
    machine_library_close(t->library);
    target_free(t->target);
}

uint32_t timed_nth(const struct taken *t, enum simt_op op, unsigned n) {
    for (uint32_t i = 0; i < t->kernel->insn_count; i++)
        if (t->kernel->insns[i].op == op && n-- == 0)
            return i;
    assert_true(false);
    return 0;
}
uint32_t timed_global(const struct taken *t, enum simt_op op, unsigned n) {
    for (uint32_t i = 0; i < t->kernel->insn_count; i++)
        if (t->kernel->insns[i].op == op && t->kernel->insns[i].m.space == PTX_GLOBAL && n-- == 0)
            return i;
    assert_true(false);
    return 0;
}
