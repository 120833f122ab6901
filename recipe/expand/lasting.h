/* SPDX-License-Identifier: MIT
 * Values in the order in which they choose where they lie, where rows are scarce. */
#ifndef RECIPE_EXPAND_LASTING_H
#define RECIPE_EXPAND_LASTING_H

#include "recipe/expand/expand.h"

/* The numbers of all values, those first that are held the longest, from the first micro-op that
 * has them to the last.  The caller frees it. */
uint32_t *expand_lasting_first(const struct expansion *expansion);

#endif
