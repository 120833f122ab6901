/* SPDX-License-Identifier: MIT
 * Columns of the page of --html: lines of text with so much room for all of them. */
#ifndef TOOLS_MPU_OBJDUMP_COLUMN_H
#define TOOLS_MPU_OBJDUMP_COLUMN_H

#include "support/str.h"

#include <stdint.h>

struct page_column {
    struct str html, line;
    size_t room;
    uint64_t left; /* lines that did not fit; behind the first none does */
};

/* At most so many bytes of a text, escaped, so that names of any length leave room for others. */
void objdump_text(struct str *out, const char *text, size_t most);
/* A line; `classes` are those of its element, "": none. */
void objdump_column_line(struct page_column *column, const char *classes, const char *text);
/* Each line of a text. */
void objdump_column_lines(struct page_column *column, const char *classes, const char *text);
/* Appends the column under its title, says how many lines it lacks, and frees it. */
void objdump_column_end(struct page_column *column, const char *title, struct str *out);

#endif
