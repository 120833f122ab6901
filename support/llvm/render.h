/* SPDX-License-Identifier: MIT
 * One message or note in the form of LLVM's tools: head line, source line, caret line. */
#ifndef SUPPORT_LLVM_RENDER_H
#define SUPPORT_LLVM_RENDER_H

#include "support/diag.h"
#include "support/str.h"

/* Bytes [begin, end) of the shown line, and what replaces them. */
struct render_fixit {
    size_t begin, end;
    const char *text;
};

struct rendering {
    const char *head; /* "file:line:col" or the tool's name; may be "" */
    enum severity severity;
    const char *text;
    const char *line; /* the source line; NULL = none is shown */
    size_t line_size;
    size_t begin, end; /* bytes of the line under the caret and the range; at most line_size */
    const struct render_fixit *fixits;
    size_t fixit_count;
    bool color;
};

void diag_render(const struct rendering *r, struct str *out);

#endif
