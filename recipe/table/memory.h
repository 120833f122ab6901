/* SPDX-License-Identifier: MIT
 * What a recipe set remembers of the tables made with it. */
#ifndef RECIPE_TABLE_MEMORY_H
#define RECIPE_TABLE_MEMORY_H

struct table_memory;

struct table_memory *table_memory_new(void);
/* NULL is allowed. */
void table_memory_free(struct table_memory *memory);

#endif
