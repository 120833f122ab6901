/* SPDX-License-Identifier: MIT
 * The baseline of docs/baseline.md: its one number is calibrated here again, and its tables are
 * what the programs give.
 *   test_baseline loops      the table of loops as CSV
 *   test_baseline figures    means over kernels that fill a chip as CSV */
#include "support/diag.h"
#include "support/file.h"
#include "target/target.h"
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

enum { MPU, HOST, ALL, CONTROLS };
static const char *const controls[CONTROLS] = {"control=mpu", "control=host", "control=host-all"};
static const char *const targets[] = {"racer", "mimdram", "duality-cache"};
#define TARGETS (sizeof targets / sizeof *targets)
/* A chip with front ends, and the paper's area without them.  One MPU is run of those that all do
 * the same; of the link's bandwidth for masks it gets its share. */
static mpu_target *opened[TARGETS][CONTROLS];
/* racer's chip as it is, for loops in one VRF. */
static mpu_target *alone[CONTROLS];
/* What the target files say of the host. */
static struct link { double trip_ps, mask_bytes_per_s, active_mw, idle_mw; } links[TARGETS];

static struct link link_of(const char *name) {
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = target_open(name, NULL, 0, d);
    assert_non_null(t);
    uint64_t rate = t->host_mask_bytes_per_s ? t->host_mask_bytes_per_s : t->host_bytes_per_s;
    struct link link = {(double)t->host_round_trip_ps, (double)rate,
                        (double)t->host_active_nw / 1e6, (double)t->host_idle_nw / 1e6};
    target_free(t);
    diag_free(d);
    return link;
}

static mpu_target *open_target(const char *name, const char *const *set) {
    mpu_error *e = NULL;
    mpu_target *t = mpu_target_open(name, set, &e);
    need(t != NULL, name, e);
    return t;
}

static mpu_target *open_without(const char *name, const char *control, double mask_bytes_per_s) {
    char rate[64];
    const char *set[] = {control, "mpus=iso:400mm2", NULL, NULL};
    mpu_target *chip = open_target(name, set);
    uint64_t mpus;
    assert_int_equal(mpu_target_number(chip, "mpus", &mpus), MPU_OK);
    mpu_target_close(chip);
    snprintf(rate, sizeof rate, "host.mask_bytes_per_s=%.0f", mask_bytes_per_s / (double)mpus);
    set[2] = rate;
    return open_target(name, set);
}

static int open_all(void **state) {
    (void)state;
    for (size_t k = 0; k < CONTROLS; k++)
        alone[k] = open_target(targets[0], (const char *[]){controls[k], NULL});
    for (size_t i = 0; i < TARGETS; i++) {
        links[i] = link_of(targets[i]);
        opened[i][MPU] = open_target(targets[i], (const char *[]){controls[MPU], NULL});
        for (size_t k = HOST; k < CONTROLS; k++)
            opened[i][k] = open_without(targets[i], controls[k], links[i].mask_bytes_per_s);
    }
    return 0;
}

static int close_all(void **state) {
    (void)state;
    for (size_t i = 0; i < TARGETS; i++)
        for (size_t k = 0; k < CONTROLS; k++)
            mpu_target_close(opened[i][k]);
    for (size_t k = 0; k < CONTROLS; k++)
        mpu_target_close(alone[k]);
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
    trip_times(76, alone, t);
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
        trip_times(bodies[i], alone, t);
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
        trip_times(bodies[i], alone, t);
        printf("%u,%u,%llu,%llu,%.4g\n", bodies[i], bodies[i] + 4, (unsigned long long)t[MPU],
               (unsigned long long)t[HOST], (double)t[HOST] / (double)t[MPU]);
    }
}

/* --- costs --- */

/* Of a kernel in one MPU, the CPU's energy apart. */
struct cost {
    double time_ps, energy_fj, host_ps, host_fj, front_end_ps;
};

