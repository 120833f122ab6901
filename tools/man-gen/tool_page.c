/* SPDX-License-Identifier: MIT
 * Head, options and examples of a page, from the tool's option table. */
#include "tools/man-gen/tool_page.h"
#include "tools/mpu-run/run.h"
#include "support/options_table.h"
#include "tools/ezpim/ezpim_options.h"
#include "tools/man-gen/roff.h"
#include "tools/mpu-as/as_options.h"
#include "tools/mpu-ld/ld_options.h"
#include "tools/mpu-objdump/objdump_options.h"
#include "tools/mpu-pycheck/pycheck_options.h"
#include "tools/mpu-recipe/recipe_options.h"

#include <string.h>

const struct tool *man_find_tool(const char *name) {
    static const struct tool *const tools[] = {
        &ezpim_tool,       &mpu_as_tool,     &mpu_ld_tool, &mpu_objdump_tool,
        &mpu_pycheck_tool, &mpu_recipe_tool, &mpu_run_tool};
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (strcmp(tools[i]->name, name) == 0)
            return tools[i];
    return NULL;
}

static void put_text(struct str *out, const char *text) {
    roff_text(out, text, strlen(text));
}

void man_tool_head(struct str *out, const struct tool *tool) {
    str_append(out, ".SH NAME\n");
    put_text(out, tool->summary);
    str_append(out, "\n.SH SYNOPSIS\n");
    for (const char *line = tool->synopsis;;) {
        size_t len = strcspn(line, "\n");
        str_append(out, "\\fB");
        put_text(out, tool->name);
        str_append(out, "\\fR ");
        roff_text(out, line, len);
        str_char(out, '\n');
        if (!line[len])
            return;
        str_append(out, ".br\n");
        line += len + 1;
    }
}

/* "=FILE", "[=FILE]", " N": as --help has it, with the value's name in italics. */
static void put_value(struct str *out, const struct option *option, struct option_name last) {
    if (option->arg == ARG_NONE)
        return;
    const char *glue = !is_short_name(last) ? "=" : option->arg == ARG_REQUIRED ? " " : "";
    str_append(out, option->arg == ARG_OPTIONAL ? "[" : "");
    str_append(out, glue);
    str_append(out, "\\fI");
    put_text(out, option->metavar);
    str_append(out, "\\fR");
    str_append(out, option->arg == ARG_OPTIONAL ? "]" : "");
}

/* Help of several lines keeps them apart. */
static void put_help(struct str *out, const char *help) {
    for (;;) {
        size_t len = strcspn(help, "\n");
        roff_text(out, help, len);
        str_char(out, '\n');
        if (!help[len])
            return;
        str_append(out, ".br\n");
        help += len + 1;
    }
}

static void put_option(struct str *out, const struct tool *tool, const struct option *option) {
    struct option_name n, last = {"", 0};
    str_append(out, ".TP\n");
    for (const char *rest = option->names; option_next_name(&rest, &n);) {
        if (option_name_is_taken(tool, option, n))
            continue;
        str_append(out, last.len ? ", \\fB" : "\\fB");
        roff_text(out, n.text, n.len);
        str_append(out, "\\fR");
        last = n;
    }
    put_value(out, option, last);
    str_char(out, '\n');
    put_help(out, option->help);
}

static void put_warnings(struct str *out, const struct tool *tool) {
    bool first = true;
    for (int w = 0; w < WARNING_COUNT; w++) {
        if (!(diag_warning_table[w].tools & tool->warner))
            continue;
        str_append(out, first ? ".SH WARNINGS\nOn unless marked off.\n" : "");
        first = false;
        str_append(out, ".TP\n\\fB");
        put_text(out, diag_warning_table[w].name);
        str_printf(out, "\\fR%s\n", diag_warning_table[w].on ? "" : " (off)");
        put_help(out, diag_warning_table[w].text);
    }
}

void man_tool_options(struct str *out, const struct tool *tool) {
    const struct option *o;
    const char *group = "";
    str_append(out, ".SH OPTIONS\n");
    for (size_t i = 0; (o = option_at(tool, i)); i++) {
        if (option_is_hidden(tool, o))
            continue;
        if (o->group && strcmp(o->group, group) != 0) {
            group = o->group;
            str_append(out, ".SS ");
            put_text(out, group);
            str_char(out, '\n');
        }
        put_option(out, tool, o);
    }
    if (tool->foreign)
        return;
    str_append(out, ".TP\n@\\fIFILE\\fR\n");
    put_help(out, option_file_help);
    put_warnings(out, tool);
}

void man_tool_examples(struct str *out, const struct tool *tool) {
    static const char heading[] = "Examples:\n";
    const char *text = tool->epilog ? tool->epilog : "";
    if (strncmp(text, heading, sizeof heading - 1) == 0)
        text += sizeof heading - 1;
    if (!*text)
        return;
    str_append(out, ".SH EXAMPLES\n");
    roff_verbatim(out, text, strlen(text));
}
