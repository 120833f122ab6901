/* SPDX-License-Identifier: MIT
 * known-programs OUT: writes recipe/map/known_programs.inc (target recipe-programs). */
#include "known_text.h"

#include "support/file.h"

#include <errno.h>
#include <string.h>

int main(int argc, char **argv) {
    struct diag_printer printer = {.out = stderr, .prefix = "known-programs"};
    struct diag *d = diag_new(diag_print, &printer);
    struct str text = {0};
    if (argc != 2)
        diag_error(d, NO_SPAN, "usage: known-programs OUT.inc");
    else if (known_text(&text, d) && !file_write(argv[1], text.text, text.len))
        diag_error(d, NO_SPAN, "cannot write '%s': %s", argv[1], strerror(errno));
    int status = diag_errors(d) ? 1 : 0;
    str_free(&text);
    diag_free(d);
    return status;
}
