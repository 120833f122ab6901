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
    {"end_to_end_time_ps", "total.end_to_end_time_ps"},
    {"end_to_end_energy_fj", "total.end_to_end_energy_fj"},
};
/* CSV has these in front of place and end, and others behind them, as they came. */
enum { OLD_COLUMNS = 13 };
/* As people read them. */
static const uint8_t text_order[RECORD_COLUMNS] = {0,  1,  2, 3, 4,  5,  6, 7,
                                                   13, 14, 8, 9, 10, 11, 12};

static void take_residents(mpu_sweep *w, const mpu_session *session, struct sweep_record *record) {
    record->resident_count = session->residents.len;
    record->residents = ARENA_ARRAY(&w->arena, session->residents.len + 1, const char *);
    for (size_t i = 0; i < session->residents.len; i++)
        record->residents[i] = arena_strdup(&w->arena, session->residents.data[i].name);
}

void sweep_record_fill(mpu_sweep *w, mpu_session *session, struct sweep_record *record,
                       struct diag *diag) {
    struct figures f = {0};
    take_residents(w, session, record);
    if (!session->control || session_figures(session, &f, diag) != MPU_OK)
        return;
    record->end = session_end_name(session->end);
    record->asked = package_place_name(session->package->place.asked);
    record->place = package_place_name(session->package->place.chosen);
    for (size_t i = 0; i < RECORD_COLUMNS; i++)
        if (columns[i].path)
            record->known[i] = report_figures_find(&f, columns[i].path, &record->value[i]);
    for (size_t i = 1; i < RECORD_COLUMNS; i++)
        if (!columns[i].path && record->known[i - 1]) {
            record->value[i] = sat_mul(record->value[i - 1], session->package->lanes);
            record->known[i] = true;
        }
    sweep_components_take(w, &f, record);
    if (w->whole)
        record->statistics = f;
    else
        report_figures_free(&f);
}

/* ---- ratios to a base ---- */

/* Ratios that tables have, of these columns, behind the columns that they had before. */
static const struct ratio {
    const char *name, *column;
} ratios[] = {
    {"time_ratio", "time_ps"},
    {"energy_ratio", "energy_fj"},
    {"end_to_end_time_ratio", "end_to_end_time_ps"},
    {"end_to_end_energy_ratio", "end_to_end_energy_fj"},
};
enum { RATIOS = sizeof ratios / sizeof *ratios };

/* "racer", "racer, iso-area": no two rows of several targets have one name, in any format. */
static void record_name(const struct sweep_record *record, struct str *out) {
    const struct sweep_extra *x = record->point.extra;
    str_append(out, record->target);
    if (x && x->area_um2)
        str_append(out, ", iso-area");
}

static bool is_named(const struct sweep_record *record, const char *name) {
    struct str s = {0};
    record_name(record, &s);
    bool same = strcmp(str_text(&s), name) == 0;
    str_free(&s);
    return same;
}

static bool same_sets(const mpu_sweep *w, const struct sweep_record *left,
                      const struct sweep_record *right) {
    for (size_t i = 0; i < w->sets.len; i++)
        if (strcmp(left->point.set_values[i], right->point.set_values[i]) != 0)
            return false;
    return left->asked && right->asked && strcmp(left->asked, right->asked) == 0;
}

/* What a record is compared with: the base's of the same sizes, settings and place, or else the
 * first of the same sizes; NULL: there is none. */
static const struct sweep_record *base_of(const mpu_sweep *w, const struct sweep_record *record) {
    const struct sweep_record *first = NULL;
    bool own = w->base && is_named(record, w->base);
    for (size_t i = 0; w->base && i < w->records.len; i++) {
        const struct sweep_record *r = &w->records.data[i];
        if (r->point.sizes_number != record->point.sizes_number || !is_named(r, w->base))
            continue;
        if (!own && same_sets(w, r, record))
            return r;
        first = first ? first : r;
    }
    return first;
}

/* False: one of the two is not known, or the base's is 0. */
static bool find_ratio(const struct sweep_record *record, const struct sweep_record *base,
                       const char *column, uint64_t *part, uint64_t *whole) {
    return base && sweep_record_find(record, column, part) &&
           sweep_record_find(base, column, whole) && *whole;
}

