/* SPDX-License-Identifier: MIT */
#include "support/diag.h"

#include "support/diag_place.h"
#include "support/json.h"
#include "support/llvm/render.h"
#include "support/str.h"
#include "support/vec.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void put_head(const struct source_place *p, const char *prefix, struct str *head) {
    str_append(head, p->name ? p->name : prefix ? prefix : "");
    if (p->line)
        str_printf(head, ":%u", p->line);
    if (p->line && p->column)
        str_printf(head, ":%u", p->column);
}

static void put_text(const struct message *m, struct str *text) {
    str_append(text, m->text);
    if (m->warning >= 0)
        str_printf(text, " [-W%s%s]", m->severity == SEVERITY_ERROR ? "error=" : "",
                   diag_warning_table[m->warning].name);
}

struct fixit_list {
    struct render_fixit *data;
    size_t len, cap;
};

/* Control characters neither have a column nor belong on a terminal. */
static bool is_drawable(const char *text) {
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            return false;
    return true;
}

/* Only fix-its within the shown line can be drawn; the JSON form has them all. */
static void collect_fixits(const struct diag *d, const struct message *m,
                           const struct source_place *p, struct fixit_list *list) {
    for (size_t i = 0; i < m->fixit_count; i++) {
        const struct fixit *f = &m->fixits[i];
        struct source_place at = diag_place(d, f->at);
        if (f->at.source != m->at.source || at.line != p->line || at.end_line != p->line ||
            !is_drawable(f->text))
            continue;
        struct render_fixit r = {at.column - 1, at.end_column - 1, f->text};
        vec_push(list, r);
    }
}

static size_t at_most(size_t value, size_t limit) {
    return value < limit ? value : limit;
}

static void print_text(const struct diag_printer *out, const struct diag *d,
                       const struct message *m, struct str *s) {
    struct source_place p = diag_place(d, m->at);
    struct str head = {0}, text = {0};
    put_head(&p, out->prefix, &head);
    put_text(m, &text);
    struct rendering r = {
        .head = str_text(&head), .severity = m->severity, .text = text.text, .color = out->color};
    struct fixit_list fixits = {0};
    if (p.line_text) {
        r.line = p.line_text;
        r.line_size = p.line_size;
        r.begin = at_most(p.column - 1, p.line_size);
        r.end = p.end_line > p.line ? p.line_size : at_most(p.end_column - 1, p.line_size);
        collect_fixits(d, m, &p, &fixits);
        r.fixits = fixits.data;
        r.fixit_count = fixits.len;
    }
    diag_render(&r, s);
    vec_free(&fixits);
    str_free(&head);
    str_free(&text);
}

static void json_number(struct json *j, const char *key, uint32_t value) {
    if (value)
        json_u64(j, key, value);
    else
        json_null(j, key);
}

static void json_place(struct json *j, const struct source_place *p) {
    if (p->name)
        json_string(j, "file", p->name);
    else
        json_null(j, "file");
    json_number(j, "line", p->line);
    json_number(j, "column", p->column);
    json_number(j, "end_line", p->end_line);
    json_number(j, "end_column", p->end_column);
}

static void json_fixits(struct json *j, const struct diag *d, const struct message *m) {
    json_array_begin(j, "fixits");
    for (size_t i = 0; i < m->fixit_count; i++) {
        struct source_place p = diag_place(d, m->fixits[i].at);
        json_object_begin(j, NULL);
        json_place(j, &p);
        json_string(j, "text", m->fixits[i].text);
        json_object_end(j);
    }
    json_array_end(j);
}

static void json_head(struct json *j, const struct diag *d, const struct message *m) {
    static const char *const severities[] = {"note", "warning", "error"};
    struct source_place p = diag_place(d, m->at);
    json_string(j, "severity", severities[m->severity]);
    if (m->warning >= 0)
        json_string(j, "warning", diag_warning_table[m->warning].name);
    else
        json_null(j, "warning");
    json_place(j, &p);
    json_string(j, "text", m->text);
}

/* Notes have no notes of their own. */
static void json_notes(struct json *j, const struct diag *d, const struct message *m) {
    json_array_begin(j, "notes");
    for (size_t i = 0; i < m->note_count; i++) {
        json_object_begin(j, NULL);
        json_head(j, d, &m->notes[i]);
        json_fixits(j, d, &m->notes[i]);
        json_object_end(j);
    }
    json_array_end(j);
}

static void print_json(const struct diag *d, const struct message *m, struct str *s) {
    struct json *j = json_new_line();
    json_object_begin(j, NULL);
    json_head(j, d, m);
    json_notes(j, d, m);
    json_fixits(j, d, m);
    json_object_end(j);
    json_finish(j, s);
}

void diag_format(const struct diag_printer *how, const struct diag *d, const struct message *m,
                 struct str *s) {
    if (how->format == DIAG_JSON) {
        print_json(d, m, s);
        return;
    }
    print_text(how, d, m, s);
    for (size_t i = 0; i < m->note_count; i++)
        print_text(how, d, &m->notes[i], s);
}

void diag_print(void *context, const struct diag *d, const struct message *m) {
    const struct diag_printer *out = context;
    struct str s = {0};
    diag_format(out, d, m, &s);
    fwrite(s.text, 1, s.len, out->out);
    fflush(out->out);
    str_free(&s);
}

bool diag_color_wanted(FILE *out) {
    const char *no_color = getenv("NO_COLOR");
    return isatty(fileno(out)) && !(no_color && *no_color);
}
