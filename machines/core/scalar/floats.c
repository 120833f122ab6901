/* SPDX-License-Identifier: MIT
 * Arithmetic and comparison of floats as scalar IR.  A significand has its highest one at a fixed
 * bit, and a few bits below its last for rounding, of which the lowest stands for all that is
 * lost. */
#include "machines/core/scalar/floats.h"
#include "support/bits.h"

static scalar_id word(const struct scalar_format *f, int64_t k) {
    return scalar_const(f->b, (uint64_t)k, false);
}
static scalar_id two(const struct scalar_format *f, enum scalar_op op, scalar_id a, scalar_id c) {
    return scalar_two(f->b, op, a, c);
}
static scalar_id either(const struct scalar_format *f, scalar_id a, scalar_id c) {
    return two(f, SCALAR_OR, a, c);
}
static scalar_id both(const struct scalar_format *f, scalar_id a, scalar_id c) {
    return two(f, SCALAR_AND, a, c);
}
static scalar_id inverse(const struct scalar_format *f, scalar_id mask) {
    return two(f, SCALAR_XOR, mask, word(f, 1));
}
static scalar_id choose(const struct scalar_format *f, scalar_id mask, scalar_id a, scalar_id c) {
    return scalar_select(f->b, mask, a, c);
}

struct scalar_format scalar_format_of(struct scalar_body *b, struct ieee_format format) {
    return (struct scalar_format){.b = b,
                                  .fraction = format.fraction_bits,
                                  .exponent = format.exponent_bits,
                                  .width = ieee_width(format),
                                  .wide = ieee_width(format) > 32,
                                  .flush = format.flush || b->flush,
                                  .infinity = ieee_infinity(format, false),
                                  .bias = (1 << format.exponent_bits) / 2 - 1};
}
scalar_id scalar_size(const struct scalar_format *f, scalar_id x) {
    return scalar_clean(f->b, x, f->width - 1);
}
static scalar_id sign_of(const struct scalar_format *f, scalar_id x) {
    scalar_id top = f->wide ? scalar_high(f->b, x) : x;
    return scalar_shift(f->b, SCALAR_SHR, top, (f->width - 1) % 32);
}
scalar_id scalar_is_nan(const struct scalar_format *f, scalar_id size) {
    return two(f, SCALAR_LTU, scalar_k(f, f->infinity), size);
}
static scalar_id is_infinite(const struct scalar_format *f, scalar_id size) {
    return two(f, SCALAR_EQ, size, scalar_k(f, f->infinity));
}
static scalar_id is_zero(const struct scalar_format *f, scalar_id size) {
    return two(f, SCALAR_EQ, size, scalar_k(f, 0));
}
static scalar_id nan_of(const struct scalar_format *f) {
    return scalar_k(f, f->infinity | UINT64_C(1) << (f->fraction - 1));
}
/* Of a number without its sign. */
static scalar_id exponent_of(const struct scalar_format *f, scalar_id size) {
    scalar_id top = f->wide ? scalar_high(f->b, size) : size;
    return scalar_shift(f->b, SCALAR_SHR, top, f->fraction % 32);
}

scalar_id scalar_kept(const struct scalar_format *f, scalar_id x) {
    if (!f->flush)
        return x;
    scalar_id sign = scalar_k(f, f->infinity + (UINT64_C(1) << f->fraction));
    scalar_id small = two(f, SCALAR_EQ, exponent_of(f, scalar_size(f, x)), word(f, 0));
    return choose(f, small, both(f, x, sign), x);
}

scalar_id scalar_jam(struct scalar_body *b, scalar_id x, unsigned k) {
    bool wide = scalar_at(b, x)->wide;
    scalar_id lost = scalar_two(b, SCALAR_NE, scalar_clean(b, x, k), scalar_const(b, 0, wide));
    return scalar_two(b, SCALAR_OR, scalar_shift(b, SCALAR_SHR, x, k), scalar_fit(b, lost, wide));
}
scalar_id scalar_jam_by(struct scalar_body *b, scalar_id x, scalar_id count) {
    scalar_id kept = scalar_shift_by(b, SCALAR_SHRV, x, count);
    scalar_id lost = scalar_two(b, SCALAR_NE, scalar_shift_by(b, SCALAR_SHLV, kept, count), x);
    return scalar_two(b, SCALAR_OR, kept, scalar_fit(b, lost, scalar_at(b, x)->wide));
}

