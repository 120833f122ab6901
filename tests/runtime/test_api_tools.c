/* SPDX-License-Identifier: MIT
 * What mpu-run is written on, through the public header alone: messages, sources in memory, what a
 * program has, data as text, watching, sweeps, records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/include/mpu/mpu.h"

#define AXPY                                                                                       \
    "size n <= 100000 = 4;\ngroup g[n];\nin a: i32;\nin x, y: i32 @ g;\nout z: i32 @ g;\n"         \
    "main { compute g { z = a * x + y; } }\n"

static int set_up(void **state) {
    (void)state;
    mkdir(MPU_BINARY_DIR "/tests/api-tools", 0777);
    return chdir(MPU_BINARY_DIR "/tests/api-tools");
}

/* ---- messages, as a consumer gathers them ---- */

struct heard {
    char text[8192];
    size_t count;
    uint32_t line;
    char warning[64];
};

static void hear(void *context, const mpu_message *m) {
    struct heard *h = context;
    char *text = mpu_message_format(m, "text", "api");
    size_t used = strlen(h->text);
    snprintf(h->text + used, sizeof h->text - used, "%s", text);
    snprintf(h->warning, sizeof h->warning, "%s",
             mpu_message_warning(m) ? mpu_message_warning(m) : "");
    h->line = mpu_message_line(m);
    h->count++;
    mpu_string_free(text);
}

static void expect_heard(mpu_messages *m, struct heard *h, const char *part) {
    mpu_messages_flush(m);
    if (!strstr(h->text, part))
        fail_msg("no '%s' in '%s'", part, h->text);
    h->text[0] = '\0';
}

/* Failure with that code, and text in the error. */
static void expect_error(mpu_result r, mpu_result want, mpu_error *e, const char *part) {
    if (r != want || mpu_error_code(e) != want || !strstr(mpu_error_text(e), part))
        fail_msg("result %d (wanted %d): '%s' (wanted '%s')", (int)r, (int)want, mpu_error_text(e),
                 part);
    mpu_error_free(e);
}

static mpu_program *build(mpu_messages *m, const char *name, const char *text) {
    mpu_error *e = NULL;
    mpu_source *s = mpu_source_new(m);
    mpu_source_add_text(s, name, text, strlen(text));
    mpu_program *p = mpu_source_build(s, &e);
    mpu_source_free(s);
    if (!p)
        fail_msg("%s", mpu_error_text(e));
    return p;
}

struct rig {
    mpu_target *target;
    mpu_program *program;
    mpu_session *s;
};

static struct rig open_rig(const char *target, const char *name, const char *text,
                           const mpu_config *config) {
    mpu_error *e = NULL;
    struct rig x = {.target = mpu_target_open(target, NULL, &e)};
    assert_non_null(x.target);
    x.program = build(config ? config->messages : NULL, name, text);
    x.s = mpu_session_new(x.program, x.target, config, &e);
    if (!x.s)
        fail_msg("%s", mpu_error_text(e));
    return x;
}

static void close_rig(struct rig *x) {
    mpu_session_free(x->s);
    mpu_program_free(x->program);
    mpu_target_close(x->target);
}

static void put(struct rig *x, const char *name, const char *data) {
    mpu_error *e = NULL;
    if (mpu_session_put_data(x->s, name, data, NULL, &e) != MPU_OK)
        fail_msg("%s", mpu_error_text(e));
}

static void run(struct rig *x) {
    mpu_error *e = NULL;
    if (mpu_session_run(x->s, &e) != MPU_OK)
        fail_msg("%s", mpu_error_text(e));
}

#define UNUSED AXPY "group h[n];\n"

