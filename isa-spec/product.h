/* SPDX-License-Identifier: MIT
 * The shape of a product: what MULP multiplies, and which bits of that it keeps. */
#ifndef ISA_SPEC_PRODUCT_H
#define ISA_SPEC_PRODUCT_H

#include <stdbool.h>
#include <stdint.h>

/* Shapes that a program has at most: the field of the word has 6 bits. */
#define ISA_MAX_PRODUCTS 64

/* Bits lo .. lo + w - 1 of the product of the low a bits of rs and the low b bits of rt. */
struct isa_product {
    uint8_t a, b;  /* 1..64 */
    uint8_t lo;    /* 0..a+b-1 */
    uint8_t width; /* w, 1..64 */
    bool signed_a, signed_b;
};
/* The shapes of a program, by number. */
struct product_list {
    const struct isa_product *data; /* [count] */
    uint32_t count;
};

/* "ss", "su", "us" or "" where neither operand has a sign. */
const char *isa_product_signs(const struct isa_product *product);
bool isa_product_same(const struct isa_product *left, const struct isa_product *right);
/* Why there is no such shape, in words that follow "a product"; NULL if there is one. */
const char *isa_product_problem(const struct isa_product *product);

#define ISA_PRODUCT_PICKS 12
/* The index-th of the shapes of w bits that recipes are tried with, as a constant: what programs
 * take, and what differs in how a product is made.  False when there are no more. */
bool isa_product_pick(unsigned width, unsigned index, int32_t *constant);

/* All of a shape but its width as the constant that recipes see: a - 1 in bits 5:0, b - 1 in bits
 * 11:6, lo in bits 18:12, and in bits 19 and 20 whether rs and rt have a sign. */
int32_t isa_product_constant(const struct isa_product *product);
/* The shape of such a constant at width w.  False if there is none. */
bool isa_product_of(int32_t constant, unsigned width, struct isa_product *product);

#endif
