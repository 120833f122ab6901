/* SPDX-License-Identifier: MIT
 * host k: u8[9] = {1, 2, ...}; link-time values (object.h, struct value_decl), the same in every
 * lane, and known when the program is packaged. */
#include "ezpim/ez/check_host.h"

/* False after reporting. */
static bool host_type(struct checker *checker, const struct decl *decl,
                      struct value_decl *value_decl) {
    uint64_t count = 1;
    if (!ez_resolve_type(checker, decl->type->name, &value_decl->type))
        return false;
    if (decl->type->group.text) {
        diag_error(checker->u->diag, decl->type->at,
                   "a link-time value is the same everywhere: it has no "
                   "group");
        return false;
    }
    if (!decl->type->count)
        return true;
    ez_check_expr(checker, decl->type->count);
    if (!ez_check_integer(checker, decl->type->count, 1, VALUE_MAX_ELEMENTS,
                          "the length of a link-time value", &count))
        return false;
    value_decl->ndim = 1;
    value_decl->shape[0] = (uint32_t)count;
    return true;
}

/* A constant of the type, as values keep their elements. */
static bool element_of(struct checker *checker, const struct decl *decl, struct expr *expr,
                       struct lane_type type, uint64_t *out) {
    ez_check_expr(checker, expr);
    if (!ez_check_assignable(checker, expr, type, decl->names[0].at))
        return false;
    if (!expr->is_constant)
        diag_error(checker->u->diag, expr->at, "this is not known at compile time");
    *out = (uint64_t)(int64_t)expr->value;
    return expr->is_constant;
}

static bool host_default(struct checker *checker, const struct decl *decl,
                         struct value_decl *value_decl) {
    bool list = decl->value->kind == EXPR_LIST;
    uint32_t want = object_value_count(value_decl), have = list ? decl->value->arg_count : 1;
    if (list != (value_decl->ndim > 0)) {
        diag_error(checker->u->diag, decl->value->at, "`%s` is %s: `= %s;`", value_decl->name,
                   list ? "a single value" : "an array", list ? "1" : "{ 1, 2, ... }");
        return false;
    }
    if (have != want) {
        diag_error(checker->u->diag, decl->value->at, "`%s` has %u element%s, and here %s %u",
                   value_decl->name, want, want == 1 ? "" : "s", have == 1 ? "is" : "are", have);
        return false;
    }
    uint64_t *elements = ARENA_ARRAY(&checker->u->arena, want, uint64_t);
    bool good = true;
    for (uint32_t i = 0; i < want && good; i++)
        good = element_of(checker, decl, list ? decl->value->args[i] : decl->value,
                          value_decl->type, &elements[i]);
    value_decl->elements = elements;
    return good;
}

void ez_decl_host(struct checker *checker, struct decl *decl) {
    struct value_decl v = {.name = decl->names[0].text, .type = {TYPE_UINT, 1}};
    bool good = host_type(checker, decl, &v) && (!decl->value || host_default(checker, decl, &v));
    struct ez_symbol *s = ez_declare(checker, SYMBOL_EZ_HOST, decl->names[0], decl);
    if (!s)
        return;
    if (checker->u->values.items.len == OBJECT_MAX_VALUES) {
        diag_error(checker->u->diag, decl->at, "a program has at most %d link-time values",
                   OBJECT_MAX_VALUES);
        return;
    }
    s->type = good ? ez_type_of(v.type) : TYPE_ERROR;
    s->count = object_value_count(&v);
    s->has_k = v.ndim > 0;
    s->index = (uint32_t)checker->u->values.items.len;
    vec_push(&checker->u->values.items, s);
    vec_push(&checker->u->value_decls, v);
}

/* An index that is no constant looks the elements up as those of a table. */
static bool is_looked_up(const struct checker *checker, const struct expr *expr,
                         const struct ez_symbol *symbol) {
    return checker->lane && symbol->has_k && expr->kind == EXPR_INDEX && expr->arg_count == 1 &&
           expr->args[0]->type.state != STATE_ERROR && !expr->args[0]->is_constant;
}

static bool find_element(struct checker *checker, struct expr *expr, const struct ez_symbol *symbol,
                         uint64_t *element) {
    if (symbol->has_k != (expr->kind == EXPR_INDEX) || expr->arg_count > 1) {
        if (symbol->has_k)
            diag_error(checker->u->diag, expr->at,
                       "`%s` has %u elements: write `%s[0]` to `%s[%u]`", symbol->name.text,
                       symbol->count, symbol->name.text, symbol->name.text, symbol->count - 1);
        else
            diag_error(checker->u->diag, expr->at, "`%s` is a single value and has no index",
                       symbol->name.text);
        return false;
    }
    if (!symbol->has_k)
        return true;
    return ez_check_integer(checker, expr->args[0], 0, symbol->count - 1,
                            "the index of a link-time value", element);
}

void ez_check_host(struct checker *checker, struct expr *expr, struct ez_symbol *symbol) {
    uint64_t element = 0;
    symbol->read = true;
    ez_poison(expr);
    for (uint32_t i = 0; expr->kind == EXPR_INDEX && i < expr->arg_count; i++)
        ez_check_expr(checker, expr->args[i]);
    if (symbol->type.state == STATE_TYPED && is_looked_up(checker, expr, symbol)) {
        ez_check_lane_index(checker, expr, symbol);
        return;
    }
    if (symbol->type.state == STATE_ERROR || !find_element(checker, expr, symbol, &element))
        return;
    if (!checker->lane) {
        diag_error(checker->u->diag, expr->at,
                   "`%s` is no constant: a link-time value is known when the program is packaged, "
                   "and has its value inside of `compute` only",
                   symbol->name.text);
        return;
    }
    expr->symbol = symbol;
    expr->element = (uint32_t)element;
    expr->type = symbol->type;
}
