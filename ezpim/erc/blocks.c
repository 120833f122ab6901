/* SPDX-License-Identifier: MIT
 * What each line is, and which lines belong together. */
#include "ezpim/erc/unit.h"

struct keyword {
    const char *word;
    enum line_kind kind;
};
static const struct keyword keywords[] = {
    {"for", LINE_FOR},         {"endfor", LINE_ENDFOR},     {"if", LINE_IF},
    {"elif", LINE_ELIF},       {"else", LINE_ELSE},         {"endif", LINE_ENDIF},
    {"while", LINE_WHILE},     {"endwhile", LINE_ENDWHILE}, {"func", LINE_FUNC},
    {"endfunc", LINE_ENDFUNC},
};

struct erc_parser {
    struct erc_unit *u;
    VEC(uint32_t) open; /* lines: for, if, elif, else, while, func */
};

static const char *word_of(enum line_kind kind) {
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (keywords[i].kind == kind)
            return keywords[i].word;
    return "";
}

static enum line_kind kind_of(const struct erc_unit *unit, const struct erc_line *line) {
    if (erc_token_is(unit, line->first, "#"))
        return LINE_DEFINE;
    if (line->count == 2 && unit->tokens.data[line->first].kind != TOKEN_SIGN &&
        erc_token_is(unit, line->first + 1, ":") && !erc_token_is(unit, line->first, "else"))
        return LINE_LABEL;
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (erc_token_is(unit, line->first, keywords[i].word))
            return keywords[i].kind;
    return LINE_INSN;
}

/* What closes a line of this kind, or LINE_INSN. */
static enum line_kind closer(enum line_kind kind) {
    switch (kind) {
    case LINE_FOR:
        return LINE_ENDFOR;
    case LINE_IF:
    case LINE_ELIF:
    case LINE_ELSE:
        return LINE_ENDIF;
    case LINE_WHILE:
        return LINE_ENDWHILE;
    case LINE_FUNC:
        return LINE_ENDFUNC;
    default:
        return LINE_INSN;
    }
}

static void join(struct erc_unit *unit, uint32_t open, uint32_t close) {
    unit->lines.data[open].mate = close;
    unit->lines.data[close].mate = open;
}

/* A line that ends what was opened last, or the part before it. */
static void close_block(struct erc_parser *parser, uint32_t line) {
    struct erc_unit *u = parser->u;
    enum line_kind kind = u->lines.data[line].kind;
    bool divides = kind == LINE_ELIF || kind == LINE_ELSE;
    uint32_t open = parser->open.len ? vec_last(&parser->open) : NO_INDEX;
    enum line_kind last = open == NO_INDEX ? LINE_INSN : u->lines.data[open].kind;
    if (closer(last) != (divides ? LINE_ENDIF : kind) || (divides && last == LINE_ELSE)) {
        erc_error(u, u->lines.data[line].first, "'%s' without %s", word_of(kind),
                  kind == LINE_ENDFOR     ? "a 'for'"
                  : kind == LINE_ENDWHILE ? "a 'while'"
                  : kind == LINE_ENDFUNC  ? "a 'func'"
                                          : "an 'if'");
        if (open != NO_INDEX)
            diag_note(u->diag, erc_line_span(u, open), "what is open here is this '%s'",
                      word_of(last));
        return;
    }
    join(u, open, line);
    u->lines.data[open].divided = divides;
    parser->open.len--;
    if (divides)
        vec_push(&parser->open, line);
}

static void open_block(struct erc_parser *parser, uint32_t line) {
    vec_push(&parser->open, line);
    if (parser->open.len == ERC_MAX_DEPTH + 1)
        erc_error(parser->u, parser->u->lines.data[line].first,
                  "blocks are nested more than %d deep", ERC_MAX_DEPTH);
}

