/* SPDX-License-Identifier: MIT
 * GMOVE: the copies of a move, carried out for all MPUs that it touches at once. */
#include "support/saturate.h"
#include "emu/control/state.h"

#include "object/spill_name.h"
#include "support/alloc.h"
#include "support/bits.h"

#include <stdlib.h>
#include <string.h>

/* What is made of a move when it is first carried out, in a lap if it has laps.  Of one with an
 * index it is what package_move_work takes it to be, which says the MPUs, and in a run that counts
 * the rest too. */
struct gmove {
    struct arena arena; /* owns what follows */
    uint64_t laps[MOVE_MAX_LAPS];
    uint64_t counted; /* copies that c->gmoves.copies has of it */
    struct move_work work;
    uint8_t *named; /* [package.mpus]: it touches the MPU */
};

/* What was made of one move, kept for when its laps come round again: as long as all that is kept
 * has not many copies, or the last one alone. */
struct gmoves_made {
    VEC(struct gmove *) list;
    size_t next; /* where it goes on if laps come in the order in which they came */
};
#define MOST_LAPS_KEPT   512
#define MOST_COPIES_KEPT ((uint64_t)1 << 16)

/* Stops: the move cannot be carried out in that lap. */
static void refuse(struct control *control, const struct gmove_meeting *at, const char *problem) {
    const struct move *m = &control->program->moves.data[at->move];
    struct str lap = {0};
    if (m->laps)
        str_append(&lap, " in ");
    object_move_laps_text(object_move_repeats(m), at->laps, &lap);
    control_stop(control, CONTROL_STOPPED, STOP_AT(control->top.pc),
                 "move '%s' cannot be carried out%s: %s", m->name, str_text(&lap), problem);
    str_free(&lap);
}

static void free_gmove(struct gmove *gmove) {
    arena_free(&gmove->arena);
    free(gmove);
}

/* False after stop. */
static bool fill_gmove(struct control *control, const struct gmove_meeting *at,
                       struct gmove *gmove) {
    static const struct move_limits usual = {MOVE_KEPT, MOVE_PART};
    const struct move_limits *limits =
        control->config.move_limits ? control->config.move_limits : &usual;
    const char *problem;
    if (!package_move_work_within(control->package, control->program, at->move, at->laps,
                                  control->target, limits, &gmove->arena, &gmove->work, &problem)) {
        refuse(control, at, problem);
        return false;
    }
    if (gmove->work.maps_lanes && control->target->buffer_registers == 0) {
        refuse(control, at, "the data-transfer controller has no buffer");
        return false;
    }
    gmove->named = ARENA_ARRAY(&gmove->arena, (size_t)control->package->mpus + 1, uint8_t);
    for (size_t i = 0; i < gmove->work.mpu_count; i++)
        gmove->named[gmove->work.mpus[i]] = 1;
    return true;
}

static struct gmove *make_gmove(struct control *control, const struct gmove_meeting *at) {
    struct gmove *g = xcalloc(1, sizeof *g);
    memcpy(g->laps, at->laps, sizeof g->laps);
    if (fill_gmove(control, at, g))
        return g;
    free_gmove(g);
    return NULL;
}

static void forget(struct control *control, struct gmoves_made *made) {
    for (size_t i = 0; i < made->list.len; i++) {
        control->gmoves.copies -= made->list.data[i]->counted;
        free_gmove(made->list.data[i]);
    }
    vec_clear(&made->list);
    made->next = 0;
}

/* Keeps it, alone where there would be too many. */
static void keep(struct control *control, struct gmoves_made *made, struct gmove *gmove,
                 bool has_laps) {
    gmove->counted = has_laps ? gmove->work.copy_count : 0;
    if (made->list.len == MOST_LAPS_KEPT ||
        control->gmoves.copies + gmove->counted > MOST_COPIES_KEPT)
        forget(control, made);
    vec_push(&made->list, gmove);
    control->gmoves.copies += gmove->counted;
}

static struct gmove *find_made(struct gmoves_made *made, const uint64_t *laps) {
    for (size_t i = 0; i < made->list.len; i++) {
        size_t k = (made->next + i) % made->list.len;
        if (!control_gmove_same_laps(made->list.data[k]->laps, laps))
            continue;
        made->next = k + 1;
        return made->list.data[k];
    }
    return NULL;
}

static uint64_t bytes_of(const struct gmoves_made *made) {
    uint64_t bytes = sizeof *made;
    for (size_t i = 0; i < made->list.len; i++)
        bytes += sizeof *made->list.data[i] + arena_bytes(&made->list.data[i]->arena);
    return bytes;
}

