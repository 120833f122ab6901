/* SPDX-License-Identifier: MIT
 * Transfer ensembles between fixed VRFs: inside an MPU, or into a message. */
#include "support/saturate.h"
#include "emu/control/baseline.h"
#include "emu/control/state.h"

#include "support/alloc.h"

#include <stdlib.h>

/* A transfer ensemble at work: the same in all MPUs of the stream that are the image's. */
struct transfer_ensemble {
    const struct insn *pairs; /* [count]: MOVE src dst */
    uint32_t count;
    struct flow flow;
    struct insn lane;            /* the last LANE; an identity at first */
    uint32_t mpus;               /* of the image, in the stream */
    uint64_t slots, host_ps;     /* of what came since the last MEMCPY */
    bool set_up;                 /* a MEMCPY has been: the pairs are set up */
    struct transfer_work **work; /* [MPUs of the stream] */
    /* Inside of a SEND: by place in the stream, the message and the MPU that it goes to. */
    struct control_message *const *messages;
    const uint32_t *to;
};

/* ---- what the timing model is told ---- */

void control_transfer_work_free(struct transfer_work *w) {
    vec_free(&w->copies);
    vec_free(&w->vrfs);
    vec_free(&w->crossings);
}

static int by_number(const void *x, const void *y) {
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

static void sort_numbers(uint32_t *list, size_t *count) {
    size_t kept = 0;
    if (*count)
        qsort(list, *count, sizeof *list, by_number);
    for (size_t i = 0; i < *count; i++)
        if (kept == 0 || list[kept - 1] != list[i])
            list[kept++] = list[i];
    *count = kept;
}

struct timing_transfer control_transfer_work_timing(struct transfer_work *w,
                                                    struct timing_place at) {
    sort_numbers(w->vrfs.data, &w->vrfs.len);
    return (struct timing_transfer){.at = at,
                                    .copies = w->copies.data,
                                    .count = (uint32_t)w->copies.len,
                                    .vrfs = w->vrfs.data,
                                    .vrf_count = (uint32_t)w->vrfs.len};
}

static void add_copy_time(struct control *c, struct transfer_ensemble *t, uint32_t i, uint64_t ps) {
    struct timing_copy copy = {place_of(c, t->flow.pc), t->slots, t->host_ps, ps};
    vec_push(&t->work[i]->copies, copy);
}

/* RFHs of an MPU that were split over others count as its own. */
static struct dtc_pair pair_of(const struct control *c, const struct dp_copy *x) {
    uint32_t per_mpu = target_vrfs_per_mpu(c->target), rfhs = c->target->rfh_per_mpu;
    return (struct dtc_pair){x->src_vrf % per_mpu % rfhs, x->dst_vrf % per_mpu % rfhs};
}

/* ---- carrying it out ---- */

static bool image_mpu(const struct control *c, uint32_t mpu) {
    return mpu - c->package->image_first < c->package->image_count;
}

/* The lanes that x reads. */
static struct message_copy read_lanes(const struct control *c, const struct dp_copy *x) {
    if (x->count)
        return (struct message_copy){x->src_vrf, x->src_reg,   x->width,
                                     x->count,   x->src_first, x->src_step};
    return (struct message_copy){x->src_vrf, x->src_reg, x->width, c->program->geometry.lanes,
                                 0,          1};
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
static bool copy_to_message(struct control *c, struct control_message *m, const struct dp_copy *x,
                            struct stop_place at) {
    struct message_copy copy = written_lanes(c, x), from = read_lanes(c, x);
    c->network.bytes += copy.count * sizeof(uint64_t);
    if (c->network.bytes > MESSAGE_LIMIT)
        return control_stop(c, CONTROL_STOPPED, at, "messages hold more than 1 GiB");
    vec_push(&m->copies, copy);
    control_message_take(c, &from, m);
    return true;
}

/* Where the RFHs of one MPU were split over several, a transfer between them is a message. */
static void copy_across(struct control *c, struct transfer_work *w, const struct dp_copy *x) {
    uint32_t per = target_vrfs_per_mpu(c->target);
    struct message_copy copy = written_lanes(c, x), from = read_lanes(c, x);
    uint64_t values[DP_PIECE_LANES];
    for (uint32_t done = 0, n; done < copy.count; done += n) {
        n = dp_piece(done, copy.count);
        const struct message_copy get = control_message_part(&from, done, n);
        const struct message_copy put = control_message_part(&copy, done, n);
        control_message_get(c, &get, values);
        control_message_put(c, &put, values);
    }
    struct timing_crossing crossing = {x->src_vrf / per, x->dst_vrf / per,
                                       (uint64_t)copy.count * x->width / 8};
    control_account_message(c, crossing.from, crossing.to, crossing.bytes);
    vec_push(&w->crossings, crossing);
}

/* A MEMCPY of all pairs in one MPU of the stream. */
struct whole_copy {
    struct dp_copy *ends;   /* [count]: of each pair, whole registers */
    struct dtc_pair *pairs; /* [count] */
    uint32_t *pair_copies;  /* [count] */
    struct dp_copy *copies; /* [2 * count] */
    size_t copy_count;
    bool leaves; /* some pair leads to another MPU */
};

static void whole_copy_open(struct whole_copy *w, uint32_t count) {
    *w = (struct whole_copy){.ends = xcalloc((size_t)count + 1, sizeof *w->ends),
                             .pairs = xcalloc((size_t)count + 1, sizeof *w->pairs),
                             .pair_copies = xcalloc((size_t)count + 1, sizeof *w->pair_copies),
                             .copies = xcalloc(2 * (size_t)count + 1, sizeof *w->copies)};
}

static void whole_copy_close(struct whole_copy *w) {
    free(w->ends);
    free(w->pairs);
    free(w->pair_copies);
    free(w->copies);
}

/* Pair k in the i-th MPU of the stream; false after stop. */
static bool add_pair(struct control *c, const struct transfer_ensemble *t, const struct insn *x,
                     uint32_t i, uint32_t k, struct whole_copy *w) {
    uint32_t mpu = c->now->mpus[i], per = target_vrfs_per_mpu(c->target);
    const struct insn *pair = &t->pairs[k];
    uint32_t from = control_fixed_vrf_number(&c->maker, mpu, pair->rfh, x->vrf_src);
    uint32_t to =
        control_fixed_vrf_number(&c->maker, t->messages ? t->to[i] : mpu, pair->vrf, x->vrf_dst);
    struct stop_place at = {t->flow.pc, mpu, NO_INDEX, NO_INDEX, NO_INDEX};
    if (from == NO_INDEX || to == NO_INDEX)
        return control_stop(
            c, CONTROL_STOPPED, at, "the package has no place for RFH%u.VRF%u or RFH%u.VRF%u",
            (unsigned)pair->rfh, (unsigned)x->vrf_src, (unsigned)pair->vrf, (unsigned)x->vrf_dst);
    w->ends[k] = (struct dp_copy){
        .src_vrf = from, .dst_vrf = to, .src_reg = x->rs, .dst_reg = x->rd, .width = x->width};
    w->pairs[k] = pair_of(c, &w->ends[k]);
    w->leaves |= t->messages || from / per != to / per;
    w->pair_copies[k] = control_lane_map_copies(&t->lane, c->program->geometry.lanes, &w->ends[k],
                                                &w->copies[w->copy_count]);
    w->copy_count += w->pair_copies[k];
    vec_push(&t->work[i]->vrfs, from);
    if (!t->messages)
        vec_push(&t->work[i]->vrfs, to);
    return true;
}

static struct dp_transfer transfer_of(const struct whole_copy *w, unsigned width, uint32_t first,
                                      uint32_t count, size_t first_copy) {
    struct dp_transfer x = {.width = width,
                            .copies = w->copies + first_copy,
                            .pairs = w->pairs + first,
                            .pair_copies = w->pair_copies + first,
                            .pair_count = count};
    for (uint32_t k = 0; k < count; k++)
        x.count += x.pair_copies[k];
    return x;
}

/* All pairs stay in the MPU: the machine takes them together and says when they are done. */
static void copy_inside(struct control *c, struct transfer_ensemble *t, const struct whole_copy *w,
                        unsigned width, uint32_t i) {
    struct dp_transfer x = transfer_of(w, width, 0, t->count, 0);
    struct dp_cost cost = {.uops = c->answer_uops, .energy_fj = c->answer_fj};
    x.set_up = t->set_up;
    c->dp->ops->copy(c->dp, &x, &cost);
    control_account_copy(c, c->region, t->flow.pc, &cost);
    if (c->timing)
        add_copy_time(c, t, i, cost.ps);
}

/* Pair k goes to another MPU, by the network or in a message. */
static bool copy_away(struct control *c, struct transfer_ensemble *t, const struct whole_copy *w,
                      const struct dp_copy *copies, uint32_t k, uint32_t i) {
    struct stop_place at = {t->flow.pc, c->now->mpus[i], NO_INDEX, NO_INDEX, NO_INDEX};
    struct dp_cost cost = {.known = !c->config.cost_unknown};
    for (uint32_t n = 0; n < w->pair_copies[k]; n++)
        if (!t->messages)
            copy_across(c, t->work[i], &copies[n]);
        else if (!copy_to_message(c, t->messages[i], &copies[n], at))
            return false;
    if (t->messages)
        cost.transfer_fj = dtc_copy_fj(c->target, w->ends[k].width);
    control_account_copy(c, c->region, t->flow.pc, &cost);
    return true;
}

/* Some pairs leave the MPU: one after the other, at the pace of the MPU's controller. */
static bool copy_apart(struct control *c, struct transfer_ensemble *t, const struct whole_copy *w,
                       const struct insn *x, uint32_t i) {
    uint32_t per = target_vrfs_per_mpu(c->target);
    const struct dtc_cost each = {0, t->set_up ? 0 : dtc_setup_ps(c->target),
                                  dtc_copy_ps(c->target, x->width)};
    size_t at = 0;
    for (uint32_t k = 0; k < t->count; at += w->pair_copies[k++]) {
        struct dp_transfer one = transfer_of(w, x->width, k, 1, at);
        struct dp_cost cost = {.uops = c->answer_uops, .energy_fj = c->answer_fj};
        if (t->messages || w->ends[k].src_vrf / per != w->ends[k].dst_vrf / per) {
            if (!copy_away(c, t, w, &w->copies[at], k, i))
                return false;
            continue;
        }
        c->dp->ops->copy(c->dp, &one, &cost);
        control_account_copy(c, c->region, t->flow.pc, &cost);
    }
    if (!c->dtc)
        c->dtc = dtc_new(c->target);
    if (c->timing)
        add_copy_time(c, t, i, dtc_schedule(c->dtc, w->pairs, t->count, &each, NULL));
    return true;
}

/* Pairs take effect in the order of the header. */
static bool copy_all_pairs(struct control *c, struct transfer_ensemble *t, const struct insn *x,
                           uint32_t i) {
    struct whole_copy w;
    bool fine = true;
    whole_copy_open(&w, t->count);
    for (uint32_t k = 0; k < t->count && fine; k++)
        fine = add_pair(c, t, x, i, k, &w);
    if (fine && w.leaves)
        fine = copy_apart(c, t, &w, x, i);
    else if (fine)
        copy_inside(c, t, &w, x->width, i);
    if (fine)
        c->stats.transfers += t->count;
    whole_copy_close(&w);
    return fine;
}

static bool memcpy_step(struct control *c, struct transfer_ensemble *t, const struct insn *x) {
    t->slots++;
    for (uint32_t i = 0; i < c->now->count; i++)
        if (image_mpu(c, c->now->mpus[i]) && !copy_all_pairs(c, t, x, i))
            return false;
    if (c->timing && c->target->datapath_ps)
        control_account_elapsed(c, sat_mul(t->count, dtc_copy_ps(c->target, x->width)) /
                                       c->target->datapath_ps);
    t->slots = t->host_ps = 0;
    t->set_up = true;
    t->flow.pc++;
    return true;
}

/* MPUs that took RFHs of others: all of them wait for each other, and then exchange. */
static void time_crossings(struct control *c, struct transfer_ensemble *t, struct timing_place at) {
    VEC(uint32_t) mpus = {0};
    VEC(struct timing_crossing) crossings = {0};
    VEC(struct timing_charge) charges = {0};
    for (uint32_t i = 0; i < c->now->count; i++) {
        const struct transfer_work *w = t->work[i];
        struct timing_charge charge = {c->now->mpus[i], 0};
        for (size_t k = 0; k < w->copies.len && w->crossings.len; k++)
            charge.ps = sat_add(charge.ps, w->copies.data[k].ps);
        for (size_t k = 0; k < w->crossings.len; k++) {
            vec_push(&crossings, w->crossings.data[k]);
            vec_push(&mpus, w->crossings.data[k].from);
            vec_push(&mpus, w->crossings.data[k].to);
        }
        if (w->crossings.len)
            vec_push(&charges, charge);
    }
    sort_numbers(mpus.data, &mpus.len);
    if (mpus.len)
        timing_meet(c->timing, &(struct timing_meeting){.at = at,
                                                        .mpus = mpus.data,
                                                        .count = (uint32_t)mpus.len,
                                                        .charges = charges.data,
                                                        .charge_count = (uint32_t)charges.len,
                                                        .crossings = crossings.data,
                                                        .crossing_count = (uint32_t)crossings.len});
    vec_free(&mpus);
    vec_free(&crossings);
    vec_free(&charges);
}

static void time_transfer(struct control *c, struct transfer_ensemble *t) {
    struct timing_place at = place_of(c, (uint32_t)(t->pairs - c->text.insns));
    time_crossings(c, t, at);
    for (uint32_t i = 0; i < c->now->count; i++) {
        if (!image_mpu(c, c->now->mpus[i]) || t->work[i]->crossings.len)
            continue;
        struct timing_transfer x = control_transfer_work_timing(t->work[i], at);
        timing_transfer(c->timing, c->now->mpus[i], &x);
    }
}

static bool other_step(struct control *c, struct transfer_ensemble *t, const struct insn *x) {
    const char *why = NULL;
    if (x->op == OP_MARK) {
        c->region = control_account_region(c, (uint32_t)x->imm);
        t->flow.pc++;
        return true;
    }
    if (x->op == OP_LANE) {
        t->lane = *x;
        t->flow.pc++;
        return true;
    }
    if (x->op == OP_COUNT)
        return control_stop(c, CONTROL_STOPPED, STOP_AT(t->flow.pc), "illegal instruction");
    if (!control_flow_step(&t->flow, &c->text, x, &why))
        return control_stop(c, CONTROL_STOPPED, STOP_AT(t->flow.pc),
                            "%s inside a transfer ensemble", isa_info(x->op)->name);
    return why ? control_stop(c, CONTROL_STOPPED, STOP_AT(t->flow.pc), "%s", why) : true;
}

/* False when the program stopped; *finished at the footer. */
static bool transfer_step(struct control *c, struct transfer_ensemble *t, bool *finished) {
    uint32_t pc = t->flow.pc;
    if (pc >= c->text.len)
        return control_stop(c, CONTROL_STOPPED, STOP_AT(pc),
                            "the text ends inside a transfer ensemble");
    if (!control_may_go_on(c, pc))
        return false;
    const struct insn *x = &c->text.insns[pc];
    *finished = x->op == OP_MOVE_DONE;
    if (*finished && (t->flow.depth || t->flow.frames[0].loops))
        return control_stop(c, CONTROL_STOPPED, STOP_AT(pc),
                            "MOVE_DONE inside a subroutine or a REPEAT of the ensemble");
    bool copies = x->op < OP_COUNT && isa_info(x->op)->format == FORMAT_M;
    if (!*finished && !(copies ? memcpy_step(c, t, x) : other_step(c, t, x)))
        return false;
    control_step_stream(c, pc);
    control_account_insn(c, pc, t->mpus);
    control_account_elapsed(c, 1);
    uint64_t host_ps = control_host_cost_ps(c->target, x->op);
    t->host_ps = sat_add(t->host_ps, host_ps);
    t->slots += !copies && !host_ps;
    for (uint32_t i = 0; *finished && c->timing && i < c->now->count; i++)
        if (image_mpu(c, c->now->mpus[i]))
            add_copy_time(c, t, i, 0);
    return true;
}

/* One slot per pair, in every MPU; one that joined only because a group spans it then skips. */
static void account_header(struct control *c, uint32_t first, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        control_account_top(c, first + i);
}

static uint32_t count_image(const struct control *c) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->now->count; i++)
        n += image_mpu(c, c->now->mpus[i]);
    return n;
}

