/* SPDX-License-Identifier: MIT
 * A finite number other than 0 is unpacked to significand * 2^exponent, the significand's highest
 * bit being bit 62.  Operations make an exact result, or one whose lowest bit is the OR of all that
 * lies below it ("jammed"); pack rounds once.  A format has at most 53 bits of precision, so ten
 * bits and more lie below the last one kept, and the jammed bit decides as the exact tail would. */
#include "support/ieee.h"

#include "support/bits.h"

__extension__ typedef unsigned __int128 ieee_product;

#define TOP 62 /* of an unpacked significand */

struct unpacked {
    bool negative;
    int32_t exponent; /* of bit 0 */
    uint64_t significand;
};

static uint64_t exponent_mask(struct ieee_format format) {
    return low_bits(format.exponent_bits);
}

static int32_t bias(struct ieee_format format) {
    return (int32_t)(exponent_mask(format) >> 1);
}

static uint64_t exponent_of(struct ieee_format format, uint64_t value) {
    return value >> format.fraction_bits & exponent_mask(format);
}

static uint64_t fraction_of(struct ieee_format format, uint64_t value) {
    return value & low_bits(format.fraction_bits);
}

/* The bits below the sign: as integers they are in the order of the numbers' sizes. */
static uint64_t magnitude(struct ieee_format format, uint64_t value) {
    uint64_t size = value & (ieee_sign_bit(format) - 1);
    return format.flush && size >> format.fraction_bits == 0 ? 0 : size;
}

/* The value as the format has it: without bits above, or subnormal ones where it flushes. */
static uint64_t kept(struct ieee_format format, uint64_t value) {
    return (value & ieee_sign_bit(format)) | magnitude(format, value);
}

static bool is_negative(struct ieee_format format, uint64_t value) {
    return (value & ieee_sign_bit(format)) != 0;
}

uint64_t ieee_sign_bit(struct ieee_format format) {
    return (uint64_t)1 << (format.exponent_bits + format.fraction_bits);
}

uint64_t ieee_infinity(struct ieee_format format, bool negative) {
    return exponent_mask(format) << format.fraction_bits | (negative ? ieee_sign_bit(format) : 0);
}

uint64_t ieee_nan(struct ieee_format format) {
    return ieee_infinity(format, false) | (uint64_t)1 << (format.fraction_bits - 1);
}

bool ieee_is_nan(struct ieee_format format, uint64_t value) {
    return magnitude(format, value) > ieee_infinity(format, false);
}

bool ieee_is_infinite(struct ieee_format format, uint64_t value) {
    return magnitude(format, value) == ieee_infinity(format, false);
}

bool ieee_is_zero(struct ieee_format format, uint64_t value) {
    return magnitude(format, value) == 0;
}

static uint64_t zero(struct ieee_format format, bool negative) {
    return negative ? ieee_sign_bit(format) : 0;
}

/* value >> count with the OR of all bits that fall out in bit 0. */
static uint64_t jam(uint64_t value, uint32_t count) {
    if (count >= 64)
        return value != 0;
    return value >> count | ((value & low_bits(count ? count : 1)) != 0 && count);
}

/* The highest bit of the significand, which is not 0, goes to TOP; bit 63 may be set before. */
static void normalise(struct unpacked *x) {
    if (x->significand >> 63) {
        x->significand = jam(x->significand, 1);
        x->exponent++;
    }
    int32_t up = __builtin_clzll(x->significand) - (63 - TOP);
    x->significand <<= up;
    x->exponent -= up;
}

/* value is finite and not 0. */
static struct unpacked unpack(struct ieee_format format, uint64_t value) {
    uint64_t exponent = exponent_of(format, value), fraction = fraction_of(format, value);
    int32_t scale = exponent ? (int32_t)exponent : 1;
    struct unpacked x = {is_negative(format, value),
                         scale - bias(format) - (int32_t)format.fraction_bits,
                         exponent ? fraction | (uint64_t)1 << format.fraction_bits : fraction};
    normalise(&x);
    return x;
}

/* Numbers of that sign are rounded to the larger size, as long as anything lies above. */
static bool is_outward(enum ieee_rounding rounding, bool negative) {
    return rounding == (negative ? IEEE_DOWN : IEEE_UP);
}

