/* SPDX-License-Identifier: MIT
 * One warp, instruction by instruction.
 *
 * The stack's top says which lanes work and where.  Each turn of the loop
 *   1. leaves entries that have come to where their lanes meet those below, or have none;
 *   2. takes the next instruction, and the lanes of its guard;
 *   3. carries it out for these: a function of rows where it has one, which writes whole rows where
 *      all lanes that have not ended are at work (nobody reads what others hold), else by way of a
 *      row of its own;
 *   4. goes on behind it, or where a branch says: the side that takes it first. */
#include "machines/core/simt/run/core.h"

#include <stdalign.h>
#include <string.h>

#define ASK_EVERY 4096u /* steps, for go_on */

/* ---- going round ---- */

/* Units, then pairs. */
static size_t row_bytes(const struct simt_run *run) {
    return 2 * simt_file_bytes(run->program);
}

static bool is_same(const struct simt_run *run, const struct simt_warp *w) {
    const struct simt_warp *s = &run->snapshot;
    return s->depth == w->depth && s->live == w->live && s->carry == w->carry &&
           memcmp(s->stack, w->stack, w->depth * sizeof *w->stack) == 0 &&
           memcmp(s->predicate, w->predicate, SIMT_PT * sizeof *w->predicate) == 0 &&
           memcmp(run->snapshot_rows, w->base[SIMT_FROM_UNITS], row_bytes(run)) == 0;
}

/* At a jump back: whether the warp is where it was, with all that it was, and has changed nothing
 * meanwhile.  What it compares with is as old as it is long ago, so that any circle is found. */
static bool spins(struct simt_run *run, const struct simt_warp *w, uint64_t since) {
    if (run->snapshot_valid && !run->changed && is_same(run, w))
        return true;
    if (since & (since - 1))
        return false;
    run->snapshot = *w;
    memcpy(run->snapshot_rows, w->base[SIMT_FROM_UNITS], row_bytes(run));
    run->snapshot_valid = true;
    run->changed = false;
    return false;
}

static bool may_go_on(struct simt_run *run, const struct simt_warp *w) {
    const uint64_t most = simt_keys(run->target)->watchdog;
    if (run->launch->go_on && !run->launch->go_on(run->launch->context, run->steps)) {
        run->stopped = true;
        return false;
    }
    run->endless = w->steps >= most;
    return !run->endless ||
           simt_fault(run, w, (unsigned)__builtin_ctz(w->live), w->stack[w->depth - 1].pc,
                      "it comes to no end in %llu instructions (simt.watchdog)",
                      (unsigned long long)most);
}

/* ---- the stack ---- */

/* Lanes that end leave all entries. */
static void end_lanes(struct simt_warp *w, uint32_t mask) {
    w->live &= ~mask;
    for (uint32_t i = 0; i < w->depth; i++)
        w->stack[i].mask &= ~mask;
}

/* Both sides have lanes: where they meet again stays below them, then those that go on, then those
 * that jump.  Where they do not, since a side ends, they are as the others of their entry. */
static void diverge(struct simt_warp *w, const struct simt_step *s, uint32_t taken) {
    struct simt_entry *top = &w->stack[w->depth - 1];
    const uint32_t meets = s->reconverge == SIMT_END ? top->reconverge : s->reconverge;
    const struct simt_entry fall = {top->pc + 1, top->mask & ~taken, meets, 0},
                            jump = {s->target, taken, meets, 0};
    if (meets == top->reconverge)
        w->depth--;
    else
        top->pc = meets;
    if (fall.pc != meets)
        w->stack[w->depth++] = fall;
    if (jump.pc != meets)
        w->stack[w->depth++] = jump;
}

/* ---- meetings ---- */

/* Entries that begin at the top and meet at one place: sides of branches. */
static uint32_t first_sibling(const struct simt_warp *w) {
    uint32_t first = w->depth - 1;
    while (first && w->stack[first - 1].reconverge == w->stack[w->depth - 1].reconverge)
        first--;
    return first;
}

