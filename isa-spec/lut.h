/* SPDX-License-Identifier: MIT
 * The table of a LUT. */
#ifndef ISA_SPEC_LUT_H
#define ISA_SPEC_LUT_H

#include "isa-spec/product.h"

#include <stdint.h>

#define ISA_LUT_MAX_INDEX_BITS 16

struct isa_lut {
    uint8_t index_bits;      /* k, 1..16 */
    uint8_t width;           /* of an element, 1..64 */
    const uint64_t *entries; /* [1 << index_bits] */
};
/* The tables of a program, by number, and its shapes of products: what words name. */
struct lut_list {
    const struct isa_lut *data; /* [count] */
    uint32_t count;
    struct product_list products;
};

#endif
