/* SPDX-License-Identifier: MIT
 * Buffers that lie split, the same and each in its unit, on toy cores: random programs of several
 * kernels beside a model that has its own memory for every core; transfers to the picosecond; what
 * a package holds of it; snapshots. */
#include "tests/draws.h"
#include "linker/linker.h"
#include "object/bytes.h"
#include "runtime/include/mpu/mpu.h"
#include "support/file.h"
#include "tests/control/machine.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PROGRAMS draws(DRAWS_MACHINES_CORE_LAYOUTS)

#define CORE MPU_SOURCE_DIR "/tests/machines/core/core.yaml"
#define LINK MPU_BINARY_DIR "/tests/core-link.yaml"

/* Bytes per second in and out, and set-up; units of each mode are RFHs. */
enum { SERIAL, PARALLEL, BROADCAST };
static const uint64_t rates[3][2] = {
    {330000000, 120000000}, {6680000000, 4740000000}, {16880000000, 0}};
static const uint64_t setups[3] = {700, 1100, 500};

static int write_link(void **state) {
    FILE *f = fopen(LINK, "w");
    (void)state;
    assert_non_null(f);
    fprintf(f,
            "schema: 1\nname: core-link\nextends: " CORE "\nhost:\n  bytes_per_s: null\n  modes:\n"
            "    serial: { in_bytes_per_s: %" PRIu64 ", out_bytes_per_s: %" PRIu64
            ", setup_ps: %" PRIu64 ", scope: rfh }\n"
            "    parallel: { in_bytes_per_s: %" PRIu64 ", out_bytes_per_s: %" PRIu64
            ", setup_ps: %" PRIu64 ", scope: rfh }\n"
            "    broadcast: { in_bytes_per_s: %" PRIu64 ", setup_ps: %" PRIu64 ", scope: rfh }\n",
            rates[0][0], rates[0][1], setups[0], rates[1][0], rates[1][1], setups[1], rates[2][0],
            setups[2]);
    return fclose(f);
}

static uint64_t seed;
static uint32_t random_below(uint32_t limit) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((seed >> 33) % limit);
}

/* ---- the machine, and the model of its memory ---- */

enum { CORES = 256, MOST = 400, ROW = 5, TABLE = 3, LANES = 64, MOST_ROUNDS = 4 };
struct shape {
    uint32_t mpus, rfhs, vrfs; /* VRFs of an RFH */
};
static const struct shape shapes[] = {{1, 1, 1}, {3, 1, 1}, {1, 3, 1}, {8, 2, 4},
                                      {2, 1, 1}, {2, 3, 2}, {1, 2, 1}};

struct model {
    struct shape shape;
    uint32_t here, rounds;         /* cores of the machine, which take turns as `cores` do */
    uint32_t elements;             /* of a group, that wants so many rounds; 0: there is none */
    uint32_t cores, n, unit, halo; /* elements */
    uint32_t per, used, rows;
    int64_t x[CORES][3 * MOST], y[CORES][3 * MOST]; /* x: its halo, own, halo */
    int64_t t[CORES][TABLE];
    int64_t e[CORES][ROW], f[CORES];
    /* As the host has them. */
    int64_t host_x[MOST], host_y[MOST];
    uint64_t ps; /* of all transfers */
};

static uint64_t ps_of(uint64_t bytes, uint64_t rate) {
    return (bytes * 1000000000000u + rate - 1) / rate;
}

