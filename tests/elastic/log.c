/* SPDX-License-Identifier: MIT */
#include "tests/elastic/log.h"

#include "emu/control/baseline.h"
#include "emu/control/state.h"

#include <string.h>

/* What one stream of control does in a compute ensemble, until its footer. */
struct open_ensemble {
    const struct ensemble *e;
    uint32_t header_left;     /* instructions of the header that are still to come */
    struct ref_body **bodies; /* [e->batch_count] */
    struct ref_decisions *decisions;
    VEC(uint32_t) asked; /* batches that were told of at the jump where the last step was */
};
/* A transfer ensemble, until its footer. */
struct open_transfer {
    bool open, sends;
    uint32_t first, count;          /* its pairs */
    const struct insn *send;        /* where it stands in one */
    struct insn lane;               /* the last LANE */
    uint64_t slots, host_ps;        /* since the last MEMCPY */
    bool set_up;                    /* a MEMCPY has been */
    struct ref_transfer **transfer; /* of each MPU of the stream */
};
/* Messages between two MPUs: how many were sent and received, and which of them broke a cycle of
 * full queues. */
struct open_queue {
    uint32_t from, to;
    VEC(uint32_t) sent; /* messages */
    uint32_t received;
    VEC(uint32_t) passed; /* places in `sent` */
};

struct ref_log {
    struct datapath_ops ops; /* first: the machine's `ops` point here */
    const struct datapath_ops *real;
    struct datapath *dp;
    struct control *control;
    struct ref_events events;
    struct open_ensemble ensemble;
    struct open_transfer transfer;
    struct dtc *dtc;
    VEC(struct open_queue) queues;
    uint32_t meeting, meeting_left; /* a GMOVE's MPUs that are still to be told of */
    uint32_t last;                  /* text index of the last step */
    uint32_t asked_vrfs;            /* of the last question about masks */
    bool answered;                  /* it was the machine that answered */
    uint64_t answer_ps;             /* in which time it does, if it has none of its own */
    uint64_t answered_ps;           /* in which time it did */
    uint64_t any_ps;                /* the longest answer since the last step */
    VEC(uint64_t) copied_ps;        /* of copies since the last step */
    VEC(struct ref_charge) shares;  /* of the last one that had shares */
    /* A step that was told of before it was carried out. */
    bool waits;
    struct control_step waiting;
    struct stream *waiting_now;
    struct ref_body *run_body; /* of the last run, and where it stands there */
    size_t run_insn, run_end;
    uint32_t selected; /* the first VRF of the last range in it */
    bool selects;      /* it has one */
};

static void take_waiting(struct ref_log *log);

/* ---- between the control path and the machine ---- */

static struct ref_log *log_of(const struct datapath *dp) {
    return (struct ref_log *)(void *)(uintptr_t)dp->ops;
}

static void spy_any(struct datapath *dp, enum dp_any what, struct vrf_set set, uint8_t *bits,
                    struct dp_cost *cost) {
    struct ref_log *log = log_of(dp);
    log->asked_vrfs = (uint32_t)vrf_set_size(set);
    log->real->any(dp, what, set, bits, log->dp->tables.selects ? cost : NULL);
    log->answered = cost != NULL;
    if (cost && !log->dp->tables.selects)
        cost->ps = log->answer_ps;
    log->answered_ps = cost ? cost->ps : 0;
    if (!cost)
        return;
    take_waiting(log);
    log->any_ps = cost->ps > log->any_ps ? cost->ps : log->any_ps;
}

/* The ranges of an instruction ascend; the next one begins with the first of them again. */
static void spy_select(struct datapath *dp, const struct dp_selection *selection,
                       struct dp_cost *cost) {
    struct ref_log *log = log_of(dp);
    log->real->select(dp, selection, cost);
    if (log->selects && selection->first <= log->selected)
        log->run_insn++;
    log->selects = true;
    log->selected = selection->first;
    if (!log->run_body || log->run_insn >= log->run_end)
        return;
    struct ref_insn *x = &log->run_body->insns.data[log->run_insn];
    if (x->ranges == REF_RANGES)
        abort();
    x->select_ps[x->ranges++] = cost->ps;
}

