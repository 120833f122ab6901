/* SPDX-License-Identifier: MIT
 * Opens a target with its recipes, or with those of one file in their place. */
#include "tools/mpu-recipe/source.h"

#include "recipe/set/set.h"
#include "support/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum exit_code source_text_read(struct recipe_text *text, const char *path, struct diag *diag) {
    text->name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    text->text = file_read_text(path, FILE_MAX_TARGET, &text->size);
    if (text->text)
        return EXIT_DONE;
    diag_error(diag, NO_SPAN, "cannot read '%s': %s", path, file_problem(errno));
    return EXIT_FILE;
}

void source_text_free(struct recipe_text *text) {
    free(text->text);
    text->text = NULL;
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
static enum exit_code replace(struct recipe_source *source, const struct source_choice *choice,
                              struct diag *diag) {
    const struct recipe_text *file = choice->file;
    source->recipes = source->own_recipes =
        choice->mapped
            ? recipe_set_open_mapped(source->target, diag)
            : recipe_set_open_with(source->target, file->name, file->text, file->size, diag);
    return source->recipes ? EXIT_DONE : EXIT_REJECTED;
}

/* Why there are no recipes to work on. */
static void no_recipes(const struct recipe_source *source, struct diag *diag) {
    if (!source->target->kind->costs)
        diag_error(diag, NO_SPAN, "target '%s' has no recipes: it computes in host arithmetic",
                   source->target->name);
    else
        diag_error(diag, NO_SPAN,
                   "target '%s' is a %s machine, which has no recipes of micro-ops: mpu-recipe "
                   "%s, and does nothing else with it",
                   source->target->name, source->target->kind->name,
                   source->library->machine->figures ? "counts, expands, verifies and compares it"
                                                     : "counts, verifies and compares it");
}

/* A machine of another kind that will do; the file is of its library. */
static bool serves(const struct recipe_source *source, const struct source_choice *choice) {
    bool shows = source->library->machine->figures != NULL;
    if (choice->mapped || (choice->file && !shows))
        return false;
    return (choice->programs && shows) || (choice->any && source->target->kind->costs);
}

static enum exit_code reopen(struct recipe_source *source, const struct source_choice *choice,
                             struct diag *diag) {
    if (!choice->file)
        return EXIT_DONE;
    const struct user_file file = {choice->file->name, choice->file->text, choice->file->size};
    machine_library_close(source->library);
    source->library = machine_library_open(source->target, &file, 1, diag);
    return source->library ? EXIT_DONE : EXIT_REJECTED;
}

enum exit_code source_open(struct recipe_source *source, const char *target,
                           const struct source_choice *choice, struct diag *diag) {
    *source = (struct recipe_source){0};
    enum exit_code code =
        exit_code_of(machine_open_target(target, choice->overrides, choice->override_count, diag,
                                         &source->target, &source->library));
    if (code != EXIT_DONE)
        return code;
    if (source->library->machine == &plane_machine)
        source->recipes = plane_recipes(source->library);
    if (!source->recipes && serves(source, choice)) {
        code = reopen(source, choice, diag);
    } else if (!source->recipes) {
        no_recipes(source, diag);
        code = EXIT_REJECTED;
    } else if (choice->mapped || choice->file) {
        code = replace(source, choice, diag);
    }
    if (code == EXIT_DONE && source->recipes && !recipe_arith_check(source->recipes, diag))
        code = EXIT_REJECTED;
    if (code != EXIT_DONE)
        source_close(source);
    return code;
}

const struct isa_users *source_users(const struct recipe_source *source) {
    return source->recipes ? &source->recipes->users
                           : recipe_contracts_users(source->library->contracts);
}

void source_close(struct recipe_source *source) {
    recipe_set_free(source->own_recipes);
    machine_library_close(source->library);
    target_free(source->target);
    *source = (struct recipe_source){0};
}
