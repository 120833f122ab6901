/* SPDX-License-Identifier: MIT
 * One run: ten lines of summary, bars by component, what was in use, kernels. */
#include "emu/page/page_parts.h"

#include "emu/report/units.h"
#include "support/arena.h"
#include "support/saturate.h"

#include <string.h>

#define MOST_BARS 40

/* ---- summary ---- */

static void begin_row(struct str *out, const char *name) {
    str_printf(out, "<tr><th scope=\"row\">%s</th><td>", name);
}

static void end_row(struct str *out) {
    str_append(out, "</td></tr>\n");
}

/* Figures of one line, each with words before it; a NULL ends them. */
static void put_line(struct str *out, const struct page_run *run, const char *name,
                     const char *const *words) {
    if (!page_find(run->figures, words[1])) /* these statistics do not have it */
        return;
    begin_row(out, name);
    for (size_t i = 0; words[i]; i += 2) {
        str_append(out, words[i]);
        page_figure(out, run, words[i + 1]);
    }
    end_row(out);
}

/* "axpy.ez:9" */
static void put_place(const struct json_value *line, struct str *out) {
    page_text(out, json_member_text(line, "file"));
    const struct json_value *number = json_member(line, "line");
    if (page_is_known(number))
        str_printf(out, ":%s", number->text);
}

#define HOTTEST 3

/* The hottest line that is none of `shown`; of equal ones the first; NULL: there is none. */
static const struct json_value *next_hottest(const struct json_value *lines,
                                             const struct json_value *const *shown, size_t count) {
    const struct json_value *found = NULL;
    for (const struct json_value *l = lines->first; l; l = l->next) {
        bool is_shown = false;
        for (size_t i = 0; i < count; i++)
            is_shown |= shown[i] == l;
        if (!is_shown &&
            (!found || page_value(l, "busy_time_ps") > page_value(found, "busy_time_ps")))
            found = l;
    }
    return found;
}

/* The three hottest lines: their share of what all lines were busy. */
static void put_hottest(struct str *out, const struct page_run *run) {
    const struct json_value *lines = json_member(run->figures, "by_line"), *shown[HOTTEST], *next;
    uint64_t all = 0;
    size_t count = 0;
    if (!lines)
        return;
    for (const struct json_value *l = lines->first; l; l = l->next)
        all = sat_add(all, page_value(l, "busy_time_ps"));
    begin_row(out, "hottest lines");
    while (count < HOTTEST && (next = next_hottest(lines, shown, count))) {
        str_append(out, count ? ", " : "");
        put_place(next, out);
        str_append(out, " (");
        report_percent_text(page_value(next, "busy_time_ps"), all, out);
        str_append(out, " %)");
        shown[count++] = next;
    }
    str_append(out, count ? "" : "unknown: compile with -g");
    end_row(out);
}

static void put_text_row(struct str *out, const struct page_run *run, const char *name,
                         const char *path) {
    const struct json_value *v = page_find(run->figures, path);
    const char *last = strrchr(path, '.');
    if (!v && last) /* of a device */
        v = page_find(run->figures, last + 1);
    if (!v || v->kind != JSON_STRING)
        return;
    begin_row(out, name);
    page_text(out, v->text);
    end_row(out);
}

void page_put_summary(const struct page_run *run, struct str *out) {
    static const char *const time[] = {"", "total.time_ps", ", with loading and transfers ",
                                       "total.end_to_end_time_ps", NULL};
    static const char *const energy[] = {"", "total.energy_fj", ", with loading and transfers ",
                                         "total.end_to_end_energy_fj", NULL};
    static const char *const power[] = {"", "derived.average_power_nw", ", at most ",
                                        "derived.peak_power_nw", NULL};
    static const char *const element[] = {"", "derived.energy_per_element_fj", ", ",
                                          "derived.time_per_element_fs", NULL};
    static const char *const done[] = {"instructions ",
                                       "total.instructions",
                                       ", micro-ops ",
                                       "total.micro_ops",
                                       ", batches ",
                                       "total.batches",
                                       NULL};
    str_append(out, "<table class=\"summary\">\n");
    put_text_row(out, run, "machine", "provenance.target");
    put_text_row(out, run, "program", "provenance.program");
    put_text_row(out, run, "end", "end");
    put_line(out, run, "time", time);
    put_line(out, run, "energy", energy);
    put_line(out, run, "power", power);
    put_line(out, run, "per element", element);
    put_line(out, run, "executed", done);
    put_hottest(out, run);
    put_text_row(out, run, "place", "place.chosen");
    str_append(out, "</table>\n");
}

/* ---- components ---- */

