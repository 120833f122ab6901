/* SPDX-License-Identifier: MIT */
#include "support/bits.h"

#include <string.h>

/* Recursive swap of off-diagonal halves, from 32x32 blocks down to single bits (H. S. Warren,
 * Hacker's Delight, section 7-3).  The same steps serve one block and eight side by side. */
#define TRANSPOSE_STEPS(type, a)                                                                   \
    for (unsigned half = 32; half; half >>= 1) {                                                   \
        uint64_t mask = UINT64_MAX / (((uint64_t)1 << half) + 1);                                  \
        for (unsigned i = 0; i < 64; i = ((i | half) + 1) & ~half) {                               \
            type swap = (((a)[i] >> half) ^ (a)[i | half]) & mask;                                 \
            (a)[i] ^= swap << half;                                                                \
            (a)[i | half] ^= swap;                                                                 \
        }                                                                                          \
    }

void transpose64(uint64_t a[64]) {
    TRANSPOSE_STEPS(uint64_t, a)
}

/* Word i of eight neighbouring blocks. */
typedef uint64_t lanes8 __attribute__((vector_size(64), aligned(8)));

enum { BATCH = 8 };

static void transpose_batch(lanes8 a[64]) {
    TRANSPOSE_STEPS(lanes8, a)
}

/* The batch's blocks beyond `blocks` are zero. */
static void gather_elements(const uint64_t *in, size_t blocks, lanes8 a[64]) {
    memset(a, 0, 64 * sizeof *a);
    for (size_t b = 0; b < blocks; b++)
        for (size_t e = 0; e < 64; e++)
            a[e][b] = in[b * 64 + e];
}

static void scatter_elements(const lanes8 a[64], size_t blocks, uint64_t *out) {
    for (size_t b = 0; b < blocks; b++)
        for (size_t e = 0; e < 64; e++)
            out[b * 64 + e] = a[e][b];
}

static size_t batch_size(size_t blocks, size_t done) {
    return blocks - done < BATCH ? blocks - done : BATCH;
}

void elements_to_planes(const uint64_t *in, size_t blocks, uint64_t *out, size_t stride,
                        unsigned planes) {
    lanes8 a[64];
    for (size_t b = 0; b < blocks; b += BATCH) {
        size_t n = batch_size(blocks, b);
        gather_elements(in + b * 64, n, a);
        transpose_batch(a);
        for (size_t p = 0; p < planes; p++)
            memcpy(out + p * stride + b, &a[p], n * sizeof *out);
    }
}

void planes_to_elements(const uint64_t *in, size_t stride, size_t blocks, uint64_t *out,
                        unsigned planes) {
    lanes8 a[64];
    for (size_t b = 0; b < blocks; b += BATCH) {
        size_t n = batch_size(blocks, b);
        memset(a, 0, sizeof a);
        for (size_t p = 0; p < planes; p++)
            memcpy(&a[p], in + p * stride + b, n * sizeof *in);
        transpose_batch(a);
        scatter_elements(a, n, out + b * 64);
    }
}
