/* SPDX-License-Identifier: MIT
 * What the recipe tables of a machine hold from one program to the next.
 *
 * Each program numbers its recipes by itself; here they are known by what they say
 * (machine_part.key), so that a program finds those that others loaded.  Recipes that a program
 * does not have itself keep their room in the table until others need it; what they share with
 * each other or with the program is counted for each of them, so that a table never seems to hold
 * more than it does. */
#ifndef EMU_TIMING_RECIPE_TABLES_H
#define EMU_TIMING_RECIPE_TABLES_H

#include "emu/timing/recipes.h"

struct timing_tables;

/* All are empty.  tables: how many the machine has. */
struct timing_tables *timing_tables_new(size_t tables);
void timing_tables_free(struct timing_tables *tables); /* NULL: nothing */

/* Around a program: between both, numbers of contents are of one cache. */
void timing_tables_begin(struct timing_tables *tables);
void timing_tables_end(struct timing_tables *tables);
/* The number of what a table holds among the contents of `cache`. */
uint32_t timing_tables_get(struct timing_tables *tables, size_t table, struct recipe_cache *cache);
/* A table holds these contents of `cache` from now on. */
void timing_tables_put(struct timing_tables *tables, size_t table, struct recipe_cache *cache,
                       uint32_t contents);

#endif
