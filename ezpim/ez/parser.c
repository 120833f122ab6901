/* SPDX-License-Identifier: MIT
 * Between scanner and grammar: tokens, syntax errors, and semicolons that are missing. */
#include "ezpim/ez/parser.h"
#include "ez_grammar.h"
#include "ez_scanner.h"

#include <string.h>

/* Passes over a text with missing semicolons; behind the last one the grammar's own recovery
 * skips to the next `;`. */
enum { MAX_PASSES = 24 };

static bool takes_semicolon(const struct ez_parser *parser) {
    return parser->next_semicolon < parser->semicolons.len &&
           parser->semicolons.data[parser->next_semicolon] == parser->last.end;
}

static void track_braces(struct ez_parser *parser, int kind, struct span at) {
    if (kind == '{')
        vec_push(&parser->braces, at);
    else if (kind == '}' && parser->braces.len)
        parser->braces.len--;
}

void ez_parser_error(struct ez_parser *parser, struct span at, const char *format, ...) {
    parser->broken = true;
    if (parser->again || at.begin < parser->reported)
        return;
    va_list args;
    va_start(args, format);
    diag_verror(parser->diag, at, format, args);
    va_end(args);
}

void ez_scanner_error(struct ez_parser *parser, struct span at, const char *format, ...) {
    parser->broken = true;
    if (parser->again || at.begin < parser->scan_reported)
        return;
    parser->scan_reported = at.begin + 1;
    va_list args;
    va_start(args, format);
    diag_verror(parser->diag, at, format, args);
    va_end(args);
}

/* Behind the last error that is shown the text is at its end. */
static int scan(EZ_GRAMMAR_STYPE *value, EZ_GRAMMAR_LTYPE *at, struct ez_parser *parser) {
    value->T_COMPOUND = BINARY_ADD;
    if (diag_full(parser->diag))
        return T_END;
    if (!parser->held.full)
        return ez_scan_lex(value, at, parser->scanner);
    parser->held.full = false;
    value->T_COMPOUND = parser->held.op;
    *at = parser->held.at;
    return parser->held.kind;
}

static void hold(struct ez_parser *parser, int kind, const EZ_GRAMMAR_STYPE *value,
                 struct span at) {
    parser->held.full = true;
    parser->held.kind = kind;
    parser->held.op = value->T_COMPOUND;
    parser->held.at = at;
}

/* True if `else` follows; a token that does not is kept for later. */
static bool else_follows(EZ_GRAMMAR_STYPE *value, struct ez_parser *parser) {
    EZ_GRAMMAR_LTYPE at;
    int kind = scan(value, &at, parser);
    if (kind != T_ELSE)
        hold(parser, kind, value, at);
    return kind == T_ELSE;
}

/* Skips what follows a syntax error: to `;`, over a block and the `else` behind
 * it, or to the end of the block around.  skip_depth blocks of what is skipped are open. */
static void skip_statement(EZ_GRAMMAR_STYPE *value, EZ_GRAMMAR_LTYPE *at,
                           struct ez_parser *parser) {
    unsigned parens = parser->skip_parens;
    for (unsigned depth = parser->skip_depth;;) {
        int kind = scan(value, at, parser);
        if (parens) /* what stands there in other languages has semicolons, too */
            parens += (unsigned)(kind == '(') - (unsigned)(kind == ')');
        if (kind == T_END || (kind == '}' && depth == 0)) {
            hold(parser, kind, value, *at);
            return;
        }
        depth += kind == '{';
        if (depth == 0 && kind == ';' && !parens)
            return;
        if (kind == '}' && --depth == 0 && !else_follows(value, parser))
            return;
    }
}

static bool is_word(const struct ez_parser *parser, struct span at, const char *word) {
    return at.end - at.begin == strlen(word) &&
           memcmp(parser->text + at.begin, word, strlen(word)) == 0;
}

/* Words that are names elsewhere, with a name behind them: `consumed` behind a direction, `as` in
 * the declaration of a variable. */
static int word_between(struct ez_parser *parser, EZ_GRAMMAR_STYPE *value, int kind,
                        struct span at) {
    EZ_GRAMMAR_LTYPE next;
    bool consumed = parser->in_direction && is_word(parser, at, "consumed");
    bool as = parser->in_variables && !parser->in_direction && is_word(parser, at, "as");
    if (kind != T_NAME || (!consumed && !as))
        return kind;
    int behind = scan(value, &next, parser);
    hold(parser, behind, value, next);
    if (behind != T_NAME)
        return kind;
    return consumed ? T_CONSUMED : T_AS;
}

