/* SPDX-License-Identifier: MIT
 * What is worked out of PTX for a near-bank core before it runs: on which side registers lie
 * (Algorithm 1), and which hardware registers they get; on the PTX of tests/ptx.
 */
#include "tests/examples/page.h"

#include "machines/core/simt/locate.h"

#include "support/alloc.h"
#include "support/file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

static struct ptx_module *module_of(const char *text) {
    struct portable_fault fault = {{0}, 0, 0};
    struct ptx_module *m = ptx_read(text, strlen(text), &fault);
    if (!m)
        fail_msg("line %u: %s", fault.line, str_text(&fault.what));
    str_free(&fault.what);
    return m;
}

static struct ptx_module *module_of_file(const char *path) {
    size_t size;
    char *text = file_read_named(path, 1 << 24, &size);
    if (!text)
        fail_msg("%s is not there", path);
    struct ptx_module *m = module_of(text);
    free(text);
    return m;
}

static uint32_t register_of(const struct ptx_function *f, const char *name) {
    for (uint32_t i = 0; i < f->registers.len; i++)
        if (strcmp(f->registers.data[i].name, name) == 0)
            return i;
    fail_msg("no register %s", name);
    return 0;
}

#define HEAD ".version 6.3\n.target sm_75\n.address_size 64\n"

/* ---- Algorithm 1 ---- */

static void test_fig7(void **state) {
    (void)state;
    struct ptx_module *m = module_of(HEAD ".visible .entry k()\n{\n"
                                          ".reg .f32 %f<4>;\n.reg .b64 %rd<11>;\n"
                                          "ld.global.f32 %f1, [%rd9];\n"
                                          "ld.global.f32 %f2, [%rd8];\n"
                                          "add.f32 %f3, %f2, %f1;\n"
                                          "add.s64 %rd10, %rd1, %rd7;\n"
                                          "st.global.f32 [%rd10], %f3;\n}\n");
    const struct ptx_function *f = &m->functions.data[0];
    static const char *const near[] = {"%f1", "%f2", "%f3"};
    static const char *const far[] = {"%rd9", "%rd8", "%rd10", "%rd1", "%rd7"};
    uint8_t at[16];
    simt_locate(f, SIMT_REPAIRED, true, at);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(at[register_of(f, near[i])], SIMT_NEAR);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(at[register_of(f, far[i])], SIMT_FAR);
    static const enum simt_location lines[] = {SIMT_NEAR, SIMT_NEAR, SIMT_NEAR, SIMT_FAR, SIMT_FAR};
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(simt_location_of(&f->insns.data[i], at), lines[i]);
    ptx_free(m);
}

static const char *const twelve[] = {"axpy", "blur", "conv", "gemv", "hist",   "kmeans",
                                     "knn",  "maxp", "nw",   "pr",   "ttrans", "upsamp"};
static const char *const more[] = {"approx", "bitonic", "blackscholes", "gemm",
                                   "nbody",  "scan",    "segscan",      "shuffles",
                                   "sobel",  "sparse",  "stencil",      "transpose"};

struct shares {
    double near, far, both, unknown;
};

static void add_shares(const struct ptx_function *f, enum simt_reading reading, struct shares *sum,
                       double weight) {
    uint8_t *at = xcalloc(f->registers.len + 1, 1);
    struct simt_counts n;
    simt_locate(f, reading, true, at);
    simt_count(f, at, &n);
    double all = n.registers[SIMT_NEAR] + n.registers[SIMT_FAR] + n.registers[SIMT_BOTH] +
                 n.registers[SIMT_UNKNOWN];
    sum->near += weight * 100 * n.registers[SIMT_NEAR] / all;
    sum->far += weight * 100 * n.registers[SIMT_FAR] / all;
    sum->both += weight * 100 * n.registers[SIMT_BOTH] / all;
    sum->unknown += weight * 100 * n.registers[SIMT_UNKNOWN] / all;
    free(at);
}

/* Of each text its first entry. */
static struct shares mean_of(const char *folder, enum simt_reading reading) {
    struct shares sum = {0, 0, 0, 0};
    for (size_t i = 0; i < 12; i++) {
        char path[512];
        snprintf(path, sizeof path, MPU_SOURCE_DIR "/tests/ptx/%s/%s.ptx", folder, twelve[i]);
        struct ptx_module *m = module_of_file(path);
        add_shares(&m->functions.data[0], reading, &sum, 1.0 / 12);
        ptx_free(m);
    }
    return sum;
}

