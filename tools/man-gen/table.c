/* SPDX-License-Identifier: MIT */
#include "support/vec.h"
#include "tools/man-gen/markdown.h"
#include "tools/man-gen/roff.h"

#include <string.h>

struct table_cell {
    const char *text;
    size_t len;
};

struct cells {
    struct table_cell *data; /* row by row, without the line below the head */
    size_t len, cap;
    size_t columns;
};

/* In characters: a line of a page on a terminal of 80; between two columns; the least width of a
 * column whose cells are broken into lines; the longest cell that tbl sets on one sheet. */
enum { PAGE_WIDTH = 70, COLUMN_GAP = 3, BROKEN_WIDTH = 14, LONGEST_CELL = 500 };

/* The end of a cell: "|" not behind a backslash. */
static const char *cell_end(const char *text, const char *end) {
    while (text < end && *text != '|')
        text += *text == '\\' && text + 1 < end ? 2 : 1;
    return text;
}

static struct table_cell trimmed(const char *text, const char *end) {
    while (text < end && *text == ' ')
        text++;
    while (end > text && end[-1] == ' ')
        end--;
    return (struct table_cell){text, (size_t)(end - text)};
}

/* The cells of "| a | b |"; returns how many. */
static size_t read_row(struct cells *t, const char *line, const char *end) {
    size_t count = 0;
    while (end > line && end[-1] == ' ')
        end--;
    for (line++; line < end; count++) {
        const char *stop = cell_end(line, end);
        vec_push(t, trimmed(line, stop));
        line = stop + 1;
    }
    return count;
}

static void fill_row(struct cells *t, size_t count) {
    for (; count < t->columns; count++)
        vec_push(t, ((struct table_cell){"", 0}));
}

/* Rows are as long as the head: shorter ones get empty cells, cells beyond are dropped. */
static void read_table(struct cells *t, const char *text, size_t len) {
    const char *end = text + len;
    for (size_t row = 0; text < end; row++) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const char *stop = newline ? newline : end;
        size_t before = t->len, count = read_row(t, text, stop);
        if (row == 0)
            t->columns = count;
        fill_row(t, count);
        t->len = before + (row == 1 ? 0 : t->columns);
        text = stop + (stop < end);
    }
}

/* Within a table "\|" is the sign "|", in code as well. */
static void put_cell(struct str *out, struct table_cell c) {
    struct str text = {0};
    for (size_t i = 0; i < c.len; i++)
        if (c.text[i] != '\\' || i + 1 == c.len || c.text[i + 1] != '|')
            str_char(&text, c.text[i]);
    roff_inline(out, str_text(&text), text.len, false);
    str_free(&text);
}

/* An empty line would end the entry. */
static void put_term(struct str *out, struct table_cell c) {
    str_append(out, ".TP\n");
    str_append(out, c.len ? "" : "\\&");
    put_cell(out, c);
    str_char(out, '\n');
}

/* "term   what it is", for which man pages have a form of their own. */
static void put_terms(struct str *out, const struct cells *t) {
    for (size_t i = 2; i + 1 < t->len; i += 2) {
        put_term(out, t->data[i]);
        str_append(out, t->data[i + 1].len ? "" : "\\&");
        put_cell(out, t->data[i + 1]);
        str_char(out, '\n');
    }
}

static size_t column_width(const struct cells *t, size_t column) {
    size_t width = 0;
    for (size_t i = column; i < t->len; i += t->columns)
        if (t->data[i].len > width)
            width = t->data[i].len;
    return width;
}

static size_t longest_word(struct table_cell c) {
    size_t longest = 0, length = 0;
    for (size_t i = 0; i < c.len; i++) {
        length = c.text[i] == ' ' ? 0 : length + 1;
        if (length > longest)
            longest = length;
    }
    return longest;
}

/* What a column needs whose cells are broken into lines. */
static size_t least_width(const struct cells *t, size_t column) {
    size_t least = BROKEN_WIDTH;
    for (size_t i = column; i < t->len; i += t->columns)
        if (longest_word(t->data[i]) > least)
            least = longest_word(t->data[i]);
    return least;
}

