/* SPDX-License-Identifier: MIT
 * The builder's state, shared by its two parts. */
#ifndef ASM_BUILDER_STATE_H
#define ASM_BUILDER_STATE_H

#include "asm/builder.h"
#include "support/map.h"

/* Most candidates for did-you-mean: a search through more would take too long for what it helps. */
#define MAX_CANDIDATES 4096

struct label {
    const char *name; /* NULL: anonymous */
    enum symbol_kind kind;
    bool bound, global, used;
    uint32_t length; /* SYMBOL_SUB */
    int64_t value;
    struct place place; /* of the definition, or of the first use */
    struct span at;     /* the same for messages */
};

struct label_entry {
    uint32_t first_mpu, count, label;
};

/* A jump to an instruction before or behind a label, which can only be checked at the end. */
struct jump_place {
    size_t reloc;
    struct span at;
};

struct builder {
    struct object *o;
    struct diag *d;
    uint32_t errors_before;
    struct place place;
    struct span at;
    uint32_t file_index; /* of the last builder_place */
    uint32_t open_sub;   /* label, or NO_INDEX */
    size_t open_finish;  /* the first record without an end; the number of records: all have ends */
    VEC(struct label) labels;
    struct map names; /* of labels, to their index */
    VEC(struct label_entry) entries;
    VEC(struct jump_place) jumps; /* ascending */
};

/* The place for a message about the current call. */
struct span builder_here(const struct builder *builder);
/* Adds a relocation of the word that is emitted next.  For RELOC_J24 the target is a label until
 * the object is finished. */
void builder_reloc(struct builder *builder, enum reloc_type type, unsigned piece, uint32_t target,
                   int64_t addend);
/* builder_emit of an instruction whose word is known. */
uint32_t builder_encoded(struct builder *builder, const struct insn *insn, uint32_t word);
/* builder_emit without a relocation. */
uint32_t builder_word(struct builder *builder, const struct insn *insn);
/* An anonymous label at an index of the text, which must exist when the builder ends. */
uint32_t builder_label_at(struct builder *builder, uint32_t index);
/* Notes that the label is jumped to. */
void builder_use(struct builder *builder, uint32_t label);

#endif
