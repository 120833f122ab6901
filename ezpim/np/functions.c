/* SPDX-License-Identifier: MIT
 * The functions of NumPy and Python that kernels have, by name, and how arguments find their
 * parameters. */
#include "ezpim/np/advice.h"
#include "ezpim/np/functions.h"
#include "support/str.h"

#include <math.h>
#include <string.h>

static const struct np_function functions[] = {
    {"where", "condition x y", np_where, 0, NP_MAKES},
    {"select", "condlist choicelist default", np_select, 0, NP_MAKES},
    {"minimum", "x1 x2 -out -where -dtype", np_extreme, NP_OP_MIN, NP_PLAIN},
    {"maximum", "x1 x2 -out -where -dtype", np_extreme, NP_OP_MAX, NP_PLAIN},
    {"abs", "x -out -where -dtype", np_of_one, NP_OP_ABS, NP_PLAIN},
    {"absolute", "x -out -where -dtype", np_of_one, NP_OP_ABS, NP_PLAIN},
    {"sign", "x -out -where -dtype", np_of_one, NP_OP_SIGN, NP_PLAIN},
    {"sqrt", "x -out -where -dtype", np_of_one, NP_OP_SQRT, NP_PLAIN},
    {"exp", "x -out -where -dtype", np_of_one, ARRAY_OP_EXP, NP_PLAIN},
    {"exp2", "x -out -where -dtype", np_of_one, ARRAY_OP_EXP2, NP_PLAIN},
    {"log", "x -out -where -dtype", np_of_one, ARRAY_OP_LOG, NP_PLAIN},
    {"log2", "x -out -where -dtype", np_of_one, ARRAY_OP_LOG2, NP_PLAIN},
    {"log10", "x -out -where -dtype", np_of_one, ARRAY_OP_LOG10, NP_PLAIN},
    {"sin", "x -out -where -dtype", np_of_one, ARRAY_OP_SIN, NP_PLAIN},
    {"cos", "x -out -where -dtype", np_of_one, ARRAY_OP_COS, NP_PLAIN},
    {"tan", "x -out -where -dtype", np_of_one, ARRAY_OP_TAN, NP_PLAIN},
    {"tanh", "x -out -where -dtype", np_of_one, ARRAY_OP_TANH, NP_PLAIN},
    {"sinh", "x -out -where -dtype", np_of_one, ARRAY_OP_SINH, NP_PLAIN},
    {"cosh", "x -out -where -dtype", np_of_one, ARRAY_OP_COSH, NP_PLAIN},
    {"expm1", "x -out -where -dtype", np_of_one, ARRAY_OP_EXPM1, NP_PLAIN},
    {"log1p", "x -out -where -dtype", np_of_one, ARRAY_OP_LOG1P, NP_PLAIN},
    {"arctan", "x -out -where -dtype", np_of_one, ARRAY_OP_ARCTAN, NP_PLAIN},
    {"floor", "x -out -where -dtype", np_of_one, NP_OP_FLOOR, NP_PLAIN},
    {"ceil", "x -out -where -dtype", np_of_one, NP_OP_CEIL, NP_PLAIN},
    {"trunc", "x -out -where -dtype", np_of_one, NP_OP_TRUNC, NP_PLAIN},
    {"rint", "x -out -where -dtype", np_of_one, NP_OP_RINT, NP_PLAIN},
    {"isnan", "x -out -where", np_of_one, NP_OP_ISNAN, NP_PLAIN},
    {"isinf", "x -out -where", np_of_one, NP_OP_ISINF, NP_PLAIN},
    {"isfinite", "x -out -where", np_of_one, NP_OP_ISFINITE, NP_PLAIN},
    {"signbit", "x -out -where", np_of_one, NP_OP_SIGNBIT, NP_PLAIN},
    {"copysign", "x1 x2 -out -where -dtype", np_extreme, NP_OP_COPYSIGN, NP_PLAIN},
    {"fmin", "x1 x2 -out -where -dtype", np_extreme, NP_OP_FMIN, NP_PLAIN},
    {"fmax", "x1 x2 -out -where -dtype", np_extreme, NP_OP_FMAX, NP_PLAIN},
    {"power", "x1 x2 -out -where -dtype", np_extreme, NP_OP_POW, NP_PLAIN},
    {"add", "x1 x2 -out -where -dtype", np_extreme, NP_OP_ADD, NP_PLAIN},
    {"subtract", "x1 x2 -out -where -dtype", np_extreme, NP_OP_SUB, NP_PLAIN},
    {"multiply", "x1 x2 -out -where -dtype", np_extreme, NP_OP_MUL, NP_PLAIN},
    {"divide", "x1 x2 -out -where -dtype", np_extreme, NP_OP_DIV, NP_PLAIN},
    {"true_divide", "x1 x2 -out -where -dtype", np_extreme, NP_OP_DIV, NP_PLAIN},
    {"floor_divide", "x1 x2 -out -where -dtype", np_extreme, NP_OP_FLOORDIV, NP_PLAIN},
    {"remainder", "x1 x2 -out -where -dtype", np_extreme, NP_OP_MOD, NP_PLAIN},
    {"mod", "x1 x2 -out -where -dtype", np_extreme, NP_OP_MOD, NP_PLAIN},
    {"bitwise_and", "x1 x2 -out -where -dtype", np_extreme, NP_OP_AND, NP_PLAIN},
    {"bitwise_or", "x1 x2 -out -where -dtype", np_extreme, NP_OP_OR, NP_PLAIN},
    {"bitwise_xor", "x1 x2 -out -where -dtype", np_extreme, NP_OP_XOR, NP_PLAIN},
    {"left_shift", "x1 x2 -out -where -dtype", np_extreme, NP_OP_SHL, NP_PLAIN},
    {"right_shift", "x1 x2 -out -where -dtype", np_extreme, NP_OP_SHR, NP_PLAIN},
    {"equal", "x1 x2 -out -where -dtype", np_extreme, NP_OP_EQ, NP_PLAIN},
    {"not_equal", "x1 x2 -out -where -dtype", np_extreme, NP_OP_NE, NP_PLAIN},
    {"less", "x1 x2 -out -where -dtype", np_extreme, NP_OP_LT, NP_PLAIN},
    {"less_equal", "x1 x2 -out -where -dtype", np_extreme, NP_OP_LE, NP_PLAIN},
    {"greater", "x1 x2 -out -where -dtype", np_extreme, NP_OP_GT, NP_PLAIN},
    {"greater_equal", "x1 x2 -out -where -dtype", np_extreme, NP_OP_GE, NP_PLAIN},
    {"positive", "x -out -where -dtype", np_of_one, NP_OP_PLUS, NP_PLAIN},
    {"invert", "x -out -where -dtype", np_of_one, NP_OP_INVERT, NP_PLAIN},
    {"bitwise_not", "x -out -where -dtype", np_of_one, NP_OP_INVERT, NP_PLAIN},
    {"logical_and", "x1 x2 -out -where -dtype", np_logical, NP_OP_AND, NP_PLAIN},
    {"logical_or", "x1 x2 -out -where -dtype", np_logical, NP_OP_OR, NP_PLAIN},
    {"logical_xor", "x1 x2 -out -where -dtype", np_logical, NP_OP_XOR, NP_PLAIN},
    {"logical_not", "x -out -where -dtype", np_logical, NP_OP_INVERT, NP_PLAIN},
    {"square", "x -out -where -dtype", np_square, 0, NP_PLAIN},
    {"clip", "a a_min a_max -out -dtype", np_clip, 0, NP_METHOD},
    {"zeros", "shape dtype -order", np_same, 0, NP_MAKES},
    {"ones", "shape dtype -order", np_same, 1, NP_MAKES},
    {"full", "shape fill_value dtype -order", np_full, 0, NP_MAKES},
    {"empty", "shape dtype -order", np_same, 0, NP_MAKES},
    {"empty_like", "a dtype -order", np_same_like, 0, NP_MAKES},
    {"zeros_like", "a dtype -order", np_same_like, 0, NP_MAKES},
    {"ones_like", "a dtype -order", np_same_like, 1, NP_MAKES},
    {"full_like", "a fill_value dtype -order", np_full_like, 0, NP_MAKES},
    {"arange", "start stop step dtype", np_arange, 0, NP_PLAIN},
    {"array", "object dtype -copy -order", np_array_of, 0, NP_MAKES},
    {"frombuffer", "buffer dtype -count -offset", np_from_bytes, 0, NP_PLAIN},
    {"iinfo", "type", np_info, TYPE_INT, NP_PLAIN},
    {"finfo", "dtype", np_info, TYPE_FLOAT, NP_PLAIN},
    {"copy", "a -order", np_copy, 0, NP_METHOD | NP_MAKES},
    {"astype", "a dtype -order -casting -copy", np_astype, 0, NP_METHOD},
    {"reshape", "a *newshape", np_reshape, 0, NP_METHOD | NP_MAKES},
    {"ravel", "a -order", np_ravel, 0, NP_METHOD},
    {"flatten", "a -order", np_copy_flat, 0, NP_METHOD},
    {"transpose", "a *axes", np_transpose, 0, NP_METHOD | NP_MAKES},
    {"broadcast_to", "array shape", np_broadcast_to, 0, NP_MAKES},
    {"sum", "a axis dtype -out keepdims -initial -where", np_sum, 0, NP_METHOD},
    {"prod", "a axis dtype -out keepdims -initial -where", np_prod, 0, NP_METHOD},
    {"mean", "a axis dtype -out keepdims -where", np_mean, 0, NP_METHOD},
    {"min", "a axis -out keepdims -initial -where", np_most, ARRAY_MIN, NP_METHOD},
    {"max", "a axis -out keepdims -initial -where", np_most, ARRAY_MAX, NP_METHOD},
    {"amin", "a axis -out keepdims -initial -where", np_most, ARRAY_MIN, NP_PLAIN},
    {"amax", "a axis -out keepdims -initial -where", np_most, ARRAY_MAX, NP_PLAIN},
    {"any", "a axis -out keepdims -where", np_truths, ARRAY_OR, NP_METHOD},
    {"all", "a axis -out keepdims -where", np_truths, ARRAY_AND, NP_METHOD},
    {"count_nonzero", "a axis keepdims", np_count_nonzero, 0, NP_PLAIN},
    {"argmin", "a axis -out keepdims", np_number_of, ARRAY_ARGMIN, NP_METHOD},
    {"argmax", "a axis -out keepdims", np_number_of, ARRAY_ARGMAX, NP_METHOD},
    {"cumsum", "a axis dtype -out", np_cumsum, 0, NP_METHOD},
    {"stack", "arrays axis -out", np_stack, 0, NP_PLAIN},
    {"concatenate", "arrays axis -out -dtype", np_concatenate, 0, NP_PLAIN},
    {"hstack", "tup -dtype", np_side_by_side, NP_HSTACK, NP_PLAIN},
    {"vstack", "tup -dtype", np_side_by_side, NP_VSTACK, NP_PLAIN},
    {"dstack", "tup", np_side_by_side, NP_DSTACK, NP_PLAIN},
    {"column_stack", "tup", np_side_by_side, NP_COLUMNS, NP_PLAIN},
    {"diff", "a n axis -prepend -append", np_diff, 0, NP_PLAIN},
    {"outer", "a b -out", np_outer, 0, NP_PLAIN},
    {"pad", "array pad_width mode constant_values", np_pad, 0, NP_MAKES},
    {"roll", "a shift axis", np_roll, 0, NP_MAKES},
    {"flip", "m axis", np_flip, 0, NP_MAKES},
    {"take", "a indices axis mode", np_take, 0, NP_METHOD},
    {"sort", "a axis -kind -order", np_sort, 0, NP_PLAIN},
    {"dot", "a b -out", np_dot, 0, NP_METHOD},
    {"matmul", "x1 x2 -out", np_matmul, 0, NP_PLAIN},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static const char *const types[] = {"bool_",   "uint8",   "uint16", "uint32", "uint64",
                                    "int8",    "int16",   "int32",  "int64",  "float16",
                                    "float32", "float64", "newaxis"};

const struct np_function *np_function_find(const char *name) {
    for (size_t i = 0; i < FUNCTIONS; i++)
        if (functions[i].name[0] == name[0] && strcmp(functions[i].name, name) == 0)
            return &functions[i];
    return NULL;
}

/* ---- names that there are not ---- */

static void suggest(struct np_unit *unit, const char *name, struct span at, bool methods) {
    const char *names[FUNCTIONS + sizeof types / sizeof *types + 6];
    size_t n = 0;
    for (size_t i = 0; i < FUNCTIONS; i++)
        if (strcmp(functions[i].name, "astype") != 0 || methods)
            if (functions[i].flags & NP_METHOD || !methods)
                names[n++] = functions[i].name;
    for (size_t i = 0; i < sizeof types / sizeof *types && !methods; i++)
        names[n++] = types[i];
    if (methods) {
        names[n++] = "shape";
        names[n++] = "size";
        names[n++] = "ndim";
        names[n++] = "dtype";
    }
    np_suggest(unit, at, name, names, n);
}

void np_unknown_method(struct np_unit *unit, const char *name, struct span at) {
    const struct np_function *f = np_function_find(name);
    np_error(unit, at, "arrays have no `%s` in kernels", name);
    bool other = strcmp(name, "resize") == 0 || strcmp(name, "ctypes") == 0; /* NumPy's, too */
    if (strcmp(name, "sort") == 0)
        np_note(unit, at, "`x[...] = np.sort(x)` sorts in place");
    else if (f && !(f->flags & NP_METHOD))
        np_note(unit, at, "it is written `np.%s(x, ..)`", name);
    else if (!other)
        suggest(unit, name, at, true);
}

struct np_value np_numpy_attribute(struct np_unit *unit, const char *name, struct span at,
                                   struct span name_at) {
    struct lane_type type;
    const struct np_function *f = np_function_find(name);
    bool brief = name[0] && (name[1] == '\0' || (name[1] >= '0' && name[1] <= '9')) &&
                 strchr("iuf", name[0]);
    static const struct {
        const char *name;
        double value;
    } reals[] = {{"pi", 0x1.921fb54442d18p1},
                 {"e", 0x1.5bf0a8b145769p1},
                 {"inf", (double)INFINITY},
                 {"nan", (double)NAN}};
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        if (strcmp(reals[i].name, name) == 0)
            return (struct np_value){.kind = NP_REAL, .at = at, .real = reals[i].value};
    if (strcmp(name, "newaxis") == 0)
        return (struct np_value){.kind = NP_NONE, .at = at};
    if (strcmp(name, "bool") != 0 && !brief && np_type_parse(name, &type))
        return (struct np_value){.kind = NP_TYPE, .at = at, .type = type};
    if (f && strcmp(name, "astype") != 0 && strcmp(name, "flatten") != 0)
        return (struct np_value){.kind = NP_NUMPY, .at = at, .text = name, .function = f};
    if (!np_not_taken(unit, name, name_at))
        suggest(unit, name, name_at, false);
    return (struct np_value){.kind = NP_ERROR};
}

/* ---- arguments ---- */

enum { MOST_PARAMETERS = 8 };

struct parameter {
    char name[16];
    bool refused, rest;
};

static uint32_t parameters_of(const struct np_function *function, struct parameter *parameter) {
    uint32_t n = 0;
    for (const char *s = function->signature; *s; n++) {
        size_t length = strcspn(s, " ");
        parameter[n] = (struct parameter){.refused = *s == '-', .rest = *s == '*'};
        size_t skip = parameter[n].refused || parameter[n].rest;
        memcpy(parameter[n].name, s + skip, length - skip);
        s += length + (s[length] == ' ');
    }
    return n;
}

struct passing {
    struct np_unit *u;
    const struct np_function *f;
    struct parameter parameters[MOST_PARAMETERS];
    uint32_t count;
    struct np_value *values;
    bool good;
};

static void pass(struct passing *passing, uint32_t index, struct np_value value, const char *name) {
    if (passing->parameters[index].refused) {
        np_error(passing->u, value.at, "`%s=` of `%s` is not taken in kernels",
                 passing->parameters[index].name, passing->f->name);
        passing->good = false;
    } else if (passing->values[index].kind != NP_NONE && name) {
        np_error(passing->u, value.at, "`%s` is given twice", name);
        passing->good = false;
    } else {
        passing->values[index] = value;
    }
}

static void pass_keyword(struct passing *p, const struct np_expr *expr, struct np_value value) {
    const char *names[MOST_PARAMETERS];
    size_t n = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        if (strcmp(p->parameters[i].name, expr->name) == 0) {
            value.at = p->parameters[i].refused ? expr->name_at : value.at;
            pass(p, i, value, expr->name);
            return;
        }
        if (!p->parameters[i].refused)
            names[n++] = p->parameters[i].name;
    }
    np_error(p->u, expr->name_at, "`%s` has no parameter `%s`", p->f->name, expr->name);
    np_suggest(p->u, expr->name_at, expr->name, names, n);
    p->good = false;
}

