/* SPDX-License-Identifier: MIT
 * The table of a sweep: a record for each run, as text, CSV or JSON. */
#include "runtime/sweep.h"

#include "emu/report/grid.h"
#include "emu/report/units.h"
#include "support/saturate.h"

#include <string.h>

/* Columns of the table: a figure of the statistics each. */
static const struct column {
    const char *key, *path;
} columns[RECORD_COLUMNS] = {
    {"elements", "utilisation.elements"},
    {"mpus", "utilisation.mpus_used"},
    {"vrfs", "utilisation.vrfs_used"},
    {"lanes", NULL}, /* of these VRFs */
    {"cycles", "total.datapath_cycles"},
    {"micro_ops", "total.micro_ops"},
    {"time_ps", "total.time_ps"},
    {"energy_fj", "total.energy_fj"},
    {"energy_per_element_fj", "derived.energy_per_element_fj"},
    {"average_power_nw", "derived.average_power_nw"},
    {"area_um2", "area.2.chip_um2"}, /* the total */
    {"energy_delay_fj_us", "derived.energy_delay_fj_us"},
    {"batches", "total.batches"},
};

void sweep_record_fill(const mpu_sweep *w, mpu_session *s, struct sweep_record *record,
                       struct diag *d) {
    struct figures f = {0};
    if (!s->control || session_figures(s, &f, d) != MPU_OK)
        return;
    record->end = session_end_name(s->end);
    record->asked = package_place_name(s->package->place.asked);
    record->place = package_place_name(s->package->place.chosen);
    for (size_t i = 0; i < RECORD_COLUMNS; i++)
        if (columns[i].path)
            record->known[i] = report_figures_find(&f, columns[i].path, &record->value[i]);
    for (size_t i = 1; i < RECORD_COLUMNS; i++)
        if (!columns[i].path && record->known[i - 1]) {
            record->value[i] = sat_mul(record->value[i - 1], s->package->lanes);
            record->known[i] = true;
        }
    if (w->whole)
        record->statistics = f;
    else
        report_figures_free(&f);
}

/* ---- JSON ---- */

struct settings {
    struct figures *f;
    bool sizes; /* which of them */
};

static void one_setting(void *context, const char *name, const char *value, bool size) {
    struct settings *x = context;
    uint64_t number;
    if (size != x->sizes)
        return;
    if (size && number_parse_u64(value, strlen(value), &number))
        report_figures_number(x->f, name, number);
    else
        report_figures_text(x->f, name, value);
}

static void settings(const mpu_sweep *w, const struct sweep_record *r, const char *key, bool sizes,
                     struct figures *f) {
    struct settings x = {f, sizes};
    report_figures_object(f, key);
    sweep_each_setting(w, &r->point, one_setting, &x);
    report_figures_end(f);
}

static void text_or_null(struct figures *f, const char *key, const char *text) {
    if (text)
        report_figures_text(f, key, text);
    else
        report_figures_null(f, key);
}

static void one_record(const mpu_sweep *w, const struct sweep_record *r, struct figures *f) {
    report_figures_object(f, NULL);
    report_figures_text(f, "target", r->target);
    settings(w, r, "set", false, f);
    settings(w, r, "size", true, f);
    for (size_t k = 0; k < RECORD_COLUMNS; k++)
        report_figures_known(f, columns[k].key, r->known[k], r->value[k]);
    text_or_null(f, "place_asked", r->asked);
    text_or_null(f, "place", r->place);
    report_figures_text(f, "end", r->end);
    if (r->statistics.list.len)
        report_figures_insert(f, "statistics", &r->statistics);
    else
        report_figures_null(f, "statistics");
    report_figures_end(f);
}

static void table_json(const mpu_sweep *w, struct str *out) {
    struct figures f = {0};
    report_figures_object(&f, NULL);
    report_figures_text(&f, "schema", COMPARISON_SCHEMA);
    report_command(w->command, w->words, &f);
    report_figures_text(&f, "program", report_path(w->program->name));
    report_figures_text(&f, "program_sha256", w->program->sha256);
    report_figures_array(&f, "compared");
    for (size_t i = 0; i < w->names.len; i++)
        report_figures_text(&f, NULL, w->names.data[i]);
    report_figures_end(&f);
    report_figures_text(&f, "results", w->differs ? "differ" : "equal");
    report_figures_array(&f, "records");
    for (size_t i = 0; i < w->records.len; i++)
        one_record(w, &w->records.data[i], &f);
    report_figures_end(&f);
    report_figures_end(&f);
    report_figures_json(&f, out);
    report_figures_free(&f);
}

/* ---- CSV ---- */

