/* SPDX-License-Identifier: MIT
 * Calls and attributes. */
#include "ezpim/np/advice.h"
#include "ezpim/np/functions.h"
#include "ezpim/np/texts.h"

#include <math.h>
#include <string.h>

static const struct np_value none = {.kind = NP_ERROR};

/* Calls in each other, so that walking them needs no more stack than there is. */
enum { MOST_CALLS = 64 };

/* ---- attributes ---- */

static struct np_value shape_of(struct np_unit *unit, const struct array_ref *ref, struct span at) {
    struct np_value *items = ARENA_ARRAY(&unit->arena, ref->ndim + 1, struct np_value);
    for (uint32_t d = 0; d < ref->ndim; d++)
        items[d] = np_int_value((np_int)ref->shape[d], at);
    return np_items_value(NP_TUPLE, items, ref->ndim, at);
}

static struct np_value of_array(struct np_unit *unit, const struct np_value *value,
                                const struct np_expr *expr) {
    struct array_ref *a = value->array;
    const struct np_function *f = np_function_find(expr->name);
    if (value->counts)
        return np_error(unit, expr->name_at,
                        "`count_nonzero` of all elements is a Python int, which has no `%s`",
                        expr->name);
    if (f && f->flags & NP_METHOD) {
        struct np_value method = *value;
        method.kind = NP_NUMPY;
        method.text = f->name;
        method.function = f;
        return method;
    }
    if (strcmp(expr->name, "dtype") == 0)
        return (struct np_value){.kind = NP_TYPE, .at = expr->at, .type = a->type};
    if (value->mask)
        return np_error(unit, expr->name_at, "`%s` of x[mask] is known when the kernel runs",
                        expr->name);
    if (strcmp(expr->name, "shape") == 0)
        return shape_of(unit, a, expr->at);
    if (strcmp(expr->name, "ndim") == 0)
        return np_int_value(a->ndim, expr->at);
    if (strcmp(expr->name, "size") == 0)
        return np_int_value((np_int)array_elements(a->ndim, a->shape), expr->at);
    if (strcmp(expr->name, "T") == 0) {
        struct array_ref *x = np_need_array(unit, value, "T");
        return !x            ? none
               : x->ndim < 2 ? np_array_value(x, expr->at)
                             : np_transposed(unit, x, expr->at);
    }
    np_unknown_method(unit, expr->name, expr->name_at);
    return none;
}

/* `np.linalg.norm`: NumPy's names of names are not taken.  False: it is no such name. */
static bool is_below_name(struct np_unit *unit, const struct np_expr *expr) {
    const struct np_expr *root = expr->a;
    while (root->kind == NP_EXPR_ATTRIBUTE)
        root = root->a;
    const struct np_value *known = root->kind == NP_EXPR_NAME ? np_find(unit, root->name) : NULL;
    if (root == expr->a || !known || known->kind != NP_MODULE)
        return false;
    const struct span name = {expr->at.source, root->at.end + 1, expr->at.end};
    np_not_taken(unit, np_source_text(unit, name), name);
    return true;
}

/* Of np.iinfo and np.finfo; NP_ERROR: none that kernels have. */
static struct np_value limit_of(struct lane_type type, const char *name, struct span at) {
    const struct array_range all = array_type_range(type);
    bool low = strcmp(name, "min") == 0, real = array_is_float(type);
    if (strcmp(name, "bits") == 0)
        return np_int_value(type.bits, at);
    if (!real)
        return low                        ? np_int_value(all.low, at)
               : strcmp(name, "max") == 0 ? np_int_value(all.high, at)
                                          : none;
    const int digits = (int)ieee_binary(type.bits).fraction_bits + 1;
    const int most = 1 << (type.bits - (unsigned)digits - 1);
    double v = strcmp(name, "eps") == 0    ? ldexp(1, 1 - digits)
               : strcmp(name, "tiny") == 0 ? ldexp(1, 2 - most)
                                           : ldexp(2 - ldexp(1, 1 - digits), most - 1);
    bool known =
        strcmp(name, "eps") == 0 || strcmp(name, "tiny") == 0 || low || strcmp(name, "max") == 0;
    return known ? (struct np_value){.kind = NP_REAL, .at = at, .real = low ? -v : v} : none;
}

