/* SPDX-License-Identifier: MIT
 * Carries out the plan of a page, line by line. */
#include "tools/man-gen/page.h"
#include "support/file.h"
#include "tools/man-gen/markdown.h"
#include "tools/man-gen/roff.h"
#include "tools/man-gen/tool_page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct man_page {
    struct str *out, *error;
    const char *docs;
};

/* "mpu-run.1" becomes the heading of every sheet.  No date: the same sources, the same page. */
static bool put_title(struct man_page *page, const char *file) {
    const char *dot = strrchr(file, '.');
    if (!dot || dot == file || !dot[1]) {
        str_printf(page->error, "'%s' is no name of a man page", file);
        return false;
    }
    str_append(page->out,
               "'\\\" t\n.\\\" Made by man-gen from docs/man and the tools' option tables.\n.TH ");
    roff_inline(page->out, file, (size_t)(dot - file), true);
    str_printf(page->out, " %s \"\" \"mpu-toolchain %s\" \"MPU toolchain\"\n.ad l\n.nh\n", dot + 1,
               tool_version_text());
    return true;
}

static bool put_tool(struct man_page *page, const char *name,
                     void put(struct str *out, const struct tool *tool)) {
    const struct tool *tool = man_find_tool(name);
    if (tool)
        put(page->out, tool);
    else
        str_printf(page->error, "there is no tool '%s'", name);
    return tool;
}

/* The text of a page of docs/, to be freed; NULL with an error. */
static char *read_doc(struct man_page *page, const char *name, size_t *size) {
    struct str path = {0};
    str_printf(&path, "%s/%s", page->docs, name);
    char *text = file_read(str_text(&path), size);
    if (!text)
        str_printf(page->error, "%s: %s", str_text(&path), strerror(errno));
    str_free(&path);
    return text;
}

static bool put_section(struct man_page *page, const char *name, const char *heading) {
    size_t size, len = 0;
    char *text = read_doc(page, name, &size);
    if (!text)
        return false;
    const char *body = markdown_section(text, heading, &len);
    if (body)
        markdown_to_man(page->out, body, len, 2);
    else
        str_printf(page->error, "%s has no heading '%s'", name, heading);
    free(text);
    return body;
}

static bool put_whole(struct man_page *page, const char *name, size_t section) {
    size_t size;
    char *text = read_doc(page, name, &size);
    if (text)
        markdown_to_man(page->out, text, size, section);
    free(text);
    return text;
}

/* "FILE: HEADING". */
static bool put_named_section(struct man_page *page, char *place) {
    char *colon = strstr(place, ": ");
    if (!colon) {
        str_append(page->error, "'@section FILE: HEADING' is expected");
        return false;
    }
    *colon = '\0';
    return put_section(page, place, colon + 2);
}

static bool put_name(struct man_page *page, char *text) {
    str_append(page->out, ".SH NAME\n");
    roff_text(page->out, text, strlen(text));
    str_char(page->out, '\n');
    return true;
}

/* "ezpim(1), mpu(5)". */
static bool put_references(struct man_page *page, char *names) {
    str_append(page->out, ".SH SEE ALSO\n");
    roff_text(page->out, names, strlen(names));
    str_append(page->out, "\n.PP\nFiles \\fINAME\\fR.md that are named here lie in "
                          "share/doc/mpu\\-toolchain/docs below the folder in which the tools are "
                          "installed, and in docs of their sources.\n");
    return true;
}

static bool put_head(struct man_page *page, char *name) {
    return put_tool(page, name, man_tool_head);
}

static bool put_options(struct man_page *page, char *name) {
    return put_tool(page, name, man_tool_options);
}

static bool put_examples(struct man_page *page, char *name) {
    return put_tool(page, name, man_tool_examples);
}

static bool put_lead(struct man_page *page, char *name) {
    return put_section(page, name, "");
}

static bool put_page(struct man_page *page, char *name) {
    return put_whole(page, name, 2);
}

static bool put_chapter(struct man_page *page, char *name) {
    return put_whole(page, name, 1);
}

static const struct {
    const char *word;
    bool (*put)(struct man_page *p, char *value);
} directives[] = {
    {"name", put_name},         {"tool", put_head},       {"options", put_options},
    {"examples", put_examples}, {"lead", put_lead},       {"section", put_named_section},
    {"page", put_page},         {"chapter", put_chapter}, {"see", put_references},
};

/* A line "@word value" without its "@". */
static bool put_directive(struct man_page *page, char *line) {
    char *value = line + strcspn(line, " ");
    if (*value)
        *value++ = '\0';
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
        if (strcmp(line, directives[i].word) == 0)
            return directives[i].put(page, value);
    str_printf(page->error, "unknown '@%s'", line);
    return false;
}

static bool put_line(struct man_page *page, const char *line, size_t len) {
    char *copy = strndup(line + 1, len - 1);
    if (!copy)
        abort();
    bool ok = put_directive(page, copy);
    free(copy);
    return ok;
}

bool man_page(struct str *out, const char *file, const char *plan, const char *docs,
              struct str *error) {
    struct man_page p = {out, error, docs};
    if (!put_title(&p, file))
        return false;
    const char *prose = plan; /* from here on is not written yet */
    for (size_t number = 1; *plan; number++) {
        size_t len = strcspn(plan, "\n");
        const char *next = plan + len + (plan[len] == '\n');
        if (*plan == '@') {
            markdown_to_man(out, prose, (size_t)(plan - prose), 2);
            prose = next;
            if (!put_line(&p, plan, len)) {
                str_printf(error, " (line %zu)", number);
                return false;
            }
        }
        plan = next;
    }
    markdown_to_man(out, prose, (size_t)(plan - prose), 2);
    return true;
}
