/* SPDX-License-Identifier: MIT
 * Each function makes APFloats of the patterns, and the pattern of the result. */
#include "support/llvm/semantics.h"

#include <llvm/ADT/APSInt.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

extern "C" {
#include "support/llvm/apfloat.h"
}

using llvm::APFloat;

static const auto nearest_even = APFloat::rmNearestTiesToEven;

static APFloat number(unsigned exponent_bits, unsigned fraction_bits, uint64_t value) {
    unsigned width = 1 + exponent_bits + fraction_bits;
    return APFloat(semantics_of(exponent_bits, fraction_bits), llvm::APInt(width, value));
}

static uint64_t pattern(const APFloat &value) {
    return value.bitcastToAPInt().getZExtValue();
}

extern "C" {
uint64_t apfloat_add(unsigned exponent_bits, unsigned fraction_bits, uint64_t left,
                     uint64_t right) {
    APFloat result = number(exponent_bits, fraction_bits, left);
    result.add(number(exponent_bits, fraction_bits, right), nearest_even);
    return pattern(result);
}

uint64_t apfloat_sub(unsigned exponent_bits, unsigned fraction_bits, uint64_t left,
                     uint64_t right) {
    APFloat result = number(exponent_bits, fraction_bits, left);
    result.subtract(number(exponent_bits, fraction_bits, right), nearest_even);
    return pattern(result);
}

uint64_t apfloat_mul(unsigned exponent_bits, unsigned fraction_bits, uint64_t left,
                     uint64_t right) {
    APFloat result = number(exponent_bits, fraction_bits, left);
    result.multiply(number(exponent_bits, fraction_bits, right), nearest_even);
    return pattern(result);
}

uint64_t apfloat_div(unsigned exponent_bits, unsigned fraction_bits, uint64_t left,
                     uint64_t right) {
    APFloat result = number(exponent_bits, fraction_bits, left);
    result.divide(number(exponent_bits, fraction_bits, right), nearest_even);
    return pattern(result);
}

enum apfloat_order apfloat_compare(unsigned exponent_bits, unsigned fraction_bits, uint64_t left,
                                   uint64_t right) {
    switch (number(exponent_bits, fraction_bits, left)
                .compare(number(exponent_bits, fraction_bits, right))) {
    case APFloat::cmpLessThan:
        return APFLOAT_LESS;
    case APFloat::cmpEqual:
        return APFLOAT_EQUAL;
    case APFloat::cmpGreaterThan:
        return APFLOAT_GREATER;
    default:
        return APFLOAT_UNORDERED;
    }
}

bool apfloat_is_nan(unsigned exponent_bits, unsigned fraction_bits, uint64_t value) {
    return number(exponent_bits, fraction_bits, value).isNaN();
}

uint64_t apfloat_convert(unsigned from_exponent_bits, unsigned from_fraction_bits,
                         unsigned to_exponent_bits, unsigned to_fraction_bits, uint64_t value) {
    APFloat result = number(from_exponent_bits, from_fraction_bits, value);
    bool loses;
    result.convert(semantics_of(to_exponent_bits, to_fraction_bits), nearest_even, &loses);
    return pattern(result);
}

uint64_t apfloat_from_integer(unsigned exponent_bits, unsigned fraction_bits, uint64_t value,
                              bool is_signed) {
    APFloat result(semantics_of(exponent_bits, fraction_bits));
    result.convertFromAPInt(llvm::APInt(64, value, is_signed), is_signed, nearest_even);
    return pattern(result);
}

uint64_t apfloat_to_integer(unsigned exponent_bits, unsigned fraction_bits, uint64_t value,
                            unsigned width, bool is_signed, bool nearest) {
    llvm::APSInt result(width, !is_signed);
    bool exact;
    number(exponent_bits, fraction_bits, value)
        .convertToInteger(result, nearest ? nearest_even : APFloat::rmTowardZero, &exact);
    return result.getZExtValue();
}

uint64_t apfloat_parse(unsigned exponent_bits, unsigned fraction_bits, const char *text, size_t n) {
    APFloat result(semantics_of(exponent_bits, fraction_bits));
    auto status = result.convertFromString(llvm::StringRef(text, n), nearest_even);
    if (!status) {
        llvm::consumeError(status.takeError());
        return 0;
    }
    return pattern(result);
}
}
