/* SPDX-License-Identifier: MIT
 * Masks, and the blocks that are made of them.
 *
 * The mask around a block is kept in a scratch register unless all lanes are enabled there, and
 * comes back at its end; the lanes that no part of an `if` took yet are in another one.  So blocks
 * nest to any depth, where the prototype's inner end enables all lanes.  The registers that the
 * program names for masks hold what they hold in the prototype, for the lanes of the block around;
 * in the other lanes they are 0. */
#include "ezpim/erc/translate.h"

static uint64_t bit(unsigned reg) {
    return UINT64_C(1) << reg;
}

static void put_getmask(struct translator *translator, unsigned width, unsigned reg) {
    erc_put(translator, OP_GETMASK, width, 0, 0, reg);
}

static void put_setmask(struct translator *translator, unsigned reg) {
    erc_put(translator, OP_SETMASK, 0, reg, 0, 0);
}

/* Bit 0 of a register in all bits of its word. */
static void put_spread(struct translator *translator, unsigned from, unsigned to) {
    if (translator->u->width == 1)
        erc_put(translator, OP_MOV, 1, from, 0, to);
    else
        erc_put_insn(translator, &(struct insn){.op = OP_SEXT,
                                                .width = (uint8_t)translator->u->width,
                                                .rs = (uint8_t)from,
                                                .rd = (uint8_t)to,
                                                .imm = 1});
}

static void clear_condition(struct translator *translator, unsigned any) {
    erc_put(translator, OP_CMPNE, 1, any, any, 0);
}

void erc_translate_setmask(struct translator *translator) {
    uint8_t a = (uint8_t)translator->item->operand[0];
    if (!erc_enter(translator))
        return;
    if (translator->fresh != a + 1) {
        put_spread(translator, a, a);
        clear_condition(translator, a);
    }
    erc_mask_point(translator, erc_mask_in(a));
    put_setmask(translator, a);
    translator->stale = 0;
    translator->repointed = true;
}

void erc_translate_unmask(struct translator *translator) {
    if (!erc_enter(translator))
        return;
    erc_mask_point(translator, ERC_NO_MASK);
    erc_put_plain(translator, OP_UNMASK);
    translator->repointed = true;
}

/* Which scratch register of the innermost block. */
static unsigned frame_slot(const struct translator *translator, unsigned which) {
    const struct erc_frame *f = &vec_last(&translator->frames);
    return SCRATCH_FRAMES + which +
           FRAME_SCRATCH * (ERC_MAX_DEPTH * f->set + (unsigned)translator->frames.len - 1);
}

static uint8_t frame_scratch(struct translator *translator, unsigned which) {
    return erc_scratch(translator, frame_slot(translator, which));
}

/* Where the mask around the innermost block is. */
static uint8_t outer_register(struct translator *translator) {
    const struct erc_frame *f = &vec_last(&translator->frames);
    return f->outer_stays ? (uint8_t)__builtin_ctzll(f->outer.registers)
                          : frame_scratch(translator, FRAME_OUTER);
}

static void put_comparison(struct translator *translator, const struct erc_item *item) {
    static const enum isa_op ops[RELATION_COUNT] = {
        [RELATION_GT] = OP_CMPGT, [RELATION_LT] = OP_CMPLT, [RELATION_EQ] = OP_CMPEQ,
        [RELATION_GE] = OP_CMPGE, [RELATION_LE] = OP_CMPLE, [RELATION_NE] = OP_CMPNE};
    if (item->relation == RELATION_GT || item->relation == RELATION_LT)
        erc_take_stale(translator, TAKEN_AS_ANSWER, "");
    erc_expose(translator, erc_item_registers(item));
    erc_put(translator, ops[item->relation], translator->u->width,
            (unsigned)item->operand[CONDITION_A], (unsigned)item->operand[CONDITION_B], 0);
    erc_hide(translator, erc_item_registers(item));
}

/* Of `if gm,m` and of `while m,t`; t is the prototype's alone. */
static uint8_t mask_register(const struct erc_item *item) {
    return (uint8_t)item->operand[item->kind == ITEM_WHILE ? CONDITION_GM : CONDITION_M];
}

/* M is in the register already. */
static void point_and_set(struct translator *translator, uint8_t reg) {
    erc_mask_point(translator, erc_mask_in(reg));
    if (translator->pointers)
        put_setmask(translator, reg);
}

/* The lanes of M for which the condition holds become M and go to its registers. */
static void narrow(struct translator *translator, const struct erc_item *item, uint8_t m,
                   uint8_t gm) {
    put_comparison(translator, item);
    erc_put_plain(translator, OP_ANDMASK_COND);
    put_getmask(translator, translator->u->width, m);
    if (gm != m)
        put_getmask(translator, translator->u->width, gm);
    clear_condition(translator, m);
    point_and_set(translator, gm);
    vec_last(&translator->frames).own |= bit(m) | bit(gm);
    translator->stale = 0;
}

