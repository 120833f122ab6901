/* SPDX-License-Identifier: MIT */
#include "support/options_table.h"

#include <string.h>

static const struct option common_options[] = {
    {OPTION_HELP, "--help", ARG_NONE, NULL, "Common options", "Print this text and exit."},
    {OPTION_VERSION, "--version", ARG_NONE, NULL, NULL, "Print the version and exit."},
    {OPTION_VERBOSE, "-v, --verbose", ARG_NONE, NULL, NULL, "Say what is done."},
    {OPTION_DIAGNOSTICS, "--diagnostics", ARG_REQUIRED, "FORMAT", NULL,
     "Print messages as text (the default) or as json, one object a line."},
    {OPTION_COLOR, "--color", ARG_REQUIRED, "WHEN", NULL,
     "Colour messages: auto (the default: on a terminal, unless NO_COLOR is set), always or "
     "never."},
    {OPTION_WARNING, "-W", ARG_REQUIRED, "WARNING", NULL,
     "Switch a warning on (-Wname, -Wall) or off (-Wno-name); -Werror and -Werror=name make "
     "errors of them, -Wno-error=name does not."},
    {OPTION_MAX_ERRORS, "--max-errors", ARG_REQUIRED, "N", NULL,
     "Stop after N errors; 0 means no limit (default 20)."},
};

enum { COMMON_COUNT = sizeof common_options / sizeof *common_options };

const struct option *option_at(const struct tool *tool, size_t i) {
    if (i < tool->option_count)
        return &tool->options[i];
    i -= tool->option_count;
    return i < COMMON_COUNT ? &common_options[i] : NULL;
}

bool option_next_name(const char **rest, struct option_name *name) {
    name->text = *rest + strspn(*rest, ", ");
    name->len = strcspn(name->text, ", ");
    *rest = name->text + name->len;
    return name->len > 0;
}
