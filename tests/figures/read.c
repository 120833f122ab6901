/* SPDX-License-Identifier: MIT */
#include "tests/figures/csv.h"
#include "tests/figures/figures.h"

#include <string.h>

static const char *const columns[] = {"id",        "source",    "figure", "unit",
                                      "published", "tolerance", "status", "ours",
                                      "command",   "value",     "note"};
#define COLUMNS (sizeof columns / sizeof *columns)
static const char *const status_names[] = {"equal", "bound", "shape", "no"};

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

bool figure_tolerance(const char *text, double *part) {
    size_t n = strlen(text);
    if (n > 2 && strcmp(text + n - 2, " %") == 0 && number_parse_double(text, n - 2, part)) {
        *part /= 100;
        return *part >= 0;
    }
    *part = 0;
    return strcmp(text, "0") == 0;
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
    return figure_tolerance(f->tolerance, &a) ? NULL : "tolerance is 0 or a number of %";
}

static bool status_of(const char *name, enum figure_status *status) {
    for (size_t i = 0; i < sizeof status_names / sizeof *status_names; i++)
        if (strcmp(name, status_names[i]) == 0) {
            *status = (enum figure_status)i;
            return true;
        }
    return false;
}

static void read_row(struct figure_list *l, const struct csv_row *row, struct str *errors) {
    const char *const *f = row->fields;
    if (row->count != COLUMNS) {
        str_printf(errors, "line %u: %zu fields instead of %zu\n", row->line, row->count, COLUMNS);
        return;
    }
    struct published_figure x = {row->line, f[0], f[1], f[2], f[3],  f[4],
                                 f[5],      f[7], f[8], f[9], f[10], FIGURE_NO};
    const char *why = status_of(f[6], &x.status) ? mistake(&x) : "unknown status";
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
    double off = figure_tolerance(f->tolerance, &part) ? part * published : 0;
    return ours <= published + off && (f->status == FIGURE_BOUND || ours >= published - off);
}

bool figures_hold(const struct figure_list *l, struct str *errors) {
    size_t before = errors->len;
    for (size_t i = 0; i < l->figures.len; i++) {
        const struct published_figure *f = &l->figures.data[i];
        if (!holds(f))
            str_printf(errors, "line %u: %s: ours is %s, published %s, not '%s' within '%s'\n",
                       f->line, f->id, f->ours, f->published, status_names[f->status],
                       f->tolerance);
    }
    return errors->len == before;
}

/* --- written again --- */

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
                                             status_names[f->status],
                                             f->ours,
                                             f->command,
                                             f->value,
                                             f->note};
        for (size_t k = 0; k < COLUMNS; k++) {
            if (k)
                str_char(out, ',');
            csv_field(fields[k], out);
        }
        str_char(out, '\n');
    }
}

/* A | would end the cell. */
static void cell(const char *text, struct str *out) {
    str_char(out, ' ');
    for (; *text; text++) {
        if (*text == '|')
            str_char(out, '\\');
        str_char(out, *text == '\n' ? ' ' : *text);
    }
    str_append(out, " |");
}

static void page_row(const struct published_figure *f, struct str *out) {
    str_char(out, '|');
    cell(f->id, out);
    cell(f->figure, out);
    cell(f->published, out);
    cell(f->ours, out);
    cell(f->unit, out);
    cell(status_names[f->status], out);
    cell(f->tolerance, out);
    cell(f->note, out);
    str_char(out, '\n');
}

static void page_counts(const struct figure_list *l, struct str *out) {
    size_t counts[sizeof status_names / sizeof *status_names] = {0};
    for (size_t i = 0; i < l->figures.len; i++)
        counts[l->figures.data[i].status]++;
    str_printf(out, "%zu figures: %zu equal, %zu bound, %zu shape, %zu no.\n", l->figures.len,
               counts[FIGURE_EQUAL], counts[FIGURE_BOUND], counts[FIGURE_SHAPE], counts[FIGURE_NO]);
}

void figures_write_page(const struct figure_list *l, struct str *out) {
    const char *source = "";
    str_append(
        out,
        "# Published figures and ours\n\n"
        "<!-- Generated; do not edit: ./dev figures -->\n\n"
        "Each line of [figures.csv](figures.csv) is a figure of a paper, or of a program that came "
        "with\none, and the command that computes ours. `equal`: within the tolerance; `bound`: "
        "not above it;\n`shape`: within a range that is wider, for a reason that is given; `no`: not "
        "reproducible, with the\nreason. `./dev figures` computes all of them anew.\n\n");
    page_counts(l, out);
    for (size_t i = 0; i < l->figures.len; i++) {
        const struct published_figure *f = &l->figures.data[i];
        if (strcmp(f->source, source) != 0)
            str_printf(
                out,
                "\n## %s\n\n| id | figure | published | ours | unit | status | tolerance | note "
                "|\n|---|---|---:|---:|---|---|---|---|\n",
                f->source);
        source = f->source;
        page_row(f, out);
    }
}
