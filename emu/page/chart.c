/* SPDX-License-Identifier: MIT
 * Bars, and curves over logarithmic axes. */
#include "emu/page/page_parts.h"

#include "emu/report/units.h"
#include "support/saturate.h"

#include <string.h>

/* ---- bars ---- */

enum { BAR_LEFT = 1500, BAR_WIDE = 3800, BAR_HIGH = 140, BAR_STEP = 200, BAR_TOP = 100 };

unsigned page_bars_height(size_t count) {
    return (unsigned)(count * BAR_STEP + 3 * BAR_TOP) / 10;
}

/* Lengths of bars.  Where the longest would hide the shortest they are logarithmic, from a tenth of
 * the least value on, and the picture says so. */
struct bar_scale {
    uint64_t least, most; /* above 0 */
    bool is_logarithmic;
};

static struct bar_scale bar_scale_of(const struct page_bar *bars, size_t count, bool may_be) {
    struct bar_scale s = {UINT64_MAX, 1, false};
    for (size_t i = 0; i < count; i++) {
        s.most = bars[i].value > s.most ? bars[i].value : s.most;
        s.least = bars[i].value && bars[i].value < s.least ? bars[i].value : s.least;
    }
    s.is_logarithmic = may_be && s.most / s.least >= 50;
    return s;
}

static int bar_length(const struct bar_scale *scale, uint64_t value) {
    if (!value)
        return 0;
    if (!scale->is_logarithmic) {
        int wide = (int)sat_scale(value, BAR_WIDE, scale->most);
        return wide ? wide : 5;
    }
    int low = svg_logarithm(scale->least) - svg_logarithm(10),
        range = svg_logarithm(scale->most) - low;
    return (int)((int64_t)(svg_logarithm(value) - low) * BAR_WIDE / range);
}

void page_bars(const struct svg_about *about, const struct page_bar *bars, size_t count,
               bool may_be_logarithmic, struct str *out) {
    const struct bar_scale scale = bar_scale_of(bars, count, may_be_logarithmic);
    svg_begin(out, about);
    for (size_t i = 0; i < count; i++) {
        int y = BAR_TOP + (int)i * BAR_STEP, wide = bar_length(&scale, bars[i].value);
        svg_label(out, (struct svg_point){BAR_LEFT - 60, y + 110}, SVG_END, bars[i].label);
        svg_bar(out, about->id, (struct svg_point){BAR_LEFT, y}, wide, BAR_HIGH, bars[i].series,
                bars[i].tip);
        svg_label(out, (struct svg_point){BAR_LEFT + wide + 60, y + 110}, SVG_START, bars[i].tip);
    }
    int bottom = BAR_TOP + (int)count * BAR_STEP;
    svg_line(out, (struct svg_point){BAR_LEFT, BAR_TOP / 2}, (struct svg_point){BAR_LEFT, bottom},
             true);
    if (scale.is_logarithmic)
        svg_label(out, (struct svg_point){BAR_LEFT, bottom + 120}, SVG_START,
                  "lengths are logarithmic");
    svg_end(out);
}

/* ---- axes ---- */

enum {
    LEFT = 800,
    TOP = 200,
    WIDE = 4300,
    HIGH = 2600,
    LEGEND = LEFT + WIDE + 200,
    MOST_TICKS = 64
};

/* Values from 2^(low / 1000) to 2^(high / 1000) on so many tenths of a pixel. */
struct scale {
    int low, high, length;
    uint64_t ticks[MOST_TICKS];
    size_t count;
};

static int place(const struct scale *scale, uint64_t value) {
    int64_t at = svg_logarithm(value) - scale->low;
    return (int)(at * scale->length / (scale->high - scale->low));
}

/* 1, 2, 5 of each power of ten where there is room for it, else the powers. */
static void find_ticks(struct scale *scale, uint64_t least, uint64_t most) {
    static const unsigned steps[] = {1, 2, 5};
    bool is_fine = scale->high - scale->low < 3 * 3322; /* three decades */
    for (uint64_t power = 1;; power *= 10) {
        for (unsigned k = 0; k < (is_fine ? 3 : 1); k++) {
            uint64_t tick = sat_mul(power, steps[k]);
            if (tick >= least && tick <= most && scale->count < MOST_TICKS)
                scale->ticks[scale->count++] = tick;
        }
        if (power > most / 10)
            return;
    }
}

/* From the greatest tick below all values to the least above them. */
static struct scale scale_of(uint64_t least, uint64_t most, int length) {
    static const unsigned steps[] = {1, 2, 5};
    struct scale s = {.length = length};
    uint64_t low = 1, high = UINT64_MAX;
    for (uint64_t power = 1;; power *= 10) {
        for (unsigned k = 0; k < 3; k++) {
            uint64_t tick = sat_mul(power, steps[k]);
            low = tick <= least ? tick : low;
            high = tick >= most && tick < high ? tick : high;
        }
        if (power > UINT64_MAX / 10)
            break;
    }
    if (low == high)
        high = sat_mul(low, 2);
    s.low = svg_logarithm(low);
    s.high = svg_logarithm(high);
    s.high = s.high > s.low ? s.high : s.low + 1;
    find_ticks(&s, low, high);
    return s;
}

