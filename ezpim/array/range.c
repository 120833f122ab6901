/* SPDX-License-Identifier: MIT
 * The least and the greatest value that the result of an operation may have. */
#include "ezpim/array/array.h"

struct lane_type array_narrowest(struct array_range range, struct lane_type type) {
    bool with_sign = range.low < 0;
    array_int most = with_sign && -range.low - 1 > range.high ? -range.low - 1 : range.high;
    unsigned bits = with_sign ? 1 : most == 0;
    for (; most; most /= 2)
        bits++;
    if (bits >= type.bits)
        return type;
    return (struct lane_type){with_sign ? TYPE_INT : TYPE_UINT, (uint8_t)bits};
}

/* Products of what 64 bits hold may not fit; what is beyond the type is its whole range. */
static struct array_range hull(const array_int *v, unsigned n) {
    struct array_range r = {v[0], v[0]};
    for (unsigned i = 1; i < n; i++) {
        r.low = v[i] < r.low ? v[i] : r.low;
        r.high = v[i] > r.high ? v[i] : r.high;
    }
    return r;
}

static struct array_range of_product(struct array_range left, struct array_range right) {
    const array_int most = (array_int)1 << 62;
    if (left.low < -most || left.high > most || right.low < -most || right.high > most)
        return (struct array_range){-2 * most * most, 2 * most * most};
    return hull((const array_int[]){left.low * right.low, left.low * right.high,
                                    left.high * right.low, left.high * right.high},
                4);
}

static array_int floor_div(array_int left, array_int right) {
    array_int q = left / right;
    return q * right > left ? q - 1 : q;
}

/* By one positive divisor. */
static bool divisor_of(struct array_range range, array_int *d) {
    *d = range.low;
    return range.low == range.high && range.low > 0;
}

static array_int ones_above(array_int v) {
    array_int x = 1;
    while (x <= v)
        x *= 2;
    return x - 1;
}

static struct array_range of_bits(enum array_op op, struct array_range left,
                                  struct array_range right, struct array_range all) {
    bool plain = left.low >= 0 && right.low >= 0;
    if (op == ARRAY_OP_AND && (left.low >= 0 || right.low >= 0)) {
        array_int x = left.low < 0             ? right.high
                      : right.low < 0          ? left.high
                      : left.high < right.high ? left.high
                                               : right.high;
        return (struct array_range){0, x};
    }
    if (plain)
        return (struct array_range){0, ones_above(left.high > right.high ? left.high : right.high)};
    return all;
}

static struct array_range of_shift(enum array_op op, struct array_range left,
                                   struct array_range right, struct array_range all) {
    array_int by = right.low;
    if (right.low != right.high || by < 0 || by > 62)
        return op == ARRAY_OP_SHR && left.low >= 0 ? (struct array_range){0, left.high} : all;
    if (op == ARRAY_OP_SHR)
        return (struct array_range){left.low >> by, left.high >> by};
    return of_product(left, (struct array_range){(array_int)1 << by, (array_int)1 << by});
}

static struct array_range of_power(struct array_range base, struct array_range exponent,
                                   struct array_range all) {
    array_int most = 1;
    if (base.low < 0 || exponent.low < 0 || exponent.high > 64)
        return all;
    for (array_int i = 0; i < exponent.high && base.high > 1; i++) {
        if (most > all.high / base.high)
            return all;
        most *= base.high;
    }
    return (struct array_range){0, most};
}

static struct array_range exact_range(enum array_op op, const struct array_range *range,
                                      struct array_range all) {
    array_int d, most;
    switch (op) {
    case ARRAY_OP_ADD:
        return (struct array_range){range[0].low + range[1].low, range[0].high + range[1].high};
    case ARRAY_OP_SUB:
        return (struct array_range){range[0].low - range[1].high, range[0].high - range[1].low};
    case ARRAY_OP_MUL:
        return of_product(range[0], range[1]);
    case ARRAY_OP_FLOOR_DIVIDE:
        if (divisor_of(range[1], &d))
            return (struct array_range){floor_div(range[0].low, d), floor_div(range[0].high, d)};
        return all;
    case ARRAY_OP_REMAINDER:
        if (divisor_of(range[1], &d))
            return (struct array_range){0, range[0].low >= 0 && range[0].high < d ? range[0].high
                                                                                  : d - 1};
        return all;
    case ARRAY_OP_AND:
    case ARRAY_OP_OR:
    case ARRAY_OP_XOR:
        return of_bits(op, range[0], range[1], all);
    case ARRAY_OP_SHL:
    case ARRAY_OP_SHR:
        return of_shift(op, range[0], range[1], all);
    case ARRAY_OP_POWER:
        return of_power(range[0], range[1], all);
    case ARRAY_OP_NEG:
        return (struct array_range){-range[0].high, -range[0].low};
    case ARRAY_OP_COPY:
    case ARRAY_OP_CAST:
        return range[0];
    case ARRAY_OP_ABS:
        most = range[0].high > -range[0].low ? range[0].high : -range[0].low;
        return (struct array_range){range[0].low > 0 ? range[0].low : 0, most};
    case ARRAY_OP_SIGN:
        return (struct array_range){range[0].low < 0 ? -1 : 0, 1};
    case ARRAY_OP_MIN:
    case ARRAY_OP_MINIMUM:
        return (struct array_range){range[0].low < range[1].low ? range[0].low : range[1].low,
                                    range[0].high < range[1].high ? range[0].high : range[1].high};
    case ARRAY_OP_MAX:
    case ARRAY_OP_MAXIMUM:
        return (struct array_range){range[0].low > range[1].low ? range[0].low : range[1].low,
                                    range[0].high > range[1].high ? range[0].high : range[1].high};
    case ARRAY_OP_SELECT:
        return hull((const array_int[]){range[1].low, range[1].high, range[2].low, range[2].high},
                    4);
    default:
        return all;
    }
}

struct array_range array_range_of(enum array_op op, uint32_t count, struct array_ref *const *args,
                                  struct lane_type result) {
    struct array_range r[3] = {{0, 0}, {0, 0}, {0, 0}}, all = array_type_range(result);
    if (array_is_float(result))
        return all;
    for (uint32_t i = 0; i < count; i++)
        r[i] = args[i]->range;
    struct array_range x = exact_range(op, r, all);
    return array_range_within(x, all) ? x : all;
}
