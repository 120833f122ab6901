/* SPDX-License-Identifier: MIT
 * Values of expressions. */
#include "ezpim/np/functions.h"

#include <string.h>

static const struct np_value none = {.kind = NP_ERROR};

/* ---- names ---- */

static struct np_binding *find_in(struct np_frame *f, const char *name) {
    for (size_t i = f->names.len; i-- > 0;)
        if (strcmp(f->names.data[i].name, name) == 0)
            return &f->names.data[i];
    return NULL;
}

struct np_value *np_find(struct np_unit *u, const char *name) {
    struct np_binding *b = find_in(u->frame, name);
    if (!b && u->frame != &u->file)
        b = find_in(&u->file, name);
    return b ? &b->value : NULL;
}

/* For --emit=ir and layout. */
static void name_variable(struct np_unit *u, const char *name, const struct np_value *v) {
    if (v->kind != NP_ARRAY || !v->array->root || v->array->is_view)
        return;
    array_name(&u->arrays, v->array->root, name);
    np_note_name(u, name, v->array->root);
}

void np_bind(struct np_unit *u, const char *name, struct np_value v) {
    struct np_binding *known = find_in(u->frame, name);
    name_variable(u, name, &v);
    if (known)
        known->value = v;
    else
        vec_push(&u->frame->names, ((struct np_binding){name, v}));
}

static struct np_value unknown_name(struct np_unit *u, const struct np_expr *e) {
    enum { MOST = 64 };
    const char *names[MOST];
    size_t n = 0;
    for (struct np_frame *f = u->frame; f; f = f == &u->file ? NULL : &u->file)
        for (size_t i = 0; i < f->names.len && n < MOST; i++)
            names[n++] = f->names.data[i].name;
    np_error(u, e->at, "`%s` is not known here", e->name);
    if (np_function_find(e->name))
        np_offer(u, e->at, "np.%s", e->name);
    else
        np_suggest(u, e->at, e->name, names, n);
    return none;
}

static struct np_value eval_name(struct np_unit *u, const struct np_expr *e) {
    struct np_value *known = np_find(u, e->name);
    if (known) {
        struct np_value v = *known;
        if (v.kind == NP_GONE) {
            np_unroll(u, v.function);
            return none;
        }
        v.at = e->at;
        return v;
    }
    if (strcmp(e->name, "True") == 0 || strcmp(e->name, "False") == 0)
        return np_bool_value(e->name[0] == 'T', e->at);
    if (strcmp(e->name, "None") == 0)
        return (struct np_value){.kind = NP_NONE, .at = e->at};
    if (np_is_builtin(e->name))
        return (struct np_value){.kind = NP_BUILTIN, .at = e->at, .text = e->name};
    return unknown_name(u, e);
}

/* ---- parts ---- */

static struct np_value *eval_items(struct np_unit *u, const struct np_expr *e) {
    struct np_value *items = ARENA_ARRAY(&u->arena, e->count + 1, struct np_value);
    uint32_t i = 0;
    for (const struct np_expr *x = e->items; x; x = x->next)
        items[i++] = np_eval(u, x);
    return items;
}

static struct np_value eval_slice(struct np_unit *u, const struct np_expr *e) {
    struct np_value *items = ARENA_ARRAY(&u->arena, 3, struct np_value);
    const struct np_expr *parts[] = {e->a, e->b, e->c};
    for (unsigned i = 0; i < 3; i++) {
        items[i] = (struct np_value){.kind = NP_NONE, .at = e->at};
        if (parts[i])
            items[i] = np_eval(u, parts[i]);
        if (items[i].kind == NP_ERROR)
            return none;
    }
    return np_items_value(NP_SLICE, items, 3, e->at);
}

struct np_value *np_eval_indices(struct np_unit *u, const struct np_expr *e, uint32_t *count) {
    struct np_value *items = eval_items(u, e);
    bool tuple = e->count == 1 && items[0].kind == NP_TUPLE;
    *count = tuple ? items[0].count : e->count;
    return tuple ? items[0].items : items;
}

