/* SPDX-License-Identifier: MIT
 * Each MPU goes on until it has to wait for another one.  When all wait, the message or the move
 * that is ready first takes the links of the network. */
#include "tests/elastic/events.h"

#include "emu/control/baseline.h"
#include "emu/timing/network.h"

#include <string.h>

/* An ensemble or a transfer that may still be at work. */
struct flight {
    uint64_t end_ps;
    const uint32_t *vrfs;
    size_t count;
    bool compute;
};
struct controller {
    uint64_t free_ps;
    struct ref_recipes recipes;
};
struct mpu {
    uint32_t number;
    uint64_t precoder_ps, end_ps, dtc_ps;
    struct controller *controllers; /* [target.controllers] */
    struct ref_recipes recipes;     /* of all of them, where they share */
    struct ref_port port;
    VEC(struct flight) flights;
    const struct ref_event *events;
    size_t next, count;
    bool waits, pending; /* in a meeting; for its turn on the network */
    uint64_t ready_ps;   /* when it is pending: since */
};
struct player {
    struct ref_events *e;
    struct ref_program *p;
    const struct target *t;
    struct noc *noc;
    struct mpu *mpus; /* [mpu_count] */
    struct ref_cycles cycles;
    const char *problem;
};

static uint64_t later(uint64_t left, uint64_t right) {
    return left > right ? left : right;
}

static void reach(struct mpu *m, uint64_t ps) {
    m->end_ps = later(m->end_ps, ps);
}

/* ---- slots of the precoder ---- */

static void slots(struct player *x, struct mpu *m, uint64_t count, uint64_t host_ps) {
    bool sent = x->t->control == CONTROL_STREAM;
    m->precoder_ps += host_ps ? host_ps : sent ? 0 : count * target_issue_ps(x->t);
    x->cycles.decode += host_ps || sent ? 0 : count;
    reach(m, m->precoder_ps);
}

static void sync(struct player *x, struct mpu *m, uint64_t host_ps) {
    for (uint32_t i = 0; i < x->t->controllers; i++)
        m->precoder_ps = later(m->precoder_ps, m->controllers[i].free_ps);
    slots(x, m, 1, host_ps);
}

/* ---- who else is at work ---- */

static bool share_a_vrf(const struct flight *f, const uint32_t *vrfs, size_t count) {
    for (size_t i = 0; i < f->count; i++)
        for (size_t k = 0; k < count; k++)
            if (f->vrfs[i] == vrfs[k])
                return true;
    return false;
}

static uint32_t rfh_of(const struct player *x, uint32_t vrf) {
    return vrf % target_vrfs_per_mpu(x->t) % x->t->rfh_per_mpu;
}

static bool share_an_rfh(const struct player *x, const struct flight *f, const uint32_t *vrfs,
                         size_t count) {
    for (size_t i = 0; i < f->count; i++)
        for (size_t k = 0; k < count; k++)
            if (rfh_of(x, f->vrfs[i]) == rfh_of(x, vrfs[k]))
                return true;
    return false;
}

static uint64_t hazards(const struct mpu *m, const uint32_t *vrfs, size_t count, uint64_t ps) {
    for (size_t i = 0; i < m->flights.len; i++)
        if (share_a_vrf(&m->flights.data[i], vrfs, count))
            ps = later(ps, m->flights.data[i].end_ps);
    return ps;
}

static uint64_t rfhs_free(const struct player *x, const struct mpu *m, const uint32_t *vrfs,
                          size_t count, uint64_t ps) {
    for (size_t i = 0; i < m->flights.len; i++)
        if (m->flights.data[i].compute && share_an_rfh(x, &m->flights.data[i], vrfs, count))
            ps = later(ps, m->flights.data[i].end_ps);
    return ps;
}

/* ---- compute ensembles ---- */

static uint64_t change_batch(struct player *x) {
    x->cycles.schedule += x->t->scheduler == SCHEDULER_HARDWARE;
    return x->t->scheduler == SCHEDULER_HARDWARE ? x->t->front_end_ps : x->t->software_schedule_ps;
}

static struct controller *first_free(const struct player *x, struct mpu *m) {
    struct controller *first = m->controllers;
    for (uint32_t i = 1; i < x->t->controllers; i++)
        if (m->controllers[i].free_ps < first->free_ps)
            first = &m->controllers[i];
    return first;
}