/* A figure of a component by its name, which `stats` has as CSV. */
static double component(mpu_session *s, const char *stats, const char *name, const char *what) {
    char path[64], end[64];
    unsigned number = 0;
    snprintf(end, sizeof end, ".component,%s\n", name);
    const char *at = strstr(stats, end);
    assert_non_null(at);
    while (at[-1] != '\n')
        at--;
    assert_int_equal(sscanf(at, "by_component.%u.", &number), 1);
    snprintf(path, sizeof path, "by_component.%u.%s", number, what);
    return (double)figure(s, path);
}

static struct cost cost_of(mpu_session *s) {
    char *stats = mpu_session_stats(s, "csv", NULL);
    static const char *const parts[] = {"fetch", "decode", "recipe", "evaluate", "schedule"};
    struct cost c = {.time_ps = (double)figure(s, "total.time_ps"),
                     .host_ps = (double)figure(s, "total.host_cpu_time_ps"),
                     .host_fj = (double)figure(s, "total.host_cpu_energy_fj")};
    c.energy_fj = (double)figure(s, "total.energy_fj") - c.host_fj;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        c.front_end_ps += component(s, stats, parts[i], "time_ps");
    mpu_string_free(stats);
    mpu_session_free(s);
    return c;
}

/* --- the examples --- */

/* The host changes time and energy and nothing else; example_run compares the results. */
static void run_example(const struct example *x) {
    char path[4096];
    mpu_error *e = NULL;
    mpu_program *p = mpu_program_load_file(example_path(path, "", x->program), &e);
    need(p != NULL, x->program, e);
    struct cost c[CONTROLS];
    for (size_t k = 0; k < CONTROLS; k++)
        c[k] = cost_of(example_run(x, p, opened[0][k], "target", "zero", "packed"));
    assert_true(c[MPU].host_ps == 0 && c[MPU].host_fj == 0);
    assert_true(c[ALL].host_ps > 0 && c[ALL].host_ps < c[ALL].time_ps);
    assert_true(c[HOST].time_ps < c[ALL].time_ps && c[HOST].host_ps < c[ALL].host_ps);
    assert_true(c[HOST].host_fj > 0);
    mpu_program_free(p);
}

static void hosts_change_no_result(void **state) {
    (void)state;
    for (size_t i = 0; i < EXAMPLES; i++)
        if (example_fits(example_list[i], targets[0]))
            run_example(example_list[i]);
}

/* --- filled chips --- */

/* Elements that fill an MPU. */
static const uint64_t filled_elements[TARGETS] = {64 * 512, 512 * 256, 256 * 512};

/* The paper's factor for the footprint of stencils without an MPU (section VIII-B). */
static const double footprint = 4;

/* The same data on the chip without front ends / on that with them: above 1 the MPU is better. */
struct ratios {
    double time, bound, arrays,
        cpu; /* time with host and host-all; energy without and of the CPU */
};

struct measured {
    struct cost by[CONTROLS];
    struct ratios ratios;
};

static double mpus_of(size_t target, int control) {
    uint64_t mpus;
    assert_int_equal(mpu_target_number(opened[target][control], "mpus", &mpus), MPU_OK);
    return (double)mpus;
}

/* A stencil without an MPU has each element as often as it is used, so that a chip holds as much
 * less: it goes round so many times. */
static double rounds_of(const struct filled *x) {
    return x->group == FILLED_STENCIL ? footprint : 1;
}

/* Each MPU of a chip does the same at the same time; there is one CPU for all of them. */
static struct ratios compare_chips(const struct filled *x, const struct cost by[CONTROLS],
                                   size_t target) {
    double mpu = mpus_of(target, MPU), base = mpus_of(target, HOST), rounds = rounds_of(x);
    double per = rounds * mpu / base / by[MPU].time_ps, fj = rounds / by[MPU].energy_fj;
    return (struct ratios){by[HOST].time_ps * per, by[ALL].time_ps * per, by[HOST].energy_fj * fj,
                           by[HOST].host_fj / base * fj};
}

static struct measured results[FILLED][TARGETS];

