/* SPDX-License-Identifier: MIT
 * Streams: MPUs that go on together at top level.
 *
 * Each MPU of the program has a flow of its own.  MPUs that stand at the same place, with the same
 * calls and loops open, form one stream, so that their ensembles are carried out together.  A
 * stream splits when some of its MPUs must wait or skip what the others do, and streams that meet
 * become one.  The next step is always that of the stream that is earliest in program order; of
 * streams at one place, of that with the lowest MPU.  What a program computes does not depend on
 * this order: MPUs meet only in messages, of which each has one sender and one receiver, and at
 * JUMP_ANY, GMOVE and RECIPE of a kernel, which wait. */
#ifndef EMU_CONTROL_STREAM_H
#define EMU_CONTROL_STREAM_H

#include "emu/control/flow.h"

enum stream_state {
    STREAM_READY,
    STREAM_AT_SEND,   /* the queue is full */
    STREAM_AT_RECV,   /* there is no message */
    STREAM_AT_ANY,    /* JUMP_ANY waits for the others */
    STREAM_AT_GMOVE,  /* it waits for the other MPUs that the move names */
    STREAM_AT_LAUNCH, /* RECIPE of a kernel waits for the others */
};

struct stream {
    uint32_t *mpus; /* [count], ascending */
    uint32_t count;
    enum stream_state state;
    struct flow flow;
    uint32_t region;
};

#endif
