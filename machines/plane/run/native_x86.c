/* SPDX-License-Identifier: MIT
 * Encodings: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, chapter 2
 * (REX, VEX, EVEX with its offsets in vectors) and the pages of the instructions. */
#include "machines/plane/run/native_x86.h"

#include <string.h>

/* Prefixes and maps of opcodes as VEX and EVEX number them. */
enum { NO_PREFIX, P66, PF3 };
enum { MAP_0F = 1, MAP_0F38, MAP_0F3A };

/* One instruction of vectors: operation `opcode` with registers reg and vvvv, and an operand. */
struct vector_form {
    unsigned prefix, map, opcode;
    bool by_words; /* VEX.W or EVEX.W */
    unsigned reg, vvvv;
    struct x86_operand operand;
};

static void byte(struct x86_code *code, unsigned value) {
    vec_push(&code->bytes, (unsigned char)value);
}

static void bytes4(struct x86_code *code, uint32_t value) {
    for (unsigned k = 0; k < 4; k++)
        byte(code, value >> (8 * k) & 0xff);
}

/* ModRM, SIB and offset.  `unit`: what an offset of one byte counts, a power of two. */
static void place(struct x86_code *code, unsigned reg, struct x86_memory at, int32_t unit) {
    bool sib = at.index != X86_RSP || (at.base & 7) == X86_RSP;
    bool is_short = at.offset % unit == 0 && at.offset / unit >= -128 && at.offset / unit <= 127;
    bool none = at.offset == 0 && (at.base & 7) != X86_RBP;
    unsigned mode = none ? 0 : is_short ? 0x40 : 0x80;
    byte(code, mode | (reg & 7) << 3 | (sib ? 4 : at.base & 7));
    if (sib)
        byte(code, (at.index & 7) << 3 | (at.base & 7));
    if (mode == 0x40)
        byte(code, (unsigned)(at.offset / unit) & 0xff);
    else if (mode == 0x80)
        bytes4(code, (uint32_t)at.offset);
}

static void operand(struct x86_code *code, const struct vector_form *form, int32_t unit) {
    byte(code, form->opcode);
    if (form->operand.in_memory)
        place(code, form->reg, form->operand.memory, unit);
    else
        byte(code, 0xc0 | (form->reg & 7) << 3 | (form->operand.reg & 7));
}

/* Bits 3 and 4 of the register or base in ModRM.rm, and bit 3 of the index. */
static unsigned rm_bit(const struct x86_operand *rm, unsigned bit) {
    return (rm->in_memory ? (unsigned)rm->memory.base : rm->reg) >> bit & 1;
}
static unsigned index_bit(const struct x86_operand *rm) {
    return rm->in_memory && rm->memory.index != X86_RSP ? (unsigned)rm->memory.index >> 3 & 1 : 0;
}

/* The short form of two bytes where nothing needs the long one. */
static void vex(struct x86_code *code, const struct vector_form *form) {
    unsigned r = ~form->reg >> 3 & 1, x = !index_bit(&form->operand),
             b = !rm_bit(&form->operand, 3);
    unsigned rest = (~form->vvvv & 15) << 3 | 4 | form->prefix; /* L = 1: 32 bytes */
    if (x && b && form->map == MAP_0F && !form->by_words) {
        byte(code, 0xc5);
        byte(code, r << 7 | rest);
    } else {
        byte(code, 0xc4);
        byte(code, r << 7 | x << 6 | b << 5 | form->map);
        byte(code, (form->by_words ? 0x80u : 0) | rest);
    }
    operand(code, form, 1);
}

/* EVEX.aaa names the mask, k1; EVEX.z reads what it leaves out as 0, which stores cannot. */
static void evex(struct x86_code *code, const struct vector_form *form, bool is_store) {
    const struct x86_operand *rm = &form->operand;
    unsigned x = rm->in_memory ? index_bit(rm) : rm_bit(rm, 4);
    bool masked = rm->in_memory && rm->masked;
    byte(code, 0x62);
    byte(code, (~form->reg >> 3 & 1) << 7 | (unsigned)!x << 6 | (unsigned)!rm_bit(rm, 3) << 5 |
                   (~form->reg >> 4 & 1) << 4 | form->map);
    byte(code, 0x80 | (~form->vvvv & 15) << 3 | 4 | form->prefix);
    byte(code, (masked && !is_store ? 0x80u : 0) | 0x40 | (~form->vvvv >> 4 & 1) << 3 | masked);
    operand(code, form, 64);
}

