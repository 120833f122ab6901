/* SPDX-License-Identifier: MIT */
#include "emu/timing/engine.h"

#include "support/alloc.h"
#include "support/saturate.h"

#include <stdlib.h>
#include <string.h>

/* ---- beginning and end ---- */

struct timing *timing_new(const struct timing_setup *setup) {
    struct timing *t = xcalloc(1, sizeof *t);
    *t = (struct timing){.setup = *setup, .target = setup->target};
    timing_batch_model_open(&t->model, setup->target, setup->dp, setup->code, setup->text_len);
    if (setup->lanes)
        t->model.lanes = setup->lanes;
    t->noc = timing_noc_open(setup->target);
    timing_turns_open(&t->turns, setup->mpu_count);
    t->mpus = xcalloc((size_t)setup->mpu_count + 1, sizeof *t->mpus);
    t->number_of = xcalloc((size_t)setup->machine_mpus + 1, sizeof *t->number_of);
    t->insn_ps = xcalloc((size_t)setup->text_len + 1, sizeof *t->insn_ps);
    t->insn_fj = xcalloc((size_t)setup->text_len + 1, sizeof *t->insn_fj);
    t->insn_cycles = xcalloc((size_t)setup->text_len + 1, sizeof *t->insn_cycles);
    for (uint32_t i = 0; i < setup->mpu_count; i++) {
        t->mpus[i].mpu = setup->mpus[i];
        t->number_of[setup->mpus[i]] = i;
        timing_turns_set(&t->turns, i, 0);
        t->mpus[i].controllers =
            xcalloc(setup->target->controllers, sizeof *t->mpus[i].controllers);
    }
    return t;
}

static void free_mpu(struct mpu_time *m) {
    for (size_t i = m->next; i < m->events.len; i++)
        timing_event_free(&m->events.data[i]);
    for (size_t i = 0; i < m->in_flight.len; i++)
        free(m->in_flight.data[i].own);
    vec_free(&m->events);
    vec_free(&m->in_flight);
    vec_free(&m->region_ps);
    vec_free(&m->port.busy);
    free(m->controllers);
}

void timing_free(struct timing *t) {
    if (!t)
        return;
    for (uint32_t i = 0; i < t->setup.mpu_count; i++)
        free_mpu(&t->mpus[i]);
    timing_batch_model_close(&t->model);
    timing_noc_close(t->noc);
    timing_turns_close(&t->turns);
    vec_free(&t->work);
    vec_free(&t->meetings);
    free(t->mpus);
    free(t->number_of);
    free(t->insn_ps);
    free(t->insn_fj);
    free(t->insn_cycles);
    vec_free(&t->region_fj);
    vec_free(&t->region_cycles);
    free(t);
}

void timing_span_report(const struct timing *t, uint32_t mpu, enum timing_unit unit,
                        uint32_t number, uint64_t start_ps, uint64_t end_ps, uint32_t index,
                        uint32_t batch) {
    const struct timing_span s = {mpu, unit, number, start_ps, end_ps, index, batch};
    if (t->setup.span)
        t->setup.span(t->setup.span_context, &s);
}

void timing_spend_fj(struct timing *t, struct timing_place at, uint64_t fj) {
    while (t->region_fj.len <= at.region)
        vec_push(&t->region_fj, 0);
    timing_add(&t->network_fj, fj);
    timing_add(&t->insn_fj[at.index], fj);
    timing_add(&t->region_fj.data[at.region], fj);
}

static void add_region_cycles(struct timing *t, uint32_t region, uint64_t cycles) {
    while (t->region_cycles.len <= region)
        vec_push(&t->region_cycles, 0);
    timing_add(&t->region_cycles.data[region], cycles);
}

void timing_spend_cycles(struct timing *t, enum timing_part part, struct timing_place at,
                         uint64_t cycles) {
    timing_add(&t->part_cycles[part], cycles);
    timing_add(&t->insn_cycles[at.index], cycles);
    add_region_cycles(t, at.region, cycles);
}

