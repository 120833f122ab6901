/* SPDX-License-Identifier: MIT
 * A vector of each plane at a time, in registers and on the stack. */
#include "bench/bitplane_bound.h"

#include <string.h>

#if defined(__x86_64__)
#define BITPLANE_FUNCTIONS(name, bytes)                                                            \
    typedef uint64_t name##_vector __attribute__((vector_size(bytes), aligned(8), may_alias));     \
    __attribute__((target(#name))) static void name##_add(uint64_t *r, const uint64_t *a,          \
                                                          const uint64_t *b, unsigned width,       \
                                                          size_t words, size_t stride) {           \
        for (size_t w = 0; w < words; w += (bytes) / 8) {                                          \
            name##_vector carry = {0};                                                             \
            for (unsigned j = 0; j < width; j++) {                                                 \
                const name##_vector x =                                                            \
                    *(const name##_vector *)(const void *)(a + j * stride + w);                    \
                const name##_vector y =                                                            \
                    *(const name##_vector *)(const void *)(b + j * stride + w);                    \
                *(name##_vector *)(void *)(r + j * stride + w) = x ^ y ^ carry;                    \
                carry = (x & y) | (carry & (x | y));                                               \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    __attribute__((target(#name))) static void name##_multiply(uint64_t *r, const uint64_t *a,     \
                                                               const uint64_t *b, unsigned width,  \
                                                               size_t words, size_t stride) {      \
        for (size_t w = 0; w < words; w += (bytes) / 8) {                                          \
            name##_vector x[64], sum[64];                                                          \
            for (unsigned j = 0; j < width; j++) {                                                 \
                x[j] = *(const name##_vector *)(const void *)(a + j * stride + w);                 \
                sum[j] = x[j] & *(const name##_vector *)(const void *)(b + w);                     \
            }                                                                                      \
            for (unsigned i = 1; i < width; i++) {                                                 \
                const name##_vector y =                                                            \
                    *(const name##_vector *)(const void *)(b + i * stride + w);                    \
                name##_vector carry = {0};                                                         \
                for (unsigned j = i; j < width; j++) {                                             \
                    const name##_vector p = x[j - i] & y, s = sum[j];                              \
                    sum[j] = p ^ s ^ carry;                                                        \
                    carry = (p & s) | (carry & (p | s));                                           \
                }                                                                                  \
            }                                                                                      \
            for (unsigned j = 0; j < width; j++)                                                   \
                *(name##_vector *)(void *)(r + j * stride + w) = sum[j];                           \
        }                                                                                          \
    }

BITPLANE_FUNCTIONS(avx2, 32)
BITPLANE_FUNCTIONS(avx512f, 64)

const struct bitplane_bound *bitplane_bound(const char *vectors) {
    static const struct bitplane_bound bounds[] = {{"avx2", avx2_add, avx2_multiply},
                                                   {"avx512", avx512f_add, avx512f_multiply}};
    if (strcmp(vectors, "avx2") == 0 && __builtin_cpu_supports("avx2"))
        return &bounds[0];
    if (strcmp(vectors, "avx512") == 0 && __builtin_cpu_supports("avx512f"))
        return &bounds[1];
    return NULL;
}
#else
const struct bitplane_bound *bitplane_bound(const char *vectors) {
    (void)vectors;
    return NULL;
}
#endif
