/* SPDX-License-Identifier: MIT
 * SEND and RECV. */
#include "emu/control/state.h"

#include "support/alloc.h"
#include "support/bits.h"

#include <stdlib.h>

void control_network_open(struct control *control) {
    control->network.buffer_used = xcalloc((size_t)control->package->mpus + 1, 1);
}

static void free_message(struct control_message *message) {
    timing_message_drop(message->time);
    control_transfer_work_free(&message->work);
    vec_free(&message->copies);
    vec_free(&message->values);
    free(message);
}

static void free_list(struct control_message *message) {
    while (message) {
        struct control_message *next = message->next;
        free_message(message);
        message = next;
    }
}

static void free_queue(struct queue *queue) {
    free_list(queue->first);
    free_list(queue->unused);
    for (size_t i = 0; i < queue->places.len; i++)
        timing_message_drop(queue->places.data[i]);
    vec_free(&queue->places);
}

void control_network_close(struct control *control) {
    for (size_t i = 0; i < control->network.queues.len; i++) {
        free_queue(control->network.queues.data[i]);
    }
    vec_free(&control->network.queues);
    map_free(&control->network.by_ends);
    free(control->network.buffer_used);
}

/* ---- who with whom ---- */

static uint32_t grid_columns(const struct control *control) {
    const struct geometry *g = &control->program->geometry;
    return g->grid_dims ? g->grid[g->grid_dims - 1] : control->package->image_count;
}

/* The MPU dx to the right and dy further down in the program's grid of MPUs. */
static uint32_t grid_partner(const struct control *control, const struct insn *insn,
                             uint32_t place) {
    uint32_t columns = grid_columns(control);
    int64_t dx = sign_extend((uint64_t)insn->imm >> 11 & 0x7ff, 11);
    int64_t dy = sign_extend((uint64_t)insn->imm & 0x7ff, 11);
    int64_t column = place % columns + dx, row = place / columns + dy;
    if (column < 0 || column >= columns || row < 0 ||
        row >= control->package->image_count / columns)
        return NO_INDEX;
    return (uint32_t)(row * columns + column);
}

/* As control_message_partner, in places of the image. */
static uint32_t partner_place(const struct control *control, const struct insn *insn,
                              uint32_t place) {
    int64_t count = control->package->image_count, at = (int64_t)place + insn->imm;
    switch (insn->mode) {
    case 1:
        return at >= 0 && at < count ? (uint32_t)at : NO_INDEX;
    case 2:
        return (uint32_t)((at % count + count) % count);
    default:
        return grid_partner(control, insn, place);
    }
}

uint32_t control_message_partner(const struct control *control, const struct insn *insn,
                                 uint32_t mpu) {
    uint32_t first = control->package->image_first, place = mpu - first;
    if (place >= control->package->image_count)
        return NO_INDEX;
    if (insn->mode == 0)
        return (uint32_t)insn->imm;
    place = partner_place(control, insn, place);
    return place == NO_INDEX ? NO_INDEX : first + place;
}

/* False after stop when the instruction names an MPU that the program does not have. */
static bool partner_exists(struct control *control, const struct insn *insn) {
    uint32_t first = control->package->image_first, count = control->package->image_count;
    if (insn->mode != 0 || (uint32_t)insn->imm - first < count)
        return true;
    return control_stop(control, CONTROL_STOPPED, STOP_AT(control->top.pc),
                        "MPU%u is not one of the program's MPUs, MPU%u to MPU%u",
                        (unsigned)insn->imm, (unsigned)first, (unsigned)(first + count - 1));
}

/* ---- queues ---- */

struct queue *control_message_queue(struct control *control, uint32_t from, uint32_t to) {
    const uint32_t ends[] = {from, to};
    const uint64_t *known = map_get_n(&control->network.by_ends, (const char *)ends, sizeof ends);
    if (known)
        return (struct queue *)(uintptr_t)*known;
    struct queue *q = ARENA_NEW(&control->arena, struct queue);
    *q = (struct queue){.from = from, .to = to};
    map_put_n(&control->network.by_ends, (const char *)ends, sizeof ends, (uint64_t)(uintptr_t)q);
    vec_push(&control->network.queues, q);
    return q;
}

static bool control_queue_full(const struct control *control, const struct queue *queue) {
    return queue->count - queue->passed >= target_queue_messages(control->target);
}

/* A place of a queue that is not full. */
static struct control_message *take_place(struct queue *queue) {
    struct control_message *m = queue->unused;
    if (!m)
        return xcalloc(1, sizeof *m);
    queue->unused = m->next;
    m->next = NULL;
    return m;
}

static void hold_place(struct timing_message **place, struct timing_message *message) {
    timing_message_drop(*place);
    *place = message;
    if (message)
        timing_message_keep(message);
}

