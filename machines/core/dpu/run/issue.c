/* SPDX-License-Identifier: MIT
 * The loop that gives a DPU's instructions their cycles.
 *
 *     pay:  cycles of instructions that were carried out ahead, while those are next
 *     pick: of the tasklets that may issue the one that has been ready for longest
 *     idle: the cycles until it is ready, by reason
 *     take: its instruction; in this cycle, or ahead of their cycles with those behind it
 *     back: into the queue; or into the set of those that wait for a transfer, or to be resumed
 *
 * What is carried out ahead nobody else sees (owners.c), so that cycles and memory are those of one
 * instruction after another. */
#include "machines/core/dpu/run/tasklets.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

/* ---- who is next ---- */

static inline struct dpu_tasklet *queued(struct dpu_core *core, uint32_t place) {
    return &core->tasklets[core->queue[place % 32]];
}
static inline void enqueue(struct dpu_core *core, struct dpu_tasklet *t) {
    core->queue[core->queue_end++ % 32] = t->id;
    core->filled += t->ahead != 0;
}
/* The tasklet that issues next; NULL: none can. */
static inline struct dpu_tasklet *pick(struct dpu_core *core) {
    struct dpu_tasklet *best = NULL;
    if (core->queue_begin != core->queue_end)
        best = queued(core, core->queue_begin);
    for (uint32_t rest = core->others; rest; rest &= rest - 1) {
        struct dpu_tasklet *t = &core->tasklets[__builtin_ctz(rest)];
        if (!best || t->ready < best->ready || (t->ready == best->ready && t < best))
            best = t;
    }
    return best;
}
static enum dpu_idle why_idle(const struct dpu_core *core) {
    return core->transfers ? DPU_IDLE_DMA : core->stopped ? DPU_IDLE_STOPPED : DPU_IDLE_INTERVAL;
}
static inline void take(struct dpu_core *core, const struct dpu_tasklet *t) {
    if (core->others >> t->id & 1) {
        core->others &= ~(1u << t->id);
        core->transfers &= ~(1u << t->id);
    } else {
        core->queue_begin++;
        core->filled -= t->ahead != 0;
    }
}

/* ---- cycles of what was carried out ahead ---- */

/* Before this cycle none but those in the queue may issue. */
static uint64_t undisturbed(const struct dpu_core *core) {
    uint64_t until = UINT64_MAX;
    for (uint32_t rest = core->others; rest; rest &= rest - 1) {
        uint64_t ready = core->tasklets[__builtin_ctz(rest)].ready;
        until = ready < until ? ready : until;
    }
    return until;
}
/* The queue's first has an instruction ahead, and issues it. */
static inline void pay_one(struct dpu_core *core, enum dpu_idle why) {
    struct dpu_tasklet *t = queued(core, core->queue_begin);
    uint64_t cycle = t->ready > core->clock ? t->ready : core->clock;
    core->counted.idle[why] += cycle - core->clock;
    core->clock = cycle + 1;
    core->instructions++;
    core->left--;
    t->ready = t->next = cycle + core->time.interval;
    t->ahead--;
    core->filled -= t->ahead == 0;
    core->queue[core->queue_end++ % 32] = core->queue[core->queue_begin++ % 32];
}
/* Where all in the queue have issued one after another, they do so again and again in the same way:
 * with `interval` of them and more without a gap, and fewer each `interval` after its last.  As
 * often as all have instructions ahead, and are ready before `until`; false: not once. */
static bool pay_rounds(struct dpu_core *core, uint32_t count, uint64_t until, enum dpu_idle why) {
    uint32_t least = UINT32_MAX;
    uint64_t interval = core->time.interval, period = count > interval ? count : interval;
    uint64_t first = queued(core, core->queue_begin)->ready;
    uint64_t last = queued(core, core->queue_end - 1)->ready;
    if (last + 1 != core->clock + interval || last >= until ||
        (last - first != count - 1 && last - first >= interval))
        return false;
    for (uint32_t i = core->queue_begin; i != core->queue_end; i++)
        least = queued(core, i)->ahead < least ? queued(core, i)->ahead : least;
    uint64_t rounds = (until - 1 - last) / period + 1;
    rounds = rounds < least ? rounds : least;
    for (uint32_t i = core->queue_begin; i != core->queue_end; i++) {
        struct dpu_tasklet *t = queued(core, i);
        t->ready += rounds * period;
        t->next = t->ready;
        t->ahead -= (uint32_t)rounds;
        core->filled -= t->ahead == 0;
    }
    core->clock += rounds * period;
    core->counted.idle[why] += rounds * (period - count);
    core->instructions += rounds * count;
    core->left -= rounds * count;
    return true;
}
/* Whether there were any. */
static bool pay(struct dpu_core *core) {
    uint32_t count = core->queue_end - core->queue_begin;
    uint64_t until = undisturbed(core), before = core->instructions;
    enum dpu_idle why = why_idle(core);
    while (core->filled) {
        const struct dpu_tasklet *first = queued(core, core->queue_begin);
        if (!first->ahead || first->ready >= until)
            break;
        if (core->filled < count || !pay_rounds(core, count, until, why))
            pay_one(core, why);
    }
    return core->instructions != before;
}

