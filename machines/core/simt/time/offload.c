/* SPDX-License-Identifier: MIT
 * Where an instruction is carried out, and where its registers are for that.
 *
 * The offload engine asks, in this order: whether the hardware has it far from the banks (memory
 * but shared memory, branches, barriers); what the compiler says; else whether all of its sources
 * are valid near them (Fig. 3 of the paper).  Registers that are not where they are wanted are
 * moved, and are valid on both sides then; a result is valid only where it was written. */
#include "machines/core/simt/time/core_time.h"

static uint32_t count(const struct simt_set *set) {
    return (uint32_t)__builtin_popcountll(set->units);
}

uint64_t simt_issue_move(struct core *c, struct warp *w, const struct simt_set *set, bool near,
                         uint64_t from) {
    struct simt_set *valid = near ? &w->near : &w->far;
    const struct simt_set missing = {set->units & ~valid->units,
                                     set->predicates & ~valid->predicates};
    struct simt_place_time *p = place_at(c, w->step);
    const uint32_t units = count(&missing),
                   predicates = (uint32_t)__builtin_popcount(missing.predicates);
    uint64_t at = from;
    for (uint32_t i = 0; i < units; i++)
        at = simt_core_send(c, w->step, SIMT_REGISTER_BYTES, from, !near);
    for (uint32_t i = 0; i < predicates; i++)
        at = simt_core_send(c, w->step, SIMT_PREDICATE_BYTES, from, !near);
    p->moves += units + predicates;
    p->moved_registers += units;
    valid->units |= missing.units;
    valid->predicates |= missing.predicates;
    return at;
}

/* Lanes that are not at work keep what they have: a result that lies only on the other side comes
 * along. */
uint64_t simt_issue_results(struct core *c, struct warp *w, const struct simt_set *results,
                            bool near, uint64_t from) {
    const struct simt_set kept = {results->units & w->written.units,
                                  results->predicates & w->written.predicates};
    return (w->live & ~w->mask) ? simt_issue_bring(c, w, &kept, near, from) : from;
}

void simt_issue_wrote(struct warp *w, const struct simt_set *set, bool near) {
    struct simt_set *here = near ? &w->near : &w->far, *there = near ? &w->far : &w->near;
    here->units |= set->units;
    here->predicates |= set->predicates;
    there->units &= ~set->units;
    there->predicates &= ~set->predicates;
    w->written.units |= set->units;
    w->written.predicates |= set->predicates;
}

static bool goes_near(const struct warp *w, const struct simt_plan *p) {
    if (p->location != SIMT_BOTH)
        return p->location == SIMT_NEAR;
    return p->has_sources && !(p->sources.units & ~w->near.units) &&
           !(p->sources.predicates & ~w->near.predicates);
}

static uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* Operation, warp and registers; numbers and the mask of lanes take as many bytes again, in
 * eights. */
static uint32_t packet_bytes(const struct core *c, const struct warp *w,
                             const struct simt_plan *p) {
    const uint32_t more = p->number_bytes + (w->mask != UINT32_MAX ? 4u : 0u);
    return c->t->k->packet_bytes + (more + 7) / 8 * 8;
}

/* A packet goes up, and what says that it is done is booked with it; when the packet is there. */
static uint64_t offload(struct core *c, struct warp *w, uint32_t bytes, uint64_t from) {
    const uint64_t there = simt_core_send(c, w->step, bytes, from, true);
    if (c->t->k->ack_bytes)
        simt_core_send(c, w->step, c->t->k->ack_bytes, from, false);
    place_at(c, w->step)->near++;
    return there;
}

/* When the subcore knows that it is done. */
uint64_t simt_issue_acknowledged(const struct core *c, uint64_t done) {
    return done + c->t->flight + c->t->k->ack_bytes * c->t->tsv_byte;
}

/* Operands are collected, one instruction in each collector; *waited: for one. */
static uint64_t collect_near(struct core *c, struct subcore *s, uint64_t from, uint64_t *waited) {
    uint64_t *free_at = &s->collectors[s->collector];
    s->collector = s->collector + 1 < c->t->k->collectors ? s->collector + 1 : 0;
    *waited = *free_at > from ? *free_at - from : 0;
    *free_at = later(from, *free_at) + c->t->k->opc_cycles * TICKS;
    return *free_at;
}

static uint64_t operate(const struct core *c, const struct simt_plan *p, uint64_t from,
                        uint64_t *slow_free) {
    if (p->slow) {
        from = later(from, *slow_free);
        *slow_free = from + c->t->k->slow_cycles * TICKS;
        from += c->t->k->slow_cycles * TICKS;
    }
    return from + c->t->k->alu_cycles * TICKS;
}