scalar_id scalar_with_sign(const struct scalar_format *f, scalar_id size, scalar_id negative) {
    scalar_id sign = scalar_shift(f->b, SCALAR_SHL, negative, (f->width - 1) % 32);
    if (f->wide)
        sign = scalar_pair(f->b, word(f, 0), sign);
    return two(f, SCALAR_OR, size, sign);
}
/* 1 << fraction times the exponent. */
static scalar_id as_exponent(const struct scalar_format *f, scalar_id exponent) {
    scalar_id up = scalar_shift(f->b, SCALAR_SHL, exponent, f->fraction % 32);
    return f->wide ? scalar_pair(f->b, word(f, 0), up) : up;
}

struct scalar_parts scalar_unpack(const struct scalar_format *f, scalar_id x) {
    unsigned room = f->wide ? 64 : 32;
    scalar_id size = scalar_size(f, x), fraction = scalar_clean(f->b, x, f->fraction);
    scalar_id e = exponent_of(f, size), small = two(f, SCALAR_EQ, e, word(f, 0));
    scalar_id up =
        two(f, SCALAR_SUB, scalar_zeros(f->b, fraction), word(f, (int64_t)room - 1 - f->fraction));
    scalar_id hidden = scalar_k(f, UINT64_C(1) << f->fraction);
    return (struct scalar_parts){
        .negative = sign_of(f, x),
        .exponent = choose(f, small, two(f, SCALAR_SUB, word(f, 1), up), e),
        .significand = choose(f, small, scalar_shift_by(f->b, SCALAR_SHLV, fraction, up),
                              two(f, SCALAR_OR, fraction, hidden)),
    };
}

scalar_id scalar_pack(const struct scalar_format *f, scalar_id exponent, scalar_id significand,
                      unsigned extra) {
    scalar_id s = significand, one = word(f, 1), most = word(f, (1 << f->exponent) - 1);
    scalar_id small = two(f, SCALAR_LTS, exponent, one);
    s = scalar_jam_by(f->b, s, choose(f, small, two(f, SCALAR_SUB, one, exponent), word(f, 0)));
    scalar_id e = choose(f, small, one, exponent);
    e = choose(f, two(f, SCALAR_LTS, most, e), most, e);
    /* Half of the last place, less one where it is even. */
    scalar_id odd = scalar_clean(f->b, scalar_shift(f->b, SCALAR_SHR, s, extra), 1);
    scalar_id half = scalar_k(f, (UINT64_C(1) << (extra - 1)) - 1);
    s = scalar_shift(f->b, SCALAR_SHR, two(f, SCALAR_ADD, two(f, SCALAR_ADD, s, half), odd), extra);
    /* The highest one counts as one more of the exponent. */
    scalar_id packed = two(f, SCALAR_ADD, as_exponent(f, two(f, SCALAR_SUB, e, one)), s);
    scalar_id infinity = scalar_k(f, f->infinity);
    if (f->flush) {
        scalar_id least = scalar_k(f, UINT64_C(1) << f->fraction);
        packed = choose(f, two(f, SCALAR_LTU, packed, least), scalar_k(f, 0), packed);
    }
    return choose(f, two(f, SCALAR_LTU, packed, infinity), packed, infinity);
}

/* ---- arithmetic ---- */

