/* SPDX-License-Identifier: MIT
 * Logic of tables that was found before, by this process or another: it takes long to find.  Cache
 * and packages hold it as the text of a recipe, which is looked at before it is taken. */
#include "recipe/lut/lut.h"
#include "recipe/set/set.h"

#include <string.h>

struct recipe_logic_name recipe_logic_name(const struct recipe_set *set, const struct insn *insn) {
    struct recipe_logic_name name;
    const struct cache_key key = lut_key(set, insn);
    memcpy(name.text, key.hash, sizeof name.text);
    return name;
}

bool recipe_logic_print(const struct recipe_set *set, const struct insn *insn, struct str *out) {
    bool found = recipe_of_insn(set, insn, NULL);
    struct alloc_lock lock;
    recipe_set_lock(set, &lock);
    found = found && lut_recipe_print(set, insn, out);
    alloc_unlock(&lock);
    return found;
}

bool recipe_logic_take(struct recipe_set *set, const struct insn *insn, const char *text,
                       size_t size) {
    struct alloc_lock lock;
    recipe_set_lock(set, &lock);
    bool fine = lut_recipe_is_known(set->luts, insn) ||
                lut_recipe_take(set, insn, recipe_expand_with, text, size);
    alloc_unlock(&lock);
    return fine;
}

void recipe_set_keep(const struct recipe_set *set, const char *folder) {
    struct alloc_lock lock;
    recipe_set_lock(set, &lock);
    if (!set->cache)
        ((struct recipe_set *)(uintptr_t)set)->cache = cache_open(folder, CACHE_MOST_BYTES);
    alloc_unlock(&lock);
}
