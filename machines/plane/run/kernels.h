/* SPDX-License-Identifier: MIT
 * Kernels of the plane machine: one per Boolean function of three planes, plain and masked.
 * Which function a gate of a target is, only its truth table says; no kernel knows a gate. */
#ifndef MACHINES_PLANE_KERNELS_H
#define MACHINES_PLANE_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* Where the operands of a step lie: bit 0 of an operand chooses the base, the rest is a byte
 * offset.  base[0] is a place in a tile, base[1] the scratch area less one byte, so that the
 * address is base[x & 1] + x for both. */
struct plane_frame {
    unsigned char *base[2];
    size_t words; /* 64-bit words of every plane that the step works on */
};

struct plane_step;
typedef void plane_kernel(const struct plane_step *s, const struct plane_frame *f);

/* dst = kernel(src[0], src[1], src[2]), word by word; a masked kernel keeps dst where the plane
 * `mask` is 0.  Two operands are the same plane or do not overlap.  Sources that the function
 * does not depend on are not read. */
struct plane_step {
    uint32_t dst, src[3], mask;
    uint32_t ahead;  /* offset of a tile's plane to fetch while this step runs; 0: none */
    uint16_t kernel; /* the function's number, + PLANE_MASKED for the masked one */
};
#define PLANE_MASKED 256

/* Kernels of one instruction set, by the function's number (machines/plane/run/gen/kernel_gen.c). A
 * function's planes go into the step in the order plane_order[number]. */
extern const uint8_t plane_order[256][3];

/* A shortest formula of each function: its last operation, of the values of two functions (of the
 * first one: NOT; of a plane itself: LEAF). */
enum plane_formula_kind {
    PLANE_FORM_LEAF,
    PLANE_FORM_NOT,
    PLANE_FORM_AND,
    PLANE_FORM_OR,
    PLANE_FORM_XOR,
    PLANE_FORM_ANDNOT /* ~left & right */
};
struct plane_formula {
    uint8_t form, left, right;
};
extern const struct plane_formula plane_formulas[256];

struct plane_kernels {
    const char *name;                    /* "sse2", "avx2", "avx512"; "portable" away from x86-64 */
    plane_kernel *run[2 * PLANE_MASKED]; /* by plane_step.kernel */
};

/* The builds that this processor can run, the widest vectors last; *count is set.  Results are the
 * same with each of them. */
#define PLANE_MAX_BUILDS 3
const struct plane_kernels *const *plane_kernels_all(size_t *count);
const struct plane_kernels *plane_kernels_widest(void);

/* choose.c: which build its times, of the narrowest first, speak for: the widest, unless another
 * takes less than 31 of 32 parts of the time. */
size_t plane_kernels_pick(const uint64_t *ps, size_t count);

#endif
