/* SPDX-License-Identifier: MIT
 * A program's text as it is carried out: decoded once, with what can be known without running
 * it, where runs begin and end among it. */
#ifndef OBJECT_TEXT_H
#define OBJECT_TEXT_H

#include "isa-spec/isa.h"
#include "support/arena.h"

struct text {
    uint32_t len;
    const uint32_t *words;
    struct insn *insns; /* op == OP_COUNT: the word is illegal */
    uint32_t *match;    /* REPEAT: its REPEAT_END, and the other way round; else NO_INDEX */
    uint8_t *entered;   /* 1: a jump, call or loop may enter here, so no run goes on across it */
    bool has_jump_any, has_mark;
};

/* words[0..len) and the tables are kept by the caller: those of a package, where sizes have been
 * filled in.  A LUT whose table is not there is illegal, and so is a
 * MULP without its shape. */
void object_text_load(struct text *text, const uint32_t *words, size_t len, struct lut_list luts,
                      struct arena *arena);
/* One past the last instruction of the jump-free run of vector instructions at `first`; `first`
 * itself when there is none.  A run has at most TEXT_RUN_MAX instructions, so that the memory for
 * its code stays bounded. */
#define TEXT_RUN_MAX 256
uint32_t object_text_run_end(const struct text *text, uint32_t first);
/* True if a body that begins at `body` can reach a JUMP_COND or JUMP_NONE before its footer. */
bool object_text_body_depends_on_data(const struct text *text, uint32_t body);

/* Calls visit once for each instruction that a body which begins at `body` may come to before its
 * footer, subroutines that it calls among it; not for those with seen[i] set, which it sets.
 * seen: [text.len]. */
typedef void text_visitor(void *context, const struct text *t, uint32_t index);
void object_text_visit_body(const struct text *text, uint32_t body, uint8_t *seen,
                            text_visitor *visit, void *context);

/* Under which predication an instruction of a body can be reached, as far as that can be known
 * without running it: masks[i] is a sum of these, 0 for what no body comes to.  [text.len] */
enum text_mask { TEXT_PLAIN = 1, TEXT_MASKED = 2 };
void object_text_find_masks(const struct text *text, uint8_t *masks);

/* The first `footer` at or after `from`; text.len if there is none. */
uint32_t object_text_footer(const struct text *text, uint32_t from, enum isa_op footer);
static inline uint32_t insn_flags(const struct insn *insn) {
    return insn->op < OP_COUNT ? isa_info(insn->op)->flags : 0;
}
/* Carried out by the datapath, in one run with others like it. */
static inline bool insn_in_run(const struct insn *insn) {
    return (insn_flags(insn) & (ISA_VECTOR | ISA_CUTS_RUN)) == ISA_VECTOR;
}

#endif
