/* SPDX-License-Identifier: MIT
 * Forms: what an instruction is to all machines of a library.  Its micro-ops, their steps and what
 * they take depend on the instruction's word, its table and the mask alone, and on its registers by
 * which of them are one, as the recipe table has it.  So a form is made once for all registers, for
 * the placements that are counted and for the run, and for all places where it stands. */
#ifndef MACHINES_PLANE_INSN_FORMS_H
#define MACHINES_PLANE_INSN_FORMS_H

#include "machines/plane/run/translate.h"

/* Micro-ops of one kind; energies in the target's parts of a fJ. */
struct plane_form_kind {
    uint32_t kind;
    uint64_t words;   /* those that are no part of the word before them */
    uint64_t parts;   /* of all lanes */
    uint64_t lane_fj; /* of each lane that M enables */
};

/* Which registers those of a form are in one place: form's register k is reg[k].  count 0: as the
 * form has them. */
struct plane_registers {
    uint8_t reg[3], count;
};
static inline unsigned plane_register(const struct plane_registers *registers, unsigned reg) {
    return reg < registers->count ? registers->reg[reg] : reg;
}
/* A plane as micro-ops have it. */
static inline uint32_t plane_in_place(const struct plane_registers *registers, uint32_t plane) {
    if (PLANE_CLASS(plane) != PLANE_REGISTER)
        return plane;
    uint32_t number = PLANE_NUMBER(plane);
    return PLANE(PLANE_REGISTER, PLANE_SECTION(plane),
                 plane_register(registers, number >> 6) << 6 | (number & 63));
}
struct uop plane_uop_in_place(const struct plane_registers *registers, const struct uop *uop);

/* Bits of a register that the steps name: those below `bits`. */
struct plane_form_need {
    uint8_t reg, bits;
};

struct plane_form {
    struct uop *uops; /* as the recipes gave them; NULL: let go, with the steps (anew.c) */
    size_t uop_count;
    struct plane_step *steps; /* what lies in a tile by its name (translate.h) */
    size_t step_count;
    uint32_t scratch_slots;
    struct plane_form_kind *kinds; /* each once */
    size_t kind_count;
    struct plane_form_need *needs; /* each register once */
    size_t need_count;
    struct dp_cell_writes *writes; /* of rows, per VRF; ascending */
    size_t write_count;
    uint64_t micro_ops; /* words, per VRF */
    uint64_t uop_slots; /* of the front end */
    bool writes_m;
    bool kept; /* by the memory; else by the code that it was made for */
};

/* Forms of a library, each made once until they take 64 MiB; none is taken out again.  May be asked
 * from any thread.  NULL where the library keeps none. */
struct plane_forms *plane_forms_of(const struct machine_library *library);

/* Storage for those who make forms, zeroed at its start. */
struct plane_form_maker {
    struct plane_machine *machine;
    struct diag *diag;
    struct uop_list uops;
    struct run_translation translation;
};
void plane_form_maker_free(struct plane_form_maker *maker);
/* The form of an instruction, and which registers it has; NULL after reporting. */
struct plane_form *plane_form_get(struct plane_form_maker *maker, const struct insn *insn,
                                  bool masked, struct plane_registers *registers);
/* That of micro-ops, which nobody keeps; NULL after reporting. */
struct plane_form *plane_form_make(struct plane_form_maker *maker, const struct uop *uops,
                                   size_t count, bool unmasked);
/* One that is not kept. */
void plane_form_free(struct plane_form *form);
/* Bytes that it takes. */
size_t plane_form_bytes(const struct plane_form *form);

/* --- writes.c --- */
void plane_form_count_writes(struct plane_form *form, struct plane_map *map);

/* --- insn_forms.c --- */
/* The machine has all bits of registers that the form needs; false after reporting. */
bool plane_form_fits(const struct plane_machine *machine, const struct plane_form *form,
                     const struct plane_registers *registers, struct diag *diag);
/* Copies the form's steps to `to`, with what they name where the machine has it; by_name: registers
 * by their names. */
void plane_form_place(const struct plane_machine *machine, const struct plane_form *form,
                      const struct plane_registers *registers, bool by_name, struct plane_step *to);

/* --- anew.c --- */
/* What a form that was let go is made of again. */
struct plane_origin {
    struct insn insn;
    bool masked;
};
/* Lets go what takes memory of a form that is nobody else's, where there is no room for it. */
void plane_form_settle(struct plane_machine *machine, struct dp_code *code, size_t insn,
                       const struct plane_origin *origin);
/* Bytes go back to where plane_form_settle took them. */
void plane_form_leave(struct plane_machine *machine, struct plane_form *form);

/* A call's own memory for an instruction at a time; zeroed at its start. */
struct plane_anew {
    struct plane_form_maker maker;
    struct plane_form *form; /* NULL, or that of the instruction `form_of` of the code */
    struct step_list steps;  /* of the instruction `steps_of`, where len is not 0 */
    size_t form_of, steps_of;
};
/* With micro-ops and steps. */
const struct plane_form *plane_anew_form(struct plane_machine *machine, struct plane_anew *anew,
                                         const struct dp_code *code, size_t insn);
/* Where registers are. */
const struct plane_step *plane_anew_steps(struct plane_machine *machine, struct plane_anew *anew,
                                          const struct dp_code *code, size_t insn);
void plane_anew_free(struct plane_anew *anew);

#endif
