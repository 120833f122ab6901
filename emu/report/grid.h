/* SPDX-License-Identifier: MIT
 * Cells of text in columns that line up. */
#ifndef EMU_REPORT_GRID_H
#define EMU_REPORT_GRID_H

#include "support/str.h"
#include "support/vec.h"

struct grid_cell {
    char *text;
    bool right; /* numbers stand at the right */
};
struct grid {
    size_t columns;              /* of every row */
    VEC(struct grid_cell) cells; /* row by row, headings first */
    VEC(uint64_t) bars; /* one for each row after the headings, in millionths; none: no bars */
};

/* Takes what `text` holds and empties it. */
void report_grid_add(struct grid *grid, struct str *text, bool right);
void report_grid_free(struct grid *grid);
/* Two blanks in front of each cell, none behind the last; bars where `width` leaves room for
 * them.  With names, so many columns, a grid that is wider than a page is cut into several, each
 * with these in front. */
void report_grid_print(const struct grid *grid, size_t names, unsigned width, struct str *out);

#endif
