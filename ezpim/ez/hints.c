/* SPDX-License-Identifier: MIT
 * What those who come from C or Python write at first, and how it is written here. */
#include "ezpim/ez/parser.h"

#include <string.h>

static bool is_text(const struct ez_parser *parser, struct span at, const char *text) {
    size_t n = strlen(text);
    return at.end - at.begin == n && memcmp(parser->text + at.begin, text, n) == 0;
}

static bool is_one_of(const struct ez_parser *parser, struct span at, const char *const *words,
                      size_t count) {
    for (size_t i = 0; i < count; i++)
        if (is_text(parser, at, words[i]))
            return true;
    return false;
}

static bool is_char(const struct ez_parser *parser, struct span at, char character) {
    return at.end - at.begin == 1 && parser->text[at.begin] == character;
}

/* The same character twice, as in ++ and **. */
static bool is_twice(const struct ez_parser *parser, struct span at, char character) {
    bool before = at.begin > 0 && parser->text[at.begin - 1] == character;
    bool behind = at.end < parser->end && parser->text[at.end] == character;
    return is_char(parser, at, character) && (before || behind);
}

static bool starts_with_type(const struct ez_parser *parser) {
    static const char *const types[] = {"int",      "unsigned", "float",    "double",   "char",
                                        "short",    "long",     "uint8_t",  "uint16_t", "uint32_t",
                                        "uint64_t", "int8_t",   "int16_t",  "int32_t",  "int64_t",
                                        "auto",     "static",   "register", "def",      "void"};
    return parser->first_is_name &&
           is_one_of(parser, parser->first, types, sizeof types / sizeof *types);
}

/* Words of Python between two operands. */
static const char *operator_of(const struct ez_parser *parser, struct span at) {
    static const char *const words[][2] = {{"and", "&&"}, {"or", "||"}, {"not", "!"},
                                           {"is", "=="},  {"xor", "^"}, {"mod", "%"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_text(parser, at, words[i][0]))
            return words[i][1];
    return NULL;
}

static bool hint_on_operator(struct ez_parser *parser, struct span at) {
    const char *word = operator_of(parser, at);
    if (word) {
        diag_note(parser->diag, at, "it is written `%s`", word);
        diag_fixit(parser->diag, at, word);
    } else if (is_twice(parser, at, '+') || is_twice(parser, at, '-')) {
        diag_note(parser->diag, at, "one more is written `x += 1`, one less `x -= 1`");
    } else if (is_twice(parser, at, '*')) {
        diag_note(parser->diag, at, "there are no powers: a square is written `x * x`");
    } else if (is_text(parser, at, "=") && parser->in_condition) {
        diag_note(parser->diag, at, "equality is written `==`");
        diag_fixit(parser->diag, at, "==");
    } else {
        return false;
    }
    return true;
}

/* A word between a direction and a name: consumed, misspelt. */
static void hint_on_direction(struct ez_parser *parser) {
    static const char *const directions[] = {"in", "out", "inout", "var"};
    static const char *const words[] = {"consumed"};
    struct span word = parser->before;
    if (parser->blocks || word.begin != parser->first.end + 1 ||
        !is_one_of(parser, parser->first, directions, 4))
        return;
    const char *text =
        arena_strndup(parser->arena, parser->text + word.begin, word.end - word.begin);
    diag_suggest(parser->diag, word, text, words, 1);
}

/* The type of a subroutine's value, as Rust and Python write it. */
static bool hint_on_arrow(struct ez_parser *parser, struct span at) {
    bool arrow = is_text(parser, parser->before, ")") && is_text(parser, at, "-") &&
                 at.end < parser->end && parser->text[at.end] == '>';
    if (!arrow || parser->blocks || !is_text(parser, parser->first, "sub"))
        return false;
    struct span both = {at.source, at.begin, at.end + 1};
    diag_note(parser->diag, both, "the type of its value stands behind `:`, `sub f(v: i32): i32`");
    diag_fixit(parser->diag, both, ":");
    return true;
}

void ez_parser_hint(struct ez_parser *parser, struct span at) {
    hint_on_direction(parser);
    if (hint_on_operator(parser, at) || hint_on_arrow(parser, at))
        return;
    if (is_text(parser, at, "consumed"))
        diag_note(parser->diag, at, "inputs of the program are consumed; parameters are not");
    else if (is_text(parser, parser->before, "for") && is_text(parser, at, "("))
        diag_note(parser->diag, at, "a loop is written `for k: 0 .. 4 { }`: k is 0, 1, 2, 3");
    else if (is_text(parser, parser->before, "if") || is_text(parser, parser->before, "while"))
        diag_note(parser->diag, at, "conditions stand in parentheses, and blocks in braces");
    else if (starts_with_type(parser))
        diag_note(parser->diag, parser->first, "a variable is declared `let v: i32 = 0;`");
}
