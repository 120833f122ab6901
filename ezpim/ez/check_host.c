/* SPDX-License-Identifier: MIT
 * host k: u8[9] = {1, 2, ...}; link-time values (object.h, struct value_decl), the same in every
 * lane, and known when the program is packaged. */
#include "ezpim/ez/check_host.h"

/* False after reporting. */
static bool host_type(struct checker *c, const struct decl *d, struct value_decl *v) {
    uint64_t count = 1;
    if (!resolve_type(c, d->type->name, &v->type))
        return false;
    if (d->type->group.text) {
        diag_error(c->u->diag, d->type->at,
                   "a link-time value is the same everywhere: it has no "
                   "group");
        return false;
    }
    if (!d->type->count)
        return true;
    check_expr(c, d->type->count);
    if (!check_integer(c, d->type->count, 1, VALUE_MAX_ELEMENTS, "the length of a link-time value",
                       &count))
        return false;
    v->ndim = 1;
    v->shape[0] = (uint32_t)count;
    return true;
}

/* A constant of the type, as values keep their elements. */
static bool element_of(struct checker *c, const struct decl *d, struct expr *e, struct mpu_type t,
                       uint64_t *out) {
    check_expr(c, e);
    if (!check_assignable(c, e, t, d->names[0].at))
        return false;
    if (!e->is_constant)
        diag_error(c->u->diag, e->at, "this is not known at compile time");
    *out = (uint64_t)(int64_t)e->value;
    return e->is_constant;
}

static bool host_default(struct checker *c, const struct decl *d, struct value_decl *v) {
    bool list = d->value->kind == EXPR_LIST;
    uint32_t want = object_value_count(v), have = list ? d->value->arg_count : 1;
    if (list != (v->ndim > 0)) {
        diag_error(c->u->diag, d->value->at, "`%s` is %s: `= %s;`", v->name,
                   list ? "a single value" : "an array", list ? "1" : "{ 1, 2, ... }");
        return false;
    }
    if (have != want) {
        diag_error(c->u->diag, d->value->at, "`%s` has %u element%s, and here %s %u", v->name, want,
                   want == 1 ? "" : "s", have == 1 ? "is" : "are", have);
        return false;
    }
    uint64_t *elements = ARENA_ARRAY(&c->u->arena, want, uint64_t);
    bool good = true;
    for (uint32_t i = 0; i < want && good; i++)
        good = element_of(c, d, list ? d->value->args[i] : d->value, v->type, &elements[i]);
    v->elements = elements;
    return good;
}

void decl_host(struct checker *c, struct decl *d) {
    struct value_decl v = {.name = d->names[0].text, .type = {TYPE_UINT, 1}};
    bool good = host_type(c, d, &v) && (!d->value || host_default(c, d, &v));
    struct ez_symbol *s = declare(c, SYMBOL_EZ_HOST, d->names[0], d);
    if (!s)
        return;
    if (c->u->values.items.len == OBJECT_MAX_VALUES) {
        diag_error(c->u->diag, d->at, "a program has at most %d link-time values",
                   OBJECT_MAX_VALUES);
        return;
    }
    s->type = good ? type_of(v.type) : TYPE_ERROR;
    s->count = object_value_count(&v);
    s->has_k = v.ndim > 0;
    s->index = (uint32_t)c->u->values.items.len;
    vec_push(&c->u->values.items, s);
    vec_push(&c->u->value_decls, v);
}

static bool find_element(struct checker *c, struct expr *e, const struct ez_symbol *s,
                         uint64_t *element) {
    if (s->has_k != (e->kind == EXPR_INDEX) || e->arg_count > 1) {
        if (s->has_k)
            diag_error(c->u->diag, e->at, "`%s` has %u elements: write `%s[0]` to `%s[%u]`",
                       s->name.text, s->count, s->name.text, s->name.text, s->count - 1);
        else
            diag_error(c->u->diag, e->at, "`%s` is a single value and has no index", s->name.text);
        return false;
    }
    if (!s->has_k)
        return true;
    check_expr(c, e->args[0]);
    return check_integer(c, e->args[0], 0, s->count - 1, "the index of a link-time value", element);
}

void check_host(struct checker *c, struct expr *e, struct ez_symbol *s) {
    uint64_t element = 0;
    s->read = true;
    poison(e);
    if (s->type.state == STATE_ERROR || !find_element(c, e, s, &element))
        return;
    if (!c->lane) {
        diag_error(c->u->diag, e->at,
                   "`%s` is no constant: a link-time value is known when the program is packaged, "
                   "and has its value inside of `compute` only",
                   s->name.text);
        return;
    }
    e->symbol = s;
    e->element = (uint32_t)element;
    e->type = s->type;
}
