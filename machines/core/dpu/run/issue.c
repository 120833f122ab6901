/* SPDX-License-Identifier: MIT
 * The loop that carries a DPU's instructions out.
 *
 *     pick: of the tasklets that may issue the one that has been ready for longest
 *     idle: the cycles until it is ready, by reason
 *     step: its instruction; a result goes to `finish`, which writes it and asks the condition
 *     back: into the queue; or into the set of those that wait for a transfer, or to be resumed
 */
#include "machines/core/dpu/run/tasklets.h"

#include <string.h>

/* ---- results ---- */

struct dpu_outcome {
    uint32_t result, left, right; /* of a sum or difference */
    bool carry, in;               /* in: the carry that it took */
};

/* As if words had all bits: left - right - in. */
static int64_t signed_rest(const struct dpu_outcome *o) {
    return (int64_t)(int32_t)o->left - (int32_t)o->right - o->in;
}
static int64_t unsigned_rest(const struct dpu_outcome *o) {
    return (int64_t)o->left - o->right - o->in;
}
static bool overflows(enum dpu_op op, const struct dpu_outcome *o) {
    uint32_t differ = o->left ^ o->right;
    if (op == DPU_OP_ADD || op == DPU_OP_ADDC)
        differ = ~differ;
    return (differ & (o->left ^ o->result)) >> 31;
}
/* A carry out of bit n of a sum. */
static bool carries(const struct dpu_outcome *o, uint32_t n) {
    uint64_t mask = (UINT64_C(2) << n) - 1;
    return ((o->left & mask) + (o->right & mask) + o->in) >> (n + 1);
}
static __attribute__((noinline)) bool asked(const struct dpu_step *s, struct dpu_outcome o,
                                            uint32_t a, uint32_t b, bool zero) {
    uint32_t r = o.result;
    switch ((enum dpu_ask)s->ask) {
    case DPU_ASK_FALSE:
        return false;
    case DPU_ASK_TRUE:
        return true;
    case DPU_ASK_Z:
        return r == 0;
    case DPU_ASK_NZ:
        return r != 0;
    case DPU_ASK_XZ:
        return r == 0 && zero;
    case DPU_ASK_XNZ:
        return !(r == 0 && zero);
    case DPU_ASK_PL:
        return !(r >> 31);
    case DPU_ASK_MI:
        return r >> 31;
    case DPU_ASK_SZ:
        return a == 0;
    case DPU_ASK_SNZ:
        return a != 0;
    case DPU_ASK_SPL:
        return !(a >> 31);
    case DPU_ASK_SMI:
        return a >> 31;
    case DPU_ASK_OV:
        return overflows(s->op, &o);
    case DPU_ASK_NOV:
        return !overflows(s->op, &o);
    case DPU_ASK_C:
        return o.carry;
    case DPU_ASK_NC:
        return !o.carry;
    case DPU_ASK_NC5:
    case DPU_ASK_NC6:
    case DPU_ASK_NC7:
    case DPU_ASK_NC8:
    case DPU_ASK_NC9:
    case DPU_ASK_NC10:
    case DPU_ASK_NC11:
    case DPU_ASK_NC12:
    case DPU_ASK_NC13:
    case DPU_ASK_NC14:
        return !carries(&o, 5u + s->ask - DPU_ASK_NC5);
    case DPU_ASK_LTS:
        return signed_rest(&o) < 0;
    case DPU_ASK_GES:
        return signed_rest(&o) >= 0;
    case DPU_ASK_LES:
        return signed_rest(&o) <= 0;
    case DPU_ASK_GTS:
        return signed_rest(&o) > 0;
    case DPU_ASK_LEU:
        return unsigned_rest(&o) <= 0;
    case DPU_ASK_GTU:
        return unsigned_rest(&o) > 0;
    case DPU_ASK_XLES:
        return signed_rest(&o) < 0 || (r == 0 && zero);
    case DPU_ASK_XGTS:
        return !(signed_rest(&o) < 0 || (r == 0 && zero));
    case DPU_ASK_XLEU:
        return o.carry || (r == 0 && zero);
    case DPU_ASK_XGTU:
        return !(o.carry || (r == 0 && zero));
    case DPU_ASK_MAX:
        return r == 32;
    case DPU_ASK_NMAX:
        return r != 32;
    case DPU_ASK_E:
        return !(r & 1);
    case DPU_ASK_O:
        return r & 1;
    case DPU_ASK_SE:
        return !(a & 1);
    case DPU_ASK_SO:
        return a & 1;
    case DPU_ASK_NSH32:
        return !(b & 32);
    case DPU_ASK_SH32:
        return b & 32;
    case DPU_ASK_SMALL:
        return !((a | b) & 0xff00);
    case DPU_ASK_LARGE:
        return (a | b) & 0xff00;
    }
    return false;
}