static void spy_copy(struct datapath *dp, const struct dp_transfer *x, struct dp_cost *cost) {
    struct ref_log *log = log_of(dp);
    log->real->copy(dp, x, cost);
    vec_push(&log->copied_ps, cost->ps);
    vec_clear(&log->shares);
    for (size_t i = 0; i < x->share_count && cost->share_ps; i++) {
        const struct ref_charge c = {x->shares[i].mpu, cost->share_ps[i]};
        vec_push(&log->shares, c);
    }
    if (x->share_count && log->waits && !log->waiting.in_body)
        take_waiting(log);
}

/* ---- events ---- */

static struct ref_event *add(struct ref_log *log, uint32_t mpu, enum ref_kind kind) {
    const struct ref_event e = {.kind = kind};
    vec_push(&log->events.mpus[mpu].list, e);
    return &vec_last(&log->events.mpus[mpu].list);
}

static const struct insn *insn_at(const struct ref_log *log, uint32_t index) {
    return &log->control->text.insns[index];
}

/* A JUMP_ANY is about the masks of all MPUs. */
static uint64_t host_ps(const struct ref_log *log, uint32_t index) {
    const struct control *c = log->control;
    uint64_t vrfs = 0, ps = control_host_cost_ps(c->target, insn_at(log, index)->op);
    if (insn_at(log, index)->op != OP_JUMP_ANY)
        return ps;
    for (uint32_t i = 0; i < c->mpu_count; i++)
        vrfs += c->streams.a[c->mpus[i]].vrfs;
    return ps + control_host_masks_ps(c->target, vrfs * log->events.program.lanes);
}

static bool is_hosts(const struct ref_log *log, uint32_t index) {
    return control_host_takes(log->control->target, insn_at(log, index)->op);
}

static void add_slot(struct ref_log *log, uint32_t index, enum ref_kind kind) {
    const struct stream *now = log->control->now;
    uint64_t ps = host_ps(log, index);
    bool unrolled = is_hosts(log, index) && !ps;
    for (uint32_t i = 0; i < now->count && !unrolled; i++)
        add(log, now->mpus[i], kind)->host_ps = ps;
}

/* ---- compute ensembles ---- */

static struct ref_body *new_body(struct ref_log *log) {
    struct ref_body *b = xcalloc(1, sizeof *b);
    vec_push(&log->events.bodies, b);
    return b;
}

static void make_bodies(struct ref_log *log) {
    struct open_ensemble *o = &log->ensemble;
    o->bodies = ARENA_ARRAY(&log->events.arena, o->e->batch_count + 1, struct ref_body *);
    for (uint32_t i = 0; i < o->e->batch_count; i++)
        o->bodies[i] = new_body(log);
    o->decisions = xcalloc(1, sizeof *o->decisions);
    vec_push(&log->events.decisions, o->decisions);
    vec_clear(&o->asked);
}

static uint32_t *copy_list(struct ref_log *log, const uint32_t *list, uint32_t count) {
    uint32_t *copy = ARENA_ARRAY(&log->events.arena, count + 1, uint32_t);
    for (uint32_t i = 0; i < count; i++)
        copy[i] = list[i];
    return copy;
}

static void add_batches(struct ref_log *log, const struct ensemble_part *part,
                        struct ref_compute *out) {
    const struct ensemble *e = log->ensemble.e;
    struct ref_batch *list =
        ARENA_ARRAY(&log->events.arena, part->batch_count + 1, struct ref_batch);
    VEC(uint32_t) vrfs = {0};
    for (uint32_t i = 0; i < part->batch_count; i++) {
        const struct batch *b = &e->batches[part->first_batch + i];
        list[i] = (struct ref_batch){copy_list(log, b->vrfs, b->count), b->count,
                                     log->ensemble.bodies[part->first_batch + i]};
        for (uint32_t k = 0; k < b->count; k++)
            vec_push(&vrfs, b->vrfs[k]);
    }
    out->batches = list;
    out->count = part->batch_count;
    out->vrfs = copy_list(log, vrfs.data, (uint32_t)vrfs.len);
    out->vrf_count = (uint32_t)vrfs.len;
    vec_free(&vrfs);
}

