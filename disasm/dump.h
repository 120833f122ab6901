/* SPDX-License-Identifier: MIT
 * The parts of disasm_dump. */
#ifndef DISASM_DUMP_H
#define DISASM_DUMP_H

#include "disasm/disasm.h"
#include "disasm/symbol_names.h"

struct dump {
    const struct object *o;
    const unsigned char *bytes;
    size_t size;
    unsigned actions;
    struct symbol_names names;
    struct str *out;
    struct diag *d;
};

/* dump_text.c: -d. */
void disasm_text(struct dump *x);
/* source.c: -S and -l.  Files are read once; zeroed is empty. */
struct dump_sources;
struct dump_sources *disasm_sources_new(const struct object *o);
void disasm_sources_free(struct dump_sources *s);
/* What -l and -S print before instruction `index`, if its place differs from the last one. */
void disasm_source_before(struct dump_sources *s, uint32_t index, unsigned actions,
                          struct str *out);

/* sections.c: -h and -s, from the file's bytes. */
void disasm_sections(struct dump *x);
void disasm_contents(struct dump *x);

/* tables.c: -t, -r, and what -x adds. */
void disasm_symbols(struct dump *x);
void disasm_relocs(struct dump *x);
void disasm_program(struct dump *x); /* -h: what the note says */
void disasm_records(struct dump *x); /* -x: sizes, groups, variables, debug records, packages */

#endif
