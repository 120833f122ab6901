/* SPDX-License-Identifier: MIT
 * Values of expressions. */
#include "ezpim/np/functions.h"
#include "ezpim/np/loop.h"
#include "ezpim/np/texts.h"
#include "support/vec.h"

#include <string.h>

static const struct np_value none = {.kind = NP_ERROR};
static const struct lane_type truth_type = {TYPE_BOOL, 1};

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
    struct np_binding *b = NULL;
    for (struct np_frame *f = unit->frame; f && !b; f = f->outer)
        b = find_in(f, name);
    return b ? &b->value : NULL;
}

bool np_is_own(struct np_unit *unit, const char *name) {
    return find_in(unit->frame, name) != NULL;
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
    for (struct np_frame *f = unit->frame; f; f = f->outer)
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
        if (v.kind == NP_GONE && !v.function) {
            np_error(unit, expr->at,
                     "`%s` depends on when the loop in front of it ended, which is known only when "
                     "the kernel runs",
                     expr->name);
            np_note(unit, expr->at, "an array keeps it: `n = np.zeros(1, np.int64)` and `n += 1`");
            return none;
        }
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

static bool is_one_truth(const struct np_value *value) {
    return value->kind == NP_BOOL || (value->kind == NP_ARRAY && value->array->ndim == 0 &&
                                      array_is_bool(value->array->type));
}

/* `a and b` of truth values without dimension, of which b is evaluated, too; else of what is
 * known. */
static struct np_value eval_both(struct np_unit *unit, const struct np_expr *expr) {
    struct np_value a = np_eval(unit, expr->a);
    bool known, truth;
    if (a.kind == NP_ARRAY && is_one_truth(&a)) {
        struct np_value b = np_eval(unit, expr->b);
        if (is_one_truth(&b))
            return np_binary(unit, expr->kind == NP_EXPR_AND ? NP_OP_AND : NP_OP_OR, a, b, NULL,
                             expr->at);
        if (b.kind == NP_ERROR)
            return none;
    }
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
    if (is_one_truth(&a) && a.kind == NP_ARRAY)
        return np_unary(unit, NP_OP_INVERT, a, expr->at);
    if (a.kind == NP_ARRAY) {
        np_error(unit, expr->op_at, "`not` of arrays has no meaning in NumPy");
        np_note(unit, expr->op_at, "element by element it is written `%s`",
                array_is_bool(a.array->type) ? "~a" : "a == 0");
        return none;
    }
    bool truth = np_truth(unit, &a, &known);
    return known ? np_bool_value(!truth, expr->at) : none;
}

/* By a value without dimension: both are there, of one type and shape. */
static struct np_value select_value(struct np_unit *unit, const struct np_expr *expr,
                                    const struct np_value *c) {
    struct np_value x = np_eval(unit, expr->a), y = np_eval(unit, expr->c);
    if (x.kind == NP_ERROR || y.kind == NP_ERROR)
        return none;
    if (x.kind != NP_ARRAY || y.kind != NP_ARRAY || x.mask || y.mask ||
        !array_same_type(x.array->type, y.array->type) ||
        !array_same_shape(x.array->ndim, x.array->shape, y.array->ndim, y.array->shape)) {
        np_error(unit, expr->at,
                 "what is chosen by data has one type and shape, and these are %s and %s",
                 np_value_text(unit, &x), np_value_text(unit, &y));
        np_note(unit, expr->at, "`np.where(c, a, b)` takes a common type");
        return none;
    }
    struct array_ref *args[] = {np_need_array(unit, c, "if"), np_need_array(unit, &x, "if"),
                                np_need_array(unit, &y, "if")};
    if (args[0] && !array_is_bool(args[0]->type))
        args[0] = np_cast(unit, args[0], truth_type, c->at);
    if (!args[0] || !args[1] || !args[2])
        return none;
    return np_array_value(
        np_elementwise(unit, NP_OP_WHERE, 3, args, x.array->type, 0, NULL, expr->at), expr->at);
}

static struct np_value eval_choice(struct np_unit *unit, const struct np_expr *expr) {
    struct np_value c = np_eval(unit, expr->b);
    if (c.kind == NP_ARRAY && c.array->ndim == 0)
        return select_value(unit, expr, &c);
    bool known, truth = np_truth(unit, &c, &known);
    return !known ? none : np_eval(unit, truth ? expr->a : expr->c);
}

/* ---- comprehensions ---- */

/* Beyond this a list is no list of a kernel. */
enum { MOST_ITEMS = 1 << 18, MOST_ROWS = 4096 };

static uint32_t of_range(struct np_unit *unit, const struct np_value *range,
                         struct np_value **items) {
    np_int first = range->items[0].number, last = range->items[1].number,
           step = range->items[2].number;
    np_int n = (last - first + (step > 0 ? step - 1 : step + 1)) / step;
    if (n <= 0)
        return 0;
    if (n > MOST_ITEMS) {
        np_error(unit, range->at, "a list of more than %d items", MOST_ITEMS);
        return 0;
    }
    *items = ARENA_ARRAY(&unit->arena, (size_t)n, struct np_value);
    for (np_int i = 0; i < n; i++)
        (*items)[i] = np_int_value(first + i * step, range->at);
    return (uint32_t)n;
}

uint32_t np_sequence(struct np_unit *unit, const struct np_value *value, struct np_value **items) {
    *items = value->items;
    if (np_is_list(value))
        return value->count;
    if (value->kind == NP_RANGE)
        return of_range(unit, value, items);
    if (value->kind == NP_TEXT)
        return np_characters(unit, value, items);
    if (value->kind == NP_ERROR)
        return 0;
    bool rows = value->kind == NP_ARRAY && value->array->ndim && !value->mask;
    if (!rows || value->array->shape[0] > MOST_ROWS) {
        np_error(unit, value->at,
                 "a loop goes through `range(..)`, a list or the at most %d rows of "
                 "an array, not through %s",
                 MOST_ROWS, np_value_text(unit, value));
        return 0;
    }
    uint32_t n = (uint32_t)value->array->shape[0];
    *items = ARENA_ARRAY(&unit->arena, n, struct np_value);
    for (uint32_t i = 0; i < n; i++) {
        struct np_value at = np_int_value(i, value->at);
        (*items)[i] = np_index(unit, *value, &at, 1, value->at);
    }
    return n;
}

struct items {
    VEC(struct np_value) values;
    bool failed;
};

static void collect(struct np_unit *unit, const struct np_expr *clause,
                    const struct np_expr *element, struct items *found) {
    if (!clause) {
        struct np_value v = np_eval(unit, element);
        unit->fresh = unit->arrays.serials;
        vec_push(&found->values, v);
        found->failed |= v.kind == NP_ERROR;
        return;
    }
    struct np_value v = np_eval(unit, clause->b ? clause->b : clause->a), *items;
    if (!clause->b) {
        bool known, holds = np_truth(unit, &v, &known);
        found->failed |= !known;
        if (holds)
            collect(unit, clause->next, element, found);
        return;
    }
    uint32_t count = np_sequence(unit, &v, &items);
    found->failed |= np_failed(unit);
    for (uint32_t i = 0; i < count && !found->failed; i++) {
        np_assign(unit, clause->a, items[i]);
        collect(unit, clause->next, element, found);
        found->failed = found->failed || !np_walks_on(unit, clause->at);
    }
}

/* Names of a comprehension are its own: what they stood for before, in *kept, comes back. */
struct kept {
    const char *name;
    bool known;
    struct np_value value;
};

static uint32_t keep_names(struct np_unit *unit, const struct np_expr *target, struct kept *kept,
                           uint32_t count, uint32_t most) {
    if (target->kind == NP_EXPR_NAME && count < most) {
        const struct np_binding *b = find_in(unit->frame, target->name);
        kept[count++] = (struct kept){target->name, b != NULL, b ? b->value : none};
    }
    for (const struct np_expr *x = target->items; x && target->kind != NP_EXPR_INDEX; x = x->next)
        count = keep_names(unit, x, kept, count, most);
    return count;
}

static void restore_names(struct np_unit *unit, const struct kept *kept, uint32_t count) {
    while (count-- > 0) {
        struct np_binding *b = find_in(unit->frame, kept[count].name);
        if (b && kept[count].known)
            b->value = kept[count].value;
        else if (b)
            *b = (struct np_binding){"", none};
    }
}

static struct np_value eval_each(struct np_unit *unit, const struct np_expr *expr) {
    enum { MOST_NAMES = 32 };
    struct kept kept[MOST_NAMES];
    struct items found = {0};
    uint32_t names = 0;
    for (const struct np_expr *x = expr->items; x; x = x->next)
        names = x->b ? keep_names(unit, x->a, kept, names, MOST_NAMES) : names;
    collect(unit, expr->items, expr->a, &found);
    restore_names(unit, kept, names);
    struct np_value *items = ARENA_ARRAY(&unit->arena, found.values.len + 1, struct np_value);
    for (size_t i = 0; i < found.values.len; i++)
        items[i] = found.values.data[i];
    struct np_value v = np_items_value(NP_LIST, items, (uint32_t)found.values.len, expr->at);
    vec_free(&found.values);
    return found.failed ? none : v;
}

/* ---- what stands for loops that are left early (breaks.c) ---- */

static struct np_value eval_flags(struct np_unit *unit, const struct np_expr *expr) {
    struct array_ref *one = array_constant(&unit->arrays, truth_type, expr->number, expr->at);
    const uint64_t shape[] = {1};
    return np_array_value(array_filled(&unit->arrays, one, 1, shape, expr->at), expr->at);
}

static struct np_value eval_truths(struct np_unit *unit, const struct np_expr *expr) {
    struct np_value v = np_eval(unit, expr->a);
    struct array_ref *x = np_need_array(unit, &v, "if");
    if (!x)
        return none;
    x = array_is_bool(x->type) ? np_fresh(unit, x, expr->at)
                               : np_cast(unit, x, truth_type, expr->at);
    return np_array_value(x, expr->at);
}

static struct np_value eval_number(struct np_unit *unit, const struct np_expr *expr) {
    (void)unit;
    if (expr->kind == NP_EXPR_NUMBER)
        return np_int_value(expr->number, expr->at);
    return (struct np_value){.kind = NP_REAL, .at = expr->at, .real = expr->real};
}

static struct np_value eval_lambda(struct np_unit *unit, const struct np_expr *expr) {
    return np_function_value(unit, expr->function);
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
    [NP_EXPR_NAME] = eval_name,         [NP_EXPR_TEXT] = np_text_value,
    [NP_EXPR_UNARY] = eval_unary,       [NP_EXPR_BINARY] = eval_binary,
    [NP_EXPR_AND] = eval_both,          [NP_EXPR_OR] = eval_both,
    [NP_EXPR_NOT] = eval_not,           [NP_EXPR_CHOICE] = eval_choice,
    [NP_EXPR_CALL] = np_call,           [NP_EXPR_INDEX] = eval_index,
    [NP_EXPR_SLICE] = eval_slice,       [NP_EXPR_ELLIPSIS] = eval_ellipsis,
    [NP_EXPR_ATTRIBUTE] = np_attribute, [NP_EXPR_TUPLE] = eval_list,
    [NP_EXPR_LIST] = eval_list,         [NP_EXPR_KEYWORD] = NULL,
    [NP_EXPR_EACH] = eval_each,         [NP_EXPR_CLAUSE] = NULL,
    [NP_EXPR_LAMBDA] = eval_lambda,     [NP_EXPR_FLAGS] = eval_flags,
    [NP_EXPR_TRUTHS] = eval_truths,     [NP_EXPR_ASKED] = NULL,
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
