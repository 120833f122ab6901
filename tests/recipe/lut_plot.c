/* SPDX-License-Identifier: MIT
 * Curves over the size of tables, in SVG: numbers from 1 to 8,192 in thirteen equal octaves. */
#include "lut_plot.h"

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

static const char *const colours[PLOT_WIDTHS] = {"#1b6ca8", "#c8553d", "#3b7a57"};

/* Tenths of a pixel, so that no printed number depends on how floats are. */
static int across(unsigned size) {
    return 10 * (int)(size * WIDE / (PLOT_SIZES - 1));
}

int plot_logarithm(unsigned count) {
    uint64_t value = (uint64_t)(count ? count : 1) << 20;
    int whole = 0, part = 0;
    for (; value >= (UINT64_C(2) << 20); value >>= 1)
        whole++;
    for (int i = 0, step = 512; i < 10; i++, step /= 2) { /* squares tell bit by bit */
        value = value * value >> 20;
        if (value >= (UINT64_C(2) << 20)) {
            value >>= 1;
            part += step;
        }
    }
    return 1000 * whole + part * 1000 / 1024;
}

static int height(unsigned count) {
    return 10 * HIGH - plot_logarithm(count) * HIGH / (OCTAVES * 100);
}

static void put_number(struct str *svg, int tenths) {
    str_printf(svg, "%d.%d", tenths / 10, tenths % 10);
}

static void put_text(struct str *svg, int x, int y, const char *place, const char *text) {
    str_printf(svg, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text>\n", x, y, place, text);
}

static void put_axes(struct str *svg) {
    for (unsigned octave = 0; octave <= OCTAVES; octave += 3) {
        int y = HIGH - (int)(octave * HIGH / OCTAVES);
        char label[12];
        snprintf(label, sizeof label, "%u", 1u << octave);
        str_printf(svg, "<path d=\"M0 %dH%d\" stroke=\"#ddd\"/>\n", y, WIDE);
        put_text(svg, -4, y + 4, "end", label);
    }
    for (unsigned size = 0; size < PLOT_SIZES; size++) {
        char label[12];
        snprintf(label, sizeof label, "%u", size + 1);
        put_text(svg, across(size) / 10, HIGH + 14, "middle", label);
    }
}

static void put_curve(struct str *svg, const unsigned *counts, const char *colour) {
    str_append(svg, "<polyline fill=\"none\" stroke-width=\"1.5\" stroke=\"");
    str_printf(svg, "%s\" points=\"", colour);
    for (unsigned size = 0; size < PLOT_SIZES; size++) {
        str_append(svg, size ? " " : "");
        put_number(svg, across(size));
        str_char(svg, ',');
        put_number(svg, height(counts[size]));
    }
    str_append(svg, "\"/>\n");
}

static void put_line(struct str *svg, unsigned count, const char *name) {
    str_append(svg, "<path d=\"M0 ");
    put_number(svg, height(count));
    str_printf(svg, "H%d\" stroke=\"#555\" stroke-dasharray=\"3 3\"/>\n", WIDE);
    put_text(svg, 3, height(count) / 10 - 3, "start", name);
}

static void put_panel(struct str *svg, const struct plot_panel *panel, unsigned number,
                      const char *const lines[PLOT_LINES]) {
    str_printf(svg, "<g transform=\"translate(%u %u)\">\n",
               LEFT + number % MOST_COLUMNS * PANEL_WIDE, TOP + number / MOST_COLUMNS * PANEL_HIGH);
    put_text(svg, WIDE / 2, -8, "middle", panel->title);
    put_axes(svg);
    for (unsigned i = 0; i < PLOT_LINES; i++)
        put_line(svg, panel->lines[i], lines[i]);
    for (unsigned w = 0; w < PLOT_WIDTHS; w++)
        put_curve(svg, panel->counts[w], colours[w]);
    str_append(svg, "</g>\n");
}

void plot_panels(const struct plot_panel *panels, unsigned count,
                 const char *const widths[PLOT_WIDTHS], const char *const lines[PLOT_LINES],
                 struct str *svg) {
    unsigned rows = (count + MOST_COLUMNS - 1) / MOST_COLUMNS;
    str_printf(svg,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" "
               "font-family=\"sans-serif\" font-size=\"11\">\n"
               "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
               MOST_COLUMNS * PANEL_WIDE, rows * PANEL_HIGH + 24);
    for (unsigned i = 0; i < count; i++)
        put_panel(svg, &panels[i], i, lines);
    for (unsigned w = 0; w < PLOT_WIDTHS; w++) {
        unsigned x = LEFT + w * 150, y = rows * PANEL_HIGH + 10;
        str_printf(svg, "<path d=\"M%u %uh24\" stroke=\"%s\" stroke-width=\"2\"/>\n", x, y,
                   colours[w]);
        put_text(svg, (int)x + 30, (int)y + 4, "start", widths[w]);
    }
    str_append(svg, "</svg>\n");
}