/* ---- JSON ---- */

struct sweep_settings {
    struct figures *f;
    bool sizes; /* which of them */
};

static void one_setting(void *context, const char *name, const char *value, bool size) {
    struct sweep_settings *x = context;
    uint64_t number;
    if (size != x->sizes)
        return;
    if (size && number_parse_u64(value, strlen(value), &number))
        report_figures_number(x->f, name, number);
    else
        report_figures_text(x->f, name, value);
}

static void settings(const mpu_sweep *w, const struct sweep_record *record, const char *key,
                     bool sizes, struct figures *figures) {
    struct sweep_settings x = {figures, sizes};
    report_figures_object(figures, key);
    sweep_each_setting(w, &record->point, one_setting, &x);
    report_figures_end(figures);
}

static void text_or_null(struct figures *figures, const char *key, const char *text) {
    if (text)
        report_figures_text(figures, key, text);
    else
        report_figures_null(figures, key);
}

/* What is not the same in all records of a run of the axes. */
static void extra_figures(const struct sweep_record *record, struct figures *figures) {
    const struct sweep_extra *x = record->point.extra;
    report_figures_known(figures, "iso_area_um2", x && x->area_um2, x ? x->area_um2 : 0);
    text_or_null(figures, "varied", x && !x->area_um2 ? x->key : NULL);
    text_or_null(figures, "varied_to", x && !x->area_um2 ? x->value : NULL);
    report_figures_array(figures, "resident");
    for (size_t i = 0; i < record->resident_count; i++)
        report_figures_text(figures, NULL, record->residents[i]);
    report_figures_end(figures);
}

static void name_figure(const struct sweep_record *record, struct figures *figures) {
    struct str s = {0};
    record_name(record, &s);
    report_figures_text(figures, "target", str_text(&s));
    str_free(&s);
}

