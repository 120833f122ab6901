/* SPDX-License-Identifier: MIT
 * docs/across.md: a dozen kernels on all targets beside what the MPU paper says of two of them, and
 * what the sizes of the front end are worth.  Each kernel fills all lanes of one MPU, as every MPU
 * of a filled chip is. */
#include "support/file.h"
#include "tests/examples/filled.h"
#include "tests/examples/page.h"
#include "tests/examples/arrays.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char page[] = MPU_SOURCE_DIR "/docs/across.md";

/* --- targets --- */

static const struct across_target {
    const char *title, *name;
    const char *set[3];
} targets[] = {
    {"racer", "racer", {NULL}},
    {"racer, `mastodon`", "racer", {"set=mastodon"}},
    {"racer-magic", "racer-magic", {NULL}},
    {"racer-felix", "racer-felix", {NULL}},
    {"racer-ideal", "racer-ideal", {NULL}},
    {"mimdram", "mimdram", {NULL}},
    {"mimdram, DDR4-2400", "mimdram", {"set=ddr4-2400+ddr4-currents"}},
    {"mimdram, `select`", "mimdram", {"mask.by=select"}},
    {"simdram", "simdram", {NULL}},
    {"ambit", "ambit", {NULL}},
    {"duality-cache", "duality-cache", {NULL}},
    /* For comparison alone: front end and static power, all that is not of micro-ops. */
    {"racer, micro-ops for nothing", "racer", {"energy.e_column=0", "energy.e_buffer=0"}},
    {"mimdram, micro-ops for nothing", "mimdram", {"energy.e_aap=0", "energy.e_ap=0"}},
};
#define TARGETS (sizeof targets / sizeof *targets)
enum {
    RACER = 0,
    MASTODON = 1,
    MIMDRAM = 5,
    MIMDRAM_DDR4 = 6,
    MIMDRAM_SELECT,
    DUALITY = 10,
    SHOWN,
    RACER_BARE = SHOWN,
    MIMDRAM_BARE
};

static mpu_target *open_target(const char *name, const char *const *set) {
    mpu_error *e = NULL;
    mpu_target *t = mpu_target_open(name, set, &e);
    need(t != NULL, name, e);
    return t;
}

static mpu_target *open_across(const struct across_target *x) {
    return open_target(x->name, x->set);
}

/* --- kernels --- */

static const struct across_kernel {
    struct filled data;
    const char *body; /* of a compute ensemble in assembly; NULL: the program is an example */
} one_instruction[] = {
    {{.program = "ADD.64", .in = {{"x", MPU_U64, .each = 1}, {"y", MPU_U64, .each = 1}}},
     "ADD.64 r0 r1 r2"},
    {{.program = "XOR.64", .in = {{"x", MPU_U64, .each = 1}, {"y", MPU_U64, .each = 1}}},
     "XOR.64 r0 r1 r2"},
    {{.program = "MAX.32", .in = {{"x", MPU_U32, .each = 1}, {"y", MPU_U32, .each = 1}}},
     "MAX.32 r0 r1 r2"},
    {{.program = "MUL.16", .in = {{"x", MPU_U16, .each = 1}, {"y", MPU_U16, .each = 1}}},
     "MUL.16 r0 r1 r2"},
    {{.program = "QDIV.16", .in = {{"x", MPU_U16, .each = 1}, {"y", MPU_U16, .each = 1}}},
     "QDIV.16 r0 r1 r2"},
};
#define ONES (sizeof one_instruction / sizeof *one_instruction)
static const char *const examples[] = {"axpy.ez",    "popcount.ez", "dot.ez",  "poly.ez",
                                       "collatz.ez", "factor.ez",   "crc32.ez"};
#define EXAMPLES_USED (sizeof examples / sizeof *examples)
enum { KERNELS = ONES + EXAMPLES_USED };

static const struct filled *example_named(const char *program) {
    for (size_t i = 0; i < FILLED; i++)
        if (strcmp(filled_list[i].program, program) == 0)
            return &filled_list[i];
    fail_msg("no kernel is called %s", program);
    return NULL;
}

static const struct filled *data_of(size_t kernel) {
    return kernel < ONES ? &one_instruction[kernel].data : example_named(examples[kernel - ONES]);
}

static const char *type_name(mpu_type type) {
    return type == MPU_U64 ? "u64" : type == MPU_U32 ? "u32" : "u16";
}

