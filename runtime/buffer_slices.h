/* SPDX-License-Identifier: MIT
 * Buffers in the units of a machine: bytes of an array on their way to its slices and back, and
 * what of that goes over the host's link.  For sessions and devices. */
#ifndef RUNTIME_BUFFER_SLICES_H
#define RUNTIME_BUFFER_SLICES_H

#include "linker/package/buffer_layout.h"
#include "machines/datapath.h"
#include "support/vec.h"
#include "target/host.h"

/* Slices that are there: number part.first + u of the layout in unit u, whose own bytes begin at
 * address + u * stride.  A buffer that lies flat is one slice. */
struct buffer_slices {
    struct datapath *dp;
    const struct package_layout *layout;
    struct package_part part;
    uint64_t address, stride;
    unsigned threads; /* that may work on slices at once; 0 and 1: the caller's alone */
    /* Of a layout OWN, as session_slices_alloc needs them: the program that has the place. */
    struct dp_program program;
    uint64_t at;
};

#define BUFFER_ALL_UNITS UINT32_MAX
/* Bytes offset .. offset + bytes - 1, which are there and at least one: of the array, or
 * (a unit of the part) of what that unit has of its own. */
struct buffer_piece {
    uint32_t unit;
    uint64_t offset, bytes;
};

/* Memory for the slices, of which there is one at least; *address, *stride as above.  False after
 * reporting. */
bool session_slices_alloc(struct buffer_slices *slices, struct diag *diag);
/* Gives it back. */
void session_slices_free(const struct buffer_slices *slices, struct diag *diag);

/* Data is the piece's.  A piece of the array goes to the halos that have it, too; where it begins
 * or ends with the array, so do the zeros beyond.  A piece of a unit goes there alone. */
bool session_slices_put(const struct buffer_slices *slices, const struct buffer_piece *piece,
                        const unsigned char *data, struct diag *diag);
/* From what units have of their own; of copies from the first. */
bool session_slices_get(const struct buffer_slices *slices, const struct buffer_piece *piece,
                        unsigned char *data, struct diag *diag);

/* What goes over the host's link to or from which VRF, appended: of a put one slice for each unit
 * that gets some of it, halos included, of copies all at once (*way becomes HOST_SAME); of a get
 * what is a unit's own. */
struct session_slices {
    struct host_slice *data;
    size_t len, cap;
};
void session_slices_charged(const struct package_layout *layout, struct package_part part,
                            const struct buffer_piece *piece, enum host_way *way,
                            struct session_slices *out);

#endif