/* What was made of them before, if somebody has kept it. */
static void open_moves(struct control *control) {
    const size_t count = control->program->moves.len;
    struct control_moves *kept =
        control->config.keep ? control_keep_moves(control->config.keep) : NULL;
    if (kept && !kept->made) {
        kept->made = xcalloc(count + 1, sizeof *kept->made);
        kept->count = count;
    }
    control->gmoves.made =
        kept ? kept->made : ARENA_ARRAY(&control->arena, count, struct gmoves_made);
    for (size_t i = 0; kept && i < count; i++)
        for (size_t k = 0; k < kept->made[i].list.len; k++)
            control->gmoves.copies += kept->made[i].list.data[k]->counted;
}

void control_moves_free(struct control_moves *moves) {
    for (size_t i = 0; i < moves->count; i++) {
        for (size_t k = 0; k < moves->made[i].list.len; k++)
            free_gmove(moves->made[i].list.data[k]);
        vec_free(&moves->made[i].list);
    }
    free(moves->made);
    *moves = (struct control_moves){.made = NULL};
}

/* NULL after stop. */
static struct gmove *gmove_at(struct control *control, const struct gmove_meeting *at) {
    uint32_t index = at->move;
    if (index >= control->program->moves.len || index >= control->package->plan_count) {
        control_stop(control, CONTROL_STOPPED, STOP_AT(control->top.pc), "there is no move %u",
                     (unsigned)index);
        return NULL;
    }
    if (at->laps[0] == NO_REPEAT) {
        control_stop(control, CONTROL_STOPPED, STOP_AT(control->top.pc),
                     "move '%s' counts the iterations of more REPEATs than are around it",
                     control->program->moves.data[index].name);
        return NULL;
    }
    if (!control->gmoves.made)
        open_moves(control);
    struct gmoves_made *made = &control->gmoves.made[index];
    struct gmove *g = find_made(made, at->laps);
    if (!g && (g = make_gmove(control, at)))
        keep(control, made, g, control->program->moves.data[index].laps != NULL);
    return g;
}

void control_gmoves_close(struct control *control) {
    struct control_moves *kept =
        control->config.keep ? control_keep_moves(control->config.keep) : NULL;
    for (size_t i = 0; !kept && control->gmoves.made && i < control->program->moves.len; i++) {
        forget(control, &control->gmoves.made[i]);
        vec_free(&control->gmoves.made[i].list);
    }
    if (!kept || !control->gmoves.made)
        return;
    kept->bytes = 0;
    for (size_t i = 0; i < kept->count; i++)
        kept->bytes += bytes_of(&kept->made[i]);
}

/* ---- carrying it out ---- */

static struct dp_copy copy_of(const struct move *move, const struct move_copy *copy) {
    return (struct dp_copy){.src_vrf = copy->src_vrf,
                            .dst_vrf = copy->dst_vrf,
                            .src_reg = copy->src_reg,
                            .dst_reg = copy->dst_reg,
                            .width = move->width,
                            .source = copy->fill ? DP_FROM_CONSTANT : DP_FROM_REGISTER,
                            .value = move->fill,
                            .count = copy->count,
                            .src_first = copy->src_lane,
                            .dst_first = copy->dst_lane,
                            .src_step = copy->src_step,
                            .dst_step = copy->dst_step};
}

/* Copies for the datapath, part after part. */
struct parts {
    const struct move *m;
    const struct move_work *work;
    struct move_part part;
    struct dp_copy *list; /* [room] */
    size_t room;
};

static bool next_copies(void *context, const struct dp_copy **copies, size_t *count) {
    struct parts *p = context;
    if (!package_move_next_part(p->work, &p->part))
        return false;
    if (p->part.count > p->room) {
        p->room = p->part.count;
        p->list = xreallocarray(p->list, p->room, sizeof *p->list);
    }
    for (size_t i = 0; i < p->part.count; i++)
        p->list[i] = copy_of(p->m, &p->part.copies[i]);
    *copies = p->list;
    *count = p->part.count;
    return true;
}

/* Shares of the MPUs of a move, and what it sends from MPU to MPU. */
struct gmove_shares {
    struct dp_share *list; /* [count] */
    size_t count, crossings;
};

