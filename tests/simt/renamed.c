/* SPDX-License-Identifier: MIT
 * renamed FILE.ptx: the text with its registers as they are coloured, on the standard output. */
#include "tests/simt/renaming.h"

#include "support/file.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    size_t size = 0;
    struct portable_fault fault = {{0}, 0, 0};
    char *text = argc == 2 ? file_read_named(argv[1], 1 << 24, &size) : NULL;
    struct ptx_module *m = text ? ptx_read(text, size, &fault) : NULL;
    struct str out = {0};
    if (!m) {
        fprintf(stderr, "renamed: %s\n", text ? str_text(&fault.what) : "no such file");
        return EXIT_FAILURE;
    }
    const uint32_t fewer = simt_rename(m);
    ptx_print(m, &out);
    printf("// %u registers share another's\n%s", fewer, str_text(&out));
    str_free(&out);
    ptx_free(m);
    free(text);
    return EXIT_SUCCESS;
}
