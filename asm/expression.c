/* SPDX-License-Identifier: MIT
 * Constant expressions: C's operators and precedence over integers that hold every i64 and u64.
 * A result outside of that range is an error, never a wrapped number. */
#include "asm/assembler.h"

#include <string.h>

static bool parse_binary(struct assembler *assembler, unsigned lowest, struct asm_value *value);
static bool parse_nested(struct assembler *assembler, struct asm_value *value);

static bool fail(struct assembler *assembler, const struct asm_token *token, const char *text) {
    asm_error_token(assembler, token, "%s", text);
    return false;
}

/* The expression itself is no level. */
bool asm_enter_expression(struct assembler *assembler, const struct asm_token *at) {
    if (++assembler->expression_depth <= MAX_EXPRESSION + 1)
        return true;
    asm_error_token(assembler, at, "the expression is nested more than %d levels deep",
                    MAX_EXPRESSION);
    return false;
}

static struct asm_value number_value(wide x) {
    return (struct asm_value){.kind = VALUE_NUMBER, .number = x};
}

static bool in_range(struct assembler *assembler, const struct asm_token *at, wide value) {
    if (value >= WIDE_MIN && value <= WIDE_MAX)
        return true;
    return fail(assembler, at, "this leaves the range -2^63 .. 2^64 - 1");
}

void asm_say_no_more(struct assembler *assembler, const struct asm_token *name) {
    map_put_n(&assembler->said_wrong, asm_token_text(assembler, name), token_length(name), 1);
}

/* True, with the statement as one that was reported, of a name about which all is said. */
static bool was_said(struct assembler *assembler, const struct asm_token *name) {
    bool said =
        map_get_n(&assembler->said_wrong, asm_token_text(assembler, name), token_length(name));
    assembler->failed |= said;
    return said;
}

/* A label that does not stand before: a name that was mistyped, most of the time.  It is said once
 * of each. */
static bool fail_unknown(struct assembler *assembler, const struct asm_value *label) {
    struct asm_token t = {.begin = label->begin, .end = label->end};
    const char *text = asm_token_text(assembler, &t);
    if (was_said(assembler, &t))
        return false;
    asm_error_token(assembler, &t, "'%.*s' is not a %s that is known here", (int)token_length(&t),
                    text, assembler->bare_sizes ? "size and not a constant" : "constant");
    asm_suggest(assembler, &t,
                assembler->bare_sizes ? &assembler->size_names : &assembler->constant_names);
    asm_say_no_more(assembler, &t);
    return false;
}

static bool truth(bool b, wide *out) {
    *out = b;
    return true;
}

static bool multiply(struct assembler *assembler, const struct asm_token *at, wide left, wide right,
                     wide *out) {
    wide size = right < 0 ? -right : right;
    if (size && (left < 0 ? -left : left) > WIDE_MAX / size)
        return fail(assembler, at, "this leaves the range -2^63 .. 2^64 - 1");
    *out = left * right;
    return true;
}

static bool divide(struct assembler *assembler, const struct asm_token *at, wide left, wide right,
                   wide *out) {
    if (right == 0)
        return fail(assembler, at, "this divides by zero");
    *out = at->code == '/' ? left / right : left % right;
    return true;
}

/* Shifts by 64 and more leave 0, or the sign. */
static bool shift(struct assembler *assembler, const struct asm_token *at, wide left, wide right,
                  wide *out) {
    if (right < 0)
        return fail(assembler, at, "this shifts by a negative number");
    if (at->code == OP2('>', '>')) {
        *out = right > 64 ? (left < 0 ? -1 : 0) : left >> right;
        return true;
    }
    if (left == 0 || right > 64) {
        *out = 0;
        return left == 0 || fail(assembler, at, "this leaves the range -2^63 .. 2^64 - 1");
    }
    return multiply(assembler, at, left, (wide)1 << right, out);
}

