/* SPDX-License-Identifier: MIT */
#include "fact.h"

#include "tests/figures/csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIGURE, QUANTITY, SUBJECT, SETTING, VALUE, UNIT, PRINTED, AGREES, SOURCE, NOTE, COLUMNS };

/* ---- reading ---- */

static bool read_printed(struct fact *f, const char *text) {
    static const char *const names[] = {"rounded", "truncated", "within ", "given"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(text, names[i], strlen(names[i])) == 0) {
            f->printed = (enum fact_printed)i;
            f->within = f->printed == FACT_WITHIN ? strtod(text + strlen(names[i]), NULL) : 0;
            return true;
        }
    return false;
}

static bool read_agrees(struct fact *f, const char *text) {
    f->agrees[WAY_RELEASE] = strcmp(text, "release") == 0 || strcmp(text, "both") == 0;
    f->agrees[WAY_MACHINE] = strcmp(text, "formula and machine") == 0;
    f->agrees[WAY_FORMULA] =
        strcmp(text, "formula") == 0 || strcmp(text, "both") == 0 || f->agrees[WAY_MACHINE];
    f->none = strcmp(text, "none") == 0;
    bool some = f->agrees[WAY_RELEASE] || f->agrees[WAY_FORMULA];
    return f->printed == FACT_GIVEN ? !*text : some || f->none;
}

static const char *read_row(const struct csv_row *row, struct fact *f) {
    char *end;
    if (row->count != COLUMNS)
        return "not ten columns";
    *f = (struct fact){.figure = row->fields[FIGURE],
                       .quantity = row->fields[QUANTITY],
                       .subject = row->fields[SUBJECT],
                       .setting = row->fields[SETTING],
                       .text = row->fields[VALUE],
                       .unit = row->fields[UNIT],
                       .source = row->fields[SOURCE],
                       .note = row->fields[NOTE],
                       .line = row->line};
    f->value = strtod(f->text, &end);
    if (end == f->text || *end)
        return "the value is no number";
    if (!read_printed(f, row->fields[PRINTED]))
        return "printed is unknown";
    if (!read_agrees(f, row->fields[AGREES]))
        return "agrees is unknown, or of a given value";
    return f->none && !*f->note ? "what nothing gives needs a note" : NULL;
}

bool facts_read(const char *text, struct facts *out, const char **why) {
    struct csv csv = {0};
    unsigned line = 0;
    if (csv_parse(text, &out->arena, &csv, why, &line))
        for (size_t i = 1; i < csv.rows.len && !*why; i++) {
            struct fact f;
            line = csv.rows.data[i].line;
            *why = read_row(&csv.rows.data[i], &f);
            vec_push(&out->list, f);
        }
    csv_free(&csv);
    if (*why)
        *why = arena_printf(&out->arena, "line %u: %s", line, *why);
    return !*why;
}

void facts_free(struct facts *f) {
    vec_free(&f->list);
    arena_free(&f->arena);
}

/* ---- settings ---- */

const char *fact_setting(struct facts *all, const struct fact *f, const char *key) {
    size_t n = strlen(key);
    for (const char *at = f->setting; *at; at += at[0] == ';') {
        size_t length = strcspn(at, ";");
        if (length > n && strncmp(at, key, n) == 0 && at[n] == '=')
            return arena_strndup(&all->arena, at + n + 1, length - n - 1);
        at += length;
    }
    return NULL;
}

double fact_number(struct facts *all, const struct fact *f, const char *key) {
    const char *text = fact_setting(all, f, key);
    return text ? strtod(text, NULL) : 0;
}

const struct fact *fact_find(const struct facts *all, const char *figure, const char *quantity,
                             const char *subject, const char *setting) {
    for (size_t i = 0; i < all->list.len; i++) {
        const struct fact *f = &all->list.data[i];
        if (strcmp(f->figure, figure) == 0 && strcmp(f->quantity, quantity) == 0 &&
            (!subject || strcmp(f->subject, subject) == 0) && strstr(f->setting, setting))
            return f;
    }
    return NULL;
}

double fact_given(const struct facts *all, const char *figure, const char *quantity,
                  const char *subject, const char *setting) {
    const struct fact *f = fact_find(all, figure, quantity, subject, setting);
    if (!f) {
        fprintf(stderr, "no fact %s, %s, %s\n", figure, quantity, subject);
        abort();
    }
    return f->value;
}

/* ---- agreement ---- */

unsigned fact_decimals(const struct fact *f) {
    const char *point = strchr(f->text, '.');
    return point ? (unsigned)strlen(point + 1) : 0;
}

bool fact_agrees(const struct fact *f, double ours) {
    double last = pow(10, -(double)fact_decimals(f)), hair = last * 1e-6;
    if (f->printed == FACT_WITHIN)
        return fabs(ours - f->value) <= f->within;
    if (f->printed == FACT_TRUNCATED)
        return ours >= f->value - hair && ours < f->value + last;
    return fabs(ours - f->value) <= last / 2 + hair;
}
