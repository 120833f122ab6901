/* SPDX-License-Identifier: MIT
 * What instructions do that have to do with registers alone, and what conditions ask of their
 * results. All is inline: what carries one kind of instruction out is compiled for that kind. */
#ifndef MACHINES_CORE_DPU_RUN_RESULTS_H
#define MACHINES_CORE_DPU_RUN_RESULTS_H

#include "machines/core/dpu/run/tasklets.h"

#define DPU_INLINE static inline __attribute__((always_inline))

struct dpu_outcome {
    uint32_t result, left, right; /* of a sum or difference */
    bool carry, in;               /* in: the carry that it took */
};

/* ---- conditions ---- */

/* As if words had all bits: left - right - in. */
DPU_INLINE int64_t dpu_signed_rest(const struct dpu_outcome *o) {
    return (int64_t)(int32_t)o->left - (int32_t)o->right - o->in;
}
DPU_INLINE int64_t dpu_unsigned_rest(const struct dpu_outcome *o) {
    return (int64_t)o->left - o->right - o->in;
}
DPU_INLINE bool dpu_overflows(enum dpu_op op, const struct dpu_outcome *o) {
    uint32_t differ = o->left ^ o->right;
    if (op == DPU_OP_ADD || op == DPU_OP_ADDC)
        differ = ~differ;
    return (differ & (o->left ^ o->result)) >> 31;
}
/* A carry out of the lowest n bits of a sum. */
DPU_INLINE bool dpu_carries(const struct dpu_outcome *o, uint32_t n) {
    uint64_t mask = (UINT64_C(1) << n) - 1;
    return ((o->left & mask) + (o->right & mask) + o->in) >> n;
}
/* `zero`: the last result was. */
DPU_INLINE bool dpu_holds(enum dpu_ask ask, enum dpu_op op, const struct dpu_outcome *o, uint32_t a,
                          uint32_t b, bool zero) {
    uint32_t r = o->result;
    switch (ask) {
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
        return dpu_overflows(op, o);
    case DPU_ASK_NOV:
        return !dpu_overflows(op, o);
    case DPU_ASK_C:
        return o->carry;
    case DPU_ASK_NC:
        return !o->carry;
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
        return !dpu_carries(o, 5u + (uint32_t)ask - DPU_ASK_NC5);
    case DPU_ASK_LTS:
        return dpu_signed_rest(o) < 0;
    case DPU_ASK_GES:
        return dpu_signed_rest(o) >= 0;
    case DPU_ASK_LES:
        return dpu_signed_rest(o) <= 0;
    case DPU_ASK_GTS:
        return dpu_signed_rest(o) > 0;
    case DPU_ASK_LEU:
        return dpu_unsigned_rest(o) <= 0;
    case DPU_ASK_GTU:
        return dpu_unsigned_rest(o) > 0;
    case DPU_ASK_XLES:
        return dpu_signed_rest(o) < 0 || (r == 0 && zero);
    case DPU_ASK_XGTS:
        return !(dpu_signed_rest(o) < 0 || (r == 0 && zero));
    case DPU_ASK_XLEU:
        return o->carry || (r == 0 && zero);
    case DPU_ASK_XGTU:
        return !(o->carry || (r == 0 && zero));
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

/* ---- arithmetic ---- */

DPU_INLINE uint32_t dpu_rotated(uint32_t value, uint32_t by) {
    return value << (by & 31) | value >> (-by & 31);
}
DPU_INLINE uint32_t dpu_leading_zeros(uint32_t value) {
    return value ? (uint32_t)__builtin_clz(value) : 32;
}
DPU_INLINE uint32_t dpu_equal_bytes(uint32_t a, uint32_t b) {
    uint32_t out = 0;
    for (uint32_t i = 0; i < 32; i += 8)
        out |= (uint32_t)((a >> i & 255) == (b >> i & 255)) << i;
    return out;
}
DPU_INLINE uint32_t dpu_product(int32_t a, int32_t b) {
    return (uint32_t)(a * b); /* of bytes */
}
#define DPU_SL(v) ((int32_t)(int8_t)(v))
#define DPU_SH(v) ((int32_t)(int8_t)((v) >> 8))
#define DPU_UL(v) ((int32_t)((v)&255))
#define DPU_UH(v) ((int32_t)((v) >> 8 & 255))

DPU_INLINE void dpu_write(uint32_t *x, const struct dpu_step *s, enum dpu_wide wide, uint32_t r) {
    if (wide == DPU_PLAIN) {
        x[s->c] = r;
        return;
    }
    x[s->c] = wide == DPU_SIGNED && r >> 31 ? UINT32_MAX : 0;
    x[s->c + 1] = r;
}
/* What of an instruction is known when what carries it out is compiled, or its step says it. */
struct dpu_shape {
    enum dpu_op op;
    enum dpu_after after;
    enum dpu_ask ask;
    enum dpu_wide wide;
};
/* Writes a result and sets flags; whether to jump. */
DPU_INLINE bool dpu_finish(uint32_t *x, struct dpu_flags *f, const struct dpu_step *s,
                           struct dpu_shape shape, const struct dpu_outcome *o, uint32_t a,
                           uint32_t b) {
    bool zero = f->zero;
    f->zero = o->result == 0;
    f->carry = o->carry;
    if (shape.after == DPU_AFTER_WRITE) {
        dpu_write(x, s, shape.wide, o->result);
        return false;
    }
    bool yes = dpu_holds(shape.ask, shape.op, o, a, b, zero);
    dpu_write(x, s, shape.wide, shape.after == DPU_AFTER_SET ? yes : o->result);
    return shape.after == DPU_AFTER_JUMP && yes;
}
/* Of a sum or difference. */
DPU_INLINE void dpu_sum(struct dpu_outcome *o, bool in) {
    uint64_t sum = (uint64_t)o->left + o->right + in;
    o->in = in;
    o->result = (uint32_t)sum;
    o->carry = sum >> 32;
}
DPU_INLINE void dpu_difference(struct dpu_outcome *o, uint32_t left, uint32_t right, bool in) {
    o->left = left;
    o->right = right;
    o->in = in;
    o->result = left - right - in;
    o->carry = dpu_unsigned_rest(o) < 0;
}
/* Carries a quiet instruction out, all but calls: whether to jump. */
DPU_INLINE bool dpu_compute(uint32_t *x, struct dpu_flags *f, const struct dpu_step *s,
                            struct dpu_shape shape) {
    uint32_t a = x[s->a], b = x[s->b] + s->imm, low, high;
    struct dpu_outcome o = {.left = a, .right = b};
    switch (shape.op) {
#define RESULT(op, value)                                                                          \
    case op:                                                                                       \
        o.result = value;                                                                          \
        break;
    case DPU_OP_ADD:
        dpu_sum(&o, false);
        break;
    case DPU_OP_ADDC:
        dpu_sum(&o, f->carry);
        break;
    case DPU_OP_SUB:
        dpu_difference(&o, a, b, false);
        break;
    case DPU_OP_SUBC:
        dpu_difference(&o, a, b, f->carry);
        break;
    case DPU_OP_RSUB:
        dpu_difference(&o, b, a, false);
        break;
    case DPU_OP_RSUBC:
        dpu_difference(&o, b, a, f->carry);
        break;
        RESULT(DPU_OP_AND, a & b)
        RESULT(DPU_OP_OR, a | b)
        RESULT(DPU_OP_XOR, a ^ b)
        RESULT(DPU_OP_NAND, ~(a & b))
        RESULT(DPU_OP_NOR, ~(a | b))
        RESULT(DPU_OP_NXOR, ~(a ^ b))
        RESULT(DPU_OP_ANDN, ~a & b)
        RESULT(DPU_OP_ORN, ~a | b)
        RESULT(DPU_OP_CMPB4, dpu_equal_bytes(a, b))
        RESULT(DPU_OP_LSL, a << (b & 31))
        RESULT(DPU_OP_LSR, a >> (b & 31))
        RESULT(DPU_OP_ASR, (uint32_t)((int32_t)a >> (b & 31)))
        RESULT(DPU_OP_ROL, dpu_rotated(a, b))
        RESULT(DPU_OP_ROR, dpu_rotated(a, -b))
        RESULT(DPU_OP_LSL1, ~(~a << (b & 31)))
        RESULT(DPU_OP_LSR1, ~(~a >> (b & 31)))
        RESULT(DPU_OP_LSLX, (uint32_t)((uint64_t)a << (b & 31) >> 32))
        RESULT(DPU_OP_LSRX, (uint32_t)((uint64_t)a << 32 >> (b & 31)))
        RESULT(DPU_OP_LSL_ADD, x[s->b] + (a << s->imm))
        RESULT(DPU_OP_LSL_SUB, x[s->b] - (a << s->imm))
        RESULT(DPU_OP_LSR_ADD, x[s->b] + (a >> s->imm))
        RESULT(DPU_OP_ROL_ADD, x[s->b] + dpu_rotated(a, s->imm))
        RESULT(DPU_OP_CAO, (uint32_t)__builtin_popcount(a))
        RESULT(DPU_OP_CLO, dpu_leading_zeros(~a))
        RESULT(DPU_OP_CLS, dpu_leading_zeros(a >> 31 ? ~a : a))
        RESULT(DPU_OP_CLZ, dpu_leading_zeros(a))
        RESULT(DPU_OP_EXTSB, (uint32_t)(int8_t)a)
        RESULT(DPU_OP_EXTSH, (uint32_t)(int16_t)a)
        RESULT(DPU_OP_EXTUB, a & 0xff)
        RESULT(DPU_OP_EXTUH, a & 0xffff)
        RESULT(DPU_OP_MUL_SH_SH, dpu_product(DPU_SH(a), DPU_SH(b)))
        RESULT(DPU_OP_MUL_SH_SL, dpu_product(DPU_SH(a), DPU_SL(b)))
        RESULT(DPU_OP_MUL_SH_UH, dpu_product(DPU_SH(a), DPU_UH(b)))
        RESULT(DPU_OP_MUL_SH_UL, dpu_product(DPU_SH(a), DPU_UL(b)))
        RESULT(DPU_OP_MUL_SL_SH, dpu_product(DPU_SL(a), DPU_SH(b)))
        RESULT(DPU_OP_MUL_SL_SL, dpu_product(DPU_SL(a), DPU_SL(b)))
        RESULT(DPU_OP_MUL_SL_UH, dpu_product(DPU_SL(a), DPU_UH(b)))
        RESULT(DPU_OP_MUL_SL_UL, dpu_product(DPU_SL(a), DPU_UL(b)))
        RESULT(DPU_OP_MUL_UH_UH, dpu_product(DPU_UH(a), DPU_UH(b)))
        RESULT(DPU_OP_MUL_UH_UL, dpu_product(DPU_UH(a), DPU_UL(b)))
        RESULT(DPU_OP_MUL_UL_UH, dpu_product(DPU_UL(a), DPU_UH(b)))
        RESULT(DPU_OP_MUL_UL_UL, dpu_product(DPU_UL(a), DPU_UL(b)))
#undef RESULT
    case DPU_OP_MUL_STEP: {
        /* The result is what is left of the multiplier; what it adds to stays if its bit is 0. */
        uint32_t multiplier = x[s->b], sum = x[s->b + 1] + (a << s->imm);
        o.result = multiplier >> 1;
        x[s->c + 1] = multiplier & 1 ? sum : x[s->c + 1];
        break;
    }
    case DPU_OP_MOVD:
    case DPU_OP_SWAPD:
        high = x[s->b + (shape.op == DPU_OP_SWAPD)];
        low = x[s->b + (shape.op == DPU_OP_MOVD)];
        x[s->c] = high;
        x[s->c + 1] = low;
        return shape.after == DPU_AFTER_JUMP && shape.ask == DPU_ASK_TRUE;
    case DPU_OP_DIV_STEP: /* a condition asks the divisor, as it was */
        low = a << s->imm;
        high = x[s->b + 1];
        x[s->c] = x[s->b] << 1 | (high >= low);
        x[s->c + 1] = high >= low ? high - low : x[s->c + 1];
        return shape.after == DPU_AFTER_JUMP && dpu_holds(shape.ask, shape.op, &o, a, b, f->zero);
    default: /* nop */
        return false;
    }
    return dpu_finish(x, f, s, shape, &o, a, b);
}

/* ---- memory ---- */

/* Little-endian, whatever the host is; where it is so itself, in one piece. */
DPU_INLINE uint64_t dpu_get(const uint8_t *at, uint32_t bytes) {
    uint64_t value = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    __builtin_memcpy(&value, at, bytes);
#else
    for (uint32_t i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << 8 * i;
#endif
    return value;
}
DPU_INLINE void dpu_put(uint8_t *at, uint64_t value, uint32_t bytes) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    __builtin_memcpy(at, &value, bytes);
#else
    for (uint32_t i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
#endif
}
DPU_INLINE uint64_t dpu_ordered(uint64_t value, uint32_t bytes, bool big) {
    return __builtin_expect(big, 0) ? __builtin_bswap64(value) >> (64 - 8 * bytes) : value;
}
/* Bytes that a load or store moves; 0 of others. */
DPU_INLINE uint32_t dpu_access_bytes(enum dpu_op op) {
    switch (op) {
    case DPU_OP_LBS:
    case DPU_OP_LBU:
    case DPU_OP_SB:
    case DPU_OP_SB_ID:
        return 1;
    case DPU_OP_LHS:
    case DPU_OP_LHU:
    case DPU_OP_SH:
    case DPU_OP_SH_ID:
        return 2;
    case DPU_OP_LW:
    case DPU_OP_SW:
    case DPU_OP_SW_ID:
        return 4;
    case DPU_OP_LD:
    case DPU_OP_SD:
    case DPU_OP_SD_ID:
        return 8;
    default:
        return 0;
    }
}
/* A value that came from memory goes into registers. */
DPU_INLINE void dpu_loaded(uint32_t *x, const struct dpu_step *s, enum dpu_op op,
                           enum dpu_wide wide, uint64_t value) {
    if (op == DPU_OP_LD) {
        x[s->c] = (uint32_t)(value >> 32);
        x[s->c + 1] = (uint32_t)value;
        return;
    }
    dpu_write(x, s, wide,
              op == DPU_OP_LBS   ? (uint32_t)(int8_t)value
              : op == DPU_OP_LHS ? (uint32_t)(int16_t)value
                                 : (uint32_t)value);
}
/* What a store puts: a register, or a number; with the tasklet's own where the instruction adds it.
 */
DPU_INLINE uint64_t dpu_stored(const uint32_t *x, const struct dpu_step *s, enum dpu_op op,
                               uint32_t tasklet) {
    uint64_t number = (uint64_t)(int64_t)(int32_t)s->value;
    switch (op) {
    case DPU_OP_SB_ID:
    case DPU_OP_SH_ID:
    case DPU_OP_SW_ID:
    case DPU_OP_SD_ID:
        return tasklet | number;
    case DPU_OP_SD:
        return s->b == 24 ? number : (uint64_t)x[s->b] << 32 | x[s->b + 1];
    default:
        return x[s->b] | s->value;
    }
}

#endif
