/* SPDX-License-Identifier: MIT
 * The algorithm of the library in C: what a text of tools/float-gen says, from its description. */
#include "tests/float/functions.h"

#include <stdbool.h>

static uint64_t floats_exp(const struct floats_function *f, uint64_t x);
static uint64_t floats_exp2(const struct floats_function *f, uint64_t x);
static uint64_t floats_log(const struct floats_function *f, uint64_t x);
static uint64_t floats_tail(const struct floats_function *f, uint64_t x);
static uint64_t floats_gate(const struct floats_function *f, uint64_t x);
static uint64_t floats_binades(const struct floats_function *f, uint64_t x);
static uint64_t floats_wave(const struct floats_function *f, uint64_t x);
static uint64_t floats_hyper(const struct floats_function *f, uint64_t x);
static uint64_t floats_less(const struct floats_function *f, uint64_t x);
static uint64_t floats_log1(const struct floats_function *f, uint64_t x);
static uint64_t floats_soft(const struct floats_function *f, uint64_t x);
static uint64_t floats_inverse(const struct floats_function *f, uint64_t x);

#include "tests/float/tables.inc"

const struct floats_format floats_formats[FLOATS_FORMATS] = {
    [FLOATS_F16] = {"f16", 11, 5, 16, 25},  [FLOATS_F16_WIDE] = {"f16", 11, 5, 16, 29},
    [FLOATS_BF16] = {"bf16", 8, 8, 16, 19}, [FLOATS_BF16_WIDE] = {"bf16", 8, 8, 16, 23},
    [FLOATS_F32] = {"f32", 24, 8, 32, 30},
};

const struct floats_function *floats_all(size_t *count) {
    *count = sizeof floats_functions / sizeof *floats_functions;
    return floats_functions;
}

/* What stands in a pattern. */
struct parts {
    uint64_t infinity, nan, fraction, magnitude;
    int64_t exponent; /* as it stands there */
    int bias;
    bool negative;
};

static struct parts take_apart(const struct floats_format *format, uint64_t x) {
    struct parts p = {.bias = (1 << (format->exponent_bits - 1)) - 1};
    unsigned fraction = format->precision - 1;
    p.infinity = (((uint64_t)1 << format->exponent_bits) - 1) << fraction;
    p.nan = p.infinity | (uint64_t)1 << (fraction - 1);
    p.fraction = x & (((uint64_t)1 << fraction) - 1);
    p.magnitude = x & (((uint64_t)1 << (format->width - 1)) - 1);
    p.exponent = (int64_t)(p.magnitude >> fraction);
    p.negative = x >> (format->width - 1);
    return p;
}

static int64_t floor_shift(int64_t value, unsigned by) {
    return by > 63 ? -(value < 0) : value < 0 ? ~(~value >> by) : value >> by;
}

static int64_t polynomial(const struct floats_polynomial *p, uint64_t at) {
    uint64_t part = at >> p->t_bits, t = at & (((uint64_t)1 << p->t_bits) - 1);
    int64_t v = p->c[p->degree][part];
    for (unsigned j = p->degree; j-- > 0;)
        v = floor_shift(v * (int64_t)(t >> p->cut[j]), p->shift[j]) + p->c[j][part];
    return v;
}

/* p 2^k, p of one or two in front of its point. */
static uint64_t scale(const struct floats_format *format, const struct parts *x, int64_t k,
                      uint64_t p) {
    int64_t e = k + x->bias;
    unsigned drop = format->scaled + 1 - format->precision;
    if (p >> (format->scaled + 1)) {
        e++;
        drop++;
    }
    if (e >= 2 * x->bias + 1)
        return x->infinity;
    uint64_t base = e > 0 ? (uint64_t)(e - 1) << (format->precision - 1) : 0;
    uint64_t down = e > 0 ? 0 : (uint64_t)(1 - e);
    return drop + down > 63 ? 0 : base + (((p >> (drop + down - 1)) + 1) >> 1);
}

/* The number without its sign as fixed point with `bits` behind the point; what falls out is cut.
 */
static uint64_t fixed_point(const struct floats_format *format, const struct parts *x,
                            int64_t bits) {
    uint64_t m = x->fraction | (uint64_t)1 << (format->precision - 1);
    int64_t up = x->exponent - x->bias - (int64_t)format->precision + 1 + bits;
    return up >= 0 ? m << up : up < -63 ? 0 : m >> -up;
}

