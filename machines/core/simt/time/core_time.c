/* SPDX-License-Identifier: MIT
 * A core from event to event. */
#include "machines/core/simt/time/core_time.h"

#include <string.h>

/* ---- TSVs ---- */

static void draw(struct core *c, enum simt_track track, uint32_t unit, struct simt_span *open,
                 struct simt_span now) {
    if (open->end && now.begin <= open->end + 16) {
        open->end = now.end > open->end ? now.end : open->end;
        return;
    }
    if (open->end)
        c->t->x->span(c->t->x->context, track, c->number, unit, *open);
    *open = now;
}

static inline void draw_span(struct core *c, enum simt_track track, uint32_t unit,
                             struct simt_span *open, uint64_t begin, uint64_t end) {
    if (c->drawn)
        draw(c, track, unit, open, (struct simt_span){begin, end});
}

void simt_core_close_spans(struct times *t) {
    for (uint32_t i = 0; i < t->core_count && t->x->span; i++) {
        struct core *c = &t->cores[i];
        if (!c->t)
            continue;
        draw_span(c, SIMT_TRACK_TSV, 0, &c->tsv_span, NEVER - 1, NEVER);
        draw_span(c, SIMT_TRACK_BANKS, 0, &c->bank_span, NEVER - 1, NEVER);
        for (uint32_t s = 0; s < t->subs; s++) {
            draw_span(c, SIMT_TRACK_SUBCORE, s, &c->subs[s].issue_span, NEVER - 1, NEVER);
            draw_span(c, SIMT_TRACK_NEAR, s, &c->subs[s].near_span, NEVER - 1, NEVER);
        }
    }
}

void simt_core_draw_tsv(struct core *c, uint64_t begin) {
    draw_span(c, SIMT_TRACK_TSV, 0, &c->tsv_span, begin / TICKS, cycle_of(c->tsv_free));
}

/* ---- when a warp may issue ---- */

static void schedule(struct core *c, struct warp *w, uint64_t cycle) {
    w->state = WARP_GOES;
    if (cycle - c->cycle >= WHEEL) {
        simt_event_put(c, cycle * TICKS, EVENT_WAKE, (uint32_t)(w - c->warps));
        return;
    }
    c->wheel[cycle % WHEEL * c->t->subs + w->sub] |= UINT64_C(1) << w->slot;
    c->wheel_used |= UINT64_C(1) << cycle % WHEEL;
}

/* The latest of the registers that are not there yet; w->cause is then what it is late by. */
static uint64_t latest(struct warp *w, const struct simt_set *needs, uint64_t from) {
    const uint64_t begin = from << LATE_BITS | LATE_MASK; /* later ones are not there yet */
    uint64_t at = begin;
    for (uint64_t rest = needs->units & w->busy.units; rest; rest &= rest - 1) {
        const uint64_t ready = w->ready[__builtin_ctzll(rest)];
        if (ready <= begin)
            w->busy.units &= ~(rest & (0 - rest));
        at = ready > at ? ready : at;
    }
    for (uint32_t rest = needs->predicates & w->busy.predicates; rest; rest &= rest - 1) {
        const uint64_t ready = w->ready[PREDICATE_AT + (unsigned)__builtin_ctz(rest)];
        if (ready <= begin)
            w->busy.predicates &= ~(rest & (0 - rest));
        at = ready > at ? ready : at;
    }
    if (at > begin)
        w->cause = at & LATE_MASK;
    return at >> LATE_BITS;
}

void simt_core_consider(struct core *c, struct warp *w, uint64_t from) {
    const struct simt_plan *p = &c->plans[w->step];
    const uint64_t line_miss = c->t->k->icache_miss_cycles;
    uint64_t cycle = from < c->cycle ? c->cycle : from;
    if (p->unit == SIMT_UNIT_FENCE && w->outstanding) {
        w->state = WARP_FENCED;
        w->cause = SIMT_STALL_MEMORY;
        return;
    }
    if ((p->needs.units & w->pending.units) || (p->needs.predicates & w->pending.predicates)) {
        w->state = WARP_WAITS;
        w->cause = SIMT_STALL_MEMORY;
        return;
    }
    cycle = cycle_of(latest(w, &p->needs, cycle * TICKS));
    w->operands = cycle;
    if (c->lines[p->line] == NEVER) {
        c->lines[p->line] = cycle + line_miss;
        c->t->x->lines++;
    }
    if (c->lines[p->line] > cycle)
        cycle = c->lines[p->line];
    w->fetched = cycle;
    schedule(c, w, cycle);
}

