/* SPDX-License-Identifier: MIT
 * PyPIM's sum, difference, product and quotient of floats as its routines go about them, in whole
 * numbers. */
#include "recipe/verify/published_float.h"

#include <stdbool.h>

#define FRACTION 23
#define LOWEST   ((UINT64_C(1) << FRACTION) - 1)

static unsigned exponent_of(uint64_t x) {
    return x >> FRACTION & 255;
}

/* With the bit before the fraction, which is 0 where the exponent is. */
static uint64_t significand_of(uint64_t x) {
    return (x & LOWEST) | (uint64_t)(exponent_of(x) != 0) << FRACTION;
}

/* +0 where the highest bit of the significand is 0, or the exponent of 9 bits beyond 255: below 0,
 * too.
 */
static uint64_t packed(uint64_t sign, unsigned exponent, uint64_t significand, bool highest) {
    if (!highest || exponent >> 8 & 1)
        return 0;
    return sign << 31 | (uint64_t)(exponent & 255) << FRACTION | (significand & LOWEST);
}

static uint64_t rounded(uint64_t significand, uint64_t first_below, bool further) {
    return significand + (first_below & (further | (significand & 1)));
}

/* The number with the smaller exponent goes down, with three bits more and what falls out ORed into
 * the last one.  Bits before the fraction are as in significand_of; exponents stay as they are.
 */
static uint64_t lowered(uint64_t value, unsigned by) {
    if (by > 63)
        return value != 0;
    return value >> by | ((value & ((UINT64_C(1) << by) - 1)) != 0);
}

/* The sum of numbers whose first exponent is not the smaller one. */
static uint64_t sum_of(uint64_t larger, uint64_t other) {
    bool apart = (larger ^ other) >> 31 & 1;
    unsigned exponent = exponent_of(larger);
    uint64_t sign = larger >> 31 & 1, x = significand_of(larger) << 3,
             y = lowered(significand_of(other) << 3, exponent - exponent_of(other)),
             sum = apart ? x - y : x + y;
    if (apart && x < y) {
        sum = y - x;
        sign ^= 1;
    }
    if (sum == 0)
        return 0;
    if (sum >> (FRACTION + 4)) {
        sum = lowered(sum, 1);
        exponent++;
    }
    for (; !(sum >> (FRACTION + 3)); exponent--)
        sum <<= 1;
    uint64_t up = rounded(sum >> 3, sum >> 2 & 1, (sum & 3) != 0);
    return packed(sign, exponent + (unsigned)(up >> (FRACTION + 1)), up, true);
}

uint64_t recipe_published_add(struct ieee_format format, uint64_t left, uint64_t right) {
    if (format.exponent_bits != 8 || format.fraction_bits != FRACTION)
        return ieee_add(format, left, right);
    return exponent_of(left) < exponent_of(right) ? sum_of(right, left) : sum_of(left, right);
}

uint64_t recipe_published_sub(struct ieee_format format, uint64_t left, uint64_t right) {
    if (format.exponent_bits != 8 || format.fraction_bits != FRACTION)
        return ieee_sub(format, left, right);
    return recipe_published_add(format, left, right ^ UINT64_C(1) << 31);
}

uint64_t recipe_published_mul(struct ieee_format format, uint64_t left, uint64_t right) {
    if (format.exponent_bits != 8 || format.fraction_bits != FRACTION)
        return ieee_mul(format, left, right);
    uint64_t product = significand_of(left) * significand_of(right);
    unsigned carry = product >> 47 & 1, below = FRACTION - 1 + carry;
    uint64_t s = product >> (below + 1), rest = product & ((UINT64_C(1) << below) - 1);
    uint64_t up = rounded(s, product >> below & 1, rest != 0);
    return packed((left ^ right) >> 31 & 1,
                  exponent_of(left) + exponent_of(right) - 127 + (carry | (unsigned)(up >> 24)), up,
                  s >> FRACTION & 1);
}

/* A divisor whose exponent is 0 gives all ones. */
uint64_t recipe_published_div(struct ieee_format format, uint64_t left, uint64_t right) {
    if (format.exponent_bits != 8 || format.fraction_bits != FRACTION)
        return ieee_div(format, left, right);
    if (exponent_of(right) == 0)
        return UINT32_MAX;
    uint64_t dividend = significand_of(left) << 25, divisor = significand_of(right),
             quotient = dividend / divisor;
    unsigned carry = quotient >> 25 & 1;
    uint64_t s = quotient >> (1 + carry), first_below = quotient >> carry & 1;
    bool further = dividend % divisor != 0 || (quotient & carry) != 0;
    return packed((left ^ right) >> 31 & 1, exponent_of(left) - exponent_of(right) + 126 + carry,
                  rounded(s, first_below, further), s >> FRACTION & 1);
}
