/* SPDX-License-Identifier: MIT
 * The state of a body that is split, for split.c and split_lanes.c alone. */
#ifndef EZPIM_IR_SPLITTER_H
#define EZPIM_IR_SPLITTER_H

#include "ezpim/ir/build.h"
#include "ezpim/ir/spill.h"
#include "ezpim/ir/split.h"
#include "ezpim/ir/touched.h"

struct splitter {
    struct ir_program *p;
    struct ir_builder builder;
    struct ir_code *whole;
    struct ir_code *piece;
    uint32_t *first, *last; /* [vregs of the whole]: the instructions that name it */
    uint32_t *variable;     /* [vregs]: what it becomes; IR_NONE */
    uint32_t *number;       /* [vregs]: in the piece; IR_NONE */
    uint32_t *region;       /* [regions]: in the piece; IR_NONE */
    bool opens;             /* REPEATs of the body become nodes, which have pieces of it */
    bool lanes;             /* and so do regions that lanes leave */
    bool values;            /* what has no name becomes a variable too */
    bool *open;             /* [regions]: those, and the whole body */
    uint32_t *depth;        /* [regions]: REPEATs around it, of nodes and of the body */
    uint32_t repeats;       /* around the node at hand */
    bool *carried;          /* [vregs]: it is named in such a REPEAT, and lives around it */
    bool *spans;     /* [vregs]: it has no name and lives across marks that are open for it */
    uint32_t *mask;  /* [regions]: the variable that is 1 in the lanes that are in it, of open
                        ones that lanes leave or that begin with some; IR_NONE */
    bool *left;      /* [regions]: some instruction takes lanes out of it */
    uint32_t inside; /* the open region at hand */
    uint32_t wrap;   /* region of the piece around what lanes of the mask do; IR_NONE */
    uint32_t at;     /* instruction at hand */
};

/* True if the mark is of an open region. */
static inline bool split_is_open_mark(const struct splitter *splitter, const struct ir_insn *insn) {
    bool divides = ir_opens(insn->op) || insn->op == IR_END || insn->op == IR_ELSE ||
                   insn->op == IR_NEXT || insn->op == IR_ENTER;
    return divides && splitter->open[insn->region];
}

/* ---- split_lanes.c ---- */

/* Which regions lanes leave. */
void ir_split_find_left(struct splitter *splitter);
/* Variables for the masks of open regions. */
void ir_split_make_masks(struct splitter *splitter, uint32_t group);
/* Code that sets the mask of an open region where it begins, or (ELSE) goes on: to the lanes of the
 * mask around it in which `a` is as `opposite` says, or (IR_NONE) to all of these. */
struct ir_code *ir_split_set_mask(struct splitter *splitter, uint32_t region,
                                  const struct ir_insn *insn, bool opposite);
/* Code that asks whether a lane is in the region. */
struct ir_code *ir_split_ask_mask(struct splitter *splitter, uint32_t region);
/* The piece's wrapper: what follows in it is done by the lanes of the mask. */
void ir_split_begin_wrap(struct splitter *splitter, struct span at);
void ir_split_end_wrap(struct splitter *splitter, struct span at);
/* TEST or EXIT of an open region: masks are cleared in lanes that leave, and these leave the piece.
 */
void ir_split_leave(struct splitter *splitter, const struct ir_insn *insn);

/* ---- split.c ---- */

/* In the piece at hand. */
uint32_t ir_split_vreg_in_piece(struct splitter *splitter, uint32_t vreg);

#endif