/* Bytes of each core: by the mode that `way` wants, if they are equal enough. */
static void transfer(struct model *m, const uint64_t *bytes, uint32_t count, int mode, int out) {
    uint32_t per_mpu = m->shape.rfhs * m->shape.vrfs;
    uint64_t most = 0, longest = 0;
    bool equal = count > 1;
    for (uint32_t u = 0; u < count; u++)
        most = bytes[u] > most ? bytes[u] : most;
    for (uint32_t u = 0; u + 1 < count; u++)
        equal &= bytes[u] == most || u / per_mpu != (u + 1) / per_mpu;
    mode = mode == PARALLEL && !equal ? SERIAL : mode;
    for (uint32_t rfh = 0; rfh < m->shape.mpus * m->shape.rfhs; rfh++) {
        uint64_t some = 0, all = 0, ps;
        for (uint32_t u = 0; u < count; u++)
            if (u / per_mpu * m->shape.rfhs + u % per_mpu % m->shape.rfhs == rfh) {
                some++;
                all += bytes[u];
            }
        if (!some)
            continue;
        if (mode == SERIAL) {
            ps = some * setups[SERIAL] + ps_of(all, rates[SERIAL][out]);
        } else {
            uint64_t alone = ps_of(most, rates[SERIAL][out]);
            ps = ps_of(some * most, rates[mode][out]);
            ps = setups[mode] + (alone > ps ? alone : ps);
        }
        longest = ps > longest ? ps : longest;
    }
    m->ps += longest;
}

/* Of split: own elements of a core. */
static uint32_t own_of(const struct model *m, uint32_t u) {
    uint32_t left = m->n - u * m->per;
    return left < m->per ? left : m->per;
}

static void move_split(struct model *m, uint32_t halo, int out) {
    uint64_t bytes[CORES];
    for (uint32_t first = 0; first < m->used; first += m->here) {
        uint32_t left = m->used - first, count = left < m->here ? left : m->here;
        for (uint32_t u = 0; u < count; u++)
            bytes[u] = 8 * ((uint64_t)own_of(m, first + u) + 2 * halo);
        transfer(m, bytes, count, PARALLEL, out);
    }
}

static void move_all(struct model *m, int out) {
    uint64_t table[CORES], row[CORES], flat = 8 * m->rows;
    for (uint32_t u = 0; u < m->here; u++) {
        table[u] = 8 * TABLE;
        row[u] = 8 * ROW;
    }
    move_split(m, out ? 0 : m->halo, out);
    move_split(m, 0, out);
    for (uint32_t r = 0; r < (out ? 1 : m->rounds); r++)
        transfer(m, table, out ? 1 : m->here, out ? PARALLEL : BROADCAST, out);
    if (m->rounds > 1) /* they have neither rows nor what all reach */
        return;
    transfer(m, row, m->rows, PARALLEL, out);
    transfer(m, &flat, 1, PARALLEL, out);
}

static void random_model(struct model *m) {
    memset(m, 0, sizeof *m);
    m->shape = shapes[random_below(sizeof shapes / sizeof *shapes)];
    m->here = m->shape.mpus * m->shape.rfhs * m->shape.vrfs;
    m->rounds = random_below(3) ? 1 : 2 + random_below(MOST_ROUNDS - 1);
    if (m->rounds > 1)
        m->elements = m->here * LANES * m->rounds - random_below(LANES);
    m->cores = m->here * m->rounds;
    m->n = 1 + random_below(random_below(4) ? 100 : MOST);
    m->unit = 1 + random_below(4);
    m->halo = random_below(4);
    m->rows = 1 + random_below(m->here);
    m->per = (m->n + m->cores - 1) / m->cores;
    m->per = (m->per + m->unit - 1) / m->unit * m->unit;
    m->used = (m->n + m->per - 1) / m->per;
    for (uint32_t i = 0; i < m->n; i++) {
        m->host_x[i] = random_below(1000);
        m->host_y[i] = random_below(1000);
    }
    for (uint32_t u = 0; u < m->cores; u++) {
        for (uint32_t i = 0; i < TABLE; i++)
            m->t[u][i] = u ? m->t[0][i] : (int64_t)random_below(1000);
        for (uint32_t i = 0; u < m->rows && i < ROW; i++)
            m->e[u][i] = random_below(1000);
        m->f[u] = random_below(1000);
    }
    for (uint32_t u = 0; u < m->used; u++)
        for (uint32_t i = 0; i < m->per + 2 * m->halo; i++) {
            int64_t at = (int64_t)(u * m->per + i) - m->halo;
            bool there = at >= 0 && at < m->n;
            m->x[u][i] = there ? m->host_x[at] : 0;
            if (i < m->per && u * m->per + i < m->n)
                m->y[u][i] = m->host_y[u * m->per + i];
        }
}

