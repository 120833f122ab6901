/* SPDX-License-Identifier: MIT
 * One instruction in its cycle, whatever it is. */
#include "machines/core/dpu/run/results.h"

bool dpu_stuck(struct dpu_core *core, const struct dpu_tasklet *t, enum dpu_fault fault,
               uint32_t address, uint32_t bytes) {
    core->trouble = (struct dpu_trouble){
        .fault = fault, .tasklet = t->id, .pc = t->now.pc, .address = address, .bytes = bytes};
    return false;
}

/* ---- registers ---- */

static struct dpu_shape shape_of(const struct dpu_step *s) {
    return (struct dpu_shape){s->op, s->after, s->ask, s->wide};
}
static void quiet(struct dpu_registers *r, const struct dpu_step *s) {
    if (s->op == DPU_OP_CALL) {
        uint32_t to = r->x[s->a] + r->x[s->b] + s->imm;
        r->x[s->c] = r->pc + 1;
        r->pc = to & 0xffff;
        return;
    }
    bool jumps = dpu_compute(r->x, &r->flags, s, shape_of(s));
    r->pc = jumps ? s->pc : r->pc + 1;
}

/* ---- WRAM ---- */

static bool reaches(struct dpu_core *core, const struct dpu_tasklet *t, uint32_t address,
                    uint32_t bytes) {
    if (address > DPU_WRAM_BYTES - bytes)
        return dpu_stuck(core, t, DPU_FAULT_ADDRESS, address, bytes);
    if (address & (bytes - 1))
        return dpu_stuck(core, t, DPU_FAULT_ALIGNMENT, address, bytes);
    return true;
}
static bool is_store(const struct dpu_step *s) {
    return dpu_op_class(s->op) == DPU_STORE;
}
/* Where it may be done. */
static void access_at(struct dpu_core *core, struct dpu_tasklet *t, const struct dpu_step *s,
                      uint32_t address, uint32_t bytes) {
    uint32_t *x = t->now.x;
    uint8_t *at = core->wram + address;
    if (is_store(s))
        dpu_put(at, dpu_ordered(dpu_stored(x, s, s->op, t->id), bytes, s->big), bytes);
    else
        dpu_loaded(x, s, s->op, s->wide, dpu_ordered(dpu_get(at, bytes), bytes, s->big));
    t->now.pc++;
}
static bool access_wram(struct dpu_core *core, struct dpu_tasklet *t, const struct dpu_step *s,
                        uint32_t bytes) {
    uint32_t address = t->now.x[s->a] + s->imm;
    if (!reaches(core, t, address, bytes))
        return false;
    if (core->owners[address / 8] != t->id)
        dpu_own(core, t, address / 8, is_store(s));
    access_at(core, t, s, address, bytes);
    return true;
}
void dpu_replay(struct dpu_core *core, struct dpu_tasklet *t, uint32_t count, uint64_t by) {
    while (count--) {
        const struct dpu_step *s = &core->steps[t->now.pc];
        core->executed[t->now.pc] += by;
        if (s->quiet)
            quiet(&t->now, s);
        else
            access_at(core, t, s, t->now.x[s->a] + s->imm, dpu_access_bytes(s->op));
    }
}

/* ---- transfers ---- */

