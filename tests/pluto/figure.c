/* SPDX-License-Identifier: MIT */
#include "figure.h"

#include "machine.h"

#include <math.h>
#include <string.h>

const char *const figure_ways[WAYS] = {"release's rule", "by formula", "by machine"};

/* The release as it is, and with all of it right. */
static unsigned mended_by(enum way way) {
    return way == WAY_RELEASE ? RELEASE_NOTHING : RELEASE_ALL;
}

/* By its name in settings. */
static unsigned mend_of(const char *name) {
    static const struct {
        const char *name;
        enum release_mend mend;
    } mends[] = {{"seconds", RELEASE_SECONDS}, {"image", RELEASE_IMAGE}};
    for (size_t i = 0; i < sizeof mends / sizeof *mends; i++)
        if (strcmp(mends[i].name, name) == 0)
            return mends[i].mend;
    return RELEASE_NOTHING;
}

/* ---- means of workloads ---- */

#define SEVEN 7
static const enum release_workload seven[SEVEN] = {RELEASE_CRC8,      RELEASE_CRC16, RELEASE_CRC32,
                                                   RELEASE_SALSA20,   RELEASE_VMPC,  RELEASE_IMGBIN,
                                                   RELEASE_COLORGRADE};
#define TEN 10
static const enum release_workload ten[TEN] = {
    RELEASE_ADD4,  RELEASE_ADD8,  RELEASE_MUL8,     RELEASE_MUL16,          RELEASE_CRC8,
    RELEASE_CRC16, RELEASE_CRC32, RELEASE_BITCOUNT, RELEASE_BITCOUNT_SHORT, RELEASE_IMGBIN};

static double mean(struct release_run r, const enum release_workload *list, unsigned count,
                   double of(const struct release_run *)) {
    double sum = 0;
    for (unsigned i = 0; i < count; i++) {
        r.workload = list[i];
        sum += log(of(&r));
    }
    return exp(sum / count);
}

static double nj_of_one(const struct release_run *r) {
    bool image = r->workload == RELEASE_IMGBIN || r->workload == RELEASE_COLORGRADE;
    return release_nj(r) / (image ? 1 : 1048576);
}

static double mean_ns(const struct release_run *r) {
    return mean(*r, seven, SEVEN, release_ns);
}

static double mean_nj(const struct release_run *r) {
    return mean(*r, seven, SEVEN, nj_of_one);
}

double figure_speedup(const struct facts *all, const struct release_run *r) {
    return fact_given(all, "Given", "time", "CPU", "") * 1e9 / mean_ns(r);
}

/* ---- workloads: Fig. 7 to 10, 13, 14, Table 7 ---- */

/* What the subject and the setting say; a design that is not named is BSA. */
static struct release_run run_of(struct facts *all, const struct fact *f, unsigned mended) {
    struct release_run r = {.design = FORMULA_BSA, .memory = RELEASE_DDR4, .mended = mended};
    const char *memory = fact_setting(all, f, "memory");
    double parallel = fact_number(all, f, "parallel");
    formula_design_of(f->subject, &r.design);
    if (memory)
        release_memory_of(memory, &r.memory);
    r.parallel = parallel > 0 ? (unsigned)parallel : r.memory == RELEASE_DDR4 ? 16 : 512;
    r.tfaw = fact_number(all, f, "tfaw");
    return r;
}

static double speedup(struct facts *all, const struct fact *f, enum way way) {
    struct release_run r = run_of(all, f, mended_by(way));
    const char *over = fact_setting(all, f, "over");
    double ns = strcmp(over, "FPGA") == 0 ? mean(r, ten, TEN, release_ns) : mean_ns(&r);
    return fact_given(all, "Given", "time", over, "") * 1e9 / ns;
}

/* The CPU's speed is not divided by its area, the GPU's is. */
static double per_area(struct facts *all, const struct fact *f, enum way way) {
    const char *over = fact_setting(all, f, "over"), *memory = fact_setting(all, f, "memory");
    double area = fact_given(all, "Given", "area", f->subject, memory);
    bool gpu = strcmp(over, "GPU") == 0;
    return speedup(all, f, way) / area * (gpu ? fact_given(all, "Given", "area", "GPU", "") : 1);
}

