/* SPDX-License-Identifier: MIT
 * The golden datapath: a register of a lane is a number, an instruction is the golden function of
 * the ISA's table.  It exists to check; its costs are unknown, not zero. */
#ifndef MACHINES_GOLDEN_GOLDEN_H
#define MACHINES_GOLDEN_GOLDEN_H

#include "machines/datapath.h"

#include <pthread.h>
#include <stdatomic.h>

struct golden_lane_bits {
    uint8_t c, m, valid;
};

/* One VRF's state: lanes x registers of the map.  The last lane that is kept stands for all behind
 * it too: they are alike, since none of them was valid or written by itself. */
struct golden_vrf {
    uint32_t lanes;                /* that are kept: whole pieces, or all that a VRF has */
    struct golden_lane_bits *bits; /* [lanes] */
    uint64_t *regs;                /* [lanes][reg_count] */
};

struct golden_machine {
    struct datapath base;
    struct dp_setup setup; /* reg_bits points to the copy below */
    uint8_t reg_bits[64];
    uint8_t reg_index[64]; /* place in regs, of registers with bits */
    uint32_t reg_count, lanes, vrfs;
    _Atomic(struct golden_vrf *) *vrf;
    pthread_mutex_t lock; /* guards what follows */
    uint64_t bytes;
    char failure[96];
    struct dp_code *codes;
};

struct dp_code {
    struct dp_code *next;
    struct insn *insns;
    bool *masked; /* predication at each instruction */
    size_t count;
};

static inline struct golden_machine *golden_of(struct datapath *dp) {
    return (struct golden_machine *)(void *)dp;
}

/* --- golden_state.c --- */
bool golden_layout(struct golden_machine *g, struct diag *d);
void golden_state_free(struct golden_machine *g);
/* One that keeps lanes 0 .. lanes - 1 each for itself.  NULL beyond the memory limit (failure is
 * then set). */
struct golden_vrf *golden_vrf(struct golden_machine *g, uint32_t v, uint32_t lanes);
void golden_bind(struct datapath *dp, const struct dp_binding *bindings, size_t count);
void golden_any(struct datapath *dp, enum dp_any what, struct vrf_set set, uint8_t *bits,
                struct dp_cost *cost);
void golden_copy(struct datapath *dp, const struct dp_transfer *x, struct dp_cost *cost);
void golden_get(struct datapath *dp, uint32_t vrf, enum dp_what what, unsigned reg, uint32_t first,
                uint32_t count, uint64_t *values);
void golden_put(struct datapath *dp, uint32_t vrf, enum dp_what what, unsigned reg, unsigned width,
                uint32_t first, uint32_t count, const uint64_t *values);
bool golden_snapshot(struct datapath *dp, bool restore, struct str *state);

/* What register `reg` of a lane holds; a register outside the map is 0 and keeps nothing. */
static inline uint64_t golden_read(const struct golden_machine *g, const struct golden_vrf *x,
                                   uint32_t lane, unsigned reg) {
    return g->reg_bits[reg] ? x->regs[(size_t)lane * g->reg_count + g->reg_index[reg]] : 0;
}
/* Replaces bits 0..width-1, as far as the register has them. */
void golden_write(const struct golden_machine *g, struct golden_vrf *x, uint32_t lane, unsigned reg,
                  unsigned width, uint64_t value);

#endif
