/* SPDX-License-Identifier: MIT
 * What the words of code are made of (docs/simt-code.md): shared by what encodes, decodes and
 * reads text. */
#ifndef MACHINES_CORE_SIMT_WORDS_H
#define MACHINES_CORE_SIMT_WORDS_H

#include "machines/core/simt/code.h"

/* ---- operations.c ---- */

/* A number of W0 and which of those that share it: an op; SIMT_OPS: none. */
enum simt_op simt_op_of(unsigned code, unsigned sub);
unsigned simt_op_code(const struct simt_insn *insn); /* of memory with its space */
unsigned simt_op_sub(enum simt_op op);
/* The space that the number of a memory operation says; PTX_GENERIC: none, or that. */
enum ptx_space simt_code_space(unsigned code);
/* Op of a number of memory operations; SIMT_OPS: it is none. */
enum simt_op simt_memory_op(unsigned code);
/* What a type is in W0; types that PTX alone tells apart are one. */
unsigned simt_type_code(enum ptx_type type);
enum ptx_type simt_code_type(unsigned code);

/* Modifiers that instructions with the same number have most: an index from 0 on, of which 0 need
 * not be said; SIMT_NO_PRESET: none of them.  Of a memory operation the operation of an atomic. */
#define SIMT_NO_PRESET 15
unsigned simt_preset(const struct simt_insn *insn);
/* Sets op and modifiers beside type, space and vector; false: there is none of that index. */
bool simt_preset_put(unsigned code, unsigned index, struct simt_insn *insn);

/* ---- shape.c ---- */

/* Sets form, counts, kinds and bits of operands by op, modifiers, and of MOV by the counts that
 * there are; sources that are numbers have the kind of registers then.  *m becomes that of the
 * form.  False: there is no such form. */
bool simt_shape(struct simt_insn *insn);
/* Whether the form may have `second`. */
bool simt_has_second(const struct simt_insn *insn);
/* Whether it is bar.sync for a number of threads, and not for all. */
static inline bool simt_counts_threads(const struct simt_insn *insn) {
    return insn->op == SIMT_BAR && insn->m.mode == PTX_NO_MODE && insn->source_count == 2;
}
static inline bool simt_is_access(enum simt_op op) {
    return op == SIMT_LD || op == SIMT_ST || op == SIMT_ATOM;
}

/* ---- code_words.c ---- */

/* Words and places of a kernel's insn_count instructions, whose targets are instructions; false,
 * with why appended and which one in *wrong, if one has none. */
bool simt_kernel_encode(struct simt_kernel *k, struct simt_insn *insns, uint32_t *wrong,
                        struct str *why);

#endif