static bool run_transfer(struct control *c, struct transfer_ensemble *t) {
    uint32_t first = c->top.pc, body = first;
    bool finished = false, ok = true;
    while (body < c->text.len && c->text.insns[body].op == OP_MOVE)
        body++;
    t->pairs = &c->text.insns[first];
    t->count = body - first;
    t->mpus = count_image(c);
    account_header(c, first, t->count);
    t->lane = (struct insn){.op = OP_LANE, .mode = LANE_IDENTITY};
    control_flow_begin(&t->flow, body, c->top.base + c->top.depth);
    while (ok && !finished)
        ok = transfer_step(c, t, &finished);
    c->top.pc = t->flow.pc + 1;
    control_flow_free(&t->flow);
    return ok;
}

bool control_transfer_ensemble(struct control *c) {
    uint32_t n = c->now->count;
    struct transfer_work *work = xcalloc((size_t)n + 1, sizeof *work);
    struct transfer_ensemble t = {.work = xcalloc((size_t)n + 1, sizeof *t.work)};
    for (uint32_t i = 0; i < n; i++)
        t.work[i] = &work[i];
    bool fine = run_transfer(c, &t);
    control_count_forget(c);
    if (c->timing)
        time_transfer(c, &t);
    for (uint32_t i = 0; i < n; i++)
        control_transfer_work_free(&work[i]);
    free(t.work);
    free(work);
    return fine && control_machine_is_sound(c, c->top.pc - 1);
}

bool control_transfer_to_messages(struct control *c, struct control_message *const *messages,
                                  const uint32_t *to) {
    struct transfer_ensemble t = {.messages = messages, .to = to};
    t.work = xcalloc((size_t)c->now->count + 1, sizeof *t.work);
    for (uint32_t i = 0; i < c->now->count; i++)
        t.work[i] = &messages[i]->work;
    bool fine = run_transfer(c, &t);
    free(t.work);
    return fine;
}
