/* SPDX-License-Identifier: MIT */
#include "tests/figures/csv.h"
#include "tests/figures/figures.h"

#include <stdio.h>
#include <string.h>

/* What a command wrote, read once. */
struct output {
    const char *command;
    struct csv csv;
    const char *text; /* NULL: it failed */
};
struct outputs {
    VEC(struct output) list;
};

static const char *run(const char *set_up, const char *command, struct arena *a) {
    struct str line = {0}, text = {0};
    char piece[4096];
    size_t n;
    str_printf(&line, "%s\n%s", set_up, command);
    fflush(stdout);
    FILE *pipe = popen(str_text(&line), "r");
    while (pipe && (n = fread(piece, 1, sizeof piece, pipe)) > 0)
        str_append_n(&text, piece, n);
    const char *kept = pipe && pclose(pipe) == 0 ? arena_strdup(a, str_text(&text)) : NULL;
    str_free(&line);
    str_free(&text);
    return kept;
}

static const struct output *output_of(struct outputs *o, const char *set_up, const char *command,
                                      struct arena *a) {
    for (size_t i = 0; i < o->list.len; i++)
        if (strcmp(o->list.data[i].command, command) == 0)
            return &o->list.data[i];
    struct output x = {.command = command, .text = run(set_up, command, a)};
    const char *why;
    unsigned line;
    if (x.text && !csv_parse(x.text, a, &x.csv, &why, &line))
        x.text = NULL;
    vec_push(&o->list, x);
    return &vec_last(&o->list);
}

/* --- which value of the output --- */

struct selector {
    VEC(const char *) conditions; /* "column=text" */
    const char *column;
    double divisor;
};

/* False when it cannot be read. */
static bool selector_read(const char *text, struct selector *s, struct arena *a) {
    s->divisor = 1;
    for (const char *at = text; *at;) {
        size_t n = strcspn(at, " ");
        const char *word = arena_strndup(a, at, n);
        at += n + strspn(at + n, " ");
        if (*word == '/') {
            if (!number_parse_double(word + 1, strlen(word + 1), &s->divisor) || s->divisor <= 0)
                return false;
        } else if (strchr(word, '=')) {
            vec_push(&s->conditions, word);
        } else {
            s->column = word;
        }
    }
    return s->column != NULL;
}

static bool fits(const struct csv *c, const struct csv_row *row, const struct selector *s,
                 struct arena *a) {
    for (size_t i = 0; i < s->conditions.len; i++) {
        const char *word = s->conditions.data[i], *equals = strchr(word, '=');
        int column = csv_column(c, arena_strndup(a, word, (size_t)(equals - word)));
        if (column < 0 || (size_t)column >= row->count ||
            strcmp(row->fields[column], equals + 1) != 0)
            return false;
    }
    return true;
}

static const char *divided(const char *text, double divisor, struct arena *a) {
    double value;
    if (divisor == 1 || !number_parse_double(text, strlen(text), &value))
        return text;
    return arena_printf(a, "%.6g", value / divisor);
}

/* The value; NULL if the output has none. */
static const char *selected(const struct csv *c, const char *value, struct arena *a) {
    struct selector s = {0};
    const char *found = NULL;
    bool fine = selector_read(value, &s, a);
    int column = fine ? csv_column(c, s.column) : -1;
    for (size_t i = 1; column >= 0 && i < c->rows.len && !found; i++)
        if ((size_t)column < c->rows.data[i].count && fits(c, &c->rows.data[i], &s, a))
            found = divided(c->rows.data[i].fields[column], s.divisor, a);
    vec_free(&s.conditions);
    return found;
}

static const char *one_number(const char *text, struct arena *a) {
    size_t n = strcspn(text, "\n");
    double value;
    return number_parse_double(text, n, &value) ? arena_strndup(a, text, n) : NULL;
}

static void compute(struct figure_list *l, struct published_figure *f, const struct output *o,
                    struct str *errors) {
    const char *ours = !o->text    ? NULL
                       : *f->value ? selected(&o->csv, f->value, &l->arena)
                                   : one_number(o->text, &l->arena);
    if (ours)
        f->ours = ours;
    else
        str_printf(errors, "line %u: %s: %s: %s\n", f->line, f->id,
                   o->text ? "the command does not write that value" : "the command failed",
                   f->command);
}

bool figures_compute(struct figure_list *l, const char *set_up, struct str *errors) {
    struct outputs outputs = {0};
    size_t before = errors->len;
    for (size_t i = 0; i < l->figures.len; i++) {
        struct published_figure *f = &l->figures.data[i];
        if (*f->command)
            compute(l, f, output_of(&outputs, set_up, f->command, &l->arena), errors);
        else
            f->ours = "";
    }
    for (size_t i = 0; i < outputs.list.len; i++)
        csv_free(&outputs.list.data[i].csv);
    vec_free(&outputs.list);
    return errors->len == before;
}