static void warnings_reach_a_sink(void **state) {
    struct heard h = {.count = 0};
    mpu_messages *m = mpu_messages_new(hear, &h);
    mpu_error *e = NULL;
    (void)state;
    mpu_program_free(build(m, "unused.ez", UNUSED));
    assert_int_equal(h.count, 0); /* it waits for notes */
    mpu_messages_add(m, MPU_NOTE, "and this is said");
    expect_heard(m, &h,
                 "unused.ez:7:7: warning: `h` is never used [-Wunused]\n"
                 "group h[n];\n"
                 "      ^\n"
                 "api: note: and this is said\n");
    assert_string_equal(h.warning, "unused");
    assert_int_equal(mpu_messages_errors(m), 0);
    assert_int_equal(mpu_messages_set_warning(m, "no-such"), MPU_USAGE);
    assert_int_equal(mpu_messages_set_warning(m, "error=unused"), MPU_OK);
    mpu_source *s = mpu_source_new(m);
    mpu_source_add_text(s, "unused.ez", UNUSED, strlen(UNUSED));
    assert_null(mpu_source_build(s, &e));
    expect_error(mpu_error_code(e), MPU_REJECTED, e, "`h` is never used");
    expect_heard(m, &h, "unused.ez:7:7: error: `h` is never used [-Werror=unused]\n");
    assert_int_equal(mpu_messages_errors(m), 1);
    mpu_source_free(s);
    mpu_messages_free(m);
}

/* Nothing runs on what nobody gave: zeros are put like anything else. */
static void inputs_must_have_data(void **state) {
    mpu_error *e = NULL;
    struct rig x = open_rig("racer", "axpy.ez", AXPY, NULL);
    (void)state;
    put(&x, "a", "2");
    put(&x, "x", "1,2,3,4");
    mpu_result r = mpu_session_run(x.s, &e);
    expect_error(r, MPU_USAGE, e, "no data was given for input 'y'");
    close_rig(&x);
    x = open_rig("racer", "axpy.ez", AXPY, NULL);
    put(&x, "a", "2");
    put(&x, "x", "1,2,3,4");
    put(&x, "y", "zeros");
    run(&x);
    close_rig(&x);
}

static void messages_have_places(void **state) {
    static const char text[] = "group g[4];\nout z: i32 @ g;\nmain { compute g { z = q; } }\n";
    struct heard h = {.count = 0};
    mpu_messages *m = mpu_messages_new(hear, &h);
    mpu_source *s = mpu_source_new(m);
    mpu_error *e = NULL;
    (void)state;
    mpu_source_add_text(s, "wrong.ez", text, sizeof text - 1);
    assert_null(mpu_source_build(s, &e));
    expect_error(MPU_REJECTED, MPU_REJECTED, e, "wrong.ez:3:24: error: ");
    expect_heard(m, &h, "main { compute g { z = q; } }");
    assert_int_equal(h.line, 3);
    mpu_messages_set_max_errors(m, 1);
    assert_null(mpu_source_build(s, NULL)); /* counted, not told */
    mpu_messages_flush(m);
    assert_string_equal(h.text, "");
    assert_true(mpu_messages_errors(m) > 1);
    mpu_source_free(s);
    mpu_messages_free(m);
}

/* ---- sources and what programs have ---- */

static const char kernel[] =
    "from __future__ import annotations\nimport numpy as np\nN = 4\nK = 2\n"
    "def one(x: i32[N, K], w: host_u8[K]) -> i32[N, K]:\n"
    "    return x + w[0].astype(np.int32)\n"
    "def two(x: i32[N, K]) -> i32[N, K]:\n"
    "    return x + 2\n";

static mpu_program *build_kernel(const char *define, const char *data, const uint64_t *shape,
                                 mpu_result want) {
    mpu_source *s = mpu_source_new(NULL);
    mpu_error *e = NULL;
    mpu_source_add_text(s, "<memory>", kernel, sizeof kernel - 1);
    assert_int_equal(mpu_source_set_language(s, "basic"), MPU_USAGE);
    assert_int_equal(mpu_source_set_language(s, "py"), MPU_OK);
    mpu_source_set_entry(s, "one");
    if (define)
        assert_int_equal(mpu_source_define(s, define), MPU_OK);
    if (data)
        mpu_source_follow(s, "x", data);
    if (shape)
        mpu_source_follow_shape(s, "x", 2, shape);
    mpu_program *p = mpu_source_build(s, &e);
    assert_int_equal(mpu_error_code(e), want);
    mpu_error_free(e);
    mpu_source_free(s);
    return p;
}

static void expect_extents(mpu_program *p, uint64_t n, uint64_t k) {
    const char *size = "";
    size_t x = mpu_program_find_variable(p, "x");
    assert_int_equal(mpu_program_variable_ndim(p, x), 2);
    assert_int_equal(mpu_program_variable_extent(p, x, 0, &size), n);
    assert_null(size);
    assert_int_equal(mpu_program_variable_extent(p, x, 1, NULL), k);
    mpu_program_free(p);
}

