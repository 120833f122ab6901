/* SPDX-License-Identifier: MIT
 * Transfer ensembles between fixed VRFs: inside an MPU, or into a message. */
#include "support/saturate.h"
#include "emu/control/state.h"

#include "support/alloc.h"

#include <stdlib.h>

/* A transfer ensemble at work: the same in all MPUs of the stream that are the image's. */
struct transfer {
    const struct insn *pairs; /* [count]: MOVE src dst */
    uint32_t count;
    struct flow flow;
    struct insn lane;         /* the last LANE; an identity at first */
    uint32_t mpus;            /* of the image, in the stream */
    struct mpu_clock control; /* of control instructions and MEMCPYs, per MPU */
    uint64_t transfer_ps;     /* per MPU */
    /* Inside of a SEND: by place in the stream, the message and the MPU that it goes to. */
    struct mpu_message *const *messages;
    const uint32_t *to;
};

static bool image_mpu(const struct control *c, uint32_t mpu) {
    return mpu - c->package->image_first < c->package->image_count;
}

/* The lanes that x reads, in order; the caller frees them. */
static uint64_t *read_lanes(struct control *c, const struct dp_copy *x) {
    uint32_t lanes = c->program->geometry.lanes;
    uint64_t *all = xcalloc(lanes, sizeof *all);
    c->dp->ops->get(c->dp, x->src_vrf, DP_REGISTER, x->src_reg, 0, lanes, all);
    if (x->count == 0)
        return all;
    uint64_t *values = xcalloc(x->count, sizeof *values);
    for (uint32_t i = 0; i < x->count; i++)
        values[i] = all[(int64_t)x->src_first + (int64_t)i * x->src_step];
    free(all);
    return values;
}

/* The lanes that x writes. */
static struct message_copy written_lanes(const struct control *c, const struct dp_copy *x) {
    if (x->count)
        return (struct message_copy){x->dst_vrf, x->dst_reg,   x->width,
                                     x->count,   x->dst_first, x->dst_step};
    return (struct message_copy){x->dst_vrf, x->dst_reg, x->width, c->program->geometry.lanes,
                                 0,          1};
}

/* What a MEMCPY would write becomes part of a message: the lanes of a fixed VRF. */
static bool copy_to_message(struct control *c, struct mpu_message *m, const struct dp_copy *x,
                            struct stop_place at) {
    struct message_copy copy = written_lanes(c, x);
    c->network.bytes += copy.count * sizeof(uint64_t);
    if (c->network.bytes > MESSAGE_LIMIT)
        return stop(c, CONTROL_STOPPED, at, "messages hold more than 1 GiB");
    uint64_t *values = read_lanes(c, x);
    vec_push(&m->copies, copy);
    for (uint32_t i = 0; i < copy.count; i++)
        vec_push(&m->values, values[i]);
    free(values);
    return true;
}

/* Where the RFHs of one MPU were split over several, a transfer between them is a message. */
static void copy_across(struct control *c, const struct dp_copy *x) {
    uint32_t per = target_vrfs_per_mpu(c->target);
    struct message_copy copy = written_lanes(c, x);
    uint64_t *values = read_lanes(c, x);
    message_put(c, &copy, values);
    free(values);
    account_message(c, x->src_vrf / per, x->dst_vrf / per, (uint64_t)copy.count * x->width / 8);
}

/* One MEMCPY of one pair in the i-th MPU of the stream. */
static bool copy_pair(struct control *c, const struct transfer *t, const struct insn *pair,
                      const struct insn *x, uint32_t i, struct dp_cost *cost) {
    uint32_t mpu = c->now->mpus[i], per = target_vrfs_per_mpu(c->target);
    uint32_t from = fixed_vrf_number(&c->maker, mpu, pair->rfh, x->vrf_src);
    uint32_t to = fixed_vrf_number(&c->maker, t->messages ? t->to[i] : mpu, pair->vrf, x->vrf_dst);
    struct stop_place at = {t->flow.pc, mpu, NO_INDEX, NO_INDEX, NO_INDEX};
    if (from == NO_INDEX || to == NO_INDEX)
        return stop(c, CONTROL_STOPPED, at,
                    "the package has no place for RFH%u.VRF%u or RFH%u.VRF%u", (unsigned)pair->rfh,
                    (unsigned)x->vrf_src, (unsigned)pair->vrf, (unsigned)x->vrf_dst);
    const struct dp_copy whole = {
        .src_vrf = from, .dst_vrf = to, .src_reg = x->rs, .dst_reg = x->rd, .width = x->width};
    struct dp_copy copies[2];
    uint32_t n = lane_map_copies(&t->lane, c->program->geometry.lanes, &whole, copies);
    if (!t->messages && from / per == to / per) {
        if (n)
            c->dp->ops->copy(c->dp, copies, n, 1, cost);
        return true;
    }
    for (uint32_t k = 0; k < n; k++)
        if (!t->messages)
            copy_across(c, &copies[k]);
        else if (!copy_to_message(c, t->messages[i], &copies[k], at))
            return false;
    return true;
}

/* Pairs take effect in the order of the header.  A serial network moves one after another. */
static bool copy_all_pairs(struct control *c, struct transfer *t, const struct insn *x, uint32_t i,
                           uint64_t *time_ps) {
    *time_ps = 0;
    for (uint32_t k = 0; k < t->count; k++) {
        struct dp_cost cost = {.known = !c->config.cost_unknown};
        if (!copy_pair(c, t, &t->pairs[k], x, i, &cost))
            return false;
        if (c->target->network == NETWORK_SERIAL)
            *time_ps = sat_add(*time_ps, cost.next_ps);
        else if (cost.next_ps > *time_ps)
            *time_ps = cost.next_ps;
        c->insns[t->flow.pc].energy_fj =
            sat_add(c->insns[t->flow.pc].energy_fj, cost.energy_fj[DP_ENERGY_TRANSFER]);
        account_cost(c, c->region, &cost);
        c->stats.transfers++;
    }
    return true;
}

