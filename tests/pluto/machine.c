/* SPDX-License-Identifier: MIT */
#include "machine.h"

#include "machines/slot/link/link.h"
#include "support/diag.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const targets[FORMULA_DESIGNS] = {"pluto-gsa", "pluto-bsa", "pluto-gmc"};

/* ---- targets ---- */

static struct target *open_with(enum formula_design d, const struct target_override *with,
                                size_t count) {
    struct diag *diag = diag_new(NULL, NULL);
    struct target *t = target_open(targets[d], with, count, diag);
    if (!t) {
        fprintf(stderr, "%s\n", diag_first(diag));
        abort();
    }
    diag_free(diag);
    return t;
}

/* What the page's names of timings and reloads are here. */
static const char *key_of(const char *name, const char *const names[][2], size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i][0], name) == 0)
            return names[i][1];
    fprintf(stderr, "no timing or reload '%s'\n", name);
    abort();
}

static struct target *open_as(enum formula_design d, const char *timing, const char *reload) {
    static const char *const timings[][2] = {
        {"DDR4-2400", "t14.16"}, {"DDR4-15", "t15"}, {"3DS", "3ds"}};
    static const char *const reloads[][2] = {
        {"rbm", "rbm"}, {"release", "ap"}, {"aap", "aap"}, {"risc", "risc"}};
    const struct target_override with[] = {{"set", key_of(timing, timings, 3)},
                                           {"pluto.reload", key_of(reload, reloads, 4)}};
    return open_with(d, with, 2);
}

static struct slot_cost query(const struct target *t, uint64_t rows, uint64_t vrfs) {
    const struct slot_step step = {t, vrfs};
    const struct slot_table_shape shape = slot_table_shape(t, rows);
    return slot_cost_query(&step, &shape);
}

/* ---- queries ---- */

double machine_query_ns(enum formula_design d, const char *timing, const char *reload,
                        unsigned rows) {
    struct target *t = open_as(d, timing, reload);
    double ns = (double)query(t, rows, 1).ps / 1000;
    target_free(t);
    return ns;
}

double machine_query_nj(enum formula_design d, const char *reload, unsigned rows) {
    struct target *t = open_as(d, "DDR4-2400", reload);
    struct slot_cost c = query(t, rows, 1);
    target_free(t);
    return (double)slot_cost_fj(&c) * 1e-6;
}

/* The ends of a query are what a move takes: an ACT, an RBM, an ACT and a PRE. */
static double table_1(struct facts *all, const struct fact *f, enum formula_design d) {
    const char *timing = fact_setting(all, f, "timing"), *reload = fact_setting(all, f, "reload");
    struct target *t = open_as(d, timing ? timing : "DDR4-2400", reload ? reload : "aap");
    const struct slot_step alone = {t, 1};
    struct slot_cost c = query(t, (uint64_t)fact_number(all, f, "rows"), 1),
                     ends = slot_cost_move(&alone);
    bool energy = strcmp(f->quantity, "energy") == 0,
         with_ends = strcmp(f->quantity, "latency with ends") == 0;
    double value = energy      ? (double)(slot_cost_fj(&c) - slot_cost_fj(&ends)) * 1e-6
                   : with_ends ? (double)c.ps / 1000
                               : (double)(c.ps - ends.ps) / 1000;
    target_free(t);
    return value;
}

/* What rows more of a sweep take, by how much they take in a window. */
static double window(struct facts *all, const struct fact *f, enum formula_design d) {
    uint64_t vrfs = (uint64_t)fact_number(all, f, "subarrays");
    char faw[32];
    double took[2];
    snprintf(faw, sizeof faw, "%.0f", fact_number(all, f, "tfaw") * 1000);
    for (unsigned i = 0; i < 2; i++) {
        const struct target_override with = {"time.t_faw", i ? faw : "0"};
        struct target *t = open_with(d, &with, 1);
        took[i] = (double)(query(t, 512, vrfs).ps - query(t, 256, vrfs).ps);
        target_free(t);
    }
    return 100 * took[0] / took[1];
}

double machine_value(struct facts *all, const struct fact *f) {
    enum formula_design d;
    if (!formula_design_of(f->subject, &d))
        return NAN;
    if (strcmp(f->figure, "Table 1") == 0)
        return table_1(all, f, d);
    return strcmp(f->figure, "Window") == 0 ? window(all, f, d) : NAN;
}

/* ---- tables ---- */

/* Designs from the fastest to the slowest. */
static void put_order(const double ns[FORMULA_DESIGNS], struct str *out) {
    unsigned order[FORMULA_DESIGNS] = {FORMULA_GMC, FORMULA_BSA, FORMULA_GSA};
    for (unsigned i = 1; i < FORMULA_DESIGNS; i++)
        for (unsigned j = i; j && ns[order[j]] < ns[order[j - 1]]; j--) {
            unsigned other = order[j];
            order[j] = order[j - 1];
            order[j - 1] = other;
        }
    str_printf(out, " %s > %s > %s |", formula_designs[order[0]], formula_designs[order[1]],
               formula_designs[order[2]]);
}

