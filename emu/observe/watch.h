/* SPDX-License-Identifier: MIT
 * Instructions and their micro-ops, numbered, as they are carried out: what logs and streams of
 * micro-ops listen to.  A stretch of the numbers can be chosen; outside of it the datapath is not
 * observed at all. */
#ifndef EMU_OBSERVE_WATCH_H
#define EMU_OBSERVE_WATCH_H

#include "emu/control/control.h"

struct watched_insn {
    uint64_t number; /* from 1, in the order in which the control path carries them out */
    uint32_t index;  /* in the text */
    const struct control_step *step;
};
struct watched_uop {
    struct watched_insn insn;
    uint64_t order;               /* of the micro-op in its instruction, from 0, on these VRFs */
    const struct dp_event *event; /* its times count from the start of the batch */
};
struct listener {
    void (*insn)(void *context, const struct watched_insn *x); /* may be NULL, like uop */
    void (*uop)(void *context, const struct watched_uop *x);
    /* Of steps of one instruction (control_config.step_each), or NULL both: before it is carried
     * out, and when it has been, whatever is carried out next. */
    void (*begin)(void *context, const struct watched_insn *x);
    void (*end)(void *context, const struct watched_insn *x);
    void *context;
};

struct watch;
/* `first`: the first number that is shown, from 1; `count`: how many, 0 = all that follow. */
struct watch *observe_watch_new(uint64_t first, uint64_t count);
void observe_watch_add(struct watch *watch, struct listener listener);
/* The machine whose micro-ops are listened to; it outlives the watch. */
void observe_watch_machine(struct watch *watch, struct datapath *dp);
/* config.step of the control path; the context is the watch. */
void observe_watch_step(void *watch, const struct control_step *step);
/* Tells the listeners what they were not told yet; the machine is no longer observed. */
void observe_watch_end(struct watch *watch);
void observe_watch_free(struct watch *watch);

#endif
