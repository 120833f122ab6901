/* SPDX-License-Identifier: MIT
 * SEND and RECV. */
#include "emu/control/state.h"

#include "support/alloc.h"
#include "support/bits.h"

#include <stdlib.h>

void control_network_open(struct control *c) {
    c->network.buffer_used = xcalloc((size_t)c->package->mpus + 1, 1);
}

static void free_message(struct control_message *m) {
    timing_message_drop(m->time);
    control_transfer_work_free(&m->work);
    vec_free(&m->copies);
    vec_free(&m->values);
    free(m);
}

static void free_list(struct control_message *m) {
    while (m) {
        struct control_message *next = m->next;
        free_message(m);
        m = next;
    }
}

static void free_queue(struct queue *q) {
    free_list(q->first);
    free_list(q->unused);
    for (size_t i = 0; i < q->places.len; i++)
        timing_message_drop(q->places.data[i]);
    vec_free(&q->places);
}

void control_network_close(struct control *c) {
    for (size_t i = 0; i < c->network.queues.len; i++) {
        free_queue(c->network.queues.data[i]);
    }
    vec_free(&c->network.queues);
    map_free(&c->network.by_ends);
    free(c->network.buffer_used);
}

/* ---- who with whom ---- */

static uint32_t grid_columns(const struct control *c) {
    const struct geometry *g = &c->program->geometry;
    return g->grid_dims ? g->grid[g->grid_dims - 1] : c->package->image_count;
}

/* The MPU dx to the right and dy further down in the program's grid of MPUs. */
static uint32_t grid_partner(const struct control *c, const struct insn *x, uint32_t place) {
    uint32_t columns = grid_columns(c);
    int64_t dx = sign_extend((uint64_t)x->imm >> 11 & 0x7ff, 11);
    int64_t dy = sign_extend((uint64_t)x->imm & 0x7ff, 11);
    int64_t column = place % columns + dx, row = place / columns + dy;
    if (column < 0 || column >= columns || row < 0 || row >= c->package->image_count / columns)
        return NO_INDEX;
    return (uint32_t)(row * columns + column);
}

/* As control_message_partner, in places of the image. */
static uint32_t partner_place(const struct control *c, const struct insn *x, uint32_t place) {
    int64_t count = c->package->image_count, at = (int64_t)place + x->imm;
    switch (x->mode) {
    case 1:
        return at >= 0 && at < count ? (uint32_t)at : NO_INDEX;
    case 2:
        return (uint32_t)((at % count + count) % count);
    default:
        return grid_partner(c, x, place);
    }
}

uint32_t control_message_partner(const struct control *c, const struct insn *x, uint32_t mpu) {
    uint32_t first = c->package->image_first, place = mpu - first;
    if (place >= c->package->image_count)
        return NO_INDEX;
    if (x->mode == 0)
        return (uint32_t)x->imm;
    place = partner_place(c, x, place);
    return place == NO_INDEX ? NO_INDEX : first + place;
}

/* False after stop when the instruction names an MPU that the program does not have. */
static bool partner_exists(struct control *c, const struct insn *x) {
    uint32_t first = c->package->image_first, count = c->package->image_count;
    if (x->mode != 0 || (uint32_t)x->imm - first < count)
        return true;
    return control_stop(c, CONTROL_STOPPED, STOP_AT(c->top.pc),
                        "MPU%u is not one of the program's MPUs, MPU%u to MPU%u", (unsigned)x->imm,
                        (unsigned)first, (unsigned)(first + count - 1));
}

/* ---- queues ---- */

struct queue *control_message_queue(struct control *c, uint32_t from, uint32_t to) {
    const uint32_t ends[] = {from, to};
    const uint64_t *known = map_get_n(&c->network.by_ends, (const char *)ends, sizeof ends);
    if (known)
        return (struct queue *)(uintptr_t)*known;
    struct queue *q = ARENA_NEW(&c->arena, struct queue);
    *q = (struct queue){.from = from, .to = to};
    map_put_n(&c->network.by_ends, (const char *)ends, sizeof ends, (uint64_t)(uintptr_t)q);
    vec_push(&c->network.queues, q);
    return q;
}

bool control_queue_full(const struct control *c, const struct queue *q) {
    return q->count - q->passed >= target_queue_messages(c->target);
}

/* A place of a queue that is not full. */
static struct control_message *take_place(struct queue *q) {
    struct control_message *m = q->unused;
    if (!m)
        return xcalloc(1, sizeof *m);
    q->unused = m->next;
    m->next = NULL;
    return m;
}

static void hold_place(struct timing_message **place, struct timing_message *m) {
    timing_message_drop(*place);
    *place = m;
    if (m)
        timing_message_keep(m);
}

