/* SPDX-License-Identifier: MIT
 * Products of matrices and vectors.
 *
 * Matrices of M x K and K x N elements: b blocks of M x N lanes, b the largest power of two with
 * b M N <= 65,536 and b <= K; of integers K where that has room: the order of their additions is
 * free, and a lap of products takes more than a fold.  Lap s brings
 * factors s b .. s b + b - 1 to the blocks, a column of the left matrix and a row of the right one
 * to each, which adds the product to what it has; then the blocks take in each other (fold.h):
 * (2 K + b - 1) R(M N) registers are moved.
 *
 * A matrix and a vector: the matrix stays, the vector comes to its rows (or columns), and products
 * are folded along the axis: R(matrix) (2 + 1/8 + ...).
 */
#ifndef EZPIM_ARRAY_PRODUCT_H
#define EZPIM_ARRAY_PRODUCT_H

#include "ezpim/array/fold.h"

/* to = left @ right: of groups of one or two dimensions, not both of one, whose inner extents are
 * the same; `to` has those that are left.  All are per MPU or none is.  Types are of one sign, that
 * of `to` is the widest; products and sums are modulo 2^bits of it. */
struct array_product {
    struct array_value left, right, to;
    uint32_t room; /* registers that the fold may have, 2 at least */
};

/* How many blocks there are, of so many elements of the result and products for each: of floating
 * point they are the order of additions. */
uint32_t array_product_blocks(uint64_t elements, uint64_t factors, struct lane_type type);
/* It may be a REPEAT: there are fewer than IR_MOST_REPEATS around.  `to` is written last. */
void array_product(struct ir_builder *builder, const struct array_product *product, struct span at);

#endif