static void csv_name(void *context, const char *name, const char *value, bool size) {
    (void)value;
    (void)size;
    str_char(context, ',');
    report_figures_csv_field(name, context);
}

static void csv_value(void *context, const char *name, const char *value, bool size) {
    csv_name(context, value, name, size);
}

/* A line of names, then a line for each run: what spreadsheets read. */
static void table_csv(const mpu_sweep *w, struct str *out) {
    str_append(out, "target");
    sweep_each_setting(w, NULL, csv_name, out);
    for (size_t k = 0; k < RECORD_COLUMNS; k++)
        str_printf(out, ",%s", columns[k].key);
    str_append(out, ",place_asked,place,end\n");
    for (size_t i = 0; i < w->records.len; i++) {
        const struct sweep_record *r = &w->records.data[i];
        report_figures_csv_field(r->target, out);
        sweep_each_setting(w, &r->point, csv_value, out);
        for (size_t k = 0; k < RECORD_COLUMNS; k++) {
            str_char(out, ',');
            if (r->known[k])
                str_printf(out, "%llu", (unsigned long long)r->value[k]);
        }
        str_printf(out, ",%s,%s,%s\n", r->asked ? r->asked : "", r->place ? r->place : "", r->end);
    }
}

/* ---- text ---- */

static void text_cell(struct grid *g, const char *text, size_t len, bool right) {
    struct str s = {0};
    str_append_n(&s, text, len);
    report_grid_add(g, &s, right);
    str_free(&s);
}

static void text_name(void *context, const char *name, const char *value, bool size) {
    (void)value;
    (void)size;
    text_cell(context, name, strlen(name), true);
}

static void text_value(void *context, const char *name, const char *value, bool size) {
    text_name(context, value, name, size);
}

/* "packed", "auto spread". */
static void place_cell(const struct sweep_record *r, struct grid *g) {
    struct str s = {0};
    bool chosen = r->place && strcmp(r->asked, r->place) != 0;
    str_append(&s, r->asked ? r->asked : "unknown");
    if (chosen)
        str_printf(&s, " %s", r->place);
    report_grid_add(g, &s, false);
    str_free(&s);
}

static void text_row(const mpu_sweep *w, const struct sweep_record *r, struct grid *g) {
    text_cell(g, r->target, strlen(r->target), false);
    sweep_each_setting(w, &r->point, text_value, g);
    for (size_t k = 0; k < RECORD_COLUMNS; k++) {
        struct str s = {0};
        if (r->known[k])
            report_unit_text(columns[k].key, r->value[k], &s);
        else
            str_append(&s, "unknown");
        report_grid_add(g, &s, true);
        str_free(&s);
    }
    place_cell(r, g);
    text_cell(g, r->end, strlen(r->end), false);
}

static void table_text(const mpu_sweep *w, struct str *out) {
    struct grid g = {0};
    text_cell(&g, "target", 6, false);
    sweep_each_setting(w, NULL, text_name, &g);
    for (size_t k = 0; k < RECORD_COLUMNS; k++)
        text_cell(&g, columns[k].key, report_unit_stem(columns[k].key), true);
    text_cell(&g, "place", 5, false);
    text_cell(&g, "end", 3, false);
    g.columns = g.cells.len;
    for (size_t i = 0; i < w->records.len; i++)
        text_row(w, &w->records.data[i], &g);
    report_grid_print(&g, 0, out);
    report_grid_free(&g);
}

static bool render(const mpu_sweep *w, const char *format, struct str *out) {
    if (strcmp(format, "json") == 0)
        table_json(w, out);
    else if (strcmp(format, "csv") == 0)
        table_csv(w, out);
    else if (strcmp(format, "text") == 0)
        table_text(w, out);
    else
        return false;
    return true;
}

char *mpu_sweep_table(const mpu_sweep *w, const char *format, mpu_error **error) {
    struct call c;
    struct str text = {0};
    mpu_result r = MPU_USAGE;
    call_begin(&c, w->messages, error);
    if (!w->program)
        diag_error(c.d, NO_SPAN, "there is no table before the sweep begins");
    else if (render(w, format, &text))
        r = MPU_OK;
    else
        diag_error(c.d, NO_SPAN, "unknown format '%s'; there are: text, json, csv", format);
    if (call_end(&c, r) == MPU_OK)
        return text_out(&text);
    return NULL;
}

mpu_result mpu_sweep_figure(const mpu_sweep *w, uint64_t record, const char *column,
                            uint64_t *value) {
    for (size_t k = 0; record < w->records.len && k < RECORD_COLUMNS; k++)
        if (strcmp(columns[k].key, column) == 0 && w->records.data[record].known[k]) {
            *value = w->records.data[record].value[k];
            return MPU_OK;
        }
    return MPU_USAGE;
}
