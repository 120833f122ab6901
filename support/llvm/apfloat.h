/* SPDX-License-Identifier: MIT
 * LLVM's APFloat as an oracle for tests: arithmetic on bit patterns, to nearest even, for the
 * formats (exponent bits, fraction bits) (5, 10), (8, 7), (8, 23) and (11, 52).  A NaN is returned
 * with whatever sign and payload LLVM gives it.  No tool is linked with it. */
#ifndef SUPPORT_LLVM_APFLOAT_H
#define SUPPORT_LLVM_APFLOAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

uint64_t apfloat_add(unsigned exponent_bits, unsigned fraction_bits, uint64_t left, uint64_t right);
uint64_t apfloat_sub(unsigned exponent_bits, unsigned fraction_bits, uint64_t left, uint64_t right);
uint64_t apfloat_mul(unsigned exponent_bits, unsigned fraction_bits, uint64_t left, uint64_t right);
uint64_t apfloat_div(unsigned exponent_bits, unsigned fraction_bits, uint64_t left, uint64_t right);

enum apfloat_order { APFLOAT_LESS, APFLOAT_EQUAL, APFLOAT_GREATER, APFLOAT_UNORDERED };
enum apfloat_order apfloat_compare(unsigned exponent_bits, unsigned fraction_bits, uint64_t left,
                                   uint64_t right);
bool apfloat_is_nan(unsigned exponent_bits, unsigned fraction_bits, uint64_t value);

uint64_t apfloat_convert(unsigned from_exponent_bits, unsigned from_fraction_bits,
                         unsigned to_exponent_bits, unsigned to_fraction_bits, uint64_t value);
/* value as a signed or an unsigned number of 64 bits. */
uint64_t apfloat_from_integer(unsigned exponent_bits, unsigned fraction_bits, uint64_t value,
                              bool is_signed);
/* In the low `width` bits, the others 0: rounded to nearest even or toward zero; the nearest one
 * that there is if it is out of range; 0 of a NaN. */
uint64_t apfloat_to_integer(unsigned exponent_bits, unsigned fraction_bits, uint64_t value,
                            unsigned width, bool is_signed, bool nearest);

/* The decimal number text[0..n), which must be one. */
uint64_t apfloat_parse(unsigned exponent_bits, unsigned fraction_bits, const char *text, size_t n);

#endif
