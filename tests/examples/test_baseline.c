/* SPDX-License-Identifier: MIT
 * The baseline of docs/baseline.md: its one number is calibrated here again, and its tables are
 * what the programs give.
 *   test_baseline loops      the table of loops as CSV */
#include "support/file.h"
#include "tests/examples/filled.h"
#include "tests/examples/list.h"
#include "tests/examples/page.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char page[] = MPU_SOURCE_DIR "/docs/baseline.md";

enum { MPU, HOST, CONTROLS };
static const char *const targets[] = {"racer", "mimdram", "duality-cache"};
#define TARGETS (sizeof targets / sizeof *targets)
static mpu_target *opened[TARGETS][CONTROLS];

static mpu_target *open_target(const char *name, const char *control) {
    const char *set[] = {control, NULL};
    mpu_error *e = NULL;
    mpu_target *t = mpu_target_open(name, set, &e);
    need(t != NULL, name, e);
    return t;
}

static int open_all(void **state) {
    (void)state;
    for (size_t i = 0; i < TARGETS; i++) {
        opened[i][MPU] = open_target(targets[i], "control=mpu");
        opened[i][HOST] = open_target(targets[i], "control=host");
    }
    return 0;
}

static int close_all(void **state) {
    (void)state;
    for (size_t i = 0; i < TARGETS; i++)
        for (size_t k = 0; k < CONTROLS; k++)
            mpu_target_close(opened[i][k]);
    return 0;
}

static uint64_t figure(mpu_session *s, const char *path) {
    uint64_t value = 0;
    assert_int_equal(mpu_session_figure(s, path, &value), MPU_OK);
    return value;
}

/* --- loops of CMPEQ --- */

enum { SHORT = 4, LONG = 36 };

/* A dynamic loop of `compares` CMPEQ, taken `trips` times: with the counter's three instructions
 * and the jump, a body of compares + 4 instructions, of which the host takes one. */
static void loop_text(unsigned compares, unsigned trips, struct str *out) {
    str_printf(out,
               "        .global main\n"
               "main:   COMPUTE RFH0 VRF0\n"
               "        LI %u r3\n"
               "        INIT0 r2\n"
               "loop:\n",
               trips);
    for (unsigned i = 0; i < compares; i++)
        str_append(out, "        CMPEQ r0 r1\n");
    str_append(out, "        INC r2 r2\n"
                    "        CMPLT r2 r3\n"
                    "        SETMASK cond\n"
                    "        JUMP_COND loop\n"
                    "        COMPUTE_DONE\n"
                    "        HALT\n");
}

static mpu_program *loop_program(unsigned compares, unsigned trips) {
    static char path[] = MPU_BINARY_DIR "/tests/baseline-loop.s";
    struct str text = {0};
    mpu_error *e = NULL;
    loop_text(compares, trips, &text);
    assert_true(file_write(path, str_text(&text), text.len));
    mpu_program *p = mpu_program_load_file(path, &e);
    need(p != NULL, "loop", e);
    unlink(path);
    str_free(&text);
    return p;
}

static uint64_t run_time(const mpu_program *p, const mpu_target *t) {
    mpu_error *e = NULL;
    const mpu_config config = {.size = sizeof config, .place = "packed"};
    mpu_session *s = mpu_session_new(p, t, &config, &e);
    need(s != NULL, "loop", e);
    need(mpu_session_run(s, &e) == MPU_OK, "loop", e);
    uint64_t ps = figure(s, "total.time_ps");
    mpu_session_free(s);
    return ps;
}

/* Picoseconds of one time round: what is before and behind the loop falls out. */
static void trip_times(unsigned compares, mpu_target *const by[CONTROLS], uint64_t out[CONTROLS]) {
    mpu_program *few = loop_program(compares, SHORT), *many = loop_program(compares, LONG);
    for (size_t k = 0; k < CONTROLS; k++) {
        uint64_t ps = run_time(many, by[k]) - run_time(few, by[k]);
        assert_int_equal(ps % (LONG - SHORT), 0);
        out[k] = ps / (LONG - SHORT);
    }
    mpu_program_free(few);
    mpu_program_free(many);
}

/* One of 80 instructions on the host slows the loop by 10.1 (MPU paper, section I): within the
 * paper's last digit.  With another time round T and slot s the round trip would have to be
 * 9.1 T + s. */