void timing_batch_cycles(struct timing *t, const struct batch_time *b, uint64_t times) {
    for (int i = 0; i < TIMING_PARTS; i++)
        timing_add(&t->part_cycles[i], sat_mul(b->part_cycles[i], times));
    for (uint32_t i = 0; i < b->share_count; i++)
        add_region_cycles(t, b->shares[i].region, sat_mul(b->shares[i].cycles, times));
}

/* ---- working events off ---- */

static void queue_work(struct timing *t, uint32_t number) {
    if (!t->mpus[number].queued)
        vec_push(&t->work, number);
    t->mpus[number].queued = true;
}

void timing_wake(struct timing *t, uint32_t mpu) {
    queue_work(t, t->number_of[mpu]);
}

void timing_meeting_queue(struct timing *t, struct meeting *x) {
    vec_push(&t->meetings, x);
}

/* When it sends, or may send, as far as that is known without any other MPU.  The largest time is
 * a turn like others. */
static void set_turn(struct timing *t, const struct mpu_time *m) {
    bool idle = m->next == m->events.len && !m->ended;
    uint64_t ps = m->pending ? m->events.data[m->next].send.ready_ps : m->precoder_ps;
    uint64_t latest = TURN_NEVER - 1;
    ps = ps < latest ? ps : latest;
    timing_turns_set(&t->turns, t->number_of[m->mpu], m->pending || idle ? ps : TURN_NEVER);
}

/* Those that are over make room when they are most of the list. */
static void drop_events(struct mpu_time *m) {
    size_t left = m->events.len - m->next;
    if (m->next < 64 || m->next < left)
        return;
    memmove(m->events.data, m->events.data + m->next, left * sizeof *m->events.data);
    m->events.len = left;
    m->next = 0;
}

/* An MPU goes on until its next event has to wait. */
static void go_on(struct timing *t, struct mpu_time *m) {
    while (m->next < m->events.len) {
        struct timing_event e = m->events.data[m->next];
        bool over = timing_mpu_event(t, m, &e);
        m->waits = !over;
        if (!over) {
            m->events.data[m->next] = e;
            drop_events(m);
            return;
        }
        m->next++;
        timing_event_free(&e);
    }
    m->next = m->events.len = 0;
}

static void work_off(struct timing *t) {
    for (size_t i = 0; i < t->work.len; i++) {
        struct mpu_time *m = &t->mpus[t->work.data[i]];
        m->queued = false;
        go_on(t, m);
        set_turn(t, m);
    }
    vec_clear(&t->work);
}

static void post(struct timing *t, uint32_t mpu, const struct timing_event *e) {
    struct mpu_time *m = timing_mpu_time(t, mpu);
    m->ended = false;
    struct timing_event *last = m->next < m->events.len ? &vec_last(&m->events) : NULL;
    if (last && e->kind == EVENT_SLOTS && last->kind == EVENT_SLOTS && !t->setup.span &&
        last->at.index == e->at.index && last->at.region == e->at.region &&
        !last->top.host_ps == !e->top.host_ps) {
        last->top.slots += e->top.slots;
        last->top.host_ps = sat_add(last->top.host_ps, e->top.host_ps);
        return;
    }
    vec_push(&m->events, *e);
    if (m->waits)
        return;
    queue_work(t, t->number_of[mpu]);
    work_off(t);
}

/* ---- turns on the network ---- */

/* Who is the next to send, or might be. */
struct turn {
    uint64_t ps;
    uint32_t mpu;
    struct mpu_time *sender;
    size_t meeting; /* index + 1 */
};

static void prefer(struct turn *best, struct turn other) {
    if (other.ps < best->ps || (other.ps == best->ps && other.mpu < best->mpu))
        *best = other;
}

static struct turn next_turn(struct timing *t) {
    struct turn best = {UINT64_MAX, UINT32_MAX, NULL, 0};
    uint32_t first = turns_first(&t->turns);
    struct mpu_time *m = &t->mpus[first];
    if (t->turns.ps[first] != TURN_NEVER)
        best = (struct turn){t->turns.ps[first], m->mpu, m->pending ? m : NULL, 0};
    for (size_t i = 0; i < t->meetings.len; i++)
        prefer(&best, (struct turn){t->meetings.data[i]->ready_ps,
                                    t->meetings.data[i]->what.mpus[0], NULL, i + 1});
    return best;
}