static void put_ready(struct warp *w, const struct simt_set *set, uint64_t tick,
                      enum simt_stall late) {
    const uint64_t ready = tick << LATE_BITS | late;
    for (uint64_t rest = set->units; rest; rest &= rest - 1)
        w->ready[__builtin_ctzll(rest)] = ready;
    for (uint32_t rest = set->predicates; rest; rest &= rest - 1)
        w->ready[PREDICATE_AT + (unsigned)__builtin_ctz(rest)] = ready;
    w->busy.units |= set->units;
    w->busy.predicates |= set->predicates;
    w->pending.units &= ~set->units;
    w->pending.predicates &= ~set->predicates;
}

void simt_core_ready(struct core *c, struct warp *w, const struct simt_set *set, uint64_t tick,
                     enum simt_stall late) {
    put_ready(w, set, tick, late);
    if (w->state == WARP_WAITS) {
        w->cause = (uint8_t)late;
        simt_core_consider(c, w, c->cycle);
    }
}

/* ---- the next instruction ---- */

static void next_step(struct core *c, struct warp *w);

static void wake_barrier(struct core *c, struct timed_block *b, uint32_t id, uint64_t cycle) {
    b->arrived[id] = 0;
    for (uint32_t i = 0; i < c->t->x->warps; i++) {
        struct warp *w = &c->warps[b->warps[i]];
        if (w->state != WARP_STOPPED || w->barrier != id)
            continue;
        w->state = WARP_GOES;
        w->released = cycle;
        next_step(c, w);
    }
}

static void try_barriers(struct core *c, struct timed_block *b, uint64_t cycle) {
    for (uint32_t id = 0; id < BARRIERS; id++) {
        const uint32_t wanted = b->wanted[id] ? b->wanted[id] : b->live;
        if (b->arrived[id] && b->arrived[id] >= wanted)
            wake_barrier(c, b, id, cycle);
    }
}

static void warp_done(struct core *c, struct warp *w, uint64_t cycle) {
    struct timed_block *b = &c->blocks[w->block];
    struct subcore *s = &c->subs[w->sub];
    s->slots &= ~(UINT64_C(1) << w->slot);
    w->state = WARP_FREE;
    if (!s->slots) {
        place_at(c, w->step)->stalls[SIMT_STALL_DRAIN] += cycle - s->counted;
        s->counted = cycle;
        c->t->x->subcore_cycles += cycle - s->from;
    }
    c->resident_warps--;
    if (--b->held == 0)
        simt_dispatch_block_over(c, w->block, cycle);
}

/* Behind an instruction: the next one, or the end. */
static void next_step(struct core *c, struct warp *w) {
    if (--w->left) {
        w->step++;
    } else if (++w->stretch < w->trace->stretches.len) {
        const struct simt_stretch *s = &w->trace->stretches.data[w->stretch];
        w->step = s->first;
        w->mask = s->mask;
        w->left = s->count;
    } else {
        struct timed_block *b = &c->blocks[w->block];
        if (c->t->x->awaited)
            simt_awaited_note(c, w);
        w->state = WARP_ENDED;
        b->live--;
        try_barriers(c, b, c->cycle + 1);
        if (!w->outstanding)
            warp_done(c, w, c->cycle + 1);
        return;
    }
    simt_core_consider(c, w, c->cycle + 1);
}

void simt_core_access_over(struct core *c, struct warp *w, uint64_t tick) {
    struct subcore *s = &c->subs[w->sub];
    s->accesses--;
    if (s->lsu_wait)
        simt_core_is_ready(c, w->sub, s->lsu_wait);
    s->lsu_wait = 0;
    if (--w->outstanding)
        return;
    if (w->state == WARP_ENDED && cycle_of(tick) > c->cycle)
        simt_event_put(c, cycle_of(tick) * TICKS, EVENT_DONE, (uint32_t)(w - c->warps));
    else if (w->state == WARP_ENDED)
        warp_done(c, w, c->cycle);
    else if (w->state == WARP_FENCED)
        simt_core_consider(c, w, cycle_of(tick));
}

