/* SPDX-License-Identifier: MIT
 * Constant expressions: C's operators and precedence over integers that hold every i64 and u64.
 * A result outside of that range is an error, never a wrapped number. */
#include "asm/state.h"

#include <string.h>

static bool parse_binary(struct assembler *a, unsigned lowest, struct value *v);

static bool fail(struct assembler *a, const struct token *t, const char *text) {
    asm_error_token(a, t, "%s", text);
    return false;
}

static bool in_range(struct assembler *a, const struct token *at, wide v) {
    if (v >= WIDE_MIN && v <= WIDE_MAX)
        return true;
    return fail(a, at, "this leaves the range -2^63 .. 2^64 - 1");
}

static bool truth(bool b, wide *out) {
    *out = b;
    return true;
}

static bool multiply(struct assembler *a, const struct token *at, wide x, wide y, wide *out) {
    wide size = y < 0 ? -y : y;
    if (size && (x < 0 ? -x : x) > WIDE_MAX / size)
        return fail(a, at, "this leaves the range -2^63 .. 2^64 - 1");
    *out = x * y;
    return true;
}

static bool divide(struct assembler *a, const struct token *at, wide x, wide y, wide *out) {
    if (y == 0)
        return fail(a, at, "this divides by zero");
    *out = at->code == '/' ? x / y : x % y;
    return true;
}

/* Shifts by 64 and more leave 0, or the sign. */
static bool shift(struct assembler *a, const struct token *at, wide x, wide y, wide *out) {
    if (y < 0)
        return fail(a, at, "this shifts by a negative number");
    if (at->code == OP2('>', '>')) {
        *out = y > 64 ? (x < 0 ? -1 : 0) : x >> y;
        return true;
    }
    if (x == 0 || y > 64) {
        *out = 0;
        return x == 0 || fail(a, at, "this leaves the range -2^63 .. 2^64 - 1");
    }
    return multiply(a, at, x, (wide)1 << y, out);
}

/* Both are numbers. */
static bool combine(struct assembler *a, const struct token *at, wide x, wide y, wide *out) {
    switch (at->code) {
    case '+':
        *out = x + y;
        break;
    case '-':
        *out = x - y;
        break;
    case '*':
        return multiply(a, at, x, y, out);
    case '/':
    case '%':
        return divide(a, at, x, y, out);
    case OP2('<', '<'):
    case OP2('>', '>'):
        return shift(a, at, x, y, out);
    case '&':
        *out = x & y;
        break;
    case '|':
        *out = x | y;
        break;
    case '^':
        *out = x ^ y;
        break;
    case '<':
        return truth(x < y, out);
    case '>':
        return truth(x > y, out);
    case OP2('<', '='):
        return truth(x <= y, out);
    case OP2('>', '='):
        return truth(x >= y, out);
    case OP2('=', '='):
        return truth(x == y, out);
    case OP2('!', '='):
        return truth(x != y, out);
    case OP2('&', '&'):
        return truth(x && y, out);
    default:
        return truth(x || y, out);
    }
    return true;
}

/* Higher binds tighter; 0: not a binary operator. */
static unsigned precedence(uint16_t code) {
    switch (code) {
    case OP2('|', '|'):
        return 1;
    case OP2('&', '&'):
        return 2;
    case '|':
        return 3;
    case '^':
        return 4;
    case '&':
        return 5;
    case OP2('=', '='):
    case OP2('!', '='):
        return 6;
    case '<':
    case '>':
    case OP2('<', '='):
    case OP2('>', '='):
        return 7;
    case OP2('<', '<'):
    case OP2('>', '>'):
        return 8;
    case '+':
    case '-':
        return 9;
    case '*':
    case '/':
    case '%':
        return 10;
    default:
        return 0;
    }
}

/* Where a label stands, if that is known already. */
static bool bound(struct assembler *a, const struct value *v, wide *index) {
    uint32_t label, i;
    if (v->kind != VALUE_LABEL || !builder_find(a->b, v->label, &label) ||
        !builder_bound(a->b, label, &i))
        return false;
    *index = i + v->number;
    return true;
}

/* label + n, size + n, n + label, label - n, label - label. */
static bool combine_values(struct assembler *a, const struct token *at, struct value *x,
                           const struct value *y) {
    wide from, to;
    if (x->kind == VALUE_NUMBER && y->kind == VALUE_NUMBER)
        return combine(a, at, x->number, y->number, &x->number) && in_range(a, at, x->number);
    if (at->code == '-' && bound(a, x, &to) && bound(a, y, &from)) {
        *x = (struct value){VALUE_NUMBER, to - from, 0, NULL};
        return true;
    }
    bool plus = at->code == '+' && (x->kind == VALUE_NUMBER || y->kind == VALUE_NUMBER);
    if (!plus && !(at->code == '-' && y->kind == VALUE_NUMBER))
        return fail(a, at,
                    "labels and sizes are not known yet: a number may be added or "
                    "subtracted, no more");
    struct value sum = x->kind == VALUE_NUMBER ? *y : *x;
    sum.number = plus ? x->number + y->number : x->number - y->number;
    *x = sum;
    return in_range(a, at, x->number);
}

