/* SPDX-License-Identifier: MIT
 * Operators of what is known when the kernel is compiled: Python's numbers and lists. */
#include "ezpim/np/promotion.h"

#include <math.h>
#include <string.h>

/* ---- numbers that are known ---- */

double np_real_of(const struct np_value *value) {
    return value->kind == NP_REAL ? value->real : (double)value->number;
}

static np_int floor_divide(np_int left, np_int right) {
    np_int q = left / right;
    return q * right != left && (left < 0) != (right < 0) ? q - 1 : q;
}

/* False: it does not fit. */
static bool raise(np_int left, np_int length, np_int *out) {
    if (left >= -1 && left <= 1 && length > 2)
        length = 2 - length % 2;
    *out = 1;
    for (np_int i = 0; i < length; i++)
        if (__builtin_mul_overflow(*out, left, out))
            return false;
    return true;
}

static bool shift(np_int left, np_int length, np_int *out) {
    if (length > NP_BITS)
        return left == 0 && (*out = 0, true);
    return !__builtin_mul_overflow(left, (np_int)1 << length, out);
}

static bool known_divide(struct np_unit *unit, enum np_operator op, np_int left, np_int right,
                         np_int *out, struct span at) {
    if (right == 0) {
        np_error(unit, at, "division by zero");
        return false;
    }
    *out =
        op == NP_OP_FLOORDIV ? floor_divide(left, right) : left - right * floor_divide(left, right);
    return true;
}

/* Of Python's numbers; false after reporting. */
static bool known_integer(struct np_unit *unit, enum np_operator op, np_int left, np_int right,
                          np_int *out, struct span at) {
    bool fits = true;
    switch (op) {
    case NP_OP_ADD:
        fits = !__builtin_add_overflow(left, right, out);
        break;
    case NP_OP_SUB:
        fits = !__builtin_sub_overflow(left, right, out);
        break;
    case NP_OP_MUL:
        fits = !__builtin_mul_overflow(left, right, out);
        break;
    case NP_OP_FLOORDIV:
    case NP_OP_MOD:
        return known_divide(unit, op, left, right, out, at);
    case NP_OP_POW:
    case NP_OP_SHL:
    case NP_OP_SHR:
        if (right < 0) {
            np_error(unit, at, "the number behind `%s` is negative", np_operator_text(op));
            return false;
        }
        *out = left >> (right > 126 ? 126 : right);
        fits =
            op == NP_OP_POW ? raise(left, right, out) : op == NP_OP_SHR || shift(left, right, out);
        break;
    case NP_OP_AND:
        *out = left & right;
        break;
    case NP_OP_OR:
        *out = left | right;
        break;
    default:
        *out = left ^ right;
        break;
    }
    return np_number_fits(unit, fits, *out, at);
}

bool np_compares(enum np_operator op) {
    return op >= NP_OP_EQ && op <= NP_OP_GE;
}

bool np_known_compare(enum np_operator op, int order) {
    switch (op) {
    case NP_OP_EQ:
        return order == 0;
    case NP_OP_NE:
        return order != 0;
    case NP_OP_LT:
        return order < 0;
    case NP_OP_LE:
        return order <= 0;
    case NP_OP_GT:
        return order > 0;
    default:
        return order >= 0;
    }
}

/* As Python has them: the quotient rounded down, the rest with the sign of the divisor. */
static double divide_reals(double left, double right, bool rest) {
    double r = fmod(left, right), q = (left - r) / right;
    bool below = r != 0 && (r < 0) != (right < 0);
    if (rest)
        return r == 0 ? copysign(0.0, right) : below ? r + right : r;
    q -= below;
    return q == 0 ? copysign(0.0, left / right) : q - floor(q) > 0.5 ? floor(q) + 1 : floor(q);
}

