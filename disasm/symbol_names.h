/* SPDX-License-Identifier: MIT
 * What stands for a number in an instruction: labels, groups, sizes. */
#ifndef DISASM_SYMBOL_NAMES_H
#define DISASM_SYMBOL_NAMES_H

#include "object/object.h"

/* Symbols and relocations of an object, ready for look-up by text index. */
struct symbol_names {
    const struct object *o;
    struct isa_users users; /* names of user instructions */
    struct arena arena;     /* of these */
    uint32_t *by_value;     /* [count] indices of labels and subroutines, ascending by value */
    size_t count;
};

void disasm_names_open(struct symbol_names *names, const struct object *object);
void disasm_names_close(struct symbol_names *names);

/* The first entry of by_value whose symbol's value is at least `index`; count if there is none. */
size_t disasm_names_from(const struct symbol_names *names, uint32_t index);
/* "loop", "loop+2" (the nearest symbol at or before index), or nothing if there is none. */
void disasm_name_of_index(const struct symbol_names *names, uint32_t index, struct str *out);
/* The relocation of a word, or NULL. */
const struct reloc *disasm_reloc_of(const struct object *object, uint32_t index);
/* What a relocation refers to: "loop", "@g", "size(n)+1", "3" for a debug record. */
void disasm_reloc_target(const struct object *object, const struct reloc *reloc, struct str *out);
/* "AVG.8 r1 r2 r3 else slow": call index, as RECIPE has it. */
void disasm_call_text(const struct symbol_names *names, uint32_t index, struct str *out);
/* Decodes a word of the text, LUT with its width; false: it is illegal, *error says why. */
bool disasm_decode(const struct object *object, uint32_t index, const struct reloc *reloc,
                   struct insn *insn, enum isa_error *error);
/* "R_MPU_J24", "R_MPU_IMM12_0". */
void disasm_reloc_type_name(const struct reloc *reloc, struct str *out);
/* "[4, 6]": the grid of MPUs, which there is. */
void disasm_grid_text(const struct geometry *geometry, struct str *out);
/* "group[n, 4] like h", "x: u8[4] @group = r3": declarations as the assembler reads them. */
void disasm_group_text(const struct object *object, const struct group *group, struct str *out);
void disasm_variable_text(const struct object *object, const struct variable *variable,
                          struct str *out);
/* "shift u32 @g r3[i] = @g r2[i - 1] wrap" */
void disasm_move_text(const struct object *object, const struct move *move, struct str *out);

#endif
