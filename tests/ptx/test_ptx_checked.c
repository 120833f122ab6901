/* SPDX-License-Identifier: MIT
 * Kernels in PTX under --check, on a core that launches them in another order of threads, or from a
 * text that was changed meanwhile, as a machine does that errs: planted errors are found with the
 * line of the text; what depends on the order of threads is counted, and not compared. */
#include "ezpim/launch_file.h"
#include "machines/golden/link/golden.h"
#include "machines/golden/link/ptx_kernels.h"
#include "ptx/form.h"
#include "runtime/include/mpu/mpu.h"
#include "support/alloc.h"
#include "tests/machines/core/core.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- the core ---- */

const struct machine_form *const core_forms[] = {&core_form, &golden_ptx_form, NULL};
const struct target_kind *const machine_target_kinds[] = {&golden_target_kind, &core_kind, NULL};
const struct machine *const machine_list[] = {&golden_machine, &core_machine, NULL};

static struct datapath_ops other; /* the core's, but for launch */
static const struct datapath_ops *const golden_engines[] = {&golden_ops, NULL};
static const struct datapath_ops *const core_engines[] = {&other, NULL};
const struct datapath_kind datapath_kinds[] = {
    {"golden", golden_engines}, {"toy-core", core_engines}, {NULL, NULL}};

enum { WORDS = 256 };

/* What the core errs in: this part of the text is that one.  NULL: nothing. */
static const char *was, *is;
static bool descending;

static struct datapath *open_other(const struct dp_setup *setup, struct diag *diag) {
    struct datapath *dp = core_engine.open(setup, diag);
    if (dp)
        dp->ops = &other;
    return dp;
}

struct memory {
    unsigned char bytes[4 * WORDS];
    uint64_t address;
};

static unsigned char *at(void *context, uint64_t address, uint64_t size, uint32_t access,
                         uint64_t thread, uint32_t line) {
    struct memory *m = context;
    (void)access, (void)thread, (void)line;
    return address >= m->address && address - m->address <= sizeof m->bytes - size
               ? m->bytes + (address - m->address)
               : NULL;
}

/* The text that the core carries out, whose lines are the same ones. */
static void erring(const struct kernel_decl *decl, struct str *out) {
    str_append_n(out, decl->bytes, decl->size);
    const char *found = was ? strstr(str_text(out), was) : NULL;
    if (!found)
        return;
    struct str text = {0};
    str_append_n(&text, out->text, (size_t)(found - out->text));
    str_append(&text, is);
    str_append(&text, found + strlen(was));
    str_free(out);
    *out = text;
}

static bool launch_other(struct datapath *dp, const struct dp_launch *launch, struct dp_cost *cost,
                         struct diag *diag) {
    struct portable_fault fault = {.line = 0};
    struct memory m;
    struct str text = {0};
    struct kernel_decl decl = *launch->decl;
    struct portable_launch x = {.parameters = launch->parameters,
                                .parameter_bytes = launch->parameter_bytes,
                                .bytes = launch->bytes,
                                .descending = descending,
                                .at = at,
                                .context = &m};
    erring(launch->decl, &text);
    decl.bytes = text.text;
    decl.size = text.len;
    memcpy(x.grid, launch->grid, sizeof x.grid);
    memcpy(x.block, launch->block, sizeof x.block);
    memcpy(&m.address, launch->parameters, sizeof m.address);
    struct portable_kernel *k = ptx_portable.read(&decl, &fault);
    bool fine = core_engine.mem_get(dp, m.address, m.bytes, sizeof m.bytes, diag) && k &&
                ptx_portable.run(k, &x, &fault);
    if (fine)
        core_engine.mem_put(dp, m.address, m.bytes, sizeof m.bytes, diag);
    else
        diag_error(diag, NO_SPAN, "%s", str_text(&fault.what));
    cost->known = true;
    cost->ps = 1000;
    if (k)
        ptx_portable.free(k);
    str_free(&text);
    str_free(&fault.what);
    return fine;
}

/* ---- runs ---- */

struct outcome {
    mpu_result result;
    struct str message;
    uint64_t launches, bytes, unsettled;
    uint32_t line; /* of `by` in the program; 0: it is not there */
};

