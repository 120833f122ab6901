/* SPDX-License-Identifier: MIT
 * The field of 256 elements by logarithms. */
#include "recipe/lut/field.h"

void lut_field_make(struct lut_field *field) {
    uint8_t value = 1;
    field->log[0] = 0;
    for (unsigned i = 0; i < 255; i++) {
        field->power[i] = value;
        field->log[value] = (uint8_t)i;
        /* times 3, which generates */
        value ^= (uint8_t)(value << 1 ^ (value & 0x80 ? 0x1b : 0));
    }
}

uint8_t lut_field_mul(const struct lut_field *field, uint8_t left, uint8_t right) {
    if (!left || !right)
        return 0;
    return field->power[(field->log[left] + field->log[right]) % 255];
}

uint8_t lut_field_inverse(const struct lut_field *field, uint8_t value) {
    return value ? field->power[(255 - field->log[value]) % 255] : 0;
}

uint8_t lut_field_power(const struct lut_field *field, uint8_t value, unsigned exponent) {
    return value ? field->power[field->log[value] * exponent % 255] : 0;
}

uint8_t lut_field_trace(const struct lut_field *field, uint8_t value, unsigned bits, unsigned to) {
    uint8_t sum = 0;
    for (unsigned i = 0; i < bits; i += to)
        sum ^= lut_field_power(field, value, 1u << i);
    return sum;
}
