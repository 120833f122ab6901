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

static void expand_lines(struct expander *expander, uint32_t first, uint32_t last);

static bool too_many(struct erc_unit *unit, uint32_t line) {
    if (!unit->too_long && (++unit->steps > ERC_MAX_STEPS || unit->items.len > ERC_MAX_ITEMS))
        unit->too_long = erc_error(unit, unit->lines.data[line].first,
                                   "with all loops unrolled the program is too long: it reaches "
                                   "2^20 instructions here");
    return unit->too_long;
}

struct erc_item *erc_push_item(struct erc_unit *unit, enum item_kind kind, uint32_t line) {
    struct erc_item item = {.kind = (uint8_t)kind, .line = line, .target = NO_INDEX};
    vec_push(&unit->items, item);
    return &vec_last(&unit->items);
}

static uint32_t line_end(const struct erc_line *line) {
    return line->first + line->count;
}

static bool expect(struct erc_unit *unit, uint32_t *at, uint32_t end, const char *text) {
    if (*at < end && erc_token_is(unit, *at, text)) {
        (*at)++;
        return true;
    }
    erc_error(unit, *at < end ? *at : end - 1,
              *at < end ? "expected '%s'" : "expected '%s' behind this", text);
    return false;
}

/* Tokens up to `text` at the same depth of brackets; false after reporting that it is missing. */
static bool skip_to(struct erc_unit *unit, uint32_t *at, uint32_t end, const char *text) {
    uint32_t depth = 0;
    for (; *at < end; (*at)++) {
        if (depth == 0 && erc_token_is(unit, *at, text))
            return true;
        if (erc_token_is(unit, *at, "(") || erc_token_is(unit, *at, "["))
            depth++;
        if (depth && (erc_token_is(unit, *at, ")") || erc_token_is(unit, *at, "]")))
            depth--;
    }
    return expect(unit, at, end, text);
}

static bool same_text(const struct erc_unit *unit, uint32_t left, uint32_t right) {
    size_t x, y;
    const char *s = erc_token_text(unit, left, &x), *t = erc_token_text(unit, right, &y);
    return x == y && memcmp(s, t, x) == 0;
}

static bool loop_name(struct erc_unit *unit, uint32_t *at, uint32_t end, uint32_t name) {
    if (*at < end && unit->tokens.data[*at].kind == TOKEN_WORD &&
        (*at == name || same_text(unit, *at, name))) {
        (*at)++;
        return true;
    }
    erc_error(unit, *at < end ? *at : end - 1, "expected the name of the loop variable");
    return false;
}

/* for ( VAR = expr ; VAR REL expr ; VAR += expr ) */
static bool read_head(struct erc_unit *unit, const struct erc_line *line, struct loop_head *head) {
    uint32_t at = line->first + 1, end = line_end(line);
    if (!expect(unit, &at, end, "("))
        return false;
    head->name = at;
    if (!loop_name(unit, &at, end, head->name) || !expect(unit, &at, end, "="))
        return false;
    head->start = at;
    if (!skip_to(unit, &at, end, ";"))
        return false;
    head->start_end = at++;
    if (!loop_name(unit, &at, end, head->name))
        return false;
    head->relation = at++;
    head->limit = at;
    if (!skip_to(unit, &at, end, ";"))
        return false;
    head->limit_end = at++;
    if (!loop_name(unit, &at, end, head->name))
        return false;
    head->change = at++;
    head->step = at;
    head->end = at;
    if (!skip_to(unit, &head->end, end, ")"))
        return false;
    if (head->end + 1 == end)
        return true;
    erc_error(unit, head->end + 1, "something stands behind the ')' of 'for'");
    return false;
}

/* The whole of the tokens first..end is one expression. */
static bool whole(struct expander *expander, uint32_t first, uint32_t end, int64_t *value) {
    uint32_t at = first;
    if (!erc_compute(expander->u, &expander->scope, &at, end, value))
        return false;
    if (at == end)
        return true;
    erc_error(expander->u, at, "this does not belong to the expression before it");
    return false;
}

static bool holds(const struct erc_unit *unit, uint32_t relation, int64_t left, int64_t right,
                  bool *result) {
    static const char *const names[] = {"<", "<=", ">", ">=", "==", "!="};
    const bool results[] = {left<right, left <= right, left> right, left >= right, left == right,
                            left != right};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (erc_token_is(unit, relation, names[i])) {
            *result = results[i];
            return true;
        }
    return false;
}

