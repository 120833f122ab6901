/* SPDX-License-Identifier: MIT
 * Calls in expressions: casts, the language's functions, and instructions by their lower-case
 * names. */
#include "ezpim/ez/check.h"
#include "ezpim/ez/operations.h"

#include <ctype.h>
#include <string.h>

/* Functions element by element, under the names and with the operands of the table that they are
 * from. */
static const uint8_t functions[] = {
    FUNCTION_MIN,   FUNCTION_MAX,   FUNCTION_SELECT,   FUNCTION_FLOORDIV, FUNCTION_FLOORMOD,
    FUNCTION_SQRT,  FUNCTION_FLOOR, FUNCTION_CEIL,     FUNCTION_TRUNC,    FUNCTION_RINT,
    FUNCTION_ISNAN, FUNCTION_ISINF, FUNCTION_ISFINITE, FUNCTION_SIGNBIT,
};
enum { FUNCTION_COUNT = sizeof functions / sizeof *functions };

static const struct array_op_info *info_of(uint8_t function) {
    return array_op_info(ez_function_operation(function));
}

/* What looks at all elements of a group. */
static const char *const whole[] = {"sum",    "any",  "all",  "count",   "argmin",
                                    "argmax", "scan", "prod", "product", "sort"};

static bool is_of_whole(const char *name) {
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (strcmp(whole[i], name) == 0)
            return true;
    return false;
}

static bool is_product(const struct expr *expr) {
    return strcmp(expr->name.text, "product") == 0;
}

/* An instruction on data registers alone: one result in rd or in C, nothing else written. */
static bool is_function_op(const struct isa_info *info) {
    uint32_t writes = info->flags & (WRITES_RS | WRITES_RT | WRITES_RD | WRITES_C | WRITES_M);
    if (!(info->flags & ISA_VECTOR) || !(info->flags & ISA_WIDTH) || !info->golden)
        return false;
    if (info->flags & (ISA_RESERVED | READS_C | READS_M))
        return false;
    for (unsigned i = 0; i < info->operand_count; i++)
        if (info->operands[i] > ROLE_RD)
            return false;
    return (writes == WRITES_RD || writes == WRITES_C) && (info->flags & READS_RS);
}

enum isa_op ez_find_function_op(const char *name) {
    for (const char *p = name; *p; p++)
        if (isupper((unsigned char)*p))
            return OP_COUNT;
    enum isa_op op = isa_find(name, strlen(name));
    return op != OP_COUNT && is_function_op(isa_info(op)) ? op : OP_COUNT;
}

static bool check_arg_count(struct checker *checker, struct expr *expr, unsigned want) {
    if (expr->arg_count == want)
        return true;
    diag_error(checker->u->diag, expr->at, "`%s` takes %u argument%s, not %u", expr->name.text,
               want, want == 1 ? "" : "s", expr->arg_count);
    return false;
}

static bool args_are_numbers(struct checker *checker, struct expr *expr, uint32_t first) {
    for (uint32_t i = first; i < expr->arg_count; i++) {
        if (expr->args[i]->type.state == STATE_ERROR)
            return false;
        if (!ez_type_is_bool(expr->args[i]->type))
            continue;
        diag_error(checker->u->diag, expr->args[i]->at, "`%s` takes numbers, not bool",
                   expr->name.text);
        return false;
    }
    return true;
}

/* The widest type of args[first..], at which the function works. */
static bool common_args(struct checker *checker, struct expr *expr, uint32_t first,
                        struct value_type *type) {
    *type = expr->args[first]->type;
    uint32_t widest = first;
    for (uint32_t i = first + 1; i < expr->arg_count; i++) {
        if (!ez_common_type(checker, expr->name.text, expr->at, expr->args[widest], expr->args[i],
                            type))
            return false;
        if (expr->args[i]->type.state == STATE_TYPED &&
            expr->args[i]->type.type.bits == type->type.bits)
            widest = i;
    }
    for (uint32_t i = first; i < expr->arg_count && type->state == STATE_TYPED; i++)
        ez_coerce(checker, expr->args[i], type->type, false);
    return true;
}

