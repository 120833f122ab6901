/* SPDX-License-Identifier: MIT
 * Masks, and the blocks that are made of them.
 *
 * The mask around a block is kept in a scratch register (S) unless all lanes are enabled there, and
 * comes back at its end; the lanes that no part of an `if` took yet are in another one (R).  So
 * blocks nest to any depth, where the prototype's inner end enables all lanes.  The registers that
 * the program names for masks hold what they hold in the prototype, for the lanes of the block
 * around; in the other lanes they are 0. */
#include "ezpim/erc/translate.h"

bool erc_mask_same(struct mask_state a, struct mask_state b) {
    return a.kind == b.kind && (a.kind != MASK_IN || a.reg == b.reg);
}

void erc_mask_restore(struct translator *t, struct mask_state m) {
    if (m.kind == MASK_NONE)
        erc_put_plain(t, OP_UNMASK);
    else
        erc_put(t, OP_SETMASK, 0, m.kind == MASK_IN ? m.reg : erc_scratch(t, SCRATCH_KEEP), 0, 0);
}

void erc_mask_keep(struct translator *t, unsigned which) {
    erc_put(t, OP_GETMASK, 1, 0, 0, erc_scratch(t, which));
}

static void clear_condition(struct translator *t, unsigned any) {
    erc_put(t, OP_CMPNE, 1, any, any, 0);
}

static void note_change(struct translator *t) {
    if (t->frames.len)
        vec_last(&t->frames).changed = true;
    t->subs_mask |= t->in_sub;
}

void erc_translate_setmask(struct translator *t) {
    uint8_t a = (uint8_t)t->item->operand[0];
    if (!erc_enter(t))
        return;
    if (t->fresh != a + 1) {
        if (t->u->width > 1)
            erc_put_insn(
                t, &(struct insn){
                       .op = OP_SEXT, .width = (uint8_t)t->u->width, .rs = a, .rd = a, .imm = 1});
        clear_condition(t, a);
    }
    erc_put(t, OP_SETMASK, 0, a, 0, 0);
    t->mask = (struct mask_state){MASK_IN, a};
    t->stale = 0;
    note_change(t);
}

void erc_translate_unmask(struct translator *t) {
    if (!erc_enter(t))
        return;
    erc_put_plain(t, OP_UNMASK);
    t->mask = (struct mask_state){MASK_NONE, 0};
    note_change(t);
}

void erc_mask_follow(struct translator *t) {
    if (t->mask.kind != MASK_IN || !(t->written >> t->mask.reg & 1))
        return;
    erc_translate_warn(t,
                       "this writes register %u, which the mask follows; the lanes whose bit 0 it "
                       "clears are disabled",
                       (unsigned)t->mask.reg);
    erc_put(t, OP_SETMASK, 0, t->mask.reg, 0, 0);
}

/* A subroutine is called from blocks, so its own have registers of their own. */
static unsigned outer_register(const struct translator *t) {
    return SCRATCH_FRAMES +
           2 * (ERC_MAX_DEPTH * vec_last(&t->frames).set + (unsigned)t->frames.len - 1);
}

static unsigned remaining_register(const struct translator *t) {
    return outer_register(t) + 1;
}

static void put_comparison(struct translator *t, const struct erc_item *c) {
    static const enum mpu_op ops[RELATION_COUNT] = {
        [RELATION_GT] = OP_CMPGT, [RELATION_LT] = OP_CMPLT, [RELATION_EQ] = OP_CMPEQ,
        [RELATION_GE] = OP_CMPGE, [RELATION_LE] = OP_CMPLE, [RELATION_NE] = OP_CMPNE};
    if (t->stale && (c->relation == RELATION_GT || c->relation == RELATION_LT))
        erc_translate_warn(
            t,
            "the prototype takes the conditional register as answer for equal numbers, "
            "and line %u may have left it at 1",
            (unsigned)t->stale);
    erc_put(t, ops[c->relation], t->u->width, (unsigned)c->operand[CONDITION_A],
            (unsigned)c->operand[CONDITION_B], 0);
}

/* Of `if gm,m` and of `while m,t`; t is the prototype's alone. */
static uint8_t mask_register(const struct erc_item *c) {
    return (uint8_t)c->operand[c->kind == ITEM_WHILE ? CONDITION_GM : CONDITION_M];
}

/* The lanes of M for which the condition holds become M and go to its registers. */
static void narrow(struct translator *t, const struct erc_item *c, uint8_t m, uint8_t gm) {
    put_comparison(t, c);
    erc_put_plain(t, OP_ANDMASK_COND);
    erc_put(t, OP_GETMASK, t->u->width, 0, 0, m);
    if (gm != m)
        erc_put(t, OP_GETMASK, t->u->width, 0, 0, gm);
    clear_condition(t, m);
    t->mask = (struct mask_state){MASK_IN, gm};
    t->stale = 0;
}

static void say_nested(struct translator *t) {
    if (t->frames.len == 0 || t->said_nested || !t->b)
        return;
    t->said_nested = true;
    diag_warning(t->u->diag, W_DIALECT, erc_line_span(t->u, t->item->line),
                 "a block in a block works on the lanes of the outer one; the prototype's inner "
                 "end enables all lanes");
    diag_note(t->u->diag, erc_line_span(t->u, vec_last(&t->frames).item->line),
              "the outer one begins here");
}

