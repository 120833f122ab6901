/* SPDX-License-Identifier: MIT
 * The parts of a tool's page that its option table holds. */
#ifndef TOOLS_MAN_GEN_TOOL_PAGE_H
#define TOOLS_MAN_GEN_TOOL_PAGE_H

#include "support/options.h"
#include "support/str.h"

/* The tool of that name; NULL if there is none. */
const struct tool *man_find_tool(const char *name);

/* Sections NAME and SYNOPSIS. */
void man_tool_head(struct str *out, const struct tool *tool);
/* Sections OPTIONS, a subsection for each group of --help, and WARNINGS. */
void man_tool_options(struct str *out, const struct tool *tool);
/* What stands at the end of --help, as section EXAMPLES; nothing if there is nothing. */
void man_tool_examples(struct str *out, const struct tool *tool);

#endif
