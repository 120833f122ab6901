/* SPDX-License-Identifier: MIT
 * Transposing a bit matrix swaps the off-diagonal quarters of ever smaller squares, from 32x32 down
 * to single bits (H. S. Warren, Hacker's Delight, section 7-3).  Four blocks are handled side by
 * side in vectors, and three sizes of square in one pass over eight words held in registers.  A
 * single plane needs no squares. */
#include "support/bits.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* One word each of four neighbouring blocks. */
typedef uint64_t words4 __attribute__((vector_size(32), aligned(8), may_alias));

typedef uint64_t words2 __attribute__((vector_size(16), aligned(8), may_alias));

enum { BATCH = 4 };

/* In every pair of words `half` apart: the high part of each group of 2 * half bits in the first
 * changes places with the low part in the second. */
INLINE void swap_words(uint64_t a[64], unsigned half) {
    uint64_t mask = UINT64_MAX / (((uint64_t)1 << half) + 1);
    for (unsigned i = 0; i < 64; i += 2 * half) {
        for (unsigned j = i; j < i + half; j++) {
            uint64_t swap = ((a[j] >> half) ^ a[j + half]) & mask;
            a[j] ^= swap << half;
            a[j + half] ^= swap;
        }
    }
}

void transpose64(uint64_t a[64]) {
    swap_words(a, 32);
    swap_words(a, 16);
    swap_words(a, 8);
    swap_words(a, 4);
    swap_words(a, 2);
    swap_words(a, 1);
}

INLINE void swap_pair(words4 *x, words4 *y, unsigned half) {
    uint64_t mask = UINT64_MAX / (((uint64_t)1 << half) + 1);
    words4 swap = ((*x >> half) ^ *y) & mask;
    *x ^= swap << half;
    *y ^= swap;
}

/* Three sizes of square for eight words whose numbers are `unit` apart, and lie `step` apart. */
INLINE void swap_eight(words4 *a, size_t step, unsigned unit) {
    words4 r0 = a[0], r1 = a[step], r2 = a[2 * step], r3 = a[3 * step];
    words4 r4 = a[4 * step], r5 = a[5 * step], r6 = a[6 * step], r7 = a[7 * step];
    swap_pair(&r0, &r4, 4 * unit);
    swap_pair(&r1, &r5, 4 * unit);
    swap_pair(&r2, &r6, 4 * unit);
    swap_pair(&r3, &r7, 4 * unit);
    swap_pair(&r0, &r2, 2 * unit);
    swap_pair(&r1, &r3, 2 * unit);
    swap_pair(&r4, &r6, 2 * unit);
    swap_pair(&r5, &r7, 2 * unit);
    swap_pair(&r0, &r1, unit);
    swap_pair(&r2, &r3, unit);
    swap_pair(&r4, &r5, unit);
    swap_pair(&r6, &r7, unit);
    a[0] = r0, a[step] = r1, a[2 * step] = r2, a[3 * step] = r3;
    a[4 * step] = r4, a[5 * step] = r5, a[6 * step] = r6, a[7 * step] = r7;
}

#define LOAD(p)     (*(const words4 *)(p))
#define STORE(p, v) (*(words4 *)(p) = (v))

/* The 2x2 words at `from`, `from_stride` words a row, transposed to `to`. */
INLINE void transpose_words(const uint64_t *from, size_t from_stride, uint64_t *to,
                            size_t to_stride) {
    words2 x = *(const words2 *)from, y = *(const words2 *)(from + from_stride);
    *(words2 *)to = __builtin_shufflevector(x, y, 0, 2);
    *(words2 *)(to + to_stride) = __builtin_shufflevector(x, y, 1, 3);
}

/* a[e] = element e of the four blocks. */
INLINE void gather(const uint64_t *in, words4 a[64]) {
    for (size_t e = 0; e < 64; e += 2)
        for (size_t b = 0; b < BATCH; b += 2)
            transpose_words(in + b * 64 + e, 64, (uint64_t *)&a[e] + b, BATCH);
}

INLINE void scatter(const words4 a[64], uint64_t *out) {
    for (size_t e = 0; e < 64; e += 2)
        for (size_t b = 0; b < BATCH; b += 2)
            transpose_words((const uint64_t *)&a[e] + b, BATCH, out + b * 64 + e, 64);
}

/* The squares of 32, 16 and 8 bits. */
INLINE void swap_large(words4 a[64]) {
    for (size_t i = 0; i < 8; i++)
        swap_eight(a + i, 8, 8);
}

/* The squares of 4, 2 and 1 bits, for words 0..count-1 rounded up to eight. */
INLINE void swap_small(words4 a[64], unsigned count) {
    for (size_t i = 0; i < count; i += 8)
        swap_eight(a + i, 1, 1);
}

INLINE void batch_to_planes(const uint64_t *in, uint64_t *out, size_t stride, unsigned planes) {
    words4 a[64];
    gather(in, a);
    swap_large(a);
    swap_small(a, planes);
    for (size_t p = 0; p < planes; p++)
        STORE(out + p * stride, a[p]);
}

