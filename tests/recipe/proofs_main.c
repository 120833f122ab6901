/* SPDX-License-Identifier: MIT
 * proof-page FOLDER [TARGET]...: writes FOLDER/recipe-proofs.md from recipe-proofs.csv there (cmake
 * target recipe-proofs); of each target it first notes there that all of its plan is proved, which
 * is ./dev prove's to say. */
#include "proof_page.h"

#include "support/alloc.h"
#include "support/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool write_text(const char *folder, const char *name, const struct str *text,
                       struct diag *diag) {
    struct str path = {0};
    str_printf(&path, "%s/%s", folder, name);
    bool fine = file_write(path.text, str_text(text), text->len);
    if (!fine)
        diag_error(diag, NO_SPAN, "cannot write '%s': %s", path.text, strerror(errno));
    str_free(&path);
    return fine;
}

/* The empty text where there is none. */
static char *read_records(const char *folder) {
    struct str path = {0};
    size_t size;
    str_printf(&path, "%s/recipe-proofs.csv", folder);
    char *text = file_read(path.text, &size);
    str_free(&path);
    return text ? text : xcalloc(1, 1);
}

/* Each target is noted in the records that the ones before have left. */
static bool note_targets(const char *folder, char *const *targets, int count, struct str *records,
                         struct diag *diag) {
    bool fine = true;
    for (int i = 0; i < count && fine; i++) {
        struct str next = {0};
        fine = proof_page_note(str_text(records), targets[i], &next, diag);
        str_free(records);
        *records = next;
    }
    return fine && (count == 0 || write_text(folder, "recipe-proofs.csv", records, diag));
}

int main(int argc, char **argv) {
    struct diag_printer printer = {.out = stderr, .prefix = "proof-page"};
    struct diag *d = diag_new(diag_print, &printer);
    struct str records = {0}, page = {0};
    if (argc < 2) {
        diag_error(d, NO_SPAN, "usage: proof-page FOLDER [TARGET]...");
    } else {
        char *old = read_records(argv[1]);
        str_append(&records, old);
        if (note_targets(argv[1], argv + 2, argc - 2, &records, d) &&
            proof_page_write(str_text(&records), &page, d))
            write_text(argv[1], "recipe-proofs.md", &page, d);
        free(old);
    }
    int status = diag_errors(d) ? 1 : 0;
    str_free(&records);
    str_free(&page);
    diag_free(d);
    return status;
}