static void kernels_follow_shapes(void **state) {
    static const uint64_t shape[] = {7, 3};
    (void)state;
    expect_extents(build_kernel(NULL, NULL, NULL, MPU_OK), 4, 2);
    expect_extents(build_kernel("N=9", NULL, NULL, MPU_OK), 9, 2);
    expect_extents(build_kernel(NULL, NULL, shape, MPU_OK), 7, 3);
    expect_extents(build_kernel("N=9", NULL, shape, MPU_OK), 9, 3);
    expect_extents(build_kernel(NULL, "5", shape, MPU_OK), 7, 3);
    expect_extents(build_kernel(NULL, "iota", NULL, MPU_OK), 4, 2);
    assert_null(build_kernel(NULL, "none.npy", NULL, MPU_FILE));
}

static void programs_say_what_buffers_they_have(void **state) {
    static const char text[] = ".size n = 8\n.size m = 2 * n\n.group g[n]\n"
                               ".buffer in x: i24[n]\n.buffer inout y: f32[n + 1, 3]\n"
                               ".buffer local z: bool\n.var in x: i24 @g = r0\nHALT\n";
    const char *size;
    mpu_program *p = build(NULL, "buffers.s", text);
    (void)state;
    assert_int_equal(mpu_program_buffer_count(p), 3);
    assert_int_equal(mpu_program_find_buffer(p, "y"), 1);
    assert_int_equal(mpu_program_find_buffer(p, "g"), SIZE_MAX);
    assert_string_equal(mpu_program_buffer_name(p, 0), "x");
    assert_int_equal(mpu_program_find_variable(p, "x"), 0);
    assert_int_equal(mpu_program_buffer_use(p, 0), MPU_IN);
    assert_int_equal(mpu_program_buffer_use(p, 1), MPU_IN | MPU_OUT);
    assert_int_equal(mpu_program_buffer_use(p, 2), 0);
    assert_string_equal(mpu_program_buffer_type(p, 0), "i24");
    assert_int_equal(mpu_program_buffer_array_type(p, 0), MPU_I32);
    assert_int_equal(mpu_program_buffer_array_type(p, 1), MPU_F32);
    assert_string_equal(mpu_program_buffer_type(p, 2), "bool");
    assert_int_equal(mpu_program_buffer_ndim(p, 2), 0);
    assert_int_equal(mpu_program_buffer_ndim(p, 1), 2);
    assert_int_equal(mpu_program_buffer_extent(p, 0, 0, &size), 1);
    assert_string_equal(size, "n");
    assert_int_equal(mpu_program_buffer_extent(p, 1, 0, &size), 1);
    assert_string_equal(size, "n + 1");
    assert_int_equal(mpu_program_buffer_extent(p, 1, 1, &size), 3);
    assert_null(size);
    assert_int_equal(mpu_program_buffer_extent(p, 1, 1, NULL), 3);
    mpu_program_free(p);
}

