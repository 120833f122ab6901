/* SPDX-License-Identifier: MIT
 * Between scanner and grammar: tokens, syntax errors, and semicolons that are missing. */
#include "ezpim/ez/parser.h"
#include "ez_grammar.h"
#include "ez_scanner.h"

#include <string.h>

/* Passes over a text with missing semicolons; behind the last one the grammar's own recovery
 * skips to the next `;`. */
enum { MAX_PASSES = 24 };

static bool takes_semicolon(const struct ez_parser *p) {
    return p->next_semicolon < p->semicolons.len &&
           p->semicolons.data[p->next_semicolon] == p->last.end;
}

static void track_braces(struct ez_parser *p, int kind, struct span at) {
    if (kind == '{')
        vec_push(&p->braces, at);
    else if (kind == '}' && p->braces.len)
        p->braces.len--;
}

void ez_parser_error(struct ez_parser *p, struct span at, const char *format, ...) {
    p->broken = true;
    if (p->again || at.begin < p->reported)
        return;
    va_list args;
    va_start(args, format);
    diag_verror(p->diag, at, format, args);
    va_end(args);
}

void ez_scanner_error(struct ez_parser *p, struct span at, const char *format, ...) {
    p->broken = true;
    if (p->again || at.begin < p->scan_reported)
        return;
    p->scan_reported = at.begin + 1;
    va_list args;
    va_start(args, format);
    diag_verror(p->diag, at, format, args);
    va_end(args);
}

static int scan(EZG_STYPE *value, EZG_LTYPE *at, struct ez_parser *p) {
    value->T_COMPOUND = BINARY_ADD;
    if (!p->held.full)
        return ez_scan_lex(value, at, p->scanner);
    p->held.full = false;
    value->T_COMPOUND = p->held.op;
    *at = p->held.at;
    return p->held.kind;
}

static void hold(struct ez_parser *p, int kind, const EZG_STYPE *value, struct span at) {
    p->held.full = true;
    p->held.kind = kind;
    p->held.op = value->T_COMPOUND;
    p->held.at = at;
}

/* True if `else` follows; a token that does not is kept for later. */
static bool else_follows(EZG_STYPE *value, struct ez_parser *p) {
    EZG_LTYPE at;
    int kind = scan(value, &at, p);
    if (kind != T_ELSE)
        hold(p, kind, value, at);
    return kind == T_ELSE;
}

/* Skips what follows a syntax error: to `;`, over a block and the `else` behind
 * it, or to the end of the block around.  skip_depth blocks of what is skipped are open. */
static void skip_statement(EZG_STYPE *value, EZG_LTYPE *at, struct ez_parser *p) {
    unsigned parens = p->skip_parens;
    for (unsigned depth = p->skip_depth;;) {
        int kind = scan(value, at, p);
        if (parens) /* what stands there in other languages has semicolons, too */
            parens += (unsigned)(kind == '(') - (unsigned)(kind == ')');
        if (kind == T_END || (kind == '}' && depth == 0)) {
            hold(p, kind, value, *at);
            return;
        }
        depth += kind == '{';
        if (depth == 0 && kind == ';' && !parens)
            return;
        if (kind == '}' && --depth == 0 && !else_follows(value, p))
            return;
    }
}

static bool is_word(const struct ez_parser *p, struct span at, const char *word) {
    return at.end - at.begin == strlen(word) && memcmp(p->text + at.begin, word, strlen(word)) == 0;
}

/* Words that are names elsewhere, with a name behind them: `consumed` behind a direction, `as` in
 * the declaration of a variable. */
static int word_between(struct ez_parser *p, EZG_STYPE *value, int kind, struct span at) {
    EZG_LTYPE next;
    bool consumed = p->in_direction && is_word(p, at, "consumed");
    bool as = p->in_variables && !p->in_direction && is_word(p, at, "as");
    if (kind != T_NAME || (!consumed && !as))
        return kind;
    int behind = scan(value, &next, p);
    hold(p, behind, value, next);
    if (behind != T_NAME)
        return kind;
    return consumed ? T_CONSUMED : T_AS;
}

/* `clip` is a word behind the source of a move, and a name elsewhere. */
static bool is_clip(const struct ez_parser *p, int kind, struct span at) {
    return p->in_move && (p->last_kind == ']' || p->last_kind == T_NAME) && kind == T_NAME &&
           is_word(p, at, "clip");
}