/* "10 ns", "0.5", "1000". */
static void tick_text(const char *key, uint64_t value, struct str *out) {
    if (strcmp(key, "milli") == 0) {
        str_u64(out, value / 1000);
        if (value % 1000)
            str_printf(out, value % 100 ? ".%03u" : ".%u",
                       value % 100 ? (unsigned)(value % 1000) : (unsigned)(value % 1000 / 100));
        return;
    }
    struct str s = {0};
    report_unit_text(key, value, &s);
    const char *text = str_text(&s), *point = strchr(text, '.'), *blank = strchr(text, ' ');
    if (point && blank && strspn(point + 1, "0") == (size_t)(blank - point - 1)) {
        str_append_n(out, text, (size_t)(point - text));
        str_append(out, blank);
    } else {
        str_append(out, text);
    }
    str_free(&s);
}

static void put_axes(const struct page_axes *axes, const struct scale *x, const struct scale *y,
                     struct str *out) {
    struct str s = {0};
    for (size_t i = 0; i < y->count; i++) {
        int at = HIGH - place(y, y->ticks[i]);
        svg_line(out, (struct svg_point){0, at}, (struct svg_point){WIDE, at}, false);
        str_clear(&s);
        tick_text(axes->y_key, y->ticks[i], &s);
        svg_label(out, (struct svg_point){-50, at + 40}, SVG_END, str_text(&s));
    }
    int last = -1000;
    for (size_t i = 0; i < x->count; i++) {
        int at = place(x, x->ticks[i]);
        svg_line(out, (struct svg_point){at, 0}, (struct svg_point){at, HIGH}, false);
        if (at < last + 450)
            continue;
        last = at;
        str_clear(&s);
        tick_text(axes->x_key, x->ticks[i], &s);
        svg_label(out, (struct svg_point){at, HIGH + 150}, SVG_MIDDLE, str_text(&s));
    }
    str_free(&s);
    svg_line(out, (struct svg_point){0, HIGH}, (struct svg_point){WIDE, HIGH}, true);
    svg_line(out, (struct svg_point){0, 0}, (struct svg_point){0, HIGH}, true);
    svg_label(out, (struct svg_point){WIDE / 2, HIGH + 350}, SVG_MIDDLE, axes->x_title);
    svg_label(out, (struct svg_point){-750, -80}, SVG_START, axes->y_title);
}

static void put_series(const struct page_series *series, unsigned number, const struct scale *x,
                       const struct scale *y, struct str *out) {
    VEC(struct svg_point) points = {0};
    for (size_t i = 0; i < series->points.len; i++) {
        const struct page_point *p = &series->points.data[i];
        vec_push(&points, ((struct svg_point){place(x, p->x), HIGH - place(y, p->y)}));
    }
    if (series->is_curve && points.len > 1)
        svg_curve(out, points.data, points.len, number);
    for (size_t i = 0; i < points.len; i++) {
        svg_mark(out, points.data[i], number, series->points.data[i].tip);
        if (series->is_named)
            svg_label(
                out,
                (struct svg_point){points.data[i].x + 80, points.data[i].y + (i % 2 ? 150 : -70)},
                SVG_START, series->points.data[i].tip);
    }
    vec_free(&points);
}

void page_chart(const struct svg_about *about, const struct page_axes *axes,
                const struct page_series *series, size_t count, struct str *out) {
    uint64_t least_x = UINT64_MAX, most_x = 1, least_y = UINT64_MAX, most_y = 1;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < series[i].points.len; k++) {
            const struct page_point *p = &series[i].points.data[k];
            least_x = p->x < least_x ? p->x : least_x;
            most_x = p->x > most_x ? p->x : most_x;
            least_y = p->y < least_y ? p->y : least_y;
            most_y = p->y > most_y ? p->y : most_y;
        }
    const struct scale x = scale_of(least_x, most_x, WIDE), y = scale_of(least_y, most_y, HIGH);
    svg_begin(out, about);
    svg_group(out, LEFT, TOP);
    put_axes(axes, &x, &y, out);
    for (size_t i = 0; i < count; i++)
        put_series(&series[i], (unsigned)i, &x, &y, out);
    svg_group_end(out);
    int below = TOP;
    for (size_t i = 0; i < count; i++) {
        struct svg_point at = {LEGEND, below};
        const struct svg_point ends[] = {{at.x - 100, at.y}, {at.x + 100, at.y}};
        if (!series[i].points.len || below > TOP + HIGH)
            continue;
        below += 180;
        if (series[i].is_curve)
            svg_curve(out, ends, 2, (unsigned)i);
        svg_mark(out, at, (unsigned)i, NULL);
        svg_label(out, (struct svg_point){at.x + 150, at.y + 40}, SVG_START, series[i].name);
    }
    svg_end(out);
}

void page_series_free(struct page_series *series, size_t count) {
    for (size_t i = 0; i < count; i++)
        vec_free(&series[i].points);
}
