/* SPDX-License-Identifier: MIT
 * The micro-ops of one batch, played one after another as docs/control-path.md says: their slots,
 * and when each begins and ends.  Nothing is kept of what was played but the times that the rules
 * name, and nothing is worked out ahead.  All times are ps from the begin of the batch. */
#ifndef TESTS_ELASTIC_SCHEDULE_H
#define TESTS_ELASTIC_SCHEDULE_H

#include "recipe/set/recipe.h"
#include "support/vec.h"

#define REF_SECTIONS 64
/* Two incoming buffers of each section, then C and M. */
#define REF_PLACES  (2 * REF_SECTIONS + 2)
#define REF_PLACE_C (2 * REF_SECTIONS)
#define REF_PLACE_M (2 * REF_SECTIONS + 1)

/* The issue port of an MPU with several controllers: what it was taken for, in absolute time. */
struct ref_busy {
    uint64_t start_ps, end_ps;
};
struct ref_port {
    VEC(struct ref_busy) busy; /* ascending, apart from each other */
};
/* The first time from ready_ps on at which a slot of so many ps is free; takes it. */
uint64_t ref_port_take(struct ref_port *port, uint64_t ready_ps, uint64_t slot_ps);

/* The value that stands in a place where one is kept at a time: when the micro-op that wrote it
 * ended, and the last of those that have read it. */
struct ref_value {
    uint64_t written_ps, read_ps;
};

struct ref_schedule {
    const struct target *target;
    uint32_t issue_queue;
    struct ref_port *port; /* NULL: the slots are this batch's alone */
    uint64_t begin_ps;     /* of the batch, in the port's time */
    uint64_t end_ps[REF_SECTIONS];
    VEC(uint64_t) starts[REF_SECTIONS]; /* of all micro-ops of the section so far */
    VEC(uint64_t) queued[REF_SECTIONS]; /* of those that had a slot, and stood in its queue */
    struct ref_value values[REF_PLACES];
    uint64_t slots;           /* that were taken */
    struct ref_place *places; /* [REF_PLACES], of the instruction at work */
};
void ref_schedule_open(struct ref_schedule *s, const struct target *target, uint32_t issue_queue,
                       struct ref_port *port, uint64_t begin_ps);
void ref_schedule_close(struct ref_schedule *s);

/* A slot from ready_ps on: when it begins. */
uint64_t ref_schedule_slot(struct ref_schedule *s, uint64_t ready_ps);

/* The micro-ops of one instruction, whose issue has come to *issued_ps, which goes on to where it
 * ends; *done_ps is not before the end of any of them.  False if no order of them exists. */
bool ref_schedule_issue(struct ref_schedule *s, const struct uop *uops, size_t count,
                        uint64_t *issued_ps, uint64_t *done_ps);

#endif