static double mean_per_area(struct facts *all, const struct fact *f, enum way way) {
    double sum = 0;
    unsigned count = 0;
    for (size_t i = 0; i < all->list.len; i++) {
        const struct fact *one = &all->list.data[i];
        if (strcmp(one->quantity, "speedup per area") == 0 && strstr(one->setting, f->setting)) {
            sum += log(per_area(all, one, way));
            count++;
        }
    }
    return exp(sum / count);
}

static double figure_8(struct facts *all, const struct fact *f, enum way way) {
    return strcmp(f->quantity, "mean of six") == 0 ? mean_per_area(all, f, way)
                                                   : per_area(all, f, way);
}

static double figure_10(struct facts *all, const struct fact *f, enum way way) {
    struct release_run r = run_of(all, f, mended_by(way));
    const char *over = fact_setting(all, f, "over");
    return fact_given(all, "Given", "energy", over, "") * 1e9 / mean_nj(&r);
}

static double figure_13(struct facts *all, const struct fact *f, enum way way) {
    struct release_run r = run_of(all, f, mended_by(way)), free_of_it = r;
    if (!release_workload_of(f->subject, &r.workload))
        return NAN;
    free_of_it.workload = r.workload;
    free_of_it.tfaw = 0;
    double relative = 100 * release_ns(&free_of_it) / release_ns(&r);
    return strcmp(f->quantity, "loss") == 0 ? 100 - relative : relative;
}

static double workload(struct facts *all, const struct fact *f, unsigned mended) {
    struct release_run r = run_of(all, f, mended);
    if (!release_workload_of(fact_setting(all, f, "workload"), &r.workload))
        return NAN;
    return strcmp(f->quantity, "time") == 0 ? release_ns(&r) : release_nj(&r);
}

static double table_7(struct facts *all, const struct fact *f, enum way way) {
    return workload(all, f, mended_by(way)) * (strcmp(f->quantity, "time") == 0 ? 1e-3 : 1e-6);
}

static double one_mended(struct facts *all, const struct fact *f, enum way way) {
    return way == WAY_RELEASE ? workload(all, f, mend_of(fact_setting(all, f, "mended"))) : NAN;
}

/* ---- formulas: Tables 1, 5, 6, Fig. 11, tFAW ---- */

static double table_1_latency(struct facts *all, const struct fact *f, enum formula_design d,
                              unsigned rows) {
    const struct formula_timing *t = formula_timing_of(fact_setting(all, f, "timing"));
    const char *reload = fact_setting(all, f, "reload");
    double ns = reload ? formula_reload_ns(formula_reload_of(reload), t) : 0;
    bool ends = strcmp(f->quantity, "latency with ends") == 0;
    return formula_query_ns(d, t, rows, ns) + (ends ? formula_ends_ns(t) : 0);
}

static double table_1(struct facts *all, const struct fact *f, enum way way) {
    enum formula_design d;
    unsigned rows = (unsigned)fact_number(all, f, "rows");
    if (way != WAY_FORMULA || !formula_design_of(f->subject, &d))
        return NAN;
    if (strcmp(f->quantity, "energy") == 0)
        return formula_query_nj(d, rows, 0);
    return table_1_latency(all, f, d, rows);
}

static double table_5_part(const struct facts *all, const char *part) {
    return fact_given(all, "Table 5", "part", part, "");
}

/* Overheads are of the printed areas. */
static double table_5(struct facts *all, const struct fact *f, enum way way) {
    enum formula_design d;
    if (way != WAY_FORMULA || !formula_design_of(f->subject, &d))
        return NAN;
    double base = fact_given(all, "Table 5", "area", "base", "");
    if (strcmp(f->quantity, "overhead") == 0)
        return 100 * (fact_given(all, "Table 5", "area", f->subject, "") / base - 1);
    struct formula_area a = {base,
                             table_5_part(all, "DRAM Cell"),
                             table_5_part(all, "Sense Amp"),
                             table_5_part(all, "Match Logic"),
                             table_5_part(all, "Match Lines"),
                             table_5_part(all, "Row Decoder"),
                             table_5_part(all, "base Row Decoder")};
    return formula_area(d, &a);
}