/* False if the operator is none, or the result no number. */
static bool change(const struct erc_unit *unit, uint32_t op, int64_t step, int64_t *value) {
    if (erc_token_is(unit, op, "+="))
        return !__builtin_add_overflow(*value, step, value);
    if (erc_token_is(unit, op, "-="))
        return !__builtin_sub_overflow(*value, step, value);
    if (erc_token_is(unit, op, "*="))
        return !__builtin_mul_overflow(*value, step, value);
    if (step < 0 || step > 62)
        return false;
    if (erc_token_is(unit, op, ">>="))
        *value >>= step;
    else if (erc_token_is(unit, op, "<<="))
        return !__builtin_mul_overflow(*value, (int64_t)1 << step, value);
    else
        return false;
    return true;
}

/* The prototype runs the body once, and looks one further, not one step further, at the end. */
static uint64_t laps_there(const struct erc_unit *unit, const struct loop_head *head, int64_t value,
                           int64_t limit, int64_t step, uint64_t most) {
    uint64_t laps = 1;
    bool again = true;
    while (laps <= most) {
        if (value == INT64_MAX || !holds(unit, head->relation, value + 1, limit, &again) || !again)
            break;
        if (!change(unit, head->change, step, &value))
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
static bool look(struct expander *expander, const struct loop_head *head, size_t binding,
                 struct loop_values *values) {
    expander->scope.bindings.data[binding].value = values->value;
    if (!whole(expander, head->limit, head->limit_end, &values->limit) ||
        !whole(expander, head->step, head->end, &values->step))
        return false;
    if (holds(expander->u, head->relation, values->value, values->limit, &values->runs))
        return true;
    erc_error(expander->u, head->relation, "expected one of < <= > >= == !=");
    return false;
}

static bool names_variable(const struct erc_unit *unit, const struct loop_head *head,
                           uint32_t first, uint32_t end) {
    for (uint32_t t = first; t < end; t++)
        if (same_text(unit, t, head->name))
            return true;
    return false;
}

/* The same step in each lap leads away from the limit, or past it where it must be met. */
static bool never_ends(const struct erc_unit *unit, const struct loop_head *head,
                       const struct loop_values *values, int64_t before) {
    uint32_t relation = head->relation;
    bool adds = erc_token_is(unit, head->change, "+="), up = values->value > before;
    if ((!adds && !erc_token_is(unit, head->change, "-=")) ||
        names_variable(unit, head, head->limit, head->limit_end) ||
        names_variable(unit, head, head->step, head->end))
        return false;
    if (erc_token_is(unit, relation, "<") || erc_token_is(unit, relation, "<="))
        return !up;
    if (erc_token_is(unit, relation, ">") || erc_token_is(unit, relation, ">="))
        return up;
    int64_t way;
    return erc_token_is(unit, relation, "!=") &&
           !__builtin_sub_overflow(values->limit, before, &way) &&
           (up != (way > 0) || (values->step != -1 && way % values->step != 0));
}

static bool next_lap(struct expander *expander, const struct loop_head *head,
                     struct loop_values *values) {
    int64_t before = values->value;
    if (!change(expander->u, head->change, values->step, &values->value)) {
        erc_error(expander->u, head->change,
                  "expected += -= *= <<= >>= with a number that it can take");
        return false;
    }
    if (values->value == before)
        erc_error(expander->u, head->change, "the loop variable stays %lld for ever",
                  (long long)before);
    else if (never_ends(expander->u, head, values, before))
        erc_error(expander->u, head->change,
                  "the loop variable goes from %lld to %lld, and so never comes to the end of the "
                  "loop",
                  (long long)before, (long long)values->value);
    else
        return true;
    return false;
}

static void expand_for(struct expander *expander, uint32_t line) {
    struct erc_unit *u = expander->u;
    const struct erc_line *l = &u->lines.data[line];
    struct loop_head h = {0};
    struct loop_values v = {0}, first;
    uint64_t laps = 0;
    if (!read_head(u, l, &h) || !whole(expander, h.start, h.start_end, &v.value))
        return;
    size_t binding = expander->scope.bindings.len;
    struct erc_binding b = {erc_token_name(u, h.name), v.value};
    vec_push(&expander->scope.bindings, b);
    bool good = look(expander, &h, binding, &v);
    for (first = v; good && v.runs && !too_many(u, line) && !diag_full(u->diag); laps++) {
        expand_lines(expander, line + 1, l->mate);
        good = next_lap(expander, &h, &v) && look(expander, &h, binding, &v);
    }
    expander->scope.bindings.len = binding;
    uint64_t there = laps_there(u, &h, first.value, first.limit, first.step, laps + 1);
    if (good && !u->too_long && there != laps)
        erc_warn(u, line, "this loop runs %llu times; the prototype unrolls it %s%llu times",
                 (unsigned long long)laps, there > laps + 1 ? "at least " : "",
                 (unsigned long long)there);
}

static struct erc_func *find_func(struct erc_unit *unit, uint32_t token) {
    size_t size;
    const char *name = erc_token_text(unit, token, &size);
    const uint64_t *index = map_get_n(&unit->func_names, name, size);
    return index ? &unit->funcs.data[*index] : NULL;
}

static void unknown_func(struct erc_unit *unit, uint32_t token) {
    const char *names[64];
    size_t count = 0;
    for (; count < unit->funcs.len && count < 64; count++)
        names[count] = unit->funcs.data[count].name;
    const char *name = erc_token_name(unit, token);
    if (erc_error(unit, token, "no func has the name '%s'", name))
        diag_suggest(unit->diag, erc_token_span(unit, token), name, names, count);
}

/* Binds the parameters to the values of the call; false after reporting. */
static bool bind(struct expander *expander, const struct erc_func *func, uint32_t at,
                 uint32_t end) {
    struct erc_unit *u = expander->u;
    size_t base = expander->scope.bindings.len;
    uint32_t count = 0;
    while (at < end) {
        uint32_t comma = at;
        while (comma < end && !erc_token_is(u, comma, ","))
            comma++;
        struct erc_binding b = {"", 0};
        if (!whole(expander, at, comma, &b.value))
            return false;
        vec_push(&expander->scope.bindings, b);
        count++;
        at = comma + 1;
    }
    for (uint32_t i = 0; i < count && i < func->param_count; i++)
        expander->scope.bindings.data[base + i].name = erc_token_name(u, func->first_param + 2 * i);
    return count == func->param_count;
}

static void expand_call(struct expander *expander, uint32_t line) {
    struct erc_unit *u = expander->u;
    const struct erc_line *l = &u->lines.data[line];
    struct erc_func *f = find_func(u, l->first);
    size_t base = expander->scope.base, len = expander->scope.bindings.len;
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
    if (bind(expander, f, l->first + 2, line_end(l) - 1)) {
        expander->scope.base = len;
        f->open = true;
        u->calls++;
        expand_lines(expander, f->line + 1, u->lines.data[f->line].mate);
        u->calls--;
        f->open = false;
    } else if (diag_errors(u->diag) == errors &&
               erc_error(u, l->first, "'%s' takes %u values, not %zu", f->name, f->param_count,
                         expander->scope.bindings.len - len)) {
        diag_note(u->diag, erc_line_span(u, f->line), "it is defined here");
    }
    expander->scope.base = base;
    expander->scope.bindings.len = len;
}

static void expand_label(struct erc_unit *unit, uint32_t line) {
    erc_push_item(unit, ITEM_LABEL, line)->name =
        erc_token_name(unit, unit->lines.data[line].first);
}

static void expand_plain(struct erc_unit *unit, uint32_t line, enum item_kind kind) {
    const struct erc_line *l = &unit->lines.data[line];
    uint32_t count = l->count > 1 && erc_token_is(unit, l->first + 1, ":") ? 2 : 1;
    if (l->count > count)
        erc_error(unit, l->first + count, "nothing stands behind '%s'",
                  erc_token_name(unit, l->first));
    erc_push_item(unit, kind, line);
}

/* Gives the line after it. */
static uint32_t expand_line(struct expander *expander, uint32_t line) {
    struct erc_unit *u = expander->u;
    const struct erc_line *l = &u->lines.data[line];
    if (u->options->assembly && l->kind != LINE_INSN && l->kind != LINE_LABEL)
        return line + 1; /* refused before */
    switch (l->kind) {
    case LINE_FOR:
        expand_for(expander, line);
        return l->mate + 1;
    case LINE_FUNC:
        return l->mate + 1;
    case LINE_IF:
    case LINE_ELIF:
    case LINE_WHILE:
        erc_expand_condition(u, &expander->scope, line);
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
            expand_call(expander, line);
        else
            erc_expand_insn(u, &expander->scope, line);
        break;
    default:
        break;
    }
    return line + 1;
}

static void expand_lines(struct expander *expander, uint32_t first, uint32_t last) {
    for (uint32_t i = first;
         i < last && !diag_full(expander->u->diag) && !too_many(expander->u, i);)
        i = expand_line(expander, i);
}

void erc_expand(struct erc_unit *unit) {
    struct expander x = {.u = unit};
    expand_lines(&x, 0, (uint32_t)unit->lines.len);
    erc_push_item(unit, ITEM_END, unit->lines.len ? (uint32_t)unit->lines.len - 1 : 0);
    vec_free(&x.scope.bindings);
}
