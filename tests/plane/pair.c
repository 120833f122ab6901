/* SPDX-License-Identifier: MIT */
#include "tests/plane/pair.h"
#include "support/alloc.h"
#include "support/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

unsigned pair_below(struct pair *p, unsigned n) {
    return (unsigned)(splitmix64(&p->seed) >> 20) % n;
}

void pair_open_of(struct pair *p, const struct plane_kernels *kernels, uint8_t bits,
                  uint32_t lane_bits) {
    const uint8_t reg_bits[64] = {bits, bits, bits, bits};
    const struct dp_setup setup = {.target = p->on.target,
                                   .library = p->on.library,
                                   .mpus = 1,
                                   .lanes = p->on.target->lanes,
                                   .reg_bits = reg_bits,
                                   .bits = lane_bits,
                                   .init = DP_INIT_RANDOM,
                                   .seed = splitmix64(&p->seed)};
    const uint32_t places[64] = {3, 40, 20, 70};
    p->d = diag_new(NULL, NULL);
    p->strict = plane_open_with(&setup, kernels, true, p->d);
    p->fused = plane_open_with(&setup, kernels, true, p->d);
    if (!p->strict || !p->fused)
        fail_msg("%s", diag_first(p->d));
    p->fused->ops = &plane_fused_ops;
    plane_of(p->fused)->compose_at = 0;
    for (unsigned i = 0; i < 2 && lane_bits; i++)
        (i ? p->fused : p->strict)
            ->ops->remap(i ? p->fused : p->strict,
                         &(struct dp_map){.bits = reg_bits, .first = places});
}

void pair_open(struct pair *p, const struct plane_kernels *kernels, uint8_t bits) {
    pair_open_of(p, kernels, bits, 0);
}

void pair_close(struct pair *p) {
    p->strict->ops->close(p->strict);
    p->fused->ops->close(p->fused);
    diag_free(p->d);
}

struct dp_code *pair_prepare(struct pair *p, struct datapath *dp, const struct dp_run *run) {
    struct dp_code *code = dp->ops->prepare(dp, run, p->d);
    if (!code)
        fail_msg("%s", diag_first(p->d));
    return code;
}

void pair_execute(struct datapath *dp, const struct dp_code *code, struct vrf_range range) {
    dp->ops->execute(dp, code, (struct vrf_set){&range, 1}, (struct dp_moment){0}, NULL);
}

bool pair_same(struct pair *p) {
    struct str strict = {0}, fused = {0};
    assert_true(plane_snapshot(p->strict, false, &strict));
    assert_true(plane_snapshot(p->fused, false, &fused));
    bool same = strict.len == fused.len && memcmp(strict.text, fused.text, strict.len) == 0;
    str_free(&strict);
    str_free(&fused);
    return same;
}

void pair_bind(struct pair *p, uint32_t vrfs) {
    struct dp_binding *b = xcalloc(vrfs, sizeof *b);
    for (uint32_t v = 0; v < vrfs; v++)
        b[v] = (struct dp_binding){.vrf = v, .valid_lanes = p->on.target->lanes};
    p->strict->ops->bind(p->strict, b, vrfs);
    p->fused->ops->bind(p->fused, b, vrfs);
    free(b);
}
