/* SPDX-License-Identifier: MIT
 * Values of expressions. */
#include "ezpim/np/functions.h"
#include "support/vec.h"

#include <string.h>

static const struct np_value none = {.kind = NP_ERROR};

/* ---- names ---- */

static struct np_binding *find_numbered(struct np_frame *frame, const char *name) {
    for (; frame->numbered < frame->names.len; frame->numbered++)
        map_put(&frame->numbers, frame->names.data[frame->numbered].name, frame->numbered);
    const uint64_t *number = map_get(&frame->numbers, name);
    struct np_binding *b = number ? &frame->names.data[*number] : NULL;
    return b && strcmp(b->name, name) == 0 ? b : NULL;
}

/* Fewer are looked through faster than they are numbered. */
enum { FEW_NAMES = 32 };

static struct np_binding *find_in(struct np_frame *frame, const char *name) {
    if (frame->names.len > FEW_NAMES)
        return find_numbered(frame, name);
    for (size_t i = frame->names.len; i-- > 0;)
        if (strcmp(frame->names.data[i].name, name) == 0)
            return &frame->names.data[i];
    return NULL;
}

struct np_value *np_find(struct np_unit *unit, const char *name) {
    struct np_binding *b = find_in(unit->frame, name);
    if (!b && unit->frame != &unit->file)
        b = find_in(&unit->file, name);
    return b ? &b->value : NULL;
}

/* For --emit=ir and layout. */
static void name_variable(struct np_unit *unit, const char *name, const struct np_value *value) {
    if (value->kind != NP_ARRAY || !value->array->root || value->array->is_view)
        return;
    array_name(&unit->arrays, value->array->root, name);
    np_note_name(unit, name, value->array->root);
}

void np_bind(struct np_unit *unit, const char *name, struct np_value value) {
    struct np_binding *known = find_in(unit->frame, name);
    name_variable(unit, name, &value);
    if (known)
        known->value = value;
    else
        vec_push(&unit->frame->names, ((struct np_binding){name, value}));
}

static struct np_value unknown_name(struct np_unit *unit, const struct np_expr *expr) {
    enum { MOST = 64 };
    const char *names[MOST];
    size_t n = 0;
    for (struct np_frame *f = unit->frame; f; f = f == &unit->file ? NULL : &unit->file)
        for (size_t i = 0; i < f->names.len && n < MOST; i++)
            names[n++] = f->names.data[i].name;
    np_error(unit, expr->at, "`%s` is not known here", expr->name);
    if (np_function_find(expr->name))
        np_offer(unit, expr->at, "%s.%s", unit->numpy, expr->name);
    else
        np_suggest(unit, expr->at, expr->name, names, n);
    return none;
}

static struct np_value eval_name(struct np_unit *unit, const struct np_expr *expr) {
    struct np_value *known = np_find(unit, expr->name);
    if (known) {
        struct np_value v = *known;
        if (v.kind == NP_GONE) {
            np_unroll(unit, v.function);
            return none;
        }
        v.at = expr->at;
        return v;
    }
    if (strcmp(expr->name, "True") == 0 || strcmp(expr->name, "False") == 0)
        return np_bool_value(expr->name[0] == 'T', expr->at);
    if (strcmp(expr->name, "None") == 0)
        return (struct np_value){.kind = NP_NONE, .at = expr->at};
    if (np_is_builtin(expr->name))
        return (struct np_value){.kind = NP_BUILTIN, .at = expr->at, .text = expr->name};
    return unknown_name(unit, expr);
}

/* ---- parts ---- */

static struct np_value *eval_items(struct np_unit *unit, const struct np_expr *expr) {
    struct np_value *items = ARENA_ARRAY(&unit->arena, expr->count + 1, struct np_value);
    uint32_t i = 0;
    for (const struct np_expr *x = expr->items; x; x = x->next)
        items[i++] = np_eval(unit, x);
    return items;
}

static struct np_value eval_slice(struct np_unit *unit, const struct np_expr *expr) {
    struct np_value *items = ARENA_ARRAY(&unit->arena, 3, struct np_value);
    const struct np_expr *parts[] = {expr->a, expr->b, expr->c};
    for (unsigned i = 0; i < 3; i++) {
        items[i] = (struct np_value){.kind = NP_NONE, .at = expr->at};
        if (parts[i])
            items[i] = np_eval(unit, parts[i]);
        if (items[i].kind == NP_ERROR)
            return none;
    }
    return np_items_value(NP_SLICE, items, 3, expr->at);
}

struct np_value *np_eval_indices(struct np_unit *unit, const struct np_expr *expr,
                                 uint32_t *count) {
    struct np_value *items = eval_items(unit, expr);
    bool tuple = expr->count == 1 && items[0].kind == NP_TUPLE;
    *count = tuple ? items[0].count : expr->count;
    return tuple ? items[0].items : items;
}

static struct np_value eval_index(struct np_unit *unit, const struct np_expr *expr) {
    uint32_t count;
    struct np_value base = np_eval(unit, expr->a), *items = np_eval_indices(unit, expr, &count);
    return np_index(unit, base, items, count, expr->at);
}