static inline void write(struct dpu_tasklet *t, const struct dpu_step *s, uint32_t r) {
    if (s->wide == DPU_PLAIN) {
        t->x[s->c] = r;
        return;
    }
    t->x[s->c] = s->wide == DPU_SIGNED && r >> 31 ? UINT32_MAX : 0;
    t->x[s->c + 1] = r;
}

/* ---- arithmetic ---- */

static inline uint32_t rotated(uint32_t value, uint32_t by) {
    return value << (by & 31) | value >> (-by & 31);
}
static inline uint32_t leading_zeros(uint32_t value) {
    return value ? (uint32_t)__builtin_clz(value) : 32;
}
static uint32_t equal_bytes(uint32_t a, uint32_t b) {
    uint32_t out = 0;
    for (uint32_t i = 0; i < 32; i += 8)
        out |= (uint32_t)((a >> i & 255) == (b >> i & 255)) << i;
    return out;
}
static inline uint32_t product(int32_t a, int32_t b) {
    return (uint32_t)(a * b); /* of bytes */
}
#define SL(v) ((int32_t)(int8_t)(v))
#define SH(v) ((int32_t)(int8_t)((v) >> 8))
#define UL(v) ((int32_t)((v)&255))
#define UH(v) ((int32_t)((v) >> 8 & 255))

/* ---- memory ---- */

