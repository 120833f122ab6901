/* SPDX-License-Identifier: MIT
 * Bits, shifts, choices, and atomics. */
#include "ptx/alu.h"

#include "support/bits.h"
#include "support/ieee.h"

static enum ptx_type type_of(const struct ptx_alu *x) {
    return (enum ptx_type)x->m->type[0];
}

static unsigned bits_of(const struct ptx_alu *x) {
    return ptx_type_bits(type_of(x));
}

void ptx_alu_logic(struct ptx_alu *alu) {
    uint64_t a = alu->in[0], b = alu->in[1], mask = low_bits(bits_of(alu));
    alu->out = alu->op == PTX_OP_AND   ? a & b
               : alu->op == PTX_OP_OR  ? a | b
               : alu->op == PTX_OP_XOR ? a ^ b
               : alu->op == PTX_OP_NOT ? ~a & mask
                                       : (a & mask) == 0;
}

/* Bit 4a + 2b + c of the table. */
void ptx_alu_lop3(struct ptx_alu *alu) {
    uint64_t a = alu->in[0], b = alu->in[1], c = alu->in[2];
    alu->out = 0;
    for (unsigned i = 0; i < 8; i++)
        if (alu->in[3] >> i & 1)
            alu->out |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    alu->out &= low_bits(32);
}

/* By the width or more: zeros, or the sign. */
void ptx_alu_shift(struct ptx_alu *alu) {
    unsigned bits = bits_of(alu);
    uint64_t by = alu->in[1] & low_bits(32);
    if (alu->op == PTX_OP_SHL)
        alu->out = by < bits ? alu->in[0] << by & low_bits(bits) : 0;
    else if (ptx_type_signed(type_of(alu)))
        alu->out = (uint64_t)(sign_extend(alu->in[0], bits) >> (by < bits ? by : bits - 1)) &
                   low_bits(bits);
    else
        alu->out = by < bits ? alu->in[0] >> by : 0;
}

/* Of b:a the upper word after a shift to the left, the lower one after one to the right. */
void ptx_alu_funnel(struct ptx_alu *alu) {
    uint64_t by = alu->in[2] & low_bits(32), both = alu->in[1] << 32 | alu->in[0];
    by = alu->m->flags & PTX_WRAP ? by & 31 : by < 32 ? by : 32;
    alu->out = (alu->m->mode == PTX_LEFT ? both << by >> 32 : both >> by) & low_bits(32);
}

/* Which of eight bytes, and whether its sign takes their place. */
static uint64_t selector(const struct ptx_alu *x, unsigned i) {
    uint64_t s = x->in[2], at = s & 3;
    switch (x->m->mode) {
    case PTX_F4E:
        return (at + i) & 7;
    case PTX_B4E:
        return (at - i) & 7;
    case PTX_RC8:
        return at;
    case PTX_ECL:
        return i > at ? i : at;
    case PTX_ECR:
        return i < at ? i : at;
    case PTX_RC16:
        return (at & 1) * 2 + (i & 1);
    default:
        return s >> 4 * i & 15;
    }
}

void ptx_alu_permute(struct ptx_alu *alu) {
    uint64_t all = alu->in[1] << 32 | alu->in[0];
    alu->out = 0;
    for (unsigned i = 0; i < 4; i++) {
        uint64_t which = selector(alu, i), byte = all >> 8 * (which & 7) & 255;
        if (which & 8)
            byte = byte >> 7 ? 255 : 0;
        alu->out |= byte << 8 * i;
    }
}

/* selp: by a predicate; slct: by the sign of a number, where NaN counts as negative. */
void ptx_alu_select(struct ptx_alu *alu) {
    bool first = alu->in[2] & 1;
    if (alu->op == PTX_OP_SLCT && alu->m->type[1] == PTX_F32) {
        const struct ieee_format f = ieee_flushing(ieee_binary(32), alu->m->flags & PTX_FTZ);
        first = ieee_less_equal(f, 0, alu->in[2]);
    } else if (alu->op == PTX_OP_SLCT) {
        first = sign_extend(alu->in[2] & low_bits(32), 32) >= 0;
    }
    alu->out = alu->in[!first];
}

/* ---- comparing ---- */