static mpu_program *assemble(const char *text, size_t size) {
    static const char path[] = MPU_BINARY_DIR "/tests/across.s";
    mpu_error *e = NULL;
    assert_true(file_write(path, text, size));
    mpu_program *p = mpu_program_load_file(path, &e);
    need(p != NULL, "across", e);
    unlink(path);
    return p;
}

static mpu_program *one_program(const struct across_kernel *x) {
    struct str s = {0};
    const char *type = type_name(x->data.in[0].type);
    str_printf(&s,
               "        .size n\n        .group g[n]\n"
               "        .var in x: %s @g = r0\n        .var in y: %s @g = r1\n"
               "        .global main\nmain:   COMPUTEG @g\n        %s\n"
               "        COMPUTE_DONE\n        HALT\n",
               type, type, x->body);
    mpu_program *p = assemble(str_text(&s), s.len);
    str_free(&s);
    return p;
}

static mpu_program *program_of(size_t kernel) {
    char path[4096];
    mpu_error *e = NULL;
    if (kernel < ONES)
        return one_program(&one_instruction[kernel]);
    mpu_program *p = mpu_program_load_file(example_path(path, "", data_of(kernel)->program), &e);
    need(p != NULL, data_of(kernel)->program, e);
    return p;
}

/* --- what a run takes --- */

struct across_cost {
    double time_ps, energy_fj; /* of one element on a chip that is filled with such MPUs */
    double run_ps, run_fj, mpu_um2;
    double density, peak; /* mW/cm2: average and of the hottest run */
};

static uint64_t figure(mpu_session *s, const char *path) {
    uint64_t value = 0;
    assert_int_equal(mpu_session_figure(s, path, &value), MPU_OK);
    return value;
}

static uint64_t number(const mpu_target *t, const char *name) {
    uint64_t value = 0;
    assert_int_equal(mpu_target_number(t, name, &value), MPU_OK);
    return value;
}

static uint64_t lanes_of(const mpu_target *t) {
    return number(t, "lanes") * number(t, "vrf_per_rfh") * number(t, "rfh_per_mpu");
}

static struct across_cost cost_of(mpu_session *s, uint64_t elements, double mpus) {
    struct across_cost c = {.run_ps = (double)figure(s, "total.time_ps"),
                            .run_fj = (double)figure(s, "total.energy_fj"),
                            .mpu_um2 = (double)figure(s, "area.2.mpu_um2")};
    c.time_ps = c.run_ps / (double)elements / mpus;
    c.energy_fj = c.run_fj / (double)elements;
    c.density = (double)figure(s, "derived.power_density_nw_per_mm2") / 1e4;
    c.peak = (double)figure(s, "derived.peak_power_density_nw_per_mm2") / 1e4;
    return c;
}

static struct across_cost measure(size_t kernel, const mpu_program *p, const mpu_target *t) {
    uint64_t n = lanes_of(t);
    mpu_session *s = filled_run(data_of(kernel), p, t, n);
    struct across_cost c = cost_of(s, n, (double)number(t, "mpus"));
    mpu_session_free(s);
    return c;
}

static struct across_cost costs[TARGETS][KERNELS];

static int measure_all(void **state) {
    (void)state;
    mpu_program *programs[KERNELS];
    for (size_t k = 0; k < KERNELS; k++)
        programs[k] = program_of(k);
    for (size_t i = 0; i < TARGETS; i++) {
        mpu_target *t = open_across(&targets[i]);
        for (size_t k = 0; k < KERNELS; k++)
            costs[i][k] = measure(k, programs[k], t);
        mpu_target_close(t);
    }
    for (size_t k = 0; k < KERNELS; k++)
        mpu_program_free(programs[k]);
    return 0;
}

/* --- tables --- */

/* Three digits that count. */
static void add_number(struct str *table, double x) {
    int digits = x >= 100 ? 0 : x >= 10 ? 1 : x >= 1 ? 2 : x >= 0.1 ? 3 : 4;
    str_printf(table, " %.*f |", digits, x);
}

static void add_head(struct str *table, const char *first, const char *const *titles, size_t n) {
    str_printf(table, "| %s |", first);
    for (size_t i = 0; i < n; i++)
        str_printf(table, " %s |", titles[i]);
    str_append(table, "\n|---|");
    for (size_t i = 0; i < n; i++)
        str_append(table, "---|");
    str_char(table, '\n');
}

