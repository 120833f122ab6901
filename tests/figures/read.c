/* SPDX-License-Identifier: MIT
 * The list of figures as text: read, held against its own rules, and written again. */
#include "tests/figures/csv.h"
#include "tests/figures/figures.h"

#include <string.h>

static const char *const columns[] = {"id",        "source",    "figure", "unit",
                                      "published", "tolerance", "status", "ours",
                                      "command",   "value",     "note",   "basis"};
#define COLUMNS (sizeof columns / sizeof *columns)
const char *const figure_status_names[FIGURE_STATES] = {"equal", "bound", "shape", "no"};
const char *const figure_basis_names[FIGURE_BASES] = {"input", "geometry", "calibrated", "result"};

static bool heading_is_right(const struct csv_row *row) {
    bool fine = row->count == COLUMNS;
    for (size_t i = 0; fine && i < COLUMNS; i++)
        fine = strcmp(row->fields[i], columns[i]) == 0;
    return fine;
}

/* --- one figure --- */

static bool is_number(const char *text) {
    double value;
    return number_parse_double(text, strlen(text), &value);
}

bool figure_range(const char *text, double *low, double *high) {
    const char *dots = strstr(text, "..");
    return dots && number_parse_double(text, (size_t)(dots - text), low) &&
           number_parse_double(dots + 2, strlen(dots + 2), high) && *low <= *high;
}

bool figure_floor(const char *text, double *low) {
    size_t n = strlen(text);
    return n > 2 && strcmp(text + n - 2, "..") == 0 && number_parse_double(text, n - 2, low);
}

bool figure_tolerance(const char *text, double *part) {
    size_t n = strlen(text);
    if (n > 2 && strcmp(text + n - 2, " %") == 0 && number_parse_double(text, n - 2, part)) {
        *part /= 100;
        return *part >= 0;
    }
    *part = 0;
    return strcmp(text, "0") == 0;
}

/* Less of it is not merely better: a time, or a power. */
static bool needs_floor(const char *unit) {
    static const char *const units[] = {"cycle", "ns", "us", "pJ", "nJ", "mW", "W", "W/cm2"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i]) == 0)
            return true;
    return false;
}

static const char *bound_mistake(const struct published_figure *f) {
    double low, published, part;
    if (figure_floor(f->tolerance, &low))
        return number_parse_double(f->published, strlen(f->published), &published) &&
                       low <= published
                   ? NULL
                   : "the lower side is above the published figure";
    if (!figure_tolerance(f->tolerance, &part))
        return "tolerance is 0, a number of % or a lower side a..";
    return !needs_floor(f->unit) || strstr(f->note, "no lower side")
               ? NULL
               : "a bound on a time or a power needs a lower side a.., or a note with \"no lower "
                 "side\" and why";
}

/* What is wrong with a figure, or NULL. */
static const char *mistake(const struct published_figure *f) {
    double a, b;
    if (!*f->id || !*f->source || !*f->figure)
        return "id, source and figure must be there";
    if (f->status == FIGURE_NO)
        return *f->note ? NULL : "what is not reproducible needs a note that says why";
    if (!is_number(f->published))
        return "published is no number";
    if (!*f->command)
        return "no command";
    if (f->status == FIGURE_SHAPE)
        return !figure_range(f->tolerance, &a, &b) ? "shape: tolerance is a range a..b"
               : *f->note                          ? NULL
                                                   : "a shape needs a note";
    if (f->status == FIGURE_BOUND)
        return bound_mistake(f);
    return figure_tolerance(f->tolerance, &a) ? NULL : "tolerance is 0 or a number of %";
}

static bool status_of(const char *name, enum figure_status *status) {
    for (size_t i = 0; i < FIGURE_STATES; i++)
        if (strcmp(name, figure_status_names[i]) == 0) {
            *status = (enum figure_status)i;
            return true;
        }
    return false;
}

/* Only what is equal has a basis. */
static bool basis_of(const char *name, enum figure_status status, enum figure_basis *basis) {
    for (size_t i = 0; i < FIGURE_BASES && status == FIGURE_EQUAL; i++)
        if (strcmp(name, figure_basis_names[i]) == 0) {
            *basis = (enum figure_basis)i;
            return true;
        }
    return status != FIGURE_EQUAL && !*name;
}

