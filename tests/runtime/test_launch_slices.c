/* SPDX-License-Identifier: MIT
 * Buffers of a device that lie in slices, on the toy core: what kernels find in them, parts of
 * them, launches of some units, and what all of it takes, which is what a program takes in a
 * session. */
#include "device.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CORE MPU_SOURCE_DIR "/tests/machines/core/core.yaml"
#define LINK MPU_BINARY_DIR "/tests/core-slices-link.yaml"

/* y[own] = x[own] + x[in front of it] + t[0] + e[row]; the unit's copy of t then says who it was,
 * its row what it found. */
#define HEAD "work(x: i64[], t: i64[], e: i64[], y: i64[], used: u64)"
#define BODY                                                                                       \
    " .split x 16 8\n .same t\n .each e\n .split y 16 0\n"                                         \
    " ltu x6 x15 x5\n bnez x6 go\n end\n"                                                          \
    " go: ld x7 (x1)\n li x8 8\n sub x9 x1 x8\n ld x10 (x9)\n add x7 x7 x10\n ld x10 (x2)\n"       \
    " add x7 x7 x10\n ld x10 (x3)\n add x7 x7 x10\n st x7 (x4)\n st x7 (x3)\n st x15 (x2)\n end\n"
static const char text[] = ".entry " HEAD "\n" BODY;
static const char keeping[] = ".buffer kept: i64[3]\n.entry keep()\n .same kept\n ld x5 (x1)\n"
                              " add x5 x5 x15\n st x5 (x1)\n end\n";
enum { X, T, E, Y, USED };

