/* SPDX-License-Identifier: MIT
 * A toy: rows of slots that work bit-parallel, one slot a lane, on five row commands.  It shows
 * what the interfaces for kinds of machines ask of a kind whose lanes are as wide as the registers
 * of a kin, whose energy depends on the lanes that are enabled, whose times depend on how many VRFs
 * work at once, and which answers by itself.
 *
 * A slot is as wide as the widest register of its VRF's kin, rounded up to a power of two.  A shift
 * moves a whole row, so that bits leave a slot for the next one: programs clear them, and each slot
 * has programs of its own.  Bits of a slot above a register are undefined.  C, M and valid are rows
 * of slots that are all zeros or all ones. */
#ifndef TESTS_MACHINES_SLOT_SLOT_H
#define TESTS_MACHINES_SLOT_SLOT_H

#include "machines/machine.h"
#include "support/vec.h"

extern const struct target_kind slot_target_kind;
extern const struct machine slot_machine;

/* Row commands; behind them what copies and answers take. */
enum slot_kind { SLOT_AND, SLOT_OR, SLOT_XOR, SLOT_SHIFT, SLOT_SWEEP, SLOT_COMMANDS };
enum { SLOT_READ = SLOT_COMMANDS, SLOT_WRITE, SLOT_KINDS };
extern const char *const slot_kind_names[SLOT_KINDS];

/* What a target file says beside what all kinds share. */
struct slot_target {
    uint32_t row_bits, register_rows, scratch_rows;
    uint64_t logic_ps, shift_ps, sweep_ps, access_ps;
    uint64_t logic_fj, shift_fj, sweep_fj, access_fj; /* of one command in one VRF */
    uint64_t fj_per_lane;                             /* of a row command, for each enabled lane */
    /* VRFs of an MPU whose rows may be activated at once; so many more have to wait a window. */
    uint32_t at_once;
    uint64_t window_ps;
};
static inline const struct slot_target *slot_target(const struct target *t) {
    return t->own;
}
/* Of one command, when nothing has to wait; of it in one VRF. */
uint64_t slot_kind_ps(const struct target *t, unsigned kind);
uint64_t slot_kind_fj(const struct target *t, unsigned kind);

/* ---- row programs ---- */

/* Rows as commands name them.  Constants are rows that hold one number in every slot. */
enum {
    SLOT_RS,
    SLOT_RT,
    SLOT_RD,
    SLOT_C,
    SLOT_M,
    SLOT_VALID,
    SLOT_SCRATCH = 16,     /* + i */
    SLOT_CONSTANT = 0x8000 /* + place among the constants */
};
#define SLOT_MAX_SCRATCH 256

/* dst = a op b; SHIFT: all of the row << shift, or >> if it is negative; SWEEP: all ones where
 * the slot of a holds the constant b, else zeros. */
struct slot_command {
    uint8_t kind;
    int8_t shift;
    uint16_t dst, a, b;
};
struct slot_program {
    VEC(struct slot_command) commands;
    VEC(uint64_t) constants;
};

/* Appends the program of an instruction in slots of so many bits, whatever registers it names,
 * which may be one and the same.  Returns the scratch rows that it needs. */
uint32_t slot_program_add(struct slot_program *p, const struct insn *insn, unsigned slot,
                          bool masked);
void slot_program_free(struct slot_program *p);
bool slot_has(enum isa_op op);
/* As far as rows have names: r7 for rs where the instruction says so. */
void slot_command_text(const struct slot_command *c, const uint64_t *constants,
                       const struct insn *insn, struct str *out);

/* ---- code ---- */

/* An instruction at one width, with one constant, in slots of so many bits, masked or not. */
struct slot_form {
    uint8_t opcode, width, slot, masked;
    int32_t imm;
    uint32_t first, count; /* commands */
};
struct slot_code {
    struct machine_code base;
    struct slot_program program;
    VEC(struct slot_form) forms; /* ascending by opcode, width, imm, slot, masked */
    VEC(uint8_t) kins;           /* slots of the program's */
    struct machine_part *parts;  /* [forms.len], for machine.load */
};
static inline const struct slot_code *slot_code_of(const struct machine_code *c) {
    return (const struct slot_code *)(const void *)c;
}
const struct slot_form *slot_find(const struct slot_code *c, const struct insn *insn, unsigned slot,
                                  bool masked);

enum slot_format { SLOT_FORMAT_TEXT, SLOT_FORMAT_CSV };

#endif
