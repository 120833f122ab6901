/* SPDX-License-Identifier: MIT */
#include "emu/report/grid.h"

#include <stdlib.h>

void report_grid_add(struct grid *g, struct str *text, bool right) {
    struct grid_cell c = {xstrdup(str_text(text)), right};
    vec_push(&g->cells, c);
    str_clear(text);
}

void report_grid_free(struct grid *g) {
    for (size_t i = 0; i < g->cells.len; i++)
        free(g->cells.data[i].text);
    vec_free(&g->cells);
    vec_free(&g->bars);
}

/* Characters of UTF-8: bytes that continue none. */
static size_t width_of(const char *text) {
    size_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static size_t column_width(const struct grid *g, size_t column) {
    size_t width = 0;
    for (size_t i = column; i < g->cells.len; i += g->columns) {
        size_t n = width_of(g->cells.data[i].text);
        width = n > width ? n : width;
    }
    return width;
}

static void repeat(struct str *out, char c, size_t n) {
    while (n-- > 0)
        str_char(out, c);
}

static void cell(const struct grid_cell *c, size_t width, struct str *out) {
    size_t blanks = width - width_of(c->text);
    repeat(out, ' ', 2 + (c->right ? blanks : 0));
    str_append(out, c->text);
    repeat(out, ' ', c->right ? 0 : blanks);
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

void report_grid_print(const struct grid *g, unsigned width, struct str *out) {
    size_t *widths = xcalloc(g->columns + 1, sizeof *widths), used = 0;
    for (size_t c = 0; c < g->columns; c++) {
        widths[c] = column_width(g, c);
        used += widths[c] + 2;
    }
    size_t room = bar_room(used, width);
    for (size_t i = 0; i < g->cells.len; i++) {
        size_t row = i / g->columns, c = i % g->columns;
        cell(&g->cells.data[i], widths[c], out);
        if (c + 1 < g->columns)
            continue;
        str_append(out, "  ");
        if (row > 0 && row <= g->bars.len)
            repeat(out, '#', (size_t)((g->bars.data[row - 1] * room + 500000) / 1000000));
        end_line(out);
    }
    free(widths);
}
