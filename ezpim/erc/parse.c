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

static enum line_kind kind_of(const struct erc_unit *u, const struct erc_line *l) {
    if (erc_token_is(u, l->first, "#"))
        return LINE_DEFINE;
    if (l->count == 2 && u->tokens.data[l->first].kind != TOKEN_SIGN &&
        erc_token_is(u, l->first + 1, ":") && !erc_token_is(u, l->first, "else"))
        return LINE_LABEL;
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (erc_token_is(u, l->first, keywords[i].word))
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

static void join(struct erc_unit *u, uint32_t open, uint32_t close) {
    u->lines.data[open].mate = close;
    u->lines.data[close].mate = open;
}

/* A line that ends what was opened last, or the part before it. */
static void close_block(struct erc_parser *p, uint32_t line) {
    struct erc_unit *u = p->u;
    enum line_kind kind = u->lines.data[line].kind;
    bool divides = kind == LINE_ELIF || kind == LINE_ELSE;
    uint32_t open = p->open.len ? vec_last(&p->open) : NO_INDEX;
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
    p->open.len--;
    if (divides)
        vec_push(&p->open, line);
}

static void open_block(struct erc_parser *p, uint32_t line) {
    vec_push(&p->open, line);
    if (p->open.len == ERC_MAX_DEPTH + 1)
        erc_error(p->u, p->u->lines.data[line].first, "blocks are nested more than %d deep",
                  ERC_MAX_DEPTH);
}

static void add_func(struct erc_parser *p, uint32_t line) {
    struct erc_unit *u = p->u;
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
    if (p->open.len > 1) {
        erc_error(u, l->first, "a func inside of another block");
        diag_note(u->diag, erc_line_span(u, p->open.data[p->open.len - 2]), "which begins here");
    }
    map_put(&u->func_names, f.name, u->funcs.len);
    vec_push(&u->funcs, f);
}

static void add_macro(struct erc_unit *u, const struct erc_line *l) {
    const struct erc_scope none = {0};
    uint32_t at = l->first + 3, end = l->first + l->count;
    int64_t value, before;
    if (l->count < 4 || !erc_token_is(u, l->first + 1, "define") ||
        u->tokens.data[l->first + 2].kind != TOKEN_WORD) {
        erc_error(u, l->first, "expected: #define NAME NUMBER");
        return;
    }
    if (!erc_compute(u, &none, &at, end, &value))
        return;
    if (at != end) {
        erc_error(u, at, "something stands behind the number of '#define'");
        return;
    }
    if (!erc_lookup(u, &none, l->first + 2, &before)) {
        size_t size;
        const char *name = erc_token_text(u, l->first + 2, &size);
        map_put_n(&u->macros, name, size, (uint64_t)value);
    } else if (before != value) {
        diag_warning(u->diag, W_MACRO_REDEFINED, erc_token_span(u, l->first + 2),
                     "this definition does not count: the name stands for %lld already",
                     (long long)before);
    }
}

/* .rc is what the prototype's compiler writes: no blocks, no names of numbers. */
static void refuse_in_assembly(struct erc_unit *u, const struct erc_line *l) {
    if (l->kind == LINE_INSN || l->kind == LINE_LABEL)
        return;
    if (erc_error(u, l->first, "this belongs to .erc; .rc has instructions and labels alone"))
        diag_note(u->diag, NO_SPAN, "'ezpim -x erc' takes the file as .erc, whatever its name");
}

static void parse_line(struct erc_parser *p, uint32_t line) {
    struct erc_unit *u = p->u;
    struct erc_line *l = &u->lines.data[line];
    l->kind = kind_of(u, l);
    if (u->options->assembly)
        refuse_in_assembly(u, l);
    else if (l->kind == LINE_DEFINE)
        add_macro(u, l);
    else if (l->kind >= LINE_ENDFOR || l->kind == LINE_ELIF || l->kind == LINE_ELSE)
        close_block(p, line);
    else if (closer(l->kind) != LINE_INSN)
        open_block(p, line);
    if (l->kind == LINE_FUNC && !u->options->assembly)
        add_func(p, line);
}

void erc_parse(struct erc_unit *u) {
    struct erc_parser p = {.u = u};
    for (uint32_t i = 0; i < u->lines.len && !diag_full(u->diag); i++)
        parse_line(&p, i);
    for (size_t i = 0; i < p.open.len && !diag_full(u->diag); i++) {
        enum line_kind kind = u->lines.data[p.open.data[i]].kind;
        if (erc_error(u, u->lines.data[p.open.data[i]].first, "'%s' without '%s' before the end",
                      word_of(kind), word_of(closer(kind))) &&
            u->lines.len)
            diag_note(u->diag, erc_line_span(u, (uint32_t)u->lines.len - 1), "the text ends here");
    }
    vec_free(&p.open);
}