/* A link of three modes. */
static int write_link(void **state) {
    FILE *f = fopen(LINK, "w");
    (void)state;
    assert_non_null(f);
    fputs(
        "schema: 1\nname: core-link\nextends: " CORE "\nhost:\n  bytes_per_s: null\n  modes:\n"
        "    serial: { in_bytes_per_s: 330000000, out_bytes_per_s: 120000000, setup_ps: 700, "
        "scope: rfh }\n"
        "    parallel: { in_bytes_per_s: 6680000000, out_bytes_per_s: 4740000000, setup_ps: 1100, "
        "scope: rfh }\n"
        "    broadcast: { in_bytes_per_s: 16880000000, setup_ps: 500, scope: rfh }\n",
        f);
    return fclose(f);
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

static mpu_buffer *buffer_for(mpu_kernel *k, uint32_t i, uint64_t n, uint64_t columns,
                              const int64_t *data) {
    const uint64_t shape[] = {n, columns};
    mpu_error *e = NULL;
    mpu_buffer *b = mpu_kernel_buffer_new(k, i, columns ? 2 : 1, shape, &e);
    if (!b)
        fail_msg("%s", mpu_error_text(e));
    if (data)
        fine(mpu_buffer_put(b, MPU_ALL_UNITS, 0, mpu_buffer_bytes(b), data, &e), e);
    return b;
}

static void check_refused(mpu_result got, mpu_result wanted, mpu_error **error, const char *says) {
    assert_int_equal(got, wanted);
    assert_non_null(*error);
    if (!strstr(mpu_error_text(*error), says))
        fail_msg("'%s' does not say '%s'", mpu_error_text(*error), says);
    mpu_error_free(*error);
    *error = NULL;
}
#define NULL_IS(handle) ((handle) ? MPU_OK : mpu_error_code(e))

/* ---- as in a session ---- */

enum { MOST = 400, ROWS = 64, COLUMNS = 3, TABLE = 5 };
struct arrays {
    uint32_t n, rows, units, first, used;
    int64_t x[MOST], t[TABLE], e[ROWS * COLUMNS], y[MOST];
};

static struct arrays some(uint32_t i) {
    struct arrays a = {.n = 1 + i * 53 % MOST, .rows = ROWS};
    a.used = (a.n + 63) / 64 <= 2 ? (a.n + 1) / 2 : (a.n + 63) / 64 <= 4 ? (a.n + 3) / 4 : 0;
    a.used = a.used ? a.used : (a.n + 7) / 8;
    a.units = i % 3 == 2 && a.used > 2 ? a.used - 2 : 0;
    a.first = a.units ? 1 : 0;
    for (uint32_t k = 0; k < a.n; k++)
        a.x[k] = (int64_t)k * k - 50;
    for (uint32_t k = 0; k < ROWS * COLUMNS; k++)
        a.e[k] = 1000 * (int64_t)k;
    for (uint32_t k = 0; k < TABLE; k++)
        a.t[k] = 7 - (int64_t)k;
    return a;
}

static void in_session(struct arrays *a, mpu_session *s) {
    mpu_error *e = NULL;
    mpu_array x = {MPU_I64, 1, {a->n}, a->x}, t = {MPU_I64, 1, {TABLE}, a->t},
              rows = {MPU_I64, 2, {a->rows, COLUMNS}, a->e}, got;
    fine(mpu_session_put(s, "x", &x, &e), e);
    fine(mpu_session_put(s, "t", &t, &e), e);
    fine(mpu_session_put(s, "e", &rows, &e), e);
    fine(mpu_session_run(s, &e), e);
    const struct {
        const char *name;
        int64_t *to;
    } outs[] = {{"t", a->t}, {"e", a->e}, {"y", a->y}};
    for (size_t i = 0; i < 3; i++) {
        fine(mpu_session_get(s, outs[i].name, &got, &e), e);
        memcpy(outs[i].to, got.data,
               i == 0   ? sizeof a->t
               : i == 1 ? sizeof a->e
                        : a->n * sizeof *a->y);
        mpu_array_free(&got);
    }
}

static void on_device(struct arrays *a, mpu_device *d) {
    mpu_error *e = NULL;
    mpu_module *m = module_of(d, text);
    mpu_kernel *k = kernel_of(m, "work");
    mpu_buffer *x = buffer_for(k, X, a->n, 0, a->x), *t = buffer_for(k, T, TABLE, 0, a->t),
               *rows = buffer_for(k, E, a->rows, COLUMNS, a->e),
               *y = buffer_for(k, Y, a->n, 0, NULL);
    fine(mpu_launch_on(
             k, NULL, NULL, 0, a->units, a->first,
             (mpu_argument[]){
                 {x, 0, NULL}, {t, 0, NULL}, {rows, 0, NULL}, {y, 0, NULL}, {NULL, a->used, NULL}},
             5, &e),
         e);
    fine(mpu_buffer_get(t, MPU_ALL_UNITS, 0, sizeof a->t, a->t, &e), e);
    fine(mpu_buffer_get(rows, MPU_ALL_UNITS, 0, sizeof a->e, a->e, &e), e);
    fine(mpu_buffer_get(y, MPU_ALL_UNITS, 0, a->n * sizeof *a->y, a->y, &e), e);
    mpu_buffer_free(x);
    mpu_buffer_free(t);
    mpu_buffer_free(rows);
    mpu_buffer_free(y);
    mpu_module_free(m);
}

static mpu_program *program_of(const struct arrays *a) {
    char all[2048], units[64] = "";
    mpu_error *e = NULL;
    if (a->units)
        snprintf(units, sizeof units, " units %" PRIu32 " from %" PRIu32, a->units, a->first);
    snprintf(all, sizeof all,
             " .buffer in x: i64[%" PRIu32 "]\n .buffer inout t: i64[%d]\n"
             " .buffer inout e: i64[%" PRIu32 ", %d]\n .buffer out y: i64[%" PRIu32 "]\n"
             " .kernel work core(x: i64[], t: i64[], e: i64[], y: i64[], used: u64)\n" BODY
             " .endkernel\nmain: RECIPE work(x, t, e, y, %" PRIu32 ")%s\n HALT\n",
             a->n, TABLE, a->rows, COLUMNS, a->n, a->used, units);
    mpu_source *source = mpu_source_new(NULL);
    mpu_source_add_text(source, "p.s", all, strlen(all));
    mpu_program *p = mpu_source_build(source, &e);
    if (!p)
        fail_msg("%s\n%s", mpu_error_text(e), all);
    mpu_source_free(source);
    return p;
}

static void compare(mpu_device *d, mpu_session *s, uint32_t n) {
    static const char *const figures[][2] = {
        {"total.host_cpu_time_ps", "time_ps.host"},
        {"total.host_cpu_energy_fj", "energy_fj.host"},
        {"total.time_ps", NULL},
        {"total.energy_fj", NULL},
        {"total.end_to_end_time_ps", NULL},
        {"total.end_to_end_energy_fj", NULL},
        {"total.micro_ops", NULL},
        {"host.puts", NULL},
        {"host.gets", NULL},
        {"host.bytes_in", NULL},
        {"host.bytes_out", NULL},
        {"host.time_ps", NULL},
        {"host.energy_fj", NULL},
        {"load.time_ps", NULL},
        {"machine.launches", NULL},
        {"machine.port_stall_cycles", NULL},
    };
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        uint64_t there = 0, here = 0;
        assert_int_equal(mpu_session_figure(s, figures[i][0], &there), MPU_OK);
        assert_int_equal(mpu_device_figure(d, figures[i][1] ? figures[i][1] : figures[i][0], &here),
                         MPU_OK);
        if (here != there)
            fail_msg("n %" PRIu32 ", %s: %" PRIu64 " in a session, %" PRIu64 " on a device", n,
                     figures[i][0], there, here);
    }
}

