/* SPDX-License-Identifier: MIT
 * Instructions of one tasklet ahead of their cycles: those that have to do with its registers
 * alone, and loads and stores of words that nobody else accesses.
 *
 * Each instruction has a function that ends by calling that of the next one, which is a jump where
 * the compiler leaves calls out that are last.  What they hand on stays in the host's registers:
 * step; last result, of which only is asked whether it is 0; carry; and `origin`, from which steps
 * are as many further on as instructions were carried out: a jump moves it.  After a jump beyond
 * MOST_AHEAD it is enough.  Straight on, IRAM has an end. */
#include "machines/core/dpu/run/results.h"

#include <string.h>

#define MOST_AHEAD 512u

static inline void next(struct dpu_core *core, struct dpu_tasklet *t, struct dpu_step *s,
                        uintptr_t origin, uint32_t last, bool carry) {
    s->ahead(core, t, s, origin, last, carry);
}
/* Before that step. */
void dpu_ahead_stop(struct dpu_core *core, struct dpu_tasklet *t, struct dpu_step *s,
                    uintptr_t origin, uint32_t last, bool carry) {
    t->now.pc = (uint32_t)(s - core->steps);
    t->now.flags = (struct dpu_flags){last == 0, carry};
    t->ran = (uint32_t)(((uintptr_t)s - origin) / sizeof *s);
    core->edges[t->now.pc]--;
}
/* Jumps from s to another step. */
static inline void jump(struct dpu_core *core, struct dpu_tasklet *t, struct dpu_step *s,
                        struct dpu_step *to, uintptr_t origin, uint32_t last, bool carry) {
    s->taken++;
    origin += (uintptr_t)to - (uintptr_t)(s + 1);
    if ((uintptr_t)to - origin >= MOST_AHEAD * sizeof *s)
        dpu_ahead_stop(core, t, to, origin, last, carry);
    else
        next(core, t, to, origin, last, carry);
}
DPU_INLINE void register_op(struct dpu_core *core, struct dpu_tasklet *t, struct dpu_step *s,
                            uintptr_t origin, uint32_t last, bool carry, struct dpu_shape shape) {
    struct dpu_flags f = {last == 0, carry};
    bool jumps = dpu_compute(t->now.x, &f, s, shape);
    last = !f.zero;
    if (jumps)
        jump(core, t, s, &core->steps[s->pc], origin, last, f.carry);
    else
        next(core, t, s + 1, origin, last, f.carry);
}

/* ---- registers ---- */

#define ARGUMENTS                                                                                  \
    struct dpu_core *core, struct dpu_tasklet *t, struct dpu_step *s, uintptr_t origin,            \
        uint32_t last, bool carry
