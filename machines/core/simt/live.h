/* SPDX-License-Identifier: MIT
 * Which registers an instruction of PTX reads and writes, and which live. */
#ifndef MACHINES_CORE_SIMT_LIVE_H
#define MACHINES_CORE_SIMT_LIVE_H

#include "ptx/cfg.h"

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
/* Other registers instead of those, in the same order, in operands of the arena. */
typedef uint32_t simt_renamed(void *context, uint32_t number, enum simt_role role);
void simt_rename_registers(struct ptx_insn *insn, struct arena *arena, simt_renamed *to,
                           void *context);
/* Whether it reads or writes memory, by whichever space. */
bool simt_is_memory(const struct ptx_insn *insn);
/* bra, ret, exit, call, barriers, fences: it has no result of its own. */
bool simt_is_control(const struct ptx_insn *insn);

/* ---- liveness ---- */

/* Registers as bits, `words` to a set. */
struct simt_live {
    const struct ptx_function *function;
    const struct ptx_cfg *cfg;
    uint32_t words;
    uint64_t *in, *out; /* [blocks * words]: before the first instruction, behind the last */
};
void simt_live_make(const struct ptx_function *function, const struct ptx_cfg *cfg,
                    struct simt_live *out);
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
