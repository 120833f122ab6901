/* SPDX-License-Identifier: MIT
 * Threads together: lanes of a warp, and warps at barriers. */
#include "machines/core/simt/run/core.h"
#include "ptx/program.h"

#include <string.h>

/* ---- lanes of a warp ---- */

struct simt_meeting {
    struct simt_run *run;
    struct simt_warp *w;
    const struct simt_insn *insn;
    uint32_t lanes; /* bits: those that are there */
    uint64_t in[SIMT_LANES], out[SIMT_LANES];
    uint32_t second;
};

static bool is_there(const struct simt_meeting *m, unsigned lane) {
    return m->lanes >> lane & 1;
}

static uint64_t source(const struct simt_meeting *m, unsigned lane, unsigned i) {
    return simt_value(m->run, m->w, m->insn, i, lane);
}

/* The lane whose value a lane gets; its own where that is none. */
static unsigned partner(const struct simt_meeting *m, unsigned lane, bool *within) {
    int by = (int)(source(m, lane, 1) & 31), limit = (int)source(m, lane, 2);
    int segment = limit >> 8 & 31, least = (int)lane & segment;
    int most = least | (limit & 31 & ~segment), from = (int)lane;
    switch (m->insn->m.mode) {
    case PTX_UP:
        from -= by;
        *within = from >= most;
        break;
    case PTX_DOWN:
        from += by;
        *within = from <= most;
        break;
    case PTX_BFLY:
        from ^= by;
        *within = from <= most;
        break;
    default:
        from = least | (by & ~segment);
        *within = from <= most;
    }
    return *within ? (unsigned)from : lane;
}

static void shuffle(struct simt_meeting *m) {
    for (unsigned lane = 0; lane < SIMT_LANES; lane++) {
        bool within;
        if (!is_there(m, lane))
            continue;
        unsigned from = partner(m, lane, &within);
        m->second |= (uint32_t)within << lane;
        m->out[lane] = m->in[is_there(m, from) ? from : lane];
    }
}

static void vote(struct simt_meeting *m) {
    uint32_t bits = 0;
    for (unsigned lane = 0; lane < SIMT_LANES; lane++)
        bits |= (uint32_t)(is_there(m, lane) && (m->in[lane] & 1)) << lane;
    uint64_t all = m->insn->m.mode == PTX_ALL   ? bits == m->lanes
                   : m->insn->m.mode == PTX_ANY ? bits != 0
                   : m->insn->m.mode == PTX_UNI ? bits == 0 || bits == m->lanes
                                                : bits;
    for (unsigned lane = 0; lane < SIMT_LANES; lane++)
        m->out[lane] = all;
}

static void match(struct simt_meeting *m) {
    for (unsigned lane = 0; lane < SIMT_LANES; lane++)
        for (unsigned other = 0; other < SIMT_LANES; other++)
            if (is_there(m, other) && m->in[other] == m->in[lane])
                m->out[lane] |= (uint64_t)1 << other;
}

static void reduce(struct simt_meeting *m) {
    const struct ptx_modifiers *x = &m->insn->m;
    uint64_t all = 0;
    bool first = true;
    for (unsigned lane = 0; lane < SIMT_LANES; lane++) {
        if (!is_there(m, lane))
            continue;
        all = first ? m->in[lane]
                    : ptx_atomic((enum ptx_operation)x->operation, (enum ptx_type)x->type[0], all,
                                 m->in[lane], 0);
        first = false;
    }
    for (unsigned lane = 0; lane < SIMT_LANES; lane++)
        m->out[lane] = all;
}

static void give(struct simt_meeting *m) {
    const struct simt_insn *x = m->insn;
    for (unsigned lane = 0; lane < SIMT_LANES; lane++)
        if (is_there(m, lane) && x->result_count)
            simt_put(m->w, x, 0, lane, m->out[lane]);
    if (x->op == SIMT_SHFL && x->second != SIMT_PT) {
        uint32_t *p = &m->w->predicate[x->second];
        *p = (*p & ~m->lanes) | (m->second & m->lanes);
    }
}

static void meet(struct simt_meeting *m) {
    for (unsigned lane = 0; lane < SIMT_LANES; lane++)
        if (is_there(m, lane))
            m->in[lane] = source(m, lane, 0);
    switch ((enum simt_op)m->insn->op) {
    case SIMT_SHFL:
        shuffle(m);
        break;
    case SIMT_VOTE:
        vote(m);
        break;
    case SIMT_MATCH:
        match(m);
        break;
    case SIMT_REDUX:
        reduce(m);
        break;
    default: /* bar.warp: its only result is that they have met */
        return;
    }
    give(m);
}

