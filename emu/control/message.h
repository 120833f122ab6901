/* SPDX-License-Identifier: MIT
 * Messages between MPUs and the queues that hold them. */
#ifndef EMU_CONTROL_MESSAGE_H
#define EMU_CONTROL_MESSAGE_H

#include "emu/timing/timing.h"
#include "support/map.h"
#include "support/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* `count` lanes of a register, from `first` on in steps of `step`: where a MEMCPY, for one pair,
 * takes values for the message's list from, or puts values of it to. */
struct message_copy {
    uint32_t vrf; /* of the machine */
    uint8_t reg, width;
    uint32_t count, first;
    int32_t step;
};
/* The work of the data-transfer controller of one MPU in a transfer ensemble. */
struct transfer_work {
    VEC(struct timing_copy) copies;
    VEC(uint32_t) vrfs;                    /* read or written */
    VEC(struct timing_crossing) crossings; /* into MPUs that took RFHs of this one */
};
void control_transfer_work_free(struct transfer_work *work);
/* The work in the form that the timing model takes; refers to `work`, whose VRFs it sorts. */
struct timing_transfer control_transfer_work_timing(struct transfer_work *work,
                                                    struct timing_place at);

struct control_message {
    struct control_message *next;
    VEC(struct message_copy) copies; /* in program order */
    VEC(uint64_t) values;            /* of one copy after the other */
    struct transfer_work work;       /* of its SEND */
    struct timing_message *time;     /* NULL where times are unknown, and of an unused one */
};

/* Messages from one MPU to one other, oldest first. */
struct queue {
    uint32_t from, to;
    struct control_message *first, *last;
    struct control_message *unused, *last_unused; /* received, kept for reuse; oldest first */
    uint32_t count;                               /* messages that wait */
    /* The last message of each place.  The n-th message has place n % target_queue_messages, and in
     * the timing model a SEND waits until the message that had its place before has been received;
     * NULL if that one was passed. */
    VEC(struct timing_message *) places;
    uint64_t sent; /* messages */
    bool passed;   /* the oldest message was passed: it lies in the data buffer of `from`, and takes
                      no place */
};

#define MESSAGE_LIMIT ((uint64_t)1 << 30) /* bytes of the host's memory that they may hold */

struct network {
    struct map by_ends; /* two MPU numbers -> struct queue * */
    VEC(struct queue *) queues;
    uint8_t *buffer_used; /* [package.mpus]: its data buffer holds a message that broke a cycle */
    uint64_t bytes;       /* of host memory that messages hold */
};

#endif
