/* SPDX-License-Identifier: MIT
 * Moves with an index beside loops in C: on machines with other lanes, buffers and places, with
 * sizes that divide nothing, over several MPUs; and what they count. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/include/mpu/mpu.h"
#include "support/bits.h"

#ifndef MPU_SANITIZED
#define MPU_SANITIZED 0
#endif

/* Every way with what falls outside; signed and unsigned indices; one that is source, index and
 * destination; a coordinate in registers; one among two; targets named by several. */
static const char source[] = " .size n\n .size m\n .group g[n]\n .group h[m]\n .group q[n, 3]\n"
                             " .var in x: u32 @h = r1\n .var in k: i32 @g = r2\n"
                             " .var in u: u64 @g = r3\n .var in w: u32 @g = r4\n"
                             " .var inout keep: u32 @g = r5\n .var out fill: u32 @g = r6\n"
                             " .var out wrap: u32 @g = r7\n .var out clip: u32 @g = r8\n"
                             " .var out far: u32 @g = r9\n .var inout same: i32 @g = r10\n"
                             " .var in t: u16[3] @h = r11\n .var out tk: u16[3] @g = r14\n"
                             " .var in a: i8 @q = r17\n .var in ka: u2 @q = r18\n"
                             " .var out b: i8 @q = r19\n .var inout zkeep: u32 @h = r20\n"
                             " .var out zwrap: u32 @h = r21\n .var out zclip: u32 @h = r22\n"
                             " .var out zt: u16[3] @h = r23\n"
                             " .move keep u32 keep[i] = x[k[i]]\n"
                             " .move fill u32 fill[i] = x[k[i]] else 77\n"
                             " .move wrap u32 wrap[i] = x[k[i]] wrap\n"
                             " .move clip u32 clip[i] = x[k[i]] clip\n"
                             " .move far u32 far[i] = x[u[i]] wrap\n"
                             " .move same i32 same[i] = same[same[i]] wrap\n"
                             " .move tk u16 tk[i, c] = t[k[i], 2 - c] wrap\n"
                             " .move b i8 b[i, j] = a[i, ka[i, j]] clip\n"
                             " .move zkeep u32 zkeep[k[i]] = w[i]\n"
                             " .move zwrap u32 zwrap[k[i]] = w[i] wrap\n"
                             " .move zclip u32 zclip[k[i]] = w[i] clip\n"
                             " .move zt u16 zt[k[i], 2 - c] = tk[i, c] clip\n"
                             " GMOVE keep\n GMOVE fill\n GMOVE wrap\n GMOVE clip\n GMOVE far\n"
                             " GMOVE same\n GMOVE tk\n GMOVE b\n GMOVE zkeep\n GMOVE zwrap\n"
                             " GMOVE zclip\n GMOVE zt\n";

struct session {
    mpu_target *target;
    mpu_program *program;
    mpu_session *s;
    const char *name;
    uint64_t n, m, seed;
};

static void expect_ok(const struct session *x, mpu_result r, mpu_error *e) {
    if (r != MPU_OK)
        fail_msg("%s, n %" PRIu64 ", m %" PRIu64 ": %s", x->name, x->n, x->m, mpu_error_text(e));
}

static mpu_program *assemble(const char *text) {
    static const char name[] = "test_indexed_program.s";
    mpu_error *e = NULL;
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    mpu_program *p = mpu_program_load_file(name, &e);
    if (!p)
        fail_msg("%s", mpu_error_text(e));
    remove(name);
    return p;
}

static void open_session(struct session *x, const char *const *set, const mpu_config *config,
                         const char *text) {
    mpu_error *e = NULL;
    x->target = mpu_target_open(x->name, set, &e);
    if (!x->target)
        fail_msg("%s", mpu_error_text(e));
    x->program = assemble(text);
    x->s = mpu_session_new(x->program, x->target, config, &e);
    if (!x->s)
        fail_msg("%s", mpu_error_text(e));
}

static void close_session(struct session *x) {
    mpu_session_free(x->s);
    mpu_program_free(x->program);
    mpu_target_close(x->target);
}