static uint32_t member_mask(const struct simt_run *run, const struct simt_warp *w,
                            const struct simt_insn *x, unsigned lane) {
    return (uint32_t)simt_value(run, w, x, x->source_count - 1u, lane);
}

static const char *name_of(enum simt_op op) {
    return op == SIMT_SHFL    ? "shfl.sync"
           : op == SIMT_VOTE  ? "vote.sync"
           : op == SIMT_MATCH ? "match.any.sync"
           : op == SIMT_REDUX ? "redux.sync"
                              : "bar.warp.sync";
}

bool simt_are_all(const struct simt_run *run, const struct simt_warp *w, const struct simt_step *s,
                  uint32_t mask) {
    uint32_t named = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        named |= member_mask(run, w, s->insn, (unsigned)__builtin_ctz(rest));
    return (named & w->live & ~mask) == 0;
}

/* Lanes at work that give the same mask are a group; all lanes of a mask that have not ended are at
 * work. */
bool simt_together(struct simt_run *run, struct simt_warp *w, const struct simt_step *s,
                   uint32_t mask) {
    for (uint32_t rest = mask; rest;) {
        const unsigned first = (unsigned)__builtin_ctz(rest);
        const uint32_t members = member_mask(run, w, s->insn, first);
        struct simt_meeting m = {.run = run, .w = w, .insn = s->insn};
        if (!(members >> first & 1))
            return simt_fault(run, w, first, simt_step_of(run, s),
                              "its lane, %u, is not in the mask of lanes 0x%08x that it gives",
                              first, (unsigned)members);
        for (unsigned lane = first; lane < SIMT_LANES; lane++)
            if (rest >> lane & members >> lane & 1 && member_mask(run, w, s->insn, lane) == members)
                m.lanes |= (uint32_t)1 << lane;
        if (m.lanes != (members & w->live))
            return simt_fault(run, w, first, simt_step_of(run, s),
                              "lanes that its mask names do not come to %s",
                              name_of((enum simt_op)s->insn->op));
        meet(&m);
        rest &= ~m.lanes;
    }
    return true;
}

/* ---- barriers ---- */

static uint64_t id_of(const struct simt_run *run, const struct simt_warp *w,
                      const struct simt_insn *x) {
    return simt_value(run, w, x, 0, (unsigned)__builtin_ctz(w->live));
}

static const struct simt_step *step_of(const struct simt_run *run, const struct simt_warp *w) {
    return &run->program->steps[w->stack[w->depth - 1].pc];
}

/* All threads of a warp that have not ended come to one barrier together. */
static bool is_together(struct simt_run *run, const struct simt_warp *w, const struct simt_step *s,
                        uint32_t mask) {
    const bool same = s->insn->source_kind[0] == SIMT_OPERAND_NUMBER;
    uint32_t elsewhere = w->live & ~mask;
    for (uint32_t rest = same ? 0 : mask; rest; rest &= rest - 1)
        if (simt_value(run, w, s->insn, 0, (unsigned)__builtin_ctz(rest)) != id_of(run, w, s->insn))
            elsewhere |= rest & (0u - rest);
    return !elsewhere || simt_fault(run, w, (unsigned)__builtin_ctz(mask), simt_step_of(run, s),
                                    "divergent barrier: thread %u of its warp is elsewhere",
                                    (unsigned)__builtin_ctz(elsewhere));
}

static bool counts_threads(const struct simt_insn *x) {
    return x->source_count > 1 && x->m.mode != PTX_REDUCE;
}

