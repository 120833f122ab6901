/* SPDX-License-Identifier: MIT
 * The events of one MPU other than compute ensembles. */
#include "emu/timing/engine.h"

#include "support/alloc.h"
#include "support/saturate.h"

#include <stdlib.h>

struct timing_mpu *timing_mpu_time(struct timing *timing, uint32_t mpu) {
    return &timing->mpus[timing->number_of[mpu]];
}

/* Work of the part ends at `ps`: if that is later, it moves the end of the MPU's work. */
static void timing_mpu_reach(struct timing *timing, struct timing_mpu *time, enum timing_part part,
                             struct timing_place at, uint64_t ps) {
    (void)timing;
    if (ps <= time->end_ps)
        return;
    while (time->region_ps.len <= at.region)
        vec_push(&time->region_ps, 0);
    timing_add(&time->part_ps[part], ps - time->end_ps);
    timing_add(&time->region_ps.data[at.region], ps - time->end_ps);
    time->end_ps = ps;
}

void timing_mpu_slots(struct timing *timing, struct timing_mpu *time, struct timing_place at,
                      uint64_t slots, uint64_t host_ps) {
    uint64_t start = time->precoder_ps, decode_ps = target_decode_ps(timing->target);
    uint64_t ps = host_ps ? host_ps : sat_mul(slots, decode_ps);
    time->precoder_ps = sat_add(start, ps);
    slots = decode_ps ? slots : 0;
    timing_spend_cycles(timing, TIMING_DECODE, at, host_ps ? 0 : slots);
    timing_add(&timing->insn_ps[at.index], ps);
    timing_mpu_reach(timing, time, host_ps ? TIMING_HOST : TIMING_DECODE, at, time->precoder_ps);
    struct timing_span s =
        timing_span_of(time->mpu, UNIT_PRECODER, 0, start, time->precoder_ps, at.index);
    s.cycles = host_ps ? 0 : slots;
    s.part = host_ps ? TIMING_HOST : TIMING_DECODE;
    timing_span_report(timing, &s);
}

/* The precoder goes on when all that was issued is over. */
static void wait_for_all(struct timing_mpu *time) {
    time->precoder_ps = time->end_ps;
}

static void sync(struct timing *timing, struct timing_mpu *time, const struct timing_event *event) {
    for (uint32_t i = 0; i < timing->target->controllers; i++)
        if (time->controllers[i].free_ps > time->precoder_ps)
            time->precoder_ps = time->controllers[i].free_ps;
    timing_mpu_slots(timing, time, event->at, event->top.slots, event->top.host_ps);
}

/* ---- transfers ---- */

/* Instructions that the precoder carries out, until it has handed over the copy behind them. */
static void issue_copy(struct timing *timing, struct timing_mpu *time,
                       const struct timing_copy *copy) {
    uint64_t decode_ps = target_decode_ps(timing->target);
    time->precoder_ps = sat_add(time->precoder_ps, sat_mul(copy->slots, decode_ps));
    timing_spend_cycles(timing, TIMING_DECODE, copy->at, decode_ps ? copy->slots : 0);
    timing_mpu_reach(timing, time, TIMING_DECODE, copy->at, time->precoder_ps);
    time->precoder_ps = sat_add(time->precoder_ps, copy->host_ps);
    timing_mpu_reach(timing, time, TIMING_HOST, copy->at, time->precoder_ps);
}

/* One copy at a time: the precoder waits with the next one until the last is over.  Returns when
 * all are, if the controller is free at `free_ps`. */
static uint64_t copy(struct timing *timing, struct timing_mpu *time,
                     const struct timing_transfer *transfer, uint64_t free_ps) {
    for (uint32_t i = 0; i < transfer->count; i++) {
        const struct timing_copy *c = &transfer->copies[i];
        uint64_t start = time->precoder_ps;
        issue_copy(timing, time, c);
        timing_add(&timing->insn_ps[c->at.index], sat_add(time->precoder_ps - start, c->ps));
        if (c->ps == 0)
            continue;
        if (time->precoder_ps < free_ps)
            time->precoder_ps = free_ps;
        free_ps = sat_add(time->precoder_ps, c->ps);
        timing_mpu_reach(timing, time, TIMING_TRANSFER, c->at, free_ps);
    }
    return free_ps;
}