/* What follows as one tuple. */
static void pass_rest(struct passing *passing, uint32_t index, const struct np_expr *expr) {
    uint32_t n = 0;
    for (const struct np_expr *x = expr; x && x->kind != NP_EXPR_KEYWORD; x = x->next)
        n++;
    if (n == 1) {
        passing->values[index] = np_eval(passing->u, expr);
        return;
    }
    struct np_value *items = ARENA_ARRAY(&passing->u->arena, n + 1, struct np_value);
    for (uint32_t k = 0; k < n; k++, expr = expr->next)
        items[k] = np_eval(passing->u, expr);
    if (n)
        passing->values[index] = np_items_value(NP_TUPLE, items, n, items[0].at);
}

static void pass_all(struct passing *p, const struct np_value *self, const struct np_expr *items) {
    uint32_t i = 0;
    bool rest = false;
    if (self)
        p->values[i++] = *self;
    for (const struct np_expr *e = items; e; e = e->next) {
        if (e->kind == NP_EXPR_KEYWORD) {
            pass_keyword(p, e, np_eval(p->u, e->a));
        } else if (rest) {
            continue;
        } else if (i >= p->count) {
            np_error(p->u, e->at, "`%s` has %u parameter%s", p->f->name, p->count,
                     p->count == 1 ? "" : "s");
            p->good = false;
            return;
        } else if (p->parameters[i].rest) {
            rest = true;
            pass_rest(p, i++, e);
        } else {
            struct np_value v = np_eval(p->u, e);
            pass(p, i++, v, NULL);
        }
    }
}

