/* SPDX-License-Identifier: MIT
 * Whole numbers. */
#include "ptx/alu.h"

#include "support/bits.h"

__extension__ typedef unsigned __int128 wide;
__extension__ typedef __int128 signed_wide;

static enum ptx_type type_of(const struct ptx_alu *x) {
    return (enum ptx_type)x->m->type[0];
}

static unsigned bits_of(const struct ptx_alu *x) {
    return ptx_type_bits(type_of(x));
}

static bool is_signed(const struct ptx_alu *x) {
    return ptx_type_signed(type_of(x));
}

static int64_t extended(const struct ptx_alu *x, unsigned i) {
    return sign_extend(x->in[i], bits_of(x));
}

/* Between the least and the largest number of 32 bits. */
static uint64_t saturated(int64_t value) {
    int64_t fits = value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value;
    return (uint64_t)fits & low_bits(32);
}

/* left + right + in, with the carry where one is wanted. */
static void add(struct ptx_alu *x, uint64_t left, uint64_t right, bool in) {
    unsigned bits = bits_of(x);
    wide sum = (wide)(left & low_bits(bits)) + (right & low_bits(bits)) + in;
    x->out = (uint64_t)sum & low_bits(bits);
    if (x->m->flags & PTX_CC)
        x->carry = (sum >> bits) & 1;
}

void ptx_alu_add(struct ptx_alu *alu) {
    if (alu->m->flags & PTX_SAT)
        alu->out = saturated(extended(alu, 0) + extended(alu, 1));
    else
        add(alu, alu->in[0], alu->in[1], alu->op == PTX_OP_ADDC && alu->carry);
}

/* A borrow is a carry that is not there. */
void ptx_alu_sub(struct ptx_alu *alu) {
    if (alu->m->flags & PTX_SAT)
        alu->out = saturated(extended(alu, 0) - extended(alu, 1));
    else
        add(alu, alu->in[0], ~alu->in[1], alu->op == PTX_OP_SUBC ? alu->carry : true);
}

static wide product(const struct ptx_alu *x) {
    if (is_signed(x))
        return (wide)((signed_wide)extended(x, 0) * extended(x, 1));
    return (wide)x->in[0] * x->in[1];
}

void ptx_alu_mul(struct ptx_alu *alu) {
    unsigned bits = bits_of(alu);
    wide all = product(alu);
    bool has_addend = alu->op == PTX_OP_MAD || alu->op == PTX_OP_MADC;
    uint64_t addend = has_addend ? alu->in[2] : 0;
    uint64_t half = (uint64_t)(alu->m->compare == PTX_HI ? all >> bits : all);
    if (alu->m->compare == PTX_WIDE)
        alu->out = ((uint64_t)all + addend) & low_bits(2 * bits);
    else if (alu->m->flags & PTX_SAT)
        alu->out = saturated(sign_extend(half & low_bits(bits), bits) + extended(alu, 2));
    else
        add(alu, half, addend, alu->op == PTX_OP_MADC && alu->carry);
}

static int64_t low_24(const struct ptx_alu *x, unsigned i) {
    uint64_t low = x->in[i] & low_bits(24);
    return is_signed(x) ? sign_extend(low, 24) : (int64_t)low;
}

/* Of 48 bits the lower 32, or the upper. */
void ptx_alu_mul24(struct ptx_alu *alu) {
    uint64_t all = (uint64_t)(low_24(alu, 0) * low_24(alu, 1));
    uint64_t part = alu->m->compare == PTX_HI ? all >> 16 : all;
    alu->out = (part + (alu->op == PTX_OP_MAD24 ? alu->in[2] : 0)) & low_bits(32);
}

static bool is_less(const struct ptx_alu *x) {
    return is_signed(x) ? extended(x, 0) < extended(x, 1) : x->in[0] < x->in[1];
}

void ptx_alu_sad(struct ptx_alu *alu) {
    uint64_t difference = is_less(alu) ? alu->in[1] - alu->in[0] : alu->in[0] - alu->in[1];
    alu->out = (alu->in[2] + difference) & low_bits(bits_of(alu));
}

/* By 0 all ones, and the dividend is left; the least number by -1 is itself, and nothing is left.
 */