static uint32_t line_of(const char *text, const char *part) {
    const char *at = part ? strstr(text, part) : NULL;
    uint32_t line = at != NULL;
    for (; at && text < at; text++)
        line += *text == '\n';
    return line;
}

static void run(const char *body, const char *by, struct outcome *out) {
    mpu_error *e = NULL;
    mpu_target *t = mpu_target_open(MPU_SOURCE_DIR "/tests/machines/core/core.yaml", NULL, &e);
    mpu_source *source = mpu_source_new(NULL);
    const mpu_config config = {.size = sizeof config, .engine = "strict", .check = 1};
    uint32_t data[WORDS];
    const mpu_array in = {MPU_U32, 1, {WORDS}, data};
    struct str text = {0};
    for (unsigned i = 0; i < WORDS; i++) /* at the end small numbers of float32, of any size */
        data[i] = i < WORDS / 2 ? 0 : 0x3f800001 + (i % 7 << 24) + i * 77777;
    str_printf(&text,
               " .buffer inout data: u32[%d]\n .module m ptx\n.version 7.0\n.target sm_75\n"
               ".address_size 64\n.visible .entry _Z1kPj(.param .u64 data)\n{\n"
               "\t.reg .pred %%p<9>;\n\t.reg .b32 %%r<19>;\n\t.reg .b64 %%d<9>;\n\t.reg .f32 "
               "%%f<9>;\n"
               "\tld.param.u64 %%d1, [data];\n\tmov.u32 %%r0, %%tid.x;\n"
               "\txor.b32 %%r0, %%r0, 0;\n\tmov.u32 %%r1, %%ctaid.x;\n"
               "\tmad.lo.s32 %%r1, %%r1, 64, %%r0;\n\tmul.wide.u32 %%d0, %%r1, 4;\n"
               "\tadd.s64 %%d0, %%d0, %%d1;\n\tld.global.f32 %%f0, [%%d0+512];\n"
               "%s"
               "\tret;\n}\n .endmodule\n .kernel k ptx(data: u32[]) in m\n"
               " .launch k<<<2, 64>>>(data)\n HALT\n",
               WORDS, body);
    mpu_source_add_text(source, "checked.s", text.text, text.len);
    mpu_program *program = mpu_source_build(source, &e);
    if (!t || !program)
        fail_msg("%s", mpu_error_text(e));
    mpu_session *s = mpu_session_new(program, t, &config, &e);
    if (!s)
        fail_msg("%s", mpu_error_text(e));
    *out = (struct outcome){.result = MPU_OK, .line = line_of(text.text, by)};
    assert_int_equal(mpu_session_put(s, "data", &in, NULL), MPU_OK);
    out->result = mpu_session_run(s, &e);
    if (out->result != MPU_OK)
        str_append(&out->message, mpu_error_text(e));
    mpu_session_checked_kernels(s, &out->launches, &out->bytes, &out->unsettled);
    str_free(&text);
    mpu_error_free(e);
    mpu_session_free(s);
    mpu_program_free(program);
    mpu_source_free(source);
    mpu_target_close(t);
}

/* A tree of sums in shared memory, between barriers. */
#define TREE                                                                                       \
    "\t.shared .align 4 .b8 sums[256];\n\tmov.u32 %r2, sums;\n\tshl.b32 %r3, %r0, 2;\n"            \
    "\tadd.s32 %r2, %r2, %r3;\n\tst.shared.u32 [%r2], %r0;\n\tmov.u32 %r4, 32;\n"                  \
    "LOOP:\n\tbar.sync 0;\n\tsetp.ge.u32 %p1, %r0, %r4;\n\t@%p1 bra SKIP;\n"                       \
    "\tshl.b32 %r5, %r4, 2;\n\tadd.s32 %r6, %r2, %r5;\n\tld.shared.u32 %r7, [%r6];\n"              \
    "\tld.shared.u32 %r8, [%r2];\n\tadd.s32 %r8, %r7, %r8;\n\tst.shared.u32 [%r2], %r8;\n"         \
    "SKIP:\n\tshr.u32 %r4, %r4, 1;\n\tsetp.ne.u32 %p2, %r4, 0;\n\t@%p2 bra LOOP;\n"                \
    "\tbar.sync 0;\n\tld.shared.u32 %r9, [sums];\n\tst.global.u32 [%d0], %r9;\n"
