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

void disasm_names_open(struct symbol_names *n, const struct object *o);
void disasm_names_close(struct symbol_names *n);

/* The first entry of by_value whose symbol's value is at least `index`; count if there is none. */
size_t disasm_names_from(const struct symbol_names *n, uint32_t index);
/* "loop", "loop+2" (the nearest symbol at or before index), or nothing if there is none. */
void disasm_name_of_index(const struct symbol_names *n, uint32_t index, struct str *out);
/* The relocation of a word, or NULL. */
const struct reloc *disasm_reloc_of(const struct object *o, uint32_t index);
/* What a relocation refers to: "loop", "@g", "size(n)+1", "3" for a debug record. */
void disasm_reloc_target(const struct object *o, const struct reloc *r, struct str *out);
/* "AVG.8 r1 r2 r3 else slow": call i, as RECIPE has it. */
void disasm_call_text(const struct symbol_names *n, uint32_t i, struct str *out);
/* "R_MPU_J24", "R_MPU_IMM12_0". */
void disasm_reloc_type_name(const struct reloc *r, struct str *out);
/* "[4, 6]": the grid of MPUs, which there is. */
void disasm_grid_text(const struct geometry *g, struct str *out);
/* "g[n, 4] like h", "x: u8[4] @g = r3": declarations as the assembler reads them. */
void disasm_group_text(const struct object *o, const struct group *g, struct str *out);
void disasm_variable_text(const struct object *o, const struct variable *v, struct str *out);
/* "shift u32 @g r3[i] = @g r2[i - 1] wrap" */
void disasm_move_text(const struct object *o, const struct move *m, struct str *out);

#endif