/* significand / 2^count of a number of that sign, rounded. */
static uint64_t round_off(enum ieee_rounding rounding, bool negative, uint64_t significand,
                          uint32_t count) {
    uint64_t jammed = jam(significand, count - 2); /* two bits below the last one */
    bool up = (jammed & 3) > 1 && (jammed & 7) != 2;
    if (rounding != IEEE_NEAREST)
        up = is_outward(rounding, negative) && (jammed & 3);
    return (jammed >> 2) + up;
}

static uint64_t overflow(struct ieee_format format, bool negative) {
    bool infinite = format.rounding == IEEE_NEAREST || is_outward(format.rounding, negative);
    return ieee_infinity(format, negative) - !infinite;
}

/* Rounds a normalised number.  A carry out of the fraction goes into the exponent, where it
 * belongs, and out of the largest number into infinity. */
static uint64_t pack(struct ieee_format format, struct unpacked x) {
    int32_t scale = x.exponent + TOP + bias(format); /* the exponent field of a normal number */
    uint32_t drop = TOP - format.fraction_bits;
    uint64_t sign = zero(format, x.negative);
    if (scale >= (int32_t)exponent_mask(format))
        return overflow(format, x.negative);
    if (scale < 1) {
        uint32_t further = (uint32_t)(1 - scale);
        return sign | magnitude(format, round_off(format.rounding, x.negative, x.significand,
                                                  further > 64 ? 66 : drop + further));
    }
    return sign | (((uint64_t)(scale - 1) << format.fraction_bits) +
                   round_off(format.rounding, x.negative, x.significand, drop));
}

static uint64_t pack_normalised(struct ieee_format format, struct unpacked x) {
    normalise(&x);
    return pack(format, x);
}

/* Both finite and not 0.  The smaller one is brought to the exponent of the larger. */
static uint64_t add_finite(struct ieee_format format, uint64_t left, uint64_t right) {
    bool swap = magnitude(format, left) < magnitude(format, right);
    struct unpacked x = unpack(format, swap ? right : left);
    struct unpacked y = unpack(format, swap ? left : right);
    uint64_t aligned = jam(y.significand, (uint32_t)(x.exponent - y.exponent));
    if (x.negative == y.negative)
        x.significand += aligned;
    else
        x.significand -= aligned;
    return x.significand ? pack_normalised(format, x) : zero(format, format.rounding == IEEE_DOWN);
}

uint64_t ieee_add(struct ieee_format format, uint64_t left, uint64_t right) {
    bool l = is_negative(format, left), r = is_negative(format, right);
    if (ieee_unordered(format, left, right))
        return ieee_nan(format);
    if (ieee_is_infinite(format, left) || ieee_is_infinite(format, right)) {
        bool both = ieee_is_infinite(format, left) && ieee_is_infinite(format, right);
        if (both && l != r)
            return ieee_nan(format);
        return ieee_infinity(format, ieee_is_infinite(format, left) ? l : r);
    }
    if (ieee_is_zero(format, left) && ieee_is_zero(format, right))
        return zero(format, format.rounding == IEEE_DOWN ? l || r : l && r);
    if (ieee_is_zero(format, left) || ieee_is_zero(format, right))
        return kept(format, ieee_is_zero(format, left) ? right : left);
    return add_finite(format, left, right);
}

uint64_t ieee_sub(struct ieee_format format, uint64_t left, uint64_t right) {
    return ieee_add(format, left, right ^ ieee_sign_bit(format));
}

/* A product or quotient of 128 bits as a jammed significand of 64. */
static uint64_t pack_large(struct ieee_format format, bool negative, int32_t exponent,
                           ieee_product value) {
    uint64_t high = (uint64_t)(value >> 64), low = (uint64_t)value;
    struct unpacked x = {negative, exponent, low};
    if (high) {
        int32_t down = 64 - __builtin_clzll(high);
        x.significand = (uint64_t)(value >> down) | ((low & low_bits((unsigned)down)) != 0);
        x.exponent += down;
    }
    return pack_normalised(format, x);
}

