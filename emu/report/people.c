/* SPDX-License-Identifier: MIT
 * Figures as text for people: sections with one figure a line; a list of records is a table. */
#include "emu/report/figures.h"

#include <string.h>

struct table {
    size_t columns, rows;
    const struct figure **cells; /* [rows * columns] */
};

static void value_text(const struct figure *x, struct str *out) {
    if (x->kind == FIGURE_NUMBER)
        str_printf(out, "%llu", (unsigned long long)x->number);
    else if (x->kind == FIGURE_TEXT)
        str_append(out, x->text);
    else
        str_append(out, x->kind == FIGURE_NONE ? "-" : "unknown");
}

static size_t value_width(const struct figure *x) {
    struct str s = {0};
    value_text(x, &s);
    size_t n = s.len;
    str_free(&s);
    return n;
}

static void pad(struct str *out, size_t n) {
    while (n-- > 0)
        str_char(out, ' ');
}

/* list[at] begins an array of objects that hold values alone; the index behind it. */
static size_t read_table(const struct figures *f, size_t at, struct table *t) {
    VEC(const struct figure *) cells = {0};
    *t = (struct table){0};
    for (at++; f->list.data[at].kind != FIGURE_END; at++) {
        for (at++; f->list.data[at].kind != FIGURE_END; at++)
            vec_push(&cells, &f->list.data[at]);
        t->rows++;
        if (t->rows == 1)
            t->columns = cells.len;
    }
    t->cells = cells.data;
    return at;
}

static bool numeric(const struct figure *x) {
    return x->kind != FIGURE_TEXT;
}

static void cell(struct str *out, const char *text, size_t len, size_t width, bool right) {
    pad(out, 2 + (right ? width - len : 0));
    str_append_n(out, text, len);
    if (!right)
        pad(out, width - len);
}

static void end_line(struct str *out) {
    while (out->len && out->text[out->len - 1] == ' ')
        out->text[--out->len] = '\0';
    str_char(out, '\n');
}

static size_t *column_widths(const struct table *t) {
    size_t *widths = xcalloc(t->columns + 1, sizeof *widths);
    for (size_t c = 0; c < t->columns; c++) {
        widths[c] = strlen(t->cells[c]->key);
        for (size_t r = 0; r < t->rows; r++) {
            size_t n = value_width(t->cells[r * t->columns + c]);
            widths[c] = n > widths[c] ? n : widths[c];
        }
    }
    return widths;
}

static void table_text(const struct table *t, struct str *out) {
    size_t *widths = column_widths(t);
    for (size_t c = 0; t->rows && c < t->columns; c++)
        cell(out, t->cells[c]->key, strlen(t->cells[c]->key), widths[c], numeric(t->cells[c]));
    if (t->rows)
        end_line(out);
    for (size_t i = 0; i < t->rows * t->columns; i++) {
        struct str value = {0};
        value_text(t->cells[i], &value);
        cell(out, str_text(&value), value.len, widths[i % t->columns], numeric(t->cells[i]));
        if (i % t->columns == t->columns - 1)
            end_line(out);
        str_free(&value);
    }
    free(widths);
}

/* A list of plain values goes on one line. */
static size_t value_list(const struct figures *f, size_t at, struct str *out) {
    str_printf(out, "  %-34s", f->list.data[at].key);
    for (at++; f->list.data[at].kind != FIGURE_END; at++) {
        str_char(out, ' ');
        value_text(&f->list.data[at], out);
    }
    end_line(out);
    return at;
}

static size_t array_text(const struct figures *f, size_t at, struct str *out) {
    struct table t;
    if (f->list.data[at + 1].kind != FIGURE_OBJECT && f->list.data[at + 1].kind != FIGURE_END)
        return value_list(f, at, out);
    at = read_table(f, at, &t);
    table_text(&t, out);
    free(t.cells);
    return at;
}

static void heading(struct str *out, const char *key) {
    if (out->len)
        str_char(out, '\n');
    str_printf(out, "%s\n", key);
}

void figures_people(const struct figures *f, struct str *out) {
    size_t depth = 0;
    for (size_t i = 0; i < f->list.len; i++) {
        const struct figure *x = &f->list.data[i];
        bool empty = i + 1 < f->list.len && f->list.data[i + 1].kind == FIGURE_END;
        if (x->kind == FIGURE_END) {
            depth--;
        } else if (x->kind == FIGURE_OBJECT || x->kind == FIGURE_ARRAY) {
            if (x->key && (depth == 1 || x->kind == FIGURE_OBJECT) && !empty)
                heading(out, x->key);
            else if (x->key && x->kind == FIGURE_ARRAY && !empty &&
                     f->list.data[i + 1].kind == FIGURE_OBJECT)
                str_printf(out, "  %s\n", x->key);
            if (x->kind == FIGURE_ARRAY)
                i = array_text(f, i, out);
            else
                depth++;
        } else {
            str_printf(out, "  %-34s ", x->key);
            value_text(x, out);
            str_char(out, '\n');
        }
    }
}