/* The place in time of the next message, which holds the message before it or NULL. */
static struct timing_message **next_place(const struct control *c, struct queue *q) {
    uint64_t n = q->sent++ % target_queue_messages(c->target);
    if (n == q->places.len)
        vec_push(&q->places, NULL);
    return &q->places.data[n];
}

void control_queue_pass(const struct control *c, struct queue *q) {
    uint64_t n = (q->sent - q->count) % target_queue_messages(c->target);
    q->passed = true;
    if (c->timing)
        hold_place(&q->places.data[n], NULL);
}

static void push(struct queue *q, struct control_message *m) {
    if (q->count++)
        q->last->next = m;
    else
        q->first = m;
    q->last = m;
}

static struct control_message *pop(struct queue *q) {
    struct control_message *m = q->first;
    q->first = m->next;
    q->count--;
    m->next = NULL;
    return m;
}

/* What it held is where it belongs.  The data buffer that it may have lain in is free again. */
static void put_back(struct control *c, struct queue *q, struct control_message *m) {
    c->network.bytes -= m->values.len * sizeof *m->values.data;
    if (q->passed) {
        q->passed = false;
        c->network.buffer_used[q->from] = 0;
        free_message(m);
        return;
    }
    timing_message_drop(m->time);
    m->time = NULL;
    vec_free(&m->copies);
    vec_free(&m->values);
    control_transfer_work_free(&m->work);
    if (q->unused)
        q->last_unused->next = m;
    else
        q->unused = m;
    q->last_unused = m;
}

/* ---- lanes of a register ---- */

/* Steps from a lane on, the first included, that one piece holds. */
static uint32_t steps_in_piece(int32_t step, uint32_t left) {
    uint32_t by = step < 0 ? (uint32_t) - (int64_t)step : (uint32_t)step;
    uint32_t most = by ? (DP_PIECE_LANES - 1) / by + 1 : left;
    return left < most ? left : most;
}

void control_message_get(struct control *c, const struct message_copy *x, uint64_t *values) {
    uint64_t lanes[DP_PIECE_LANES];
    for (uint32_t done = 0, n; done < x->count; done += n) {
        int64_t first = (int64_t)x->first + (int64_t)done * x->step, last, low;
        n = steps_in_piece(x->step, x->count - done);
        last = first + (int64_t)(n - 1) * x->step;
        low = last < first ? last : first;
        c->dp->ops->get(c->dp, x->vrf, DP_REGISTER, x->reg, (uint32_t)low,
                        (uint32_t)((last < first ? first : last) - low + 1), lanes);
        for (uint32_t i = 0; i < n; i++)
            values[done + i] = lanes[first + (int64_t)i * x->step - low];
    }
}

struct message_copy control_message_part(const struct message_copy *x, uint32_t done,
                                         uint32_t count) {
    struct message_copy part = *x;
    part.first = (uint32_t)((int64_t)x->first + (int64_t)done * x->step);
    part.count = count;
    return part;
}

void control_message_take(struct control *c, const struct message_copy *x,
                          struct control_message *m) {
    uint64_t values[DP_PIECE_LANES];
    for (uint32_t done = 0, n; done < x->count; done += n) {
        n = dp_piece(done, x->count);
        const struct message_copy part = control_message_part(x, done, n);
        control_message_get(c, &part, values);
        for (uint32_t i = 0; i < n; i++)
            vec_push(&m->values, values[i]);
    }
}

/* ---- SEND ---- */

/* True if SEND stands before one transfer ensemble or one GMOVE. */
static bool encloses_transfer(struct control *c, uint32_t done) {
    uint32_t pc = c->top.pc;
    if (done == c->text.len)
        return control_stop(c, CONTROL_STOPPED, STOP_AT(pc), "SEND without a SEND_DONE");
    if (c->text.insns[pc + 1].op == OP_MOVE || c->text.insns[pc + 1].op == OP_GMOVE)
        return true;
    return control_stop(c, CONTROL_STOPPED, STOP_AT(pc + 1),
                        "SEND encloses one transfer ensemble or one GMOVE");
}

static bool send_done_follows(struct control *c) {
    uint32_t pc = c->top.pc;
    if (pc < c->text.len && c->text.insns[pc].op == OP_SEND_DONE)
        return true;
    return control_stop(c, CONTROL_STOPPED, STOP_AT(pc),
                        "SEND encloses one transfer ensemble; SEND_DONE follows it");
}

static uint64_t message_bytes(const struct control_message *m) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < m->copies.len; i++)
        bytes += (uint64_t)m->copies.data[i].width * m->copies.data[i].count / 8;
    return bytes;
}

