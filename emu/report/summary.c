/* SPDX-License-Identifier: MIT
 * Ten lines about a run, one more where outputs were left unread.  Every number is one of the
 * figures, or a share of two of them. */
#include "emu/report/summary.h"

#include "emu/report/units.h"
#include "support/saturate.h"

#include <stdio.h>
#include <string.h>

/* Where the walk through the figures stands: the lines that ask are few, and so each looks from the
 * beginning. */
static const char *text_of(const struct figures *figures, const char *path) {
    const char *text = report_figures_find_text(figures, path);
    return text ? text : "";
}

/* The figure with its unit; `unknown` where there is none. */
static void value(const struct figures *figures, const char *path, struct str *out) {
    const char *dot = strrchr(path, '.');
    uint64_t number;
    if (report_figures_find(figures, path, &number))
        report_unit_text(dot ? dot + 1 : path, number, out);
    else
        str_append(out, "unknown");
}

/* "40 of 497". */
static void part_of(const struct figures *figures, const char *part, const char *whole,
                    struct str *out) {
    value(figures, part, out);
    str_append(out, " of ");
    value(figures, whole, out);
}

/* " (8.0 %)"; nothing where one of the two is not known. */
static void share(const struct figures *figures, const char *part, const char *whole,
                  struct str *out) {
    uint64_t x, all;
    if (!report_figures_find(figures, part, &x) || !report_figures_find(figures, whole, &all) ||
        !all)
        return;
    str_append(out, " (");
    report_percent_text(x, all, out);
    str_append(out, " %)");
}

static void label(const char *name, struct str *out) {
    str_printf(out, "\n  %-18s", name);
}

/* The row of by_component that has most in a column, of those of the kernel. */
struct largest {
    char component[32];
    uint64_t most;
    bool known;
};

static struct largest find_largest(const struct figures *figures, const char *column) {
    struct largest x = {.known = false};
    char path[96];
    const char *name;
    for (unsigned row = 0;; row++) {
        uint64_t number;
        snprintf(path, sizeof path, "by_component.%u.component", row);
        name = report_figures_find_text(figures, path);
        if (!name)
            return x;
        snprintf(path, sizeof path, "by_component.%u.of", row);
        if (strcmp(text_of(figures, path), "kernel") != 0)
            continue;
        snprintf(path, sizeof path, "by_component.%u.%s", row, column);
        if (!report_figures_find(figures, path, &number) || (x.known && number <= x.most))
            continue;
        x.known = true;
        x.most = number;
        snprintf(x.component, sizeof x.component, "%s", name);
    }
}

/* "compute, 83.1 % of the kernel's time"; false, and nothing, where it is not known. */
static bool largest_part(const struct figures *figures, const char *column, const char *whole,
                         const char *what, struct str *out) {
    struct largest x = find_largest(figures, column);
    uint64_t all;
    if (!x.known || !report_figures_find(figures, whole, &all))
        return false;
    str_printf(out, "%s, ", x.component);
    report_percent_text(x.most, all, out);
    str_printf(out, " %% of the kernel's %s", what);
    return true;
}

/* ---- the lines ---- */

static void time_and_energy(const struct figures *figures, struct str *out) {
    label("time", out);
    value(figures, "total.time_ps", out);
    str_append(out, "; with loading and transfers ");
    value(figures, "total.end_to_end_time_ps", out);
    label("energy", out);
    value(figures, "total.energy_fj", out);
    str_append(out, "; with loading and transfers ");
    value(figures, "total.end_to_end_energy_fj", out);
    label("power", out);
    value(figures, "derived.average_power_nw", out);
    str_append(out, " on average; of the datapath at most ");
    value(figures, "derived.peak_power_nw", out);
}

/* What the figures with transfers would have besides, were it read. */
static void not_read(const struct figures *figures, struct str *out) {
    const char *names = report_figures_find_note(figures, "not_read");
    uint64_t ps;
    if (!names || !report_figures_find(figures, "total.end_to_end_time_ps", &ps))
        return;
    label("not read", out);
    str_printf(out, "%s: %s not in these figures; --out, --print and --expect read", names,
               strchr(names, ',') ? "their transfers are" : "its transfer is");
}

