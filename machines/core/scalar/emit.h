/* SPDX-License-Identifier: MIT
 * Code from scalar IR.  What a core brings is a struct scalar_core: a table of patterns, the names
 * of its registers, and which operations are calls of routines; the rest is here.
 *
 * Registers are allotted in one scan of the straight code: the value whose next use is farthest
 * goes to the stack.  Pairs lie in an even register and the next one. */
#ifndef MACHINES_CORE_SCALAR_EMIT_H
#define MACHINES_CORE_SCALAR_EMIT_H

#include "machines/core/scalar/ir.h"
#include "support/str.h"

#define SCALAR_MOST_REGISTERS 32u

/* How an operation is written; the first pattern of the table that fits is taken.
 * In the text:
 *   %c %a %b %d   the result, the operands (registers of words, or a constant in its place)
 *   %Cp %Ap %Bp   a pair's own name
 *   %cl %ch ..    of a pair its low and its high register, or that half of a constant
 *   %k %j %m      k, the bits of a word less k, k ones: each modulo the bits of a word
 *   %n            k
 *   %t %u         words beside, as `temporaries` asks, two at most
 *   %L            a label behind the pattern
 *   %p %o         of a load, store or table: the register with the address, and what comes to it */
struct scalar_pattern {
    uint8_t op;          /* enum scalar_op */
    bool wide;           /* the result is, or of comparisons, stores and halves the operand */
    uint8_t known;       /* not 0: both operands are below 2^known */
    uint8_t known_b;     /* not 0: b is */
    uint8_t wanted;      /* not 0: no more low bits of the result are asked for */
    uint8_t bytes;       /* of loads, stores, tables */
    uint8_t immediate;   /* b may be a constant of so many bits with a sign; 32, 64: any */
    uint8_t least, most; /* of k, where most is not 0 */
    bool zero_a;         /* a may be the constant 0 */
    bool early;          /* the result is written before all operands are read */
    uint8_t temporaries;
    const char *text;
    const char *unless, *when; /* of comparisons: to %L where it does not hold, or holds */
    const char *routine;       /* called */
    uint32_t changes;          /* bits of registers that it leaves changed */
};
/* Of calls the first operand is in register 0 (or the pair there), the second in `second_word` or
 * `second_pair` (a word beside a pair, too), the result in register 0, what is left of a division
 * where the second was; the two registers behind the second are the routine's. */
struct scalar_core {
    const struct scalar_pattern *patterns;
    size_t count;
    const char *const *names; /* [registers] */
    const char *const *pairs; /* [registers], of even ones */
    unsigned registers;       /* that values may lie in: the first so many */
    bool low_first;           /* a pair's low word is in the even register */
    const char *zero;
    unsigned second_word, second_pair; /* of calls */
    const char *call;                  /* %r: the routine */
    const char *same; /* how a move of words begins: of one to itself it is left out */
    /* %c %a words, %Cp %Ap pairs. */
    const char *move, *move_pair, *constant, *constant_pair;
    const char *if_zero, *if_not_zero; /* of %a, to %L */
    const char *spill, *spill_pair;    /* %b to stack + %o */
    const char *reload, *reload_pair;
    /* Of routines that are made from IR: how many registers they have, the first ones, all of which
     * they change; where they go on to stack + %o and from there, 8 bytes; the way back. */
    unsigned called_registers; /* 0: it has no such routines */
    const char *own;           /* the register that %o counts from */
    const char *enter, *leave, *back;
};

/* Where things lie. */
struct scalar_places {
    /* The register with an address, and what comes to it for that element of the array. */
    void (*at)(const void *context, uint32_t array, uint32_t element, const char **reg,
               uint32_t *offset);
    void (*table)(const void *context, uint32_t table, const char **reg, uint32_t *offset);
    const void *context;
    uint32_t stack;     /* offset of the first spilled value */
    unsigned registers; /* of the core's, that the loop leaves for values */
};
struct scalar_code {
    uint32_t instructions, spills; /* spills: values that went to the stack */
    uint32_t stack;                /* bytes of it */
    uint32_t labels;               /* numbers of labels so far: in, and out */
    VEC(const char *) routines;    /* called, each once */
    VEC(uint64_t) called;          /* likewise, of those that are made from IR (routines.h) */
};
void scalar_code_free(struct scalar_code *code);
/* Appends the code of a body that scalar_finish has seen.  False: the core has no pattern for the
 * value whose number is in *wrong. */
bool scalar_emit(const struct scalar_core *core, struct scalar_body *b,
                 const struct scalar_places *places, struct str *out, struct scalar_code *about,
                 scalar_id *wrong);
/* Appends the routines of `called`, and notes those that they call.  They have the stack from
 * there on, at most *bytes of it.  False: likewise. */
bool scalar_emit_called(const struct scalar_core *core, uint32_t stack, struct str *out,
                        struct scalar_code *about, uint32_t *bytes);

#endif
