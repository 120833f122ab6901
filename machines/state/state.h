/* SPDX-License-Identifier: MIT
 * Lanes whose registers are numbers: the state of machines that keep it so (golden, cores, slots),
 * behind datapath.h.  A machine begins with a struct lane_state and puts state_bind and the others
 * into its table of functions as they are; what it computes it reads and writes lane by lane.
 *
 * Of a machine of one program each register has a word of its own.  With dp_setup.bits the words
 * are the bits that registers lie in, as `remap` says: a register holds what those before it left
 * there.
 *
 * A VRF has memory from when it is first asked for, and as many lanes as are used. */
#ifndef MACHINES_STATE_STATE_H
#define MACHINES_STATE_STATE_H

#include "machines/datapath.h"
#include "support/bits.h"
#include "support/vec.h"

#include <pthread.h>
#include <stdatomic.h>

struct state_bits {
    uint8_t c, m, valid;
};

/* One VRF's state: lanes x words of registers.  The last lane that is kept stands for all behind
 * it too: they are alike, since none of them was valid or written by itself. */
struct state_vrf {
    uint32_t lanes;          /* that are kept: whole pieces, or all that a VRF has */
    struct state_bits *bits; /* [lanes] */
    uint64_t *regs;          /* [lanes][words] */
};

struct lane_state {
    struct datapath base;
    struct dp_setup setup; /* reg_bits points to the copy below */
    uint8_t reg_bits[64];
    uint32_t reg_first[64]; /* of registers with bits: where bit 0 is in a lane's words */
    uint32_t words;         /* of a lane: as many as registers have lain in so far */
    uint32_t lanes, vrfs;
    _Atomic(struct state_vrf *) *vrf;
    pthread_mutex_t lock; /* guards what follows, and what the machine says */
    VEC(uint32_t) used;   /* VRFs that have memory, few of a chip's: nothing looks at all of them */
    uint64_t bytes;
    char failure[192];
};

static inline struct lane_state *state_of(struct datapath *dp) {
    return (struct lane_state *)(void *)dp;
}

/* Of a zeroed record; the machine fills in what base says of itself.  False after reporting: then,
 * as ever, state_close takes it. */
bool state_open(struct lane_state *state, const struct datapath_ops *ops,
                const struct dp_setup *setup, struct diag *diag);
void state_close(struct lane_state *state); /* all but the record itself */

/* A VRF that keeps lanes 0 .. lanes - 1 each for itself.  NULL beyond the memory limit (failure is
 * then set). */
struct state_vrf *state_vrf(struct lane_state *state, uint32_t value, uint32_t lanes);
/* What register `reg` of a lane holds; a register outside the map is 0 and keeps nothing. */
static inline uint64_t state_read(const struct lane_state *state, const struct state_vrf *vrf,
                                  uint32_t lane, unsigned reg) {
    unsigned bits = state->reg_bits[reg], shift = state->reg_first[reg] % 64;
    if (!bits)
        return 0;
    const uint64_t *at = &vrf->regs[(size_t)lane * state->words + state->reg_first[reg] / 64];
    uint64_t value = at[0] >> shift;
    if (shift + bits > 64)
        value |= at[1] << (64 - shift);
    return value & low_bits(bits);
}
/* Replaces bits 0..width-1, as far as the register has them. */
void state_write(const struct lane_state *state, struct state_vrf *vrf, uint32_t lane, unsigned reg,
                 unsigned width, uint64_t value);

/* As in datapath_ops. */
void state_remap(struct datapath *dp, const struct dp_map *map);
void state_shape(struct datapath *dp, struct vrf_set set,
                 unsigned slot); /* what there is becomes 0 */
void state_bind(struct datapath *dp, const struct dp_binding *bindings, size_t count);
void state_any(struct datapath *dp, enum dp_any what, struct vrf_set set, uint8_t *bits,
               struct dp_cost *cost); /* the front end looks: no cost */
void state_get(struct datapath *dp, uint32_t vrf, enum dp_what what, unsigned reg, uint32_t first,
               uint32_t count, uint64_t *values);
void state_put(struct datapath *dp, uint32_t vrf, enum dp_what what, unsigned reg, unsigned width,
               uint32_t first, uint32_t count, const uint64_t *values);
bool state_snapshot(struct datapath *dp, bool restore, struct str *state);
/* All of a transfer; what it costs is the machine's to say. */
void state_copy(struct lane_state *state, const struct dp_transfer *transfer);

#endif
