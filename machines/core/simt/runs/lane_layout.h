/* SPDX-License-Identifier: MIT
 * Where registers, C, M and valid of VRFs lie in the banks of near-bank SIMT cores.
 *
 * Lanes lie in records of a warp's, one behind the other in the near-bank unit that is the VRF.  In
 * a record each array has a row of an element a lane; one of 64 bits has two rows of 32, so that a
 * warp reads or writes a line of one unit at a time.  Offsets in a record, and from record to
 * record, are the same in all VRFs.  Right it is whatever the target says of its banks; where
 * memory changes units within a row, or their number is no power of 2, a row lies in several. */
#ifndef MACHINES_CORE_SIMT_RUNS_LANE_LAYOUT_H
#define MACHINES_CORE_SIMT_RUNS_LANE_LAYOUT_H

#include "machines/core/scalar/run.h"

#define SIMT_RECORD_LANES 32u

/* What a target says of its banks. */
struct simt_banks {
    uint32_t units, cores;   /* of a core; of the machine */
    uint64_t granule, chunk; /* bytes that lie in one unit, then in the next; in one core */
};
struct simt_layout {
    uint32_t granule;             /* bytes that lie in one unit, */
    uint64_t chunk;               /* in one core */
    uint32_t units, cores;        /* units of a core, as the places have them; cores */
    uint32_t record;              /* granules of a unit that a record takes */
    uint32_t in_chunk;            /* of those of a unit that a chunk has; a power of 2 */
    uint8_t bytes[SCALAR_ARRAYS]; /* of an element; 0: it is not there */
    uint32_t low[SCALAR_ARRAYS], high[SCALAR_ARRAYS]; /* rows: bytes of the record before it */
};
void simt_layout_make(const struct simt_banks *banks, const uint8_t reg_bits[64],
                      struct simt_layout *out);
/* Bytes of a record in its unit. */
uint64_t simt_layout_record_bytes(const struct simt_layout *layout);
/* Bytes that all units need for so many records each. */
uint64_t simt_layout_bytes(const struct simt_layout *layout, uint32_t records);
/* From the begin of all: of the first record of a VRF, */
uint64_t simt_layout_vrf(const struct simt_layout *layout, uint32_t core, uint32_t unit);
/* from there: of a record, */
uint64_t simt_layout_to_record(const struct simt_layout *layout, uint32_t record);
/* and from there: of a row. */
uint64_t simt_layout_to_row(const struct simt_layout *layout, uint32_t row);

#endif
