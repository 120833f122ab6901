/* SPDX-License-Identifier: MIT
 * Runs side by side: ratios to a base, and pictures of them. */
#include "emu/page/page_parts.h"

#include "emu/report/units.h"
#include "support/arena.h"
#include "support/map.h"
#include "support/saturate.h"

#include <inttypes.h>
#include <string.h>

#define MOST_BARS   40 /* of a picture */
#define MOST_SERIES 16
#define MOST_PANELS 6

/* ---- rows ---- */

#define NO_ROW SIZE_MAX

/* What is looked at often; 0: not known. */
struct page_row {
    const struct json_value *figures;
    const char *target;
    uint64_t size; /* the first, over which rows are drawn */
    uint64_t time_ps, energy_fj, whole_ps;
    unsigned target_number; /* of its target, in the order of the rows */
    size_t base;            /* the row that it is compared with, or NO_ROW */
};
struct page_rows {
    VEC(struct page_row) list;
    const char *base;
    bool has_sizes; /* more than one, and each row has one */
    unsigned targets;
};

static void put_settings(const struct json_value *settings, struct str *key) {
    for (const struct json_value *x = settings ? settings->first : NULL; x; x = x->next)
        str_printf(key, "%s=%s\n", x->key, x->text ? x->text : "");
    str_char(key, '\f');
}

/* What a row has in common with the one that it is compared with: sizes; `close`: settings and
 * place, too. */
static void put_key(const struct json_value *row, bool close, struct str *key) {
    str_clear(key);
    put_settings(json_member(row, "size"), key);
    if (!close)
        return;
    put_settings(json_member(row, "set"), key);
    const char *place = json_member_text(row, "place_asked");
    str_append(key, place ? place : "");
}

static struct page_row row_of(const struct json_value *figures) {
    const struct json_value *sizes = json_member(figures, "size");
    const char *target = json_member_text(figures, "target");
    return (struct page_row){.figures = figures,
                             .target = target ? target : "?",
                             .size =
                                 sizes && page_is_known(sizes->first) ? sizes->first->number : 0,
                             .time_ps = page_value(figures, "time_ps"),
                             .energy_fj = page_value(figures, "energy_fj"),
                             .whole_ps = page_value(figures, "end_to_end_time_ps"),
                             .base = NO_ROW};
}

/* A row of the base's target is compared with the first of them that has its sizes, so that its own
 * settings are compared; another with the one of its settings, if there is one. */
static void find_bases(struct page_rows *rows) {
    struct map close = {0}, sizes = {0};
    struct str key = {0};
    for (size_t i = 0; i < rows->list.len; i++) {
        const struct page_row *r = &rows->list.data[i];
        if (strcmp(r->target, rows->base) != 0)
            continue;
        put_key(r->figures, true, &key);
        map_add_n(&close, str_text(&key), key.len, i);
        put_key(r->figures, false, &key);
        map_add_n(&sizes, str_text(&key), key.len, i);
    }
    for (size_t i = 0; i < rows->list.len; i++) {
        struct page_row *r = &rows->list.data[i];
        bool own = strcmp(r->target, rows->base) == 0;
        put_key(r->figures, !own, &key);
        const uint64_t *found = map_get_n(own ? &sizes : &close, str_text(&key), key.len);
        if (!found) {
            put_key(r->figures, false, &key);
            found = map_get_n(&sizes, str_text(&key), key.len);
        }
        r->base = found ? (size_t)*found : NO_ROW;
    }
    str_free(&key);
    map_free(&close);
    map_free(&sizes);
}

static struct page_rows rows_of(const struct page_input *input) {
    struct page_rows rows = {.base = input->base};
    struct map targets = {0};
    bool all = true;
    for (const struct json_value *x = page_row(input, 0); x; x = x->next) {
        struct page_row r = row_of(x);
        r.target_number = map_number(&targets, r.target, strlen(r.target));
        all &= r.size != 0;
        rows.has_sizes |= rows.list.len && r.size != rows.list.data[0].size;
        vec_push(&rows.list, r);
    }
    rows.has_sizes &= all;
    rows.targets = (unsigned)targets.len;
    map_free(&targets);
    if (!rows.base && rows.list.len)
        rows.base = rows.list.data[0].target;
    if (rows.list.len)
        find_bases(&rows);
    return rows;
}

static const struct page_row *base_of(const struct page_rows *rows, const struct page_row *row) {
    return row->base == NO_ROW ? NULL : &rows->list.data[row->base];
}

