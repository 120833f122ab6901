/* SPDX-License-Identifier: MIT
 * The figures as text for people.  Nothing is computed here but shares of the whole. */
#include "emu/report/report_text.h"
#include "support/saturate.h"
#include "emu/report/grid.h"
#include "emu/report/summary.h"
#include "emu/report/units.h"

#include <string.h>

/* Lists whose rows are shares of a whole. */
static const struct shares {
    const char *section;
    const char *time_key;                /* its column of times */
    const char *time, *energy;           /* the wholes; NULL: the sum of the column */
    const char *time_base, *energy_base; /* the headings of the shares, which name these */
    bool largest_first;                  /* and only TEXT_ROWS of them */
    size_t names; /* columns that name a row; where there are some, wide tables are cut */
} share_table[] = {
    {"by_component", "time_ps", "total.end_to_end_time_ps", "total.end_to_end_energy_fj",
     "% end to end", "% end to end", false, 0},
    {"by_micro_op", "time_ps", "total.time_ps", "total.energy_fj", "% of kernel", "% of kernel",
     false, 0},
    {"by_instruction", "busy_time_ps", NULL, "total.energy_fj", "% of busy", "% of kernel", true,
     0},
    {"by_line", "busy_time_ps", NULL, "total.energy_fj", "% of busy", "% of kernel", true, 0},
    {"by_kernel", "time_ps", "total.time_ps", "total.energy_fj", "% of kernel", "% of kernel",
     false, 1},
    {"by_kernel_line", "subcore_cycles", NULL, "total.energy_fj", "% of cycles", "% of kernel",
     true, 3},
    {"by_kernel_source", "subcore_cycles", NULL, "total.energy_fj", "% of cycles", "% of kernel",
     true, 3},
    {"by_region", "time_ps", "total.time_ps", "total.energy_fj", "% of kernel", "% of kernel",
     false, 0},
};

struct text_writer {
    const struct figures *f;
    unsigned columns;
    struct str *out;
};

/* ---- values ---- */

/* Index behind figure index with all that is in it. */
static size_t behind(const struct figures *figures, size_t index) {
    size_t depth = 0;
    do {
        enum figure_kind kind = figures->list.data[index++].kind;
        if (kind == FIGURE_OBJECT || kind == FIGURE_ARRAY)
            depth++;
        else if (kind == FIGURE_END)
            depth--;
    } while (depth);
    return index;
}

static bool is_list(const struct figure *figure) {
    return figure->kind == FIGURE_OBJECT || figure->kind == FIGURE_ARRAY;
}

static bool is_text(const struct figure *figure) {
    return figure->kind == FIGURE_TEXT || figure->kind == FIGURE_NOTE;
}

static void exact(const struct figure *figure, struct str *out) {
    if (figure->kind == FIGURE_NUMBER)
        str_printf(out, "%llu", (unsigned long long)figure->number);
    else if (is_text(figure))
        str_append(out, figure->text);
    else
        str_append(out, figure->kind == FIGURE_NONE ? "-" : "unknown");
}

static void rounded(const struct figure *figure, struct str *out) {
    if (figure->kind == FIGURE_NUMBER)
        report_unit_text(figure->key, figure->number, out);
    else
        exact(figure, out);
}

/* ---- lists of records ---- */

struct record {
    size_t first;          /* its first figure in the list */
    uint64_t time, energy; /* what it is sorted and drawn by; 0 where not known */
    size_t order;
};
struct records {
    VEC(struct record) list;
    size_t columns;
    uint64_t left_out;           /* bits: columns that are not shown */
    const struct shares *shares; /* NULL: the rows are no shares */
    uint64_t time, energy;       /* the wholes; 0 where not known */
};

static uint64_t value_of(const struct figures *figures, size_t first, size_t columns,
                         const char *key) {
    for (size_t i = first; i < first + columns; i++)
        if (figures->list.data[i].kind == FIGURE_NUMBER &&
            strcmp(figures->list.data[i].key, key) == 0)
            return figures->list.data[i].number;
    return 0;
}

static uint64_t whole(const struct figures *figures, const char *path) {
    uint64_t value;
    return report_figures_find(figures, path, &value) ? value : 0;
}