static void programs_say_what_they_have(void **state) {
    static const char text[] = ".size n <= 64 = 8\n.size m = 2 * n + 1\n.group g[n, m]\n"
                               ".value k: u8[2] = 1, 2\n.var in a: u5 = r0\n"
                               ".var inout x: i9[3] @g = r1\n.var in consumed c: bool @g = r4\n"
                               ".var q: u8 = r5\nHALT\n";
    const char *size;
    mpu_program *p = build(NULL, "has.s", text);
    (void)state;
    assert_string_equal(mpu_program_name(p), "has.s");
    assert_int_equal(strlen(mpu_program_sha256(p)), 64);
    assert_int_equal(mpu_program_instruction_count(p), 1);
    assert_int_equal(mpu_program_size_count(p) >= 2, 1);
    assert_string_equal(mpu_program_size_name(p, 0), "n");
    assert_null(mpu_program_size_formula(p, 0));
    assert_int_equal(mpu_program_size_default(p, 0) * 100 + mpu_program_size_bound(p, 0), 864);
    assert_int_equal(mpu_program_variable_count(p), 5);
    assert_int_equal(mpu_program_find_variable(p, "none"), SIZE_MAX);
    size_t x = mpu_program_find_variable(p, "x"), k = mpu_program_find_variable(p, "k");
    assert_int_equal(x, 1);
    assert_int_equal(k, 4);
    assert_string_equal(mpu_program_variable_name(p, k), "k");
    assert_int_equal(mpu_program_variable_use(p, 0), MPU_IN);
    assert_int_equal(mpu_program_variable_use(p, x), MPU_IN | MPU_OUT);
    assert_int_equal(mpu_program_variable_use(p, 2), MPU_IN | MPU_CONSUMED);
    assert_int_equal(mpu_program_variable_use(p, 3), 0);
    assert_int_equal(mpu_program_variable_use(p, k), MPU_IN | MPU_LINK_VALUE);
    assert_string_equal(mpu_program_variable_type(p, 0), "u5");
    assert_int_equal(mpu_program_variable_array_type(p, 0), MPU_U8);
    assert_int_equal(mpu_program_variable_array_type(p, x), MPU_I16);
    assert_int_equal(mpu_program_variable_ndim(p, x), 3);
    assert_int_equal(mpu_program_variable_extent(p, x, 0, &size), 1);
    assert_string_equal(size, "n");
    assert_int_equal(mpu_program_variable_extent(p, x, 1, &size), 1);
    assert_string_equal(size, "m");
    assert_int_equal(mpu_program_variable_extent(p, x, 2, &size), 3);
    assert_null(size);
    assert_int_equal(mpu_program_variable_ndim(p, k), 1);
    assert_int_equal(mpu_program_variable_extent(p, k, 0, &size), 2);
    mpu_program_free(p);
}

/* ---- data as text ---- */

static void data_go_in_and_out(void **state) {
    struct rig x = open_rig("racer", "axpy.ez", AXPY, NULL);
    mpu_error *e = NULL;
    uint64_t n = 0;
    mpu_array a, b;
    (void)state;
    assert_true(mpu_data_has_shape("1,2") && !mpu_data_has_shape("zeros"));
    assert_true(mpu_data_is_file("x.npy") && !mpu_data_is_file("iota"));
    put(&x, "a", "-1");
    assert_int_equal(mpu_session_bind_size(x.s, "n", 6, NULL), MPU_OK);
    assert_int_equal(mpu_session_shape(x.s, "x", &a, NULL), MPU_OK);
    assert_int_equal(a.type * 100 + a.ndim * 10 + a.shape[0], MPU_I32 * 100 + 16);
    assert_int_equal(mpu_session_put_data(x.s, "x", "iota", &n, NULL), MPU_OK);
    assert_int_equal(n, 6);
    put(&x, "y", "1,1,1,1,1,1");
    run(&x);
    assert_int_equal(mpu_session_view(x.s, "z", &a, NULL), MPU_OK);
    assert_int_equal(((int32_t *)a.data)[5], -4);
    char *text = mpu_session_text(x.s, "z", 1, 3, 0, NULL);
    assert_string_equal(text, " 0 -1\n");
    mpu_string_free(text);
    text = mpu_session_text(x.s, "z", 4, 99, 1, NULL);
    assert_string_equal(text, "-3\n-4\n");
    mpu_string_free(text);
    assert_null(mpu_session_text(x.s, "z", 7, 9, 0, &e));
    expect_error(MPU_REJECTED, MPU_REJECTED, e, "no elements from 7 on");
    assert_int_equal(mpu_session_save(x.s, "z", "z.npy", &n, NULL), MPU_OK);
    assert_int_equal(n, 128 + 6 * 4);
    assert_int_equal(mpu_session_expect(x.s, "z", "z.npy", NULL), MPU_OK);
    mpu_result r = mpu_session_expect(x.s, "z", "1,0,-1,-2,-3,9", &e);
    expect_error(r, MPU_DIFFERS, e, "note: z[5] is -4, not 9");
    r = mpu_session_save(x.s, "z", "z.jpeg", NULL, &e);
    expect_error(r, MPU_REJECTED, e, "z.jpeg");
    assert_int_equal(mpu_session_figure(x.s, "host.gets", &n), MPU_OK);
    assert_int_equal(n, 1); /* whatever asked */
    assert_int_equal(mpu_array_read("z.npy", NULL, &b, NULL), MPU_OK);
    assert_memory_equal(b.data, a.data, 24);
    assert_int_equal(mpu_array_write(&b, "b.raw", NULL), MPU_OK);
    mpu_array_free(&b);
    assert_int_equal(mpu_array_read("b.raw", &a, &b, NULL), MPU_OK);
    assert_memory_equal(b.data, a.data, 24);
    mpu_array_free(&b);
    r = mpu_array_read("b.raw", NULL, &b, &e);
    expect_error(r, MPU_REJECTED, e, "has no shape of its own");
    close_rig(&x);
}

