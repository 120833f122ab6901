/* SPDX-License-Identifier: MIT
 * Between scanner and grammar: ends of lines and blocks, and messages about text that is no kernel.
 */
#include "ezpim/np/parser.h"
#include "np_grammar.h"
#include "np_scanner.h"
#include "support/str.h"

#include <string.h>

void np_scan_error(struct np_parser *parser, struct span at, const char *format, ...) {
    va_list args;
    parser->broken = true;
    va_start(args, format);
    diag_verror(parser->diag, at, format, args);
    va_end(args);
}

void np_note_comment(struct np_parser *parser, struct span at) {
    static const char word[] = "# layout:";
    if (at.end - at.begin < sizeof word - 1 ||
        memcmp(parser->text + at.begin, word, sizeof word - 1) != 0)
        return;
    struct np_comment *c = ARENA_NEW(parser->arena, struct np_comment);
    c->at = (struct span){at.source, at.begin + (uint32_t)sizeof word - 1, at.end};
    *parser->layout_end = c;
    parser->layout_end = &c->next;
}

/* ---- lines and blocks ---- */

/* Columns of blanks in front of the token; tabs go to multiples of 8. */
static uint32_t column_of(const struct np_parser *parser, uint32_t begin) {
    uint32_t start = begin, column = 0;
    while (start > 0 && parser->text[start - 1] != '\n')
        start--;
    for (; start < begin; start++)
        column = parser->text[start] == '\t' ? (column / 8 + 1) * 8 : column + 1;
    return column;
}

static int hold(struct np_parser *parser, int kind, struct span at) {
    parser->held = kind;
    parser->held_at = at;
    return T_DEDENT;
}

/* As many as Python has. */
enum { MOST_BLOCKS = 100 };

/* The first token of a line opens a block, closes some, or neither. */
static int start_line(struct np_parser *parser, int kind, NP_GRAMMAR_LTYPE *at) {
    uint32_t column = kind == T_END ? 0 : column_of(parser, at->begin);
    parser->fresh = false;
    if (column > vec_last(&parser->levels)) {
        vec_push(&parser->levels, column);
        if (parser->levels.len == MOST_BLOCKS + 1)
            np_scan_error(parser, *at, "more than %d blocks stand in each other", MOST_BLOCKS);
        parser->held = kind;
        parser->held_at = *at;
        *at = (struct span){at->source, at->begin, at->begin};
        return T_INDENT;
    }
    while (column < vec_last(&parser->levels)) {
        parser->levels.len--;
        parser->closing++;
    }
    if (column != vec_last(&parser->levels))
        np_scan_error(parser, *at, "the line begins at a column where no block around it does");
    if (!parser->closing)
        return kind;
    parser->closing--;
    return hold(parser, kind, *at);
}

static int next_token(NP_GRAMMAR_STYPE *value, NP_GRAMMAR_LTYPE *at, struct np_parser *parser) {
    if (parser->held >= 0 && parser->closing) {
        parser->closing--;
        *at = (struct span){parser->held_at.source, parser->held_at.begin, parser->held_at.begin};
        return T_DEDENT;
    }
    if (parser->held >= 0) {
        int kind = parser->held;
        parser->held = -1;
        *at = parser->held_at;
        return kind;
    }
    int kind = np_scan_lex(value, at, parser->scanner);
    while (kind == T_NEWLINE && parser->fresh)
        kind = np_scan_lex(value, at, parser->scanner);
    if (kind == T_END)
        *at = (struct span){parser->source, parser->end, parser->end};
    if (kind == T_END && !parser->fresh) {
        parser->fresh = true; /* the last line may lack its end */
        return T_NEWLINE;
    }
    if (parser->fresh)
        return start_line(parser, kind, at);
    parser->fresh = kind == T_NEWLINE;
    return kind;
}