static void run_filled(size_t kernel) {
    const struct filled *x = &filled_list[kernel];
    char path[4096];
    mpu_error *e = NULL;
    mpu_program *p =
        mpu_program_load_file(example_path(path, x->folder ? x->folder : "", x->program), &e);
    need(p != NULL, x->program, e);
    for (size_t i = 0; i < TARGETS; i++) {
        struct measured *m = &results[kernel][i];
        for (size_t k = 0; k < CONTROLS; k++)
            m->by[k] = cost_of(filled_run(x, p, opened[i][k], filled_elements[i]));
        m->ratios = compare_chips(x, m->by, i);
    }
    mpu_program_free(p);
}

static const char *const group_names[FILLED_GROUPS] = {"basic", "branch", "stencil", "complex"};

static void add_kernel(size_t kernel, struct str *rows) {
    const struct filled *x = &filled_list[kernel];
    for (size_t i = 0; i < TARGETS; i++) {
        const struct measured *m = &results[kernel][i];
        str_printf(rows, "| %s | %s | %s |", x->program, group_names[x->group], targets[i]);
        for (size_t k = 0; k < CONTROLS; k++)
            str_printf(rows, " %.1f |", m->by[k].time_ps / 1e6);
        str_printf(rows, " %.3f | %.3f | %.3f | %.3f |\n", m->ratios.time, m->ratios.bound,
                   m->ratios.arrays + m->ratios.cpu, m->ratios.arrays);
    }
}

/* Kernels that a figure of the paper is the mean of: groups as bits, or those that fit. */
struct kind {
    const char *name;
    unsigned groups;
    bool fits;
};
#define ALL_GROUPS ((1U << FILLED_GROUPS) - 1)
static const struct kind kinds[] = {
    {"basic", 1U << FILLED_BASIC, false},
    {"branch", 1U << FILLED_BRANCH, false},
    {"stencil", 1U << FILLED_STENCIL, false},
    {"complex", 1U << FILLED_COMPLEX, false},
    {"stencil and complex", 1U << FILLED_STENCIL | 1U << FILLED_COMPLEX, false},
    {"that fit duality-cache", ALL_GROUPS, true},
    {"all", ALL_GROUPS, false},
};
#define KINDS (sizeof kinds / sizeof *kinds)

/* What the paper has (section VIII-B); 0: nothing. */
static const struct published {
    size_t target, kind;
    double time, energy, no_cpu;
} published[] = {
    {0, 0, 0.969, 0, 0},  /* a slow-down of 3.1 % */
    {0, 3, 5.6, 11.3, 0}, /* section I and VIII-C */
    {0, 4, 4.4, 0, 0},    {0, 6, 1.787, 3.23, 1 / (1 - .498)}, {1, 6, 1.695, 2.34, 1 / (1 - .492)},
    {2, 5, 1.311, 0, 0},  {2, 6, 1.123, 4.07, 1 / (1 - .226)},
};

static struct published published_of(size_t target, size_t kind) {
    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        if (published[i].target == target && published[i].kind == kind)
            return published[i];
    return (struct published){target, kind, 0, 0, 0};
}

static bool has(const struct kind *kind, size_t kernel) {
    return (kind->groups >> filled_list[kernel].group & 1) &&
           (!kind->fits || filled_list[kernel].fits);
}

enum ratio { TIME, BOUND, ENERGY, ARRAYS };

static double ratio_of(const struct ratios *r, enum ratio what, double power) {
    return what == TIME     ? r->time
           : what == BOUND  ? r->bound
           : what == ENERGY ? r->arrays + power * r->cpu
                            : r->arrays;
}

struct mean {
    double geometric, arithmetic;
    unsigned count;
};

/* The CPU's power is `power` times what the target says. */
static struct mean mean_of(size_t target, const struct kind *kind, enum ratio what, double power) {
    struct mean m = {0, 0, 0};
    for (size_t i = 0; i < FILLED; i++) {
        double r = ratio_of(&results[i][target].ratios, what, power);
        if (!has(kind, i))
            continue;
        m.geometric += log(r);
        m.arithmetic += r;
        m.count++;
    }
    return (struct mean){exp(m.geometric / m.count), m.arithmetic / m.count, m.count};
}

