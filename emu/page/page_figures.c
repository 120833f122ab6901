/* SPDX-License-Identifier: MIT
 * Figures by path, and how numbers are shown. */
#include "emu/page/page_parts.h"

#include "emu/report/units.h"
#include "support/saturate.h"

#include <string.h>

/* ---- finding ---- */

static const struct json_value *member(const struct json_value *object, const char *name,
                                       size_t n) {
    if (!object || object->kind != JSON_OBJECT)
        return NULL;
    for (const struct json_value *v = object->first; v; v = v->next)
        if (strncmp(v->key, name, n) == 0 && !v->key[n])
            return v;
    return NULL;
}

const struct json_value *page_find(const struct json_value *figures, const char *path) {
    const struct json_value *v = figures;
    for (size_t n; v && *path; path += n + (path[n] == '.')) {
        n = strcspn(path, ".");
        v = member(v, path, n);
    }
    return v;
}

bool page_is_known(const struct json_value *value) {
    return value && value->kind == JSON_NUMBER && value->whole;
}

uint64_t page_value(const struct json_value *figures, const char *path) {
    const struct json_value *v = page_find(figures, path);
    return page_is_known(v) ? v->number : 0;
}

bool page_is_sweep(const struct page_input *input) {
    return json_member(input->figures, "records") != NULL;
}

const struct json_value *page_row(const struct page_input *input, size_t i) {
    const struct json_value *records = json_member(input->figures, "records");
    const struct json_value *v = records ? records->first : NULL;
    while (v && i--)
        v = v->next;
    return v;
}

bool page_first_run(const struct page_input *input, struct page_run *run) {
    *run = (struct page_run){.figures = input->figures, .name = ""};
    if (!page_is_sweep(input))
        return true;
    unsigned i = 0;
    for (const struct json_value *row = page_row(input, 0); row; row = row->next, i++) {
        run->figures = json_member(row, "statistics");
        if (!run->figures || run->figures->kind != JSON_OBJECT)
            continue;
        struct str prefix = {0};
        str_printf(&prefix, "records.%u.statistics.", i);
        memcpy(run->prefix, str_text(&prefix), prefix.len + 1);
        str_free(&prefix);
        run->name = json_member_text(row, "target");
        return true;
    }
    return false;
}

/* ---- showing ---- */

/* Bytes of a name or a word that are shown. */
#define MOST_TEXT 400

void page_text(struct str *out, const char *text) {
    struct str s = {0};
    for (const char *at = text ? text : ""; *at && s.len < MOST_TEXT; at++)
        str_char(&s, *at);
    svg_escape(out, str_text(&s));
    str_append(out, s.len == MOST_TEXT ? "..." : "");
    str_free(&s);
}

const struct page_limits *page_limits(const struct page_input *input) {
    static const struct page_limits levels[PAGE_LEVELS] = {
        {300, 500, 12, 200}, {200, 300, 6, 100}, {100, 100, 2, 50}, {20, 40, 1, 10}};
    return &levels[input->level < PAGE_LEVELS ? input->level : PAGE_LEVELS - 1];
}

/* The last part of a path. */
static const char *key_of(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : path;
}

void page_number(struct str *out, const struct json_value *value, const char *prefix,
                 const char *path) {
    if (!page_is_known(value)) {
        str_append(out, "unknown");
        return;
    }
    str_printf(out, "<data value=\"%s\" data-path=\"", value->text);
    page_text(out, prefix);
    page_text(out, path);
    str_append(out, "\">");
    report_unit_text(key_of(path), value->number, out);
    str_append(out, "</data>");
}

void page_figure(struct str *out, const struct page_run *run, const char *path) {
    page_number(out, page_find(run->figures, path), run->prefix, path);
}

uint64_t page_ratio(uint64_t part, uint64_t whole) {
    return (sat_scale(part, 2000, whole) + 1) / 2;
}