/* Its batches from start_ps on; returns when they are over. */
static uint64_t batches(struct player *x, struct mpu *m, struct controller *c,
                        const struct ref_compute *compute, uint64_t start_ps) {
    bool private = x->t->recipe_table == RECIPE_TABLE_PRIVATE;
    struct ref_playback playback = {
        xcalloc((size_t)x->t->playback_entries + 1, sizeof *playback.entries)};
    uint64_t now = start_ps;
    for (uint32_t i = 0; i < compute->count; i++) {
        struct ref_batch_time time;
        now += i ? change_batch(x) : 0;
        if (!ref_body_play(x->p, compute->batches[i].body, &playback,
                           private ? &c->recipes : &m->recipes,
                           x->t->controllers > 1 ? &m->port : NULL, now, &x->cycles, &time))
            x->problem = "micro-ops without an order";
        if (time.fetched)
            m->precoder_ps = later(m->precoder_ps, now + time.fetched_ps);
        now += time.ps;
    }
    free(playback.entries);
    return now;
}

/* What the host takes to decide: behind the last batch, and what follows is not known before. */
static uint64_t decisions_ps(const struct player *x, const struct ref_decisions *decisions) {
    uint64_t ps = 0, lanes = x->e->answers ? 0 : x->p->lanes;
    for (size_t i = 0; i < decisions->vrfs.len; i++)
        ps += control_host_decision_ps(x->t, decisions->vrfs.data[i] * lanes);
    return ps;
}

static void compute(struct player *x, struct mpu *m, const struct ref_compute *compute) {
    struct controller *c = first_free(x, m);
    m->precoder_ps = later(m->precoder_ps, c->free_ps);
    slots(x, m, compute->header_slots, compute->header_host_ps);
    if (!compute->count)
        return;
    uint64_t start = hazards(m, compute->vrfs, compute->vrf_count, m->precoder_ps);
    if (x->t->controllers > 1)
        start = rfhs_free(x, m, compute->vrfs, compute->vrf_count, start);
    uint64_t decided = decisions_ps(x, compute->decisions);
    uint64_t end = batches(x, m, c, compute, start) + decided;
    if (decided)
        m->precoder_ps = later(m->precoder_ps, end);
    const struct flight f = {end, compute->vrfs, compute->vrf_count, true};
    c->free_ps = f.end_ps;
    reach(m, f.end_ps);
    vec_push(&m->flights, f);
}

/* ---- transfers ---- */

static uint64_t copies(struct player *x, struct mpu *m, const struct ref_transfer *transfer,
                       uint64_t free_ps) {
    for (size_t i = 0; i < transfer->copies.len; i++) {
        const struct ref_copy *c = &transfer->copies.data[i];
        slots(x, m, c->slots, 0);
        m->precoder_ps += c->host_ps;
        reach(m, m->precoder_ps);
        if (!c->ps)
            continue;
        m->precoder_ps = later(m->precoder_ps, free_ps);
        free_ps = m->precoder_ps + c->ps;
        reach(m, free_ps);
    }
    return free_ps;
}

static void transfer(struct player *x, struct mpu *m, const struct ref_transfer *transfer) {
    uint64_t start = later(m->precoder_ps, m->dtc_ps);
    start = hazards(m, transfer->vrfs.data, transfer->vrfs.len, start);
    reach(m, start);
    m->dtc_ps = copies(x, m, transfer, start);
    const struct flight f = {m->dtc_ps, transfer->vrfs.data, transfer->vrfs.len, false};
    vec_push(&m->flights, f);
}

/* ---- messages ---- */

/* True when the message has left; before, it has to be let go. */
static bool send(struct player *x, struct mpu *m, const struct ref_event *event) {
    struct ref_message *message = &x->e->messages.data[event->number];
    if (m->pending || message->sent)
        return message->sent;
    const struct ref_message *room =
        message->room == REF_NONE ? NULL : &x->e->messages.data[message->room];
    if (room && !room->received)
        return false;
    m->precoder_ps = later(m->precoder_ps, room ? room->room_ps : 0);
    reach(m, m->precoder_ps);
    for (size_t i = 0; i < event->transfer->copies.len; i++)
        message->copies_ps += event->transfer->copies.data[i].ps;
    transfer(x, m, event->transfer);
    m->ready_ps = m->dtc_ps;
    m->pending = true;
    return false;
}

