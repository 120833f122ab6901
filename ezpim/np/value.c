/* SPDX-License-Identifier: MIT
 * Values, types and shapes, and how messages name them. */
#include "ezpim/np/unit.h"
#include "support/str.h"

#include <string.h>

/* ---- types ---- */

struct named_type {
    const char *name, *brief;
    struct lane_type type;
};

static const struct named_type types[] = {
    {"bool_", "bool", {TYPE_BOOL, 1}},    {"uint8", "u8", {TYPE_UINT, 8}},
    {"uint16", "u16", {TYPE_UINT, 16}},   {"uint32", "u32", {TYPE_UINT, 32}},
    {"uint64", "u64", {TYPE_UINT, 64}},   {"int8", "i8", {TYPE_INT, 8}},
    {"int16", "i16", {TYPE_INT, 16}},     {"int32", "i32", {TYPE_INT, 32}},
    {"int64", "i64", {TYPE_INT, 64}},     {"float16", "f16", {TYPE_FLOAT, 16}},
    {"float32", "f32", {TYPE_FLOAT, 32}}, {"float64", "f64", {TYPE_FLOAT, 64}},
};
enum { TYPES = sizeof types / sizeof *types };

static const struct named_type *type_of(struct lane_type type) {
    for (unsigned i = 0; i < TYPES; i++)
        if (array_same_type(types[i].type, type))
            return &types[i];
    return &types[0];
}

const char *np_type_name(struct lane_type type) {
    return type_of(type)->name;
}

const char *np_type_text(struct np_unit *unit, struct lane_type type) {
    return arena_printf(&unit->arena, "%s.%s", unit->numpy, np_type_name(type));
}

const char *np_type_short(struct lane_type type) {
    return type_of(type)->brief;
}

bool np_type_parse(const char *name, struct lane_type *type) {
    for (unsigned i = 0; i < TYPES; i++)
        if (strcmp(types[i].name, name) == 0 || strcmp(types[i].brief, name) == 0) {
            *type = types[i].type;
            return true;
        }
    return false;
}

/* ---- shapes ---- */

static void np_shape_text(uint32_t ndim, const uint64_t *shape, struct str *out) {
    str_char(out, '(');
    for (uint32_t d = 0; d < ndim; d++) {
        str_append(out, d ? ", " : "");
        str_u64(out, shape[d]);
    }
    str_append(out, ndim == 1 ? ",)" : ")");
}

void np_number_text(np_int number, struct str *out) {
    char digits[48];
    unsigned n = 0;
    bool negative = number < 0;
    do {
        int digit = (int)(number % 10);
        digits[n++] = (char)('0' + (digit < 0 ? -digit : digit));
        number /= 10;
    } while (number);
    if (negative)
        str_char(out, '-');
    while (n)
        str_char(out, digits[--n]);
}

const char *np_shape_string(struct np_unit *unit, uint32_t ndim, const uint64_t *shape) {
    struct str s = {0};
    np_shape_text(ndim, shape, &s);
    const char *text = arena_strdup(&unit->arena, str_text(&s));
    str_free(&s);
    return text;
}

/* ---- values ---- */

struct np_value np_int_value(np_int v, struct span at) {
    return (struct np_value){.kind = NP_INT, .at = at, .number = v};
}

struct np_value np_bool_value(bool truth, struct span at) {
    return (struct np_value){.kind = NP_BOOL, .at = at, .number = truth};
}

struct np_value np_array_value(struct array_ref *ref, struct span at) {
    if (!ref)
        return (struct np_value){.kind = NP_ERROR, .at = at};
    return (struct np_value){.kind = NP_ARRAY, .at = at, .array = ref};
}

struct np_value np_items_value(enum np_kind kind, struct np_value *items, uint32_t count,
                               struct span at) {
    return (struct np_value){.kind = kind, .at = at, .items = items, .count = count};
}

static void array_text(const struct np_value *value, struct str *out) {
    const struct array_ref *a = value->array;
    const char *type = np_type_short(a->type);
    if (value->counts) {
        str_append(out, "a Python int");
    } else if (a->ndim == 0) {
        str_printf(out, "a value of type %s", type);
    } else {
        str_printf(out, "%s%s %s array of shape ", value->mask ? "x[mask] of " : "",
                   strchr("if", type[0]) ? "an" : "a", type);
        np_shape_text(a->ndim, a->shape, out);
    }
}

