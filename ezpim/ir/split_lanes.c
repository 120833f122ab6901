/* SPDX-License-Identifier: MIT
 * Regions that some lanes are in, cut: each has a mask, a variable of a bit that is 1 in the lanes
 * that are in it, and so at most in those that are in the regions around.  Each piece is done by
 * the lanes of the innermost mask.  Who leaves a region clears its mask and those of the open
 * regions inside; what a LOOP is left of is asked by a node around its pieces. */
#include "ezpim/ir/splitter.h"

static const struct lane_type bit = {TYPE_BOOL, 1};

void ir_split_find_left(struct splitter *splitter) {
    const struct ir_code *code = splitter->whole;
    for (size_t i = 0; i < code->insns.len; i++)
        if (code->insns.data[i].op == IR_TEST || code->insns.data[i].op == IR_EXIT)
            splitter->left[code->insns.data[i].region] = true;
}

void ir_split_make_masks(struct splitter *splitter, uint32_t group) {
    const struct ir_code *code = splitter->whole;
    for (uint32_t r = 0; r < code->regions.len; r++) {
        bool all = code->regions.data[r].op == IR_REPEAT || r == 0;
        splitter->mask[r] = IR_NONE;
        if (!splitter->open[r] || (all && !splitter->left[r]))
            continue;
        splitter->mask[r] = ir_local(&splitter->builder, group, bit, 1);
        splitter->p->variables.data[splitter->mask[r]].lasting = true;
        splitter->p->variables.data[splitter->mask[r]].at = code->regions.data[r].at;
    }
}

/* The mask of the innermost open region that has one, from this one on outwards; IR_NONE: all lanes
 * are in. */
static uint32_t mask_of(const struct splitter *splitter, uint32_t region) {
    for (; region != IR_NONE; region = splitter->whole->regions.data[region].parent)
        if (splitter->mask[region] != IR_NONE)
            return splitter->mask[region];
    return IR_NONE;
}

/* The virtual register of a mask in the piece at hand. */
static uint32_t mask_vreg(struct splitter *splitter, uint32_t variable) {
    struct ir_code *piece = splitter->piece;
    for (uint32_t v = 0; v < piece->vregs.len; v++)
        if (piece->vregs.data[v].variable == variable)
            return v;
    uint32_t region = piece->region;
    piece->region = 0;
    uint32_t made = ir_vreg(piece, bit, NULL, splitter->p->variables.data[variable].at);
    piece->region = region;
    piece->vregs.data[made].variable = variable;
    return made;
}

static void put_bit(struct splitter *splitter, uint32_t variable, uint64_t value, struct span at) {
    const struct ir_insn x = {.op = IR_CONST,
                              .type = bit,
                              .dst = mask_vreg(splitter, variable),
                              .a = IR_NONE,
                              .b = IR_NONE,
                              .c = IR_NONE,
                              .size = IR_NONE,
                              .imm = value,
                              .at = at};
    vec_push(&splitter->piece->insns, x);
}

/* A block of the lanes in which `a` holds (opposite: does not). */
static uint32_t open_test(struct splitter *splitter, uint32_t a, bool opposite, struct span at) {
    uint32_t r = ir_open(splitter->piece, IR_BLOCK, IR_NONE, at);
    ir_mark(splitter->piece, IR_TEST, r, a, at);
    vec_last(&splitter->piece->insns).imm = opposite;
    return r;
}

static void close_block(struct splitter *splitter, uint32_t region, struct span at) {
    ir_mark(splitter->piece, IR_END, region, IR_NONE, at);
}

static void new_piece(struct splitter *splitter) {
    splitter->piece = ir_code_new(splitter->p);
    splitter->piece->group = splitter->whole->group;
}

/* The operand of IF or ELSE, in a piece of its own. */
static uint32_t operand(struct splitter *splitter, uint32_t vreg) {
    for (size_t r = 0; r < splitter->whole->regions.len; r++)
        splitter->region[r] = splitter->open[r] ? 0 : IR_NONE;
    splitter->number[vreg] = IR_NONE;
    uint32_t v = ir_split_vreg_in_piece(splitter, vreg);
    splitter->number[vreg] = IR_NONE;
    return v;
}

struct ir_code *ir_split_set_mask(struct splitter *splitter, uint32_t region,
                                  const struct ir_insn *insn, bool opposite) {
    uint32_t parent = splitter->whole->regions.data[region].parent,
             around = parent == IR_NONE ? IR_NONE : mask_of(splitter, parent),
             mask = splitter->mask[region], outer = IR_NONE, tested = IR_NONE;
    bool asks = insn->op == IR_IF || insn->op == IR_ELSE;
    struct span at = insn->at;
    new_piece(splitter);
    if (around != IR_NONE || asks)
        put_bit(splitter, mask, 0, at);
    if (around != IR_NONE)
        outer = open_test(splitter, mask_vreg(splitter, around), false, at);
    if (asks)
        tested = open_test(splitter, operand(splitter, insn->a), opposite, at);
    put_bit(splitter, mask, 1, at);
    if (tested != IR_NONE)
        close_block(splitter, tested, at);
    if (outer != IR_NONE)
        close_block(splitter, outer, at);
    return splitter->piece;
}

struct ir_code *ir_split_ask_mask(struct splitter *splitter, uint32_t region) {
    new_piece(splitter);
    const struct ir_insn x = {.op = IR_ENABLE,
                              .type = bit,
                              .dst = IR_NONE,
                              .a = mask_vreg(splitter, splitter->mask[region]),
                              .b = IR_NONE,
                              .c = IR_NONE,
                              .size = IR_NONE,
                              .at = splitter->whole->regions.data[region].at};
    vec_push(&splitter->piece->insns, x);
    return splitter->piece;
}

void ir_split_begin_wrap(struct splitter *splitter, struct span at) {
    uint32_t mask = mask_of(splitter, splitter->inside);
    splitter->wrap = IR_NONE;
    if (mask != IR_NONE)
        splitter->wrap = open_test(splitter, mask_vreg(splitter, mask), false, at);
}

void ir_split_end_wrap(struct splitter *splitter, struct span at) {
    if (splitter->wrap != IR_NONE)
        close_block(splitter, splitter->wrap, at);
}

void ir_split_leave(struct splitter *splitter, const struct ir_insn *insn) {
    const struct ir_code *whole = splitter->whole;
    uint32_t tested = IR_NONE;
    if (insn->op == IR_TEST)
        tested =
            open_test(splitter, ir_split_vreg_in_piece(splitter, insn->a), !insn->imm, insn->at);
    for (uint32_t r = splitter->inside; r != IR_NONE; r = whole->regions.data[r].parent) {
        if (splitter->mask[r] != IR_NONE)
            put_bit(splitter, splitter->mask[r], 0, insn->at);
        if (r == insn->region)
            break;
    }
    ir_mark(splitter->piece, IR_EXIT, splitter->wrap, IR_NONE, insn->at);
    if (tested != IR_NONE)
        close_block(splitter, tested, insn->at);
}
