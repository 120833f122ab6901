/* SPDX-License-Identifier: MIT
 * Lists of kernels: what each took, and on machines with figures of their own of a kernel's places
 * each line of it, and each line of the source from which its text was made. */
#include "emu/report/lists.h"

#include "support/alloc.h"
#include "support/saturate.h"

#include <stdlib.h>
#include <string.h>

static void add_place(struct dp_place_cost *sum, const struct dp_place_cost *x) {
    sum->executed = sat_add(sum->executed, x->executed);
    sum->micro_ops = sat_add(sum->micro_ops, x->micro_ops);
    sum->energy_fj = sat_add(sum->energy_fj, x->energy_fj);
    sum->unit_ps = sat_add(sum->unit_ps, x->unit_ps);
}

struct dp_place_cost report_all_places(const struct control_kernel_stats *kernel) {
    struct dp_place_cost all = {0};
    for (uint32_t i = 0; i < kernel->place_count; i++)
        add_place(&all, &kernel->places[i]);
    return all;
}

/* ---- figures of the machine's own ---- */

static void add_own(uint64_t *sum, const uint64_t *figures, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        sum[i] = sat_add(sum[i], figures[i]);
}

static void own_figures(const struct report_run *run, const uint64_t *own,
                        struct figures *figures) {
    const struct dp_tables *t = control_tables(run->control);
    const bool known = control_stats(run->control)->cost_known;
    for (uint32_t i = 0; i < t->place_figure_count; i++)
        report_figures_known(figures, t->place_figures[i], known, own[i]);
}

/* ---- kernels ---- */

/* Of all RECIPEs that launch it. */
static void kernel_figures(const struct report_run *run, uint32_t kernel,
                           const struct control_kernel_stats *list, size_t count,
                           struct figures *figures) {
    struct dp_place_cost all = {0};
    uint64_t launches = 0, ps = 0, transfer_ps = 0, bytes = 0;
    const uint32_t width = control_tables(run->control)->place_figure_count;
    uint64_t *own = xcalloc((size_t)width + 1, sizeof *own);
    bool known = control_stats(run->control)->cost_known;
    for (size_t i = 0; i < count; i++) {
        if (list[i].kernel != kernel)
            continue;
        const struct dp_place_cost one = report_all_places(&list[i]);
        add_place(&all, &one);
        for (uint32_t k = 0; k < list[i].place_count; k++)
            add_own(own, list[i].figures + (size_t)k * width, width);
        launches = sat_add(launches, list[i].launches);
        ps = sat_add(ps, list[i].time_ps);
        transfer_ps = sat_add(transfer_ps, list[i].transfer_ps);
        bytes = sat_add(bytes, list[i].transfer_bytes);
    }
    report_figures_object(figures, NULL);
    report_figures_text(figures, "kernel", run->program->kernels.data[kernel].name);
    report_figures_number(figures, "launches", launches);
    report_figures_number(figures, "executed", all.executed);
    report_figures_known(figures, "micro_ops", known, all.micro_ops);
    report_figures_known(figures, "energy_fj", known, all.energy_fj);
    report_figures_known(figures, "time_ps", known, ps);
    report_figures_known(figures, "unit_time_ps", known, all.unit_ps);
    report_figures_known(figures, "transfer_time_ps", known, transfer_ps);
    report_figures_known(figures, "transfer_bytes", known, bytes);
    own_figures(run, own, figures);
    report_figures_end(figures);
    free(own);
}

/* ---- lines of kernels, and of the sources behind them ---- */

struct kernel_row {
    size_t rank;      /* of its kernel, as they were launched first */
    uint32_t kernel;  /* in the program */
    const char *file; /* NULL: not known */
    uint32_t line;
    struct machine_source source; /* of the line of a kernel, its first instruction's */
    struct dp_place_cost cost;
    uint64_t *own;
};
struct kernel_rows {
    VEC(struct kernel_row) list;
    VEC(struct machine_sources) sources; /* of each element of control_kernels */
    uint32_t width;
};

static int by_row(const void *left, const void *right) {
    const struct kernel_row *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    const int files = strcmp(a->file ? a->file : "", b->file ? b->file : "");
    return files ? files : (a->line > b->line) - (a->line < b->line);
}

