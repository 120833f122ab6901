/* SPDX-License-Identifier: MIT */
#include "support/str.h"

static unsigned digit_value(char c) {
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (unsigned)(c - 'a') + 10;
    if (c >= 'A' && c <= 'F')
        return (unsigned)(c - 'A') + 10;
    return 16;
}

/* The base that a prefix of text announces; *skip is the prefix's length. */
static unsigned number_base(const char *text, size_t n, size_t *skip) {
    *skip = 2;
    if (n > 2 && text[0] == '0') {
        switch (text[1]) {
        case 'x':
        case 'X':
            return 16;
        case 'b':
        case 'B':
            return 2;
        case 'o':
        case 'O':
            return 8;
        }
    }
    *skip = 0;
    return 10;
}

bool number_parse_u64(const char *text, size_t n, uint64_t *value) {
    size_t i;
    unsigned base = number_base(text, n, &i);
    uint64_t result = 0;
    bool digit = false; /* the byte before was a digit: an _ may follow, and the end */
    for (; i < n; i++) {
        if (text[i] == '_' && digit) {
            digit = false;
            continue;
        }
        unsigned d = digit_value(text[i]);
        if (d >= base || __builtin_mul_overflow(result, base, &result) ||
            __builtin_add_overflow(result, d, &result))
            return false;
        digit = true;
    }
    if (digit)
        *value = result;
    return digit;
}

bool number_parse_i64(const char *text, size_t n, int64_t *value) {
    bool negative = n && text[0] == '-';
    bool sign = negative || (n && text[0] == '+');
    uint64_t magnitude;
    if (!number_parse_u64(text + sign, n - sign, &magnitude))
        return false;
    if (magnitude > (uint64_t)INT64_MAX + negative)
        return false;
    *value = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return true;
}
