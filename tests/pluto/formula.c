/* SPDX-License-Identifier: MIT */
#include "formula.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

const char *const formula_designs[FORMULA_DESIGNS] = {"GSA", "BSA", "GMC"};
const struct formula_timing formula_timings[FORMULA_TIMINGS] = {
    {"DDR4-2400", 14.16, 14.16}, {"DDR4-15", 15, 15}, {"3DS", 10.2, 9.9}};
const double formula_act_nj = 0.207, formula_pre_nj = 0.458, formula_ap_nj = 0.664,
             formula_aap_nj = 0.871;
const double formula_rbm_ns = 8;
const unsigned formula_row_bits = 65536, formula_row_bytes = 8192;

/* RISC: LISA's copy of a row of 8 kB over one hop. */
const struct formula_reload formula_reloads[FORMULA_RELOADS] = {
    {"rbm", "RBM alone", 0, 0, 8},
    {"release", "ACT and PRE, as released", 1, 1, 0},
    {"aap", "AAP and RBM", 2, 1, 8},
    {"risc", "LISA-RISC", 0, 0, 148.5},
};

bool formula_design_of(const char *name, enum formula_design *out) {
    for (unsigned i = 0; i < FORMULA_DESIGNS; i++)
        if (strcmp(formula_designs[i], name) == 0) {
            *out = (enum formula_design)i;
            return true;
        }
    return false;
}

const struct formula_timing *formula_timing_of(const char *name) {
    for (unsigned i = 0; i < FORMULA_TIMINGS; i++)
        if (strcmp(formula_timings[i].name, name) == 0)
            return &formula_timings[i];
    return NULL;
}

const struct formula_reload *formula_reload_of(const char *name) {
    for (unsigned i = 0; i < FORMULA_RELOADS; i++)
        if (strcmp(formula_reloads[i].name, name) == 0)
            return &formula_reloads[i];
    return NULL;
}

double formula_reload_ns(const struct formula_reload *r, const struct formula_timing *t) {
    return r->acts * t->act + r->pres * t->pre + r->ns;
}

/* ---- queries ---- */

/* BSA closes each row, the others only the last one. */
double formula_query_ns(enum formula_design d, const struct formula_timing *t, unsigned rows,
                        double reload_ns) {
    double sweep = rows * t->act + (d == FORMULA_BSA ? rows : 1) * t->pre;
    return sweep + (d == FORMULA_GSA ? rows * reload_ns : 0);
}

double formula_query_nj(enum formula_design d, unsigned rows, double reload_nj) {
    if (d == FORMULA_BSA)
        return rows * formula_ap_nj;
    double sweep = rows * formula_act_nj + formula_pre_nj;
    return sweep + (d == FORMULA_GSA ? rows * reload_nj : 0);
}

double formula_ends_ns(const struct formula_timing *t) {
    return 2 * t->act + t->pre + formula_rbm_ns;
}

double formula_per_second(unsigned rows, double query_ns) {
    return formula_row_bits / log2(rows) / (query_ns * 1e-9);
}

double formula_window(enum formula_design d, const struct formula_timing *t, unsigned subarrays,
                      double tfaw) {
    double row = t->act + (d == FORMULA_BSA ? t->pre : 0);
    return fmin(1, row / (subarrays * tfaw / 4));
}

/* ---- loading ---- */

enum { LOAD_ROWS = 256, LOAD_BANKS = 16 };

double formula_load_ns(enum formula_units u) {
    double bytes_per_s = 19.2 * (u == FORMULA_BINARY ? 1024.0 * 1024 * 1024 : 1e9) / LOAD_BANKS;
    return LOAD_ROWS * (double)formula_row_bytes / bytes_per_s * 1e9;
}

double formula_load_query_ns(void) {
    return formula_query_ns(FORMULA_BSA, formula_timing_of("DDR4-15"), LOAD_ROWS, 0);
}

double formula_break_even(enum formula_units u) {
    return ceil(formula_load_ns(u) / formula_load_query_ns());
}

double formula_break_even_megabytes(enum formula_units u) {
    return formula_break_even(u) * formula_row_bytes * 1e-6;
}

double formula_load_share(double megabytes, enum formula_units u) {
    double bytes = megabytes * (u == FORMULA_BINARY ? 1024.0 * 1024 : 1e6);
    double queries = ceil(bytes / formula_row_bytes) * formula_load_query_ns();
    return formula_load_ns(u) / (formula_load_ns(u) + queries);
}

/* ---- Tables 5 and 6 ---- */

double formula_table6_ns(unsigned rows, unsigned operands, enum formula_reading reading) {
    const struct formula_timing *t = formula_timing_of("DDR4-15");
    const unsigned shared = 4;
    double query = formula_query_ns(FORMULA_BSA, t, rows, 0), aap = 2 * t->act + t->pre;
    if (!operands)
        return query / shared;
    return reading == FORMULA_UNSHARED ? query + aap : query / shared + (operands + 1) * aap;
}

double formula_ambit_ns(unsigned aaps, unsigned aps) {
    return 49.0 * aaps + 45.0 * aps;
}

/* A switch a bitline is a fifth of a sense amplifier, with a flip-flop three fifths; a switch a
 * cell is a quarter of it. */
double formula_area(enum formula_design d, const struct formula_area *a) {
    double own = d == FORMULA_GSA   ? 0.2 * a->amplifiers
                 : d == FORMULA_BSA ? 0.6 * a->amplifiers
                                    : 0.25 * a->cells;
    return a->base + a->match_logic + a->match_lines + a->decoder - a->base_decoder + own;
}
