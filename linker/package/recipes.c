/* SPDX-License-Identifier: MIT
 * The files that a program brings along, and how a target carries it out with them. */
#include "linker/package.h"

#include <string.h>

bool link_add_recipes(struct object *program, const char *name, const char *text, size_t size,
                      struct diag *diag) {
    struct isa_users users = {0};
    struct arena scratch = {0};
    if (size > OBJECT_MAX_RECIPE_TEXT || memchr(text, '\0', size)) {
        diag_error(diag, NO_SPAN, "'%s' is larger than 1 MiB, or no text", name);
        return false;
    }
    if (object_has_recipes(program, text, size))
        return true;
    if (program->recipes.len == OBJECT_MAX_RECIPES) {
        diag_error(diag, NO_SPAN, "a program has at most %d recipe files", OBJECT_MAX_RECIPES);
        return false;
    }
    struct user_file file = {arena_strdup(&program->arena, name),
                             arena_copy(&program->arena, text, size), size};
    vec_push(&program->recipes, file);
    bool fine = object_users(program, &users, &scratch, diag);
    arena_free(&scratch);
    for (size_t i = 0; fine && i < program->own_texts.len; i++)
        fine = link_add_recipes(program->own_texts.data[i].program, name, text, size, diag);
    return fine;
}

bool package_library_open(const struct object *program, const struct target *target,
                          const struct machine_library *built_in, struct program_library *out,
                          struct diag *diag) {
    *out = (struct program_library){.library = built_in};
    if (program->recipes.len == 0)
        return true;
    out->library = out->own =
        machine_library_open(target, program->recipes.data, program->recipes.len, diag);
    return out->own;
}

void package_library_close(struct program_library *library) {
    machine_library_close(library->own);
    *library = (struct program_library){.library = NULL};
}
