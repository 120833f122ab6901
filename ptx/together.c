/* SPDX-License-Identifier: MIT
 * Threads that wait for each other: lanes of a warp, and barriers of a block. */
#include "ptx/alu.h"
#include "ptx/run.h"

#include "support/bits.h"

static const struct ptx_step *step_of(const struct ptx_run *run, uint32_t thread) {
    return &run->program->steps.data[run->thread[thread].pc];
}

static void release(struct ptx_run *run, uint32_t thread) {
    run->thread[thread].wait = PTX_READY;
    run->thread[thread].pc++;
}

/* ---- lanes of a warp ---- */

/* What one of them has seen the others may get to see. */
static void share_unsettled(struct ptx_run *run, uint32_t first, uint32_t lanes) {
    bool some = false;
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        some |= run->thread[first + (uint32_t)__builtin_ctz(rest)].unsettled;
    for (uint32_t rest = lanes; rest && some; rest &= rest - 1)
        run->thread[first + (uint32_t)__builtin_ctz(rest)].unsettled = true;
}

/* `first`: the thread of lane 0; `lanes`, as bits: those that are there. */
static void meet(struct ptx_run *run, uint32_t first, uint32_t lanes, const struct ptx_step *s) {
    struct ptx_meeting m = {.m = &s->insn->m, .op = s->op, .lanes = lanes};
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(rest);
        for (unsigned i = 0; i + 1 < s->source_count; i++)
            m.in[i][lane] = ptx_source_value(run, first + lane, &s->source[i]);
    }
    if (s->op != PTX_OP_BAR)
        share_unsettled(run, first, lanes);
    ptx_alu_meet(&m);
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(rest);
        struct ptx_thread *t = &run->thread[first + lane];
        if (s->result_count)
            ptx_result_put(t, &s->result[0], PTX_B64, m.out[lane]);
        if (s->second.slot != PTX_NONE)
            t->slots[s->second.slot] = m.second >> lane & 1;
        release(run, first + lane);
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
        const uint32_t lanes = gather(run, first, mask, run->thread[thread].pc, &all);
        if (!all)
            continue;
        meet(run, first, lanes, step_of(run, thread));
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