/* What a pipeline's time goes to; its other numbers are sums of these, or of something else. */
static bool is_time_of_pipeline(const char *key) {
    static const char *const keys[] = {"transfer_in_ps", "kernel_ps", "transfer_out_ps", "host_ps"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

/* Time or energy by component: of a run a list, of a device numbers by name, of a pipeline the
 * times among its figures. */
static const struct json_value *components_of(const struct json_value *figures, const char *key) {
    const struct json_value *of_run = json_member(figures, "by_component"),
                            *of_device = json_member(figures, key);
    return of_run ? of_run : of_device ? of_device : json_member(figures, "pipeline");
}

static uint64_t component_value(const struct json_value *list, const struct json_value *component,
                                const char *key) {
    bool of_pipeline = list->key && strcmp(list->key, "pipeline") == 0;
    if (component->kind == JSON_OBJECT)
        return page_value(component, key);
    if (of_pipeline && (strcmp(key, "time_ps") != 0 || !is_time_of_pipeline(component->key)))
        return 0;
    return page_is_known(component) ? component->number : 0;
}

static bool draw_components(const struct page_input *input, const char *key, const char *total,
                            const struct svg_about *base, struct str *out) {
    struct page_run run;
    struct arena arena = {0};
    struct page_bar bars[MOST_BARS];
    size_t count = 0;
    if (!page_first_run(input, &run))
        return false;
    const struct json_value *list = components_of(run.figures, key);
    uint64_t all = page_value(run.figures, total);
    for (const struct json_value *c = list ? list->first : NULL; c && count < MOST_BARS;
         c = c->next) {
        uint64_t value = component_value(list, c, key);
        if (!value)
            continue;
        struct str tip = {0};
        report_unit_text(key, value, &tip);
        str_append(&tip, ", ");
        report_percent_text(value, all, &tip);
        str_append(&tip, " %");
        bars[count] = (struct page_bar){c->key ? c->key : json_member_text(c, "component"), value,
                                        arena_strdup(&arena, str_text(&tip)), (unsigned)count};
        count++;
        str_free(&tip);
    }
    struct svg_about about = *base;
    about.height = page_bars_height(count);
    if (count)
        page_bars(&about, bars, count, false, out);
    arena_free(&arena);
    return count != 0;
}

bool page_draw_time(const struct page_input *input, struct str *out) {
    static const struct svg_about about = {
        "time", 720, 0, "Time by component",
        "A bar for each component that took time: in percent of the time from end to end"};
    return draw_components(input, "time_ps", "total.end_to_end_time_ps", &about, out);
}

bool page_draw_energy(const struct page_input *input, struct str *out) {
    static const struct svg_about about = {
        "energy", 720, 0, "Energy by component",
        "A bar for each component that took energy: in percent of the energy from end to end"};
    return draw_components(input, "energy_fj", "total.end_to_end_energy_fj", &about, out);
}

/* ---- in use ---- */

static void put_share(struct str *out, const struct page_run *run, const char *name,
                      const char *part, const char *whole) {
    uint64_t p = page_value(run->figures, part), w = page_value(run->figures, whole);
    if (!page_find(run->figures, part))
        return;
    begin_row(out, name);
    page_figure(out, run, part);
    str_append(out, " of ");
    page_figure(out, run, whole);
    if (w) {
        str_append(out, " <meter max=\"1000\" value=\"");
        str_u64(out, page_ratio(p, w));
        str_append(out, "\"></meter> ");
        report_percent_text(p, w, out);
        str_append(out, " %");
    }
    end_row(out);
}

void page_put_use(const struct page_run *run, struct str *out) {
    if (!page_find(run->figures, "utilisation")) /* of a device */
        return;
    str_append(out, "<table>\n");
    put_share(out, run, "MPUs", "utilisation.mpus_used", "utilisation.mpus");
    put_share(out, run, "VRFs", "utilisation.vrfs_used", "utilisation.vrfs");
    put_share(out, run, "lanes", "utilisation.lanes_used", "utilisation.lanes");
    put_share(out, run, "issue slots", "derived.issue_slots_used", "derived.issue_slots_there");
    static const char *const messages[] = {"sent ",   "messages.sent", ", bytes ", "messages.bytes",
                                           ", hops ", "messages.hops", NULL};
    put_line(out, run, "messages", messages);
    const struct json_value *wear = json_member(run->figures, "wear");
    if (wear && wear->kind == JSON_OBJECT) {
        static const char *const writes[] = {"writes of cells ",
                                             "wear.row_writes",
                                             ", cells written ",
                                             "wear.rows_written",
                                             ", most of one ",
                                             "wear.most_written.writes",
                                             NULL};
        put_line(out, run, "wear", writes);
    }
    str_append(out, "</table>\n");
}

/* ---- kernels ---- */

/* Lists with a name and figures of each of its parts. */
#define MOST_PARTS 100
static const struct parts {
    const char *list, *title, *name, *columns[4], *headings[4];
} parts[] = {
    {"by_kernel",
     "Kernels",
     "kernel",
     {"launches", "executed", "time_ps", "energy_fj"},
     {"launches", "executed", "time", "energy"}},
    {"labels",
     "Labels",
     "name",
     {"calls", "operations", "time_ps", "energy_fj"},
     {"calls", "operations", "time", "energy"}},
};

static void put_parts(const struct page_run *run, const struct parts *about, struct str *out) {
    const struct json_value *list = json_member(run->figures, about->list);
    size_t i = 0;
    if (!list || list->kind != JSON_ARRAY || !list->first)
        return;
    str_printf(out, "<h2>%s</h2>\n<table>\n<tr><th>%s</th>", about->title, about->name);
    for (size_t c = 0; c < 4; c++)
        str_printf(out, "<th>%s</th>", about->headings[c]);
    str_append(out, "</tr>\n");
    for (const struct json_value *k = list->first; k && i < MOST_PARTS; k = k->next, i++) {
        struct str prefix = {0};
        str_printf(&prefix, "%s%s.%zu.", run->prefix, about->list, i);
        str_append(out, "<tr><td>");
        page_text(out, json_member_text(k, about->name));
        for (size_t c = 0; c < 4; c++) {
            str_append(out, "</td><td>");
            page_number(out, json_member(k, about->columns[c]), str_text(&prefix),
                        about->columns[c]);
        }
        str_append(out, "</td></tr>\n");
        str_free(&prefix);
    }
    str_append(out, "</table>\n");
}

void page_put_kernels(const struct page_run *run, struct str *out) {
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        put_parts(run, &parts[i], out);
}

/* ---- roofline ---- */

/* Bytes that banks move at a column access (docs/simt.md). */
#define COLUMN_BYTES 32

static void add_point(struct page_series *series, uint64_t x, uint64_t y, const char *tip) {
    vec_push(&series->points, ((struct page_point){x ? x : 1, y ? y : 1, tip}));
}

/* A limit as a line: what so many bytes an instruction reach at so many cycles, from a tenth of the
 * intensity to ten times it.  A limit of issues grows with it, others do not. */
static void add_limit(struct page_series *series, uint64_t intensity, uint64_t reached,
                      bool is_growing) {
    series->is_curve = true;
    add_point(series, intensity / 10, is_growing ? reached / 10 : reached, NULL);
    add_point(series, intensity, reached, NULL);
    add_point(series, sat_mul(intensity, 10), is_growing ? sat_mul(reached, 10) : reached, NULL);
}

bool page_draw_roofline(const struct page_input *input, struct str *out) {
    static const struct svg_about about = {
        "roofline", PAGE_CHART_WIDE, PAGE_CHART_HIGH, "Roofline",
        "Bytes of the banks by instruction, and by cycle and core, below what issue, TSVs and "
        "banks allow"};
    static const struct page_axes axes = {"bytes of the banks an instruction", "milli",
                                          "bytes a cycle and core", "milli"};
    static const char *const limits[] = {"issue_limit_cycles", "tsv_limit_cycles",
                                         "bank_limit_cycles"};
    struct page_series series[] = {{.name = "this run"},
                                   {.name = "issue"},
                                   {.name = "TSVs, at these bytes"},
                                   {.name = "banks"}};
    struct page_run run;
    if (!page_first_run(input, &run))
        return false;
    const struct json_value *m = json_member(run.figures, "machine");
    uint64_t instructions = page_value(m, "warp_instructions"), cycles = page_value(m, "cycles"),
             cores = page_value(m, "cores_used_most"),
             bytes = sat_mul(COLUMN_BYTES, sat_add(page_value(m, "column_reads"),
                                                   page_value(m, "column_writes")));
    if (!instructions || !cycles || !bytes || !cores || !page_find(m, limits[0]))
        return false;
    uint64_t intensity = page_ratio(bytes, instructions);
    add_point(&series[0], intensity, page_ratio(bytes, sat_mul(cycles, cores)), "this run");
    for (size_t i = 0; i < 3; i++)
        if (page_value(m, limits[i]))
            add_limit(&series[1 + i], intensity,
                      page_ratio(bytes, sat_mul(page_value(m, limits[i]), cores)), i == 0);
    page_chart(&about, &axes, series, 4, out);
    page_series_free(series, 4);
    return true;
}