/* Returns when the data-transfer controller is done. */
static uint64_t transfer(struct timing *timing, struct timing_mpu *time,
                         const struct timing_transfer *transfer) {
    uint32_t *vrfs = xcalloc(transfer->vrf_count + 1, sizeof *vrfs);
    uint64_t start = time->precoder_ps > time->dtc_ps ? time->precoder_ps : time->dtc_ps;
    start = timing_mpu_hazards(time, transfer->vrfs, transfer->vrf_count, start);
    timing_mpu_reach(timing, time, TIMING_NETWORK, transfer->at,
                     start); /* the buffer still held a message */
    time->dtc_ps = copy(timing, time, transfer, start);
    for (uint32_t i = 0; i < transfer->vrf_count; i++)
        vrfs[i] = transfer->vrfs[i];
    timing_mpu_in_flight(
        time, &(struct in_flight){
                  .end_ps = time->dtc_ps, .vrfs = vrfs, .count = transfer->vrf_count, .own = vrfs});
    struct timing_span s =
        timing_span_of(time->mpu, UNIT_DTC, 0, start, time->dtc_ps, transfer->at.index);
    for (uint32_t i = 0; i < transfer->count; i++)
        s.cycles += transfer->copies[i].slots;
    for (uint32_t i = 0; i < transfer->count; i++)
        timing_add(&s.energy_fj, transfer->copies[i].energy_fj);
    s.part = TIMING_TRANSFER;
    timing_span_report(timing, &s);
    return time->dtc_ps;
}

/* ---- messages ---- */

static uint64_t copies_ps(const struct timing_transfer *transfer) {
    uint64_t ps = 0;
    for (uint32_t i = 0; i < transfer->count; i++)
        ps = sat_add(ps, transfer->copies[i].ps);
    return ps;
}

/* First until the message is ready for the network; then it is let go (timing_settle), and the
 * event is over. */
static bool send(struct timing *timing, struct timing_mpu *time, struct timing_event *event) {
    struct timing_message *room = event->send.room, *out = event->send.message;
    if (event->send.ready)
        return out->sent;
    if (room && !room->received)
        return false;
    if (room && room->room_ps > time->precoder_ps) {
        time->precoder_ps = room->room_ps;
        timing_mpu_reach(timing, time, TIMING_WAIT, event->at, time->precoder_ps);
    }
    out->copies_ps = copies_ps(&event->send.inner);
    event->send.ready_ps = transfer(timing, time, &event->send.inner);
    event->send.ready = true;
    time->pending = true;
    timing->pending++;
    return false;
}

/* In the span that the receiver has because of it. */
static void report_arrival(const struct timing *timing, const struct timing_span *span, uint64_t ps,
                           uint64_t message) {
    struct timing_span s = *span;
    s.kind = SPAN_ARRIVAL;
    s.start_ps = s.end_ps = ps;
    s.message = message;
    timing_span_report(timing, &s);
}

static bool receive(struct timing *timing, struct timing_mpu *time, struct timing_event *event) {
    struct timing_message *x = event->recv;
    if (!x->sent)
        return false;
    wait_for_all(time);
    timing_mpu_reach(timing, time, TIMING_WAIT, event->at, x->start_ps);
    timing_mpu_reach(timing, time, TIMING_NETWORK, event->at, x->arrival_ps);
    timing_mpu_reach(timing, time, TIMING_NETWORK, event->at, time->dtc_ps);
    uint64_t start = time->end_ps;
    timing_mpu_reach(timing, time, TIMING_TRANSFER, event->at, sat_add(start, x->copies_ps));
    timing_add(&timing->insn_ps[event->at.index], x->copies_ps);
    struct timing_span s =
        timing_span_of(time->mpu, UNIT_DTC, 0, start, time->end_ps, event->at.index);
    s.part = TIMING_TRANSFER;
    timing_span_report(timing, &s);
    report_arrival(timing, &s, start, x->number);
    time->precoder_ps = time->dtc_ps = x->room_ps = time->end_ps;
    x->received = true;
    timing_wake(timing, x->from);
    return true;
}

/* ---- meetings ---- */

/* The message of a crossing, which leaves with it; its arrival lies in what the receiver's precoder
 * has of the meeting. */