/* How much of the CPU's power would give the paper's mean: it grows with the power. */
static double power_for(size_t target, const struct kind *kind, double energy) {
    double low = 0, high = 1024;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (mean_of(target, kind, ENERGY, middle).geometric < energy)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void add_published(struct str *out, double value) {
    if (value > 0)
        str_printf(out, " %.4g |", value);
    else
        str_append(out, " |");
}

static void add_mean(size_t target, size_t kind, struct str *rows) {
    const struct kind *k = &kinds[kind];
    struct published p = published_of(target, kind);
    struct mean time = mean_of(target, k, TIME, 1);
    str_printf(rows, "| %s | %s | %u | %.3f | %.3f |", targets[target], k->name, time.count,
               time.geometric, time.arithmetic);
    add_published(rows, p.time);
    str_printf(rows, " %.3f | %.3f |", mean_of(target, k, BOUND, 1).geometric,
               mean_of(target, k, ENERGY, 1).geometric);
    add_published(rows, p.energy);
    if (p.energy > 0)
        str_printf(rows, " %.0f, %.0f |",
                   links[target].active_mw / 1e3 * power_for(target, k, p.energy),
                   links[target].idle_mw / 1e3 * power_for(target, k, p.energy));
    else
        str_append(rows, " |");
    str_printf(rows, " %.3f |", mean_of(target, k, ARRAYS, 1).geometric);
    add_published(rows, p.no_cpu);
    str_char(rows, '\n');
}

static void add_distance(struct str *out, const struct published *p, const char *what, double ours,
                         double theirs) {
    if (theirs > 0)
        str_printf(out, "* %s, %s, %s: %.3g here, %.4g in the paper; %.0f %% of it\n",
                   targets[p->target], kinds[p->kind].name, what, ours, theirs,
                   100 * ours / theirs);
}

/* One line for each of the paper's means. */
static void add_distances(struct str *out) {
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        const struct published *p = &published[i];
        const struct kind *k = &kinds[p->kind];
        add_distance(out, p, "time", mean_of(p->target, k, TIME, 1).geometric, p->time);
        add_distance(out, p, "energy", mean_of(p->target, k, ENERGY, 1).geometric, p->energy);
        add_distance(out, p, "energy without the CPU", mean_of(p->target, k, ARRAYS, 1).geometric,
                     p->no_cpu);
    }
}

/* ---- what the target files say ---- */

static void links_are_on_the_page(void **state) {
    (void)state;
    struct str rows = {0};
    str_append(&rows, "| target | MPUs | MPUs without front ends | round trip, us | masks' link, "
                      "GB/s | masks of a filled chip, kB | their way, us | CPU in round trips, W | "
                      "CPU otherwise, W |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < TARGETS; i++) {
        const struct link *l = &links[i];
        double bytes = (double)filled_elements[i] * mpus_of(i, HOST) / 8;
        str_printf(&rows, "| %s | %.0f | %.0f | %.6g | %.6g | %.6g | %.4g | %.6g | %.6g |\n",
                   targets[i], mpus_of(i, MPU), mpus_of(i, HOST), l->trip_ps / 1e6,
                   l->mask_bytes_per_s / 1e9, bytes / 1e3, bytes / l->mask_bytes_per_s * 1e6,
                   l->active_mw / 1e3, l->idle_mw / 1e3);
    }
    page_check(page, "links", &rows, "test_baseline");
    str_free(&rows);
}

/* ---- figures ---- */

/* Percent by which a kernel is slower with front ends: fewer MPUs, and what of the time is the
 * front end's alone, which the paper's baseline does not have (section VIII-B: it has no costs of
 * binary retrieval). */
static double slow_down(size_t kernel, size_t target) {
    const struct cost *c = &results[kernel][target].by[MPU];
    double speed =
        mpus_of(target, MPU) / mpus_of(target, HOST) * (1 - c->front_end_ps / c->time_ps);
    return 100 * (1 - speed);
}

