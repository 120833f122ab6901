/* SPDX-License-Identifier: MIT
 * Transposing a bit matrix swaps the off-diagonal quarters of ever smaller squares, from 32x32 down
 * to single bits (H. S. Warren, Hacker's Delight, section 7-3).  Four matrices are handled side by
 * side in vectors, and three sizes of square in one pass over eight words held in registers.
 *
 * Elements narrower than a row of a matrix share it: row r of matrix m has element r of blocks m,
 * 4 + m, 8 + m, ..., lowest first, so that one transposition serves 8 / bytes blocks, and four
 * neighbouring words of a plane come out as one vector.  A single plane needs no squares. */
#include "support/bits.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* One word each of four neighbouring blocks. */
typedef uint64_t words4 __attribute__((vector_size(32), aligned(1), may_alias));
typedef uint64_t words2 __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint8_t bytes16 __attribute__((vector_size(16), aligned(1), may_alias));

enum { BATCH = 4 };

/* Blocks that share a row. */
INLINE unsigned sharing(unsigned bytes) {
    return 8 / bytes;
}

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

void bits_transpose64(uint64_t a[64]) {
    swap_words(a, 32);
    swap_words(a, 16);
    swap_words(a, 8);
    swap_words(a, 4);
    swap_words(a, 2);
    swap_words(a, 1);
}