/* Those that wait where the top does work with it. */
static void join_siblings(struct simt_warp *w, uint32_t first) {
    struct simt_entry top = w->stack[w->depth - 1];
    uint32_t kept = first;
    for (uint32_t i = first; i + 1 < w->depth; i++)
        if (w->stack[i].pc == top.pc)
            top.mask |= w->stack[i].mask;
        else
            w->stack[kept++] = w->stack[i];
    top.waits = 0;
    w->stack[kept++] = top;
    w->depth = kept;
}

/* Some lanes come to a barrier or a vote before the others do: as long as there are sides that may
 * still come, or end, these go first.  True: the top is another one now. */
static bool let_others_come(struct simt_warp *w) {
    const uint32_t first = first_sibling(w), last = w->depth - 1;
    const struct simt_entry top = w->stack[last];
    uint32_t other = last;
    while (other > first && (w->stack[other - 1].waits || !w->stack[other - 1].mask))
        other--;
    if (other-- == first) {
        join_siblings(w, first);
        return false;
    }
    w->stack[last] = w->stack[other];
    w->stack[other] = top;
    w->stack[other].waits = 1;
    return true;
}

static bool is_early(const struct simt_run *run, const struct simt_warp *w,
                     const struct simt_step *s, uint32_t mask) {
    const bool barrier = s->kind == SIMT_DO_BARRIER;
    return (barrier || s->kind == SIMT_DO_TOGETHER) && mask != w->live &&
           mask == w->stack[w->depth - 1].mask && (barrier || !simt_are_all(run, w, s, mask));
}

/* ---- rows ---- */

static inline void do_row(const struct simt_run *run, struct simt_warp *w,
                          const struct simt_step *s, uint32_t mask, bool wide) {
    alignas(64) uint64_t room[SIMT_LANES];
    void *result = w->base[s->result.base] + s->result.offset;
    const void *a = simt_row_at(w, s->source[0]), *b = simt_row_at(w, s->source[1]),
               *c = simt_row_at(w, s->source[2]);
    uint32_t turned;
    if (s->turned) {
        memcpy(&turned, c, sizeof turned);
        turned = ~turned;
        c = &turned;
    }
    if (mask == w->live) {
        s->row(result, a, b, c);
        return;
    }
    s->row(room, a, b, c);
    if (wide)
        run->program->rows->blend_64(result, room, mask);
    else
        run->program->rows->blend_32(result, (const uint32_t *)(const void *)room, mask);
}

static inline void do_test(struct simt_warp *w, const struct simt_step *s, uint32_t mask) {
    uint32_t value = 0, *p = &w->predicate[s->result.offset / 4], *q;
    s->row(&value, simt_row_at(w, s->source[0]), simt_row_at(w, s->source[1]), NULL);
    *p = (*p & ~mask) | (value & mask);
    if (s->insn->second == SIMT_PT)
        return;
    q = &w->predicate[s->insn->second];
    *q = (*q & ~mask) | (~value & mask);
}

/* ---- the loop ---- */

/* All but what changes where the warp is; false after a fault. */
static inline bool carry_out(struct simt_run *run, struct simt_warp *w, const struct simt_step *s,
                             uint32_t mask) {
    switch ((enum simt_kind)s->kind) {
    case SIMT_DO_ROW:
        do_row(run, w, s, mask, false);
        return true;
    case SIMT_DO_ROW_64:
        do_row(run, w, s, mask, true);
        return true;
    case SIMT_DO_TEST:
        do_test(w, s, mask);
        return true;
    case SIMT_DO_LOGIC:
        simt_logic(w, s, mask);
        return true;
    case SIMT_DO_LANES:
        simt_lanes(run, w, s, mask);
        return true;
    case SIMT_DO_MOVE:
        simt_move(run, w, s, mask);
        return true;
    case SIMT_DO_SPECIAL:
        simt_special(run, w, s, mask);
        return true;
    case SIMT_DO_ISSPACEP:
        simt_ask_space(run, w, s, mask);
        return true;
    case SIMT_DO_LOAD:
        return simt_load(run, w, s, mask);
    case SIMT_DO_STORE:
        return simt_store(run, w, s, mask);
    case SIMT_DO_ATOMIC:
        return simt_atomic(run, w, s, mask);
    case SIMT_DO_TOGETHER:
        return simt_together(run, w, s, mask);
    case SIMT_DO_TRAP:
        return simt_fault(run, w, (unsigned)__builtin_ctz(mask), simt_step_of(run, s), "trap");
    case SIMT_DO_BRANCH:
    case SIMT_DO_BARRIER:
    case SIMT_DO_EXIT:
    case SIMT_DO_NOTHING:
        break;
    }
    return true;
}