/* ---- kernels: y += left x + right x; x = y + t[0], t[0] += core + 1; rows of e into f ---- */

enum { STENCIL, BACK, ROWS, KERNELS };

static unsigned kernels_of(const struct model *m) {
    return m->rounds > 1 ? ROWS : KERNELS;
}

static void kernel_texts(const struct model *m, struct str *out) {
    str_printf(out,
               " .kernel stencil core(x: i64[], y: i64[], per: u64, used: u64)\n"
               " .split x %u %u\n .split y %u 0\n"
               " ltu x5 x15 x4; bnez x5 go; end\n go: li x6 8; li x9 %u; li x12 1\n"
               " lap: beqz x3 out; sub x7 x1 x9; ld x8 (x7); add x7 x1 x9; ld x10 (x7)\n"
               " ld x11 (x2); add x8 x8 x10; add x8 x8 x11; st x8 (x2); add x1 x1 x6\n"
               " add x2 x2 x6; sub x3 x3 x12; beqz x0 lap\n out: end\n .endkernel\n",
               8 * m->unit, 8 * m->halo, 8 * m->unit, 8 * m->halo);
    str_printf(out,
               " .kernel back core(x: i64[], y: i64[], t: i64[], per: u64, used: u64)\n"
               " .same t; .split y %u 0\n .split x %u %u\n"
               " ltu x6 x15 x5; bnez x6 go; end\n go: li x6 8; li x12 1; ld x8 (x3)\n"
               " lap: beqz x4 out; ld x9 (x2); add x9 x9 x8; st x9 (x1); add x1 x1 x6\n"
               " add x2 x2 x6; sub x4 x4 x12; beqz x0 lap\n"
               " out: add x8 x8 x15; add x8 x8 x12; st x8 (x3); end\n .endkernel\n",
               8 * m->unit, 8 * m->unit, 8 * m->halo);
    if (m->rounds == 1)
        str_append(out,
                   " .kernel rows core(e: i64[], f: i64[], cols: u64, rows: u64)\n .each e\n"
                   " ltu x5 x15 x4; bnez x5 go; end\n go: li x5 3; shl x5 x15 x5; add x2 x2 x5\n"
                   " ld x6 (x2); li x9 8; li x12 1\n"
                   " lap: beqz x3 out; ld x7 (x1); add x7 x7 x7; add x7 x7 x15; st x7 (x1)\n"
                   " add x6 x6 x7; add x1 x1 x9; sub x3 x3 x12; beqz x0 lap\n"
                   " out: st x6 (x2); end\n .endkernel\n");
}

static void run_core(struct model *m, unsigned kernel, uint32_t u) {
    uint32_t h = m->halo;
    for (uint32_t i = 0; kernel == STENCIL && i < m->per; i++)
        m->y[u][i] += m->x[u][i] + m->x[u][i + 2 * h];
    for (uint32_t i = 0; kernel == BACK && i < m->per; i++)
        m->x[u][i + h] = m->y[u][i] + m->t[u][0];
    if (kernel == BACK)
        m->t[u][0] += u + 1;
    for (uint32_t i = 0; kernel == ROWS && i < ROW; i++) {
        m->e[u][i] = 2 * m->e[u][i] + u;
        m->f[u] += m->e[u][i];
    }
}

static void launch_all(struct model *m, unsigned kernel) {
    for (uint32_t u = 0; u < (kernel == ROWS ? m->rows : m->used); u++)
        run_core(m, kernel, u);
}

static void recipe(const struct model *m, unsigned kernel, struct str *out) {
    if (kernel == STENCIL)
        str_printf(out, " RECIPE stencil(x, y, %u, %u)\n", m->per, m->used);
    else if (kernel == BACK)
        str_printf(out, " RECIPE back(x, y, t, %u, %u)\n", m->per, m->used);
    else
        str_printf(out, " RECIPE rows(e, f, %u, %u)\n", ROW, m->rows);
}

