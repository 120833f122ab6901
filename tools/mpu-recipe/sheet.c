/* SPDX-License-Identifier: MIT
 * Cells row by row; a column is as wide as its widest cell. */
#include "tools/mpu-recipe/sheet.h"

#include <string.h>

void sheet_text(struct recipe_sheet *sheet, const char *cell) {
    vec_push(&sheet->cells, arena_strdup(&sheet->arena, cell));
}

void sheet_number(struct recipe_sheet *sheet, uint64_t n) {
    vec_push(&sheet->cells, arena_printf(&sheet->arena, "%llu", (unsigned long long)n));
}

void sheet_ratio(struct recipe_sheet *sheet, uint64_t left, uint64_t right) {
    vec_push(&sheet->cells,
             left ? arena_printf(&sheet->arena, "%.3f", (double)right / (double)left) : "-");
}

static bool is_number(const char *cell) {
    return cell[strspn(cell, "0123456789.")] == '\0' || strcmp(cell, "-") == 0;
}

struct column {
    size_t width;
    bool numbers; /* all cells below the heading */
};

static void measure(const struct recipe_sheet *sheet, struct column *columns) {
    for (unsigned k = 0; k < sheet->columns; k++)
        columns[k] = (struct column){0, true};
    for (size_t i = 0; i < sheet->cells.len; i++) {
        struct column *c = &columns[i % sheet->columns];
        size_t n = strlen(sheet->cells.data[i]);
        c->width = n > c->width ? n : c->width;
        c->numbers &= i < sheet->columns || is_number(sheet->cells.data[i]);
    }
}

static void print_cell(const struct column *column, const char *cell, bool last, struct str *out) {
    int width = (int)column->width;
    if (column->numbers)
        str_printf(out, "%*s", width, cell);
    else
        str_printf(out, "%-*s", last ? 0 : width, cell);
    str_append(out, last ? "\n" : "  ");
}

void sheet_print(const struct recipe_sheet *sheet, struct str *out) {
    struct column *columns = xcalloc(sheet->columns, sizeof *columns);
    measure(sheet, columns);
    for (size_t i = 0; i < sheet->cells.len; i++)
        print_cell(&columns[i % sheet->columns], sheet->cells.data[i],
                   i % sheet->columns + 1 == sheet->columns, out);
    free(columns);
}

/* A cell with a comma, a quote or a line end stands in quotes. */
static void csv_cell(const char *cell, struct str *out) {
    if (!strpbrk(cell, ",\"\r\n")) {
        str_append(out, cell);
        return;
    }
    str_char(out, '"');
    for (; *cell; cell++) {
        if (*cell == '"')
            str_char(out, '"');
        str_char(out, *cell);
    }
    str_char(out, '"');
}

void sheet_print_csv(const struct recipe_sheet *sheet, struct str *out) {
    for (size_t i = 0; i < sheet->cells.len; i++) {
        csv_cell(sheet->cells.data[i], out);
        str_char(out, i % sheet->columns + 1 == sheet->columns ? '\n' : ',');
    }
}

static void markdown_rule(const struct recipe_sheet *sheet, struct str *out) {
    struct column *columns = xcalloc(sheet->columns, sizeof *columns);
    measure(sheet, columns);
    for (unsigned k = 0; k < sheet->columns; k++)
        str_append(out, columns[k].numbers ? "|---:" : "|---");
    str_append(out, "|\n");
    free(columns);
}

void sheet_print_markdown(const struct recipe_sheet *sheet, struct str *out) {
    for (size_t i = 0; i < sheet->cells.len; i++) {
        bool last = i % sheet->columns + 1 == sheet->columns;
        str_printf(out, "| %s%s", sheet->cells.data[i], last ? " |\n" : " ");
        if (i + 1 == sheet->columns)
            markdown_rule(sheet, out);
    }
}

void sheet_free(struct recipe_sheet *sheet) {
    vec_free(&sheet->cells);
    arena_free(&sheet->arena);
}
