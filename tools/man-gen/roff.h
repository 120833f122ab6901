/* SPDX-License-Identifier: MIT
 * Text as man(7) pages spell it. */
#ifndef TOOLS_MAN_GEN_ROFF_H
#define TOOLS_MAN_GEN_ROFF_H

#include "support/str.h"

/* UTF-8 text as it stands: every character prints as itself (hyphens as minus signs, which can be
 * copied to a shell), and no line of it is a request.  Line ends are kept. */
void roff_text(struct str *out, const char *text, size_t len);
/* Markdown within a paragraph, on one line: `code` and **strong** bold, *stress* italic, of a
 * [link](to) the words.  With `upper`, ASCII letters outside of code as capitals. */
void roff_inline(struct str *out, const char *text, size_t len, bool upper);
/* Begins a paragraph, unless a heading has just done so. */
void roff_paragraph(struct str *out);
/* A paragraph of lines that keep their breaks, indented. */
void roff_verbatim(struct str *out, const char *text, size_t len);

#endif
