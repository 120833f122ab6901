/* SPDX-License-Identifier: MIT
 * The API that front ends emit through (the assembler too): instructions, labels, groups, variables
 * and sizes into one object.  The encoder checks everything: a front end's bug becomes a message,
 * not a wrong word. */
#ifndef ASM_BUILDER_H
#define ASM_BUILDER_H

#include "object/object.h"

struct builder;

struct builder *builder_new(struct diag *diag);
/* Where the following instructions and symbols come from; file == NULL: unknown. */
void builder_place(struct builder *builder, const char *file, uint32_t line, uint32_t column);
/* Where messages about the following calls point, until the next call of builder_span; before the
 * first they have no place. */
void builder_span(struct builder *builder, struct span at);

/* Appends an instruction; returns its index.  `insn` must encode (else an error is reported).
 * COMPUTEG, GMOVE, MARK, PRINT and ASSERT get their relocation from insn->imm, LUT from insn->lut
 * and its width, an index as
 * builder_group, builder_gmove_record and builder_debug return it; jumps from insn->imm, an index
 * into this object's text. */
uint32_t builder_emit(struct builder *builder, const struct insn *insn);
uint32_t builder_rrr(struct builder *builder, enum isa_op op, unsigned width, unsigned rs,
                     unsigned rt, unsigned rd);
uint32_t builder_imm(struct builder *builder, enum isa_op op, unsigned width, unsigned rd,
                     int32_t imm);
uint32_t builder_plain(struct builder *builder, enum isa_op op); /* format Z */
/* Emits LI and as few LIKk as the constant needs, or LI and a shift: rd = value at width (bits
 * above the width are left unchanged). */
void builder_constant(struct builder *builder, unsigned width, unsigned rd, uint64_t value);
/* LI, LIK1..5 with relocations: rd = size + addend at width. */
void builder_size_constant(struct builder *builder, unsigned width, unsigned rd, uint32_t size,
                           int64_t addend);
/* LI and as many LIKk as any element of the value's type needs: rd = an element at width, which is
 * at least the type's. */
void builder_value_constant(struct builder *builder, unsigned width, unsigned rd, uint32_t value,
                            uint32_t element);
uint32_t builder_compute_group(struct builder *builder, uint32_t group);
/* Emits RECIPE, a user instruction, with the label of a subroutine that is called where a target
 * has no recipe for it (NO_INDEX: none). */
uint32_t builder_recipe_call(struct builder *builder, const struct insn *user, uint32_t otherwise);
/* Emits RECIPE of a kernel with an argument for each of its parameters; geometry: NULL, nothing is
 * said; otherwise: the label of what is called in place of it, NO_INDEX: what the kernel says. */
uint32_t builder_kernel_call(struct builder *builder, uint32_t kernel,
                             const struct kernel_argument *arguments,
                             const struct launch_geometry *geometry, uint32_t otherwise);
/* INDEX that counts something else than elements; the record's index is filled in. */
uint32_t builder_number(struct builder *builder, const struct insn *insn,
                        const struct number_record *record);
/* GMOVE of a record. */
uint32_t builder_gmove(struct builder *builder, uint32_t move);
uint32_t builder_repeat(struct builder *builder, struct extent count);

/* Labels are made first, bound once, and jumped to any number of times.  Each name has one label:
 * asking for it again returns the same.  Anonymous ones that are jumped to become symbols
 * "$L<index>". */
uint32_t builder_label(struct builder *builder, const char *name); /* NULL: anonymous */
void builder_bind(struct builder *builder, uint32_t label);
uint32_t builder_jump(struct builder *builder, enum isa_op op, uint32_t label);
/* A jump to `addend` instructions behind the label. */
uint32_t builder_jump_to(struct builder *builder, enum isa_op op, uint32_t label, int64_t addend);
/* Binds the label `name` here as a symbol of this kind (SYMBOL_ABS: builder_absolute).  A
 * SYMBOL_SUB ends at builder_end_sub, or without one at the next SYMBOL_SUB or the end of the text.
 */