/* e^v, v of numbers[1] bits behind the point: the return value times 2^*k. */
static uint64_t fixed_exp(const struct floats_function *f, int64_t v, int64_t *k) {
    int64_t n = f->numbers[0], q = f->numbers[1], k_bits = f->numbers[2], c_bits = f->numbers[3];
    int64_t rough = floor_shift(v, (unsigned)(q - k_bits));
    *k = floor_shift(rough * f->numbers[4] - ((int64_t)1 << (n + k_bits)),
                     (unsigned)(k_bits + c_bits));
    int64_t high = *k >> 4 & (((int64_t)1 << (n - 2)) - 1);
    int64_t r = v - f->windows[0][*k & 15] - f->windows[1][high];
    return (uint64_t)polynomial(f->tables[0], (uint64_t)r);
}

static uint64_t floats_exp(const struct floats_function *f, uint64_t pattern) {
    const struct floats_format *format = &floats_formats[f->format];
    struct parts x = take_apart(format, pattern);
    if (x.magnitude > x.infinity)
        return x.nan;
    if (x.exponent >= x.bias + f->used->numbers[0])
        return x.negative ? 0 : x.infinity;
    int64_t v = (int64_t)fixed_point(format, &x, f->used->numbers[1]), k;
    uint64_t p = fixed_exp(f->used, x.negative ? -v : v, &k);
    return scale(format, &x, k, p);
}

static uint64_t floats_exp2(const struct floats_function *f, uint64_t pattern) {
    const struct floats_format *format = &floats_formats[f->format];
    struct parts x = take_apart(format, pattern);
    int64_t n = f->numbers[0], q = f->numbers[1];
    if (x.magnitude > x.infinity)
        return x.nan;
    if (x.exponent >= x.bias + n)
        return x.negative ? 0 : x.infinity;
    int64_t v = (int64_t)fixed_point(format, &x, q);
    v = x.negative ? -v : v;
    if (v <= -((int64_t)(x.bias + (int)format->precision - 1) << q))
        return 0;
    uint64_t r = (uint64_t)v & (((uint64_t)1 << q) - 1);
    return scale(format, &x, floor_shift(v, (unsigned)q), (uint64_t)polynomial(f->tables[0], r));
}

static uint64_t floats_log(const struct floats_function *f, uint64_t pattern) {
    const struct floats_format *format = &floats_formats[f->format];
    struct parts x = take_apart(format, pattern);
    unsigned precision = format->precision;
    int64_t q = f->numbers[1], b = f->numbers[2], unit = (int64_t)1 << precision;
    if (x.magnitude == 0)
        return x.infinity | (uint64_t)1 << (format->width - 1);
    if (x.negative || x.magnitude > x.infinity)
        return x.nan;
    if (x.magnitude == x.infinity)
        return x.infinity;
    int64_t m = (int64_t)x.fraction, k = 1 - x.bias;
    if (x.exponent) {
        m += unit / 2;
        k = x.exponent - x.bias;
    }
    for (; m < unit / 2; m *= 2)
        k--;
    bool upper = (m >> (precision - 8)) >= 181;
    k += upper;
    int64_t d = upper ? m - unit : 2 * m - unit; /* m 2^precision, less one */
    int64_t g = polynomial(f->tables[0], (uint64_t)(d + unit / 2));
    int64_t away = d < 0 ? -d : d, ups = 0;
    if (k == 0 && d == 0)
        return 0;
    for (; k == 0 && away < unit / 2; away *= 2)
        ups++;
    int64_t part = away * g >> (precision + b - q);
    int64_t sum = k * f->numbers[3] + (d < 0 ? -part : part);
    uint64_t whole = (uint64_t)(sum < 0 ? -sum : sum);
    int64_t high = 63;
    while (!(whole >> high))
        high--;
    int64_t e = high - q - ups + x.bias, drop = high + 1 - (int64_t)precision;
    uint64_t kept = ((whole >> (drop - 1)) + 1) >> 1;
    return ((uint64_t)(e - 1) << (precision - 1)) + kept +
           ((uint64_t)(sum < 0) << (format->width - 1));
}

/* ---- shares of what is below x ---- */

