/* SPDX-License-Identifier: MIT
 * The parts that time is divided into.  Each picosecond of an MPU counts for one part: an event
 * that moves the end of the MPU's work from F to F' gives F' - F to its part, so that work hidden
 * behind other work counts for nothing and the parts add up to the whole.  Front-end cycles are
 * counted for the same parts, hidden or not, as each costs energy. */
#ifndef EMU_TIMING_PARTS_H
#define EMU_TIMING_PARTS_H

/* enumerator, name in statistics, meaning */
#define TIMING_PART_LIST(X)                                                                        \
    X(TIMING_FETCH, "fetch", "instructions that the playback buffer did not hold")                 \
    X(TIMING_DECODE, "decode", "slots of instructions outside of runs, and of headers")            \
    X(TIMING_RECIPE, "recipe", "templates loaded into the recipe table")                           \
    X(TIMING_COMPUTE, "compute", "micro-ops: their issue and the datapath")                        \
    X(TIMING_EVALUATE, "evaluate", "mask bits fetched for a jump")                                 \
    X(TIMING_SCHEDULE, "schedule", "changes of batch")                                             \
    X(TIMING_TRANSFER, "transfer", "the data-transfer controller: copies, buffers, INDEX")         \
    X(TIMING_NETWORK, "network", "messages under way that an MPU waits for")                       \
    X(TIMING_WAIT, "wait", "for another MPU: a message not sent, a full queue, a barrier")         \
    X(TIMING_HOST, "host", "control instructions that the host carries out")

enum timing_part {
#define TIMING_PART_ENUM(id, name, meaning) id,
    TIMING_PART_LIST(TIMING_PART_ENUM)
#undef TIMING_PART_ENUM
        TIMING_PARTS
};

const char *timing_part_name(enum timing_part part);

#endif
