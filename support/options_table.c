/* SPDX-License-Identifier: MIT
 * A tool's own options first, then those of all tools: the first that has a name wins. */
#include "support/options_table.h"

#include <ctype.h>
#include <string.h>

static const struct option common_options[] = {
    {OPTION_HELP, "--help", ARG_NONE, NULL, "Common options", "Print this text and exit."},
    {OPTION_VERSION, "--version", ARG_NONE, NULL, NULL, "Print the version and exit."},
    {OPTION_VERBOSE, "-v, --verbose", ARG_NONE, NULL, NULL, "Say what is done."},
    {OPTION_DIAGNOSTICS, "--diagnostics", ARG_REQUIRED, "text|json", NULL,
     "Print messages as text (the default) or as json, one object a line."},
    {OPTION_COLOR, "--color", ARG_REQUIRED, "auto|always|never", NULL,
     "Colour messages: auto (the default: on a terminal, unless NO_COLOR is set), always or "
     "never."},
    {OPTION_WARNING, "-W", ARG_REQUIRED, "WARNING", NULL,
     "Switch a warning on (-Wname, -Wall) or off (-Wno-name); -Werror and -Werror=name make "
     "errors of them, -Wno-error=name does not."},
    {OPTION_MAX_ERRORS, "--max-errors", ARG_REQUIRED, "N", NULL,
     "Stop after N errors; 0 means no limit (default 20)."},
};

enum { COMMON_COUNT = sizeof common_options / sizeof *common_options, FOREIGN_COUNT = 2 };

const struct option *option_at(const struct tool *tool, size_t index) {
    if (index < tool->option_count)
        return &tool->options[index];
    index -= tool->option_count;
    return index < (tool->foreign ? FOREIGN_COUNT : COMMON_COUNT) ? &common_options[index] : NULL;
}

bool option_next_name(const char **rest, struct option_name *name) {
    name->text = *rest + strspn(*rest, ", ");
    name->len = strcspn(name->text, ", ");
    *rest = name->text + name->len;
    return name->len > 0;
}

bool option_has_choices(const struct option *option) {
    return option->arg != ARG_NONE && strchr(option->metavar, '|');
}

bool option_next_choice(const char **rest, struct option_name *choice) {
    for (size_t size; (size = strcspn(*rest, "|[")); *rest += size + ((*rest)[size] == '|')) {
        *choice = (struct option_name){*rest, 0};
        while (choice->len < size && !isupper((unsigned char)choice->text[choice->len]))
            choice->len++;
        if (choice->len) {
            *rest += size + ((*rest)[size] == '|');
            return true;
        }
    }
    return false;
}

bool option_takes_list(const struct option *option) {
    return option->arg != ARG_NONE && strstr(option->metavar, "[,");
}
