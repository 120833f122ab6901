/* SPDX-License-Identifier: MIT
 * When everything happens.
 *
 * The control path carries programs out in program order and posts here, for each MPU in its
 * program order, what it did.  This model works out the time: a precoder that goes through the
 * text, compute controllers, a data-transfer controller, and the network between MPUs
 * (docs/control-path.md).  What a program computes never depends on it.
 *
 * An MPU's events are worked off as soon as all that they wait for is known.  Messages take the
 * links of the network in the order of the times at which they are ready, at equal times the lower
 * MPU first; so a message is sent when no MPU can have one that is ready earlier any more. */
#ifndef EMU_TIMING_TIMING_H
#define EMU_TIMING_TIMING_H

#include "emu/timing/batch.h"
#include "emu/timing/span.h"
#include "emu/timing/recipe_tables.h"

#include <stdbool.h>

struct timing;

/* VRFs that work at the same time in one MPU. */
struct batch {
    uint32_t mpu, index;
    const uint32_t *vrfs; /* [count], ascending */
    uint32_t count;
};

struct timing_setup {
    const struct target *target;
    struct datapath *dp;             /* only asked for times */
    const struct machine_code *code; /* ready; NULL: recipes are always there */
    const struct text *text;
    uint32_t text_len;
    uint32_t lanes;       /* of a VRF, as the program has them; 0: the target's */
    const uint32_t *mpus; /* [mpu_count], ascending; kept by the caller */
    uint32_t mpu_count, machine_mpus;
    /* Recipe tables as the program finds and leaves them; timing_table_count of the machine's
     * MPUs.  NULL: all are empty when it begins. */
    struct timing_tables *tables;
    void (*span)(void *context, const struct timing_span *s); /* may be NULL */
    void *span_context;
    bool bars; /* spans are told for instructions, too */
};

size_t timing_table_count(const struct target *target);
struct timing *timing_new(const struct timing_setup *setup);
void timing_free(struct timing *timing);

/* To which instruction of the text and which region something belongs. */
struct timing_place {
    uint32_t index, region;
};

/* ---- bodies ---- */

/* Registers a run of the text for VRFs of a kin, and returns its number for STEP_RUN. */
uint32_t timing_add_run(struct timing *timing, const struct dp_code *code,
                        const struct dp_description *about, uint32_t first, uint32_t count,
                        uint32_t kin, bool masked);
/* The number of a path; empties the record. */
uint32_t timing_path(struct timing *timing, struct path_record *record);
/* Plays the path of a batch of the next ensemble of an MPU while it is taken, so that a long one
 * need not be kept: of the first of its batches, or of one behind others, of which it is not known
 * what these leave it.  NULL where that cannot be.  Nothing else is posted for the MPU meanwhile.
 */
struct batch_run *timing_begin(struct timing *timing, uint32_t mpu, uint32_t vrfs, bool first);
/* Its next piece; empties the record, unless it matters for this piece what other batches leave. */
void timing_take(struct batch_run *run, struct path_record *record);

/* ---- what an MPU did ---- */

/* A top-level instruction: one slot, or instead host_ps of the host if that is not 0; so below,
 * too. */
void timing_slot(struct timing *timing, uint32_t mpu, struct timing_place at, uint64_t host_ps);
/* MPU_SYNC: waits for all compute ensembles. */
void timing_sync(struct timing *timing, uint32_t mpu, struct timing_place at, uint64_t host_ps);
/* The MPU has come to its end; more may be posted for it when a new round begins. */
void timing_end(struct timing *timing, uint32_t mpu);

/* Time of a host that decides an instruction of a body, for all batches together. */
struct timing_decision {
    struct timing_place at;
    uint64_t ps;
};
/* A compute ensemble in one MPU.  The caller keeps what it points to, apart from paths and
 * decisions, which are copied. */
struct timing_compute {
    struct timing_place at; /* of the header */
    uint64_t header_slots, header_host_ps;
    const struct batch *batches; /* [count] */
    uint32_t count;
    const uint32_t *vrfs; /* [vrf_count], ascending: of all batches */
    uint32_t vrf_count;
    const uint32_t *paths; /* [count], or [1] if all take the same */
    bool same_path;
    struct batch_run **told;  /* [count], or NULL: of batches whose path was told up to what `paths`
                                 has of it; ended by this */
    const uint64_t *batch_fj; /* [count]: of the datapath, for spans alone; NULL: nobody asks */
    const struct timing_decision *decisions; /* [decision_count]: of the host, and when all batches
                                                have come to them */
    uint32_t decision_count;
};
void timing_compute(struct timing *timing, uint32_t mpu, const struct timing_compute *compute);