static bool parse_size_call(struct assembler *a, struct value *v) {
    if (!take_operator(a, '('))
        return fail(a, &a->token, "size(...) takes the name of a size in parentheses");
    struct token name = a->token;
    if (name.kind != TOKEN_NAME)
        return fail(a, &name, "size(...) takes the name of a size");
    const uint64_t *size = map_get_n(&a->size_names, token_text(a, &name), token_length(&name));
    if (!size) {
        asm_error_token(a, &name, "there is no size '%.*s'", (int)token_length(&name),
                        token_text(a, &name));
        asm_suggest(a, &name, &a->size_names);
        return false;
    }
    *v = (struct value){VALUE_SIZE, 0, (uint32_t)*size, NULL};
    scan(a);
    return take_operator(a, ')') || fail(a, &a->token, "expected ')'");
}

static bool parse_defined_call(struct assembler *a, struct value *v) {
    struct token name;
    if (!take_operator(a, '('))
        return fail(a, &a->token, "defined(...) takes a name in parentheses");
    if (!take_name(a, "a name", &name))
        return false;
    *v = (struct value){VALUE_NUMBER, name_defined(a, &name), 0, NULL};
    return take_operator(a, ')') || fail(a, &a->token, "expected ')'");
}

static bool parse_name(struct assembler *a, struct value *v) {
    struct token t = a->token;
    const char *text = token_text(a, &t);
    size_t length = token_length(&t);
    scan(a);
    if (length == 1 && text[0] == '.') {
        *v = (struct value){VALUE_NUMBER, (wide)a->o->text.len, 0, NULL};
        return true;
    }
    if (at_operator(a, '(') && length == 4 && memcmp(text, "size", 4) == 0)
        return parse_size_call(a, v);
    if (at_operator(a, '(') && length == 7 && memcmp(text, "defined", 7) == 0)
        return parse_defined_call(a, v);
    const uint64_t *constant = map_get_n(&a->constant_names, text, length);
    if (constant) {
        *v = (struct value){VALUE_NUMBER, a->constants.data[*constant].value, 0, NULL};
        return true;
    }
    *v = (struct value){VALUE_LABEL, 0, 0, label_name(a, text, length)};
    return strlen(v->label) <= OBJECT_MAX_NAME || fail(a, &t, "this name is too long");
}

static bool parse_parenthesis(struct assembler *a, struct value *v) {
    struct token open = a->token;
    scan(a);
    if (!parse_value(a, v))
        return false;
    if (take_operator(a, ')'))
        return true;
    asm_error_token(a, &a->token, "expected ')'");
    diag_note(a->d, asm_span(a, open.begin, open.end), "to match this '('");
    return false;
}

static bool unexpected(struct assembler *a, const struct token *t) {
    if (t->kind == TOKEN_END)
        return fail(a, t, "expected a number or a name");
    if (t->kind == TOKEN_STRING)
        return fail(a, t, "expected a number or a name, not a string");
    asm_error_token(a, t, "expected a number or a name, not '%.*s'", (int)token_length(t),
                    token_text(a, t));
    return false;
}

static bool parse_unary(struct assembler *a, struct value *v) {
    struct token op = a->token;
    switch (op.kind) {
    case TOKEN_NUMBER:
        *v = (struct value){VALUE_NUMBER, (wide)op.number, 0, NULL};
        scan(a);
        return true;
    case TOKEN_NAME:
        return parse_name(a, v);
    case TOKEN_OPERATOR:
        break;
    default:
        return unexpected(a, &op);
    }
    if (op.code == '(')
        return parse_parenthesis(a, v);
    if (op.code != '-' && op.code != '+' && op.code != '~' && op.code != '!')
        return unexpected(a, &op);
    scan(a);
    if (++a->expression_depth > MAX_EXPRESSION)
        return fail(a, &op, "this expression is nested too deep");
    bool ok = parse_unary(a, v);
    a->expression_depth--;
    if (!ok || (v->kind != VALUE_NUMBER && op.code != '+'))
        return ok && fail(a, &op,
                          "labels and sizes are not known yet: a number may be added or "
                          "subtracted, no more");
    v->number = op.code == '-'   ? -v->number
                : op.code == '~' ? ~v->number
                : op.code == '!' ? !v->number
                                 : v->number;
    return in_range(a, &op, v->number);
}

