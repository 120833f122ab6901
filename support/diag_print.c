/* SPDX-License-Identifier: MIT
 * A diagnostic as text or as a line of JSON. */
#include "support/diag.h"

#include "support/diag_place.h"
#include "support/json.h"
#include "support/llvm/render.h"
#include "support/str.h"
#include "support/vec.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void put_head(const struct source_place *place, const char *prefix, struct str *head) {
    str_visible(head, place->name ? place->name : prefix ? prefix : "");
    if (place->line)
        str_printf(head, ":%u", place->line);
    if (place->line && place->column)
        str_printf(head, ":%u", place->column);
}

static void put_text(const struct message *message, struct str *text) {
    str_append(text, message->text);
    if (message->warning >= 0)
        str_printf(text, " [-W%s%s]", message->severity == SEVERITY_ERROR ? "error=" : "",
                   diag_warning_table[message->warning].name);
}

struct fixit_list {
    struct render_fixit *data;
    size_t len, cap;
};

/* Control characters neither have a column nor belong on a terminal. */
static bool is_drawable(const char *text) {
    for (; *text; text++)
        if (str_control(text))
            return false;
    return true;
}

/* Only fix-its within the shown line can be drawn; the JSON form has them all. */
static void collect_fixits(const struct diag *diag, const struct message *message,
                           const struct source_place *place, struct fixit_list *list) {
    for (size_t i = 0; i < message->fixit_count; i++) {
        const struct fixit *f = &message->fixits[i];
        struct source_place at = diag_place(diag, f->at);
        if (f->at.source != message->at.source || at.line != place->line ||
            at.end_line != place->line || !is_drawable(f->text))
            continue;
        struct render_fixit r = {at.column - 1, at.end_column - 1, f->text};
        vec_push(list, r);
    }
}

static size_t at_most(size_t value, size_t limit) {
    return value < limit ? value : limit;
}

static void print_text(const struct diag_printer *out, const struct diag *diag,
                       const struct message *message, struct str *str) {
    struct source_place p = diag_place(diag, message->at);
    struct str head = {0}, text = {0};
    put_head(&p, out->prefix, &head);
    put_text(message, &text);
    struct rendering r = {.head = str_text(&head),
                          .severity = message->severity,
                          .text = text.text,
                          .color = out->color};
    struct fixit_list fixits = {0};
    if (p.line_text) {
        r.line = p.line_text;
        r.line_size = p.line_size;
        r.begin = at_most(p.column - 1, p.line_size);
        r.end = p.end_line > p.line ? p.line_size : at_most(p.end_column - 1, p.line_size);
        collect_fixits(diag, message, &p, &fixits);
        r.fixits = fixits.data;
        r.fixit_count = fixits.len;
    }
    diag_render(&r, str);
    vec_free(&fixits);
    str_free(&head);
    str_free(&text);
}

static void json_number(struct json *json, const char *key, uint32_t value) {
    if (value)
        json_u64(json, key, value);
    else
        json_null(json, key);
}

static void json_place(struct json *json, const struct source_place *place) {
    if (place->name)
        json_string(json, "file", place->name);
    else
        json_null(json, "file");
    json_number(json, "line", place->line);
    json_number(json, "column", place->column);
    json_number(json, "end_line", place->end_line);
    json_number(json, "end_column", place->end_column);
}

static void json_fixits(struct json *json, const struct diag *diag, const struct message *message) {
    json_array_begin(json, "fixits");
    for (size_t i = 0; i < message->fixit_count; i++) {
        struct source_place p = diag_place(diag, message->fixits[i].at);
        json_object_begin(json, NULL);
        json_place(json, &p);
        json_string(json, "text", message->fixits[i].text);
        json_object_end(json);
    }
    json_array_end(json);
}

static void json_head(struct json *json, const struct diag *diag, const struct message *message) {
    static const char *const severities[] = {"note", "warning", "error"};
    struct source_place p = diag_place(diag, message->at);
    json_string(json, "severity", severities[message->severity]);
    if (message->warning >= 0)
        json_string(json, "warning", diag_warning_table[message->warning].name);
    else
        json_null(json, "warning");
    json_place(json, &p);
    json_string(json, "text", message->text);
}

/* Notes have no notes of their own. */
static void json_notes(struct json *json, const struct diag *diag, const struct message *message) {
    json_array_begin(json, "notes");
    for (size_t i = 0; i < message->note_count; i++) {
        json_object_begin(json, NULL);
        json_head(json, diag, &message->notes[i]);
        json_fixits(json, diag, &message->notes[i]);
        json_object_end(json);
    }
    json_array_end(json);
}

static void print_json(const struct diag *diag, const struct message *message, struct str *str) {
    struct json *j = json_new_line();
    json_object_begin(j, NULL);
    json_head(j, diag, message);
    json_notes(j, diag, message);
    json_fixits(j, diag, message);
    json_object_end(j);
    json_finish(j, str);
}

void diag_format(const struct diag_printer *how, const struct diag *diag,
                 const struct message *message, struct str *str) {
    if (how->format == DIAG_JSON) {
        print_json(diag, message, str);
        return;
    }
    print_text(how, diag, message, str);
    for (size_t i = 0; i < message->note_count; i++)
        print_text(how, diag, &message->notes[i], str);
}

void diag_print(void *context, const struct diag *diag, const struct message *message) {
    const struct diag_printer *out = context;
    struct str s = {0};
    diag_format(out, diag, message, &s);
    if (out->erase)
        fputs(out->erase, out->out);
    fwrite(s.text, 1, s.len, out->out);
    fflush(out->out);
    str_free(&s);
}

bool diag_color_wanted(FILE *out) {
    const char *no_color = getenv("NO_COLOR");
    return isatty(fileno(out)) && !(no_color && *no_color);
}