static void vector(struct x86_code *code, const struct vector_form *form) {
    if (code->wide)
        evex(code, form, form->opcode == 0x7f);
    else
        vex(code, form);
}

void plane_x86_logic(struct x86_code *code, enum x86_logic op, unsigned to, unsigned left,
                     struct x86_operand right) {
    vector(code, &(struct vector_form){P66, MAP_0F, op, false, to, left, right});
}

void plane_x86_ternary(struct x86_code *code, uint8_t table, unsigned to, unsigned middle,
                       struct x86_operand last) {
    vector(code, &(struct vector_form){P66, MAP_0F3A, 0x25, false, to, middle, last});
    byte(code, table);
}

void plane_x86_load(struct x86_code *code, unsigned to, struct x86_operand from) {
    unsigned prefix = from.in_memory ? PF3 : P66;
    vector(code, &(struct vector_form){prefix, MAP_0F, 0x6f, false, to, 0, from});
}

void plane_x86_store(struct x86_code *code, struct x86_operand to, unsigned from) {
    vector(code, &(struct vector_form){PF3, MAP_0F, 0x7f, false, from, 0, to});
}

void plane_x86_load_masked(struct x86_code *code, unsigned to, unsigned mask,
                           struct x86_memory from) {
    const struct x86_operand at = {.in_memory = true, .memory = from};
    vex(code, &(struct vector_form){P66, MAP_0F38, 0x8c, true, to, mask, at});
}

void plane_x86_store_masked(struct x86_code *code, struct x86_memory to, unsigned mask,
                            unsigned from) {
    const struct x86_operand at = {.in_memory = true, .memory = to};
    vex(code, &(struct vector_form){P66, MAP_0F38, 0x8e, true, from, mask, at});
}

/* --- registers of 64 bits --- */

static void rex(struct x86_code *code, bool wide, unsigned reg, unsigned index, unsigned base) {
    unsigned value =
        0x40u | (unsigned)wide << 3 | (reg >> 3 & 1) << 2 | (index >> 3 & 1) << 1 | (base >> 3 & 1);
    if (value != 0x40)
        byte(code, value);
}

void plane_x86_prefetch(struct x86_code *code, struct x86_memory at) {
    rex(code, false, 0, at.index, at.base);
    byte(code, 0x0f);
    byte(code, 0x18);
    place(code, 2, at, 1); /* prefetcht1: to the second-level cache */
}

void plane_x86_set_mask(struct x86_code *code, enum x86_gpr from) {
    static const unsigned char kmovw[] = {0xc5, 0xf8, 0x92};
    for (unsigned k = 0; k < sizeof kmovw; k++)
        byte(code, kmovw[k]);
    byte(code, 0xc8 | from); /* one of the first eight */
}

void plane_x86_end_vectors(struct x86_code *code) {
    byte(code, 0xc5);
    byte(code, 0xf8);
    byte(code, 0x77);
}

void plane_x86_begin(struct x86_code *code) {
    bytes4(code, 0xfa1e0ff3); /* endbr64 */
}

void plane_x86_push(struct x86_code *code, enum x86_gpr reg) {
    rex(code, false, 0, 0, reg);
    byte(code, 0x50 | (reg & 7));
}

void plane_x86_pop(struct x86_code *code, enum x86_gpr reg) {
    rex(code, false, 0, 0, reg);
    byte(code, 0x58 | (reg & 7));
}

void plane_x86_load_gpr(struct x86_code *code, enum x86_gpr to, struct x86_memory from) {
    rex(code, true, to, from.index == X86_RSP ? 0 : from.index, from.base);
    byte(code, 0x8b);
    place(code, to, from, 1);
}

void plane_x86_add(struct x86_code *code, enum x86_gpr reg, int32_t value) {
    bool is_short = value >= INT8_MIN && value <= INT8_MAX;
    rex(code, true, 0, 0, reg);
    byte(code, is_short ? 0x83 : 0x81);
    byte(code, 0xc0 | (reg & 7));
    if (is_short)
        byte(code, (unsigned)value & 0xff);
    else
        bytes4(code, (uint32_t)value);
}

void plane_x86_loop(struct x86_code *code, size_t target) {
    byte(code, 0x0f);
    byte(code, 0x85); /* jnz */
    bytes4(code, (uint32_t)((int64_t)target - (int64_t)(code->bytes.len + 4)));
}

void plane_x86_return(struct x86_code *code) {
    byte(code, 0xc3);
}