static const struct ensemble_part *part_of(const struct ensemble *e, uint32_t mpu) {
    for (uint32_t i = 0; i < e->part_count; i++)
        if (e->parts[i].mpu == mpu)
            return &e->parts[i];
    abort();
}

/* An MPU that has no VRF of the header takes one more slot, to skip to the footer. */
static void begin_ensemble(struct ref_log *log, uint32_t first) {
    const struct control *c = log->control;
    struct ensemble_maker maker = c->bodies.maker;
    uint32_t end = first;
    const char *error;
    while (end < c->text.len &&
           (c->text.insns[end].op == OP_COMPUTE || c->text.insns[end].op == OP_COMPUTEG))
        end++;
    maker.arena = &log->events.arena;
    log->ensemble.e = control_ensemble_make(&maker, &c->text.insns[first], end - first, &error);
    if (!log->ensemble.e)
        abort();
    log->ensemble.header_left = end - first;
    make_bodies(log);
    for (uint32_t i = 0; i < c->now->count; i++) {
        const struct ensemble_part *p = part_of(log->ensemble.e, c->now->mpus[i]);
        struct ref_event *e = add(log, c->now->mpus[i], REF_COMPUTE);
        e->compute.decisions = log->ensemble.decisions;
        e->compute.header_slots = p->header_slots + (p->batch_count == 0);
        e->compute.header_host_ps = host_ps(log, first) * (end - first);
        add_batches(log, p, &e->compute);
    }
}

static void step_header(struct ref_log *log, uint32_t index) {
    if (!log->ensemble.header_left)
        begin_ensemble(log, index);
    log->ensemble.header_left--;
}

static void step_batch(struct ref_log *log, struct ref_body *b, const struct control_step *step) {
    log->run_body = b;
    log->run_insn = b->insns.len;
    log->run_end = b->insns.len + step->count;
    log->selects = false;
    for (uint32_t i = step->index; i < step->index + step->count; i++) {
        uint32_t flags = insn_flags(insn_at(log, i));
        struct ref_insn x = {.index = i,
                             .masked = b->masked,
                             .vrfs = log->asked_vrfs,
                             .answered = log->answered,
                             .answer_ps = log->answered_ps};
        if (insn_at(log, i)->op == OP_INDEX)
            x.copy_ps = vec_last(&log->copied_ps);
        vec_push(&b->insns, x);
        b->masked = (b->masked || (flags & ISA_PREDICATE_ON)) && !(flags & ISA_PREDICATE_OFF);
    }
}

/* Batches that stand at a jump are told of one behind the other, and a host decides for them all:
 * the first of them, or one that was there already, begins another decision. */
static void note_decision(struct ref_log *log, uint32_t batch, uint32_t index) {
    struct open_ensemble *o = &log->ensemble;
    bool again = log->last != index || !o->asked.len;
    for (size_t i = 0; i < o->asked.len; i++)
        again |= o->asked.data[i] == batch;
    if (again) {
        vec_clear(&o->asked);
        vec_push(&o->decisions->vrfs, 0);
    }
    vec_push(&o->asked, batch);
    vec_last(&o->decisions->vrfs) += log->asked_vrfs;
}

/* A body without jumps on data is told of once for all batches of the stream's MPUs; batches of
 * other MPUs have no events that lead to what is noted for them. */
static void step_body(struct ref_log *log, const struct control_step *step) {
    const struct open_ensemble *o = &log->ensemble;
    for (uint32_t i = 0; i < o->e->batch_count; i++) {
        if (step->batch != NO_INDEX &&
            (o->e->batches[i].mpu != step->mpu || o->e->batches[i].index != step->batch))
            continue;
        step_batch(log, o->bodies[i], step);
        if (control_host_decides(log->control->target, insn_at(log, step->index)->op))
            note_decision(log, i, step->index);
    }
}

/* ---- transfers ---- */

static bool in_image(const struct control *c, uint32_t mpu) {
    return mpu - c->package->image_first < c->package->image_count;
}

static struct ref_transfer *new_transfer(struct ref_log *log) {
    struct ref_transfer *t = xcalloc(1, sizeof *t);
    vec_push(&log->events.transfers, t);
    return t;
}

