/* SPDX-License-Identifier: MIT
 * Tables for tests. */
#include "luts.h"

#include "support/alloc.h"
#include "support/bits.h"

#include <stdlib.h>

static struct isa_lut *make(unsigned k, unsigned w, uint64_t **entries) {
    struct isa_lut *table = xcalloc(1, sizeof *table);
    *entries = xcalloc((size_t)1 << k, sizeof **entries);
    *table = (struct isa_lut){(uint8_t)k, (uint8_t)w, *entries};
    return table;
}

struct isa_lut *luts_new(unsigned k, unsigned w, luts_element *element) {
    uint64_t *entries;
    struct isa_lut *table = make(k, w, &entries);
    for (uint32_t i = 0; i < 1u << k; i++)
        entries[i] = element(i, k) & low_bits(w);
    return table;
}

struct isa_lut *luts_random(unsigned k, unsigned w, uint64_t *seed) {
    uint64_t *entries;
    struct isa_lut *table = make(k, w, &entries);
    for (uint32_t i = 0; i < 1u << k; i++)
        entries[i] = splitmix64(seed) & low_bits(w);
    return table;
}

void luts_free(struct isa_lut *table) {
    free((void *)(uintptr_t)table->entries);
    free(table);
}

static unsigned multiply(unsigned left, unsigned right, unsigned polynomial) {
    unsigned product = 0;
    for (; right; right >>= 1) {
        product ^= right & 1 ? left : 0;
        left = left << 1 ^ (left & 0x80 ? polynomial : 0);
    }
    return product;
}

uint64_t luts_aes(uint32_t index, unsigned k) {
    unsigned inverse = 0, sum;
    (void)k;
    while (index && multiply(index, inverse, 0x11b) != 1)
        inverse++;
    sum = inverse;
    for (unsigned i = 1; i < 5; i++)
        sum ^= (inverse << i | inverse >> (8 - i)) & 0xff;
    return sum ^ 0x63;
}

uint64_t luts_identity(uint32_t index, unsigned k) {
    (void)k;
    return index;
}

uint64_t luts_reversed(uint32_t index, unsigned k) {
    uint64_t reversed = 0;
    for (unsigned i = 0; i < k; i++)
        reversed |= (uint64_t)(index >> i & 1) << (k - 1 - i);
    return reversed;
}

uint64_t luts_gray(uint32_t index, unsigned k) {
    (void)k;
    return index ^ index >> 1;
}

uint64_t luts_square(uint32_t index, unsigned k) {
    (void)k;
    return (uint64_t)index * index;
}

uint64_t luts_crc32(uint32_t index, unsigned k) {
    uint32_t sum = index;
    for (unsigned i = 0; i < k; i++)
        sum = sum >> 1 ^ (sum & 1 ? 0xEDB88320u : 0);
    return sum;
}
