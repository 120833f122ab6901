/* SPDX-License-Identifier: MIT
 * What NumPy makes of what kernels do not take, and the text that says the same here.  A fix-it is
 * what the line means; where NumPy stops, or its versions differ, there is a note or nothing. */
#include "ezpim/np/advice.h"
#include "ezpim/np/promotion.h"

#include <string.h>

bool np_is_among(const char *op, const char *words) {
    size_t n = strlen(op);
    for (const char *s = strstr(words, op); s; s = strstr(s + 1, op))
        if ((s == words || s[-1] == ' ') && (s[n] == ' ' || s[n] == '\0'))
            return true;
    return false;
}

void np_offer_cast(struct np_unit *unit, const struct np_value *value, struct lane_type type) {
    if (value->kind == NP_ARRAY && !array_same_type(value->array->type, type))
        np_offer(unit, value->at, "%s.astype(%s)", np_operand_text(unit, value->at),
                 np_type_text(unit, type));
}

void np_not_in_place(struct np_unit *unit, struct lane_type type, struct lane_type into,
                     struct span at) {
    np_error(unit, at, "this gives %s, which NumPy does not store in an array of type %s in place",
             np_type_name(type), np_type_short(into));
    np_note(unit, at, "`x[...] = (..).astype(%s)` says it", np_type_text(unit, into));
}

/* ---- bool ---- */

void np_no_bool(struct np_unit *unit, enum np_operator op, const struct np_value *right,
                struct span at) {
    np_error(unit, at, "`%s` of bool arrays is not taken", np_called(unit, op));
    if (op == NP_OP_SUB && right)
        np_note(unit, at, "NumPy stops here; `^` says where they differ");
    else if (op == NP_OP_NEG)
        np_note(unit, at, "NumPy stops here; `~` is the opposite");
    else if (op == NP_OP_PLUS || op == NP_OP_SIGN)
        np_note(unit, at, "NumPy stops here");
}

void np_no_integer(struct np_unit *unit, enum np_operator op, const struct np_value *value,
                   struct span at) {
    np_error(unit, at, "`%s` is of floats, and this is %s: NumPy would choose a type",
             np_called(unit, op), np_type_short(value->array->type));
    np_note(unit, at, "integers are whole; NumPy 1.24 gives floats, and NumPy 2 integers");
}

/* ---- names ---- */

/* Names of NumPy, and what is written instead: an expression of a, b and so on, a sentence, or NULL
 * where nothing is like it. */
static const char *const names[][2] = {
    {"bitwise_invert", "~a"},
    {"bitwise_left_shift", "a << b"},
    {"bitwise_right_shift", "a >> b"},
    {"negative", "-a"},
    {"pow", "a ** b"},
    {"reciprocal", "of floats it is written `1 / a`"},
    {"fabs", "of floats it is written `np.abs(a)`"},
    {"round", "without decimals it is written `np.rint(a)`, of floats"},
    {"around", "without decimals it is written `np.rint(a)`, of floats"},
    {"fix", "of floats it is written `np.trunc(a)`"},
    {"average", "without weights it is written `a.mean()`"},
    {"std", "np.sqrt(((a - a.mean()) ** 2).mean())"},
    {"var", "((a - a.mean()) ** 2).mean()"},
    {"ptp", "np.max(a) - np.min(a)"},
    {"repeat", "np.repeat(a, m) is `np.broadcast_to(a[:, None], (a.size, m)).ravel()`"},
    {"tile", "of one axis np.tile(a, m) is `np.broadcast_to(a, (m, a.size)).ravel()`"},
    {"inner", "of arrays with one axis it is written `np.dot(a, b)`"},
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
    {"NAN", "np.nan"},
    {"NaN", "np.nan"},
    {"cov", NULL},
    {"sinc", NULL},
    {"broadcast", NULL},
    {"copyto", NULL},
    {"flatiter", NULL},
    {"float128", NULL},
    {"fmod", NULL},
    {"info", NULL},
    {"insert", NULL},
    {"interp", NULL},
    {"isin", NULL},
    {"isnat", NULL},
    {"ma", NULL},
    {"mat", NULL},
    {"median", NULL},
    {"modf", NULL},
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
static const char *const inexact[] = {"arcsin",      "arccos",  "cbrt",   "hypot", "arctan2",
                                      "float_power", "asin",    "acos",   "atan",  "atan2",
                                      "arctanh",     "arcsinh", "arccosh"};

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
