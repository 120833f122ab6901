/* SPDX-License-Identifier: MIT */
#include "tools/mpu-recipe/source.h"

#include "support/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum exit_code recipe_text_read(struct recipe_text *r, const char *path, struct diag *d) {
    r->name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    r->text = file_read(path, &r->size);
    if (r->text)
        return EXIT_DONE;
    diag_error(d, NO_SPAN, "cannot read '%s': %s", path, strerror(errno));
    return EXIT_FILE;
}

void recipe_text_free(struct recipe_text *r) {
    free(r->text);
    r->text = NULL;
}

static enum exit_code exit_code_of(enum target_fault fault) {
    switch (fault) {
    case TARGET_FINE:
        return EXIT_DONE;
    case TARGET_UNKNOWN:
        return EXIT_USAGE;
    case TARGET_UNREADABLE:
        return EXIT_FILE;
    case TARGET_REJECTED:
        break;
    }
    return EXIT_REJECTED;
}

/* Other recipes in the place of those in use. */
static enum exit_code replace(struct recipe_source *s, bool mapped, const struct recipe_text *file,
                              struct diag *d) {
    s->recipes = s->own_recipes =
        mapped ? recipe_set_open_mapped(s->target, d)
               : recipe_set_open_with(s->target, file->name, file->text, file->size, d);
    return s->recipes ? EXIT_DONE : EXIT_REJECTED;
}

/* Why there are no recipes to work on. */
static void no_recipes(const struct recipe_source *s, struct diag *d) {
    if (!s->target->kind->costs)
        diag_error(d, NO_SPAN, "target '%s' has no recipes: it computes in host arithmetic",
                   s->target->name);
    else
        diag_error(d, NO_SPAN,
                   "target '%s' is a %s machine, which has no recipes of micro-ops: mpu-recipe "
                   "verifies it, and does nothing else with it",
                   s->target->name, s->target->kind->name);
}

enum exit_code recipe_source_open(struct recipe_source *s, const char *target, bool mapped,
                                  bool any, const struct recipe_text *file, struct diag *d) {
    *s = (struct recipe_source){0};
    enum exit_code code =
        exit_code_of(machine_open_target(target, NULL, 0, d, &s->target, &s->library));
    if (code != EXIT_DONE)
        return code;
    if (s->library->machine == &plane_machine)
        s->recipes = plane_recipes(s->library);
    if (!s->recipes && !(any && s->target->kind->costs && !mapped && !file)) {
        no_recipes(s, d);
        code = EXIT_REJECTED;
    } else if (mapped || file) {
        code = replace(s, mapped, file, d);
    }
    if (code != EXIT_DONE)
        recipe_source_close(s);
    return code;
}

void recipe_source_close(struct recipe_source *s) {
    recipe_set_free(s->own_recipes);
    machine_library_close(s->library);
    target_free(s->target);
    *s = (struct recipe_source){0};
}
