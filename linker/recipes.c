/* SPDX-License-Identifier: MIT
 * The recipes with which a target carries out one program. */
#include "linker/package.h"

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