/* Two ways that come together, where all go on. */
#define JOIN                                                                                       \
    "\tand.b32 %r2, %r0, 5;\n\tsetp.eq.u32 %p1, %r2, 0;\n\t@%p1 bra OTHER;\n"                      \
    "\tadd.s32 %r3, %r0, 7;\n\tbra WHERE;\nOTHER:\n\tmul.lo.s32 %r3, %r0, 3;\nWHERE:\n"            \
    "\tadd.s32 %r3, %r3, 1;\n\tst.global.u32 [%d0], %r3;\nEND:\n"
#define SHUFFLE "\tshfl.sync.down.b32 %r2, %r0, 4, 31, -1;\n\tst.global.u32 [%d0], %r2;\n"
/* All threads' sum of their shuffles in one word. */
#define SUM                                                                                        \
    "\tshfl.sync.bfly.b32 %r2, %r0, 16, 31, -1;\n\tadd.s32 %r2, %r2, %r0;\n"                       \
    "\tatom.global.add.u32 %r3, [%d1], %r2;\n"
#define HISTOGRAM                                                                                  \
    "\tand.b32 %r2, %r0, 7;\n\tmul.wide.u32 %d2, %r2, 4;\n\tadd.s64 %d2, %d2, %d1;\n"              \
    "\tred.global.add.u32 [%d2], 1;\n\tred.global.max.u32 [%d2+64], %r1;\n"
#define FLOATS                                                                                     \
    "\tand.b32 %r2, %r0, 3;\n\tmul.wide.u32 %d2, %r2, 4;\n\tadd.s64 %d2, %d2, %d1;\n"              \
    "\tred.global.add.f32 [%d2], %f0;\n"
/* Sums of floats in shared memory, which four threads write. */
#define SHARED_FLOATS                                                                              \
    "\t.shared .align 4 .b8 sums[16];\n\tmov.u32 %r2, sums;\n\tand.b32 %r3, %r0, 3;\n"             \
    "\tshl.b32 %r3, %r3, 2;\n\tadd.s32 %r3, %r3, %r2;\n\tred.shared.add.f32 [%r3], %f0;\n"         \
    "\tbar.sync 0;\n\tsetp.gt.u32 %p1, %r0, 3;\n\t@%p1 bra END;\n\tld.shared.f32 %f1, [%r3];\n"    \
    "\tst.global.f32 [%d0], %f1;\nEND:\n"
/* The place of a thread is how many came before; who leads a warp asks for it, and tells.  Of three
 * warps the second one comes second in both orders. */
#define COMPACT                                                                                    \
    "\tsetp.ge.u32 %p2, %r1, 96;\n\t@%p2 bra END;\n"                                               \
    "\tand.b32 %r2, %r0, 31;\n\tsetp.eq.u32 %p1, %r2, 0;\n"                                        \
    "\t@%p1 atom.global.add.u32 %r3, [%d1+400], 32;\n\tshfl.sync.idx.b32 %r3, %r3, 0, 31, -1;\n"   \
    "\tadd.s32 %r3, %r3, %r2;\n\tmul.wide.u32 %d2, %r3, 4;\n\tadd.s64 %d2, %d2, %d1;\n"            \
    "\tst.global.u32 [%d2], %r1;\nEND:\n"
/* Of neighbours the one that comes first; and that somebody came. */
#define RACE                                                                                       \
    "\tshr.u32 %r2, %r1, 3;\n\tmul.wide.u32 %d2, %r2, 4;\n\tadd.s64 %d2, %d2, %d1;\n"              \
    "\tadd.s32 %r3, %r1, 1;\n\tatom.global.cas.b32 %r4, [%d2], 0, %r3;\n"                          \
    "\tst.global.u32 [%d1+400], 1;\n"