uint64_t ieee_mul(struct ieee_format format, uint64_t left, uint64_t right) {
    bool negative = is_negative(format, left) != is_negative(format, right);
    bool infinite = ieee_is_infinite(format, left) || ieee_is_infinite(format, right);
    bool none = ieee_is_zero(format, left) || ieee_is_zero(format, right);
    if (ieee_unordered(format, left, right) || (infinite && none))
        return ieee_nan(format);
    if (infinite)
        return ieee_infinity(format, negative);
    if (none)
        return zero(format, negative);
    struct unpacked x = unpack(format, left), y = unpack(format, right);
    return pack_large(format, negative, x.exponent + y.exponent,
                      (ieee_product)x.significand * y.significand);
}

/* value >> count with the OR of all bits that fall out in bit 0. */
static ieee_product jam_large(ieee_product value, uint32_t count) {
    if (count >= 128)
        return value != 0;
    return count ? value >> count | ((value << (128 - count)) != 0) : value;
}

static bool is_less(int32_t left_exponent, ieee_product left, int32_t right_exponent,
                    ieee_product right) {
    return left_exponent != right_exponent ? left_exponent < right_exponent : left < right;
}

/* left * right + addend, all finite and not 0.  The product has 126 bits at most and the addend as
 * many, so that a bit is left for a carry, and what is jammed lies far below what is kept. */
static uint64_t fma_finite(struct ieee_format format, struct unpacked left, struct unpacked right,
                           struct unpacked addend) {
    bool negative = left.negative != right.negative, other = addend.negative;
    ieee_product x = (ieee_product)left.significand * right.significand;
    ieee_product y = (ieee_product)addend.significand << TOP;
    int32_t e = left.exponent + right.exponent, f = addend.exponent - TOP;
    if (!(x >> (2 * TOP + 1))) { /* the highest bit where the addend's can be */
        x <<= 1;
        e--;
    }
    y <<= 1;
    f--;
    if (is_less(e, x, f, y)) {
        ieee_product larger = y;
        int32_t exponent = f;
        bool sign = other;
        y = x, f = e, other = negative;
        x = larger, e = exponent, negative = sign;
    }
    y = jam_large(y, (uint32_t)(e - f));
    x = negative == other ? x + y : x - y;
    return x ? pack_large(format, negative, e, x) : zero(format, format.rounding == IEEE_DOWN);
}

uint64_t ieee_fma(struct ieee_format format, uint64_t left, uint64_t right, uint64_t addend) {
    bool none = ieee_is_zero(format, left) || ieee_is_zero(format, right);
    bool infinite = ieee_is_infinite(format, left) || ieee_is_infinite(format, right);
    if (ieee_is_nan(format, addend) || none || infinite)
        return ieee_add(format, ieee_mul(format, left, right), addend);
    if (ieee_unordered(format, left, right))
        return ieee_nan(format);
    if (ieee_is_infinite(format, addend))
        return kept(format, addend);
    if (ieee_is_zero(format, addend))
        return ieee_mul(format, left, right);
    return fma_finite(format, unpack(format, left), unpack(format, right), unpack(format, addend));
}

/* A quotient of 63 or 64 bits; a remainder is jammed into its lowest bit. */
static uint64_t divide_finite(struct ieee_format format, bool negative, struct unpacked x,
                              struct unpacked y) {
    ieee_product dividend = (ieee_product)x.significand << 63;
    ieee_product quotient = dividend / y.significand;
    return pack_large(format, negative, x.exponent - y.exponent - 63,
                      quotient | (dividend % y.significand != 0));
}

uint64_t ieee_div(struct ieee_format format, uint64_t left, uint64_t right) {
    bool negative = is_negative(format, left) != is_negative(format, right);
    bool above = ieee_is_infinite(format, left), below = ieee_is_infinite(format, right);
    bool none = ieee_is_zero(format, left), by_none = ieee_is_zero(format, right);
    if (ieee_unordered(format, left, right) || (above && below) || (none && by_none))
        return ieee_nan(format);
    if (above || by_none)
        return ieee_infinity(format, negative);
    if (none || below)
        return zero(format, negative);
    return divide_finite(format, negative, unpack(format, left), unpack(format, right));
}

/* The largest root of 64 bits whose square is at most `value`, bit by bit. */
static uint64_t root_of(ieee_product value) {
    uint64_t root = 0;
    for (unsigned bit = 64; bit-- > 0;) {
        uint64_t longer = root | (uint64_t)1 << bit;
        if ((ieee_product)longer * longer <= value)
            root = longer;
    }
    return root;
}