struct np_value np_attribute(struct np_unit *unit, const struct np_expr *expr) {
    if (is_below_name(unit, expr))
        return none;
    struct np_value v = np_eval(unit, expr->a);
    if (v.kind == NP_ERROR)
        return none;
    if (v.kind == NP_MODULE && v.text)
        return np_math_attribute(unit, expr->name, expr->at, expr->name_at);
    if (v.kind == NP_MODULE)
        return np_numpy_attribute(unit, expr->name, expr->at, expr->name_at);
    if (v.kind == NP_ARRAY)
        return of_array(unit, &v, expr);
    struct np_value limit = v.kind == NP_INFO ? limit_of(v.type, expr->name, expr->at) : none;
    return limit.kind != NP_ERROR ? limit
                                  : np_error(unit, expr->name_at, "%s has no `%s` in kernels",
                                             np_value_text(unit, &v), expr->name);
}

bool np_dtype(struct np_unit *unit, const struct np_value *value, struct lane_type *out) {
    if (value->kind == NP_TYPE) {
        *out = value->type;
        return true;
    }
    if (value->kind == NP_BUILTIN && strcmp(value->text, "bool") == 0) {
        *out = (struct lane_type){TYPE_BOOL, 1};
        return true;
    }
    if (value->kind == NP_BUILTIN && strcmp(value->text, "float") == 0) {
        *out = (struct lane_type){TYPE_FLOAT, 64};
        return true;
    }
    if (value->kind == NP_BUILTIN && strcmp(value->text, "int") == 0) {
        *out = (struct lane_type){TYPE_INT, 64};
        return true;
    }
    /* "u8" is a type of 8 bits here, and of 8 bytes in NumPy. */
    if (value->kind == NP_TEXT && strlen(value->text) > 3 && np_type_parse(value->text, out))
        return true;
    if (value->kind != NP_ERROR)
        np_error(unit, value->at, "a type is written `np.int32`, and this is %s",
                 np_value_text(unit, value));
    return false;
}

/* ---- functions of the file ---- */

static bool is_running(const struct np_unit *unit, const struct np_stmt *stmt) {
    for (const struct np_frame *x = unit->frame; x; x = x->caller)
        if (x->function == stmt)
            return true;
    return false;
}

/* An argument is what the parameter's annotation says. */
static void check_argument(struct np_unit *unit, const struct np_param *param,
                           const struct np_value *value) {
    struct np_port port = {.own = {.name = param->name, .at = param->at}};
    if (!param->type || value->kind != NP_ARRAY || !np_is_param_type(param->type) ||
        !np_param_type(unit, param->type, &port))
        return;
    const struct array_ref *a = value->array;
    if (array_same_type(a->type, port.own.type) &&
        array_same_shape(a->ndim, a->shape, port.own.ndim, port.own.shape))
        return;
    np_error(unit, value->at, "`%s` is %s, and the parameter says `%s`", param->name,
             np_value_text(unit, value), np_source_text(unit, param->type->at));
    np_note(unit, param->at, "the parameter is declared here");
}

/* The value that the parameter has where the call gives none, as the file's names have it. */
static struct np_value default_of(struct np_unit *unit, const struct np_param *param) {
    struct np_frame *frame = unit->frame;
    unit->frame = &unit->file;
    struct np_value v = np_eval(unit, param->value);
    unit->frame = frame;
    return v;
}

static void bind_arguments(struct np_unit *unit, struct np_frame *frame,
                           const struct np_value *defaults, const struct np_value *args,
                           uint32_t count, struct span at) {
    const struct np_param *p = frame->function->params;
    uint32_t n = 0, least = 0;
    for (const struct np_param *x = p; x; x = x->next) {
        bool given = n < count && args[n].at.end;
        n++;
        if (!x->value && !given)
            least = n;
    }
    if (count > n || least) {
        np_error(unit, at, "`%s` has %u parameter%s, and gets %u", frame->function->name, n,
                 n == 1 ? "" : "s", count);
        np_note(unit, frame->function->name_at, "it is defined here");
    }
    for (uint32_t i = 0; p; p = p->next, i++) {
        bool given = i < count && args[i].at.end;
        struct np_value v = given                  ? args[i]
                            : p->value && defaults ? defaults[i]
                            : p->value             ? default_of(unit, p)
                                                   : none;
        if (given)
            check_argument(unit, p, &v);
        vec_push(&frame->names, ((struct np_binding){p->name, v}));
    }
}

struct np_value np_function_value(struct np_unit *unit, const struct np_stmt *stmt) {
    struct np_value v = {.kind = NP_FUNCTION,
                         .at = stmt->name_at,
                         .text = stmt->name,
                         .function = stmt,
                         .number = (np_int)unit->frame->serial};
    for (const struct np_param *p = stmt->params; p && v.number; p = p->next)
        v.count++;
    if (v.count) /* a function of the file has its defaults when it is called */
        v.items = ARENA_ARRAY(&unit->arena, v.count, struct np_value);
    uint32_t i = 0;
    for (const struct np_param *p = stmt->params; p && v.number; p = p->next, i++)
        v.items[i] = p->value ? np_eval(unit, p->value) : none;
    return v;
}