/* Where VRFs of all MPUs hang in one tree all of them take part, and nothing is sent. */
static struct gmove_shares shares_of(const struct control *control, const struct move_work *work) {
    bool all = dtc_spans_chip(control->target);
    struct gmove_shares s = {xcalloc(work->charge_count + work->mpu_count + 1, sizeof *s.list),
                             work->charge_count, all ? 0 : work->crossing_count};
    for (size_t i = 0; i < work->charge_count; i++)
        s.list[i] = (struct dp_share){work->charges[i].mpu, work->charges[i].registers,
                                      work->charges[i].in_a_row, work->charges[i].index_registers,
                                      work->charges[i].index_in_a_row};
    for (size_t i = 0; all && i < work->mpu_count; i++) {
        size_t k = 0;
        while (k < work->charge_count && work->charges[k].mpu != work->mpus[i])
            k++;
        if (k == work->charge_count)
            s.list[s.count++] = (struct dp_share){.mpu = work->mpus[i]};
    }
    return s;
}

/* The whole of it; share_ps: of each of its charges. */
static void copy_all(struct control *control, const struct move *move, const struct move_work *work,
                     const struct gmove_shares *shares, uint64_t *share_ps, struct dp_cost *cost) {
    struct parts parts = {.m = move, .work = work};
    struct dp_transfer t = {.width = move->width,
                            .index_width = move->index.type.bits,
                            .shares = shares->list,
                            .share_count = shares->count,
                            .context = &parts};
    if (work->walk) {
        t.next = next_copies;
        t.reads = low_bits(move->src_count) << move->src_reg;
        t.writes = low_bits(move->dst_count) << move->dst_reg;
    } else if (next_copies(&parts, &t.copies, &t.count)) {
        package_move_part_free(&parts.part);
    }
    *cost = control_account_asked(control, control_account_now(control, work->mpus[0]));
    cost->share_ps = share_ps;
    control->dp->ops->copy(control->dp, &t, cost);
    package_move_part_free(&parts.part);
    free(parts.list);
}

/* The MPUs of the move wait for the last of them, and then work side by side. */
static void time_gmove(struct control *control, const struct gmove *gmove,
                       const struct gmove_shares *shares, unsigned width, const uint64_t *share_ps,
                       uint64_t energy_fj) {
    const struct move_work *w = &gmove->work;
    uint64_t ps = 0, all_ps = 0;
    struct timing_charge *charges = xcalloc(shares->count + 1, sizeof *charges);
    struct timing_crossing *crossings = xcalloc(shares->crossings + 1, sizeof *crossings);
    for (size_t i = 0; i < shares->count; i++)
        all_ps = sat_add(all_ps, share_ps[i]);
    for (size_t i = 0; i < shares->count; i++) {
        uint64_t before = all_ps ? sat_scale(energy_fj, ps, all_ps) : 0;
        ps = sat_add(ps, share_ps[i]);
        charges[i] = (struct timing_charge){shares->list[i].mpu, share_ps[i],
                                            all_ps ? sat_scale(energy_fj, ps, all_ps) - before : 0};
    }
    for (size_t i = 0; i < shares->crossings; i++)
        crossings[i] =
            (struct timing_crossing){gmove->work.crossings[i].from, gmove->work.crossings[i].to,
                                     sat_mul(gmove->work.crossings[i].elements, width) / 8};
    timing_meet(control->timing,
                &(struct timing_meeting){.at = place_of(control, control->top.pc),
                                         .mpus = w->mpus,
                                         .count = (uint32_t)w->mpu_count,
                                         .charges = charges,
                                         .charge_count = (uint32_t)shares->count,
                                         .crossings = crossings,
                                         .crossing_count = (uint32_t)shares->crossings});
    free(charges);
    free(crossings);
}

static void account_spill(struct control_stats *stats, uint64_t registers,
                          const struct dp_cost *cost) {
    stats->spill_transfers = sat_add(stats->spill_transfers, registers);
    stats->spill_ps = sat_add(stats->spill_ps, cost->ps);
    stats->spill_fj = sat_add(stats->spill_fj, cost->transfer_fj);
}

static void account_gmove(struct control *control, const struct move *move,
                          const struct gmove *gmove, const struct gmove_shares *shares,
                          const struct dp_cost *cost) {
    uint64_t registers = 0;
    for (size_t i = 0; i < gmove->work.charge_count; i++)
        registers = sat_add(registers, gmove->work.charges[i].registers +
                                           gmove->work.charges[i].index_registers);
    for (size_t i = 0; i < shares->crossings; i++)
        control_account_message(control, gmove->work.crossings[i].from, gmove->work.crossings[i].to,
                                sat_mul(gmove->work.crossings[i].elements, move->width) / 8);
    if (control->target->datapath_ps)
        control_account_elapsed(control,
                                (cost->known ? cost->ps : 0) / control->target->datapath_ps);
    control_account_copy(control, control->region, control->top.pc, cost);
    control->account.stats.transfers = sat_add(control->account.stats.transfers, registers);
    if (object_is_spill_move(move->name))
        account_spill(&control->account.stats, registers, cost);
}

