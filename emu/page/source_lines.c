/* SPDX-License-Identifier: MIT
 * Source lines with what they took, the hottest first. */
#include "emu/page/page_parts.h"

#include "emu/report/units.h"
#include "support/saturate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_TEXT 200 /* bytes of a line that are shown */

struct hot_line {
    const struct json_value *figures;
    size_t number; /* in its list */
    uint64_t time, energy;
};

/* Time, then energy, then the order of the list: a total order. */
static int by_heat(const void *left, const void *right) {
    const struct hot_line *a = left, *b = right;
    if (a->time != b->time)
        return a->time < b->time ? 1 : -1;
    if (a->energy != b->energy)
        return a->energy < b->energy ? 1 : -1;
    return a->number < b->number ? -1 : 1;
}

/* Lists of lines, and what they call their time. */
static const struct list {
    const char *name, *title, *time;
} lists[] = {
    {"by_line", "Source", "busy_time_ps"},
    {"by_kernel_line", "Kernels by line", "subcore_cycles"},
};

static void put_source(const struct page_input *input, const struct json_value *line,
                       struct str *out) {
    const char *file = json_member_text(line, "file");
    const struct json_value *number = json_member(line, "line");
    size_t size = 0;
    const char *text = input->line && file && page_is_known(number)
                           ? input->line(input->context, file, number->number, &size)
                           : NULL;
    str_append(out, "<td class=\"source\"><code>");
    if (text) {
        struct str s = {0};
        str_append_n(&s, text, size < MOST_TEXT ? size : MOST_TEXT);
        page_text(out, str_text(&s));
        str_append(out, size > MOST_TEXT ? " ..." : "");
        str_free(&s);
    }
    str_append(out, "</code></td>");
}

static void put_line(const struct page_input *input, const struct page_run *run,
                     const struct list *list, const struct hot_line *line, uint64_t all,
                     struct str *out) {
    const char *columns[] = {list->time, "energy_fj", "micro_ops", "executed"};
    struct str prefix = {0};
    str_printf(&prefix, "%s%s.%zu.", run->prefix, list->name, line->number);
    str_append(out, "<tr><td>");
    page_text(out, json_member_text(line->figures, "file"));
    const struct json_value *number = json_member(line->figures, "line");
    if (page_is_known(number))
        str_printf(out, ":%s", number->text);
    str_append(out, "</td><td>");
    if (all) {
        str_append(out, "<meter max=\"1000\" value=\"");
        str_u64(out, page_ratio(line->time, all));
        str_append(out, "\"></meter> ");
        report_percent_text(line->time, all, out);
        str_append(out, " %");
    }
    str_append(out, "</td>");
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        str_append(out, "<td>");
        page_number(out, json_member(line->figures, columns[i]), str_text(&prefix), columns[i]);
        str_append(out, "</td>");
    }
    put_source(input, line->figures, out);
    str_append(out, "</tr>\n");
    str_free(&prefix);
}

static void put_list(const struct page_input *input, const struct page_run *run,
                     const struct list *list, struct str *out) {
    VEC(struct hot_line) lines = {0};
    const struct json_value *all = json_member(run->figures, list->name);
    uint64_t busy = 0;
    const size_t most = page_limits(input)->lines;
    for (const struct json_value *l = all ? all->first : NULL; l; l = l->next) {
        struct hot_line x = {l, lines.len, page_value(l, list->time), page_value(l, "energy_fj")};
        busy = sat_add(busy, x.time);
        vec_push(&lines, x);
    }
    if (lines.len) {
        qsort(lines.data, lines.len, sizeof *lines.data, by_heat);
        str_printf(out,
                   "<h2>%s</h2>\n<table>\n<tr><th>line</th><th>share</th><th>%s</th>"
                   "<th>energy</th><th>micro-ops</th><th>executed</th><th>text</th></tr>\n",
                   list->title, strcmp(list->time, "busy_time_ps") == 0 ? "busy" : "cycles");
        for (size_t i = 0; i < lines.len && i < most; i++)
            put_line(input, run, list, &lines.data[i], busy, out);
        str_append(out, "</table>\n");
        if (lines.len > most)
            str_printf(out, "<p>%zu more lines took less.</p>\n", lines.len - most);
    }
    vec_free(&lines);
}

void page_put_lines(const struct page_input *input, const struct page_run *run, struct str *out) {
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        put_list(input, run, &lists[i], out);
}
