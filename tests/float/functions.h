/* SPDX-License-Identifier: MIT
 * The functions of ezpim/lib/float.ez as C integers: the same algorithm, written apart.  It has the
 * tables in common with the library (tables.inc, made by tools/float-gen) and no code. */
#ifndef TESTS_FLOAT_FUNCTIONS_H
#define TESTS_FLOAT_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

/* Wide: with more bits on the way. */
enum floats_format_id {
    FLOATS_F16,
    FLOATS_F16_WIDE,
    FLOATS_BF16,
    FLOATS_BF16_WIDE,
    FLOATS_F32,
    FLOATS_FORMATS
};
struct floats_format {
    const char *name;
    unsigned precision, exponent_bits, width;
    unsigned scaled; /* bits behind the point of what floats_scale rounds */
};
extern const struct floats_format floats_formats[FLOATS_FORMATS];

/* c0 + t (c1 + ...): cut[] are the bits of t that a level drops, shift[] those of its product. */
enum { FLOATS_LEVELS = 6, FLOATS_NUMBERS = 16, FLOATS_TABLES = 2 };
struct floats_polynomial {
    unsigned degree;
    unsigned t_bits, parts;
    unsigned cut[FLOATS_LEVELS], shift[FLOATS_LEVELS];
    const int64_t *c[FLOATS_LEVELS], *k; /* k: of binades, the exponent of the value */
};

/* A function of one format, of patterns of bits. */
struct floats_function {
    const char *name;
    enum floats_format_id format;
    /* NULL: it is no function by itself, others use it. */
    uint64_t (*value)(const struct floats_function *f, uint64_t x);
    const struct floats_polynomial *tables[FLOATS_TABLES];
    int64_t numbers[FLOATS_NUMBERS];    /* in the order of the generator's entries */
    const struct floats_function *used; /* one whose tables it needs, or NULL */
    const int64_t *const
        *windows; /* of 2/pi, pieces from the lowest, by exponents; of ln 2; or NULL */
};
/* All of them; *count is how many. */
const struct floats_function *floats_all(size_t *count);

/* The exact value, as a long double; of the pattern of a number. */
typedef long double floats_exact(long double x);
/* NULL: there is none of that name. */
floats_exact *floats_exact_of(const char *name);
/* The bound of the function in f32 that docs/float-functions.md states, in ulp. */
long double floats_bound(const char *name);
long double floats_number(const struct floats_format *format, uint64_t pattern);
/* The nearest number, of two the even one. */
uint64_t floats_nearest(const struct floats_format *format, long double x);
/* How far `pattern` is from x, in the distance of numbers of the format around x; 0 for the same
 * infinity and for no number where x is none. */
long double floats_distance(const struct floats_format *format, uint64_t pattern, long double x);

#endif
