/* SPDX-License-Identifier: MIT
 * What the MPUs of a program did, each in its program order, as the log of the control path tells
 * it; and the reference timer that plays it. */
#ifndef TESTS_ELASTIC_EVENTS_H
#define TESTS_ELASTIC_EVENTS_H

#include "support/arena.h"
#include "tests/elastic/body.h"

#define REF_NONE UINT32_MAX

enum ref_kind { REF_SLOT, REF_SYNC, REF_COMPUTE, REF_TRANSFER, REF_SEND, REF_RECV, REF_MEET };

struct ref_batch {
    const uint32_t *vrfs; /* [vrf_count] */
    uint32_t vrf_count;
    const struct ref_body *body;
};
/* Questions to a host about the masks of all batches of an ensemble that stand at a jump: VRFs that
 * they are of. */
struct ref_decisions {
    VEC(uint64_t) vrfs;
};
/* What an MPU has of a compute ensemble. */
struct ref_compute {
    const struct ref_decisions *decisions;
    uint64_t header_slots, header_host_ps;
    const struct ref_batch *batches; /* [count] */
    uint32_t count;
    const uint32_t *vrfs; /* [vrf_count]: of all batches */
    uint32_t vrf_count;
};

/* What the precoder does before a copy, and the copy; the last may have none. */
struct ref_copy {
    uint64_t slots, host_ps, ps;
};
struct ref_transfer {
    VEC(struct ref_copy) copies;
    VEC(uint32_t) vrfs;
    uint64_t bytes; /* of a message: what its MEMCPYs write */
};

struct ref_event {
    enum ref_kind kind;
    uint64_t host_ps; /* SLOT, SYNC: of the host in the place of the slot; 0: it has none */
    struct ref_compute compute;
    struct ref_transfer *transfer;
    uint32_t number; /* SEND, RECV: of the message; MEET: of the meeting */
};

struct ref_message {
    uint32_t from, to;
    uint64_t bytes;
    uint32_t room; /* the message that had its place in the queue, or REF_NONE */
    /* As it is played. */
    bool sent, received;
    uint64_t start_ps, arrival_ps, room_ps, copies_ps;
};

struct ref_charge {
    uint32_t mpu;
    uint64_t ps;
};
struct ref_crossing {
    uint32_t from, to;
    uint64_t bytes;
};
/* MPUs that go on together: GMOVE, JUMP_ANY. */
struct ref_meeting {
    VEC(uint32_t) mpus; /* ascending */
    VEC(struct ref_charge) charges;
    VEC(struct ref_crossing) crossings;
    bool asks; /* JUMP_ANY: a question to the lowest and its answer */
    /* As it is played. */
    uint32_t here;
    uint64_t ready_ps;
    bool held;
};

struct ref_events {
    struct arena arena;
    uint32_t mpu_count; /* MPUs 0 .. mpu_count - 1 of the machine */
    struct ref_mpu_events {
        VEC(struct ref_event) list;
    } * mpus;
    VEC(struct ref_message) messages;
    VEC(struct ref_meeting) meetings;
    VEC(struct ref_transfer *) transfers;
    VEC(struct ref_body *) bodies;
    VEC(struct ref_decisions *) decisions;
    bool answers; /* the machine says itself whether a mask is empty */
    struct ref_program program;
};

/* When all is over. */
struct ref_times {
    const char *problem; /* NULL, or why there is no time */
    uint64_t time_ps, all_ps;
    uint32_t mpu_count;
    uint64_t *mpu_ps; /* [mpu_count] */
    struct ref_cycles cycles;
};
struct ref_times ref_play(struct ref_events *events);

#endif