#define HANDLER(name, op, after, ask, wide)                                                        \
    static void name##_##op(ARGUMENTS) {                                                           \
        register_op(core, t, s, origin, last, carry,                                               \
                    (struct dpu_shape){DPU_OP_##op, after, ask, wide});                            \
    }
/* What is common has a function for itself, all else one for each operation. */
#define X(op, class)                                                                               \
    HANDLER(plain, op, DPU_AFTER_WRITE, DPU_ASK_FALSE, DPU_PLAIN)                                  \
    HANDLER(always, op, DPU_AFTER_JUMP, DPU_ASK_TRUE, DPU_PLAIN)                                   \
    HANDLER(on_z, op, DPU_AFTER_JUMP, DPU_ASK_Z, DPU_PLAIN)                                        \
    HANDLER(on_nz, op, DPU_AFTER_JUMP, DPU_ASK_NZ, DPU_PLAIN)                                      \
    HANDLER(full, op, s->after, s->ask, s->wide)
#define HIDDEN(op, class)
#include "machines/core/dpu/ops.def"
#undef X
/* Of comparisons. */
#define COMPARISONS(Y) Y(PL) Y(MI) Y(C) Y(NC) Y(LTS) Y(GES) Y(LES) Y(GTS) Y(LEU) Y(GTU)
#define Y(ask)         HANDLER(if_##ask, SUB, DPU_AFTER_JUMP, DPU_ASK_##ask, DPU_PLAIN)
COMPARISONS(Y)
#undef Y

enum { PLAIN, ALWAYS, ON_Z, ON_NZ, FULL, SHAPES };
static int shape_of(const struct dpu_step *s) {
    if (s->wide != DPU_PLAIN || s->after == DPU_AFTER_SET)
        return FULL;
    if (s->after == DPU_AFTER_WRITE)
        return PLAIN;
    return s->ask == DPU_ASK_TRUE ? ALWAYS
           : s->ask == DPU_ASK_Z  ? ON_Z
           : s->ask == DPU_ASK_NZ ? ON_NZ
                                  : FULL;
}
static dpu_ahead *register_handler(const struct dpu_step *s) {
    static dpu_ahead *const handlers[DPU_OPS][SHAPES] = {
#define X(op, class) [DPU_OP_##op] = {plain_##op, always_##op, on_z_##op, on_nz_##op, full_##op},
#include "machines/core/dpu/ops.def"
#undef X
    };
    static dpu_ahead *const comparisons[] = {
#define Y(ask) [DPU_ASK_##ask] = if_##ask##_SUB,
        COMPARISONS(Y)
#undef Y
    };
    int shape = shape_of(s);
    if (s->op == DPU_OP_SUB && shape == FULL && s->after == DPU_AFTER_JUMP &&
        s->wide == DPU_PLAIN && s->ask < sizeof comparisons / sizeof *comparisons &&
        comparisons[s->ask])
        return comparisons[s->ask];
    return handlers[s->op][shape];
}
/* Where it goes is known only now. */
static void call(ARGUMENTS) {
    uint32_t *x = t->now.x, to = (x[s->a] + x[s->b] + s->imm) & 0xffff;
    if (to >= core->room) {
        dpu_ahead_stop(core, t, s, origin, last, carry);
        return;
    }
    x[s->c] = (uint32_t)(s + 1 - core->steps);
    core->edges[to]++;
    jump(core, t, s, &core->steps[to], origin, last, carry);
}

/* ---- loads and stores ---- */

static inline bool reaches(uint32_t address, uint32_t bytes) {
    return !(address & ~((DPU_WRAM_BYTES - 1) & ~(bytes - 1)));
}
/* Of a load or store whose word is not known to be its tasklet's: carries it out if it may be. */
static __attribute__((noinline)) void ask_first(ARGUMENTS) {
    uint32_t address = t->now.x[s->a] + s->imm;
    if (reaches(address, dpu_access_bytes(s->op)) &&
        dpu_own_ahead(core, t, address / 8, dpu_op_class(s->op) == DPU_STORE))
        next(core, t, s, origin, last, carry);
    else
        dpu_ahead_stop(core, t, s, origin, last, carry);
}
DPU_INLINE void load(ARGUMENTS, enum dpu_op op, enum dpu_wide wide, bool big) {
    uint32_t bytes = dpu_access_bytes(op), address = t->now.x[s->a] + s->imm;
    uint8_t owner = core->owners[address / 8 % DPU_WRAM_WORDS];
    if (!reaches(address, bytes) || ((owner & ~DPU_READ) != t->id && owner != DPU_READ_BY_MANY)) {
        ask_first(core, t, s, origin, last, carry);
        return;
    }
    uint64_t value = dpu_ordered(dpu_get(core->wram + address, bytes), bytes, big);
    dpu_loaded(t->now.x, s, op, wide, value);
    next(core, t, s + 1, origin, last, carry);
}
DPU_INLINE void store(ARGUMENTS, enum dpu_op op, bool big) {
    uint32_t bytes = dpu_access_bytes(op), address = t->now.x[s->a] + s->imm;
    struct dpu_undo *undone = t->undone;
    if (undone == t->undo + DPU_MOST_UNDO) {
        dpu_ahead_stop(core, t, s, origin, last, carry);
        return;
    }
    if (!reaches(address, bytes) || core->owners[address / 8] != t->id) {
        ask_first(core, t, s, origin, last, carry);
        return;
    }
    undone->word = address / 8;
    memcpy(&undone->old, core->wram + (address & ~7u), 8);
    t->undone = undone + 1;
    dpu_put(core->wram + address, dpu_ordered(dpu_stored(t->now.x, s, op, t->id), bytes, big),
            bytes);
    next(core, t, s + 1, origin, last, carry);
}
#define LOADS(Y)  Y(LBS) Y(LBU) Y(LHS) Y(LHU) Y(LW) Y(LD)
#define STORES(Y) Y(SB) Y(SH) Y(SW) Y(SD) Y(SB_ID) Y(SH_ID) Y(SW_ID) Y(SD_ID)
#define Y(op)                                                                                      \
    static void little_##op(ARGUMENTS) {                                                           \
        load(core, t, s, origin, last, carry, DPU_OP_##op, DPU_PLAIN, false);                      \
    }                                                                                              \
    static void any_##op(ARGUMENTS) {                                                              \
        load(core, t, s, origin, last, carry, DPU_OP_##op, s->wide, s->big);                       \
    }
LOADS(Y)
#undef Y
#define Y(op)                                                                                      \
    static void little_##op(ARGUMENTS) {                                                           \
        store(core, t, s, origin, last, carry, DPU_OP_##op, false);                                \
    }                                                                                              \
    static void any_##op(ARGUMENTS) {                                                              \
        store(core, t, s, origin, last, carry, DPU_OP_##op, s->big);                               \
    }
STORES(Y)
#undef Y
static dpu_ahead *access_handler(const struct dpu_step *s) {
    static dpu_ahead *const handlers[DPU_OPS][2] = {
#define Y(op) [DPU_OP_##op] = {little_##op, any_##op},
        LOADS(Y) STORES(Y)
#undef Y
    };
    return handlers[s->op][s->wide != DPU_PLAIN || s->big];
}

/* ---- all ---- */

dpu_ahead *dpu_ahead_of(const struct dpu_step *s) {
    if (s->op == DPU_OPS || (s->after == DPU_AFTER_JUMP && s->pc >= DPU_IRAM_WORDS))
        return dpu_ahead_stop;
    if (dpu_access_bytes(s->op))
        return access_handler(s);
    if (!s->quiet)
        return dpu_ahead_stop;
    return s->op == DPU_OP_CALL ? call : register_handler(s);
}
void dpu_run_ahead(struct dpu_core *core, struct dpu_tasklet *t) {
    t->alone = true;
    if (t->now.pc >= core->room)
        return;
    struct dpu_step *s = &core->steps[t->now.pc];
    if (s->ahead == dpu_ahead_stop)
        return;
    t->kept = t->now;
    t->undone = t->undo;
    core->edges[t->now.pc]++;
    s->ahead(core, t, s, (uintptr_t)s, !t->now.flags.zero, t->now.flags.carry);
    t->ahead = t->ran;
    t->alone = t->ran == 0;
}
/* What flows into a step is what flows out of the one before it, but for jumps. */
void dpu_settle(struct dpu_core *core) {
    uint64_t flow = 0;
    for (uint32_t i = 0; i < core->code; i++)
        if (core->steps[i].taken && core->steps[i].op != DPU_OP_CALL)
            core->edges[core->steps[i].pc] += (int64_t)core->steps[i].taken;
    for (uint32_t i = 0; i < core->code; i++) {
        flow += (uint64_t)core->edges[i];
        core->executed[i] += flow;
        flow -= core->steps[i].taken;
        core->steps[i].taken = 0;
    }
    memset(core->edges, 0, (core->code + 1) * sizeof *core->edges);
}