static scalar_id add(const struct scalar_format *f, scalar_id x, scalar_id y) {
    unsigned room = f->wide ? 64 : 32, top = f->fraction + 4;
    scalar_id one = word(f, 1), size_x = scalar_size(f, x), size_y = scalar_size(f, y);
    /* The larger one is a. */
    scalar_id swap = two(f, SCALAR_LTU, size_x, size_y);
    scalar_id a = choose(f, swap, y, x), c = choose(f, swap, x, y);
    scalar_id size_a = scalar_size(f, a), size_c = scalar_size(f, c);
    scalar_id negative = sign_of(f, a);
    scalar_id minus = two(f, SCALAR_XOR, negative, sign_of(f, c));
    scalar_id e[2], s[2], sizes[2] = {size_a, size_c};
    for (unsigned i = 0; i < 2; i++) {
        scalar_id raw = exponent_of(f, sizes[i]), small = two(f, SCALAR_EQ, raw, word(f, 0));
        scalar_id fraction = scalar_clean(f->b, sizes[i], f->fraction);
        scalar_id hidden = two(f, SCALAR_OR, fraction, scalar_k(f, UINT64_C(1) << f->fraction));
        e[i] = choose(f, small, one, raw);
        s[i] = scalar_shift(f->b, SCALAR_SHL, choose(f, small, fraction, hidden), 3);
    }
    s[1] = scalar_jam_by(f->b, s[1], two(f, SCALAR_SUB, e[0], e[1]));
    scalar_id sum =
        choose(f, minus, two(f, SCALAR_SUB, s[0], s[1]), two(f, SCALAR_ADD, s[0], s[1]));
    /* Bit `top` is the highest that there may be; up as far as exponents go. */
    scalar_id up = two(f, SCALAR_SUB, scalar_zeros(f->b, sum), word(f, (int64_t)room - 1 - top));
    scalar_id none = is_zero(f, sum);
    up = choose(f, both(f, two(f, SCALAR_LTU, up, e[0]), inverse(f, none)), up, e[0]);
    scalar_id size = scalar_pack(f, two(f, SCALAR_SUB, two(f, SCALAR_ADD, e[0], one), up),
                                 scalar_shift_by(f->b, SCALAR_SHLV, sum, up), 4);
    /* Of two zeros that are -0, and else +0. */
    scalar_id sign = choose(f, none, both(f, negative, inverse(f, minus)), negative);
    scalar_id infinity = scalar_k(f, f->infinity);
    scalar_id special = two(f, SCALAR_GEU, size_a, infinity);
    scalar_id wrong = either(f, scalar_is_nan(f, size_a), both(f, is_infinite(f, size_c), minus));
    scalar_id r =
        choose(f, special, choose(f, wrong, nan_of(f), a), scalar_with_sign(f, size, sign));
    return r;
}

/* Of significands, their highest one at bit fraction + 4 or the one below. */
static scalar_id product(const struct scalar_format *f, scalar_id a, scalar_id c) {
    struct scalar_body *b = f->b;
    if (!f->wide && f->fraction <= 15)
        return scalar_jam(b, two(f, SCALAR_MUL, a, c), f->fraction - 3);
    if (!f->wide) {
        scalar_id p = two(f, SCALAR_MUL, scalar_fit(b, a, true), scalar_fit(b, c, true));
        return scalar_word(b, scalar_jam(b, p, f->fraction - 3));
    }
    scalar_id la = scalar_fit(b, scalar_word(b, a), true),
              ha = scalar_fit(b, scalar_high(b, a), true);
    scalar_id lc = scalar_fit(b, scalar_word(b, c), true),
              hc = scalar_fit(b, scalar_high(b, c), true);
    scalar_id low = two(f, SCALAR_MUL, la, lc);
    scalar_id middle = two(f, SCALAR_ADD, two(f, SCALAR_MUL, ha, lc), two(f, SCALAR_MUL, la, hc));
    middle = two(f, SCALAR_ADD, middle, scalar_shift(b, SCALAR_SHR, low, 32));
    scalar_id high =
        two(f, SCALAR_ADD, two(f, SCALAR_MUL, ha, hc), scalar_shift(b, SCALAR_SHR, middle, 32));
    scalar_id rest = scalar_pair(b, scalar_word(b, low), scalar_word(b, middle));
    /* Bit 2 * fraction + 1 of the product, 64 + 41, comes to bit fraction + 4 = 56. */
    return two(f, SCALAR_OR, scalar_shift(b, SCALAR_SHL, high, 15), scalar_jam(b, rest, 49));
}
/* One of these cases, the first that holds; else the number. */
static scalar_id finish(const struct scalar_format *f, scalar_id size, scalar_id wrong,
                        scalar_id infinite, scalar_id zero, scalar_id negative) {
    size = choose(f, zero, scalar_k(f, 0), size);
    size = choose(f, infinite, scalar_k(f, f->infinity), size);
    return choose(f, wrong, nan_of(f), scalar_with_sign(f, size, negative));
}
/* Its highest one is bit fraction + extra, where the exponent is that, or the one below. */
static scalar_id pack_either(const struct scalar_format *f, scalar_id exponent, scalar_id s,
                             unsigned extra) {
    scalar_id top = scalar_shift(f->b, SCALAR_SHR, s, f->fraction + extra);
    top = scalar_word(f->b, top);
    s = choose(f, top, s, scalar_shift(f->b, SCALAR_SHL, s, 1));
    exponent = two(f, SCALAR_SUB, two(f, SCALAR_ADD, exponent, top), word(f, 1));
    return scalar_pack(f, exponent, s, extra);
}
static scalar_id multiply(const struct scalar_format *f, scalar_id x, scalar_id y) {
    struct scalar_parts a = scalar_unpack(f, x), c = scalar_unpack(f, y);
    scalar_id size_x = scalar_size(f, x), size_y = scalar_size(f, y);
    scalar_id e =
        two(f, SCALAR_SUB, two(f, SCALAR_ADD, a.exponent, c.exponent), word(f, f->bias - 1));
    scalar_id size = pack_either(f, e, product(f, a.significand, c.significand), 4);
    scalar_id infinite = either(f, is_infinite(f, size_x), is_infinite(f, size_y));
    scalar_id zero = either(f, is_zero(f, size_x), is_zero(f, size_y));
    scalar_id wrong = either(f, either(f, scalar_is_nan(f, size_x), scalar_is_nan(f, size_y)),
                             both(f, infinite, zero));
    return finish(f, size, wrong, infinite, zero, two(f, SCALAR_XOR, a.negative, c.negative));
}