/* Launches, some in loops; the model goes along. */
static void random_text(struct model *m, struct str *out) {
    str_printf(out,
               " .size n = %u\n .buffer inout x: i64[n]\n .buffer inout y: i64[n]\n"
               " .buffer %s t: i64[%u]\n",
               m->n, m->rounds > 1 ? "in" : "inout", TABLE);
    if (m->rounds > 1)
        str_printf(out, " .group g[%u]\n .var out a: u64 @g = r1\n", m->elements);
    else
        str_printf(out, " .buffer inout e: i64[%u, %u]\n .buffer inout f: i64[%u]\n", m->rows, ROW,
                   m->rows);
    kernel_texts(m, out);
    str_append(out, "main: NOP\n");
    if (m->rounds > 1)
        str_append(out, " COMPUTEG @g\n INIT1 r1\n COMPUTE_DONE\n");
    for (unsigned k = 0; k < kernels_of(m); k++) /* all are called: else buffers lie flat */
        recipe(m, k, out), launch_all(m, k);
    for (uint32_t i = random_below(4); i; i--) {
        uint32_t laps = 1 + random_below(3), kernel = random_below(kernels_of(m)),
                 next = random_below(kernels_of(m));
        str_printf(out, " REPEAT %u\n", laps);
        recipe(m, kernel, out);
        recipe(m, next, out);
        str_append(out, " REPEAT_END\n");
        for (; laps; laps--) {
            launch_all(m, kernel);
            launch_all(m, next);
        }
    }
    str_append(out, " HALT\n");
}

/* ---- the same by libmpu ---- */

static mpu_target *target_of(const struct model *m) {
    char text[3][40];
    const char *set[4] = {text[0], text[1], text[2], NULL};
    mpu_error *e = NULL;
    snprintf(text[0], 40, "machine.mpus=%u", m->shape.mpus);
    snprintf(text[1], 40, "machine.rfh_per_mpu=%u", m->shape.rfhs);
    snprintf(text[2], 40, "machine.vrf_per_rfh=%u", m->shape.vrfs);
    mpu_target *t = mpu_target_open(LINK, set, &e);
    if (!t)
        fail_msg("%s", mpu_error_text(e));
    return t;
}

static mpu_program *program_of(const char *text) {
    mpu_error *e = NULL;
    mpu_source *s = mpu_source_new(NULL);
    mpu_source_add_text(s, "layouts.s", text, strlen(text));
    mpu_program *p = mpu_source_build(s, &e);
    if (!p)
        fail_msg("%s\n%s", mpu_error_text(e), text);
    mpu_source_free(s);
    return p;
}

static void fine(mpu_result r, mpu_error *e, const char *text) {
    if (r != MPU_OK)
        fail_msg("%s\n%s", mpu_error_text(e), text);
}

static void put(mpu_session *s, const char *name, uint32_t rows, uint32_t cols, void *data,
                const char *text) {
    const mpu_array a = {MPU_I64, cols ? 2 : 1, {rows, cols}, data};
    mpu_error *e = NULL;
    fine(mpu_session_put(s, name, &a, &e), e, text);
}

static void expect(mpu_session *s, const char *name, const int64_t *wanted, uint64_t count,
                   const char *text) {
    mpu_error *e = NULL;
    mpu_array a;
    fine(mpu_session_get(s, name, &a, &e), e, text);
    for (uint64_t i = 0; i < count; i++)
        if (((const int64_t *)a.data)[i] != wanted[i])
            fail_msg("%s[%" PRIu64 "] is %" PRId64 ", not %" PRId64 "\n%s", name, i,
                     ((const int64_t *)a.data)[i], wanted[i], text);
    mpu_array_free(&a);
}