/* The next token for the grammar, a missing semicolon in front of it where one was found. */
int ezg_lex(EZG_STYPE *value, EZG_LTYPE *at, struct ez_parser *p) {
    if (p->skipping) {
        p->skipping = false;
        p->starts = true;
        p->in_move = false;
        skip_statement(value, at, p);
        p->skip_depth = 0;
        p->skip_parens = false;
        return ';';
    }
    int kind = scan(value, at, p);
    if (kind == T_END)
        *at = (struct span){p->source, p->end, p->end};
    if (takes_semicolon(p)) {
        p->next_semicolon++;
        hold(p, kind, value, *at);
        *at = (struct span){p->source, p->last.end, p->last.end};
        p->starts = true;
        p->in_move = false;
        return ';';
    }
    if (p->starts) {
        p->first = *at;
        p->first_is_name = kind == T_NAME;
        p->in_condition = kind == T_IF || kind == T_WHILE;
    }
    kind = word_between(p, value, kind, *at);
    if (is_clip(p, kind, *at))
        kind = T_CLIP;
    p->in_direction = kind == T_IN || kind == T_OUT || kind == T_INOUT || kind == T_VAR;
    p->in_variables = (p->in_variables && kind != ';') || (p->starts && p->in_direction);
    p->in_move = kind == T_MOVE || (p->in_move && kind != ';');
    p->last_kind = kind;
    p->starts = kind == ';' || kind == '{' || kind == '}';
    track_braces(p, kind, *at);
    p->before = p->last;
    p->last = *at;
    return kind;
}

bool block_enter(struct ez_parser *p, struct span at) {
    if (++p->blocks <= EZ_MAX_DEPTH)
        return true;
    ez_parser_error(p, at, "blocks are nested more than %d levels deep", EZ_MAX_DEPTH);
    return false;
}

void recovered(struct ez_parser *p) {
    p->pool.len = 0;
    p->broken = true;
}

