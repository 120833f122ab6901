/* SPDX-License-Identifier: MIT
 * Which assumed numbers matter: how a run's figures changed when each number was lower and higher.
 */
#include "runtime/sweep.h"

#include "emu/report/grid.h"
#include "support/saturate.h"

#include <stdlib.h>
#include <string.h>

/* Figures that are looked at. */
enum { LOOKED_AT = 5 };
static const char *const looked_at[LOOKED_AT] = {"time_ps", "energy_fj", "end_to_end_time_ps",
                                                 "end_to_end_energy_fj", "area_um2"};
static const char *const headings[LOOKED_AT] = {"kernel time", "kernel energy", "end-to-end time",
                                                "end-to-end energy", "chip area"};

/* A key, with its run below and its run above; NULL: the target does not take that number. */
struct varied {
    const char *key, *from;
    const struct sweep_record *lower, *higher;
    uint64_t most; /* change of a figure, in millionths of it */
};
struct varied_list {
    VEC(struct varied) all;
};

/* The change of a figure in millionths of it; false if it is not known. */
static bool change_of(const struct sweep_record *base, const struct sweep_record *record,
                      unsigned figure, bool *more, uint64_t *ppm) {
    uint64_t was, is;
    if (!record || !sweep_record_find(base, looked_at[figure], &was) ||
        !sweep_record_find(record, looked_at[figure], &is) || !was)
        return false;
    *more = is > was;
    *ppm = sat_scale(*more ? is - was : was - is, 1000000, was);
    *ppm = is != was && !*ppm ? 1 : *ppm;
    return true;
}

static void note_most(const struct sweep_record *base, const struct sweep_record *record,
                      struct varied *varied) {
    bool more;
    for (unsigned k = 0; k < LOOKED_AT; k++) {
        uint64_t ppm = 0;
        if (change_of(base, record, k, &more, &ppm) && ppm > varied->most)
            varied->most = ppm;
    }
    /* A program that cannot be run with another number needs that one. */
    if (record && strcmp(record->end, "done") != 0)
        varied->most = UINT64_MAX;
}

static void add(const mpu_sweep *w, const struct sweep_record *record, struct varied_list *list) {
    const struct sweep_extra *x = record->point.extra;
    struct varied *last = list->all.len ? &vec_last(&list->all) : NULL;
    if (!last || strcmp(last->key, x->key) != 0) {
        vec_push(&list->all, ((struct varied){.key = x->key, .from = x->from}));
        last = &vec_last(&list->all);
    }
    *(x->higher ? &last->higher : &last->lower) = record;
    note_most(&w->records.data[0], record, last);
}

static int most_first(const void *left, const void *right) {
    const struct varied *a = left, *b = right;
    if (a->most != b->most)
        return a->most < b->most ? 1 : -1;
    return strcmp(a->key, b->key);
}

/* ---- the table ---- */

static void cell(struct grid *grid, const char *text, bool right) {
    struct str s = {0};
    str_append(&s, text);
    report_grid_add(grid, &s, right);
    str_free(&s);
}

/* "-3.1", "+0.02" percent; "0" for none, "-" for what is not known. */
static void change_text(const struct sweep_record *base, const struct sweep_record *record,
                        unsigned figure, struct str *out) {
    bool more = false;
    uint64_t ppm = 0;
    if (record && strcmp(record->end, "done") != 0)
        str_append(out, record->end);
    else if (!change_of(base, record, figure, &more, &ppm))
        str_char(out, '-');
    else if (!ppm)
        str_char(out, '0');
    else
        str_printf(out, "%c%llu.%02llu", more ? '+' : '-', (unsigned long long)(ppm / 10000),
                   (unsigned long long)(ppm % 10000 / 100));
}

static void row(const struct sweep_record *base, const struct varied *varied, struct grid *grid) {
    struct str s = {0};
    cell(grid, varied->key, false);
    cell(grid, varied->from, true);
    cell(grid, varied->lower ? varied->lower->point.extra->value : "-", true);
    cell(grid, varied->higher ? varied->higher->point.extra->value : "-", true);
    for (unsigned k = 0; k < LOOKED_AT; k++) {
        change_text(base, varied->lower, k, &s);
        str_append(&s, " / ");
        change_text(base, varied->higher, k, &s);
        report_grid_add(grid, &s, true);
    }
    str_free(&s);
}

static void heads(struct grid *grid) {
    cell(grid, "number", false);
    cell(grid, "has", true);
    cell(grid, "lower", true);
    cell(grid, "higher", true);
    for (unsigned k = 0; k < LOOKED_AT; k++)
        cell(grid, headings[k], true);
    grid->columns = grid->cells.len;
}

/* Those that change a figure by a thousandth or more; returns how many. */
enum { MATTERS_PPM = 1000 };
static size_t table(const mpu_sweep *w, const struct varied_list *list, struct str *out) {
    struct grid g = {0};
    size_t n = 0;
    heads(&g);
    for (; n < list->all.len && list->all.data[n].most >= MATTERS_PPM; n++)
        row(&w->records.data[0], &list->all.data[n], &g);
    if (n)
        report_grid_print(&g, 0, 0, out);
    report_grid_free(&g);
    return n;
}

/* "change less ...: a, b". */
static void names(const struct varied_list *list, size_t from, bool some, const char *what,
                  struct str *out) {
    bool begun = false;
    for (size_t i = from; i < list->all.len; i++) {
        if ((list->all.data[i].most != 0) != some)
            continue;
        str_printf(out, "%s%s", begun ? ", " : what, list->all.data[i].key);
        begun = true;
    }
    if (begun)
        str_char(out, '\n');
}

static void untouched(const mpu_sweep *w, struct str *out) {
    for (size_t i = 0; i < w->untouched_count; i++)
        str_printf(out, "%s%s (%s: %s)", i ? ", " : "not varied: ", w->untouched[i].key,
                   w->untouched[i].value, w->untouched[i].why);
    if (w->untouched_count)
        str_char(out, '\n');
}

void sweep_vary_table(const mpu_sweep *w, struct str *out) {
    struct varied_list list = {0};
    for (size_t i = 1; i < w->records.len; i++)
        add(w, &w->records.data[i], &list);
    if (list.all.len)
        qsort(list.all.data, list.all.len, sizeof *list.all.data, most_first);
    str_printf(out,
               "%s on %s: each assumed number %u %% lower and higher, and what that changes, in %% "
               "of the figure\n",
               report_path(w->program->name), w->records.data[0].target, w->percent);
    size_t n = table(w, &list, out);
    names(&list, n, true, "change no figure by 0.1 %: ", out);
    names(&list, n, false, "change nothing: ", out);
    untouched(w, out);
    vec_free(&list.all);
}
