/* SPDX-License-Identifier: MIT
 * The two halves of disasm_reassemble. */
#ifndef DISASM_REASSEMBLE_H
#define DISASM_REASSEMBLE_H

#include "disasm/symbol_names.h"

/* What is being written, and the place that the assembler has been told last. */
struct source_writer {
    const struct object *o;
    struct symbol_names names;
    struct str *out;
    uint32_t file;     /* of the last .file, or NO_INDEX */
    struct place told; /* by the last .loc */
    bool *mentioned;   /* [symbols]: undefined ones that a jump or .global has named */
};

/* .file and .loc, if the place is not the last one. */
void disasm_tell_place(struct source_writer *w, struct place p);
/* Everything that stands before the text: settings, files, sizes, groups, variables, records. */
void disasm_write_declarations(struct source_writer *w);
/* What stands behind it: globals, constants, entries. */
void disasm_write_symbols(struct source_writer *w);

#endif