/* A SEND's has begun if not all of its MPUs skip it; those that do have left the stream. */
static void begin_transfer(struct ref_log *log, uint32_t index) {
    const struct stream *now = log->control->now;
    uint32_t count = 0;
    bool sends =
        index && log->last == index - 1 && insn_at(log, index - 1)->op == OP_SEND &&
        control_message_partner(log->control, insn_at(log, index - 1), now->mpus[0]) != NO_INDEX;
    while (insn_at(log, index + count)->op == OP_MOVE)
        count++;
    log->transfer = (struct open_transfer){
        .open = true,
        .sends = sends,
        .first = index,
        .count = count,
        .send = sends ? insn_at(log, index - 1) : NULL,
        .lane = {.op = OP_LANE, .mode = LANE_IDENTITY},
        .transfer = ARENA_ARRAY(&log->events.arena, now->count + 1, struct ref_transfer *)};
    for (uint32_t i = 0; i < now->count; i++)
        log->transfer.transfer[i] = new_transfer(log);
}

struct ends {
    uint32_t from, to;
};
/* Of a pair of the header in the i-th MPU of the stream. */
static struct ends ends_of(const struct ref_log *log, uint32_t i, uint32_t pair,
                           const struct insn *copy) {
    const struct control *c = log->control;
    const struct insn *p = insn_at(log, log->transfer.first + pair);
    uint32_t mpu = c->now->mpus[i];
    uint32_t to = log->transfer.sends ? control_message_partner(c, log->transfer.send, mpu) : mpu;
    return (struct ends){control_fixed_vrf_number(&c->bodies.maker, mpu, p->rfh, copy->vrf_src),
                         control_fixed_vrf_number(&c->bodies.maker, to, p->vrf, copy->vrf_dst)};
}

/* What the data-transfer controller takes to read the registers of a message. */
static uint64_t message_copy_ps(struct ref_log *log, uint32_t i, const struct insn *copy) {
    const struct target *t = log->control->target;
    const struct dtc_cost each = {0, log->transfer.set_up ? 0 : dtc_setup_ps(t),
                                  dtc_copy_ps(t, copy->width)};
    struct dtc_pair *pairs = xcalloc((size_t)log->transfer.count + 1, sizeof *pairs);
    uint32_t per_mpu = target_vrfs_per_mpu(t);
    for (uint32_t k = 0; k < log->transfer.count; k++) {
        struct ends e = ends_of(log, i, k, copy);
        pairs[k] =
            (struct dtc_pair){e.from % per_mpu % t->rfh_per_mpu, e.to % per_mpu % t->rfh_per_mpu};
    }
    if (!log->dtc)
        log->dtc = dtc_new(t);
    uint64_t ps = dtc_schedule(log->dtc, pairs, log->transfer.count, &each, NULL);
    free(pairs);
    return ps;
}

static void note_vrfs(struct ref_log *log, uint32_t i, const struct insn *copy) {
    for (uint32_t k = 0; k < log->transfer.count; k++) {
        struct ends e = ends_of(log, i, k, copy);
        vec_push(&log->transfer.transfer[i]->vrfs, e.from);
        if (!log->transfer.sends)
            vec_push(&log->transfer.transfer[i]->vrfs, e.to);
    }
}

/* Of what a MEMCPY writes in the i-th MPU of the stream, all pairs together. */
static uint64_t bytes_of(const struct ref_log *log, uint32_t i, const struct insn *copy) {
    uint32_t lanes = log->control->program->geometry.lanes;
    uint64_t bytes = 0;
    for (uint32_t k = 0; k < log->transfer.count; k++) {
        struct dp_copy parts[2];
        struct ends e = ends_of(log, i, k, copy);
        const struct dp_copy whole = {.src_vrf = e.from, .dst_vrf = e.to, .width = copy->width};
        uint32_t n = control_lane_map_copies(&log->transfer.lane, lanes, &whole, parts);
        for (uint32_t j = 0; j < n; j++)
            bytes += (uint64_t)copy->width * (parts[j].count ? parts[j].count : lanes) / 8;
    }
    return bytes;
}

