/* SPDX-License-Identifier: MIT
 * A made-up machine for tests of the timing model: a front-end cycle takes 1 ns; a run takes its
 * latency, one run after the other, and issues from its start on. */
#ifndef TESTS_TIMING_RIG_H
#define TESTS_TIMING_RIG_H

#include "emu/timing/timing.h"
#include "support/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define NS UINT64_C(1000)

struct dp_code {
    uint64_t slots, latency_ps, slot_ps;
    uint64_t *charged; /* counts how often it was asked for its time; may be NULL */
};

/* Two RFHs of four VRFs; four MPUs in a row. */
extern const struct target rig_base;

struct rig {
    struct target target;
    struct datapath dp;
    uint32_t mpus[4];
    struct timing *timing;
    struct timing_totals totals;
    struct timing_sums insns[8]; /* of the first instructions */
};

void verify_rig_open(struct rig *r, const struct target *t);
/* With spans. */
void rig_open_watched(struct rig *r, const struct target *t,
                      void (*span)(void *context, const struct timing_span *s), void *context);
/* Ends it and takes the totals, whose parts add up, and the sums of instructions. */
void rig_take_totals(struct rig *r);
/* The same, and frees it. */
void rig_finish(struct rig *r);

/* One instruction at text index `first` that issues `slots` cycles and works for `latency` ns. */
uint32_t rig_add_run(struct rig *r, struct dp_code *code, uint32_t first, uint64_t slots,
                     uint64_t latency);
/* Batches of one VRF each: vrfs[i] is that of batch i. */
void rig_compute(struct rig *r, uint32_t mpu, uint32_t header, uint32_t path, const uint32_t *vrfs,
                 uint32_t count);

/* VRF v of RFH h; the same of MPU m. */
#define VRF(h, v)       ((uint32_t)(2 * (v) + (h)))
#define VRF_OF(m, h, v) ((uint32_t)(8 * (m) + VRF(h, v)))

#endif
