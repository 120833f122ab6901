/* SPDX-License-Identifier: MIT
 * The state of one link; for the files of link_objects alone.
 *
 * merge.c and symbols.c join the tables and the text of all inputs into one object whose
 * relocations name its own tables; collect.c drops what nothing refers to; resolve.c turns
 * relocations into words; flow.c checks what the ISA asks of finished text. */
#ifndef LINKER_LINK_H
#define LINKER_LINK_H

#include "linker/linker.h"
#include "support/map.h"

/* An input, and where its records went: map[index in the input] = index in the output. */
struct input {
    const struct object *o;
    uint32_t text_base, debug_base, call_base;
    uint32_t size_base; /* sizes of the inputs before */
    uint32_t *files, *symbols, *sizes, *groups, *vars, *moves;
};

struct link {
    const struct link_options *options;
    struct input *inputs;
    size_t count;
    struct object *out;
    struct diag *d;
    struct arena arena; /* the index maps */
};

/* What messages call an input that may have no places: its main source file. */
const char *input_name(const struct input *in);
/* A place of an input, as a place of the output. */
struct place place_out(const struct input *in, struct place p);
/* The span of instruction `index` of the output. */
struct span span_of(const struct link *l, uint32_t index);

/* Files, geometry, sizes, groups, variables, data and debug records; errors for declarations of
 * the same name that differ. */
void merge_tables(struct link *l);
/* Symbols of all inputs: globals are bound to their one definition, locals stay apart. */
void merge_symbols(struct link *l);
/* Text, relocations, lines and entries; words without a relocation name records of their own
 * object and are rebased. */
void merge_text(struct link *l);

/* Of an input whose tables were merged, behind those before it; an error for one that they have. */
void append_finishes(struct link *l, const struct input *in);
/* After text went: instruction i is moved[i] now, or the next one that is left. */
void drop_finishes(struct object *o, const uint32_t *moved);
void sort_finishes(struct object *o);

/* Sets the entry that --entry names. */
void choose_entry(struct link *l);
/* The text index at which a run starts when an entry names no symbol: `main`, else 0. */
uint32_t default_entry(const struct object *o);
/* --gc-sections. */
void collect_subroutines(struct link *l);
/* With it: moves that no GMOVE names. */
void drop_moves(struct link *l);
/* Everything but sizes; reports undefined symbols. */
void resolve(struct link *l);

/* One call for each RECIPE that is left, in their order. */
void order_calls(struct link *l);
/* Order of the tables, sets of the text. */
void finish_tables(struct link *l);

/* The signatures of symbols that are left: definitions against what callers count on. */
void merge_signatures(struct link *l);

/* The jump, ensemble and REPEAT rules of linked text. */
void check_flow(const struct object *o, struct diag *d);

#endif