static void stop_at_barrier(struct core *c, struct warp *w) {
    struct timed_block *b = &c->blocks[w->block];
    struct simt_record r;
    memcpy(&r, &w->trace->words.data[w->word++], sizeof r);
    const uint32_t id = r.count & (BARRIERS - 1);
    b->arrived[id]++;
    b->wanted[id] = r.count / BARRIERS;
    if (r.arrive) {
        next_step(c, w);
    } else {
        w->barrier = id;
        w->state = WARP_STOPPED;
    }
    try_barriers(c, b, c->cycle + 1);
}

/* ---- issuing ---- */

/* What is told of an instruction, but for what issuing it changes. */
static struct simt_issued about(const struct core *c, const struct warp *w) {
    return (struct simt_issued){.cycle = c->cycle,
                                .block = c->blocks[w->block].trace->block,
                                .core = c->number,
                                .subcore = w->sub,
                                .warp = w->number,
                                .step = w->step,
                                .mask = w->mask,
                                .near_before = w->near.units,
                                .far_before = w->far.units};
}

static void tell(struct core *c, const struct warp *w, struct simt_issued *x, bool near) {
    x->near = near;
    x->near_after = w->near.units;
    x->far_after = w->far.units;
    c->t->x->issued(c->t->x->context, x);
}

/* A warp issues behind cycles in which its subcore issued nothing: what it waited for in them. */
static inline uint64_t stall(struct simt_place_time *p, enum simt_stall cause, uint64_t from,
                             uint64_t end, uint64_t now) {
    end = end < now ? end : now;
    if (end <= from)
        return from;
    p->stalls[cause] += end - from;
    return end;
}
static inline void count_stalls(const struct core *c, struct subcore *s, const struct warp *w,
                                struct simt_place_time *p) {
    const uint64_t now = c->cycle;
    uint64_t at = stall(p, SIMT_STALL_BLOCK, s->counted, w->begin, now);
    at = stall(p, SIMT_STALL_BARRIER, at, w->released, now);
    at = stall(p, (enum simt_stall)w->cause, at, w->operands, now);
    at = stall(p, SIMT_STALL_FETCH, at, w->fetched, now);
    stall(p, SIMT_STALL_LSU, at, now, now);
}

static void count_issue(struct core *c, struct warp *w) {
    struct simt_place_time *p = place_at(c, w->step);
    struct subcore *s = &c->subs[w->sub];
    p->issued++;
    p->worked += w->mask != 0;
    p->lanes += w->mask == UINT32_MAX ? LANES : (uint32_t)__builtin_popcount(w->mask);
    if (s->counted != c->cycle)
        count_stalls(c, s, w, p);
    s->counted = c->cycle + 1;
}

static bool is_barrier(const struct simt_plan *p, const struct warp *w) {
    return p->unit == SIMT_UNIT_BARRIER && w->mask;
}

static void carry_out(struct core *c, struct warp *w, const struct simt_plan *p) {
    if (w->mask && p->unit != SIMT_UNIT_BARRIER)
        simt_issue_instruction(c, w, p);
}

static void issue_watched(struct core *c, struct warp *w, const struct simt_plan *p) {
    const struct simt_place_time *place = place_at(c, w->step);
    const uint64_t near_before = place->near;
    struct simt_issued x = about(c, w);
    draw_span(c, SIMT_TRACK_SUBCORE, w->sub, &c->subs[w->sub].issue_span, c->cycle, c->cycle + 1);
    carry_out(c, w, p);
    const bool near = place->near != near_before;
    if (c->t->x->issued)
        tell(c, w, &x, near);
    if (near)
        draw_span(c, SIMT_TRACK_NEAR, w->sub, &c->subs[w->sub].near_span, c->cycle, c->cycle + 1);
}

static void issue(struct core *c, struct warp *w, const struct simt_plan *p) {
    count_issue(c, w);
    if (c->watched)
        issue_watched(c, w, p);
    else
        carry_out(c, w, p);
    if (is_barrier(p, w))
        stop_at_barrier(c, w);
    else
        next_step(c, w);
}

/* The next slot behind the last one. */
static uint32_t choose(uint64_t ready, uint32_t last) {
    const uint64_t behind = last < 63 ? ready >> (last + 1) << (last + 1) : 0;
    return (uint32_t)__builtin_ctzll(behind ? behind : ready);
}

