/* SPDX-License-Identifier: MIT
 * What PyPIM's routines on floats of 32 bits make of any two numbers, worked out from how they go
 * about it and not gate by gate: subnormal numbers, infinities and what is no number have no
 * meaning there. */
#ifndef RECIPE_VERIFY_PUBLISHED_FLOAT_H
#define RECIPE_VERIFY_PUBLISHED_FLOAT_H

#include "support/ieee.h"

/* Sum, difference, product and quotient.  Of formats that are not published they are those of IEEE
 * 754. */
uint64_t recipe_published_add(struct ieee_format format, uint64_t left, uint64_t right);
uint64_t recipe_published_sub(struct ieee_format format, uint64_t left, uint64_t right);
uint64_t recipe_published_mul(struct ieee_format format, uint64_t left, uint64_t right);
uint64_t recipe_published_div(struct ieee_format format, uint64_t left, uint64_t right);

#endif
