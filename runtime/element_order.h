/* SPDX-License-Identifier: MIT
 * The order of elements, for what the host sorts and folds. */
#ifndef RUNTIME_ELEMENT_ORDER_H
#define RUNTIME_ELEMENT_ORDER_H

#include "object/object.h"

/* Patterns in the order of their numbers, as ones without a sign: what is not a number comes last.
 * And back. */
uint64_t session_element_key(struct lane_type type, uint64_t x);
uint64_t session_of_element_key(struct lane_type type, uint64_t key);
/* As a key of which the largest wins where the least (or the largest) is asked for: what is not a
 * number does.  `alike`: zeros are equal. */
uint64_t session_element_worth(struct lane_type type, bool least, bool alike, uint64_t x);

#endif
