/* SPDX-License-Identifier: MIT */
#include "tests/figures/csv.h"

#include <string.h>

struct reader {
    const char *at;
    unsigned line;
    struct arena *arena;
    const char *why;
};

static bool quoted(struct reader *r, struct str *out) {
    for (r->at++; *r->at; r->at++) {
        if (*r->at == '"' && r->at[1] != '"') {
            r->at++;
            return true;
        }
        r->at += *r->at == '"';
        r->line += *r->at == '\n';
        str_char(out, *r->at);
    }
    r->why = "a quoted field has no end";
    return false;
}

static const char *field(struct reader *r) {
    struct str s = {0};
    bool fine = true;
    if (*r->at == '"') {
        fine = quoted(r, &s);
    } else {
        size_t n = strcspn(r->at, ",\"\r\n");
        str_append_n(&s, r->at, n);
        r->at += n;
    }
    if (fine && *r->at && !strchr(",\r\n", *r->at))
        r->why = "a quote in the middle of a field";
    const char *text = arena_strdup(r->arena, str_text(&s));
    str_free(&s);
    return text;
}

static void end_line(struct reader *r) {
    r->at += *r->at == '\r';
    if (*r->at == '\n') {
        r->at++;
        r->line++;
    }
}

static struct csv_row row(struct reader *r) {
    VEC(const char *) fields = {0};
    struct csv_row out = {.line = r->line};
    do {
        r->at += fields.len && *r->at == ',';
        vec_push(&fields, field(r));
    } while (!r->why && *r->at == ',');
    end_line(r);
    out.count = fields.len;
    out.fields = ARENA_ARRAY(r->arena, fields.len, const char *);
    memcpy(out.fields, fields.data, fields.len * sizeof *out.fields);
    vec_free(&fields);
    return out;
}

bool csv_parse(const char *text, struct arena *a, struct csv *out, const char **why,
               unsigned *line) {
    struct reader r = {.at = text, .line = 1, .arena = a};
    while (*r.at && !r.why) {
        if (strchr("#\r\n", *r.at)) {
            r.at += strcspn(r.at, "\n");
            end_line(&r);
            continue;
        }
        struct csv_row next = row(&r);
        vec_push(&out->rows, next);
    }
    *why = r.why;
    *line = r.line;
    return !r.why;
}

void csv_field(const char *text, struct str *out) {
    if (!strpbrk(text, ",\"\r\n") && *text != '#') {
        str_append(out, text);
        return;
    }
    str_char(out, '"');
    for (; *text; text++) {
        if (*text == '"')
            str_char(out, '"');
        str_char(out, *text);
    }
    str_char(out, '"');
}

int csv_column(const struct csv *c, const char *name) {
    for (size_t i = 0; c->rows.len && i < c->rows.data[0].count; i++)
        if (strcmp(c->rows.data[0].fields[i], name) == 0)
            return (int)i;
    return -1;
}

void csv_free(struct csv *c) {
    vec_free(&c->rows);
}