static bool carry_out(struct control *control, const struct move *move, const struct gmove *gmove) {
    struct gmove_shares shares = shares_of(control, &gmove->work);
    uint64_t *share_ps = xcalloc(shares.count + 1, sizeof *share_ps);
    struct dp_cost cost = {.known = true};
    uint32_t pc = control->top.pc;
    if (control->dp->tables.selects) /* its micro-ops come as it is carried out */
        control_step_stream(control, pc, true);
    control_count_forget_registers(control, move->dst_reg, move->dst_count);
    work_add(control, gmove->work.copy_count + gmove->work.mpu_count);
    if (gmove->work.charge_count)
        copy_all(control, move, &gmove->work, &shares, share_ps, &cost);
    if (shares.crossings)
        control_account_crossing(control, gmove->work.mpus, gmove->work.mpu_count);
    if (control->timing)
        time_gmove(control, gmove, &shares, move->width, share_ps,
                   gmove->work.charge_count ? control_account_fj(control, &cost) : 0);
    if (gmove->work.charge_count)
        account_gmove(control, move, gmove, &shares, &cost);
    free(shares.list);
    free(share_ps);
    control_stream_gathered(control);
    if (!control->dp->tables.selects)
        control_step_stream(control, pc, false);
    control_account_told(control, control->top.pc++);
    return control_machine_is_sound(control, pc);
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
static bool carry_out_indexed(struct control *control, const struct gmove_meeting *at,
                              const struct gmove *gmove) {
    const struct move *m = &control->program->moves.data[at->move];
    const struct move_indices indices = {control, read_indices};
    struct gmove now = {.named = gmove->named};
    const char *problem;
    bool fine = package_move_indexed(control->package, control->program, at->move, at->laps,
                                     control->target, &indices, &now.arena, &now.work, &problem);
    if (fine)
        fine = carry_out(control, m, &now);
    else
        refuse(control, at, problem);
    arena_free(&now.arena);
    return fine;
}

const struct move_work *control_gmove_work(struct control *control,
                                           const struct gmove_meeting *at) {
    const struct gmove *g = gmove_at(control, at);
    return g ? &g->work : NULL;
}

uint64_t control_gmove_charge_ps(const struct control *control, const struct move_work *work,
                                 uint32_t move, uint32_t mpu) {
    for (size_t i = 0; i < work->charge_count; i++)
        if (work->charges[i].mpu == mpu)
            return dtc_in_a_row_ps(control->target, control->program->moves.data[move].width,
                                   work->charges[i].in_a_row);
    return 0;
}

bool control_gmove_step(struct control *control) {
    const struct gmove_meeting at = control_gmove_meeting_of(control, &control->top);
    const struct gmove *g = gmove_at(control, &at);
    if (!g)
        return false;
    if (g->work.mpu_count == 0) { /* nothing moves anywhere */
        control_account_top(control, control->top.pc++);
        return true;
    }
    if (!control_stream_gather(control, g->named))
        return true;
    const struct move *m = &control->program->moves.data[at.move];
    return m->index.kind && !control->config.count_laps ? carry_out_indexed(control, &at, g)
                                                        : carry_out(control, m, g);
}

bool control_gmove_is_own(struct control *control) {
    const struct gmove_meeting at = control_gmove_meeting_of(control, &control->top);
    const struct gmove *g = gmove_at(control, &at);
    if (g && control->program->moves.data[at.move].index.kind)
        return false;
    if (!g || g->work.crossing_count ||
        (g->work.mpu_count && g->work.mpu_count != control->now->count))
        return false;
    for (uint32_t i = 0; i < g->work.mpu_count; i++)
        if (g->work.mpus[i] != control->now->mpus[i])
            return false;
    return true;
}

uint32_t control_gmove_missing(struct control *control, const struct stream *stream) {
    const struct gmove_meeting at = control_gmove_meeting_of(control, &stream->flow);
    const struct move_work *w = control_gmove_work(control, &at);
    for (size_t i = 0; w && i + 1 < w->mpu_count; i++) {
        const struct stream *other = control_stream_of(control, w->mpus[i]);
        if (!other || !control_gmove_waits(control, other, &at))
            return w->mpus[i];
    }
    return w ? w->mpus[w->mpu_count - 1] : NO_INDEX;
}