static void step_memcpy(struct ref_log *log, const struct insn *insn) {
    struct open_transfer *o = &log->transfer;
    const struct stream *now = log->control->now;
    for (uint32_t i = 0, inside = 0; i < now->count; i++) {
        if (!in_image(log->control, now->mpus[i]))
            continue;
        uint64_t ps = o->sends ? message_copy_ps(log, i, insn) : log->copied_ps.data[inside++];
        const struct ref_copy c = {o->slots + 1, o->host_ps, ps};
        vec_push(&o->transfer[i]->copies, c);
        o->transfer[i]->bytes += bytes_of(log, i, insn);
        note_vrfs(log, i, insn);
    }
    o->slots = o->host_ps = 0;
    o->set_up = true;
}

static void end_transfer(struct ref_log *log) {
    struct open_transfer *o = &log->transfer;
    const struct stream *now = log->control->now;
    const struct ref_copy last = {o->slots, o->host_ps, 0};
    for (uint32_t i = 0; i < now->count; i++) {
        if (!in_image(log->control, now->mpus[i]))
            continue;
        vec_push(&o->transfer[i]->copies, last);
        if (!o->sends)
            add(log, now->mpus[i], REF_TRANSFER)->transfer = o->transfer[i];
    }
    o->open = false;
}

static void step_transfer(struct ref_log *log, uint32_t index) {
    struct open_transfer *o = &log->transfer;
    const struct insn *x = insn_at(log, index);
    if (isa_info(x->op)->format == FORMAT_M) {
        step_memcpy(log, x);
        return;
    }
    o->host_ps += host_ps(log, index);
    o->slots += !is_hosts(log, index);
    if (x->op == OP_LANE)
        o->lane = *x;
    if (x->op == OP_MOVE_DONE)
        end_transfer(log);
}

/* ---- messages ---- */

static struct open_queue *queue_of(struct ref_log *log, uint32_t from, uint32_t to) {
    for (size_t i = 0; i < log->queues.len; i++)
        if (log->queues.data[i].from == from && log->queues.data[i].to == to)
            return &log->queues.data[i];
    const struct open_queue q = {.from = from, .to = to};
    vec_push(&log->queues, q);
    return &vec_last(&log->queues);
}

/* Cycles of full queues are broken between two steps, and a SEND comes next. */
static void note_passed(struct ref_log *log) {
    for (size_t i = 0; i < log->control->network.queues.len; i++) {
        const struct queue *q = log->control->network.queues.data[i];
        struct open_queue *o = queue_of(log, q->from, q->to);
        if (q->passed && (!o->passed.len || vec_last(&o->passed) != o->received))
            vec_push(&o->passed, o->received);
    }
}

/* The message that has to be received before there is room for the next one. */
static uint32_t room_for(const struct ref_log *log, const struct open_queue *q) {
    size_t places = target_queue_messages(log->control->target);
    if (q->sent.len < places)
        return REF_NONE;
    size_t before = q->sent.len - places;
    for (size_t i = 0; i < q->passed.len; i++)
        if (q->passed.data[i] == before)
            return REF_NONE;
    return q->sent.data[before];
}

static void add_message(struct ref_log *log, uint32_t i) {
    uint32_t from = log->control->now->mpus[i];
    uint32_t to = control_message_partner(log->control, log->transfer.send, from);
    struct open_queue *q = queue_of(log, from, to);
    const struct ref_message m = {.from = from,
                                  .to = to,
                                  .bytes = log->transfer.transfer[i]->bytes,
                                  .room = room_for(log, q)};
    struct ref_event *e = add(log, from, REF_SEND);
    e->transfer = log->transfer.transfer[i];
    e->number = (uint32_t)log->events.messages.len;
    vec_push(&q->sent, e->number);
    vec_push(&log->events.messages, m);
}

/* The slot of a SEND stands before all that it encloses, that of SEND_DONE behind. */
static void step_send_done(struct ref_log *log, uint32_t index) {
    for (uint32_t i = 0; i < log->control->now->count; i++)
        add_message(log, i);
    add_slot(log, index, REF_SLOT);
}

/* The slot is taken before anything is waited for. */
static void step_recv(struct ref_log *log, uint32_t index) {
    const struct control *c = log->control;
    add_slot(log, index, REF_SLOT);
    for (uint32_t i = 0; i < c->now->count; i++) {
        uint32_t to = c->now->mpus[i], from = control_message_partner(c, insn_at(log, index), to);
        if (from == NO_INDEX)
            continue;
        struct open_queue *q = queue_of(log, from, to);
        add(log, to, REF_RECV)->number = q->sent.data[q->received++];
    }
}

