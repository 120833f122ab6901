/* SPDX-License-Identifier: MIT
 * Two machines of one target, with the same planes at first: one strict, one fused, which composes
 * at once. */
#ifndef TESTS_PLANE_PAIR_H
#define TESTS_PLANE_PAIR_H

#include "machines/plane/run/plane.h"
#include "tests/machines/target_bench.h"

struct pair {
    struct target_bench on;
    struct datapath *strict, *fused;
    struct diag *d;
    uint64_t seed;
};

unsigned pair_below(struct pair *p, unsigned n);
/* With registers of `bits` bits each, four of them; lane_bits: 0, or of a device, on which they lie
 * somewhere. */
void pair_open_of(struct pair *p, const struct plane_kernels *kernels, uint8_t bits,
                  uint32_t lane_bits);
void pair_open(struct pair *p, const struct plane_kernels *kernels, uint8_t bits);
void pair_close(struct pair *p);
struct dp_code *pair_prepare(struct pair *p, struct datapath *dp, const struct dp_run *run);
void pair_execute(struct datapath *dp, const struct dp_code *code, struct vrf_range range);
/* All planes of all VRFs, also where nothing was to be done. */
bool pair_same(struct pair *p);
void pair_bind(struct pair *p, uint32_t vrfs);

#endif
