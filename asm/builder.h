/* SPDX-License-Identifier: MIT
 * The API that front ends emit through (the assembler too): instructions, labels, groups,
 * variables and sizes into one object.  Everything is checked by the encoder; a front end's bug
 * shows as a message, not as a wrong word. */
#ifndef ASM_BUILDER_H
#define ASM_BUILDER_H

#include "object/object.h"

struct builder;

struct builder *builder_new(struct diag *d);
/* Where the following instructions come from. */
void builder_place(struct builder *b, const char *file, uint32_t line, uint32_t column);

/* Appends an instruction; returns its index.  `insn` must encode (else an error is reported). */
uint32_t builder_emit(struct builder *b, const struct insn *insn);
uint32_t builder_rrr(struct builder *b, enum mpu_op op, unsigned width, unsigned rs, unsigned rt,
                     unsigned rd);
uint32_t builder_imm(struct builder *b, enum mpu_op op, unsigned width, unsigned rd, int32_t imm);
uint32_t builder_plain(struct builder *b, enum mpu_op op); /* format Z */
/* LI and as few LIKk as the constant needs: rd = value at width (bits above left unchanged). */
void builder_constant(struct builder *b, unsigned width, unsigned rd, uint64_t value);
/* LI, LIK1..5 with relocations: rd = size + addend at width. */
void builder_size_constant(struct builder *b, unsigned width, unsigned rd, uint32_t size,
                           int64_t addend);
uint32_t builder_compute_group(struct builder *b, uint32_t group);
uint32_t builder_repeat(struct builder *b, struct extent count);

/* Labels: made first, bound once, jumped to any number of times. */
uint32_t builder_label(struct builder *b, const char *name); /* NULL: anonymous */
void builder_bind(struct builder *b, uint32_t label);
uint32_t builder_jump(struct builder *b, enum mpu_op op, uint32_t label);
void builder_symbol(struct builder *b, const char *name, enum symbol_kind kind, bool global);

uint32_t builder_size(struct builder *b, const struct size_decl *s);
uint32_t builder_group(struct builder *b, const struct group *g);
uint32_t builder_variable(struct builder *b, const struct variable *v);
uint32_t builder_debug(struct builder *b, const struct debug_record *r);
void builder_data(struct builder *b, const struct data_record *r);

/* The object under construction, for what has no call here. */
struct object *builder_object(struct builder *b);
/* Ends: resolves labels, fills sets and relocations.  NULL after errors.  Frees the builder. */
struct object *builder_finish(struct builder *b);

#endif
