/* SPDX-License-Identifier: MIT
 * The events of one MPU, but for its compute ensembles. */
#include "emu/timing/engine.h"

#include "support/alloc.h"
#include "support/saturate.h"

#include <stdlib.h>

struct mpu_time *timing_mpu_time(struct timing *t, uint32_t mpu) {
    return &t->mpus[t->number_of[mpu]];
}

void timing_mpu_reach(struct timing *t, struct mpu_time *m, enum timing_part part,
                      struct timing_place at, uint64_t ps) {
    (void)t;
    if (ps <= m->end_ps)
        return;
    while (m->region_ps.len <= at.region)
        vec_push(&m->region_ps, 0);
    timing_add(&m->part_ps[part], ps - m->end_ps);
    timing_add(&m->region_ps.data[at.region], ps - m->end_ps);
    m->end_ps = ps;
}

void timing_mpu_slots(struct timing *t, struct mpu_time *m, struct timing_place at, uint64_t slots,
                      uint64_t host_ps) {
    uint64_t start = m->precoder_ps;
    uint64_t ps = host_ps ? host_ps : sat_mul(slots, target_issue_ps(t->target));
    m->precoder_ps = sat_add(start, ps);
    timing_spend_cycles(t, TIMING_DECODE, at, host_ps ? 0 : slots);
    timing_add(&t->insn_ps[at.index], ps);
    timing_mpu_reach(t, m, host_ps ? TIMING_HOST : TIMING_DECODE, at, m->precoder_ps);
    timing_span_report(t, m->mpu, UNIT_PRECODER, 0, start, m->precoder_ps, at.index, UINT32_MAX);
}

/* The precoder goes on when all that was issued is over. */
static void wait_for_all(struct mpu_time *m) {
    m->precoder_ps = m->end_ps;
}

static void sync(struct timing *t, struct mpu_time *m, const struct timing_event *e) {
    for (uint32_t i = 0; i < t->target->controllers; i++)
        if (m->controllers[i].free_ps > m->precoder_ps)
            m->precoder_ps = m->controllers[i].free_ps;
    timing_mpu_slots(t, m, e->at, e->top.slots, e->top.host_ps);
}

/* ---- transfers ---- */

/* Instructions that the precoder carries out, until it has handed over the copy behind them. */
static void issue_copy(struct timing *t, struct mpu_time *m, const struct timing_copy *c) {
    m->precoder_ps = sat_add(m->precoder_ps, sat_mul(c->slots, target_issue_ps(t->target)));
    timing_spend_cycles(t, TIMING_DECODE, c->at, c->slots);
    timing_mpu_reach(t, m, TIMING_DECODE, c->at, m->precoder_ps);
    m->precoder_ps = sat_add(m->precoder_ps, c->host_ps);
    timing_mpu_reach(t, m, TIMING_HOST, c->at, m->precoder_ps);
}

/* One copy at a time: the precoder waits with the next one until the last is over.  Returns when
 * all are, if the controller is free at `free_ps`. */
static uint64_t copy(struct timing *t, struct mpu_time *m, const struct timing_transfer *x,
                     uint64_t free_ps) {
    for (uint32_t i = 0; i < x->count; i++) {
        const struct timing_copy *c = &x->copies[i];
        uint64_t start = m->precoder_ps;
        issue_copy(t, m, c);
        timing_add(&t->insn_ps[c->at.index], sat_add(m->precoder_ps - start, c->ps));
        if (c->ps == 0)
            continue;
        if (m->precoder_ps < free_ps)
            m->precoder_ps = free_ps;
        free_ps = sat_add(m->precoder_ps, c->ps);
        timing_mpu_reach(t, m, TIMING_TRANSFER, c->at, free_ps);
    }
    return free_ps;
}

