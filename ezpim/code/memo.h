/* SPDX-License-Identifier: MIT
 * Bodies that are written once and met often, as those of folds are: the code of the first is the
 * code of all.  Two are equal when passes, selection and allocation cannot tell them apart: the
 * same instructions on virtual registers of the same types and fixed registers; and what the code
 * of the first names must not be reserved for others around the second. */
#ifndef EZPIM_CODE_MEMO_H
#define EZPIM_CODE_MEMO_H

#include "ezpim/code/code.h"

struct code_memo;

struct code_memo *code_memo_new(void);
void code_memo_free(struct code_memo *memo);
/* Before any pass over the body: the code of an equal one, as if made for this one; false if there
 * is none.  A body that is made of several places of the source is equal to none. */
bool code_memo_find(const struct code_memo *memo, const struct ir_code *ir, struct code *code);
/* A body as it was before any pass, and its code.  The arrays are the memo's from then on. */
void code_memo_keep(struct code_memo *memo, struct ir_insn *insns, size_t insn_count,
                    struct ir_vreg *vregs, size_t vreg_count, const struct ir_code *ir,
                    const struct code *code);

#endif