/* ---- names ---- */

/* "racer, n=256, machine.mpus=4"; sizes left out where they are an axis. */
static const char *row_name(const struct json_value *row, bool with_size, struct arena *arena) {
    struct str s = {0};
    str_append(&s, json_member_text(row, "target") ? json_member_text(row, "target") : "?");
    for (int k = 0; k < 2; k++) {
        const struct json_value *all = json_member(row, k ? "set" : "size");
        for (const struct json_value *x = all ? all->first : NULL; x && (k || with_size);
             x = x->next)
            str_printf(&s, ", %s=%s", x->key, x->text ? x->text : "");
    }
    const char *varied = json_member_text(row, "varied");
    if (varied)
        str_printf(&s, ", %s=%s", varied,
                   json_member_text(row, "varied_to") ? json_member_text(row, "varied_to") : "");
    const char *name = arena_strdup(arena, str_text(&s));
    str_free(&s);
    return name;
}

static const char *size_title(const struct page_input *input) {
    const struct json_value *sizes = json_member(page_row(input, 0), "size");
    return sizes && sizes->first ? sizes->first->key : "size";
}

/* ---- the table ---- */

static void put_ratio(const struct page_row *row, const struct page_row *base, const char *key,
                      struct str *out) {
    uint64_t mine = page_value(row->figures, key),
             theirs = base ? page_value(base->figures, key) : 0;
    str_append(out, "<td>");
    if (mine && theirs)
        report_ratio_text(mine, theirs, out);
    str_append(out, "</td>");
}

static void put_row(const struct page_rows *rows, size_t number, struct str *out) {
    static const struct {
        const char *key;
        bool has_ratio;
    } columns[] = {{"elements", false},
                   {"mpus", false},
                   {"time_ps", true},
                   {"energy_fj", true},
                   {"end_to_end_time_ps", true},
                   {"end_to_end_energy_fj", true},
                   {"energy_per_element_fj", false},
                   {"area_um2", false}};
    const struct page_row *row = &rows->list.data[number];
    struct str prefix = {0};
    struct arena arena = {0};
    str_printf(&prefix, "records.%zu.", number);
    str_append(out, "<tr><td>");
    page_text(out, row_name(row->figures, true, &arena));
    str_append(out, "</td>");
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        str_append(out, "<td>");
        page_number(out, json_member(row->figures, columns[i].key), str_text(&prefix),
                    columns[i].key);
        str_append(out, "</td>");
        if (columns[i].has_ratio)
            put_ratio(row, base_of(rows, row), columns[i].key, out);
    }
    str_append(out, "<td>");
    page_text(out, json_member_text(row->figures, "end"));
    str_append(out, "</td></tr>\n");
    arena_free(&arena);
    str_free(&prefix);
}

void page_put_rows(const struct page_input *input, struct str *out) {
    struct page_rows rows = rows_of(input);
    size_t most = page_limits(input)->rows;
    str_append(out, "<h2>Runs side by side</h2>\n<p>Ratios are to ");
    page_text(out, rows.base);
    str_append(out, " at the same sizes; below 1 is faster, or takes less energy.</p>\n<table>\n"
                    "<tr><th>run</th><th>elements</th><th>MPUs</th><th>time</th><th>ratio</th>"
                    "<th>energy</th><th>ratio</th><th>end to end</th><th>ratio</th>"
                    "<th>energy, end to end</th><th>ratio</th><th>energy per element</th>"
                    "<th>area, um2</th><th>end</th></tr>\n");
    for (size_t i = 0; i < rows.list.len && i < most; i++)
        put_row(&rows, i, out);
    str_append(out, "</table>\n");
    if (rows.list.len > most)
        str_printf(out, "<p>%zu more runs are in the table that --stats csv writes.</p>\n",
                   rows.list.len - most);
    vec_free(&rows.list);
}

/* ---- bars ---- */

