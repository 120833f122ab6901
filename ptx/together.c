/* SPDX-License-Identifier: MIT
 * Threads that wait for each other: lanes of a warp, and barriers of a block. */
#include "ptx/alu.h"
#include "ptx/run.h"

#include "support/bits.h"

#include <string.h>

static const struct ptx_step *step_of(const struct ptx_run *run, uint32_t thread) {
    return &run->program->steps.data[run->thread[thread].pc];
}

static void release(struct ptx_run *run, uint32_t thread) {
    run->thread[thread].wait = PTX_READY;
    run->thread[thread].pc++;
}

/* ---- lanes of a warp ---- */

struct meeting {
    struct ptx_run *run;
    uint32_t first; /* thread of lane 0 */
    uint32_t lanes; /* bits: those that are there */
    const struct ptx_step *step;
    uint64_t in[PTX_WARP], out[PTX_WARP]; /* of lanes */
    bool second[PTX_WARP];
};

static uint64_t source(const struct meeting *m, unsigned lane, unsigned i) {
    return ptx_source_value(m->run, m->first + lane, &m->step->source[i]);
}

static bool is_there(const struct meeting *m, unsigned lane) {
    return m->lanes >> lane & 1;
}

/* The lane whose value a lane gets; its own where that is none. */
static unsigned partner(const struct meeting *m, unsigned lane, bool *within) {
    int by = (int)(source(m, lane, 1) & 31), limit = (int)source(m, lane, 2);
    int segment = limit >> 8 & 31, least = (int)lane & segment;
    int most = least | (limit & 31 & ~segment), from = (int)lane;
    switch (m->step->insn->m.mode) {
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

static void shuffle(struct meeting *m) {
    for (unsigned lane = 0; lane < PTX_WARP; lane++) {
        if (!is_there(m, lane))
            continue;
        unsigned from = partner(m, lane, &m->second[lane]);
        m->out[lane] = m->in[is_there(m, from) ? from : lane];
    }
}

static uint32_t ballot(const struct meeting *m) {
    uint32_t bits = 0;
    for (unsigned lane = 0; lane < PTX_WARP; lane++)
        bits |= (uint32_t)(is_there(m, lane) && (m->in[lane] & 1)) << lane;
    return bits;
}

static void vote(struct meeting *m) {
    uint32_t bits = ballot(m);
    uint64_t all = m->step->insn->m.mode == PTX_ALL   ? bits == m->lanes
                   : m->step->insn->m.mode == PTX_ANY ? bits != 0
                   : m->step->insn->m.mode == PTX_UNI ? bits == 0 || bits == m->lanes
                                                      : bits;
    for (unsigned lane = 0; lane < PTX_WARP; lane++)
        m->out[lane] = all;
}

static void match(struct meeting *m) {
    for (unsigned lane = 0; lane < PTX_WARP; lane++)
        for (unsigned other = 0; other < PTX_WARP; other++)
            if (is_there(m, other) && m->in[other] == m->in[lane])
                m->out[lane] |= (uint64_t)1 << other;
}

static void reduce(struct meeting *m) {
    const struct ptx_modifiers *x = &m->step->insn->m;
    uint64_t all = 0;
    bool first = true;
    for (unsigned lane = 0; lane < PTX_WARP; lane++) {
        if (!is_there(m, lane))
            continue;
        all = first ? m->in[lane]
                    : ptx_atomic((enum ptx_operation)x->operation, (enum ptx_type)x->type[0], all,
                                 m->in[lane], 0);
        first = false;
    }
    for (unsigned lane = 0; lane < PTX_WARP; lane++)
        m->out[lane] = all;
}

/* What one of them has seen the others may get to see. */
static void share_unsettled(struct meeting *m) {
    bool some = false;
    for (unsigned lane = 0; lane < PTX_WARP; lane++)
        some |= is_there(m, lane) && m->run->thread[m->first + lane].unsettled;
    for (unsigned lane = 0; lane < PTX_WARP; lane++)
        if (is_there(m, lane) && some)
            m->run->thread[m->first + lane].unsettled = true;
}

static void meet(struct meeting *m) {
    for (unsigned lane = 0; lane < PTX_WARP; lane++)
        if (is_there(m, lane))
            m->in[lane] = source(m, lane, 0);
    if (m->step->op != PTX_OP_BAR)
        share_unsettled(m);
    if (m->step->op == PTX_OP_SHFL)
        shuffle(m);
    else if (m->step->op == PTX_OP_VOTE)
        vote(m);
    else if (m->step->op == PTX_OP_MATCH)
        match(m);
    else if (m->step->op == PTX_OP_REDUX)
        reduce(m);
    for (unsigned lane = 0; lane < PTX_WARP; lane++) {
        struct ptx_thread *t = &m->run->thread[m->first + lane];
        if (!is_there(m, lane))
            continue;
        if (m->step->result_count)
            ptx_result_put(t, &m->step->result[0], PTX_B64, m->out[lane]);
        if (m->step->second.slot != PTX_NONE)
            t->slots[m->step->second.slot] = m->second[lane];
        release(m->run, m->first + lane);
    }
}

static uint32_t member_mask(const struct ptx_run *run, uint32_t thread) {
    const struct ptx_step *s = step_of(run, thread);
    return (uint32_t)ptx_source_value(run, thread, &s->source[s->source_count - 1]);
}

/* Lanes that the mask names, are not done, and wait there with the same mask; *all: it is all of
 * them. */
static uint32_t gather(const struct ptx_run *run, uint32_t first, uint32_t mask, uint32_t pc,
                       bool *all) {
    uint32_t lanes = 0;
    *all = true;
    for (unsigned lane = 0; lane < PTX_WARP && first + lane < run->threads; lane++) {
        const struct ptx_thread *t = &run->thread[first + lane];
        if (!(mask >> lane & 1) || t->wait == PTX_DONE)
            continue;
        if (t->wait == PTX_AT_WARP && t->pc == pc && member_mask(run, first + lane) == mask)
            lanes |= (uint32_t)1 << lane;
        else
            *all = false;
    }
    return lanes;
}

static bool warp_meets(struct ptx_run *run, uint32_t first, bool *some) {
    for (unsigned lane = 0; lane < PTX_WARP && first + lane < run->threads; lane++) {
        uint32_t thread = first + lane, mask;
        bool all;
        if (run->thread[thread].wait != PTX_AT_WARP)
            continue;
        mask = member_mask(run, thread);
        if (!(mask >> lane & 1))
            return ptx_fault(run, thread, step_of(run, thread),
                             "its lane, %u, is not in the mask of lanes 0x%08x that it gives", lane,
                             (unsigned)mask);
        struct meeting m = {.run = run, .first = first, .step = step_of(run, thread)};
        m.lanes = gather(run, first, mask, run->thread[thread].pc, &all);
        if (!all)
            continue;
        meet(&m);
        *some = true;
    }
    return true;
}

bool ptx_warps_meet(struct ptx_run *run, bool *some) {
    for (uint32_t first = 0; first < run->threads; first += PTX_WARP)
        if (!warp_meets(run, first, some))
            return false;
    return true;
}

/* ---- barriers ---- */

static bool waits_at(const struct ptx_run *run, uint32_t thread, uint64_t id) {
    return run->thread[thread].wait == PTX_AT_BARRIER &&
           ptx_source_value(run, thread, &step_of(run, thread)->source[0]) == id;
}

/* Threads that the barrier wants, as the first that waits says. */
static uint64_t wanted(const struct ptx_run *run, uint32_t thread) {
    const struct ptx_step *s = step_of(run, thread);
    uint64_t live = 0;
    if (s->source_count > 1 && s->insn->m.mode != PTX_REDUCE)
        return ptx_source_value(run, thread, &s->source[1]);
    for (uint32_t i = 0; i < run->threads; i++)
        live += run->thread[i].wait != PTX_DONE;
    return live;
}

/* All threads of a warp that are not done come to one barrier together. */
static bool is_together(struct ptx_run *run, uint32_t thread, uint64_t id) {
    uint32_t first = thread / PTX_WARP * PTX_WARP;
    for (uint32_t i = first; i < first + PTX_WARP && i < run->threads; i++)
        if (run->thread[i].wait != PTX_DONE &&
            (!waits_at(run, i, id) || run->thread[i].pc != run->thread[thread].pc))
            return ptx_fault(run, thread, step_of(run, thread),
                             "divergent barrier: thread %u of its warp is elsewhere",
                             (unsigned)(i - first));
    return true;
}

static uint64_t reduced(const struct ptx_run *run, uint64_t id, enum ptx_operation operation) {
    uint64_t count = 0, ones = 0;
    for (uint32_t i = 0; i < run->threads; i++)
        if (waits_at(run, i, id)) {
            count++;
            ones += ptx_source_value(run, i, &step_of(run, i)->source[1]);
        }
    return operation == PTX_POPC_OP ? ones : operation == PTX_AND ? ones == count : ones != 0;
}

static bool open_barrier(struct ptx_run *run, uint64_t id, uint32_t first) {
    const struct ptx_step *s = step_of(run, first);
    const bool reduces = s->insn->m.mode == PTX_REDUCE;
    bool unsettled = false;
    uint64_t value = 0;
    for (uint32_t i = 0; i < run->threads; i++) {
        if (waits_at(run, i, id) && !is_together(run, i, id))
            return false;
        unsettled |= reduces && waits_at(run, i, id) && run->thread[i].unsettled;
    }
    if (reduces)
        value = reduced(run, id, (enum ptx_operation)s->insn->m.operation);
    for (uint32_t i = 0; i < run->threads; i++)
        if (waits_at(run, i, id)) {
            const struct ptx_step *own = step_of(run, i);
            run->thread[i].unsettled |= unsettled;
            if (own->result_count)
                ptx_result_put(&run->thread[i], &own->result[0], PTX_B64, value);
            release(run, i);
        }
    run->arrived[id] = 0;
    return true;
}

bool ptx_barriers_meet(struct ptx_run *run, bool *some) {
    for (uint32_t id = 0; id < 16; id++) {
        uint64_t count = run->arrived[id];
        uint32_t first = run->threads;
        for (uint32_t i = run->threads; i-- > 0;)
            if (waits_at(run, i, id)) {
                count++;
                first = i;
            }
        if (first == run->threads || count < wanted(run, first))
            continue;
        if (!open_barrier(run, id, first))
            return false;
        *some = true;
    }
    return true;
}