/* The next character that is no blank. */
static char character_behind(const struct ez_parser *parser, struct span at) {
    const char *p = parser->text + at.end, *end = parser->text + parser->end;
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n'))
        p++;
    return p < end ? *p : '\0';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Words that are names elsewhere, at the beginning: `buffer`, `kernel`, `module` and `pipeline` of
 * a declaration, `launch` of a statement in which a name follows. */
static int word_in_front(const struct ez_parser *parser, int kind, struct span at) {
    static const struct {
        const char *word;
        int kind;
    } words[] = {
        {"buffer", T_BUFFER}, {"kernel", T_KERNEL}, {"module", T_MODULE}, {"pipeline", T_PIPELINE}};
    if (kind != T_NAME || !parser->starts)
        return kind;
    if (parser->blocks)
        return is_word(parser, at, "launch") && is_letter(character_behind(parser, at)) ? T_LAUNCH
                                                                                        : kind;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_word(parser, at, words[i].word))
            return words[i].kind;
    return kind;
}

/* `clip` is a word behind the source of a move, and a name elsewhere. */
static bool is_clip(const struct ez_parser *parser, int kind, struct span at) {
    return parser->in_move && (parser->last_kind == ']' || parser->last_kind == T_NAME) &&
           kind == T_NAME && is_word(parser, at, "clip");
}

/* The next token for the grammar, a missing semicolon in front of it where one was found. */
int ez_grammar_lex(EZ_GRAMMAR_STYPE *value, EZ_GRAMMAR_LTYPE *at, struct ez_parser *parser) {
    if (parser->skipping) {
        parser->skipping = false;
        parser->starts = true;
        parser->in_move = false;
        skip_statement(value, at, parser);
        parser->skip_depth = 0;
        parser->skip_parens = false;
        return ';';
    }
    int kind = scan(value, at, parser);
    if (kind == T_END)
        *at = (struct span){parser->source, parser->end, parser->end};
    if (takes_semicolon(parser)) {
        parser->next_semicolon++;
        hold(parser, kind, value, *at);
        *at = (struct span){parser->source, parser->last.end, parser->last.end};
        parser->starts = true;
        parser->in_move = false;
        return ';';
    }
    if (parser->starts) {
        parser->first = *at;
        parser->first_is_name = kind == T_NAME;
        parser->in_condition = kind == T_IF || kind == T_WHILE;
    }
    kind = word_in_front(parser, kind, *at);
    kind = word_between(parser, value, kind, *at);
    if (is_clip(parser, kind, *at))
        kind = T_CLIP;
    parser->in_direction = kind == T_IN || kind == T_OUT || kind == T_INOUT || kind == T_VAR;
    parser->in_variables =
        (parser->in_variables && kind != ';') || (parser->starts && parser->in_direction);
    parser->text_follows = kind == T_KERNEL || kind == T_MODULE || kind == T_PIPELINE ||
                           (parser->text_follows && kind != ';' && kind != '{');
    parser->in_move = kind == T_MOVE || (parser->in_move && kind != ';');
    parser->last_kind = kind;
    parser->starts = kind == ';' || kind == '{' || kind == '}';
    track_braces(parser, kind, *at);
    parser->before = parser->last;
    parser->last = *at;
    return kind;
}

bool ez_block_enter(struct ez_parser *parser, struct span at) {
    if (++parser->blocks <= EZ_MAX_DEPTH)
        return true;
    ez_parser_error(parser, at, "blocks are nested more than %d levels deep", EZ_MAX_DEPTH);
    return false;
}

void ez_recovered(struct ez_parser *parser) {
    parser->pool.len = 0;
    parser->broken = true;
}

