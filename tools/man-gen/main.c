/* SPDX-License-Identifier: MIT
 * man-gen PLAN DOCS PAGE: writes a man page.  man-gen --completion SHELL TOOL FILE: writes what the
 * shell loads to complete the tool's options.  Runs when the tools are built. */
#include "support/file.h"
#include "tools/man-gen/completion.h"
#include "tools/man-gen/page.h"
#include "tools/man-gen/tool_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const char *file, const char *what) {
    fprintf(stderr, "%s: error: %s\n", file, what);
    return 1;
}

static int write_completion(const char *shell, const char *name, const char *path) {
    const struct tool *tool = man_find_tool(name);
    struct str text = {0};
    int code = 0;
    if (!tool || !man_completion(&text, tool, shell))
        code = fail(path, "no such tool or shell");
    else if (!file_write(path, str_text(&text), text.len))
        code = fail(path, "cannot be written");
    str_free(&text);
    return code;
}

int main(int argc, char **argv) {
    if (argc == 5 && strcmp(argv[1], "--completion") == 0)
        return write_completion(argv[2], argv[3], argv[4]);
    if (argc != 4)
        return fail("man-gen", "usage: man-gen PLAN DOCS PAGE");
    size_t size;
    char *plan = file_read(argv[1], &size);
    if (!plan)
        return fail(argv[1], "cannot be read");
    const char *slash = strrchr(argv[3], '/');
    struct str page = {0}, error = {0};
    int code = 0;
    if (!man_page(&page, slash ? slash + 1 : argv[3], plan, argv[2], &error))
        code = fail(argv[1], str_text(&error));
    else if (!file_write(argv[3], str_text(&page), page.len))
        code = fail(argv[3], "cannot be written");
    str_free(&page);
    str_free(&error);
    free(plan);
    return code;
}
