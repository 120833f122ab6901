/* SPDX-License-Identifier: MIT
 * Loops unrolled and calls expanded: lines to the flat list. */
#include "ezpim/erc/unit.h"

#include <string.h>

struct expander {
    struct erc_unit *u;
    struct erc_scope scope;
};

/* The head of a `for`: where its parts begin. */
struct loop_head {
    uint32_t name, relation, change;    /* tokens: VAR, REL, the += */
    uint32_t start, limit, step;        /* first tokens of expressions */
    uint32_t start_end, limit_end, end; /* behind them */
};

static void expand_lines(struct expander *x, uint32_t first, uint32_t last);

static bool too_many(struct erc_unit *u, uint32_t line) {
    if (!u->too_long && (++u->steps > ERC_MAX_STEPS || u->items.len > ERC_MAX_ITEMS))
        u->too_long = erc_error(u, u->lines.data[line].first,
                                "with all loops unrolled the program is too long: it reaches "
                                "2^20 instructions here");
    return u->too_long;
}

struct erc_item *erc_push_item(struct erc_unit *u, enum item_kind kind, uint32_t line) {
    struct erc_item item = {.kind = (uint8_t)kind, .line = line, .target = NO_INDEX};
    vec_push(&u->items, item);
    return &vec_last(&u->items);
}

static uint32_t line_end(const struct erc_line *l) {
    return l->first + l->count;
}

static bool expect(struct erc_unit *u, uint32_t *at, uint32_t end, const char *text) {
    if (*at < end && erc_token_is(u, *at, text)) {
        (*at)++;
        return true;
    }
    erc_error(u, *at < end ? *at : end - 1,
              *at < end ? "expected '%s'" : "expected '%s' behind this", text);
    return false;
}

/* Tokens up to `text` at the same depth of brackets; false after reporting that it is missing. */
static bool skip_to(struct erc_unit *u, uint32_t *at, uint32_t end, const char *text) {
    uint32_t depth = 0;
    for (; *at < end; (*at)++) {
        if (depth == 0 && erc_token_is(u, *at, text))
            return true;
        if (erc_token_is(u, *at, "(") || erc_token_is(u, *at, "["))
            depth++;
        if (depth && (erc_token_is(u, *at, ")") || erc_token_is(u, *at, "]")))
            depth--;
    }
    return expect(u, at, end, text);
}

static bool same_text(const struct erc_unit *u, uint32_t a, uint32_t b) {
    size_t x, y;
    const char *s = erc_token_text(u, a, &x), *t = erc_token_text(u, b, &y);
    return x == y && memcmp(s, t, x) == 0;
}

static bool loop_name(struct erc_unit *u, uint32_t *at, uint32_t end, uint32_t name) {
    if (*at < end && u->tokens.data[*at].kind == TOKEN_WORD &&
        (*at == name || same_text(u, *at, name))) {
        (*at)++;
        return true;
    }
    erc_error(u, *at < end ? *at : end - 1, "expected the name of the loop variable");
    return false;
}

/* for ( VAR = expr ; VAR REL expr ; VAR += expr ) */
static bool read_head(struct erc_unit *u, const struct erc_line *l, struct loop_head *h) {
    uint32_t at = l->first + 1, end = line_end(l);
    if (!expect(u, &at, end, "("))
        return false;
    h->name = at;
    if (!loop_name(u, &at, end, h->name) || !expect(u, &at, end, "="))
        return false;
    h->start = at;
    if (!skip_to(u, &at, end, ";"))
        return false;
    h->start_end = at++;
    if (!loop_name(u, &at, end, h->name))
        return false;
    h->relation = at++;
    h->limit = at;
    if (!skip_to(u, &at, end, ";"))
        return false;
    h->limit_end = at++;
    if (!loop_name(u, &at, end, h->name))
        return false;
    h->change = at++;
    h->step = at;
    h->end = at;
    if (!skip_to(u, &h->end, end, ")"))
        return false;
    if (h->end + 1 == end)
        return true;
    erc_error(u, h->end + 1, "something stands behind the ')' of 'for'");
    return false;
}

/* The whole of the tokens first..end is one expression. */
static bool whole(struct expander *x, uint32_t first, uint32_t end, int64_t *value) {
    uint32_t at = first;
    if (!erc_compute(x->u, &x->scope, &at, end, value))
        return false;
    if (at == end)
        return true;
    erc_error(x->u, at, "this does not belong to the expression before it");
    return false;
}

