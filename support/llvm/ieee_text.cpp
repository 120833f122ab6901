/* SPDX-License-Identifier: MIT
 * Text is read as a binary64 number first.  Rounding keeps order, and what lies half-way between
 * two numbers of a narrower format is a binary64 number: so that one decides, unless it lies
 * exactly half-way itself.  Then, and where it is out of range, LLVM reads the digits. */
#include "support/llvm/semantics.h"

#include <llvm/Support/Error.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string>

extern "C" {
#include "support/ieee_text.h"
}

static const struct ieee_format binary64 = {11, 52, false, IEEE_NEAREST};

static uint64_t pattern_of(double value) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double value_of(struct ieee_format format, uint64_t pattern) {
    uint64_t bits = ieee_convert(format, binary64, pattern);
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- reading ---- */

/* Digits beyond these tell only whether there is anything behind them: a binary64 number, and what
 * lies between two of them, has at most 768. */
static const size_t digits_read = 800;

struct decimal {
    std::string digits;   /* from the first that is not 0 */
    long exponent = 0;    /* of the digit before the point, if that stands behind the first one */
    bool further = false; /* a digit that is not 0 was left out */
};

static void add_digit(struct decimal &number, char digit) {
    if (number.digits.empty() && digit == '0')
        return;
    if (number.digits.size() < digits_read)
        number.digits += digit;
    else
        number.further |= digit != '0';
}

/* A text that from_chars takes, with digits that are not all 0. */
static struct decimal decimal_of(const char *text, const char *end) {
    struct decimal number;
    bool point = false;
    for (; text < end && *text != 'e' && *text != 'E'; text++) {
        if (*text == '.')
            point = true;
        if (*text < '0' || *text > '9')
            continue;
        add_digit(number, *text);
        number.exponent += !point && !number.digits.empty();
        number.exponent -= point && number.digits.empty();
    }
    number.exponent--;
    if (text < end) {
        const char *digits = text + 1 + (text[1] == '+');
        int exponent = 0;
        if (std::from_chars(digits, end, exponent).ec == std::errc::result_out_of_range)
            exponent = *digits == '-' ? -1000000000 : 1000000000;
        number.exponent += exponent;
    }
    return number;
}

/* The pattern of the digits' number, whose sign is given. */
static uint64_t read_digits(struct ieee_format format, const char *text, const char *end) {
    struct decimal number = decimal_of(text, end);
    long exponent = std::clamp(number.exponent, -5000L, 5000L);
    std::string exact = number.digits.substr(0, 1) + "." + number.digits.substr(1) +
                        (number.further ? "1" : "0") + "e" + std::to_string(exponent);
    llvm::APFloat result(semantics_of(format.exponent_bits, format.fraction_bits));
    auto status = result.convertFromString(exact, llvm::APFloat::rmNearestTiesToEven);
    if (!status)
        llvm::consumeError(status.takeError());
    return result.bitcastToAPInt().getZExtValue() | (*text == '-' ? ieee_sign_bit(format) : 0);
}

static bool is_exact(struct ieee_format format, uint64_t number) {
    return ieee_convert(format, binary64, ieee_convert(binary64, format, number)) == number;
}

/* Half-way between two numbers of the format, or between the largest and infinity. */
static bool lies_half_way(struct ieee_format format, uint64_t number) {
    struct ieee_format finer = {
        format.exponent_bits, static_cast<uint8_t>(format.fraction_bits + 1), false, IEEE_NEAREST};
    return format.fraction_bits < binary64.fraction_bits && !is_exact(format, number) &&
           is_exact(finer, number);
}

static enum ieee_reading judged(struct ieee_format format, uint64_t number, uint64_t *value) {
    *value = number;
    return ieee_is_infinite(format, number) ? IEEE_TOO_LARGE : IEEE_NUMBER;
}

/* ---- writing ---- */

template <typename T> static void append(struct str *out, T value) {
    char text[64];
    auto end = std::to_chars(text, text + sizeof text, value).ptr;
    str_append_n(out, text, static_cast<size_t>(end - text));
}

/* The number of `digits` digits that is nearest to a positive one, as a text of scientific form. */
static std::string rounded(double value, int digits) {
    char text[64];
    auto end =
        std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, digits - 1)
            .ptr;
    return std::string(text, end);
}

/* The same number with one more in its last digit. */
static std::string next_digit(std::string text) {
    size_t exponent = text.find('e');
    for (size_t i = exponent; i-- > 0;) {
        if (text[i] == '.')
            continue;
        if (text[i] != '9') {
            text[i]++;
            return text;
        }
        text[i] = '0';
    }
    return "1" + text; /* ten times as much before the point is as good */
}

static bool reads_as(struct ieee_format format, const std::string &text, uint64_t pattern) {
    uint64_t read;
    return ieee_parse(format, text.data(), text.size(), &read) == IEEE_NUMBER && read == pattern;
}