/* Exact values of min and max of numbers. */
static void fold_number_call(struct expr *expr) {
    if (expr->function == FUNCTION_SELECT) {
        struct expr *chosen = expr->args[0]->value ? expr->args[1] : expr->args[2];
        expr->is_constant = expr->args[0]->is_constant && chosen->is_constant;
        expr->value = chosen->value;
        return;
    }
    ez_number a = expr->args[0]->value, b = expr->args[1]->value;
    expr->is_constant = expr->args[0]->is_constant && expr->args[1]->is_constant &&
                        (expr->function == FUNCTION_MIN || expr->function == FUNCTION_MAX);
    expr->value = (expr->function == FUNCTION_MIN) == (a < b) ? a : b;
}

static bool check_condition(struct checker *checker, struct expr *expr) {
    if (ez_type_is_bool(expr->type))
        return true;
    if (expr->type.state != STATE_ERROR)
        diag_error(checker->u->diag, expr->at, "the condition of `select` is a bool, not %s",
                   expr->type.state == STATE_NUMBER ? "a number"
                                                    : ez_type_name(checker, expr->type.type));
    return false;
}

static bool takes_kinds(struct checker *checker, struct expr *expr, enum function_kind kind) {
    const char *what = arena_printf(&checker->u->arena, "`%s` takes integers", expr->name.text);
    bool good = true;
    for (uint32_t i = 0; i < expr->arg_count; i++)
        good = good && (!ez_is_of_integers(ez_function_operation((uint8_t)kind)) ||
                        ez_refuse_float(checker, expr->args[i], what));
    return good;
}

static void check_function(struct checker *checker, struct expr *expr, enum function_kind kind) {
    uint32_t first = kind == FUNCTION_SELECT ? 1 : 0, args = info_of((uint8_t)kind)->operands;
    struct value_type t;
    expr->function = (uint8_t)kind;
    if (ez_function_is_float(expr->function)) {
        ez_poison(expr);
        if (check_arg_count(checker, expr, args) && args_are_numbers(checker, expr, 0))
            ez_check_float_function(checker, expr, expr->function);
        return;
    }
    if (!takes_kinds(checker, expr, kind) || !check_arg_count(checker, expr, args) ||
        (first && !check_condition(checker, expr->args[0])) ||
        (!first && !args_are_numbers(checker, expr, 0)) || !common_args(checker, expr, first, &t)) {
        ez_poison(expr);
        return;
    }
    expr->type = t;
    expr->operand_type = t.type;
    if (t.state == STATE_NUMBER && !t.real)
        fold_number_call(expr);
    else
        ez_fold_typed(expr);
    if (kind == FUNCTION_FLOORDIV || kind == FUNCTION_FLOORMOD)
        ez_warn_division(checker, expr, kind == FUNCTION_FLOORMOD);
}

static unsigned machine_args(const struct isa_info *info) {
    uint32_t f = info->flags;
    return (f & READS_RS ? 1u : 0u) + (f & READS_RT ? 1u : 0u) + (f & READS_RD ? 1u : 0u);
}

static void check_machine(struct checker *checker, struct expr *expr, enum isa_op op) {
    const struct isa_info *info = isa_info(op);
    struct value_type t;
    expr->function = FUNCTION_MACHINE;
    expr->machine = op;
    ez_poison(expr);
    if (!check_arg_count(checker, expr, machine_args(info)) ||
        !args_are_numbers(checker, expr, 0) || !common_args(checker, expr, 0, &t))
        return;
    if (t.state == STATE_NUMBER) {
        diag_error(checker->u->diag, expr->at, "no argument of `%s` has a type", expr->name.text);
        ez_suggest_cast(
            checker, expr->args[0],
            (struct lane_type){t.real || info->flags & ISA_FLOAT ? TYPE_FLOAT : TYPE_UINT, 32});
        return;
    }
    if (!ez_check_format(checker, expr, op, t.type))
        return;
    bool bit = op == OP_FSIGN || op == OP_FZERO || op == OP_BFSIGN || op == OP_BFZERO;
    expr->operand_type = t.type;
    expr->type = info->flags & WRITES_C ? ez_type_of(ez_type_bool) : t;
    if (bit)
        expr->type.type.kind = TYPE_UINT;
    ez_check_sign(checker, expr);
    if (info->flags & WRITES_C)
        ez_condition_overwritten(checker, expr->at);
}

static void cast_number(struct checker *checker, struct expr *e, struct expr *a,
                        struct lane_type to) {
    if (to.kind == TYPE_BOOL) {
        diag_error(checker->u->diag, e->at, "a number is no bool; write `%s != 0`",
                   ez_source_text(checker, a->at));
        return;
    }
    ez_coerce(checker, a, to, true);
    e->type = a->type;
    e->operand_type = to;
    if (a->is_constant)
        ez_set_constant(e, a->value, to);
}

