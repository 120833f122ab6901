/* SPDX-License-Identifier: MIT
 * A toy kind of machine: cores with up to 24 threads, which take turns; 1,034 forms of
 * instructions, in words of 48 bits.
 *
 * A core issues a word a cycle, of the thread that has been ready for longest; a thread is ready
 * again some cycles later.  Loads and stores go to memory one after another.  Threads of a core
 * have four locks. */
#ifndef TURNS_H
#define TURNS_H

#include "machines/datapath.h"
#include "machines/stored/link/stored.h"

/* Word: bits 47..46 are 1 for arithmetic: operation 45..42, 41 a number instead of b, condition
 * 40..36, registers d 35..30 and a 29..24, b 23..18 or a number in 17..12 and 23..18, target 11..0;
 * else bits 45..40 are what follows here, and a number or place lies from bit 0 on. */
enum turns_op {
    TURNS_END,
    TURNS_GET, /* d = what lies at a place of the lane */
    TURNS_PUT,
    TURNS_SET,    /* d = number */
    TURNS_LOAD,   /* d = 8 bytes of memory at a */
    TURNS_STORE,  /* they become d */
    TURNS_LOCK,   /* waits until the thread has the lock */
    TURNS_UNLOCK, /* whoever waited first has it */
    TURNS_NAP,    /* the thread rests for so many cycles */
    TURNS_JUMP,
    TURNS_FIRST, /* of arithmetic: operation, number or not, condition, in this order */
};
enum { TURNS_OPERATIONS = 16, TURNS_CONDITIONS = 32 };
enum { TURNS_OPS = TURNS_FIRST + 2 * TURNS_OPERATIONS * TURNS_CONDITIONS };
enum { TURNS_THREADS = 24, TURNS_LOCKS = 4, TURNS_REGISTERS = 40 };
/* x[d] = a op b, then on at the target if the condition holds of it: none, bit 0 .. bit 28 is 1, it
 * is 0, it is not 0. */
enum turns_operation {
    TURNS_ADD,
    TURNS_SUB,
    TURNS_AND,
    TURNS_OR,
    TURNS_XOR,
    TURNS_NAND,
    TURNS_NOR,
    TURNS_SHL, /* by bits 5..0 of b */
    TURNS_SHR,
    TURNS_SAR,
    TURNS_LT,
    TURNS_LTS,
    TURNS_EQ,
    TURNS_NE,
    TURNS_MUL,
    TURNS_MAX,
};

struct turns_keys {
    struct stored_keys stored;
    uint64_t gap_cycles, access_cycles, latency_cycles;
    uint64_t alu_fj, access_fj;
};

extern const struct target_kind turns_kind;            /* link.c */
extern const struct stored_kind turns_stored;          /* link.c */
extern const struct machine turns_machine;             /* link.c */
extern const struct machine_form *const turns_forms[]; /* link.c */
extern const struct datapath_ops turns_engine;         /* run.c */

#endif
