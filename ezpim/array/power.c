/* SPDX-License-Identifier: MIT
 * Powers of integers whose exponents are data: of some bases there is less to do. */
#include "ezpim/array/array.h"

struct raising {
    struct arrays *arrays;
    struct lane_type type;
    struct array_ref *exponent;
    struct span at;
};

static struct array_ref *operate(const struct raising *r, enum array_op op, struct array_ref *x,
                                 struct array_ref *y) {
    struct array_ref *args[] = {x, y};
    return array_elementwise(r->arrays, op, 2, args, r->type, 0, NULL, r->at);
}

static bool is_constant(const struct array_ref *ref) {
    return ref->uniform && ref->uniform->kind == ARRAY_UNIFORM_CONSTANT;
}

static struct array_ref *constant(const struct raising *r, uint64_t pattern) {
    return array_constant(r->arrays, r->type, array_number(pattern, r->type), r->at);
}

/* 0 or 1: 1 to the power 0, else itself. */
static struct array_ref *of_bit(const struct raising *r, struct array_ref *base) {
    const struct lane_type truth = {TYPE_BOOL, 1};
    struct array_ref *one = constant(r, 1), *test[] = {r->exponent, one};
    struct array_ref *none =
        array_elementwise(r->arrays, ARRAY_OP_LT, 2, test, truth, 0, NULL, r->at);
    struct array_ref *args[] = {none, one, base};
    return array_elementwise(r->arrays, ARRAY_OP_SELECT, 3, args, r->type, 0, NULL, r->at);
}

static bool is_number(const struct array_ref *base, uint64_t pattern) {
    return is_constant(base) && base->uniform->pattern == pattern;
}

struct array_ref *array_power(struct arrays *arrays, struct array_ref *base,
                              struct array_ref *exponent, struct span at) {
    const struct raising r = {arrays, base->type, exponent, at};
    if (is_number(base, 2))
        return operate(&r, ARRAY_OP_SHL, constant(&r, 1), exponent);
    if (is_number(base, 0) || is_number(base, 1))
        return of_bit(&r, base);
    return operate(&r, ARRAY_OP_POWER, base, exponent);
}