/* Rounds keep what was said to be wanted, and outputs. */
static void what_nobody_wants_is_not_kept(void **state) {
    mpu_error *e = NULL;
    const char *const small[] = {"machine.mpus=1", "machine.vrf_per_rfh=1", "machine.rfh_per_mpu=1",
                                 NULL};
    mpu_target *t = mpu_target_open("racer", small, NULL);
    mpu_program *p = build(NULL, "axpy.ez", AXPY);
    mpu_array a;
    (void)state;
    for (int wanted = 0; wanted < 2; wanted++) {
        struct rig x = {t, p, mpu_session_new(p, t, NULL, NULL)};
        mpu_result r = mpu_session_want(x.s, "none", &e);
        expect_error(r, MPU_USAGE, e, "no variable 'none'");
        assert_int_equal(mpu_session_want(x.s, wanted ? "x" : NULL, NULL), MPU_OK);
        assert_int_equal(mpu_session_bind_size(x.s, "n", 200, NULL), MPU_OK);
        put(&x, "a", "1");
        put(&x, "x", "iota");
        put(&x, "y", "zeros");
        run(&x);
        uint64_t rounds = 0;
        assert_int_equal(mpu_session_placed(x.s, "rounds", &rounds), MPU_OK);
        assert_int_equal(rounds, 4);
        assert_int_equal(mpu_session_expect(x.s, "z", "none.npy", NULL), MPU_FILE);
        r = mpu_session_get(x.s, "x", &a, &e);
        if (wanted)
            mpu_array_free(&a);
        else
            expect_error(r, MPU_USAGE, e, "'x' was not kept: the program ran in 4 rounds");
        mpu_session_free(x.s);
    }
    mpu_program_free(p);
    mpu_target_close(t);
}

/* ---- watching ---- */

static size_t size_of(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 ? (size_t)st.st_size : 0;
}

static int collect(void *context, const void *bytes, size_t size) {
    char *text = context;
    size_t used = strlen(text);
    memcpy(text + used, bytes, size);
    text[used + size] = '\0';
    return 0;
}

static void runs_are_watched_one_by_one(void **state) {
    static char log[1 << 16];
    struct rig x = open_rig("racer", "axpy.ez", AXPY, NULL);
    mpu_error *e = NULL;
    uint64_t first, second;
    (void)state;
    remove("t.json");
    put(&x, "a", "3");
    put(&x, "x", "1,2,3");
    put(&x, "y", "1,2,3");
    assert_null(mpu_session_end(x.s));
    assert_int_equal(mpu_session_watch_part(x.s, 2, 1, NULL), MPU_OK);
    assert_int_equal(mpu_session_watch(x.s, MPU_TRACE, NULL, "t.json", NULL), MPU_OK);
    assert_int_equal(mpu_session_watch_with(x.s, MPU_LOG, "insn", collect, log, NULL), MPU_OK);
    mpu_result r = mpu_session_watch(x.s, MPU_TRACE, NULL, "u.json", &e);
    expect_error(r, MPU_USAGE, e, "has a trace already");
    r = mpu_session_watch(x.s, MPU_UOPS, "morse", "u.txt", &e);
    expect_error(
        r, MPU_USAGE, e,
        "unknown format 'morse' of micro-ops; there are: text, csv, dram, pypim, pypim-hex");
    run(&x);
    assert_string_equal(mpu_session_end(x.s), "done");
    assert_int_equal(mpu_session_figure(x.s, "total.time_ps", &first), MPU_OK);
    assert_int_equal(size_of("t.json"), 0); /* not yet */
    run(&x);                                /* nobody watches it */
    assert_true(size_of("t.json") > 100);
    assert_int_equal(mpu_session_figure(x.s, "total.time_ps", &second), MPU_OK);
    assert_int_equal(first, second);
    assert_non_null(strstr(log, "MUL.32"));
    assert_ptr_equal(strchr(log, '\n'), log + strlen(log) - 1); /* one instruction */
    close_rig(&x);
}

