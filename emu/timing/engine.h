/* SPDX-License-Identifier: MIT
 * What the files of the timing model share. */
#ifndef EMU_TIMING_ENGINE_H
#define EMU_TIMING_ENGINE_H

#include "emu/timing/network.h"
#include "emu/timing/timing.h"
#include "emu/timing/turns.h"

struct timing_message {
    uint32_t references;
    uint32_t from, to;
    bool sent, received;
    uint64_t number;               /* from 1, for spans */
    uint64_t bytes, copies_ps;     /* of the registers' transfers, at either end */
    uint64_t start_ps, arrival_ps; /* once it was sent */
    uint64_t room_ps;              /* when it was received and its place became free */
};

/* A meeting that was posted; it takes place when all its MPUs are there. */
struct meeting {
    struct timing_meeting what; /* the lists it points to are this record's */
    uint32_t references, here;
    uint64_t ready_ps; /* when the last of those came that are here */
    bool held;
};

enum event_kind {
    EVENT_SLOTS,
    EVENT_SYNC,
    EVENT_COMPUTE,
    EVENT_TRANSFER,
    EVENT_SEND,
    EVENT_RECV,
    EVENT_MEET,
};
/* The lists that an event points to belong to it. */
struct timing_event {
    enum event_kind kind;
    struct timing_place at;
    union {
        struct {
            uint64_t slots, host_ps;
        } top;
        struct timing_compute compute;
        struct timing_transfer transfer;
        struct {
            struct timing_transfer inner;
            struct timing_message *message, *room;
            bool ready; /* it waits for its turn on the network, since ready_ps */
            uint64_t ready_ps;
        } send;
        struct timing_message *recv;
        struct meeting *meet;
    };
};

/* An ensemble that may still be at work. */
struct in_flight {
    uint64_t end_ps;
    const uint32_t *vrfs; /* [count], ascending */
    uint32_t count;
    uint32_t *own; /* vrfs, if this record has to free it; else NULL */
    bool compute;
};
struct controller {
    uint64_t free_ps;
    uint32_t recipes; /* number of the contents of its recipe table, if that is private */
};

/* One MPU.  No time of its units is later than end_ps. */
struct timing_mpu {
    uint32_t mpu;
    uint64_t precoder_ps;           /* when its precoder goes on; nothing to come begins before */
    uint64_t end_ps;                /* of all work so far */
    uint64_t dtc_ps;                /* when the data-transfer controller is free */
    uint32_t recipes;               /* number of the contents of the shared recipe table */
    struct controller *controllers; /* [target.controllers] */
    struct issue_port port;         /* with several controllers */
    VEC(struct in_flight) in_flight;
    uint64_t part_ps[TIMING_PARTS];
    VEC(uint64_t) region_ps;
    VEC(struct timing_event) events;
    size_t next;  /* of events */
    bool waits;   /* the next event waits for something that is not known yet */
    bool pending; /* it waits for its turn on the network */
    bool ended, queued;
};

struct timing {
    struct timing_setup setup;
    const struct target *target;
    struct batch_model model;
    struct noc *noc;
    struct timing_mpu *mpus;        /* [setup.mpu_count] */
    uint32_t *number_of;            /* [setup.machine_mpus]: place in mpus */
    VEC(uint32_t) work;             /* MPUs whose next events may be possible now */
    struct turn_tree turns;         /* of mpus: when each may send next */
    uint32_t pending;               /* MPUs that wait for their turn on the network */
    VEC(struct meeting *) meetings; /* meetings that wait for theirs: all MPUs are there */
    uint64_t part_cycles[TIMING_PARTS];
    uint64_t *insn_ps, *insn_fj, *insn_cycles; /* [text_len] */
    VEC(uint64_t) region_fj, region_cycles;
    uint64_t network_fj;
    uint64_t messages; /* numbered so far */
};

/* ---- mpu.c ---- */
struct timing_mpu *timing_mpu_time(struct timing *timing, uint32_t mpu);
/* Top-level instructions: so many slots, or the host's time in their place. */
void timing_mpu_slots(struct timing *timing, struct timing_mpu *time, struct timing_place at,
                      uint64_t slots, uint64_t host_ps);
/* Works an event off; false if it has to wait: it is tried again later. */
bool timing_mpu_event(struct timing *timing, struct timing_mpu *time, struct timing_event *event);
void timing_meeting_hold(struct timing *timing, struct meeting *meeting);
/* Frees the lists of an event that is over. */
void timing_event_free(struct timing_event *event);

/* ---- compute.c ---- */
void timing_mpu_compute(struct timing *timing, struct timing_mpu *time,
                        const struct timing_compute *compute);
/* When everything that is at work on any of these VRFs is over; at least from_ps. */
uint64_t timing_mpu_hazards(const struct timing_mpu *time, const uint32_t *vrfs, uint32_t count,
                            uint64_t from_ps);
/* Keeps the record of an ensemble that ends at end_ps, and forgets those that are over. */
void timing_mpu_in_flight(struct timing_mpu *time, const struct in_flight *flight);

/* ---- timing.c ---- */
/* The event that the MPU waits at may be possible now. */
void timing_wake(struct timing *timing, uint32_t mpu);
/* The meeting waits for its turn on the network. */
void timing_meeting_queue(struct timing *timing, struct meeting *meeting);
/* Adds the energy of a message on its way. */
void timing_spend_fj(struct timing *timing, struct timing_place at, uint64_t fj);
/* Front-end cycles. */
void timing_spend_cycles(struct timing *timing, enum timing_part part, struct timing_place at,
                         uint64_t cycles);
/* Adds the cycles of `times` equal batches, but not to the sums of instructions. */
void timing_batch_cycles(struct timing *timing, const struct batch_time *time, uint64_t times);
/* Passes a span on to whoever watches, if anybody does. */
void timing_span_report(const struct timing *timing, const struct timing_span *span);
/* The span of a unit of an MPU, without anything else in it. */
static inline struct timing_span timing_span_of(uint32_t mpu, enum timing_unit unit,
                                                uint32_t number, uint64_t start_ps, uint64_t end_ps,
                                                uint32_t index) {
    return (struct timing_span){.mpu = mpu,
                                .unit = unit,
                                .number = number,
                                .start_ps = start_ps,
                                .end_ps = end_ps,
                                .index = index,
                                .batch = UINT32_MAX};
}

/* ---- memory.c ---- */
/* Adds the times that batches took to the sums of instructions, each as often as it was used. */
void timing_add_uses(struct timing *timing);
/* When the known times of batches take too much memory, forgets those that no posted event refers
 * to. */
void timing_save_memory(struct timing *timing);

static inline void timing_add(uint64_t *sum, uint64_t more) {
    uint64_t all;
    *sum = __builtin_add_overflow(*sum, more, &all) ? UINT64_MAX : all;
}

#endif
