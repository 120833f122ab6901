/* SPDX-License-Identifier: MIT
 * On which side of a near-bank core each register of a kernel lies (the paper's Algorithm 1), and
 * which hardware registers they get. */
#ifndef MACHINES_CORE_SIMT_LOCATE_H
#define MACHINES_CORE_SIMT_LOCATE_H

#include "machines/core/simt/live.h"

enum simt_location {
    SIMT_UNKNOWN, /* before it is known; afterwards of registers that nobody reads, which have none
                   */
    SIMT_NEAR,    /* in the near-bank unit */
    SIMT_FAR,     /* in the subcore on the logic die */
    SIMT_BOTH,    /* wanted on both sides: the hardware decides */
    SIMT_LOCATIONS
};

/* How Algorithm 1 is read.  As it is printed it leaves 69 of 100 registers on both sides;
 * docs/simt.md says what is repaired, and why. */
enum simt_reading {
    SIMT_REPAIRED,
    SIMT_LITERAL, /* results that are not known say "both", and memory's operands meet each other */
};

/* *out [registers of the function].  near_shared: shared memory lies beside the banks, so that its
 * addresses are wanted there. */
void simt_locate(const struct ptx_function *function, enum simt_reading reading, bool near_shared,
                 uint8_t *out);
/* Where an instruction is best carried out: where its result is wanted; what has no result, on the
 * logic die. */
enum simt_location simt_location_of(const struct ptx_insn *insn, const uint8_t *locations);

/* Registers that are read somewhere, predicates among them, and instructions by location. */
struct simt_counts {
    uint32_t registers[SIMT_LOCATIONS], instructions[SIMT_LOCATIONS];
};
void simt_count(const struct ptx_function *function, const uint8_t *locations,
                struct simt_counts *out);
/* "near 12 far 15 both 2 of 29": registers; appended. */
void simt_counts_text(const struct simt_counts *counts, struct str *out);

/* ---- hardware registers ---- */

/* Units of 32 bits of each class, numbered from 0 in it; 64 bits take two from an even number on.
 */
struct simt_colours {
    uint32_t *unit;                     /* [registers]; PTX_NONE: nobody reads it */
    uint32_t units[SIMT_LOCATIONS];     /* that are used: NEAR, FAR, BOTH, */
    uint32_t predicates;                /* and of predicates, which have a file of their own */
    uint32_t most_live[SIMT_LOCATIONS]; /* units that live at once: at least so many are needed */
    uint32_t most_live_predicates;
};
void simt_colour(const struct simt_live *live, const uint8_t *locations, struct simt_colours *out);
void simt_colours_free(struct simt_colours *colours);

#endif
