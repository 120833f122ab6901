/* SPDX-License-Identifier: MIT
 * The parts of disasm_dump. */
#ifndef DISASM_DUMP_H
#define DISASM_DUMP_H

#include "disasm/disasm.h"
#include "disasm/names.h"

struct dump {
    const struct object *o;
    const unsigned char *bytes;
    size_t size;
    unsigned actions;
    struct names names;
    struct str *out;
    struct diag *d;
};

/* text.c: -d. */
void dump_text(struct dump *x);
/* source.c: -S and -l.  Files are read once; zeroed is empty. */
struct sources;
struct sources *sources_new(const struct object *o);
void sources_free(struct sources *s);
/* What -l and -S print before instruction `index`, if its place differs from the last one. */
void source_before(struct sources *s, uint32_t index, unsigned actions, struct str *out);

/* sections.c: -h and -s, from the file's bytes. */
void dump_sections(struct dump *x);
void dump_contents(struct dump *x);

/* tables.c: -t, -r, and what -x adds. */
void dump_symbols(struct dump *x);
void dump_relocs(struct dump *x);
void dump_program(struct dump *x); /* -h: what the note says */
void dump_records(struct dump *x); /* -x: sizes, groups, variables, debug records, packages */

#endif