/* What a result that is known at `done` is late by; the TSVs were free at `free_at` before it. */
static enum simt_stall lateness(const struct core *c, uint64_t free_at, uint64_t collector,
                                uint64_t done) {
    const uint64_t now = c->cycle * TICKS;
    if (c->tsv_free != free_at && 2 * (c->tsv_free - now) > done - now)
        return SIMT_STALL_TSV;
    return 2 * collector > done - now ? SIMT_STALL_COLLECTOR : SIMT_STALL_RESULT;
}

static void issue_alu(struct core *c, struct warp *w, const struct simt_plan *p) {
    struct subcore *s = &c->subs[w->sub];
    const bool near = goes_near(w, p);
    const uint64_t free_at = c->tsv_free;
    uint64_t at = c->cycle * TICKS, done, waited = 0;
    at = later(at, simt_issue_bring(c, w, &p->guard, false, at));
    at = later(at, simt_issue_bring(c, w, &p->sources, near, c->cycle * TICKS));
    at = later(at, simt_issue_results(c, w, &p->results, near, c->cycle * TICKS));
    if (near) {
        const uint64_t there = offload(c, w, packet_bytes(c, w, p), c->cycle * TICKS);
        done = operate(c, p, collect_near(c, s, later(at, there), &waited), &s->near_slow_free);
        done = simt_issue_acknowledged(c, done);
    } else {
        done = operate(c, p, at + c->t->k->opc_cycles * TICKS, &s->slow_free);
    }
    simt_issue_wrote(w, &p->results, near);
    simt_core_ready(c, w, &p->results, done, lateness(c, free_at, waited, done));
}

/* Constants and parameters lie beside the front end: a value of all lanes travels with the packet.
 */
static void issue_const(struct core *c, struct warp *w, const struct simt_plan *p) {
    struct simt_record r = {.reach = SIMT_REACH_CONST, .same = 1, .count = 1};
    const uint64_t now = c->cycle * TICKS, free_at = c->tsv_free;
    if (p->address.units)
        __builtin_memcpy(&r, &w->trace->words.data[w->word++], sizeof r);
    const bool near = r.same && !p->address.units && p->location == SIMT_NEAR;
    uint64_t at = later(now, simt_issue_bring(c, w, &p->guard, false, now));
    at = later(at, simt_issue_bring(c, w, &p->address, false, now));
    at = later(at, simt_issue_results(c, w, &p->results, near, now));
    at += (c->t->k->opc_cycles + c->t->k->alu_cycles + r.count - 1) * TICKS;
    if (near)
        at = simt_issue_acknowledged(c, later(at, offload(c, w, packet_bytes(c, w, p) + 8, now)) +
                                            c->t->k->alu_cycles * TICKS);
    simt_issue_wrote(w, &p->results, near);
    simt_core_ready(c, w, &p->results, at, lateness(c, free_at, 0, at));
}

/* One port for the core's shared memory: a pass a cycle. */
void simt_issue_shared(struct core *c, struct warp *w, const struct simt_plan *p) {
    struct subcore *s = &c->subs[w->sub];
    struct simt_place_time *place = place_at(c, w->step);
    const bool near = p->location == SIMT_NEAR;
    const uint64_t now = c->cycle * TICKS, free_at = c->tsv_free;
    uint64_t waited = 0;
    struct simt_record r;
    __builtin_memcpy(&r, &w->trace->words.data[w->word++], sizeof r);
    uint64_t at = later(now, simt_issue_bring(c, w, &p->guard, false, now));
    at = later(at, simt_issue_bring(c, w, &p->address, near, now));
    at = later(at, simt_issue_bring(c, w, &p->sources, near, now));
    at = later(at, simt_issue_results(c, w, &p->results, near, now));
    if (near)
        at = collect_near(c, s, later(at, offload(c, w, packet_bytes(c, w, p), now)), &waited);
    else
        at += c->t->k->opc_cycles * TICKS;
    at = later(at, c->shared_free);
    c->shared_free = at + r.count * TICKS;
    at += (r.count - 1 + c->t->k->shared_cycles) * TICKS;
    place->passes += r.count;
    place->conflicts += r.count - 1;
    simt_issue_wrote(w, &p->results, near);
    at = near ? simt_issue_acknowledged(c, at) : at;
    simt_core_ready(c, w, &p->results, at, lateness(c, free_at, waited, at));
}

void simt_issue_instruction(struct core *c, struct warp *w, const struct simt_plan *p) {
    switch ((enum simt_unit)p->unit) {
    case SIMT_UNIT_ALU:
        issue_alu(c, w, p);
        break;
    case SIMT_UNIT_CONST:
        issue_const(c, w, p);
        break;
    case SIMT_UNIT_SHARED:
        simt_issue_shared(c, w, p);
        break;
    case SIMT_UNIT_MEMORY:
        simt_memory_issue(c, w, p);
        break;
    default:
        simt_issue_bring(c, w, &p->guard, false, c->cycle * TICKS);
        if (c->t->x->kernel->insns[w->step].op == SIMT_EXIT)
            w->live &= ~w->mask;
        break;
    }
}