/* Geometric mean of how many times pLUTo-BSA is faster than `system`: of what both have. */
static double table_6_speed(const struct facts *all, const char *system, bool logic) {
    static const char *const ops[2][5] = {{"add4", "mul4", "bitcount4", "bitcount8"},
                                          {"NOT", "AND", "OR", "XOR", "XNOR"}};
    double sum = 0;
    unsigned count = 0;
    for (unsigned i = 0; i < 5 && ops[logic][i]; i++) {
        const struct fact *f = fact_find(all, "Table 6", ops[logic][i], system, "");
        if (!f)
            continue;
        sum += log(fact_given(all, "Table 6", ops[logic][i], "BSA", "") / f->value);
        count++;
    }
    return exp(sum / count);
}

static double table_6_ratio(struct facts *all, const struct fact *f, const char *per) {
    bool logic = strcmp(fact_setting(all, f, "operations"), "logic") == 0;
    return table_6_speed(all, f->subject, logic) * fact_given(all, "Table 6", per, "BSA", "") /
           fact_given(all, "Table 6", per, f->subject, "");
}

static double table_6(struct facts *all, const struct fact *f, enum way way) {
    if (way != WAY_FORMULA)
        return NAN;
    if (strcmp(f->quantity, "performance per area") == 0)
        return table_6_ratio(all, f, "area");
    if (strcmp(f->quantity, "energy efficiency") == 0)
        return table_6_ratio(all, f, "power");
    if (strcmp(f->subject, "BSA") == 0)
        return formula_table6_ns((unsigned)fact_number(all, f, "rows"),
                                 (unsigned)fact_number(all, f, "operands"), FORMULA_UNSHARED);
    return formula_ambit_ns((unsigned)fact_number(all, f, "aap"),
                            (unsigned)fact_number(all, f, "ap"));
}

static double figure_11(struct facts *all, const struct fact *f, enum way way) {
    enum formula_units u = way == WAY_RELEASE ? FORMULA_BINARY : FORMULA_DECIMAL;
    if (strcmp(f->quantity, "loading") == 0)
        return formula_load_ns(u);
    if (strcmp(f->quantity, "query") == 0)
        return formula_load_query_ns();
    if (strcmp(f->quantity, "loading share") == 0)
        return 100 * formula_load_share(fact_number(all, f, "megabytes"), u);
    return strcmp(f->subject, "rows") == 0 ? formula_break_even(u)
                                           : formula_break_even_megabytes(u);
}

static double window(struct facts *all, const struct fact *f, enum way way) {
    enum formula_design d;
    if (way != WAY_FORMULA || !formula_design_of(f->subject, &d))
        return NAN;
    return 100 * formula_window(d, formula_timing_of("DDR4-2400"),
                                (unsigned)fact_number(all, f, "subarrays"),
                                fact_number(all, f, "tfaw"));
}

/* ---- all of them ---- */

double figure_value(struct facts *all, const struct fact *f, enum way way) {
    static const struct {
        const char *figure;
        double (*value)(struct facts *, const struct fact *, enum way);
    } figures[] = {{"Table 1", table_1},   {"Table 5", table_5},   {"Table 6", table_6},
                   {"Table 7", table_7},   {"Fig. 7", speedup},    {"Fig. 8", figure_8},
                   {"Fig. 9", speedup},    {"Fig. 10", figure_10}, {"Fig. 11", figure_11},
                   {"Fig. 13", figure_13}, {"Fig. 14", speedup},   {"Window", window},
                   {"Mended", one_mended}};
    if (way == WAY_MACHINE)
        return f->printed != FACT_GIVEN ? machine_value(all, f) : NAN;
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (f->printed != FACT_GIVEN && strcmp(figures[i].figure, f->figure) == 0)
            return figures[i].value(all, f, way);
    return NAN;
}
