/* SPDX-License-Identifier: MIT
 * Which bytes of a buffer lie in which unit of a machine, as the kernels want it (struct
 * machine_buffer).  Everything here follows from sizes alone.
 *
 * - flat: one slice, which all units reach.
 * - same: each unit has all bytes.
 * - each: each unit has a row; own: likewise, where its program has a place for it.
 * - split: each unit has `own` bytes, the last one what is left; as few as units can have that all
 *   work, in whole `unit`s. On either side of them lie `halo` bytes of the array's: those in front
 *   of its first, and those behind its last; zeros beyond the array's ends.
 *
 * Units behind the data have nothing. */
#ifndef LINKER_PACKAGE_BUFFER_LAYOUT_H
#define LINKER_PACKAGE_BUFFER_LAYOUT_H

#include "machines/machine.h"

struct package_layout {
    enum machine_layout layout;
    uint64_t total;  /* bytes of the array */
    uint64_t own;    /* of a unit; but for flat and same, unit u has those from u * own on */
    uint64_t halo;   /* bytes */
    uint64_t lead;   /* bytes of a slice in front of its own: `halo`, a multiple of 8 */
    uint64_t room;   /* bytes of a slice, a multiple of 8 unless it is flat */
    uint32_t slices; /* units 0 .. slices - 1 have one */
    uint32_t units;  /* of the machine, and so of a round */
};

/* Of an array of so many bytes, at least 1, in `rows` equal ones, for so many units.  In rounds a
 * split one lies as in `rounds` times as many, which take turns. */
struct package_layout package_layout_of(const struct machine_buffer *buffer, uint64_t total,
                                        uint64_t rows, uint32_t units, uint64_t rounds);

/* Bytes of a unit's memory for buffers that it takes. */
static inline uint64_t package_layout_takes(const struct package_layout *layout) {
    return layout->layout == LAYOUT_FLAT || layout->layout == LAYOUT_OWN ? 0 : layout->room;
}

/* Slices that are there in a round: `count` of them, from number `first` on; unit u has number
 * first + u. */
struct package_part {
    uint32_t first, count;
};
struct package_part package_layout_part(const struct package_layout *layout, uint64_t round);

/* What unit `number` has: bytes first .. first + own - 1 of the array; with their halos, `zeros`
 * bytes of 0 and then bytes from .. from + bytes - 1. */
struct package_slice {
    uint64_t first, own;
    uint64_t from, bytes, zeros;
};
struct package_slice package_layout_slice(const struct package_layout *layout, uint32_t number);

#endif