static void own_words(struct dpu_core *core, const struct dpu_tasklet *t, uint32_t near,
                      uint32_t bytes, bool write) {
    for (uint32_t word = near / 8; word < (near + bytes) / 8; word++)
        if (core->owners[word] != t->id)
            dpu_own(core, t, word, write);
}
static bool move_code(struct dpu_core *core, const struct dpu_tasklet *t, uint32_t near,
                      uint32_t mram, uint32_t at, uint32_t bytes) {
    uint8_t words[2048];
    if (near / 8 + bytes / 8 > DPU_IRAM_WORDS)
        return dpu_stuck(core, t, DPU_FAULT_DMA_IRAM, near, bytes);
    if (!dpu_core_mram_copy(core, at, words, bytes, false))
        return dpu_stuck(core, t, DPU_FAULT_DMA_MRAM, mram, bytes);
    for (uint32_t i = 0; i < bytes / 8; i++) {
        core->words[near / 8 + i] = dpu_get(words + 8 * i, 8);
        core->steps[near / 8 + i] = dpu_step_of(core->words[near / 8 + i]);
    }
    return true;
}
static bool move_bytes(struct dpu_core *core, const struct dpu_tasklet *t, enum dpu_op op,
                       uint32_t near, uint32_t mram, uint32_t bytes) {
    uint32_t at = mram - (mram >= DPU_AT_MRAM ? DPU_AT_MRAM : 0);
    if (op == DPU_OP_LDMAI)
        return move_code(core, t, near, mram, at, bytes);
    if (near > DPU_WRAM_BYTES - bytes)
        return dpu_stuck(core, t, DPU_FAULT_DMA_WRAM, near, bytes);
    own_words(core, t, near, bytes, op == DPU_OP_LDMA);
    if (!dpu_core_mram_copy(core, at, core->wram + near, bytes, op == DPU_OP_SDMA))
        return dpu_stuck(core, t, DPU_FAULT_DMA_MRAM, mram, bytes);
    return true;
}
static uint64_t whole(uint64_t milli) {
    return (milli + 999) / 1000;
}
/* The tasklet waits from this cycle on. */
static bool transfer(struct dpu_core *core, struct dpu_tasklet *t, const struct dpu_step *s) {
    const struct dpu_time *time = &core->time;
    uint64_t now = core->clock;
    uint32_t a = t->now.x[s->a], bytes = (1 + ((s->imm + (a >> 24)) & 255)) * 8;
    bool out = s->op == DPU_OP_SDMA; /* code may be moved over the step itself */
    if (!move_bytes(core, t, s->op, a & 0xfffff8, t->now.x[s->b] & ~UINT32_C(7), bytes))
        return false;
    uint64_t begin = now * 1000 > core->engine_milli ? now * 1000 : core->engine_milli;
    core->engine_milli = begin + time->busy_milli + (uint64_t)time->busy_byte_milli * bytes;
    t->ready = whole(begin + (out ? time->write_milli : time->read_milli) +
                     (uint64_t)time->byte_milli * bytes);
    if (t->ready < now + time->interval)
        t->ready = now + time->interval;
    *(out ? &core->counted.written_bytes : &core->counted.read_bytes) += bytes;
    *(out ? &core->counted.writes : &core->counted.reads) += 1;
    core->others |= 1u << t->id;
    core->transfers |= 1u << t->id;
    t->now.pc++;
    return true;
}

/* ---- tasklets ---- */

void dpu_start(struct dpu_core *core, struct dpu_tasklet *t, uint64_t from) {
    t->running = true;
    t->waits = false;
    t->ready = from > t->next ? from : t->next;
    core->others |= 1u << t->id;
    core->stopped &= ~(1u << t->id);
}
/* boot, resume: 0 if it stood still, and goes on from the next cycle. */
static bool wake(struct dpu_core *core, const struct dpu_tasklet *t, const struct dpu_step *s,
                 uint32_t *result) {
    uint32_t number = t->now.x[s->a] + s->imm;
    if (number >= DPU_TASKLETS)
        return dpu_stuck(core, t, DPU_FAULT_TASKLET, number, 0);
    struct dpu_tasklet *other = &core->tasklets[number];
    *result = other->running;
    if (*result)
        return true;
    if (s->op == DPU_OP_BOOT)
        other->now.pc = 0;
    dpu_start(core, other, core->clock + 1);
    return true;
}
static enum dpu_next stop(struct dpu_core *core, struct dpu_tasklet *t, const struct dpu_step *s) {
    if (s->ask != DPU_ASK_TRUE && s->ask != DPU_ASK_FALSE) {
        dpu_stuck(core, t, DPU_FAULT_UNKNOWN, 0, 0); /* it has no result that others could ask */
        return DPU_STUCK;
    }
    t->running = false;
    t->waits = s->ask != DPU_ASK_TRUE || s->pc != t->now.pc;
    t->now.pc = s->ask == DPU_ASK_TRUE ? s->pc : t->now.pc + 1;
    core->stopped |= 1u << t->id;
    return DPU_STOPS;
}

