/* SPDX-License-Identifier: MIT
 * Subarrays at work: a program on all pairs of a rank, carried out by the machine. */
#include "machine.h"

#include "runtime/include/mpu/mpu.h"
#include "tests/examples/arrays.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PAIRS = 1024 };
const unsigned machine_parallel[MACHINE_PARALLEL] = {1, 16, 256, 1024};

/* Banks of 64 pairs, of which one, or several, work at once; one bank has a sixteenth of the pairs,
 * and the program comes in as many rounds. */
static mpu_target *open_parallel(enum formula_design d, unsigned parallel) {
    static const char *const names[FORMULA_DESIGNS] = {"pluto-gsa", "pluto-bsa", "pluto-gmc"};
    unsigned banks = parallel < 16 ? parallel : 16;
    char keys[3][64];
    const char *const set[] = {"pluto.load=resident", keys[0], keys[1], keys[2], NULL};
    mpu_error *e = NULL;
    snprintf(keys[0], sizeof keys[0], "machine.rfh_per_mpu=%u", banks);
    snprintf(keys[1], sizeof keys[1], "machine.vrf_per_rfh=%u", PAIRS / 16);
    snprintf(keys[2], sizeof keys[2], "machine.active_vrf_per_rfh=%u", parallel / banks);
    mpu_target *t = mpu_target_open(names[d], set, &e);
    need(t != NULL, names[d], e);
    return t;
}

static uint64_t figure(mpu_session *s, const char *path) {
    uint64_t value = 0;
    assert_int_equal(mpu_session_figure(s, path, &value), MPU_OK);
    return value;
}

static void check_shape(mpu_session *s, const unsigned char *x, uint64_t n) {
    mpu_array got = {0};
    mpu_error *e = NULL;
    need(mpu_session_get(s, "y", &got, &e) == MPU_OK, "y", e);
    const unsigned char *y = got.data;
    for (uint64_t i = 0; i < n; i++)
        if (y[i] != (unsigned char)(x[i] * x[i] * x[i] + (x[i] >> 3) * 37))
            fail_msg("element %llu", (unsigned long long)i);
    mpu_array_free(&got);
}

static struct machine_run run_parallel(enum formula_design d, unsigned parallel) {
    mpu_error *e = NULL;
    mpu_program *p = mpu_program_load_file(MPU_SOURCE_DIR "/tests/pluto/salp.ez", &e);
    need(p != NULL, "salp.ez", e);
    mpu_target *t = open_parallel(d, parallel);
    const uint64_t n = (uint64_t)PAIRS * formula_row_bytes;
    unsigned char *x = malloc(n);
    for (uint64_t i = 0; i < n; i++)
        x[i] = (unsigned char)(i * 7 + (i >> 13));
    const mpu_array in = {.type = MPU_U8, .ndim = 1, .shape = {n}, .data = x};
    mpu_session *s = mpu_session_new(p, t, NULL, &e);
    need(s != NULL, "salp.ez", e);
    need(mpu_session_put(s, "x", &in, &e) == MPU_OK, "x", e);
    need(mpu_session_run(s, &e) == MPU_OK, "salp.ez", e);
    check_shape(s, x, n);
    struct machine_run r = {(double)figure(s, "total.time_ps") / 1000,
                            (double)figure(s, "total.energy_fj") * 1e-6};
    mpu_session_free(s);
    mpu_target_close(t);
    mpu_program_free(p);
    free(x);
    return r;
}

struct machine_run machine_run_parallel(enum formula_design d, unsigned i) {
    static struct machine_run done[FORMULA_DESIGNS][MACHINE_PARALLEL]; /* a table and tests ask */
    if (done[d][i].ns == 0)
        done[d][i] = run_parallel(d, machine_parallel[i]);
    return done[d][i];
}

void machine_put_parallel(struct facts *all, struct str *out) {
    (void)all;
    str_append(out,
               "| subarrays at work | GSA, us | BSA, us | GMC, us | GSA, uJ | BSA, uJ | GMC, uJ "
               "|\n");
    page_put_rule(out, 7, 0);
    for (unsigned i = 0; i < MACHINE_PARALLEL; i++) {
        struct machine_run runs[FORMULA_DESIGNS];
        str_printf(out, "| %u |", machine_parallel[i]);
        for (unsigned d = 0; d < FORMULA_DESIGNS; d++) {
            runs[d] = machine_run_parallel((enum formula_design)d, i);
            page_put_cell(out, runs[d].ns / 1000, 3);
        }
        for (unsigned d = 0; d < FORMULA_DESIGNS; d++)
            page_put_cell(out, runs[d].nj / 1000, 3);
        str_char(out, '\n');
    }
}
