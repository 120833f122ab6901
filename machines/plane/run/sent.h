/* SPDX-License-Identifier: MIT
 * What a machine whose VRFs hang in a tree (network.intra: h-tree) is sent beside the micro-ops of
 * instructions: ranges, moves, reads, writes, and instructions of its own that help with copies and
 * answers.  Here they are counted, and shown to an observer; the bits are those of the callers. */
#ifndef MACHINES_PLANE_SENT_H
#define MACHINES_PLANE_SENT_H

#include "machines/plane/run/plane.h"

/* Operands of instructions of its own: a register, or one of two that lie in scratch rows. */
#define SENT_A 64u
#define SENT_B 65u

/* Words one after another. */
struct plane_sent {
    struct plane_machine *m;
    struct plane_selection *at; /* what is selected */
    struct dp_cost *cost;       /* that counts them */
    uint64_t begin_ps;          /* of the first, for observers */
    uint64_t words;
};

/* Nothing where it is selected already. */
void plane_sent_crossbars(struct plane_sent *sent, struct dtc_range range);
void plane_sent_rows(struct plane_sent *sent, struct dtc_range range);

/* Moves of `count` lanes in the crossbars that are selected: bits 0..width-1 of `from` to `to`,
 * registers or SENT_A, SENT_B, to the crossbars `distance` on. */
struct plane_moved {
    unsigned from, to, width;
    uint32_t src_first, dst_first, count;
    int32_t src_step, dst_step;
    int64_t distance;
};
void plane_sent_moves(struct plane_sent *sent, const struct plane_moved *moved);

/* Of the selected row and crossbar; of all selected ones. */
void plane_sent_read(struct plane_sent *sent, unsigned reg, unsigned part);
void plane_sent_write(struct plane_sent *sent, unsigned reg, unsigned part, uint64_t data);
/* Sets bits of a register, in all rows and crossbars that are selected. */
void plane_sent_bits(struct plane_sent *sent, unsigned reg, unsigned first, unsigned count,
                     bool value);
/* The micro-ops of an instruction, in the crossbars that are selected.  rd, rs, rt are registers or
 * SENT_A, SENT_B. */
void plane_sent_insn(struct plane_sent *sent, const struct insn *insn, bool masked);

#endif