static void cast_typed(struct checker *checker, struct expr *e, struct expr *a,
                       struct lane_type to) {
    struct lane_type from = a->type.type;
    if (to.kind == TYPE_BOOL && from.bits > 1) {
        diag_error(checker->u->diag, e->at, "%s is no bool; write `%s != 0`",
                   ez_type_name(checker, from), ez_source_text(checker, a->at));
        return;
    }
    e->type = ez_type_of(to);
    if (a->is_constant)
        ez_set_constant(e, ez_value(ir_fold_convert(ez_pattern(a->value, from), from, to), to), to);
}

static void check_cast(struct checker *checker, struct expr *expr) {
    struct lane_type to;
    expr->function = FUNCTION_CAST;
    ez_poison(expr);
    if (!ez_resolve_type(checker, expr->name, &to) || !check_arg_count(checker, expr, 1))
        return;
    struct expr *a = expr->args[0];
    if (a->type.state == STATE_NUMBER)
        cast_number(checker, expr, a, to);
    else if (a->type.state == STATE_TYPED)
        cast_typed(checker, expr, a, to);
}

/* Suggests the language's functions; instructions are many and near to everything. */
static void report_unknown_function(struct checker *checker, struct expr *expr) {
    const char *names[FUNCTION_COUNT + 4] = {"popc", "abs", "clamp", "ipow"};
    for (size_t i = 0; i < FUNCTION_COUNT; i++)
        names[4 + i] = info_of(functions[i])->name;
    ez_report_unknown(checker, expr->name, "function", names, FUNCTION_COUNT + 4);
}

/* The value of `select` that a constant does not choose. */
static bool is_passed_over(const struct expr *expr, uint32_t i) {
    const struct expr *condition = expr->args[0];
    return i > 0 && expr->arg_count == 3 && strcmp(expr->name.text, "select") == 0 &&
           condition->is_constant && (condition->value != 0) != (i == 1);
}

static void check_args(struct checker *checker, struct expr *expr) {
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        ez_check_operand(checker, expr->args[i], !is_passed_over(expr, i));
        expr->varies |= expr->args[i]->varies;
        expr->writes |= expr->args[i]->writes;
    }
}

static void check_value_call(struct checker *checker, struct expr *expr, struct ez_symbol *symbol) {
    ez_check_sub_call(checker, expr, symbol);
    if (symbol->sub.result || expr->function != FUNCTION_SUB)
        return;
    diag_error(checker->u->diag, expr->at, "`%s` returns no value", symbol->name.text);
    diag_note(checker->u->diag, symbol->name.at, "it is declared here");
}

static void unknown_function(struct checker *checker, struct expr *expr) {
    struct ez_symbol *s = ez_find_symbol(checker, expr->name.text);
    ez_poison(expr);
    if (s && s->kind == SYMBOL_EZ_SUB) {
        check_value_call(checker, expr, s);
    } else if (is_of_whole(expr->name.text)) {
        diag_error(checker->u->diag, expr->at,
                   "`%s` looks at all elements: it stands outside of `compute`, as in `s = "
                   "%s(%s);`",
                   expr->name.text, expr->name.text, is_product(expr) ? "a, b" : "x");
    } else if (s) {
        diag_error(checker->u->diag, expr->name.at, "`%s` is no function", expr->name.text);
    } else {
        report_unknown_function(checker, expr);
        check_args(checker, expr);
    }
}

static enum function_kind find_function(const char *name) {
    for (size_t i = 0; i < FUNCTION_COUNT; i++)
        if (strcmp(info_of(functions[i])->name, name) == 0)
            return (enum function_kind)functions[i];
    return FUNCTION_NONE;
}

bool ez_is_function(const char *name) {
    return find_function(name) != FUNCTION_NONE;
}