/* E10 to E13 of the reference: means of the twelve workloads. */
static void test_shares(void **state) {
    (void)state;
    static const char *const folders[] = {"O2", "nvcc"};
    static const unsigned said[][3] = {{277, 678, 46}, {303, 657, 40}};
    for (size_t i = 0; i < 2; i++) {
        struct shares s = mean_of(folders[i], SIMT_REPAIRED);
        assert_true(s.near >= 25 && s.near <= 40);
        assert_true(s.far >= 55 && s.far <= 72);
        assert_true(s.both >= 0 && s.both <= 8);
        assert_true(s.unknown <= 0);
        /* what docs/simt.md says, in tenths */
        assert_int_equal((uint64_t)(10 * s.near + 0.5), said[i][0]);
        assert_int_equal((uint64_t)(10 * s.far + 0.5), said[i][1]);
        assert_int_equal((uint64_t)(10 * s.both + 0.5), said[i][2]);
    }
}

static void put_shares(struct str *out, const char *name, const struct shares *s) {
    str_printf(out, "| %s | %.1f | %.1f | %.1f |\n", name, s->near, s->far, s->both);
}

/* The algorithm as it is printed does not give what the paper says of it. */
static void test_literal(void **state) {
    (void)state;
    const struct shares paper = {32.5, 63.7, 3.8, 0}, literal = mean_of("nvcc", SIMT_LITERAL),
                        nvcc = mean_of("nvcc", SIMT_REPAIRED), clang = mean_of("O2", SIMT_REPAIRED);
    struct str table = {0};
    assert_true(literal.near < 12 && literal.both > 60);
    str_append(&table, "| reading | near, % | far | both |\n|---|---|---|---|\n");
    put_shares(&table, "the paper's figures (Fig. 14)", &paper);
    put_shares(&table, "as printed", &literal);
    put_shares(&table, "repaired", &nvcc);
    put_shares(&table, "repaired, PTX of clang at -O2", &clang);
    page_check(MPU_SOURCE_DIR "/docs/simt-paper.md", "readings", &table, "test_simt_static");
    str_free(&table);
}

static void test_counts(void **state) {
    (void)state;
    struct ptx_module *m = module_of_file(MPU_SOURCE_DIR "/tests/ptx/O2/knn.ptx");
    uint8_t *at = xcalloc(m->functions.data[0].registers.len + 1, 1);
    struct simt_counts n;
    struct str text = {0};
    simt_locate(&m->functions.data[0], SIMT_REPAIRED, true, at);
    simt_count(&m->functions.data[0], at, &n);
    simt_counts_text(&n, &text);
    assert_string_equal(str_text(&text), "near 9 far 14 both 0 of 23");
    str_free(&text);
    free(at);
    ptx_free(m);
}

/* ---- registers ---- */

/* No two registers that live at once have a unit in common. */
static void check_colours(const struct simt_live *live, const uint8_t *at,
                          const struct simt_colours *c) {
    const struct ptx_function *f = live->function;
    uint64_t *set = xcalloc(live->words + 1, sizeof *set);
    for (uint32_t b = 0; b < live->cfg->count; b++) {
        const struct ptx_block *block = &live->cfg->blocks[b];
        memcpy(set, live->out + (size_t)b * live->words, live->words * sizeof *set);
        for (uint32_t i = block->first + block->count; i-- > block->first;) {
            uint32_t owner[SIMT_LOCATIONS + 1][512];
            memset(owner, 0xff, sizeof owner);
            for (uint32_t r = 0; r < f->registers.len; r++) {
                if (!simt_set_has(set, r))
                    continue;
                enum ptx_type type = f->registers.data[r].type;
                unsigned k = type == PTX_PRED ? SIMT_LOCATIONS : at[r];
                unsigned width = ptx_type_bits(type) > 32 ? 2 : 1;
                assert_true(c->unit[r] != PTX_NONE && c->unit[r] % width == 0);
                for (unsigned w = 0; w < width; w++) {
                    assert_int_equal(owner[k][c->unit[r] + w], PTX_NONE);
                    owner[k][c->unit[r] + w] = r;
                }
            }
            simt_live_step(&f->insns.data[i], set);
        }
    }
    free(set);
}