static bool parse_binary(struct assembler *a, unsigned lowest, struct value *v) {
    if (!parse_unary(a, v))
        return false;
    for (;;) {
        struct token op = a->token;
        unsigned p = op.kind == TOKEN_OPERATOR ? precedence(op.code) : 0;
        struct value right;
        if (p == 0 || p < lowest)
            return true;
        scan(a);
        if (!parse_binary(a, p + 1, &right) || !combine_values(a, &op, v, &right))
            return false;
    }
}

/* condition ? a : b, and below it the binary operators; both branches are checked. */
static bool parse_choice(struct assembler *a, struct value *v) {
    struct value yes, no;
    if (!parse_binary(a, 1, v) || !at_operator(a, '?'))
        return !a->failed;
    struct token mark = a->token;
    scan(a);
    if (v->kind != VALUE_NUMBER)
        return fail(a, &mark, "this condition is not known yet");
    if (!parse_value(a, &yes))
        return false;
    if (!take_operator(a, ':'))
        return fail(a, &a->token, "expected ':' and the other value");
    if (!parse_value(a, &no))
        return false;
    *v = v->number ? yes : no;
    return true;
}

bool parse_value(struct assembler *a, struct value *v) {
    if (++a->expression_depth > MAX_EXPRESSION)
        return fail(a, &a->token, "this expression is nested too deep");
    bool ok = parse_choice(a, v);
    a->expression_depth--;
    return ok;
}

/* A label that is used as a number must stand before. */
static bool label_number(struct assembler *a, struct value *v, size_t begin, size_t end) {
    wide index;
    if (bound(a, v, &index)) {
        *v = (struct value){VALUE_NUMBER, index, 0, NULL};
        return true;
    }
    asm_error(a, begin, end, "'%.*s' is not a constant that is known here", (int)(end - begin),
              a->in->text + begin);
    struct token t = {.begin = begin, .end = end};
    asm_suggest(a, &t, &a->constant_names);
    return false;
}

bool parse_number(struct assembler *a, wide *number) {
    struct value v;
    struct token first = a->token;
    if (!parse_value(a, &v))
        return false;
    size_t end = a->previous_end;
    if (v.kind == VALUE_SIZE) {
        asm_error(a, first.begin, end,
                  "a size is a link-time value: only LI, LIK1 to LIK5, REPEAT and the extents of "
                  "groups take it");
        return false;
    }
    if (v.kind == VALUE_LABEL && !label_number(a, &v, first.begin, end))
        return false;
    *number = v.number;
    return true;
}

bool name_defined(struct assembler *a, const struct token *name) {
    const char *text = token_text(a, name);
    size_t n = token_length(name);
    uint32_t label, index;
    return map_get_n(&a->constant_names, text, n) || map_get_n(&a->size_names, text, n) ||
           map_get_n(&a->group_names, text, n) || map_get_n(&a->variable_names, text, n) ||
           map_get_n(&a->macro_names, text, n) ||
           (builder_find(a->b, label_name(a, text, n), &label) &&
            builder_bound(a->b, label, &index));
}

static void format_wide(wide v, char out[24]) {
    if (v < 0)
        snprintf(out, 24, "%lld", (long long)v);
    else
        snprintf(out, 24, "%llu", (unsigned long long)v);
}

void report_out_of_range(struct assembler *a, const struct token *at, const char *what, wide v,
                         wide low, wide high) {
    char from[24], to[24], is[24];
    format_wide(low, from);
    format_wide(high, to);
    format_wide(v, is);
    asm_error_token(a, at, "%s is %s, but must be in %s..%s", what, is, from, to);
}

bool parse_number_in(struct assembler *a, const char *what, wide low, wide high, wide *v) {
    struct token first = a->token;
    if (!parse_number(a, v))
        return false;
    first.end = a->previous_end;
    if (*v < low || *v > high)
        report_out_of_range(a, &first, what, *v, low, high);
    return !a->failed;
}

void define_constant(struct assembler *a, const struct token *name, wide value, bool variable) {
    const char *text = token_text(a, name);
    size_t length = token_length(name);
    struct constant c = {.name = asm_keep(a, text, length),
                         .value = value,
                         .variable = variable,
                         .place = asm_place(a, name->begin),
                         .at = asm_kept_span(a, name->begin, name->end)};
    uint64_t *known = map_get_n(&a->constant_names, text, length);
    if (!known) {
        map_put_n(&a->constant_names, text, length, a->constants.len);
        vec_push(&a->constants, c);
        return;
    }
    struct constant *old = &a->constants.data[*known];
    if (!(variable && old->variable) && old->value != value) {
        diag_warning(a->d, W_MACRO_REDEFINED, c.at, "constant '%s' is defined again", c.name);
        if (old->at.source)
            diag_note(a->d, old->at, "it was first defined here");
    }
    *old = c;
}