static bool check_length(struct checker *checker, struct expr *expr) {
    if (strcmp(expr->name.text, "length") != 0 || ez_find_symbol(checker, "length"))
        return false;
    const struct expr *a = expr->arg_count == 1 ? expr->args[0] : NULL;
    const struct ez_symbol *v =
        a && a->kind == EXPR_NAME ? ez_find_symbol(checker, a->name.text) : NULL;
    ez_poison(expr);
    if (checker->sub && v && v->var.group && v->kind == SYMBOL_EZ_VARIABLE) {
        diag_error(checker->u->diag, expr->at,
                   "a subroutine does not see the variables of groups: it gets `%s` as a parameter",
                   ez_source_text(checker, expr->at));
        return true;
    }
    if (!v || v->kind != SYMBOL_EZ_VARIABLE || !v->var.length) {
        diag_error(checker->u->diag, expr->at,
                   "`length` is of a variable that `compact` fills, as in `length(y)`");
        return true;
    }
    ez_note_length(v->var.length);
    expr->function = FUNCTION_LENGTH;
    expr->symbol = v->var.length;
    expr->type = ez_type_of((struct lane_type){TYPE_UINT, 64});
    return true;
}

/* count(ring): MPUs of the grid. */
static bool check_count(struct checker *checker, struct expr *expr) {
    bool counts = strcmp(expr->name.text, "count") == 0 && expr->arg_count == 1 &&
                  expr->args[0]->kind == EXPR_NAME;
    struct ez_symbol *s = counts ? ez_find_symbol(checker, expr->args[0]->name.text) : NULL;
    if (!s || s->kind != SYMBOL_EZ_MPUS)
        return false;
    s->read = true;
    expr->type = TYPE_NUMBER;
    expr->is_constant = true;
    expr->value = 1;
    for (uint32_t d = 0; d < checker->u->grid_dims; d++)
        expr->value *= checker->u->grid[d];
    return true;
}

/* The dimension of index(d), from 0; of the group's own, without those of the MPUs. */
static bool check_dimension(struct checker *checker, struct expr *expr) {
    struct expr *d = expr->args[0];
    ez_check_expr(checker, d);
    if (d->type.state == STATE_ERROR)
        return false;
    if (!checker->group) {
        diag_error(
            checker->u->diag, expr->at,
            "`index(d)` is of a group: it stands in a `compute`, and a subroutine gets it as "
            "a parameter");
        return false;
    }
    uint32_t dims = checker->group->layout.ndim;
    if (!ez_is_integer_constant(d) || d->value < 0 || d->value >= dims) {
        diag_error(checker->u->diag, d->at,
                   "the dimension of `index(d)` is a constant from 0 to %u: group `%s` has %u",
                   dims - 1, checker->group->name.text, dims);
        return false;
    }
    expr->element = (uint32_t)d->value;
    return true;
}

/* index(): the number of the element in its group; index(d): its place along that dimension. */
static bool check_index(struct checker *checker, struct expr *expr) {
    if (strcmp(expr->name.text, "index") != 0 || ez_find_symbol(checker, "index"))
        return false;
    ez_poison(expr);
    if (expr->arg_count > 1) {
        diag_error(checker->u->diag, expr->at,
                   "`index` takes no argument, or a dimension: `index(0)`");
        return true;
    }
    if (!checker->lane) {
        diag_error(checker->u->diag, expr->at,
                   "`index()` is of a lane: it stands inside of `compute`");
        return true;
    }
    if (expr->arg_count && !check_dimension(checker, expr))
        return true;
    expr->function = FUNCTION_INDEX;
    expr->type = ez_type_of((struct lane_type){TYPE_UINT, 64});
    expr->varies = true;
    return true;
}

/* lut(T, x) is T[x]. */
static bool check_lut(struct checker *checker, struct expr *expr) {
    if (strcmp(expr->name.text, "lut") != 0 || ez_find_symbol(checker, "lut"))
        return false;
    struct ez_symbol *table = expr->arg_count && expr->args[0]->kind == EXPR_NAME
                                  ? ez_find_symbol(checker, expr->args[0]->name.text)
                                  : NULL;
    bool has_entries = table && ((table->kind == SYMBOL_EZ_CONST && table->table) ||
                                 (table->kind == SYMBOL_EZ_HOST && table->has_k));
    ez_poison(expr);
    if (!check_arg_count(checker, expr, 2))
        return true;
    if (!has_entries) {
        diag_error(checker->u->diag, expr->args[0]->at,
                   "`lut` looks up a table of constants, or an array of link-time values: "
                   "`lut(T, x)`");
        return true;
    }
    expr->kind = EXPR_INDEX;
    expr->name = expr->args[0]->name;
    expr->args++;
    expr->arg_count = 1;
    ez_check_expr(checker, expr);
    return true;
}