enum {
    SHARE_N,
    SHARE_RN,
    SHARE_Q,
    SHARE_SQUARE,
    SHARE_FLIP,
    SHARE_BITS,
    SHARE_CUT,
    SHARE_LEFT,
    SHARE_RIGHT
};

/* From 0 to 1: the return value, of which the highest of scaled + 2 bits is set, times 2^*k. */
static uint64_t share(const struct floats_function *f, const struct parts *x, int64_t *k) {
    const struct floats_format *format = &floats_formats[f->format];
    const int64_t *number = f->numbers;
    unsigned point = format->scaled;
    int64_t e = x->exponent ? x->exponent : 1;
    uint64_t m = x->fraction | (uint64_t)(x->exponent != 0) << (format->precision - 1);
    int64_t down = x->bias + number[SHARE_RN] - 1 - e;
    uint64_t u = m << (number[SHARE_RN] + number[SHARE_Q] - format->precision);
    u = down > 63 ? 0 : u >> down;
    uint64_t g = u;
    if (number[SHARE_SQUARE]) {
        uint64_t most = ((uint64_t)1 << (number[SHARE_N] + number[SHARE_Q])) - 1;
        g = m * m << number[SHARE_LEFT] >> number[SHARE_RIGHT];
        g = 2 * down > 63 ? 0 : g >> (2 * down);
        g = g > most ? most : g;
    }
    const struct floats_polynomial *slope = f->tables[0];
    uint64_t part = u >> slope->t_bits, low = u & (((uint64_t)1 << slope->t_bits) - 1);
    part = part < slope->parts ? part : slope->parts - 1;
    uint64_t p = fixed_exp(f->used, -(int64_t)g, k);
    p = (p >> number[SHARE_CUT]) * (uint64_t)polynomial(slope, part << slope->t_bits | low) >>
        (number[SHARE_BITS] - number[SHARE_CUT]);
    if (x->negative == (number[SHARE_FLIP] != 0)) {
        p = (((uint64_t)1 << point) - (*k < -63 ? 0 : p >> -*k)) << 1;
        *k = -1;
    }
    for (int i = 0; i < 7 && !(p >> (point + 1)); i++) {
        p <<= 1;
        --*k;
    }
    return p;
}

static uint64_t floats_tail(const struct floats_function *f, uint64_t pattern) {
    const struct floats_format *format = &floats_formats[f->format];
    struct parts x = take_apart(format, pattern);
    int64_t k, more = f->numbers[2];
    if (x.magnitude > x.infinity)
        return x.nan;
    if (x.exponent >= x.bias + f->numbers[0])
        return x.negative != (f->numbers[1] != 0)
                   ? 0
                   : (uint64_t)(x.bias + more) << (format->precision - 1);
    uint64_t p = share(f->used, &x, &k);
    return scale(format, &x, k + more, p);
}

static uint64_t floats_gate(const struct floats_function *f, uint64_t pattern) {
    const struct floats_format *format = &floats_formats[f->format];
    struct parts x = take_apart(format, pattern);
    uint64_t sign = pattern & ~x.magnitude & ((uint64_t)1 << (format->width - 1));
    if (x.magnitude > x.infinity)
        return x.nan;
    if (x.exponent >= x.bias + f->numbers[0])
        return x.negative ? sign : pattern;
    int64_t k, e = x.exponent ? x.exponent : 1;
    uint64_t m = x.fraction | (uint64_t)(x.exponent != 0) << (format->precision - 1);
    uint64_t p = share(f->used, &x, &k);
    if (x.exponent < x.bias - (int)format->precision - 3) { /* a little more than x / 2 */
        k = x.negative ? -3 : -2;
        p = x.negative ? ((uint64_t)1 << (format->scaled + 2)) - 1
                       : (uint64_t)1 << (format->scaled + 1);
    }
    p = m * p >> (format->precision - 1);
    if (p >> (format->scaled + 2)) {
        p >>= 1;
        k++;
    }
    return sign | scale(format, &x, k + e - x.bias, p);
}

/* ---- odd functions by binades ---- */

