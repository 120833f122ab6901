/* SPDX-License-Identifier: MIT
 * The field of 256 elements, modulo x^8 + x^4 + x^3 + x + 1, and those of 16 and 4 elements within
 * it.  Which polynomial is of no account: fields of one size differ by a linear map alone. */
#ifndef RECIPE_LUT_FIELD_H
#define RECIPE_LUT_FIELD_H

#include <stdbool.h>
#include <stdint.h>

struct lut_field {
    uint8_t power[255], log[256]; /* of a generator */
};
void lut_field_make(struct lut_field *field);

uint8_t lut_field_mul(const struct lut_field *field, uint8_t left, uint8_t right);
/* That of 0 is 0. */
uint8_t lut_field_inverse(const struct lut_field *field, uint8_t value);
uint8_t lut_field_power(const struct lut_field *field, uint8_t value, unsigned exponent);
/* From the field of 2^bits elements to that of 2^to: the sum of the conjugates. */
uint8_t lut_field_trace(const struct lut_field *field, uint8_t value, unsigned bits, unsigned to);

/* --- affine.c --- */

/* y = sum of columns[i] over the bits i of x, plus `added`. */
struct lut_affine {
    uint8_t columns[8], added;
};
uint8_t lut_affine_apply(const struct lut_affine *map, uint8_t value);

/* Is the table x -> out(inverse(in(x))) for some affine maps? */
bool lut_find_inversion(const struct lut_field *field, const uint8_t table[256],
                        struct lut_affine *in, struct lut_affine *out);

#endif
