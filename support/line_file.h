/* SPDX-License-Identifier: MIT
 * Lines of source files that somebody else's tables name, for listings. */
#ifndef SUPPORT_LINE_FILE_H
#define SUPPORT_LINE_FILE_H

#include "support/str.h"
#include "support/vec.h"

#include <stdbool.h>

/* All zeros: not read yet. */
struct line_file {
    bool tried;
    char *text; /* NULL: not there */
    size_t size;
    VEC(size_t) starts; /* of lines */
};

/* Appends "; " and line `line` (from 1) of the file of that name, which is read at the first call;
 * control characters but tabs are made visible.  False if the line is not there. */
bool line_file_put(struct line_file *file, const char *name, uint32_t line, struct str *out);
void line_file_free(struct line_file *file);

#endif