static void let_go(struct timing *t, struct mpu_time *m) {
    const struct timing_event *e = &m->events.data[m->next];
    struct timing_message *x = e->send.message;
    struct noc_trip trip = timing_noc_reserve(t->noc, x->from, x->to, x->bytes, e->send.ready_ps);
    x->start_ps = trip.start_ps;
    x->arrival_ps = trip.arrival_ps;
    x->sent = true;
    m->dtc_ps = trip.left_ps > m->dtc_ps ? trip.left_ps : m->dtc_ps;
    m->pending = false;
    t->pending--;
    timing_spend_fj(t, e->at, trip.energy_fj);
    timing_span_report(t, x->from, UNIT_NETWORK, x->to, trip.start_ps, trip.arrival_ps, e->at.index,
                       UINT32_MAX);
    timing_wake(t, x->from);
    timing_wake(t, x->to);
}

static void take_turns(struct timing *t) {
    while (t->pending || t->meetings.len) {
        struct turn x = next_turn(t);
        if (x.sender) {
            let_go(t, x.sender);
        } else if (x.meeting) {
            struct meeting *m = t->meetings.data[x.meeting - 1];
            t->meetings.data[x.meeting - 1] = vec_last(&t->meetings);
            t->meetings.len--;
            timing_meeting_hold(t, m);
        } else {
            return;
        }
        work_off(t);
    }
}

void timing_settle(struct timing *t) {
    take_turns(t);
    timing_save_memory(t);
}

/* ---- events ---- */

/* Parts of the program's code that the instructions of a run need; the caller frees them. */
static uint32_t *parts_of(const struct timing *t, uint32_t first, uint32_t count, bool masked) {
    const struct machine_code *code = t->setup.code;
    uint32_t *parts = xcalloc((size_t)count + 1, sizeof *parts);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t flags = insn_flags(&t->setup.text->insns[first + i]);
        parts[i] = code ? machine_part_of(code, t->setup.text, first + i, masked) : MACHINE_NO_PART;
        masked = (masked || (flags & ISA_PREDICATE_ON)) && !(flags & ISA_PREDICATE_OFF);
    }
    return parts;
}

uint32_t timing_add_run(struct timing *t, const struct dp_code *code,
                        const struct dp_description *about, uint32_t first, uint32_t count,
                        bool masked) {
    struct timing_run r = {.code = code, .first = first, .count = count, .about = *about};
    r.parts = parts_of(t, first, count, masked);
    vec_push(&t->model.runs, r);
    return (uint32_t)t->model.runs.len - 1;
}

uint32_t timing_path(struct timing *t, struct path_record *r) {
    return timing_batch_path(&t->model, r);
}

static void *copy_list(const void *list, size_t count, size_t size) {
    void *copy = xcalloc(count + 1, size);
    if (count)
        memcpy(copy, list, count * size);
    return copy;
}

static struct timing_transfer copy_transfer(const struct timing_transfer *x) {
    struct timing_transfer own = *x;
    own.copies = copy_list(x->copies, x->count, sizeof *x->copies);
    own.vrfs = copy_list(x->vrfs, x->vrf_count, sizeof *x->vrfs);
    return own;
}

void timing_slot(struct timing *t, uint32_t mpu, struct timing_place at, uint64_t host_ps) {
    post(t, mpu, &(struct timing_event){.kind = EVENT_SLOTS, .at = at, .top = {1, host_ps}});
}

void timing_sync(struct timing *t, uint32_t mpu, struct timing_place at, uint64_t host_ps) {
    post(t, mpu, &(struct timing_event){.kind = EVENT_SYNC, .at = at, .top = {1, host_ps}});
}

void timing_end(struct timing *t, uint32_t mpu) {
    timing_mpu_time(t, mpu)->ended = true;
    set_turn(t, timing_mpu_time(t, mpu));
}

void timing_compute(struct timing *t, uint32_t mpu, const struct timing_compute *x) {
    struct timing_event e = {.kind = EVENT_COMPUTE, .at = x->at, .compute = *x};
    e.compute.paths = copy_list(x->paths, x->same_path ? 1 : x->count, sizeof *x->paths);
    post(t, mpu, &e);
}

