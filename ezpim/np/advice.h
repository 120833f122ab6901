/* SPDX-License-Identifier: MIT
 * Errors about what NumPy takes and kernels do not, with what is written instead. */
#ifndef EZPIM_NP_ADVICE_H
#define EZPIM_NP_ADVICE_H

#include "ezpim/np/unit.h"

/* Whether the operator is one of those between blanks. */
bool np_is_among(const char *op, const char *words);

/* Offers to cast the array, if it has another type. */
void np_offer_cast(struct np_unit *unit, const struct np_value *value, struct lane_type type);

/* Each reports an error.  right: NULL where there is one operand. */
void np_no_bool(struct np_unit *unit, enum np_operator op, const struct np_value *right,
                struct span at);
void np_no_integer(struct np_unit *unit, enum np_operator op, const struct np_value *value,
                   struct span at);
/* What has a type does not go into an array of the other. */
void np_not_in_place(struct np_unit *unit, struct lane_type type, struct lane_type into,
                     struct span at);
/* A name of NumPy, "fft.fft" too.  False: what it could mean is not known. */
bool np_not_taken(struct np_unit *unit, const char *name, struct span at);

#endif