static double time_of(const struct across_cost *c) {
    return c->time_ps;
}
static double energy_of(const struct across_cost *c) {
    return c->energy_fj / 1000;
}

static void check_costs(const char *name, double (*of)(const struct across_cost *)) {
    const char *titles[SHOWN];
    struct str table = {0};
    for (size_t i = 0; i < SHOWN; i++)
        titles[i] = targets[i].title;
    add_head(&table, "kernel", titles, SHOWN);
    for (size_t k = 0; k < KERNELS; k++) {
        str_printf(&table, "| %s |", data_of(k)->program);
        for (size_t i = 0; i < SHOWN; i++)
            add_number(&table, of(&costs[i][k]));
        str_char(&table, '\n');
    }
    page_check(page, name, &table, "test_across");
    str_free(&table);
}

static void times_are_on_the_page(void **state) {
    (void)state;
    check_costs("times", time_of);
}
static void energies_are_on_the_page(void **state) {
    (void)state;
    check_costs("energies", energy_of);
}

/* --- MIMDRAM against RACER --- */

/* Geometric mean of a quotient over kernels. */
static double mean_of(size_t over, size_t under, double (*of)(const struct across_cost *)) {
    double sum = 0;
    for (size_t k = 0; k < KERNELS; k++)
        sum += log(of(&costs[over][k]) / of(&costs[under][k]));
    return exp(sum / KERNELS);
}

/* The paper's: 156 and 67 times faster than one GPU, 35 and 47 times less energy. */
#define PAPER_SPEED  (156.0 / 67)
#define PAPER_ENERGY (35.0 / 47)

static void ratios_are_on_the_page(void **state) {
    static const char *const titles[] = {"MIMDRAM is faster by", "RACER's energy over MIMDRAM's"};
    static const size_t pairs[][2] = {{RACER, MIMDRAM},          {RACER, MIMDRAM_DDR4},
                                      {RACER, MIMDRAM_SELECT},   {MASTODON, MIMDRAM},
                                      {MASTODON, MIMDRAM_DDR4},  {RACER_BARE, MIMDRAM},
                                      {RACER_BARE, MIMDRAM_BARE}};
    struct str table = {0};
    (void)state;
    add_head(&table, "chips of 497 and 450 MPUs", titles, 2);
    str_printf(&table, "| MPU paper, 21 kernels of its own | %.2f | %.2f |\n", PAPER_SPEED,
               PAPER_ENERGY);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        size_t racer = pairs[i][0], mimdram = pairs[i][1];
        str_printf(&table, "| %s and %s |", targets[racer].title, targets[mimdram].title);
        add_number(&table, mean_of(racer, mimdram, time_of));
        add_number(&table, mean_of(racer, mimdram, energy_of));
        str_char(&table, '\n');
    }
    page_check(page, "ratios", &table, "test_across");
    str_free(&table);
}

/* --- near-bank SIMT cores --- */

/* A cube of eight, with 256 elements for each near-bank unit, eight warps: units that have more
 * take as many times as long, and hundreds of thousands of lanes would be carried out one by one.
 */
enum { CUBES = 8, CUBE_ELEMENTS = 64 * 256 };

static void cores_are_on_the_page(void **state) {
    static const char *const one_cube[3] = {"machine.mpus=1"};
    static const char *const titles[] = {"simt, ps", "over racer", "over mimdram",
                                         "simt, pJ", "over racer", "over mimdram"};
    mpu_target *t = open_target("simt", one_cube);
    struct str table = {0};
    (void)state;
    add_head(&table, "kernel", titles, sizeof titles / sizeof *titles);
    for (size_t k = 0; k < KERNELS; k++) {
        mpu_program *p = program_of(k);
        mpu_session *s = filled_run(data_of(k), p, t, CUBE_ELEMENTS);
        const struct across_cost c = cost_of(s, CUBE_ELEMENTS, CUBES);
        mpu_session_free(s);
        mpu_program_free(p);
        str_printf(&table, "| %s |", data_of(k)->program);
        add_number(&table, time_of(&c));
        add_number(&table, time_of(&c) / time_of(&costs[RACER][k]));
        add_number(&table, time_of(&c) / time_of(&costs[MIMDRAM][k]));
        add_number(&table, energy_of(&c));
        add_number(&table, energy_of(&c) / energy_of(&costs[RACER][k]));
        add_number(&table, energy_of(&c) / energy_of(&costs[MIMDRAM][k]));
        str_char(&table, '\n');
    }
    mpu_target_close(t);
    page_check(page, "cores", &table, "test_across");
    str_free(&table);
}

