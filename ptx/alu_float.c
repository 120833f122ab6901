/* SPDX-License-Identifier: MIT
 * Floating point: by the host's arithmetic where that rounds to the nearest as well, else by
 * support/ieee.h.  A result that is not a number has all bits set but the sign. */
#include "ptx/alu.h"

#include "support/bits.h"
#include "support/ieee.h"

#include <math.h>
#include <string.h>

static enum ptx_type type_of(const struct ptx_alu *x) {
    return (enum ptx_type)x->m->type[0];
}

static struct ieee_format format_of(const struct ptx_alu *x, enum ptx_type type) {
    static const enum ieee_rounding roundings[] = {[PTX_NO_ROUNDING] = IEEE_NEAREST,
                                                   [PTX_RN] = IEEE_NEAREST,
                                                   [PTX_RZ] = IEEE_ZERO,
                                                   [PTX_RM] = IEEE_DOWN,
                                                   [PTX_RP] = IEEE_UP,
                                                   [PTX_RNI] = IEEE_NEAREST,
                                                   [PTX_RZI] = IEEE_ZERO,
                                                   [PTX_RMI] = IEEE_DOWN,
                                                   [PTX_RPI] = IEEE_UP};
    struct ieee_format f = ieee_binary(type == PTX_F16X2 ? 16 : ptx_type_bits(type));
    f.flush = x->m->flags & PTX_FTZ;
    return ieee_rounding(f, roundings[x->m->round]);
}

static uint64_t canonical(struct ieee_format f, uint64_t value) {
    return ieee_is_nan(f, value) ? ieee_sign_bit(f) - 1 : value;
}

/* Between 0 and 1; what is not a number is 0. */
static uint64_t saturated(struct ieee_format f, uint64_t value) {
    const uint64_t one = ieee_from_unsigned(f, 1);
    if (!ieee_less(f, 0, value))
        return 0;
    return ieee_less(f, value, one) ? value : one;
}

static uint64_t finished(const struct ptx_alu *x, struct ieee_format f, uint64_t value) {
    return x->m->flags & PTX_SAT ? saturated(f, value) : canonical(f, value);
}

/* What is computed of up to three operands: in integers, and by the host, where that is the same.
 */
struct operation {
    uint64_t (*exact)(struct ieee_format f, const uint64_t in[3]);
    float (*single)(float a, float b, float c);
    double (*full)(double a, double b, double c);
};

static uint64_t exact_add(struct ieee_format f, const uint64_t in[3]) {
    return ieee_add(f, in[0], in[1]);
}
static float single_add(float a, float b, float c) {
    (void)c;
    return a + b;
}
static double full_add(double a, double b, double c) {
    (void)c;
    return a + b;
}
static const struct operation add_op = {exact_add, single_add, full_add};

static uint64_t exact_sub(struct ieee_format f, const uint64_t in[3]) {
    return ieee_sub(f, in[0], in[1]);
}
static float single_sub(float a, float b, float c) {
    (void)c;
    return a - b;
}
static double full_sub(double a, double b, double c) {
    (void)c;
    return a - b;
}
static const struct operation sub_op = {exact_sub, single_sub, full_sub};

static uint64_t exact_mul(struct ieee_format f, const uint64_t in[3]) {
    return ieee_mul(f, in[0], in[1]);
}
static float single_mul(float a, float b, float c) {
    (void)c;
    return a * b;
}
static double full_mul(double a, double b, double c) {
    (void)c;
    return a * b;
}
static const struct operation mul_op = {exact_mul, single_mul, full_mul};

static uint64_t exact_div(struct ieee_format f, const uint64_t in[3]) {
    return ieee_div(f, in[0], in[1]);
}
static float single_div(float a, float b, float c) {
    (void)c;
    return a / b;
}
static double full_div(double a, double b, double c) {
    (void)c;
    return a / b;
}
static const struct operation div_op = {exact_div, single_div, full_div};

static uint64_t exact_fma(struct ieee_format f, const uint64_t in[3]) {
    return ieee_fma(f, in[0], in[1], in[2]);
}
static float single_fma(float a, float b, float c) {
    return fmaf(a, b, c);
}
static double full_fma(double a, double b, double c) {
    return fma(a, b, c);
}
static const struct operation fma_op = {exact_fma, single_fma, full_fma};

static uint64_t exact_min(struct ieee_format f, const uint64_t in[3]) {
    return ieee_min(f, in[0], in[1]);
}
static const struct operation min_op = {exact_min, NULL, NULL};

