/* SPDX-License-Identifier: MIT
 * Stage kernels under --check, on a core that launches them in an order of its own: from the last
 * element to the first, or with a byte changed.  Sums of floats are counted and not compared;
 * whatever else differs is found, with the line of the text. */
#include "machines/golden/link/golden.h"
#include "runtime/include/mpu/mpu.h"
#include "stage/form.h"
#include "support/alloc.h"
#include "support/vec.h"
#include "tests/machines/core/core.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- the core ---- */

static const struct machine_form stage_on_core = {.name = "stage",
                                                  .whole = true,
                                                  .takes = TAKES_GRID,
                                                  .compile = golden_compile_kernel,
                                                  .print = golden_print_kernel};
const struct machine_form *const core_forms[] = {&core_form, &stage_on_core, NULL};
const struct target_kind *const machine_target_kinds[] = {&golden_target_kind, &core_kind, NULL};
const struct machine *const machine_list[] = {&golden_machine, &core_machine, NULL};

static struct datapath_ops turned; /* the core's, but for launch */
static const struct datapath_ops *const golden_engines[] = {&golden_ops, NULL};
static const struct datapath_ops *const core_engines[] = {&turned, NULL};
const struct datapath_kind datapath_kinds[] = {
    {"golden", golden_engines}, {"toy-core", core_engines}, {NULL, NULL}};

/* The byte of the buffer that is argument `changed` comes out wrong; NOTHING: none does. */
enum { ARRAY, RESULT, SUM, MOST, BINS, NOTHING };
static unsigned changed = NOTHING;
static uint64_t changed_byte;

static struct datapath *open_turned(const struct dp_setup *setup, struct diag *diag) {
    struct datapath *dp = core_engine.open(setup, diag);
    if (dp)
        dp->ops = &turned;
    return dp;
}

/* What the interpreter has taken out of memory, to be put back. */
struct taken {
    unsigned char *bytes;
    uint64_t address, size;
    bool writes;
};
struct memory {
    struct datapath *dp;
    struct diag *diag;
    VEC(struct taken) list;
};

static void put_back(struct memory *m) {
    for (size_t i = 0; i < m->list.len; i++)
        if (m->list.data[i].writes)
            core_engine.mem_put(m->dp, m->list.data[i].address, m->list.data[i].bytes,
                                m->list.data[i].size, m->diag);
}

static unsigned char *at(void *context, uint64_t address, uint64_t size, uint32_t access,
                         uint64_t thread, uint32_t line) {
    struct memory *m = context;
    struct taken t = {xmalloc((size_t)size + 1), address, size, access != PORTABLE_READS};
    (void)thread, (void)line;
    put_back(m);
    bool there = core_engine.mem_get(m->dp, address, t.bytes, size, m->diag);
    vec_push(&m->list, t);
    return there ? t.bytes : NULL;
}

static bool go_on(void *context, uint64_t steps) {
    (void)context, (void)steps;
    return true;
}

static void change(struct memory *m, const struct dp_launch *launch) {
    uint64_t address;
    unsigned char byte;
    memcpy(&address, launch->parameters + sizeof address * changed, sizeof address);
    address += changed_byte;
    assert_true(core_engine.mem_get(m->dp, address, &byte, 1, m->diag));
    byte ^= 4;
    core_engine.mem_put(m->dp, address, &byte, 1, m->diag);
}

static bool launch_turned(struct datapath *dp, const struct dp_launch *launch, struct dp_cost *cost,
                          struct diag *diag) {
    struct memory m = {.dp = dp, .diag = diag};
    struct portable_fault fault = {.line = 0};
    const struct portable_launch x = {.parameters = launch->parameters,
                                      .parameter_bytes = launch->parameter_bytes,
                                      .descending = true,
                                      .at = at,
                                      .go_on = go_on,
                                      .context = &m};
    struct portable_kernel *k = stage_form.read(launch->decl, &fault);
    bool fine = k && stage_form.run(k, &x, &fault);
    put_back(&m);
    if (fine && changed != NOTHING)
        change(&m, launch);
    if (!fine)
        diag_error(diag, NO_SPAN, "%s", str_text(&fault.what));
    cost->known = true;
    cost->ps = 1000;
    for (size_t i = 0; i < m.list.len; i++)
        free(m.list.data[i].bytes);
    vec_free(&m.list);
    if (k)
        stage_form.free(k);
    str_free(&fault.what);
    return fine;
}

