/* SPDX-License-Identifier: MIT
 * Texts of Python, which are known when the kernel is compiled, and what stands in them and in
 * lists.
 */
#ifndef EZPIM_NP_TEXTS_H
#define EZPIM_NP_TEXTS_H

#include "ezpim/np/promotion.h"

/* What the text says, without its quotes; of b"..." its bytes, a tuple of numbers. */
struct np_value np_text_value(struct np_unit *unit, const struct np_expr *expr);
/* Its characters, each a text; how many, 0 after reporting too. */
uint32_t np_characters(struct np_unit *unit, const struct np_value *text, struct np_value **items);
/* The other way round. */
struct np_value np_joined_text(struct np_unit *unit, const struct np_value *characters,
                               struct span at);
/* len, ord, chr; NP_NONE: no such function of that. */
struct np_value np_text_function(struct np_unit *unit, const char *name, const struct np_value *arg,
                                 struct span at);
/* `in`, `not in`, `is` and `is not` of what is known. */
struct np_value np_membership(struct np_unit *unit, enum np_operator op,
                              const struct np_value *left, const struct np_value *right,
                              struct span at);
/* known_math.c: `math.name`, and a call of it. */
struct np_value np_math_attribute(struct np_unit *unit, const char *name, struct span at,
                                  struct span name_at);
struct np_value np_math_call(struct np_unit *unit, const struct np_value *value,
                             const struct np_value *args, uint32_t count, struct span at);
/* Comparisons and `+` of two texts; false: it is none. */
bool np_text_operator(struct np_unit *unit, enum np_operator op, const struct np_value *left,
                      const struct np_value *right, struct np_value *v, struct span at);

#endif
