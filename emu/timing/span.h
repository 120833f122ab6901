/* SPDX-License-Identifier: MIT
 * When the units of an MPU were at work, as traces show it. */
#ifndef EMU_TIMING_SPAN_H
#define EMU_TIMING_SPAN_H

#include "emu/timing/bars.h"

#include <stdint.h>

/* The most bars of a run that anybody shows: launches keep so many, and one more that says so. */
#define SPAN_MOST_BARS 1000000

enum timing_unit {
    UNIT_PRECODER,   /* number: 0 */
    UNIT_CONTROLLER, /* number: which compute controller */
    UNIT_BATCHES, /* number: which controller; its batches one after the other, with what is in them
                   */
    UNIT_RFH,     /* number: which RFH of the MPU */
    UNIT_DTC,     /* number: 0 */
    UNIT_NETWORK, /* number: the MPU that the message goes to */
    UNIT_KERNEL, /* number: 0; of the machine, whose number is that behind its last MPU: a launch */
    UNIT_TRACK,  /* number: a VRF of the MPU, in a track: what it did of a launch */
    UNIT_SETUP, /* number: 0; of the machine, as a launch: VRFs are set up (datapath_ops.establish),
                   before the program starts: its times count from when that begins */
};

enum span_kind {
    SPAN_WORK,    /* the unit is at work */
    SPAN_BAR,     /* an instruction's stretch of the batch that came last (UNIT_BATCHES) */
    SPAN_ARRIVAL, /* a message that left with a span of UNIT_NETWORK is here: a point in time */
};

/* One unit is at work from start_ps to end_ps.  Spans of one unit (mpu, unit, number) and kind do
 * not overlap, but for those of the network, where messages may be under way at the same time.
 * Bars are told behind their batch, and together they make up all of it.  The order of other spans
 * is not defined, but it is the same for every number of host threads. */
struct timing_span {
    uint32_t mpu;
    enum timing_unit unit;
    uint32_t number;
    uint64_t start_ps, end_ps; /* end_ps >= start_ps */
    uint32_t index;            /* of the instruction or header in the text; NO_INDEX: none */
    uint32_t batch;            /* its number in the ensemble and MPU; NO_INDEX: does not apply */
    enum span_kind kind;
    enum timing_part part; /* of a bar, and of what lies between batches (UNIT_BATCHES) */
    uint32_t vrfs;         /* of a batch (UNIT_BATCHES): those that are at work; that are set up */
    uint32_t track;        /* of UNIT_TRACK: a name of dp_tables.tracks */
    uint64_t message;      /* number of the message that is under way or has arrived; 0: none */
    uint64_t cycles;       /* of the front end; those of all spans add up to the run's */
    /* Without that of its cycles: of the datapath in a batch, of links for a message, of copies, of
     * a kernel; of a bar and of a track the part of its batch's or its kernel's.  With that of the
     * cycles: of all batches of a controller's ensemble, and an RFH's part of its batch's. */
    uint64_t energy_fj;
    struct bar_note note; /* of a bar; its cycles are those of the batch */
};

#endif