void ptx_alu_div(struct ptx_alu *alu) {
    uint64_t mask = low_bits(bits_of(alu)), quotient, rest;
    if (!alu->in[1]) {
        quotient = mask;
        rest = alu->in[0];
    } else if (!is_signed(alu)) {
        quotient = alu->in[0] / alu->in[1];
        rest = alu->in[0] % alu->in[1];
    } else if (extended(alu, 1) == -1) {
        quotient = 0 - alu->in[0];
        rest = 0;
    } else {
        quotient = (uint64_t)(extended(alu, 0) / extended(alu, 1));
        rest = (uint64_t)(extended(alu, 0) % extended(alu, 1));
    }
    alu->out = (alu->op == PTX_OP_DIV ? quotient : rest) & mask;
}

void ptx_alu_sign(struct ptx_alu *alu) {
    bool negate = alu->op == PTX_OP_NEG || extended(alu, 0) < 0;
    alu->out = (negate ? 0 - alu->in[0] : alu->in[0]) & low_bits(bits_of(alu));
}

void ptx_alu_min(struct ptx_alu *alu) {
    alu->out = alu->in[is_less(alu) == (alu->op == PTX_OP_MAX)];
}

/* The place of the highest bit that is not the sign; all ones: there is none. */
static uint64_t find_bit(const struct ptx_alu *x) {
    unsigned bits = bits_of(x);
    uint64_t value = x->in[0];
    if (is_signed(x) && value >> (bits - 1))
        value = ~value & low_bits(bits);
    if (!value)
        return low_bits(32);
    unsigned place = 63 - (unsigned)__builtin_clzll(value);
    return x->m->flags & PTX_SHIFTAMT ? bits - 1 - place : place;
}

void ptx_alu_count(struct ptx_alu *alu) {
    if (alu->op == PTX_OP_POPC)
        alu->out = (uint64_t)__builtin_popcountll(alu->in[0]);
    else if (alu->op == PTX_OP_CLZ)
        alu->out =
            alu->in[0] ? (uint64_t)__builtin_clzll(alu->in[0]) - (64 - bits_of(alu)) : bits_of(alu);
    else
        alu->out = find_bit(alu);
}

void ptx_alu_brev(struct ptx_alu *alu) {
    unsigned bits = bits_of(alu);
    alu->out = 0;
    for (unsigned i = 0; i < bits; i++)
        alu->out |= (alu->in[0] >> i & 1) << (bits - 1 - i);
}

/* Position and length are 8 bits.  What lies above the word is zeros, or the field's sign. */
void ptx_alu_bfe(struct ptx_alu *alu) {
    unsigned bits = bits_of(alu), from = alu->in[1] & 255, length = alu->in[2] & 255;
    unsigned top = from + length > bits ? bits - 1 : from + length - 1;
    uint64_t sign = is_signed(alu) && length ? alu->in[0] >> top & 1 : 0;
    alu->out = 0;
    for (unsigned i = 0; i < bits; i++)
        alu->out |= (i < length && from + i < bits ? alu->in[0] >> (from + i) & 1 : sign) << i;
}

void ptx_alu_bfi(struct ptx_alu *alu) {
    unsigned bits = bits_of(alu), at = alu->in[2] & 255, length = alu->in[3] & 255;
    alu->out = alu->in[1];
    for (unsigned i = 0; i < length && at + i < bits; i++)
        alu->out = (alu->out & ~((uint64_t)1 << (at + i))) | (alu->in[0] >> i & 1) << (at + i);
}

static int64_t byte_of(uint64_t word, unsigned i, bool is_signed) {
    uint64_t byte = word >> 8 * i & 255;
    return is_signed ? sign_extend(byte, 8) : (int64_t)byte;
}

void ptx_alu_dp4a(struct ptx_alu *alu) {
    bool second = ptx_type_signed((enum ptx_type)alu->m->type[1]);
    int64_t sum = (int64_t)alu->in[2];
    for (unsigned i = 0; i < 4; i++)
        sum += byte_of(alu->in[0], i, is_signed(alu)) * byte_of(alu->in[1], i, second);
    alu->out = (uint64_t)sum & low_bits(32);
}