/* ---- meetings ---- */

static uint32_t new_meeting(struct ref_log *log) {
    const struct ref_meeting m = {0};
    vec_push(&log->events.meetings, m);
    return (uint32_t)log->events.meetings.len - 1;
}

/* All MPUs that have not ended are told of one after another. */
static void step_any(struct ref_log *log, uint32_t index) {
    const struct control *c = log->control;
    if (!log->meeting_left) {
        log->meeting = new_meeting(log);
        log->events.meetings.data[log->meeting].asks = true;
        for (uint32_t i = 0; i < c->mpu_count; i++)
            if (control_stream_of(c, c->mpus[i])) {
                vec_push(&log->events.meetings.data[log->meeting].mpus, c->mpus[i]);
                log->meeting_left++;
                const struct ref_charge charge = {c->mpus[i], log->any_ps};
                if (log->any_ps && log->dp->tables.selects)
                    vec_push(&log->events.meetings.data[log->meeting].charges, charge);
            }
    }
    for (uint32_t i = 0; i < c->now->count; i++)
        add(log, c->now->mpus[i], REF_MEET)->number = log->meeting;
    log->meeting_left -= c->now->count;
    add_slot(log, index, REF_SLOT);
}

static void fill_move(struct ref_log *log, const struct move_work *work, unsigned width) {
    struct ref_meeting *m = &log->events.meetings.data[log->meeting];
    for (size_t i = 0; i < work->mpu_count; i++)
        vec_push(&m->mpus, work->mpus[i]);
    for (size_t i = 0; i < log->shares.len && work->charge_count; i++)
        vec_push(&m->charges, log->shares.data[i]);
    for (size_t i = 0; i < work->crossing_count && !dtc_spans_chip(log->control->target); i++) {
        const struct ref_crossing c = {work->crossings[i].from, work->crossings[i].to,
                                       work->crossings[i].elements * width / 8};
        vec_push(&m->crossings, c);
    }
}

static void step_gmove(struct ref_log *log, uint32_t index) {
    struct control *c = log->control;
    const struct gmove_meeting at =
        control_gmove_meeting_in(c, &c->top.frames[c->top.depth], index);
    const struct move_work *work = control_gmove_work(c, &at);
    if (!work)
        abort();
    if (work->mpu_count && !log->meeting_left) {
        uint64_t host = work->crossing_count && !dtc_spans_chip(c->target)
                            ? control_host_crossing_ps(c->target)
                            : 0;
        for (size_t i = 0; i < work->mpu_count && host; i++)
            add(log, work->mpus[i], REF_SLOT)->host_ps = host;
        log->meeting = new_meeting(log);
        log->meeting_left = (uint32_t)work->mpu_count;
        fill_move(log, work, c->program->moves.data[at.move].width);
    }
    for (uint32_t i = 0; i < c->now->count && work->mpu_count; i++) {
        add(log, c->now->mpus[i], REF_MEET)->number = log->meeting;
        log->meeting_left--;
    }
    add_slot(log, index, REF_SLOT);
}

/* ---- steps ---- */

static void step_top(struct ref_log *log, uint32_t index) {
    switch (insn_at(log, index)->op) {
    case OP_COMPUTE:
    case OP_COMPUTEG:
        step_header(log, index);
        return;
    case OP_MOVE:
        begin_transfer(log, index);
        add_slot(log, index, REF_SLOT);
        return;
    case OP_SEND:
        note_passed(log);
        add_slot(log, index, REF_SLOT);
        return;
    case OP_SEND_DONE:
        step_send_done(log, index);
        return;
    case OP_RECV:
        step_recv(log, index);
        return;
    case OP_GMOVE:
        step_gmove(log, index);
        return;
    case OP_JUMP_ANY:
        step_any(log, index);
        return;
    default:
        add_slot(log, index, insn_at(log, index)->op == OP_MPU_SYNC ? REF_SYNC : REF_SLOT);
    }
}

/* Of a transfer's header all MOVEs but the first. */
static bool in_header(const struct ref_log *log, uint32_t index) {
    return index - log->transfer.first < log->transfer.count;
}