static void golden_has_nothing_to_show(void **state) {
    const mpu_config golden = {.size = sizeof golden, .engine = mpu_config_word("engine", 2)};
    struct rig x = open_rig("racer", "axpy.ez", AXPY, &golden);
    mpu_error *e = NULL;
    (void)state;
    assert_null(mpu_config_word("engine", 3));
    assert_null(mpu_config_word("motor", 0));
    mpu_result r = mpu_session_watch(x.s, MPU_TRACE, NULL, "g.json", &e);
    expect_error(r, MPU_USAGE, e, "engine golden knows no times");
    r = mpu_session_watch(x.s, MPU_LOG, "uop", "g.txt", &e);
    expect_error(r, MPU_USAGE, e, "engine golden executes no micro-ops");
    close_rig(&x);
}

/* ---- sweeps and records ---- */

static void sweeps_compare(void **state) {
    static const char *const targets[] = {"racer", "golden", NULL}, *const sizes[] = {"3", "5",
                                                                                      NULL};
    static const char *const none[] = {NULL}, *const words[] = {"few", NULL};
    struct heard h = {.count = 0};
    mpu_messages *m = mpu_messages_new(hear, &h);
    mpu_program *p = build(m, "axpy.ez", AXPY);
    mpu_sweep *w = mpu_sweep_new(m);
    mpu_error *e = NULL;
    uint64_t value;
    (void)state;
    mpu_result r = mpu_sweep_add(w, MPU_SWEEP_TARGET, NULL, none, &e);
    expect_error(r, MPU_USAGE, e, "no values");
    mpu_sweep_add(w, MPU_SWEEP_TARGET, NULL, targets, NULL);
    r = mpu_sweep_add(w, MPU_SWEEP_SIZE, "n", words, &e);
    expect_error(r, MPU_USAGE, e, "no number");
    assert_int_equal(mpu_sweep_add(w, MPU_SWEEP_SIZE, "n", sizes, NULL), MPU_OK);
    assert_int_equal(mpu_sweep_count(w), 4);
    assert_string_equal(mpu_sweep_value(w, 1, MPU_SWEEP_SIZE, "n"), "5");
    assert_string_equal(mpu_sweep_value(w, 2, MPU_SWEEP_TARGET, NULL), "golden");
    assert_null(mpu_sweep_value(w, 2, MPU_SWEEP_PLACE, NULL));
    assert_int_equal(mpu_sweep_check(w, NULL), MPU_OK);
    assert_null(mpu_sweep_open(w, 0, NULL)); /* it did not begin */
    assert_int_equal(mpu_sweep_begin(w, p, NULL, 1, NULL), MPU_OK);
    for (uint64_t i = 0; i < 4; i++) {
        struct rig x = {.s = mpu_sweep_open(w, i, NULL)};
        assert_int_equal(mpu_sweep_bind_sizes(w, NULL), MPU_OK);
        put(&x, "a", i == 3 ? "3" : "2"); /* the last one differs */
        put(&x, "x", "iota");
        put(&x, "y", "zeros");
        assert_int_equal(mpu_sweep_take(w, mpu_session_run(x.s, NULL), NULL), MPU_OK);
        assert_int_equal(mpu_sweep_differs(w), i == 3);
        mpu_sweep_close(w, MPU_OK);
    }
    expect_heard(m, &h, "'z' differs between runs 'racer, n=5' and 'golden, n=5': z[1] is 2 and 3");
    assert_int_equal(mpu_sweep_done(w), 4);
    assert_int_equal(mpu_sweep_figure(w, 1, "elements", &value), MPU_OK);
    assert_int_equal(value, 5);
    assert_int_equal(mpu_sweep_figure(w, 3, "time_ps", &value), MPU_USAGE);
    char *table = mpu_sweep_table(w, "json", NULL);
    assert_non_null(strstr(table, "\"results\": \"differ\""));
    mpu_string_free(table);
    mpu_sweep_free(w);
    mpu_program_free(p);
    mpu_messages_free(m);
}

