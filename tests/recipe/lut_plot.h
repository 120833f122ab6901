/* SPDX-License-Identifier: MIT
 * What tables cost, as a picture. */
#ifndef TESTS_RECIPE_LUT_PLOT_H
#define TESTS_RECIPE_LUT_PLOT_H

#include "support/str.h"

#define PLOT_SIZES  8 /* bits of the index, from 1 on */
#define PLOT_WIDTHS 3 /* of elements */
#define PLOT_LINES  2 /* instructions to compare with */

/* Micro-ops of random tables on one machine. */
struct plot_panel {
    const char *title;
    unsigned counts[PLOT_WIDTHS][PLOT_SIZES], lines[PLOT_LINES];
};

/* Panels of curves, one for each width; `widths` and `lines` are their names. */
void plot_panels(const struct plot_panel *panels, unsigned count,
                 const char *const widths[PLOT_WIDTHS], const char *const lines[PLOT_LINES],
                 struct str *svg);

#endif
