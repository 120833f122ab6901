/* SPDX-License-Identifier: MIT
 * docs/power.md: power density against the fraction of VRFs that work at once. */
#include "support/file.h"
#include "tests/examples/arrays.h"
#include "tests/examples/page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

static const char page[] = MPU_SOURCE_DIR "/docs/power.md";
static const char source[] = MPU_BINARY_DIR "/tests/power.s";

/* A body of one instruction, and one that repeats it: alone, and back to back. */
enum { ALONE = 1, MANY = 64 };
static mpu_program *program(const char *instruction, unsigned times) {
    struct str text = {0};
    mpu_error *e = NULL;
    str_append(&text, "        .size n\n        .group g[n]\n        .global main\n"
                      "main:   COMPUTEG @g\n");
    for (unsigned i = 0; i < times; i++)
        str_printf(&text, "        %s r0 r1 r2\n", instruction);
    str_append(&text, "        COMPUTE_DONE\n        HALT\n");
    assert_true(file_write(source, str_text(&text), text.len));
    mpu_program *p = mpu_program_load_file(source, &e);
    need(p != NULL, "power", e);
    unlink(source);
    str_free(&text);
    return p;
}

static mpu_target *target(const char *name, unsigned active) {
    char text[64];
    const char *set[] = {text, NULL};
    mpu_error *e = NULL;
    snprintf(text, sizeof text, "active_vrf_per_rfh=%u", active);
    mpu_target *t = mpu_target_open(name, set, &e);
    need(t != NULL, name, e);
    return t;
}

/* The density of the hottest run over all VRFs of one MPU, uW/mm2. */
static uint64_t density(const mpu_program *p, const mpu_target *t, uint64_t elements) {
    uint64_t nw = 0;
    mpu_error *e = NULL;
    const mpu_config config = {.size = sizeof config, .place = "packed"};
    mpu_session *s = mpu_session_new(p, t, &config, &e);
    need(s != NULL, "power", e);
    need(mpu_session_bind_size(s, "n", elements, &e) == MPU_OK, "power", e);
    need(mpu_session_run(s, &e) == MPU_OK, "power", e);
    assert_int_equal(mpu_session_figure(s, "derived.peak_power_density_nw_per_mm2", &nw), MPU_OK);
    mpu_session_free(s);
    return nw / 1000;
}

static const struct opened {
    const char *name;
    unsigned vrfs;     /* of an RFH */
    uint64_t elements; /* of an MPU */
} machines[] = {{"racer", 64, UINT64_C(64) * 512},
                {"mimdram", 32, UINT64_C(512) * 256},
                {"duality-cache", 64, UINT64_C(256) * 512}};
static const unsigned parts[] = {64, 32, 16, 8, 4, 2, 1}; /* of all VRFs, one of so many */

/* Programs: ADD and MUL, alone and back to back. */
static const struct {
    const char *instruction;
    unsigned times;
} bodies[] = {{"ADD", ALONE}, {"ADD", MANY}, {"MUL", ALONE}};
#define BODIES (sizeof bodies / sizeof *bodies)

/* uW/mm2 is 10^-4 W/cm2. */
static void add_cell(struct str *table, uint64_t uw) {
    str_printf(table, " %llu.%02llu |", (unsigned long long)(uw / 10000),
               (unsigned long long)(uw % 10000 / 100));
}

/* Twice the VRFs at once take twice the power. */
static void add_row(const struct opened *m, unsigned part, mpu_program *const p[BODIES],
                    uint64_t before[BODIES], struct str *table) {
    mpu_target *t = target(m->name, m->vrfs / part);
    str_printf(table, "| %s | %u | 1/%u |", m->name, m->vrfs / part, part);
    for (size_t i = 0; i < BODIES; i++) {
        uint64_t uw = density(p[i], t, m->elements);
        assert_true(!before[i] || (uw >= 2 * before[i] && uw <= 2 * before[i] + 2));
        before[i] = uw;
        add_cell(table, uw);
    }
    str_char(table, '\n');
    mpu_target_close(t);
}

static void the_curve_is_on_the_page(void **state) {
    (void)state;
    struct str table = {0};
    mpu_program *p[BODIES];
    for (size_t i = 0; i < BODIES; i++)
        p[i] = program(bodies[i].instruction, bodies[i].times);
    str_append(&table, "| target | active VRFs of an RFH | of all | ADD alone | ADD back to back | "
                       "MUL alone |\n|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        uint64_t before[BODIES] = {0};
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
            if (machines[i].vrfs >= parts[k])
                add_row(&machines[i], parts[k], p, before, &table);
    }
    for (size_t i = 0; i < BODIES; i++)
        mpu_program_free(p[i]);
    page_check(page, "curve", &table, "test_power");
    str_free(&table);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_curve_is_on_the_page)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