static void as_in_a_session(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 16; i++) {
        struct arrays here = some(i), there = here;
        mpu_target *target;
        mpu_error *e = NULL;
        mpu_device *d = open_device(i % 2 ? LINK : CORE, NULL, NULL, &target);
        mpu_program *p = program_of(&there);
        mpu_session *s = mpu_session_new(p, target, NULL, &e);
        in_session(&there, s);
        on_device(&here, d);
        assert_memory_equal(here.t, there.t, sizeof here.t);
        assert_memory_equal(here.e, there.e, sizeof here.e);
        assert_memory_equal(here.y, there.y, here.n * sizeof *here.y);
        uint32_t u = here.first;
        assert_true(here.e[u * COLUMNS] != 1000 * (int64_t)u * COLUMNS);
        compare(d, s, here.n);
        mpu_session_free(s);
        mpu_program_free(p);
        close_device(d, target);
    }
}

/* ---- parts ---- */

static int64_t at(const mpu_buffer *b, uint32_t unit, uint64_t offset) {
    int64_t value = 0;
    mpu_error *e = NULL;
    fine(mpu_buffer_get(b, unit, offset, 8, &value, &e), e);
    return value;
}

static void put_at(mpu_buffer *b, uint32_t unit, uint64_t offset, int64_t value) {
    mpu_error *e = NULL;
    fine(mpu_buffer_put(b, unit, offset, 8, &value, &e), e);
}

