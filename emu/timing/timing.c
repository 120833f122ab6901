/* SPDX-License-Identifier: MIT
 * The timing model as a whole: the control path posts events, and MPUs take them in their order. */
#include "emu/timing/engine.h"

#include "support/alloc.h"
#include "support/saturate.h"

#include <stdlib.h>
#include <string.h>

/* ---- recipe tables ---- */

static bool is_private(const struct target *target) {
    return target->recipe_table == RECIPE_TABLE_PRIVATE;
}

size_t timing_table_count(const struct target *target) {
    return (size_t)target->mpus * (is_private(target) ? target->controllers : 1);
}

/* The contents of table k of MPU i of those that are used. */
static uint32_t *contents_of(const struct timing *timing, uint32_t i, uint32_t k) {
    struct timing_mpu *m = &timing->mpus[i];
    return is_private(timing->target) ? &m->controllers[k].recipes : &m->recipes;
}

static void exchange_tables(struct timing *timing, bool begin) {
    struct timing_tables *tables = timing->setup.tables;
    struct recipe_cache *cache = &timing->model.recipes;
    uint32_t each = is_private(timing->target) ? timing->target->controllers : 1;
    for (uint32_t i = 0; i < timing->setup.mpu_count; i++)
        for (uint32_t k = 0; k < each; k++) {
            uint32_t *contents = contents_of(timing, i, k);
            size_t table = (size_t)timing->mpus[i].mpu * each + k;
            if (begin)
                *contents = timing_tables_get(tables, table, cache);
            else
                timing_tables_put(tables, table, cache, *contents);
        }
}

/* Contents have other numbers when memory is saved in between. */
static void begin_tables(struct timing *timing) {
    if (!timing->setup.tables)
        return;
    timing_tables_begin(timing->setup.tables);
    exchange_tables(timing, true);
}

static void end_tables(struct timing *timing) {
    if (!timing->setup.tables)
        return;
    exchange_tables(timing, false);
    timing_tables_end(timing->setup.tables);
}

/* ---- beginning and end ---- */

struct timing *timing_new(const struct timing_setup *setup) {
    struct timing *t = xcalloc(1, sizeof *t);
    *t = (struct timing){.setup = *setup, .target = setup->target};
    timing_batch_model_open(&t->model, setup->target, setup->dp, setup->code, setup->text_len);
    if (setup->lanes)
        t->model.lanes = setup->lanes;
    t->model.bars = setup->bars;
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
    begin_tables(t);
    return t;
}

static void free_mpu(struct timing_mpu *time) {
    for (size_t i = time->next; i < time->events.len; i++)
        timing_event_free(&time->events.data[i]);
    for (size_t i = 0; i < time->in_flight.len; i++)
        free(time->in_flight.data[i].own);
    vec_free(&time->events);
    vec_free(&time->in_flight);
    vec_free(&time->region_ps);
    vec_free(&time->port.busy);
    free(time->controllers);
}

void timing_free(struct timing *timing) {
    if (!timing)
        return;
    for (uint32_t i = 0; i < timing->setup.mpu_count; i++)
        free_mpu(&timing->mpus[i]);
    timing_batch_model_close(&timing->model);
    timing_noc_close(timing->noc);
    timing_turns_close(&timing->turns);
    vec_free(&timing->work);
    vec_free(&timing->meetings);
    free(timing->mpus);
    free(timing->number_of);
    free(timing->insn_ps);
    free(timing->insn_fj);
    free(timing->insn_cycles);
    vec_free(&timing->region_fj);
    vec_free(&timing->region_cycles);
    free(timing);
}

void timing_span_report(const struct timing *timing, const struct timing_span *span) {
    if (timing->setup.span)
        timing->setup.span(timing->setup.span_context, span);
}

void timing_spend_fj(struct timing *timing, struct timing_place at, uint64_t fj) {
    while (timing->region_fj.len <= at.region)
        vec_push(&timing->region_fj, 0);
    timing_add(&timing->network_fj, fj);
    timing_add(&timing->insn_fj[at.index], fj);
    timing_add(&timing->region_fj.data[at.region], fj);
}

static void add_region_cycles(struct timing *timing, uint32_t region, uint64_t cycles) {
    while (timing->region_cycles.len <= region)
        vec_push(&timing->region_cycles, 0);
    timing_add(&timing->region_cycles.data[region], cycles);
}

void timing_spend_cycles(struct timing *timing, enum timing_part part, struct timing_place at,
                         uint64_t cycles) {
    timing_add(&timing->part_cycles[part], cycles);
    timing_add(&timing->insn_cycles[at.index], cycles);
    add_region_cycles(timing, at.region, cycles);
}

