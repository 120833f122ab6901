/* SPDX-License-Identifier: MIT
 * Every example, compiled and run through the library, from zeroed and from random registers,
 * compared with references that another program made.
 *   test_examples            on the machines that were built or published, and on golden
 *   test_examples GROUP      on another group of targets: "whole rows", "rows of slots", "made up"
 */
#include "asm/asm.h"
#include "disasm/disasm.h"
#include "linker/linker.h"
#include "runtime/include/mpu/mpu.h"
#include "support/file.h"
#include "tests/examples/list.h"
#include "tests/examples/page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifndef MPU_SANITIZED
#define MPU_SANITIZED 0
#endif

/* Batchings that are tried from random registers. */
enum { MAX_TARGETS = 12, BATCHES = MPU_SANITIZED ? 1 : 2 };

/* --- groups of targets --- */

#define HERE MPU_SOURCE_DIR "/examples/technology/"

/* Targets that run in one process, and the page that has what it costs there, between the lines
 * "<!-- NAME -->" and "<!-- end of NAME -->". */
struct target_group {
    const char *name, *page;
    const char *targets[MAX_TARGETS];
    const char *set[2]; /* as --set has it, of all of them; ended by NULL */
};

static const struct target_group groups[] = {
    {"machines",
     MPU_SOURCE_DIR "/docs/examples.md",
     {"racer", "racer-oscar", "racer-magic", "racer-felix", "racer-ideal", "mimdram",
      "duality-cache", "golden"},
     {NULL}},
    {"whole rows", MPU_SOURCE_DIR "/docs/examples.md", {"simdram", "ambit"}, {NULL}},
    {"rows of slots",
     MPU_SOURCE_DIR "/docs/pluto.md",
     {"pluto-bsa", "pluto-gsa", "pluto-gmc"},
     {"machine.mpus=24"}}, /* ranks, for programs of so many MPUs */
    {"DPUs", MPU_SOURCE_DIR "/docs/dpu-runs.md", {"upmem"}, {"machine.mpus=24"}},
    {"near-bank SIMT", MPU_SOURCE_DIR "/docs/simt-runs.md", {"simt"}, {"machine.mpus=24"}},
    {"made up",
     MPU_SOURCE_DIR "/examples/technology/README.md",
     {HERE "mtj.yaml", HERE "imply.yaml", HERE "majority5.yaml"},
     {NULL}},
    {"programs on slots",
     MPU_SOURCE_DIR "/docs/pluto.md",
     {"pluto-bsa", "pluto-gsa", "pluto-gmc"},
     {"machine.mpus=24"}},
    {"programs",
     MPU_SOURCE_DIR "/docs/examples.md",
     {"racer", "racer-ideal", "mimdram", "simdram", "ambit", "duality-cache", "golden"},
     {NULL}},
};
#define GROUPS (sizeof groups / sizeof *groups)

/* The rows of the group's table, as its examples run. */
static const struct target_group *group = groups;
static struct str rows;

static uint64_t figure(mpu_session *s, const char *path) {
    uint64_t value = 0;
    assert_int_equal(mpu_session_figure(s, path, &value), MPU_OK);
    return value;
}

static void add_row(const struct example *x, const mpu_target *t, mpu_session *s) {
    static const char *const paths[] = {"total.datapath_cycles", "total.micro_ops", "total.time_ps",
                                        "total.energy_fj"};
    uint64_t lanes = figure(s, "utilisation.lanes_used");
    uint64_t of_used = figure(s, "derived.lanes_of_allocated_ppm");
    if (strcmp(mpu_target_name(t), "golden") == 0)
        return;
    str_printf(&rows, "| %s | %s |", x->program, mpu_target_name(t));
    for (size_t i = 0; i < 4; i++)
        str_printf(&rows, " %llu |", (unsigned long long)figure(s, paths[i]));
    str_printf(&rows, " %llu | %llu %% |\n", (unsigned long long)lanes,
               (unsigned long long)(of_used / 10000));
}

/* Results are equal on every target, however VRFs are batched and whatever registers hold. */
static void run_on_target(const struct example *x, const mpu_program *p, const mpu_target *target) {
    static const char *const batches[] = {"one", "all"}, *const places[] = {"packed", "spread"};
    mpu_session *s = example_run(x, p, target, "target", "zero", NULL);
    add_row(x, target, s);
    mpu_session_free(s);
    for (size_t i = 0; i < BATCHES; i++)
        mpu_session_free(example_run(x, p, target, batches[i], "random:1", places[i]));
}

/* The group's targets: what was mapped for one example serves the next. */
static mpu_target *opened[MAX_TARGETS];

/* Under sanitizers one of each kind: the others take the same ways through the code. */
static bool is_left_out(const char *target) {
    static const char *const kept[] = {"racer", "mimdram", "duality-cache", "golden"};
    bool left_out = MPU_SANITIZED;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        left_out = left_out && strcmp(kept[i], target) != 0;
    return left_out;
}

