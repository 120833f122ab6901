/* SPDX-License-Identifier: MIT */
#include "support/str.h"

#include "support/alloc.h"
#include "support/vec.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for n more bytes and the NUL. */
static void str_room(struct str *s, size_t n) {
    size_t need;
    if (__builtin_add_overflow(s->len, n, &need) || __builtin_add_overflow(need, 1, &need))
        alloc_failed();
    if (need > s->cap)
        s->text = vec_grow(s->text, &s->cap, need, 1);
}

void str_append_n(struct str *s, const char *text, size_t n) {
    str_room(s, n);
    if (n)
        memcpy(s->text + s->len, text, n);
    s->len += n;
    s->text[s->len] = '\0';
}

void str_append(struct str *s, const char *text) {
    str_append_n(s, text, strlen(text));
}

void str_char(struct str *s, char c) {
    str_append_n(s, &c, 1);
}

void str_printf(struct str *s, const char *format, ...) {
    va_list args;
    size_t spare = s->cap - s->len;
    va_start(args, format);
    int len = vsnprintf(spare ? s->text + s->len : NULL, spare, format, args);
    va_end(args);
    if (len < 0)
        return;
    if ((size_t)len < spare) { /* as nearly always: formatted once */
        s->len += (size_t)len;
        return;
    }
    str_room(s, (size_t)len);
    va_start(args, format);
    vsnprintf(s->text + s->len, (size_t)len + 1, format, args);
    va_end(args);
    s->len += (size_t)len;
}

void str_escape(struct str *s, const char *text) {
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            str_printf(s, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            str_printf(s, "\\x%02x", c);
        else
            str_char(s, (char)c);
    }
}

void str_quote(struct str *s, const char *text) {
    str_char(s, '"');
    if (text)
        str_escape(s, text);
    str_char(s, '"');
}

void str_u64(struct str *s, uint64_t value) {
    char digits[20], *at = digits + sizeof digits;
    do
        *--at = (char)('0' + value % 10);
    while (value /= 10);
    str_append_n(s, at, (size_t)(digits + sizeof digits - at));
}

const char *str_text(const struct str *s) {
    return s->text ? s->text : "";
}

void str_clear(struct str *s) {
    s->len = 0;
    if (s->text)
        s->text[0] = '\0';
}

void str_free(struct str *s) {
    free(s->text);
    *s = (struct str){0};
}
