/* SPDX-License-Identifier: MIT
 * A small machine and an adder written by hand, for tests of the engine without any recipe. */
#ifndef TESTS_PLANE_HAND_H
#define TESTS_PLANE_HAND_H

#include "machines/plane/run/plane.h"

enum hand_op { HAND_NOR, HAND_OR, HAND_COPY, HAND_BUF, HAND_OPS };

/* 64 VRFs of `lanes` lanes per MPU, 4 MPUs; ops as above. */
struct plane_target hand_planes(void);
struct target hand_target(uint32_t lanes, struct plane_target *planes);
/* Opens it on micro-ops only; every register has `bits` planes. */
struct datapath *hand_open(const struct target *t, const struct plane_kernels *kernels,
                           unsigned bits, uint64_t memory_limit, struct diag *d);

struct uop hand_uop1(enum hand_op op, uint32_t a, uint32_t d);
struct uop hand_uop2(enum hand_op op, uint32_t a, uint32_t b, uint32_t d);
/* Appends r[d] = r[a] + r[b], w bits: 10 w micro-ops. */
void hand_adder(struct uop_list *out, unsigned w, unsigned a, unsigned b, unsigned d, bool masked);

/* Copies, all of one width, as one transfer of a register. */
static inline void hand_transfer(struct datapath *dp, const struct dp_copy *copies, size_t count,
                                 struct dp_cost *cost) {
    const struct dp_share share = {0, 1, 1, 0, 0};
    const struct dp_transfer x = {.width = count ? copies->width : 0,
                                  .copies = copies,
                                  .count = count,
                                  .shares = &share,
                                  .share_count = 1};
    dp->ops->copy(dp, &x, cost);
}

static inline void hand_copy(struct datapath *dp, const struct dp_copy *c, struct dp_cost *cost) {
    hand_transfer(dp, c, 1, cost);
}

static inline uint32_t hand_reg(unsigned reg, unsigned bit) {
    return PLANE(PLANE_REGISTER, 0, reg << 6 | bit);
}

#endif
