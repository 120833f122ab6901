/* SPDX-License-Identifier: MIT
 * A toy kind of machine, to learn from: scalar cores of 16 instructions.
 *
 * A VRF is a core with a memory of its own, in which the registers of its lanes lie; it carries out
 * an MPU instruction for one lane after the other, by a routine in its own instructions.  The cores
 * of an RFH share the port to their memories.  So a multiplication takes as long as its operands
 * want, and a core as long as its neighbours let it. */
#ifndef CORE_H
#define CORE_H

#include "machines/datapath.h"
#include "machines/stored/link/stored.h"

/* Word: op 31..28, registers d 27..24, a 23..20, b 19..16, imm 15..0.  x0 is 0. */
enum core_op {
    CORE_END, /* the routine is over */
    CORE_LD,  /* x[d] = what lies at a place */
    CORE_ST,  /* it becomes x[a] */
    CORE_LI,  /* x[d] = imm, with its sign */
    CORE_ADD,
    CORE_SUB,
    CORE_AND,
    CORE_OR,
    CORE_XOR,
    CORE_SHL, /* by 64 and more: 0, or the sign */
    CORE_SHR,
    CORE_SAR,
    CORE_LTU, /* x[d] = x[a] < x[b] */
    CORE_LTS,
    CORE_BEQZ, /* if x[a] is 0: on at word imm */
    CORE_BNEZ,
    CORE_OPS
};
#define CORE_D(word)   ((word) >> 24 & 15)
#define CORE_A(word)   ((word) >> 20 & 15)
#define CORE_B(word)   ((word) >> 16 & 15)
#define CORE_IMM(word) ((word)&0xffff)

/* Keys of the target file that are this kind's own. */
struct core_keys {
    struct stored_keys stored;
    uint64_t access_cycles; /* of LD and ST, in the core */
    uint64_t port_cycles;   /* and at the port */
    uint64_t branch_cycles; /* of a branch that is taken; all else takes one */
    uint64_t alu_fj, access_fj;
};

/* ---- routines.c ---- */

/* [OP_COUNT]: what carries out an MPU instruction in one lane; NULL: nothing does. */
extern const char *const core_routines[OP_COUNT];

/* ---- link.c ---- */

extern const struct target_kind core_kind;
extern const struct stored_kind core_stored;
extern const struct machine core_machine;
extern const struct machine_form core_form;
/* Forms of kernels that it carries out, NULL at the end; beside the list of kinds. */
extern const struct machine_form *const core_forms[];

/* ---- run.c ---- */

extern const struct datapath_ops core_engine;

#endif
