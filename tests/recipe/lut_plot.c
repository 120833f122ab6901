/* SPDX-License-Identifier: MIT
 * Curves over the size of tables, in SVG: numbers from 1 to 8,192 in thirteen equal octaves. */
#include "lut_plot.h"

#include "support/svg.h"

#include <stdio.h>

enum {
    LEFT = 44,
    TOP = 24,
    WIDE = 168,
    HIGH = 182,
    PANEL_WIDE = 236,
    PANEL_HIGH = 246,
    OCTAVES = 13
};
#define MOST_COLUMNS 4

/* Tenths of a pixel, as svg.h has them. */
static int across(unsigned size) {
    return 10 * (int)(size * WIDE / (PLOT_SIZES - 1));
}

static int height(unsigned count) {
    return 10 * HIGH - svg_logarithm(count) * HIGH / (OCTAVES * 100);
}

static void put_axes(struct str *svg) {
    char label[12];
    for (unsigned octave = 0; octave <= OCTAVES; octave += 3) {
        int y = 10 * (HIGH - (int)(octave * HIGH / OCTAVES));
        snprintf(label, sizeof label, "%u", 1u << octave);
        svg_line(svg, (struct svg_point){0, y}, (struct svg_point){10 * WIDE, y}, false);
        svg_label(svg, (struct svg_point){-40, y + 40}, SVG_END, label);
    }
    for (unsigned size = 0; size < PLOT_SIZES; size++) {
        snprintf(label, sizeof label, "%u", size + 1);
        svg_label(svg, (struct svg_point){across(size), 10 * HIGH + 140}, SVG_MIDDLE, label);
    }
}

static void put_curve(struct str *svg, const unsigned *counts, unsigned series) {
    struct svg_point points[PLOT_SIZES];
    for (unsigned size = 0; size < PLOT_SIZES; size++)
        points[size] = (struct svg_point){across(size), height(counts[size])};
    svg_curve(svg, points, PLOT_SIZES, series);
}

static void put_line(struct str *svg, unsigned count, const char *name) {
    int y = height(count);
    svg_level(svg, (struct svg_point){0, y}, (struct svg_point){10 * WIDE, y});
    svg_label(svg, (struct svg_point){30, y - 30}, SVG_START, name);
}

static void put_panel(struct str *svg, const struct plot_panel *panel, unsigned number,
                      const char *const lines[PLOT_LINES]) {
    svg_group(svg, 10 * (LEFT + (int)(number % MOST_COLUMNS * PANEL_WIDE)),
              10 * (TOP + (int)(number / MOST_COLUMNS * PANEL_HIGH)));
    svg_label(svg, (struct svg_point){5 * WIDE, -80}, SVG_MIDDLE, panel->title);
    put_axes(svg);
    for (unsigned i = 0; i < PLOT_LINES; i++)
        put_line(svg, panel->lines[i], lines[i]);
    for (unsigned w = 0; w < PLOT_WIDTHS; w++)
        put_curve(svg, panel->counts[w], w);
    svg_group_end(svg);
}

void plot_panels(const struct plot_panel *panels, unsigned count,
                 const char *const widths[PLOT_WIDTHS], const char *const lines[PLOT_LINES],
                 struct str *svg) {
    unsigned rows = (count + MOST_COLUMNS - 1) / MOST_COLUMNS;
    const struct svg_about about = {"tables", MOST_COLUMNS * PANEL_WIDE, rows * PANEL_HIGH + 24,
                                    "Micro-ops of tables",
                                    "A panel for each machine: micro-ops of a random table over "
                                    "the bits of its index, for three widths of elements"};
    svg_begin(svg, &about);
    for (unsigned i = 0; i < count; i++)
        put_panel(svg, &panels[i], i, lines);
    for (unsigned w = 0; w < PLOT_WIDTHS; w++) {
        int x = 10 * (LEFT + (int)w * 150), y = 10 * ((int)(rows * PANEL_HIGH) + 10);
        svg_curve(svg, (const struct svg_point[]){{x, y}, {x + 240, y}}, 2, w);
        svg_label(svg, (struct svg_point){x + 300, y + 40}, SVG_START, widths[w]);
    }
    svg_end(svg);
}