static bool holds(const struct erc_unit *u, uint32_t relation, int64_t a, int64_t b, bool *result) {
    static const char *const names[] = {"<", "<=", ">", ">=", "==", "!="};
    const bool results[] = {a<b, a <= b, a> b, a >= b, a == b, a != b};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (erc_token_is(u, relation, names[i])) {
            *result = results[i];
            return true;
        }
    return false;
}

/* False if the operator is none, or the result no number. */
static bool change(const struct erc_unit *u, uint32_t op, int64_t step, int64_t *value) {
    if (erc_token_is(u, op, "+="))
        return !__builtin_add_overflow(*value, step, value);
    if (erc_token_is(u, op, "-="))
        return !__builtin_sub_overflow(*value, step, value);
    if (erc_token_is(u, op, "*="))
        return !__builtin_mul_overflow(*value, step, value);
    if (step < 0 || step > 62)
        return false;
    if (erc_token_is(u, op, ">>="))
        *value >>= step;
    else if (erc_token_is(u, op, "<<="))
        return !__builtin_mul_overflow(*value, (int64_t)1 << step, value);
    else
        return false;
    return true;
}

/* The prototype runs the body once, and looks one further, not one step further, at the end. */
static uint64_t laps_there(const struct erc_unit *u, const struct loop_head *h, int64_t value,
                           int64_t limit, int64_t step, uint64_t most) {
    uint64_t laps = 1;
    bool again = true;
    while (laps <= most) {
        if (value == INT64_MAX || !holds(u, h->relation, value + 1, limit, &again) || !again)
            break;
        if (!change(u, h->change, step, &value))
            break;
        laps++;
    }
    return laps;
}

struct loop_values {
    int64_t value, limit, step;
    bool runs;
};

/* Limit and step may name the variable. */
static bool look(struct expander *x, const struct loop_head *h, size_t binding,
                 struct loop_values *v) {
    x->scope.bindings.data[binding].value = v->value;
    if (!whole(x, h->limit, h->limit_end, &v->limit) || !whole(x, h->step, h->end, &v->step))
        return false;
    if (holds(x->u, h->relation, v->value, v->limit, &v->runs))
        return true;
    erc_error(x->u, h->relation, "expected one of < <= > >= == !=");
    return false;
}

static bool next_lap(struct expander *x, const struct loop_head *h, struct loop_values *v) {
    int64_t before = v->value;
    if (!change(x->u, h->change, v->step, &v->value)) {
        erc_error(x->u, h->change, "expected += -= *= <<= >>= with a number that it can take");
        return false;
    }
    if (v->value != before)
        return true;
    erc_error(x->u, h->change, "the loop variable stays %lld for ever", (long long)before);
    return false;
}

static void expand_for(struct expander *x, uint32_t line) {
    struct erc_unit *u = x->u;
    const struct erc_line *l = &u->lines.data[line];
    struct loop_head h = {0};
    struct loop_values v = {0}, first;
    uint64_t laps = 0;
    if (!read_head(u, l, &h) || !whole(x, h.start, h.start_end, &v.value))
        return;
    size_t binding = x->scope.bindings.len;
    struct erc_binding b = {erc_token_name(u, h.name), v.value};
    vec_push(&x->scope.bindings, b);
    bool good = look(x, &h, binding, &v);
    for (first = v; good && v.runs && !too_many(u, line) && !diag_full(u->diag); laps++) {
        expand_lines(x, line + 1, l->mate);
        good = next_lap(x, &h, &v) && look(x, &h, binding, &v);
    }
    x->scope.bindings.len = binding;
    uint64_t there = laps_there(u, &h, first.value, first.limit, first.step, laps + 1);
    if (good && !u->too_long && there != laps)
        erc_warn(u, line, "this loop runs %llu times; the prototype unrolls it %s%llu times",
                 (unsigned long long)laps, there > laps + 1 ? "at least " : "",
                 (unsigned long long)there);
}

static struct erc_func *find_func(struct erc_unit *u, uint32_t token) {
    size_t size;
    const char *name = erc_token_text(u, token, &size);
    const uint64_t *index = map_get_n(&u->func_names, name, size);
    return index ? &u->funcs.data[*index] : NULL;
}

static void unknown_func(struct erc_unit *u, uint32_t token) {
    const char *names[64];
    size_t count = 0;
    for (; count < u->funcs.len && count < 64; count++)
        names[count] = u->funcs.data[count].name;
    const char *name = erc_token_name(u, token);
    if (erc_error(u, token, "no func has the name '%s'", name))
        diag_suggest(u->diag, erc_token_span(u, token), name, names, count);
}

