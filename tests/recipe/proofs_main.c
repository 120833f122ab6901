/* SPDX-License-Identifier: MIT
 * proof-page OUT: writes docs/recipe-proofs.md (target recipe-proofs). */
#include "recipe/prove/prove.h"
#include "support/file.h"

#include <errno.h>
#include <string.h>

int main(int argc, char **argv) {
    struct diag_printer printer = {.out = stderr, .prefix = "proof-page"};
    struct diag *d = diag_new(diag_print, &printer);
    struct target *t = target_open("racer", NULL, 0, d);
    struct recipe_set *s = t ? recipe_set_open(t, d) : NULL;
    struct str page = {0};
    if (argc != 2)
        diag_error(d, NO_SPAN, "usage: proof-page OUT.md");
    else if (s)
        prove_document(s, &page);
    if (page.len && !file_write(argv[1], page.text, page.len))
        diag_error(d, NO_SPAN, "cannot write '%s': %s", argv[1], strerror(errno));
    int status = diag_errors(d) ? 1 : 0;
    str_free(&page);
    recipe_set_free(s);
    if (t)
        target_free(t);
    diag_free(d);
    return status;
}
