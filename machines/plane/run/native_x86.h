/* SPDX-License-Identifier: MIT
 * Instructions of x86-64 as bytes: those that code of planes is made of.  Vectors are of 32 bytes
 * (VEX) or 64 (EVEX). */
#ifndef MACHINES_PLANE_RUN_NATIVE_X86_H
#define MACHINES_PLANE_RUN_NATIVE_X86_H

#include "support/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum x86_gpr {
    X86_RAX,
    X86_RCX,
    X86_RDX,
    X86_RBX,
    X86_RSP,
    X86_RBP,
    X86_RSI,
    X86_RDI,
    X86_R8,
    X86_R9,
    X86_R10,
    X86_R11,
    X86_R12,
    X86_R13,
    X86_R14,
    X86_R15
};

/* base + index + offset; index X86_RSP: none. */
struct x86_memory {
    enum x86_gpr base, index;
    int32_t offset;
};

/* A vector: a register, or where it lies. */
struct x86_operand {
    bool in_memory;
    bool masked; /* in memory: words that the mask (k1) leaves out are not touched, and read as 0 */
    unsigned reg;
    struct x86_memory memory;
};

struct x86_code {
    VEC(unsigned char) bytes;
    bool wide; /* vectors of 64 bytes, 32 registers and masks; else of 32 bytes, 16 registers */
};

enum x86_logic { X86_AND = 0xdb, X86_ANDN = 0xdf, X86_OR = 0xeb, X86_XOR = 0xef };

/* --- vectors --- */
/* to = left OP right; ANDN: ~left & right */
void plane_x86_logic(struct x86_code *code, enum x86_logic op, unsigned to, unsigned left,
                     struct x86_operand right);
/* Wide vectors.  to = table[4 * to + 2 * middle + last], bit by bit. */
void plane_x86_ternary(struct x86_code *code, uint8_t table, unsigned to, unsigned middle,
                       struct x86_operand last);
void plane_x86_load(struct x86_code *code, unsigned to, struct x86_operand from);
void plane_x86_store(struct x86_code *code, struct x86_operand to, unsigned from);
/* Narrow vectors, under the mask in a register (the top bit of each word). */
void plane_x86_load_masked(struct x86_code *code, unsigned to, unsigned mask,
                           struct x86_memory from);
void plane_x86_store_masked(struct x86_code *code, struct x86_memory to, unsigned mask,
                            unsigned from);
void plane_x86_prefetch(struct x86_code *code, struct x86_memory at);
/* k1 = the low bits of a register of 32 bits */
void plane_x86_set_mask(struct x86_code *code, enum x86_gpr from);
void plane_x86_end_vectors(struct x86_code *code); /* vzeroupper */

/* --- the rest --- */
void plane_x86_begin(struct x86_code *code); /* where an indirect call may land */
void plane_x86_push(struct x86_code *code, enum x86_gpr reg);
void plane_x86_pop(struct x86_code *code, enum x86_gpr reg);
void plane_x86_load_gpr(struct x86_code *code, enum x86_gpr to, struct x86_memory from);
void plane_x86_add(struct x86_code *code, enum x86_gpr reg, int32_t value);
/* To the instruction that begins at byte `target`, where the last sum is not 0. */
void plane_x86_loop(struct x86_code *code, size_t target);
void plane_x86_return(struct x86_code *code);

#endif
