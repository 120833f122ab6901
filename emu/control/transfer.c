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

void control_transfer_work_free(struct transfer_work *work) {
    vec_free(&work->copies);
    vec_free(&work->vrfs);
    vec_free(&work->crossings);
}

static int by_number(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
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

struct timing_transfer control_transfer_work_timing(struct transfer_work *work,
                                                    struct timing_place at) {
    sort_numbers(work->vrfs.data, &work->vrfs.len);
    return (struct timing_transfer){.at = at,
                                    .copies = work->copies.data,
                                    .count = (uint32_t)work->copies.len,
                                    .vrfs = work->vrfs.data,
                                    .vrf_count = (uint32_t)work->vrfs.len};
}

static void add_copy_time(struct control *control, struct transfer_ensemble *ensemble,
                          uint32_t index, uint64_t ps, uint64_t energy_fj) {
    struct timing_copy copy = {place_of(control, ensemble->flow.pc), ensemble->slots,
                               ensemble->host_ps, ps, energy_fj};
    vec_push(&ensemble->work[index]->copies, copy);
}

/* RFHs of an MPU that were split over others count as its own. */
static struct dtc_pair pair_of(const struct control *control, const struct dp_copy *copy) {
    uint32_t per_mpu = target_vrfs_per_mpu(control->target), rfhs = control->target->rfh_per_mpu;
    return (struct dtc_pair){copy->src_vrf % per_mpu % rfhs, copy->dst_vrf % per_mpu % rfhs};
}

/* ---- carrying it out ---- */

static bool image_mpu(const struct control *control, uint32_t mpu) {
    return mpu - control->package->image_first < control->package->image_count;
}

/* The lanes that copy reads. */
static struct message_copy read_lanes(const struct control *control, const struct dp_copy *copy) {
    if (copy->count)
        return (struct message_copy){copy->src_vrf, copy->src_reg,   copy->width,
                                     copy->count,   copy->src_first, copy->src_step};
    return (struct message_copy){
        copy->src_vrf, copy->src_reg, copy->width, control->program->geometry.lanes, 0, 1};
}

/* The lanes that copy writes. */
static struct message_copy written_lanes(const struct control *control,
                                         const struct dp_copy *copy) {
    if (copy->count)
        return (struct message_copy){copy->dst_vrf, copy->dst_reg,   copy->width,
                                     copy->count,   copy->dst_first, copy->dst_step};
    return (struct message_copy){
        copy->dst_vrf, copy->dst_reg, copy->width, control->program->geometry.lanes, 0, 1};
}

/* What a MEMCPY would write becomes part of a message: the lanes of a fixed VRF. */
static bool copy_to_message(struct control *control, struct control_message *message,
                            const struct dp_copy *dp_copy, struct stop_place at) {
    struct message_copy copy = written_lanes(control, dp_copy), from = read_lanes(control, dp_copy);
    control->network.bytes += copy.count * sizeof(uint64_t);
    if (control->network.bytes > MESSAGE_LIMIT)
        return control_stop(control, CONTROL_STOPPED, at, "messages hold more than 1 GiB");
    vec_push(&message->copies, copy);
    control_message_take(control, &from, message);
    return true;
}

/* Where the RFHs of one MPU were split over several, a transfer between them is a message. */
static void copy_across(struct control *control, struct transfer_work *work,
                        const struct dp_copy *dp_copy) {
    uint32_t per = target_vrfs_per_mpu(control->target);
    struct message_copy copy = written_lanes(control, dp_copy), from = read_lanes(control, dp_copy);
    uint64_t values[DP_PIECE_LANES];
    for (uint32_t done = 0, n; done < copy.count; done += n) {
        n = dp_piece(done, copy.count);
        const struct message_copy get = control_message_part(&from, done, n);
        const struct message_copy put = control_message_part(&copy, done, n);
        control_message_get(control, &get, values);
        control_message_put(control, &put, values);
    }
    struct timing_crossing crossing = {dp_copy->src_vrf / per, dp_copy->dst_vrf / per,
                                       (uint64_t)copy.count * dp_copy->width / 8};
    control_account_message(control, crossing.from, crossing.to, crossing.bytes);
    vec_push(&work->crossings, crossing);
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

static void whole_copy_open(struct whole_copy *copy, uint32_t count) {
    *copy =
        (struct whole_copy){.ends = xcalloc((size_t)count + 1, sizeof *copy->ends),
                            .pairs = xcalloc((size_t)count + 1, sizeof *copy->pairs),
                            .pair_copies = xcalloc((size_t)count + 1, sizeof *copy->pair_copies),
                            .copies = xcalloc(2 * (size_t)count + 1, sizeof *copy->copies)};
}

static void whole_copy_close(struct whole_copy *copy) {
    free(copy->ends);
    free(copy->pairs);
    free(copy->pair_copies);
    free(copy->copies);
}

/* Pair `number` in MPU `index` of the stream; false after stop. */
static bool add_pair(struct control *control, const struct transfer_ensemble *ensemble,
                     const struct insn *insn, uint32_t index, uint32_t number,
                     struct whole_copy *copy) {
    uint32_t mpu = control->now->mpus[index], per = target_vrfs_per_mpu(control->target);
    const struct insn *pair = &ensemble->pairs[number];
    uint32_t from = control_fixed_vrf_number(&control->bodies.maker, mpu, pair->rfh, insn->vrf_src);
    uint32_t to = control_fixed_vrf_number(&control->bodies.maker,
                                           ensemble->messages ? ensemble->to[index] : mpu,
                                           pair->vrf, insn->vrf_dst);
    struct stop_place at = {ensemble->flow.pc, mpu, NO_INDEX, NO_INDEX, NO_INDEX};
    if (from == NO_INDEX || to == NO_INDEX)
        return control_stop(control, CONTROL_STOPPED, at,
                            "the package has no place for RFH%u.VRF%u or RFH%u.VRF%u",
                            (unsigned)pair->rfh, (unsigned)insn->vrf_src, (unsigned)pair->vrf,
                            (unsigned)insn->vrf_dst);
    copy->ends[number] = (struct dp_copy){.src_vrf = from,
                                          .dst_vrf = to,
                                          .src_reg = insn->rs,
                                          .dst_reg = insn->rd,
                                          .width = insn->width};
    copy->pairs[number] = pair_of(control, &copy->ends[number]);
    copy->leaves |= ensemble->messages || from / per != to / per;
    copy->pair_copies[number] =
        control_lane_map_copies(&ensemble->lane, control->program->geometry.lanes,
                                &copy->ends[number], &copy->copies[copy->copy_count]);
    copy->copy_count += copy->pair_copies[number];
    vec_push(&ensemble->work[index]->vrfs, from);
    if (!ensemble->messages)
        vec_push(&ensemble->work[index]->vrfs, to);
    return true;
}

static struct dp_transfer transfer_of(const struct whole_copy *copy, unsigned width, uint32_t first,
                                      uint32_t count, size_t first_copy) {
    struct dp_transfer x = {.width = width,
                            .copies = copy->copies + first_copy,
                            .pairs = copy->pairs + first,
                            .pair_copies = copy->pair_copies + first,
                            .pair_count = count};
    for (uint32_t k = 0; k < count; k++)
        x.count += x.pair_copies[k];
    return x;
}

/* All pairs stay in the MPU: the machine takes them together and says when they are done. */
static void copy_inside(struct control *control, struct transfer_ensemble *ensemble,
                        const struct whole_copy *copy, unsigned width, uint32_t index) {
    struct dp_transfer x = transfer_of(copy, width, 0, ensemble->count, 0);
    struct dp_cost cost =
        control_account_asked(control, control_account_now(control, control->now->mpus[index]));
    x.set_up = ensemble->set_up;
    control->dp->ops->copy(control->dp, &x, &cost);
    uint64_t fj = control_account_copy(control, control->region, ensemble->flow.pc, &cost);
    if (control->timing)
        add_copy_time(control, ensemble, index, cost.ps, fj);
}

/* Pair index goes to another MPU, by the network or in a message. */
static bool copy_away(struct control *control, struct transfer_ensemble *ensemble,
                      const struct whole_copy *copy, const struct dp_copy *copies, uint32_t index,
                      uint32_t number, uint64_t *energy_fj) {
    struct stop_place at = {ensemble->flow.pc, control->now->mpus[number], NO_INDEX, NO_INDEX,
                            NO_INDEX};
    struct dp_cost cost = {.known = !control->config.cost_unknown};
    for (uint32_t n = 0; n < copy->pair_copies[index]; n++)
        if (!ensemble->messages)
            copy_across(control, ensemble->work[number], &copies[n]);
        else if (!copy_to_message(control, ensemble->messages[number], &copies[n], at))
            return false;
    if (ensemble->messages)
        cost.transfer_fj = dtc_copy_fj(control->target, copy->ends[index].width);
    *energy_fj = sat_add(*energy_fj,
                         control_account_copy(control, control->region, ensemble->flow.pc, &cost));
    return true;
}

/* Some pairs leave the MPU: one after the other, at the pace of the MPU's controller. */
static bool copy_apart(struct control *control, struct transfer_ensemble *ensemble,
                       const struct whole_copy *copy, const struct insn *insn, uint32_t index) {
    uint32_t per = target_vrfs_per_mpu(control->target);
    const struct dtc_cost each = {0, ensemble->set_up ? 0 : dtc_setup_ps(control->target),
                                  dtc_copy_ps(control->target, insn->width)};
    size_t at = 0;
    uint64_t fj = 0;
    for (uint32_t k = 0; k < ensemble->count; at += copy->pair_copies[k++]) {
        struct dp_transfer one = transfer_of(copy, insn->width, k, 1, at);
        struct dp_cost cost =
            control_account_asked(control, control_account_now(control, control->now->mpus[index]));
        if (ensemble->messages || copy->ends[k].src_vrf / per != copy->ends[k].dst_vrf / per) {
            if (!copy_away(control, ensemble, copy, &copy->copies[at], k, index, &fj))
                return false;
            continue;
        }
        control->dp->ops->copy(control->dp, &one, &cost);
        fj = sat_add(fj, control_account_copy(control, control->region, ensemble->flow.pc, &cost));
    }
    if (!control->dtc)
        control->dtc = dtc_new(control->target);
    if (control->timing)
        add_copy_time(control, ensemble, index,
                      dtc_schedule(control->dtc, copy->pairs, ensemble->count, &each, NULL), fj);
    return true;
}

/* Pairs take effect in the order of the header. */
static bool copy_all_pairs(struct control *control, struct transfer_ensemble *ensemble,
                           const struct insn *insn, uint32_t index) {
    struct whole_copy w;
    bool fine = true;
    whole_copy_open(&w, ensemble->count);
    for (uint32_t k = 0; k < ensemble->count && fine; k++)
        fine = add_pair(control, ensemble, insn, index, k, &w);
    if (fine && w.leaves)
        fine = copy_apart(control, ensemble, &w, insn, index);
    else if (fine)
        copy_inside(control, ensemble, &w, insn->width, index);
    if (fine)
        control->account.stats.transfers += ensemble->count;
    whole_copy_close(&w);
    return fine;
}

static bool memcpy_step(struct control *control, struct transfer_ensemble *ensemble,
                        const struct insn *insn) {
    ensemble->slots++;
    for (uint32_t i = 0; i < control->now->count; i++)
        if (image_mpu(control, control->now->mpus[i]) &&
            !copy_all_pairs(control, ensemble, insn, i))
            return false;
    if (control->timing && control->target->datapath_ps)
        control_account_elapsed(
            control, sat_mul(ensemble->count, dtc_copy_ps(control->target, insn->width)) /
                         control->target->datapath_ps);
    ensemble->slots = ensemble->host_ps = 0;
    ensemble->set_up = true;
    ensemble->flow.pc++;
    return true;
}

/* MPUs that took RFHs of others: all of them wait for each other, and then exchange. */
static void time_crossings(struct control *control, struct transfer_ensemble *ensemble,
                           struct timing_place at) {
    VEC(uint32_t) mpus = {0};
    VEC(struct timing_crossing) crossings = {0};
    VEC(struct timing_charge) charges = {0};
    for (uint32_t i = 0; i < control->now->count; i++) {
        const struct transfer_work *w = ensemble->work[i];
        struct timing_charge charge = {.mpu = control->now->mpus[i]};
        for (size_t k = 0; k < w->copies.len && w->crossings.len; k++) {
            charge.ps = sat_add(charge.ps, w->copies.data[k].ps);
            charge.energy_fj = sat_add(charge.energy_fj, w->copies.data[k].energy_fj);
        }
        for (size_t k = 0; k < w->crossings.len; k++) {
            vec_push(&crossings, w->crossings.data[k]);
            vec_push(&mpus, w->crossings.data[k].from);
            vec_push(&mpus, w->crossings.data[k].to);
        }
        if (w->crossings.len)
            vec_push(&charges, charge);
    }
    sort_numbers(mpus.data, &mpus.len);
    control_account_crossing(control, mpus.data, mpus.len);
    if (mpus.len)
        timing_meet(control->timing,
                    &(struct timing_meeting){.at = at,
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

static void time_transfer(struct control *control, struct transfer_ensemble *ensemble) {
    struct timing_place at = place_of(control, (uint32_t)(ensemble->pairs - control->text.insns));
    time_crossings(control, ensemble, at);
    for (uint32_t i = 0; i < control->now->count; i++) {
        if (!image_mpu(control, control->now->mpus[i]) || ensemble->work[i]->crossings.len)
            continue;
        struct timing_transfer x = control_transfer_work_timing(ensemble->work[i], at);
        timing_transfer(control->timing, control->now->mpus[i], &x);
    }
}

static bool other_step(struct control *control, struct transfer_ensemble *ensemble,
                       const struct insn *insn) {
    const char *why = NULL;
    if (insn->op == OP_MARK) {
        control->region = control_account_region(control, (uint32_t)insn->imm);
        ensemble->flow.pc++;
        return true;
    }
    if (insn->op == OP_LANE) {
        ensemble->lane = *insn;
        ensemble->flow.pc++;
        return true;
    }
    if (insn->op == OP_COUNT)
        return control_stop(control, CONTROL_STOPPED, STOP_AT(ensemble->flow.pc),
                            "illegal instruction");
    if (!control_flow_step(&ensemble->flow, &control->text, insn, &why))
        return control_stop(control, CONTROL_STOPPED, STOP_AT(ensemble->flow.pc),
                            "%s inside a transfer ensemble", isa_info(insn->op)->name);
    return why ? control_stop(control, CONTROL_STOPPED, STOP_AT(ensemble->flow.pc), "%s", why)
               : true;
}

/* False when the program stopped; *finished at the footer. */
static bool transfer_step(struct control *control, struct transfer_ensemble *ensemble,
                          bool *finished) {
    uint32_t pc = ensemble->flow.pc;
    if (pc >= control->text.len)
        return control_stop(control, CONTROL_STOPPED, STOP_AT(pc),
                            "the text ends inside a transfer ensemble");
    if (!control_may_go_on(control, pc))
        return false;
    const struct insn *x = &control->text.insns[pc];
    *finished = x->op == OP_MOVE_DONE;
    if (*finished && (ensemble->flow.depth || ensemble->flow.frames[0].loops))
        return control_stop(control, CONTROL_STOPPED, STOP_AT(pc),
                            "MOVE_DONE inside a subroutine or a REPEAT of the ensemble");
    bool copies = x->op < OP_COUNT && isa_info(x->op)->format == FORMAT_M;
    bool sends = copies && control->dp->tables.selects;
    if (sends) /* its micro-ops come as it is carried out */
        control_step_stream(control, pc, true);
    if (!*finished &&
        !(copies ? memcpy_step(control, ensemble, x) : other_step(control, ensemble, x)))
        return false;
    if (!sends)
        control_step_stream(control, pc, false);
    control_account_insn(control, pc, ensemble->mpus);
    control_account_elapsed(control, 1);
    uint64_t host_ps = control_host_cost_ps(control->target, x->op);
    ensemble->host_ps = sat_add(ensemble->host_ps, host_ps);
    ensemble->slots += !copies && !control_host_takes(control->target, x->op);
    for (uint32_t i = 0; *finished && control->timing && i < control->now->count; i++)
        if (image_mpu(control, control->now->mpus[i]))
            add_copy_time(control, ensemble, i, 0, 0);
    return true;
}

/* One slot per pair, in every MPU; one that joined only because a group spans it then skips. */
static void account_header(struct control *control, uint32_t first, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        control_account_top(control, first + i);
}

static uint32_t count_image(const struct control *control) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < control->now->count; i++)
        n += image_mpu(control, control->now->mpus[i]);
    return n;
}

static bool run_transfer(struct control *control, struct transfer_ensemble *ensemble) {
    uint32_t first = control->top.pc, body = first;
    bool finished = false, ok = true;
    while (body < control->text.len && control->text.insns[body].op == OP_MOVE)
        body++;
    ensemble->pairs = &control->text.insns[first];
    ensemble->count = body - first;
    ensemble->mpus = count_image(control);
    account_header(control, first, ensemble->count);
    ensemble->lane = (struct insn){.op = OP_LANE, .mode = LANE_IDENTITY};
    control_flow_begin(&ensemble->flow, body, control->top.base + control->top.depth);
    while (ok && !finished)
        ok = transfer_step(control, ensemble, &finished);
    control->top.pc = ensemble->flow.pc + 1;
    control_flow_free(&ensemble->flow);
    return ok;
}

bool control_transfer_ensemble(struct control *control) {
    uint32_t n = control->now->count;
    struct transfer_work *work = xcalloc((size_t)n + 1, sizeof *work);
    struct transfer_ensemble t = {.work = xcalloc((size_t)n + 1, sizeof *t.work)};
    for (uint32_t i = 0; i < n; i++)
        t.work[i] = &work[i];
    bool fine = run_transfer(control, &t);
    control_count_forget(control);
    if (control->timing)
        time_transfer(control, &t);
    for (uint32_t i = 0; i < n; i++)
        control_transfer_work_free(&work[i]);
    free(t.work);
    free(work);
    return fine && control_machine_is_sound(control, control->top.pc - 1);
}

bool control_transfer_to_messages(struct control *control, struct control_message *const *messages,
                                  const uint32_t *to) {
    struct transfer_ensemble t = {.messages = messages, .to = to};
    t.work = xcalloc((size_t)control->now->count + 1, sizeof *t.work);
    for (uint32_t i = 0; i < control->now->count; i++)
        t.work[i] = &messages[i]->work;
    bool fine = run_transfer(control, &t);
    free(t.work);
    return fine;
}