static bool stuck(struct dpu_core *core, uint32_t tasklet, enum dpu_fault fault, uint32_t address,
                  uint32_t bytes) {
    core->trouble = (struct dpu_trouble){.fault = fault,
                                         .tasklet = tasklet,
                                         .pc = core->tasklets[tasklet].pc,
                                         .address = address,
                                         .bytes = bytes};
    return false;
}
static inline bool reaches(struct dpu_core *core, uint32_t tasklet, uint32_t address,
                           uint32_t bytes) {
    if (address > DPU_WRAM_BYTES - bytes)
        return stuck(core, tasklet, DPU_FAULT_ADDRESS, address, bytes);
    if (address & (bytes - 1))
        return stuck(core, tasklet, DPU_FAULT_ALIGNMENT, address, bytes);
    return true;
}
/* Little-endian, whatever the host is. */
static inline uint64_t get(const uint8_t *at, uint32_t bytes) {
    uint64_t value = 0;
    for (uint32_t i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}
static inline void put(uint8_t *at, uint64_t value, uint32_t bytes) {
    for (uint32_t i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}
static inline uint64_t ordered(uint64_t value, uint32_t bytes, bool big) {
    return big ? __builtin_bswap64(value) >> (64 - 8 * bytes) : value;
}
static inline bool load(struct dpu_core *core, uint32_t tasklet, const struct dpu_step *s,
                        uint32_t bytes, uint64_t *value) {
    uint32_t address = core->tasklets[tasklet].x[s->a] + s->imm;
    if (!reaches(core, tasklet, address, bytes))
        return false;
    *value = ordered(get(core->wram + address, bytes), bytes, s->big);
    return true;
}
static inline bool store(struct dpu_core *core, uint32_t tasklet, const struct dpu_step *s,
                         uint32_t bytes, uint64_t value) {
    uint32_t address = core->tasklets[tasklet].x[s->a] + s->imm;
    if (!reaches(core, tasklet, address, bytes))
        return false;
    put(core->wram + address, ordered(value, bytes, s->big), bytes);
    return true;
}

/* ---- transfers ---- */

static bool move_bytes(struct dpu_core *core, uint32_t tasklet, enum dpu_op op, uint32_t near,
                       uint32_t mram, uint32_t bytes) {
    uint8_t words[2048];
    if (op == DPU_OP_LDMAI) {
        if (near / 8 + bytes / 8 > DPU_IRAM_WORDS)
            return stuck(core, tasklet, DPU_FAULT_DMA_IRAM, near, bytes);
    } else if (near > DPU_WRAM_BYTES - bytes) {
        return stuck(core, tasklet, DPU_FAULT_DMA_WRAM, near, bytes);
    }
    uint32_t at = mram - (mram >= DPU_AT_MRAM ? DPU_AT_MRAM : 0);
    uint8_t *with = op == DPU_OP_LDMAI ? words : core->wram + near;
    if (!dpu_core_mram_copy(core, at, with, bytes, op == DPU_OP_SDMA))
        return stuck(core, tasklet, DPU_FAULT_DMA_MRAM, mram, bytes);
    for (uint32_t i = 0; op == DPU_OP_LDMAI && i < bytes / 8; i++) {
        core->words[near / 8 + i] = get(words + 8 * i, 8);
        core->steps[near / 8 + i] = dpu_step_of(core->words[near / 8 + i]);
    }
    return true;
}
static uint64_t whole(uint64_t milli) {
    return (milli + 999) / 1000;
}
/* The tasklet waits from this cycle on. */
static bool transfer(struct dpu_core *core, uint32_t tasklet, const struct dpu_step *s,
                     uint64_t now) {
    struct dpu_tasklet *t = &core->tasklets[tasklet];
    const struct dpu_time *time = &core->time;
    uint32_t a = t->x[s->a], bytes = (1 + ((s->imm + (a >> 24)) & 255)) * 8;
    bool out = s->op == DPU_OP_SDMA; /* code may be moved over the step itself */
    if (!move_bytes(core, tasklet, s->op, a & 0xfffff8, t->x[s->b] & ~UINT32_C(7), bytes))
        return false;
    uint64_t begin = now * 1000 > core->engine_milli ? now * 1000 : core->engine_milli;
    core->engine_milli = begin + time->busy_milli + (uint64_t)time->busy_byte_milli * bytes;
    t->ready = whole(begin + (out ? time->write_milli : time->read_milli) +
                     (uint64_t)time->byte_milli * bytes);
    if (t->ready < now + time->interval)
        t->ready = now + time->interval;
    *(out ? &core->counted.written_bytes : &core->counted.read_bytes) += bytes;
    *(out ? &core->counted.writes : &core->counted.reads) += 1;
    core->others |= 1u << tasklet;
    core->transfers |= 1u << tasklet;
    return true;
}

/* ---- tasklets ---- */

static void start(struct dpu_core *core, uint32_t tasklet, uint64_t from) {
    struct dpu_tasklet *t = &core->tasklets[tasklet];
    t->running = true;
    t->waits = false;
    t->ready = from > t->next ? from : t->next;
    core->others |= 1u << tasklet;
    core->stopped &= ~(1u << tasklet);
}
/* boot, resume: 0 if it stood still, and goes on from the next cycle. */
static bool wake(struct dpu_core *core, uint32_t tasklet, const struct dpu_step *s, uint64_t now,
                 uint32_t *result) {
    uint32_t number = core->tasklets[tasklet].x[s->a] + s->imm;
    if (number >= DPU_TASKLETS)
        return stuck(core, tasklet, DPU_FAULT_TASKLET, number, 0);
    *result = core->tasklets[number].running;
    if (*result)
        return true;
    if (s->op == DPU_OP_BOOT)
        core->tasklets[number].pc = 0;
    start(core, number, now + 1);
    return true;
}

/* ---- the performance counter ---- */

static uint64_t counted(const struct dpu_core *core, uint64_t now) {
    return core->counting == 1 ? now : core->counting == 2 ? core->instructions : 0;
}
static uint64_t count(const struct dpu_core *core, uint64_t now) {
    return core->counting == 1 || core->counting == 2 ? counted(core, now) - core->count_from
                                                      : core->count_kept;
}
/* Bit 0: from 0 on; bits 1 and 2: 0 counts what it did, 1 cycles, 2 instructions, 3 nothing. */
static void configure(struct dpu_core *core, uint32_t how, uint64_t now) {
    uint64_t value = how & 1 ? 0 : count(core, now);
    if (how >> 1 & 3)
        core->counting = how >> 1 & 3;
    core->count_from = counted(core, now) - value;
    core->count_kept = value;
}

/* ---- one instruction ---- */

enum next { GOES_ON, STOPS, IN_TRANSFER, STUCK };

/* What an instruction does that has no result with flags. */
static enum next other(struct dpu_core *core, uint32_t tasklet, const struct dpu_step *s,
                       uint64_t now) {
    struct dpu_tasklet *t = &core->tasklets[tasklet];
    uint32_t *x = t->x, pc = t->pc + 1, low;
    uint64_t value;
    switch ((enum dpu_op)s->op) {
#define LOAD(op, bytes, type)                                                                      \
    case op:                                                                                       \
        if (!load(core, tasklet, s, bytes, &value))                                                \
            return STUCK;                                                                          \
        write(t, s, (uint32_t)(type)value);                                                        \
        break;
        LOAD(DPU_OP_LBS, 1, int8_t)
        LOAD(DPU_OP_LBU, 1, uint8_t)
        LOAD(DPU_OP_LHS, 2, int16_t)
        LOAD(DPU_OP_LHU, 2, uint16_t)
        LOAD(DPU_OP_LW, 4, uint32_t)
    case DPU_OP_LD:
        if (!load(core, tasklet, s, 8, &value))
            return STUCK;
        x[s->c] = (uint32_t)(value >> 32);
        x[s->c + 1] = (uint32_t)value;
        break;
#define STORE(op, bytes, what)                                                                     \
    case op:                                                                                       \
        if (!store(core, tasklet, s, bytes, what))                                                 \
            return STUCK;                                                                          \
        break;
        STORE(DPU_OP_SB, 1, x[s->b] | s->value)
        STORE(DPU_OP_SH, 2, x[s->b] | s->value)
        STORE(DPU_OP_SW, 4, x[s->b] | s->value)
        STORE(DPU_OP_SD, 8,
              s->b == 24 ? (uint64_t)(int64_t)(int32_t)s->value
                         : (uint64_t)x[s->b] << 32 | x[s->b + 1])
        STORE(DPU_OP_SB_ID, 1, tasklet | s->value)
        STORE(DPU_OP_SH_ID, 2, tasklet | s->value)
        STORE(DPU_OP_SW_ID, 4, tasklet | s->value)
        STORE(DPU_OP_SD_ID, 8, tasklet | (uint64_t)(int64_t)(int32_t)s->value)
    case DPU_OP_LDMA:
    case DPU_OP_LDMAI:
    case DPU_OP_SDMA:
        if (!transfer(core, tasklet, s, now))
            return STUCK;
        t->pc = pc;
        return IN_TRANSFER;
    case DPU_OP_TIME:
    case DPU_OP_TIME_CFG:
        low = (uint32_t)(count(core, now) >> 4);
        if (s->op == DPU_OP_TIME_CFG)
            configure(core, x[s->b], now);
        write(t, s, low);
        if (s->after == DPU_AFTER_JUMP)
            pc = s->pc;
        break;
    case DPU_OP_STOP: /* it has no result that other conditions could ask */
        if (s->ask != DPU_ASK_TRUE && s->ask != DPU_ASK_FALSE) {
            stuck(core, tasklet, DPU_FAULT_UNKNOWN, 0, 0);
            return STUCK;
        }
        t->running = false;
        t->waits = s->ask != DPU_ASK_TRUE || s->pc != t->pc;
        t->pc = s->ask == DPU_ASK_TRUE ? s->pc : pc;
        core->stopped |= 1u << tasklet;
        return STOPS;
    case DPU_OP_BKP:
        stuck(core, tasklet, DPU_FAULT_BREAKPOINT, 0, 0);
        return STUCK;
    case DPU_OP_FAULT:
        stuck(core, tasklet, DPU_FAULT_PROGRAM, s->imm, 0);
        return STUCK;
    case DPU_OPS:
        stuck(core, tasklet, DPU_FAULT_PC, 0, 0);
        return STUCK;
    default:
        stuck(core, tasklet, DPU_FAULT_UNKNOWN, 0, 0);
        return STUCK;
    }
    t->pc = pc;
    return GOES_ON;
}

/* Of what most jumps ask here, and all else in asked(). */
static inline bool holds(const struct dpu_step *s, const struct dpu_outcome *o, uint32_t a,
                         uint32_t b, bool zero) {
    switch ((enum dpu_ask)s->ask) {
    case DPU_ASK_TRUE:
        return true;
    case DPU_ASK_Z:
        return o->result == 0;
    case DPU_ASK_NZ:
        return o->result != 0;
    case DPU_ASK_C:
        return o->carry;
    case DPU_ASK_NC:
        return !o->carry;
    default:
        return asked(s, *o, a, b, zero);
    }
}
/* Writes a result, sets flags, and goes on or jumps. */
static inline void finish(struct dpu_tasklet *t, const struct dpu_step *s,
                          const struct dpu_outcome *o, uint32_t a, uint32_t b) {
    bool zero = t->zero;
    t->zero = o->result == 0;
    t->carry = o->carry;
    t->pc++;
    if (s->after == DPU_AFTER_WRITE) {
        write(t, s, o->result);
        return;
    }
    bool yes = holds(s, o, a, b, zero);
    write(t, s, s->after == DPU_AFTER_SET ? yes : o->result);
    if (s->after == DPU_AFTER_JUMP && yes)
        t->pc = s->pc;
}

/* One that has to do with its tasklet's registers alone, and cannot fail. */
static inline void compute(struct dpu_tasklet *t, const struct dpu_step *s) {
    uint32_t a = t->x[s->a], b = t->x[s->b] + s->imm, low, high;
    struct dpu_outcome o = {.left = a, .right = b};
    switch ((enum dpu_op)s->op) {
#define SUM(op, carry_in)                                                                          \
    case op: {                                                                                     \
        o.in = carry_in;                                                                           \
        uint64_t sum = (uint64_t)a + b + o.in;                                                     \
        o.result = (uint32_t)sum;                                                                  \
        o.carry = sum >> 32;                                                                       \
        break;                                                                                     \
    }
#define DIFFERENCE(op, x, y, borrow)                                                               \
    case op:                                                                                       \
        o.left = x;                                                                                \
        o.right = y;                                                                               \
        o.in = borrow;                                                                             \
        o.result = o.left - o.right - o.in;                                                        \
        o.carry = unsigned_rest(&o) < 0;                                                           \
        break;
#define RESULT(op, value)                                                                          \
    case op:                                                                                       \
        o.result = value;                                                                          \
        break;
        SUM(DPU_OP_ADD, false)
        SUM(DPU_OP_ADDC, t->carry)
        DIFFERENCE(DPU_OP_SUB, a, b, false)
        DIFFERENCE(DPU_OP_SUBC, a, b, t->carry)
        DIFFERENCE(DPU_OP_RSUB, b, a, false)
        DIFFERENCE(DPU_OP_RSUBC, b, a, t->carry)
        RESULT(DPU_OP_AND, a & b)
        RESULT(DPU_OP_OR, a | b)
        RESULT(DPU_OP_XOR, a ^ b)
        RESULT(DPU_OP_NAND, ~(a & b))
        RESULT(DPU_OP_NOR, ~(a | b))
        RESULT(DPU_OP_NXOR, ~(a ^ b))
        RESULT(DPU_OP_ANDN, ~a & b)
        RESULT(DPU_OP_ORN, ~a | b)
        RESULT(DPU_OP_CMPB4, equal_bytes(a, b))
        RESULT(DPU_OP_LSL, a << (b & 31))
        RESULT(DPU_OP_LSR, a >> (b & 31))
        RESULT(DPU_OP_ASR, (uint32_t)((int32_t)a >> (b & 31)))
        RESULT(DPU_OP_ROL, rotated(a, b))
        RESULT(DPU_OP_ROR, rotated(a, -b))
        RESULT(DPU_OP_LSL1, ~(~a << (b & 31)))
        RESULT(DPU_OP_LSR1, ~(~a >> (b & 31)))
        RESULT(DPU_OP_LSLX, (uint32_t)((uint64_t)a << (b & 31) >> 32))
        RESULT(DPU_OP_LSRX, (uint32_t)((uint64_t)a << 32 >> (b & 31)))
        RESULT(DPU_OP_LSL_ADD, t->x[s->b] + (a << s->imm))
        RESULT(DPU_OP_LSL_SUB, t->x[s->b] - (a << s->imm))
        RESULT(DPU_OP_LSR_ADD, t->x[s->b] + (a >> s->imm))
        RESULT(DPU_OP_ROL_ADD, t->x[s->b] + rotated(a, s->imm))
        RESULT(DPU_OP_CAO, (uint32_t)__builtin_popcount(a))
        RESULT(DPU_OP_CLO, leading_zeros(~a))
        RESULT(DPU_OP_CLS, leading_zeros(a >> 31 ? ~a : a))
        RESULT(DPU_OP_CLZ, leading_zeros(a))
        RESULT(DPU_OP_EXTSB, (uint32_t)(int8_t)a)
        RESULT(DPU_OP_EXTSH, (uint32_t)(int16_t)a)
        RESULT(DPU_OP_EXTUB, a & 0xff)
        RESULT(DPU_OP_EXTUH, a & 0xffff)
        RESULT(DPU_OP_MUL_SH_SH, product(SH(a), SH(b)))
        RESULT(DPU_OP_MUL_SH_SL, product(SH(a), SL(b)))
        RESULT(DPU_OP_MUL_SH_UH, product(SH(a), UH(b)))
        RESULT(DPU_OP_MUL_SH_UL, product(SH(a), UL(b)))
        RESULT(DPU_OP_MUL_SL_SH, product(SL(a), SH(b)))
        RESULT(DPU_OP_MUL_SL_SL, product(SL(a), SL(b)))
        RESULT(DPU_OP_MUL_SL_UH, product(SL(a), UH(b)))
        RESULT(DPU_OP_MUL_SL_UL, product(SL(a), UL(b)))
        RESULT(DPU_OP_MUL_UH_UH, product(UH(a), UH(b)))
        RESULT(DPU_OP_MUL_UH_UL, product(UH(a), UL(b)))
        RESULT(DPU_OP_MUL_UL_UH, product(UL(a), UH(b)))
        RESULT(DPU_OP_MUL_UL_UL, product(UL(a), UL(b)))
    case DPU_OP_MUL_STEP: {
        /* The result is what is left of the multiplier; what it adds to stays if its bit is 0. */
        uint32_t multiplier = t->x[s->b], sum = t->x[s->b + 1] + (a << s->imm);
        o.result = multiplier >> 1;
        if (multiplier & 1)
            t->x[s->c + 1] = sum;
        break;
    }
    case DPU_OP_MOVD:
    case DPU_OP_SWAPD:
        high = t->x[s->b + (s->op == DPU_OP_SWAPD)];
        low = t->x[s->b + (s->op == DPU_OP_MOVD)];
        t->x[s->c] = high;
        t->x[s->c + 1] = low;
        t->pc = s->after == DPU_AFTER_JUMP && s->ask == DPU_ASK_TRUE ? s->pc : t->pc + 1;
        return;
    case DPU_OP_DIV_STEP: /* a condition asks the divisor, as it was */
        low = a << s->imm;
        high = t->x[s->b + 1];
        t->x[s->c] = t->x[s->b] << 1 | (high >= low);
        if (high >= low)
            t->x[s->c + 1] = high - low;
        t->pc = s->after == DPU_AFTER_JUMP && asked(s, o, a, b, t->zero) ? s->pc : t->pc + 1;
        return;
    case DPU_OP_CALL:
        t->x[s->c] = t->pc + 1;
        t->pc = (a + b) & 0xffff;
        return;
    default: /* nop */
        t->pc++;
        return;
    }
    finish(t, s, &o, a, b);
}

/* Carries out the instruction at the tasklet's pc. */
static inline enum next step(struct dpu_core *core, uint32_t tasklet, uint64_t now) {
    struct dpu_tasklet *t = &core->tasklets[tasklet];
    if (t->pc >= DPU_IRAM_WORDS) {
        stuck(core, tasklet, DPU_FAULT_PC, 0, 0);
        return STUCK;
    }
    const struct dpu_step *s = &core->steps[t->pc];
    core->executed[t->pc]++;
    if (s->quiet) {
        compute(t, s);
        return GOES_ON;
    }
    uint32_t a = t->x[s->a];
    struct dpu_outcome o = {0};
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
        if (!wake(core, tasklet, s, now, &o.result))
            return STUCK;
        break;
    default:
        return other(core, tasklet, s, now);
    }
    finish(t, s, &o, a, 0);
    return GOES_ON;
}

/* ---- the loop ---- */

/* The tasklet that issues next; DPU_TASKLETS: none can. */
static inline uint32_t pick(const struct dpu_core *core) {
    uint32_t best = DPU_TASKLETS;
    uint64_t ready = UINT64_MAX;
    if (core->queue_begin != core->queue_end) {
        best = core->queue[core->queue_begin % 32];
        ready = core->tasklets[best].ready;
    }
    for (uint32_t rest = core->others; rest; rest &= rest - 1) {
        uint32_t t = (uint32_t)__builtin_ctz(rest);
        uint64_t when = core->tasklets[t].ready;
        if (when < ready || (when == ready && t < best)) {
            best = t;
            ready = when;
        }
    }
    return best;
}
static void pass_idle(struct dpu_core *core, uint64_t until) {
    enum dpu_idle why = core->transfers ? DPU_IDLE_DMA
                        : core->stopped ? DPU_IDLE_STOPPED
                                        : DPU_IDLE_INTERVAL;
    core->counted.idle[why] += until - core->clock;
    core->clock = until;
}
static inline void take(struct dpu_core *core, uint32_t tasklet) {
    if (core->others >> tasklet & 1) {
        core->others &= ~(1u << tasklet);
        core->transfers &= ~(1u << tasklet);
    } else {
        core->queue_begin++;
    }
}
static void tell(const struct dpu_core *core, uint32_t tasklet) {
    uint32_t pc = core->tasklets[tasklet].pc;
    const struct dpu_event event = {.cycle = core->clock,
                                    .tasklet = tasklet,
                                    .pc = pc,
                                    .word = pc < DPU_IRAM_WORDS ? core->words[pc] : 0};
    core->watcher(core->context, &event);
}
/* All have stopped: which is the end, unless one waits for others. */
static bool finished(struct dpu_core *core) {
    for (uint32_t t = 0; t < DPU_TASKLETS; t++)
        if (core->tasklets[t].waits)
            return stuck(core, t, DPU_FAULT_DEADLOCK, 0, 0);
    return true;
}
static bool run(struct dpu_core *core) {
    for (;;) {
        uint32_t tasklet = pick(core);
        if (tasklet == DPU_TASKLETS)
            return finished(core);
        struct dpu_tasklet *t = &core->tasklets[tasklet];
        if (t->ready > core->clock)
            pass_idle(core, t->ready);
        if (core->left == 0)
            return stuck(core, tasklet, DPU_FAULT_WATCHDOG, 0, 0);
        if (core->watcher)
            tell(core, tasklet);
        take(core, tasklet);
        enum next next = step(core, tasklet, core->clock);
        if (next == STUCK)
            return false;
        core->left--;
        core->instructions++;
        t->next = core->clock + core->time.interval;
        core->clock++;
        if (next == GOES_ON) {
            t->ready = t->next;
            core->queue[core->queue_end++ % 32] = (uint8_t)tasklet;
        }
    }
}
bool dpu_core_run(struct dpu_core *core, uint64_t most_instructions) {
    core->trouble = (struct dpu_trouble){.fault = DPU_FINE};
    core->left = most_instructions;
    core->queue_begin = core->queue_end = 0;
    core->others = core->transfers = core->stopped = 0;
    core->engine_milli = 0;
    for (uint32_t t = 0; t < DPU_TASKLETS; t++) {
        core->tasklets[t].running = core->tasklets[t].waits = false;
        core->tasklets[t].next = 0; /* a launch is long after the last one */
    }
    core->tasklets[0].pc = 0;
    start(core, 0, core->clock);
    return run(core);
}
