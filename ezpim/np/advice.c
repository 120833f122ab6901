/* SPDX-License-Identifier: MIT
 * What NumPy makes of what kernels do not take, and the text that says the same here.  A fix-it is
 * what the line means; where NumPy stops, or its versions differ, there is a note or nothing. */
#include "ezpim/np/advice.h"

#include <string.h>

/* ---- types ---- */

static const struct lane_type int8 = {TYPE_INT, 8}, float16 = {TYPE_FLOAT, 16},
                              float64 = {TYPE_FLOAT, 64};

struct lane_type np_real_type(struct lane_type type) {
    if (array_is_float(type))
        return type;
    return (struct lane_type){TYPE_FLOAT, type.bits <= 8 ? 16 : type.bits == 16 ? 32 : 64};
}

static struct lane_type wider(struct lane_type left, struct lane_type right) {
    return left.bits > right.bits ? left : right;
}

struct lane_type np_promoted(struct lane_type left, struct lane_type right) {
    if (array_is_bool(left))
        return right;
    if (array_is_bool(right) || array_same_type(left, right))
        return left;
    if (array_is_float(left) || array_is_float(right))
        return wider(np_real_type(left), np_real_type(right));
    if (left.kind == right.kind)
        return wider(left, right);
    struct lane_type whole = left.kind == TYPE_INT ? left : right;
    uint8_t bits = left.kind == TYPE_INT ? right.bits : left.bits; /* of what has no sign */
    if (whole.bits > bits)
        return whole;
    return bits == 64 ? float64 : (struct lane_type){TYPE_INT, (uint8_t)(2 * bits)};
}

/* ---- operators ---- */

bool np_is_among(const char *op, const char *words) {
    size_t n = strlen(op);
    for (const char *s = strstr(words, op); s; s = strstr(s + 1, op))
        if ((s == words || s[-1] == ' ') && (s[n] == ' ' || s[n] == '\0'))
            return true;
    return false;
}

static const char *cast_text(struct np_unit *unit, const struct np_value *value,
                             struct lane_type type) {
    if (value->kind != NP_ARRAY || array_same_type(value->array->type, type))
        return np_operand_text(unit, value->at);
    return arena_printf(&unit->arena, "%s.astype(%s)", np_operand_text(unit, value->at),
                        np_type_text(unit, type));
}

void np_offer_cast(struct np_unit *unit, const struct np_value *value, struct lane_type type) {
    if (value->kind == NP_ARRAY && !array_same_type(value->array->type, type))
        np_offer(unit, value->at, "%s", cast_text(unit, value, type));
}

/* `x op= y` keeps the type of x, if it is an array: where low bits depend on low bits alone, y may
 * be cast before.  Other values are bound anew. */
static void offer_in_place(struct np_unit *unit, const char *op, const struct np_value *left,
                           const struct np_value *right, struct lane_type both) {
    const struct lane_type type = left->array->type;
    bool wraps = np_is_among(op, "+ - * & | ^") && !array_is_float(both) && !array_is_bool(type) &&
                 !(both.kind == TYPE_INT && type.kind == TYPE_UINT);
    if (array_same_type(both, type) || (wraps && left->array->ndim))
        np_offer_cast(unit, right, type);
    else
        np_note(unit, right->at, "NumPy computes this in %s", np_type_name(both));
}

void np_types_differ(struct np_unit *unit, const char *op, const struct np_value *left,
                     const struct np_value *right, struct span at) {
    const struct lane_type x = left->array->type, y = right->array->type;
    bool real = np_is_among(op, "copysign");
    const struct lane_type both =
        real ? np_promoted(np_real_type(x), np_real_type(y)) : np_promoted(x, y);
    bool whole = !array_is_float(x) && !array_is_float(y);
    np_error(unit, at, "`%s` of %s and %s: NumPy would choose a type, here it is said", op,
             np_type_short(x), np_type_short(y));
    if (array_is_float(both) && np_is_among(op, "& | ^ << >>"))
        np_note(unit, at, "NumPy stops here");
    else if (array_is_float(both) && whole && np_is_among(op, "== != < <= > >="))
        np_note(unit, at, "NumPy 1.24 compares them in float64, NumPy 2 as they are");
    else if (unit->computed)
        offer_in_place(unit, op, left, right, both);
    else
        np_offer_cast(unit, left, both), np_offer_cast(unit, right, both);
}