static uint64_t floats_binades(const struct floats_function *f, uint64_t pattern) {
    const struct floats_format *format = &floats_formats[f->format];
    struct parts x = take_apart(format, pattern);
    int64_t low = x.bias + f->numbers[0], high = x.bias + f->numbers[1], e = x.exponent;
    uint64_t sign = (uint64_t)x.negative << (format->width - 1), m = x.fraction;
    if (x.magnitude > x.infinity)
        return x.nan;
    if (e > high)
        return sign | (uint64_t)f->numbers[3];
    if (x.magnitude == 0 || (e < low && !f->numbers[2]))
        return pattern;
    for (e = e ? e : 1; x.exponent == 0 && !(m >> (format->precision - 1)); m <<= 1)
        e--;
    m &= ((uint64_t)1 << (format->precision - 1)) - 1;
    const struct floats_polynomial *p = f->tables[0];
    uint64_t row = e < low ? 0 : (uint64_t)(e - low);
    uint64_t at = row << (format->precision - 1) | m;
    int64_t k = p->k[at >> p->t_bits] + (e < low ? e - low : 0);
    return sign | scale(format, &x, k, (uint64_t)polynomial(p, at));
}

/* ---- waves ---- */

__extension__ typedef unsigned __int128 wide;

enum { TURN_LOW, TURN_PIECES, TURN_ONE, TURN_PIECE_BITS, TURN_BITS };
enum { WAVE_AHEAD, WAVE_TANGENT, WAVE_SINE, WAVE_BITS };

/* Quarters of a turn modulo 4, with TURN_BITS - 2 bits behind the point. */
static uint64_t quarters(const struct floats_function *turn, const struct parts *x) {
    unsigned precision = floats_formats[turn->format].precision;
    uint64_t m = x->fraction | (uint64_t)1 << (precision - 1);
    int64_t row = x->exponent - x->bias - turn->numbers[TURN_LOW];
    unsigned pieces = (unsigned)turn->numbers[TURN_PIECES];
    unsigned bits = (unsigned)turn->numbers[TURN_PIECE_BITS];
    wide window = 0;
    for (unsigned i = pieces; i-- > 0;)
        window = window << bits | (wide)(uint64_t)turn->windows[i][row];
    unsigned all = pieces * bits, kept = (unsigned)turn->numbers[TURN_BITS];
    wide product = (wide)m * window; /* modulo 2^128; its low `all` bits count */
    return (uint64_t)(product >> (all - kept)) & (((uint64_t)1 << kept) - 1);
}

static uint64_t floats_wave(const struct floats_function *f, uint64_t pattern) {
    const struct floats_format *format = &floats_formats[f->format];
    const struct floats_function *turn = f->used;
    struct parts x = take_apart(format, pattern);
    bool ahead = f->numbers[WAVE_AHEAD], tangent = f->numbers[WAVE_TANGENT];
    if (x.magnitude >= x.infinity)
        return x.nan;
    if (x.exponent < x.bias + turn->numbers[TURN_LOW])
        return ahead ? (uint64_t)x.bias << (format->precision - 1) : pattern;
    unsigned point = (unsigned)turn->numbers[TURN_BITS] - 2;
    uint64_t all = quarters(turn, &x), half = (uint64_t)1 << (point - 1);
    uint64_t q = (all + half) >> point, r = all & (2 * half - 1);
    bool back = r >= half;
    r = back ? 2 * half - r : r;
    q += ahead;
    int64_t by = 0;
    for (; !(r & half) && by < 63; r <<= 1)
        by++;
    bool odd = q & 1;
    unsigned t = (unsigned)f->numbers[WAVE_BITS];
    uint64_t fraction = (r >> (point - 1 - t)) & (((uint64_t)1 << t) - 1);
    uint64_t at = (uint64_t)(odd * 16 + 15 - (by < 15 ? by : 15)) << t | fraction;
    int64_t k = f->tables[0]->k[at >> f->tables[0]->t_bits], beyond = by > 15 ? by - 15 : 0;
    k -= odd ? (tangent ? -beyond : 0) : beyond;
    bool down =
        tangent ? x.negative ^ back ^ odd : (q >> 1 & 1) ^ (back && !odd) ^ (!ahead && x.negative);
    return (uint64_t)down << (format->width - 1) |
           scale(format, &x, k, (uint64_t)polynomial(f->tables[0], at));
}

/* ---- hyperbolic functions, e^x - 1, and inverses ---- */

/* p 2^k; p is not 0 and may be of any size. */
static uint64_t scale_any(const struct floats_format *format, const struct parts *x, int64_t k,
                          uint64_t p) {
    for (; p >> (format->scaled + 2); p >>= 1)
        k++;
    for (; !(p >> format->scaled); p <<= 1)
        k--;
    return scale(format, x, k, p);
}