/* What is left of a where q is a / c: a quotient that was simplified has no rest of its own. */
static scalar_id rest(const struct scalar_format *f, scalar_id q, scalar_id a, scalar_id c) {
    struct scalar_body *b = f->b;
    if (scalar_at(b, q)->op == SCALAR_DIVIDE)
        return scalar_rest(b, q);
    return scalar_two(b, SCALAR_SUB, a, scalar_two(b, SCALAR_MUL, q, c));
}

/* As many bits below `fraction` as *extra says, the last with what is left. */
static scalar_id quotient(const struct scalar_format *f, scalar_id a, scalar_id c,
                          unsigned *extra) {
    struct scalar_body *b = f->b;
    scalar_id q, r;
    *extra = 5;
    if (!f->wide) {
        bool pairs = f->fraction > 12;
        scalar_id up = scalar_shift(b, SCALAR_SHL, scalar_fit(b, a, pairs), f->fraction + 5);
        scalar_id by = scalar_fit(b, c, pairs);
        q = scalar_two(b, SCALAR_DIVIDE, up, by);
        r = scalar_word(b, rest(f, q, up, by));
        q = scalar_word(b, q);
    } else {
        /* The first bit, then 55 others, 11 at a time. */
        scalar_id first = two(f, SCALAR_GEU, a, c);
        r = choose(f, first, two(f, SCALAR_SUB, a, c), a);
        q = scalar_fit(b, first, true);
        for (unsigned i = 0; i < 5; i++) {
            scalar_id up = scalar_shift(b, SCALAR_SHL, r, 11);
            scalar_id part = two(f, SCALAR_DIVIDE, up, c);
            r = rest(f, part, up, c);
            q = two(f, SCALAR_OR, scalar_shift(b, SCALAR_SHL, q, 11), part);
        }
        *extra = 3;
    }
    scalar_id lost = two(f, SCALAR_NE, r, scalar_k(f, 0));
    return two(f, SCALAR_OR, q, scalar_fit(b, lost, f->wide));
}
static scalar_id divide(const struct scalar_format *f, scalar_id x, scalar_id y) {
    struct scalar_parts a = scalar_unpack(f, x), c = scalar_unpack(f, y);
    scalar_id size_x = scalar_size(f, x), size_y = scalar_size(f, y);
    scalar_id e = two(f, SCALAR_ADD, two(f, SCALAR_SUB, a.exponent, c.exponent), word(f, f->bias));
    unsigned extra;
    scalar_id q = quotient(f, a.significand, c.significand, &extra);
    scalar_id size = pack_either(f, e, q, extra);
    scalar_id ix = is_infinite(f, size_x), iy = is_infinite(f, size_y);
    scalar_id zx = is_zero(f, size_x), zy = is_zero(f, size_y);
    scalar_id wrong = either(f, scalar_is_nan(f, size_x), scalar_is_nan(f, size_y));
    wrong = either(f, wrong, either(f, both(f, ix, iy), both(f, zx, zy)));
    return finish(f, size, wrong, either(f, ix, zy), either(f, zx, iy),
                  two(f, SCALAR_XOR, a.negative, c.negative));
}

