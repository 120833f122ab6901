/* SPDX-License-Identifier: MIT
 * Which text of a program a target gets: the first that has room. */
#include "linker/package.h"

/* False also where nothing is counted: another text would not help. */
static bool lacks_rows(const struct object *text, const struct target *target,
                       const struct machine_library *library) {
    struct diag *quiet = diag_new(NULL, NULL);
    struct program_library l;
    struct machine_rows rows;
    bool lacks = false;
    if (package_library_open(text, target, library, &l, quiet)) {
        lacks = package_program_rows(text, target, l.library, &rows) &&
                machine_rows_taken(&rows) > rows.there;
        package_library_close(&l);
    }
    diag_free(quiet);
    return lacks;
}

struct object *package_text_on(struct object *program, const struct target *target,
                               const struct machine_library *library) {
    if (!program->own_texts.len || !lacks_rows(program, target, library))
        return program;
    for (size_t i = 0; i < program->own_texts.len; i++)
        if (!lacks_rows(program->own_texts.data[i].program, target, library))
            return program->own_texts.data[i].program;
    return program;
}
