/* SPDX-License-Identifier: MIT
 * The clock of a plane machine, computed from its micro-ops, never stated (docs/control-path.md,
 * "Issue and the machine").
 *
 * Micro-ops of an instruction are issued in the order of their list, one in a slot of the front
 * end; one that is forwarded from another section takes no slot.  A slot waits while more than
 * control.issue_queue micro-ops that stand before in the section have not begun.  On a
 * bit-pipelined target a micro-op begins when its slot is over, its section has done the one
 * before, its forwarded predecessor began a period ago, what it reads of buffers, C and M has been
 * written, and what it overwrites there has been read.  Without sections everything is serial.
 *
 * All of that is maxima and sums in an order that only the list decides, so that later or longer
 * never makes anything earlier.  What an instruction leaves behind - which section, buffer and
 * latch is busy for how long, which micro-ops have not begun - is a state; equal states have equal
 * futures.  States are numbered, and what an instruction does from a state is worked out once. */
#ifndef RECIPE_TIMING_TIMING_H
#define RECIPE_TIMING_TIMING_H

#include "recipe/set/recipe.h"
#include "support/time_span.h"

#define TIMING_MAX_SECTIONS 64
#define TIMING_UNUSED       UINT64_MAX

/* The micro-ops of an instruction as far as their times go: in any rows, of any registers. */
struct timing_list;

/* The states of one target's machines and what is known of them.  One thread at a time. */
struct recipe_timeline;
/* The target is kept by the caller as long. */
struct recipe_timeline *recipe_timeline_open(const struct target *target);
void recipe_timeline_close(struct recipe_timeline *timeline);

/* The list of an instruction with these micro-ops, kept as long as the timeline, unless all who
 * asked for it drop it: then it may go when the timeline forgets what it knows.  NULL with a
 * message in *error if no order exists in which one buffer per direction, and queues of
 * control.issue_queue, suffice. */
const struct timing_list *recipe_timeline_list(struct recipe_timeline *timeline,
                                               const struct uop *uops, size_t count,
                                               const char **error);

void recipe_timeline_drop(struct recipe_timeline *timeline, const struct timing_list *list);

/* What an instruction does from a state on.  Times count from the end of the last slot before it.
 */
struct timing_advance {
    uint64_t issued_ps; /* the end of its own last slot; of an instruction without one `after_ps` */
    uint64_t done_ps;   /* all of its bits are there; not before issued_ps */
    uint64_t stalled_ps; /* its slots waited for places in queues */
    uint32_t state;      /* from issued_ps on */
    uint32_t waiting;    /* micro-ops with slots, of all instructions, that have not begun then */
    uint32_t slot_count;
    const struct time_span *slots; /* [slot_count]: its slots, those that touch joined */
};

/* 0 is the state of an idle machine.  `after_ps`: when its first slot may begin.  The result is
 * kept until recipe_timeline_forget. */
const struct timing_advance *recipe_timeline_advance(struct recipe_timeline *timeline,
                                                     const struct timing_list *list, uint32_t state,
                                                     uint64_t after_ps);
/* The state `ps` later. */
uint32_t recipe_timeline_pass(struct recipe_timeline *timeline, uint32_t state, uint64_t ps);

/* The same for slots that another stream may take: `take` says when the slot begins that is ready
 * at ready_ps, not before. */
struct timing_port {
    uint64_t (*take)(void *context, uint64_t ready_ps);
    void *context;
};
struct timing_advance recipe_timeline_advance_shared(struct recipe_timeline *timeline,
                                                     const struct timing_list *list, uint32_t state,
                                                     uint64_t after_ps,
                                                     const struct timing_port *port);
/* The same alone on the port; start_ps [micro-ops of the list]: when each begins. */
struct timing_advance recipe_timeline_starts(struct recipe_timeline *timeline,
                                             const struct timing_list *list, uint32_t state,
                                             uint64_t after_ps, uint64_t *start_ps);

/* From the end of the last slot before an instruction with this list to its first micro-op's slot,
 * when nothing has to be waited for. */
uint64_t recipe_timeline_lead_ps(const struct recipe_timeline *timeline,
                                 const struct timing_list *list);

/* Memory that states and what is known of them take, about. */
size_t recipe_timeline_bytes(const struct recipe_timeline *timeline);
/* States have no numbers any more, but the idle one; lists stay. */
void recipe_timeline_forget(struct recipe_timeline *timeline);

/* A list of several instructions from its start on an idle machine, all fetched and loaded. */
struct timing_profile {
    uint64_t first_ps[TIMING_MAX_SECTIONS]; /* the section's first micro-op; TIMING_UNUSED */
    uint64_t last_ps[TIMING_MAX_SECTIONS];  /* the end of its last one */
    uint64_t issued_ps;                     /* the end of the last slot */
    uint64_t done_ps;                       /* when all bits are there */
};
/* instructions[i] is the index of the first micro-op of instruction i.  start_ps [n]: when each
 * micro-op begins; may be NULL.  False with a message in *error if a list has no order. */
bool recipe_timing_schedule(const struct target *target, const struct uop *uops, size_t n,
                            const uint32_t *instructions, size_t instruction_count,
                            struct timing_profile *out, uint64_t *start_ps, const char **error);
/* The same for one instruction `times` times in a row, at least once: *first is that of the first
 * one, and done_ps[i] says when the first i + 1 of them are all done. */
bool recipe_timing_repeat(const struct target *target, const struct uop *uops, size_t n,
                          unsigned times, struct timing_profile *first, uint64_t *done_ps,
                          const char **error);

/* How long the micro-op of the target occupies its section; stops at UINT64_MAX. */
uint64_t recipe_timing_duration(const struct target *target, const struct uop *uop);

#endif
