/* SPDX-License-Identifier: MIT
 * One token ahead; a text that cannot be a token is one, so that the parser says where. */
#include "recipe/notation/lex.h"

#include "support/str.h"

#include <stdio.h>
#include <string.h>

static bool is_letter(char character) {
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           character == '_';
}

static bool is_digit(char character) {
    return character >= '0' && character <= '9';
}

static bool is_blank(char character) {
    return character == ' ' || character == '\t' || character == '\n' || character == '\r';
}

static char peek(const struct lexer *lexer, size_t ahead) {
    return lexer->next + ahead < lexer->size ? lexer->text[lexer->next + ahead] : '\0';
}

static void skip_blanks(struct lexer *lexer) {
    while (lexer->next < lexer->size) {
        if (lexer->text[lexer->next] == '#') {
            while (lexer->next < lexer->size && lexer->text[lexer->next] != '\n')
                lexer->next++;
        } else if (is_blank(lexer->text[lexer->next])) {
            lexer->next++;
        } else {
            return;
        }
    }
}

static uint16_t mark_at(const struct lexer *lexer) {
    static const char pairs[][3] = {"->", "..", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>"};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (peek(lexer, 0) == pairs[i][0] && peek(lexer, 1) == pairs[i][1])
            return MARK2(pairs[i][0], pairs[i][1]);
    return peek(lexer, 0) != '\0' && strchr("()[]{}=,;@+-*/%<>!&|^~:", peek(lexer, 0))
               ? (uint16_t)(unsigned char)peek(lexer, 0)
               : 0;
}

static void scan_word(struct lexer *lexer) {
    while (is_letter(peek(lexer, 0)) || is_digit(peek(lexer, 0)))
        lexer->next++;
}

/* Digits up to the next mark; a name that begins with a digit is no number. */
static void scan_number(struct lexer *lexer, size_t begin) {
    scan_word(lexer);
    uint64_t value = 0;
    bool fine =
        number_parse_u64(lexer->text + begin, lexer->next - begin, &value) && value <= INT64_MAX;
    lexer->token.kind = fine ? TOKEN_NUMBER : TOKEN_BAD;
    lexer->token.number = fine ? (int64_t)value : 0;
}

/* The bytes of one UTF-8 character, so that a message never cuts it. */
static void scan_bad(struct lexer *lexer) {
    lexer->token.kind = TOKEN_BAD;
    lexer->next++;
    while (lexer->next < lexer->size && ((unsigned char)lexer->text[lexer->next] & 0xc0) == 0x80)
        lexer->next++;
}

static void scan_token(struct lexer *lexer, size_t begin) {
    if (begin >= lexer->size) {
        lexer->token.kind = TOKEN_END;
    } else if (is_letter(lexer->text[begin])) {
        lexer->token.kind = TOKEN_NAME;
        scan_word(lexer);
    } else if (is_digit(lexer->text[begin])) {
        scan_number(lexer, begin);
    } else if ((lexer->token.mark = mark_at(lexer)) != 0) {
        lexer->token.kind = TOKEN_MARK;
        lexer->next += lexer->token.mark > 0xff ? 2 : 1;
    } else {
        scan_bad(lexer);
    }
}

static struct span token_span(const struct lexer *lexer, size_t begin) {
    if (!lexer->exact)
        return lexer->whole;
    return (struct span){lexer->whole.source, lexer->whole.begin + (uint32_t)begin,
                         lexer->whole.begin + (uint32_t)lexer->next};
}

void notation_next(struct notation_parser *parser) {
    struct lexer *x = &parser->lex;
    x->before = x->token;
    skip_blanks(x);
    size_t begin = x->next;
    x->token = (struct recipe_token){.text = x->text + begin};
    scan_token(x, begin);
    x->token.size = x->next - begin;
    x->token.at = token_span(x, begin);
}

void notation_start(struct notation_parser *parser, const char *text, size_t size,
                    struct span whole, bool exact, struct arena *arena, struct diag *diag) {
    *parser = (struct notation_parser){.arena = arena, .diag = diag};
    parser->lex = (struct lexer){.text = text, .size = size, .whole = whole, .exact = exact};
    notation_next(parser);
}

bool notation_at_mark(const struct notation_parser *parser, uint16_t mark) {
    return parser->lex.token.kind == TOKEN_MARK && parser->lex.token.mark == mark;
}

bool notation_at_word(const struct notation_parser *parser, const char *word) {
    const struct recipe_token *t = &parser->lex.token;
    return t->kind == TOKEN_NAME && t->size == strlen(word) && memcmp(t->text, word, t->size) == 0;
}

bool notation_take_mark(struct notation_parser *parser, uint16_t mark) {
    bool there = notation_at_mark(parser, mark);
    if (there)
        notation_next(parser);
    return there;
}

bool notation_take_word(struct notation_parser *parser, const char *word) {
    bool there = notation_at_word(parser, word);
    if (there)
        notation_next(parser);
    return there;
}

void notation_expected(struct notation_parser *parser, const char *what) {
    const struct recipe_token *t = &parser->lex.token;
    if (!parser->failed && t->kind == TOKEN_END)
        diag_error(parser->diag, t->at, "expected %s, but the text ends here", what);
    else if (!parser->failed)
        diag_error(parser->diag, t->at, "expected %s, found '%.*s'", what,
                   t->size > 40 ? 40 : (int)t->size, t->text);
    parser->failed = true;
}

bool notation_want_mark(struct notation_parser *parser, uint16_t mark, const char *what) {
    if (!parser->failed && notation_take_mark(parser, mark))
        return true;
    notation_expected(parser, what);
    return false;
}

bool notation_want_word(struct notation_parser *parser, const char *word) {
    if (!parser->failed && notation_take_word(parser, word))
        return true;
    char text[64];
    snprintf(text, sizeof text, "'%s'", word);
    notation_expected(parser, text);
    return false;
}

const char *notation_want_name(struct notation_parser *parser, const char *what, struct span *at) {
    if (parser->failed || parser->lex.token.kind != TOKEN_NAME) {
        notation_expected(parser, what);
        return NULL;
    }
    const char *name = arena_strndup(parser->arena, parser->lex.token.text, parser->lex.token.size);
    if (at)
        *at = parser->lex.token.at;
    notation_next(parser);
    return name;
}

bool notation_enter(struct notation_parser *parser) {
    if (++parser->depth < PARSER_MAX_DEPTH)
        return true;
    if (!parser->failed)
        diag_error(parser->diag, parser->lex.token.at, "nested more than %d deep",
                   PARSER_MAX_DEPTH);
    parser->failed = true;
    return false;
}