/* Both are numbers. */
static bool combine(struct assembler *assembler, const struct asm_token *at, wide left, wide right,
                    wide *out) {
    switch (at->code) {
    case '+':
        *out = left + right;
        break;
    case '-':
        *out = left - right;
        break;
    case '*':
        return multiply(assembler, at, left, right, out);
    case '/':
    case '%':
        return divide(assembler, at, left, right, out);
    case OP2('<', '<'):
    case OP2('>', '>'):
        return shift(assembler, at, left, right, out);
    case '&':
        *out = left & right;
        break;
    case '|':
        *out = left | right;
        break;
    case '^':
        *out = left ^ right;
        break;
    case '<':
        return truth(left < right, out);
    case '>':
        return truth(left > right, out);
    case OP2('<', '='):
        return truth(left <= right, out);
    case OP2('>', '='):
        return truth(left >= right, out);
    case OP2('=', '='):
        return truth(left == right, out);
    case OP2('!', '='):
        return truth(left != right, out);
    case OP2('&', '&'):
        return truth(left && right, out);
    default:
        return truth(left || right, out);
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
static bool bound(struct assembler *assembler, const struct asm_value *value, wide *index) {
    uint32_t label, i;
    if (value->kind != VALUE_LABEL || !builder_find(assembler->b, value->label, &label) ||
        !builder_bound(assembler->b, label, &i))
        return false;
    *index = i + value->number;
    return true;
}

static bool is_size(const struct asm_value *value) {
    return value->kind == VALUE_SIZE || value->kind == VALUE_FORMULA;
}

static bool is_numeric(const struct asm_value *value) {
    return value->kind == VALUE_NUMBER || is_size(value);
}

/* A derived size of its own, and its place. */
static uint32_t derive(struct assembler *assembler, const struct asm_token *at, enum size_op op,
                       struct size_operand left, struct size_operand right) {
    asm_tell_builder(assembler, at->begin, at->end);
    return builder_derived(assembler->b, op, left, right);
}

bool asm_value_size(struct assembler *assembler, const struct asm_token *at,
                    const struct asm_value *value, uint32_t *size) {
    const wide most = (wide)OBJECT_MAX_EXTENT;
    *size = value->size;
    if (value->kind == VALUE_FORMULA) {
        *size = derive(assembler, at, value->op, value->left, value->right);
    } else if (value->number < -most || value->number > most) {
        return fail(assembler, at, "the number added to a size must be in -2^40..2^40");
    } else if (value->number) {
        *size = derive(assembler, at, DERIVE_ADD, (struct size_operand){value->size, 0},
                       (struct size_operand){NO_INDEX, (int64_t)value->number});
    }
    return true;
}

static bool size_operand(struct assembler *assembler, const struct asm_token *at,
                         const struct asm_value *value, struct size_operand *out) {
    const wide most = (wide)OBJECT_MAX_EXTENT;
    *out = (struct size_operand){NO_INDEX, 0};
    if (is_size(value))
        return asm_value_size(assembler, at, value, &out->size);
    if (value->number < -most || value->number > most)
        return fail(assembler, at, "numbers that sizes meet must be in -2^40..2^40");
    out->value = (int64_t)value->number;
    return true;
}

bool asm_combine_sizes(struct assembler *assembler, const struct asm_token *at, enum size_op op,
                       const struct asm_value *left, const struct asm_value *right,
                       struct asm_value *out) {
    struct asm_value formula = {.kind = VALUE_FORMULA, .op = op};
    if (!size_operand(assembler, at, left, &formula.left) ||
        !size_operand(assembler, at, right, &formula.right))
        return false;
    if (op == DERIVE_DIV && formula.right.size == NO_INDEX && formula.right.value == 0)
        return fail(assembler, at, "this divides by zero");
    *out = formula;
    return true;
}

void asm_size_formula(struct assembler *assembler, const struct asm_token *at,
                      const struct asm_value *value, struct size_decl *out) {
    struct asm_value size = {.kind = VALUE_SIZE, .size = value->size}, sum = *value;
    struct asm_value added = number_value(value->number);
    if (value->kind != VALUE_FORMULA &&
        !asm_combine_sizes(assembler, at, DERIVE_ADD, &size, &added, &sum))
        return;
    out->op = sum.op;
    out->left = sum.left;
    out->right = sum.right;
}

/* What the linker works out of sizes; SIZE_GIVEN: nothing. */
static enum size_op size_operator(uint16_t code) {
    switch (code) {
    case '+':
        return DERIVE_ADD;
    case '-':
        return DERIVE_SUB;
    case '*':
        return DERIVE_MUL;
    case '/':
        return DERIVE_DIV;
    default:
        return SIZE_GIVEN;
    }
}

/* A number, or a label that stands before. */
static bool is_known(struct assembler *assembler, const struct asm_value *value, wide *number) {
    *number = value->number;
    return value->kind == VALUE_NUMBER || bound(assembler, value, number);
}

static bool combine_numbers(struct assembler *assembler, const struct asm_token *at, wide left,
                            wide right, struct asm_value *out) {
    *out = number_value(0);
    return combine(assembler, at, left, right, &out->number) &&
           in_range(assembler, at, out->number);
}

/* label + n, size + n, n + label, label - n, label - label, and sizes as the linker has them. */
static bool combine_values(struct assembler *assembler, const struct asm_token *at,
                           struct asm_value *left, const struct asm_value *right) {
    wide from, to;
    if (assembler->idle) {
        *left = number_value(0);
        return true;
    }
    if (left->kind == VALUE_ELEMENT || right->kind == VALUE_ELEMENT)
        return fail(assembler, at, "a link-time value stands alone");
    if (left->kind == VALUE_NUMBER && right->kind == VALUE_NUMBER)
        return combine_numbers(assembler, at, left->number, right->number, left);
    if (at->code == '-' && bound(assembler, left, &to) && bound(assembler, right, &from)) {
        *left = number_value(to - from);
        return true;
    }
    bool plus = at->code == '+' && (left->kind == VALUE_NUMBER || right->kind == VALUE_NUMBER);
    bool offset = plus || (at->code == '-' && right->kind == VALUE_NUMBER);
    if (offset && left->kind != VALUE_FORMULA && right->kind != VALUE_FORMULA) {
        struct asm_value sum = left->kind == VALUE_NUMBER ? *right : *left;
        sum.number = plus ? left->number + right->number : left->number - right->number;
        *left = sum;
        return in_range(assembler, at, left->number);
    }
    if (is_known(assembler, left, &to) && is_known(assembler, right, &from))
        return combine_numbers(assembler, at, to, from, left);
    if (left->kind == VALUE_LABEL && !bound(assembler, left, &to))
        return fail_unknown(assembler, left);
    if (right->kind == VALUE_LABEL && !bound(assembler, right, &from))
        return fail_unknown(assembler, right);
    if (left->kind == VALUE_LABEL || right->kind == VALUE_LABEL)
        return fail(assembler, at, "labels and sizes are not put together");
    if (size_operator(at->code) == SIZE_GIVEN)
        return fail(assembler, at,
                    "sizes are not known yet: of them the linker takes + - * / min and max alone");
    return asm_combine_sizes(assembler, at, size_operator(at->code), left, right, left);
}

static bool expect_close(struct assembler *assembler) {
    return asm_take_operator(assembler, ')') || fail(assembler, &assembler->token, "expected ')'");
}

/* A size by its name, or any formula of sizes. */
static bool parse_size_call(struct assembler *assembler, struct asm_value *value) {
    if (!asm_take_operator(assembler, '('))
        return fail(assembler, &assembler->token,
                    "size(...) takes the name of a size in parentheses");
    struct asm_token name = assembler->token;
    if (!asm_parse_formula(assembler, value))
        return false;
    if (assembler->idle)
        return expect_close(assembler);
    if (value->kind == VALUE_LABEL) {
        asm_error_token(assembler, &name, "there is no size '%.*s'", (int)token_length(&name),
                        asm_token_text(assembler, &name));
        asm_suggest(assembler, &name, &assembler->size_names);
        return false;
    }
    return (is_size(value) ||
            fail(assembler, &name, "size(...) takes the name of a size, or a formula of sizes")) &&
           expect_close(assembler);
}

/* min(x, y) or max(x, y), of numbers or of sizes. */
static bool parse_extreme_call(struct assembler *assembler, enum size_op op,
                               struct asm_value *value) {
    struct asm_token open = assembler->token;
    struct asm_value x, y;
    if (!asm_take_operator(assembler, '(') || !parse_nested(assembler, &x))
        return false;
    if (!asm_take_operator(assembler, ','))
        return fail(assembler, &assembler->token, "expected ',': min and max take two values");
    if (!parse_nested(assembler, &y) || !expect_close(assembler))
        return false;
    if (assembler->idle) {
        *value = number_value(0);
        return true;
    }
    if (!is_numeric(&x) || !is_numeric(&y))
        return fail(assembler, &open, "min and max take numbers and sizes");
    if (is_size(&x) || is_size(&y))
        return asm_combine_sizes(assembler, &open, op, &x, &y, value);
    bool first = op == DERIVE_MIN ? x.number < y.number : x.number > y.number;
    *value = first ? x : y;
    return true;
}

static bool parse_defined_call(struct assembler *assembler, struct asm_value *value) {
    struct asm_token name;
    if (!asm_take_operator(assembler, '('))
        return fail(assembler, &assembler->token, "defined(...) takes a name in parentheses");
    if (!asm_take_name(assembler, "a name", &name))
        return false;
    *value = number_value(asm_name_defined(assembler, &name));
    return asm_take_operator(assembler, ')') || fail(assembler, &assembler->token, "expected ')'");
}

/* value(k[1, 2]) that does not count: there may be no k. */
static bool pass_value_call(struct assembler *assembler, struct asm_value *value) {
    struct asm_token name;
    asm_scan(assembler);
    if (!asm_take_name(assembler, "the name of a link-time value", &name))
        return false;
    if (asm_take_operator(assembler, '[')) {
        do
            if (!parse_nested(assembler, value))
                return false;
        while (asm_take_operator(assembler, ','));
        if (!asm_expect_char(assembler, ']'))
            return false;
    }
    *value = number_value(0);
    return expect_close(assembler);
}

static bool parse_value_call(struct assembler *assembler, struct asm_value *value) {
    return assembler->idle ? pass_value_call(assembler, value)
                           : asm_parse_value_call(assembler, value);
}

/* A size, a constant or a label. */
static bool look_up(struct assembler *assembler, const struct asm_token *at,
                    struct asm_value *value) {
    const char *text = asm_token_text(assembler, at);
    size_t length = token_length(at);
    const uint64_t *size =
        assembler->bare_sizes ? map_get_n(&assembler->size_names, text, length) : NULL;
    const uint64_t *constant = map_get_n(&assembler->constant_names, text, length);
    wide index;
    *value = number_value(0);
    if (assembler->idle)
        return true;
    if (size) {
        *value = (struct asm_value){.kind = VALUE_SIZE, .size = (uint32_t)*size};
        return true;
    }
    if (constant) {
        value->number = assembler->constants.data[*constant].value;
        return true;
    }
    *value = (struct asm_value){.kind = VALUE_LABEL,
                                .label = asm_label_name(assembler, text, length),
                                .begin = at->begin,
                                .end = at->end};
    if (!bound(assembler, value, &index) && was_said(assembler, at))
        return false;
    return strlen(value->label) <= OBJECT_MAX_NAME || fail(assembler, at, "this name is too long");
}

static bool parse_name(struct assembler *assembler, struct asm_value *value) {
    struct asm_token t = assembler->token;
    const char *text = asm_token_text(assembler, &t);
    size_t length = token_length(&t);
    asm_scan(assembler);
    if (length == 1 && text[0] == '.') {
        *value = number_value((wide)assembler->o->text.len);
        return true;
    }
    if (asm_at_operator(assembler, '(') && length == 4 && memcmp(text, "size", 4) == 0)
        return parse_size_call(assembler, value);
    if (asm_at_operator(assembler, '(') && length == 5 && memcmp(text, "value", 5) == 0)
        return parse_value_call(assembler, value);
    if (asm_at_operator(assembler, '(') && length == 3 && memcmp(text, "min", 3) == 0)
        return parse_extreme_call(assembler, DERIVE_MIN, value);
    if (asm_at_operator(assembler, '(') && length == 3 && memcmp(text, "max", 3) == 0)
        return parse_extreme_call(assembler, DERIVE_MAX, value);
    if (asm_at_operator(assembler, '(') && length == 7 && memcmp(text, "defined", 7) == 0)
        return parse_defined_call(assembler, value);
    return look_up(assembler, &t, value);
}

static bool parse_parenthesis(struct assembler *assembler, struct asm_value *value) {
    struct asm_token open = assembler->token;
    asm_scan(assembler);
    if (!parse_nested(assembler, value))
        return false;
    if (asm_take_operator(assembler, ')'))
        return true;
    asm_error_token(assembler, &assembler->token, "expected ')'");
    diag_note(assembler->d, asm_span(assembler, open.begin, open.end), "to match this '('");
    return false;
}

/* A whole number that only floating point has. */
static bool is_long(const struct assembler *assembler, const struct asm_token *token) {
    const char *text = asm_token_text(assembler, token);
    size_t n = token_length(token);
    bool hexadecimal = n > 2 && (text[1] | 0x20) == 'x';
    const char *digits = hexadecimal ? "0123456789abcdefABCDEFxX" : "0123456789";
    bool whole = token->kind == TOKEN_REAL;
    for (size_t i = 0; i < n && whole; i++) /* the text need not end behind the token */
        whole = text[i] && strchr(digits, text[i]);
    return whole;
}

static bool unexpected(struct assembler *assembler, const struct asm_token *token) {
    if (token->kind == TOKEN_END)
        return fail(assembler, token, "expected a number or a name");
    if (token->kind == TOKEN_STRING)
        return fail(assembler, token, "expected a number or a name, not a string");
    if (is_long(assembler, token))
        return fail(assembler, token, "this is not a number of up to 64 bits");
    asm_error_token(assembler, token, "expected a number or a name, not '%.*s'",
                    (int)token_length(token), asm_token_text(assembler, token));
    return false;
}

static bool parse_unary(struct assembler *assembler, struct asm_value *value) {
    struct asm_token op = assembler->token;
    switch (op.kind) {
    case TOKEN_NUMBER:
        *value = number_value((wide)op.number);
        asm_scan(assembler);
        return true;
    case TOKEN_NAME:
        return parse_name(assembler, value);
    case TOKEN_OPERATOR:
        break;
    default:
        return unexpected(assembler, &op);
    }
    if (op.code == '(')
        return parse_parenthesis(assembler, value);
    if (op.code != '-' && op.code != '+' && op.code != '~' && op.code != '!')
        return unexpected(assembler, &op);
    asm_scan(assembler);
    if (!asm_enter_expression(assembler, &op))
        return false;
    bool ok = parse_unary(assembler, value);
    assembler->expression_depth--;
    if (!ok || op.code == '+' || assembler->idle)
        return ok;
    wide known;
    if (is_known(assembler, value, &known))
        *value = number_value(known);
    if (value->kind == VALUE_LABEL)
        return fail_unknown(assembler, value);
    if (op.code == '-' && is_size(value)) {
        struct asm_value zero = number_value(0);
        return asm_combine_sizes(assembler, &op, DERIVE_SUB, &zero, value, value);
    }
    if (value->kind != VALUE_NUMBER)
        return fail(assembler, &op, "sizes and link-time values are not known yet");
    value->number = op.code == '-'   ? -value->number
                    : op.code == '~' ? ~value->number
                                     : !value->number;
    return in_range(assembler, &op, value->number);
}

/* Whether the left side of && or || says it all. */
static bool decides(struct assembler *assembler, const struct asm_token *op,
                    const struct asm_value *left) {
    wide number;
    bool all = op->code == OP2('&', '&'), any = op->code == OP2('|', '|');
    return (all || any) && is_known(assembler, left, &number) && (number != 0) == any;
}

/* The operand on the right of `op`, and what it makes with the left one. */
static bool parse_right(struct assembler *assembler, const struct asm_token *op, unsigned lowest,
                        struct asm_value *value) {
    struct asm_value right;
    bool decided = decides(assembler, op, value);
    assembler->idle += decided;
    bool ok = parse_binary(assembler, lowest, &right);
    assembler->idle -= decided;
    if (!ok || !decided)
        return ok && combine_values(assembler, op, value, &right);
    *value = number_value(op->code == OP2('|', '|'));
    return true;
}

static bool parse_binary(struct assembler *assembler, unsigned lowest, struct asm_value *value) {
    if (!parse_unary(assembler, value))
        return false;
    for (;;) {
        struct asm_token op = assembler->token;
        unsigned p = op.kind == TOKEN_OPERATOR ? precedence(op.code) : 0;
        if (p == 0 || p < lowest)
            return true;
        asm_scan(assembler);
        if (!parse_right(assembler, &op, p + 1, value))
            return false;
    }
}

static bool parse_branch(struct assembler *assembler, bool counts, struct asm_value *value) {
    assembler->idle += !counts;
    bool ok = parse_nested(assembler, value);
    assembler->idle -= !counts;
    return ok;
}

/* condition ? a : b, and below it the binary operators. */
static bool parse_choice(struct assembler *assembler, struct asm_value *value) {
    struct asm_value yes, no;
    wide holds;
    if (!parse_binary(assembler, 1, value) || !asm_at_operator(assembler, '?'))
        return !assembler->failed;
    struct asm_token mark = assembler->token;
    asm_scan(assembler);
    if (!is_known(assembler, value, &holds))
        return value->kind == VALUE_LABEL
                   ? fail_unknown(assembler, value)
                   : fail(assembler, &mark, "this condition is not known yet");
    if (!parse_branch(assembler, holds != 0, &yes))
        return false;
    if (!asm_take_operator(assembler, ':'))
        return fail(assembler, &assembler->token, "expected ':' and the other value");
    if (!parse_branch(assembler, holds == 0, &no))
        return false;
    *value = holds ? yes : no;
    return true;
}

static bool parse_nested(struct assembler *assembler, struct asm_value *value) {
    if (!asm_enter_expression(assembler, &assembler->token))
        return false;
    bool ok = parse_choice(assembler, value);
    assembler->expression_depth--;
    return ok;
}

bool asm_parse_value(struct assembler *assembler, struct asm_value *value) {
    struct asm_token first = assembler->token;
    if (!parse_nested(assembler, value))
        return false;
    if (value->kind != VALUE_FORMULA)
        return true;
    struct asm_value size = {.kind = VALUE_SIZE};
    bool ok = asm_value_size(assembler, &first, value, &size.size);
    *value = size;
    return ok;
}

bool asm_parse_formula(struct assembler *assembler, struct asm_value *value) {
    bool before = assembler->bare_sizes;
    assembler->bare_sizes = true;
    bool ok = parse_nested(assembler, value);
    assembler->bare_sizes = before;
    return ok;
}

bool asm_label_number(struct assembler *assembler, struct asm_value *value) {
    wide index;
    if (!bound(assembler, value, &index))
        return fail_unknown(assembler, value);
    *value = number_value(index);
    return true;
}

bool asm_parse_number(struct assembler *assembler, wide *number) {
    struct asm_value v;
    struct asm_token first = assembler->token;
    if (!asm_parse_value(assembler, &v))
        return false;
    size_t end = assembler->previous_end;
    if (v.kind == VALUE_SIZE) {
        asm_error(assembler, first.begin, end,
                  "a size is a link-time value: only LI, LIK1 to LIK5, REPEAT and the extents of "
                  "groups take it");
        return false;
    }
    if (v.kind == VALUE_ELEMENT) {
        asm_error(assembler, first.begin, end,
                  "only LI, LIK1 to LIK5 and .lut take a link-time value");
        return false;
    }
    if (v.kind == VALUE_LABEL && !asm_label_number(assembler, &v))
        return false;
    *number = v.number;
    return true;
}

bool asm_name_defined(struct assembler *assembler, const struct asm_token *name) {
    const char *text = asm_token_text(assembler, name);
    size_t n = token_length(name);
    uint32_t label, index;
    return map_get_n(&assembler->constant_names, text, n) ||
           map_get_n(&assembler->size_names, text, n) ||
           map_get_n(&assembler->value_names, text, n) ||
           map_get_n(&assembler->lut_names, text, n) ||
           map_get_n(&assembler->product_names, text, n) ||
           map_get_n(&assembler->group_names, text, n) ||
           map_get_n(&assembler->variable_names, text, n) ||
           map_get_n(&assembler->macro_names, text, n) ||
           (builder_find(assembler->b, asm_label_name(assembler, text, n), &label) &&
            builder_bound(assembler->b, label, &index));
}

static void format_wide(wide value, char out[24]) {
    if (value < 0)
        snprintf(out, 24, "%lld", (long long)value);
    else
        snprintf(out, 24, "%llu", (unsigned long long)value);
}

void asm_report_out_of_range(struct assembler *assembler, const struct asm_token *at,
                             const char *what, wide value, wide low, wide high) {
    char from[24], to[24], is[24];
    format_wide(low, from);
    format_wide(high, to);
    format_wide(value, is);
    asm_error_token(assembler, at, "%s is %s, but must be in %s..%s", what, is, from, to);
}

bool asm_parse_number_in(struct assembler *assembler, const char *what, wide low, wide high,
                         wide *v) {
    struct asm_token first = assembler->token;
    if (!asm_parse_number(assembler, v))
        return false;
    first.end = assembler->previous_end;
    if (*v < low || *v > high)
        asm_report_out_of_range(assembler, &first, what, *v, low, high);
    return !assembler->failed;
}

void asm_define_constant(struct assembler *assembler, const struct asm_token *name, wide value,
                         bool variable) {
    const char *text = asm_token_text(assembler, name);
    size_t length = token_length(name);
    struct asm_constant c = {.name = asm_keep(assembler, text, length),
                             .value = value,
                             .variable = variable,
                             .place = asm_place(assembler, name->begin),
                             .at = asm_kept_span(assembler, name->begin, name->end)};
    uint64_t *known = map_get_n(&assembler->constant_names, text, length);
    if (!known) {
        map_put_n(&assembler->constant_names, text, length, assembler->constants.len);
        vec_push(&assembler->constants, c);
        return;
    }
    struct asm_constant *old = &assembler->constants.data[*known];
    if (!(variable && old->variable) && old->value != value) {
        diag_warning(assembler->d, W_MACRO_REDEFINED, c.at, "constant '%s' is defined again",
                     c.name);
        if (old->at.source)
            diag_note(assembler->d, old->at, "it was first defined here");
    }
    *old = c;
}