/* The call that a function was defined in; NULL: it is over. */
static struct np_frame *defined_in(struct np_unit *unit, const struct np_value *function) {
    struct np_frame *f = unit->frame;
    if (!function->number)
        return &unit->file;
    while (f && f->serial != (uint64_t)function->number)
        f = f->caller;
    return f;
}

struct np_value np_call_function(struct np_unit *unit, const struct np_value *function,
                                 const struct np_value *args, uint32_t count, struct span at) {
    const struct np_stmt *stmt = function->function;
    struct np_frame frame = {.caller = unit->frame,
                             .outer = defined_in(unit, function),
                             .serial = ++unit->calls,
                             .function = stmt,
                             .result = {.kind = NP_NONE}};
    if (!frame.outer) {
        np_error(unit, at, "`%s` was defined in a function that has returned", stmt->name);
        np_note(unit, stmt->name_at,
                "it is defined here; a function of the file can be used anywhere");
        return none;
    }
    if (is_running(unit, stmt) || unit->depth >= MOST_CALLS) {
        np_error(unit, at, "`%s` calls itself: a kernel has no recursion", stmt->name);
        np_note(unit, stmt->name_at, "it is defined here");
        return none;
    }
    bind_arguments(unit, &frame, function->items, args, count, at);
    unit->frame = &frame;
    unit->depth++;
    np_run(unit, stmt->body);
    unit->depth--;
    unit->frame = frame.caller;
    vec_free(&frame.names);
    map_free(&frame.numbers);
    frame.result.at = at;
    unit->fresh = unit->arrays.serials;
    return frame.result;
}

/* Arguments in the order of the parameters, those with a name too; what is not given has no place.
 */
static struct np_value call_defined(struct np_unit *unit, const struct np_value *value,
                                    const struct np_expr *expr) {
    const struct np_stmt *function = value->function;
    uint32_t n = 0, i = 0, given = 0;
    for (const struct np_param *p = function->params; p; p = p->next)
        n++;
    uint32_t most = n > expr->count ? n : expr->count;
    struct np_value *args = ARENA_ARRAY(&unit->arena, most + 1, struct np_value);
    for (const struct np_expr *x = expr->items; x; x = x->next) {
        uint32_t at = i;
        if (x->kind == NP_EXPR_KEYWORD) {
            const struct np_param *p = function->params;
            for (at = 0; p && strcmp(p->name, x->name) != 0; p = p->next)
                at++;
            if (!p)
                return np_error(unit, x->name_at, "`%s` has no parameter `%s`", function->name,
                                x->name);
        }
        if (args[at].at.end)
            return np_error(unit, x->at, "`%s` is given twice", x->name ? x->name : "a parameter");
        args[at] = np_eval(unit, x->kind == NP_EXPR_KEYWORD ? x->a : x);
        args[at].at = x->at;
        given = at >= given ? at + 1 : given;
        i++;
    }
    return np_call_function(unit, value, args, given, expr->at);
}

static struct np_value *plain_arguments(struct np_unit *unit, const struct np_expr *expr) {
    struct np_value *args = ARENA_ARRAY(&unit->arena, expr->count + 1, struct np_value);
    uint32_t i = 0;
    for (const struct np_expr *x = expr->items; x; x = x->next) {
        if (x->kind == NP_EXPR_KEYWORD)
            np_error(unit, x->name_at, "`%s=` is not taken here", x->name);
        args[i++] = np_eval(unit, x->kind == NP_EXPR_KEYWORD ? x->a : x);
    }
    return args;
}

struct np_value np_call(struct np_unit *unit, const struct np_expr *expr) {
    struct np_value f = np_eval(unit, expr->a);
    struct np_value v = none;
    switch (f.kind) {
    case NP_ERROR:
        break;
    case NP_NUMPY:
        v = np_call_numpy(unit, &f, expr);
        break;
    case NP_FUNCTION:
        v = call_defined(unit, &f, expr);
        break;
    case NP_BUILTIN:
        v = np_builtin(unit, &f, plain_arguments(unit, expr), expr->count, expr->at);
        break;
    case NP_TYPE:
        if (expr->count == 1)
            v = np_make_scalar(unit, f.type, plain_arguments(unit, expr), expr->at);
        else
            np_error(unit, expr->at, "`np.%s` casts one value", np_type_name(f.type));
        break;
    default:
        np_error(unit, expr->at, "%s is called", np_value_text(unit, &f));
        break;
    }
    v.at = expr->at;
    return v;
}