static bool memcpy_step(struct control *c, struct transfer *t, const struct insn *x) {
    uint64_t time_ps = 0;
    for (uint32_t i = 0; i < c->now->count; i++)
        if (image_mpu(c, c->now->mpus[i]) && !copy_all_pairs(c, t, x, i, &time_ps))
            return false;
    t->transfer_ps = sat_add(t->transfer_ps, time_ps);
    if (c->target->datapath_ps)
        account_elapsed(c, time_ps / c->target->datapath_ps);
    t->flow.pc++;
    return true;
}

/* Set-up is per pair: one after another on a serial network, all at once otherwise. */
static uint64_t setup_ps(const struct control *c, uint32_t pairs) {
    return c->target->network == NETWORK_SERIAL ? sat_mul(pairs, c->target->setup_ps)
                                                : c->target->setup_ps;
}

/* What the ensemble spent since the last call. */
static void account_transfer(struct control *c, struct transfer *t) {
    struct mpu_clock spent = t->control;
    spent.transfer_ps = t->transfer_ps;
    spent.time_ps = sat_add(spent.time_ps, t->transfer_ps);
    for (uint32_t i = 0; i < c->now->count; i++) {
        uint32_t mpu = c->now->mpus[i];
        if (!image_mpu(c, mpu))
            continue;
        span_report(c, mpu, UNIT_DTC, 0, account_now(c, mpu), spent.time_ps,
                    (uint32_t)(t->pairs - c->text.insns));
        account_mpu(c, mpu, c->region, spent);
    }
    t->control = (struct mpu_clock){0};
    t->transfer_ps = 0;
}

static bool other_step(struct control *c, struct transfer *t, const struct insn *x) {
    const char *why = NULL;
    if (x->op == OP_MARK) {
        account_transfer(c, t);
        c->region = account_region(c, (uint32_t)x->imm);
        t->flow.pc++;
        return true;
    }
    if (x->op == OP_LANE) {
        t->lane = *x;
        t->flow.pc++;
        return true;
    }
    if (x->op == OP_COUNT)
        return stop(c, CONTROL_STOPPED, STOP_AT(t->flow.pc), "illegal instruction");
    if (!flow_step(&t->flow, &c->text, x, &why))
        return stop(c, CONTROL_STOPPED, STOP_AT(t->flow.pc), "%s inside a transfer ensemble",
                    isa_info(x->op)->name);
    return why ? stop(c, CONTROL_STOPPED, STOP_AT(t->flow.pc), "%s", why) : true;
}

static void account_control(const struct control *c, struct transfer *t, enum mpu_op op) {
    struct mpu_clock took = account_slots(c, op, 1);
    t->control.time_ps = sat_add(t->control.time_ps, took.time_ps);
    t->control.control_ps = sat_add(t->control.control_ps, took.control_ps);
    t->control.host_ps = sat_add(t->control.host_ps, took.host_ps);
}

/* False when the program stopped; *finished at the footer. */
static bool transfer_step(struct control *c, struct transfer *t, bool *finished) {
    uint32_t pc = t->flow.pc;
    if (pc >= c->text.len)
        return stop(c, CONTROL_STOPPED, STOP_AT(pc), "the text ends inside a transfer ensemble");
    if (!may_go_on(c, pc))
        return false;
    const struct insn *x = &c->text.insns[pc];
    *finished = x->op == OP_MOVE_DONE;
    if (*finished && (t->flow.depth || t->flow.frames[0].loops))
        return stop(c, CONTROL_STOPPED, STOP_AT(pc),
                    "MOVE_DONE inside a subroutine or a REPEAT of the ensemble");
    bool copies = x->op < OP_COUNT && isa_info(x->op)->format == FORMAT_M;
    if (!*finished && !(copies ? memcpy_step(c, t, x) : other_step(c, t, x)))
        return false;
    step_stream(c, pc);
    account_insn(c, pc, t->mpus);
    account_control(c, t, x->op);
    account_elapsed(c, 1);
    return true;
}

/* One slot per pair, in every MPU; one that joined only because a group spans it then skips. */
static void account_header(struct control *c, uint32_t first, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        account_top(c, first + i);
}

static uint32_t count_image(const struct control *c) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->now->count; i++)
        n += image_mpu(c, c->now->mpus[i]);
    return n;
}

static bool run_transfer(struct control *c, struct transfer *t) {
    uint32_t first = c->top.pc, body = first;
    bool finished = false, ok = true;
    while (body < c->text.len && c->text.insns[body].op == OP_MOVE)
        body++;
    t->pairs = &c->text.insns[first];
    t->count = body - first;
    t->mpus = count_image(c);
    account_header(c, first, t->count);
    t->lane = (struct insn){.op = OP_LANE, .mode = LANE_IDENTITY};
    t->transfer_ps = c->config.cost_unknown || t->messages ? 0 : setup_ps(c, t->count);
    flow_begin(&t->flow, body, c->top.base + c->top.depth);
    while (ok && !finished)
        ok = transfer_step(c, t, &finished);
    account_transfer(c, t);
    c->top.pc = t->flow.pc + 1;
    flow_free(&t->flow);
    return ok;
}

bool transfer_ensemble(struct control *c) {
    struct transfer t = {0};
    return run_transfer(c, &t) && machine_is_sound(c, c->top.pc - 1);
}

bool transfer_to_messages(struct control *c, struct mpu_message *const *messages,
                          const uint32_t *to) {
    struct transfer t = {.messages = messages, .to = to};
    return run_transfer(c, &t);
}
