/* SPDX-License-Identifier: MIT
 * NumPy's rules of types: what two operands become. */
#ifndef EZPIM_NP_PROMOTION_H
#define EZPIM_NP_PROMOTION_H

#include "ezpim/np/unit.h"

/* ---- types (promotion.c) ---- */

/* The type that NumPy takes for operands of both. */
struct lane_type np_promoted(struct lane_type left, struct lane_type right);
/* The type of floats that NumPy takes for integers where a function is of floats. */
struct lane_type np_real_type(struct lane_type type);
/* Whether NumPy stores the one in an array of the other by itself (its casting="same_kind"). */
bool np_same_kind(struct lane_type from, struct lane_type to);
/* A number of Python, be it known or (count_nonzero) not. */
bool np_is_python_number(const struct np_value *value);
/* What NumPy 2 computes the operator at, `op` as messages call it; false after reporting what goes
 * together with nothing.  Notes where NumPy 1.24 takes another type. */
bool np_common_type(struct np_unit *unit, const char *op, const struct np_value *left,
                    const struct np_value *right, struct lane_type *type, struct span at);
/* The value as an array of that type: an array is cast, a number must fit.  NULL after reporting.
 */
struct array_ref *np_at_type(struct np_unit *unit, const struct np_value *value,
                             struct lane_type type, const char *who, struct span at);
/* Arrays of their common type; false after reporting. */
bool np_meet(struct np_unit *unit, const char *op, const struct np_value *left,
             const struct np_value *right, struct array_ref **ref, struct array_ref **into,
             struct span at);
/* A comparison of arrays or of an array and a number, of integers exactly. */
struct np_value np_compare(struct np_unit *unit, enum np_operator op, struct np_value left,
                           struct np_value right, struct span at);
/* Notes that another text gives another type in NumPy 1.24: a warning behind the first walk. */
void np_note_promotion(struct np_unit *unit, struct span at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void np_report_promotions(struct np_unit *unit);

/* ---- what is known (known_numbers.c) ---- */

/* The whole part of a float as an integer. */
struct np_value np_whole_of(struct np_unit *unit, double real, struct span at);
double np_real_of(const struct np_value *value);
bool np_compares(enum np_operator op);
/* order: negative, 0 or positive, as the left operand is less, equal or greater. */
bool np_known_compare(enum np_operator op, int order);
struct np_value np_known_binary(struct np_unit *unit, enum np_operator op, struct np_value left,
                                struct np_value right, struct span at);
struct np_value np_repeat_list(struct np_unit *unit, struct np_value value, np_int length,
                               struct span at);
struct np_value np_join_lists(struct np_unit *unit, struct np_value left, struct np_value right,
                              struct span at);
bool np_same_items(const struct np_value *left, const struct np_value *right);

#endif
