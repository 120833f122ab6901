/* SPDX-License-Identifier: MIT
 * The Markdown of docs/ as man(7): headings, paragraphs, lists, tables, code. */
#ifndef TOOLS_MAN_GEN_MARKDOWN_H
#define TOOLS_MAN_GEN_MARKDOWN_H

#include "support/str.h"

/* A table, a line for each row: those of two columns become a list of terms, others a table that
 * tbl sets.  text[0..len) holds the head and the line below it as well. */
void man_table(struct str *out, const char *text, size_t len);

/* text[0..len) as the middle of a page.  Headings of level `section` ("## " is 2) become sections,
 * deeper ones subsections; those above, and comments, are left out. */
void markdown_to_man(struct str *out, const char *text, size_t len, size_t section);

/* The part of a file below the heading whose words are `heading`, up to the next one of its level
 * or above; with an empty heading what stands before the first "## ".  NULL if there is none. */
const char *markdown_section(const char *text, const char *heading, size_t *len);

#endif