static void the_round_trip_is_calibrated(void **state) {
    (void)state;
    uint64_t t[CONTROLS];
    trip_times(76, opened[0], t);
    if (t[HOST] * 100 < t[MPU] * 1005 || t[HOST] * 100 > t[MPU] * 1015)
        fail_msg("%.3f instead of 10.1; host.round_trip_ps would have to be about %.0f",
                 (double)t[HOST] / (double)t[MPU], 9.1 * (double)t[MPU] + 1000);
}

/* A ratio with three digits behind the point, rounded. */
static void add_ratio(struct str *out, uint64_t a, uint64_t b) {
    uint64_t thousandths = b ? (a * 1000 + b / 2) / b : 0;
    str_printf(out, " %llu.%03llu |", (unsigned long long)(thousandths / 1000),
               (unsigned long long)(thousandths % 1000));
}

static const unsigned bodies[] = {1, 2, 5, 10, 20, 50, 76, 100, 150, 200};
#define BODIES (sizeof bodies / sizeof *bodies)

static void loops_are_on_the_page(void **state) {
    (void)state;
    struct str table = {0};
    uint64_t t[CONTROLS], before = UINT64_MAX;
    str_append(&table, "| CMPEQ in the body | instructions in the body | MPU, ps | host, ps | "
                       "slow-down |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < BODIES; i++) {
        trip_times(bodies[i], opened[0], t);
        str_printf(&table, "| %u | %u | %llu | %llu |", bodies[i], bodies[i] + 4,
                   (unsigned long long)t[MPU], (unsigned long long)t[HOST]);
        add_ratio(&table, t[HOST], t[MPU]);
        str_char(&table, '\n');
        assert_true(t[HOST] * 1000 / t[MPU] < before); /* longer bodies need the host less */
        before = t[HOST] * 1000 / t[MPU];
    }
    page_check(page, "loops", &table, "test_baseline");
    str_free(&table);
}

static void print_loops(void) {
    uint64_t t[CONTROLS];
    puts("compares,instructions,mpu_ps,host_ps,slow_down");
    for (size_t i = 0; i < BODIES; i++) {
        trip_times(bodies[i], opened[0], t);
        printf("%u,%u,%llu,%llu,%.4g\n", bodies[i], bodies[i] + 4, (unsigned long long)t[MPU],
               (unsigned long long)t[HOST], (double)t[HOST] / (double)t[MPU]);
    }
}

/* --- the examples --- */

struct cost {
    uint64_t time_ps, energy_fj, host_ps, host_fj, mpus;
};

static struct cost cost_of(mpu_session *s) {
    struct cost c = {figure(s, "total.time_ps"), figure(s, "total.energy_fj"),
                     figure(s, "total.host_cpu_time_ps"), figure(s, "total.host_cpu_energy_fj"),
                     figure(s, "utilisation.mpus")};
    mpu_session_free(s);
    return c;
}

#define ROW_HEAD                                                                                   \
    "| program | target | MPU, ps | host, ps | time | energy | energy without the CPU |\n"         \
    "|---|---|---|---|---|---|---|\n"

/* Sums of logarithms, for geometric means. */
struct means {
    double time, energy, no_cpu;
    unsigned count;
};

static void add_example(const struct example *x, size_t target, const struct cost *mpu,
                        const struct cost *host, struct means *m, struct str *rows) {
    str_printf(rows, "| %s | %s | %llu | %llu |", x->program, targets[target],
               (unsigned long long)mpu->time_ps, (unsigned long long)host->time_ps);
    add_ratio(rows, host->time_ps, mpu->time_ps);
    add_ratio(rows, host->energy_fj, mpu->energy_fj);
    add_ratio(rows, host->energy_fj - host->host_fj, mpu->energy_fj);
    str_char(rows, '\n');
    m->time += log((double)host->time_ps / (double)mpu->time_ps);
    m->energy += log((double)host->energy_fj / (double)mpu->energy_fj);
    m->no_cpu += log((double)(host->energy_fj - host->host_fj) / (double)mpu->energy_fj);
    m->count++;
}