uint64_t ieee_sqrt(struct ieee_format format, uint64_t value) {
    bool negative = is_negative(format, value);
    if (ieee_is_zero(format, value))
        return zero(format, negative);
    if (ieee_is_nan(format, value) || negative)
        return ieee_nan(format);
    if (ieee_is_infinite(format, value))
        return ieee_infinity(format, false);
    struct unpacked x = unpack(format, value);
    int32_t odd = x.exponent & 1;
    ieee_product square = (ieee_product)x.significand << (64 - odd);
    uint64_t root = root_of(square);
    return pack_large(format, false, (x.exponent - 64 + odd) / 2,
                      root | ((ieee_product)root * root != square));
}

bool ieee_unordered(struct ieee_format format, uint64_t left, uint64_t right) {
    return ieee_is_nan(format, left) || ieee_is_nan(format, right);
}

/* Numbers in their order as signed ones, both zeros as 0. */
static int64_t rank(struct ieee_format format, uint64_t value) {
    int64_t size = (int64_t)magnitude(format, value);
    return is_negative(format, value) ? -size : size;
}

bool ieee_equal(struct ieee_format format, uint64_t left, uint64_t right) {
    return !ieee_unordered(format, left, right) && rank(format, left) == rank(format, right);
}

bool ieee_less(struct ieee_format format, uint64_t left, uint64_t right) {
    return !ieee_unordered(format, left, right) && rank(format, left) < rank(format, right);
}

bool ieee_less_equal(struct ieee_format format, uint64_t left, uint64_t right) {
    return !ieee_unordered(format, left, right) && rank(format, left) <= rank(format, right);
}

/* In the total order of numbers, where -0 lies before +0. */
static bool before(struct ieee_format format, uint64_t left, uint64_t right) {
    int64_t l = rank(format, left), r = rank(format, right);
    return l < r || (l == r && is_negative(format, left) && !is_negative(format, right));
}

/* The number of the two, if just one is; else false. */
static bool only_number(struct ieee_format format, uint64_t left, uint64_t right, uint64_t *out) {
    bool l = ieee_is_nan(format, left), r = ieee_is_nan(format, right);
    *out = l && r ? ieee_nan(format) : kept(format, l ? right : left);
    return l || r;
}

uint64_t ieee_min(struct ieee_format format, uint64_t left, uint64_t right) {
    uint64_t only;
    if (only_number(format, left, right, &only))
        return only;
    return kept(format, before(format, right, left) ? right : left);
}

uint64_t ieee_max(struct ieee_format format, uint64_t left, uint64_t right) {
    uint64_t only;
    if (only_number(format, left, right, &only))
        return only;
    return kept(format, before(format, left, right) ? right : left);
}

static uint64_t from_size(struct ieee_format format, bool negative, uint64_t size) {
    return size ? pack_normalised(format, (struct unpacked){negative, 0, size}) : 0;
}

uint64_t ieee_from_unsigned(struct ieee_format format, uint64_t value) {
    return from_size(format, false, value);
}

