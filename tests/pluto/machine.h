/* SPDX-License-Identifier: MIT
 * What the machine (machines/slot) takes for what the paper has formulas for.  Times in ns,
 * energies in nJ. */
#ifndef TESTS_PLUTO_MACHINE_H
#define TESTS_PLUTO_MACHINE_H

#include "fact.h"
#include "formula.h"
#include "support/str.h"

/* Of the facts that it gives (Table 1, windows); NAN of others. */
double machine_value(struct facts *all, const struct fact *f);

/* A query with its ends: the source row opened, the result moved to its row.  `timing` and `reload`
 * by the names that formula.h has. */
double machine_query_ns(enum formula_design d, const char *timing, const char *reload,
                        unsigned rows);
double machine_query_nj(enum formula_design d, const char *reload, unsigned rows);

/* Tables of the page, by the machine alone or beside what is published. */
void machine_put_order(struct facts *all, struct str *out);
void machine_put_table_6(struct facts *all, struct str *out);
void machine_put_figure_11(struct facts *all, struct str *out);
void machine_put_figure_12(struct facts *all, struct str *out);

/* A query in each pair of a rank, so many of which work at once, carried out by the machine: what
 * the run took (parallel.c). */
struct machine_run {
    double ns, nj;
};
#define MACHINE_PARALLEL 4
extern const unsigned machine_parallel[MACHINE_PARALLEL];                   /* 1, 16, 256, 1024 */
struct machine_run machine_run_parallel(enum formula_design d, unsigned i); /* of these */
void machine_put_parallel(struct facts *all, struct str *out);

/* "12,345.6 |", NAN as nothing: page.c. */
void page_put_cell(struct str *out, double value, unsigned decimals);
void page_put_rule(struct str *out, unsigned columns, unsigned texts);

#endif
