/* SPDX-License-Identifier: MIT
 * float-gen: makes the library of functions of floats, ezpim/lib/float*.ez, and the tables that
 * the tests' own algorithm reads.  A function is an entry of entries.c: tables of polynomials, and
 * the text that uses them. */
#ifndef FLOAT_GEN_GEN_H
#define FLOAT_GEN_GEN_H

#include "support/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A format of floats, and the bits with which its functions work: those of wide cores need more so
 * that no result of 16 bits lies between two numbers. */
enum gen_format_id { GEN_F16, GEN_F16_WIDE, GEN_BF16, GEN_BF16_WIDE, GEN_F32, GEN_FORMATS };
struct gen_format {
    const char *name, *id, *core;
    int precision, exponent_bits, width;
    int scaled; /* bits behind the point of what $F_scale rounds */
};
extern const struct gen_format gen_formats[GEN_FORMATS];

/* A function on an interval, as the machine's integers work it out.  The interval is cut into
 * `segments` of width 2^-log_width; in each of them the function is
 *     c0 + t (c1 + t (c2 + ...)),   0 <= t < 2^-log_width,
 * and t has t_bits bits behind the point (0: those of a fraction).  The result has `bits` bits
 * behind the point (0: those of the format). */
enum { GEN_MAX_DEGREE = 5, GEN_MAX_SEGMENTS = 1024 };
struct gen_table {
    const char *name;
    long double (*value)(long double x); /* at `from` + x */
    long double from;
    unsigned segments, log_width, degree, t_bits, bits;
    /* What is added to c0 of some segments, so that an input whose exact result lies next to the
     * middle of two numbers is rounded as it should be; the rest is 0. */
    struct {
        unsigned segment;
        int by;
    } mend[4];
    int lift; /* the same for all segments */
    /* Segments are parts of binades from 2^from on, 2^log_width of each: t is of the fraction, and
     * the values are those over 2^k that lie from 1 to 4. */
    bool binades;
    long double (*second)(long double x); /* of the second half of the segments; or NULL */
};

/* A table with its numbers.  The value of level j, c[j] + t (value of level j + 1), has fraction[j]
 * bits behind the point: each is worth 2^-(bits + 2) of the result, so an error of one of them at
 * every level is one bit of the result.  t is cut at level j to as many bits as do not change it.
 */
struct gen_polynomial {
    const struct gen_table *table;
    unsigned index_bits;
    unsigned fraction[GEN_MAX_DEGREE + 1];
    unsigned cut[GEN_MAX_DEGREE];       /* bits of t that level j drops */
    unsigned shift[GEN_MAX_DEGREE];     /* of the product of level j */
    unsigned width[GEN_MAX_DEGREE + 1]; /* of the value of level j, and with a sign if is_signed */
    bool is_signed[GEN_MAX_DEGREE + 1];
    int64_t c[GEN_MAX_DEGREE + 1][GEN_MAX_SEGMENTS];
    int64_t k[GEN_MAX_SEGMENTS]; /* of binades */
    long double bound;           /* of the error of the result, in its last bits */
};
void gen_fit(const struct gen_table *table, struct gen_polynomial *out);
/* Its constants and its subroutine, `prefix`_NAME(i, t), in ezpim. */
void gen_emit_polynomial(const struct gen_polynomial *p, const char *prefix, struct str *out);
/* The same numbers for C. */
void gen_emit_numbers(const struct gen_polynomial *p, const char *prefix, struct str *out);

/* 2/pi for arguments from 2^least to 2^(most + 1), in pieces of so many bits. */
struct gen_windows {
    int pieces, bits, least, most;
};
void gen_emit_windows(const struct gen_windows *w, const struct gen_format *format, struct str *out,
                      struct str *numbers);

/* Multiples k ln 2 with q bits behind the point, of an n + 2 bit number k: of its low four bits,
 * and of the rest. */
void gen_emit_ln2(const struct gen_format *format, int n, int q, struct str *out,
                  struct str *numbers);

/* Values of $NAME and $(expression) in texts. */
enum { GEN_MAX_NAMES = 64 };
struct gen_names {
    struct {
        const char *name;
        int64_t value;
    } list[GEN_MAX_NAMES];
    size_t count;
    const char *format, *core, *function, *share; /* $F, $C, $G, $H */
};
void gen_define(struct gen_names *names, const char *name, int64_t value);
/* `text` with its names replaced; false with what is wrong in *problem. */
bool gen_expand(const char *text, const struct gen_names *names, struct str *out,
                const char **problem);

/* A function in one format: its text, and what stands in it. */
enum { GEN_MAX_TABLES = 2, GEN_MAX_NUMBERS = 16 };
struct gen_entry {
    enum gen_format_id format;
    const char *text;             /* file of the text, without its ending */
    const char *function, *share; /* share: the function that the text names as $H, or NULL */
    struct gen_table tables[GEN_MAX_TABLES]; /* the rest has no name */
    struct gen_windows windows;              /* no pieces: none */
    struct gen_number {
        const char *name; /* the rest has none */
        long double value;
        int bits; /* behind the point */
    } numbers[GEN_MAX_NUMBERS];
};
extern const struct gen_entry gen_entries[];
extern const size_t gen_entry_count;

#endif