static void parts(void **state) {
    int64_t x[10], rows[5 * 2] = {0}, t[2] = {100, 0}, y[10];
    mpu_target *target;
    mpu_error *e = NULL;
    mpu_device *d = open_device(CORE, NULL, NULL, &target);
    mpu_module *m = module_of(d, text), *own = module_of(d, keeping);
    mpu_kernel *k = kernel_of(m, "work");
    (void)state;
    for (int i = 0; i < 10; i++)
        x[i] = i;
    mpu_buffer *xs = buffer_for(k, X, 10, 0, x), *ts = buffer_for(k, T, 2, 0, t),
               *es = buffer_for(k, E, 5, 2, rows), *ys = buffer_for(k, Y, 10, 0, NULL);
    mpu_argument arguments[] = {
        {xs, 0, NULL}, {ts, 0, NULL}, {es, 0, NULL}, {ys, 0, NULL}, {NULL, 5, NULL}};
    assert_int_equal(mpu_buffer_units(xs), 5);
    assert_int_equal(mpu_buffer_unit_bytes(xs, 4), 16);
    assert_int_equal(mpu_buffer_unit_bytes(xs, 5), 0);
    assert_int_equal(mpu_buffer_units(ts), 64);
    assert_int_equal(mpu_buffer_units(es), 5);
    assert_int_equal(figure(d, "host.bytes_in"), 5 * 32 + 64 * 16 + 5 * 16);

    /* Element 3 is unit 1's second, and unit 2's halo; as unit 1's part it is its own alone. */
    mpu_device_reset_stats(d);
    put_at(xs, MPU_ALL_UNITS, 24, 30);
    assert_int_equal(figure(d, "host.bytes_in"), 16);
    put_at(xs, 3, 8, 70);
    assert_int_equal(figure(d, "host.bytes_in"), 24);
    assert_int_equal(at(xs, MPU_ALL_UNITS, 24), 30);
    assert_int_equal(at(xs, 1, 8), 30);
    assert_int_equal(at(xs, MPU_ALL_UNITS, 56), 70);
    assert_int_equal(figure(d, "host.bytes_out"), 24);
    /* The same into all copies, then into one; a row by its unit and by its place. */
    put_at(ts, MPU_ALL_UNITS, 0, 200);
    put_at(ts, 2, 0, 500);
    put_at(es, 1, 0, 10000);
    put_at(es, MPU_ALL_UNITS, 4 * 16, 40000);
    fine(mpu_launch(k, NULL, NULL, 0, arguments, 5, &e), e);
    fine(mpu_buffer_get(ys, MPU_ALL_UNITS, 0, sizeof y, y, &e), e);
    assert_int_equal(y[0], 0 + 0 + 200);
    assert_int_equal(y[2], 2 + 1 + 200 + 10000);
    assert_int_equal(y[4], 4 + 30 + 500);
    assert_int_equal(y[6], 6 + 5 + 200);
    assert_int_equal(y[8], 8 + 7 + 200 + 40000); /* its halo has the old element 7 */
    assert_int_equal(at(es, 1, 0), y[2]);
    assert_int_equal(at(es, MPU_ALL_UNITS, 64), y[8]);
    /* Each unit wrote into its copy who it is; all of them are asked by the first. */
    assert_int_equal(at(ts, 3, 0), 3);
    assert_int_equal(at(ts, 63, 0), 200);
    assert_int_equal(at(ts, MPU_ALL_UNITS, 0), 0);
    /* A piece over several units, and one with the end of the array. */
    fine(mpu_buffer_put(xs, MPU_ALL_UNITS, 8, 72, x, &e), e);
    fine(mpu_buffer_get(xs, MPU_ALL_UNITS, 0, 80, y, &e), e);
    for (int i = 0; i < 10; i++)
        assert_int_equal(y[i], i ? i - 1 : 0);

    /* Some units. */
    put_at(ys, MPU_ALL_UNITS, 0, -1);
    put_at(ys, MPU_ALL_UNITS, 16, -1);
    put_at(ys, MPU_ALL_UNITS, 32, -1);
    fine(mpu_launch_on(k, NULL, NULL, 0, 1, 1, arguments, 5, &e), e);
    assert_int_equal(at(ys, 0, 0), -1);
    assert_int_equal(at(ys, 2, 0), -1);
    assert_int_equal(figure(d, "machine.launches"), 2);

    /* A buffer of the text lies as its kernels want it. */
    mpu_buffer *kept = mpu_module_buffer(own, "kept", &e);
    assert_int_equal(mpu_buffer_units(kept), 64);
    fine(mpu_launch(kernel_of(own, "keep"), NULL, NULL, 0, NULL, 0, &e), e);
    fine(mpu_launch(kernel_of(own, "keep"), NULL, NULL, 0, NULL, 0, &e), e);
    assert_int_equal(at(kept, 63, 0), 126);
    assert_int_equal(at(kept, MPU_ALL_UNITS, 0), 0);
    mpu_buffer_free(xs);
    mpu_buffer_free(ts);
    mpu_buffer_free(es);
    mpu_buffer_free(ys);
    mpu_module_free(m);
    mpu_module_free(own);
    close_device(d, target);
}

/* ---- what is refused ---- */

