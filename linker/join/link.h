/* SPDX-License-Identifier: MIT
 * The state of one link; for the files of link_objects alone.
 *
 * merge.c and symbols.c join the tables and the text of all inputs into one object whose
 * relocations name its own tables; collect.c drops what nothing refers to; relocate.c turns
 * relocations into words; flow.c checks what the ISA asks of finished text. */
#ifndef LINKER_JOIN_LINK_H
#define LINKER_JOIN_LINK_H

#include "linker/linker.h"
#include "support/map.h"

/* An input, and where its records went: map[index in the input] = index in the output. */
struct link_input {
    const struct object *o;
    uint32_t text_base, debug_base, call_base;
    uint32_t size_base; /* sizes of the inputs before */
    uint32_t *files, *symbols, *sizes, *values, *luts, *products, *groups, *vars, *moves, *buffers,
        *modules, *kernels;
};

struct link {
    const struct link_options *options;
    struct link_input *inputs;
    size_t count;
    struct object *out;
    struct diag *d;
    struct arena arena;   /* the index maps */
    struct map lut_names; /* that tables of the output have */
};

/* What messages call an input that may have no places: its main source file. */
const char *link_input_name(const struct link_input *in);
/* A place of an input, as a place of the output. */
struct place link_place_out(const struct link_input *in, struct place place);
/* A size of an input whose sizes were merged, or NO_INDEX. */
uint32_t link_size_out(const struct link_input *in, uint32_t size);
/* The span of instruction `index` of the output. */
struct span link_span_of(const struct link *link, uint32_t index);

/* Files, geometry, sizes, groups, variables, data and debug records; errors for declarations of
 * the same name that differ. */
void link_merge_tables(struct link *link);
/* The tables of an input whose sizes and values were merged. */
void link_merge_luts(struct link *link, struct link_input *in);
/* The shapes of products of an input. */
void link_merge_products(struct link *link, struct link_input *in);
/* Reports that `what` of this name is declared here and, differently, by an earlier input. */
void link_report_differs(struct link *link, const struct link_input *in, const char *what,
                         const char *name, struct place here, struct place before);
/* Buffers and kernels of an input whose sizes were merged; what a call names, in the output; what
 * stands behind 'else', once the symbols are joined; what two inputs say together. */
void link_merge_kernels(struct link *link, struct link_input *in);
struct recipe_call link_call_out(struct link *link, const struct link_input *in,
                                 const struct recipe_call *call);
void link_append_kernels(struct link *link, const struct link_input *in);
void link_check_buffers(struct link *link);
/* Symbols of all inputs: globals are bound to their one definition, locals stay apart. */
void link_merge_symbols(struct link *link);
/* Text, relocations, lines and entries; words without a relocation name records of their own
 * object and are rebased. */
void link_merge_text(struct link *link);

/* The finishes of an input whose tables were merged, behind those that are there; an error for one
 * that is there already. */
void link_append_finishes(struct link *link, const struct link_input *in);
/* After text went: instruction i is moved[i] now, or the next one that is left. */
void link_drop_finishes(struct object *object, const uint32_t *moved);
void link_sort_finishes(struct object *object);
/* What INDEXes count, likewise. */
void link_append_numbers(struct link *link, const struct link_input *in);
void link_drop_numbers(struct object *object, const uint32_t *moved);

/* The objects to one, without second texts; NULL after reporting. */
struct object *link_one_text(const struct object *const *inputs, size_t count,
                             const struct link_options *options, struct diag *diag);
/* For each machine that an input has a text of its own for, the inputs with these texts, linked and
 * added; false after reporting. */
bool link_own_texts(const struct object *const *inputs, size_t count,
                    const struct link_options *options, struct object *out, struct diag *diag);

/* Sets the entry that --entry names. */
void link_choose_entry(struct link *link);
/* The text index at which a run starts when an entry names no symbol: `main`, else 0. */
uint32_t link_default_entry(const struct object *object);
/* --gc-sections. */
void link_collect_subroutines(struct link *link);
/* With it: moves that no GMOVE names. */
void link_drop_moves(struct link *link);
/* Relocations to words, but those of sizes; reports undefined symbols. */
void link_resolve(struct link *link);

/* The tables that LUTs name, at their widths, in place of those of the inputs; no others are left.
 */
void link_resolve_luts(struct link *link);

/* One call for each RECIPE that is left, in their order. */
void link_order_calls(struct link *link);
/* Order of the tables, sets of the text. */
void link_finish_tables(struct link *link);

/* The signatures of symbols that are left: definitions against what callers count on. */
void link_merge_signatures(struct link *link);

/* The jump, ensemble and REPEAT rules of linked text. */
void link_check_flow(const struct object *object, struct diag *diag);

#endif
