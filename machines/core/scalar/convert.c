/* SPDX-License-Identifier: MIT
 * CVT as scalar IR: between integers and floats, and between formats. */
#include "machines/core/scalar/floats.h"
#include "support/bits.h"

static scalar_id word(struct scalar_body *b, int64_t k) {
    return scalar_const(b, (uint64_t)k, false);
}

/* Of `bits` bits, with zeros above them if it has no sign. */
static scalar_id from_integer(const struct scalar_format *f, scalar_id a, unsigned bits,
                              bool sign) {
    struct scalar_body *b = f->b;
    const bool wide = scalar_at(b, a)->wide;
    unsigned room = wide ? 64 : 32;
    scalar_id x = sign ? scalar_signed(b, a, bits) : a, zero = scalar_const(b, 0, wide);
    scalar_id negative = sign ? scalar_two(b, SCALAR_LTS, x, zero) : word(b, 0);
    scalar_id size = scalar_select(b, negative, scalar_two(b, SCALAR_SUB, zero, x), x);
    scalar_id up = scalar_zeros(b, size);
    scalar_id s = scalar_jam(b, scalar_shift_by(b, SCALAR_SHLV, size, up), room - 5 - f->fraction);
    s = scalar_fit(b, s, f->wide);
    scalar_id e = scalar_two(b, SCALAR_SUB, word(b, f->bias + (int)room - 1), up);
    scalar_id r = scalar_with_sign(f, scalar_pack(f, e, s, 4), negative);
    return scalar_select(b, scalar_two(b, SCALAR_EQ, size, zero), scalar_k(f, 0), r);
}

/* |x| as an integer of a word or pair; where it has more bits than there are, anything. */
static scalar_id integer_of(const struct scalar_format *f, const struct scalar_parts *p,
                            scalar_id up, bool nearest, bool wide) {
    struct scalar_body *b = f->b;
    scalar_id down = scalar_two(b, SCALAR_SUB, word(b, 0), up), small;
    if (nearest) {
        scalar_id x = scalar_shift(b, SCALAR_SHL, p->significand, 2);
        x = scalar_jam_by(b, x, down);
        scalar_id odd = scalar_clean(b, scalar_shift(b, SCALAR_SHR, x, 2), 1);
        x = scalar_two(b, SCALAR_ADD, scalar_two(b, SCALAR_ADD, x, scalar_k(f, 1)), odd);
        small = scalar_shift(b, SCALAR_SHR, x, 2);
    } else {
        small = scalar_shift_by(b, SCALAR_SHRV, p->significand, down);
    }
    small = scalar_fit(b, small, wide);
    scalar_id below = scalar_two(b, SCALAR_LTS, up, word(b, 0));
    scalar_id large = scalar_shift_by(b, SCALAR_SHLV, scalar_fit(b, p->significand, wide), up);
    return scalar_select(b, below, small, large);
}
/* Into `bits` bits, of a word or pair that has room for them and for the format. */
static scalar_id to_integer(const struct scalar_format *f, scalar_id a, unsigned bits, bool sign,
                            bool nearest) {
    struct scalar_body *b = f->b;
    const bool wide = f->wide || bits > 32;
    scalar_id zero = scalar_const(b, 0, wide);
    a = scalar_kept(f, a);
    struct scalar_parts p = scalar_unpack(f, a);
    scalar_id k = scalar_two(b, SCALAR_SUB, p.exponent, word(b, f->bias));
    scalar_id up = scalar_two(b, SCALAR_SUB, k, word(b, f->fraction));
    scalar_id size = integer_of(f, &p, up, nearest, wide);
    scalar_id limit = scalar_const(b, low_bits(bits), wide);
    if (sign)
        limit = scalar_select(b, p.negative, scalar_const(b, UINT64_C(1) << (bits - 1), wide),
                              scalar_const(b, low_bits(bits - 1), wide));
    /* Infinity counts as the exponent above all, which integers may have bits for. */
    const int64_t most = (int64_t)bits < f->bias + 1 ? (int64_t)bits : f->bias + 1;
    scalar_id large = scalar_two(b, SCALAR_GES, k, word(b, most));
    scalar_id above = scalar_two(b, SCALAR_LTU, limit, size);
    size = scalar_select(b, scalar_two(b, SCALAR_OR, large, above), limit, size);
    scalar_id nothing = scalar_is_nan(f, scalar_size(f, a));
    if (sign)
        size = scalar_select(b, p.negative, scalar_two(b, SCALAR_SUB, zero, size), size);
    else
        nothing = scalar_two(b, SCALAR_OR, nothing, p.negative);
    return scalar_select(b, nothing, zero, size);
}

