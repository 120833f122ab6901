/* SPDX-License-Identifier: MIT
 * Floating point of the interpreter: patterns, by support/ieee.h, which is compared with LLVM's
 * arithmetic in tests of its own.  What rounds in an order that the language chooses (sums of all
 * elements) is not known here. */
#include "support/ieee.h"
#include "tests/ezpim/interp_parts.h"

#include <stdlib.h>
#include <string.h>

bool interp_float_type(const char *name, struct rtype *t) {
    unsigned bits = strcmp(name, "f16") == 0   ? 16
                    : strcmp(name, "f32") == 0 ? 32
                    : strcmp(name, "f64") == 0 ? 64
                                               : 0;
    *t = (struct rtype){.is_float = true, .bits = bits};
    return bits > 0;
}

static struct interp_value pattern(uint64_t v, struct rtype t) {
    return (struct interp_value){.type = t, .v = (ez_number)v};
}

/* Of numbers with few digits, which are exact in double precision. */
static uint64_t of_text(struct ieee_format format, const char *text) {
    double number = strtod(text, NULL);
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return ieee_convert(ieee_binary(64), format, bits);
}

struct interp_value interp_to_float(struct interp_value v, struct rtype t) {
    const struct ieee_format to = ieee_binary(t.bits);
    if (v.real)
        return pattern(of_text(to, v.real), t);
    if (!v.is_number && v.type.is_float)
        return pattern(v.type.bits == t.bits
                           ? (uint64_t)v.v
                           : ieee_convert(ieee_binary(v.type.bits), to, (uint64_t)v.v),
                       t);
    return pattern(
        v.v < 0 ? ieee_from_signed(to, (int64_t)v.v) : ieee_from_unsigned(to, (uint64_t)v.v), t);
}

ez_number interp_from_float(struct interp_value v, struct rtype t) {
    const struct ieee_format from = ieee_binary(v.type.bits);
    if (t.is_bool)
        return !ieee_is_zero(from, (uint64_t)v.v);
    if (t.is_signed)
        return rtype_signed(ieee_to_signed(from, (uint64_t)v.v, t.bits, false), t.bits);
    return (ez_number)ieee_to_unsigned(from, (uint64_t)v.v, t.bits, false);
}

static bool compare(enum binary_op op, struct ieee_format f, uint64_t x, uint64_t y) {
    switch (op) {
    case BINARY_EQ:
        return ieee_equal(f, x, y);
    case BINARY_NE:
        return !ieee_equal(f, x, y);
    case BINARY_LT:
        return ieee_less(f, x, y);
    case BINARY_LE:
        return ieee_less_equal(f, x, y);
    case BINARY_GT:
        return ieee_less(f, y, x);
    default:
        return ieee_less_equal(f, y, x);
    }
}

struct interp_value interp_float_binary(struct interp *it, enum binary_op op, struct interp_value a,
                                        struct interp_value b) {
    const struct ieee_format f = ieee_binary(a.type.bits);
    uint64_t x = (uint64_t)a.v, y = (uint64_t)b.v;
    if (ez_binary_compares(op))
        return (struct interp_value){.type = {.is_bool = true, .bits = 1},
                                     .v = compare(op, f, x, y)};
    switch (op) {
    case BINARY_ADD:
        return pattern(ieee_add(f, x, y), a.type);
    case BINARY_SUB:
        return pattern(ieee_sub(f, x, y), a.type);
    case BINARY_MUL:
        return pattern(ieee_mul(f, x, y), a.type);
    case BINARY_DIV:
        return pattern(ieee_div(f, x, y), a.type);
    default:
        interp_fail(it, "no arithmetic of floats");
        return a;
    }
}

struct interp_value interp_float_extreme(struct interp_value a, struct interp_value b, bool least) {
    const struct ieee_format f = ieee_binary(a.type.bits);
    uint64_t x = (uint64_t)a.v, y = (uint64_t)b.v;
    return pattern(least ? ieee_min(f, x, y) : ieee_max(f, x, y), a.type);
}