void timing_batch_cycles(struct timing *timing, const struct batch_time *time, uint64_t times) {
    for (int i = 0; i < TIMING_PARTS; i++)
        timing_add(&timing->part_cycles[i], sat_mul(time->part_cycles[i], times));
    for (uint32_t i = 0; i < time->share_count; i++)
        add_region_cycles(timing, time->shares[i].region, sat_mul(time->shares[i].cycles, times));
}

/* ---- working events off ---- */

static void queue_work(struct timing *timing, uint32_t number) {
    if (!timing->mpus[number].queued)
        vec_push(&timing->work, number);
    timing->mpus[number].queued = true;
}

void timing_wake(struct timing *timing, uint32_t mpu) {
    queue_work(timing, timing->number_of[mpu]);
}

void timing_meeting_queue(struct timing *timing, struct meeting *meeting) {
    vec_push(&timing->meetings, meeting);
}

/* When it sends, or may send, as far as that is known without any other MPU.  The largest time is
 * a turn like others. */
static void set_turn(struct timing *timing, const struct timing_mpu *time) {
    bool idle = time->next == time->events.len && !time->ended;
    uint64_t ps = time->pending ? time->events.data[time->next].send.ready_ps : time->precoder_ps;
    uint64_t latest = TURN_NEVER - 1;
    ps = ps < latest ? ps : latest;
    timing_turns_set(&timing->turns, timing->number_of[time->mpu],
                     time->pending || idle ? ps : TURN_NEVER);
}

/* Those that are over make room when they are most of the list. */
static void drop_events(struct timing_mpu *time) {
    size_t left = time->events.len - time->next;
    if (time->next < 64 || time->next < left)
        return;
    memmove(time->events.data, time->events.data + time->next, left * sizeof *time->events.data);
    time->events.len = left;
    time->next = 0;
}

/* An MPU goes on until its next event has to wait. */
static void go_on(struct timing *timing, struct timing_mpu *time) {
    while (time->next < time->events.len) {
        struct timing_event e = time->events.data[time->next];
        bool over = timing_mpu_event(timing, time, &e);
        time->waits = !over;
        if (!over) {
            time->events.data[time->next] = e;
            drop_events(time);
            return;
        }
        time->next++;
        timing_event_free(&e);
    }
    time->next = time->events.len = 0;
}

static void work_off(struct timing *timing) {
    for (size_t i = 0; i < timing->work.len; i++) {
        struct timing_mpu *m = &timing->mpus[timing->work.data[i]];
        m->queued = false;
        go_on(timing, m);
        set_turn(timing, m);
    }
    vec_clear(&timing->work);
}

static void post(struct timing *timing, uint32_t mpu, const struct timing_event *event) {
    struct timing_mpu *m = timing_mpu_time(timing, mpu);
    m->ended = false;
    struct timing_event *last = m->next < m->events.len ? &vec_last(&m->events) : NULL;
    if (last && event->kind == EVENT_SLOTS && last->kind == EVENT_SLOTS && !timing->setup.span &&
        last->at.index == event->at.index && last->at.region == event->at.region &&
        !last->top.host_ps == !event->top.host_ps) {
        last->top.slots += event->top.slots;
        last->top.host_ps = sat_add(last->top.host_ps, event->top.host_ps);
        return;
    }
    vec_push(&m->events, *event);
    if (m->waits)
        return;
    queue_work(timing, timing->number_of[mpu]);
    work_off(timing);
}

/* ---- turns on the network ---- */

/* Who is the next to send, or might be. */
struct turn {
    uint64_t ps;
    uint32_t mpu;
    struct timing_mpu *sender;
    size_t meeting; /* index + 1 */
};

static void prefer(struct turn *best, struct turn other) {
    if (other.ps < best->ps || (other.ps == best->ps && other.mpu < best->mpu))
        *best = other;
}

static struct turn next_turn(struct timing *timing) {
    struct turn best = {UINT64_MAX, UINT32_MAX, NULL, 0};
    uint32_t first = turns_first(&timing->turns);
    struct timing_mpu *m = &timing->mpus[first];
    if (timing->turns.ps[first] != TURN_NEVER)
        best = (struct turn){timing->turns.ps[first], m->mpu, m->pending ? m : NULL, 0};
    for (size_t i = 0; i < timing->meetings.len; i++)
        prefer(&best, (struct turn){timing->meetings.data[i]->ready_ps,
                                    timing->meetings.data[i]->what.mpus[0], NULL, i + 1});
    return best;
}