/* --- power --- */

/* Section VIII-A: the front ends' 36.7 W are 40.2 % of the system's, on 4.63 cm2. */
#define PAPER_WATT (36.7 / 0.402)
#define PAPER_CM2  4.63

/* W/cm2, from the target's file. */
static double limit_of(const mpu_target *t) {
    static const char key[] = "limit_mw_per_cm2: ";
    char *text = mpu_target_print(t), *at = strstr(text, key);
    assert_non_null(at);
    double limit = strtod(at + sizeof key - 1, NULL) / 1000;
    free(text);
    return limit;
}

static void power_is_on_the_page(void **state) {
    static const char *const titles[] = {"average", "most, over a kernel", "hottest run", "limit",
                                         "chip, W"};
    static const size_t of[] = {RACER, MASTODON, MIMDRAM, MIMDRAM_DDR4, DUALITY};
    struct str table = {0};
    (void)state;
    add_head(&table, "W/cm2", titles, 5);
    str_append(&table, "| MPU paper, RACER of 512 MPUs at most |");
    add_number(&table, PAPER_WATT / PAPER_CM2);
    str_append(&table, " | | |");
    add_number(&table, PAPER_WATT);
    str_char(&table, '\n');
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        double sum = 0, most = 0, peak = 0;
        for (size_t k = 0; k < KERNELS; k++) {
            const struct across_cost *c = &costs[of[i]][k];
            sum += c->density / 1000 / KERNELS;
            most = fmax(most, c->density / 1000);
            peak = fmax(peak, c->peak / 1000);
        }
        mpu_target *t = open_across(&targets[of[i]]);
        str_printf(&table, "| %s |", targets[of[i]].title);
        add_number(&table, sum);
        add_number(&table, most);
        add_number(&table, peak);
        add_number(&table, limit_of(t));
        add_number(&table, sum * costs[of[i]][0].mpu_um2 * 1e-8 * (double)number(t, "mpus"));
        str_char(&table, '\n');
        mpu_target_close(t);
    }
    page_check(page, "power", &table, "test_across");
    str_free(&table);
}

/* --- sizes of the front end --- */

/* Ensembles that have nothing to do with one another, each on all VRFs of one RFH. */
static mpu_program *apart(const mpu_target *t) {
    struct str s = {0};
    uint64_t vrfs = number(t, "vrf_per_rfh"), rfhs = number(t, "rfh_per_mpu");
    str_printf(
        &s, "        .geometry lanes=%llu vrfs=%llu rfhs=%llu\n        .global main\nmain:\n",
        (unsigned long long)number(t, "lanes"), (unsigned long long)vrfs, (unsigned long long)rfhs);
    for (uint64_t r = 0; r < rfhs; r++) {
        for (uint64_t v = 0; v < vrfs; v++)
            str_printf(&s, "        COMPUTE RFH%llu VRF%llu\n", (unsigned long long)r,
                       (unsigned long long)v);
        str_append(&s, "        MUL.16 r0 r1 r2\n        ADD.64 r0 r1 r3\n"
                       "        MAX.32 r0 r2 r4\n        COMPUTE_DONE\n");
    }
    str_append(&s, "        HALT\n");
    mpu_program *p = assemble(str_text(&s), s.len);
    str_free(&s);
    return p;
}

static struct across_cost run_apart(const mpu_program *p, const mpu_target *t) {
    mpu_error *e = NULL;
    const mpu_config config = {.size = sizeof config, .place = "packed"};
    mpu_session *s = mpu_session_new(p, t, &config, &e);
    need(s != NULL, "apart", e);
    need(mpu_session_run(s, &e) == MPU_OK, "apart", e);
    struct across_cost c = cost_of(s, lanes_of(t), 1);
    mpu_session_free(s);
    return c;
}

/* Kernels of the sweeps: short ones, and those whose bodies have many recipes. */
static const size_t swept[] = {0, 2, 3, ONES + 3, ONES + 5, ONES + 6};
#define SWEPT (sizeof swept / sizeof *swept)

static double product(const struct across_cost *c) {
    return c->run_ps * c->run_fj * c->mpu_um2;
}

/* Time, energy and energy x delay x area of an MPU, each over those of the default. */
struct sweep_row {
    double time, energy, area, product;
};