/* clamp(x, low, high) is min(max(x, low), high). */
static void write_out_clamp(struct checker *checker, struct expr *expr) {
    if (strcmp(expr->name.text, "clamp") != 0 || ez_find_symbol(checker, "clamp") ||
        !check_arg_count(checker, expr, 3))
        return;
    struct expr *inner = ARENA_NEW(&checker->u->arena, struct expr);
    struct expr **args = ARENA_ARRAY(&checker->u->arena, 2, struct expr *);
    *inner = *expr;
    inner->name.text = "max";
    inner->arg_count = 2;
    args[0] = inner;
    args[1] = expr->args[2];
    expr->name.text = "min";
    expr->args = args;
    expr->arg_count = 2;
}

/* Of two numbers, which is one; false: it is none of that. */
static bool power_of_numbers(struct checker *checker, struct expr *expr, const struct expr *base,
                             const struct expr *exponent) {
    ez_number v = 1;
    bool fits = true;
    if (base->type.state != STATE_NUMBER || !base->is_constant ||
        exponent->type.state != STATE_NUMBER || !exponent->is_constant || exponent->value < 0)
        return false;
    for (ez_number i = 0; i < exponent->value && v != 0 && fits && !(base->value == 1); i++)
        fits = !__builtin_mul_overflow(v, base->value, &v) && v <= UINT64_MAX &&
               v >= -(ez_number)UINT64_MAX;
    if (!fits) {
        diag_error(checker->u->diag, expr->at, "the power has more than 64 bits");
        return true;
    }
    expr->is_constant = true;
    expr->value = v;
    expr->type = base->type;
    return true;
}

/* ipow(x, n): n is a number, or data without a sign. */
static bool check_power(struct checker *checker, struct expr *expr) {
    if (strcmp(expr->name.text, "ipow") != 0 || ez_find_symbol(checker, "ipow"))
        return false;
    check_args(checker, expr);
    ez_poison(expr);
    if (!check_arg_count(checker, expr, 2) || !args_are_numbers(checker, expr, 0))
        return true;
    struct expr *x = expr->args[0], *n = expr->args[1];
    if (!ez_refuse_float(checker, x, "`ipow` is of integers") ||
        !ez_refuse_float(checker, n, "an exponent of `ipow` is an integer"))
        return true;
    if (power_of_numbers(checker, expr, x, n))
        return true;
    if (x->type.state != STATE_TYPED) {
        diag_error(checker->u->diag, x->at, "the base of `ipow` has no type");
        ez_suggest_cast(checker, x, (struct lane_type){TYPE_UINT, 32});
    } else if (n->type.state == STATE_TYPED && n->type.type.kind == TYPE_INT) {
        diag_error(checker->u->diag, n->at,
                   "an exponent has no sign: `u8(..)` says that it is not negative");
    } else if (n->type.state == STATE_NUMBER &&
               (!n->is_constant || n->value < 0 || n->value > 1 << 20)) {
        diag_error(checker->u->diag, n->at, "an exponent is a number from 0 to 2^20, or data");
    } else {
        expr->function = FUNCTION_POWER;
        expr->type = x->type;
        expr->operand_type = x->type.type;
    }
    return true;
}

void ez_check_call(struct checker *checker, struct expr *expr) {
    write_out_clamp(checker, expr);
    if (strcmp(expr->name.text, "clamp") == 0 && !ez_find_symbol(checker, "clamp")) {
        ez_poison(expr); /* after an error */
        return;
    }
    if (check_power(checker, expr))
        return;
    if (check_lut(checker, expr) || check_count(checker, expr) || check_index(checker, expr) ||
        check_length(checker, expr))
        return;
    struct lane_type t;
    const struct ez_symbol *own = ez_find_symbol(checker, expr->name.text);
    bool is_sub = own && own->kind == SYMBOL_EZ_SUB;
    enum function_kind f = is_sub ? FUNCTION_NONE : find_function(expr->name.text);
    enum isa_op op = is_sub ? OP_COUNT : ez_find_function_op(expr->name.text);
    bool is_cast = object_type_parse(expr->name.text, strlen(expr->name.text), &t);
    if (!is_sub && !f && !is_cast && ez_check_pattern(checker, expr))
        return;
    if (!f && !is_cast && op == OP_COUNT) {
        unknown_function(checker, expr);
        return;
    }
    check_args(checker, expr);
    if (f)
        check_function(checker, expr, f);
    else if (is_cast)
        check_cast(checker, expr);
    else if (!ez_check_abs(checker, expr))
        check_machine(checker, expr, op);
}