/* Bit by bit: what is left is brought up by two bits of the number a step. */
struct scalar_root scalar_root_begin(const struct scalar_format *f, scalar_id x) {
    struct scalar_body *b = f->b;
    unsigned room = f->wide ? 64 : 32;
    struct scalar_parts p = scalar_unpack(f, x);
    scalar_id k = two(f, SCALAR_SUB, p.exponent, word(f, f->bias));
    scalar_id m = choose(f, scalar_clean(b, k, 1), scalar_shift(b, SCALAR_SHL, p.significand, 1),
                         p.significand);
    return (struct scalar_root){.number = scalar_shift(b, SCALAR_SHL, m, room - 2 - f->fraction),
                                .left = scalar_k(f, 0),
                                .root = scalar_k(f, 0),
                                .exponent = k};
}
void scalar_root_step(const struct scalar_format *f, struct scalar_root *x, bool brings) {
    struct scalar_body *b = f->b;
    unsigned room = f->wide ? 64 : 32;
    x->left = scalar_shift(b, SCALAR_SHL, x->left, 2);
    if (brings) {
        x->left = two(f, SCALAR_OR, x->left, scalar_shift(b, SCALAR_SHR, x->number, room - 2));
        x->number = scalar_shift(b, SCALAR_SHL, x->number, 2);
    }
    scalar_id trial = two(f, SCALAR_OR, scalar_shift(b, SCALAR_SHL, x->root, 2), scalar_k(f, 1));
    scalar_id fits = two(f, SCALAR_GEU, x->left, trial);
    x->left = choose(f, fits, two(f, SCALAR_SUB, x->left, trial), x->left);
    x->root =
        two(f, SCALAR_OR, scalar_shift(b, SCALAR_SHL, x->root, 1), scalar_fit(b, fits, f->wide));
}
scalar_id scalar_root_end(const struct scalar_format *f, const struct scalar_root *root,
                          scalar_id x) {
    struct scalar_body *b = f->b;
    scalar_id size = scalar_size(f, x);
    scalar_id lost = scalar_fit(b, two(f, SCALAR_NE, root->left, scalar_k(f, 0)), f->wide);
    scalar_id r = two(f, SCALAR_OR, scalar_shift(b, SCALAR_SHL, root->root, 1), lost);
    scalar_id e =
        two(f, SCALAR_ADD, scalar_shift(b, SCALAR_SAR, root->exponent, 1), word(f, f->bias));
    scalar_id result = scalar_pack(f, e, r, 4);
    /* Both zeros and +infinity are their own roots. */
    scalar_id zero = is_zero(f, size);
    result = choose(f, either(f, zero, is_infinite(f, size)), x, result);
    scalar_id wrong = both(f, sign_of(f, x), inverse(f, zero));
    return choose(f, either(f, wrong, scalar_is_nan(f, size)), nan_of(f), result);
}
static scalar_id root(const struct scalar_format *f, scalar_id x) {
    struct scalar_root r = scalar_root_begin(f, x);
    for (unsigned i = 0; i < scalar_root_steps(f); i++)
        scalar_root_step(f, &r, 2 * i < f->fraction + 2);
    return scalar_root_end(f, &r, x);
}

/* ---- comparison ---- */