static const struct shares *find_shares(const char *section) {
    for (size_t i = 0; i < sizeof share_table / sizeof *share_table; i++)
        if (strcmp(share_table[i].section, section) == 0)
            return &share_table[i];
    return NULL;
}

static int largest_first(const void *left, const void *right) {
    const struct record *a = left, *b = right;
    if (a->time != b->time)
        return a->time < b->time ? 1 : -1;
    if (a->energy != b->energy)
        return a->energy < b->energy ? 1 : -1;
    return (a->order > b->order) - (a->order < b->order);
}

/* list[at] begins an array of objects that hold values alone. */
static struct records read_records(const struct figures *figures, size_t at) {
    struct records r = {.shares = find_shares(figures->list.data[at].key)};
    const char *time_key = r.shares ? r.shares->time_key : "time_ps";
    if (r.shares) {
        r.time = r.shares->time ? whole(figures, r.shares->time) : 0;
        r.energy = whole(figures, r.shares->energy);
    }
    for (at++; figures->list.data[at].kind != FIGURE_END; at = behind(figures, at)) {
        struct record x = {.first = at + 1, .order = r.list.len};
        r.columns = behind(figures, at) - at - 2;
        x.time = value_of(figures, x.first, r.columns, time_key);
        x.energy = value_of(figures, x.first, r.columns, "energy_fj");
        if (r.shares && !r.shares->time)
            r.time = sat_add(r.time, x.time);
        vec_push(&r.list, x);
    }
    if (r.shares && r.shares->largest_first && r.list.len)
        qsort(r.list.data, r.list.len, sizeof *r.list.data, largest_first);
    return r;
}

/* Of tables with many columns those that hold nothing but 0. */
static void leave_out(const struct figures *figures, struct records *records) {
    for (size_t c = 0; records->shares && records->shares->names && c < records->columns && c < 64;
         c++) {
        bool zeros = true;
        for (size_t i = 0; i < records->list.len && zeros; i++) {
            const struct figure *x = &figures->list.data[records->list.data[i].first + c];
            zeros = x->kind == FIGURE_NUMBER && x->number == 0;
        }
        records->left_out |= (uint64_t)zeros << c;
    }
}

static bool is_left_out(const struct records *records, size_t column) {
    return column < 64 && records->left_out >> column & 1;
}

/* The whole that a column is a share of, 0 where it is none. */
static uint64_t whole_of(const struct records *records, const char *key) {
    if (records->shares && strcmp(key, records->shares->time_key) == 0)
        return records->time;
    return strcmp(key, "energy_fj") == 0 ? records->energy : 0;
}

/* What that whole is called. */
static const char *base_of(const struct records *records, const char *key) {
    return strcmp(key, records->shares->time_key) == 0 ? records->shares->time_base
                                                       : records->shares->energy_base;
}

static void headings(const struct figures *figures, const struct records *records,
                     struct grid *grid) {
    struct str s = {0};
    for (size_t c = 0; c < records->columns; c++) {
        const struct figure *x = &figures->list.data[records->list.data[0].first + c];
        if (is_left_out(records, c))
            continue;
        str_append_n(&s, x->key, report_unit_stem(x->key));
        report_grid_add(grid, &s, !is_text(x));
        if (whole_of(records, x->key)) {
            str_append(&s, base_of(records, x->key));
            report_grid_add(grid, &s, true);
        }
    }
    grid->columns = grid->cells.len;
    str_free(&s);
}

/* Bars show time, or energy where the list has no time at all. */
static void bar(const struct records *records, const struct record *record, struct grid *grid) {
    bool timed = false;
    for (size_t i = 0; i < records->list.len; i++)
        timed |= records->list.data[i].time != 0;
    uint64_t part = timed ? record->time : record->energy,
             of = timed ? records->time : records->energy;
    uint64_t share = of ? sat_scale(part, 1000000, of) : 0;
    vec_push(&grid->bars, share < 1000000 ? share : 1000000);
}