enum { HYPER_N, HYPER_Q, HYPER_ODD, HYPER_LOW };

static uint64_t floats_hyper(const struct floats_function *f, uint64_t pattern) {
    const struct floats_format *format = &floats_formats[f->format];
    struct parts x = take_apart(format, pattern);
    bool odd = f->numbers[HYPER_ODD];
    uint64_t sign = odd && x.negative ? (uint64_t)1 << (format->width - 1) : 0;
    if (x.magnitude > x.infinity)
        return x.nan;
    if (x.exponent >= x.bias + f->numbers[HYPER_N])
        return sign | x.infinity;
    int64_t row = x.exponent - x.bias - f->numbers[HYPER_LOW];
    if (odd && row < 0)
        return pattern;
    if (odd && x.exponent < x.bias) {
        uint64_t at = (uint64_t)row << (format->precision - 1) | x.fraction;
        const struct floats_polynomial *p = f->tables[0];
        return sign | scale(format, &x, p->k[at >> p->t_bits], (uint64_t)polynomial(p, at));
    }
    int64_t v = (int64_t)fixed_point(format, &x, f->numbers[HYPER_Q]), up, down;
    uint64_t rising = fixed_exp(f->used, v, &up), falling = fixed_exp(f->used, -v, &down);
    falling = up - down > 63 ? 0 : falling >> (up - down);
    /* Half of the sum; what has one bit more than there is room for loses its last one. */
    return sign | scale_any(format, &x, up - 1, odd ? rising - falling : rising + falling);
}

static uint64_t floats_less(const struct floats_function *f, uint64_t pattern) {
    const struct floats_format *format = &floats_formats[f->format];
    struct parts x = take_apart(format, pattern);
    uint64_t sign = (uint64_t)x.negative << (format->width - 1);
    uint64_t one = (uint64_t)1 << format->scaled;
    int64_t q = f->numbers[1], k;
    if (x.magnitude > x.infinity)
        return x.nan;
    if (x.exponent >= x.bias + f->numbers[0])
        return sign | (x.negative ? (uint64_t)x.bias << (format->precision - 1) : x.infinity);
    if (x.exponent < x.bias - (int)format->precision - 2)
        return pattern;
    int64_t v = (int64_t)fixed_point(format, &x, q);
    v = x.negative ? -v : v;
    if (x.exponent < x.bias) {
        uint64_t g = (uint64_t)polynomial(f->tables[0], (uint64_t)(v + ((int64_t)1 << q)));
        uint64_t m = x.fraction | (uint64_t)1 << (format->precision - 1);
        return sign | scale_any(format, &x, x.exponent - x.bias, m * g >> (format->precision - 1));
    }
    uint64_t p = fixed_exp(f->used, v, &k);
    if (x.negative)
        return sign | scale_any(format, &x, 0, one - (k < -63 ? 0 : p >> -k));
    return scale_any(format, &x, k, p - (k > 63 ? 0 : one >> k));
}

static uint64_t floats_soft(const struct floats_function *f, uint64_t pattern) {
    const struct floats_format *format = &floats_formats[f->format];
    const struct floats_polynomial *slope = f->tables[0];
    struct parts x = take_apart(format, pattern);
    unsigned point = format->scaled;
    int64_t n = f->numbers[0], k;
    if (x.magnitude > x.infinity)
        return x.nan;
    if (x.exponent >= x.bias + n)
        return x.negative ? 0 : pattern;
    int64_t e = x.exponent ? x.exponent : 1;
    uint64_t m = x.fraction | (uint64_t)(x.exponent != 0) << (format->precision - 1);
    int64_t down = x.bias + n - 1 - e;
    uint64_t u = down > 63 ? 0 : m << (n + (int64_t)point - (int64_t)format->precision) >> down;
    uint64_t part = u >> slope->t_bits, low = u & (((uint64_t)1 << slope->t_bits) - 1);
    part = part < slope->parts ? part : slope->parts - 1;
    uint64_t t = fixed_exp(f->used, -(int64_t)u, &k) *
                     (uint64_t)polynomial(slope, part << slope->t_bits | low) >>
                 point;
    if (x.negative)
        return scale_any(format, &x, k, t);
    return scale_any(format, &x, 0, u + (k < -63 ? 0 : t >> -k));
}