static uint64_t exact_max(struct ieee_format f, const uint64_t in[3]) {
    return ieee_max(f, in[0], in[1]);
}
static const struct operation max_op = {exact_max, NULL, NULL};

static uint64_t exact_rcp(struct ieee_format f, const uint64_t in[3]) {
    return ieee_div(f, ieee_from_unsigned(f, 1), in[0]);
}
static float single_rcp(float a, float b, float c) {
    (void)b, (void)c;
    return 1 / a;
}
static double full_rcp(double a, double b, double c) {
    (void)b, (void)c;
    return 1 / a;
}
static const struct operation rcp_op = {exact_rcp, single_rcp, full_rcp};

static uint64_t exact_sqrt(struct ieee_format f, const uint64_t in[3]) {
    return ieee_sqrt(f, in[0]);
}
static float single_sqrt(float a, float b, float c) {
    (void)b, (void)c;
    return sqrtf(a);
}
static double full_sqrt(double a, double b, double c) {
    (void)b, (void)c;
    return sqrt(a);
}
static const struct operation sqrt_op = {exact_sqrt, single_sqrt, full_sqrt};

static uint64_t exact_abs(struct ieee_format f, const uint64_t in[3]) {
    return ieee_max(f, in[0], in[0]) & ~ieee_sign_bit(f);
}
static const struct operation abs_op = {exact_abs, NULL, NULL};

static uint64_t exact_neg(struct ieee_format f, const uint64_t in[3]) {
    return ieee_max(f, in[0], in[0]) ^ ieee_sign_bit(f);
}
static const struct operation neg_op = {exact_neg, NULL, NULL};

/* ---- carrying out ---- */

static float single(uint64_t bits) {
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

static uint64_t single_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return isnan(value) ? low_bits(31) : bits;
}

static double full(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t full_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return isnan(value) ? low_bits(63) : bits;
}

/* Rounded to the nearest, with subnormal numbers: as the host does. */
static bool by_host(const struct ptx_alu *x, const struct operation *op) {
    return op->single && x->m->round <= PTX_RN && !(x->m->flags & (PTX_FTZ | PTX_SAT)) &&
           (type_of(x) == PTX_F32 || type_of(x) == PTX_F64);
}

static void carry_out_host(struct ptx_alu *x, const struct operation *op) {
    if (type_of(x) == PTX_F32)
        x->out = single_bits(op->single(single(x->in[0]), single(x->in[1]), single(x->in[2])));
    else
        x->out = full_bits(op->full(full(x->in[0]), full(x->in[1]), full(x->in[2])));
}

/* Of two halves each by itself. */
static void carry_out_halves(struct ptx_alu *x, const struct operation *op) {
    const struct ieee_format f = format_of(x, PTX_F16X2);
    x->out = 0;
    for (unsigned half = 0; half < 32; half += 16) {
        const uint64_t in[3] = {x->in[0] >> half & low_bits(16), x->in[1] >> half & low_bits(16),
                                x->in[2] >> half & low_bits(16)};
        x->out |= finished(x, f, op->exact(f, in)) << half;
    }
}

static void carry_out(struct ptx_alu *x, const struct operation *op) {
    const struct ieee_format f = format_of(x, type_of(x));
    if (by_host(x, op))
        carry_out_host(x, op);
    else if (type_of(x) == PTX_F16X2)
        carry_out_halves(x, op);
    else
        x->out = finished(x, f, op->exact(f, x->in));
}

void ptx_alu_float_add(struct ptx_alu *alu) {
    carry_out(alu, &add_op);
}

void ptx_alu_float_sub(struct ptx_alu *alu) {
    carry_out(alu, &sub_op);
}

void ptx_alu_float_mul(struct ptx_alu *alu) {
    carry_out(alu, &mul_op);
}

void ptx_alu_fma(struct ptx_alu *alu) {
    carry_out(alu, &fma_op);
}

/* .approx and .full are the quotient rounded to the nearest. */
void ptx_alu_float_div(struct ptx_alu *alu) {
    carry_out(alu, &div_op);
}

void ptx_alu_float_sign(struct ptx_alu *alu) {
    carry_out(alu, alu->op == PTX_OP_ABS ? &abs_op : &neg_op);
}

/* .NaN: not a number if one is not. */
void ptx_alu_float_min(struct ptx_alu *alu) {
    const struct ieee_format f = format_of(alu, type_of(alu));
    carry_out(alu, alu->op == PTX_OP_MIN ? &min_op : &max_op);
    if (!(alu->m->flags & PTX_NAN_FLAG))
        return;
    unsigned step = ieee_width(f);
    for (unsigned at = 0; at < ptx_type_bits(type_of(alu)); at += step)
        if (ieee_unordered(f, alu->in[0] >> at & low_bits(step), alu->in[1] >> at & low_bits(step)))
            alu->out = (alu->out & ~(ieee_sign_bit(f) << at)) | (ieee_sign_bit(f) - 1) << at;
}

