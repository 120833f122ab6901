/* SPDX-License-Identifier: MIT */
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

void observe_watch_add(struct watch *w, struct listener l) {
    vec_push(&w->listeners, l);
    w->uops |= l.uop != NULL;
}

void observe_watch_machine(struct watch *w, struct datapath *dp) {
    w->dp = dp;
}

static bool is_shown(const struct watch *w, uint64_t number) {
    return number >= w->from && number < w->to;
}

static struct watched_insn insn_at(const struct watch *w, uint32_t i) {
    return (struct watched_insn){w->first + i, w->step.index + i, &w->step};
}

/* Instructions of the step before the i-th are told. */
static void tell_insns(struct watch *w, uint32_t i) {
    for (; w->told < i; w->told++) {
        const struct watched_insn x = insn_at(w, w->told);
        for (size_t k = 0; is_shown(w, x.number) && k < w->listeners.len; k++)
            if (w->listeners.data[k].insn)
                w->listeners.data[k].insn(w->listeners.data[k].context, &x);
    }
}

static void tell_uop(struct watch *w, const struct dp_event *e) {
    const struct watched_uop x = {insn_at(w, e->insn), w->order, e};
    for (size_t k = 0; is_shown(w, x.insn.number) && k < w->listeners.len; k++)
        if (w->listeners.data[k].uop)
            w->listeners.data[k].uop(w->listeners.data[k].context, &x);
}

/* The datapath's observer. */
static void see(void *context, const struct dp_event *e) {
    struct watch *w = context;
    if (e->vrf_first != w->vrf || e->insn != w->insn)
        w->order = 0;
    w->vrf = e->vrf_first;
    w->insn = e->insn;
    tell_insns(w, e->insn + 1);
    tell_uop(w, e);
    w->order++;
}

static void observe(struct watch *w, bool on) {
    if (on != w->observing)
        w->dp->ops->observe(w->dp, on ? see : NULL, w);
    w->observing = on;
}

void observe_watch_step(void *watch, const struct control_step *s) {
    struct watch *w = watch;
    tell_insns(w, w->step.count);
    w->step = *s;
    w->first = w->next;
    w->told = 0;
    w->vrf = w->insn = UINT32_MAX;
    w->next += s->count;
    bool some = w->next > w->from && w->first < w->to;
    observe(w, w->uops && w->dp && some && s->executes);
    if (!w->observing)
        tell_insns(w, s->count);
}

void observe_watch_end(struct watch *w) {
    tell_insns(w, w->step.count);
    w->step.count = w->told = 0;
    observe(w, false);
}

void observe_watch_free(struct watch *w) {
    if (!w)
        return;
    vec_free(&w->listeners);
    free(w);
}
