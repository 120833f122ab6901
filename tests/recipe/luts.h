/* SPDX-License-Identifier: MIT
 * Tables for tests. */
#ifndef TESTS_RECIPE_LUTS_H
#define TESTS_RECIPE_LUTS_H

#include "isa-spec/lut.h"

/* 2^k elements of w bits, fn(index, w) each; and random ones. */
typedef uint64_t luts_element(uint32_t index, unsigned k);
struct isa_lut *luts_new(unsigned k, unsigned w, luts_element *element);
struct isa_lut *luts_random(unsigned k, unsigned w, uint64_t *seed);
void luts_free(struct isa_lut *table);

/* FIPS 197's S-box, from its definition. */
luts_element luts_aes;
luts_element luts_identity, luts_reversed, luts_gray, luts_square;
/* What a byte adds to CRC-32. */
luts_element luts_crc32;

#endif