static void refused(void **state) {
    const char *const small[] = {"core.buffer_bytes=64", NULL};
    mpu_target *target;
    mpu_error *e = NULL;
    int64_t value = 0;
    const uint64_t rows[] = {65, 2}, n = 16, much = 400;
    mpu_device *d = open_device(CORE, small, NULL, &target);
    mpu_module *m = module_of(d, text), *own = module_of(d, keeping); /* 24 bytes of each unit */
    mpu_kernel *k = kernel_of(m, "work");
    mpu_buffer *x = buffer_for(k, X, n, 0, NULL), *flat;
    (void)state;
    check_refused(NULL_IS(mpu_kernel_buffer_new(k, USED, 1, &n, &e)), MPU_USAGE, &e,
                  "kernel 'work' has no parameter 4 that is a buffer");
    check_refused(NULL_IS(mpu_kernel_buffer_new(k, 5, 1, &n, &e)), MPU_USAGE, &e,
                  "kernel 'work' has no parameter 5 that is a buffer");
    check_refused(NULL_IS(mpu_kernel_buffer_new(k, X, 9, rows, &e)), MPU_USAGE, &e, "9 dimensions");
    check_refused(NULL_IS(mpu_kernel_buffer_new(k, E, 2, rows, &e)), MPU_CAPACITY, &e,
                  "a buffer of 65 rows, one for each unit: target 'core' has 64 units");
    check_refused(NULL_IS(mpu_kernel_buffer_new(k, Y, 1, &much, &e)), MPU_CAPACITY, &e,
                  "a buffer takes 64 bytes of each unit; a unit of target 'core' has 64, and "
                  "others take 56 of these");
    check_refused(mpu_buffer_put(x, 8, 0, 8, &value, &e), MPU_USAGE, &e,
                  "there is no part of unit 8: the buffer lies in units 0 to 7");
    check_refused(mpu_buffer_get(x, 7, 16, 8, &value, &e), MPU_USAGE, &e,
                  "a part of 16 bytes has no 8 bytes from byte 16 on: unit 7");
    check_refused(mpu_buffer_get(x, MPU_ALL_UNITS, 128, 8, &value, &e), MPU_USAGE, &e,
                  "a buffer of 128 bytes has no 8 bytes from byte 128 on");
    flat = mpu_buffer_new(d, (mpu_vtype){MPU_KIND_INT, 64}, 1, &n, &e);
    assert_int_equal(mpu_buffer_units(flat), 0);
    mpu_argument arguments[] = {
        {flat, 0, NULL}, {flat, 0, NULL}, {flat, 0, NULL}, {flat, 0, NULL}, {NULL, 0, NULL}};
    check_refused(mpu_launch(k, NULL, NULL, 0, arguments, 5, &e), MPU_USAGE, &e,
                  "kernel 'work', parameter 'x' wants a buffer split by 16 bytes with a halo of 8, "
                  "and gets one flat, in one place: mpu_kernel_buffer_new makes");
    arguments[0] = (mpu_argument){x, 8, NULL};
    check_refused(mpu_launch(k, NULL, NULL, 0, arguments, 5, &e), MPU_USAGE, &e,
                  "parameter 'x' gets a buffer that is split from a byte on; it is given whole");
    check_refused(mpu_launch_on(kernel_of(own, "keep"), NULL, NULL, 0, 60, 5, NULL, 0, &e),
                  MPU_USAGE, &e, "kernel 'keep' names units 5 to 64; target 'core' has 64");
    check_refused(mpu_launch_on(kernel_of(own, "keep"), NULL, NULL, 0, 0, 5, NULL, 0, &e),
                  MPU_USAGE, &e, "a launch on 0 units, all of them, has no first one");
    mpu_buffer_free(flat);
    mpu_device_close(d);
    check_refused(NULL_IS(mpu_kernel_buffer_new(k, X, 1, &n, &e)), MPU_USAGE, &e,
                  "the kernel's device was closed");
    mpu_buffer_free(x);
    mpu_module_free(m);
    mpu_module_free(own);
    mpu_target_close(target);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_in_a_session),
        cmocka_unit_test(parts),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, write_link, NULL);
}
