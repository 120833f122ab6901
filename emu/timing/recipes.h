/* SPDX-License-Identifier: MIT
 * What a recipe table holds while a program runs, and what it has to load (MPU paper, section VI-B
 * and Table III).
 *
 * The table holds recipes, each an own sequence of templates and the sequences that its pointers
 * lead to.  A template that several need is there once.  A recipe takes one pointer, and so does
 * each sequence that pointers lead to.  When templates or pointers do not suffice, the recipe goes
 * that was used the longest ago.  A recipe that does not fit alone passes through, loads all its
 * templates each time, and leaves the table empty. */
#ifndef EMU_TIMING_RECIPES_H
#define EMU_TIMING_RECIPES_H

#include "machines/machine.h"
#include "support/map.h"

/* Contents of a table have numbers; 0 is that of an empty one. */
struct recipe_cache {
    struct machine_load load;     /* of the program's code; without parts nothing is ever loaded */
    uint32_t templates, pointers; /* that it has room for */
    struct map contents;          /* forms, the latest used first -> number */
    struct map uses;              /* contents and form -> what timing_cache_use found */
    uint8_t *marks;               /* [load.words]: scratch */
};

/* `code` may be NULL: recipes are always there. */
void timing_cache_open(struct recipe_cache *c, const struct target *t,
                       const struct machine_code *code);
void timing_cache_close(struct recipe_cache *c);

/* Contents have no numbers any more, but the empty ones. */
void timing_cache_forget(struct recipe_cache *c);
/* Memory that the numbers take, about. */
size_t timing_cache_bytes(const struct recipe_cache *c);

struct recipe_load {
    uint32_t contents; /* afterwards */
    uint32_t loads;    /* templates */
};
/* Part `form` of the code is carried out on `contents`. */
struct recipe_load timing_cache_use(struct recipe_cache *c, uint32_t contents, uint32_t form);

#endif