static void add_func(struct erc_parser *parser, uint32_t line) {
    struct erc_unit *u = parser->u;
    const struct erc_line *l = &u->lines.data[line];
    uint32_t at = l->first + 1, end = l->first + l->count;
    if (end > at && erc_token_is(u, end - 1, ":"))
        end--;
    if (end - at < 3 || u->tokens.data[at].kind != TOKEN_WORD || !erc_token_is(u, at + 1, "(") ||
        !erc_token_is(u, end - 1, ")")) {
        erc_error(u, l->first, "expected: func NAME(PARAMETER, ...)");
        return;
    }
    struct erc_func f = {erc_token_name(u, at), line, at + 2, 0, false};
    for (at += 2; at + 1 < end; at += 2, f.param_count++)
        if (u->tokens.data[at].kind != TOKEN_WORD ||
            (at + 2 < end && !erc_token_is(u, at + 1, ","))) {
            erc_error(u, at, "expected names with commas between");
            return;
        }
    const uint64_t *known = map_get(&u->func_names, f.name);
    if (known) {
        erc_error(u, l->first + 1, "func '%s' is defined twice", f.name);
        diag_note(u->diag, erc_line_span(u, u->funcs.data[*known].line),
                  "it was first defined here");
        return;
    }
    if (parser->open.len > 1) {
        erc_error(u, l->first, "a func inside of another block");
        diag_note(u->diag, erc_line_span(u, parser->open.data[parser->open.len - 2]),
                  "which begins here");
    }
    map_put(&u->func_names, f.name, u->funcs.len);
    vec_push(&u->funcs, f);
}

static void add_macro(struct erc_unit *unit, const struct erc_line *line) {
    const struct erc_scope none = {0};
    uint32_t at = line->first + 3, end = line->first + line->count;
    int64_t value, before;
    if (line->count < 4 || !erc_token_is(unit, line->first + 1, "define") ||
        unit->tokens.data[line->first + 2].kind != TOKEN_WORD) {
        erc_error(unit, line->first, "expected: #define NAME NUMBER");
        return;
    }
    if (!erc_compute(unit, &none, &at, end, &value))
        return;
    if (at != end) {
        erc_error(unit, at, "something stands behind the number of '#define'");
        return;
    }
    if (!erc_lookup(unit, &none, line->first + 2, &before)) {
        size_t size;
        const char *name = erc_token_text(unit, line->first + 2, &size);
        map_put_n(&unit->macros, name, size, (uint64_t)value);
    } else if (before != value) {
        diag_warning(unit->diag, W_MACRO_REDEFINED, erc_token_span(unit, line->first + 2),
                     "this definition does not count: the name stands for %lld already",
                     (long long)before);
    }
}

/* .rc is what the prototype's compiler writes: no blocks, no names of numbers. */
static void refuse_in_assembly(struct erc_unit *unit, const struct erc_line *line) {
    if (line->kind == LINE_INSN || line->kind == LINE_LABEL)
        return;
    if (erc_error(unit, line->first, "this belongs to .erc; .rc has instructions and labels alone"))
        diag_note(unit->diag, NO_SPAN, "'ezpim -x erc' takes the file as .erc, whatever its name");
}

static void parse_line(struct erc_parser *parser, uint32_t line) {
    struct erc_unit *u = parser->u;
    struct erc_line *l = &u->lines.data[line];
    l->kind = kind_of(u, l);
    if (u->options->assembly)
        refuse_in_assembly(u, l);
    else if (l->kind == LINE_DEFINE)
        add_macro(u, l);
    else if (l->kind >= LINE_ENDFOR || l->kind == LINE_ELIF || l->kind == LINE_ELSE)
        close_block(parser, line);
    else if (closer(l->kind) != LINE_INSN)
        open_block(parser, line);
    if (l->kind == LINE_FUNC && !u->options->assembly)
        add_func(parser, line);
}

void erc_parse(struct erc_unit *unit) {
    struct erc_parser p = {.u = unit};
    for (uint32_t i = 0; i < unit->lines.len && !diag_full(unit->diag); i++)
        parse_line(&p, i);
    for (size_t i = 0; i < p.open.len && !diag_full(unit->diag); i++) {
        enum line_kind kind = unit->lines.data[p.open.data[i]].kind;
        if (erc_error(unit, unit->lines.data[p.open.data[i]].first,
                      "'%s' without '%s' before the end", word_of(kind), word_of(closer(kind))) &&
            unit->lines.len)
            diag_note(unit->diag, erc_line_span(unit, (uint32_t)unit->lines.len - 1),
                      "the text ends here");
    }
    vec_free(&p.open);
}