/* The size of log(1 + x) with numbers[1] bits behind the point, x from 1/2 on in size.  1 + x has
 * precision + 9 bits; what is below them is cut. */
static uint64_t log_of_sum(const struct floats_function *f, const struct parts *x) {
    const struct floats_format *format = &floats_formats[f->format];
    unsigned precision = format->precision, bits = precision + 9;
    uint64_t m = x->fraction | (uint64_t)1 << (precision - 1), unit = (uint64_t)1 << bits;
    int64_t away = x->exponent - x->bias, k = away, q = f->numbers[1];
    uint64_t sum = m << 8; /* times 2^(away + 1 - precision - 8) */
    if (x->negative)
        sum = (((uint64_t)1 << precision) - m) << 8;
    else if (away < 0)
        sum += (uint64_t)1 << (precision + 8);
    else
        sum += away > 63 ? 0 : (uint64_t)1 << (precision + 7) >> away;
    for (k++; !(sum >> (bits - 1)); sum <<= 1)
        k--;
    bool upper = sum >> (bits - 8) >= 181; /* sum 2^(k - bits + 1) */
    k += upper;
    int64_t d = (int64_t)(upper ? sum : 2 * sum) - (int64_t)unit;
    int64_t at = d + (int64_t)(unit / 2), point = (int64_t)format->scaled;
    at = bits > format->scaled ? at >> (bits - format->scaled) : at << (format->scaled - bits);
    uint64_t part = (uint64_t)(d < 0 ? -d : d) * (uint64_t)polynomial(f->tables[0], (uint64_t)at);
    part >>= bits + point - q;
    int64_t all = k * f->numbers[2] + (d < 0 ? -(int64_t)part : (int64_t)part);
    return (uint64_t)(all < 0 ? -all : all);
}

static uint64_t floats_log1(const struct floats_function *f, uint64_t pattern) {
    const struct floats_format *format = &floats_formats[f->format];
    struct parts x = take_apart(format, pattern);
    unsigned precision = format->precision, point = format->scaled;
    uint64_t sign = (uint64_t)x.negative << (format->width - 1);
    uint64_t one = (uint64_t)x.bias << (precision - 1);
    if (x.magnitude > x.infinity || (x.negative && x.magnitude > one))
        return x.nan;
    if (x.magnitude == x.infinity || (x.negative && x.magnitude == one))
        return sign | x.infinity;
    if (x.exponent < x.bias - (int)precision - 2)
        return pattern;
    if (x.exponent >= x.bias - 1) {
        uint64_t all = log_of_sum(f, &x);
        return sign | scale_any(format, &x, (int64_t)point - f->numbers[1], all);
    }
    int64_t v = (int64_t)fixed_point(format, &x, point);
    v = (x.negative ? -v : v) + ((int64_t)1 << (point - 1));
    uint64_t m = x.fraction | (uint64_t)1 << (precision - 1);
    uint64_t w = m * (uint64_t)polynomial(f->tables[0], (uint64_t)v) >> (precision - 1);
    return sign | scale_any(format, &x, x.exponent - x.bias, w);
}

static uint64_t floats_inverse(const struct floats_function *f, uint64_t pattern) {
    const struct floats_format *format = &floats_formats[f->format];
    struct parts x = take_apart(format, pattern);
    bool root = f->numbers[0];
    uint64_t sign = (uint64_t)x.negative << (format->width - 1);
    unsigned fraction = format->precision - 1;
    if (x.magnitude > x.infinity || (root && x.negative && x.magnitude))
        return x.nan;
    if (x.magnitude == 0)
        return sign | x.infinity;
    if (x.magnitude == x.infinity)
        return sign;
    int64_t power = (x.exponent ? x.exponent : 1) - x.bias;
    uint64_t m = x.fraction | (uint64_t)(x.exponent != 0) << fraction;
    for (; !(m >> fraction); m <<= 1)
        power--;
    uint64_t at = m & (((uint64_t)1 << fraction) - 1);
    if (root)
        at |= (uint64_t)(power & 1) << fraction;
    const struct floats_polynomial *p = f->tables[0];
    int64_t k = p->k[at >> p->t_bits] - (root ? floor_shift(power, 1) : power);
    return sign | scale(format, &x, k, (uint64_t)polynomial(p, at));
}
