/* SPDX-License-Identifier: MIT
 * Floating-point numbers as text.  This is C++ because <charconv> is the standard way that knows
 * no locale and gives the shortest digits that read back as the same number. */
#include <charconv>
#include <cmath>
#include <cstring>

extern "C" {
#include "support/str.h"
}

template <typename T> static void append(struct str *s, T value) {
    char text[64];
    auto end = std::to_chars(text, text + sizeof text, value).ptr;
    str_append_n(s, text, static_cast<size_t>(end - text));
}

/* NaN has one spelling: its sign and payload are no part of a text. */
template <typename T> static void append_any(struct str *s, T value) {
    if (std::isnan(value))
        str_append(s, "nan");
    else
        append(s, value);
}

extern "C" {
void str_double(struct str *s, double value) {
    append_any(s, value);
}

void str_float(struct str *s, float value) {
    append_any(s, value);
}

bool parse_double(const char *text, size_t n, double *value) {
    const char *end = text + n;
    if (n && *text == '+' && n > 1 && text[1] != '-')
        text++;
    double result;
    auto read = std::from_chars(text, end, result);
    if (read.ec != std::errc() || read.ptr != end)
        return false;
    *value = result;
    return true;
}
}
