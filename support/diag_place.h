/* SPDX-License-Identifier: MIT
 * Places as a reader of messages sees them; for the printers. */
#ifndef SUPPORT_DIAG_PLACE_H
#define SUPPORT_DIAG_PLACE_H

#include "support/diag.h"

/* A span in lines and columns, clamped to its source.  Lines and columns count from 1, columns
 * count bytes; the end is exclusive.  0 = not known. */
struct source_place {
    const char *name; /* NULL: no place */
    uint32_t line, column, end_line, end_column;
    const char *line_text; /* of `line`, without its newline; NULL when the text is not known */
    size_t line_size;      /* bytes */
};

struct source_place diag_place(const struct diag *d, struct span at);

#endif
