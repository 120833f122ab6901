/* SPDX-License-Identifier: MIT
 * published-page MASTODON.csv OUT: writes docs/published-counts.md (target recipe-generate). */
#include "support/file.h"
#include "tools/mpu-recipe/published.h"

#include <errno.h>
#include <string.h>

static bool write_page(const char *mastodon, const char *path, struct diag *diag) {
    struct str out = {0};
    bool fine = published_page(mastodon, &out, diag);
    if (fine && !file_write(path, str_text(&out), out.len)) {
        diag_error(diag, NO_SPAN, "cannot write '%s': %s", path, strerror(errno));
        fine = false;
    }
    str_free(&out);
    return fine;
}

int main(int argc, char **argv) {
    struct diag_printer printer = {.out = stderr, .prefix = "published-page"};
    struct diag *d = diag_new(diag_print, &printer);
    bool fine = false;
    if (argc != 3)
        diag_error(d, NO_SPAN, "usage: published-page MASTODON.csv OUT.md");
    else
        fine = write_page(argv[1], argv[2], d);
    diag_free(d);
    return fine ? 0 : 1;
}
