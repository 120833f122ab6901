/* SPDX-License-Identifier: MIT */
#include "tools/mpu-recipe/sheet.h"

#include <string.h>

void table_text(struct recipe_sheet *t, const char *cell) {
    vec_push(&t->cells, arena_strdup(&t->arena, cell));
}

void table_number(struct recipe_sheet *t, uint64_t n) {
    vec_push(&t->cells, arena_printf(&t->arena, "%llu", (unsigned long long)n));
}

void table_ratio(struct recipe_sheet *t, uint64_t a, uint64_t b) {
    vec_push(&t->cells, a ? arena_printf(&t->arena, "%.3f", (double)b / (double)a) : "-");
}

static bool is_number(const char *cell) {
    return cell[strspn(cell, "0123456789.")] == '\0' || strcmp(cell, "-") == 0;
}

struct column {
    size_t width;
    bool numbers; /* all cells below the heading */
};

static void measure(const struct recipe_sheet *t, struct column *columns) {
    for (unsigned k = 0; k < t->columns; k++)
        columns[k] = (struct column){0, true};
    for (size_t i = 0; i < t->cells.len; i++) {
        struct column *c = &columns[i % t->columns];
        size_t n = strlen(t->cells.data[i]);
        c->width = n > c->width ? n : c->width;
        c->numbers &= i < t->columns || is_number(t->cells.data[i]);
    }
}

static void print_cell(const struct column *c, const char *cell, bool last, struct str *out) {
    int width = (int)c->width;
    if (c->numbers)
        str_printf(out, "%*s", width, cell);
    else
        str_printf(out, "%-*s", last ? 0 : width, cell);
    str_append(out, last ? "\n" : "  ");
}

void table_print(const struct recipe_sheet *t, struct str *out) {
    struct column *columns = xcalloc(t->columns, sizeof *columns);
    measure(t, columns);
    for (size_t i = 0; i < t->cells.len; i++)
        print_cell(&columns[i % t->columns], t->cells.data[i], i % t->columns + 1 == t->columns,
                   out);
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

void table_print_csv(const struct recipe_sheet *t, struct str *out) {
    for (size_t i = 0; i < t->cells.len; i++) {
        csv_cell(t->cells.data[i], out);
        str_char(out, i % t->columns + 1 == t->columns ? '\n' : ',');
    }
}

static void markdown_rule(const struct recipe_sheet *t, struct str *out) {
    struct column *columns = xcalloc(t->columns, sizeof *columns);
    measure(t, columns);
    for (unsigned k = 0; k < t->columns; k++)
        str_append(out, columns[k].numbers ? "|---:" : "|---");
    str_append(out, "|\n");
    free(columns);
}

void table_print_markdown(const struct recipe_sheet *t, struct str *out) {
    for (size_t i = 0; i < t->cells.len; i++) {
        bool last = i % t->columns + 1 == t->columns;
        str_printf(out, "| %s%s", t->cells.data[i], last ? " |\n" : " ");
        if (i + 1 == t->columns)
            markdown_rule(t, out);
    }
}

void table_free(struct recipe_sheet *t) {
    vec_free(&t->cells);
    arena_free(&t->arena);
}