/* Whether both versions of NumPy give what `np.T(number)` gives. */
static bool is_agreed(const char *op, const struct np_value *number, struct lane_type type) {
    const np_int most = array_is_float(type) ? 2048 : (np_int)1 << 64;
    bool exact = number->kind == NP_INT && number->number <= most && number->number >= -most;
    if (number->kind == NP_REAL || array_is_bool(type))
        return type.bits == 64 && array_is_float(type);
    return exact &&
           ((type.bits == 64 && type.kind != TYPE_UINT) || np_is_among(op, "== != < <= > >="));
}

void np_no_dimension(struct np_unit *unit, const char *op, const struct np_value *number,
                     const struct array_ref *array, struct span at) {
    bool fits = number->kind == NP_INT &&
                (array_is_float(array->type) ||
                 array_range_within((struct array_range){number->number, number->number},
                                    array_type_range(array->type)));
    bool compares = np_is_among(op, "== != < <= > >=");
    np_error(unit, at, "`%s` of a number and a value without dimension (%s): %s", op,
             np_type_short(array->type),
             compares ? "the number's type is said" : "NumPy 1.24 and 2 give different types");
    if (array_is_bool(array->type) ||
        !(fits || (number->kind == NP_REAL && array_is_float(array->type))))
        return;
    const char *text = arena_printf(&unit->arena, "%s(%s)", np_type_text(unit, array->type),
                                    np_source_text(unit, number->at));
    if (is_agreed(op, number, array->type))
        np_offer(unit, number->at, "%s", text);
    else
        np_note(unit, number->at, "`%s` has the type that NumPy 2 takes", text);
}

/* ---- bool ---- */

/* Both operands as they stand in the text; the operator is another one. */
static void offer_operator(struct np_unit *unit, const char *op, const struct np_value *left,
                           const struct np_value *right, struct span at) {
    if (unit->computed)
        np_offer(unit, at, "%s %s= %s", np_source_text(unit, unit->computed->target->at), op,
                 np_source_text(unit, unit->computed->value->at));
    else
        np_offer(unit, at, "(%s %s %s)", np_operand_text(unit, left->at), op,
                 np_operand_text(unit, right->at));
}

void np_no_bool(struct np_unit *unit, enum np_operator op, const struct np_value *left,
                const struct np_value *right, struct span at) {
    const char *text = np_operator_text(op);
    np_error(unit, at, "`%s` of bool arrays is not taken: bool has `& | ^ ~` and comparisons",
             np_called(unit, op));
    if (right && (op == NP_OP_ADD || op == NP_OP_MUL))
        offer_operator(unit, op == NP_OP_ADD ? "|" : "&", left, right, at);
    else if (right && !unit->computed && np_is_among(text, "// % ** << >>"))
        np_offer_cast(unit, left, int8), np_offer_cast(unit, right, int8);
    else if (right && np_is_among(text, "copysign"))
        np_offer_cast(unit, left, float16), np_offer_cast(unit, right, float16);
    else if (np_is_among(text, "sqrt rint isnan isinf isfinite signbit"))
        np_offer_cast(unit, left, float16);
    else if (op == NP_OP_ABS)
        np_offer(unit, at, "%s.copy()", np_operand_text(unit, left->at));
    else if (op == NP_OP_SUB && right)
        np_note(unit, at, "NumPy stops here; `^` says where they differ");
    else if (op == NP_OP_NEG)
        np_note(unit, at, "NumPy stops here; `~` is the opposite");
}

/* ---- floats ---- */

void np_no_integer(struct np_unit *unit, enum np_operator op, const struct np_value *left,
                   const struct np_value *right, struct span at) {
    const char *text = np_operator_text(op);
    struct lane_type type = left->array->type;
    np_error(unit, at, "`%s` is of floats, and this is %s: NumPy would choose a type",
             np_called(unit, op), np_type_short(type));
    if (np_is_among(text, "floor ceil trunc"))
        np_note(unit, at, "integers are whole; NumPy 1.24 gives floats, and NumPy 2 integers");
    else if (np_is_among(text, "fmin fmax"))
        np_note(unit, at, "of integers it is `np.%s`", op == NP_OP_FMIN ? "minimum" : "maximum");
    else
        np_offer_cast(unit, left, np_real_type(type));
    if (right && op == NP_OP_COPYSIGN)
        np_offer_cast(unit, right, np_real_type(type));
}

void np_no_division(struct np_unit *unit, const struct np_value *left, const struct np_value *right,
                    struct span at) {
    np_error(unit, at, "`/` of integers gives float64 in NumPy; here the type is said");
    if (unit->computed)
        np_note(unit, at, "in place NumPy stops here; `//` rounds down");
    else
        np_offer(unit, at, "(%s / %s)", cast_text(unit, left, float64),
                 cast_text(unit, right, float64));
}

