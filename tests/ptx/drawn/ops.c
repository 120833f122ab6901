/* SPDX-License-Identifier: MIT
 * What instructions of random kernels compute, by the host's arithmetic. */
#include "tests/ptx/drawn/drawn.h"

#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

unsigned drawn_bits(char class) {
    return class == 'p' ? 1 : class == 'h' ? 16 : class == 'r' || class == 'f' ? 32 : 64;
}

static uint64_t ones(uint64_t n) {
    return n < 64 ? ((uint64_t)1 << n) - 1 : UINT64_MAX;
}
static int64_t s32(uint64_t x) {
    return (int32_t)(uint32_t)x;
}
static int64_t s16(uint64_t x) {
    return (int16_t)(uint16_t)x;
}
static int64_t clamp(int64_t x) {
    return x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : x;
}
static uint64_t bits_set(uint64_t x) {
    uint64_t n = 0;
    for (; x; x &= x - 1)
        n++;
    return n;
}
static uint64_t length(uint64_t x) {
    uint64_t n = 0;
    for (; x; x >>= 1)
        n++;
    return n;
}
static uint64_t turned(uint64_t x, unsigned bits) {
    uint64_t y = 0;
    for (unsigned i = 0; i < bits; i++)
        y |= (x >> i & 1) << (bits - 1 - i);
    return y;
}
static float f32(uint64_t x) {
    uint32_t word = (uint32_t)x;
    float f;
    memcpy(&f, &word, sizeof f);
    return f;
}
static double f64(uint64_t x) {
    double f;
    memcpy(&f, &x, sizeof f);
    return f;
}
static uint64_t of32(float x) {
    uint32_t word;
    memcpy(&word, &x, sizeof word);
    return x != x ? 0x7fffffff : word;
}
static uint64_t of64(double x) {
    uint64_t word;
    memcpy(&word, &x, sizeof word);
    return x != x ? UINT64_MAX >> 1 : word;
}
static uint64_t to_int(double x) {
    return x != x            ? 0
           : x <= -0x1p31    ? (uint64_t)INT32_MIN
           : x >= 0x1p31 - 1 ? (uint64_t)INT32_MAX
                             : (uint64_t)(int64_t)x;
}
/* Of float64, where a number that is none is the highest bit. */
static uint64_t to_uint(double x) {
    return x != x ? (uint64_t)1 << 31 : x <= 0 ? 0 : x >= 0x1p32 - 1 ? UINT32_MAX : (uint64_t)x;
}
static uint64_t least32(uint64_t a, uint64_t b) {
    float x = f32(a), y = f32(b);
    if (x != x || y != y)
        return x != x ? of32(y) : a;
    if (x < y || y < x)
        return x < y ? a : b;
    return a | b; /* -0 is less */
}

#define OP(text, result, sources, value) {text, result, sources},
const struct drawn_op drawn_ops[] = {
#include "tests/ptx/drawn/ops.def"
};
#undef OP
const unsigned drawn_op_count = sizeof drawn_ops / sizeof *drawn_ops;

#define OP(text, result, sources, value)                                                           \
    if (op == number++)                                                                            \
        return (uint64_t)(value)&ones(drawn_bits(result));
uint64_t drawn_compute(unsigned op, const uint64_t *in) {
    const uint64_t a = in[0], b = in[1], c = in[2];
    unsigned number = 0;
#include "tests/ptx/drawn/ops.def"
    return 0;
}
#undef OP

/* ---- memory ---- */

const struct drawn_memory_type drawn_types[] = {
    {"u8", 'r', 1, false},  {"s8", 'r', 1, true},   {"u8", 'h', 1, false}, {"u16", 'h', 2, false},
    {"s16", 'r', 2, true},  {"u32", 'r', 4, false}, {"s32", 'd', 4, true}, {"b32", 'r', 4, false},
    {"f32", 'f', 4, false}, {"b64", 'd', 8, false}, {"f64", 'g', 8, false}};
const unsigned drawn_type_count = sizeof drawn_types / sizeof *drawn_types;

enum { ADD32, ADD64, MIN32, MAX32, AND32, OR32, XOR64, MAX64, INC32, DEC32, ADDF32, EXCH32 };
const struct drawn_atomic drawn_atomics[] = {
    {"add.u32", 'r', 4, false}, {"add.u64", 'd', 8, false}, {"min.s32", 'r', 4, false},
    {"max.u32", 'r', 4, false}, {"and.b32", 'r', 4, false}, {"or.b32", 'r', 4, false},
    {"xor.b64", 'd', 8, false}, {"max.s64", 'd', 8, false}, {"inc.u32", 'r', 4, true},
    {"dec.u32", 'r', 4, true},  {"add.f32", 'f', 4, true},  {"exch.b32", 'r', 4, true}};
const unsigned drawn_atomic_count = sizeof drawn_atomics / sizeof *drawn_atomics;

uint64_t drawn_atomic_value(unsigned atomic, uint64_t old, uint64_t b) {
    switch (atomic) {
    case ADD32:
        return (old + b) & ones(32);
    case ADD64:
        return old + b;
    case MIN32:
        return s32(b) < s32(old) ? b : old;
    case MAX32:
        return b > old ? b : old;
    case AND32:
        return old & b;
    case OR32:
        return old | b;
    case XOR64:
        return old ^ b;
    case MAX64:
        return (int64_t)b > (int64_t)old ? b : old;
    case INC32:
        return old >= b ? 0 : old + 1;
    case DEC32:
        return old == 0 || old > b ? b : old - 1;
    case ADDF32:
        return of32(f32(old) + f32(b));
    default:
        return b;
    }
}

uint64_t drawn_initial(char class, unsigned reg) {
    switch (class) {
    case 'p':
        return reg & 1;
    case 'h':
        return reg * 0x1234u & 0xffff;
    case 'r':
        return reg * 0x08040201u;
    case 'f':
        return 0x3f800000 + ((uint64_t)reg << 21);
    case 'g':
        return UINT64_C(0x4000000000000000) + ((uint64_t)reg << 50);
    default:
        return reg * UINT64_C(0x0123456789abcdef);
    }
}