void timing_transfer(struct timing *t, uint32_t mpu, const struct timing_transfer *x) {
    post(t, mpu,
         &(struct timing_event){.kind = EVENT_TRANSFER, .at = x->at, .transfer = copy_transfer(x)});
}

void timing_message_keep(struct timing_message *m) {
    m->references++;
}

void timing_message_drop(struct timing_message *m) {
    if (m && --m->references == 0)
        free(m);
}

struct timing_message *timing_send(struct timing *t, uint32_t mpu, struct timing_place at,
                                   const struct timing_transfer *inner, uint32_t to, uint64_t bytes,
                                   struct timing_message *room) {
    struct timing_message *m = xcalloc(1, sizeof *m);
    *m = (struct timing_message){.references = 2, .from = mpu, .to = to, .bytes = bytes};
    if (room)
        timing_message_keep(room);
    post(t, mpu,
         &(struct timing_event){
             .kind = EVENT_SEND,
             .at = at,
             .send = {.inner = copy_transfer(inner), .message = m, .room = room}});
    return m;
}

void timing_recv(struct timing *t, uint32_t mpu, struct timing_place at, struct timing_message *m) {
    timing_message_keep(m);
    post(t, mpu, &(struct timing_event){.kind = EVENT_RECV, .at = at, .recv = m});
}

void timing_meet(struct timing *t, const struct timing_meeting *x) {
    struct meeting *m = xcalloc(1, sizeof *m);
    *m = (struct meeting){.what = *x, .references = x->count + 1};
    m->what.mpus = copy_list(x->mpus, x->count, sizeof *x->mpus);
    m->what.charges = copy_list(x->charges, x->charge_count, sizeof *x->charges);
    m->what.crossings = copy_list(x->crossings, x->crossing_count, sizeof *x->crossings);
    struct timing_event e = {.kind = EVENT_MEET, .at = x->at, .meet = m};
    for (uint32_t i = 0; i < x->count; i++)
        post(t, x->mpus[i], &e);
    timing_event_free(&e);
}

/* ---- results ---- */

void timing_finish(struct timing *t) {
    for (uint32_t i = 0; i < t->setup.mpu_count; i++)
        timing_end(t, t->mpus[i].mpu);
    timing_settle(t);
    timing_add_uses(t);
}

void timing_totals(const struct timing *t, struct timing_totals *out) {
    const struct mpu_time *last = &t->mpus[0];
    *out = (struct timing_totals){0};
    for (uint32_t i = 0; i < t->setup.mpu_count; i++) {
        timing_add(&out->mpu_ps, t->mpus[i].end_ps);
        if (t->mpus[i].end_ps > last->end_ps)
            last = &t->mpus[i];
    }
    out->time_ps = last->end_ps;
    out->network_fj = t->network_fj;
    memcpy(out->part_ps, last->part_ps, sizeof out->part_ps);
    memcpy(out->part_cycles, t->part_cycles, sizeof out->part_cycles);
}

struct timing_sums timing_insn(const struct timing *t, uint32_t index) {
    return (struct timing_sums){t->insn_ps[index], t->insn_fj[index], t->insn_cycles[index]};
}

struct timing_sums timing_region(const struct timing *t, uint32_t region) {
    struct timing_sums sums = {0};
    for (uint32_t i = 0; i < t->setup.mpu_count; i++)
        if (region < t->mpus[i].region_ps.len && t->mpus[i].region_ps.data[region] > sums.ps)
            sums.ps = t->mpus[i].region_ps.data[region];
    if (region < t->region_fj.len)
        sums.network_fj = t->region_fj.data[region];
    if (region < t->region_cycles.len)
        sums.cycles = t->region_cycles.data[region];
    return sums;
}

uint64_t timing_now(const struct timing *t, uint32_t mpu) {
    return t->mpus[t->number_of[mpu]].precoder_ps;
}

uint64_t timing_reached(const struct timing *t, uint32_t mpu) {
    return t->mpus[t->number_of[mpu]].end_ps;
}
