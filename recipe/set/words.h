/* SPDX-License-Identifier: MIT
 * Words of partitioned arrays: micro-ops of one kind that work at the same time, one a stretch of
 * sections.  All operands of each lie the same number of sections beyond those of the one before,
 * in the same rows, and no two of them work in the same section. */
#ifndef RECIPE_SET_WORDS_H
#define RECIPE_SET_WORDS_H

#include "recipe/technology/plane_target.h"
#include "recipe/set/uop.h"

#include <stddef.h>

/* How many sections lie between these two, where both may be of one word; else 0. */
unsigned recipe_word_step(const struct target *target, const struct uop *before,
                          const struct uop *after);

/* Whether a micro-op joins the word that ends before it.  `step` is that of the word, 0 where it
 * holds only one micro-op; it becomes the new one, 0 where a word begins. */
bool recipe_word_joins(const struct target *target, const struct uop *uops, size_t index,
                       unsigned *step);

/* Makes words of what stands side by side in a list and may be one: the first is issued, each other
 * one goes with the one before.  Nothing where sections cannot be joined. */
void recipe_words_form(const struct target *target, struct uop *uops, size_t count);

/* True of a micro-op that goes with the one before it and takes no time of its own. */
static inline bool recipe_word_goes_on(const struct target *target, const struct uop *uop) {
    return uop->forwarded && plane_target(target)->partitioned;
}

#endif