/* ---- keywords ---- */

void np_offer_keyword(struct np_unit *unit, struct span call, const char *name,
                      struct lane_type type) {
    uint32_t end = call.end - 1; /* `)` */
    while (end > call.begin && strchr(" \t\n", unit->text[end - 1]))
        end--;
    bool first = unit->text[end - 1] == '(', comma = unit->text[end - 1] == ',';
    np_offer(unit, (struct span){call.source, end, end}, "%s%s=%s",
             first   ? ""
             : comma ? " "
                     : ", ",
             name, np_type_text(unit, type));
}

/* ---- names ---- */

/* Names of NumPy, and what is written instead: an expression of a, b and so on, a sentence, or NULL
 * where nothing is like it. */
static const char *const names[][2] = {
    {"add", "a + b"},
    {"subtract", "a - b"},
    {"multiply", "a * b"},
    {"floor_divide", "a // b"},
    {"remainder", "a % b"},
    {"mod", "a % b"},
    {"bitwise_and", "a & b"},
    {"bitwise_or", "a | b"},
    {"bitwise_xor", "a ^ b"},
    {"logical_and", "of bool arrays it is written `a & b`, of others `(a != 0) & (b != 0)`"},
    {"logical_or", "of bool arrays it is written `a | b`, of others `(a != 0) | (b != 0)`"},
    {"logical_xor", "of bool arrays it is written `a ^ b`, of others `(a != 0) ^ (b != 0)`"},
    {"logical_not", "of bool arrays it is written `~a`, of others `a == 0`"},
    {"invert", "~a"},
    {"bitwise_not", "~a"},
    {"bitwise_invert", "~a"},
    {"left_shift", "a << b"},
    {"right_shift", "a >> b"},
    {"bitwise_left_shift", "a << b"},
    {"bitwise_right_shift", "a >> b"},
    {"negative", "-a"},
    {"positive", "+a"},
    {"equal", "a == b"},
    {"not_equal", "a != b"},
    {"less", "a < b"},
    {"less_equal", "a <= b"},
    {"greater", "a > b"},
    {"greater_equal", "a >= b"},
    {"divide", "a / b"},
    {"true_divide", "a / b"},
    {"pow", "a ** b"},
    {"reciprocal", "of floats it is written `1 / a`"},
    {"square", "of integers and floats it is written `a * a`"},
    {"fabs", "of floats it is written `np.abs(a)`"},
    {"round", "without decimals it is written `np.rint(a)`, of floats"},
    {"around", "without decimals it is written `np.rint(a)`, of floats"},
    {"fix", "of floats it is written `np.trunc(a)`"},
    {"average", "without weights it is written `a.mean()`"},
    {"std", "np.sqrt(((a - a.mean()) ** 2).mean())"},
    {"var", "((a - a.mean()) ** 2).mean()"},
    {"ptp", "np.max(a) - np.min(a)"},
    {"empty", "np.zeros(shape, dtype=T)"},
    {"empty_like", "np.zeros_like(a)"},
    {"vstack", "of arrays with one axis it is written `np.stack((a, b))`"},
    {"hstack", "of arrays with one axis it is written `np.concatenate((a, b))`"},
    {"dstack", "of arrays with two axes it is written `np.stack((a, b), axis=2)`"},
    {"column_stack", "of arrays with one axis it is written `np.stack((a, b), axis=1)`"},
    {"repeat", "np.repeat(a, m) is `np.broadcast_to(a[:, None], (a.size, m)).ravel()`"},
    {"tile", "of one axis np.tile(a, m) is `np.broadcast_to(a, (m, a.size)).ravel()`"},
    {"inner", "of arrays with one axis it is written `np.dot(a, b)`"},
    {"outer", "of arrays with one axis it is written `a[:, None] * b`"},
    {"vdot", "of arrays with one axis it is written `np.dot(a, b)`"},
    {"nonzero",
     "of one axis np.nonzero(m)[0] is `np.arange(m.size, dtype=np.int64)[m]`, m a bool array"},
    {"flatnonzero", "of a bool array with one axis it is `np.arange(m.size, dtype=np.int64)[m]`"},
    {"fliplr", "np.flip(a, axis=1)"},
    {"flipud", "np.flip(a, axis=0)"},
    {"concat", "np.concatenate((a, b))"},
    {"permute_dims", "np.transpose(a, axes)"},
    {"swapaxes", "np.transpose(a, axes)"},
    {"expand_dims", "np.expand_dims(a, 0) is `a[np.newaxis]`"},
    {"asarray", "an array is one already"},
    {"ascontiguousarray", "an array is one already"},
    {"msort", "of arrays with one axis it is written `np.sort(a)`"},
    {"add.at", "indices that are data are read with `x[i]`, and not written"},
    {"add.reduce", "of arrays with one axis it is written `np.sum(a)`"},
    {"add.accumulate", "of arrays with one axis it is written `np.cumsum(a)`"},
    {"add.outer", "of arrays with one axis it is written `a[:, None] + b`"},
    {"multiply.reduce", "of arrays with one axis it is written `np.prod(a)`"},
    {"multiply.outer", "of arrays with one axis it is written `a[:, None] * b`"},
    {"minimum.reduce", "of arrays with one axis it is written `np.min(a)`"},
    {"maximum.reduce", "of arrays with one axis it is written `np.max(a)`"},
    {"linalg.norm", "of floats with one axis it is written `np.sqrt((a * a).sum())`"},
    {"CLIP", NULL},
    {"Infinity", "np.inf"},
    {"broadcast", NULL},
    {"copyto", NULL},
    {"flatiter", NULL},
    {"float128", NULL},
    {"isin", NULL},
    {"isnat", NULL},
    {"ma", NULL},
    {"mat", NULL},
    {"median", NULL},
    {"nanargmax", NULL},
    {"nanargmin", NULL},
    {"nancumsum", NULL},
    {"nanmax", NULL},
    {"nanmin", NULL},
    {"ndarray", NULL}};

