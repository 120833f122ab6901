/* SPDX-License-Identifier: MIT
 * The near-bank SIMT machine under --check, with code of a package that was changed behind the
 * linker's back: errors in how branches go on, in barriers, shuffles and atomics are found. */
#include "machines/core/simt/link/simt_link.h"
#include "machines/core/simt/run/simt_engine.h"
#include "machines/core/simt/words.h"
#include "machines/golden/link/golden.h"
#include "runtime/include/mpu/mpu.h"
#include "support/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

const struct target_kind *const machine_target_kinds[] = {&golden_target_kind, &simt_target_kind,
                                                          NULL};
const struct machine *const machine_list[] = {&golden_machine, &simt_machine, NULL};

static struct datapath_ops planted; /* the machine's, but for launch */
static const struct datapath_ops *const golden_engines[] = {&golden_ops, NULL};
static const struct datapath_ops *const simt_engines[] = {&planted, NULL};
const struct datapath_kind datapath_kinds[] = {
    {"golden", golden_engines}, {"simt", simt_engines}, {NULL, NULL}};

enum { WORDS = 128 };

/* ---- errors ---- */

static void no_barrier(struct simt_insn *insns, uint32_t i) {
    insns[i] = (struct simt_insn){.op = SIMT_NOP,
                                  .location = insns[i].location,
                                  .guard = SIMT_PT,
                                  .second = SIMT_PT,
                                  .m = {.vector = 1}};
}
static void other_range(struct simt_insn *insns, uint32_t i) {
    insns[i].number[2] = 15;
}
static void other_number(struct simt_insn *insns, uint32_t i) {
    insns[i].number[1]++;
}
/* Past where its lanes meet others. */
static void too_far(struct simt_insn *insns, uint32_t i) {
    insns[i].target++;
}
static void not_turned(struct simt_insn *insns, uint32_t i) {
    insns[i].guard_not = !insns[i].guard_not;
}

/* The instruction with this operation that has no guard, or one, becomes another one. */
static struct {
    enum simt_op op;
    bool guarded;
    void (*change)(struct simt_insn *insns, uint32_t i);
} plant;

static void change(struct simt_kernel *k) {
    struct simt_insn *insns = ARENA_ARRAY(&k->arena, k->insn_count, struct simt_insn);
    uint32_t wrong, i = 0;
    struct str why = {0};
    memcpy(insns, k->insns, k->insn_count * sizeof *insns);
    while (i < k->insn_count &&
           (insns[i].op != plant.op || (insns[i].guard != SIMT_PT) != plant.guarded))
        i++;
    assert_true(i < k->insn_count);
    plant.change(insns, i);
    if (!simt_kernel_encode(k, insns, &wrong, &why))
        fail_msg("%s", str_text(&why));
    str_free(&why);
}

static struct datapath *open_planted(const struct dp_setup *setup, struct diag *diag) {
    struct datapath *dp = simt_engine.open(setup, diag);
    if (dp)
        dp->ops = &planted;
    return dp;
}

static bool launch_planted(struct datapath *dp, const struct dp_launch *launch,
                           struct dp_cost *cost, struct diag *diag) {
    struct dp_launch x = *launch;
    const char *problem = NULL;
    struct str code = {0};
    struct simt_kernel *k = simt_kernel_read(launch->kernel, launch->size, &problem);
    assert_non_null(k);
    if (plant.change)
        change(k);
    simt_kernel_write(k, &code);
    x.kernel = code.text;
    x.size = code.len;
    bool fine = simt_engine.launch(dp, &x, cost, diag);
    simt_kernel_free(k);
    str_free(&code);
    return fine;
}

/* ---- runs ---- */

