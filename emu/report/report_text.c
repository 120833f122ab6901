/* SPDX-License-Identifier: MIT */
#include "emu/report/report_text.h"
#include "support/saturate.h"
#include "emu/report/grid.h"
#include "emu/report/units.h"

#include <string.h>

/* Lists whose rows are shares of a whole. */
static const struct shares {
    const char *section;
    const char *time_key;      /* its column of times */
    const char *time, *energy; /* the wholes; NULL: the sum of the column */
    bool largest_first;        /* and only TEXT_ROWS of them */
} share_table[] = {
    {"by_component", "time_ps", "total.end_to_end_time_ps", "total.end_to_end_energy_fj", false},
    {"by_micro_op", "time_ps", "total.time_ps", "total.energy_fj", false},
    {"by_instruction", "busy_time_ps", NULL, "total.energy_fj", true},
    {"by_line", "busy_time_ps", NULL, "total.energy_fj", true},
    {"by_region", "time_ps", "total.time_ps", "total.energy_fj", false},
};

struct text_writer {
    const struct figures *f;
    unsigned columns;
    struct str *out;
};

/* ---- values ---- */

/* Index behind figure i with all that is in it. */
static size_t behind(const struct figures *f, size_t i) {
    size_t depth = 0;
    do {
        enum figure_kind kind = f->list.data[i++].kind;
        if (kind == FIGURE_OBJECT || kind == FIGURE_ARRAY)
            depth++;
        else if (kind == FIGURE_END)
            depth--;
    } while (depth);
    return i;
}

static bool is_list(const struct figure *x) {
    return x->kind == FIGURE_OBJECT || x->kind == FIGURE_ARRAY;
}

static void exact(const struct figure *x, struct str *out) {
    if (x->kind == FIGURE_NUMBER)
        str_printf(out, "%llu", (unsigned long long)x->number);
    else if (x->kind == FIGURE_TEXT)
        str_append(out, x->text);
    else
        str_append(out, x->kind == FIGURE_NONE ? "-" : "unknown");
}

static void rounded(const struct figure *x, struct str *out) {
    if (x->kind == FIGURE_NUMBER)
        report_unit_text(x->key, x->number, out);
    else
        exact(x, out);
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
    const struct shares *shares; /* NULL: the rows are no shares */
    uint64_t time, energy;       /* the wholes; 0 where not known */
};

static uint64_t value_of(const struct figures *f, size_t first, size_t columns, const char *key) {
    for (size_t i = first; i < first + columns; i++)
        if (f->list.data[i].kind == FIGURE_NUMBER && strcmp(f->list.data[i].key, key) == 0)
            return f->list.data[i].number;
    return 0;
}

static uint64_t whole(const struct figures *f, const char *path) {
    uint64_t value;
    return report_figures_find(f, path, &value) ? value : 0;
}

static const struct shares *find_shares(const char *section) {
    for (size_t i = 0; i < sizeof share_table / sizeof *share_table; i++)
        if (strcmp(share_table[i].section, section) == 0)
            return &share_table[i];
    return NULL;
}

static int largest_first(const void *x, const void *y) {
    const struct record *a = x, *b = y;
    if (a->time != b->time)
        return a->time < b->time ? 1 : -1;
    if (a->energy != b->energy)
        return a->energy < b->energy ? 1 : -1;
    return (a->order > b->order) - (a->order < b->order);
}

/* list[at] begins an array of objects that hold values alone. */
static struct records read_records(const struct figures *f, size_t at) {
    struct records r = {.shares = find_shares(f->list.data[at].key)};
    const char *time_key = r.shares ? r.shares->time_key : "time_ps";
    if (r.shares) {
        r.time = r.shares->time ? whole(f, r.shares->time) : 0;
        r.energy = whole(f, r.shares->energy);
    }
    for (at++; f->list.data[at].kind != FIGURE_END; at = behind(f, at)) {
        struct record x = {.first = at + 1, .order = r.list.len};
        r.columns = behind(f, at) - at - 2;
        x.time = value_of(f, x.first, r.columns, time_key);
        x.energy = value_of(f, x.first, r.columns, "energy_fj");
        if (r.shares && !r.shares->time)
            r.time = sat_add(r.time, x.time);
        vec_push(&r.list, x);
    }
    if (r.shares && r.shares->largest_first && r.list.len)
        qsort(r.list.data, r.list.len, sizeof *r.list.data, largest_first);
    return r;
}

/* The whole that a column is a share of, 0 where it is none. */
static uint64_t whole_of(const struct records *r, const char *key) {
    if (r->shares && strcmp(key, r->shares->time_key) == 0)
        return r->time;
    return strcmp(key, "energy_fj") == 0 ? r->energy : 0;
}

static void headings(const struct figures *f, const struct records *r, struct grid *g) {
    struct str s = {0};
    for (size_t c = 0; c < r->columns; c++) {
        const struct figure *x = &f->list.data[r->list.data[0].first + c];
        str_append_n(&s, x->key, report_unit_stem(x->key));
        report_grid_add(g, &s, x->kind != FIGURE_TEXT);
        if (whole_of(r, x->key)) {
            str_char(&s, '%');
            report_grid_add(g, &s, true);
        }
    }
    g->columns = g->cells.len;
    str_free(&s);
}

