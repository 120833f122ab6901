/* SPDX-License-Identifier: MIT
 * Powers of integers whose exponents are data: the product of the squares of the base, each of them
 * where the exponent has its bit. */
#include "ezpim/array/array.h"
#include "support/bits.h"

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

/* `yes` where the exponent has one of the number's bits, or is less (LT). */
static struct array_ref *where(const struct raising *r, enum array_op op, uint64_t number,
                               struct array_ref *yes, struct array_ref *no) {
    const struct lane_type truth = {TYPE_BOOL, 1};
    struct array_ref *test[] = {r->exponent, constant(r, number)};
    struct array_ref *bits = array_elementwise(r->arrays, op, 2, test,
                                               op == ARRAY_OP_LT ? truth : r->type, 0, NULL, r->at);
    struct array_ref *args[] = {array_cast(r->arrays, bits, truth, r->at), yes, no};
    return array_elementwise(r->arrays, ARRAY_OP_SELECT, 3, args, r->type, 0, NULL, r->at);
}

static struct array_ref *squared(const struct raising *r, struct array_ref *base) {
    if (!is_constant(base))
        return operate(r, ARRAY_OP_MUL, base, base);
    uint64_t v = base->uniform->pattern;
    return constant(r, v * v & low_bits(r->type.bits));
}

static bool is_number(const struct array_ref *base, uint64_t pattern) {
    return is_constant(base) && base->uniform->pattern == pattern;
}

struct array_ref *array_power(struct arrays *arrays, struct array_ref *base,
                              struct array_ref *exponent, struct span at) {
    const struct raising r = {arrays, base->type, exponent, at};
    struct array_ref *one = constant(&r, 1), *product = one;
    if (is_number(base, 2))
        return operate(&r, ARRAY_OP_SHL, one, exponent);
    if (base->uniform && !is_constant(base))
        base = array_fresh(arrays, base, at); /* each square would be worked out from the first */
    for (unsigned k = 0; k == 0 || exponent->range.high >> k; k++) {
        if (is_number(base, 0)) /* and so are all squares that follow */
            return where(&r, ARRAY_OP_LT, 1ull << k, product, base);
        if (k > 0 && is_number(base, 1))
            break;
        struct array_ref *factor = where(&r, ARRAY_OP_AND, 1ull << k, base, one);
        product = k == 0 ? factor : operate(&r, ARRAY_OP_MUL, product, factor);
        base = squared(&r, base);
    }
    return product;
}
