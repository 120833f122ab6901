/* SPDX-License-Identifier: MIT
 * Set F as scalar IR, by integers and without jumps: what support/ieee.h says; formats flush where
 * the body does. */
#ifndef MACHINES_CORE_SCALAR_FLOATS_H
#define MACHINES_CORE_SCALAR_FLOATS_H

#include "isa-spec/isa.h"
#include "machines/core/scalar/ir.h"

/* Of operands with zeros above their bits; c is 0 where there is one.  A mask, or a number with
 * anything above; 0: no instruction on floats. */
scalar_id scalar_float(struct scalar_body *b, const struct insn *insn, scalar_id a, scalar_id c);

/* Between formats and integers of any width, of operands with zeros above their bits: a number with
 * a sign has it above.  To integers toward zero, as CVT does. */
scalar_id scalar_from_integer(struct scalar_body *b, struct ieee_format to, scalar_id a,
                              unsigned bits, bool sign);
scalar_id scalar_to_integer(struct scalar_body *b, struct ieee_format from, scalar_id a,
                            unsigned bits, bool sign);
scalar_id scalar_to_format(struct scalar_body *b, struct ieee_format from, struct ieee_format to,
                           scalar_id a);

/* ---- between floats.c, convert.c and routines.c ---- */

/* A format, and what its numbers are made with. */
struct scalar_format {
    struct scalar_body *b;
    unsigned fraction, exponent, width;
    bool wide, flush;
    uint64_t infinity;
    int32_t bias;
};
struct scalar_format scalar_format_of(struct scalar_body *b, struct ieee_format format);
/* A number that is finite and not 0: its highest one is bit `fraction`. */
struct scalar_parts {
    scalar_id negative, exponent,
        significand; /* mask; word, with its sign; as wide as the format */
};
struct scalar_parts scalar_unpack(const struct scalar_format *f, scalar_id x);
/* Masks; of the number without its sign. */
scalar_id scalar_is_nan(const struct scalar_format *f, scalar_id size);
scalar_id scalar_size(const struct scalar_format *f, scalar_id x);
/* The operand as the format has it: the zero of its sign, if it is subnormal and the format
 * flushes. */
scalar_id scalar_kept(const struct scalar_format *f, scalar_id x);
/* Shifted to the right, with a one in bit 0 if one was lost. */
scalar_id scalar_jam(struct scalar_body *b, scalar_id x, unsigned k);
scalar_id scalar_jam_by(struct scalar_body *b, scalar_id x, scalar_id count);
/* Rounds; the highest one of the significand is bit fraction + extra, or it has none there and the
 * exponent is 1.  Exponents below 1 are brought there.  Without its sign. */
scalar_id scalar_pack(const struct scalar_format *f, scalar_id exponent, scalar_id significand,
                      unsigned extra);
scalar_id scalar_with_sign(const struct scalar_format *f, scalar_id size, scalar_id negative);
static inline scalar_id scalar_k(const struct scalar_format *f, uint64_t k) {
    return scalar_const(f->b, k, f->wide);
}
/* A square root at work: the number's bits that are still to come, what is left of those that have
 * come, the root of them, and the number's exponent. */
struct scalar_root {
    scalar_id number, left, root, exponent;
};
static inline unsigned scalar_root_steps(const struct scalar_format *f) {
    return f->fraction + 4;
}
struct scalar_root scalar_root_begin(const struct scalar_format *f, scalar_id x);
/* One bit more; `brings`: bits of the number may still come. */
void scalar_root_step(const struct scalar_format *f, struct scalar_root *x, bool brings);
scalar_id scalar_root_end(const struct scalar_format *f, const struct scalar_root *root,
                          scalar_id x);
scalar_id scalar_convert(struct scalar_body *b, const struct insn *insn, scalar_id a);

#endif