/* The place in time of the next message, which holds the message before it or NULL. */
static struct timing_message **next_place(const struct control *control, struct queue *queue) {
    uint64_t n = queue->sent++ % target_queue_messages(control->target);
    if (n == queue->places.len)
        vec_push(&queue->places, NULL);
    return &queue->places.data[n];
}

void control_queue_pass(const struct control *control, struct queue *queue) {
    uint64_t n = (queue->sent - queue->count) % target_queue_messages(control->target);
    queue->passed = true;
    if (control->timing)
        hold_place(&queue->places.data[n], NULL);
}

static void push(struct queue *queue, struct control_message *message) {
    if (queue->count++)
        queue->last->next = message;
    else
        queue->first = message;
    queue->last = message;
}

static struct control_message *pop(struct queue *queue) {
    struct control_message *m = queue->first;
    queue->first = m->next;
    queue->count--;
    m->next = NULL;
    return m;
}

/* What it held is where it belongs.  The data buffer that it may have lain in is free again. */
static void put_back(struct control *control, struct queue *queue,
                     struct control_message *message) {
    control->network.bytes -= message->values.len * sizeof *message->values.data;
    if (queue->passed) {
        queue->passed = false;
        control->network.buffer_used[queue->from] = 0;
        free_message(message);
        return;
    }
    timing_message_drop(message->time);
    message->time = NULL;
    vec_free(&message->copies);
    vec_free(&message->values);
    control_transfer_work_free(&message->work);
    if (queue->unused)
        queue->last_unused->next = message;
    else
        queue->unused = message;
    queue->last_unused = message;
}

/* ---- lanes of a register ---- */

/* Steps from a lane on, the first included, that one piece holds. */
static uint32_t steps_in_piece(int32_t step, uint32_t left) {
    uint32_t by = step < 0 ? (uint32_t) - (int64_t)step : (uint32_t)step;
    uint32_t most = by ? (DP_PIECE_LANES - 1) / by + 1 : left;
    return left < most ? left : most;
}

void control_message_get(struct control *control, const struct message_copy *copy,
                         uint64_t *values) {
    uint64_t lanes[DP_PIECE_LANES];
    for (uint32_t done = 0, n; done < copy->count; done += n) {
        int64_t first = (int64_t)copy->first + (int64_t)done * copy->step, last, low;
        n = steps_in_piece(copy->step, copy->count - done);
        last = first + (int64_t)(n - 1) * copy->step;
        low = last < first ? last : first;
        control->dp->ops->get(control->dp, copy->vrf, DP_REGISTER, copy->reg, (uint32_t)low,
                              (uint32_t)((last < first ? first : last) - low + 1), lanes);
        for (uint32_t i = 0; i < n; i++)
            values[done + i] = lanes[first + (int64_t)i * copy->step - low];
    }
}

struct message_copy control_message_part(const struct message_copy *copy, uint32_t done,
                                         uint32_t count) {
    struct message_copy part = *copy;
    part.first = (uint32_t)((int64_t)copy->first + (int64_t)done * copy->step);
    part.count = count;
    return part;
}

void control_message_take(struct control *control, const struct message_copy *copy,
                          struct control_message *message) {
    uint64_t values[DP_PIECE_LANES];
    for (uint32_t done = 0, n; done < copy->count; done += n) {
        n = dp_piece(done, copy->count);
        const struct message_copy part = control_message_part(copy, done, n);
        control_message_get(control, &part, values);
        for (uint32_t i = 0; i < n; i++)
            vec_push(&message->values, values[i]);
    }
}

/* ---- SEND ---- */

/* True if SEND stands before one transfer ensemble or one GMOVE. */
static bool encloses_transfer(struct control *control, uint32_t done) {
    uint32_t pc = control->top.pc;
    if (done == control->text.len)
        return control_stop(control, CONTROL_STOPPED, STOP_AT(pc), "SEND without a SEND_DONE");
    if (control->text.insns[pc + 1].op == OP_MOVE || control->text.insns[pc + 1].op == OP_GMOVE)
        return true;
    return control_stop(control, CONTROL_STOPPED, STOP_AT(pc + 1),
                        "SEND encloses one transfer ensemble or one GMOVE");
}

static bool send_done_follows(struct control *control) {
    uint32_t pc = control->top.pc;
    if (pc < control->text.len && control->text.insns[pc].op == OP_SEND_DONE)
        return true;
    return control_stop(control, CONTROL_STOPPED, STOP_AT(pc),
                        "SEND encloses one transfer ensemble; SEND_DONE follows it");
}

static uint64_t message_bytes(const struct control_message *message) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < message->copies.len; i++)
        bytes += (uint64_t)message->copies.data[i].width * message->copies.data[i].count / 8;
    return bytes;
}