/* ---- arrays ---- */

static size_t bytes_of(mpu_type type) {
    static const size_t bytes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8};
    return bytes[type];
}

static mpu_array array_of(mpu_type type, uint64_t rows, uint64_t columns) {
    mpu_array a = {type, columns ? 2 : 1, {rows, columns}, NULL};
    a.data = calloc(rows * (columns ? columns : 1), bytes_of(type));
    assert_non_null(a.data);
    return a;
}

static uint64_t count_of(const mpu_array *a) {
    return a->shape[0] * (a->ndim == 2 ? a->shape[1] : 1);
}

static void put(const struct session *x, const char *name, const mpu_array *a) {
    mpu_error *e = NULL;
    expect_ok(x, mpu_session_put(x->s, name, a, &e), e);
}

static void expect(const struct session *x, const char *name, mpu_array *want) {
    mpu_error *e = NULL;
    mpu_array a;
    expect_ok(x, mpu_session_get(x->s, name, &a, &e), e);
    assert_int_equal(count_of(&a), count_of(want));
    if (memcmp(a.data, want->data, count_of(want) * bytes_of(want->type)) != 0)
        fail_msg("%s, n %" PRIu64 ", m %" PRIu64 ": %s is wrong", x->name, x->n, x->m, name);
    mpu_array_free(&a);
    free(want->data);
}

static void draw(struct session *x, mpu_array *a) {
    for (size_t i = 0; i < count_of(a) * bytes_of(a->type); i++)
        ((unsigned char *)a->data)[i] = (unsigned char)splitmix64(&x->seed);
}

/* ---- the loops ---- */

enum outside { KEEP, WRAP, CLIP };

/* False if it is nowhere. */
static int target_of(int64_t k, uint64_t extent, enum outside outside, uint64_t *out) {
    int64_t e = (int64_t)extent;
    int inside = k >= 0 && k < e;
    *out = (uint64_t)(outside == WRAP ? (k % e + e) % e : k < 0 ? 0 : k >= e ? e - 1 : k);
    return inside || outside != KEEP;
}

struct arrays {
    mpu_array x, k, u, w, t, a, ka;
};

static void draw_arrays(struct session *s, struct arrays *v) {
    *v = (struct arrays){array_of(MPU_U32, s->m, 0), array_of(MPU_I32, s->n, 0),
                         array_of(MPU_U64, s->n, 0), array_of(MPU_U32, s->n, 0),
                         array_of(MPU_U16, s->m, 3), array_of(MPU_I8, s->n, 3),
                         array_of(MPU_U8, s->n, 3)};
    mpu_array *const all[] = {&v->x, &v->u, &v->w, &v->t, &v->a, &v->ka};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        draw(s, all[i]);
    for (uint64_t i = 0; i < s->n; i++)
        ((int32_t *)v->k.data)[i] =
            (int32_t)(splitmix64(&s->seed) % (3 * s->m + 4)) - (int32_t)s->m - 2;
    for (uint64_t i = 0; i < 3 * s->n; i++)
        ((uint8_t *)v->ka.data)[i] &= 3;
}

static void put_arrays(struct session *s, const struct arrays *v) {
    put(s, "x", &v->x);
    put(s, "k", &v->k);
    put(s, "u", &v->u);
    put(s, "w", &v->w);
    put(s, "keep", &v->w);
    put(s, "same", &v->k);
    put(s, "t", &v->t);
    put(s, "a", &v->a);
    put(s, "ka", &v->ka);
    put(s, "zkeep", &v->x);
}

static void free_arrays(struct arrays *v) {
    mpu_array *const all[] = {&v->x, &v->k, &v->u, &v->w, &v->t, &v->a, &v->ka};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]->data);
}

/* y[i] = x[k[i]], on what y holds. */
static mpu_array gathered(const struct session *s, const struct arrays *v, enum outside outside,
                          const uint32_t *was, uint32_t fill) {
    mpu_array y = array_of(MPU_U32, s->n, 0);
    const uint32_t *x = v->x.data;
    const int32_t *k = v->k.data;
    uint32_t *out = y.data;
    uint64_t at;
    for (uint64_t i = 0; i < s->n; i++)
        out[i] = target_of(k[i], s->m, outside, &at) ? x[at] : was ? was[i] : fill;
    return y;
}

