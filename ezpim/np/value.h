/* SPDX-License-Identifier: MIT
 * What names of a kernel stand for while it is evaluated: numbers and lists that are known, and
 * arrays, of which type, shape and place are. */
#ifndef EZPIM_NP_VALUE_H
#define EZPIM_NP_VALUE_H

#include "ezpim/np/ast.h"
#include "object/object.h"

/* Axes of an array, as a group has them. */
enum { NP_DIMS = GROUP_MAX_DIMS };

/* A number of Python, as far as kernels need it. */
__extension__ typedef __int128 np_int;

struct np_range {
    np_int low, high;
};

/* A value without dimension that text and link-time values say: every ensemble makes it anew. */
enum np_uniform_kind {
    NP_UNIFORM_CONSTANT,
    NP_UNIFORM_LINK,
    NP_UNIFORM_COUNTER, /* of a loop: what the variable `link` holds in every lane */
    NP_UNIFORM_OPERATION
};
struct np_uniform {
    enum np_uniform_kind kind;
    struct mpu_type type;
    uint64_t pattern;       /* of a constant */
    uint32_t link, element; /* of a link-time value */
    enum np_operator op;    /* on args, whose type is `operand` */
    struct mpu_type operand;
    uint64_t exponent; /* of NP_OP_POW */
    const struct np_uniform *args[3];
};

/* A link-time array, or one that the text has. */
struct np_table {
    bool linked;
    uint32_t link;
    const uint64_t *entries; /* [count] of a table of the text: patterns */
    uint32_t count;
};

/* What was moved for a reader: elements of the storage, in the group of the reader's shape. */
struct np_brought {
    uint32_t variable, group, version, epoch;
    const struct np_array *as; /* whose map it follows */
    struct np_brought *next;
};

/* Where the elements of an array lie beside its lanes.  Of an axis in registers, element j of it is
 * register j and the other axes are those of the lanes; of a split axis, the last one, element c is
 * register c mod count of lane c div count. */
struct np_lay {
    uint32_t axis, count; /* count 1: all is in lanes, and the rest says nothing */
    bool split;
};

static inline enum form_order np_form(struct np_lay lay) {
    return lay.count == 1  ? FORM_LAST
           : lay.split     ? FORM_SPLIT
           : lay.axis == 0 ? FORM_FIRST
                           : FORM_LAST;
}

/* Elements in lanes, row by row, in a variable of a group of these extents but for the axis that
 * lies in registers. */
struct np_storage {
    uint32_t variable, serial;
    struct mpu_type type;
    uint32_t ndim; /* 0: one element */
    uint64_t shape[NP_DIMS];
    struct np_lay lay;
    struct np_storage *in_lanes; /* a copy of which all lies in lanes, of the version .. */
    uint32_t in_lanes_version, in_lanes_epoch;
    bool due;            /* it is put off (np_catch_up) */
    bool total, read;    /* one reduction wrote it; somebody read it */
    uint32_t version;    /* counts what is written */
    struct span written; /* where last */
    /* A loop before: whether another name stands for it depends on how many laps that had.  NULL:
     * none did so. */
    const struct np_stmt *entangled;
    struct np_brought *brought;
};

/* What each lap of the loops that are repeated around, the outermost first, adds to a number. */
struct np_laps {
    int64_t coeff[MOVE_MAX_LAPS];
};

/* Coordinate of the storage: sum of coeff[v] * index v of the array, and offset, which grows. */
struct np_affine {
    int64_t coeff[NP_DIMS], offset;
    struct np_laps laps;
};

struct np_array {
    struct mpu_type type;
    uint32_t ndim;
    uint64_t shape[NP_DIMS];
    /* Exactly one of these three is there. */
    const struct np_uniform *uniform; /* ndim is 0 */
    const struct np_table *table;
    struct np_storage *root;
    /* Of a storage, read as an array of the extents rshape. */
    uint32_t rdim;
    uint64_t rshape[NP_DIMS];
    struct np_affine map[NP_DIMS]; /* [rdim] */
    bool is_view;                  /* of another array: it is not written */
    uint32_t version;              /* of the storage, when a view was made */
    const struct np_array *mask;   /* x[mask]: elements where it holds; or NULL */
    bool counts;                   /* a Python int: of count_nonzero */
    bool is_object;                /* without dimension, and yet an array: += writes it */
    struct np_range range;         /* of its elements */
    struct span at;                /* where it was made */
};

enum np_kind {
    NP_ERROR, /* reported */
    NP_NONE,
    NP_INT,
    NP_LAP,  /* a number that grows in each lap: from `number` by `laps` */
    NP_GONE, /* it is known where the loop `function` is walked lap by lap */
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
    NP_FUNCTION, /* of the file */
    NP_ARRAY,
    NP_SLICE, /* items: first, last, step */
    NP_ELLIPSIS,
};

struct np_value {
    enum np_kind kind;
    struct span at;
    np_int number; /* NP_INT, NP_BOOL, NP_LAP */
    const struct np_laps *laps;
    double real;
    const char *text; /* NP_TEXT; the name of a function */
    struct np_value *items;
    uint32_t count;
    struct mpu_type type; /* NP_TYPE */
    struct np_array *array;
    const void *function; /* NP_NUMPY: of its table; NP_FUNCTION: struct np_stmt */
};

static inline bool np_same_type(struct mpu_type a, struct mpu_type b) {
    return a.kind == b.kind && a.bits == b.bits;
}
static inline bool np_is_bool(struct mpu_type t) {
    return t.kind == TYPE_BOOL;
}
/* "uint8", "bool_"; "u8", "bool". */
const char *np_type_name(struct mpu_type t);
const char *np_type_short(struct mpu_type t);
/* "u8" or "uint8". */
bool np_type_parse(const char *name, struct mpu_type *t);
struct np_range np_type_range(struct mpu_type t);
static inline bool np_range_within(struct np_range inner, struct np_range outer) {
    return inner.low >= outer.low && inner.high <= outer.high;
}
uint64_t np_pattern(np_int v, struct mpu_type t);
uint64_t np_elements(uint32_t ndim, const uint64_t *shape);
bool np_same_shape(uint32_t ndim, const uint64_t *shape, uint32_t other_ndim,
                   const uint64_t *other);
void np_shape_text(uint32_t ndim, const uint64_t *shape, struct str *out);
void np_number_text(np_int v, struct str *out);

#endif
