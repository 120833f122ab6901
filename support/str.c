/* SPDX-License-Identifier: MIT
 * Text is terminated by NUL after every call, also with NUL bytes in it. */
#include "support/str.h"

#include "support/alloc.h"
#include "support/vec.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void str_room(struct str *str, size_t n) {
    size_t need;
    if (__builtin_add_overflow(str->len, n, &need) || __builtin_add_overflow(need, 1, &need))
        alloc_failed();
    if (need > str->cap)
        str->text = vec_grow(str->text, &str->cap, need, 1);
}

void str_append_n(struct str *str, const char *text, size_t n) {
    str_room(str, n);
    if (n)
        memcpy(str->text + str->len, text, n);
    str->len += n;
    str->text[str->len] = '\0';
}

void str_append(struct str *str, const char *text) {
    str_append_n(str, text, strlen(text));
}

void str_char(struct str *str, char character) {
    str_append_n(str, &character, 1);
}

void str_vprintf(struct str *str, const char *format, va_list args) {
    size_t spare = str->cap - str->len;
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(spare ? str->text + str->len : NULL, spare, format, args);
    if (len >= 0 && (size_t)len >= spare) { /* as hardly ever: formatted twice */
        str_room(str, (size_t)len);
        vsnprintf(str->text + str->len, (size_t)len + 1, format, again);
    }
    va_end(again);
    str->len += len < 0 ? 0 : (size_t)len;
}

void str_printf(struct str *str, const char *format, ...) {
    va_list args;
    va_start(args, format);
    str_vprintf(str, format, args);
    va_end(args);
}

/* U+202A..U+202E and U+2066..U+2069. */
static bool turns_line(unsigned char second, unsigned char third) {
    return (second == 0x80 && third >= 0xaa && third <= 0xae) ||
           (second == 0x81 && third >= 0xa6 && third <= 0xa9);
}

size_t str_control(const char *text) {
    const unsigned char *b = (const unsigned char *)text;
    if ((b[0] && b[0] < 0x20) || b[0] == 0x7f)
        return 1;
    if (b[0] == 0xc2 && b[1] >= 0x80 && b[1] < 0xa0)
        return 2;
    return b[0] == 0xe2 && b[1] && turns_line(b[1], b[2]) ? 3 : 0;
}

static void append_seen(struct str *str, const char *text, bool quoted) {
    while (*text) {
        size_t n = str_control(text);
        if (quoted && (*text == '"' || *text == '\\'))
            str_char(str, '\\');
        if (!n)
            str_char(str, *text++);
        for (; n; n--)
            str_printf(str, "\\x%02x", (unsigned char)*text++);
    }
}

void str_visible(struct str *str, const char *text) {
    append_seen(str, text, false);
}

void str_escape(struct str *str, const char *text) {
    append_seen(str, text, true);
}

void str_quote(struct str *str, const char *text) {
    str_char(str, '"');
    if (text)
        str_escape(str, text);
    str_char(str, '"');
}

void str_u64(struct str *str, uint64_t value) {
    char digits[20], *at = digits + sizeof digits;
    do
        *--at = (char)('0' + value % 10);
    while (value /= 10);
    str_append_n(str, at, (size_t)(digits + sizeof digits - at));
}

const char *str_text(const struct str *str) {
    return str->text ? str->text : "";
}

void str_clear(struct str *str) {
    str->len = 0;
    if (str->text)
        str->text[0] = '\0';
}

void str_free(struct str *str) {
    free(str->text);
    *str = (struct str){0};
}