static uint64_t figure(const char *csv, const char *path) {
    char key[64];
    snprintf(key, sizeof key, "\n%s,", path);
    const char *at = strstr(csv, key);
    if (!at)
        fail_msg("no figure %s in %s", path, csv);
    return strtoull(at + strlen(key), NULL, 10);
}

/* What units have of their own, one after another. */
static void gather(const struct model *m, int64_t *x, int64_t *y) {
    for (uint32_t i = 0; i < m->n; i++) {
        x[i] = m->x[i / m->per][i % m->per + m->halo];
        y[i] = m->y[i / m->per][i % m->per];
    }
}

/* What lanes did beside the kernels, in all rounds. */
static void expect_ones(mpu_session *s, uint32_t elements, const char *text) {
    mpu_error *e = NULL;
    mpu_array a;
    if (!elements)
        return;
    fine(mpu_session_get(s, "a", &a, &e), e, text);
    assert_int_equal(a.shape[0], elements);
    for (uint32_t i = 0; i < elements; i++)
        assert_int_equal(((const uint64_t *)a.data)[i], 1);
    mpu_array_free(&a);
}

/* `before`: the model as it was put; `m` as it is behind the program. */
static char *run_way(const struct model *before, const struct model *m, const char *text,
                     uint32_t threads, bool resident) {
    mpu_target *t = target_of(m);
    mpu_program *p = program_of(text);
    const mpu_config config = {.size = sizeof config, .threads = threads};
    mpu_error *e = NULL;
    mpu_session *s = mpu_session_new(p, t, &config, &e);
    int64_t x[MOST], y[MOST], rows[CORES * ROW];
    assert_non_null(s);
    if (resident)
        fine(mpu_session_set_resident(s, "x", &e), e, text);
    for (uint32_t i = 0; i < m->rows * ROW; i++)
        rows[i] = before->e[i / ROW][i % ROW];
    put(s, "x", m->n, 0, (void *)(uintptr_t)m->host_x, text);
    put(s, "y", m->n, 0, (void *)(uintptr_t)m->host_y, text);
    put(s, "t", TABLE, 0, (void *)(uintptr_t)before->t[0], text);
    if (m->rounds == 1) {
        put(s, "e", m->rows, ROW, rows, text);
        put(s, "f", m->rows, 0, (void *)(uintptr_t)before->f, text);
    }
    fine(mpu_session_run(s, &e), e, text);
    gather(m, x, y);
    for (uint32_t i = 0; i < m->rows * ROW; i++)
        rows[i] = m->e[i / ROW][i % ROW];
    expect(s, "x", x, m->n, text);
    expect(s, "y", y, m->n, text);
    expect(s, "t", m->t[0], TABLE, text);
    if (m->rounds == 1) {
        expect(s, "e", rows, (uint64_t)m->rows * ROW, text);
        expect(s, "f", m->f, m->rows, text);
    }
    char *csv = mpu_session_stats(s, "csv", &e);
    assert_non_null(csv);
    assert_int_equal(figure(csv, "total.rounds"), m->rounds);
    expect_ones(s, m->elements, text);
    mpu_session_free(s);
    mpu_program_free(p);
    mpu_target_close(t);
    return csv;
}

static void programs(void **state) {
    struct model *before = malloc(sizeof *before), *m = malloc(sizeof *m);
    (void)state;
    seed = 39;
    for (unsigned i = 0; i < PROGRAMS; i++) {
        struct str text = {0};
        random_model(m);
        *before = *m;
        random_text(m, &text);
        move_all(m, 0);
        move_all(m, 1);
        char *one = run_way(before, m, str_text(&text), 1, false);
        assert_int_equal(figure(one, "host.time_ps"), m->ps);
        if (i % 4 == 0) {
            char *two = run_way(before, m, str_text(&text), 2, false);
            assert_string_equal(one, two);
            free(two);
        }
        if (i % 10 == 0 && m->rounds == 1) { /* the same without what x takes */
            char *less = run_way(before, m, str_text(&text), 1, true);
            uint64_t in = 8 * ((uint64_t)m->n + 2 * (uint64_t)m->halo * m->used);
            struct model *x = malloc(sizeof *x);
            *x = *before;
            move_split(x, m->halo, 0);
            move_split(x, 0, 1);
            assert_int_equal(figure(less, "host.time_ps"), m->ps - x->ps);
            assert_int_equal(figure(less, "host.resident.0.bytes_in"), in);
            assert_int_equal(figure(less, "host.resident.0.bytes_out"), 8 * (uint64_t)m->n);
            free(x);
            mpu_string_free(less);
        }
        mpu_string_free(one);
        str_free(&text);
    }
    free(before);
    free(m);
}