/* `at`: of the SEND. */
static void post(struct control *control, uint32_t from, uint32_t to, uint32_t at,
                 struct control_message *message) {
    struct queue *q = control_message_queue(control, from, to);
    control_account_message(control, from, to, message_bytes(message));
    if (control->timing) {
        struct timing_transfer inner =
            control_transfer_work_timing(&message->work, place_of(control, at));
        struct timing_message **place = next_place(control, q);
        message->time = timing_send(control->timing, from, place_of(control, at), &inner, to,
                                    message_bytes(message), *place);
        hold_place(place, message->time);
    }
    push(q, message);
    control_stream_wake(control, to, STREAM_AT_RECV);
}

/* All MPUs of the stream have room. */
static bool send_all(struct control *control, const struct insn *insn) {
    uint32_t n = control->now->count, pc = control->top.pc;
    struct control_message **messages = xcalloc(n, sizeof *messages);
    uint32_t *to = xcalloc(n, sizeof *to);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t mpu = control->now->mpus[i];
        to[i] = control_message_partner(control, insn, mpu);
        messages[i] = take_place(control_message_queue(control, mpu, to[i]));
    }
    control->top.pc++;
    bool moves = control->text.insns[control->top.pc].op == OP_GMOVE;
    bool fine = (moves ? control_move_to_messages(control, messages, to)
                       : control_transfer_to_messages(control, messages, to)) &&
                send_done_follows(control);
    for (uint32_t i = 0; i < n; i++)
        if (fine)
            post(control, control->now->mpus[i], to[i], pc, messages[i]);
        else
            free_message(messages[i]);
    free(messages);
    free(to);
    if (fine)
        control_account_top(control, control->top.pc++);
    return fine;
}

bool control_send_step(struct control *control) {
    const struct insn *x = &control->text.insns[control->top.pc];
    uint32_t pc = control->top.pc, done = object_text_footer(&control->text, pc, OP_SEND_DONE);
    if (!partner_exists(control, x) || !encloses_transfer(control, done))
        return false;
    for (uint32_t i = 0; i < control->now->count; i++) {
        uint32_t mpu = control->now->mpus[i], to = control_message_partner(control, x, mpu);
        control->streams.marks[mpu] =
            to != NO_INDEX && control_queue_full(control, control_message_queue(control, mpu, to));
    }
    if (!control_stream_leave(control, control->streams.marks, pc, STREAM_AT_SEND))
        return true;
    control_account_top(control, pc);
    for (uint32_t i = 0; i < control->now->count; i++)
        control->streams.marks[control->now->mpus[i]] =
            control_message_partner(control, x, control->now->mpus[i]) == NO_INDEX;
    if (!control_stream_leave(control, control->streams.marks, done + 1, STREAM_READY))
        return true;
    return send_all(control, x);
}

/* ---- RECV ---- */

void control_message_put(struct control *control, const struct message_copy *copy,
                         const uint64_t *values) {
    if (copy->step == 1) {
        control->dp->ops->put(control->dp, copy->vrf, DP_REGISTER, copy->reg, copy->width,
                              copy->first, copy->count, values);
        return;
    }
    for (uint32_t i = 0; i < copy->count; i++)
        control->dp->ops->put(control->dp, copy->vrf, DP_REGISTER, copy->reg, copy->width,
                              (uint32_t)((int64_t)copy->first + (int64_t)i * copy->step), 1,
                              &values[i]);
}

static void commit(struct control *control, const struct control_message *message) {
    size_t at = 0;
    for (size_t i = 0; i < message->copies.len; i++) {
        control_message_put(control, &message->copies.data[i], &message->values.data[at]);
        at += message->copies.data[i].count;
    }
}

static void receive(struct control *control, uint32_t mpu, uint32_t from) {
    struct queue *q = control_message_queue(control, from, mpu);
    struct control_message *m = pop(q);
    if (control->timing)
        timing_recv(control->timing, mpu, place_of(control, control->top.pc), m->time);
    commit(control, m);
    put_back(control, q, m);
    control_stream_wake(control, from, STREAM_AT_SEND);
}

bool control_recv_step(struct control *control) {
    const struct insn *x = &control->text.insns[control->top.pc];
    uint32_t pc = control->top.pc;
    if (!partner_exists(control, x))
        return false;
    control_count_forget(control);
    for (uint32_t i = 0; i < control->now->count; i++) {
        uint32_t mpu = control->now->mpus[i], from = control_message_partner(control, x, mpu);
        control->streams.marks[mpu] =
            from != NO_INDEX && control_message_queue(control, from, mpu)->count == 0;
    }
    if (!control_stream_leave(control, control->streams.marks, pc, STREAM_AT_RECV))
        return true;
    control_account_top(control, pc); /* its slot is taken before it waits */
    for (uint32_t i = 0; i < control->now->count; i++) {
        uint32_t mpu = control->now->mpus[i], from = control_message_partner(control, x, mpu);
        if (from != NO_INDEX)
            receive(control, mpu, from);
    }
    control->top.pc++;
    return control_machine_is_sound(control, pc);
}