/* Numbers with a sign in the order of the floats; `apart`: -0 is below 0. */
static scalar_id ordered(const struct scalar_format *f, scalar_id x, bool apart) {
    scalar_id size = scalar_size(f, x);
    scalar_id below = apart ? scalar_not(f->b, size) : two(f, SCALAR_SUB, scalar_k(f, 0), size);
    return choose(f, sign_of(f, x), below, size);
}
static scalar_id least(const struct scalar_format *f, scalar_id x, scalar_id y, bool greatest) {
    scalar_id kx = ordered(f, x, true), ky = ordered(f, y, true);
    scalar_id nx = scalar_is_nan(f, scalar_size(f, x)), ny = scalar_is_nan(f, scalar_size(f, y));
    scalar_id less = greatest ? two(f, SCALAR_LTS, ky, kx) : two(f, SCALAR_LTS, kx, ky);
    scalar_id r = choose(f, either(f, both(f, less, inverse(f, nx)), ny), x, y);
    return choose(f, both(f, nx, ny), nan_of(f), r);
}
static scalar_id compare(const struct scalar_format *f, enum scalar_op op, scalar_id x, scalar_id y,
                         bool swap) {
    scalar_id nan =
        either(f, scalar_is_nan(f, scalar_size(f, x)), scalar_is_nan(f, scalar_size(f, y)));
    scalar_id kx = ordered(f, x, false), ky = ordered(f, y, false);
    scalar_id holds = swap ? two(f, op, ky, kx) : two(f, op, kx, ky);
    return both(f, holds, inverse(f, nan));
}

/* What takes operands as numbers; 0: none does. */
static scalar_id on_numbers(const struct scalar_format *f, enum isa_op op, scalar_id a,
                            scalar_id c) {
    scalar_id sign = scalar_k(f, f->infinity + (UINT64_C(1) << f->fraction));
    switch (op) {
    case OP_FADD:
    case OP_BFADD:
        return add(f, a, c);
    case OP_FSUB:
    case OP_BFSUB:
        return add(f, a, two(f, SCALAR_XOR, c, sign));
    case OP_FMUL:
    case OP_BFMUL:
        return multiply(f, a, c);
    case OP_FDIV:
    case OP_BFDIV:
        return divide(f, a, c);
    case OP_FSQRT:
    case OP_BFSQRT:
        return root(f, a);
    case OP_FCMPEQ:
    case OP_BFCMPEQ:
        return compare(f, SCALAR_EQ, a, c, false);
    case OP_FCMPLT:
    case OP_BFCMPLT:
        return compare(f, SCALAR_LTS, a, c, false);
    case OP_FCMPLE:
    case OP_BFCMPLE:
        return compare(f, SCALAR_GES, a, c, true);
    case OP_FCMPUN:
    case OP_BFCMPUN:
        return either(f, scalar_is_nan(f, scalar_size(f, a)), scalar_is_nan(f, scalar_size(f, c)));
    case OP_FMIN:
    case OP_BFMIN:
        return least(f, a, c, false);
    case OP_FMAX:
    case OP_BFMAX:
        return least(f, a, c, true);
    case OP_FZERO:
    case OP_BFZERO:
        return scalar_fit(f->b, is_zero(f, scalar_size(f, a)), f->wide);
    default:
        return 0;
    }
}

scalar_id scalar_float(struct scalar_body *b, const struct insn *insn, scalar_id a, scalar_id c) {
    /* Of no bits where the operand is no float. */
    const struct scalar_format format = scalar_format_of(b, isa_source_format(insn)), *f = &format;
    scalar_id sign = scalar_k(f, f->infinity + (UINT64_C(1) << f->fraction));
    /* What works on patterns alone. */
    switch (insn->op) {
    case OP_FNEG:
    case OP_BFNEG:
        return two(f, SCALAR_XOR, a, sign);
    case OP_FABS:
    case OP_BFABS:
        return scalar_size(f, a);
    case OP_FSIGN:
    case OP_BFSIGN:
        return scalar_fit(b, sign_of(f, a), f->wide);
    case OP_CVT:
        return scalar_convert(b, insn, a);
    default:
        return on_numbers(f, insn->op, scalar_kept(f, a), c ? scalar_kept(f, c) : 0);
    }
}