/* Lanes at work that the guard lets. */
static inline uint32_t guarded(const struct simt_warp *w, const struct simt_step *s,
                               uint32_t mask) {
    const uint32_t p = w->predicate[s->guard];
    return mask & (s->guard_not ? ~p : p);
}

static void branch(struct simt_warp *w, const struct simt_step *s, uint32_t taken) {
    struct simt_entry *top = &w->stack[w->depth - 1];
    if (!taken)
        top->pc++;
    else if (taken == top->mask)
        top->pc = s->target;
    else
        diverge(w, s, taken);
}

/* What changes where the warp is, or whether it works; false after a fault. */
static bool steer(struct simt_run *run, struct simt_warp *w, const struct simt_step *s,
                  uint32_t mask) {
    struct simt_entry *top = &w->stack[w->depth - 1];
    if (s->kind == SIMT_DO_BRANCH) {
        branch(w, s, mask);
    } else if (!mask) {
        top->pc++;
    } else if (s->kind == SIMT_DO_BARRIER) {
        return simt_barrier(run, w, s, mask);
    } else { /* SIMT_DO_EXIT */
        end_lanes(w, mask);
        top->pc++;
    }
    return true;
}

/* False: the warp has ended. */
static inline bool settle(struct simt_warp *w) {
    const struct simt_entry *top = &w->stack[w->depth - 1];
    while (!top->mask || top->pc == top->reconverge) {
        if (--w->depth == 0)
            return false;
        top--;
    }
    return true;
}

static inline bool is_steering(const struct simt_step *s) {
    return s->kind >= SIMT_DO_BRANCH && s->kind <= SIMT_DO_EXIT;
}

bool simt_warp_run(struct simt_run *run, struct simt_warp *w, uint64_t most) {
    const struct simt_step *steps = run->program->steps;
    uint64_t here = 0, counted = 0, back = 0;
    run->snapshot_valid = false;
    w->wait = SIMT_READY;
    while (w->wait == SIMT_READY) {
        if (!settle(w)) {
            w->wait = SIMT_DONE;
            break;
        }
        struct simt_entry *top = &w->stack[w->depth - 1];
        const uint32_t from = top->pc;
        const struct simt_step *s = &steps[from];
        uint32_t mask = guarded(w, s, top->mask);
        if (is_early(run, w, s, mask)) {
            if (let_others_come(w))
                continue;
            top = &w->stack[w->depth - 1];
            mask = guarded(w, s, top->mask);
        }
        w->steps++;
        here++;
        if (run->trace)
            simt_trace_step(run->trace, w->number, from, mask);
        if (!is_steering(s)) {
            if (mask && !carry_out(run, w, s, mask))
                return false;
            top->pc = from + 1;
        } else {
            if (!steer(run, w, s, mask))
                return false;
            if (run->watched && w->depth && w->stack[w->depth - 1].pc <= from &&
                spins(run, w, ++back))
                w->wait = SIMT_SPINNING;
        }
        if (w->steps % ASK_EVERY == 0) {
            run->steps += here - counted;
            counted = here;
            if (w->live && !may_go_on(run, w))
                return false;
            if (here >= most)
                break;
        }
    }
    run->steps += here - counted;
    return true;
}