/* The room that a table takes at least when columns of more than `limit` characters are broken;
 * *wide: the widths of those columns together. */
static size_t least_room(const struct cells *t, size_t limit, size_t *wide) {
    size_t room = (t->columns - 1) * COLUMN_GAP;
    *wide = 0;
    for (size_t c = 0; c < t->columns; c++) {
        size_t width = column_width(t, c);
        *wide += width > limit ? width : 0;
        room += width > limit ? least_width(t, c) : width;
    }
    return room;
}

/* How wide a column may be that is not broken into lines.  0: the table is too large for a page. */
static size_t unbroken_limit(const struct cells *t) {
    for (size_t i = 0; i < t->len; i++)
        if (t->data[i].len > LONGEST_CELL)
            return 0;
    size_t wide, limit = PAGE_WIDTH;
    while (limit >= BROKEN_WIDTH && least_room(t, limit, &wide) > PAGE_WIDTH)
        limit--;
    return limit >= BROKEN_WIDTH ? limit : 0;
}

/* Columns that are broken share what is left of a line, in proportion to their widths. */
static void put_format(struct str *out, const struct cells *t, size_t limit) {
    size_t wide, room = PAGE_WIDTH - least_room(t, limit, &wide);
    for (size_t c = 0; c < t->columns; c++) {
        size_t width = column_width(t, c);
        str_append(out, c ? " l" : "l");
        if (width > limit)
            str_printf(out, "w(%zun)", least_width(t, c) + room * width / wide);
    }
    str_append(out, ".\n");
}

static void put_tbl_cell(struct str *out, struct table_cell c, bool block, bool head) {
    str_append(out, block ? "T{\n" : "");
    str_append(out, head ? "\\fI" : "\\&");
    put_cell(out, c);
    str_append(out, head ? "\\fR" : "");
    str_append(out, block ? "\nT}" : "");
}

static void put_tbl(struct str *out, const struct cells *t, size_t limit) {
    roff_paragraph(out);
    str_append(out, ".TS\n");
    put_format(out, t, limit);
    for (size_t i = 0; i < t->len; i++) {
        size_t column = i % t->columns;
        put_tbl_cell(out, t->data[i], column_width(t, column) > limit, i < t->columns);
        str_append(out, column + 1 < t->columns ? "\t" : "\n");
    }
    str_append(out, ".TE\n");
}

/* A table that no page holds: the first cell of a row as term, behind it the others with the heads
 * of their columns. */
static void put_records(struct str *out, const struct cells *t) {
    for (size_t row = t->columns; row < t->len; row += t->columns) {
        put_term(out, t->data[row]);
        const char *glue = "\\&";
        for (size_t c = 1; c < t->columns; c++) {
            if (!t->data[row + c].len)
                continue;
            str_append(out, glue);
            put_cell(out, t->data[c]);
            str_append(out, ": ");
            put_cell(out, t->data[row + c]);
            glue = "; ";
        }
        str_append(out, *glue == ';' ? "\n" : "\\&\n");
    }
}

/* The ISA reference's columns: instruction, set, syntax, operation. */
static bool lists_instructions(const struct cells *t) {
    static const char name[] = "syntax";
    return t->columns == 4 && t->data[2].len == sizeof name - 1 &&
           memcmp(t->data[2].text, name, sizeof name - 1) == 0;
}

static void put_instructions(struct str *out, const struct cells *t) {
    for (size_t row = t->columns; row < t->len; row += t->columns) {
        put_term(out, t->data[row + 2]);
        put_cell(out, t->data[row + 3]);
        str_append(out, " (set ");
        put_cell(out, t->data[row + 1]);
        str_append(out, ")\n");
    }
}

void table_to_man(struct str *out, const char *text, size_t len) {
    struct cells t = {0};
    read_table(&t, text, len);
    size_t limit = t.columns > 2 ? unbroken_limit(&t) : 0;
    if (lists_instructions(&t))
        put_instructions(out, &t);
    else if (limit)
        put_tbl(out, &t, limit);
    else if (t.columns > 2)
        put_records(out, &t);
    else if (t.columns == 2)
        put_terms(out, &t);
    vec_free(&t);
}