static void read_row(struct figure_list *l, const struct csv_row *row, struct str *errors) {
    const char *const *f = row->fields;
    if (row->count != COLUMNS) {
        str_printf(errors, "line %u: %zu fields instead of %zu\n", row->line, row->count, COLUMNS);
        return;
    }
    struct published_figure x = {row->line, f[0], f[1], f[2],  f[3],      f[4],         f[5],
                                 f[7],      f[8], f[9], f[10], FIGURE_NO, FIGURE_RESULT};
    const char *why = status_of(f[6], &x.status) ? mistake(&x) : "unknown status";
    if (!why && !basis_of(f[11], x.status, &x.basis))
        why = "what is equal has a basis, input, geometry, calibrated or result; nothing else has";
    for (size_t i = 0; i < l->figures.len && !why; i++)
        why = strcmp(l->figures.data[i].id, x.id) == 0 ? "this id was there before" : NULL;
    if (why)
        str_printf(errors, "line %u: %s: %s\n", row->line, x.id, why);
    vec_push(&l->figures, x);
}

/* --- the list --- */

static size_t head_size(const char *text) {
    size_t n = 0;
    while (text[n] == '#') {
        n += strcspn(text + n, "\n");
        n += text[n] == '\n';
    }
    return n;
}

bool figures_read(const char *text, struct figure_list *out, struct str *errors) {
    struct csv csv = {0};
    const char *why;
    unsigned line;
    size_t before = errors->len;
    out->head = arena_strndup(&out->arena, text, head_size(text));
    if (!csv_parse(text, &out->arena, &csv, &why, &line))
        str_printf(errors, "line %u: %s\n", line, why);
    else if (!csv.rows.len || !heading_is_right(&csv.rows.data[0]))
        str_append(errors, "the heading does not name the columns\n");
    else
        for (size_t i = 1; i < csv.rows.len; i++)
            read_row(out, &csv.rows.data[i], errors);
    csv_free(&csv);
    return errors->len == before;
}

void figures_list_free(struct figure_list *l) {
    vec_free(&l->figures);
    arena_free(&l->arena);
}

/* --- do they hold? --- */

static bool holds(const struct published_figure *f) {
    double ours, published, low, high, part;
    if (f->status == FIGURE_NO)
        return true;
    if (!number_parse_double(f->ours, strlen(f->ours), &ours) ||
        !number_parse_double(f->published, strlen(f->published), &published))
        return false;
    if (f->status == FIGURE_SHAPE)
        return figure_range(f->tolerance, &low, &high) && ours >= low && ours <= high;
    if (f->status == FIGURE_BOUND && figure_floor(f->tolerance, &low) && ours < low)
        return false;
    double off = figure_tolerance(f->tolerance, &part) ? part * published : 0;
    return ours <= published + off && (f->status == FIGURE_BOUND || ours >= published - off);
}

bool figures_hold(const struct figure_list *l, struct str *errors) {
    size_t before = errors->len;
    for (size_t i = 0; i < l->figures.len; i++) {
        const struct published_figure *f = &l->figures.data[i];
        if (!holds(f))
            str_printf(errors, "line %u: %s: ours is %s, published %s, not '%s' within '%s'\n",
                       f->line, f->id, f->ours, f->published, figure_status_names[f->status],
                       f->tolerance);
    }
    return errors->len == before;
}

/* --- written again --- */

const char *figure_basis_name(const struct published_figure *f) {
    return f->status == FIGURE_EQUAL ? figure_basis_names[f->basis] : "";
}

void figures_write_csv(const struct figure_list *l, struct str *out) {
    str_append(out, l->head);
    for (size_t i = 0; i < COLUMNS; i++)
        str_printf(out, "%s%s", i ? "," : "", columns[i]);
    str_char(out, '\n');
    for (size_t i = 0; i < l->figures.len; i++) {
        const struct published_figure *f = &l->figures.data[i];
        const char *const fields[COLUMNS] = {f->id,
                                             f->source,
                                             f->figure,
                                             f->unit,
                                             f->published,
                                             f->tolerance,
                                             figure_status_names[f->status],
                                             f->ours,
                                             f->command,
                                             f->value,
                                             f->note,
                                             figure_basis_name(f)};
        for (size_t k = 0; k < COLUMNS; k++) {
            if (k)
                str_char(out, ',');
            csv_field(fields[k], out);
        }
        str_char(out, '\n');
    }
}
