/* SPDX-License-Identifier: MIT
 * Constant expressions: C's operators and precedence over integers that hold every i64 and u64.
 * A result outside of that range is an error, never a wrapped number. */
#include "asm/assembler.h"

#include <string.h>

static bool parse_binary(struct assembler *a, unsigned lowest, struct asm_value *v);
static bool parse_nested(struct assembler *a, struct asm_value *v);

static bool fail(struct assembler *a, const struct asm_token *t, const char *text) {
    asm_error_token(a, t, "%s", text);
    return false;
}

static struct asm_value number_value(wide x) {
    return (struct asm_value){.kind = VALUE_NUMBER, .number = x};
}

static bool in_range(struct assembler *a, const struct asm_token *at, wide v) {
    if (v >= WIDE_MIN && v <= WIDE_MAX)
        return true;
    return fail(a, at, "this leaves the range -2^63 .. 2^64 - 1");
}

static bool truth(bool b, wide *out) {
    *out = b;
    return true;
}

static bool multiply(struct assembler *a, const struct asm_token *at, wide x, wide y, wide *out) {
    wide size = y < 0 ? -y : y;
    if (size && (x < 0 ? -x : x) > WIDE_MAX / size)
        return fail(a, at, "this leaves the range -2^63 .. 2^64 - 1");
    *out = x * y;
    return true;
}

static bool divide(struct assembler *a, const struct asm_token *at, wide x, wide y, wide *out) {
    if (y == 0)
        return fail(a, at, "this divides by zero");
    *out = at->code == '/' ? x / y : x % y;
    return true;
}

