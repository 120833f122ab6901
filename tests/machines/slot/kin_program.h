/* SPDX-License-Identifier: MIT
 * Random programs of several kin: groups of 1 to 64 bits and fixed VRFs, bodies and subroutines
 * that serve one of them or several, masks, rounds, several MPUs. */
#ifndef TESTS_MACHINES_SLOT_KIN_PROGRAM_H
#define TESTS_MACHINES_SLOT_KIN_PROGRAM_H

#include "isa-spec/isa.h"
#include "support/str.h"
#include "support/vec.h"

enum {
    KIN_LUTS = 4,
    KIN_SHAPES = 8,
    KIN_GROUPS = 7,
    KIN_SUBS = 2,
    KIN_REGS = 5,
    KIN_FIXED = KIN_GROUPS,
    KIN_OWNERS
};

struct kin_insns {
    VEC(struct insn) list;
};
/* A program as text, and what a naive count needs of it. */
struct kin_program {
    bool (*has)(enum isa_op op);           /* instructions that may be drawn */
    bool luts;                             /* tables are looked up, too: t0 .. t3 */
    uint8_t lut_bits[KIN_LUTS];            /* of their indices */
    struct isa_product shapes[KIN_SHAPES]; /* p0 .. p7 */
    uint64_t state;
    uint32_t groups, rounds_wanted;
    bool fixed;
    uint64_t elements[KIN_GROUPS];
    unsigned width[KIN_OWNERS], most; /* widest register; of all of the program */
    struct kin_insns subs[KIN_SUBS];
    struct str text;
    /* What each body comes to, by owner: group or KIN_FIXED; counted when all widths are known. */
    VEC(struct done {
        uint32_t owner;
        struct insn insn;
        bool masked;
    })
    done;
};

/* `has` and `luts` are the caller's; the rest is made.  seven: a group of each width. */
void kin_program_make(struct kin_program *k, uint64_t seed, bool seven);
void kin_program_free(struct kin_program *k);

#endif