static struct np_value known_real(struct np_unit *unit, enum np_operator op, double left,
                                  double right, struct span at) {
    double v = op == NP_OP_ADD   ? left + right
               : op == NP_OP_SUB ? left - right
               : op == NP_OP_MUL ? left * right
               : op == NP_OP_POW ? pow(left, right)
               : op == NP_OP_MOD || op == NP_OP_FLOORDIV
                   ? divide_reals(left, right, op == NP_OP_MOD)
                   : left / right;
    if (np_compares(op))
        return np_bool_value(left != left || right != right
                                 ? op == NP_OP_NE
                                 : np_known_compare(op, left < right ? -1 : left > right),
                             at);
    bool divides = op == NP_OP_DIV || op == NP_OP_FLOORDIV || op == NP_OP_MOD;
    bool computes = divides || op == NP_OP_ADD || op == NP_OP_SUB || op == NP_OP_MUL;
    if (!computes && op != NP_OP_POW)
        return np_error(unit, at, "`%s` of floats is not known when the kernel is compiled",
                        np_operator_text(op));
    if ((divides && right == 0) || (op == NP_OP_POW && left == 0 && right < 0))
        return np_error(unit, at, "division by zero");
    if (op == NP_OP_POW && isfinite(left) && isfinite(right) && !isfinite(v))
        return np_error(unit, at, "the power is no float of 64 bits");
    return (struct np_value){.kind = NP_REAL, .at = at, .real = v};
}

/* Doubles have it as it is. */
static bool is_exact(const struct np_value *value) {
    const np_int most = (np_int)1 << 53;
    return value->kind == NP_REAL || (value->number <= most && value->number >= -most);
}

struct np_value np_known_binary(struct np_unit *unit, enum np_operator op, struct np_value left,
                                struct np_value right, struct span at) {
    np_int v = 0;
    bool bits = op == NP_OP_AND || op == NP_OP_OR || op == NP_OP_XOR;
    bool real = left.kind == NP_REAL || right.kind == NP_REAL || op == NP_OP_DIV ||
                (op == NP_OP_POW && right.number < 0);
    if (real && (!is_exact(&left) || !is_exact(&right)))
        return np_error(unit, at, "a number of more than 53 bits becomes a float");
    if (real)
        return known_real(unit, op, np_real_of(&left), np_real_of(&right), at);
    if (np_compares(op))
        return np_bool_value(
            np_known_compare(op, left.number < right.number ? -1 : left.number > right.number), at);
    if (!known_integer(unit, op, left.number, right.number, &v, at))
        return (struct np_value){.kind = NP_ERROR, .at = at};
    return bits && left.kind == NP_BOOL && right.kind == NP_BOOL ? np_bool_value(v != 0, at)
                                                                 : np_int_value(v, at);
}

/* ---- lists ---- */

struct np_value np_repeat_list(struct np_unit *unit, struct np_value value, np_int length,
                               struct span at) {
    enum { MOST = 1 << 20 };
    if (length < 0 || length > MOST || length * value.count > MOST)
        return np_error(unit, at, "the list has a negative number of elements, or more than 2^20");
    struct np_value *items =
        ARENA_ARRAY(&unit->arena, (size_t)length * value.count + 1, struct np_value);
    for (uint32_t i = 0; i < (uint32_t)length * value.count; i++)
        items[i] = value.items[i % value.count];
    return np_items_value(value.kind, items, (uint32_t)length * value.count, at);
}

struct np_value np_join_lists(struct np_unit *unit, struct np_value left, struct np_value right,
                              struct span at) {
    struct np_value *items =
        ARENA_ARRAY(&unit->arena, left.count + right.count + 1, struct np_value);
    for (uint32_t i = 0; i < left.count + right.count; i++)
        items[i] = i < left.count ? left.items[i] : right.items[i - left.count];
    return np_items_value(left.kind, items, left.count + right.count, at);
}

bool np_same_items(const struct np_value *left, const struct np_value *right) {
    bool same = np_is_list(left) == np_is_list(right) && left->count == right->count;
    for (uint32_t i = 0; same && np_is_list(left) && i < left->count; i++)
        same = np_same_items(&left->items[i], &right->items[i]);
    if (left->kind == NP_TEXT && right->kind == NP_TEXT)
        return left->count == right->count && memcmp(left->text, right->text, left->count) == 0;
    if (np_is_number(left) && np_is_number(right))
        return np_real_of(left) == np_real_of(right) && left->number == right->number;
    return same && (np_is_list(left) || (left->kind == NP_NONE && right->kind == NP_NONE));
}
