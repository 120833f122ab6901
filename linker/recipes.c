/* SPDX-License-Identifier: MIT
 * The recipes with which a target carries out one program. */
#include "linker/package.h"

#include <string.h>

bool program_add_recipes(struct object *program, const char *name, const char *text, size_t size,
                         struct diag *d) {
    struct isa_users users = {0};
    struct arena scratch = {0};
    if (size > OBJECT_MAX_RECIPE_TEXT || memchr(text, '\0', size)) {
        diag_error(d, NO_SPAN, "'%s' is larger than 1 MiB, or no text", name);
        return false;
    }
    if (object_has_recipes(program, text, size))
        return true;
    if (program->recipes.len == OBJECT_MAX_RECIPES) {
        diag_error(d, NO_SPAN, "a program has at most %d recipe files", OBJECT_MAX_RECIPES);
        return false;
    }
    struct user_file file = {arena_strdup(&program->arena, name),
                             arena_strndup(&program->arena, text, size), size};
    vec_push(&program->recipes, file);
    bool fine = object_users(program, &users, &scratch, d);
    arena_free(&scratch);
    return fine;
}

bool program_recipes_open(const struct object *program, const struct target *t,
                          const struct recipe_set *built_in, struct program_recipes *out,
                          struct diag *d) {
    const struct user_file *files = program->recipes.data;
    size_t count = program->recipes.len;
    *out = (struct program_recipes){.recipes = built_in};
    if (count == 0)
        return true;
    out->contracts = recipe_contracts_open(t, files, count, d);
    if (out->contracts && built_in)
        out->recipes = out->own = recipe_set_open_files(t, files, count, d);
    if (out->contracts && (out->own || !built_in))
        return true;
    program_recipes_close(out);
    return false;
}

void program_recipes_close(struct program_recipes *r) {
    recipe_set_free(r->own);
    recipe_contracts_free(r->contracts);
    *r = (struct program_recipes){.recipes = NULL};
}