static void stats_of(const char *a, const char *file) {
    static const char *const words[] = {"my-program", "axpy"};
    struct rig x = open_rig("racer", "axpy.ez", AXPY, NULL);
    mpu_session_set_command(x.s, words, 2);
    put(&x, "a", a);
    put(&x, "x", "1,2,3");
    put(&x, "y", "1,2,3");
    run(&x);
    char *text = mpu_session_stats(x.s, "json", NULL);
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    mpu_string_free(text);
    close_rig(&x);
}

static char *contents(const char *file) {
    static char text[1 << 20];
    FILE *f = fopen(file, "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    return text;
}

static void records_are_compared(void **state) {
    mpu_error *e = NULL;
    size_t count = 0;
    uint64_t same = 0;
    (void)state;
    stats_of("3", "one.json");
    stats_of("3", "again.json");
    stats_of("4", "other.json");
    mpu_record *r = mpu_record_open("one.json", NULL, NULL);
    assert_non_null(r);
    const char *const *words = mpu_record_command(r, &count, NULL);
    assert_int_equal(count, 2);
    assert_string_equal(words[0], "my-program");
    assert_string_equal(mpu_record_version(r), mpu_version());
    assert_int_equal(mpu_record_check_inputs(r, NULL), MPU_OK);
    assert_int_equal(mpu_record_compare(r, contents("again.json"), &same, NULL), MPU_OK);
    assert_true(same > 100);
    mpu_result x = mpu_record_compare(r, contents("other.json"), &same, &e);
    expect_error(x, MPU_DIFFERS, e, "one.json:");
    mpu_source *s = mpu_source_new(NULL);
    mpu_source_add_text(s, "axpy.ez", AXPY, sizeof AXPY - 1);
    mpu_program *p = mpu_record_build(r, s, NULL);
    assert_non_null(p);
    mpu_program_free(p);
    mpu_source_add_text(s, "more.s", "HALT\n", 5);
    assert_null(mpu_record_build(r, s, &e)); /* another program */
    expect_error(MPU_REJECTED, MPU_REJECTED, e, "the program 'axpy.ez' has changed");
    mpu_source_free(s);
    mpu_record_free(r);
    assert_null(mpu_record_open("none.json", NULL, &e));
    expect_error(MPU_FILE, MPU_FILE, e, "cannot read 'none.json'");
}

/* ---- targets ---- */

static void targets_have_numbers(void **state) {
    uint64_t value = 0;
    size_t count = 0;
    (void)state;
    for (const char *name; (name = mpu_target_builtin(count)); count++)
        assert_non_null(mpu_target_summary(name));
    assert_true(count >= 5);
    assert_null(mpu_target_summary("none"));
    mpu_target *t = mpu_target_open("racer", NULL, NULL),
               *g = mpu_target_open("golden", NULL, NULL);
    assert_int_equal(mpu_target_number(t, "lanes", &value), MPU_OK);
    assert_int_equal(value, 64);
    assert_int_equal(mpu_target_number(t, "datapath_ps", &value), MPU_OK);
    assert_int_not_equal(value, 0);
    assert_int_equal(mpu_target_number(g, "datapath_ps", &value), MPU_USAGE);
    assert_int_equal(mpu_target_number(t, "wheels", &value), MPU_USAGE);
    assert_int_equal(mpu_target_number(g, "mpus", &value), MPU_USAGE);
    assert_string_equal(mpu_target_uop_format(t, 0), "text");
    assert_null(mpu_target_uop_format(g, 0));
    char *keys = mpu_target_keys(t), *all = mpu_target_print(t);
    assert_non_null(strstr(keys, "array.lanes"));
    assert_non_null(strstr(all, "racer"));
    mpu_string_free(keys);
    mpu_string_free(all);
    mpu_target_close(t);
    mpu_target_close(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warnings_reach_a_sink),
        cmocka_unit_test(inputs_must_have_data),
        cmocka_unit_test(messages_have_places),
        cmocka_unit_test(kernels_follow_shapes),
        cmocka_unit_test(programs_say_what_buffers_they_have),
        cmocka_unit_test(programs_say_what_they_have),
        cmocka_unit_test(data_go_in_and_out),
        cmocka_unit_test(what_nobody_wants_is_not_kept),
        cmocka_unit_test(runs_are_watched_one_by_one),
        cmocka_unit_test(golden_has_nothing_to_show),
        cmocka_unit_test(sweeps_compare),
        cmocka_unit_test(records_are_compared),
        cmocka_unit_test(targets_have_numbers),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
