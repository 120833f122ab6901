/* SPDX-License-Identifier: MIT
 * Tables for LUTs to be verified with: of no kind, and of the kinds for which machines may have
 * cheaper ways. */
#include "machines/verify/matrix.h"
#include "support/bits.h"

enum table_kind {
    TABLE_RANDOM,
    TABLE_LINEAR, /* each bit of an element the exclusive or of some of the index, perhaps not */
    TABLE_SPARSE, /* mostly 0 */
    TABLE_IDENTITY,
    TABLE_REVERSED,
    TABLE_CONSTANT,
    TABLE_SMALL, /* elements of few bits */
    TABLE_KINDS
};

/* Logic of a table grows with its elements and their bits, and making it takes the more time. */
unsigned verify_table_count(unsigned w, bool thin, bool thorough) {
    if (thorough)
        return 2 * TABLE_KINDS;
    return thin ? 1 : w <= 8 ? TABLE_KINDS : 2;
}

static unsigned index_bits(unsigned w, unsigned index, bool thorough, uint64_t *seed) {
    unsigned most = w < ISA_LUT_MAX_INDEX_BITS ? w : ISA_LUT_MAX_INDEX_BITS;
    unsigned usual = thorough ? 8 : w > 8 ? 2 : w == 8 && index == 0 ? 8 : 4;
    uint64_t r = splitmix64(seed);
    usual = w < usual ? w : usual;
    if (index == 0)
        return usual;
    return 1 + (unsigned)(r >> 8) % (thorough && r % 8 == 0 ? most : usual);
}

/* masks[j]: the bits of the index that bit j of an element is made of; their parity turned over
 * where `turned` has a 1. */
static uint64_t linear_element(const uint64_t masks[64], uint64_t turned, unsigned w, uint64_t i) {
    uint64_t value = turned;
    for (unsigned j = 0; j < w; j++)
        value ^= (uint64_t)__builtin_parityll(masks[j] & i) << j;
    return value;
}

static uint64_t reversed(uint64_t i, unsigned k) {
    uint64_t r = 0;
    for (unsigned j = 0; j < k; j++)
        r |= (i >> j & 1) << (k - 1 - j);
    return r;
}

static uint64_t element_of(enum table_kind kind, unsigned k, uint64_t i, uint64_t fixed,
                           uint64_t *seed) {
    uint64_t r = splitmix64(seed);
    switch (kind) {
    case TABLE_SPARSE:
        return r % 8 ? 0 : splitmix64(seed);
    case TABLE_IDENTITY:
        return i;
    case TABLE_REVERSED:
        return reversed(i, k);
    case TABLE_CONSTANT:
        return fixed;
    case TABLE_SMALL:
        return r & 3;
    default:
        return r;
    }
}

const struct isa_lut *verify_table_make(struct arena *arena, unsigned w, unsigned index,
                                        bool thorough, uint64_t *seed) {
    enum table_kind kind = (enum table_kind)(index % TABLE_KINDS);
    unsigned k = index_bits(w, index, thorough, seed);
    uint64_t *entries = ARENA_ARRAY(arena, (size_t)1 << k, uint64_t);
    struct isa_lut *table = ARENA_ARRAY(arena, 1, struct isa_lut);
    uint64_t masks[64], fixed = splitmix64(seed);
    for (unsigned j = 0; j < 64; j++)
        masks[j] = splitmix64(seed);
    for (uint64_t i = 0; i < (uint64_t)1 << k; i++) {
        uint64_t x = kind == TABLE_LINEAR ? linear_element(masks, fixed, w, i)
                                          : element_of(kind, k, i, fixed, seed);
        entries[i] = x & low_bits(w);
    }
    *table = (struct isa_lut){(uint8_t)k, (uint8_t)w, entries};
    return table;
}