/* A token that is held has no value: those with one are no first token of a line. */
int np_grammar_lex(NP_GRAMMAR_STYPE *value, NP_GRAMMAR_LTYPE *at, struct np_parser *parser) {
    int kind = next_token(value, at, parser);
    parser->last_kind = kind;
    return kind;
}

/* ---- what was not expected ---- */

static bool is_word(const struct np_parser *parser, struct span at, const char *word) {
    size_t n = strlen(word);
    return at.end - at.begin == n && memcmp(parser->text + at.begin, word, n) == 0;
}

struct outside {
    const char *word, *why;
};

/* Words of Python that kernels have not, and what to write. */
static const char *instead_of(const struct np_parser *parser, struct span at) {
    static const struct outside words[] = {{"class", NULL},
                                           {"with", NULL},
                                           {"try", NULL},
                                           {"except", NULL},
                                           {"finally", NULL},
                                           {"raise", NULL},
                                           {"yield", NULL},
                                           {"global", "what a function needs is its parameter"},
                                           {"nonlocal", "what a function needs is its parameter"},
                                           {"del", NULL},
                                           {"async", NULL},
                                           {"await", NULL},
                                           {"@", "functions have no decorators"},
                                           {"def", "a function stands on a line of its own"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_word(parser, at, words[i].word))
            return words[i].why ? words[i].why : "";
    return NULL;
}

static bool among(const char *name, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static const char *said(struct np_parser *parser, struct span at, const char *found) {
    if (at.begin == at.end || at.end - at.begin > 60 || parser->text[at.begin] == '\n')
        return found;
    return arena_printf(parser->arena, "`%s`", np_word(parser, at));
}

/* What could stand there, most telling first. */
static const char *wanted(const char *const *expected, size_t count) {
    static const char *const order[][2] = {{"indentation", "an indented block"},
                                           {"':'", "`:`"},
                                           {"')'", "`)`"},
                                           {"']'", "`]`"},
                                           {"in", "`in`"},
                                           {"number", "an expression"},
                                           {"name", "a name"},
                                           {"'('", "`(`"},
                                           {"end of line", "the end of the line"}};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (among(order[i][0], expected, count))
            return order[i][1];
    return NULL;
}

void np_unexpected(struct np_parser *parser, struct span at, const char *found,
                   const char *const *expected, size_t count) {
    const char *why = instead_of(parser, at), *what = wanted(expected, count);
    bool broken = parser->broken;
    parser->broken = true;
    bool follows = strcmp(found, "unknown character") == 0 || strcmp(found, "indentation") == 0 ||
                   strcmp(found, "end of the block") == 0;
    if (follows && broken)
        return;
    if (why) {
        diag_error(parser->diag, at, "%s is Python that kernels are not written in",
                   said(parser, at, found));
        if (*why)
            diag_note(parser->diag, at, "%s", why);
    } else if (strcmp(found, "indentation") == 0) {
        diag_error(parser->diag, at, "the line is indented, and no block begins in front of it");
    } else if (what && count < 60) {
        diag_error(parser->diag, at, "expected %s, found %s", what, said(parser, at, found));
    } else {
        diag_error(parser->diag, at, "%s is not expected here", said(parser, at, found));
    }
}

struct np_module *np_parse(struct arena *arena, struct diag *d, uint32_t source) {
    size_t size;
    struct np_parser p = {.arena = arena, .diag = d, .source = source, .fresh = true, .held = -1};
    yyscan_t scanner;
    p.text = diag_source_text(d, source, &size);
    p.end = (uint32_t)size;
    p.module = ARENA_NEW(arena, struct np_module);
    p.layout_end = &p.module->layouts;
    vec_push(&p.levels, 0);
    np_scan_lex_init_extra(&p, &scanner);
    p.scanner = scanner;
    np_scan__scan_bytes(p.text, (int)p.end, scanner);
    if (np_grammar_parse(&p) != 0)
        p.broken = true;
    np_scan_lex_destroy(scanner);
    vec_free(&p.levels);
    return p.broken ? NULL : p.module;
}