/* Types under other names. */
static const char *const types[][2] = {
    {"bool", "bool_"},       {"byte", "int8"},    {"ubyte", "uint8"},    {"short", "int16"},
    {"ushort", "uint16"},    {"intc", "int32"},   {"uintc", "uint32"},   {"longlong", "int64"},
    {"ulonglong", "uint64"}, {"half", "float16"}, {"single", "float32"}, {"double", "float64"},
    {"float_", "float64"}};

/* Those that another machine has otherwise. */
static const char *const machine_types[] = {"int_", "uint", "intp", "uintp", "long", "ulong"};

/* Functions whose last bit NumPy itself gives one way on one computer and another on the next. */
static const char *const inexact[] = {"exp",     "exp2",        "expm1", "log",  "log2",   "log10",
                                      "log1p",   "sin",         "cos",   "tan",  "arcsin", "arccos",
                                      "arctan",  "sinh",        "cosh",  "tanh", "cbrt",   "hypot",
                                      "arctan2", "float_power", "asin",  "acos", "atan",   "atan2"};

static bool is_inexact(const char *name) {
    for (size_t i = 0; i < sizeof inexact / sizeof *inexact; i++)
        if (strcmp(inexact[i], name) == 0)
            return true;
    return false;
}

/* True after saying how another type is called. */
static bool offer_type(struct np_unit *unit, const char *name, struct span at) {
    struct lane_type type;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i][0], name) == 0)
            return np_offer(unit, at, "%s", types[i][1]), true;
    for (size_t i = 0; i < sizeof machine_types / sizeof *machine_types; i++)
        if (strcmp(machine_types[i], name) == 0)
            return np_note(unit, at, "its width depends on the machine; `np.int64` says it"), true;
    if (!np_type_parse(name, &type) || array_is_bool(type))
        return false;
    np_offer(unit, at, "%s", np_type_name(type));
    return true;
}

/* True where the name is NumPy's, after saying what is written instead. */
static bool note_name(struct np_unit *unit, const char *name, struct span at) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = names[i][1];
        if (strcmp(names[i][0], name) != 0)
            continue;
        if (text && (strchr(text, '`') || strstr(text, "already")))
            np_note(unit, at, "%s", text);
        else if (text)
            np_note(unit, at, "it is written `%s`", text);
        return true;
    }
    return false;
}

bool np_not_taken(struct np_unit *unit, const char *name, struct span at) {
    if (strncmp(name, "random", 6) == 0 && (name[6] == '\0' || name[6] == '.')) {
        np_error(unit, at, "`np.%s` in a kernel: inputs are made when it runs", name);
        np_note(unit, NO_SPAN, "`mpu-run kernel.py --in x=random:SEED` fills a parameter");
        return true;
    }
    np_error(unit, at, "`np.%s` is not taken in kernels", name);
    if (is_inexact(name)) {
        np_note(unit, at,
                "its last bit differs from one NumPy to the next; a polynomial of `+` and `*` "
                "gives the same everywhere");
        return true;
    }
    return offer_type(unit, name, at) || note_name(unit, name, at) || strchr(name, '.');
}
