/* SPDX-License-Identifier: MIT
 * All bytes of a row by a table of 256: queries of fields of 8 bits and less. */
#include "machines/slot/run/machine.h"
#include "support/alloc.h"

#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

static void map_words(const uint8_t *map, uint64_t *to, const uint64_t *from, size_t words) {
    for (size_t i = 0; i < words; i++) {
        uint64_t x = from[i];
        to[i] = (uint64_t)map[x & 0xff] | (uint64_t)map[x >> 8 & 0xff] << 8 |
                (uint64_t)map[x >> 16 & 0xff] << 16 | (uint64_t)map[x >> 24 & 0xff] << 24 |
                (uint64_t)map[x >> 32 & 0xff] << 32 | (uint64_t)map[x >> 40 & 0xff] << 40 |
                (uint64_t)map[x >> 48 & 0xff] << 48 | (uint64_t)map[x >> 56] << 56;
    }
}

#ifdef __x86_64__
/* Of the upper half of a byte two bits choose among four groups of tables of 16 bytes, and two a
 * table of the group.  A shuffle looks at the lower half, and gives 0 where the top bit is set: of
 * a group the last table is always met, and what the one before differs by as long as the two bits
 * are less than its number: that much is added to them until the top bit says so.  So all groups
 * share four indices.  Words in fours: 38 vector instructions for 32 bytes, of which 16 shuffles
 * and what joins 16 results, 15, are the least that tables of 16 bytes take. */
static void fill_shuffled(const uint8_t *map, uint8_t *out) {
    for (unsigned at = 0; at < 256; at++) {
        unsigned table = at / 16 % 4; /* 0: the last; else the difference of table - 1 */
        unsigned group = at / 64 * 64, low = at % 16;
        out[at] =
            table ? (uint8_t)(map[group + 16 * table + low] ^ map[group + 16 * table - 16 + low])
                  : map[group + 48 + low];
    }
}

#define SLOT_AVX2 __attribute__((target("avx2")))
SLOT_AVX2 static inline __m256i group_of(const __m256i tables[4], const __m256i at[4]) {
    return _mm256_xor_si256(_mm256_xor_si256(_mm256_shuffle_epi8(tables[0], at[0]),
                                             _mm256_shuffle_epi8(tables[1], at[1])),
                            _mm256_xor_si256(_mm256_shuffle_epi8(tables[2], at[2]),
                                             _mm256_shuffle_epi8(tables[3], at[3])));
}

SLOT_AVX2 static void map_shuffled(const uint8_t *shuffled, uint64_t *to, const uint64_t *from,
                                   size_t words) {
    const __m256i below = _mm256_set1_epi8(0x3f);
    __m256i tables[16];
    for (unsigned h = 0; h < 16; h++)
        tables[h] = _mm256_broadcastsi128_si256(
            _mm_loadu_si128((const __m128i *)(const void *)(shuffled + 16 * h)));
    for (size_t i = 0; i + 4 <= words; i += 4) {
        __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)(from + i)),
                next = _mm256_add_epi8(x, x), low = _mm256_and_si256(x, below);
        const __m256i at[4] = {low, _mm256_add_epi8(low, _mm256_set1_epi8(0x70)),
                               _mm256_add_epi8(low, _mm256_set1_epi8(0x60)),
                               _mm256_add_epi8(low, _mm256_set1_epi8(0x50))};
        __m256i first = _mm256_blendv_epi8(group_of(tables, at), group_of(tables + 4, at), next),
                second =
                    _mm256_blendv_epi8(group_of(tables + 8, at), group_of(tables + 12, at), next);
        _mm256_storeu_si256((__m256i *)(void *)(to + i), _mm256_blendv_epi8(first, second, x));
    }
}

/* Two permutations of 128 bytes each, of which the top bit chooses.  Words in eights. */
__attribute__((target("avx512f,avx512bw,avx512vbmi"))) static void
map_permuted(const uint8_t *map, uint64_t *to, const uint64_t *from, size_t words) {
    __m512i tables[4];
    for (unsigned q = 0; q < 4; q++)
        tables[q] = _mm512_loadu_si512(map + 64 * q);
    for (size_t i = 0; i + 8 <= words; i += 8) {
        __m512i x = _mm512_loadu_si512(from + i),
                low = _mm512_permutex2var_epi8(tables[0], x, tables[1]),
                high = _mm512_permutex2var_epi8(tables[2], x, tables[3]);
        _mm512_storeu_si512(to + i, _mm512_mask_blend_epi8(_mm512_movepi8_mask(x), low, high));
    }
}

bool slot_way_is_there(enum slot_way way) {
    return way == SLOT_BY_BYTES || (way == SLOT_BY_SHUFFLES && __builtin_cpu_supports("avx2")) ||
           (way == SLOT_BY_PERMUTATIONS && __builtin_cpu_supports("avx512vbmi") &&
            __builtin_cpu_supports("avx512bw"));
}

static size_t map_vectors(const struct slot_lookup *l, uint64_t *to, const uint64_t *from,
                          size_t words) {
    if (l->way == SLOT_BY_PERMUTATIONS) {
        map_permuted(l->bytes, to, from, words);
        return words / 8 * 8;
    }
    if (l->way == SLOT_BY_BYTES)
        return 0;
    map_shuffled(l->shuffled, to, from, words);
    return words / 4 * 4;
}
#else
static void fill_shuffled(const uint8_t *map, uint8_t *out) {
    memcpy(out, map, 256);
}

bool slot_way_is_there(enum slot_way way) {
    return way == SLOT_BY_BYTES;
}

static size_t map_vectors(const struct slot_lookup *l, uint64_t *to, const uint64_t *from,
                          size_t words) {
    (void)l, (void)to, (void)from, (void)words;
    return 0;
}
#endif

void slot_map_open(struct slot_lookup *lookup) {
    lookup->shuffled = xmalloc(256);
    fill_shuffled(lookup->bytes, lookup->shuffled);
    lookup->way = SLOT_BY_BYTES;
    for (unsigned way = 0; way < SLOT_WAYS; way++)
        if (slot_way_is_there((enum slot_way)way))
            lookup->way = (enum slot_way)way;
}

void slot_map(const struct slot_lookup *lookup, uint64_t *to, const uint64_t *from, size_t words) {
    size_t done = map_vectors(lookup, to, from, words);
    map_words(lookup->bytes, to + done, from + done, words - done);
}