/* ---- the loop ---- */

static void pass_idle(struct dpu_core *core, uint64_t until) {
    core->counted.idle[why_idle(core)] += until - core->clock;
    core->clock = until;
}
static void tell(const struct dpu_core *core, const struct dpu_tasklet *t) {
    uint32_t pc = t->now.pc;
    const struct dpu_event event = {.cycle = core->clock,
                                    .tasklet = t->id,
                                    .pc = pc,
                                    .word = pc < core->room ? core->words[pc] : 0};
    core->watcher(core->context, &event);
}
/* All have stopped: which is the end if the tasklet that the host started is through.  Others may
 * wait for ever then: programs leave workers so, and silicon knows no difference. */
static bool finished(struct dpu_core *core) {
    struct dpu_tasklet *first = &core->tasklets[0];
    return !first->waits || dpu_stuck(core, first, DPU_FAULT_DEADLOCK, 0, 0);
}
/* Whether ahead of its time nothing can be seen: nobody watches, no code is changed, and the
 * watchdog is further than all can run ahead. */
static bool may_run_ahead(const struct dpu_core *core) {
    return !core->watcher && !core->overlays &&
           core->left > UINT64_C(2) * DPU_TASKLETS * DPU_IRAM_WORDS;
}
/* The tasklet's instruction of this cycle. */
static inline enum dpu_next issue(struct dpu_core *core, struct dpu_tasklet *t) {
    if (!t->ahead && !t->alone && may_run_ahead(core))
        dpu_run_ahead(core, t);
    if (t->ahead) {
        t->ahead--;
        return DPU_GOES_ON;
    }
    enum dpu_next next = dpu_single(core, t);
    t->alone = false;
    if (next == DPU_GOES_ON && may_run_ahead(core))
        dpu_run_ahead(core, t);
    return next;
}
static bool run(struct dpu_core *core) {
    for (;;) {
        if (core->filled && pay(core))
            continue;
        struct dpu_tasklet *t = pick(core);
        if (!t)
            return finished(core);
        if (t->ready > core->clock)
            pass_idle(core, t->ready);
        if (core->left == 0)
            return dpu_stuck(core, t, DPU_FAULT_WATCHDOG, 0, 0);
        if (core->watcher)
            tell(core, t);
        take(core, t);
        enum dpu_next next = issue(core, t);
        if (next == DPU_STUCK)
            return false;
        core->left--;
        core->instructions++;
        t->next = core->clock + core->time.interval;
        core->clock++;
        if (next == DPU_GOES_ON) {
            t->ready = t->next;
            enqueue(core, t);
        }
    }
}
bool dpu_core_run(struct dpu_core *core, uint64_t most_instructions) {
    core->trouble = (struct dpu_trouble){.fault = DPU_FINE};
    core->left = most_instructions;
    core->queue_begin = core->queue_end = 0;
    core->others = core->transfers = core->stopped = core->filled = 0;
    core->engine_milli = 0;
    memset(core->owners, DPU_NOBODYS, sizeof core->owners);
    for (uint32_t i = 0; i < DPU_TASKLETS; i++) {
        struct dpu_tasklet *t = &core->tasklets[i];
        t->running = t->waits = t->alone = false;
        t->next = 0; /* a launch is long after the last one */
        t->ran = t->ahead = 0;
    }
    struct dpu_undo *undo = xmalloc(sizeof *undo * DPU_TASKLETS * DPU_MOST_UNDO);
    for (uint32_t i = 0; i < DPU_TASKLETS; i++)
        core->tasklets[i].undo = undo + i * DPU_MOST_UNDO;
    core->tasklets[0].now.pc = 0;
    dpu_start(core, &core->tasklets[0], core->clock);
    bool fine = run(core);
    if (!fine)
        dpu_retreat_all(core);
    dpu_settle(core);
    free(undo);
    return fine;
}
