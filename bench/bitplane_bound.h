/* SPDX-License-Identifier: MIT
 * Arithmetic on planes written by hand, as fast as it goes without a machine around it: what the
 * engine fused is measured against. */
#ifndef BENCH_BITPLANE_BOUND_H
#define BENCH_BITPLANE_BOUND_H

#include <stddef.h>
#include <stdint.h>

/* r = a + b or a * b of `width` bits at most 64; planes lie `stride` words apart and have `words`
 * words, a multiple of 8. */
typedef void bitplane_function(uint64_t *r, const uint64_t *a, const uint64_t *b, unsigned width,
                               size_t words, size_t stride);

struct bitplane_bound {
    const char *vectors; /* "avx2", "avx512" */
    bitplane_function *add, *multiply;
};
/* NULL where the processor has none. */
const struct bitplane_bound *bitplane_bound(const char *vectors);

#endif