static void work(const struct figures *figures, struct str *out) {
    label("work", out);
    value(figures, "total.element_instructions", out);
    str_append(out, " element-instructions in enabled lanes; ");
    value(figures, "derived.element_instructions_per_second", out);
    str_append(out, " a second");
}

static void lanes(const struct figures *figures, struct str *out) {
    label("lanes used", out);
    part_of(figures, "utilisation.lanes_used", "utilisation.lanes", out);
    share(figures, "utilisation.lanes_used", "utilisation.lanes", out);
    str_append(out, ", ");
    part_of(figures, "utilisation.vrfs_used", "utilisation.vrfs", out);
    str_append(out, " VRFs, ");
    part_of(figures, "utilisation.mpus_used", "utilisation.mpus", out);
    str_append(out, " MPUs");
}

static void largest_parts(const struct figures *figures, struct str *out) {
    label("most", out);
    struct str energy = {0};
    bool time_known = largest_part(figures, "time_ps", "total.time_ps", "time", out),
         energy_known = largest_part(figures, "energy_fj", "total.energy_fj", "energy", &energy);
    str_append(out, time_known && energy_known ? "; " : "");
    str_append(out, energy_known ? str_text(&energy) : time_known ? "" : "unknown");
    str_free(&energy);
}

/* The lines that were busy longest, of equal ones those that stand first. */
struct hot_lines {
    unsigned row[3];
    uint64_t busy[3], all;
    size_t count;
};

static struct hot_lines find_hot_lines(const struct figures *figures) {
    struct hot_lines x = {.count = 0};
    char path[96];
    uint64_t busy;
    for (unsigned row = 0;; row++) {
        snprintf(path, sizeof path, "by_line.%u.busy_time_ps", row);
        if (!report_figures_find(figures, path, &busy))
            return x;
        x.all = sat_add(x.all, busy);
        size_t at = x.count < 3 ? x.count++ : 3;
        for (; at > 0 && busy > x.busy[at - 1]; at--)
            if (at < 3) {
                x.row[at] = x.row[at - 1];
                x.busy[at] = x.busy[at - 1];
            }
        if (at < 3) {
            x.row[at] = row;
            x.busy[at] = busy;
        }
    }
}

/* "axpy.ez:9, 83.0 %; axpy.ez:8, 17.0 % of all lines' time". */
static void hottest_lines(const struct figures *figures, struct str *out) {
    struct hot_lines x = find_hot_lines(figures);
    char path[96];
    uint64_t number;
    label("hottest lines", out);
    if (!x.all)
        str_append(out, "unknown");
    for (size_t i = 0; x.all && i < x.count; i++) {
        str_append(out, i ? "; " : "");
        snprintf(path, sizeof path, "by_line.%u.file", x.row[i]);
        const char *file = report_figures_find_text(figures, path);
        snprintf(path, sizeof path, "by_line.%u.line", x.row[i]);
        str_append(out, file ? file : "no line");
        if (report_figures_find(figures, path, &number))
            str_printf(out, ":%llu", (unsigned long long)number);
        str_append(out, ", ");
        report_percent_text(x.busy[i], x.all, out);
        str_append(out, " %");
    }
}

static void slots(const struct figures *figures, struct str *out) {
    uint64_t cut;
    label("issue slots used", out);
    part_of(figures, "derived.issue_slots_used", "derived.issue_slots_there", out);
    share(figures, "derived.issue_slots_used", "derived.issue_slots_there", out);
    label("executed", out);
    str_append(out, "ensembles ");
    value(figures, "total.ensembles", out);
    str_append(out, ", batches ");
    value(figures, "total.batches", out);
    if (report_figures_find(figures, "total.cut_batches", &cut)) {
        str_append(out, " (of these ranges cut off ");
        value(figures, "total.cut_batches", out);
        str_char(out, ')');
    }
    str_append(out, ", instructions ");
    value(figures, "total.instructions", out);
    str_append(out, ", micro-ops ");
    value(figures, "total.micro_ops", out);
}

void report_summary(const struct figures *figures, struct str *out) {
    str_printf(out, "%s on %s: %s", text_of(figures, "provenance.program"),
               text_of(figures, "provenance.target"), text_of(figures, "end"));
    time_and_energy(figures, out);
    not_read(figures, out);
    work(figures, out);
    lanes(figures, out);
    largest_parts(figures, out);
    hottest_lines(figures, out);
    slots(figures, out);
    str_char(out, '\n');
}