static mpu_array scattered(const struct session *s, const struct arrays *v, enum outside outside,
                           const uint32_t *was) {
    mpu_array z = array_of(MPU_U32, s->m, 0);
    const uint32_t *w = v->w.data;
    const int32_t *k = v->k.data;
    uint64_t at;
    if (was)
        memcpy(z.data, was, s->m * sizeof *was);
    for (uint64_t i = 0; i < s->n; i++)
        if (target_of(k[i], s->m, outside, &at))
            ((uint32_t *)z.data)[at] = w[i];
    return z;
}

static void expect_wide_indices(const struct session *s, const struct arrays *v) {
    mpu_array far = array_of(MPU_U32, s->n, 0), same = array_of(MPU_I32, s->n, 0);
    const int32_t *k = v->k.data;
    uint64_t at;
    for (uint64_t i = 0; i < s->n; i++) {
        ((uint32_t *)far.data)[i] = ((uint32_t *)v->x.data)[((uint64_t *)v->u.data)[i] % s->m];
        target_of(k[i], s->n, WRAP, &at);
        ((int32_t *)same.data)[i] = k[at];
    }
    expect(s, "far", &far);
    expect(s, "same", &same);
}

static void expect_other_coordinates(const struct session *s, const struct arrays *v) {
    mpu_array tk = array_of(MPU_U16, s->n, 3), b = array_of(MPU_I8, s->n, 3);
    mpu_array zt = array_of(MPU_U16, s->m, 3);
    const int32_t *k = v->k.data;
    const uint8_t *ka = v->ka.data;
    uint64_t at;
    for (uint64_t i = 0; i < s->n; i++)
        for (uint64_t c = 0; c < 3; c++) {
            target_of(k[i], s->m, WRAP, &at);
            ((uint16_t *)tk.data)[3 * i + c] = ((uint16_t *)v->t.data)[3 * at + 2 - c];
            target_of(k[i], s->m, CLIP, &at);
            ((uint16_t *)zt.data)[3 * at + 2 - c] = ((uint16_t *)tk.data)[3 * i + c];
            target_of(ka[3 * i + c], 3, CLIP, &at);
            ((int8_t *)b.data)[3 * i + c] = ((int8_t *)v->a.data)[3 * i + at];
        }
    expect(s, "tk", &tk);
    expect(s, "zt", &zt);
    expect(s, "b", &b);
}

static void expect_all(const struct session *s, const struct arrays *v) {
    mpu_array y[] = {gathered(s, v, KEEP, v->w.data, 0), gathered(s, v, KEEP, NULL, 77),
                     gathered(s, v, WRAP, NULL, 0),      gathered(s, v, CLIP, NULL, 0),
                     scattered(s, v, KEEP, v->x.data),   scattered(s, v, WRAP, NULL),
                     scattered(s, v, CLIP, NULL)};
    static const char *const names[] = {"keep", "fill", "wrap", "clip", "zkeep", "zwrap", "zclip"};
    for (size_t i = 0; i < sizeof y / sizeof *y; i++)
        expect(s, names[i], &y[i]);
    expect_wide_indices(s, v);
    expect_other_coordinates(s, v);
}

/* ---- machines ---- */

struct machine {
    const char *target;
    const char *set[5];
    mpu_config config;
};

/* Small chips have several MPUs for a few hundred elements. */
#define SMALL                                                                                      \
    {                                                                                              \
        "array.lanes=16", "machine.rfh_per_mpu=2", "machine.vrf_per_rfh=8",                        \
            "dtc.buffer_registers=3", NULL                                                         \
    }