/* More sets than registers are not needed to run out of them. */
static unsigned frame_set(struct translator *t) {
    if (!t->in_sub)
        return 0;
    if (!t->sub_set && t->sub_sets < 64)
        t->sub_sets++;
    t->sub_set = t->sub_set ? t->sub_set : t->sub_sets;
    return t->sub_set;
}

static struct erc_frame *open_frame(struct translator *t) {
    if (!erc_enter(t))
        erc_translate_error(t, "a block of masks stands in COMPUTE .. COMPUTE_DONE");
    say_nested(t);
    struct erc_frame f = {.item = t->item,
                          .region = t->region,
                          .set = frame_set(t),
                          .epoch = t->epoch,
                          .gm = (uint8_t)t->item->operand[CONDITION_GM],
                          .outer = t->mask};
    vec_push(&t->frames, f);
    if (t->mask.kind != MASK_NONE)
        erc_mask_keep(t, outer_register(t));
    return &vec_last(&t->frames);
}

/* Parts of an if work on the same VRFs, so that all of them have its registers. */
static void check_frame(struct translator *t, const struct erc_frame *f) {
    bool loop = f->item->kind == ITEM_WHILE;
    if (f->epoch == t->epoch && (!loop || f->region == t->region))
        return;
    erc_translate_error(t, "this %s ends in another ensemble than it begins in",
                        loop ? "while" : "if");
    if (t->b)
        diag_note(t->u->diag, erc_line_span(t->u, f->item->line), "it begins here");
}

static void close_frame(struct translator *t, struct erc_frame *f) {
    struct mask_state back = f->outer;
    bool kept = back.kind == MASK_IN && !((f->written | t->written) >> back.reg & 1);
    if (back.kind != MASK_NONE && !kept)
        back = (struct mask_state){MASK_IN, erc_scratch(t, outer_register(t))};
    erc_mask_restore(t, back);
    t->mask = back;
    t->frames.len--;
}

static void strike_taken(struct translator *t) {
    erc_put(t, OP_INIT0, 1, 0, 0, erc_scratch(t, remaining_register(t)));
}

static void translate_if(struct translator *t) {
    open_frame(t);
    if (t->item->divided)
        erc_mask_keep(t, remaining_register(t));
    narrow(t, t->item, mask_register(t->item), mask_register(t->item));
    if (t->item->divided)
        strike_taken(t);
}

/* The lanes that no part took. */
static void enable_remaining(struct translator *t, struct erc_frame *f) {
    erc_enter(t);
    check_frame(t, f);
    erc_put(t, OP_SETMASK, 0, erc_scratch(t, remaining_register(t)), 0, 0);
    if (t->stale > f->stale)
        f->stale = t->stale;
    t->stale = 0;
    f->changed = false;
}

static void translate_elif(struct translator *t) {
    struct erc_frame *f = &vec_last(&t->frames);
    enable_remaining(t, f);
    narrow(t, t->item, mask_register(t->item), f->gm);
    if (t->item->divided)
        strike_taken(t);
}

static void translate_else(struct translator *t) {
    struct erc_frame *f = &vec_last(&t->frames);
    enable_remaining(t, f);
    erc_put(t, OP_GETMASK, t->u->width, 0, 0, f->gm);
    t->mask = (struct mask_state){MASK_IN, f->gm};
}

static void translate_endif(struct translator *t) {
    struct erc_frame f = vec_last(&t->frames);
    erc_enter(t);
    check_frame(t, &f);
    close_frame(t, &f);
    if (f.stale > t->stale)
        t->stale = f.stale;
}

static void translate_while(struct translator *t) {
    struct erc_frame *f = open_frame(t);
    f->head = erc_new_label(t);
    f->end = erc_new_label(t);
    narrow(t, t->item, mask_register(t->item), mask_register(t->item));
    erc_put_jump(t, OP_JUMP_NONE, f->end);
    erc_put_label(t, f->head);
}

static void translate_endwhile(struct translator *t) {
    struct erc_frame f = vec_last(&t->frames);
    uint8_t m = mask_register(f.item);
    erc_enter(t);
    check_frame(t, &f);
    if (f.changed)
        erc_put(t, OP_SETMASK, 0, m, 0, 0);
    narrow(t, f.item, m, m);
    erc_put_jump(t, OP_JUMP_COND, f.head);
    erc_put_label(t, f.end);
    close_frame(t, &f);
}

void erc_translate_block(struct translator *t) {
    switch ((enum item_kind)t->item->kind) {
    case ITEM_IF:
        translate_if(t);
        break;
    case ITEM_ELIF:
        translate_elif(t);
        break;
    case ITEM_ELSE:
        translate_else(t);
        break;
    case ITEM_ENDIF:
        translate_endif(t);
        break;
    case ITEM_WHILE:
        translate_while(t);
        break;
    default:
        translate_endwhile(t);
        break;
    }
}