static struct sweep_row over(const struct across_cost *c, const struct across_cost *base) {
    return (struct sweep_row){c->run_ps / base->run_ps, c->run_fj / base->run_fj,
                              c->mpu_um2 / base->mpu_um2, product(c) / product(base)};
}

static void add_log(struct sweep_row *sum, struct sweep_row x, double weight) {
    sum->time += weight * log(x.time);
    sum->energy += weight * log(x.energy);
    sum->area += weight * log(x.area);
    sum->product += weight * log(x.product);
}

struct sweep {
    const char *key;
    const unsigned *values;
    size_t count;
    bool apart;
};

static struct sweep_row sweep_value(const char *name, const struct sweep *x, unsigned value,
                                    const struct across_cost base[SWEPT]) {
    char text[64];
    const char *set[] = {text, NULL};
    struct sweep_row sum = {0, 0, 0, 0};
    snprintf(text, sizeof text, "%s=%u", x->key, value);
    mpu_target *t = open_target(name, set);
    for (size_t i = 0; i < (x->apart ? 1 : SWEPT); i++) {
        mpu_program *p = x->apart ? apart(t) : program_of(swept[i]);
        struct across_cost c = x->apart ? run_apart(p, t) : measure(swept[i], p, t);
        add_log(&sum, over(&c, &base[i]), x->apart ? 1 : 1.0 / SWEPT);
        mpu_program_free(p);
    }
    mpu_target_close(t);
    return sum;
}

static void sweep_base(const char *name, bool is_apart, struct across_cost base[SWEPT]) {
    const char *set[] = {NULL};
    mpu_target *t = open_target(name, set);
    for (size_t i = 0; i < (is_apart ? 1 : SWEPT); i++) {
        mpu_program *p = is_apart ? apart(t) : program_of(swept[i]);
        base[i] = is_apart ? run_apart(p, t) : measure(swept[i], p, t);
        mpu_program_free(p);
    }
    mpu_target_close(t);
}

enum { MOST_VALUES = 16 };
static void add_sweep(struct str *table, const char *name, const struct sweep *x) {
    struct across_cost base[SWEPT];
    struct sweep_row rows[MOST_VALUES];
    size_t best = 0;
    sweep_base(name, x->apart, base);
    for (size_t i = 0; i < x->count; i++) {
        rows[i] = sweep_value(name, x, x->values[i], base);
        best = rows[i].product < rows[best].product ? i : best;
    }
    for (size_t i = 0; i < x->count; i++) {
        str_printf(table, "| %s%s | %u |", name, x->apart ? ", apart" : "", x->values[i]);
        add_number(table, exp(rows[i].time));
        add_number(table, exp(rows[i].energy));
        add_number(table, exp(rows[i].area));
        add_number(table, exp(rows[i].product));
        str_append(table, i == best ? " best |\n" : " |\n");
    }
}

static const char *const sweep_titles[] = {
    "value", "time", "energy", "area", "energy x delay x area", ""};

static void the_recipe_table_is_swept(void **state) {
    static const unsigned values[] = {16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 65536};
    struct sweep x = {"control.recipe_templates", values, sizeof values / sizeof *values, false};
    struct str table = {0};
    (void)state;
    add_head(&table, "templates", sweep_titles, 6);
    add_sweep(&table, "racer", &x);
    add_sweep(&table, "mimdram", &x);
    add_sweep(&table, "duality-cache", &x);
    page_check(page, "templates", &table, "test_across");
    str_free(&table);
}

static void controllers_are_swept(void **state) {
    static const unsigned values[] = {1, 2, 3, 4, 6, 8, 16};
    static const char *const names[] = {"racer", "mimdram", "duality-cache"};
    struct sweep x = {"control.controllers", values, sizeof values / sizeof *values, true};
    struct str table = {0};
    (void)state;
    add_head(&table, "controllers", sweep_titles, 6);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        add_sweep(&table, names[i], &x);
    x.apart = false;
    x.count = 2;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        add_sweep(&table, names[i], &x);
    page_check(page, "controllers", &table, "test_across");
    str_free(&table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_on_the_page),  cmocka_unit_test(energies_are_on_the_page),
        cmocka_unit_test(ratios_are_on_the_page), cmocka_unit_test(power_is_on_the_page),
        cmocka_unit_test(cores_are_on_the_page),  cmocka_unit_test(the_recipe_table_is_swept),
        cmocka_unit_test(controllers_are_swept),
    };
    return cmocka_run_group_tests(tests, measure_all, NULL);
}