/* A stretch of a transfer ensemble: slots, then copies. */
struct timing_copy {
    struct timing_place at;
    uint64_t slots, host_ps, ps;
    uint64_t energy_fj; /* of the copy, for spans alone */
};
struct timing_transfer {
    struct timing_place at;           /* of the header, whose slots are posted before */
    const struct timing_copy *copies; /* [count]; the last may be slots alone */
    uint32_t count;
    const uint32_t *vrfs; /* [vrf_count], ascending: read or written */
    uint32_t vrf_count;
};
void timing_transfer(struct timing *timing, uint32_t mpu, const struct timing_transfer *transfer);

/* ---- messages ---- */

/* A message's times, shared by all who refer to it: each of them drops it once. */
struct timing_message;
void timing_message_keep(struct timing_message *message);
void timing_message_drop(struct timing_message *message); /* NULL: nothing */

/* A SEND, which stands at `at`: what it and SEND_DONE enclose, `inner`, and then the message's
 * departure.  The message's place in the queue is free when `room`, the message that had it before,
 * has been received (NULL: it always was free).  The caller has to drop the result. */
struct timing_message *timing_send(struct timing *timing, uint32_t mpu, struct timing_place at,
                                   const struct timing_transfer *inner, uint32_t to, uint64_t bytes,
                                   struct timing_message *room);
/* What RECV waits for and does, behind its slot.  Its copies of registers take as long as those of
 * the SEND. */
void timing_recv(struct timing *timing, uint32_t mpu, struct timing_place at,
                 struct timing_message *message);

/* ---- meetings ---- */

struct timing_crossing {
    uint32_t from, to; /* MPUs */
    uint64_t bytes;
};
struct timing_charge {
    uint32_t mpu;
    uint64_t ps;        /* of its data-transfer controller */
    uint64_t energy_fj; /* for spans alone */
};
struct timing_meeting {
    struct timing_place at;
    const uint32_t *mpus; /* [count], ascending: they wait for each other */
    uint32_t count;
    const struct timing_charge *charges; /* [charge_count] */
    uint32_t charge_count;
    const struct timing_crossing *crossings; /* [crossing_count], sent when all are there */
    uint32_t crossing_count;
    uint64_t hops; /* that a question and its answer take, once all are there: JUMP_ANY */
    /* A kernel that all of them launch when they are there: to start it, and to its end. */
    uint64_t launch_ps, kernel_ps;
    uint64_t kernel_fj;        /* for spans alone */
    const struct dp_bar *bars; /* [bar_count]: of its units, for spans alone */
    uint32_t bar_count;
    bool shown; /* it has a span of its own */
};
/* GMOVE, JUMP_ANY: posted once for all of its MPUs, but for their slots. */
void timing_meet(struct timing *timing, const struct timing_meeting *meeting);

/* ---- results ---- */

/* Called now and then: sends the messages that no other can come before any more.  The number of a
 * path with which nothing was posted so far is not valid afterwards. */
void timing_settle(struct timing *timing);
/* No more will be posted. */
void timing_finish(struct timing *timing);

struct timing_totals {
    uint64_t time_ps;                   /* of the MPU that is done last; the sum of its parts */
    uint64_t part_ps[TIMING_PARTS];     /* of that MPU */
    uint64_t part_cycles[TIMING_PARTS]; /* front-end cycles, all MPUs together */
    uint64_t mpu_ps;                    /* times of all MPUs together */
    uint64_t network_fj;                /* of links between MPUs */
};
void timing_totals(const struct timing *timing, struct timing_totals *out);
struct timing_sums {
    uint64_t ps, network_fj, cycles;
};
/* How long the instruction kept the precoder or a controller busy, the energy of its messages on
 * links, and its front-end cycles; summed over all MPUs and batches. */
struct timing_sums timing_insn(const struct timing *timing, uint32_t index);
/* The longest time that one MPU spent in a region, and the energy and cycles of all MPUs there. */
struct timing_sums timing_region(const struct timing *timing, uint32_t region);
/* When the precoder of an MPU goes on, as far as that is known by now. */
uint64_t timing_now(const struct timing *timing, uint32_t mpu);
/* Likewise, when all its work so far is over. */
uint64_t timing_reached(const struct timing *timing, uint32_t mpu);

#endif