static bool receive(struct player *x, struct mpu *m, struct ref_message *message) {
    (void)x;
    if (!message->sent)
        return false;
    reach(m, message->arrival_ps);
    reach(m, m->dtc_ps);
    reach(m, m->end_ps + message->copies_ps);
    m->precoder_ps = m->dtc_ps = message->room_ps = m->end_ps;
    message->received = true;
    return true;
}

static void let_go(struct player *x, struct mpu *m) {
    struct ref_message *message = &x->e->messages.data[m->events[m->next].number];
    struct noc_trip trip =
        timing_noc_reserve(x->noc, message->from, message->to, message->bytes, m->ready_ps);
    message->start_ps = trip.start_ps;
    message->arrival_ps = trip.arrival_ps;
    message->sent = true;
    m->dtc_ps = later(m->dtc_ps, trip.left_ps);
    m->pending = false;
}

/* ---- meetings ---- */

/* A host asks the MPUs itself. */
static uint64_t question_ps(const struct player *x, const struct ref_meeting *meeting) {
    uint64_t hops = 0;
    for (size_t i = 1; i < meeting->mpus.len; i++)
        hops = later(hops, target_hops(x->t, meeting->mpus.data[0], meeting->mpus.data[i]));
    return meeting->asks && x->t->control != CONTROL_HOST ? 2 * hops * x->t->hop_ps : 0;
}

static void cross(struct player *x, const struct ref_meeting *meeting) {
    for (size_t i = 0; i < meeting->crossings.len; i++) {
        const struct ref_crossing *c = &meeting->crossings.data[i];
        struct noc_trip trip =
            timing_noc_reserve(x->noc, c->from, c->to, c->bytes, meeting->ready_ps);
        reach(&x->mpus[c->from], trip.left_ps);
        reach(&x->mpus[c->to], trip.arrival_ps);
    }
}

static void hold(struct player *x, struct ref_meeting *meeting) {
    for (size_t i = 0; i < meeting->mpus.len; i++)
        reach(&x->mpus[meeting->mpus.data[i]], meeting->ready_ps);
    for (size_t i = 0; i < meeting->charges.len; i++)
        reach(&x->mpus[meeting->charges.data[i].mpu],
              meeting->ready_ps + meeting->charges.data[i].ps);
    cross(x, meeting);
    for (size_t i = 0; i < meeting->mpus.len; i++) {
        struct mpu *m = &x->mpus[meeting->mpus.data[i]];
        reach(m, m->end_ps + question_ps(x, meeting));
        m->precoder_ps = m->end_ps;
        m->dtc_ps = later(m->dtc_ps, m->end_ps);
    }
    meeting->held = true;
}

static bool meet(struct player *x, struct mpu *m, struct ref_meeting *meeting) {
    if (m->waits)
        return meeting->held;
    if (meeting->charges.len || meeting->crossings.len)
        reach(m, m->dtc_ps);
    meeting->ready_ps = later(meeting->ready_ps, m->end_ps);
    if (++meeting->here == meeting->mpus.len && !meeting->crossings.len)
        hold(x, meeting);
    return meeting->held;
}

/* ---- all events ---- */

static bool event(struct player *x, struct mpu *m, const struct ref_event *e) {
    switch (e->kind) {
    case REF_SLOT:
        slots(x, m, 1, e->host_ps);
        return true;
    case REF_SYNC:
        sync(x, m, e->host_ps);
        return true;
    case REF_COMPUTE:
        compute(x, m, &e->compute);
        return true;
    case REF_TRANSFER:
        transfer(x, m, e->transfer);
        return true;
    case REF_SEND:
        return send(x, m, e);
    case REF_RECV:
        return receive(x, m, &x->e->messages.data[e->number]);
    case REF_MEET:
        return meet(x, m, &x->e->meetings.data[e->number]);
    }
    return true;
}