static const struct {
    const char *body, *was, *is;
    const char *by; /* what wrote golden's value; NULL: nothing is found */
    bool unsettled;
} cases[] = {
    {TREE, NULL, NULL, NULL, false},
    {TREE, "\tbar.sync 0;", "", "st.global", false},
    {JOIN, NULL, NULL, NULL, false},
    {JOIN, "\tbra WHERE;", "\tbra END;", "st.global", false},
    {JOIN, "OTHER:", "OTHER:\n\tbra END;", "st.global", false},
    {SHUFFLE, NULL, NULL, NULL, false},
    {SHUFFLE, "4, 31, -1", "4, 15, -1", "st.global", false},
    {SHUFFLE, "4, 31, -1", "5, 31, -1", "st.global", false},
    {SUM, NULL, NULL, NULL, false},
    {SUM, "16, 31, -1", "16, 15, -1", "atom", false},
    {HISTOGRAM, NULL, NULL, NULL, false},
    {HISTOGRAM, "], 1;", "], 2;", "red.global.add", false},
    {HISTOGRAM, "red.global.max", "red.global.min", "red.global.max", false},
    {FLOATS, "%r0, %r0, 0", "%r0, %r0, 20", NULL, true},
    {SHARED_FLOATS, "%r0, %r0, 0", "%r0, %r0, 20", NULL, true},
    {COMPACT, "%r0, %r0, 0", "%r0, %r0, 32", NULL, true},
    {RACE, "%r0, %r0, 0", "%r0, %r0, 3", NULL, true},
};

static void test_cases(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned down = 0; down < (cases[i].by ? 1 : 2); down++) {
            struct outcome out;
            char line[32];
            was = cases[i].was;
            is = cases[i].is;
            descending = down;
            run(cases[i].body, cases[i].by, &out);
            snprintf(line, sizeof line, "checked.s:%u", (unsigned)out.line);
            if (out.result != (cases[i].by ? MPU_DIFFERS : MPU_OK) ||
                (cases[i].by && !strstr(str_text(&out.message), line)))
                fail_msg("case %zu: %s", i, str_text(&out.message));
            assert_int_equal(out.launches, 1);
            if (!cases[i].by) {
                assert_int_equal(out.bytes + out.unsettled, 4 * WORDS);
                if ((out.unsettled != 0) != cases[i].unsettled)
                    fail_msg("case %zu: %u bytes depend on the order", i, (unsigned)out.unsettled);
            }
            str_free(&out.message);
        }
}

/* ---- what buffers are for ---- */

static void test_directions(void **state) {
    static const char text[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                               ".visible .entry _Z4copyPfPKfi(.param .u64 a, .param .u64 b, "
                               ".param .u32 n)\n{\n\tret;\n}\n";
    static const char *const both[] = {"x", "y"}, *const one[] = {"y"};
    static const char *const launched[] = {"copy<<<1, 4>>>(x, y, 4)", "copy<<<1, 4>>>(y, x, 4)"};
    static const struct {
        struct driver_launches given;
        uint8_t x, y;
    } files[] = {
        {{.launches = launched, .launch_count = 1, .inputs = both, .input_count = 2},
         VAR_IN | VAR_OUT,
         VAR_IN},
        {{.launches = launched, .launch_count = 2, .inputs = both, .input_count = 2},
         VAR_IN | VAR_OUT,
         VAR_IN | VAR_OUT},
        {{.launches = launched, .launch_count = 1, .inputs = one, .input_count = 1},
         VAR_OUT,
         VAR_IN},
    };
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct diag *d = diag_new(NULL, NULL);
        struct object *o =
            driver_launch_program("k.ptx", ".ptx", text, sizeof text - 1, &files[i].given, d);
        assert_non_null(o);
        assert_int_equal(o->buffers.len, 2);
        assert_int_equal(o->buffers.data[0].direction, files[i].x);
        assert_int_equal(o->buffers.data[1].direction, files[i].y);
        object_free(o);
        diag_free(d);
    }
}

int main(void) {
    other = core_engine;
    other.open = open_other;
    other.launch = launch_other;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases),
                                       cmocka_unit_test(test_directions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