/* The host changes time and energy and nothing else; example_run compares the results. */
static void run_example(const struct example *x, struct means means[TARGETS], struct str *rows) {
    char path[512];
    mpu_error *e = NULL;
    mpu_program *p = mpu_program_load_file(example_path(path, "", x->program), &e);
    need(p != NULL, x->program, e);
    for (size_t i = 0; i < TARGETS; i++) {
        if (!example_fits(x, targets[i]))
            continue;
        struct cost mpu = cost_of(example_run(x, p, opened[i][MPU], "target", "zero", "packed"));
        struct cost host = cost_of(example_run(x, p, opened[i][HOST], "target", "zero", "packed"));
        assert_int_equal(mpu.host_ps, 0);
        assert_int_equal(mpu.host_fj, 0);
        assert_true(host.host_ps > 0 && host.host_ps < host.time_ps);
        assert_true(host.host_fj > 0 && host.host_fj < host.energy_fj);
        add_example(x, i, &mpu, &host, &means[i], rows);
    }
    mpu_program_free(p);
}

/* The paper's means, and ours of the examples and of filled chips. */
static void add_means(const struct means means[TARGETS], struct str *out) {
    static const char *const published[TARGETS] = {"1.787 | 3.23 | 49.8 %", "1.695 | 2.34 | 49.2 %",
                                                   "1.123 | 4.07 | 22.6 %"};
    str_append(out, "| target | programs | time | energy | energy without the CPU | paper: time | "
                    "paper: energy | paper: energy saved without the CPU |\n"
                    "|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < TARGETS; i++) {
        double n = means[i].count;
        str_printf(out, "| %s | %u | %.2f | %.*f | %.2f |", targets[i], means[i].count,
                   exp(means[i].time / n), means[i].energy / n > 7 ? 0 : 2,
                   exp(means[i].energy / n), exp(means[i].no_cpu / n));
        str_printf(out, " %s |\n", published[i]);
    }
}

static void examples_are_on_the_page(void **state) {
    (void)state;
    struct means means[TARGETS] = {0};
    struct str rows = {0}, summary = {0};
    str_append(&rows, ROW_HEAD);
    for (size_t i = 0; i < EXAMPLES; i++)
        run_example(example_list[i], means, &rows);
    add_means(means, &summary);
    page_check(page, "examples", &rows, "test_baseline");
    page_check(page, "means", &summary, "test_baseline");
    str_free(&rows);
    str_free(&summary);
}

/* --- a filled chip --- */

static const uint64_t filled_elements[TARGETS] = {64 * 512, 512 * 256, 256 * 512};

/* Every MPU of the chip does what this one did; there is one CPU for all of them. */
static struct cost of_chip(const struct cost *one) {
    struct cost c = *one;
    c.energy_fj = (one->energy_fj - one->host_fj) * one->mpus + one->host_fj;
    return c;
}

static void run_filled(const struct filled *x, struct means means[TARGETS], struct str *rows) {
    char path[512];
    mpu_error *e = NULL;
    mpu_program *p = mpu_program_load_file(example_path(path, "", x->program), &e);
    const struct example named = {.program = x->program};
    need(p != NULL, x->program, e);
    for (size_t i = 0; i < TARGETS; i++) {
        struct cost mpu = cost_of(filled_run(x, p, opened[i][MPU], filled_elements[i]));
        struct cost host = cost_of(filled_run(x, p, opened[i][HOST], filled_elements[i]));
        mpu = of_chip(&mpu);
        host = of_chip(&host);
        add_example(&named, i, &mpu, &host, &means[i], rows);
    }
    mpu_program_free(p);
}

static void filled_chips_are_on_the_page(void **state) {
    (void)state;
    struct means means[TARGETS] = {0};
    struct str rows = {0}, summary = {0};
    str_append(&rows, ROW_HEAD);
    for (size_t i = 0; i < FILLED; i++)
        run_filled(&filled_list[i], means, &rows);
    add_means(means, &summary);
    page_check(page, "filled", &rows, "test_baseline");
    page_check(page, "filled means", &summary, "test_baseline");
    str_free(&rows);
    str_free(&summary);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_round_trip_is_calibrated),
        cmocka_unit_test(loops_are_on_the_page),
        cmocka_unit_test(examples_are_on_the_page),
        cmocka_unit_test(filled_chips_are_on_the_page),
    };
    if (argc == 1 || getenv("MPU_WRITE_PAGE"))
        return cmocka_run_group_tests(tests, open_all, close_all);
    if (strcmp(argv[1], "loops") != 0)
        return 2;
    open_all(NULL);
    print_loops();
    return close_all(NULL);
}