/* ---- the package ---- */

static const char shifting[] =
    " .size n = 100\n .buffer inout x: i64[n]\n .buffer inout t: i64[3]\n"
    " .buffer inout e: i64[5, 2]\n .buffer inout f: i64[9]\n"
    " .kernel shift core(x: i64[], t: i64[], e: i64[], f: i64[])\n"
    " .split x 16 24\n .same t\n .each e\n end\n .endkernel\n"
    "main: RECIPE shift(x, t, e, f)\n HALT\n";
enum { RECORD = 20 };

static void put_record(unsigned char *at, uint32_t layout, uint64_t unit, uint64_t halo) {
    struct str bytes = {0};
    put_u32(&bytes, layout);
    put_u64(&bytes, unit);
    put_u64(&bytes, halo);
    memcpy(at, bytes.text, RECORD);
    str_free(&bytes);
}

/* Read: 0 refused, 1 of another time, 2 used. */
static int read_changed(const struct opened *m, struct str *bytes) {
    struct diag *d = diag_new(NULL, NULL);
    char digest[65];
    enum { HEAD = 8, DIGEST = 64 };
    sha256_hex(bytes->text + HEAD + DIGEST, bytes->len - HEAD - DIGEST, digest);
    memcpy(bytes->text + HEAD, digest, DIGEST);
    struct package *p = package_read(m->object, bytes->text, bytes->len, d);
    int result = !p ? 0 : package_fresh(p, m->object, m->target, m->library, NULL, 0) ? 2 : 1;
    assert_true(p || strstr(diag_first(d), "a buffer does not lie in a possible way"));
    package_free(p);
    diag_free(d);
    return result;
}

static void package_holds_it(void **state) {
    static const struct {
        uint32_t layout;
        uint64_t unit, halo;
        int read;
    } cases[] = {
        {LAYOUT_SPLIT, 16, 24, 2},
        {LAYOUT_SPLIT, 8, 24, 1},
        {LAYOUT_SPLIT, 16, 16, 1},
        {LAYOUT_FLAT, 0, 0, 1},
        {LAYOUT_SAME, 0, 0, 1},
        {LAYOUT_EACH, 0, 0, 1}, /* 100 rows on 64 units are nobody's either */
        {LAYOUTS, 0, 0, 0},
        {UINT32_MAX, 16, 24, 0},
        {LAYOUT_SPLIT, 0, 24, 0},
        {LAYOUT_SPLIT, 12, 24, 0},
        {LAYOUT_SPLIT, 16, 4, 0},
        {LAYOUT_SPLIT, (uint64_t)1 << 41, 0, 0},
        {LAYOUT_SPLIT, 16, (uint64_t)1 << 63, 0},
        {LAYOUT_SAME, 8, 0, 0},
        {LAYOUT_FLAT, 0, 8, 0},
    };
    struct opened m;
    struct str bytes = {0};
    unsigned char record[RECORD];
    size_t at = 0;
    (void)state;
    machine_open_on(&m, CORE, shifting);
    package_write(m.package, &bytes);
    put_record(record, LAYOUT_SPLIT, 16, 24);
    while (at + RECORD <= bytes.len && memcmp(bytes.text + at, record, RECORD) != 0)
        at++;
    assert_true(at + 4 * RECORD <= bytes.len);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_record((unsigned char *)bytes.text + at, cases[i].layout, cases[i].unit, cases[i].halo);
        assert_int_equal(read_changed(&m, &bytes), cases[i].read);
    }
    for (uint32_t i = 0; i < 4; i++) {
        struct package_layout l = package_buffer_layout(m.package, m.object, m.target, i);
        static const enum machine_layout layouts[] = {LAYOUT_SPLIT, LAYOUT_SAME, LAYOUT_EACH,
                                                      LAYOUT_FLAT};
        static const uint32_t slices[] = {50, 64, 5, 1};
        assert_int_equal(l.layout, layouts[i]);
        assert_int_equal(l.slices, slices[i]);
    }
    str_free(&bytes);
    machine_close(&m);
}

