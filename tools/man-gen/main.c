/* SPDX-License-Identifier: MIT
 * man-gen PLAN DOCS PAGE: writes a man page.  Runs when the tools are built. */
#include "support/file.h"
#include "tools/man-gen/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const char *file, const char *what) {
    fprintf(stderr, "%s: error: %s\n", file, what);
    return 1;
}

int main(int argc, char **argv) {
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
