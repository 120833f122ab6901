/* SPDX-License-Identifier: MIT */
#include "tests/isa/oracle.h"

#include <math.h>
#include <stdlib.h>

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

static wide power(unsigned n) {
    return (wide)1 << n;
}

/* v modulo 2^w, for any v. */
static uint64_t wrap(wide v, unsigned w) {
    wide m = v % power(w);
    return (uint64_t)(m < 0 ? m + power(w) : m);
}

static wide number(uint64_t v, unsigned w) {
    return v >= (uint64_t)power(w - 1) ? (wide)v - power(w) : (wide)v;
}

static unsigned bit(uint64_t v, unsigned j) {
    return (unsigned)(v >> j & 1);
}

/* One three-input gate for every bit: truth holds its output for inputs 0..7 (a + 2b + 4c). */
static uint64_t gate(unsigned truth, const struct golden_lane *x) {
    uint64_t r = 0;
    for (unsigned j = 0; j < x->w; j++) {
        unsigned row = bit(x->rs, j) + 2 * bit(x->rt, j) + 4 * bit(x->rd, j);
        r |= (uint64_t)(truth >> row & 1) << j;
    }
    return r;
}

/* Shift and add, from the multiplier's top bit down. */
static uint64_t multiply(uint64_t a, uint64_t b, unsigned w) {
    uint64_t sum = 0;
    for (unsigned j = w; j-- > 0;)
        sum = wrap(2 * (wide)sum + (bit(b, j) ? (wide)a : 0), w);
    return sum;
}

/* Restoring division, one quotient bit at a time. */
static void divide(uint64_t a, uint64_t b, unsigned w, uint64_t *q, uint64_t *r) {
    wide rest = 0;
    *q = 0;
    for (unsigned j = w; j-- > 0;) {
        rest = 2 * rest + bit(a, j);
        if (rest >= (wide)b) {
            rest -= (wide)b;
            *q |= (uint64_t)1 << j;
        }
    }
    *r = (uint64_t)rest;
}

static wide floor_quotient(wide a, wide b) {
    wide q = a / b;
    while (q * b > a && b > 0)
        q--;
    while (q * b < a && b < 0)
        q--;
    return q;
}

static void divide_signed(enum isa_op op, struct golden_lane *x) {
    wide a = number(x->rs, x->w), b = number(x->rt, x->w);
    bool quotient = op == OP_SDIV || op == OP_FLDIV;
    if (b == 0) {
        x->rd = quotient ? wrap(-1, x->w) : x->rs;
        return;
    }
    wide q = op == OP_SDIV || op == OP_SREM ? a / b : floor_quotient(a, b);
    x->rd = wrap(quotient ? q : a - q * b, x->w);
}

/* -1, 0 or 1 by the first bit that differs, seen from above. */
static int order(uint64_t a, uint64_t b, unsigned w) {
    for (unsigned j = w; j-- > 0;)
        if (bit(a, j) != bit(b, j))
            return bit(a, j) ? 1 : -1;
    return 0;
}

static int order_signed(uint64_t a, uint64_t b, unsigned w) {
    if (bit(a, w - 1) != bit(b, w - 1))
        return bit(a, w - 1) ? -1 : 1;
    return order(a, b, w);
}

static uint64_t shift_left(uint64_t v, uint64_t count, unsigned w) {
    uint64_t r = 0;
    for (unsigned j = 0; j < w; j++)
        if (j >= count && bit(v, j - (unsigned)count))
            r |= (uint64_t)1 << j;
    return r;
}

/* Bits that come from above the top are `fill`. */
static uint64_t shift_right(uint64_t v, uint64_t count, unsigned w, unsigned fill) {
    uint64_t r = 0;
    for (unsigned j = 0; j < w; j++) {
        bool inside = count < w && j + count < w;
        r |= (uint64_t)(inside ? bit(v, j + (unsigned)count) : fill) << j;
    }
    return r;
}

static uint64_t replace_piece(const struct golden_lane *x, unsigned k) {
    uint64_t r = 0;
    for (unsigned j = 0; j < x->w; j++) {
        bool inside = j >= 12 * k && j < 12 * k + 12;
        r |= (uint64_t)(inside ? bit((uint64_t)x->imm, j - 12 * k) : bit(x->rd, j)) << j;
    }
    return r;
}

static uint64_t extend(const struct golden_lane *x, bool is_signed) {
    unsigned v = (unsigned)x->imm;
    uint64_t r = 0;
    for (unsigned j = 0; j < x->w; j++)
        r |= (uint64_t)(j < v ? bit(x->rs, j) : is_signed && bit(x->rs, v - 1)) << j;
    return r;
}

static void sort(struct golden_lane *x, int o) {
    uint64_t a = x->rs;
    if (o > 0) {
        x->rs = x->rt;
        x->rt = a;
    }
}