void machine_put_order(struct facts *all, struct str *out) {
    (void)all;
    str_append(out, "| N | GMC | BSA |");
    for (unsigned r = 0; r < FORMULA_RELOADS; r++)
        str_printf(out, " GSA, %s | order |", formula_reloads[r].what);
    str_char(out, '\n');
    page_put_rule(out, 3 + 2 * FORMULA_RELOADS, 0);
    for (unsigned n = 2; n <= 512; n *= 2) {
        double ns[FORMULA_DESIGNS];
        for (unsigned d = FORMULA_BSA; d < FORMULA_DESIGNS; d++)
            ns[d] = machine_query_ns((enum formula_design)d, "DDR4-2400", "aap", n);
        str_printf(out, "| %u |", n);
        page_put_cell(out, ns[FORMULA_GMC], 2);
        page_put_cell(out, ns[FORMULA_BSA], 2);
        for (unsigned r = 0; r < FORMULA_RELOADS; r++) {
            ns[FORMULA_GSA] =
                machine_query_ns(FORMULA_GSA, "DDR4-2400", formula_reloads[r].name, n);
            page_put_cell(out, ns[FORMULA_GSA], 2);
            put_order(ns, out);
        }
        str_char(out, '\n');
    }
}

/* The machine's own command where Table 6 looks logic up. */
static double command_ns(const struct target *t, const char *name) {
    static const struct {
        const char *name;
        enum row_kind kind;
    } commands[] = {
        {"NOT", ROW_NOT}, {"AND", ROW_AND}, {"OR", ROW_OR}, {"XOR", ROW_XOR}, {"XNOR", ROW_XNOR}};
    const struct slot_step alone = {t, 1};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, name) == 0)
            return (double)slot_price(&alone, commands[i].kind, 1).ps / 1000;
    return NAN;
}

void machine_put_table_6(struct facts *all, struct str *out) {
    struct target *t = open_as(FORMULA_BSA, "DDR4-15", "aap");
    str_append(out, "| operation | rows | published, ns | a query | four at once | the machine's "
                    "own command |\n");
    page_put_rule(out, 6, 1);
    for (size_t i = 0; i < all->list.len; i++) {
        const struct fact *f = &all->list.data[i];
        unsigned rows = (unsigned)fact_number(all, f, "rows");
        if (strcmp(f->figure, "Table 6") != 0 || strcmp(f->subject, "BSA") != 0 || !rows)
            continue;
        double ns = (double)query(t, rows, 1).ps / 1000;
        str_printf(out, "| %s | %u | %s |", f->quantity, rows, f->text);
        page_put_cell(out, ns, 1);
        page_put_cell(out, ns / 4, 1);
        page_put_cell(out, command_ns(t, f->quantity), 1);
        str_char(out, '\n');
    }
    target_free(t);
}

/* Banks that load at once share the channel: each row of theirs comes after the others'. */
void machine_put_figure_11(struct facts *all, struct str *out) {
    static const double megabytes[] = {20, 120};
    struct target *t = open_as(FORMULA_BSA, "DDR4-15", "aap");
    double load = (double)slot_cost_load(t, 256).ps / 1000,
           one = (double)query(t, 256, 1).ps / 1000, all_banks = load * t->rfh_per_mpu,
           rows = ceil(all_banks / one);
    (void)all;
    str_append(out, "| quantity | by the machine |\n");
    page_put_rule(out, 2, 1);
    str_append(out, "| 256 rows into one pair, ns |");
    page_put_cell(out, load, 1);
    str_printf(out, "\n| into one pair of each of %u banks, ns |", t->rfh_per_mpu);
    page_put_cell(out, all_banks, 1);
    str_append(out, "\n| a query, ns |");
    page_put_cell(out, one, 1);
    str_append(out, "\n| break-even, rows of queries in each bank |");
    page_put_cell(out, rows, 0);
    str_append(out, "\n| break-even, MB |");
    page_put_cell(out, rows * formula_row_bytes * 1e-6, 2);
    for (unsigned i = 0; i < 2; i++) {
        double queries = ceil(megabytes[i] * 1e6 / formula_row_bytes) * one;
        str_printf(out, "\n| loading's share of %.0f MB, percent |", megabytes[i]);
        page_put_cell(out, 100 * all_banks / (all_banks + queries), 1);
    }
    str_char(out, '\n');
    target_free(t);
}

void machine_put_figure_12(struct facts *all, struct str *out) {
    (void)all;
    str_append(out, "| N | GSA, G/s | BSA, G/s | GMC, G/s | GSA, nJ | BSA, nJ | GMC, nJ |\n");
    page_put_rule(out, 7, 0);
    for (unsigned n = 2; n <= 512; n *= 2) {
        str_printf(out, "| %u |", n);
        for (unsigned d = 0; d < FORMULA_DESIGNS; d++) {
            double ns = machine_query_ns((enum formula_design)d, "DDR4-2400", "release", n);
            page_put_cell(out, formula_per_second(n, ns) * 1e-9, 3);
        }
        for (unsigned d = 0; d < FORMULA_DESIGNS; d++)
            page_put_cell(out, machine_query_nj((enum formula_design)d, "release", n), 3);
        str_char(out, '\n');
    }
}
