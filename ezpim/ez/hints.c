/* SPDX-License-Identifier: MIT
 * What those who come from C or Python write at first, and how it is written here. */
#include "ezpim/ez/parser.h"

#include <string.h>

static bool is_text(const struct ez_parser *p, struct span at, const char *text) {
    size_t n = strlen(text);
    return at.end - at.begin == n && memcmp(p->text + at.begin, text, n) == 0;
}

static bool is_one_of(const struct ez_parser *p, struct span at, const char *const *words,
                      size_t count) {
    for (size_t i = 0; i < count; i++)
        if (is_text(p, at, words[i]))
            return true;
    return false;
}

static bool is_char(const struct ez_parser *p, struct span at, char c) {
    return at.end - at.begin == 1 && p->text[at.begin] == c;
}

/* The same character twice, as in ++ and **. */
static bool is_twice(const struct ez_parser *p, struct span at, char c) {
    bool before = at.begin > 0 && p->text[at.begin - 1] == c;
    bool behind = at.end < p->end && p->text[at.end] == c;
    return is_char(p, at, c) && (before || behind);
}

static bool starts_with_type(const struct ez_parser *p) {
    static const char *const types[] = {"int",      "unsigned", "float",    "double",   "char",
                                        "short",    "long",     "uint8_t",  "uint16_t", "uint32_t",
                                        "uint64_t", "int8_t",   "int16_t",  "int32_t",  "int64_t",
                                        "auto",     "static",   "register", "def",      "void"};
    return p->first_is_name && is_one_of(p, p->first, types, sizeof types / sizeof *types);
}

/* Words of Python between two operands. */
static const char *operator_of(const struct ez_parser *p, struct span at) {
    static const char *const words[][2] = {{"and", "&&"}, {"or", "||"}, {"not", "!"},
                                           {"is", "=="},  {"xor", "^"}, {"mod", "%"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_text(p, at, words[i][0]))
            return words[i][1];
    return NULL;
}

static bool hint_on_operator(struct ez_parser *p, struct span at) {
    const char *word = operator_of(p, at);
    if (word) {
        diag_note(p->diag, at, "it is written `%s`", word);
        diag_fixit(p->diag, at, word);
    } else if (is_twice(p, at, '+') || is_twice(p, at, '-')) {
        diag_note(p->diag, at, "one more is written `x += 1`, one less `x -= 1`");
    } else if (is_twice(p, at, '*')) {
        diag_note(p->diag, at, "there are no powers: a square is written `x * x`");
    } else if (is_text(p, at, "=") && p->in_condition) {
        diag_note(p->diag, at, "equality is written `==`");
        diag_fixit(p->diag, at, "==");
    } else {
        return false;
    }
    return true;
}

/* A word between a direction and a name: consumed, misspelt. */
static void hint_on_direction(struct ez_parser *p) {
    static const char *const directions[] = {"in", "out", "inout", "var"};
    static const char *const words[] = {"consumed"};
    struct span word = p->before;
    if (p->blocks || word.begin != p->first.end + 1 || !is_one_of(p, p->first, directions, 4))
        return;
    const char *text = arena_strndup(p->arena, p->text + word.begin, word.end - word.begin);
    diag_suggest(p->diag, word, text, words, 1);
}

void ez_parser_hint(struct ez_parser *p, struct span at) {
    hint_on_direction(p);
    if (hint_on_operator(p, at))
        return;
    if (is_text(p, at, "consumed"))
        diag_note(p->diag, at, "inputs of the program are consumed; parameters are not");
    else if (is_text(p, p->before, "for") && is_text(p, at, "("))
        diag_note(p->diag, at, "a loop is written `for k: 0 .. 4 { }`: k is 0, 1, 2, 3");
    else if (is_text(p, p->before, "if") || is_text(p, p->before, "while"))
        diag_note(p->diag, at, "conditions stand in parentheses, and blocks in braces");
    else if (starts_with_type(p))
        diag_note(p->diag, p->first, "a variable is declared `let v: i32 = 0;`");
}