/* Bars show time, or energy where the list has no time at all. */
static void bar(const struct records *r, const struct record *x, struct grid *g) {
    bool timed = false;
    for (size_t i = 0; i < r->list.len; i++)
        timed |= r->list.data[i].time != 0;
    uint64_t part = timed ? x->time : x->energy, of = timed ? r->time : r->energy;
    uint64_t share = of ? sat_scale(part, 1000000, of) : 0;
    vec_push(&g->bars, share < 1000000 ? share : 1000000);
}

static void one_record(const struct figures *f, const struct records *r, const struct record *x,
                       struct grid *g) {
    struct str s = {0};
    for (size_t c = 0; c < r->columns; c++) {
        const struct figure *v = &f->list.data[x->first + c];
        uint64_t of = whole_of(r, v->key);
        rounded(v, &s);
        report_grid_add(g, &s, v->kind != FIGURE_TEXT);
        if (!of)
            continue;
        if (v->kind == FIGURE_NUMBER)
            report_percent_text(v->number, of, &s);
        else
            str_char(&s, '-');
        report_grid_add(g, &s, true);
    }
    if (r->shares)
        bar(r, x, g);
    str_free(&s);
}

static void records(struct text_writer *w, size_t at) {
    struct records r = read_records(w->f, at);
    struct grid g = {0};
    size_t shown = r.list.len;
    if (r.shares && r.shares->largest_first && shown > TEXT_ROWS)
        shown = TEXT_ROWS;
    if (shown)
        headings(w->f, &r, &g);
    for (size_t i = 0; i < shown; i++)
        one_record(w->f, &r, &r.list.data[i], &g);
    if (shown)
        report_grid_print(&g, w->columns, w->out);
    if (shown < r.list.len)
        str_printf(w->out, "  and %zu more, which json and csv have\n", r.list.len - shown);
    report_grid_free(&g);
    vec_free(&r.list);
}

/* ---- objects ---- */

static void value_list(struct text_writer *w, size_t at) {
    str_printf(w->out, "  %-32s", w->f->list.data[at].key);
    for (at++; w->f->list.data[at].kind != FIGURE_END; at++) {
        str_char(w->out, ' ');
        exact(&w->f->list.data[at], w->out);
    }
    str_char(w->out, '\n');
}

/* The exact value, and rounded with its unit where that says more. */
static void one_value(struct text_writer *w, const struct figure *x) {
    struct str value = {0}, round = {0};
    exact(x, &value);
    rounded(x, &round);
    bool differs = x->kind == FIGURE_NUMBER && strcmp(str_text(&value), str_text(&round)) != 0;
    if (differs)
        str_printf(w->out, "  %-32s %-20s %s\n", x->key, str_text(&value), str_text(&round));
    else
        str_printf(w->out, "  %-32s %s\n", x->key, str_text(&value));
    str_free(&value);
    str_free(&round);
}

static void heading(struct text_writer *w, const char *outer, const char *key) {
    str_printf(w->out, "\n%s%s%s\n", outer ? outer : "", outer ? "." : "", key);
}

static bool has_records(const struct figures *f, size_t at) {
    return f->list.data[at].kind == FIGURE_ARRAY && f->list.data[at + 1].kind == FIGURE_OBJECT;
}

/* Values first, then what is inside under headings of its own; the empty is left out. */
static void section(struct text_writer *w, const char *outer, size_t at) {
    const struct figures *f = w->f;
    const char *key = f->list.data[at].key;
    size_t end = behind(f, at) - 1;
    if (at + 1 == end)
        return;
    heading(w, outer, key);
    if (has_records(f, at)) {
        records(w, at);
        return;
    }
    for (size_t i = at + 1; i < end; i = behind(f, i))
        if (!is_list(&f->list.data[i]))
            one_value(w, &f->list.data[i]);
        else if (f->list.data[i].kind == FIGURE_ARRAY && !has_records(f, i) && behind(f, i) > i + 2)
            value_list(w, i);
    for (size_t i = at + 1; i < end; i = behind(f, i))
        if (f->list.data[i].kind == FIGURE_OBJECT || has_records(f, i))
            section(w, key, i);
}

static const char *text_at(const struct figures *f, const char *section, const char *key) {
    bool inside = section == NULL;
    for (size_t i = 1; i < f->list.len; i++) {
        const struct figure *x = &f->list.data[i];
        if (section && x->kind == FIGURE_OBJECT && x->key && strcmp(x->key, section) == 0)
            inside = true;
        if (inside && x->kind == FIGURE_TEXT && x->key && strcmp(x->key, key) == 0)
            return x->text;
    }
    return "";
}

/* Where a run came from stands last: it is what people look for last. */
static bool is_origin(const struct figure *x) {
    return strcmp(x->key, "provenance") == 0 || strcmp(x->key, "size") == 0;
}

void report_text(const struct figures *f, unsigned columns, struct str *out) {
    struct text_writer w = {f, columns, out};
    str_printf(out, "%s on %s: %s\n", text_at(f, "provenance", "program"),
               text_at(f, "provenance", "target"), text_at(f, NULL, "end"));
    for (unsigned origin = 0; origin < 2; origin++)
        for (size_t i = 1; i + 1 < f->list.len; i = behind(f, i))
            if (is_list(&f->list.data[i]) && is_origin(&f->list.data[i]) == (origin != 0))
                section(&w, NULL, i);
}