static scalar_id to_format(const struct scalar_format *from, const struct scalar_format *to,
                           scalar_id a) {
    struct scalar_body *b = from->b;
    a = scalar_kept(from, a);
    struct scalar_parts p = scalar_unpack(from, a);
    scalar_id size = scalar_size(from, a), s = p.significand;
    unsigned top = to->fraction + 4;
    if (from->fraction > top)
        s = scalar_fit(b, scalar_jam(b, s, from->fraction - top), to->wide);
    else
        s = scalar_shift(b, SCALAR_SHL, scalar_fit(b, s, to->wide), top - from->fraction);
    scalar_id e = scalar_two(b, SCALAR_ADD, p.exponent, word(b, to->bias - from->bias));
    scalar_id r = scalar_pack(to, e, s, 4), infinity = scalar_k(from, from->infinity);
    scalar_id none = scalar_two(b, SCALAR_EQ, size, scalar_k(from, 0));
    scalar_id infinite = scalar_two(b, SCALAR_EQ, size, infinity);
    r = scalar_select(b, none, scalar_k(to, 0), r);
    r = scalar_select(b, infinite, scalar_k(to, to->infinity), r);
    scalar_id nan = scalar_k(to, to->infinity | UINT64_C(1) << (to->fraction - 1));
    return scalar_select(b, scalar_is_nan(from, size), nan, scalar_with_sign(to, r, p.negative));
}

scalar_id scalar_from_integer(struct scalar_body *b, struct ieee_format to, scalar_id a,
                              unsigned bits, bool sign) {
    const struct scalar_format f = scalar_format_of(b, to);
    if (f.wide && !scalar_at(b, a)->wide) {
        scalar_id low = sign ? scalar_signed(b, a, bits) : a;
        a = sign ? scalar_pair(b, low, scalar_shift(b, SCALAR_SAR, low, 31))
                 : scalar_fit(b, low, true);
        bits = 64;
    }
    return from_integer(&f, a, bits, sign);
}
scalar_id scalar_to_integer(struct scalar_body *b, struct ieee_format from, scalar_id a,
                            unsigned bits, bool sign) {
    const struct scalar_format f = scalar_format_of(b, from);
    return to_integer(&f, a, bits, sign, false);
}
scalar_id scalar_to_format(struct scalar_body *b, struct ieee_format from, struct ieee_format to,
                           scalar_id a) {
    const struct scalar_format f = scalar_format_of(b, from), t = scalar_format_of(b, to);
    return to_format(&f, &t, a);
}

scalar_id scalar_convert(struct scalar_body *b, const struct insn *insn, scalar_id a) {
    const int code = insn->imm % CONVERT_BFLOAT;
    const bool brain = insn->imm >= CONVERT_BFLOAT;
    struct ieee_format own = brain ? IEEE_BFLOAT16 : ieee_binary(insn->width);
    const struct scalar_format f = scalar_format_of(b, own);
    struct ieee_format source = code == CONVERT_FROM_BF16  ? IEEE_BFLOAT16
                                : code == CONVERT_FROM_F16 ? ieee_binary(16)
                                : code == CONVERT_FROM_F32 ? ieee_binary(32)
                                                           : ieee_binary(64);
    switch (code) {
    case CONVERT_FROM_INT:
    case CONVERT_FROM_UNSIGNED:
        return from_integer(&f, a, f.width, code == CONVERT_FROM_INT);
    case CONVERT_TO_INT:
    case CONVERT_TO_INT_NEAREST:
        return to_integer(&f, a, f.width, true, code == CONVERT_TO_INT_NEAREST);
    case CONVERT_TO_UNSIGNED:
    case CONVERT_TO_UNSIGNED_NEAREST:
        return to_integer(&f, a, f.width, false, code == CONVERT_TO_UNSIGNED_NEAREST);
    default: {
        const struct scalar_format from = scalar_format_of(b, source);
        return to_format(&from, &f, a);
    }
    }
}