/* `at`: of the SEND. */
static void post(struct control *c, uint32_t from, uint32_t to, uint32_t at,
                 struct control_message *m) {
    struct queue *q = control_message_queue(c, from, to);
    control_account_message(c, from, to, message_bytes(m));
    if (c->timing) {
        struct timing_transfer inner = control_transfer_work_timing(&m->work, place_of(c, at));
        struct timing_message **place = next_place(c, q);
        m->time =
            timing_send(c->timing, from, place_of(c, at), &inner, to, message_bytes(m), *place);
        hold_place(place, m->time);
    }
    push(q, m);
    control_stream_wake(c, to, STREAM_AT_RECV);
}

/* All MPUs of the stream have room. */
static bool send_all(struct control *c, const struct insn *x) {
    uint32_t n = c->now->count, pc = c->top.pc;
    struct control_message **messages = xcalloc(n, sizeof *messages);
    uint32_t *to = xcalloc(n, sizeof *to);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t mpu = c->now->mpus[i];
        to[i] = control_message_partner(c, x, mpu);
        messages[i] = take_place(control_message_queue(c, mpu, to[i]));
    }
    c->top.pc++;
    bool moves = c->text.insns[c->top.pc].op == OP_GMOVE;
    bool fine = (moves ? control_move_to_messages(c, messages, to)
                       : control_transfer_to_messages(c, messages, to)) &&
                send_done_follows(c);
    for (uint32_t i = 0; i < n; i++)
        if (fine)
            post(c, c->now->mpus[i], to[i], pc, messages[i]);
        else
            free_message(messages[i]);
    free(messages);
    free(to);
    if (fine)
        control_account_top(c, c->top.pc++);
    return fine;
}

bool control_send_step(struct control *c) {
    const struct insn *x = &c->text.insns[c->top.pc];
    uint32_t pc = c->top.pc, done = object_text_footer(&c->text, pc, OP_SEND_DONE);
    if (!partner_exists(c, x) || !encloses_transfer(c, done))
        return false;
    for (uint32_t i = 0; i < c->now->count; i++) {
        uint32_t mpu = c->now->mpus[i], to = control_message_partner(c, x, mpu);
        c->marks[mpu] = to != NO_INDEX && control_queue_full(c, control_message_queue(c, mpu, to));
    }
    if (!control_stream_leave(c, c->marks, pc, STREAM_AT_SEND))
        return true;
    control_account_top(c, pc);
    for (uint32_t i = 0; i < c->now->count; i++)
        c->marks[c->now->mpus[i]] = control_message_partner(c, x, c->now->mpus[i]) == NO_INDEX;
    if (!control_stream_leave(c, c->marks, done + 1, STREAM_READY))
        return true;
    return send_all(c, x);
}

/* ---- RECV ---- */

void control_message_put(struct control *c, const struct message_copy *x, const uint64_t *values) {
    if (x->step == 1) {
        c->dp->ops->put(c->dp, x->vrf, DP_REGISTER, x->reg, x->width, x->first, x->count, values);
        return;
    }
    for (uint32_t i = 0; i < x->count; i++)
        c->dp->ops->put(c->dp, x->vrf, DP_REGISTER, x->reg, x->width,
                        (uint32_t)((int64_t)x->first + (int64_t)i * x->step), 1, &values[i]);
}

static void commit(struct control *c, const struct control_message *m) {
    size_t at = 0;
    for (size_t i = 0; i < m->copies.len; i++) {
        control_message_put(c, &m->copies.data[i], &m->values.data[at]);
        at += m->copies.data[i].count;
    }
}

static void receive(struct control *c, uint32_t mpu, uint32_t from) {
    struct queue *q = control_message_queue(c, from, mpu);
    struct control_message *m = pop(q);
    if (c->timing)
        timing_recv(c->timing, mpu, place_of(c, c->top.pc), m->time);
    commit(c, m);
    put_back(c, q, m);
    control_stream_wake(c, from, STREAM_AT_SEND);
}

bool control_recv_step(struct control *c) {
    const struct insn *x = &c->text.insns[c->top.pc];
    uint32_t pc = c->top.pc;
    if (!partner_exists(c, x))
        return false;
    control_count_forget(c);
    for (uint32_t i = 0; i < c->now->count; i++) {
        uint32_t mpu = c->now->mpus[i], from = control_message_partner(c, x, mpu);
        c->marks[mpu] = from != NO_INDEX && control_message_queue(c, from, mpu)->count == 0;
    }
    if (!control_stream_leave(c, c->marks, pc, STREAM_AT_RECV))
        return true;
    for (uint32_t i = 0; i < c->now->count; i++) {
        uint32_t mpu = c->now->mpus[i], from = control_message_partner(c, x, mpu);
        if (from != NO_INDEX)
            receive(c, mpu, from);
    }
    control_account_top(c, c->top.pc++);
    return control_machine_is_sound(c, pc);
}
