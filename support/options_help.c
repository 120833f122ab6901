/* SPDX-License-Identifier: MIT
 * --help and --version, from the table. */
#include "support/options_table.h"
#include "support/str.h"

#include <string.h>

/* Terminal columns.  Help of an option starts at HELP_COLUMN, below the names if they are long. */
enum { WIDTH = 80, HELP_COLUMN = 26 };

const char *tool_version_text(void) {
    return MPU_VERSION;
}

static void pad_to(struct str *out, size_t *column, size_t target) {
    for (; *column < target; ++*column)
        str_char(out, ' ');
}

/* One line of help without newlines, from `column` on, its further lines from HELP_COLUMN. */
static void put_wrapped(struct str *out, const char *text, size_t len, size_t column) {
    const char *end = text + len;
    bool first = true; /* on this line */
    while (text < end) {
        size_t word = 0;
        while (text + word < end && text[word] != ' ')
            word++;
        if (!first && column + 1 + word > WIDTH) {
            str_char(out, '\n');
            column = 0;
            pad_to(out, &column, HELP_COLUMN);
            first = true;
        }
        if (!first)
            str_char(out, ' ');
        str_append_n(out, text, word);
        column += word + !first;
        first = false;
        text += word;
        while (text < end && *text == ' ')
            text++;
    }
}

/* The help behind names that end at `column`, with its own line breaks kept. */
static void put_help(struct str *out, const char *help, size_t column) {
    if (column + 2 > HELP_COLUMN) {
        str_char(out, '\n');
        column = 0;
    }
    for (;;) {
        pad_to(out, &column, HELP_COLUMN);
        size_t len = strcspn(help, "\n");
        put_wrapped(out, help, len, column);
        str_char(out, '\n');
        if (!help[len])
            return;
        help += len + 1;
        column = 0;
    }
}

/* The value as it follows the last name: "=FILE", "[=FILE]", " FILE". */
static void put_metavar(struct str *out, const struct option *option, struct option_name last) {
    if (option->arg == ARG_NONE)
        return;
    const char *glue = is_short_name(last) ? option->arg == ARG_REQUIRED ? " " : "" : "=";
    if (option->arg == ARG_REQUIRED)
        str_printf(out, "%s%s", glue, option->metavar);
    else
        str_printf(out, "[%s%s]", glue, option->metavar);
}

bool option_name_is_taken(const struct tool *tool, const struct option *option,
                          struct option_name name) {
    const struct option *earlier;
    struct option_name n;
    for (size_t i = 0; (earlier = option_at(tool, i)) != option; i++)
        for (const char *rest = earlier->names; option_next_name(&rest, &n);)
            if (n.len == name.len && memcmp(n.text, name.text, n.len) == 0)
                return true;
    return false;
}

static bool has_warnings(const struct tool *tool) {
    for (int w = 0; w < WARNING_COUNT; w++)
        if (diag_warning_table[w].tools & tool->warner)
            return true;
    return false;
}

bool option_is_hidden(const struct tool *tool, const struct option *option) {
    struct option_name n;
    if (option->id == OPTION_WARNING && !has_warnings(tool))
        return true;
    for (const char *rest = option->names; option_next_name(&rest, &n);)
        if (!option_name_is_taken(tool, option, n))
            return false;
    return true;
}

static void put_option(struct str *out, const struct tool *tool, const struct option *option) {
    size_t start = out->len;
    struct option_name n, last = {"", 0};
    for (const char *rest = option->names; option_next_name(&rest, &n);) {
        if (option_name_is_taken(tool, option, n))
            continue;
        if (!last.len) /* long names stand in one column */
            str_append(out, n.text[1] == '-' ? "      " : "  ");
        else
            str_append(out, ", ");
        str_append_n(out, n.text, n.len);
        last = n;
    }
    put_metavar(out, option, last);
    put_help(out, option->help, out->len - start);
}

static void put_synopsis(struct str *out, const struct tool *tool) {
    const char *line = tool->synopsis;
    for (const char *head = "usage:";; head = "      ") {
        size_t len = strcspn(line, "\n");
        str_printf(out, "%s %s %.*s\n", head, tool->name, (int)len, line);
        if (!line[len])
            return;
        line += len + 1;
    }
}

static void put_options(struct str *out, const struct tool *tool) {
    const struct option *o;
    const char *group = "";
    for (size_t i = 0; (o = option_at(tool, i)); i++) {
        if (option_is_hidden(tool, o))
            continue;
        const char *heading = o->group ? o->group : *group ? group : "Options";
        if (strcmp(heading, group) != 0)
            str_printf(out, "\n%s:\n", heading);
        group = heading;
        put_option(out, tool, o);
    }
}

const char option_file_help[] = "Take more arguments from FILE, which white space separates.";

static void put_response_file(struct str *out) {
    static const char name[] = "  @FILE";
    str_append(out, name);
    put_help(out, option_file_help, sizeof name - 1);
}

static const char exit_codes[] =
    "\nExit codes: 0 done; 1 the input was rejected; 2 wrong usage; 3 a file could not\n"
    "be read or written.\n";
static const char exit_codes_of_runs[] =
    "\nExit codes: 0 done; 1 the input was rejected or results differ; 2 wrong usage;\n"
    "3 a file could not be read or written; 4 the emulated program stopped on an\n"
    "error.\n";

static void put_warnings(struct str *out, const struct tool *tool) {
    if (has_warnings(tool))
        str_append(out, "\nWarnings (on unless marked off):\n");
    for (int w = 0; w < WARNING_COUNT; w++) {
        if (!(diag_warning_table[w].tools & tool->warner))
            continue;
        size_t start = out->len;
        str_printf(out, "  %s%s", diag_warning_table[w].name,
                   diag_warning_table[w].on ? "" : " (off)");
        put_help(out, diag_warning_table[w].text, out->len - start);
    }
}

void tool_help(const struct tool *tool, struct str *out) {
    str_printf(out, "%s\n\n", tool->summary);
    put_synopsis(out, tool);
    put_options(out, tool);
    put_response_file(out);
    put_warnings(out, tool);
    str_append(out, tool->runs_programs ? exit_codes_of_runs : exit_codes);
    if (tool->epilog)
        str_printf(out, "\n%s%s", tool->epilog,
                   tool->epilog[strlen(tool->epilog) - 1] == '\n' ? "" : "\n");
}