/* ---- runs ---- */

static const char program_text[] =
    " .size n = 6\n .buffer in x: f32[n]\n .buffer out y: f32[n]\n .buffer out sum: f32\n"
    " .buffer out most: f32\n .buffer out bins: u32[2]\n"
    " .kernel f stage(x: f32[], y: f32[], sum: f32[], most: f32[], bins: u32[], n: u64)\n"
    "  length n;\n"
    "  map (in x, out y) { y[0] = x[0] * 2.0; }\n"
    "  reduce (in y, acc sum = 0.0) { sum[0] += y[0]; }\n"
    "  reduce (in y, acc most) { most[0] = max(most[0], y[0]); }\n"
    "  reduce (in x, acc bins[2]) { bins[x[0] > 1.0 ? 1 : 0]++; }\n"
    " .endkernel\n"
    " RECIPE f(x, y, sum, most, bins, n)\n RECIPE f(x, y, sum, most, bins, n)\n HALT\n";

struct outcome {
    mpu_result result;
    struct str message;
    uint64_t launches, bytes, unsettled;
    float sum;
};

static void run(struct outcome *out) {
    mpu_error *e = NULL;
    mpu_target *t = mpu_target_open(MPU_SOURCE_DIR "/tests/machines/core/core.yaml", NULL, &e);
    mpu_source *source = mpu_source_new(NULL);
    const mpu_config config = {.size = sizeof config, .engine = "strict", .check = 1};
    float x[] = {8388608, 1, 1, 1, 1, 1}; /* 2^23: twice that loses a 1, and a 2 not */
    const mpu_array in = {MPU_F32, 1, {6}, x};
    mpu_array y;
    x[1] = x[2] = x[3] = x[4] = x[5] = 0.5f;
    mpu_source_add_text(source, "checked.s", program_text, sizeof program_text - 1);
    mpu_program *program = mpu_source_build(source, &e);
    if (!t || !program)
        fail_msg("%s", mpu_error_text(e));
    mpu_session *s = mpu_session_new(program, t, &config, &e);
    if (!s)
        fail_msg("%s", mpu_error_text(e));
    *out = (struct outcome){.result = MPU_OK};
    assert_int_equal(mpu_session_put(s, "x", &in, NULL), MPU_OK);
    out->result = mpu_session_run(s, &e);
    if (out->result != MPU_OK)
        str_append(&out->message, mpu_error_text(e));
    mpu_session_checked_kernels(s, &out->launches, &out->bytes, &out->unsettled);
    if (out->result == MPU_OK && mpu_session_get(s, "sum", &y, NULL) == MPU_OK) {
        memcpy(&out->sum, y.data, sizeof out->sum);
        mpu_array_free(&y);
    }
    mpu_error_free(e);
    mpu_session_free(s);
    mpu_program_free(program);
    mpu_source_free(source);
    mpu_target_close(t);
}

static void test_order(void **state) {
    struct outcome out;
    (void)state;
    run(&out);
    if (out.result != MPU_OK)
        fail_msg("%s", str_text(&out.message));
    assert_int_equal(out.launches, 2);
    assert_true(out.sum == 16777220.0f); /* 5 and 2^24; the other way it is 2^24 */
    /* The bytes of the sum that differ, and nothing else, in each launch. */
    assert_true(out.unsettled >= 2 && out.unsettled <= 8);
    assert_int_equal(out.bytes + out.unsettled, 2 * (6 * 4 + 6 * 4 + 4 + 4 + 8));
    str_free(&out.message);
}

/* Wherever a byte of a settled result is another one it is found; one of the sum is counted. */
static void test_changes(void **state) {
    struct outcome out;
    static const unsigned bytes[] = {24, 24, 4, 4, 8};
    (void)state;
    for (changed = ARRAY; changed < NOTHING; changed++)
        for (changed_byte = 0; changed_byte < bytes[changed]; changed_byte++) {
            run(&out);
            assert_int_equal(out.result, changed == SUM ? MPU_OK : MPU_DIFFERS);
            if (changed != SUM)
                assert_non_null(strstr(out.message.text, "kernel 'f', launch 1"));
            if (changed == MOST) /* the line that leaves golden's */
                assert_non_null(strstr(out.message.text, "checked.s:11"));
            str_free(&out.message);
        }
}

int main(void) {
    turned = core_engine;
    turned.open = open_turned;
    turned.launch = launch_turned;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_changes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
