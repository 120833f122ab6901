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

static double half_value(uint16_t bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double magnitude =
        exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24);
    return bits & 0x8000 ? -magnitude : magnitude;
}

/* True if `text` rounds to the positive finite half `bits`: it lies between the midpoints to the
 * neighbours, which doubles hold exactly; ties go to the even pattern. */
static bool rounds_to(double text, uint16_t bits) {
    double value = half_value(bits);
    double below = (half_value(bits - 1) + value) / 2;
    double above = bits == 0x7bff ? 65520 : (half_value(bits + 1) + value) / 2;
    return bits & 1 ? below < text && text < above : below <= text && text <= above;
}

/* The double with the fewest digits that rounds to a half; five always suffice for its 11 bits. */
static double shortest_half(uint16_t bits) {
    double value = half_value(bits);
    for (int digits = 0; digits < 5; digits++) {
        char text[32];
        auto end =
            std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, digits)
                .ptr;
        double near = 0;
        std::from_chars(text, end, near);
        if (rounds_to(near, bits))
            return near;
    }
    return value;
}

extern "C" {
void str_half(struct str *s, uint16_t bits) {
    uint16_t magnitude = bits & 0x7fff;
    double value = magnitude == 0x7c00  ? HUGE_VAL
                   : magnitude > 0x7c00 ? std::nan("")
                   : magnitude == 0     ? 0
                                        : shortest_half(magnitude);
    append_any(s, bits & 0x8000 ? -value : value);
}

void str_double(struct str *s, double value) {
    append_any(s, value);
}

void str_float(struct str *s, float value) {
    append_any(s, value);
}

bool number_parse_double(const char *text, size_t n, double *value) {
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