static void one_record(const struct figures *figures, const struct records *records,
                       const struct record *record, struct grid *grid) {
    struct str s = {0};
    for (size_t c = 0; c < records->columns; c++) {
        const struct figure *v = &figures->list.data[record->first + c];
        uint64_t of = whole_of(records, v->key);
        if (is_left_out(records, c))
            continue;
        rounded(v, &s);
        report_grid_add(grid, &s, !is_text(v));
        if (!of)
            continue;
        if (v->kind == FIGURE_NUMBER)
            report_percent_text(v->number, of, &s);
        else
            str_char(&s, '-');
        report_grid_add(grid, &s, true);
    }
    if (records->shares)
        bar(records, record, grid);
    str_free(&s);
}

static void records(struct text_writer *writer, size_t at) {
    struct records r = read_records(writer->f, at);
    struct grid g = {0};
    size_t shown = r.list.len;
    leave_out(writer->f, &r);
    if (r.shares && r.shares->largest_first && shown > TEXT_ROWS)
        shown = TEXT_ROWS;
    if (shown)
        headings(writer->f, &r, &g);
    for (size_t i = 0; i < shown; i++)
        one_record(writer->f, &r, &r.list.data[i], &g);
    if (shown)
        report_grid_print(&g, r.shares ? r.shares->names : 0, writer->columns, writer->out);
    if (shown < r.list.len)
        str_printf(writer->out, "  and %zu more, which json and csv have\n", r.list.len - shown);
    report_grid_free(&g);
    vec_free(&r.list);
}

/* ---- objects ---- */

static void value_list(struct text_writer *writer, size_t at) {
    str_printf(writer->out, "  %-32s", writer->f->list.data[at].key);
    for (at++; writer->f->list.data[at].kind != FIGURE_END; at++) {
        str_char(writer->out, ' ');
        exact(&writer->f->list.data[at], writer->out);
    }
    str_char(writer->out, '\n');
}

/* The exact value, and rounded with its unit where that says more. */
static void one_value(struct text_writer *writer, const struct figure *figure) {
    struct str value = {0}, round = {0};
    exact(figure, &value);
    rounded(figure, &round);
    bool differs = figure->kind == FIGURE_NUMBER && strcmp(str_text(&value), str_text(&round)) != 0;
    if (differs)
        str_printf(writer->out, "  %-32s %-20s %s\n", figure->key, str_text(&value),
                   str_text(&round));
    else
        str_printf(writer->out, "  %-32s %s\n", figure->key, str_text(&value));
    str_free(&value);
    str_free(&round);
}

static void heading(struct text_writer *writer, const char *outer, const char *key) {
    str_printf(writer->out, "\n%s%s%s\n", outer ? outer : "", outer ? "." : "", key);
}

static bool has_records(const struct figures *figures, size_t at) {
    return figures->list.data[at].kind == FIGURE_ARRAY &&
           figures->list.data[at + 1].kind == FIGURE_OBJECT;
}

/* Values first, then what is inside under headings of its own; the empty is left out. */
static void section(struct text_writer *writer, const char *outer, size_t at) {
    const struct figures *f = writer->f;
    const char *key = f->list.data[at].key;
    size_t end = behind(f, at) - 1;
    if (at + 1 == end)
        return;
    heading(writer, outer, key);
    if (has_records(f, at)) {
        records(writer, at);
        return;
    }
    for (size_t i = at + 1; i < end; i = behind(f, i))
        if (!is_list(&f->list.data[i]))
            one_value(writer, &f->list.data[i]);
        else if (f->list.data[i].kind == FIGURE_ARRAY && !has_records(f, i) && behind(f, i) > i + 2)
            value_list(writer, i);
    for (size_t i = at + 1; i < end; i = behind(f, i))
        if (f->list.data[i].kind == FIGURE_OBJECT || has_records(f, i))
            section(writer, key, i);
}

/* Where a run came from stands last: it is what people look for last. */
static bool is_origin(const struct figure *figure) {
    return strcmp(figure->key, "provenance") == 0 || strcmp(figure->key, "size") == 0;
}

void report_text(const struct figures *figures, unsigned columns, struct str *out) {
    struct text_writer w = {figures, columns, out};
    report_summary(figures, out);
    for (unsigned origin = 0; origin < 2; origin++)
        for (size_t i = 1; i + 1 < figures->list.len; i = behind(figures, i))
            if (is_list(&figures->list.data[i]) &&
                is_origin(&figures->list.data[i]) == (origin != 0))
                section(&w, NULL, i);
}
