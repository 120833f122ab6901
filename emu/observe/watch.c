/* SPDX-License-Identifier: MIT
 * Numbers steps, and hands each with its micro-ops to all listeners, in the order in which the
 * listeners were added. */
#include "emu/observe/watch.h"

#include "support/alloc.h"
#include "support/vec.h"

#include <stdlib.h>

struct watch {
    VEC(struct listener) listeners;
    bool uops; /* some listener wants micro-ops */
    struct datapath *dp;
    bool observing;
    uint64_t from, to;        /* numbers that are shown: from <= n < to */
    uint64_t next;            /* number of the next instruction */
    struct control_step step; /* whose micro-ops come */
    uint64_t first;           /* number of its first instruction */
    bool begun;               /* listeners were told that it begins */
    uint32_t told;            /* instructions of it that listeners know of */
    uint32_t vrf, insn;       /* of the last micro-op */
    uint64_t order;           /* of the next */
};

struct watch *observe_watch_new(uint64_t first, uint64_t count) {
    struct watch *w = xcalloc(1, sizeof *w);
    w->next = 1;
    w->from = first;
    if (count == 0 || __builtin_add_overflow(first, count, &w->to))
        w->to = UINT64_MAX;
    return w;
}

void observe_watch_add(struct watch *watch, struct listener listener) {
    vec_push(&watch->listeners, listener);
    watch->uops |= listener.uop != NULL;
}

void observe_watch_machine(struct watch *watch, struct datapath *dp) {
    watch->dp = dp;
}

static bool is_shown(const struct watch *watch, uint64_t number) {
    return number >= watch->from && number < watch->to;
}

static struct watched_insn insn_at(const struct watch *watch, uint32_t index) {
    return (struct watched_insn){watch->first + index, watch->step.index + index, &watch->step};
}

/* Instructions of the step before the i-th are told. */
static void tell_insns(struct watch *watch, uint32_t index) {
    for (; watch->told < index; watch->told++) {
        const struct watched_insn x = insn_at(watch, watch->told);
        for (size_t k = 0; is_shown(watch, x.number) && k < watch->listeners.len; k++)
            if (watch->listeners.data[k].insn)
                watch->listeners.data[k].insn(watch->listeners.data[k].context, &x);
    }
}

/* The step begins; or it is over, once. */
static void tell_step(struct watch *watch, bool begins) {
    const struct watched_insn x = insn_at(watch, 0);
    bool told = begins ? watch->step.count == 1 && is_shown(watch, x.number) : watch->begun;
    watch->begun = begins && told;
    for (size_t k = 0; told && k < watch->listeners.len; k++) {
        const struct listener *l = &watch->listeners.data[k];
        if (begins ? l->begin != NULL : l->end != NULL)
            (begins ? l->begin : l->end)(l->context, &x);
    }
}

static void tell_uop(struct watch *watch, const struct dp_event *event) {
    const struct watched_uop x = {insn_at(watch, event->insn), watch->order, event};
    for (size_t k = 0; is_shown(watch, x.insn.number) && k < watch->listeners.len; k++)
        if (watch->listeners.data[k].uop)
            watch->listeners.data[k].uop(watch->listeners.data[k].context, &x);
}

/* The datapath's observer. */
static void see(void *context, const struct dp_event *event) {
    struct watch *w = context;
    if (event->vrf_first != w->vrf || event->insn != w->insn)
        w->order = 0;
    w->vrf = event->vrf_first;
    w->insn = event->insn;
    tell_insns(w, event->insn + 1);
    tell_uop(w, event);
    w->order++;
}

static void observe(struct watch *watch, bool on) {
    if (on != watch->observing)
        watch->dp->ops->observe(watch->dp, on ? see : NULL, watch);
    watch->observing = on;
}

void observe_watch_step(void *watch, const struct control_step *step) {
    struct watch *w = watch;
    tell_insns(w, w->step.count);
    tell_step(w, false);
    w->step = *step;
    w->first = w->next;
    w->told = 0;
    w->vrf = w->insn = UINT32_MAX;
    w->next += step->count;
    bool some = w->next > w->from && w->first < w->to;
    observe(w, w->uops && w->dp && some && step->executes);
    if (!w->observing)
        tell_insns(w, step->count);
    tell_step(w, true);
}

void observe_watch_end(struct watch *watch) {
    tell_insns(watch, watch->step.count);
    tell_step(watch, false);
    watch->step.count = watch->told = 0;
    observe(watch, false);
}

void observe_watch_free(struct watch *watch) {
    if (!watch)
        return;
    vec_free(&watch->listeners);
    free(watch);
}
