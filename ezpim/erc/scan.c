/* SPDX-License-Identifier: MIT
 * Text to tokens and lines. */
#include "ezpim/erc/unit.h"

#include <string.h>

struct erc_scanner {
    struct erc_unit *u;
    uint32_t at;
    uint32_t line;  /* number, from 0 */
    uint32_t first; /* token of the line at hand */
};

/* The longer ones first. */
static const char *const signs[] = {"**=", "<<=", ">>=", "**", "<<", ">>", "<=", ">=", "==",
                                    "!=",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^="};

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static char peek(const struct erc_scanner *s, uint32_t ahead) {
    return s->at + ahead < s->u->size ? s->u->text[s->at + ahead] : '\n';
}

static void push_token(struct erc_scanner *s, enum erc_token_kind kind, uint32_t size) {
    struct erc_token t = {kind, s->at, s->at + size};
    vec_push(&s->u->tokens, t);
    s->at += size;
}

static uint32_t sign_size(const struct erc_scanner *s) {
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        size_t n = strlen(signs[i]);
        if (s->u->size - s->at >= n && memcmp(s->u->text + s->at, signs[i], n) == 0)
            return (uint32_t)n;
    }
    return 1;
}

/* Digits with what may follow in a number: 0x1f, 1_000, 0.5.  Whether it is one, is seen when it
 * is read. */
static uint32_t number_size(const struct erc_scanner *s) {
    uint32_t n = 1;
    while (is_letter(peek(s, n)) || is_digit(peek(s, n)) ||
           (peek(s, n) == '.' && is_digit(peek(s, n + 1))))
        n++;
    return n;
}

static uint32_t word_size(const struct erc_scanner *s) {
    uint32_t n = 1;
    while (is_letter(peek(s, n)) || is_digit(peek(s, n)))
        n++;
    return n;
}

/* The prototype loses the instruction before such a comment. */
static void skip_line_comment(struct erc_scanner *s) {
    while (s->at < s->u->size && s->u->text[s->at] != '\n')
        s->at++;
}

static void end_line(struct erc_scanner *s) {
    uint32_t count = (uint32_t)s->u->tokens.len - s->first;
    struct erc_line line = {.number = s->line, .first = s->first, .count = count, .mate = NO_INDEX};
    if (count)
        vec_push(&s->u->lines, line);
    s->first = (uint32_t)s->u->tokens.len;
    s->line++;
}

static void skip_block_comment(struct erc_scanner *s) {
    struct span open = {s->u->source, s->at, s->at + 2};
    s->at += 2;
    while (s->at < s->u->size && !(peek(s, 0) == '*' && peek(s, 1) == '/')) {
        if (s->u->text[s->at] == '\n')
            end_line(s);
        s->at++;
    }
    if (s->at >= s->u->size)
        diag_error(s->u->diag, open, "this comment has no */");
    else
        s->at += 2;
}

static void scan_comment(struct erc_scanner *s) {
    uint32_t begin = s->at;
    if (peek(s, 1) == '*') {
        skip_block_comment(s);
        return;
    }
    skip_line_comment(s);
    if (s->u->tokens.len > s->first)
        diag_warning(s->u->diag, W_DIALECT, (struct span){s->u->source, begin, s->at},
                     "the prototype drops the whole line of a // comment; here what stands before "
                     "it counts");
}

static void scan_token(struct erc_scanner *s) {
    char c = peek(s, 0);
    if (is_digit(c))
        push_token(s, TOKEN_NUMBER, number_size(s));
    else if (is_letter(c))
        push_token(s, TOKEN_WORD, word_size(s));
    else
        push_token(s, TOKEN_SIGN, sign_size(s));
}

static void scan_next(struct erc_scanner *s) {
    char c = peek(s, 0);
    if (c == '\n') {
        end_line(s);
        s->at++;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
        s->at++;
    } else if (c == '/' && (peek(s, 1) == '/' || peek(s, 1) == '*')) {
        scan_comment(s);
    } else {
        scan_token(s);
    }
}

void erc_scan(struct erc_unit *u) {
    struct erc_scanner s = {.u = u};
    while (s.at < u->size && !diag_full(u->diag))
        scan_next(&s);
    end_line(&s);
}
