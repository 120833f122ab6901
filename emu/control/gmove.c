/* SPDX-License-Identifier: MIT
 * GMOVE: the copies of a move, carried out for all MPUs that it touches at once. */
#include "support/saturate.h"
#include "emu/control/state.h"

#include "support/alloc.h"

#include <stdlib.h>

/* Elements that go from one MPU to another: one message. */
struct crossing {
    uint32_t from, to;
    uint64_t elements;
};

/* What is made of a move when it is first carried out.  Of one with an index it is what
 * package_move_work takes it to be, which says the MPUs, and in a run that counts the rest too. */
struct gmove {
    struct move_work work;
    uint8_t *named; /* [package.mpus]: it touches the MPU */
    const struct crossing *crossings;
    size_t crossing_count;
};

static int by_ends(const void *x, const void *y) {
    const struct crossing *a = x, *b = y;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

static void find_crossings(struct control *c, struct gmove *g, struct arena *arena) {
    uint32_t per = target_vrfs_per_mpu(c->target);
    VEC(struct crossing) all = {0};
    size_t kept = 0;
    for (size_t i = 0; i < g->work.copy_count; i++) {
        const struct move_copy *x = &g->work.copies[i];
        struct crossing k = {x->src_vrf / per, x->dst_vrf / per, x->count};
        if (x->fill || k.from == k.to)
            continue;
        if (all.len && by_ends(&vec_last(&all), &k) == 0)
            vec_last(&all).elements += k.elements;
        else
            vec_push(&all, k);
    }
    if (all.len)
        qsort(all.data, all.len, sizeof *all.data, by_ends);
    struct crossing *list = ARENA_ARRAY(arena, all.len, struct crossing);
    for (size_t i = 0; i < all.len; i++)
        if (kept && by_ends(&list[kept - 1], &all.data[i]) == 0)
            list[kept - 1].elements += all.data[i].elements;
        else
            list[kept++] = all.data[i];
    g->crossings = list;
    g->crossing_count = kept;
    vec_free(&all);
}

static struct gmove *make_gmove(struct control *c, uint32_t index) {
    struct gmove *g = ARENA_NEW(&c->arena, struct gmove);
    const char *problem;
    if (!package_move_work(c->package, c->program, index, c->target, &c->arena, &g->work,
                           &problem)) {
        stop(c, CONTROL_STOPPED, STOP_AT(c->top.pc), "move '%s' cannot be carried out: %s",
             c->program->moves.data[index].name, problem);
        return NULL;
    }
    g->named = ARENA_ARRAY(&c->arena, (size_t)c->package->mpus + 1, uint8_t);
    for (size_t i = 0; i < g->work.mpu_count; i++)
        g->named[g->work.mpus[i]] = 1;
    find_crossings(c, g, &c->arena);
    return g;
}

/* NULL after stop. */
static struct gmove *gmove_at(struct control *c, uint32_t index) {
    if (index >= c->program->moves.len || index >= c->package->plan_count) {
        stop(c, CONTROL_STOPPED, STOP_AT(c->top.pc), "there is no move %u", (unsigned)index);
        return NULL;
    }
    if (!c->gmoves)
        c->gmoves = ARENA_ARRAY(&c->arena, c->program->moves.len, struct gmove *);
    if (!c->gmoves[index])
        c->gmoves[index] = make_gmove(c, index);
    return c->gmoves[index];
}

/* ---- carrying it out ---- */

static struct dp_copy copy_of(const struct move *m, const struct move_copy *x) {
    return (struct dp_copy){.src_vrf = x->src_vrf,
                            .dst_vrf = x->dst_vrf,
                            .src_reg = x->src_reg,
                            .dst_reg = x->dst_reg,
                            .width = m->width,
                            .source = x->fill ? DP_FROM_CONSTANT : DP_FROM_REGISTER,
                            .value = m->fill,
                            .count = x->count,
                            .src_first = x->src_lane,
                            .dst_first = x->dst_lane,
                            .src_step = x->src_step,
                            .dst_step = x->dst_step};
}

/* The whole of it; share_ps: of each of its charges. */
static void copy_all(struct control *c, const struct move *m, const struct move_work *w,
                     uint64_t *share_ps, struct dp_cost *cost) {
    struct dp_copy *list = xcalloc(w->copy_count + 1, sizeof *list);
    struct dp_share *shares = xcalloc(w->charge_count + 1, sizeof *shares);
    for (size_t i = 0; i < w->copy_count; i++)
        list[i] = copy_of(m, &w->copies[i]);
    for (size_t i = 0; i < w->charge_count; i++)
        shares[i] =
            (struct dp_share){w->charges[i].mpu, w->charges[i].registers, w->charges[i].in_a_row,
                              w->charges[i].index_registers, w->charges[i].index_in_a_row};
    const struct dp_transfer t = {.width = m->width,
                                  .index_width = m->index.type.bits,
                                  .copies = list,
                                  .count = w->copy_count,
                                  .shares = shares,
                                  .share_count = w->charge_count};
    *cost =
        (struct dp_cost){.share_ps = share_ps, .uops = c->answer_uops, .energy_fj = c->answer_fj};
    c->dp->ops->copy(c->dp, &t, cost);
    free(shares);
    free(list);
}

/* The MPUs of the move wait for the last of them, and then work side by side. */
static void time_gmove(struct control *c, const struct gmove *g, unsigned width,
                       const uint64_t *share_ps) {
    const struct move_work *w = &g->work;
    struct timing_charge *charges = xcalloc(w->charge_count + 1, sizeof *charges);
    struct timing_crossing *crossings = xcalloc(g->crossing_count + 1, sizeof *crossings);
    for (size_t i = 0; i < w->charge_count; i++)
        charges[i] = (struct timing_charge){w->charges[i].mpu, share_ps[i]};
    for (size_t i = 0; i < g->crossing_count; i++)
        crossings[i] = (struct timing_crossing){g->crossings[i].from, g->crossings[i].to,
                                                sat_mul(g->crossings[i].elements, width) / 8};
    timing_meet(c->timing, &(struct timing_meeting){.at = place_of(c, c->top.pc),
                                                    .mpus = w->mpus,
                                                    .count = (uint32_t)w->mpu_count,
                                                    .charges = charges,
                                                    .charge_count = (uint32_t)w->charge_count,
                                                    .crossings = crossings,
                                                    .crossing_count = (uint32_t)g->crossing_count});
    free(charges);
    free(crossings);
}

static void account_gmove(struct control *c, const struct move *m, const struct gmove *g,
                          const struct dp_cost *cost) {
    uint64_t registers = 0;
    for (size_t i = 0; i < g->work.charge_count; i++)
        registers =
            sat_add(registers, g->work.charges[i].registers + g->work.charges[i].index_registers);
    for (size_t i = 0; i < g->crossing_count; i++)
        account_message(c, g->crossings[i].from, g->crossings[i].to,
                        sat_mul(g->crossings[i].elements, m->width) / 8);
    if (c->target->datapath_ps)
        account_elapsed(c, (cost->known ? cost->ps : 0) / c->target->datapath_ps);
    account_copy(c, c->region, c->top.pc, cost);
    c->stats.transfers = sat_add(c->stats.transfers, registers);
}

static bool carry_out(struct control *c, const struct move *m, const struct gmove *g) {
    uint64_t *share_ps = xcalloc(g->work.charge_count + 1, sizeof *share_ps);
    struct dp_cost cost = {.known = true};
    uint32_t pc = c->top.pc;
    count_forget_registers(c, m->dst_reg, m->dst_count);
    work_add(c, g->work.copy_count + g->work.mpu_count);
    if (g->work.charge_count)
        copy_all(c, m, &g->work, share_ps, &cost);
    if (c->timing)
        time_gmove(c, g, m->width, share_ps);
    if (g->work.charge_count)
        account_gmove(c, m, g, &cost);
    free(share_ps);
    stream_gathered(c);
    account_top(c, c->top.pc++);
    return machine_is_sound(c, pc);
}

static void read_indices(void *context, uint32_t vrf, unsigned reg, uint32_t first, uint32_t count,
                         uint64_t *values) {
    const struct control *c = context;
    for (uint32_t i = 0, n; i < count; i += n) {
        n = dp_piece(i, count);
        c->dp->ops->get(c->dp, vrf, DP_REGISTER, reg, first + i, n, values + i);
    }
}

/* Under the indices that the registers hold now. */
static bool carry_out_indexed(struct control *c, uint32_t index, const struct gmove *g) {
    const struct move *m = &c->program->moves.data[index];
    const struct move_indices indices = {c, read_indices};
    struct arena arena = {0};
    struct gmove now = {.named = g->named};
    const char *problem;
    bool fine = package_move_indexed(c->package, c->program, index, c->target, &indices, &arena,
                                     &now.work, &problem);
    if (fine)
        find_crossings(c, &now, &arena);
    fine = fine ? carry_out(c, m, &now)
                : stop(c, CONTROL_STOPPED, STOP_AT(c->top.pc),
                       "move '%s' cannot be carried out: %s", m->name, problem);
    arena_free(&arena);
    return fine;
}

const struct move_work *gmove_work(struct control *c, uint32_t move) {
    const struct gmove *g = gmove_at(c, move);
    return g ? &g->work : NULL;
}

uint64_t gmove_charge_ps(const struct control *c, uint32_t move, uint32_t mpu) {
    const struct move_work *w = &c->gmoves[move]->work;
    for (size_t i = 0; i < w->charge_count; i++)
        if (w->charges[i].mpu == mpu)
            return dtc_in_a_row_ps(c->target, c->program->moves.data[move].width,
                                   w->charges[i].in_a_row);
    return 0;
}

bool gmove_step(struct control *c) {
    uint32_t index = (uint32_t)c->text.insns[c->top.pc].imm;
    const struct gmove *g = gmove_at(c, index);
    if (!g)
        return false;
    if (g->work.mpu_count == 0) { /* nothing moves anywhere */
        account_top(c, c->top.pc++);
        return true;
    }
    if (!stream_gather(c, g->named))
        return true;
    const struct move *m = &c->program->moves.data[index];
    return m->index.kind && !c->config.count_laps ? carry_out_indexed(c, index, g)
                                                  : carry_out(c, m, g);
}

bool gmove_is_own(struct control *c, uint32_t move) {
    const struct gmove *g = gmove_at(c, move);
    if (g && c->program->moves.data[move].index.kind)
        return false;
    if (!g || g->crossing_count || (g->work.mpu_count && g->work.mpu_count != c->now->count))
        return false;
    for (uint32_t i = 0; i < g->work.mpu_count; i++)
        if (g->work.mpus[i] != c->now->mpus[i])
            return false;
    return true;
}

const char *gmove_name(const struct control *c, const struct insn *x) {
    uint32_t move = (uint32_t)x->imm;
    return move < c->program->moves.len ? c->program->moves.data[move].name : NULL;
}

static bool waits_at(const struct control *c, uint32_t mpu, uint32_t move) {
    const struct stream *s = stream_of(c, mpu);
    return s && s->state == STREAM_AT_GMOVE && (uint32_t)c->text.insns[s->flow.pc].imm == move;
}

uint32_t gmove_missing(const struct control *c, uint32_t move) {
    const struct move_work *w = &c->gmoves[move]->work;
    size_t i = 0;
    while (i + 1 < w->mpu_count && waits_at(c, w->mpus[i], move))
        i++;
    return w->mpus[i];
}
