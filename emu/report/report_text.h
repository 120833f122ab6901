/* SPDX-License-Identifier: MIT
 * Statistics as text for people: the figures of report_fill, with shares of the whole, the largest
 * first. */
#ifndef EMU_REPORT_REPORT_TEXT_H
#define EMU_REPORT_REPORT_TEXT_H

#include "emu/report/figures.h"

/* Rows of by_instruction and by_line that are shown; a line says how many more there are. */
#define TEXT_ROWS 16

/* The ten lines of report_summary, then everything.  `columns`: width of the terminal, which tables
 * with shares fill with bars of '#'; 0: none. */
void report_text(const struct figures *figures, unsigned columns, struct str *out);

#endif
