/* SPDX-License-Identifier: MIT
 * Figures that follow from others, each defined once: key, unit, what it is, how it is computed.
 * The table in docs/statistics.md is made from the list of them. */
#ifndef EMU_REPORT_DERIVED_H
#define EMU_REPORT_DERIVED_H

#include "emu/report/report.h"

/* The object "derived". */
void report_derived(const struct report_run *run, struct figures *figures);
/* The rows of the table in docs/statistics.md. */
void report_derived_page(struct str *out);

#endif