static bool among(const char *name, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static bool line_between(const struct ez_parser *parser, uint32_t begin, uint32_t end) {
    return begin < end && memchr(parser->text + begin, '\n', end - begin);
}

/* A statement ended without `;`: the next token starts a line, or closes the block. */
static bool semicolon_is_missing(const struct ez_parser *parser, struct span at, const char *found,
                                 const char *const *expected, size_t count) {
    return among("';'", expected, count) &&
           (line_between(parser, parser->before.end, at.begin) || strcmp(found, "'}'") == 0 ||
            strcmp(found, "end of file") == 0);
}

static void report_semicolon(struct ez_parser *parser) {
    struct span at = {parser->source, parser->before.end, parser->before.end};
    diag_error(parser->diag, at, "expected `;` after this");
    diag_fixit(parser->diag, at, ";");
    if (parser->semicolons.len + 1 >= MAX_PASSES || diag_full(parser->diag))
        return;
    vec_push(&parser->semicolons, parser->before.end);
    parser->again = true;
}

/* "`x`" for a token that the source spells so, else "end of file". */
static const char *found_text(struct ez_parser *parser, struct span at) {
    if (at.begin == at.end)
        return "end of file";
    return arena_printf(parser->arena, "`%.*s`", (int)(at.end - at.begin), parser->text + at.begin);
}

enum { FEW_WORDS = 4 };

/* What could stand there, most telling first: a few words, not the whole list. */
static void describe_expected(const char *const *names, size_t count, bool at_end,
                              struct str *out) {
    static const char *const operators[] = {"'+'", "shift", "comparison"};
    static const char *const closers[] = {"';'", "')'", "']'", "'='", "':'", "'}'", "'{'", "','"};
    if (among("'('", names, count) && among("number", names, count) && among("'~'", names, count)) {
        str_append(out, "an expression");
        return;
    }
    if (count <= FEW_WORDS && among("'('", names, count) && !among("'+'", names, count))
        str_append(out, "`(`");
    if (among("inout", names, count) && among(closers[1], names, count))
        str_append(out, "a parameter");
    if (among("where", names, count) && !among(closers[0], names, count))
        str_append(out, "`where`");
    if (among(operators[0], names, count) || among(operators[1], names, count))
        str_printf(out, "%san operator", out->len ? " or " : "");
    for (size_t i = 0; i < sizeof closers / sizeof *closers; i++)
        if (among(closers[i], names, count) && (closers[i][1] != '}' || at_end))
            str_printf(out, "%s`%c`", out->len ? " or " : "", closers[i][1]);
    for (size_t i = 0; i < count && count <= FEW_WORDS; i++)
        if (names[i][0] != '\'' && !among("'+'", names, count) &&
            strcmp(names[i], "consumed") != 0 && strcmp(names[i], "as") != 0)
            str_printf(out, "%s%s%s%s", out->len ? " or " : "",
                       strcmp(names[i], "name") ? "`" : "a ", names[i],
                       strcmp(names[i], "name") ? "`" : "");
}

/* The words that start a statement or a declaration. */
static const char *const statement_words[] = {
    "compute", "let",      "if",     "while",  "for",   "unroll", "repeat",  "move",
    "break",   "continue", "return", "assert", "print", "mark",   "compact", "launch"};
static const char *const declaration_words[] = {
    "size", "const", "host",    "group",  "mpus",   "in",     "out",    "inout",  "var",
    "main", "sub",   "include", "recipe", "extern", "buffer", "kernel", "module", "pipeline"};

static void suggest_word(struct ez_parser *parser, struct span at, const char *const *words,
                         size_t count) {
    const char *text = arena_strndup(parser->arena, parser->text + at.begin, at.end - at.begin);
    diag_suggest(parser->diag, at, text, words, count);
}

/* A misspelt keyword: the name that is not expected, or the one that the statement starts with
 * when a block follows. */
static void suggest_keyword(struct ez_parser *parser, struct span at, const char *found) {
    bool block = strcmp(found, "'{'") == 0;
    if (strcmp(found, "name") != 0 && !(block && parser->first_is_name))
        return;
    if (block)
        at = parser->first;
    if (parser->blocks)
        suggest_word(parser, at, statement_words, sizeof statement_words / sizeof *statement_words);
    else
        suggest_word(parser, at, declaration_words,
                     sizeof declaration_words / sizeof *declaration_words);
}

static bool starts_with_letter(const struct ez_parser *parser, struct span at) {
    char first = at.begin < at.end ? parser->text[at.begin] : '0';
    return (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || first == '_';
}

static void note_word(struct ez_parser *parser, struct span at) {
    diag_note(parser->diag, at, "%s is a word of the language and names nothing else",
              found_text(parser, at));
}

/* What follows the word assigns to it. */
static bool is_assigned(const struct ez_parser *parser, struct span at) {
    const char *p = parser->text + at.end, *end = parser->text + parser->end;
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    while (p < end && *p != 0 && strchr("+-*/%&|^<>", *p))
        p++;
    return p < end && *p == '=' && !(p + 1 < end && p[1] == '=');
}

/* A word of the language where a name could stand: there, or in front of an assignment. */
static void note_reserved(struct ez_parser *parser, struct span at, const char *found,
                          const char *const *names, size_t count) {
    bool assigns = strcmp(found, "'='") == 0 || strcmp(found, "compound assignment") == 0;
    bool is_word = starts_with_letter(parser, at) && strcmp(found, "name") != 0 &&
                   strcmp(found, "consumed") != 0;
    if (is_word && (among("name", names, count) || (parser->blocks && is_assigned(parser, at))))
        note_word(parser, at);
    else if (assigns && parser->blocks && !parser->first_is_name &&
             parser->before.begin == parser->first.begin &&
             starts_with_letter(parser, parser->before))
        note_word(parser, parser->before);
}

static void report_unexpected(struct ez_parser *parser, struct span at, const char *found,
                              const char *const *names, size_t count) {
    struct str expected = {0};
    describe_expected(names, count, at.begin == at.end, &expected);
    bool named = expected.len > 0; /* what could stand there */
    if (named)
        diag_error(parser->diag, at, "expected %s, found %s", str_text(&expected),
                   found_text(parser, at));
    else if (parser->blocks)
        diag_error(parser->diag, at, "%s starts no statement", found_text(parser, at));
    else
        diag_error(parser->diag, at, "%s starts no declaration", found_text(parser, at));
    if (!named || strcmp(found, "'{'") == 0)
        suggest_keyword(parser, at, found);
    str_free(&expected);
    ez_parser_hint(parser, at);
    note_reserved(parser, at, found, names, count);
    if (at.begin == at.end && parser->braces.len)
        diag_note(parser->diag, vec_last(&parser->braces), "this block is not closed");
}

/* The grammar drops tokens up to one that may follow an error, `;` or `}`: what the scanner passes
 * over is the rest of the statement with its blocks, so that their ends close nothing else. */
static void skip_rest(struct ez_parser *parser, const char *found) {
    bool block = strcmp(found, "'{'") == 0;
    if (strcmp(found, "';'") == 0 || strcmp(found, "'}'") == 0 || strcmp(found, "end of file") == 0)
        return;
    if (block && parser->braces.len)
        parser->braces.len--;
    parser->skipping = true;
    parser->skip_depth = block;
    parser->skip_parens = strcmp(found, "'('") == 0;
}

void ez_parser_syntax_error(struct ez_parser *parser, struct span at, const char *found,
                            const char *const *expected, size_t count) {
    if (semicolon_is_missing(parser, at, found, expected, count)) {
        if (parser->before.end >= parser->reported && !parser->again) {
            parser->reported = parser->before.end + 1;
            report_semicolon(parser);
        }
        return;
    }
    parser->broken = true;
    skip_rest(parser, found);
    if (at.begin < parser->reported || parser->again || strcmp(found, "unknown character") == 0)
        return;
    parser->reported = at.begin + 1;
    report_unexpected(parser, at, found, expected, count);
}

static void parse_once(struct ez_parser *parser) {
    parser->program = ARENA_NEW(parser->arena, struct ez_program);
    parser->offset = 0;
    parser->last = parser->before = (struct span){parser->source, 0, 0};
    parser->blocks = 0;
    parser->braces.len = 0;
    parser->pool.len = 0;
    parser->next_semicolon = 0;
    parser->in_move = false;
    parser->last_kind = ';';
    parser->broken = parser->again = parser->held.full = parser->skipping = false;
    parser->skip_depth = 0;
    parser->skip_parens = false;
    parser->starts = true;
    parser->in_direction = false;
    parser->text_follows = false;
    yyscan_t scanner;
    ez_scan_lex_init_extra(parser, &scanner);
    parser->scanner = scanner;
    ez_scan__scan_bytes(parser->text, (int)parser->end, scanner);
    if (ez_grammar_parse(parser) != 0)
        parser->broken = true;
    ez_scan_lex_destroy(scanner);
}

struct ez_program *ez_parse(struct arena *arena, struct diag *diag, uint32_t source, bool *broken) {
    size_t size;
    const char *text = diag_source_text(diag, source, &size);
    struct ez_parser p = {
        .arena = arena, .diag = diag, .text = text, .source = source, .end = (uint32_t)size};
    do
        parse_once(&p);
    while (p.again);
    *broken = p.broken;
    vec_free(&p.braces);
    vec_free(&p.pool);
    vec_free(&p.semicolons);
    return p.program;
}