static uint64_t ones(uint64_t v, unsigned w) {
    uint64_t n = 0;
    for (unsigned j = 0; j < w; j++)
        n += bit(v, j);
    return n;
}

static uint64_t mirrored(uint64_t v, unsigned w) {
    uint64_t r = 0;
    for (unsigned j = 0; j < w; j++)
        r = 2 * r + bit(v, j);
    return r;
}

static bool masks(enum isa_op op, struct golden_lane *x) {
    bool low = x->rs % 2 == 1;
    switch (op) {
    case OP_GETMASK:
        x->rd = wrap(x->m ? -1 : 0, x->w);
        return true;
    case OP_SETMASK:
        x->m = x->valid ? low : false;
        return true;
    case OP_SETMASK_COND:
        x->m = x->valid ? x->c : false;
        return true;
    case OP_UNMASK:
        x->m = x->valid;
        return true;
    case OP_ANDMASK:
        if (!low)
            x->m = false;
        return true;
    case OP_ANDMASK_COND:
        if (!x->c)
            x->m = false;
        return true;
    case OP_ANDNMASK:
        if (x->c)
            x->m = false;
        return true;
    case OP_GETC:
        x->rd = x->c;
        return true;
    case OP_SETC:
        x->c = low;
        return true;
    default:
        return false;
    }
}

static bool logic(enum isa_op op, struct golden_lane *x) {
    static const struct {
        enum isa_op op;
        unsigned truth;
    } gates[] = {
        {OP_AND, 0x88},  {OP_NAND, 0x77}, {OP_NOR, 0x11}, {OP_OR, 0xEE},  {OP_XOR, 0x66},
        {OP_XNOR, 0x99}, {OP_INV, 0x55},  {OP_MOV, 0xAA}, {OP_MUX, 0xAC},
    };
    for (size_t i = 0; i < sizeof gates / sizeof *gates; i++) {
        if (gates[i].op == op) {
            x->rd = gate(gates[i].truth, x);
            return true;
        }
    }
    return false;
}

static bool compares(enum isa_op op, struct golden_lane *x) {
    int u = order(x->rs, x->rt, x->w), s = order_signed(x->rs, x->rt, x->w);
    int i = order(x->rd, wrap(x->imm, x->w), x->w);
    switch (op) {
    case OP_CMPEQ:
        x->c = u == 0;
        return true;
    case OP_CMPNE:
        x->c = u != 0;
        return true;
    case OP_CMPGT:
        x->c = u > 0;
        return true;
    case OP_CMPLT:
        x->c = u < 0;
        return true;
    case OP_CMPGE:
        x->c = u >= 0;
        return true;
    case OP_CMPLE:
        x->c = u <= 0;
        return true;
    case OP_CMPGTS:
        x->c = s > 0;
        return true;
    case OP_CMPLTS:
        x->c = s < 0;
        return true;
    case OP_CMPGES:
        x->c = s >= 0;
        return true;
    case OP_CMPLES:
        x->c = s <= 0;
        return true;
    case OP_CMPEQI:
        x->c = i == 0;
        return true;
    case OP_CMPLTI:
        x->c = i < 0;
        return true;
    case OP_CMPGTI:
        x->c = i > 0;
        return true;
    case OP_FUZZY:
        x->c = gate(0x06, x) == 0;
        return true;
    case OP_MAX:
        x->rd = u > 0 ? x->rs : x->rt;
        return true;
    case OP_MIN:
        x->rd = u > 0 ? x->rt : x->rs;
        return true;
    case OP_MAXS:
        x->rd = s > 0 ? x->rs : x->rt;
        return true;
    case OP_MINS:
        x->rd = s > 0 ? x->rt : x->rs;
        return true;
    case OP_CAS:
        sort(x, u);
        return true;
    case OP_CASS:
        sort(x, s);
        return true;
    case OP_SEL:
        x->rd = x->rd % 2 ? x->rs : x->rt;
        return true;
    default:
        return false;
    }
}