/* Binds the parameters to the values of the call; false after reporting. */
static bool bind(struct expander *x, const struct erc_func *f, uint32_t at, uint32_t end) {
    struct erc_unit *u = x->u;
    size_t base = x->scope.bindings.len;
    uint32_t count = 0;
    while (at < end) {
        uint32_t comma = at;
        while (comma < end && !erc_token_is(u, comma, ","))
            comma++;
        struct erc_binding b = {"", 0};
        if (!whole(x, at, comma, &b.value))
            return false;
        vec_push(&x->scope.bindings, b);
        count++;
        at = comma + 1;
    }
    for (uint32_t i = 0; i < count && i < f->param_count; i++)
        x->scope.bindings.data[base + i].name = erc_token_name(u, f->first_param + 2 * i);
    return count == f->param_count;
}

static void expand_call(struct expander *x, uint32_t line) {
    struct erc_unit *u = x->u;
    const struct erc_line *l = &u->lines.data[line];
    struct erc_func *f = find_func(u, l->first);
    size_t base = x->scope.base, len = x->scope.bindings.len;
    uint32_t errors = diag_errors(u->diag);
    if (!f) {
        unknown_func(u, l->first);
        return;
    }
    if (!erc_token_is(u, line_end(l) - 1, ")")) {
        erc_error(u, l->first, "the call does not end with ')'");
        return;
    }
    if (f->open || u->calls == ERC_MAX_DEPTH) {
        erc_error(u, l->first, f->open ? "'%s' calls itself" : "calls are nested too deep at '%s'",
                  f->name);
        return;
    }
    /* Names of the caller count in the arguments, not in the body. */
    if (bind(x, f, l->first + 2, line_end(l) - 1)) {
        x->scope.base = len;
        f->open = true;
        u->calls++;
        expand_lines(x, f->line + 1, u->lines.data[f->line].mate);
        u->calls--;
        f->open = false;
    } else if (diag_errors(u->diag) == errors &&
               erc_error(u, l->first, "'%s' takes %u values, not %zu", f->name, f->param_count,
                         x->scope.bindings.len - len)) {
        diag_note(u->diag, erc_line_span(u, f->line), "it is defined here");
    }
    x->scope.base = base;
    x->scope.bindings.len = len;
}

static void expand_label(struct erc_unit *u, uint32_t line) {
    erc_push_item(u, ITEM_LABEL, line)->name = erc_token_name(u, u->lines.data[line].first);
}

static void expand_plain(struct erc_unit *u, uint32_t line, enum item_kind kind) {
    const struct erc_line *l = &u->lines.data[line];
    uint32_t count = l->count > 1 && erc_token_is(u, l->first + 1, ":") ? 2 : 1;
    if (l->count > count)
        erc_error(u, l->first + count, "nothing stands behind '%s'", erc_token_name(u, l->first));
    erc_push_item(u, kind, line);
}

/* Gives the line after it. */
static uint32_t expand_line(struct expander *x, uint32_t line) {
    struct erc_unit *u = x->u;
    const struct erc_line *l = &u->lines.data[line];
    if (u->options->assembly && l->kind != LINE_INSN && l->kind != LINE_LABEL)
        return line + 1; /* refused before */
    switch (l->kind) {
    case LINE_FOR:
        expand_for(x, line);
        return l->mate + 1;
    case LINE_FUNC:
        return l->mate + 1;
    case LINE_IF:
    case LINE_ELIF:
    case LINE_WHILE:
        erc_expand_condition(u, &x->scope, line);
        break;
    case LINE_ELSE:
        expand_plain(u, line, ITEM_ELSE);
        break;
    case LINE_ENDIF:
        expand_plain(u, line, ITEM_ENDIF);
        break;
    case LINE_ENDWHILE:
        expand_plain(u, line, ITEM_ENDWHILE);
        break;
    case LINE_LABEL:
        expand_label(u, line);
        break;
    case LINE_INSN:
        if (l->count > 1 && erc_token_is(u, l->first + 1, "(") && !u->options->assembly)
            expand_call(x, line);
        else
            erc_expand_insn(u, &x->scope, line);
        break;
    default:
        break;
    }
    return line + 1;
}

static void expand_lines(struct expander *x, uint32_t first, uint32_t last) {
    for (uint32_t i = first; i < last && !diag_full(x->u->diag) && !too_many(x->u, i);)
        i = expand_line(x, i);
}

void erc_expand(struct erc_unit *u) {
    struct expander x = {.u = u};
    expand_lines(&x, 0, (uint32_t)u->lines.len);
    erc_push_item(u, ITEM_END, u->lines.len ? (uint32_t)u->lines.len - 1 : 0);
    vec_free(&x.scope.bindings);
}