/* True if the MPU did anything. */
static bool go_on(struct player *x, struct mpu *m) {
    bool moved = false;
    while (m->next < m->count && !m->pending) {
        bool over = event(x, m, &m->events[m->next]);
        moved |= over || m->pending || (m->events[m->next].kind == REF_MEET && !m->waits);
        m->waits = !over && m->events[m->next].kind == REF_MEET;
        if (!over)
            return moved;
        m->next++;
    }
    return moved;
}

static struct ref_meeting *first_meeting(const struct player *x) {
    struct ref_meeting *first = NULL;
    for (size_t i = 0; i < x->e->meetings.len; i++) {
        struct ref_meeting *m = &x->e->meetings.data[i];
        if (m->held || !m->mpus.len || m->here < m->mpus.len)
            continue;
        if (!first || m->ready_ps < first->ready_ps ||
            (m->ready_ps == first->ready_ps && m->mpus.data[0] < first->mpus.data[0]))
            first = m;
    }
    return first;
}

static struct mpu *first_sender(const struct player *x) {
    struct mpu *first = NULL;
    for (uint32_t i = 0; i < x->e->mpu_count; i++) {
        struct mpu *m = &x->mpus[i];
        if (m->pending && (!first || m->ready_ps < first->ready_ps))
            first = m;
    }
    return first;
}

/* The one that is ready first goes, of several that of the lowest MPU.  False: there is none. */
static bool take_turn(struct player *x) {
    struct ref_meeting *meeting = first_meeting(x);
    struct mpu *sender = first_sender(x);
    if (sender && meeting &&
        (meeting->ready_ps < sender->ready_ps ||
         (meeting->ready_ps == sender->ready_ps && meeting->mpus.data[0] < sender->number)))
        sender = NULL;
    if (sender)
        let_go(x, sender);
    else if (meeting)
        hold(x, meeting);
    return sender || meeting;
}

static void play_all(struct player *x) {
    bool moved = true;
    while (moved && !x->problem) {
        moved = false;
        for (uint32_t i = 0; i < x->e->mpu_count; i++)
            moved |= go_on(x, &x->mpus[i]);
        if (!moved)
            moved = take_turn(x);
    }
    for (uint32_t i = 0; i < x->e->mpu_count; i++)
        if (x->mpus[i].next < x->mpus[i].count && !x->problem)
            x->problem = "MPUs wait for each other";
}

static void open_mpu(struct player *x, uint32_t number) {
    struct mpu *m = &x->mpus[number];
    m->number = number;
    m->events = x->e->mpus[number].list.data;
    m->count = x->e->mpus[number].list.len;
    m->controllers = xcalloc(x->t->controllers, sizeof *m->controllers);
    ref_recipes_open(&m->recipes, x->t, x->p->code);
    for (uint32_t i = 0; i < x->t->controllers; i++)
        ref_recipes_open(&m->controllers[i].recipes, x->t, x->p->code);
}

static void close_mpu(struct player *x, struct mpu *m) {
    for (uint32_t i = 0; i < x->t->controllers; i++)
        ref_recipes_close(&m->controllers[i].recipes);
    ref_recipes_close(&m->recipes);
    vec_free(&m->port.busy);
    vec_free(&m->flights);
    free(m->controllers);
}

struct ref_times ref_play(struct ref_events *events) {
    struct player x = {.e = events, .p = &events->program, .t = events->program.target};
    struct ref_times out = {.mpu_count = events->mpu_count,
                            .mpu_ps = xcalloc((size_t)events->mpu_count + 1, sizeof *out.mpu_ps)};
    x.noc = timing_noc_open(x.t);
    x.mpus = xcalloc((size_t)events->mpu_count + 1, sizeof *x.mpus);
    for (uint32_t i = 0; i < events->mpu_count; i++)
        open_mpu(&x, i);
    play_all(&x);
    for (uint32_t i = 0; i < events->mpu_count; i++) {
        out.mpu_ps[i] = x.mpus[i].end_ps;
        out.all_ps += x.mpus[i].end_ps;
        out.time_ps = later(out.time_ps, x.mpus[i].end_ps);
        close_mpu(&x, &x.mpus[i]);
    }
    out.cycles = x.cycles;
    out.problem = x.problem;
    free(x.mpus);
    timing_noc_close(x.noc);
    return out;
}
