/* SPDX-License-Identifier: MIT
 * Completions of a tool's options for shells, from its option table. */
#ifndef TOOLS_MAN_GEN_COMPLETION_H
#define TOOLS_MAN_GEN_COMPLETION_H

#include "support/options.h"
#include "support/str.h"

/* The file that a shell ("bash", "zsh", "fish") loads for the tool.  False: no such shell. */
bool man_completion(struct str *out, const struct tool *tool, const char *shell);

#endif