/* A sum of many terms is one evaluation: from its first term on. */
static struct np_value eval_binary(struct np_unit *unit, const struct np_expr *expr) {
    VEC(const struct np_expr *) open = {0};
    for (; expr->kind == NP_EXPR_BINARY; expr = expr->a)
        vec_push(&open, expr);
    struct np_value a = np_eval(unit, expr);
    while (open.len) {
        expr = open.data[--open.len];
        struct np_value b = np_eval(unit, expr->b);
        bool good = a.kind != NP_ERROR && b.kind != NP_ERROR;
        a = good ? np_binary(unit, expr->op, a, b, NULL, expr->at) : none;
    }
    vec_free(&open);
    return a;
}

static struct np_value eval_unary(struct np_unit *unit, const struct np_expr *expr) {
    struct np_value v = np_unary(unit, expr->op, np_eval(unit, expr->a), expr->at);
    v.at = expr->at;
    return v;
}

/* `a and b` of what is known. */
static struct np_value eval_both(struct np_unit *unit, const struct np_expr *expr) {
    struct np_value a = np_eval(unit, expr->a);
    bool known, truth;
    if (a.kind == NP_ARRAY && expr->compares)
        return np_error(unit, expr->op_at,
                        "comparisons in a row ask for one truth value; of arrays it is written "
                        "`(a < b) & (b < c)`");
    if (a.kind == NP_ARRAY) {
        np_error(unit, expr->op_at, "`%s` of arrays has no meaning in NumPy",
                 expr->kind == NP_EXPR_AND ? "and" : "or");
        np_note(unit, expr->op_at, "of bool arrays it is written `(a) %c (b)`, element by element",
                expr->kind == NP_EXPR_AND ? '&' : '|');
        return none;
    }
    truth = np_truth(unit, &a, &known);
    if (!known)
        return none;
    return truth == (expr->kind == NP_EXPR_AND) ? np_eval(unit, expr->b) : a;
}

static struct np_value eval_not(struct np_unit *unit, const struct np_expr *expr) {
    struct np_value a = np_eval(unit, expr->a);
    bool known;
    if (a.kind == NP_ARRAY) {
        np_error(unit, expr->op_at, "`not` of arrays has no meaning in NumPy");
        np_note(unit, expr->op_at, "element by element it is written `%s`",
                array_is_bool(a.array->type) ? "~a" : "a == 0");
        return none;
    }
    bool truth = np_truth(unit, &a, &known);
    return known ? np_bool_value(!truth, expr->at) : none;
}

static struct np_value eval_choice(struct np_unit *unit, const struct np_expr *expr) {
    struct np_value c = np_eval(unit, expr->b);
    bool known, truth = np_truth(unit, &c, &known);
    return !known ? none : np_eval(unit, truth ? expr->a : expr->c);
}

static struct np_value eval_number(struct np_unit *unit, const struct np_expr *expr) {
    (void)unit;
    if (expr->kind == NP_EXPR_NUMBER)
        return np_int_value(expr->number, expr->at);
    return (struct np_value){.kind = NP_REAL, .at = expr->at, .real = expr->real};
}

static struct np_value eval_text(struct np_unit *unit, const struct np_expr *expr) {
    (void)unit;
    return (struct np_value){.kind = NP_TEXT, .at = expr->at, .text = expr->name};
}

static struct np_value eval_ellipsis(struct np_unit *unit, const struct np_expr *expr) {
    (void)unit;
    return (struct np_value){.kind = NP_ELLIPSIS, .at = expr->at};
}

static struct np_value eval_list(struct np_unit *unit, const struct np_expr *expr) {
    enum np_kind kind = expr->kind == NP_EXPR_TUPLE ? NP_TUPLE : NP_LIST;
    return np_items_value(kind, eval_items(unit, expr), expr->count, expr->at);
}

/* A table and no switch: a frame of all kinds in one is as large as all of them. */
typedef struct np_value (*evaluator)(struct np_unit *unit, const struct np_expr *expr);
static const evaluator evaluators[] = {
    [NP_EXPR_NUMBER] = eval_number,     [NP_EXPR_REAL] = eval_number,
    [NP_EXPR_NAME] = eval_name,         [NP_EXPR_TEXT] = eval_text,
    [NP_EXPR_UNARY] = eval_unary,       [NP_EXPR_BINARY] = eval_binary,
    [NP_EXPR_AND] = eval_both,          [NP_EXPR_OR] = eval_both,
    [NP_EXPR_NOT] = eval_not,           [NP_EXPR_CHOICE] = eval_choice,
    [NP_EXPR_CALL] = np_call,           [NP_EXPR_INDEX] = eval_index,
    [NP_EXPR_SLICE] = eval_slice,       [NP_EXPR_ELLIPSIS] = eval_ellipsis,
    [NP_EXPR_ATTRIBUTE] = np_attribute, [NP_EXPR_TUPLE] = eval_list,
    [NP_EXPR_LIST] = eval_list,         [NP_EXPR_KEYWORD] = NULL,
};

/* Of calls in calls and what stands in each other there, so that there is stack for it. */
enum { MOST_EVALUATIONS = 3000 };

struct np_value np_eval(struct np_unit *unit, const struct np_expr *expr) {
    if (unit->evaluations == MOST_EVALUATIONS)
        return np_error(unit, expr->at, "calls and expressions are nested more than %d levels deep",
                        MOST_EVALUATIONS);
    if (!evaluators[expr->kind])
        return none;
    unit->evaluations++;
    struct np_value v = evaluators[expr->kind](unit, expr);
    unit->evaluations--;
    return v;
}