static bool shifts(enum isa_op op, struct golden_lane *x) {
    unsigned w = x->w, sign = bit(x->rs, w - 1);
    switch (op) {
    case OP_LSHIFT:
        x->rd = shift_left(x->rs, 1, w);
        return true;
    case OP_SHLI:
        x->rd = shift_left(x->rs, (uint64_t)x->imm, w);
        return true;
    case OP_SHRI:
        x->rd = shift_right(x->rs, (uint64_t)x->imm, w, 0);
        return true;
    case OP_SARI:
        x->rd = shift_right(x->rs, (uint64_t)x->imm, w, sign);
        return true;
    case OP_SHL:
        x->rd = shift_left(x->rs, x->rt, w);
        return true;
    case OP_SHR:
        x->rd = shift_right(x->rs, x->rt, w, 0);
        return true;
    case OP_SAR:
        x->rd = shift_right(x->rs, x->rt, w, sign);
        return true;
    case OP_BFLIP:
        x->rd = mirrored(x->rs, w);
        return true;
    case OP_POPC:
        x->rd = ones(x->rs, w);
        return true;
    case OP_ZEXT:
        x->rd = extend(x, false);
        return true;
    case OP_SEXT:
        x->rd = extend(x, true);
        return true;
    case OP_LIK1:
        x->rd = replace_piece(x, 1);
        return true;
    case OP_LIK2:
        x->rd = replace_piece(x, 2);
        return true;
    case OP_LIK3:
        x->rd = replace_piece(x, 3);
        return true;
    case OP_LIK4:
        x->rd = replace_piece(x, 4);
        return true;
    case OP_LIK5:
        x->rd = replace_piece(x, 5);
        return true;
    default:
        return false;
    }
}

static bool arithmetic(enum isa_op op, struct golden_lane *x) {
    unsigned w = x->w;
    wide a = (wide)x->rs, b = (wide)x->rt, d = (wide)x->rd, s = number(x->rs, w);
    uint64_t q, r;
    divide(x->rs, x->rt, w, &q, &r);
    switch (op) {
    case OP_INIT0:
        x->rd = 0;
        return true;
    case OP_INIT1:
        x->rd = 1;
        return true;
    case OP_LI:
        x->rd = wrap(x->imm, w);
        return true;
    case OP_ADD:
        x->rd = wrap(a + b, w);
        return true;
    case OP_SUB:
        x->rd = wrap(a - b, w);
        return true;
    case OP_INC:
        x->rd = wrap(a + 1, w);
        return true;
    case OP_DEC:
        x->rd = wrap(a - 1, w);
        return true;
    case OP_NEG:
        x->rd = wrap(-a, w);
        return true;
    case OP_ABS:
        x->rd = wrap(s < 0 ? -s : s, w);
        return true;
    case OP_RELU:
        x->rd = s < 0 ? 0 : x->rs;
        return true;
    case OP_MUL:
        x->rd = multiply(x->rs, x->rt, w);
        return true;
    case OP_MAC:
        x->rd = wrap(d + (wide)multiply(x->rs, x->rt, w), w);
        return true;
    case OP_ADDI:
        x->rd = wrap(d + x->imm, w);
        return true;
    case OP_ANDI:
        x->rd = x->rd & wrap(x->imm, w);
        return true;
    case OP_MULI:
        x->rd = multiply(x->rd, wrap(x->imm, w), w);
        return true;
    case OP_QDIV:
        x->rd = q;
        return true;
    case OP_RDIV:
        x->rd = r;
        return true;
    case OP_QRDIV:
        x->rd = q;
        x->rt = r;
        return true;
    case OP_SDIV:
    case OP_SREM:
    case OP_FLDIV:
    case OP_FLMOD:
        divide_signed(op, x);
        return true;
    default:
        return false;
    }
}

/* --- floats: the host's double, rounded to the format by its own arithmetic --- */

struct layout {
    int exponent, fraction;
};

/* Exact: a double holds every number of every format. */
static double real(struct layout f, uint64_t v) {
    int e = (int)(v >> f.fraction & (((uint64_t)1 << f.exponent) - 1)),
        most = (1 << f.exponent) - 1;
    uint64_t m = v & (((uint64_t)1 << f.fraction) - 1);
    double size = e == most ? (m ? NAN : INFINITY)
                            : ldexp((double)m + (e ? ldexp(1, f.fraction) : 0),
                                    (e ? e : 1) - most / 2 - f.fraction);
    return v >> (f.exponent + f.fraction) & 1 ? -size : size;
}

/* The nearest number of the format, by rint on a scaled value. */
static uint64_t pattern(struct layout f, double v) {
    int most = (1 << f.exponent) - 1, least = 1 - most / 2;
    uint64_t inf = (uint64_t)most << f.fraction;
    uint64_t sign = (uint64_t)(signbit(v) != 0) << (f.exponent + f.fraction);
    if (isnan(v))
        return inf | (uint64_t)1 << (f.fraction - 1);
    if (isinf(v))
        return sign | inf;
    int e = v == 0 ? least : ilogb(v);
    e = e < least ? least : e;
    /* Below the smallest normal number the field is 0, and its last bit counts the same. */
    double m = rint(ldexp(fabs(v), f.fraction - e));
    uint64_t size = (uint64_t)m + ((uint64_t)(e - least) << f.fraction);
    return sign | (size > inf ? inf : size);
}

/* Of two that are equal the one that -0 < +0 asks for. */
static uint64_t extreme(struct layout f, uint64_t a, uint64_t b, bool more) {
    double x = real(f, a), y = real(f, b);
    if (isnan(x) || isnan(y))
        return isnan(x) ? (isnan(y) ? pattern(f, NAN) : b) : a;
    bool first = x == y ? (signbit(x) != 0) != more : (x < y) != more;
    return first ? a : b;
}