static double number_of(const std::string &text) {
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

/* The number with the fewest digits that rounds to a positive one of a format of at most 11 bits,
 * for which five suffice.  Below a power of two the numbers lie twice as near as above it, so that
 * the nearest text may lie outside when the next one above does not. */
static double shortest(struct ieee_format format, uint64_t pattern) {
    double value = value_of(format, pattern);
    for (int digits = 1; digits <= 5; digits++) {
        std::string near = rounded(value, digits);
        if (!reads_as(format, near, pattern))
            near = next_digit(near);
        if (reads_as(format, near, pattern))
            return number_of(near);
    }
    return value;
}

static void finite_text(struct ieee_format format, uint64_t value, struct str *out) {
    uint64_t magnitude = value & ~ieee_sign_bit(format);
    if (value & ieee_sign_bit(format))
        str_char(out, '-');
    if (ieee_width(format) == 64)
        append(out, value_of(format, magnitude));
    else if (ieee_width(format) == 32)
        append(out, static_cast<float>(value_of(format, magnitude)));
    else
        append(out, magnitude ? shortest(format, magnitude) : 0.0);
}

/* ---- hexadecimal: 0x1.8p3 ---- */

static const char *skip_digits(const char *text, const char *end, bool hexadecimal, bool *some) {
    const char *begin = text;
    while (text < end && (hexadecimal ? std::isxdigit(static_cast<unsigned char>(*text))
                                      : std::isdigit(static_cast<unsigned char>(*text))))
        text++;
    *some |= text > begin;
    return text;
}

/* Behind the sign: 0x, digits with an optional point, an optional exponent of 2. */
static bool is_hexadecimal(const char *text, const char *end, bool *has_exponent) {
    bool digits = false, exponent = false;
    if (end - text < 3 || text[0] != '0' || (text[1] | 0x20) != 'x')
        return false;
    text = skip_digits(text + 2, end, true, &digits);
    if (text < end && *text == '.')
        text = skip_digits(text + 1, end, true, &digits);
    *has_exponent = text < end && (*text | 0x20) == 'p';
    if (*has_exponent) {
        text += 1 + (text + 1 < end && (text[1] == '+' || text[1] == '-'));
        text = skip_digits(text, end, false, &exponent);
    }
    return digits && exponent == *has_exponent && text == end;
}

static enum ieee_reading read_hexadecimal(struct ieee_format format, const char *text,
                                          const char *end, bool has_exponent, uint64_t *value) {
    llvm::APFloat result(semantics_of(format.exponent_bits, format.fraction_bits));
    std::string whole(text, end);
    auto status = result.convertFromString(has_exponent ? whole : whole + "p0",
                                           llvm::APFloat::rmNearestTiesToEven);
    if (status)
        return judged(format, result.bitcastToAPInt().getZExtValue(), value);
    llvm::consumeError(status.takeError());
    return IEEE_NO_NUMBER;
}

/* ---- digits in groups: 1_000.5 ---- */

static bool is_digit_of(bool hexadecimal, char character) {
    auto byte = static_cast<unsigned char>(character);
    return hexadecimal ? std::isxdigit(byte) : std::isdigit(byte);
}

/* Without the _ between digits; false if one stands elsewhere. */
static bool join_groups(const char *text, size_t n, std::string &out) {
    bool sign = *text == '-' || *text == '+';
    bool hexadecimal = n > sign + 2u && text[sign] == '0' && (text[sign + 1] | 0x20) == 'x';
    for (size_t i = 0; i < n; i++) {
        if (text[i] != '_')
            out += text[i];
        else if (i == 0 || i + 1 == n || !is_digit_of(hexadecimal, text[i - 1]) ||
                 !is_digit_of(hexadecimal, text[i + 1]))
            return false;
    }
    return true;
}

static enum ieee_reading read_groups(struct ieee_format format, const char *text, size_t n,
                                     uint64_t *value) {
    std::string joined;
    if (!join_groups(text, n, joined))
        return IEEE_NO_NUMBER;
    return ieee_parse(format, joined.data(), joined.size(), value);
}

extern "C" {
enum ieee_reading ieee_parse(struct ieee_format format, const char *text, size_t n,
                             uint64_t *value) {
    const char *end = text + n;
    double number = 0;
    if (n && std::memchr(text, '_', n))
        return read_groups(format, text, n, value);
    bool sign = n && (*text == '-' || *text == '+'), has_exponent;
    if (is_hexadecimal(text + sign, end, &has_exponent))
        return read_hexadecimal(format, text, end, has_exponent, value);
    if (n > 1 && *text == '+' && text[1] != '-')
        text++;
    auto read = std::from_chars(text, end, number);
    if (read.ec == std::errc::invalid_argument || read.ptr != end)
        return IEEE_NO_NUMBER;
    if (read.ec == std::errc::result_out_of_range || lies_half_way(format, pattern_of(number)))
        return judged(format, read_digits(format, text, end), value);
    if (std::isnan(number))
        *value = ieee_nan(format);
    else if (std::isfinite(number))
        return judged(format, ieee_convert(binary64, format, pattern_of(number)), value);
    else
        *value = ieee_infinity(format, number < 0);
    return IEEE_NUMBER;
}

void ieee_text(struct ieee_format format, uint64_t value, struct str *out) {
    size_t start = out->len;
    if (ieee_is_nan(format, value))
        str_append(out, "nan");
    else if (ieee_is_infinite(format, value))
        str_append(out, value & ieee_sign_bit(format) ? "-inf" : "inf");
    else
        finite_text(format, value, out);
    if (!std::strpbrk(out->text + start, ".ein"))
        str_append(out, ".0");
}
}