/* ---- the performance counter ---- */

static uint64_t counted(const struct dpu_core *core) {
    return core->counting == 1 ? core->clock : core->counting == 2 ? core->instructions : 0;
}
static uint64_t count(const struct dpu_core *core) {
    return core->counting == 1 || core->counting == 2 ? counted(core) - core->count_from
                                                      : core->count_kept;
}
/* Bit 0: from 0 on; bits 1 and 2: 0 counts what it did, 1 cycles, 2 instructions, 3 nothing. */
static void configure(struct dpu_core *core, uint32_t how) {
    uint64_t value = how & 1 ? 0 : count(core);
    if (how >> 1 & 3)
        core->counting = how >> 1 & 3;
    core->count_from = counted(core) - value;
    core->count_kept = value;
}
static void read_count(struct dpu_core *core, struct dpu_tasklet *t, const struct dpu_step *s) {
    uint32_t value = (uint32_t)(count(core) >> 4);
    if (s->op == DPU_OP_TIME_CFG)
        configure(core, t->now.x[s->b]);
    dpu_write(t->now.x, s, s->wide, value);
    t->now.pc = s->after == DPU_AFTER_JUMP ? s->pc : t->now.pc + 1;
}

/* ---- all ---- */

/* What an instruction does that has no result with flags. */
static enum dpu_next other(struct dpu_core *core, struct dpu_tasklet *t, const struct dpu_step *s) {
    switch ((enum dpu_op)s->op) {
    case DPU_OP_LDMA:
    case DPU_OP_LDMAI:
    case DPU_OP_SDMA:
        return transfer(core, t, s) ? DPU_IN_TRANSFER : DPU_STUCK;
    case DPU_OP_TIME:
    case DPU_OP_TIME_CFG:
        read_count(core, t, s);
        return DPU_GOES_ON;
    case DPU_OP_STOP:
        return stop(core, t, s);
    case DPU_OP_BKP:
        dpu_stuck(core, t, DPU_FAULT_BREAKPOINT, 0, 0);
        return DPU_STUCK;
    case DPU_OP_FAULT:
        dpu_stuck(core, t, DPU_FAULT_PROGRAM, s->imm, 0);
        return DPU_STUCK;
    case DPU_OPS:
        dpu_stuck(core, t, DPU_FAULT_PC, 0, 0);
        return DPU_STUCK;
    default:
        dpu_stuck(core, t, DPU_FAULT_UNKNOWN, 0, 0);
        return DPU_STUCK;
    }
}
enum dpu_next dpu_single(struct dpu_core *core, struct dpu_tasklet *t) {
    if (t->now.pc >= core->room) {
        dpu_stuck(core, t, DPU_FAULT_PC, 0, 0);
        return DPU_STUCK;
    }
    const struct dpu_step *s = &core->steps[t->now.pc];
    struct dpu_outcome o = {0};
    uint32_t bytes = dpu_access_bytes(s->op), a = t->now.x[s->a];
    core->executed[t->now.pc]++;
    if (s->quiet) {
        quiet(&t->now, s);
        return DPU_GOES_ON;
    }
    if (bytes)
        return access_wram(core, t, s, bytes) ? DPU_GOES_ON : DPU_STUCK;
    switch ((enum dpu_op)s->op) {
    case DPU_OP_ACQUIRE:
        o.result = core->atomic[(a + s->imm) & 255];
        core->atomic[(a + s->imm) & 255] = true;
        break;
    case DPU_OP_RELEASE: /* always jumps */
        core->atomic[(a + s->imm) & 255] = false;
        o.result = 1;
        break;
    case DPU_OP_BOOT:
    case DPU_OP_RESUME:
        if (!wake(core, t, s, &o.result))
            return DPU_STUCK;
        break;
    default:
        return other(core, t, s);
    }
    bool jumps = dpu_finish(t->now.x, &t->now.flags, s, shape_of(s), &o, a, 0);
    t->now.pc = jumps ? s->pc : t->now.pc + 1;
    return DPU_GOES_ON;
}
