/* SPDX-License-Identifier: MIT
 * Lines that do not fit are counted, and nothing behind them is put in. */
#include "tools/mpu-objdump/column.h"

#include "support/svg.h"

#include <inttypes.h>
#include <string.h>

enum { LINE_BYTES = 400 };

void objdump_text(struct str *out, const char *text, size_t most) {
    struct str part = {0};
    size_t size = strlen(text);
    str_append_n(&part, text, size < most ? size : most);
    svg_escape(out, str_text(&part));
    str_append(out, size > most ? "..." : "");
    str_free(&part);
}

/* The line that was begun, if it fits. */
static void end_line(struct page_column *column) {
    if (column->left || column->html.len + column->line.len > column->room)
        column->left++;
    else
        str_append_n(&column->html, str_text(&column->line), column->line.len);
    str_clear(&column->line);
}

void objdump_column_line(struct page_column *column, const char *classes, const char *text) {
    str_append(&column->line, "<p");
    if (*classes)
        str_printf(&column->line, " class=\"%s\"", classes);
    str_char(&column->line, '>');
    objdump_text(&column->line, text, LINE_BYTES);
    str_append(&column->line, "</p>\n");
    end_line(column);
}

void objdump_column_lines(struct page_column *column, const char *classes, const char *text) {
    struct str line = {0};
    while (*text) {
        size_t n = strcspn(text, "\n");
        str_clear(&line);
        str_append_n(&line, text, n);
        objdump_column_line(column, classes, str_text(&line));
        text += n + (text[n] == '\n');
    }
    str_free(&line);
}

void objdump_column_end(struct page_column *column, const char *title, struct str *out) {
    str_printf(out, "<section><h2>%s</h2><div>\n", title);
    str_append_n(out, str_text(&column->html), column->html.len);
    if (column->left)
        str_printf(out, "<p class=\"cut\">%" PRIu64 " more lines do not fit into this page.</p>\n",
                   column->left);
    str_append(out, "</div></section>\n");
    str_free(&column->html);
    str_free(&column->line);
}