/* Returns when the data-transfer controller is done. */
static uint64_t transfer(struct timing *t, struct mpu_time *m, const struct timing_transfer *x) {
    uint32_t *vrfs = xcalloc(x->vrf_count + 1, sizeof *vrfs);
    uint64_t start = m->precoder_ps > m->dtc_ps ? m->precoder_ps : m->dtc_ps;
    start = timing_mpu_hazards(m, x->vrfs, x->vrf_count, start);
    timing_mpu_reach(t, m, TIMING_NETWORK, x->at, start); /* the buffer still held a message */
    m->dtc_ps = copy(t, m, x, start);
    for (uint32_t i = 0; i < x->vrf_count; i++)
        vrfs[i] = x->vrfs[i];
    timing_mpu_in_flight(
        m,
        &(struct in_flight){.end_ps = m->dtc_ps, .vrfs = vrfs, .count = x->vrf_count, .own = vrfs});
    timing_span_report(t, m->mpu, UNIT_DTC, 0, start, m->dtc_ps, x->at.index, UINT32_MAX);
    return m->dtc_ps;
}

/* ---- messages ---- */

static uint64_t copies_ps(const struct timing_transfer *x) {
    uint64_t ps = 0;
    for (uint32_t i = 0; i < x->count; i++)
        ps = sat_add(ps, x->copies[i].ps);
    return ps;
}

/* First until the message is ready for the network; then it is let go (timing_settle), and the
 * event is over. */
static bool send(struct timing *t, struct mpu_time *m, struct timing_event *e) {
    struct timing_message *room = e->send.room, *out = e->send.message;
    if (e->send.ready)
        return out->sent;
    if (room && !room->received)
        return false;
    if (room && room->room_ps > m->precoder_ps) {
        m->precoder_ps = room->room_ps;
        timing_mpu_reach(t, m, TIMING_WAIT, e->at, m->precoder_ps);
    }
    out->copies_ps = copies_ps(&e->send.inner);
    e->send.ready_ps = transfer(t, m, &e->send.inner);
    e->send.ready = true;
    m->pending = true;
    t->pending++;
    return false;
}

static bool receive(struct timing *t, struct mpu_time *m, struct timing_event *e) {
    struct timing_message *x = e->recv;
    if (!x->sent)
        return false;
    wait_for_all(m);
    timing_mpu_reach(t, m, TIMING_WAIT, e->at, x->start_ps);
    timing_mpu_reach(t, m, TIMING_NETWORK, e->at, x->arrival_ps);
    timing_mpu_reach(t, m, TIMING_NETWORK, e->at, m->dtc_ps);
    uint64_t start = m->end_ps;
    timing_mpu_reach(t, m, TIMING_TRANSFER, e->at, sat_add(start, x->copies_ps));
    timing_add(&t->insn_ps[e->at.index], x->copies_ps);
    timing_span_report(t, m->mpu, UNIT_DTC, 0, start, m->end_ps, e->at.index, UINT32_MAX);
    m->precoder_ps = m->dtc_ps = x->room_ps = m->end_ps;
    x->received = true;
    timing_wake(t, x->from);
    return true;
}

/* ---- meetings ---- */

/* Arrivals move the ends of receivers; a sender's data-transfer controller is busy until its last
 * message has left it. */
static void send_crossings(struct timing *t, const struct meeting *x) {
    for (uint32_t i = 0; i < x->what.crossing_count; i++) {
        const struct timing_crossing *c = &x->what.crossings[i];
        struct noc_trip trip = timing_noc_reserve(t->noc, c->from, c->to, c->bytes, x->ready_ps);
        timing_mpu_reach(t, timing_mpu_time(t, c->from), TIMING_NETWORK, x->what.at, trip.left_ps);
        timing_mpu_reach(t, timing_mpu_time(t, c->to), TIMING_NETWORK, x->what.at, trip.arrival_ps);
        timing_spend_fj(t, x->what.at, trip.energy_fj);
        timing_span_report(t, c->from, UNIT_NETWORK, c->to, trip.start_ps, trip.arrival_ps,
                           x->what.at.index, UINT32_MAX);
    }
}

