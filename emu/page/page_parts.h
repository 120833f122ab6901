/* SPDX-License-Identifier: MIT
 * What the parts of a page share: figures by path, numbers, charts. */
#ifndef EMU_PAGE_PAGE_PARTS_H
#define EMU_PAGE_PAGE_PARTS_H

#include "emu/page/pages.h"
#include "support/svg.h"
#include "support/vec.h"

/* ---- figures ---- */

/* A run's statistics in the figures of a page. */
struct page_run {
    const struct json_value *figures;
    char prefix[40]; /* of its paths: "", "records.12.statistics." */
    const char *name;
};

/* The figure at a path of members, "total.time_ps"; NULL if there is none. */
const struct json_value *page_find(const struct json_value *figures, const char *path);
/* Its number; 0 if there is none, or it is null. */
uint64_t page_value(const struct json_value *figures, const char *path);
bool page_is_known(const struct json_value *value); /* a number */
/* The table of several runs. */
bool page_is_sweep(const struct page_input *input);
/* Statistics of the first run that has some; false: none has. */
bool page_first_run(const struct page_input *input, struct page_run *run);
/* Number i of a sweep's rows, NULL behind the last. */
const struct json_value *page_row(const struct page_input *input, size_t i);

/* What of a long list is shown, by how much is left out. */
struct page_limits {
    size_t rows, marks, details, lines;
};
#define PAGE_LEVELS 4u
const struct page_limits *page_limits(const struct page_input *input);

/* ---- numbers and text, of HTML ---- */

/* Escaped; of a very long one the beginning. */
void page_text(struct str *out, const char *text);
/* A number with four digits and the unit of its key, with the path where it stands.  `value` may be
 * NULL or null: "unknown". */
void page_number(struct str *out, const struct json_value *value, const char *prefix,
                 const char *path);
/* The figure of a run at a path, likewise. */
void page_figure(struct str *out, const struct page_run *run, const char *path);
/* part / whole in thousandths, rounded; whole is above 0. */
uint64_t page_ratio(uint64_t part, uint64_t whole);

/* ---- charts ---- */

struct page_bar {
    const char *label;
    uint64_t value;
    const char *tip; /* behind the bar: the value as text */
    unsigned series;
};
/* Bars from left to right, the longest as wide as there is room; `key` gives the unit. */
void page_bars(const struct svg_about *about, const struct page_bar *bars, size_t count,
               bool may_be_logarithmic, struct str *out);
unsigned page_bars_height(size_t count);

struct page_point {
    uint64_t x, y; /* above 0 */
    const char *tip;
};
struct page_series {
    const char *name;
    VEC(struct page_point) points;
    bool is_curve; /* joined, in this order */
    bool is_named; /* tips stand beside the marks, too */
};
/* Both axes are logarithmic; keys give units: "time_ps", "" for a count, "milli" for thousandths.
 */
struct page_axes {
    const char *x_title, *x_key, *y_title, *y_key;
};
#define PAGE_CHART_WIDE 700
#define PAGE_CHART_HIGH 340
void page_chart(const struct svg_about *about, const struct page_axes *axes,
                const struct page_series *series, size_t count, struct str *out);
void page_series_free(struct page_series *series, size_t count);

/* ---- pictures: each is false, and appends nothing, where the figures have nothing to show ---- */

bool page_draw_time(const struct page_input *input, struct str *out);
bool page_draw_energy(const struct page_input *input, struct str *out);
bool page_draw_timeline(const struct page_input *input, struct str *out);
bool page_draw_network(const struct page_input *input, struct str *out);
bool page_draw_rows_time(const struct page_input *input, struct str *out);
bool page_draw_rows_energy(const struct page_input *input, struct str *out);
bool page_draw_speedup(const struct page_input *input, struct str *out);
bool page_draw_front(const struct page_input *input, struct str *out);
/* Of the first machine; of the others, one picture behind another. */
bool page_draw_bounds(const struct page_input *input, struct str *out);
bool page_draw_other_bounds(const struct page_input *input, struct str *out);
bool page_draw_roofline(const struct page_input *input, struct str *out);

/* ---- sections ---- */

/* Ten lines of a run. */
void page_put_summary(const struct page_run *run, struct str *out);
/* Source lines, the hottest first. */
void page_put_lines(const struct page_input *input, const struct page_run *run, struct str *out);
void page_put_use(const struct page_run *run, struct str *out);
void page_put_kernels(const struct page_run *run, struct str *out);
/* Rows of a sweep with ratios. */
void page_put_rows(const struct page_input *input, struct str *out);
#endif