struct np_value np_call_numpy(struct np_unit *unit, const struct np_value *value,
                              const struct np_expr *call) {
    struct passing p = {.u = unit, .f = value->function, .good = true};
    struct np_value self = *value;
    bool method = value->array != NULL;
    self.kind = NP_ARRAY;
    p.count = parameters_of(p.f, p.parameters);
    p.values = ARENA_ARRAY(&unit->arena, p.count, struct np_value);
    for (uint32_t i = 0; i < p.count; i++)
        p.values[i] = (struct np_value){.kind = NP_NONE, .at = call->at};
    pass_all(&p, method ? &self : NULL, call->items);
    for (uint32_t i = 0; i < p.count; i++)
        p.good &= p.values[i].kind != NP_ERROR;
    if (!p.good)
        return (struct np_value){.kind = NP_ERROR, .at = call->at};
    if (p.values[0].kind == NP_NONE)
        return np_error(unit, call->at, "`%s` lacks `%s`", p.f->name, p.parameters[0].name);
    const struct np_args a = {p.f->name, call->at, p.values, p.f->which};
    struct np_value v = p.f->call(unit, &a);
    v.is_object = p.f->flags & NP_MAKES && v.kind == NP_ARRAY && v.array->ndim == 0;
    return v;
}

bool np_is_written(const struct np_args *args, uint32_t index) {
    return args->items[index].at.begin != args->at.begin ||
           args->items[index].at.end != args->at.end;
}

bool np_given(struct np_unit *unit, const struct np_args *args, uint32_t index, const char *name) {
    if (args->items[index].kind != NP_NONE)
        return true;
    np_error(unit, args->at, "`%s` lacks `%s`", args->name, name);
    return false;
}
