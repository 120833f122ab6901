/* SPDX-License-Identifier: MIT
 * Text to tokens and lines. */
#include "ezpim/erc/unit.h"

#include <string.h>

struct erc_scanner {
    struct erc_unit *u;
    uint32_t at;
    uint32_t line;  /* number, from 0 */
    uint32_t first; /* token of the line at hand */
    bool said;      /* that a comment stands behind an instruction */
};

/* The longer ones first. */
static const char *const signs[] = {"**=", "<<=", ">>=", "**", "<<", ">>", "<=", ">=", "==",
                                    "!=",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^="};

static bool is_letter(char character) {
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           character == '_';
}

static bool is_digit(char character) {
    return character >= '0' && character <= '9';
}

static char peek(const struct erc_scanner *scanner, uint32_t ahead) {
    return scanner->at + ahead < scanner->u->size ? scanner->u->text[scanner->at + ahead] : '\n';
}

static void push_token(struct erc_scanner *scanner, enum erc_token_kind kind, uint32_t size) {
    struct erc_token t = {kind, scanner->at, scanner->at + size};
    vec_push(&scanner->u->tokens, t);
    scanner->at += size;
}

static uint32_t sign_size(const struct erc_scanner *scanner) {
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        size_t n = strlen(signs[i]);
        if (scanner->u->size - scanner->at >= n &&
            memcmp(scanner->u->text + scanner->at, signs[i], n) == 0)
            return (uint32_t)n;
    }
    return 1;
}

/* Digits with what may follow in a number: 0x1f, 1_000, 0.5.  Whether it is one, is seen when it
 * is read. */
static uint32_t number_size(const struct erc_scanner *scanner) {
    uint32_t n = 1;
    while (is_letter(peek(scanner, n)) || is_digit(peek(scanner, n)) ||
           (peek(scanner, n) == '.' && is_digit(peek(scanner, n + 1))))
        n++;
    return n;
}

/* Labels may have dots, at the begin and between letters: .loop1 */
static bool begins_word(const struct erc_scanner *scanner, uint32_t at) {
    return is_letter(peek(scanner, at)) ||
           (peek(scanner, at) == '.' && is_letter(peek(scanner, at + 1)));
}

static uint32_t word_size(const struct erc_scanner *scanner) {
    uint32_t n = 1;
    while (begins_word(scanner, n) || is_digit(peek(scanner, n)) ||
           (peek(scanner, n) == '.' && is_digit(peek(scanner, n + 1))))
        n++;
    return n;
}

/* The prototype loses the instruction before such a comment. */
static void skip_line_comment(struct erc_scanner *scanner) {
    while (scanner->at < scanner->u->size && scanner->u->text[scanner->at] != '\n')
        scanner->at++;
}

static void end_line(struct erc_scanner *scanner) {
    uint32_t count = (uint32_t)scanner->u->tokens.len - scanner->first;
    struct erc_line line = {
        .number = scanner->line, .first = scanner->first, .count = count, .mate = NO_INDEX};
    if (count)
        vec_push(&scanner->u->lines, line);
    scanner->first = (uint32_t)scanner->u->tokens.len;
    scanner->line++;
}

static void skip_block_comment(struct erc_scanner *scanner) {
    struct span open = {scanner->u->source, scanner->at, scanner->at + 2};
    scanner->at += 2;
    while (scanner->at < scanner->u->size &&
           !(peek(scanner, 0) == '*' && peek(scanner, 1) == '/')) {
        if (scanner->u->text[scanner->at] == '\n')
            end_line(scanner);
        scanner->at++;
    }
    if (scanner->at >= scanner->u->size)
        diag_error(scanner->u->diag, open, "this comment has no */");
    else
        scanner->at += 2;
}

static void scan_comment(struct erc_scanner *scanner) {
    uint32_t begin = scanner->at;
    if (peek(scanner, 1) == '*') {
        skip_block_comment(scanner);
        return;
    }
    skip_line_comment(scanner);
    bool said = scanner->said;
    scanner->said |= scanner->u->tokens.len > scanner->first;
    if (scanner->said && !said)
        diag_warning(scanner->u->diag, W_DIALECT,
                     (struct span){scanner->u->source, begin, scanner->at},
                     "the prototype drops the whole line of a // comment; here what stands before "
                     "it counts");
}

static void scan_token(struct erc_scanner *scanner) {
    char c = peek(scanner, 0);
    if (is_digit(c))
        push_token(scanner, TOKEN_NUMBER, number_size(scanner));
    else if (begins_word(scanner, 0))
        push_token(scanner, TOKEN_WORD, word_size(scanner));
    else
        push_token(scanner, TOKEN_SIGN, sign_size(scanner));
}

static void scan_next(struct erc_scanner *scanner) {
    char c = peek(scanner, 0);
    if (c == '\n') {
        end_line(scanner);
        scanner->at++;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
        scanner->at++;
    } else if (c == '/' && (peek(scanner, 1) == '/' || peek(scanner, 1) == '*')) {
        scan_comment(scanner);
    } else {
        scan_token(scanner);
    }
}

void erc_scan(struct erc_unit *unit) {
    struct erc_scanner s = {.u = unit};
    while (s.at < unit->size && !diag_full(unit->diag))
        scan_next(&s);
    end_line(&s);
    if (unit->size && !unit->tokens.len && diag_errors(unit->diag) == unit->errors_before)
        diag_warning(unit->diag, W_EMPTY, (struct span){unit->source, 0, 0},
                     "nothing stands here but blanks and comments");
}