static void report_crossing(struct timing *timing, const struct meeting *meeting,
                            const struct timing_crossing *crossing, const struct noc_trip *trip) {
    struct timing_span s = timing_span_of(crossing->from, UNIT_NETWORK, crossing->to,
                                          trip->start_ps, trip->arrival_ps, meeting->what.at.index);
    s.message = ++timing->messages;
    s.part = TIMING_NETWORK;
    s.energy_fj = trip->energy_fj;
    timing_span_report(timing, &s);
    s = timing_span_of(crossing->to, UNIT_PRECODER, 0, 0, 0, meeting->what.at.index);
    report_arrival(timing, &s, trip->arrival_ps, timing->messages);
}

/* Arrivals move the ends of receivers; a sender's data-transfer controller is busy until its last
 * message has left it. */
static void send_crossings(struct timing *timing, const struct meeting *meeting) {
    for (uint32_t i = 0; i < meeting->what.crossing_count; i++) {
        const struct timing_crossing *c = &meeting->what.crossings[i];
        struct noc_trip trip =
            timing_noc_reserve(timing->noc, c->from, c->to, c->bytes, meeting->ready_ps);
        timing_mpu_reach(timing, timing_mpu_time(timing, c->from), TIMING_NETWORK, meeting->what.at,
                         trip.left_ps);
        timing_mpu_reach(timing, timing_mpu_time(timing, c->to), TIMING_NETWORK, meeting->what.at,
                         trip.arrival_ps);
        timing_spend_fj(timing, meeting->what.at, trip.energy_fj);
        report_crossing(timing, meeting, c, &trip);
    }
}

/* The precoder waits from the meeting on until what came of it is there. */
static void report_meeting(const struct timing *timing, const struct meeting *meeting,
                           const struct timing_mpu *time) {
    struct timing_span s = timing_span_of(time->mpu, UNIT_PRECODER, 0, meeting->ready_ps,
                                          time->end_ps, meeting->what.at.index);
    s.part = TIMING_WAIT;
    timing_span_report(timing, &s);
}

/* The kernel, and what each unit did of it, to whose parts the time gives their energy: that of
 * each unit is not known. */
static void report_kernel(const struct timing *timing, const struct timing_meeting *what,
                          uint64_t start_ps, uint64_t end_ps) {
    uint32_t per_mpu = target_vrfs_per_mpu(timing->target);
    struct timing_span s =
        timing_span_of(timing->target->mpus, UNIT_KERNEL, 0, start_ps, end_ps, what->at.index);
    uint64_t given = 0, ps = 0, all_ps = 0;
    s.part = TIMING_COMPUTE;
    s.energy_fj = what->kernel_fj;
    if (what->shown)
        timing_span_report(timing, &s);
    for (uint32_t i = 0; i < what->bar_count; i++)
        timing_add(&all_ps, what->bars[i].ps);
    for (uint32_t i = 0; i < what->bar_count; i++) {
        const struct dp_bar *b = &what->bars[i];
        uint64_t start = sat_add(start_ps, b->start_ps);
        s = timing_span_of(b->unit / per_mpu, UNIT_TRACK, b->unit % per_mpu, start,
                           sat_add(start, b->ps), what->at.index);
        s.track = b->track;
        s.part = TIMING_COMPUTE;
        timing_add(&ps, b->ps);
        uint64_t until = all_ps ? sat_scale(what->kernel_fj, ps, all_ps) : 0;
        s.energy_fj = until - given;
        given = until;
        timing_span_report(timing, &s);
    }
}

/* Its MPUs are busy with it at the same time. */
static void hold_kernel(struct timing *timing, const struct meeting *meeting) {
    const struct timing_meeting *w = &meeting->what;
    bool host = timing->target->control != CONTROL_MPU;
    uint64_t start = sat_add(meeting->ready_ps, w->launch_ps), end = sat_add(start, w->kernel_ps);
    if (!w->launch_ps && !w->kernel_ps)
        return;
    for (uint32_t i = 0; i < w->count; i++) {
        struct timing_mpu *m = timing_mpu_time(timing, w->mpus[i]);
        timing_mpu_reach(timing, m, host ? TIMING_HOST : TIMING_DECODE, w->at, start);
        timing_mpu_reach(timing, m, TIMING_COMPUTE, w->at, end);
        timing_add(&timing->insn_ps[w->at.index], end - meeting->ready_ps);
    }
    report_kernel(timing, w, start, end);
}