static bool draw_bars(const struct page_input *input, const char *key, const struct svg_about *base,
                      struct str *out) {
    struct page_rows rows = rows_of(input);
    struct page_bar bars[MOST_BARS];
    struct arena arena = {0};
    size_t count = 0;
    for (size_t i = 0; i < rows.list.len && count < MOST_BARS; i++) {
        const struct page_row *row = &rows.list.data[i], *with = base_of(&rows, row);
        uint64_t value = page_value(row->figures, key);
        if (!value)
            continue;
        struct str tip = {0};
        report_unit_text(key, value, &tip);
        if (with && with != row && page_value(with->figures, key)) {
            str_append(&tip, ", x ");
            report_ratio_text(value, page_value(with->figures, key), &tip);
        }
        bars[count++] = (struct page_bar){row_name(row->figures, true, &arena), value,
                                          arena_strdup(&arena, str_text(&tip)), row->target_number};
        str_free(&tip);
    }
    struct svg_about about = *base;
    about.height = page_bars_height(count);
    if (count)
        page_bars(&about, bars, count, true, out);
    arena_free(&arena);
    vec_free(&rows.list);
    return count != 0;
}

bool page_draw_rows_time(const struct page_input *input, struct str *out) {
    static const struct svg_about about = {"rowstime", 720, 0, "Time of the runs",
                                           "A bar for each of the first 40 runs: time of the "
                                           "kernel, and its ratio to the base's"};
    return draw_bars(input, "time_ps", &about, out);
}

bool page_draw_rows_energy(const struct page_input *input, struct str *out) {
    static const struct svg_about about = {"rowsenergy", 720, 0, "Energy of the runs",
                                           "A bar for each of the first 40 runs: energy of the "
                                           "kernel, and its ratio to the base's"};
    return draw_bars(input, "energy_fj", &about, out);
}

/* ---- speed-up over size ---- */

/* The series of that name, made if there is room; NULL: there is none. */
static struct page_series *series_named(struct page_series *all, size_t *count, const char *name) {
    for (size_t i = 0; i < *count; i++)
        if (strcmp(all[i].name, name) == 0)
            return &all[i];
    if (*count == MOST_SERIES)
        return NULL;
    all[*count] = (struct page_series){.name = name, .is_curve = true};
    return &all[(*count)++];
}

static void add_point(struct page_series *series, uint64_t x, uint64_t y, const char *tip) {
    if (series && x && y)
        vec_push(&series->points, ((struct page_point){x, y, tip}));
}

static bool has_points(const struct page_series *series, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (series[i].points.len)
            return true;
    return false;
}

bool page_draw_speedup(const struct page_input *input, struct str *out) {
    static const struct svg_about about = {
        "speedup", PAGE_CHART_WIDE, PAGE_CHART_HIGH, "Speed-up by size",
        "A curve for each machine: time of the base by its time, from end to end, at each size"};
    const struct page_axes axes = {size_title(input), "", "speed-up", "milli"};
    struct page_rows rows = rows_of(input);
    struct page_series series[MOST_SERIES];
    struct arena arena = {0};
    size_t count = 0, most = page_limits(input)->marks;
    for (size_t i = 0; rows.has_sizes && i < rows.list.len && i < most; i++) {
        const struct page_row *row = &rows.list.data[i], *base = base_of(&rows, row);
        if (base && row->whole_ps && base->whole_ps)
            add_point(series_named(series, &count, row_name(row->figures, false, &arena)),
                      row->size, page_ratio(base->whole_ps, row->whole_ps),
                      row_name(row->figures, true, &arena));
    }
    bool any = has_points(series, count);
    if (any)
        page_chart(&about, &axes, series, count, out);
    page_series_free(series, count);
    arena_free(&arena);
    vec_free(&rows.list);
    return any;
}

/* ---- energy against delay ---- */

/* No row of its size is better in one and no worse in the other. */
static bool is_on_front(const struct page_rows *rows, const struct page_row *row) {
    for (size_t i = 0; i < rows->list.len; i++) {
        const struct page_row *r = &rows->list.data[i];
        bool no_worse = r->time_ps <= row->time_ps && r->energy_fj <= row->energy_fj;
        if (r->time_ps && r->energy_fj && r->size == row->size && no_worse &&
            (r->time_ps < row->time_ps || r->energy_fj < row->energy_fj))
            return false;
    }
    return true;
}

