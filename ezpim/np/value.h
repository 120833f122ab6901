/* SPDX-License-Identifier: MIT
 * What names of a kernel stand for while it is evaluated: numbers and lists that are known, and
 * arrays, of which type, shape and place are. */
#ifndef EZPIM_NP_VALUE_H
#define EZPIM_NP_VALUE_H

#include "ezpim/array/array.h"
#include "ezpim/np/ast.h"

/* A number of Python, as far as kernels need it: of so many bits beside the sign, so that sums and
 * differences of a few do not overflow. */
typedef array_int np_int;
enum { NP_BITS = 120 };

enum np_kind {
    NP_ERROR, /* reported */
    NP_NONE,
    NP_INT,
    NP_LAP,  /* a number that grows in each lap: from `number` by `laps` */
    NP_GONE, /* it is known where the loop `function` is walked lap by lap; NULL: nowhere */
    NP_BOOL,
    NP_REAL,
    NP_TEXT,
    NP_TUPLE,
    NP_LIST,
    NP_RANGE, /* items: first, last, step */
    NP_TYPE,
    NP_MODULE,
    NP_NUMPY,    /* a function of NumPy, or a method of `array` */
    NP_BUILTIN,  /* a function of Python */
    NP_FUNCTION, /* of the file, or of the call `number`, with its defaults in items */
    NP_ARRAY,
    NP_SLICE, /* items: first, last, step */
    NP_ELLIPSIS,
    NP_INFO, /* limits of `type` */
};

struct np_value {
    enum np_kind kind;
    struct span at;
    np_int number; /* NP_INT, NP_BOOL, NP_LAP */
    const struct array_laps *laps;
    double real;
    const char *text; /* NP_TEXT; the name of a function */
    struct np_value *items;
    uint32_t count;
    struct lane_type type; /* NP_TYPE, NP_INFO */
    struct array_ref *array;
    const struct array_ref *mask; /* x[mask]: elements where it holds; or NULL */
    bool counts;                  /* a Python int: of count_nonzero */
    bool is_object;               /* without dimension, and yet an array: += writes it */
    const void *function;         /* NP_NUMPY: of its table; NP_FUNCTION: struct np_stmt */
};

static inline bool np_is_list(const struct np_value *value) {
    return value->kind == NP_TUPLE || value->kind == NP_LIST;
}
static inline bool np_is_number(const struct np_value *value) {
    return value->kind == NP_INT || value->kind == NP_BOOL || value->kind == NP_REAL;
}
/* A list's items, or the value itself as one. */
static inline const struct np_value *np_items(const struct np_value *value, uint32_t *count) {
    *count = np_is_list(value) ? value->count : 1;
    return np_is_list(value) ? value->items : value;
}

/* "uint8", "bool_"; "u8", "bool". */
const char *np_type_name(struct lane_type type);
const char *np_type_short(struct lane_type type);
/* "u8" or "uint8". */
bool np_type_parse(const char *name, struct lane_type *type);
void np_number_text(np_int number, struct str *out);

#endif