static void take_rows(const struct report_run *run, const struct control_kernel_stats *kernel,
                      size_t rank, bool by_source, struct kernel_rows *rows) {
    const struct kernel_decl *decl = &run->program->kernels.data[kernel->kernel];
    const struct package_kernel *made = &run->package->kernels[kernel->kernel];
    const struct machine_form *form = machine_form(run->target, decl->form, NULL);
    struct machine_sources sources = {.count = 0};
    if (form && form->sources)
        form->sources(made->code, made->size, &sources);
    for (uint32_t i = 0; i < kernel->place_count; i++) {
        const struct place at = object_kernel_line(run->program, decl, made->lines[i]);
        struct kernel_row x = {.rank = rank, .kernel = kernel->kernel, .cost = kernel->places[i]};
        if (!x.cost.executed)
            continue;
        if (i < sources.count)
            x.source = sources.places[i];
        x.line = at.file == NO_INDEX ? made->lines[i] : at.line;
        x.file = at.file == NO_INDEX ? NULL : run->program->files.data[at.file];
        if (by_source) {
            x.file = x.source.file;
            x.line = x.source.file ? x.source.line : 0;
        }
        x.own = xcalloc((size_t)rows->width + 1, sizeof *x.own);
        add_own(x.own, kernel->figures + (size_t)i * rows->width, rows->width);
        vec_push(&rows->list, x);
    }
    vec_push(&rows->sources, sources);
}

static void place_text(const char *file, uint32_t line, bool is_source, struct figures *figures) {
    const char *file_key = is_source ? "source_file" : "file",
               *line_key = is_source ? "source_line" : "line";
    if (file)
        report_figures_text(figures, file_key, report_path(file));
    else
        report_figures_none(figures, file_key);
    if (line)
        report_figures_number(figures, line_key, line);
    else
        report_figures_none(figures, line_key);
}

static void row_figures(const struct report_run *run, const struct kernel_row *x, bool by_source,
                        struct diag *sources, struct figures *figures) {
    const bool known = control_stats(run->control)->cost_known;
    struct str text = {0};
    report_figures_object(figures, NULL);
    report_figures_text(figures, "kernel", run->program->kernels.data[x->kernel].name);
    place_text(x->file, x->line, false, figures);
    if (x->file && x->line)
        report_source_line(x->file, x->line, sources, &text);
    report_figures_note(figures, "text", str_text(&text));
    if (!by_source)
        place_text(x->source.file, x->source.file ? x->source.line : 0, true, figures);
    report_figures_number(figures, "executed", x->cost.executed);
    report_figures_known(figures, "micro_ops", known, x->cost.micro_ops);
    report_figures_known(figures, "energy_fj", known, x->cost.energy_fj);
    own_figures(run, x->own, figures);
    report_figures_end(figures);
    str_free(&text);
}

/* Rows of one line become one; the list is sorted. */
static void put_rows(const struct report_run *run, struct kernel_rows *rows, bool by_source,
                     struct figures *figures) {
    struct diag *sources = diag_new(NULL, NULL);
    for (size_t i = 0; i < rows->list.len; i++) {
        struct kernel_row *x = &rows->list.data[i], *next = i + 1 < rows->list.len ? x + 1 : NULL;
        if (next && by_row(x, next) == 0) {
            add_place(&next->cost, &x->cost);
            add_own(next->own, x->own, rows->width);
            next->source = x->source.file ? x->source : next->source;
        } else {
            row_figures(run, x, by_source, sources, figures);
        }
        free(x->own);
    }
    diag_free(sources);
}

/* The first element of that kernel. */
static size_t rank_of(const struct control_kernel_stats *list, size_t i) {
    size_t first = 0;
    while (list[first].kernel != list[i].kernel)
        first++;
    return first;
}

static void list_lines(const struct report_run *run, bool by_source, struct figures *figures) {
    size_t count;
    const struct control_kernel_stats *list = control_kernels(run->control, &count);
    struct kernel_rows rows = {.width = control_tables(run->control)->place_figure_count};
    for (size_t i = 0; i < count; i++)
        take_rows(run, &list[i], rank_of(list, i), by_source, &rows);
    if (rows.list.len)
        qsort(rows.list.data, rows.list.len, sizeof *rows.list.data, by_row);
    report_figures_array(figures, by_source ? "by_kernel_source" : "by_kernel_line");
    put_rows(run, &rows, by_source, figures);
    report_figures_end(figures);
    for (size_t i = 0; i < rows.sources.len; i++)
        arena_free(&rows.sources.data[i].arena);
    vec_free(&rows.sources);
    vec_free(&rows.list);
}

void report_by_kernel(const struct report_run *run, struct figures *figures) {
    size_t count;
    const struct control_kernel_stats *list = control_kernels(run->control, &count);
    if (!count)
        return;
    report_figures_array(figures, "by_kernel");
    for (size_t i = 0; i < count; i++) {
        if (rank_of(list, i) == i)
            kernel_figures(run, list[i].kernel, list, count, figures);
    }
    report_figures_end(figures);
    if (!control_tables(run->control)->place_figure_count)
        return;
    list_lines(run, false, figures);
    list_lines(run, true, figures);
}