uint64_t ieee_from_signed(struct ieee_format format, int64_t value) {
    return from_size(format, value < 0, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/* |x| as an integer, UINT64_MAX where it is larger. */
static uint64_t to_size(struct unpacked x, enum ieee_rounding rounding) {
    if (x.exponent > 63 - TOP)
        return UINT64_MAX;
    if (x.exponent >= 0)
        return x.significand << x.exponent;
    uint32_t down = (uint32_t)-x.exponent;
    uint64_t four_times = down > 1 ? jam(x.significand, down - 2) : x.significand << 1;
    return round_off(rounding, x.negative, four_times, 2);
}

uint64_t ieee_integral(struct ieee_format format, uint64_t value) {
    bool negative = is_negative(format, value);
    if (ieee_is_nan(format, value))
        return ieee_nan(format);
    if (ieee_is_infinite(format, value) || ieee_is_zero(format, value))
        return kept(format, value);
    struct unpacked x = unpack(format, value);
    if (x.exponent + TOP >= (int32_t)format.fraction_bits)
        return kept(format, value); /* its last bit is a whole number */
    uint64_t size = to_size(x, format.rounding);
    return size ? from_size(format, negative, size) : zero(format, negative);
}

uint64_t ieee_to_unsigned(struct ieee_format format, uint64_t value, unsigned width, bool nearest) {
    if (ieee_is_nan(format, value) || ieee_is_zero(format, value) || is_negative(format, value))
        return 0;
    if (ieee_is_infinite(format, value))
        return low_bits(width);
    uint64_t size = to_size(unpack(format, value), nearest ? IEEE_NEAREST : IEEE_ZERO);
    return size > low_bits(width) ? low_bits(width) : size;
}

uint64_t ieee_to_signed(struct ieee_format format, uint64_t value, unsigned width, bool nearest) {
    bool negative = is_negative(format, value);
    uint64_t limit = ((uint64_t)1 << (width - 1)) - !negative;
    if (ieee_is_nan(format, value) || ieee_is_zero(format, value))
        return 0;
    uint64_t size = ieee_is_infinite(format, value)
                        ? limit
                        : to_size(unpack(format, value), nearest ? IEEE_NEAREST : IEEE_ZERO);
    size = size > limit ? limit : size;
    return (negative ? 0 - size : size) & low_bits(width);
}

uint64_t ieee_convert(struct ieee_format from, struct ieee_format to, uint64_t value) {
    bool negative = is_negative(from, value);
    if (ieee_is_nan(from, value))
        return ieee_nan(to);
    if (ieee_is_infinite(from, value))
        return ieee_infinity(to, negative);
    return ieee_is_zero(from, value) ? zero(to, negative) : pack(to, unpack(from, value));
}

uint64_t ieee_distance(struct ieee_format format, uint64_t left, uint64_t right) {
    bool l = ieee_is_nan(format, left), r = ieee_is_nan(format, right);
    if (l || r)
        return l && r ? 0 : UINT64_MAX;
    int64_t x = rank(format, left), y = rank(format, right);
    return x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
}

uint64_t ieee_edge(struct ieee_format format, unsigned index) {
    uint64_t fraction = low_bits(format.fraction_bits), hidden = fraction + 1;
    uint64_t one = (exponent_mask(format) >> 1) << format.fraction_bits;
    uint64_t infinity = ieee_infinity(format, false);
    const uint64_t sizes[IEEE_EDGES / 2] = {
        0,   1,       fraction,     hidden,   hidden | fraction, one - 1,
        one, one + 1, infinity - 1, infinity, ieee_nan(format),  infinity + 1};
    return sizes[index / 2 % (IEEE_EDGES / 2)] | zero(format, index % 2);
}

/* A number of a random class. */
static uint64_t random_value(struct ieee_format format, uint64_t *state) {
    uint64_t value = splitmix64(state) & low_bits(ieee_width(format)), kind = splitmix64(state);
    uint64_t fraction = low_bits(format.fraction_bits), sign = ieee_sign_bit(format);
    uint64_t middle = (exponent_mask(format) >> 1) - 4 + (kind >> 8 & 7);
    switch (kind % 8) {
    case 0: /* subnormal, or nearly so */
        return value & (sign | fraction | (kind >> 8 & 3) << format.fraction_bits);
    case 1: /* an infinity or none */
        return (value & (kind >> 8 & 1 ? sign | fraction : sign)) | ieee_infinity(format, false);
    case 2: /* few bits */
        return value & ~(fraction >> (kind >> 8) % format.fraction_bits);
    case 3:
    case 4: /* near 1 */
        return (value & (sign | fraction)) | middle << format.fraction_bits;
    default:
        return value;
    }
}

void ieee_random_pair(struct ieee_format format, uint64_t *state, uint64_t pair[2]) {
    uint64_t fraction = low_bits(format.fraction_bits), sign = ieee_sign_bit(format);
    pair[0] = random_value(format, state);
    pair[1] = random_value(format, state);
    uint64_t kind = splitmix64(state);
    if (kind % 4 == 0) /* neighbours, of one sign or not */
        pair[1] = ((pair[0] & (sign - 1)) + (kind >> 8 & 7)) ^ (kind >> 16 & 1 ? sign : 0);
    else if (kind % 4 == 1) /* exponents whose distance is less than that of their last bits */
        pair[1] = (pair[1] & (fraction | sign)) |
                  ((pair[0] & ~(fraction | sign)) +
                   ((kind >> 8) % (format.fraction_bits + 4u) << format.fraction_bits));
    pair[1] &= low_bits(ieee_width(format));
    if (kind >> 24 & 1) {
        uint64_t first = pair[0];
        pair[0] = pair[1];
        pair[1] = first;
    }
}