static void say_nested(struct translator *translator) {
    if (translator->frames.len == 0 || translator->said_nested || !translator->b)
        return;
    translator->said_nested = true;
    diag_warning(translator->u->diag, W_DIALECT,
                 erc_line_span(translator->u, translator->item->line),
                 "a block in a block works on the lanes of the outer one; the prototype's inner "
                 "end enables all lanes");
    diag_note(translator->u->diag,
              erc_line_span(translator->u, vec_last(&translator->frames).item->line),
              "the outer one begins here");
}

/* More sets than registers are not needed to run out of them. */
static unsigned frame_set(struct translator *translator) {
    if (!translator->in_sub)
        return 0;
    if (!translator->sub_set && translator->sub_sets < 64)
        translator->sub_sets++;
    translator->sub_set = translator->sub_set ? translator->sub_set : translator->sub_sets;
    return translator->sub_set;
}

static void move_pointer(struct translator *translator, unsigned from, unsigned to) {
    erc_put_plain(translator, OP_UNMASK);
    erc_put(translator, OP_MOV, erc_pointer_width(translator), from, 0, to);
}

static void keep_pointer(struct translator *translator) {
    translator->pointers = true;
    move_pointer(translator, erc_scratch(translator, SCRATCH_POINTER),
                 frame_scratch(translator, FRAME_POINTER));
    put_setmask(translator, outer_register(translator));
}

static struct erc_frame *open_frame(struct translator *translator) {
    if (!erc_enter(translator))
        erc_translate_error(translator, "a block of masks stands in COMPUTE .. COMPUTE_DONE");
    say_nested(translator);
    struct erc_frame f = {.item = translator->item,
                          .region = translator->region,
                          .set = frame_set(translator),
                          .epoch = translator->epoch,
                          .gm = (uint8_t)translator->item->operand[CONDITION_GM],
                          .outer = translator->mask};
    vec_push(&translator->frames, f);
    struct erc_frame *frame = &vec_last(&translator->frames);
    frame->outer_stays = f.outer.registers && erc_block_outer_stays(translator, f.outer) &&
                         erc_scratch_lacks(translator, frame_slot(translator, FRAME_OUTER));
    frame->parts_stay = translator->item->divided && erc_block_parts_stay(translator, f.outer) &&
                        erc_scratch_lacks(translator, frame_slot(translator, FRAME_REMAINING));
    if (f.outer.registers && !frame->outer_stays)
        put_getmask(translator, 1, outer_register(translator));
    if (erc_mask_open(f.outer))
        keep_pointer(translator);
    return frame;
}

/* Parts of an if work on the same VRFs, so that all of them have its registers. */
static void check_frame(struct translator *translator, const struct erc_frame *frame) {
    bool loop = frame->item->kind == ITEM_WHILE;
    if (frame->epoch == translator->epoch && (!loop || frame->region == translator->region))
        return;
    erc_translate_error(translator, "this %s ends in another ensemble than it begins in",
                        loop ? "while" : "if");
    if (translator->b)
        diag_note(translator->u->diag, erc_line_span(translator->u, frame->item->line),
                  "it begins here");
}

/* The mask around the block, as it was at its begin. */
static void enable_outer(struct translator *translator, const struct erc_frame *frame) {
    if (frame->outer.registers)
        put_setmask(translator, outer_register(translator));
    else
        erc_put_plain(translator, OP_UNMASK);
}

void erc_frame_sets_t(struct translator *translator) {
    if (translator->frames.len)
        vec_last(&translator->frames).sets_t = true;
}

/* T = 0 in all lanes of the block around; an UNMASK inside may have set it in others. */
static void clear_outer(struct translator *translator, struct erc_frame *frame, unsigned any) {
    if (!frame->sets_t)
        return;
    enable_outer(translator, frame);
    clear_condition(translator, any);
    frame->sets_t = false;
    if (translator->frames.len > 1)
        translator->frames.data[translator->frames.len - 2].sets_t = true;
}

/* The register whose mask is around the block, and that the block used for its own, in the lanes
 * of M. */
static void give_register_back(struct translator *translator, unsigned reg) {
    put_spread(translator, outer_register(translator), reg);
}

/* The pointers lead where they led: for each register that some may lead to and that was used up,
 * in the VRFs where they do. */
static void close_open(struct translator *translator, const struct erc_frame *frame) {
    uint8_t mask = erc_scratch(translator, SCRATCH_MASK);
    move_pointer(translator, frame_scratch(translator, FRAME_POINTER),
                 erc_scratch(translator, SCRATCH_POINTER));
    for (uint64_t left = frame->outer.registers & frame->own; left; left &= left - 1) {
        unsigned reg = (unsigned)__builtin_ctzll(left);
        translator->all_lanes = true;
        uint8_t y = erc_scratch(translator, SCRATCH_Y);
        erc_mask_chosen(translator, reg, y);
        erc_put(translator, OP_MOV, 1, y, 0, mask);
        erc_return_loan(translator, SCRATCH_Y);
        translator->all_lanes = false;
        put_setmask(translator, mask);
        give_register_back(translator, reg);
        erc_put_plain(translator, OP_UNMASK);
    }
    translator->mask = frame->outer;
    erc_mask_restore(translator, frame->outer);
}

