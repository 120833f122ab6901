/* SPDX-License-Identifier: MIT
 * A growable, always NUL-terminated string, and numbers read from text. */
#ifndef SUPPORT_STR_H
#define SUPPORT_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A zeroed struct str is the empty string (text == NULL until first use; see str_text). */
struct str {
    char *text;
    size_t len;
    size_t cap;
};

void str_append(struct str *str, const char *text);
void str_append_n(struct str *str, const char *text, size_t n);
void str_char(struct str *str, char character);
/* Room for n more bytes and the NUL behind them. */
void str_room(struct str *str, size_t n);
/* n more bytes, to be filled at once: for those who append many pieces of known length. */
static inline char *str_extend(struct str *str, size_t n) {
    if (str->cap - str->len <= n)
        str_room(str, n);
    char *at = str->text + str->len;
    str->len += n;
    str->text[str->len] = '\0';
    return at;
}
void str_vprintf(struct str *str, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
void str_printf(struct str *str, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Bytes of the control character at text, 0 if none is there: those of ASCII, and in UTF-8 those of
 * Latin-1 and those that change the direction of a line. */
size_t str_control(const char *text);
/* With control characters as \xHH and all else as it is: for names and lines of files on their way
 * to a terminal. */
void str_visible(struct str *str, const char *text);
/* With \ before quotes and backslashes, and control characters as \xHH: one line, whatever it is.
 */
void str_escape(struct str *str, const char *text);
/* The same between quotes; NULL is "". */
void str_quote(struct str *str, const char *text);
/* In decimal; faster than str_printf. */
void str_u64(struct str *str, uint64_t value);
const char *str_text(const struct str *str); /* never NULL */
void str_clear(struct str *str);
void str_free(struct str *str);

/* Reads the whole of text[0..n) as an unsigned number: decimal, 0x, 0b, 0o, with _ between
 * digits.  False on anything else and on overflow of 64 bits.  Knows no locale. */
bool number_parse_u64(const char *text, size_t n, uint64_t *value);
/* The same with an optional sign; false outside INT64_MIN..INT64_MAX. */
bool number_parse_i64(const char *text, size_t n, int64_t *value);
/* The whole of text[0..n) as a decimal floating-point number, rounded to nearest: optional sign,
 * digits, point, exponent, or inf and nan.  False on anything else and outside double's range.
 * Knows no locale. */
bool number_parse_double(const char *text, size_t n, double *value);
/* Appends the shortest digits that read back as the same number: "0.1", "1e+300", "-0", "inf",
 * "nan".  Knows no locale. */
void str_double(struct str *s, double value);

/* The candidate nearest to `name` by edit distance (case ignored, two neighbours swapped count as
 * one edit), or NULL when none is near enough to be meant: distance at most max(1, length / 3)
 * and some letter in common.  Of equally near ones the first.  Names above 128 bytes have no near
 * one. */
const char *nearest_name(const char *name, const char *const *candidates, size_t count);

#endif
