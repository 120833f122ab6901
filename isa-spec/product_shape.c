/* SPDX-License-Identifier: MIT
 * Shapes of products: as numbers, and what there is. */
#include "isa-spec/product.h"

#include <stddef.h>

enum { A_SHIFT = 0, B_SHIFT = 6, LO_SHIFT = 12, SIGNED_A = 1 << 19, SIGNED_B = 1 << 20 };
#define SIX_BITS   63
#define SEVEN_BITS 127

const char *isa_product_signs(const struct isa_product *product) {
    if (product->signed_a)
        return product->signed_b ? "ss" : "su";
    return product->signed_b ? "us" : "";
}

bool isa_product_same(const struct isa_product *left, const struct isa_product *right) {
    return left->width == right->width && isa_product_constant(left) == isa_product_constant(right);
}

const char *isa_product_problem(const struct isa_product *product) {
    if (product->a < 1 || product->a > 64 || product->b < 1 || product->b > 64)
        return "multiplies operands of 1 to 64 bits";
    if (product->width < 1 || product->width > 64)
        return "has 1 to 64 bits";
    return product->lo < product->a + product->b ? NULL
                                                 : "begins at a bit that it has: 0 to a + b - 1";
}

int32_t isa_product_constant(const struct isa_product *product) {
    return (int32_t)((uint32_t)(product->a - 1) << A_SHIFT | (uint32_t)(product->b - 1) << B_SHIFT |
                     (uint32_t)product->lo << LO_SHIFT | (product->signed_a ? SIGNED_A : 0u) |
                     (product->signed_b ? SIGNED_B : 0u));
}

bool isa_product_of(int32_t constant, unsigned width, struct isa_product *product) {
    *product = (struct isa_product){.a = (uint8_t)((constant >> A_SHIFT & SIX_BITS) + 1),
                                    .b = (uint8_t)((constant >> B_SHIFT & SIX_BITS) + 1),
                                    .lo = (uint8_t)(constant >> LO_SHIFT & SEVEN_BITS),
                                    .width = (uint8_t)(width <= 64 ? width : 0),
                                    .signed_a = constant & SIGNED_A,
                                    .signed_b = constant & SIGNED_B};
    return constant >= 0 && constant < 2 * SIGNED_B && !isa_product_problem(product);
}

/* As parts of the width: a, b and lo, less than which it is. */
bool isa_product_pick(unsigned width, unsigned index, int32_t *constant) {
    const unsigned w = width, half = (w + 1) / 2, most = w < 63 ? w + 1 : 64;
    const struct {
        unsigned a, b, lo;
        bool signed_a, signed_b;
    } shapes[ISA_PRODUCT_PICKS] = {
        {w, w, 0, false, false},       /* MUL */
        {half, half, 0, true, true},   /* widening */
        {half, half, 0, false, false}, /* the same */
        {w, most, most - 1, false, false} /* of fractions */,
        {w, w, w, true, true},            /* the upper half */
        {w, half, half / 2, true, false}, /* the middle */
        {half, w, w / 2, false, true},    /* the same */
        {1, w, 0, true, true},
        {w, 1, 0, false, true},
        {w, w, 2 * w - 1, true, false}, /* the highest bit, and its copies */
        {1, 1, 1, false, false},
        {64, 3, w / 2, true, true},
    };
    if (index >= ISA_PRODUCT_PICKS)
        return false;
    const struct isa_product p = {.a = (uint8_t)shapes[index].a,
                                  .b = (uint8_t)shapes[index].b,
                                  .lo = (uint8_t)shapes[index].lo,
                                  .width = (uint8_t)w,
                                  .signed_a = shapes[index].signed_a,
                                  .signed_b = shapes[index].signed_b};
    *constant = isa_product_constant(&p);
    return true;
}
