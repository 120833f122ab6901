/* SPDX-License-Identifier: MIT
 * Numbers of the host as text and back.  This is C++ because <charconv> is the standard way that
 * knows no locale and gives the shortest digits that read back as the same number. */
#include <charconv>
#include <cmath>

extern "C" {
#include "support/str.h"
}

/* Digits behind 0x, with an optional point and exponent of 2. */
static bool parse_hexadecimal(const char *text, const char *end, bool minus, double *value) {
    double result;
    if (*text == '-')
        return false;
    auto read = std::from_chars(text, end, result, std::chars_format::hex);
    if (read.ec != std::errc() || read.ptr != end)
        return false;
    *value = minus ? -result : result;
    return true;
}

extern "C" {

void str_double(struct str *s, double value) {
    char text[64];
    auto end = std::to_chars(text, text + sizeof text, value).ptr;
    if (std::isnan(value))
        str_append(s, "nan"); /* sign and payload are no part of a text */
    else
        str_append_n(s, text, static_cast<size_t>(end - text));
}

bool number_parse_double(const char *text, size_t n, double *value) {
    const char *end = text + n;
    if (n && *text == '+' && n > 1 && text[1] != '-')
        text++;
    bool minus = text < end && *text == '-';
    double result;
    if (end - text - minus > 2 && text[minus] == '0' && (text[minus + 1] | 0x20) == 'x')
        return parse_hexadecimal(text + minus + 2, end, minus, value);
    auto read = std::from_chars(text, end, result);
    if (read.ec != std::errc() || read.ptr != end)
        return false;
    *value = result;
    return true;
}
}
