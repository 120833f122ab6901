/* SPDX-License-Identifier: MIT
 * Figures that follow from others, each defined once: key, unit, what it is, how it is computed.
 * The table in docs/statistics.md is made from the list of them. */
#ifndef EMU_REPORT_DERIVED_H
#define EMU_REPORT_DERIVED_H

#include "emu/report/report.h"

struct derived_figure {
    const char *key;        /* ends in its unit, where it has one */
    const char *unit;       /* in words */
    const char *definition; /* with the names of other figures */
    /* False: not known, for this run or on this target. */
    bool (*value)(const struct report_run *r, uint64_t *out);
};
extern const struct derived_figure report_derived_figures[];
extern const size_t report_derived_count;

/* The object "derived". */
void report_derived(const struct report_run *run, struct figures *figures);
/* The rows of the table in docs/statistics.md. */
void report_derived_page(struct str *out);

#endif