static struct np_value eval_index(struct np_unit *u, const struct np_expr *e) {
    uint32_t count;
    struct np_value base = np_eval(u, e->a), *items = np_eval_indices(u, e, &count);
    return np_index(u, base, items, count, e->at);
}

static struct np_value eval_binary(struct np_unit *u, const struct np_expr *e) {
    struct np_value a = np_eval(u, e->a), b = np_eval(u, e->b);
    if (a.kind == NP_ERROR || b.kind == NP_ERROR)
        return none;
    return np_binary(u, e->op, a, b, NULL, e->at);
}

static struct np_value eval_unary(struct np_unit *u, const struct np_expr *e) {
    struct np_value v = np_unary(u, e->op, np_eval(u, e->a), e->at);
    v.at = e->at;
    return v;
}

/* `a and b` of what is known. */
static struct np_value eval_both(struct np_unit *u, const struct np_expr *e) {
    struct np_value a = np_eval(u, e->a);
    bool known, truth;
    if (a.kind == NP_ARRAY) {
        np_error(u, e->op_at, "`%s` of arrays has no meaning in NumPy",
                 e->kind == NP_EXPR_AND ? "and" : "or");
        np_note(u, e->op_at, "element by element it is written `(a) %c (b)`",
                e->kind == NP_EXPR_AND ? '&' : '|');
        return none;
    }
    truth = np_truth(u, &a, &known);
    if (!known)
        return none;
    return truth == (e->kind == NP_EXPR_AND) ? np_eval(u, e->b) : a;
}

static struct np_value eval_not(struct np_unit *u, const struct np_expr *e) {
    struct np_value a = np_eval(u, e->a);
    bool known;
    if (a.kind == NP_ARRAY) {
        np_error(u, e->op_at, "`not` of arrays has no meaning in NumPy");
        np_note(u, e->op_at, "element by element it is written `~a`");
        return none;
    }
    bool truth = np_truth(u, &a, &known);
    return known ? np_bool_value(!truth, e->at) : none;
}

static struct np_value eval_choice(struct np_unit *u, const struct np_expr *e) {
    struct np_value c = np_eval(u, e->b);
    bool known, truth = np_truth(u, &c, &known);
    return !known ? none : np_eval(u, truth ? e->a : e->c);
}

static struct np_value number_of(const struct np_expr *e) {
    if (e->kind == NP_EXPR_NUMBER)
        return np_int_value(e->number, e->at);
    return (struct np_value){.kind = NP_REAL, .at = e->at, .real = e->real};
}

struct np_value np_eval(struct np_unit *u, const struct np_expr *e) {
    switch (e->kind) {
    case NP_EXPR_NUMBER:
    case NP_EXPR_REAL:
        return number_of(e);
    case NP_EXPR_NAME:
        return eval_name(u, e);
    case NP_EXPR_TEXT:
        return (struct np_value){.kind = NP_TEXT, .at = e->at, .text = e->name};
    case NP_EXPR_UNARY:
        return eval_unary(u, e);
    case NP_EXPR_BINARY:
        return eval_binary(u, e);
    case NP_EXPR_AND:
    case NP_EXPR_OR:
        return eval_both(u, e);
    case NP_EXPR_NOT:
        return eval_not(u, e);
    case NP_EXPR_CHOICE:
        return eval_choice(u, e);
    case NP_EXPR_CALL:
        return np_call(u, e);
    case NP_EXPR_INDEX:
        return eval_index(u, e);
    case NP_EXPR_SLICE:
        return eval_slice(u, e);
    case NP_EXPR_ELLIPSIS:
        return (struct np_value){.kind = NP_ELLIPSIS, .at = e->at};
    case NP_EXPR_ATTRIBUTE:
        return np_attribute(u, e);
    case NP_EXPR_TUPLE:
        return np_items_value(NP_TUPLE, eval_items(u, e), e->count, e->at);
    case NP_EXPR_LIST:
        return np_items_value(NP_LIST, eval_items(u, e), e->count, e->at);
    default:
        return none;
    }
}
