/* SPDX-License-Identifier: MIT
 * GMOVE: the copies of a move, carried out for all MPUs that it touches at once. */
#include "support/saturate.h"
#include "emu/control/state.h"

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
    uint64_t counted; /* copies that c->gmove_copies has of it */
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
static void refuse(struct control *c, const struct gmove_meeting *at, const char *problem) {
    const struct move *m = &c->program->moves.data[at->move];
    struct str lap = {0};
    if (m->laps)
        str_append(&lap, " in ");
    object_move_laps_text(object_move_repeats(m), at->laps, &lap);
    control_stop(c, CONTROL_STOPPED, STOP_AT(c->top.pc), "move '%s' cannot be carried out%s: %s",
                 m->name, str_text(&lap), problem);
    str_free(&lap);
}

static void free_gmove(struct gmove *g) {
    arena_free(&g->arena);
    free(g);
}

/* False after stop. */
static bool fill_gmove(struct control *c, const struct gmove_meeting *at, struct gmove *g) {
    static const struct move_limits usual = {MOVE_KEPT, MOVE_PART};
    const struct move_limits *limits = c->config.move_limits ? c->config.move_limits : &usual;
    const char *problem;
    if (!package_move_work_within(c->package, c->program, at->move, at->laps, c->target, limits,
                                  &g->arena, &g->work, &problem)) {
        refuse(c, at, problem);
        return false;
    }
    if (g->work.maps_lanes && c->target->buffer_registers == 0) {
        refuse(c, at, "the data-transfer controller has no buffer");
        return false;
    }
    g->named = ARENA_ARRAY(&g->arena, (size_t)c->package->mpus + 1, uint8_t);
    for (size_t i = 0; i < g->work.mpu_count; i++)
        g->named[g->work.mpus[i]] = 1;
    return true;
}

static struct gmove *make_gmove(struct control *c, const struct gmove_meeting *at) {
    struct gmove *g = xcalloc(1, sizeof *g);
    memcpy(g->laps, at->laps, sizeof g->laps);
    if (fill_gmove(c, at, g))
        return g;
    free_gmove(g);
    return NULL;
}

static void forget(struct control *c, struct gmoves_made *made) {
    for (size_t i = 0; i < made->list.len; i++) {
        c->gmove_copies -= made->list.data[i]->counted;
        free_gmove(made->list.data[i]);
    }
    vec_clear(&made->list);
    made->next = 0;
}

