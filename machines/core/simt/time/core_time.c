/* SPDX-License-Identifier: MIT
 * A core from event to event. */
#include "machines/core/simt/time/core_time.h"

#include <string.h>

/* ---- events: a heap by time, and by the order in which they were made ---- */

static bool before(const struct event *a, const struct event *b) {
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

void simt_core_event(struct core *c, uint64_t at, enum time_event_kind kind, uint32_t index) {
    struct event e = {at, c->order++, (uint32_t)kind, index};
    vec_push(&c->events, e);
    size_t i = c->events.len - 1;
    while (i && before(&e, &c->events.data[(i - 1) / 2])) {
        c->events.data[i] = c->events.data[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    c->events.data[i] = e;
}

static struct event take_event(struct core *c) {
    struct event *h = c->events.data, first = h[0], e = h[--c->events.len];
    size_t n = c->events.len, i = 0;
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        child += child + 1 < n && before(&h[child + 1], &h[child]);
        if (!before(&h[child], &e))
            break;
        h[i] = h[child];
    }
    if (n)
        h[i] = e;
    return first;
}

/* ---- TSVs ---- */

static void draw_span(struct core *c, enum simt_track track, uint32_t unit, struct simt_span *open,
                      struct simt_span now) {
    if (!c->t->x->span)
        return;
    if (open->end && now.begin <= open->end + 16) {
        open->end = now.end > open->end ? now.end : open->end;
        return;
    }
    if (open->end)
        c->t->x->span(c->t->x->context, track, c->number, unit, *open);
    *open = now;
}

void simt_core_close_spans(struct times *t) {
    const struct simt_span end = {NEVER - 1, NEVER};
    for (uint32_t i = 0; i < t->core_count && t->x->span; i++) {
        struct core *c = &t->cores[i];
        if (!c->t)
            continue;
        draw_span(c, SIMT_TRACK_TSV, 0, &c->tsv_span, end);
        draw_span(c, SIMT_TRACK_BANKS, 0, &c->bank_span, end);
        for (uint32_t s = 0; s < t->subs; s++) {
            draw_span(c, SIMT_TRACK_SUBCORE, s, &c->subs[s].issue_span, end);
            draw_span(c, SIMT_TRACK_NEAR, s, &c->subs[s].near_span, end);
        }
    }
}

uint64_t simt_core_send(struct core *c, uint32_t step, uint32_t bytes, uint64_t from, bool up) {
    struct simt_place_time *p = place_at(c, step);
    const uint64_t begin = c->tsv_free > from ? c->tsv_free : from;
    p->messages++;
    p->tsv_bytes += bytes;
    *(up ? &c->t->x->up_bytes : &c->t->x->down_bytes) += bytes;
    c->tsv_free = begin + bytes * c->t->tsv_byte;
    c->tsv_busy += bytes * c->t->tsv_byte;
    draw_span(c, SIMT_TRACK_TSV, 0, &c->tsv_span,
              (struct simt_span){begin / TICKS, cycle_of(c->tsv_free)});
    return c->tsv_free + c->t->flight;
}

/* ---- when a warp may issue ---- */

static void schedule(struct core *c, struct warp *w, uint64_t cycle) {
    struct subcore *s = &c->subs[w->sub];
    w->state = WARP_GOES;
    if (cycle - c->cycle >= WHEEL) {
        simt_core_event(c, cycle * TICKS, EVENT_WAKE, (uint32_t)(w - c->warps));
        return;
    }
    s->wheel[cycle % WHEEL] |= UINT64_C(1) << w->slot;
    s->wheel_used |= UINT64_C(1) << cycle % WHEEL;
}

/* The latest of the registers that are not there yet. */
static uint64_t latest(struct warp *w, const struct simt_set *needs, uint64_t from,
                       bool *by_access) {
    uint64_t at = 0;
    for (uint64_t rest = needs->units & w->busy.units; rest; rest &= rest - 1) {
        const unsigned r = (unsigned)__builtin_ctzll(rest);
        if (w->ready[r] <= from) {
            w->busy.units &= ~(UINT64_C(1) << r);
        } else if (w->ready[r] > at) {
            at = w->ready[r];
            *by_access = w->loaded.units >> r & 1;
        }
    }
    for (uint32_t rest = needs->predicates & w->busy.predicates; rest; rest &= rest - 1) {
        const unsigned r = (unsigned)__builtin_ctz(rest);
        if (w->ready[PREDICATE_AT + r] <= from) {
            w->busy.predicates &= ~(UINT32_C(1) << r);
        } else if (w->ready[PREDICATE_AT + r] > at) {
            at = w->ready[PREDICATE_AT + r];
            *by_access = w->loaded.predicates >> r & 1;
        }
    }
    return at;
}

void simt_core_consider(struct core *c, struct warp *w, uint64_t from) {
    const struct simt_plan *p = &c->t->plans[w->step];
    const uint64_t line_miss = c->t->k->icache_miss_cycles;
    uint64_t cycle = from < c->cycle ? c->cycle : from;
    bool by_access = false;
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
    const uint64_t at = cycle_of(latest(w, &p->needs, cycle * TICKS, &by_access));
    if (at > cycle) {
        cycle = at;
        w->cause = by_access ? SIMT_STALL_MEMORY : SIMT_STALL_RESULT;
    }
    if (c->lines[p->line] == NEVER) {
        c->lines[p->line] = cycle + line_miss;
        c->t->x->lines++;
    }
    if (c->lines[p->line] > cycle) {
        cycle = c->lines[p->line];
        w->cause = SIMT_STALL_FETCH;
    }
    w->can = cycle;
    schedule(c, w, cycle);
}

static void put_ready(struct warp *w, const struct simt_set *set, uint64_t tick, bool by_access) {
    for (uint64_t rest = set->units; rest; rest &= rest - 1)
        w->ready[__builtin_ctzll(rest)] = tick;
    for (uint32_t rest = set->predicates; rest; rest &= rest - 1)
        w->ready[PREDICATE_AT + (unsigned)__builtin_ctz(rest)] = tick;
    w->busy.units |= set->units;
    w->busy.predicates |= set->predicates;
    w->pending.units &= ~set->units;
    w->pending.predicates &= ~set->predicates;
    w->loaded.units = by_access ? w->loaded.units | set->units : w->loaded.units & ~set->units;
    w->loaded.predicates = by_access ? w->loaded.predicates | set->predicates
                                     : w->loaded.predicates & ~set->predicates;
}

void simt_core_ready(struct core *c, struct warp *w, const struct simt_set *set, uint64_t tick,
                     bool by_access) {
    put_ready(w, set, tick, by_access);
    if (w->state == WARP_WAITS)
        simt_core_consider(c, w, c->cycle);
}

/* ---- the next instruction ---- */

static void next_step(struct core *c, struct warp *w);

static void wake_barrier(struct core *c, struct timed_block *b, uint32_t id, uint64_t cycle) {
    b->arrived[id] = 0;
    for (uint32_t i = 0; i < c->t->x->warps; i++) {
        struct warp *w = &c->warps[b->warps[i]];
        if (w->state != WARP_STOPPED || w->barrier != id)
            continue;
        w->cause = SIMT_STALL_BARRIER;
        w->state = WARP_GOES;
        place_at(c, w->step)->stalls[SIMT_STALL_BARRIER] += cycle - w->since;
        w->since = cycle;
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
    c->subs[w->sub].slots &= ~(UINT64_C(1) << w->slot);
    w->state = WARP_FREE;
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
    s->ready |= s->lsu_wait;
    s->lsu_wait = 0;
    if (--w->outstanding)
        return;
    if (w->state == WARP_ENDED)
        warp_done(c, w, cycle_of(tick) > c->cycle ? cycle_of(tick) : c->cycle);
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

static void count_issue(struct core *c, struct warp *w) {
    struct simt_place_time *p = place_at(c, w->step);
    p->issued++;
    p->worked += w->mask != 0;
    p->lanes += (uint32_t)__builtin_popcount(w->mask);
    if (w->can > w->since)
        p->stalls[w->cause] += w->can - w->since;
    const uint64_t could = w->can > w->since ? w->can : w->since;
    p->stalls[w->held ? SIMT_STALL_LSU : SIMT_STALL_PORT] += c->cycle - could;
    w->held = false;
    w->since = c->cycle + 1;
}

static void issue(struct core *c, struct warp *w) {
    const struct simt_plan *p = &c->t->plans[w->step];
    const struct simt_place_time *place = place_at(c, w->step);
    const uint64_t near_before = place->near;
    struct simt_issued x;
    if (c->t->x->issued)
        x = about(c, w);
    count_issue(c, w);
    draw_span(c, SIMT_TRACK_SUBCORE, w->sub, &c->subs[w->sub].issue_span,
              (struct simt_span){c->cycle, c->cycle + 1});
    if (w->mask && p->unit != SIMT_UNIT_BARRIER)
        simt_issue_instruction(c, w);
    const bool near = place->near != near_before;
    if (c->t->x->issued)
        tell(c, w, &x, near);
    if (near)
        draw_span(c, SIMT_TRACK_NEAR, w->sub, &c->subs[w->sub].near_span,
                  (struct simt_span){c->cycle, c->cycle + 1});
    if (p->unit == SIMT_UNIT_BARRIER && w->mask)
        stop_at_barrier(c, w);
    else
        next_step(c, w);
}

/* The next slot behind the last one. */
static uint32_t choose(const struct subcore *s) {
    const uint64_t behind = s->last < 63 ? s->ready >> (s->last + 1) << (s->last + 1) : 0;
    return (uint32_t)__builtin_ctzll(behind ? behind : s->ready);
}

static bool is_access(const struct simt_plan *p) {
    return p->unit == SIMT_UNIT_MEMORY;
}

static bool issue_one(struct core *c, uint32_t sub) {
    struct subcore *s = &c->subs[sub];
    while (s->ready) {
        const uint32_t slot = choose(s);
        struct warp *w = &c->warps[sub * WHEEL + slot];
        s->ready &= ~(UINT64_C(1) << slot);
        if (w->mask && is_access(&c->t->plans[w->step]) && s->accesses >= c->t->k->lsu_queue) {
            s->lsu_wait |= UINT64_C(1) << slot;
            w->held = true;
            continue;
        }
        s->last = slot;
        issue(c, w);
        return true;
    }
    return false;
}

/* ---- time ---- */

static uint64_t next_event(const struct core *c, unsigned *which) {
    uint64_t at = NEVER;
    *which = 0;
    if (c->data_len) {
        at = c->data.data[c->data_head].at;
        *which = 1;
    }
    if (c->events.len && c->events.data[0].at < at) {
        at = c->events.data[0].at;
        *which = 2;
    }
    if (c->bank_min != NEVER && c->bank_min * TICKS < at) {
        at = c->bank_min * TICKS;
        *which = 3;
    }
    return at;
}

static void do_banks(struct core *c) {
    const uint64_t cycle = c->bank_min;
    for (uint32_t i = 0; i < c->t->all_banks; i++)
        if (c->bank_next[i] <= cycle)
            simt_bank_step(c, i, cycle);
    uint64_t least = NEVER;
    for (uint32_t i = 0; i < c->t->all_banks; i++)
        least = c->bank_next[i] < least ? c->bank_next[i] : least;
    c->bank_min = least;
    draw_span(c, SIMT_TRACK_BANKS, 0, &c->bank_span, (struct simt_span){cycle, cycle + 1});
}

static void do_event(struct core *c) {
    const struct event e = take_event(c);
    struct warp *w;
    switch ((enum time_event_kind)e.kind) {
    case EVENT_LSU:
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
        c->subs[w->sub].ready |= UINT64_C(1) << w->slot;
        break;
    case EVENT_PACKET:
        simt_memory_packet(c, e.index, e.at);
        break;
    }
}

static void do_next(struct core *c, unsigned which) {
    if (which == 1) {
        const struct data d = c->data.data[c->data_head];
        c->data_head = (c->data_head + 1) % c->data.len;
        c->data_len--;
        simt_memory_data(c, d.access, d.at);
    } else if (which == 2) {
        do_event(c);
    } else {
        do_banks(c);
    }
}

/* The next cycle in which a warp may issue, from c->cycle on, as far as the wheels say. */
static uint64_t next_issue(const struct core *c) {
    uint64_t least = NEVER;
    const unsigned at = (unsigned)(c->cycle % WHEEL);
    for (uint32_t i = 0; i < c->t->subs; i++) {
        const struct subcore *s = &c->subs[i];
        if (s->ready)
            return c->cycle;
        if (!s->wheel_used)
            continue;
        const uint64_t turned =
            at ? s->wheel_used >> at | s->wheel_used << (WHEEL - at) : s->wheel_used;
        const uint64_t cycle = c->cycle + (unsigned)__builtin_ctzll(turned);
        least = cycle < least ? cycle : least;
    }
    return least;
}

static void issue_all(struct core *c) {
    const unsigned at = (unsigned)(c->cycle % WHEEL);
    for (uint32_t i = 0; i < c->t->subs; i++) {
        struct subcore *s = &c->subs[i];
        s->ready |= s->wheel[at];
        s->wheel[at] = 0;
        s->wheel_used &= ~(UINT64_C(1) << at);
    }
    for (uint32_t i = 0; i < c->t->subs; i++)
        if (c->subs[i].ready && issue_one(c, i))
            c->t->x->busy_cycles++;
    c->cycle++;
}

uint64_t simt_core_next(const struct core *c) {
    unsigned which;
    const uint64_t event = next_event(c, &which), issue = next_issue(c);
    const uint64_t cycle = event == NEVER ? NEVER : event / TICKS;
    return cycle < issue ? cycle : issue;
}

void simt_core_advance(struct core *c, uint64_t until) {
    for (;;) {
        unsigned which;
        const uint64_t issue = next_issue(c), event = next_event(c, &which);
        if (event != NEVER && (issue == NEVER || event <= issue * TICKS)) {
            if (event >= until * TICKS)
                break;
            if (event / TICKS > c->cycle)
                c->cycle = event / TICKS;
            do_next(c, which);
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