INLINE void batch_to_elements(const uint64_t *in, size_t stride, uint64_t *out, unsigned planes) {
    words4 a[64];
    for (size_t p = 0; p < 64; p++)
        a[p] = p < planes ? LOAD(in + p * stride) : (words4){0};
    swap_large(a);
    swap_small(a, 64);
    scatter(a, out);
}

INLINE uint64_t lowest_bits(const uint64_t in[64]) {
    words4 at = {0, 1, 2, 3}, sum = {0};
    for (size_t e = 0; e < 64; e += BATCH, at += BATCH)
        sum |= (LOAD(in + e) & 1) << at;
    return sum[0] | sum[1] | sum[2] | sum[3];
}

INLINE void spread_bits(uint64_t word, uint64_t out[64]) {
    words4 at = {0, 1, 2, 3}, all = {word, word, word, word};
    for (size_t e = 0; e < 64; e += BATCH, at += BATCH)
        STORE(out + e, all >> at & 1);
}

/* One plane: kept apart, so that the code for many is as it would be without it. */
__attribute__((noinline)) static void plane_to_words(const uint64_t *in, size_t blocks,
                                                     uint64_t *out) {
    for (size_t b = 0; b < blocks; b++)
        out[b] = lowest_bits(in + b * 64);
}

__attribute__((noinline)) static void words_to_elements(const uint64_t *in, size_t blocks,
                                                        uint64_t *out) {
    for (size_t b = 0; b < blocks; b++)
        spread_bits(in[b], out + b * 64);
}

INLINE void to_planes(const uint64_t *in, size_t blocks, uint64_t *out, size_t stride,
                      unsigned planes) {
    if (planes == 1) {
        plane_to_words(in, blocks, out);
        return;
    }
    for (size_t b = 0; b < blocks; b += BATCH)
        batch_to_planes(in + b * 64, out + b, stride, planes);
}

INLINE void to_elements(const uint64_t *in, size_t stride, size_t blocks, uint64_t *out,
                        unsigned planes) {
    if (planes == 1) {
        words_to_elements(in, blocks, out);
        return;
    }
    for (size_t b = 0; b < blocks; b += BATCH)
        batch_to_elements(in + b, stride, out + b * 64, planes);
}

/* Both directions once for any processor and, on x86-64, once for those with AVX2. */
static void to_planes_any(const uint64_t *in, size_t blocks, uint64_t *out, size_t stride,
                          unsigned planes) {
    to_planes(in, blocks, out, stride, planes);
}

static void to_elements_any(const uint64_t *in, size_t stride, size_t blocks, uint64_t *out,
                            unsigned planes) {
    to_elements(in, stride, blocks, out, planes);
}

#if defined(__x86_64__) && !defined(BITS_PORTABLE) /* set by a test of the plain variant */
__attribute__((target("avx2"))) static void
to_planes_avx2(const uint64_t *in, size_t blocks, uint64_t *out, size_t stride, unsigned planes) {
    to_planes(in, blocks, out, stride, planes);
}

__attribute__((target("avx2"))) static void
to_elements_avx2(const uint64_t *in, size_t stride, size_t blocks, uint64_t *out, unsigned planes) {
    to_elements(in, stride, blocks, out, planes);
}

#define PICK(name) (__builtin_cpu_supports("avx2") ? name##_avx2 : name##_any)
#else
#define PICK(name) name##_any
#endif

/* The last blocks, fewer than a batch, go through padded copies. */
void elements_to_planes(const uint64_t *in, size_t blocks, uint64_t *out, size_t stride,
                        unsigned planes) {
    size_t tail = blocks % BATCH, whole = blocks - tail;
    PICK(to_planes)(in, whole, out, stride, planes);
    if (!tail)
        return;
    uint64_t padded[BATCH * 64] = {0}, result[64 * BATCH];
    memcpy(padded, in + whole * 64, tail * 64 * sizeof *in);
    PICK(to_planes)(padded, BATCH, result, BATCH, planes);
    for (size_t p = 0; p < planes; p++)
        memcpy(out + p * stride + whole, result + p * BATCH, tail * sizeof *out);
}

void planes_to_elements(const uint64_t *in, size_t stride, size_t blocks, uint64_t *out,
                        unsigned planes) {
    size_t tail = blocks % BATCH, whole = blocks - tail;
    PICK(to_elements)(in, stride, whole, out, planes);
    if (!tail)
        return;
    uint64_t padded[64 * BATCH] = {0}, result[BATCH * 64];
    for (size_t p = 0; p < planes; p++)
        memcpy(padded + p * BATCH, in + p * stride + whole, tail * sizeof *in);
    PICK(to_elements)(padded, BATCH, BATCH, result, planes);
    memcpy(out + whole * 64, result, tail * 64 * sizeof *out);
}