static void let_go(struct timing *timing, struct timing_mpu *time) {
    const struct timing_event *e = &time->events.data[time->next];
    struct timing_message *x = e->send.message;
    struct noc_trip trip =
        timing_noc_reserve(timing->noc, x->from, x->to, x->bytes, e->send.ready_ps);
    x->start_ps = trip.start_ps;
    x->arrival_ps = trip.arrival_ps;
    x->sent = true;
    time->dtc_ps = trip.left_ps > time->dtc_ps ? trip.left_ps : time->dtc_ps;
    time->pending = false;
    timing->pending--;
    timing_spend_fj(timing, e->at, trip.energy_fj);
    struct timing_span s =
        timing_span_of(x->from, UNIT_NETWORK, x->to, trip.start_ps, trip.arrival_ps, e->at.index);
    s.message = x->number;
    s.part = TIMING_NETWORK;
    s.energy_fj = trip.energy_fj;
    timing_span_report(timing, &s);
    timing_wake(timing, x->from);
    timing_wake(timing, x->to);
}

static void take_turns(struct timing *timing) {
    while (timing->pending || timing->meetings.len) {
        struct turn x = next_turn(timing);
        if (x.sender) {
            let_go(timing, x.sender);
        } else if (x.meeting) {
            struct meeting *m = timing->meetings.data[x.meeting - 1];
            timing->meetings.data[x.meeting - 1] = vec_last(&timing->meetings);
            timing->meetings.len--;
            timing_meeting_hold(timing, m);
        } else {
            return;
        }
        work_off(timing);
    }
}

void timing_settle(struct timing *timing) {
    take_turns(timing);
    timing_save_memory(timing);
}

/* ---- events ---- */

/* Parts of the program's code that the instructions of a run need; the caller frees them. */
static uint32_t *parts_of(const struct timing *timing, uint32_t first, uint32_t count, uint32_t kin,
                          bool masked) {
    const struct machine_code *code = timing->setup.code;
    uint32_t *parts = xcalloc((size_t)count + 1, sizeof *parts);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t flags = insn_flags(&timing->setup.text->insns[first + i]);
        parts[i] = code ? machine_part_of(code, timing->setup.text, first + i, kin, masked)
                        : MACHINE_NO_PART;
        masked = (masked || (flags & ISA_PREDICATE_ON)) && !(flags & ISA_PREDICATE_OFF);
    }
    return parts;
}

uint32_t timing_add_run(struct timing *timing, const struct dp_code *code,
                        const struct dp_description *about, uint32_t first, uint32_t count,
                        uint32_t kin, bool masked) {
    struct timing_run r = {.code = code, .first = first, .count = count, .about = *about};
    r.parts = parts_of(timing, first, count, kin, masked);
    vec_push(&timing->model.runs, r);
    return (uint32_t)timing->model.runs.len - 1;
}

uint32_t timing_path(struct timing *timing, struct path_record *record) {
    return timing_batch_path(&timing->model, record);
}

struct batch_run *timing_begin(struct timing *timing, uint32_t mpu, uint32_t vrfs, bool first) {
    const struct timing_mpu *m = timing_mpu_time(timing, mpu);
    if (timing->target->controllers > 1 || timing->model.bars || m->next < m->events.len)
        return NULL;
    if (!first)
        return timing_batch_begin_blind(&timing->model, vrfs);
    return timing_batch_begin(&timing->model, vrfs, 0,
                              *contents_of(timing, timing->number_of[mpu], 0), NULL, 0);
}

void timing_take(struct batch_run *run, struct path_record *record) {
    if (timing_batch_try(run, record->steps.data, (uint32_t)record->steps.len))
        record->steps.len = record->loops.len = 0;
}

static void *copy_list(const void *list, size_t count, size_t size) {
    void *copy = xcalloc(count + 1, size);
    if (count)
        memcpy(copy, list, count * size);
    return copy;
}

static struct timing_transfer copy_transfer(const struct timing_transfer *transfer) {
    struct timing_transfer own = *transfer;
    own.copies = copy_list(transfer->copies, transfer->count, sizeof *transfer->copies);
    own.vrfs = copy_list(transfer->vrfs, transfer->vrf_count, sizeof *transfer->vrfs);
    return own;
}

void timing_slot(struct timing *timing, uint32_t mpu, struct timing_place at, uint64_t host_ps) {
    post(timing, mpu, &(struct timing_event){.kind = EVENT_SLOTS, .at = at, .top = {1, host_ps}});
}

void timing_sync(struct timing *timing, uint32_t mpu, struct timing_place at, uint64_t host_ps) {
    post(timing, mpu, &(struct timing_event){.kind = EVENT_SYNC, .at = at, .top = {1, host_ps}});
}

void timing_end(struct timing *timing, uint32_t mpu) {
    timing_mpu_time(timing, mpu)->ended = true;
    set_turn(timing, timing_mpu_time(timing, mpu));
}