static int open_targets(void **state) {
    (void)state;
    for (size_t i = 0, n = 0; i < MAX_TARGETS && group->targets[i]; i++) {
        mpu_error *e = NULL;
        if (is_left_out(group->targets[i]))
            continue;
        opened[n] = mpu_target_open(group->targets[i], group->set, &e);
        need(opened[n++] != NULL, group->targets[i], e);
    }
    return 0;
}

static int close_targets(void **state) {
    (void)state;
    for (size_t i = 0; i < MAX_TARGETS && opened[i]; i++)
        mpu_target_close(opened[i]);
    return 0;
}

/* 32 sums over 300,000 pixels take a second on a machine: on the group's first. */
static void test_levels(void **state) {
    (void)state;
    char path[4096];
    mpu_error *e = NULL;
    if (strcmp(group->name, "near-bank SIMT") == 0)
        skip(); /* its lanes are carried out one by one, which takes a minute */
    mpu_program *p = mpu_program_load_file(example_path(path, "", example_levels.program), &e);
    need(p != NULL, example_levels.program, e);
    mpu_session_free(example_run(&example_levels, p, opened[0], "target", "zero", NULL));
    mpu_program_free(p);
}

/* Racer and golden with two VRFs in each MPU, so that the programs span several MPUs. */
static mpu_target *small[2];

static int open_small(void **state) {
    static const char *const set[] = {"machine.vrf_per_rfh=1", "machine.rfh_per_mpu=2",
                                      "machine.mpus=8", NULL};
    mpu_error *e = NULL;
    for (size_t i = 0; i < 2; i++) {
        small[i] = mpu_target_open(i ? "golden" : "racer", set, &e);
        need(small[i] != NULL, "small MPUs", e);
    }
    return open_targets(state);
}

static int close_small(void **state) {
    mpu_target_close(small[0]);
    mpu_target_close(small[1]);
    return close_targets(state);
}

static void run_on_small(const struct example *x, const mpu_program *p, const mpu_target *t) {
    for (size_t i = 0; i < BATCHES; i++) {
        mpu_session *s = example_run(x, p, t, i ? "one" : "target", i ? "random:1" : "zero", NULL);
        assert_true(figure(s, "utilisation.mpus_used") > 1);
        mpu_session_free(s);
    }
}

static void run_example(void **state) {
    static unsigned taken;
    const struct example *x = *state;
    char path[4096];
    mpu_error *e = NULL;
    mpu_program *p = mpu_program_load_file(example_path(path, "", x->program), &e);
    need(p != NULL, x->program, e);
    /* Under sanitizers the examples take turns with the machines. */
    for (size_t i = 0; i < MAX_TARGETS && opened[i]; i++)
        if (example_fits(x, mpu_target_name(opened[i])) && (!MPU_SANITIZED || (i + taken) % 2 == 0))
            run_on_target(x, p, opened[i]);
    taken++;
    for (size_t i = 0; i < 2 && small[i] && example_fits(x, "small"); i++)
        run_on_small(x, p, small[i]);
    mpu_program_free(p);
}

/* The page holds the rows as they are. */
static void page_is_fresh(void **state) {
    (void)state;
    struct str table = {0};
    str_append(&table, "| example | target | cycles | micro-ops | time, ps | energy, fJ | elements "
                       "| lanes used |\n|---|---|---|---|---|---|---|---|\n");
    str_append(&table, str_text(&rows));
    if (!MPU_SANITIZED)
        page_check(group->page, group->name, &table, "test_examples");
    str_free(&table);
    str_free(&rows);
}

/* --- Fig. 6 --- */

static struct object *assemble(const char *name, const char *text, size_t size) {
    struct diag *d = diag_new(NULL, NULL);
    struct asm_options options = {0};
    struct object *o = asm_assemble(name, text, size, &options, d);
    if (!o)
        fail_msg("%s", diag_first(d));
    diag_free(d);
    return o;
}

static void write_object(const struct object *o, struct str *bytes) {
    object_write(o, bytes);
}

/* The 21 words of the paper's Fig. 6 come back. */
static void assemble_figure_6(void **state) {
    (void)state;
    char path[4096];
    size_t size;
    struct str text = {0}, first = {0}, second = {0};
    char *source = file_read(example_path(path, "", "fig6.s"), &size);
    assert_non_null(source);
    struct object *o = assemble("fig6.s", source, size);
    assert_int_equal(o->text.len, 21);
    disasm_reassemble(o, &text);
    struct object *again = assemble("again.s", str_text(&text), text.len);
    write_object(o, &first);
    write_object(again, &second);
    assert_int_equal(first.len, second.len);
    assert_memory_equal(first.text, second.text, first.len);
    object_free(o);
    object_free(again);
    str_free(&text);
    str_free(&first);
    str_free(&second);
    free(source);
}

static struct object *assemble_file(const char *name) {
    char path[4096];
    size_t size;
    char *source = file_read(example_path(path, "", name), &size);
    assert_non_null(source);
    struct object *o = assemble(name, source, size);
    free(source);
    return o;
}

