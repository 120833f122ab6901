/* SPDX-License-Identifier: MIT
 * The data-transfer controller of an MPU: what it takes to copy registers inside it, and when each
 * pair of a transfer ensemble's header moves its register (docs/network.md).  Times are ps and stop
 * at UINT64_MAX.
 *
 * With NETWORK_HOST there is none: the host takes the register from its VRF and brings it to the
 * other one, two transfers by HOST_SERIAL (target/host.h) with the register's bytes, each with its
 * set-up.  Where the scope of HOST_SERIAL is the chip, pairs follow one another; else RFHs work at
 * once, as on NETWORK_P2P. */
#ifndef MACHINES_DTC_DTC_H
#define MACHINES_DTC_DTC_H

#include "target/target.h"

/* ---- one register: bits 0..width-1 of all lanes of a VRF ---- */

/* Of a pair, before its first register; 0 for NETWORK_HOST. */
uint64_t dtc_setup_ps(const struct target *target);
/* From VRF to VRF, without that. */
uint64_t dtc_copy_ps(const struct target *target, unsigned width);
uint64_t dtc_copy_fj(const struct target *target, unsigned width);
/* Of so many in a row between different VRFs: each needs its set-up. */
uint64_t dtc_in_a_row_ps(const struct target *target, unsigned width, uint64_t registers);
/* With NETWORK_HTREE a register goes lane by lane, so many moves a lane, each of which takes so
 * long: a cycle of the datapath, or the slot of its word where the host streams. */
uint64_t dtc_moves(const struct target *target, unsigned width);
uint64_t dtc_move_ps(const struct target *target);
/* Numbers that the controller, or the host in its place, writes into a VRF. */
uint64_t dtc_numbers_ps(const struct target *target, unsigned width);
uint64_t dtc_numbers_fj(const struct target *target, unsigned width);

/* ---- many ---- */

/* VRFs of all MPUs hang in one tree: what goes from MPU to MPU in a move is no message. */
static inline bool dtc_spans_chip(const struct target *target) {
    return target->network == NETWORK_HTREE;
}

/* Registers for different RFHs may move at once. */
bool dtc_rfhs_at_once(const struct target *target);

/* RFHs are physical and below target.rfh_per_mpu; the two may be one. */
struct dtc_pair {
    uint32_t source, destination;
};
/* From when the source is read to when the destination has all of it. */
struct dtc_time {
    uint64_t start_ps, end_ps;
};
struct dtc_cost {
    uint64_t start_ps;    /* when the controller begins */
    uint64_t setup_ps;    /* of each pair, one pair at a time, before the first moves anything; 0
                             for a MEMCPY whose pairs are set up */
    uint64_t register_ps; /* one register through a link or a port */
};

/* The network of one MPU; it holds room to work in and no state. */
struct dtc;
struct dtc *dtc_new(const struct target *target);
void dtc_free(struct dtc *dtc);
/* One MEMCPY of `count` pairs in the order of the header.  Fills times[count], unless it is NULL,
 * and returns when all is done. */
uint64_t dtc_schedule(struct dtc *dtc, const struct dtc_pair *pairs, size_t count,
                      const struct dtc_cost *cost, struct dtc_time *times);

#endif