static void close_known(struct translator *translator, const struct erc_frame *frame) {
    erc_mask_point(translator, frame->outer);
    if (frame->outer.registers & frame->own) {
        erc_put_plain(translator, OP_UNMASK);
        give_register_back(translator, (unsigned)__builtin_ctzll(frame->outer.registers));
    }
    erc_mask_restore(translator, frame->outer);
}

static void close_frame(struct translator *translator) {
    struct erc_frame f = vec_last(&translator->frames);
    if (erc_mask_open(f.outer))
        close_open(translator, &f);
    else
        close_known(translator, &f);
    /* An ensemble that ended inside has left the block's own mask as that of its VRFs. */
    translator->repointed |= f.region != translator->region;
    translator->frames.len--;
    if (f.sets_t)
        erc_frame_sets_t(translator);
    if (translator->frames.len)
        vec_last(&translator->frames).own |= f.own;
}

/* The lanes of M are not among those that remain. */
static void strike_taken(struct translator *translator) {
    if (translator->item->divided && !vec_last(&translator->frames).parts_stay)
        erc_put(translator, OP_INIT0, 1, 0, 0, frame_scratch(translator, FRAME_REMAINING));
}

/* The lanes around less those of the parts before, to M and gm.  T takes each part's lanes on the
 * way, and is cleared. */
static void enable_untaken(struct translator *translator, const struct erc_frame *frame) {
    const struct erc_item *items = translator->u->items.data;
    enable_outer(translator, frame);
    for (const struct erc_item *part = frame->item; part != translator->item;
         part = &items[part->target]) {
        erc_put(translator, OP_SETC, 0, mask_register(part), 0, 0);
        erc_put_plain(translator, OP_ANDNMASK);
    }
    put_getmask(translator, translator->u->width, frame->gm);
    enable_outer(translator, frame);
    clear_condition(translator, frame->gm);
    put_setmask(translator, frame->gm);
}

static void translate_if(struct translator *translator) {
    open_frame(translator);
    if (translator->item->divided && !vec_last(&translator->frames).parts_stay)
        put_getmask(translator, 1, frame_scratch(translator, FRAME_REMAINING));
    narrow(translator, translator->item, mask_register(translator->item),
           mask_register(translator->item));
    strike_taken(translator);
}

/* The lanes that no part took, with T = 0 in all of the block around, where the prototype's SETMASK
 * clears it. */
static void enable_remaining(struct translator *translator, struct erc_frame *frame) {
    erc_enter(translator);
    check_frame(translator, frame);
    clear_outer(translator, frame, frame->gm);
    if (frame->parts_stay)
        enable_untaken(translator, frame);
    else
        put_setmask(translator, frame_scratch(translator, FRAME_REMAINING));
    translator->stale = 0;
}

static void translate_elif(struct translator *translator) {
    struct erc_frame *f = &vec_last(&translator->frames);
    enable_remaining(translator, f);
    narrow(translator, translator->item, mask_register(translator->item), f->gm);
    strike_taken(translator);
}

static void translate_else(struct translator *translator) {
    struct erc_frame *f = &vec_last(&translator->frames);
    enable_remaining(translator, f);
    put_getmask(translator, translator->u->width, f->gm);
    point_and_set(translator, f->gm);
    f->own |= bit(f->gm);
}

static void translate_endif(struct translator *translator) {
    erc_enter(translator);
    check_frame(translator, &vec_last(&translator->frames));
    close_frame(translator);
}

static void translate_while(struct translator *translator) {
    struct erc_frame *f = open_frame(translator);
    f->head = erc_new_label(translator);
    f->end = erc_new_label(translator);
    narrow(translator, translator->item, mask_register(translator->item),
           mask_register(translator->item));
    erc_put_jump(translator, OP_JUMP_NONE, f->end);
    erc_put_label(translator, f->head);
}

/* The lanes that left by their mask register have T as they left it; the prototype clears it in
 * all. */
static void translate_endwhile(struct translator *translator) {
    struct erc_frame *f = &vec_last(&translator->frames);
    uint8_t m = mask_register(f->item);
    erc_enter(translator);
    check_frame(translator, f);
    if (!erc_mask_same(translator->mask, erc_mask_in(m)))
        put_setmask(translator, m);
    narrow(translator, f->item, m, m);
    erc_put_jump(translator, OP_JUMP_COND, f->head);
    erc_put_label(translator, f->end);
    clear_outer(translator, f, m);
    close_frame(translator);
}

void erc_translate_block(struct translator *translator) {
    switch ((enum item_kind)translator->item->kind) {
    case ITEM_IF:
        translate_if(translator);
        break;
    case ITEM_ELIF:
        translate_elif(translator);
        break;
    case ITEM_ELSE:
        translate_else(translator);
        break;
    case ITEM_ENDIF:
        translate_endif(translator);
        break;
    case ITEM_WHILE:
        translate_while(translator);
        break;
    default:
        translate_endwhile(translator);
        break;
    }
}
