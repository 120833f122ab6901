/* SPDX-License-Identifier: MIT
 * Threads together: lanes of a warp, and warps at barriers. */
#include "machines/core/simt/run/core.h"
#include "ptx/alu.h"

/* ---- lanes of a warp ---- */

static void meet(const struct simt_run *run, struct simt_warp *w, const struct simt_insn *x,
                 uint32_t lanes) {
    struct ptx_meeting m = {.m = &x->m, .op = simt_ptx_op((enum simt_op)x->op), .lanes = lanes};
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        for (unsigned i = 0, lane = (unsigned)__builtin_ctz(rest); i + 1 < x->source_count; i++)
            m.in[i][lane] = simt_value(run, w, x, i, lane);
    ptx_alu_meet(&m);
    for (uint32_t rest = lanes; rest && x->result_count; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        simt_put(w, x, 0, lane, m.out[lane]);
    }
    if (x->op == SIMT_SHFL && x->second != SIMT_PT) {
        uint32_t *p = &w->predicate[x->second];
        *p = (*p & ~lanes) | (m.second & lanes);
    }
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
        uint32_t lanes = 0;
        if (!(members >> first & 1))
            return simt_fault(run, w, first, simt_step_of(run, s),
                              "its lane, %u, is not in the mask of lanes 0x%08x that it gives",
                              first, (unsigned)members);
        for (unsigned lane = first; lane < SIMT_LANES; lane++)
            if (rest >> lane & members >> lane & 1 && member_mask(run, w, s->insn, lane) == members)
                lanes |= (uint32_t)1 << lane;
        if (lanes != (members & w->live))
            return simt_fault(run, w, first, simt_step_of(run, s),
                              "lanes that its mask names do not come to %s",
                              name_of((enum simt_op)s->insn->op));
        meet(run, w, s->insn, lanes);
        rest &= ~lanes;
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