static const struct machine machines[] = {
    {"golden", {NULL}, {.size = sizeof(mpu_config)}},
    {"racer", {NULL}, {.size = sizeof(mpu_config), .check = 1, .place = "packed"}},
    {"racer", {NULL}, {.size = sizeof(mpu_config), .place = "spread"}},
    {"racer", SMALL, {.size = sizeof(mpu_config), .check = 1, .place = "packed"}},
    {"mimdram", {NULL}, {.size = sizeof(mpu_config), .check = 1}},
    {"duality-cache", {NULL}, {.size = sizeof(mpu_config), .check = 1}},
    {"simdram", {NULL}, {.size = sizeof(mpu_config)}},
};

static void run_one(const struct machine *m, uint64_t near, uint64_t far) {
    struct session x = {.name = m->target, .n = near, .m = far, .seed = near * 7919 + far};
    struct arrays v;
    mpu_error *e = NULL;
    open_session(&x, m->set, &m->config, source);
    expect_ok(&x, mpu_session_bind_size(x.s, "n", near, &e), e);
    expect_ok(&x, mpu_session_bind_size(x.s, "m", far, &e), e);
    draw_arrays(&x, &v);
    put_arrays(&x, &v);
    expect_ok(&x, mpu_session_run(x.s, &e), e);
    expect_all(&x, &v);
    free_arrays(&v);
    close_session(&x);
}

static void moves_are_the_loops(void **state) {
    static const uint64_t sizes[] = {1, 63, 64, 65, 511, 513, 10007};
    (void)state;
    for (size_t k = 0; k < sizeof machines / sizeof *machines; k++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes - (MPU_SANITIZED ? 1 : 0); i++)
            run_one(&machines[k], sizes[i], sizes[(3 * i + k) % (sizeof sizes / sizeof *sizes)]);
}

/* ---- what is counted ---- */

static uint64_t figure(const struct session *x, const char *path) {
    uint64_t value;
    assert_int_equal(mpu_session_figure(x->s, path, &value), MPU_OK);
    return value;
}

/* 1,024 elements of 32 bits are sixteen registers on racer, whose buffer holds them all. */
static void run_counted(struct session *x, const char *type, const char *move, uint32_t step) {
    mpu_error *e = NULL;
    mpu_array k = array_of(MPU_U32, 1024, 0);
    char text[400];
    snprintf(text, sizeof text,
             " .group g[1024]\n .var in k: %s @g = r1\n .var x: u32 @g = r2\n"
             " .var y: u32 @g = r3\n .move m u32 %s clip\n GMOVE m\n",
             type, move);
    *x = (struct session){.name = "racer"};
    open_session(x, NULL, &(mpu_config){.size = sizeof(mpu_config), .place = "packed"}, text);
    for (uint32_t i = 0; i < 1024; i++)
        ((uint32_t *)k.data)[i] = i * step;
    put(x, "k", &k);
    free(k.data);
    expect_ok(x, mpu_session_run(x->s, &e), e);
}

struct counted {
    uint64_t registers, ps, fj;
};

static struct counted count(const char *type, const char *move, uint32_t step) {
    struct session x;
    run_counted(&x, type, move, step);
    struct counted c = {figure(&x, "total.register_transfers"), figure(&x, "total.time_ps"),
                        figure(&x, "total.energy_fj")};
    close_session(&x);
    return c;
}

enum { LANES = 64, FJ_PER_BIT = 125, PS_PER_REGISTER = 51000 };

static void figures_follow_the_indices(void **state) {
    static const char take[] = "y[i] = x[k[i]]", give[] = "y[k[i]] = x[i]";
    (void)state;
    struct counted all = count("u20", take, 1), one = count("u20", take, 0);
    assert_int_equal(all.registers, 32);
    assert_int_equal(one.registers, 17);
    assert_int_equal(all.ps - one.ps, 15 * PS_PER_REGISTER);
    assert_int_equal(count("u20", give, 1).registers, 32);
    assert_int_equal(count("u20", give, 1).ps, all.ps);
    /* Each register of indices has its own width. */
    struct counted wide = count("u32", take, 1);
    assert_int_equal(wide.ps, all.ps);
    assert_int_equal(wide.fj - all.fj, 16 * LANES * 12 * FJ_PER_BIT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_are_the_loops),
        cmocka_unit_test(figures_follow_the_indices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
