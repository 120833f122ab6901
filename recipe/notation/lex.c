/* SPDX-License-Identifier: MIT */
#include "recipe/notation/lex.h"

#include "support/str.h"

#include <stdio.h>
#include <string.h>

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static char peek(const struct lexer *x, size_t ahead) {
    return x->next + ahead < x->size ? x->text[x->next + ahead] : '\0';
}

static void skip_blanks(struct lexer *x) {
    while (x->next < x->size) {
        if (x->text[x->next] == '#') {
            while (x->next < x->size && x->text[x->next] != '\n')
                x->next++;
        } else if (is_blank(x->text[x->next])) {
            x->next++;
        } else {
            return;
        }
    }
}

static uint16_t mark_at(const struct lexer *x) {
    static const char pairs[][3] = {"->", "..", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>"};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (peek(x, 0) == pairs[i][0] && peek(x, 1) == pairs[i][1])
            return MARK2(pairs[i][0], pairs[i][1]);
    return peek(x, 0) != '\0' && strchr("()[]{}=,;@+-*/%<>!&|^~:", peek(x, 0))
               ? (uint16_t)(unsigned char)peek(x, 0)
               : 0;
}

static void scan_word(struct lexer *x) {
    while (is_letter(peek(x, 0)) || is_digit(peek(x, 0)))
        x->next++;
}

/* Digits up to the next mark; a name that begins with a digit is no number. */
static void scan_number(struct lexer *x, size_t begin) {
    scan_word(x);
    uint64_t value = 0;
    bool fine = number_parse_u64(x->text + begin, x->next - begin, &value) && value <= INT64_MAX;
    x->token.kind = fine ? TOKEN_NUMBER : TOKEN_BAD;
    x->token.number = fine ? (int64_t)value : 0;
}

/* The bytes of one UTF-8 character, so that a message never cuts it. */
static void scan_bad(struct lexer *x) {
    x->token.kind = TOKEN_BAD;
    x->next++;
    while (x->next < x->size && ((unsigned char)x->text[x->next] & 0xc0) == 0x80)
        x->next++;
}

static void scan_token(struct lexer *x, size_t begin) {
    if (begin >= x->size) {
        x->token.kind = TOKEN_END;
    } else if (is_letter(x->text[begin])) {
        x->token.kind = TOKEN_NAME;
        scan_word(x);
    } else if (is_digit(x->text[begin])) {
        scan_number(x, begin);
    } else if ((x->token.mark = mark_at(x)) != 0) {
        x->token.kind = TOKEN_MARK;
        x->next += x->token.mark > 0xff ? 2 : 1;
    } else {
        scan_bad(x);
    }
}

static struct span token_span(const struct lexer *x, size_t begin) {
    if (!x->exact)
        return x->whole;
    return (struct span){x->whole.source, x->whole.begin + (uint32_t)begin,
                         x->whole.begin + (uint32_t)x->next};
}

void notation_next(struct notation_parser *p) {
    struct lexer *x = &p->lex;
    x->before = x->token;
    skip_blanks(x);
    size_t begin = x->next;
    x->token = (struct recipe_token){.text = x->text + begin};
    scan_token(x, begin);
    x->token.size = x->next - begin;
    x->token.at = token_span(x, begin);
}

void notation_start(struct notation_parser *p, const char *text, size_t size, struct span whole,
                    bool exact, struct arena *arena, struct diag *diag) {
    *p = (struct notation_parser){.arena = arena, .diag = diag};
    p->lex = (struct lexer){.text = text, .size = size, .whole = whole, .exact = exact};
    notation_next(p);
}

bool notation_at_mark(const struct notation_parser *p, uint16_t mark) {
    return p->lex.token.kind == TOKEN_MARK && p->lex.token.mark == mark;
}

bool notation_at_word(const struct notation_parser *p, const char *word) {
    const struct recipe_token *t = &p->lex.token;
    return t->kind == TOKEN_NAME && t->size == strlen(word) && memcmp(t->text, word, t->size) == 0;
}

bool notation_take_mark(struct notation_parser *p, uint16_t mark) {
    bool there = notation_at_mark(p, mark);
    if (there)
        notation_next(p);
    return there;
}

bool notation_take_word(struct notation_parser *p, const char *word) {
    bool there = notation_at_word(p, word);
    if (there)
        notation_next(p);
    return there;
}

void notation_expected(struct notation_parser *p, const char *what) {
    const struct recipe_token *t = &p->lex.token;
    if (!p->failed && t->kind == TOKEN_END)
        diag_error(p->diag, t->at, "expected %s, but the text ends here", what);
    else if (!p->failed)
        diag_error(p->diag, t->at, "expected %s, found '%.*s'", what,
                   t->size > 40 ? 40 : (int)t->size, t->text);
    p->failed = true;
}

bool notation_want_mark(struct notation_parser *p, uint16_t mark, const char *what) {
    if (!p->failed && notation_take_mark(p, mark))
        return true;
    notation_expected(p, what);
    return false;
}

bool notation_want_word(struct notation_parser *p, const char *word) {
    if (!p->failed && notation_take_word(p, word))
        return true;
    char text[64];
    snprintf(text, sizeof text, "'%s'", word);
    notation_expected(p, text);
    return false;
}

const char *notation_want_name(struct notation_parser *p, const char *what, struct span *at) {
    if (p->failed || p->lex.token.kind != TOKEN_NAME) {
        notation_expected(p, what);
        return NULL;
    }
    const char *name = arena_strndup(p->arena, p->lex.token.text, p->lex.token.size);
    if (at)
        *at = p->lex.token.at;
    notation_next(p);
    return name;
}

bool notation_enter(struct notation_parser *p) {
    if (++p->depth < PARSER_MAX_DEPTH)
        return true;
    if (!p->failed)
        diag_error(p->diag, p->lex.token.at, "nested more than %d deep", PARSER_MAX_DEPTH);
    p->failed = true;
    return false;
}
