/* SPDX-License-Identifier: MIT
 * The formulas of the pLUTo paper (Ferreira et al., MICRO 2022): queries (Table 1), throughput
 * (Fig. 12a), windows of activations (tFAW), loading of tables (Fig. 11), Tables 5 and 6.
 * Times in ns, energies in nJ, areas in mm2. */
#ifndef TESTS_PLUTO_FORMULA_H
#define TESTS_PLUTO_FORMULA_H

#include <stdbool.h>
#include <stdint.h>

enum formula_design { FORMULA_GSA, FORMULA_BSA, FORMULA_GMC };
#define FORMULA_DESIGNS 3
extern const char *const formula_designs[FORMULA_DESIGNS];
/* False if `name` is none of them. */
bool formula_design_of(const char *name, enum formula_design *out);

struct formula_timing {
    const char *name;
    double act, pre; /* tRCD, tRP */
};
#define FORMULA_TIMINGS 3
/* DDR4-2400 (Table 3), DDR4-15 (Table 6), 3DS (the release). */
extern const struct formula_timing formula_timings[FORMULA_TIMINGS];
const struct formula_timing *formula_timing_of(const char *name); /* NULL if there is none */

/* Energies of the release, of a row of 8 kB; AP and AAP are rounded there from ACT and PRE. */
extern const double formula_act_nj, formula_pre_nj, formula_ap_nj, formula_aap_nj;
extern const double formula_rbm_ns; /* a row from one subarray's buffer to the next one's (LISA) */
extern const unsigned formula_row_bits, formula_row_bytes; /* of DDR4 */

/* What brings back a row of GSA's table, which a query destroys. */
struct formula_reload {
    const char *name, *what;
    unsigned acts, pres;
    double ns; /* beyond them */
};
#define FORMULA_RELOADS 4
extern const struct formula_reload formula_reloads[FORMULA_RELOADS];
const struct formula_reload *formula_reload_of(const char *name);
double formula_reload_ns(const struct formula_reload *r, const struct formula_timing *t);

/* Table 1: a query of `rows` rows.  `reload`: of a row, which GSA alone has. */
double formula_query_ns(enum formula_design d, const struct formula_timing *t, unsigned rows,
                        double reload_ns);
double formula_query_nj(enum formula_design d, unsigned rows, double reload_nj);
/* The source row opened before it; the move to the result's row, which is opened and closed. */
double formula_ends_ns(const struct formula_timing *t);
/* Queries a second of a subarray, its slots as wide as the index. */
double formula_per_second(unsigned rows, double query_ns);

/* How fast sweeps of `subarrays` subarrays in step are, of 1, where four activations of a rank at
 * most begin within tfaw ns. */
double formula_window(enum formula_design d, const struct formula_timing *t, unsigned subarrays,
                      double tfaw);

/* Fig. 11: a table of 256 rows over a bank's share of the bus, and its queries, a row after the
 * other.  The bus has 19.2 GB/s, and megabytes are 10^6 bytes; or both are binary, as in the
 * spreadsheet of the release. */
enum formula_units { FORMULA_DECIMAL, FORMULA_BINARY };
double formula_load_ns(enum formula_units u);
double formula_load_query_ns(void);
/* Rows of queries that take as long as the loading, and their megabytes, decimal ones. */
double formula_break_even(enum formula_units u);
double formula_break_even_megabytes(enum formula_units u);
/* Of the whole time, with so much to look up. */
double formula_load_share(double megabytes, enum formula_units u);

/* Table 6, pLUTo-BSA: a query's time shared by four subarrays.  A row that operands are merged
 * into takes an AAP; two readings give the printed figures: queries of logic alone not shared and
 * one AAP, or all shared and as many AAPs as there are operands, and one. */
enum formula_reading { FORMULA_UNSHARED, FORMULA_SHARED };
double formula_table6_ns(unsigned rows, unsigned operands, enum formula_reading reading);
/* SIMDRAM's and Ambit's columns. */
double formula_ambit_ns(unsigned aaps, unsigned aps);

/* Table 5: the chip's area from that of its parts. */
struct formula_area {
    double base, cells, amplifiers, match_logic, match_lines, decoder, base_decoder;
};
double formula_area(enum formula_design d, const struct formula_area *a);

#endif
