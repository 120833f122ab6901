/* SPDX-License-Identifier: MIT
 * Errors about what NumPy takes and kernels do not, with what is written instead. */
#ifndef EZPIM_NP_ADVICE_H
#define EZPIM_NP_ADVICE_H

#include "ezpim/np/unit.h"

/* The type that NumPy takes for operands of both. */
struct lane_type np_promoted(struct lane_type left, struct lane_type right);
/* The type of floats that NumPy takes for integers where a function is of floats. */
struct lane_type np_real_type(struct lane_type type);

/* Whether the operator is one of those between blanks. */
bool np_is_among(const char *op, const char *words);

/* Offers to cast the array, if it has another type. */
void np_offer_cast(struct np_unit *unit, const struct np_value *value, struct lane_type type);
/* Offers `name=np.T` as the last argument of a call. */
void np_offer_keyword(struct np_unit *unit, struct span call, const char *name,
                      struct lane_type type);

/* Each reports an error.  right: NULL where there is one operand. */
void np_types_differ(struct np_unit *unit, const char *op, const struct np_value *left,
                     const struct np_value *right, struct span at);
void np_no_dimension(struct np_unit *unit, const char *op, const struct np_value *number,
                     const struct array_ref *array, struct span at);
void np_no_bool(struct np_unit *unit, enum np_operator op, const struct np_value *left,
                const struct np_value *right, struct span at);
void np_no_integer(struct np_unit *unit, enum np_operator op, const struct np_value *left,
                   const struct np_value *right, struct span at);
void np_no_division(struct np_unit *unit, const struct np_value *left, const struct np_value *right,
                    struct span at);
/* A name of NumPy, "fft.fft" too.  False: what it could mean is not known. */
bool np_not_taken(struct np_unit *unit, const char *name, struct span at);

#endif