bool simt_barrier(struct simt_run *run, struct simt_warp *w, const struct simt_step *s,
                  uint32_t mask) {
    const unsigned lane = (unsigned)__builtin_ctz(mask);
    const uint32_t at = simt_step_of(run, s);
    uint64_t id, count;
    if (!is_together(run, w, s, mask))
        return false;
    id = id_of(run, w, s->insn);
    count = counts_threads(s->insn) ? simt_value(run, w, s->insn, 1, lane) : SIMT_LANES;
    if (id >= SIMT_BARRIERS)
        return simt_fault(run, w, lane, at, "barrier %llu: there are %u", (unsigned long long)id,
                          SIMT_BARRIERS);
    if (!count || count % SIMT_LANES)
        return simt_fault(run, w, lane, at, "a barrier of %llu threads: it is of a multiple of 32",
                          (unsigned long long)count);
    if (run->trace)
        simt_trace_barrier(run->trace, w->number, (uint32_t)id,
                           counts_threads(s->insn) ? (uint32_t)(count / SIMT_LANES) : 0,
                           s->insn->m.mode == PTX_ARRIVE);
    if (s->insn->m.mode == PTX_ARRIVE) {
        run->arrived[id]++;
        w->stack[w->depth - 1].pc++;
    } else {
        w->barrier = (uint32_t)id;
        w->wait = SIMT_AT_BARRIER;
    }
    return true;
}

static bool waits_at(const struct simt_warp *w, uint32_t id) {
    return w->wait == SIMT_AT_BARRIER && w->barrier == id;
}

/* Warps that the barrier wants, as the first that waits says. */
static uint64_t wanted(const struct simt_run *run, const struct simt_warp *w) {
    const struct simt_insn *x = step_of(run, w)->insn;
    uint64_t live = 0;
    if (counts_threads(x))
        return simt_value(run, w, x, 1, (unsigned)__builtin_ctz(w->live)) / SIMT_LANES;
    for (uint32_t i = 0; i < run->warps; i++)
        live += run->warp[i].wait != SIMT_DONE;
    return live;
}

static uint64_t reduced(const struct simt_run *run, uint32_t id, enum ptx_operation operation) {
    uint64_t count = 0, ones = 0;
    for (uint32_t i = 0; i < run->warps; i++) {
        const struct simt_warp *w = &run->warp[i];
        if (!waits_at(w, id))
            continue;
        for (uint32_t rest = w->live; rest; rest &= rest - 1) {
            const struct simt_insn *x = step_of(run, w)->insn;
            count++;
            if (x->source_count > 1)
                ones += simt_value(run, w, x, 1, (unsigned)__builtin_ctz(rest)) & 1;
        }
    }
    return operation == PTX_POPC_OP ? ones : operation == PTX_AND ? ones == count : ones != 0;
}

static void release(struct simt_run *run, struct simt_warp *w, uint64_t value) {
    const struct simt_insn *x = step_of(run, w)->insn;
    for (uint32_t rest = w->live; rest && x->result_count; rest &= rest - 1)
        simt_put(w, x, 0, (unsigned)__builtin_ctz(rest), value);
    w->wait = SIMT_READY;
    w->stack[w->depth - 1].pc++;
}

static void open_barrier(struct simt_run *run, uint32_t id, const struct simt_warp *first) {
    const struct simt_insn *x = step_of(run, first)->insn;
    const uint64_t value =
        x->m.mode == PTX_REDUCE ? reduced(run, id, (enum ptx_operation)x->m.operation) : 0;
    for (uint32_t i = 0; i < run->warps; i++)
        if (waits_at(&run->warp[i], id))
            release(run, &run->warp[i], value);
    run->arrived[id] = 0;
}

/* Barriers at which warps wait, as bits. */
static uint32_t waited_for(const struct simt_run *run) {
    uint32_t ids = 0;
    for (uint32_t i = 0; i < run->warps; i++)
        if (run->warp[i].wait == SIMT_AT_BARRIER)
            ids |= UINT32_C(1) << run->warp[i].barrier;
    return ids;
}

/* The first warp that waits there, and how many do or have come. */
static const struct simt_warp *count_waiting(const struct simt_run *run, uint32_t id,
                                             uint64_t *count) {
    const struct simt_warp *first = NULL;
    *count = run->arrived[id];
    for (uint32_t i = run->warps; i-- > 0;)
        if (waits_at(&run->warp[i], id)) {
            ++*count;
            first = &run->warp[i];
        }
    return first;
}

bool simt_barriers_open(struct simt_run *run) {
    bool some = false;
    for (uint32_t rest = waited_for(run); rest; rest &= rest - 1) {
        const uint32_t id = (uint32_t)__builtin_ctz(rest);
        uint64_t count;
        const struct simt_warp *first = count_waiting(run, id, &count);
        if (count < wanted(run, first))
            continue;
        open_barrier(run, id, first);
        some = true;
    }
    return some;
}
