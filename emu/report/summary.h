/* SPDX-License-Identifier: MIT
 * What a run came to, in ten lines: the beginning of statistics as text. */
#ifndef EMU_REPORT_SUMMARY_H
#define EMU_REPORT_SUMMARY_H

#include "emu/report/figures.h"

/* Appends the lines, each with its base where it has a share of something.  What is not known is
 * `unknown`: there are always SUMMARY_LINES of them. */
#define SUMMARY_LINES 10
void report_summary(const struct figures *figures, struct str *out);

#endif