const char *np_value_text(struct np_unit *unit, const struct np_value *value) {
    static const char *const kinds[] = {
        [NP_ERROR] = "an error",         [NP_NONE] = "None",
        [NP_REAL] = "a float",           [NP_TEXT] = "a text",
        [NP_TUPLE] = "a tuple",          [NP_LIST] = "a list",
        [NP_RANGE] = "a range",          [NP_TYPE] = "a type",
        [NP_MODULE] = "a module",        [NP_NUMPY] = "a function",
        [NP_BUILTIN] = "a function",     [NP_FUNCTION] = "a function",
        [NP_SLICE] = "a slice",          [NP_ELLIPSIS] = "...",
        [NP_LAP] = "a counter",          [NP_GONE] = "a counter",
        [NP_INFO] = "what `iinfo` gives"};
    struct str s = {0};
    if (value->kind == NP_INT) {
        str_append(&s, "the number ");
        np_number_text(value->number, &s);
    } else if (value->kind == NP_BOOL) {
        str_append(&s, value->number ? "True" : "False");
    } else if (value->kind == NP_ARRAY) {
        array_text(value, &s);
    } else {
        str_append(&s, kinds[value->kind]);
    }
    const char *text = arena_strdup(&unit->arena, str_text(&s));
    str_free(&s);
    return text;
}

bool np_static_int(struct np_unit *unit, const struct np_value *value, const char *what,
                   np_int *out) {
    if (value->kind == NP_INT || value->kind == NP_BOOL) {
        *out = value->number;
        return true;
    }
    if (value->kind != NP_ERROR)
        np_error(unit, value->at,
                 "%s is a number that is known when the kernel is compiled, not %s", what,
                 np_value_text(unit, value));
    return false;
}

bool np_number_fits(struct np_unit *unit, bool fits, np_int v, struct span at) {
    const np_int most = (np_int)1 << NP_BITS;
    if (fits && v <= most && v >= -most)
        return true;
    np_error(unit, at, "the number does not fit %d bits", NP_BITS);
    return false;
}

bool np_truth(struct np_unit *unit, const struct np_value *value, bool *known) {
    *known = true;
    switch (value->kind) {
    case NP_INT:
    case NP_BOOL:
        return value->number != 0;
    case NP_REAL:
        return value->real < 0 || value->real > 0 || value->real != value->real;
    case NP_NONE:
        return false;
    case NP_TUPLE:
    case NP_LIST:
        return value->count != 0;
    default:
        *known = false;
        break;
    }
    if (value->kind != NP_ERROR) {
        np_error(unit, value->at, "a condition is known when the kernel is compiled; this is %s",
                 np_value_text(unit, value));
        if (value->kind == NP_ARRAY)
            np_note(unit, value->at,
                    "values are chosen element by element with `np.where(c, a, b)`; "
                    "`while np.any(c):` goes on as long as some element has it");
    }
    return false;
}

/* ---- messages ---- */

bool np_failed(const struct np_unit *unit) {
    return unit->again || diag_errors(unit->diag) != unit->errors_before;
}

struct np_value np_error(struct np_unit *unit, struct span at, const char *format, ...) {
    va_list args;
    const struct np_value none = {.kind = NP_ERROR, .at = at};
    if (unit->repeated && unit->checks)
        np_unroll(unit, unit->repeated);
    if (unit->again)
        return none;
    va_start(args, format);
    diag_verror(unit->diag, at, format, args);
    va_end(args);
    return none;
}

void np_suggest(struct np_unit *unit, struct span at, const char *word, const char *const *known,
                size_t count) {
    if (!unit->again)
        diag_suggest(unit->diag, at, word, known, count);
}

void np_note(struct np_unit *unit, struct span at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *text = arena_vprintf(&unit->arena, format, args);
    va_end(args);
    if (!unit->again)
        diag_note(unit->diag, at, "%s", text);
}

const char *np_source_text(struct np_unit *unit, struct span at) {
    return arena_strndup(&unit->arena, unit->text + at.begin, at.end - at.begin);
}

const char *np_operand_text(struct np_unit *unit, struct span at) {
    const char *text = np_source_text(unit, at);
    unsigned depth = 0;
    for (const char *c = text; *c; c++) {
        depth += *c == '(' || *c == '[';
        depth -= *c == ')' || *c == ']';
        if (depth == 0 && strchr("+-*/%&|^~<>=@ \t\n", *c))
            return arena_printf(&unit->arena, "(%s)", text);
    }
    return text;
}

void np_offer(struct np_unit *unit, struct span at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *text = arena_vprintf(&unit->arena, format, args);
    va_end(args);
    if (unit->again)
        return;
    diag_note(unit->diag, at, "write `%s`", text);
    diag_fixit(unit->diag, at, text);
}