/* The partner and the figure behind it. */
static mpu_program *link_figure_6(void) {
    struct diag *d = diag_new(NULL, NULL);
    struct object *inputs[] = {assemble_file("fig6-partner.s"), assemble_file("fig6.s")};
    struct object *linked = link_objects((const struct object *const *)inputs, 2, NULL, d);
    struct str bytes = {0};
    mpu_error *e = NULL;
    if (!linked)
        fail_msg("%s", diag_first(d));
    write_object(linked, &bytes);
    mpu_program *p = mpu_program_load(bytes.text, bytes.len, &e);
    need(p != NULL, "fig6", e);
    str_free(&bytes);
    object_free(inputs[0]);
    object_free(inputs[1]);
    object_free(linked);
    diag_free(d);
    return p;
}

static void expect_register(mpu_session *s, const char *name, uint64_t value) {
    mpu_array a = {0};
    mpu_error *e = NULL;
    need(mpu_session_get(s, name, &a, &e) == MPU_OK, name, e);
    assert_int_equal(((const uint64_t *)a.data)[5], value);
    mpu_array_free(&a);
}

static void run_figure_6_on(const mpu_program *p, const mpu_target *t) {
    static uint64_t sent[64], moved[64];
    const mpu_array first = {MPU_U64, 1, {64}, sent}, second = {MPU_U64, 1, {64}, moved};
    mpu_error *e = NULL;
    mpu_session *s = mpu_session_new(p, t, NULL, &e);
    need(s != NULL, "fig6", e);
    for (uint64_t i = 0; i < 64; i++) {
        sent[i] = i * i << 40;
        moved[i] = ~i;
    }
    need(mpu_session_put(s, "RFH1.VRF1.r1", &first, &e) == MPU_OK, "fig6", e);
    need(mpu_session_put(s, "RFH1.VRF0.r0", &second, &e) == MPU_OK, "fig6", e);
    need(mpu_session_run(s, &e) == MPU_OK, "fig6", e);
    expect_register(s, "RFH1.VRF1.r2", UINT64_C(25) << 40); /* r0 is 0 */
    expect_register(s, "RFH3.VRF0.r0", ~UINT64_C(5));       /* by way of RFH2 */
    expect_register(s, "MPU4.RFH4.VRF2.r1", UINT64_C(25) << 40);
    expect_register(s, "MPU4.RFH4.VRF2.r2", UINT64_C(50) << 40);
    assert_int_equal(figure(s, "messages.sent"), 1);
    /* Four steps along the row; on the mesh of duality-cache, four columns wide, one down. */
    assert_int_equal(figure(s, "messages.hops"),
                     strcmp(mpu_target_name(t), "duality-cache") == 0 ? 1 : 4);
    assert_int_equal(figure(s, "messages.bytes"), 2 * 64 * 8);
    mpu_session_free(s);
}

/* With its partner the figure runs; whole rows have too few VRFs in an MPU. */
static void run_figure_6(void **state) {
    (void)state;
    mpu_program *p = link_figure_6();
    for (size_t i = 0; i < MAX_TARGETS && opened[i] && group == groups; i++)
        run_figure_6_on(p, opened[i]);
    mpu_program_free(p);
}

#define EXAMPLE(x)                                                                                 \
    { #x, run_example, NULL, NULL, (void *)(uintptr_t)&example_##x }

static const struct target_group *group_named(const char *name) {
    for (size_t i = 0; i < GROUPS; i++)
        if (strcmp(groups[i].name, name) == 0)
            return &groups[i];
    return NULL;
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        EXAMPLE(axpy),
        EXAMPLE(popcount),
        EXAMPLE(dot),
        EXAMPLE(poly),
        EXAMPLE(collatz),
        EXAMPLE(brightness),
        EXAMPLE(gamma),
        EXAMPLE(equalise),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(page_is_fresh),
        cmocka_unit_test(assemble_figure_6),
        cmocka_unit_test(run_figure_6),
    };
    const struct CMUnitTest programs[] = {
        EXAMPLE(flow),        EXAMPLE(factor),    EXAMPLE(edit_distance),
        EXAMPLE(sort),        EXAMPLE(crc32),     EXAMPLE(kmeans),
        EXAMPLE(life),        EXAMPLE(histogram), EXAMPLE(systolic),
        EXAMPLE(allreduce),   EXAMPLE(grid_edit), EXAMPLE(maze),
        EXAMPLE(heat),        EXAMPLE(outliers),  EXAMPLE(chain),
        EXAMPLE(crc32_table), EXAMPLE(aes),       cmocka_unit_test(page_is_fresh),
    };
    if (argc > 1)
        group = group_named(argv[1]);
    if (group && strncmp(group->name, "programs", 8) == 0)
        return cmocka_run_group_tests(programs, open_small, close_small);
    return group ? cmocka_run_group_tests(tests, open_targets, close_targets) : 2;
}