static void one_record(const mpu_sweep *w, const struct sweep_record *record,
                       struct figures *figures) {
    report_figures_object(figures, NULL);
    name_figure(record, figures);
    settings(w, record, "set", false, figures);
    settings(w, record, "size", true, figures);
    for (size_t k = 0; k < RECORD_COLUMNS; k++)
        report_figures_known(figures, columns[k].key, record->known[k], record->value[k]);
    text_or_null(figures, "place_asked", record->asked);
    text_or_null(figures, "place", record->place);
    extra_figures(record, figures);
    report_figures_text(figures, "end", record->end);
    if (record->statistics.list.len)
        report_figures_insert(figures, "statistics", &record->statistics);
    else
        report_figures_null(figures, "statistics");
    report_figures_end(figures);
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

/* Columns from .. to - 1 of a record. */
static void csv_columns(const struct sweep_record *record, size_t from, size_t to,
                        struct str *out) {
    for (size_t k = from; k < to; k++) {
        str_char(out, ',');
        if (record->known[k])
            str_u64(out, record->value[k]);
    }
}

static void csv_extra(const struct sweep_record *record, struct str *out) {
    const struct sweep_extra *x = record->point.extra;
    str_char(out, ',');
    for (size_t i = 0; i < record->resident_count; i++)
        str_printf(out, "%s%s", i ? " " : "", record->residents[i]);
    str_char(out, ',');
    if (x && x->area_um2)
        str_u64(out, x->area_um2);
    str_printf(out, ",%s,%s", x && !x->area_um2 ? x->key : "", x && !x->area_um2 ? x->value : "");
}

static void csv_target(const struct sweep_record *record, struct str *out) {
    struct str s = {0};
    record_name(record, &s);
    report_figures_csv_field(str_text(&s), out);
    str_free(&s);
}

/* In millionths, as decimals. */
static void csv_ratios(const mpu_sweep *w, const struct sweep_record *record, struct str *out) {
    const struct sweep_record *base = base_of(w, record);
    for (size_t i = 0; w->base && i < RATIOS; i++) {
        uint64_t part, whole;
        str_char(out, ',');
        if (!find_ratio(record, base, ratios[i].column, &part, &whole))
            continue;
        uint64_t millionths = sat_scale(part, 1000000, whole);
        str_printf(out, "%llu.%06llu", (unsigned long long)(millionths / 1000000),
                   (unsigned long long)(millionths % 1000000));
    }
}

static void csv_record(const mpu_sweep *w, const struct sweep_record *record, struct str *out) {
    csv_target(record, out);
    sweep_each_setting(w, &record->point, csv_value, out);
    csv_columns(record, 0, OLD_COLUMNS, out);
    str_printf(out, ",%s,%s,%s", record->asked ? record->asked : "",
               record->place ? record->place : "", record->end);
    csv_columns(record, OLD_COLUMNS, RECORD_COLUMNS, out);
    csv_extra(record, out);
    csv_ratios(w, record, out);
    sweep_components_values(w, record, out);
    str_char(out, '\n');
}

/* A line of names, then a line for each run: what spreadsheets read. */
static void table_csv(const mpu_sweep *w, struct str *out) {
    str_append(out, "target");
    sweep_each_setting(w, NULL, csv_name, out);
    for (size_t k = 0; k < OLD_COLUMNS; k++)
        str_printf(out, ",%s", columns[k].key);
    str_append(out, ",place_asked,place,end");
    for (size_t k = OLD_COLUMNS; k < RECORD_COLUMNS; k++)
        str_printf(out, ",%s", columns[k].key);
    str_append(out, ",resident,iso_area_um2,varied,varied_to");
    for (size_t i = 0; w->base && i < RATIOS; i++)
        str_printf(out, ",%s", ratios[i].name);
    sweep_components_names(w, out);
    str_char(out, '\n');
    for (size_t i = 0; i < w->records.len; i++)
        csv_record(w, &w->records.data[i], out);
}

/* ---- text ---- */

static void text_cell(struct grid *grid, const char *text, size_t len, bool right) {
    struct str s = {0};
    str_append_n(&s, text, len);
    report_grid_add(grid, &s, right);
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
static void place_cell(const struct sweep_record *record, struct grid *grid) {
    struct str s = {0};
    bool chosen = record->place && strcmp(record->asked, record->place) != 0;
    str_append(&s, record->asked ? record->asked : "unknown");
    if (chosen)
        str_printf(&s, " %s", record->place);
    report_grid_add(grid, &s, false);
    str_free(&s);
}

static void target_cell(const struct sweep_record *record, struct grid *grid) {
    struct str s = {0};
    record_name(record, &s);
    report_grid_add(grid, &s, false);
    str_free(&s);
}

/* "x, y"; "-": none, all data go over the host's link. */
static void resident_cell(const struct sweep_record *record, struct grid *grid) {
    struct str s = {0};
    for (size_t i = 0; i < record->resident_count; i++)
        str_printf(&s, "%s%s", i ? ", " : "", record->residents[i]);
    if (record->resident_count == 0)
        str_char(&s, '-');
    report_grid_add(grid, &s, false);
    str_free(&s);
}

/* One unit for each column: that of its least value above 0. */
static void find_units(const mpu_sweep *w, struct report_unit *units) {
    for (size_t k = 0; k < RECORD_COLUMNS; k++) {
        uint64_t least = 0;
        for (size_t i = 0; i < w->records.len; i++) {
            const struct sweep_record *r = &w->records.data[i];
            if (r->known[k] && r->value[k] && (!least || r->value[k] < least))
                least = r->value[k];
        }
        units[k] = report_unit_of(columns[k].key, least);
    }
}

/* The ratio of a column, right behind it. */
static void text_ratio(const mpu_sweep *w, const struct sweep_record *record, const char *column,
                       struct grid *grid) {
    for (size_t i = 0; w->base && i < RATIOS; i++) {
        struct str s = {0};
        uint64_t part, whole;
        if (strcmp(ratios[i].column, column) != 0)
            continue;
        if (!record)
            str_append(&s, "ratio");
        else if (find_ratio(record, base_of(w, record), column, &part, &whole))
            report_ratio_text(part, whole, &s);
        else
            str_append(&s, "unknown");
        report_grid_add(grid, &s, true);
        str_free(&s);
    }
}

static void text_row(const mpu_sweep *w, const struct sweep_record *record,
                     const struct report_unit *units, struct grid *grid) {
    target_cell(record, grid);
    sweep_each_setting(w, &record->point, text_value, grid);
    for (size_t i = 0; i < RECORD_COLUMNS; i++) {
        struct str s = {0};
        size_t k = text_order[i];
        if (record->known[k])
            report_unit_put(&units[k], record->value[k], &s);
        else
            str_append(&s, "unknown");
        report_grid_add(grid, &s, true);
        str_free(&s);
        text_ratio(w, record, columns[k].key, grid);
    }
    place_cell(record, grid);
    resident_cell(record, grid);
    text_cell(grid, record->end, strlen(record->end), false);
}

static void table_text(const mpu_sweep *w, struct str *out) {
    struct grid g = {0};
    struct report_unit units[RECORD_COLUMNS];
    find_units(w, units);
    text_cell(&g, "target", 6, false);
    sweep_each_setting(w, NULL, text_name, &g);
    for (size_t i = 0; i < RECORD_COLUMNS; i++) {
        const char *key = columns[text_order[i]].key;
        text_cell(&g, key, report_unit_stem(key), true);
        text_ratio(w, NULL, key, &g);
    }
    text_cell(&g, "place", 5, false);
    text_cell(&g, "resident", 8, false);
    text_cell(&g, "end", 3, false);
    g.columns = g.cells.len;
    for (size_t i = 0; i < w->records.len; i++)
        text_row(w, &w->records.data[i], units, &g);
    report_grid_print(&g, 0, 0, out);
    report_grid_free(&g);
}

mpu_result mpu_sweep_set_base(mpu_sweep *w, const char *target, mpu_error **error) {
    PUBLIC_ENTRY_OF(w, error, MPU_CAPACITY);
    struct public_call c;
    mpu_result r = MPU_OK;
    public_call_begin(&c, w->messages, error);
    w->base = NULL;
    for (size_t i = 0; target && i < w->records.len; i++)
        if (is_named(&w->records.data[i], target))
            w->base = arena_strdup(&w->arena, target);
    if (target && !w->base) {
        diag_error(c.d, NO_SPAN, "no run is on '%s', which others would be compared with", target);
        r = MPU_USAGE;
    }
    return public_call_end(&c, r);
}

static bool render(const mpu_sweep *w, const char *format, struct str *out) {
    if (strcmp(format, "json") == 0)
        table_json(w, out);
    else if (strcmp(format, "csv") == 0)
        table_csv(w, out);
    else if (strcmp(format, "text") != 0 && strcmp(format, "text:full") != 0)
        return false;
    else if (w->percent && w->records.len)
        sweep_vary_table(w, out);
    else
        table_text(w, out);
    return true;
}

char *mpu_sweep_table(const mpu_sweep *w, const char *format, mpu_error **error) {
    PUBLIC_ENTRY(error, NULL);
    struct public_call c;
    struct str text = {0};
    mpu_result r = MPU_USAGE;
    public_call_begin(&c, w->messages, error);
    if (!w->program)
        diag_error(c.d, NO_SPAN, "there is no table before the sweep begins");
    else if (render(w, format, &text))
        r = MPU_OK;
    else
        diag_error(c.d, NO_SPAN, "unknown format '%s'; there are: text, json, csv", format);
    if (public_call_end(&c, r) == MPU_OK)
        return public_text_out(&text);
    return NULL;
}

bool sweep_record_find(const struct sweep_record *record, const char *column, uint64_t *value) {
    for (size_t k = 0; k < RECORD_COLUMNS; k++)
        if (strcmp(columns[k].key, column) == 0 && record->known[k]) {
            *value = record->value[k];
            return true;
        }
    return false;
}

mpu_result mpu_sweep_figure(const mpu_sweep *w, uint64_t record, const char *column,
                            uint64_t *value) {
    PUBLIC_ENTRY(NULL, MPU_CAPACITY);
    return record < w->records.len && sweep_record_find(&w->records.data[record], column, value)
               ? MPU_OK
               : MPU_USAGE;
}
