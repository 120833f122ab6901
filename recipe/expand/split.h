/* SPDX-License-Identifier: MIT
 * Copies between classes of rows, where one class does not suit all that have a value. */
#ifndef RECIPE_EXPAND_SPLIT_H
#define RECIPE_EXPAND_SPLIT_H

#include "recipe/expand/rewrite.h"

/* May a copy of that source be made for the micro-op alone?  `classes`: where the value may lie for
 * others, and where it should lie for this one. */
bool expand_can_split(const struct expansion *expansion, uint32_t uop, unsigned source,
                      const struct class_sets *classes);
/* Makes it, and for all micro-ops of the statement that are like it.  False after reporting. */
bool expand_split(struct expansion *expansion, uint32_t uop, unsigned source,
                  const struct class_sets *classes);

#endif
