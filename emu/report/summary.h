/* SPDX-License-Identifier: MIT
 * A run summed up in ten lines: the beginning of statistics as text. */
#ifndef EMU_REPORT_SUMMARY_H
#define EMU_REPORT_SUMMARY_H

#include "emu/report/figures.h"

/* Appends SUMMARY_LINES lines, whatever is known: what is not is `unknown`.  Where a line has a
 * share it says of what. */
#define SUMMARY_LINES 10
void report_summary(const struct figures *figures, struct str *out);

#endif