void timing_meeting_hold(struct timing *timing, struct meeting *meeting) {
    const struct timing_meeting *w = &meeting->what;
    for (uint32_t i = 0; i < w->count; i++)
        timing_mpu_reach(timing, timing_mpu_time(timing, w->mpus[i]), TIMING_WAIT, w->at,
                         meeting->ready_ps);
    for (uint32_t i = 0; i < w->charge_count; i++) {
        struct timing_mpu *m = timing_mpu_time(timing, w->charges[i].mpu);
        uint64_t end = sat_add(meeting->ready_ps, w->charges[i].ps);
        timing_mpu_reach(timing, m, TIMING_TRANSFER, w->at, end);
        timing_add(&timing->insn_ps[w->at.index], w->charges[i].ps);
        struct timing_span s =
            timing_span_of(m->mpu, UNIT_DTC, 0, meeting->ready_ps, end, w->at.index);
        s.part = TIMING_TRANSFER;
        s.energy_fj = w->charges[i].energy_fj;
        timing_span_report(timing, &s);
    }
    hold_kernel(timing, meeting);
    send_crossings(timing, meeting);
    for (uint32_t i = 0; i < w->count; i++) {
        struct timing_mpu *m = timing_mpu_time(timing, w->mpus[i]);
        uint64_t answer = sat_add(m->end_ps, sat_mul(w->hops, timing->target->hop_ps));
        timing_mpu_reach(timing, m, TIMING_NETWORK, w->at, answer);
        report_meeting(timing, meeting, m);
        m->precoder_ps = m->end_ps;
        if (m->dtc_ps < m->end_ps) /* the buffer may hold a message for longer */
            m->dtc_ps = m->end_ps;
        timing_wake(timing, m->mpu);
    }
    meeting->held = true;
}

/* Over when the meeting was held. */
static bool meet(struct timing *timing, struct timing_mpu *time, struct meeting *meeting) {
    if (time->waits)
        return meeting->held;
    if (meeting->what.charge_count || meeting->what.crossing_count)
        timing_mpu_reach(timing, time, TIMING_NETWORK, meeting->what.at, time->dtc_ps);
    wait_for_all(time);
    meeting->ready_ps = time->end_ps > meeting->ready_ps ? time->end_ps : meeting->ready_ps;
    if (++meeting->here == meeting->what.count && meeting->what.crossing_count)
        timing_meeting_queue(timing, meeting);
    else if (meeting->here == meeting->what.count)
        timing_meeting_hold(timing, meeting);
    return meeting->held;
}

/* ---- all events ---- */

bool timing_mpu_event(struct timing *timing, struct timing_mpu *time, struct timing_event *event) {
    switch (event->kind) {
    case EVENT_SLOTS:
        timing_mpu_slots(timing, time, event->at, event->top.slots, event->top.host_ps);
        return true;
    case EVENT_SYNC:
        sync(timing, time, event);
        return true;
    case EVENT_COMPUTE:
        timing_mpu_compute(timing, time, &event->compute);
        return true;
    case EVENT_TRANSFER:
        transfer(timing, time, &event->transfer);
        return true;
    case EVENT_SEND:
        return send(timing, time, event);
    case EVENT_RECV:
        return receive(timing, time, event);
    case EVENT_MEET:
        return meet(timing, time, event->meet);
    }
    return true;
}

static void free_transfer(const struct timing_transfer *transfer) {
    free((void *)(uintptr_t)transfer->copies);
    free((void *)(uintptr_t)transfer->vrfs);
}

void timing_event_free(struct timing_event *event) {
    switch (event->kind) {
    case EVENT_COMPUTE:
        for (uint32_t i = 0; event->compute.told && i < event->compute.count; i++)
            if (event->compute.told[i])
                timing_batch_time_free(timing_batch_end(event->compute.told[i]));
        free(event->compute.told);
        free((void *)(uintptr_t)event->compute.paths);
        free((void *)(uintptr_t)event->compute.batch_fj);
        free((void *)(uintptr_t)event->compute.decisions);
        break;
    case EVENT_TRANSFER:
        free_transfer(&event->transfer);
        break;
    case EVENT_SEND:
        free_transfer(&event->send.inner);
        timing_message_drop(event->send.message);
        timing_message_drop(event->send.room);
        break;
    case EVENT_RECV:
        timing_message_drop(event->recv);
        break;
    case EVENT_MEET:
        if (--event->meet->references)
            break;
        free((void *)(uintptr_t)event->meet->what.mpus);
        free((void *)(uintptr_t)event->meet->what.charges);
        free((void *)(uintptr_t)event->meet->what.crossings);
        free((void *)(uintptr_t)event->meet->what.bars);
        free(event->meet);
        break;
    default:
        break;
    }
}
