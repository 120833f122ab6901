/* SPDX-License-Identifier: MIT
 * Masks, and the blocks that are made of them.
 *
 * The mask around a block is kept in a scratch register (S) unless all lanes are enabled there, and
 * comes back at its end; the lanes that no part of an `if` took yet are in another one (R).  So
 * blocks nest to any depth, where the prototype's inner end enables all lanes.  The registers that
 * the program names for masks hold what they hold in the prototype, for the lanes of the block
 * around; in the other lanes they are 0. */
#include "ezpim/erc/translate.h"

bool erc_mask_same(struct mask_state left, struct mask_state right) {
    return left.kind == right.kind && (left.kind != MASK_IN || left.reg == right.reg);
}

void erc_mask_restore(struct translator *translator, struct mask_state state) {
    if (state.kind == MASK_NONE)
        erc_put_plain(translator, OP_UNMASK);
    else
        erc_put(translator, OP_SETMASK, 0,
                state.kind == MASK_IN ? state.reg : erc_scratch(translator, SCRATCH_KEEP), 0, 0);
}

void erc_mask_keep(struct translator *translator, unsigned which) {
    erc_put(translator, OP_GETMASK, 1, 0, 0, erc_scratch(translator, which));
}

static void clear_condition(struct translator *translator, unsigned any) {
    erc_put(translator, OP_CMPNE, 1, any, any, 0);
}

static void note_change(struct translator *translator) {
    if (translator->frames.len)
        vec_last(&translator->frames).changed = true;
    translator->subs_mask |= translator->in_sub;
}

void erc_translate_setmask(struct translator *translator) {
    uint8_t a = (uint8_t)translator->item->operand[0];
    if (!erc_enter(translator))
        return;
    if (translator->fresh != a + 1) {
        if (translator->u->width > 1)
            erc_put_insn(translator, &(struct insn){.op = OP_SEXT,
                                                    .width = (uint8_t)translator->u->width,
                                                    .rs = a,
                                                    .rd = a,
                                                    .imm = 1});
        clear_condition(translator, a);
    }
    erc_put(translator, OP_SETMASK, 0, a, 0, 0);
    translator->mask = (struct mask_state){MASK_IN, a};
    translator->stale = 0;
    note_change(translator);
}

void erc_translate_unmask(struct translator *translator) {
    if (!erc_enter(translator))
        return;
    erc_put_plain(translator, OP_UNMASK);
    translator->mask = (struct mask_state){MASK_NONE, 0};
    note_change(translator);
}

void erc_mask_follow(struct translator *translator) {
    if (translator->mask.kind != MASK_IN || !(translator->written >> translator->mask.reg & 1))
        return;
    erc_translate_warn(translator,
                       "this writes register %u, which the mask follows; the lanes whose bit 0 it "
                       "clears are disabled",
                       (unsigned)translator->mask.reg);
    erc_put(translator, OP_SETMASK, 0, translator->mask.reg, 0, 0);
}

/* A subroutine is called from blocks, so its own have registers of their own. */
static unsigned outer_register(const struct translator *translator) {
    return SCRATCH_FRAMES + 2 * (ERC_MAX_DEPTH * vec_last(&translator->frames).set +
                                 (unsigned)translator->frames.len - 1);
}

static unsigned remaining_register(const struct translator *translator) {
    return outer_register(translator) + 1;
}

static void put_comparison(struct translator *translator, const struct erc_item *item) {
    static const enum mpu_op ops[RELATION_COUNT] = {
        [RELATION_GT] = OP_CMPGT, [RELATION_LT] = OP_CMPLT, [RELATION_EQ] = OP_CMPEQ,
        [RELATION_GE] = OP_CMPGE, [RELATION_LE] = OP_CMPLE, [RELATION_NE] = OP_CMPNE};
    if (translator->stale && (item->relation == RELATION_GT || item->relation == RELATION_LT))
        erc_translate_warn(
            translator,
            "the prototype takes the conditional register as answer for equal numbers, "
            "and line %u may have left it at 1",
            (unsigned)translator->stale);
    erc_put(translator, ops[item->relation], translator->u->width,
            (unsigned)item->operand[CONDITION_A], (unsigned)item->operand[CONDITION_B], 0);
}