static bool among(const char *name, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static bool line_between(const struct ez_parser *p, uint32_t begin, uint32_t end) {
    return begin < end && memchr(p->text + begin, '\n', end - begin);
}

/* A statement ended without `;`: the next token starts a line, or closes the block. */
static bool semicolon_is_missing(const struct ez_parser *p, struct span at, const char *found,
                                 const char *const *expected, size_t count) {
    return among("';'", expected, count) &&
           (line_between(p, p->before.end, at.begin) || strcmp(found, "'}'") == 0 ||
            strcmp(found, "end of file") == 0);
}

static void report_semicolon(struct ez_parser *p) {
    struct span at = {p->source, p->before.end, p->before.end};
    diag_error(p->diag, at, "expected `;` after this");
    diag_fixit(p->diag, at, ";");
    if (p->semicolons.len + 1 >= MAX_PASSES || diag_full(p->diag))
        return;
    vec_push(&p->semicolons, p->before.end);
    p->again = true;
}

/* "`x`" for a token that the source spells so, else "end of file". */
static const char *found_text(struct ez_parser *p, struct span at) {
    if (at.begin == at.end)
        return "end of file";
    return arena_printf(p->arena, "`%.*s`", (int)(at.end - at.begin), p->text + at.begin);
}

/* What could stand there, most telling first: a few words, not the whole list. */
static void describe_expected(const char *const *names, size_t count, bool at_end,
                              struct str *out) {
    static const char *const operators[] = {"'+'", "shift", "comparison"};
    static const char *const closers[] = {"';'", "')'", "']'", "'='", "':'", "'}'", "'{'", "','"};
    if (among("'('", names, count) && among("number", names, count) && among("'~'", names, count)) {
        str_append(out, "an expression");
        return;
    }
    if (count == 1 && among("'('", names, count))
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
    for (size_t i = 0; i < count && count <= 4; i++)
        if (names[i][0] != '\'' && !among("'+'", names, count) &&
            strcmp(names[i], "consumed") != 0 && strcmp(names[i], "as") != 0)
            str_printf(out, "%s%s%s%s", out->len ? " or " : "",
                       strcmp(names[i], "name") ? "`" : "a ", names[i],
                       strcmp(names[i], "name") ? "`" : "");
}

/* The words that start a statement or a declaration. */
static const char *const statement_words[] = {"compute", "let",    "if",    "while", "for",
                                              "unroll",  "repeat", "move",  "break", "continue",
                                              "return",  "assert", "print", "mark",  "compact"};
static const char *const declaration_words[] = {"size", "const",   "host",   "group", "mpus",
                                                "in",   "out",     "inout",  "var",   "main",
                                                "sub",  "include", "recipe", "extern"};

static void suggest_word(struct ez_parser *p, struct span at, const char *const *words,
                         size_t count) {
    const char *text = arena_strndup(p->arena, p->text + at.begin, at.end - at.begin);
    diag_suggest(p->diag, at, text, words, count);
}

/* A misspelt keyword: the name that is not expected, or the one that the statement starts with
 * when a block follows. */
static void suggest_keyword(struct ez_parser *p, struct span at, const char *found) {
    bool block = strcmp(found, "'{'") == 0;
    if (strcmp(found, "name") != 0 && !(block && p->first_is_name))
        return;
    if (block)
        at = p->first;
    if (p->blocks)
        suggest_word(p, at, statement_words, sizeof statement_words / sizeof *statement_words);
    else
        suggest_word(p, at, declaration_words,
                     sizeof declaration_words / sizeof *declaration_words);
}

/* A word of the language where a name could stand. */
static void note_reserved(struct ez_parser *p, struct span at, const char *found,
                          const char *const *names, size_t count) {
    char first = at.begin < at.end ? p->text[at.begin] : '0';
    bool letter = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || first == '_';
    if (letter && strcmp(found, "name") != 0 && strcmp(found, "consumed") != 0 &&
        among("name", names, count))
        diag_note(p->diag, at, "%s is a word of the language and names nothing else",
                  found_text(p, at));
}

static void report_unexpected(struct ez_parser *p, struct span at, const char *found,
                              const char *const *names, size_t count) {
    struct str expected = {0};
    describe_expected(names, count, at.begin == at.end, &expected);
    bool named = expected.len > 0; /* what could stand there */
    if (named)
        diag_error(p->diag, at, "expected %s, found %s", str_text(&expected), found_text(p, at));
    else if (p->blocks)
        diag_error(p->diag, at, "%s starts no statement", found_text(p, at));
    else
        diag_error(p->diag, at, "%s starts no declaration", found_text(p, at));
    if (!named || strcmp(found, "'{'") == 0)
        suggest_keyword(p, at, found);
    str_free(&expected);
    ez_parser_hint(p, at);
    if (named)
        note_reserved(p, at, found, names, count);
    if (at.begin == at.end && p->braces.len)
        diag_note(p->diag, vec_last(&p->braces), "this block is not closed");
}

/* The grammar drops tokens up to one that may follow an error, `;` or `}`: what the scanner passes
 * over is the rest of the statement with its blocks, so that their ends close nothing else. */
static void skip_rest(struct ez_parser *p, const char *found) {
    bool block = strcmp(found, "'{'") == 0;
    if (strcmp(found, "';'") == 0 || strcmp(found, "'}'") == 0 || strcmp(found, "end of file") == 0)
        return;
    if (block && p->braces.len)
        p->braces.len--;
    p->skipping = true;
    p->skip_depth = block;
    p->skip_parens = strcmp(found, "'('") == 0;
}

void parser_syntax_error(struct ez_parser *p, struct span at, const char *found,
                         const char *const *expected, size_t count) {
    if (semicolon_is_missing(p, at, found, expected, count)) {
        if (p->before.end >= p->reported && !p->again) {
            p->reported = p->before.end + 1;
            report_semicolon(p);
        }
        return;
    }
    p->broken = true;
    skip_rest(p, found);
    if (at.begin < p->reported || p->again || strcmp(found, "unknown character") == 0)
        return;
    p->reported = at.begin + 1;
    report_unexpected(p, at, found, expected, count);
}

static void parse_once(struct ez_parser *p) {
    p->program = ARENA_NEW(p->arena, struct ez_program);
    p->offset = 0;
    p->last = p->before = (struct span){p->source, 0, 0};
    p->blocks = 0;
    p->braces.len = 0;
    p->pool.len = 0;
    p->next_semicolon = 0;
    p->in_move = false;
    p->last_kind = ';';
    p->broken = p->again = p->held.full = p->skipping = false;
    p->skip_depth = 0;
    p->skip_parens = false;
    p->starts = true;
    p->in_direction = false;
    yyscan_t scanner;
    ez_scan_lex_init_extra(p, &scanner);
    p->scanner = scanner;
    ez_scan__scan_bytes(p->text, (int)p->end, scanner);
    if (ezg_parse(p) != 0)
        p->broken = true;
    ez_scan_lex_destroy(scanner);
}

struct ez_program *ez_parse(struct arena *arena, struct diag *d, uint32_t source, bool *broken) {
    size_t size;
    const char *text = diag_source_text(d, source, &size);
    struct ez_parser p = {
        .arena = arena, .diag = d, .text = text, .source = source, .end = (uint32_t)size};
    do
        parse_once(&p);
    while (p.again);
    *broken = p.broken;
    vec_free(&p.braces);
    vec_free(&p.pool);
    vec_free(&p.semicolons);
    return p.program;
}
