/* SPDX-License-Identifier: MIT
 * recipe-page MASTODON.csv OUT HAND.recipe...: writes docs/recipe-counts.md (target
 * recipe-generate). */
#include "support/file.h"
#include "tools/mpu-recipe/page.h"

#include <errno.h>
#include <string.h>

static bool write_page(struct recipe_page *p, const char *path) {
    if (!page_write(p))
        return false;
    if (file_write(path, str_text(&p->out), p->out.len))
        return true;
    diag_error(p->d, NO_SPAN, "cannot write '%s': %s", path, strerror(errno));
    return false;
}

int main(int argc, char **argv) {
    struct diag_printer printer = {.out = stderr, .prefix = "recipe-page"};
    struct diag *d = diag_new(diag_print, &printer);
    struct recipe_page p;
    bool fine = false;
    struct page_files files = {argv[1], (const char *const *)argv + 3, (size_t)argc - 3};
    if (argc < 3 || files.hand_count > PAGE_HAND_FILES)
        diag_error(d, NO_SPAN, "usage: recipe-page MASTODON.csv OUT.md HAND.recipe...");
    else if (page_open(&p, "racer", &files, d)) {
        fine = write_page(&p, argv[2]);
        page_close(&p);
    }
    diag_free(d);
    return fine ? 0 : 1;
}