static void take_step(struct ref_log *log, const struct control_step *step) {
    if (step->in_body)
        step_body(log, step);
    else if (log->transfer.open && in_header(log, step->index))
        add_slot(log, step->index, REF_SLOT);
    else if (log->transfer.open)
        step_transfer(log, step->index);
    else
        step_top(log, step->index);
    log->last = step->index;
    log->any_ps = 0;
    vec_clear(&log->copied_ps);
}

/* What it copied or was answered is known by now. */
static void take_waiting(struct ref_log *log) {
    struct stream *now = log->control->now;
    if (!log->waits)
        return;
    log->waits = false;
    log->control->now = log->waiting_now;
    take_step(log, &log->waiting);
    log->control->now = now;
}

/* Copies and questions whose micro-ops are shown are told of before they are carried out. */
void ref_log_step(void *context, const struct control_step *step) {
    struct ref_log *log = context;
    take_waiting(log);
    log->waits = step->executes && !(insn_flags(insn_at(log, step->index)) & ISA_VECTOR);
    log->waiting = *step;
    log->waiting_now = log->control->now;
    if (!log->waits)
        take_step(log, step);
}

/* ---- the log ---- */

struct ref_log *ref_log_new(struct datapath *dp, uint64_t answer_ps) {
    struct ref_log *log = xcalloc(1, sizeof *log);
    log->real = dp->ops;
    log->dp = dp;
    log->ops = *dp->ops;
    log->ops.any = spy_any;
    log->ops.copy = spy_copy;
    log->ops.select = spy_select;
    log->answer_ps = answer_ps;
    dp->ops = &log->ops;
    dp->tables.answers |= answer_ps != 0;
    log->events.answers = dp->tables.answers;
    return log;
}

void ref_log_attach(struct ref_log *log, struct control *control) {
    log->control = control;
    log->events.mpu_count = control->package->mpus;
    log->events.mpus = xcalloc((size_t)control->package->mpus + 1, sizeof *log->events.mpus);
    log->events.program = (struct ref_program){
        .target = control->target,
        .text = &control->text,
        .code = control->package->code,
        .issue_queue = control->target->issue_queue,
        .lanes = control->package->lanes ? control->package->lanes : control->target->lanes};
    ref_program_open(&log->events.program);
}

struct ref_events *ref_log_events(struct ref_log *log) {
    take_waiting(log);
    return &log->events;
}

static void close_events(struct ref_events *e) {
    for (uint32_t i = 0; i < e->mpu_count; i++)
        vec_free(&e->mpus[i].list);
    for (size_t i = 0; i < e->bodies.len; i++) {
        vec_free(&e->bodies.data[i]->insns);
        free(e->bodies.data[i]);
    }
    for (size_t i = 0; i < e->transfers.len; i++) {
        vec_free(&e->transfers.data[i]->copies);
        vec_free(&e->transfers.data[i]->vrfs);
        free(e->transfers.data[i]);
    }
    for (size_t i = 0; i < e->meetings.len; i++) {
        vec_free(&e->meetings.data[i].mpus);
        vec_free(&e->meetings.data[i].charges);
        vec_free(&e->meetings.data[i].crossings);
    }
    for (size_t i = 0; i < e->decisions.len; i++) {
        vec_free(&e->decisions.data[i]->vrfs);
        free(e->decisions.data[i]);
    }
    vec_free(&e->decisions);
    vec_free(&e->bodies);
    vec_free(&e->transfers);
    vec_free(&e->meetings);
    vec_free(&e->messages);
    free(e->mpus);
    arena_free(&e->arena);
}

void ref_log_close(struct ref_log *log) {
    log->dp->ops = log->real;
    if (log->control)
        ref_program_close(&log->events.program);
    close_events(&log->events);
    for (size_t i = 0; i < log->queues.len; i++) {
        vec_free(&log->queues.data[i].sent);
        vec_free(&log->queues.data[i].passed);
    }
    vec_free(&log->queues);
    vec_free(&log->ensemble.asked);
    vec_free(&log->copied_ps);
    vec_free(&log->shares);
    dtc_free(log->dtc);
    free(log);
}
