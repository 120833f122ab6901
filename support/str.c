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

void str_escape(struct str *str, const char *text) {
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            str_printf(str, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            str_printf(str, "\\x%02x", c);
        else
            str_char(str, (char)c);
    }
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
