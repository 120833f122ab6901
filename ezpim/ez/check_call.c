/* SPDX-License-Identifier: MIT
 * Calls in expressions: casts, the language's functions, and instructions by their lower-case
 * names. */
#include "ezpim/ez/check.h"

#include <ctype.h>
#include <string.h>

struct function {
    const char *name;
    enum function_kind kind;
    unsigned args;
};
static const struct function functions[] = {
    {"min", FUNCTION_MIN, 2},           {"max", FUNCTION_MAX, 2},
    {"select", FUNCTION_SELECT, 3},     {"floordiv", FUNCTION_FLOORDIV, 2},
    {"floormod", FUNCTION_FLOORMOD, 2},
};
enum { FUNCTION_COUNT = sizeof functions / sizeof *functions };

/* What looks at all elements of a group. */
static const char *const whole[] = {"sum",    "any",  "all",  "count",   "argmin",
                                    "argmax", "scan", "prod", "product", "sort"};

static bool is_of_whole(const char *name) {
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (strcmp(whole[i], name) == 0)
            return true;
    return false;
}

static bool is_product(const struct expr *e) {
    return strcmp(e->name.text, "product") == 0;
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

enum mpu_op find_function_op(const char *name) {
    for (const char *p = name; *p; p++)
        if (isupper((unsigned char)*p))
            return OP_COUNT;
    enum mpu_op op = isa_find(name, strlen(name));
    return op != OP_COUNT && is_function_op(isa_info(op)) ? op : OP_COUNT;
}

static bool check_arg_count(struct checker *c, struct expr *e, unsigned want) {
    if (e->arg_count == want)
        return true;
    diag_error(c->u->diag, e->at, "`%s` takes %u argument%s, not %u", e->name.text, want,
               want == 1 ? "" : "s", e->arg_count);
    return false;
}

static bool args_are_numbers(struct checker *c, struct expr *e, uint32_t first) {
    for (uint32_t i = first; i < e->arg_count; i++) {
        if (e->args[i]->type.state == STATE_ERROR)
            return false;
        if (!type_is_bool(e->args[i]->type))
            continue;
        diag_error(c->u->diag, e->args[i]->at, "`%s` takes numbers, not bool", e->name.text);
        return false;
    }
    return true;
}

/* The widest type of args[first..], at which the function works. */
static bool common_args(struct checker *c, struct expr *e, uint32_t first, struct value_type *t) {
    *t = e->args[first]->type;
    uint32_t widest = first;
    for (uint32_t i = first + 1; i < e->arg_count; i++) {
        if (!common_type(c, e->name.text, e->at, e->args[widest], e->args[i], t))
            return false;
        if (e->args[i]->type.state == STATE_TYPED && e->args[i]->type.type.bits == t->type.bits)
            widest = i;
    }
    for (uint32_t i = first; i < e->arg_count && t->state == STATE_TYPED; i++)
        coerce(c, e->args[i], t->type, false);
    return true;
}

/* Exact values of min and max of numbers. */
static void fold_number_call(struct expr *e) {
    if (e->function == FUNCTION_SELECT) {
        struct expr *chosen = e->args[0]->value ? e->args[1] : e->args[2];
        e->is_constant = e->args[0]->is_constant && chosen->is_constant;
        e->value = chosen->value;
        return;
    }
    ez_number a = e->args[0]->value, b = e->args[1]->value;
    e->is_constant = e->args[0]->is_constant && e->args[1]->is_constant &&
                     (e->function == FUNCTION_MIN || e->function == FUNCTION_MAX);
    e->value = (e->function == FUNCTION_MIN) == (a < b) ? a : b;
}

static bool check_condition(struct checker *c, struct expr *e) {
    if (type_is_bool(e->type))
        return true;
    if (e->type.state != STATE_ERROR)
        diag_error(c->u->diag, e->at, "the condition of `select` is a bool, not %s",
                   e->type.state == STATE_NUMBER ? "a number" : type_name(c, e->type.type));
    return false;
}

static void check_function(struct checker *c, struct expr *e, const struct function *f) {
    uint32_t first = f->kind == FUNCTION_SELECT ? 1 : 0;
    struct value_type t;
    e->function = (uint8_t)f->kind;
    if (!check_arg_count(c, e, f->args) || (first && !check_condition(c, e->args[0])) ||
        (!first && !args_are_numbers(c, e, 0)) || !common_args(c, e, first, &t)) {
        poison(e);
        return;
    }
    e->type = t;
    e->operand_type = t.type;
    if (t.state == STATE_NUMBER)
        fold_number_call(e);
    else
        fold_typed(e);
}

static unsigned machine_args(const struct isa_info *info) {
    uint32_t f = info->flags;
    return (f & READS_RS ? 1u : 0u) + (f & READS_RT ? 1u : 0u) + (f & READS_RD ? 1u : 0u);
}

static void check_machine(struct checker *c, struct expr *e, enum mpu_op op) {
    const struct isa_info *info = isa_info(op);
    struct value_type t;
    e->function = FUNCTION_MACHINE;
    e->machine = op;
    poison(e);
    if (!check_arg_count(c, e, machine_args(info)) || !args_are_numbers(c, e, 0) ||
        !common_args(c, e, 0, &t))
        return;
    if (t.state == STATE_NUMBER) {
        diag_error(c->u->diag, e->at, "no argument of `%s` has a type", e->name.text);
        suggest_cast(c, e->args[0], (struct mpu_type){TYPE_UINT, 32});
        return;
    }
    e->operand_type = t.type;
    e->type = info->flags & WRITES_C ? type_of(type_bool) : t;
    if (info->flags & WRITES_C)
        condition_overwritten(c, e->at);
}

static void cast_number(struct checker *c, struct expr *e, struct expr *a, struct mpu_type to) {
    if (to.kind == TYPE_BOOL) {
        diag_error(c->u->diag, e->at, "a number is no bool; write `%s != 0`",
                   source_text(c, a->at));
        return;
    }
    coerce(c, a, to, true);
    e->type = a->type;
    if (a->is_constant)
        set_constant(e, a->value, to);
}

static void cast_typed(struct checker *c, struct expr *e, struct expr *a, struct mpu_type to) {
    struct mpu_type from = a->type.type;
    if (to.kind == TYPE_BOOL && from.bits > 1) {
        diag_error(c->u->diag, e->at, "%s is no bool; write `%s != 0`", type_name(c, from),
                   source_text(c, a->at));
        return;
    }
    e->type = type_of(to);
    if (a->is_constant)
        set_constant(e, a->value, to);
}

static void check_cast(struct checker *c, struct expr *e) {
    struct mpu_type to;
    e->function = FUNCTION_CAST;
    poison(e);
    if (!resolve_type(c, e->name, &to) || !check_arg_count(c, e, 1))
        return;
    struct expr *a = e->args[0];
    if (a->type.state == STATE_NUMBER)
        cast_number(c, e, a, to);
    else if (a->type.state == STATE_TYPED)
        cast_typed(c, e, a, to);
}

/* Suggests the language's functions; instructions are many and near to everything. */
static void report_unknown_function(struct checker *c, struct expr *e) {
    const char *names[FUNCTION_COUNT + 2] = {"popc", "abs"};
    for (size_t i = 0; i < FUNCTION_COUNT; i++)
        names[2 + i] = functions[i].name;
    report_unknown(c, e->name, "function", names, FUNCTION_COUNT + 2);
}

static void check_args(struct checker *c, struct expr *e) {
    for (uint32_t i = 0; i < e->arg_count; i++) {
        check_expr(c, e->args[i]);
        e->varies |= e->args[i]->varies;
        e->writes |= e->args[i]->writes;
    }
}

static void check_value_call(struct checker *c, struct expr *e, struct ez_symbol *s) {
    check_sub_call(c, e, s);
    if (s->sub.result || e->function != FUNCTION_SUB)
        return;
    diag_error(c->u->diag, e->at, "`%s` returns no value", s->name.text);
    diag_note(c->u->diag, s->name.at, "it is declared here");
}

static void unknown_function(struct checker *c, struct expr *e) {
    struct ez_symbol *s = find_symbol(c, e->name.text);
    poison(e);
    if (s && s->kind == SYMBOL_EZ_SUB) {
        check_value_call(c, e, s);
    } else if (is_of_whole(e->name.text)) {
        diag_error(c->u->diag, e->at,
                   "`%s` looks at all elements: it stands outside of `compute`, as in `s = "
                   "%s(%s);`",
                   e->name.text, e->name.text, is_product(e) ? "a, b" : "x");
    } else if (s) {
        diag_error(c->u->diag, e->name.at, "`%s` is no function", e->name.text);
    } else {
        report_unknown_function(c, e);
        check_args(c, e);
    }
}

static const struct function *find_function(const char *name) {
    for (size_t i = 0; i < FUNCTION_COUNT; i++)
        if (strcmp(functions[i].name, name) == 0)
            return &functions[i];
    return NULL;
}

bool is_function(const char *name) {
    return find_function(name) != NULL;
}

/* count(ring): MPUs of the grid. */
static bool check_count(struct checker *c, struct expr *e) {
    bool counts =
        strcmp(e->name.text, "count") == 0 && e->arg_count == 1 && e->args[0]->kind == EXPR_NAME;
    struct ez_symbol *s = counts ? find_symbol(c, e->args[0]->name.text) : NULL;
    if (!s || s->kind != SYMBOL_EZ_MPUS)
        return false;
    s->read = true;
    e->type = TYPE_NUMBER;
    e->is_constant = true;
    e->value = 1;
    for (uint32_t d = 0; d < c->u->grid_dims; d++)
        e->value *= c->u->grid[d];
    return true;
}

/* index(): the number of the element in its group. */
static bool check_index(struct checker *c, struct expr *e) {
    if (strcmp(e->name.text, "index") != 0 || find_symbol(c, "index"))
        return false;
    poison(e);
    if (!check_arg_count(c, e, 0))
        return true;
    if (!c->lane) {
        diag_error(c->u->diag, e->at, "`index()` is of a lane: it stands inside of `compute`");
        return true;
    }
    e->function = FUNCTION_INDEX;
    e->type = type_of((struct mpu_type){TYPE_UINT, 64});
    e->varies = true;
    return true;
}

void check_call(struct checker *c, struct expr *e) {
    if (check_count(c, e) || check_index(c, e) || check_length(c, e))
        return;
    struct mpu_type t;
    const struct ez_symbol *own = find_symbol(c, e->name.text);
    bool is_sub = own && own->kind == SYMBOL_EZ_SUB;
    const struct function *f = is_sub ? NULL : find_function(e->name.text);
    enum mpu_op op = is_sub ? OP_COUNT : find_function_op(e->name.text);
    bool is_cast = object_type_parse(e->name.text, strlen(e->name.text), &t);
    if (!f && !is_cast && op == OP_COUNT) {
        unknown_function(c, e);
        return;
    }
    check_args(c, e);
    if (f)
        check_function(c, e, f);
    else if (is_cast)
        check_cast(c, e);
    else
        check_machine(c, e, op);
}