/* Rows of the largest size, since others do less. */
bool page_draw_front(const struct page_input *input, struct str *out) {
    static const struct svg_about about = {
        "front", PAGE_CHART_WIDE, PAGE_CHART_HIGH, "Energy against delay",
        "A mark for each run of the largest size; those that no other beats in both are the "
        "front"};
    static const struct page_axes axes = {"time", "time_ps", "energy", "energy_fj"};
    struct page_rows rows = rows_of(input);
    struct page_series series[MOST_SERIES] = {{.name = "the front", .is_named = true}};
    struct arena arena = {0};
    size_t count = 1, points = 0, most = page_limits(input)->marks;
    uint64_t largest = 0;
    for (size_t i = 0; i < rows.list.len; i++)
        largest = rows.list.data[i].size > largest ? rows.list.data[i].size : largest;
    for (size_t i = 0; i < rows.list.len && points < most; i++) {
        const struct page_row *row = &rows.list.data[i];
        if (row->size != largest || !row->time_ps || !row->energy_fj)
            continue;
        struct page_series *s =
            is_on_front(&rows, row) ? &series[0] : series_named(series, &count, row->target);
        if (s && s != &series[0])
            s->is_curve = false;
        add_point(s, row->time_ps, row->energy_fj, row_name(row->figures, true, &arena));
        points++;
    }
    if (points > 1)
        page_chart(&about, &axes, series, count, out);
    page_series_free(series, count);
    arena_free(&arena);
    vec_free(&rows.list);
    return points > 1;
}

/* ---- time against its bounds ---- */

static uint64_t component(const struct json_value *statistics, const char *const *names) {
    const struct json_value *list = json_member(statistics, "by_component");
    uint64_t sum = 0;
    for (const struct json_value *c = list ? list->first : NULL; c; c = c->next)
        for (size_t i = 0; names[i]; i++)
            if (json_member_text(c, "component") &&
                strcmp(json_member_text(c, "component"), names[i]) == 0)
                sum = sat_add(sum, page_value(c, "time_ps"));
    return sum;
}

static bool draw_bounds_of(const struct page_input *input, const struct page_rows *rows,
                           unsigned target, unsigned panel, struct str *out) {
    static const char *const parts[][6] = {
        {"compute", NULL},
        {"fetch", "decode", "recipe", "schedule", "evaluate", NULL},
        {"transfer", "network", NULL},
        {"host", NULL}};
    struct page_series series[] = {{.name = "end to end", .is_curve = true},
                                   {.name = "datapath", .is_curve = true},
                                   {.name = "issue", .is_curve = true},
                                   {.name = "transfer", .is_curve = true},
                                   {.name = "host link", .is_curve = true}};
    const struct page_axes axes = {size_title(input), "", "time", "time_ps"};
    struct str id = {0}, title = {0}, first = {0}, key = {0};
    for (size_t i = 0; i < rows->list.len; i++) {
        const struct page_row *row = &rows->list.data[i];
        const struct json_value *statistics = json_member(row->figures, "statistics");
        if (row->target_number != target || !page_find(statistics, "by_component"))
            continue;
        str_clear(&key);
        put_settings(json_member(row->figures, "set"), &key);
        if (!first.len)
            str_printf(&title, "Time against its bounds: %s", row->target);
        if (!first.len)
            str_append(&first, str_text(&key));
        if (strcmp(str_text(&first), str_text(&key)) != 0) /* of the first settings alone */
            continue;
        add_point(&series[0], row->size, row->whole_ps, NULL);
        for (size_t k = 0; k < 4; k++)
            add_point(&series[1 + k], row->size, component(statistics, parts[k]), NULL);
    }
    str_printf(&id, "bounds%u", panel);
    const struct svg_about about = {
        str_text(&id), PAGE_CHART_WIDE, PAGE_CHART_HIGH, str_text(&title),
        "Time from end to end, and how much of it datapath, issue, transfers and the host's link "
        "have, at each size"};
    bool any = series[0].points.len > 1;
    if (any)
        page_chart(&about, &axes, series, 5, out);
    page_series_free(series, 5);
    str_free(&id);
    str_free(&title);
    str_free(&first);
    str_free(&key);
    return any;
}

/* Of the machines in the order of the rows: pictures from .. to - 1. */
static bool draw_bounds(const struct page_input *input, unsigned from, unsigned to,
                        struct str *out) {
    struct page_rows rows = rows_of(input);
    unsigned panels = 0;
    for (unsigned t = 0; rows.has_sizes && t < rows.targets && t < MOST_SERIES && panels < to;
         t++) {
        struct str s = {0};
        if (draw_bounds_of(input, &rows, t, panels, &s) && panels++ >= from)
            str_append_n(out, str_text(&s), s.len);
        str_free(&s);
    }
    vec_free(&rows.list);
    return panels > from;
}

bool page_draw_bounds(const struct page_input *input, struct str *out) {
    return draw_bounds(input, 0, 1, out);
}

bool page_draw_other_bounds(const struct page_input *input, struct str *out) {
    return draw_bounds(input, 1, MOST_PANELS, out);
}