static mpu_result run(const char *body, struct str *message) {
    mpu_error *e = NULL;
    mpu_target *t = mpu_target_open("simt", NULL, &e);
    mpu_source *source = mpu_source_new(NULL);
    const mpu_config config = {.size = sizeof config, .check = 1};
    struct str text = {0};
    str_printf(&text,
               " .buffer out data: u32[%d]\n .module m ptx\n.version 7.0\n.target sm_75\n"
               ".address_size 64\n.visible .entry _Z1kPj(.param .u64 data)\n{\n"
               "\t.reg .pred %%p<9>;\n\t.reg .b32 %%r<19>;\n\t.reg .b64 %%d<9>;\n"
               "\tld.param.u64 %%d1, [data];\n\tmov.u32 %%r0, %%tid.x;\n"
               "\tmul.wide.u32 %%d0, %%r0, 4;\n\tadd.s64 %%d0, %%d0, %%d1;\n"
               "%s\tret;\n}\n .endmodule\n .kernel k ptx(data: u32[]) in m\n"
               " .launch k<<<1, 64>>>(data)\n HALT\n",
               WORDS, body);
    mpu_source_add_text(source, "checked.s", text.text, text.len);
    mpu_program *program = mpu_source_build(source, &e);
    mpu_session *s = t && program ? mpu_session_new(program, t, &config, &e) : NULL;
    if (!s)
        fail_msg("%s", mpu_error_text(e));
    const mpu_result result = mpu_session_run(s, &e);
    if (result != MPU_OK)
        str_append(message, mpu_error_text(e));
    str_free(&text);
    mpu_error_free(e);
    mpu_session_free(s);
    mpu_program_free(program);
    mpu_source_free(source);
    mpu_target_close(t);
    return result;
}

#define JOIN                                                                                       \
    "\tand.b32 %r2, %r0, 5;\n\tsetp.eq.u32 %p1, %r2, 0;\n\t@%p1 bra OTHER;\n"                      \
    "\tadd.s32 %r3, %r0, 7;\n\tbra WHERE;\nOTHER:\n\tmul.lo.s32 %r3, %r0, 3;\nWHERE:\n"            \
    "\tadd.s32 %r3, %r3, 1;\n\tst.global.u32 [%d0], %r3;\n"
#define PASS                                                                                       \
    "\t.shared .align 4 .b8 own[256];\n\tshl.b32 %r2, %r0, 2;\n\tmov.u32 %r3, own;\n"              \
    "\tadd.s32 %r3, %r3, %r2;\n\tst.shared.u32 [%r3], %r0;\n\tbar.sync 0;\n"                       \
    "\txor.b32 %r2, %r2, 252;\n\tmov.u32 %r3, own;\n\tadd.s32 %r3, %r3, %r2;\n"                    \
    "\tld.shared.u32 %r4, [%r3];\n\tst.global.u32 [%d0], %r4;\n"
#define SHUFFLE "\tshfl.sync.down.b32 %r2, %r0, 4, 31, -1;\n\tst.global.u32 [%d0], %r2;\n"
#define COUNT                                                                                      \
    "\tand.b32 %r2, %r0, 7;\n\tmul.wide.u32 %d2, %r2, 4;\n\tadd.s64 %d2, %d2, %d1;\n"              \
    "\tred.global.add.u32 [%d2], 1;\n"

static const struct {
    const char *body;
    enum simt_op op;
    bool guarded;
    void (*change)(struct simt_insn *insns, uint32_t i);
} cases[] = {
    {JOIN, SIMT_NOP, false, NULL},
    {JOIN, SIMT_BRA, false, too_far},
    {JOIN, SIMT_BRA, true, too_far},
    {JOIN, SIMT_BRA, true, not_turned},
    {PASS, SIMT_NOP, false, NULL},
    {PASS, SIMT_BAR, false, no_barrier},
    {SHUFFLE, SIMT_NOP, false, NULL},
    {SHUFFLE, SIMT_SHFL, false, other_range},
    {SHUFFLE, SIMT_SHFL, false, other_number},
    {COUNT, SIMT_NOP, false, NULL},
    {COUNT, SIMT_ATOM, false, other_number},
};

static void test_planted(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct str message = {0};
        plant.op = cases[i].op;
        plant.guarded = cases[i].guarded;
        plant.change = cases[i].change;
        const mpu_result result = run(cases[i].body, &message);
        if (result != (plant.change ? MPU_DIFFERS : MPU_OK) ||
            (plant.change && !strstr(str_text(&message), "as checked.s:")))
            fail_msg("case %zu: %s", i, str_text(&message));
        str_free(&message);
    }
}

int main(void) {
    planted = simt_engine;
    planted.open = open_planted;
    planted.launch = launch_planted;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_planted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