/* Of `if gm,m` and of `while m,t`; t is the prototype's alone. */
static uint8_t mask_register(const struct erc_item *item) {
    return (uint8_t)item->operand[item->kind == ITEM_WHILE ? CONDITION_GM : CONDITION_M];
}

/* The lanes of M for which the condition holds become M and go to its registers. */
static void narrow(struct translator *translator, const struct erc_item *item, uint8_t m,
                   uint8_t gm) {
    put_comparison(translator, item);
    erc_put_plain(translator, OP_ANDMASK_COND);
    erc_put(translator, OP_GETMASK, translator->u->width, 0, 0, m);
    if (gm != m)
        erc_put(translator, OP_GETMASK, translator->u->width, 0, 0, gm);
    clear_condition(translator, m);
    translator->mask = (struct mask_state){MASK_IN, gm};
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
    if (translator->mask.kind != MASK_NONE)
        erc_mask_keep(translator, outer_register(translator));
    return &vec_last(&translator->frames);
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

static void close_frame(struct translator *translator, struct erc_frame *frame) {
    struct mask_state back = frame->outer;
    bool kept = back.kind == MASK_IN && !((frame->written | translator->written) >> back.reg & 1);
    if (back.kind != MASK_NONE && !kept)
        back = (struct mask_state){MASK_IN, erc_scratch(translator, outer_register(translator))};
    erc_mask_restore(translator, back);
    translator->mask = back;
    translator->frames.len--;
}

static void strike_taken(struct translator *translator) {
    erc_put(translator, OP_INIT0, 1, 0, 0, erc_scratch(translator, remaining_register(translator)));
}

static void translate_if(struct translator *translator) {
    open_frame(translator);
    if (translator->item->divided)
        erc_mask_keep(translator, remaining_register(translator));
    narrow(translator, translator->item, mask_register(translator->item),
           mask_register(translator->item));
    if (translator->item->divided)
        strike_taken(translator);
}

/* The lanes that no part took. */
static void enable_remaining(struct translator *translator, struct erc_frame *frame) {
    erc_enter(translator);
    check_frame(translator, frame);
    erc_put(translator, OP_SETMASK, 0, erc_scratch(translator, remaining_register(translator)), 0,
            0);
    if (translator->stale > frame->stale)
        frame->stale = translator->stale;
    translator->stale = 0;
    frame->changed = false;
}

static void translate_elif(struct translator *translator) {
    struct erc_frame *f = &vec_last(&translator->frames);
    enable_remaining(translator, f);
    narrow(translator, translator->item, mask_register(translator->item), f->gm);
    if (translator->item->divided)
        strike_taken(translator);
}

static void translate_else(struct translator *translator) {
    struct erc_frame *f = &vec_last(&translator->frames);
    enable_remaining(translator, f);
    erc_put(translator, OP_GETMASK, translator->u->width, 0, 0, f->gm);
    translator->mask = (struct mask_state){MASK_IN, f->gm};
}

static void translate_endif(struct translator *translator) {
    struct erc_frame f = vec_last(&translator->frames);
    erc_enter(translator);
    check_frame(translator, &f);
    close_frame(translator, &f);
    if (f.stale > translator->stale)
        translator->stale = f.stale;
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

static void translate_endwhile(struct translator *translator) {
    struct erc_frame f = vec_last(&translator->frames);
    uint8_t m = mask_register(f.item);
    erc_enter(translator);
    check_frame(translator, &f);
    if (f.changed)
        erc_put(translator, OP_SETMASK, 0, m, 0, 0);
    narrow(translator, f.item, m, m);
    erc_put_jump(translator, OP_JUMP_COND, f.head);
    erc_put_label(translator, f.end);
    close_frame(translator, &f);
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