static bool compare_whole(const struct ptx_alu *x, enum ptx_type type) {
    unsigned bits = ptx_type_bits(type);
    uint64_t a = x->in[0], b = x->in[1];
    if (ptx_type_signed(type)) { /* as unsigned ones with the sign turned */
        a ^= (uint64_t)1 << (bits - 1);
        b ^= (uint64_t)1 << (bits - 1);
    }
    switch (x->m->compare) {
    case PTX_EQ:
        return a == b;
    case PTX_NE:
        return a != b;
    case PTX_LT:
    case PTX_LO:
        return a < b;
    case PTX_LE:
    case PTX_LS:
        return a <= b;
    case PTX_GT:
    case PTX_HI:
        return a > b;
    default: /* GE, HS */
        return a >= b;
    }
}

static bool compare_ordered(struct ieee_format f, enum ptx_compare compare, uint64_t a,
                            uint64_t b) {
    switch (compare) {
    case PTX_EQ:
    case PTX_EQU:
        return ieee_equal(f, a, b);
    case PTX_NE:
    case PTX_NEU:
        return !ieee_equal(f, a, b);
    case PTX_LT:
    case PTX_LTU:
        return ieee_less(f, a, b);
    case PTX_LE:
    case PTX_LEU:
        return ieee_less_equal(f, a, b);
    case PTX_GT:
    case PTX_GTU:
        return ieee_less(f, b, a);
    default: /* GE, GEU */
        return ieee_less_equal(f, b, a);
    }
}

static bool compare_float(const struct ptx_alu *x, enum ptx_type type) {
    const struct ieee_format f =
        ieee_flushing(ieee_binary(ptx_type_bits(type)), x->m->flags & PTX_FTZ);
    enum ptx_compare compare = (enum ptx_compare)x->m->compare;
    bool unordered = ieee_unordered(f, x->in[0], x->in[1]);
    if (compare == PTX_NUM || compare == PTX_NAN)
        return unordered == (compare == PTX_NAN);
    if (unordered)
        return compare >= PTX_EQU && compare <= PTX_GEU;
    return compare_ordered(f, compare, x->in[0], x->in[1]);
}

static bool combine(const struct ptx_alu *x, bool holds) {
    bool other = x->in[2] & 1;
    switch (x->m->operation) {
    case PTX_AND:
        return holds && other;
    case PTX_OR:
        return holds || other;
    case PTX_XOR:
        return holds != other;
    default:
        return holds;
    }
}

void ptx_alu_compare(struct ptx_alu *alu) {
    bool set = alu->op == PTX_OP_SET;
    enum ptx_type type = (enum ptx_type)alu->m->type[set];
    bool holds = ptx_type_float(type) ? compare_float(alu, type) : compare_whole(alu, type);
    alu->out = combine(alu, holds);
    alu->second = combine(alu, !holds);
    if (set && alu->out)
        alu->out = alu->m->type[0] == PTX_F32 ? 0x3f800000 : low_bits(32);
}

/* ---- atomics ---- */

static uint64_t add(enum ptx_type type, uint64_t old, uint64_t b) {
    if (!ptx_type_float(type))
        return (old + b) & low_bits(ptx_type_bits(type));
    const struct ptx_modifiers m = {.type = {(uint8_t)type, 0}, .vector = 1};
    struct ptx_alu x = {.m = &m, .op = PTX_OP_ADD, .in = {old, b}};
    ptx_alu_float_add(&x);
    return x.out;
}

static bool is_less(enum ptx_type type, uint64_t a, uint64_t b) {
    unsigned bits = ptx_type_bits(type);
    return ptx_type_signed(type) ? sign_extend(a, bits) < sign_extend(b, bits) : a < b;
}

uint64_t ptx_atomic(enum ptx_operation operation, enum ptx_type type, uint64_t old, uint64_t b,
                    uint64_t c) {
    switch (operation) {
    case PTX_AND:
        return old & b;
    case PTX_OR:
        return old | b;
    case PTX_XOR:
        return old ^ b;
    case PTX_CAS:
        return old == b ? c : old;
    case PTX_EXCH:
        return b;
    case PTX_ADD_OP:
        return add(type, old, b);
    case PTX_INC:
        return old >= b ? 0 : old + 1;
    case PTX_DEC:
        return old == 0 || old > b ? b : old - 1;
    case PTX_MIN_OP:
        return is_less(type, b, old) ? b : old;
    case PTX_MAX_OP:
        return is_less(type, old, b) ? b : old;
    case PTX_NO_OPERATION:
    case PTX_POPC_OP:
        break;
    }
    return old;
}