/* A program that was changed behind its package, which says that it is of this one. */
static const char launching[] =
    " .size n = 8\n .buffer inout x: i64[n]\n .buffer inout t: i64[n, 2]\n"
    " .module m core\n .entry k(x: i64[], t: i64[], a: i64)\n .each t\n end\n .endmodule\n"
    " .kernel k core(x: i64[], t: i64[], a: i64) in m\n"
    "main: RECIPE k<<<n, 64>>>(x + 8 * n, t + 8, 3) units 2 from n\n HALT\n";
struct forged {
    enum { EXTENT, OFFSET, TYPE } what;
    unsigned number; /* of the extent or the parameter */
    uint64_t value;
    bool read; /* it takes the machine to see it */
    const char *message;
};

static void change(struct object *o, const struct forged *x) {
    struct recipe_call *c = &o->calls.data[0];
    struct launch_geometry *g = ARENA_ARRAY(&o->arena, 1, struct launch_geometry);
    struct kernel_argument *a = ARENA_ARRAY(&o->arena, 3, struct kernel_argument);
    struct kernel_parameter *p = ARENA_ARRAY(&o->arena, 3, struct kernel_parameter);
    memcpy(g, c->geometry, sizeof *g);
    memcpy(a, c->arguments, 3 * sizeof *a);
    memcpy(p, o->kernels.data[0].parameters, 3 * sizeof *p);
    if (x->what == EXTENT)
        g->extent[x->number] = (struct extent){NO_INDEX, x->value};
    else if (x->what == OFFSET)
        a[x->number].size = NO_INDEX, a[x->number].number = x->value;
    else
        p[x->number].type.bits = (uint8_t)x->value;
    c->geometry = g;
    c->arguments = a;
    o->kernels.data[0].parameters = p;
}

/* The package as it is, for what the object is now. */
static void sign(const struct opened *m, struct str *package) {
    struct str bytes = {0};
    object_write(m->object, &bytes);
    sha256_hex(bytes.text, bytes.len, m->package->program_hash);
    package_write(m->package, package);
    str_free(&bytes);
}

static void try_forged(const struct forged *x) {
    struct opened m;
    struct str bytes = {0};
    machine_open_on(&m, CORE, launching);
    struct diag *d = diag_new(NULL, NULL);
    change(m.object, x);
    assert_true(object_check(m.object, d, NO_SPAN));
    sign(&m, &bytes);
    struct package *p = package_read(m.object, bytes.text, bytes.len, d);
    if ((p != NULL) != x->read)
        fail_msg("%s: read %d, %s", x->message, p != NULL, diag_first(d));
    if (p) {
        assert_false(package_fresh(p, m.object, m.target, m.library, NULL, 0));
        assert_null(package_build(m.object, m.target, m.library, NULL, 0, d));
    }
    assert_int_equal(diag_errors(d), 1);
    if (!strstr(diag_first(d), x->message))
        fail_msg("'%s', not '%s'", diag_first(d), x->message);
    package_free(p);
    str_free(&bytes);
    diag_free(d);
    machine_close(&m);
}