static uint64_t to_integer(double v, unsigned w, bool is_signed, bool nearest) {
    double low = is_signed ? -ldexp(1, (int)w - 1) : 0, high = ldexp(1, (int)w - is_signed);
    v = nearest ? rint(v) : trunc(v);
    if (isnan(v))
        return 0;
    if (v >= high)
        return (uint64_t)(power(w - is_signed) - 1);
    return wrap((wide)(v < low ? low : v), w);
}

static uint64_t convert(const struct golden_lane *x, struct layout own) {
    static const struct layout from[] = {{5, 10}, {8, 7}, {8, 23}, {11, 52}};
    int64_t code = x->imm % 16;
    if (code == 0)
        return pattern(own, (double)(int64_t)number(x->rs, x->w));
    if (code == 1)
        return pattern(own, (double)x->rs);
    if (code < 8)
        return to_integer(real(own, x->rs), x->w, code % 2 == 0, code >= 4);
    return pattern(own, real(from[code - 8], x->rs));
}

static bool float_arithmetic(unsigned index, struct layout f, struct golden_lane *x) {
    double a = real(f, x->rs), b = real(f, x->rt);
    uint64_t sign = (uint64_t)1 << (f.exponent + f.fraction);
    const double results[] = {a + b, a - b, a * b, a / b, sqrt(a)};
    const bool tests[] = {a == b, a < b, a <= b, isnan(a) || isnan(b)};
    if (index < 5)
        x->rd = pattern(f, results[index]);
    else if (index < 9)
        x->c = tests[index - 5];
    else if (index < 11)
        x->rd = index == 9 ? x->rs ^ sign : x->rs & (sign - 1);
    else if (index < 13)
        x->rd = extreme(f, x->rs, x->rt, index == 12);
    else
        x->rd = index == 13 ? (x->rs & sign) != 0 : a == 0;
    return true;
}

static bool floats(enum isa_op op, struct golden_lane *x) {
    struct layout f = x->w == 16   ? (struct layout){5, 10}
                      : x->w == 32 ? (struct layout){8, 23}
                                   : (struct layout){11, 52};
    if (op == OP_CVT) {
        x->rd = convert(x, x->imm >= 16 ? (struct layout){8, 7} : f);
        return true;
    }
    if (op >= OP_BFADD && op <= OP_BFZERO)
        return float_arithmetic((unsigned)(op - OP_BFADD), (struct layout){8, 7}, x);
    return op >= OP_FADD && op <= OP_FZERO && float_arithmetic((unsigned)(op - OP_FADD), f, x);
}

/* An operand of a product as a number modulo 2^128. */
static unsigned_wide factor(uint64_t value, unsigned bits, bool has_sign) {
    unsigned_wide x = 0;
    for (unsigned j = 0; j < bits; j++)
        x += (unsigned_wide)bit(value, j) << j;
    if (has_sign && bit(value, bits - 1))
        x -= (unsigned_wide)1 << bits;
    return x;
}

/* Bit by bit of the product of two numbers. */
static bool multiplies_pieces(enum isa_op op, struct golden_lane *x) {
    if (op != OP_MULP)
        return false;
    unsigned a = (unsigned)(x->imm & 63) + 1, b = (unsigned)(x->imm >> 6 & 63) + 1,
             lo = (unsigned)(x->imm >> 12 & 127);
    bool sign_a = x->imm >> 19 & 1, sign_b = x->imm >> 20 & 1;
    unsigned_wide p = factor(x->rs, a, sign_a) * factor(x->rt, b, sign_b);
    uint64_t above = (sign_a || sign_b) && p >> 127 & 1;
    x->rd = 0;
    for (unsigned k = 0; k < x->w; k++)
        x->rd |= (lo + k < 128 ? (uint64_t)(p >> (lo + k)) & 1 : above) << k;
    return true;
}

/* Halves the table bit by bit of the index, from the top one down. */
static bool looks_up(enum isa_op op, struct golden_lane *x) {
    if (op != OP_LUT)
        return false;
    const uint64_t *from = x->lut->entries;
    for (unsigned j = x->lut->index_bits; j-- > 0;)
        from += bit(x->rs, j) ? (size_t)power(j) : 0;
    x->rd = wrap((wide)*from, x->w);
    return true;
}

void oracle(enum isa_op op, struct golden_lane *x) {
    if (looks_up(op, x) || multiplies_pieces(op, x))
        return;
    if (!floats(op, x) && !masks(op, x) && !logic(op, x) && !compares(op, x) && !shifts(op, x) &&
        !arithmetic(op, x))
        abort(); /* an instruction without an oracle */
}
