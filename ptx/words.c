/* SPDX-License-Identifier: MIT
 * Words: comments, blanks and lines of old debugging information (@@DWARF) are none. */
#include "ptx/words.h"

#include <string.h>

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c != '\0' && strchr("_$%.", c));
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool goes_on(char c) {
    return is_letter(c) || is_digit(c);
}

static bool begins(const struct ptx_words *words, const char *text) {
    size_t n = strlen(text);
    return (size_t)(words->end - words->at) >= n && memcmp(words->at, text, n) == 0;
}

static void newline(struct ptx_words *words) {
    words->line++;
    words->line_begin = words->at;
}

static void skip_line(struct ptx_words *words) {
    while (words->at < words->end && *words->at != '\n')
        words->at++;
}

/* One that nobody ends goes to the end of the text. */
static void skip_comment(struct ptx_words *words) {
    words->at += 2;
    while (words->at < words->end && !begins(words, "*/"))
        if (*words->at++ == '\n')
            newline(words);
    words->at += words->at < words->end ? 2 : 0;
}

static void skip(struct ptx_words *words) {
    while (words->at < words->end) {
        char c = *words->at;
        if (c == '\n') {
            words->at++;
            newline(words);
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            words->at++;
        } else if (begins(words, "//") || begins(words, "@@")) {
            skip_line(words);
        } else if (begins(words, "/*")) {
            skip_comment(words);
        } else {
            return;
        }
    }
}

/* In a numeral a sign stands behind the letter of an exponent. */
static void take_numeral(struct ptx_words *words) {
    const char *begin = words->at;
    bool bits = begin + 1 < words->end && begin[0] == '0' && strchr("xXfFdDbB", begin[1]);
    while (words->at < words->end) {
        char c = *words->at;
        bool exponent = !bits && words->at > begin && strchr("eE", words->at[-1]);
        if (!goes_on(c) && !(exponent && (c == '+' || c == '-')))
            return;
        words->at++;
    }
}

/* To the quote, or to the end of the line. */
static void take_string(struct ptx_words *words) {
    words->at++;
    while (words->at < words->end && *words->at != '"' && *words->at != '\n')
        words->at +=
            *words->at == '\\' && words->at + 1 < words->end && words->at[1] != '\n' ? 2 : 1;
    words->at += words->at < words->end && *words->at == '"';
}

void ptx_words_next(struct ptx_words *words) {
    struct ptx_word *w = &words->word;
    skip(words);
    *w = (struct ptx_word){.text = words->at,
                           .line = words->line,
                           .column = (uint32_t)(words->at - words->line_begin) + 1};
    if (words->at >= words->end)
        return;
    char c = *words->at;
    if (is_letter(c)) {
        w->kind = PTX_WORD_NAME;
        while (words->at < words->end && goes_on(*words->at))
            words->at++;
    } else if (is_digit(c)) {
        w->kind = PTX_WORD_NUMERAL;
        take_numeral(words);
    } else if (c == '"') {
        w->kind = PTX_WORD_STRING;
        take_string(words);
    } else {
        w->kind = PTX_WORD_SIGN;
        words->at++;
    }
    w->n = (size_t)(words->at - w->text);
}

void ptx_words_begin(struct ptx_words *words, const char *text, size_t size) {
    *words = (struct ptx_words){.at = text, .end = text + size, .line_begin = text, .line = 1};
    ptx_words_next(words);
}

bool ptx_word_is(const struct ptx_word *word, const char *text) {
    return strlen(text) == word->n && word->kind != PTX_WORD_END &&
           memcmp(word->text, text, word->n) == 0;
}