/* How many units above those that live at once, of all classes the most. */
static uint32_t excess_of(const struct ptx_function *f) {
    uint8_t *at = xcalloc(f->registers.len + 1, 1);
    struct ptx_cfg cfg;
    struct simt_live live;
    struct simt_colours c;
    uint32_t excess;
    simt_locate(f, SIMT_REPAIRED, true, at);
    ptx_cfg_make(f, &cfg);
    simt_live_make(f, &cfg, &live);
    simt_colour(&live, at, &c);
    check_colours(&live, at, &c);
    excess = c.predicates - c.most_live_predicates;
    for (unsigned k = SIMT_NEAR; k < SIMT_LOCATIONS; k++) {
        assert_true(c.units[k] >= c.most_live[k]);
        if (c.units[k] - c.most_live[k] > excess)
            excess = c.units[k] - c.most_live[k];
    }
    assert_true(c.units[SIMT_NEAR] + c.units[SIMT_FAR] + c.units[SIMT_BOTH] <= 63);
    simt_colours_free(&c);
    simt_live_free(&live);
    ptx_cfg_free(&cfg);
    free(at);
    return excess;
}

static void check_excess(const char *const *names, size_t count, uint32_t most) {
    static const char *const folders[] = {"O1", "O2", "nvcc"};
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 3; k++) {
            char path[512];
            snprintf(path, sizeof path, MPU_SOURCE_DIR "/tests/ptx/%s/%s.ptx", folders[k],
                     names[i]);
            FILE *there = fopen(path, "r");
            if (!there && k == 2)
                continue; /* none without code of nvcc's library */
            assert_non_null(there);
            fclose(there);
            struct ptx_module *m = module_of_file(path);
            for (size_t f = 0; f < m->functions.len; f++)
                if (m->functions.data[f].has_body && excess_of(&m->functions.data[f]) > most)
                    fail_msg("%s: %s takes more registers than live", path,
                             m->functions.data[f].name);
            ptx_free(m);
        }
}

/* Of the twelve as many as live at once; of others one more, and two in lists, where a loop's three
 * pointers are copied in a ring: each two of them live at once somewhere, and all three nowhere. */
static void test_colours(void **state) {
    (void)state;
    check_excess(twelve, 12, 0);
    check_excess(more, sizeof more / sizeof *more, 1);
    check_excess((const char *const[]){"lists"}, 1, 2);
}

/* Very many registers, of which few live at once, take memory by what lives. */
static void test_many_registers(void **state) {
    (void)state;
    struct str text = {0};
    struct rusage before, after;
    str_append(&text, HEAD ".visible .entry k()\n{\n.reg .b32 %r<32768>;\nmov.u32 %r0, %tid.x;\n"
                           "mov.u32 %r1, 1;\n");
    for (uint32_t i = 2; i < 32768; i++)
        str_printf(&text, "add.s32 %%r%u, %%r%u, %%r0;\n", (unsigned)i, (unsigned)(i - 1));
    str_append(&text, "st.global.u32 [0], %r32767;\n}\n");
    struct ptx_module *m = module_of(str_text(&text));
    const struct ptx_function *f = &m->functions.data[0];
    uint8_t *at = xcalloc(f->registers.len + 1, 1);
    struct ptx_cfg cfg;
    struct simt_live live;
    struct simt_colours c;
    memset(at, SIMT_FAR, f->registers.len);
    ptx_cfg_make(f, &cfg);
    simt_live_make(f, &cfg, &live);
    getrusage(RUSAGE_SELF, &before);
    simt_colour(&live, at, &c);
    getrusage(RUSAGE_SELF, &after);
    assert_int_equal(c.units[SIMT_FAR], 2);
    assert_in_range(after.ru_maxrss - before.ru_maxrss, 0, 48 << 10); /* KiB; all bits: 128 MiB */
    simt_colours_free(&c);
    simt_live_free(&live);
    ptx_cfg_free(&cfg);
    free(at);
    ptx_free(m);
    str_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fig7),    cmocka_unit_test(test_shares),
        cmocka_unit_test(test_literal), cmocka_unit_test(test_counts),
        cmocka_unit_test(test_colours), cmocka_unit_test(test_many_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
