/* SPDX-License-Identifier: MIT
 * When the units of an MPU were at work, as traces show it. */
#ifndef EMU_TIMING_SPAN_H
#define EMU_TIMING_SPAN_H

#include <stdint.h>

enum timing_unit {
    UNIT_PRECODER,   /* number: 0 */
    UNIT_CONTROLLER, /* number: which compute controller */
    UNIT_RFH,        /* number: which RFH of the MPU */
    UNIT_DTC,        /* number: 0 */
    UNIT_NETWORK,    /* number: the MPU that the message goes to */
};

/* One unit is at work from start_ps to end_ps.  Spans of one unit (mpu, unit, number) do not
 * overlap, but for those of the network, where messages may be under way at the same time.  They
 * come in no particular order, which is the same for every number of threads. */
struct timing_span {
    uint32_t mpu;
    enum timing_unit unit;
    uint32_t number;
    uint64_t start_ps, end_ps; /* end_ps >= start_ps */
    uint32_t index;            /* of the instruction or header in the text; NO_INDEX: none */
    uint32_t batch;            /* of the ensemble in its MPU; NO_INDEX: does not apply */
};

#endif
