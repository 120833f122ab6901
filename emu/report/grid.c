/* SPDX-License-Identifier: MIT
 * Cells are kept until all are there, since a column is as wide as its widest cell. */
#include "emu/report/grid.h"

#include <stdlib.h>

void report_grid_add(struct grid *grid, struct str *text, bool right) {
    struct grid_cell c = {xstrdup(str_text(text)), right};
    vec_push(&grid->cells, c);
    str_clear(text);
}

void report_grid_free(struct grid *grid) {
    for (size_t i = 0; i < grid->cells.len; i++)
        free(grid->cells.data[i].text);
    vec_free(&grid->cells);
    vec_free(&grid->bars);
}

/* Characters of UTF-8: bytes that continue none. */
static size_t width_of(const char *text) {
    size_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static size_t column_width(const struct grid *grid, size_t column) {
    size_t width = 0;
    for (size_t i = column; i < grid->cells.len; i += grid->columns) {
        size_t n = width_of(grid->cells.data[i].text);
        width = n > width ? n : width;
    }
    return width;
}

static void repeat(struct str *out, char character, size_t n) {
    while (n-- > 0)
        str_char(out, character);
}

static void cell(const struct grid_cell *cell, size_t width, struct str *out) {
    size_t blanks = width - width_of(cell->text);
    repeat(out, ' ', 2 + (cell->right ? blanks : 0));
    str_append(out, cell->text);
    repeat(out, ' ', cell->right ? 0 : blanks);
}

static void end_line(struct str *out) {
    while (out->len && out->text[out->len - 1] == ' ')
        out->text[--out->len] = '\0';
    str_char(out, '\n');
}

/* Between 8 and 40 columns; else none. */
static size_t bar_room(size_t used, unsigned width) {
    size_t room = width > used + 3 ? width - used - 3 : 0;
    return room < 8 ? 0 : room > 40 ? 40 : room;
}

#define PAGE 160 /* characters of a line of a grid that may be cut */

/* The columns that name rows, and first .. end - 1. */
static void print_columns(const struct grid *grid, const size_t *widths, size_t names, size_t first,
                          size_t end, unsigned width, struct str *out) {
    size_t used = 0;
    for (size_t c = 0; c < grid->columns; c++)
        used += c < names || (c >= first && c < end) ? widths[c] + 2 : 0;
    const size_t room = first <= names ? bar_room(used, width) : 0;
    for (size_t i = 0; i < grid->cells.len; i++) {
        size_t row = i / grid->columns, c = i % grid->columns;
        if (c < names || (c >= first && c < end))
            cell(&grid->cells.data[i], widths[c], out);
        if (c + 1 < grid->columns)
            continue;
        str_append(out, "  ");
        if (row > 0 && row <= grid->bars.len)
            repeat(out, '#', (size_t)((grid->bars.data[row - 1] * room + 500000) / 1000000));
        end_line(out);
    }
}

void report_grid_print(const struct grid *grid, size_t names, unsigned width, struct str *out) {
    size_t *widths = xcalloc(grid->columns + 1, sizeof *widths), front = 0;
    for (size_t c = 0; c < grid->columns; c++) {
        widths[c] = column_width(grid, c);
        front += c < names ? widths[c] + 2 : 0;
    }
    for (size_t first = names, end; first < grid->columns; first = end) {
        size_t used = front;
        for (end = first; end < grid->columns; end++) {
            used += widths[end] + 2;
            if (names && used > PAGE && end > first)
                break;
        }
        if (first > names)
            str_char(out, '\n');
        print_columns(grid, widths, names, first, end, width, out);
    }
    free(widths);
}
