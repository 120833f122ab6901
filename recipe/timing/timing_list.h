/* SPDX-License-Identifier: MIT
 * An instruction's micro-ops as their times need them: shared by the files of the clock. */
#ifndef RECIPE_TIMING_TIMING_LIST_H
#define RECIPE_TIMING_TIMING_LIST_H

#include "recipe/timing/timing.h"
#include "support/vec.h"

#define TIMING_BUFFERS                                                                             \
    (2 * TIMING_MAX_SECTIONS) /* of each section: from the previous, the next                      \
                               */
#define TIMING_RESOURCE_C TIMING_BUFFERS
#define TIMING_RESOURCE_M (TIMING_BUFFERS + 1)
#define TIMING_RESOURCES  (TIMING_BUFFERS + 2)

/* A use of a buffer, C or M: resource, TOUCH_WRITES, and above the carry variable that a buffer
 * holds. */
#define TOUCH_RESOURCE(touch) ((touch)&0xff)
#define TOUCH_WRITES          0x100u
#define TOUCH_CARRY_SHIFT     9

struct timing_uop {
    uint64_t ps;        /* it occupies its section */
    uint32_t forwarded; /* micro-ops back to the one that it follows; 0: it has a slot */
    uint32_t touch;     /* its first one in the list's touches, reads before writes */
    uint16_t touches;
    uint16_t section;
    uint32_t joined; /* 1: of one word with the one before */
};

/* A slot waits for the begin of a micro-op of the list, or of one before the list: that which
 * stands at QUEUE_PLACE of the state's queue of the section. */
#define TURN_NO_WAIT UINT32_MAX
#define TURN_QUEUE   0x80000000u
#define TURN_ISSUES  1u
#define TURN_PLACES  2u
/* One step of playing a list: the slot of a micro-op, its begin, or both. */
struct timing_turn {
    uint32_t uop;
    uint32_t wait; /* with TURN_ISSUES: a micro-op, TURN_QUEUE + place, or TURN_NO_WAIT */
    uint32_t what;
};

/* The last micro-ops of a section, as many as its queue has places. */
struct timing_tail {
    uint32_t section, count; /* of the list in this section, all of them */
    uint32_t first, kept;    /* [kept] of `tail_uops`, in order */
};

struct timing_list {
    uint32_t number;
    uint32_t users;                /* asked for, and not dropped */
    const struct timing_uop *uops; /* [count] */
    const uint32_t *touches;
    uint32_t count;
    VEC(struct timing_turn) turns;
    VEC(struct timing_tail) tails;
    VEC(uint32_t) tail_uops;
    /* The advance asked for last: in a loop it is the next one, too. */
    uint32_t last_state;
    uint64_t last_after_ps;
    const struct timing_advance *last;
};

/* timing_order.c: fills turns and tails; `places` are those of a section's queue, at least 1.
 * False with a message if there is no order. */
bool recipe_timing_order(struct timing_list *list, uint32_t places, const char **error);

#endif