void builder_symbol(struct builder *builder, const char *name, enum symbol_kind kind, bool global);
void builder_end_sub(struct builder *builder);
/* The label is seen by other objects; if it is never bound, another object defines it (a label
 * that is neither bound nor global is an error at the end). */
void builder_global(struct builder *builder, const char *name);
void builder_absolute(struct builder *builder, const char *name, int64_t value, bool global);
/* Whether the label is bound, and at which index. */
bool builder_bound(const struct builder *builder, uint32_t label, uint32_t *index);
/* A label that was made before. */
bool builder_find(const struct builder *builder, const char *name, uint32_t *label);
/* MPUs first .. first + count - 1 start at the label. */
void builder_entry(struct builder *builder, uint32_t first_mpu, uint32_t count, uint32_t label);

/* Declares a size; for a derived one the range need not be filled in. */
uint32_t builder_size(struct builder *builder, const struct size_decl *decl);
/* The size for the formula left op right, of which one operand at least is a size: one that has
 * this formula already, or else a new one without a name. */
uint32_t builder_derived(struct builder *builder, enum size_op op, struct size_operand left,
                         struct size_operand right);
uint32_t builder_value(struct builder *builder, const struct value_decl *decl);
/* A table for LUTs, which name it by insn->lut with a width of theirs.  Without a name one that is
 * the same will do. */
uint32_t builder_lut(struct builder *builder, const struct lut_decl *decl);
/* A shape of products, one that is the same if there is one; MULP names it by insn->shape. */
uint32_t builder_product(struct builder *builder, const struct isa_product *product);
uint32_t builder_buffer(struct builder *builder, const struct buffer_decl *decl);
/* Its `otherwise` is a label. */
/* Of an entry of a module, the module is the one that was added with that number. */
uint32_t builder_kernel(struct builder *builder, const struct kernel_decl *decl);
uint32_t builder_module(struct builder *builder, const struct module_decl *decl);
uint32_t builder_group(struct builder *builder, const struct group *group);
/* The groups of a scope may stand in any order, here and in moves. */
uint32_t builder_variable(struct builder *builder, const struct variable *variable);
/* A move.  What does not matter need not be filled in: sizes whose coefficient is 0, bounds of
 * dimensions that are not in `bounded`, the place (then that of builder_place), and the name.
 * Strides of dimensions that are not there are 1. */
uint32_t builder_gmove_record(struct builder *builder, const struct move *move);
uint32_t builder_debug(struct builder *builder, const struct debug_record *record);
void builder_data(struct builder *builder, const struct data_record *record);
/* The first `length` (a variable) elements of the variable count.  One for each variable. */
void builder_length(struct builder *builder, uint32_t variable, uint32_t length);

/* What is emitted from here to builder_end_finish folds a register into an output, and the host may
 * do so instead (struct finish_record; its range is filled in).  Calls that follow one another
 * directly have the same range; no range begins inside another.  Without a place, that of
 * builder_place. */
void builder_begin_finish(struct builder *builder, const struct finish_record *record);
void builder_end_finish(struct builder *builder);

/* How a subroutine is called that is global, here or elsewhere; its name becomes global.  Without a
 * place, that of builder_place. */
void builder_signature(struct builder *builder, const struct sub_signature *signature);

/* The object under construction, for what this header has no call for. */
struct object *builder_object(struct builder *builder);
/* Finishes the object: resolves labels, sorts symbols by value and name, fills sets and
 * relocations, and checks it.  NULL if an error was reported to the builder's diag since
 * builder_new.  Frees the builder. */
struct object *builder_finish(struct builder *builder);
/* In place of builder_finish, where nobody asks for the object any more: reports nothing. */
void builder_give_up(struct builder *builder);

#endif