void ptx_alu_float_root(struct ptx_alu *alu) {
    carry_out(alu, alu->op == PTX_OP_RCP ? &rcp_op : &sqrt_op);
}

void ptx_alu_copysign(struct ptx_alu *alu) {
    uint64_t sign = ieee_sign_bit(format_of(alu, type_of(alu)));
    alu->out = (alu->in[0] & sign) | (alu->in[1] & ~sign);
}

void ptx_alu_testp(struct ptx_alu *alu) {
    const struct ieee_format f = format_of(alu, type_of(alu));
    uint64_t value = alu->in[0], size = value & (ieee_sign_bit(f) - 1);
    bool nan = ieee_is_nan(f, value), infinite = ieee_is_infinite(f, value);
    bool small = size >> f.fraction_bits == 0;
    switch (alu->m->mode) {
    case PTX_FINITE:
        alu->out = !nan && !infinite;
        break;
    case PTX_INFINITE:
        alu->out = infinite;
        break;
    case PTX_NUMBER_TEST:
        alu->out = !nan;
        break;
    case PTX_NOTANUMBER:
        alu->out = nan;
        break;
    case PTX_NORMAL:
        alu->out = !nan && !infinite && !small;
        break;
    default:
        alu->out = small && size != 0;
    }
    alu->second = !alu->out;
}

/* ---- conversions ---- */

static void whole_to_whole(struct ptx_alu *x, enum ptx_type to, enum ptx_type from) {
    unsigned bits = ptx_type_bits(to);
    bool is_signed = ptx_type_signed(from), negative;
    uint64_t value = is_signed ? (uint64_t)sign_extend(x->in[0], ptx_type_bits(from)) : x->in[0];
    negative = is_signed && value >> 63;
    if (x->m->flags & PTX_SAT) {
        uint64_t most = low_bits(ptx_type_signed(to) ? bits - 1 : bits);
        uint64_t least = ptx_type_signed(to) ? ~most : 0;
        if (negative ? ptx_type_signed(to) ? value < least : true : value > most)
            value = negative ? least : most;
    }
    x->out = value & low_bits(bits);
}

/* Beyond the type the nearest number; NaN is 0, and where 64 bits take part the highest bit. */
static void float_to_whole(struct ptx_alu *x, enum ptx_type to, enum ptx_type from) {
    struct ieee_format f = format_of(x, from);
    unsigned bits = ptx_type_bits(to);
    if (x->m->round == PTX_NO_ROUNDING)
        f.rounding = IEEE_ZERO;
    if (ieee_is_nan(f, x->in[0])) {
        x->out = from == PTX_F64 || bits == 64 ? (uint64_t)1 << (bits - 1) : 0;
        return;
    }
    uint64_t whole = ieee_integral(f, x->in[0]);
    x->out = ptx_type_signed(to) ? ieee_to_signed(f, whole, bits, false)
                                 : ieee_to_unsigned(f, whole, bits, false);
}

static void whole_to_float(struct ptx_alu *x, enum ptx_type to, enum ptx_type from) {
    const struct ieee_format f = format_of(x, to);
    uint64_t value = ptx_type_signed(from)
                         ? ieee_from_signed(f, sign_extend(x->in[0], ptx_type_bits(from)))
                         : ieee_from_unsigned(f, x->in[0]);
    x->out = finished(x, f, value);
}

static void float_to_float(struct ptx_alu *x, enum ptx_type to, enum ptx_type from) {
    struct ieee_format f = format_of(x, from), t = format_of(x, to);
    f.flush &= from == PTX_F32; /* other types have subnormal numbers in any case */
    t.flush &= to == PTX_F32;
    uint64_t value = x->in[0];
    if (x->m->round >= PTX_RNI)
        value = ieee_integral(f, value);
    x->out = finished(x, t, ieee_convert(f, t, value));
}

void ptx_alu_convert(struct ptx_alu *alu) {
    enum ptx_type to = (enum ptx_type)alu->m->type[0], from = (enum ptx_type)alu->m->type[1];
    if (ptx_type_float(from))
        (ptx_type_float(to) ? float_to_float : float_to_whole)(alu, to, from);
    else
        (ptx_type_float(to) ? whole_to_float : whole_to_whole)(alu, to, from);
}
