/* SPDX-License-Identifier: MIT
 * Bit matrices: host words to bit planes and back. */
#ifndef SUPPORT_BITS_H
#define SUPPORT_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In place: bit j of a[i] becomes bit i of a[j]. */
void bits_transpose64(uint64_t a[64]);
/* Elements of `bytes` bytes (1, 2, 4, 8), little-endian and anywhere in memory, 64 of them a block:
 * bit p of element e of block b becomes bit e of out[p * stride + b].  in and out do not overlap;
 * planes 0..planes-1 are written, at most 8 * bytes of them. */
void bits_to_planes(const void *in, unsigned bytes, size_t blocks, uint64_t *out, size_t stride,
                    unsigned planes);
/* The inverse; bits at and above `planes` are zero, or with `sign` those of plane planes - 1. */
void bits_from_planes(const uint64_t *in, size_t stride, size_t blocks, void *out, unsigned bytes,
                      unsigned planes, bool sign);
/* Both for elements of 64 bits. */
static inline void elements_to_planes(const uint64_t *in, size_t blocks, uint64_t *out,
                                      size_t stride, unsigned planes) {
    bits_to_planes(in, 8, blocks, out, stride, planes);
}
static inline void planes_to_elements(const uint64_t *in, size_t stride, size_t blocks,
                                      uint64_t *out, unsigned planes) {
    bits_from_planes(in, stride, blocks, out, 8, planes, false);
}

/* The w (1..64) low bits set. */
static inline uint64_t low_bits(unsigned w) {
    return w >= 64 ? UINT64_MAX : ((uint64_t)1 << w) - 1;
}
/* Bits 0..w-1 of x as a signed number. */
static inline int64_t sign_extend(uint64_t x, unsigned w) {
    uint64_t sign = (uint64_t)1 << (w - 1);
    return (int64_t)(((x & low_bits(w)) ^ sign) - sign);
}

/* a / b, rounded up; b > 0. */
static inline uint64_t ceil_div(uint64_t a, uint64_t b) {
    return a / b + (a % b != 0);
}

/* The generator behind every random:SEED in the tools (splitmix64, Steele et al. 2014). */
static inline uint64_t splitmix64(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

#endif