static void forged_launches_are_found(void **state) {
    static const struct forged cases[] = {
        {EXTENT, LAUNCH_GRID, (uint64_t)1 << 32, false,
         "kernel 'k': the grid is 4294967296, not 1 to 4294967295"},
        {EXTENT, LAUNCH_BLOCK + 1, (uint64_t)1 << 40, false,
         "kernel 'k': the second dimension of the block is 1099511627776"},
        {EXTENT, LAUNCH_GRID + 1, UINT32_MAX, false,
         "kernel 'k': the launch has more than 2^40 workers"},
        {EXTENT, LAUNCH_UNITS, 65, true, "kernel 'k' names units 8 to 72; target 'core' has 64"},
        {EXTENT, LAUNCH_FIRST, 63, true, "kernel 'k' names units 63 to 64; target 'core' has 64"},
        {EXTENT, LAUNCH_BYTES, 8, true,
         "kernel 'k': form 'core' leaves the number of bytes of a block to the machine"},
        {OFFSET, 0, 72, false, "kernel 'k', parameter 'x': buffer 'x' has 64 bytes, not 72"},
        {OFFSET, 0, (uint64_t)1 << 40, false, "kernel 'k', parameter 'x': buffer 'x' has 64"},
        {OFFSET, 0, 12, false,
         "kernel 'k', parameter 'x': elements of buffer 'x' (8 bytes) do not begin at byte 12"},
        {OFFSET, 1, 24, false, "kernel 'k', parameter 't': buffer 't' has 16 bytes, not 24"},
        {TYPE, 2, 32, true, "kernel 'k': its module declares it as"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        try_forged(&cases[i]);
}

/* ---- memory in slices ---- */

static void slices(void **state) {
    enum { UNITS = 7, BYTES = 24 };
    struct opened m;
    struct diag *d = diag_new(NULL, NULL);
    struct str saved = {0};
    uint64_t at, stride, flat, x[3] = {1, 2, 3}, y[3];
    (void)state;
    machine_open_on(&m, CORE, shifting);
    const struct datapath_ops *ops = m.dp->ops;
    assert_true(ops->mem_alloc_slices(m.dp, BYTES, UNITS, &at, &stride, d));
    assert_true(ops->mem_alloc(m.dp, BYTES, &flat, d));
    assert_true(flat >= at + UNITS * stride);
    for (uint64_t u = 0; u < UNITS; u++) {
        x[0] = u;
        assert_true(ops->mem_put(m.dp, at + u * stride, x, BYTES, d));
        /* One byte further on is nobody's, nor is what lies between. */
        assert_false(ops->mem_put(m.dp, at + u * stride + 8, x, BYTES, d));
        assert_false(ops->mem_put(m.dp, at + u * stride + stride / 2, x, 1, d));
        assert_false(ops->mem_put(m.dp, at + (u + 1) * stride - 1, x, 1, d));
    }
    assert_true(ops->snapshot(m.dp, false, &saved));
    for (uint64_t u = 0; u < UNITS; u++)
        assert_true(ops->mem_put(m.dp, at + u * stride + 8, x, 8, d));
    assert_true(ops->snapshot(m.dp, true, &saved));
    for (uint64_t u = 0; u < UNITS; u++) {
        assert_true(ops->mem_get(m.dp, at + u * stride, y, BYTES, d));
        assert_true(y[0] == u && y[1] == 2 && y[2] == 3);
    }
    assert_false(ops->mem_free(m.dp, at + stride, d));
    assert_true(ops->mem_free(m.dp, at, d));
    assert_false(ops->mem_get(m.dp, at + stride, y, 8, d));
    assert_false(ops->mem_alloc_slices(m.dp, 0, UNITS, &at, &stride, d));
    assert_false(ops->mem_alloc_slices(m.dp, UINT64_MAX, 1, &at, &stride, d));
    assert_false(ops->mem_alloc_slices(m.dp, UINT64_MAX / 8, UNITS, &at, &stride, d));
    str_free(&saved);
    machine_close(&m);
    diag_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs),
        cmocka_unit_test(package_holds_it),
        cmocka_unit_test(forged_launches_are_found),
        cmocka_unit_test(slices),
    };
    return cmocka_run_group_tests(tests, write_link, NULL);
}