/* Keeps it, alone where there would be too many. */
static void keep(struct control *c, struct gmoves_made *made, struct gmove *g, bool has_laps) {
    g->counted = has_laps ? g->work.copy_count : 0;
    if (made->list.len == MOST_LAPS_KEPT || c->gmove_copies + g->counted > MOST_COPIES_KEPT)
        forget(c, made);
    vec_push(&made->list, g);
    c->gmove_copies += g->counted;
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

/* NULL after stop. */
static struct gmove *gmove_at(struct control *c, const struct gmove_meeting *at) {
    uint32_t index = at->move;
    if (index >= c->program->moves.len || index >= c->package->plan_count) {
        control_stop(c, CONTROL_STOPPED, STOP_AT(c->top.pc), "there is no move %u",
                     (unsigned)index);
        return NULL;
    }
    if (at->laps[0] == NO_REPEAT) {
        control_stop(c, CONTROL_STOPPED, STOP_AT(c->top.pc),
                     "move '%s' counts the laps of more REPEATs than are around it",
                     c->program->moves.data[index].name);
        return NULL;
    }
    if (!c->gmoves)
        c->gmoves = ARENA_ARRAY(&c->arena, c->program->moves.len, struct gmoves_made);
    struct gmoves_made *made = &c->gmoves[index];
    struct gmove *g = find_made(made, at->laps);
    if (!g && (g = make_gmove(c, at)))
        keep(c, made, g, c->program->moves.data[index].laps != NULL);
    return g;
}

void control_gmoves_close(struct control *c) {
    for (size_t i = 0; c->gmoves && i < c->program->moves.len; i++) {
        forget(c, &c->gmoves[i]);
        vec_free(&c->gmoves[i].list);
    }
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

static struct dp_share *shares_of(const struct move_work *w) {
    struct dp_share *shares = xcalloc(w->charge_count + 1, sizeof *shares);
    for (size_t i = 0; i < w->charge_count; i++)
        shares[i] =
            (struct dp_share){w->charges[i].mpu, w->charges[i].registers, w->charges[i].in_a_row,
                              w->charges[i].index_registers, w->charges[i].index_in_a_row};
    return shares;
}

/* The whole of it; share_ps: of each of its charges. */
static void copy_all(struct control *c, const struct move *m, const struct move_work *w,
                     uint64_t *share_ps, struct dp_cost *cost) {
    struct dp_share *shares = shares_of(w);
    struct parts parts = {.m = m, .work = w};
    struct dp_transfer t = {.width = m->width,
                            .index_width = m->index.type.bits,
                            .shares = shares,
                            .share_count = w->charge_count,
                            .context = &parts};
    if (w->walk) {
        t.next = next_copies;
        t.reads = low_bits(m->src_count) << m->src_reg;
        t.writes = low_bits(m->dst_count) << m->dst_reg;
    } else if (next_copies(&parts, &t.copies, &t.count)) {
        package_move_part_free(&parts.part);
    }
    *cost =
        (struct dp_cost){.share_ps = share_ps, .uops = c->answer_uops, .energy_fj = c->answer_fj};
    c->dp->ops->copy(c->dp, &t, cost);
    package_move_part_free(&parts.part);
    free(parts.list);
    free(shares);
}

/* The MPUs of the move wait for the last of them, and then work side by side. */
static void time_gmove(struct control *c, const struct gmove *g, unsigned width,
                       const uint64_t *share_ps) {
    const struct move_work *w = &g->work;
    struct timing_charge *charges = xcalloc(w->charge_count + 1, sizeof *charges);
    struct timing_crossing *crossings = xcalloc(g->work.crossing_count + 1, sizeof *crossings);
    for (size_t i = 0; i < w->charge_count; i++)
        charges[i] = (struct timing_charge){w->charges[i].mpu, share_ps[i]};
    for (size_t i = 0; i < g->work.crossing_count; i++)
        crossings[i] = (struct timing_crossing){g->work.crossings[i].from, g->work.crossings[i].to,
                                                sat_mul(g->work.crossings[i].elements, width) / 8};
    timing_meet(c->timing,
                &(struct timing_meeting){.at = place_of(c, c->top.pc),
                                         .mpus = w->mpus,
                                         .count = (uint32_t)w->mpu_count,
                                         .charges = charges,
                                         .charge_count = (uint32_t)w->charge_count,
                                         .crossings = crossings,
                                         .crossing_count = (uint32_t)g->work.crossing_count});
    free(charges);
    free(crossings);
}

static void account_gmove(struct control *c, const struct move *m, const struct gmove *g,
                          const struct dp_cost *cost) {
    uint64_t registers = 0;
    for (size_t i = 0; i < g->work.charge_count; i++)
        registers =
            sat_add(registers, g->work.charges[i].registers + g->work.charges[i].index_registers);
    for (size_t i = 0; i < g->work.crossing_count; i++)
        control_account_message(c, g->work.crossings[i].from, g->work.crossings[i].to,
                                sat_mul(g->work.crossings[i].elements, m->width) / 8);
    if (c->target->datapath_ps)
        control_account_elapsed(c, (cost->known ? cost->ps : 0) / c->target->datapath_ps);
    control_account_copy(c, c->region, c->top.pc, cost);
    c->stats.transfers = sat_add(c->stats.transfers, registers);
}

static bool carry_out(struct control *c, const struct move *m, const struct gmove *g) {
    uint64_t *share_ps = xcalloc(g->work.charge_count + 1, sizeof *share_ps);
    struct dp_cost cost = {.known = true};
    uint32_t pc = c->top.pc;
    control_count_forget_registers(c, m->dst_reg, m->dst_count);
    work_add(c, g->work.copy_count + g->work.mpu_count);
    if (g->work.charge_count)
        copy_all(c, m, &g->work, share_ps, &cost);
    if (c->timing)
        time_gmove(c, g, m->width, share_ps);
    if (g->work.charge_count)
        account_gmove(c, m, g, &cost);
    free(share_ps);
    control_stream_gathered(c);
    control_account_top(c, c->top.pc++);
    return control_machine_is_sound(c, pc);
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
static bool carry_out_indexed(struct control *c, const struct gmove_meeting *at,
                              const struct gmove *g) {
    const struct move *m = &c->program->moves.data[at->move];
    const struct move_indices indices = {c, read_indices};
    struct gmove now = {.named = g->named};
    const char *problem;
    bool fine = package_move_indexed(c->package, c->program, at->move, at->laps, c->target,
                                     &indices, &now.arena, &now.work, &problem);
    if (fine)
        fine = carry_out(c, m, &now);
    else
        refuse(c, at, problem);
    arena_free(&now.arena);
    return fine;
}

const struct move_work *control_gmove_work(struct control *c, const struct gmove_meeting *at) {
    const struct gmove *g = gmove_at(c, at);
    return g ? &g->work : NULL;
}

uint64_t control_gmove_charge_ps(const struct control *c, const struct move_work *w, uint32_t move,
                                 uint32_t mpu) {
    for (size_t i = 0; i < w->charge_count; i++)
        if (w->charges[i].mpu == mpu)
            return dtc_in_a_row_ps(c->target, c->program->moves.data[move].width,
                                   w->charges[i].in_a_row);
    return 0;
}

bool control_gmove_step(struct control *c) {
    const struct gmove_meeting at = control_gmove_meeting_of(c, &c->top);
    const struct gmove *g = gmove_at(c, &at);
    if (!g)
        return false;
    if (g->work.mpu_count == 0) { /* nothing moves anywhere */
        control_account_top(c, c->top.pc++);
        return true;
    }
    if (!control_stream_gather(c, g->named))
        return true;
    const struct move *m = &c->program->moves.data[at.move];
    return m->index.kind && !c->config.count_laps ? carry_out_indexed(c, &at, g)
                                                  : carry_out(c, m, g);
}

bool control_gmove_is_own(struct control *c) {
    const struct gmove_meeting at = control_gmove_meeting_of(c, &c->top);
    const struct gmove *g = gmove_at(c, &at);
    if (g && c->program->moves.data[at.move].index.kind)
        return false;
    if (!g || g->work.crossing_count || (g->work.mpu_count && g->work.mpu_count != c->now->count))
        return false;
    for (uint32_t i = 0; i < g->work.mpu_count; i++)
        if (g->work.mpus[i] != c->now->mpus[i])
            return false;
    return true;
}

uint32_t control_gmove_missing(struct control *c, const struct stream *s) {
    const struct gmove_meeting at = control_gmove_meeting_of(c, &s->flow);
    const struct move_work *w = control_gmove_work(c, &at);
    for (size_t i = 0; w && i + 1 < w->mpu_count; i++) {
        const struct stream *other = control_stream_of(c, w->mpus[i]);
        if (!other || !control_gmove_waits(c, other, &at))
            return w->mpus[i];
    }
    return w ? w->mpus[w->mpu_count - 1] : NO_INDEX;
}