static void print_slow_downs(void) {
    double sum = 0, worst = 0;
    unsigned count = 0;
    for (size_t i = 0; i < FILLED; i++) {
        if (filled_list[i].group != FILLED_BASIC)
            continue;
        double percent = slow_down(i, 0);
        worst = percent > worst ? percent : worst;
        sum += percent;
        count++;
    }
    printf("racer-basic-slow-down,%.4g\nracer-basic-worst,%.4g\n", sum / count, worst);
}

/* The whole chip's time and energy for an element on one target over those on another. */
static void print_chips(size_t left, size_t right, const struct kind *kind, const char *name) {
    double time = 0, energy = 0;
    unsigned count = 0;
    for (size_t i = 0; i < FILLED; i++) {
        const struct cost *a = &results[i][left].by[MPU], *b = &results[i][right].by[MPU];
        double fewer = (double)filled_elements[right] / (double)filled_elements[left];
        if (!has(kind, i))
            continue;
        time += log(a->time_ps / b->time_ps * fewer * mpus_of(right, MPU) / mpus_of(left, MPU));
        energy += log(a->energy_fj / b->energy_fj * fewer);
        count++;
    }
    printf("%s-%s-%s-time,%.4g\n%s-%s-%s-energy,%.4g\n", targets[left], targets[right], name,
           exp(time / count), targets[left], targets[right], name, exp(energy / count));
}

/* Names without spaces for the kinds. */
static const char *const figure_kinds[KINDS] = {"basic",           "branch", "stencil", "complex",
                                                "stencil-complex", "fit",    "all"};

static void print_figures(void) {
    for (size_t i = 0; i < FILLED; i++)
        run_filled(i);
    puts("figure,value");
    for (size_t i = 0; i < TARGETS; i++)
        for (size_t k = 0; k < KINDS; k++) {
            printf("%s-%s-time,%.4g\n", targets[i], figure_kinds[k],
                   mean_of(i, &kinds[k], TIME, 1).geometric);
            printf("%s-%s-energy,%.4g\n", targets[i], figure_kinds[k],
                   mean_of(i, &kinds[k], ENERGY, 1).geometric);
            printf("%s-%s-saved,%.4g\n", targets[i], figure_kinds[k],
                   100 * (1 - 1 / mean_of(i, &kinds[k], ARRAYS, 1).geometric));
        }
    for (size_t k = 0; k < KINDS; k++)
        print_chips(0, 1, &kinds[k], figure_kinds[k]);
    print_slow_downs();
}

static void filled_chips_are_on_the_page(void **state) {
    (void)state;
    struct str rows = {0}, means = {0};
    str_append(&rows,
               "| kernel | group | target | MPU, us | host, us | host-all, us | time | time, "
               "host-all | energy | energy without the CPU |\n"
               "|---|---|---|---:|---:|---:|---:|---:|---:|---:|\n");
    str_append(&means,
               "| target | kernels | number | time | arithmetic mean | paper | host-all: time | "
               "energy | paper | CPU for that, W | energy without the CPU | paper |\n"
               "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < FILLED; i++) {
        run_filled(i);
        add_kernel(i, &rows);
    }
    for (size_t i = 0; i < TARGETS; i++)
        for (size_t k = 0; k < KINDS; k++)
            add_mean(i, k, &means);
    page_check(page, "kernels", &rows, "test_baseline");
    page_check(page, "groups", &means, "test_baseline");
    str_clear(&means);
    add_distances(&means);
    page_check(page, "distances", &means, "test_baseline");
    str_free(&rows);
    str_free(&means);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_round_trip_is_calibrated), cmocka_unit_test(loops_are_on_the_page),
        cmocka_unit_test(hosts_change_no_result),       cmocka_unit_test(links_are_on_the_page),
        cmocka_unit_test(filled_chips_are_on_the_page),
    };
    if (argc == 1 || getenv("MPU_WRITE_PAGE"))
        return cmocka_run_group_tests(tests, open_all, close_all);
    bool loops = strcmp(argv[1], "loops") == 0;
    if (!loops && strcmp(argv[1], "figures") != 0)
        return 2;
    open_all(NULL);
    if (loops)
        print_loops();
    else
        print_figures();
    return close_all(NULL);
}