/* Shifts by 64 and more leave 0, or the sign. */
static bool shift(struct assembler *a, const struct asm_token *at, wide x, wide y, wide *out) {
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
static bool combine(struct assembler *a, const struct asm_token *at, wide x, wide y, wide *out) {
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
static bool bound(struct assembler *a, const struct asm_value *v, wide *index) {
    uint32_t label, i;
    if (v->kind != VALUE_LABEL || !builder_find(a->b, v->label, &label) ||
        !builder_bound(a->b, label, &i))
        return false;
    *index = i + v->number;
    return true;
}

static bool is_size(const struct asm_value *v) {
    return v->kind == VALUE_SIZE || v->kind == VALUE_FORMULA;
}

static bool is_numeric(const struct asm_value *v) {
    return v->kind == VALUE_NUMBER || is_size(v);
}

/* A derived size of its own, and its place. */
static uint32_t derive(struct assembler *a, const struct asm_token *at, enum size_op op,
                       struct size_operand left, struct size_operand right) {
    asm_tell_builder(a, at->begin, at->end);
    return builder_derived(a->b, op, left, right);
}

bool asm_value_size(struct assembler *a, const struct asm_token *at, const struct asm_value *v,
                    uint32_t *size) {
    const wide most = (wide)OBJECT_MAX_EXTENT;
    *size = v->size;
    if (v->kind == VALUE_FORMULA) {
        *size = derive(a, at, v->op, v->left, v->right);
    } else if (v->number < -most || v->number > most) {
        return fail(a, at, "the number added to a size must be in -2^40..2^40");
    } else if (v->number) {
        *size = derive(a, at, DERIVE_ADD, (struct size_operand){v->size, 0},
                       (struct size_operand){NO_INDEX, (int64_t)v->number});
    }
    return true;
}

static bool size_operand(struct assembler *a, const struct asm_token *at, const struct asm_value *v,
                         struct size_operand *out) {
    const wide most = (wide)OBJECT_MAX_EXTENT;
    *out = (struct size_operand){NO_INDEX, 0};
    if (is_size(v))
        return asm_value_size(a, at, v, &out->size);
    if (v->number < -most || v->number > most)
        return fail(a, at, "numbers that sizes meet must be in -2^40..2^40");
    out->value = (int64_t)v->number;
    return true;
}

bool asm_combine_sizes(struct assembler *a, const struct asm_token *at, enum size_op op,
                       const struct asm_value *x, const struct asm_value *y,
                       struct asm_value *out) {
    struct asm_value formula = {.kind = VALUE_FORMULA, .op = op};
    if (!size_operand(a, at, x, &formula.left) || !size_operand(a, at, y, &formula.right))
        return false;
    if (op == DERIVE_DIV && formula.right.size == NO_INDEX && formula.right.value == 0)
        return fail(a, at, "this divides by zero");
    *out = formula;
    return true;
}

void asm_size_formula(struct assembler *a, const struct asm_token *at, const struct asm_value *v,
                      struct size_decl *out) {
    struct asm_value size = {.kind = VALUE_SIZE, .size = v->size}, sum = *v;
    struct asm_value added = number_value(v->number);
    if (v->kind != VALUE_FORMULA && !asm_combine_sizes(a, at, DERIVE_ADD, &size, &added, &sum))
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

/* label + n, size + n, n + label, label - n, label - label, and sizes as the linker has them. */
static bool combine_values(struct assembler *a, const struct asm_token *at, struct asm_value *x,
                           const struct asm_value *y) {
    wide from, to;
    if (x->kind == VALUE_ELEMENT || y->kind == VALUE_ELEMENT)
        return fail(a, at, "a link-time value stands alone");
    if (x->kind == VALUE_NUMBER && y->kind == VALUE_NUMBER)
        return combine(a, at, x->number, y->number, &x->number) && in_range(a, at, x->number);
    if (at->code == '-' && bound(a, x, &to) && bound(a, y, &from)) {
        *x = number_value(to - from);
        return true;
    }
    bool plus = at->code == '+' && (x->kind == VALUE_NUMBER || y->kind == VALUE_NUMBER);
    bool offset = plus || (at->code == '-' && y->kind == VALUE_NUMBER);
    if (offset && x->kind != VALUE_FORMULA && y->kind != VALUE_FORMULA) {
        struct asm_value sum = x->kind == VALUE_NUMBER ? *y : *x;
        sum.number = plus ? x->number + y->number : x->number - y->number;
        *x = sum;
        return in_range(a, at, x->number);
    }
    if (x->kind == VALUE_LABEL || y->kind == VALUE_LABEL)
        return fail(a, at,
                    "labels are not known yet: a number may be added or subtracted, no more");
    if (size_operator(at->code) == SIZE_GIVEN)
        return fail(a, at,
                    "sizes are not known yet: of them the linker takes + - * / min and max alone");
    return asm_combine_sizes(a, at, size_operator(at->code), x, y, x);
}

static bool expect_close(struct assembler *a) {
    return asm_take_operator(a, ')') || fail(a, &a->token, "expected ')'");
}

/* A size by its name, or any formula of sizes. */
static bool parse_size_call(struct assembler *a, struct asm_value *v) {
    if (!asm_take_operator(a, '('))
        return fail(a, &a->token, "size(...) takes the name of a size in parentheses");
    struct asm_token name = a->token;
    if (!asm_parse_formula(a, v))
        return false;
    if (v->kind == VALUE_LABEL) {
        asm_error_token(a, &name, "there is no size '%.*s'", (int)token_length(&name),
                        asm_token_text(a, &name));
        asm_suggest(a, &name, &a->size_names);
        return false;
    }
    return (is_size(v) ||
            fail(a, &name, "size(...) takes the name of a size, or a formula of sizes")) &&
           expect_close(a);
}

/* min(x, y) or max(x, y), of numbers or of sizes. */
static bool parse_extreme_call(struct assembler *a, enum size_op op, struct asm_value *v) {
    struct asm_token open = a->token;
    struct asm_value x, y;
    if (!asm_take_operator(a, '(') || !parse_nested(a, &x))
        return false;
    if (!asm_take_operator(a, ','))
        return fail(a, &a->token, "expected ',': min and max take two values");
    if (!parse_nested(a, &y) || !expect_close(a))
        return false;
    if (!is_numeric(&x) || !is_numeric(&y))
        return fail(a, &open, "min and max take numbers and sizes");
    if (is_size(&x) || is_size(&y))
        return asm_combine_sizes(a, &open, op, &x, &y, v);
    bool first = op == DERIVE_MIN ? x.number < y.number : x.number > y.number;
    *v = first ? x : y;
    return true;
}

static bool parse_defined_call(struct assembler *a, struct asm_value *v) {
    struct asm_token name;
    if (!asm_take_operator(a, '('))
        return fail(a, &a->token, "defined(...) takes a name in parentheses");
    if (!asm_take_name(a, "a name", &name))
        return false;
    *v = number_value(asm_name_defined(a, &name));
    return asm_take_operator(a, ')') || fail(a, &a->token, "expected ')'");
}

static bool parse_name(struct assembler *a, struct asm_value *v) {
    struct asm_token t = a->token;
    const char *text = asm_token_text(a, &t);
    size_t length = token_length(&t);
    asm_scan(a);
    if (length == 1 && text[0] == '.') {
        *v = number_value((wide)a->o->text.len);
        return true;
    }
    if (asm_at_operator(a, '(') && length == 4 && memcmp(text, "size", 4) == 0)
        return parse_size_call(a, v);
    if (asm_at_operator(a, '(') && length == 5 && memcmp(text, "value", 5) == 0)
        return asm_parse_value_call(a, v);
    if (asm_at_operator(a, '(') && length == 3 && memcmp(text, "min", 3) == 0)
        return parse_extreme_call(a, DERIVE_MIN, v);
    if (asm_at_operator(a, '(') && length == 3 && memcmp(text, "max", 3) == 0)
        return parse_extreme_call(a, DERIVE_MAX, v);
    if (asm_at_operator(a, '(') && length == 7 && memcmp(text, "defined", 7) == 0)
        return parse_defined_call(a, v);
    const uint64_t *size = a->bare_sizes ? map_get_n(&a->size_names, text, length) : NULL;
    if (size) {
        *v = (struct asm_value){.kind = VALUE_SIZE, .size = (uint32_t)*size};
        return true;
    }
    const uint64_t *constant = map_get_n(&a->constant_names, text, length);
    if (constant) {
        *v = number_value(a->constants.data[*constant].value);
        return true;
    }
    *v = (struct asm_value){.kind = VALUE_LABEL, .label = asm_label_name(a, text, length)};
    return strlen(v->label) <= OBJECT_MAX_NAME || fail(a, &t, "this name is too long");
}

static bool parse_parenthesis(struct assembler *a, struct asm_value *v) {
    struct asm_token open = a->token;
    asm_scan(a);
    if (!parse_nested(a, v))
        return false;
    if (asm_take_operator(a, ')'))
        return true;
    asm_error_token(a, &a->token, "expected ')'");
    diag_note(a->d, asm_span(a, open.begin, open.end), "to match this '('");
    return false;
}

static bool unexpected(struct assembler *a, const struct asm_token *t) {
    if (t->kind == TOKEN_END)
        return fail(a, t, "expected a number or a name");
    if (t->kind == TOKEN_STRING)
        return fail(a, t, "expected a number or a name, not a string");
    asm_error_token(a, t, "expected a number or a name, not '%.*s'", (int)token_length(t),
                    asm_token_text(a, t));
    return false;
}

static bool parse_unary(struct assembler *a, struct asm_value *v) {
    struct asm_token op = a->token;
    switch (op.kind) {
    case TOKEN_NUMBER:
        *v = number_value((wide)op.number);
        asm_scan(a);
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
    asm_scan(a);
    if (++a->expression_depth > MAX_EXPRESSION)
        return fail(a, &op, "this expression is nested too deep");
    bool ok = parse_unary(a, v);
    a->expression_depth--;
    if (!ok || op.code == '+')
        return ok;
    if (op.code == '-' && is_size(v)) {
        struct asm_value zero = number_value(0);
        return asm_combine_sizes(a, &op, DERIVE_SUB, &zero, v, v);
    }
    if (v->kind != VALUE_NUMBER)
        return fail(a, &op, "labels, sizes and link-time values are not known yet");
    v->number = op.code == '-' ? -v->number : op.code == '~' ? ~v->number : !v->number;
    return in_range(a, &op, v->number);
}

static bool parse_binary(struct assembler *a, unsigned lowest, struct asm_value *v) {
    if (!parse_unary(a, v))
        return false;
    for (;;) {
        struct asm_token op = a->token;
        unsigned p = op.kind == TOKEN_OPERATOR ? precedence(op.code) : 0;
        struct asm_value right;
        if (p == 0 || p < lowest)
            return true;
        asm_scan(a);
        if (!parse_binary(a, p + 1, &right) || !combine_values(a, &op, v, &right))
            return false;
    }
}

/* condition ? a : b, and below it the binary operators; both branches are checked. */
static bool parse_choice(struct assembler *a, struct asm_value *v) {
    struct asm_value yes, no;
    if (!parse_binary(a, 1, v) || !asm_at_operator(a, '?'))
        return !a->failed;
    struct asm_token mark = a->token;
    asm_scan(a);
    if (v->kind != VALUE_NUMBER)
        return fail(a, &mark, "this condition is not known yet");
    if (!parse_nested(a, &yes))
        return false;
    if (!asm_take_operator(a, ':'))
        return fail(a, &a->token, "expected ':' and the other value");
    if (!parse_nested(a, &no))
        return false;
    *v = v->number ? yes : no;
    return true;
}

static bool parse_nested(struct assembler *a, struct asm_value *v) {
    if (++a->expression_depth > MAX_EXPRESSION)
        return fail(a, &a->token, "this expression is nested too deep");
    bool ok = parse_choice(a, v);
    a->expression_depth--;
    return ok;
}

bool asm_parse_value(struct assembler *a, struct asm_value *v) {
    struct asm_token first = a->token;
    if (!parse_nested(a, v))
        return false;
    if (v->kind != VALUE_FORMULA)
        return true;
    struct asm_value size = {.kind = VALUE_SIZE};
    bool ok = asm_value_size(a, &first, v, &size.size);
    *v = size;
    return ok;
}

bool asm_parse_formula(struct assembler *a, struct asm_value *v) {
    bool before = a->bare_sizes;
    a->bare_sizes = true;
    bool ok = parse_nested(a, v);
    a->bare_sizes = before;
    return ok;
}

bool asm_label_number(struct assembler *a, const struct asm_token *first, struct asm_value *v) {
    size_t begin = first->begin, end = a->previous_end;
    wide index;
    if (bound(a, v, &index)) {
        *v = number_value(index);
        return true;
    }
    asm_error(a, begin, end, "'%.*s' is not a constant that is known here", (int)(end - begin),
              a->in->text + begin);
    struct asm_token t = {.begin = begin, .end = end};
    asm_suggest(a, &t, &a->constant_names);
    return false;
}

bool asm_parse_number(struct assembler *a, wide *number) {
    struct asm_value v;
    struct asm_token first = a->token;
    if (!asm_parse_value(a, &v))
        return false;
    size_t end = a->previous_end;
    if (v.kind == VALUE_SIZE) {
        asm_error(a, first.begin, end,
                  "a size is a link-time value: only LI, LIK1 to LIK5, REPEAT and the extents of "
                  "groups take it");
        return false;
    }
    if (v.kind == VALUE_ELEMENT) {
        asm_error(a, first.begin, end, "only LI and LIK1 to LIK5 take a link-time value");
        return false;
    }
    if (v.kind == VALUE_LABEL && !asm_label_number(a, &first, &v))
        return false;
    *number = v.number;
    return true;
}

bool asm_name_defined(struct assembler *a, const struct asm_token *name) {
    const char *text = asm_token_text(a, name);
    size_t n = token_length(name);
    uint32_t label, index;
    return map_get_n(&a->constant_names, text, n) || map_get_n(&a->size_names, text, n) ||
           map_get_n(&a->value_names, text, n) || map_get_n(&a->group_names, text, n) ||
           map_get_n(&a->variable_names, text, n) || map_get_n(&a->macro_names, text, n) ||
           (builder_find(a->b, asm_label_name(a, text, n), &label) &&
            builder_bound(a->b, label, &index));
}

static void format_wide(wide v, char out[24]) {
    if (v < 0)
        snprintf(out, 24, "%lld", (long long)v);
    else
        snprintf(out, 24, "%llu", (unsigned long long)v);
}

void asm_report_out_of_range(struct assembler *a, const struct asm_token *at, const char *what,
                             wide v, wide low, wide high) {
    char from[24], to[24], is[24];
    format_wide(low, from);
    format_wide(high, to);
    format_wide(v, is);
    asm_error_token(a, at, "%s is %s, but must be in %s..%s", what, is, from, to);
}

bool asm_parse_number_in(struct assembler *a, const char *what, wide low, wide high, wide *v) {
    struct asm_token first = a->token;
    if (!asm_parse_number(a, v))
        return false;
    first.end = a->previous_end;
    if (*v < low || *v > high)
        asm_report_out_of_range(a, &first, what, *v, low, high);
    return !a->failed;
}

void asm_define_constant(struct assembler *a, const struct asm_token *name, wide value,
                         bool variable) {
    const char *text = asm_token_text(a, name);
    size_t length = token_length(name);
    struct asm_constant c = {.name = asm_keep(a, text, length),
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
    struct asm_constant *old = &a->constants.data[*known];
    if (!(variable && old->variable) && old->value != value) {
        diag_warning(a->d, W_MACRO_REDEFINED, c.at, "constant '%s' is defined again", c.name);
        if (old->at.source)
            diag_note(a->d, old->at, "it was first defined here");
    }
    *old = c;
}