INLINE void swap_pair(words4 *left, words4 *right, unsigned half) {
    uint64_t mask = UINT64_MAX / (((uint64_t)1 << half) + 1);
    words4 swap = ((*left >> half) ^ *right) & mask;
    *left ^= swap << half;
    *right ^= swap;
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
INLINE void transpose_words(const unsigned char *from, size_t from_stride, unsigned char *to,
                            size_t to_stride) {
    words2 x = *(const words2 *)from, y = *(const words2 *)(from + 8 * from_stride);
    *(words2 *)to = __builtin_shufflevector(x, y, 0, 2);
    *(words2 *)(to + 8 * to_stride) = __builtin_shufflevector(x, y, 1, 3);
}

/* a[r] = row r of the four matrices, which lie one behind the other. */
INLINE void gather(const unsigned char *rows, words4 a[64]) {
    for (size_t r = 0; r < 64; r += 2)
        for (size_t m = 0; m < BATCH; m += 2)
            transpose_words(rows + 8 * (m * 64 + r), 64, (unsigned char *)&a[r] + 8 * m, BATCH);
}

INLINE void scatter(const words4 a[64], unsigned char *rows) {
    for (size_t r = 0; r < 64; r += 2)
        for (size_t m = 0; m < BATCH; m += 2)
            transpose_words((const unsigned char *)&a[r] + 8 * m, BATCH, rows + 8 * (m * 64 + r),
                            64);
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

/* ---- elements that share a row ---- */

/* The units (of 1, 2 or 4 bytes) of left and right in turn: x0 y0 x1 y1 ... */
INLINE void interleave(bytes16 *left, bytes16 *right, unsigned unit) {
    bytes16 a = *left, b = *right;
    if (unit == 1) {
        *left =
            __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        *right = __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30,
                                         15, 31);
    } else if (unit == 2) {
        *left =
            __builtin_shufflevector(a, b, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23);
        *right = __builtin_shufflevector(a, b, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15,
                                         30, 31);
    } else {
        *left =
            __builtin_shufflevector(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23);
        *right = __builtin_shufflevector(a, b, 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29,
                                         30, 31);
    }
}

/* Once the perfect shuffle of all units in the vectors of `share` blocks: it takes the highest bit
 * of a unit's number to the lowest place. */
INLINE void shuffle_units(bytes16 v[8], unsigned share, unsigned unit) {
    bytes16 low[4], high[4];
#pragma GCC unroll 4
    for (unsigned i = 0; i < share / 2; i++)
        low[i] = v[i], high[i] = v[i + share / 2];
#pragma GCC unroll 4
    for (unsigned i = 0; i < share / 2; i++) {
        interleave(&low[i], &high[i], unit);
        v[2 * i] = low[i], v[2 * i + 1] = high[i];
    }
}

/* 16 bytes of each of the blocks that share rows, to as many bytes of rows: the number of a unit
 * has that of its block above that of its element, and then below it. */
INLINE void to_rows(bytes16 v[8], unsigned bytes) {
#pragma GCC unroll 4
    for (unsigned n = sharing(bytes); n > 1; n /= 2)
        shuffle_units(v, sharing(bytes), bytes);
}

INLINE void from_rows(bytes16 v[8], unsigned bytes) {
#pragma GCC unroll 4
    for (unsigned n = 16 / bytes; n > 1; n /= 2)
        shuffle_units(v, sharing(bytes), bytes);
}

/* Block 4 * c + m is c-th in the rows of matrix m. */
INLINE void blocks_to_rows(const unsigned char *in, unsigned bytes, unsigned char *rows) {
    unsigned block = 64 * bytes, share = sharing(bytes);
    bytes16 v[8];
    for (unsigned m = 0; m < BATCH; m++)
        for (unsigned at = 0; at < block; at += 16) {
#pragma GCC unroll 8
            for (unsigned c = 0; c < share; c++)
                v[c] = *(const bytes16 *)(in + (BATCH * c + m) * block + at);
            to_rows(v, bytes);
#pragma GCC unroll 8
            for (unsigned c = 0; c < share; c++)
                *(bytes16 *)(rows + 512 * m + share * at + 16 * c) = v[c];
        }
}

INLINE void rows_to_blocks(const unsigned char *rows, unsigned bytes, unsigned char *out) {
    unsigned block = 64 * bytes, share = sharing(bytes);
    bytes16 v[8];
    for (unsigned m = 0; m < BATCH; m++)
        for (unsigned at = 0; at < block; at += 16) {
#pragma GCC unroll 8
            for (unsigned c = 0; c < share; c++)
                v[c] = *(const bytes16 *)(rows + 512 * m + share * at + 16 * c);
            from_rows(v, bytes);
#pragma GCC unroll 8
            for (unsigned c = 0; c < share; c++)
                *(bytes16 *)(out + (BATCH * c + m) * block + at) = v[c];
        }
}

/* ---- batches of 4 * sharing(bytes) blocks ---- */

INLINE void batch_to_planes(const unsigned char *in, unsigned bytes, uint64_t *out, size_t stride,
                            unsigned planes) {
    unsigned char rows[BATCH * 64 * 8];
    words4 a[64];
    if (bytes < 8)
        blocks_to_rows(in, bytes, rows);
    gather(bytes < 8 ? rows : in, a);
    swap_large(a);
    swap_small(a, bytes < 8 ? 64 : planes);
    for (size_t c = 0; c < sharing(bytes); c++)
        for (size_t p = 0; p < planes; p++)
            STORE(out + p * stride + BATCH * c, a[8 * bytes * c + p]);
}

INLINE void batch_to_elements(const uint64_t *in, size_t stride, unsigned char *out, unsigned bytes,
                              unsigned planes, bool sign) {
    unsigned char rows[BATCH * 64 * 8];
    words4 a[64];
    for (size_t c = 0; c < sharing(bytes); c++) {
        words4 *to = a + 8 * bytes * c;
        for (size_t p = 0; p < planes; p++)
            to[p] = LOAD(in + p * stride + BATCH * c);
        for (size_t p = planes; p < 8 * bytes; p++)
            to[p] = sign && planes ? to[planes - 1] : (words4){0};
    }
    swap_large(a);
    swap_small(a, 64);
    scatter(a, bytes < 8 ? rows : out);
    if (bytes < 8)
        rows_to_blocks(rows, bytes, out);
}

/* ---- a single plane ---- */

/* Bit 0 of 64 elements of 64 bits, and back. */
INLINE uint64_t lowest_bits(const unsigned char *in) {
    words4 at = {0, 1, 2, 3}, sum = {0};
    for (size_t e = 0; e < 64; e += BATCH, at += BATCH)
        sum |= (LOAD(in + 8 * e) & 1) << at;
    return sum[0] | sum[1] | sum[2] | sum[3];
}

INLINE void spread_bits(uint64_t word, unsigned char *out) {
    words4 at = {0, 1, 2, 3}, all = {word, word, word, word};
    for (size_t e = 0; e < 64; e += BATCH, at += BATCH)
        STORE(out + 8 * e, all >> at & 1);
}

#define EACH_BYTE(x) (UINT64_C(0x0101010101010101) * (x))

/* Bit 0 of 64 bytes, and back: the product has bit 0 of byte i in bit 56 + i. */
INLINE uint64_t lowest_bits_of_bytes(const unsigned char *in) {
    uint64_t word = 0;
    for (unsigned i = 0; i < 8; i++) {
        uint64_t x;
        memcpy(&x, in + 8 * i, 8);
        word |= (x & EACH_BYTE(1)) * UINT64_C(0x0102040810204080) >> 56 << 8 * i;
    }
    return word;
}

INLINE void spread_bits_to_bytes(uint64_t word, unsigned char *out) {
    for (unsigned i = 0; i < 8; i++) {
        uint64_t x = EACH_BYTE(word >> 8 * i & 255) & UINT64_C(0x8040201008040201);
        x = (x + EACH_BYTE(0x7f)) >> 7 & EACH_BYTE(1);
        memcpy(out + 8 * i, &x, 8);
    }
}

/* Kept apart, so that the code for many planes is as it would be without it. */
__attribute__((noinline)) static void plane_to_words(const unsigned char *in, unsigned bytes,
                                                     size_t blocks, uint64_t *out) {
    for (size_t b = 0; b < blocks; b++)
        out[b] = bytes == 8 ? lowest_bits(in + b * 512) : lowest_bits_of_bytes(in + b * 64);
}

__attribute__((noinline)) static void words_to_elements(const uint64_t *in, size_t blocks,
                                                        unsigned char *out, unsigned bytes) {
    for (size_t b = 0; b < blocks; b++) {
        if (bytes == 8)
            spread_bits(in[b], out + b * 512);
        else
            spread_bits_to_bytes(in[b], out + b * 64);
    }
}

INLINE bool is_single(unsigned bytes, unsigned planes, bool sign) {
    return planes == 1 && !sign && (bytes == 8 || bytes == 1);
}

/* ---- both directions, for whole batches ---- */

INLINE void to_planes(const unsigned char *in, unsigned bytes, size_t blocks, uint64_t *out,
                      size_t stride, unsigned planes) {
    for (size_t b = 0; b < blocks; b += BATCH * sharing(bytes))
        batch_to_planes(in + b * 64 * bytes, bytes, out + b, stride, planes);
}

INLINE void to_elements(const uint64_t *in, size_t stride, size_t blocks, unsigned char *out,
                        unsigned bytes, unsigned planes, bool sign) {
    for (size_t b = 0; b < blocks; b += BATCH * sharing(bytes))
        batch_to_elements(in + b, stride, out + b * 64 * bytes, bytes, planes, sign);
}

/* One loop for each size of elements. */
INLINE void to_planes_of(const unsigned char *in, unsigned bytes, size_t blocks, uint64_t *out,
                         size_t stride, unsigned planes) {
    if (bytes == 1)
        to_planes(in, 1, blocks, out, stride, planes);
    else if (bytes == 2)
        to_planes(in, 2, blocks, out, stride, planes);
    else if (bytes == 4)
        to_planes(in, 4, blocks, out, stride, planes);
    else
        to_planes(in, 8, blocks, out, stride, planes);
}

INLINE void to_elements_of(const uint64_t *in, size_t stride, size_t blocks, unsigned char *out,
                           unsigned bytes, unsigned planes, bool sign) {
    if (bytes == 1)
        to_elements(in, stride, blocks, out, 1, planes, sign);
    else if (bytes == 2)
        to_elements(in, stride, blocks, out, 2, planes, sign);
    else if (bytes == 4)
        to_elements(in, stride, blocks, out, 4, planes, sign);
    else
        to_elements(in, stride, blocks, out, 8, planes, sign);
}

/* Both directions once for any processor and, on x86-64, once for those with AVX2. */
static void to_planes_any(const unsigned char *in, unsigned bytes, size_t blocks, uint64_t *out,
                          size_t stride, unsigned planes) {
    to_planes_of(in, bytes, blocks, out, stride, planes);
}

static void to_elements_any(const uint64_t *in, size_t stride, size_t blocks, unsigned char *out,
                            unsigned bytes, unsigned planes, bool sign) {
    to_elements_of(in, stride, blocks, out, bytes, planes, sign);
}

#if defined(__x86_64__) && !defined(BITS_PORTABLE) /* set by a test of the plain variant */
__attribute__((target("avx2"))) static void to_planes_avx2(const unsigned char *in, unsigned bytes,
                                                           size_t blocks, uint64_t *out,
                                                           size_t stride, unsigned planes) {
    to_planes_of(in, bytes, blocks, out, stride, planes);
}

__attribute__((target("avx2"))) static void to_elements_avx2(const uint64_t *in, size_t stride,
                                                             size_t blocks, unsigned char *out,
                                                             unsigned bytes, unsigned planes,
                                                             bool sign) {
    to_elements_of(in, stride, blocks, out, bytes, planes, sign);
}

#define PICK(name) (__builtin_cpu_supports("avx2") ? name##_avx2 : name##_any)
#else
#define PICK(name) name##_any
#endif

/* The last blocks, fewer than a batch, go through padded copies. */
static void tail_to_planes(const unsigned char *in, unsigned bytes, size_t blocks, uint64_t *out,
                           size_t stride, unsigned planes) {
    unsigned char padded[BATCH * 64 * 8] = {0};
    uint64_t result[64 * BATCH]; /* 8 * bytes planes of 4 * sharing(bytes) words */
    size_t batch = (size_t)BATCH * sharing(bytes);
    memcpy(padded, in, blocks * 64 * bytes);
    PICK(to_planes)(padded, bytes, batch, result, batch, planes);
    for (size_t p = 0; p < planes; p++)
        for (size_t i = 0; i < blocks; i++)
            out[p * stride + i] = result[p * batch + i];
}

static void tail_to_elements(const uint64_t *in, size_t stride, size_t blocks, unsigned char *out,
                             unsigned bytes, unsigned planes, bool sign) {
    unsigned char result[BATCH * 64 * 8];
    uint64_t padded[64 * BATCH] = {0};
    size_t batch = (size_t)BATCH * sharing(bytes);
    for (size_t p = 0; p < planes; p++)
        for (size_t i = 0; i < blocks; i++)
            padded[p * batch + i] = in[p * stride + i];
    PICK(to_elements)(padded, batch, batch, result, bytes, planes, sign);
    memcpy(out, result, blocks * 64 * bytes);
}

void bits_to_planes(const void *in, unsigned bytes, size_t blocks, uint64_t *out, size_t stride,
                    unsigned planes) {
    size_t tail = blocks % (BATCH * sharing(bytes)), whole = blocks - tail;
    const unsigned char *from = in;
    if (is_single(bytes, planes, false)) {
        plane_to_words(from, bytes, blocks, out);
        return;
    }
    PICK(to_planes)(from, bytes, whole, out, stride, planes);
    if (tail)
        tail_to_planes(from + whole * 64 * bytes, bytes, tail, out + whole, stride, planes);
}

void bits_from_planes(const uint64_t *in, size_t stride, size_t blocks, void *out, unsigned bytes,
                      unsigned planes, bool sign) {
    size_t tail = blocks % (BATCH * sharing(bytes)), whole = blocks - tail;
    unsigned char *to = out;
    if (is_single(bytes, planes, sign)) {
        words_to_elements(in, blocks, to, bytes);
        return;
    }
    PICK(to_elements)(in, stride, whole, to, bytes, planes, sign);
    if (tail)
        tail_to_elements(in + whole, stride, tail, to + whole * 64 * bytes, bytes, planes, sign);
}
