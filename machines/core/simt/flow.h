/* SPDX-License-Identifier: MIT
 * Control flow of a function in PTX: blocks, where lanes that part at a branch meet again, which
 * registers an instruction reads and writes, and which live. */
#ifndef MACHINES_CORE_SIMT_FLOW_H
#define MACHINES_CORE_SIMT_FLOW_H

#include "ptx/ptx.h"

/* ---- registers of an instruction ---- */

enum simt_role {
    SIMT_RESULT,  /* written; twice, if the instruction writes it twice */
    SIMT_SOURCE,  /* read: an operand, */
    SIMT_ADDRESS, /* the base of an address, */
    SIMT_DATA,    /* what a store or an atomic takes to memory, */
    SIMT_GUARD,   /* the predicate on which it is carried out */
    SIMT_ROLES
};
struct simt_register {
    uint32_t number;
    enum simt_role role;
};
#define SIMT_MAX_REGISTERS 64
/* Those of one instruction, in the order of its text; how many (of a call with more arguments the
 * first). */
uint32_t simt_registers(const struct ptx_insn *insn, struct simt_register out[SIMT_MAX_REGISTERS]);
/* Whether it reads or writes memory, by whichever space. */
bool simt_is_memory(const struct ptx_insn *insn);
/* bra, ret, exit, call, barriers, fences: it has no result of its own. */
bool simt_is_control(const struct ptx_insn *insn);

/* ---- blocks ---- */

#define SIMT_EXIT UINT32_MAX /* behind all that return */

struct simt_block {
    uint32_t first, end; /* instructions first .. end - 1 */
    uint32_t next[2];    /* blocks, SIMT_EXIT among them */
    uint32_t next_count;
    uint32_t post; /* the block that all ways from here to the end come to first; SIMT_EXIT: none */
};
struct simt_flow {
    const struct ptx_function *function;
    struct simt_block *blocks; /* [block_count] in the order of the text */
    uint32_t block_count;
    uint32_t *block_of; /* [instructions] */
};
void simt_flow_make(const struct ptx_function *function, struct simt_flow *out);
void simt_flow_free(struct simt_flow *flow);
/* The instruction at which lanes meet that a branch parts; SIMT_EXIT: not before they end. */
uint32_t simt_flow_meets(const struct simt_flow *flow, uint32_t insn);

/* ---- liveness ---- */

/* Registers as bits, `words` to a set. */
struct simt_live {
    const struct simt_flow *flow;
    uint32_t words;
    uint64_t *in, *out; /* [block_count * words] */
};
void simt_live_make(const struct simt_flow *flow, struct simt_live *out);
void simt_live_free(struct simt_live *live);
/* From behind an instruction to before it: what it writes for all lanes is dead there, what it
 * reads lives. */
void simt_live_step(const struct ptx_insn *insn, uint64_t *set);
static inline bool simt_set_has(const uint64_t *set, uint32_t number) {
    return set[number / 64] >> (number % 64) & 1;
}
static inline void simt_set_add(uint64_t *set, uint32_t number) {
    set[number / 64] |= (uint64_t)1 << (number % 64);
}

#endif