void timing_compute(struct timing *timing, uint32_t mpu, const struct timing_compute *compute) {
    struct timing_event e = {.kind = EVENT_COMPUTE, .at = compute->at, .compute = *compute};
    e.compute.paths =
        copy_list(compute->paths, compute->same_path ? 1 : compute->count, sizeof *compute->paths);
    if (compute->batch_fj)
        e.compute.batch_fj =
            copy_list(compute->batch_fj, compute->count, sizeof *compute->batch_fj);
    e.compute.decisions =
        copy_list(compute->decisions, compute->decision_count, sizeof *compute->decisions);
    if (compute->told)
        e.compute.told = copy_list(compute->told, compute->count, sizeof *compute->told);
    post(timing, mpu, &e);
}

void timing_transfer(struct timing *timing, uint32_t mpu, const struct timing_transfer *transfer) {
    post(timing, mpu,
         &(struct timing_event){
             .kind = EVENT_TRANSFER, .at = transfer->at, .transfer = copy_transfer(transfer)});
}

void timing_message_keep(struct timing_message *message) {
    message->references++;
}

void timing_message_drop(struct timing_message *message) {
    if (message && --message->references == 0)
        free(message);
}

struct timing_message *timing_send(struct timing *timing, uint32_t mpu, struct timing_place at,
                                   const struct timing_transfer *inner, uint32_t to, uint64_t bytes,
                                   struct timing_message *room) {
    struct timing_message *m = xcalloc(1, sizeof *m);
    *m = (struct timing_message){.references = 2, .from = mpu, .to = to, .bytes = bytes};
    m->number = ++timing->messages;
    if (room)
        timing_message_keep(room);
    post(timing, mpu,
         &(struct timing_event){
             .kind = EVENT_SEND,
             .at = at,
             .send = {.inner = copy_transfer(inner), .message = m, .room = room}});
    return m;
}

void timing_recv(struct timing *timing, uint32_t mpu, struct timing_place at,
                 struct timing_message *message) {
    timing_message_keep(message);
    post(timing, mpu, &(struct timing_event){.kind = EVENT_RECV, .at = at, .recv = message});
}

void timing_meet(struct timing *timing, const struct timing_meeting *meeting) {
    struct meeting *m = xcalloc(1, sizeof *m);
    *m = (struct meeting){.what = *meeting, .references = meeting->count + 1};
    m->what.mpus = copy_list(meeting->mpus, meeting->count, sizeof *meeting->mpus);
    m->what.charges = copy_list(meeting->charges, meeting->charge_count, sizeof *meeting->charges);
    m->what.crossings =
        copy_list(meeting->crossings, meeting->crossing_count, sizeof *meeting->crossings);
    m->what.bars = copy_list(meeting->bars, meeting->bar_count, sizeof *meeting->bars);
    struct timing_event e = {.kind = EVENT_MEET, .at = meeting->at, .meet = m};
    for (uint32_t i = 0; i < meeting->count; i++)
        post(timing, meeting->mpus[i], &e);
    timing_event_free(&e);
}

/* ---- results ---- */

void timing_finish(struct timing *timing) {
    for (uint32_t i = 0; i < timing->setup.mpu_count; i++)
        timing_end(timing, timing->mpus[i].mpu);
    timing_settle(timing);
    timing_add_uses(timing);
    end_tables(timing);
}

void timing_totals(const struct timing *timing, struct timing_totals *out) {
    const struct timing_mpu *last = &timing->mpus[0];
    *out = (struct timing_totals){0};
    for (uint32_t i = 0; i < timing->setup.mpu_count; i++) {
        timing_add(&out->mpu_ps, timing->mpus[i].end_ps);
        if (timing->mpus[i].end_ps > last->end_ps)
            last = &timing->mpus[i];
    }
    out->time_ps = last->end_ps;
    out->network_fj = timing->network_fj;
    memcpy(out->part_ps, last->part_ps, sizeof out->part_ps);
    memcpy(out->part_cycles, timing->part_cycles, sizeof out->part_cycles);
}

struct timing_sums timing_insn(const struct timing *timing, uint32_t index) {
    return (struct timing_sums){timing->insn_ps[index], timing->insn_fj[index],
                                timing->insn_cycles[index]};
}

struct timing_sums timing_region(const struct timing *timing, uint32_t region) {
    struct timing_sums sums = {0};
    for (uint32_t i = 0; i < timing->setup.mpu_count; i++)
        if (region < timing->mpus[i].region_ps.len &&
            timing->mpus[i].region_ps.data[region] > sums.ps)
            sums.ps = timing->mpus[i].region_ps.data[region];
    if (region < timing->region_fj.len)
        sums.network_fj = timing->region_fj.data[region];
    if (region < timing->region_cycles.len)
        sums.cycles = timing->region_cycles.data[region];
    return sums;
}

uint64_t timing_now(const struct timing *timing, uint32_t mpu) {
    return timing->mpus[timing->number_of[mpu]].precoder_ps;
}

uint64_t timing_reached(const struct timing *timing, uint32_t mpu) {
    return timing->mpus[timing->number_of[mpu]].end_ps;
}