static bool issue_one(struct core *c, uint32_t sub) {
    struct subcore *s = &c->subs[sub];
    while (c->ready[sub]) {
        const uint32_t slot = choose(c->ready[sub], s->last);
        struct warp *w = &c->warps[sub * WHEEL + slot];
        const struct simt_plan *p = &c->plans[w->step];
        c->ready[sub] &= ~(UINT64_C(1) << slot);
        if (p->unit == SIMT_UNIT_MEMORY && w->mask && s->accesses >= c->t->k->lsu_queue) {
            s->lsu_wait |= UINT64_C(1) << slot;
            continue;
        }
        s->last = slot;
        issue(c, w, p);
        return true;
    }
    return false;
}

/* ---- time ---- */

static void do_banks(struct core *c) {
    const uint64_t cycle = c->bank_min;
    simt_bank_step_all(c);
    draw_span(c, SIMT_TRACK_BANKS, 0, &c->bank_span, cycle, cycle + 1);
}

static void do_event(struct core *c) {
    const struct event e = simt_event_take(c);
    struct warp *w;
    switch ((enum time_event_kind)e.kind) {
    case EVENT_LSU:
    case EVENT_LSU_LATE:
        simt_memory_leaves_lsu(c, e.index, e.at);
        break;
    case EVENT_DATA:
        simt_memory_data(c, e.index, e.at);
        break;
    case EVENT_GATHER:
        simt_memory_gather(c, e.index, e.at);
        break;
    case EVENT_WAKE:
        w = &c->warps[e.index];
        simt_core_is_ready(c, w->sub, UINT64_C(1) << w->slot);
        break;
    case EVENT_DONE:
        warp_done(c, &c->warps[e.index], c->cycle);
        break;
    case EVENT_PACKET:
        simt_memory_packet(c, e.index, e.at);
        break;
    }
}

/* The next cycle in which a warp may issue, from c->cycle on, as far as the wheel says. */
static uint64_t next_issue(const struct core *c) {
    if (c->any_ready)
        return c->cycle;
    if (!c->wheel_used)
        return NEVER;
    const unsigned at = (unsigned)(c->cycle % WHEEL);
    const uint64_t turned =
        at ? c->wheel_used >> at | c->wheel_used << (WHEEL - at) : c->wheel_used;
    return c->cycle + (unsigned)__builtin_ctzll(turned);
}

/* What one subcore issues makes no other one ready in that cycle. */
static void issue_all(struct core *c) {
    const unsigned at = (unsigned)(c->cycle % WHEEL);
    uint64_t *now = &c->wheel[(size_t)at * c->t->subs];
    c->any_ready = 0;
    c->wheel_used &= ~(UINT64_C(1) << at);
    for (uint32_t i = 0; i < c->t->subs; i++) {
        c->ready[i] |= now[i];
        now[i] = 0;
        if (!c->ready[i])
            continue;
        c->t->x->busy_cycles += issue_one(c, i);
        if (c->ready[i])
            simt_core_is_ready(c, i, 0);
    }
    c->cycle++;
}

/* The tick of what comes next of events and banks. */
static uint64_t next_event(const struct core *c) {
    const uint64_t at = c->head_at[c->first];
    return c->bank_min != NEVER && c->bank_min * TICKS < at ? c->bank_min * TICKS : at;
}

uint64_t simt_core_next(const struct core *c) {
    const uint64_t event = next_event(c), issue = next_issue(c);
    const uint64_t cycle = event == NEVER ? NEVER : event / TICKS;
    return cycle < issue ? cycle : issue;
}

void simt_core_advance(struct core *c, uint64_t until) {
    for (;;) {
        const uint64_t issue = next_issue(c), event = next_event(c);
        if (event != NEVER && (issue == NEVER || event <= issue * TICKS)) {
            if (event >= until * TICKS)
                break;
            if (event / TICKS > c->cycle)
                c->cycle = event / TICKS;
            if (event == c->head_at[c->first])
                do_event(c);
            else
                do_banks(c);
        } else if (issue < until) {
            c->cycle = issue;
            issue_all(c);
        } else {
            break;
        }
        if (c->starved && c->t->core_count == 1)
            break;
    }
}