void timing_meeting_hold(struct timing *t, struct meeting *x) {
    const struct timing_meeting *w = &x->what;
    for (uint32_t i = 0; i < w->count; i++)
        timing_mpu_reach(t, timing_mpu_time(t, w->mpus[i]), TIMING_WAIT, w->at, x->ready_ps);
    for (uint32_t i = 0; i < w->charge_count; i++) {
        struct mpu_time *m = timing_mpu_time(t, w->charges[i].mpu);
        uint64_t end = sat_add(x->ready_ps, w->charges[i].ps);
        timing_mpu_reach(t, m, TIMING_TRANSFER, w->at, end);
        timing_add(&t->insn_ps[w->at.index], w->charges[i].ps);
        timing_span_report(t, m->mpu, UNIT_DTC, 0, x->ready_ps, end, w->at.index, UINT32_MAX);
    }
    send_crossings(t, x);
    for (uint32_t i = 0; i < w->count; i++) {
        struct mpu_time *m = timing_mpu_time(t, w->mpus[i]);
        uint64_t answer = sat_add(m->end_ps, sat_mul(w->hops, t->target->hop_ps));
        timing_mpu_reach(t, m, TIMING_NETWORK, w->at, answer);
        m->precoder_ps = m->end_ps;
        if (m->dtc_ps < m->end_ps) /* the buffer may hold a message for longer */
            m->dtc_ps = m->end_ps;
        timing_wake(t, m->mpu);
    }
    x->held = true;
}

/* Over when the meeting was held. */
static bool meet(struct timing *t, struct mpu_time *m, struct meeting *x) {
    if (m->waits)
        return x->held;
    if (x->what.charge_count || x->what.crossing_count)
        timing_mpu_reach(t, m, TIMING_NETWORK, x->what.at, m->dtc_ps);
    wait_for_all(m);
    x->ready_ps = m->end_ps > x->ready_ps ? m->end_ps : x->ready_ps;
    if (++x->here == x->what.count && x->what.crossing_count)
        timing_meeting_queue(t, x);
    else if (x->here == x->what.count)
        timing_meeting_hold(t, x);
    return x->held;
}

/* ---- all events ---- */

bool timing_mpu_event(struct timing *t, struct mpu_time *m, struct timing_event *e) {
    switch (e->kind) {
    case EVENT_SLOTS:
        timing_mpu_slots(t, m, e->at, e->top.slots, e->top.host_ps);
        return true;
    case EVENT_SYNC:
        sync(t, m, e);
        return true;
    case EVENT_COMPUTE:
        timing_mpu_compute(t, m, &e->compute);
        return true;
    case EVENT_TRANSFER:
        transfer(t, m, &e->transfer);
        return true;
    case EVENT_SEND:
        return send(t, m, e);
    case EVENT_RECV:
        return receive(t, m, e);
    case EVENT_MEET:
        return meet(t, m, e->meet);
    }
    return true;
}

static void free_transfer(const struct timing_transfer *x) {
    free((void *)(uintptr_t)x->copies);
    free((void *)(uintptr_t)x->vrfs);
}

void timing_event_free(struct timing_event *e) {
    switch (e->kind) {
    case EVENT_COMPUTE:
        free((void *)(uintptr_t)e->compute.paths);
        break;
    case EVENT_TRANSFER:
        free_transfer(&e->transfer);
        break;
    case EVENT_SEND:
        free_transfer(&e->send.inner);
        timing_message_drop(e->send.message);
        timing_message_drop(e->send.room);
        break;
    case EVENT_RECV:
        timing_message_drop(e->recv);
        break;
    case EVENT_MEET:
        if (--e->meet->references)
            break;
        free((void *)(uintptr_t)e->meet->what.mpus);
        free((void *)(uintptr_t)e->meet->what.charges);
        free((void *)(uintptr_t)e->meet->what.crossings);
        free(e->meet);
        break;
    default:
        break;
    }
}
