/* SPDX-License-Identifier: MIT
 * What a recipe table holds while a program runs, and what it has to load (MPU paper, section VI-B
 * and Table III).
 *
 * The table holds recipes.  A recipe is a sequence of templates of its own and the sequences that
 * its pointers lead to; a template that several recipes need is there once.  A recipe takes one
 * pointer, and so does each sequence that pointers lead to.  When there are too few templates or
 * pointers, the recipe that was used longest ago is dropped.  A recipe that is too large for an
 * empty table passes through: it loads all its templates each time, and leaves the table empty. */
#ifndef EMU_TIMING_RECIPES_H
#define EMU_TIMING_RECIPES_H

#include "machines/machine.h"
#include "support/map.h"
#include "support/vec.h"

/* A recipe of any program, in a table. */
struct resident_recipe {
    uint64_t key; /* machine_part.key */
    uint32_t templates, pointers;
};

/* Contents of a table have numbers; 0 is that of an empty one. */
struct recipe_cache {
    struct machine_load load;     /* of the program's code; without parts nothing is ever loaded */
    uint32_t templates, pointers; /* that it has room for */
    /* Recipes that other programs left and this one does not have: form load.part_count + i. */
    VEC(struct resident_recipe) others;
    struct map contents; /* forms, the latest used first -> number */
    struct map uses;     /* contents and form -> what timing_cache_use found */
    uint8_t *marks;      /* [load.words]: scratch */
};

/* `code` may be NULL: recipes are always there. */
void timing_cache_open(struct recipe_cache *cache, const struct target *target,
                       const struct machine_code *code);
void timing_cache_close(struct recipe_cache *cache);

/* Forgets all contents but the empty ones: other numbers are not valid afterwards. */
void timing_cache_forget(struct recipe_cache *cache);
/* Bytes of memory that the known contents take, about. */
size_t timing_cache_bytes(const struct recipe_cache *cache);

/* The number of contents with these recipes, the latest used first. */
uint32_t timing_cache_hold(struct recipe_cache *cache, const struct resident_recipe *forms,
                           uint32_t count);
/* The recipes of contents, likewise; the caller frees the list. */
struct resident_recipe *timing_cache_held(struct recipe_cache *cache, uint32_t contents,
                                          uint32_t *count);

struct recipe_load {
    uint32_t contents; /* afterwards */
    uint32_t loads;    /* templates */
};
/* What a table with `contents` has to load to carry out part `form` of the code. */
struct recipe_load timing_cache_use(struct recipe_cache *cache, uint32_t contents, uint32_t form);

#endif
