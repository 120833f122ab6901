/* SPDX-License-Identifier: MIT
 * Labels and jumps.  A label's instructions set the mask that all ways to it have in common; where
 * they have none, it travels in a scratch register. */
#include "ezpim/erc/translate.h"

static bool is_jump(const struct erc_item *i) {
    return i->kind == ITEM_INSN && (i->insn->does == DOES_JUMP || i->insn->does == DOES_JUMP_COND);
}

static bool is_header(const struct erc_item *i) {
    return i->kind == ITEM_INSN &&
           (i->insn->does == DOES_COMPUTE || i->insn->does == DOES_COMPUTE_ALL);
}

/* A JUMP_COND that goes back, from behind COMPUTE_DONE, over a header. */
static void survey_loops(struct translator *t) {
    uint32_t header = NO_INDEX; /* the last one */
    bool active = false;
    for (uint32_t i = 0; i < t->u->items.len; i++) {
        const struct erc_item *item = &t->u->items.data[i];
        if (item->kind != ITEM_INSN)
            continue;
        if (is_header(item)) {
            header = i;
            active = true;
        }
        active &= item->insn->does != DOES_COMPUTE_DONE && item->insn->does != DOES_EOF;
        if (item->insn->does == DOES_JUMP_COND && !active && header != NO_INDEX &&
            item->target < header)
            t->entries[i].around = t->entries[item->target].around = true;
    }
}

void erc_survey_jumps(struct translator *t) {
    survey_loops(t);
    bool returns = false, in_body = false;
    for (size_t i = t->u->items.len; i-- > 0;) {
        const struct erc_item *item = &t->u->items.data[i];
        enum erc_does does = item->kind == ITEM_INSN ? item->insn->does : DOES_NOTHING;
        if (does == DOES_RETURN)
            returns = in_body = t->returns = true;
        if (does == DOES_EOF || item->kind == ITEM_END)
            returns = in_body = false;
        if (does == DOES_COMPUTE_DONE)
            in_body = false;
        t->entries[i].returns = returns;
        t->entries[i].returns_in_body = in_body;
        if (is_jump(item)) {
            t->entries[item->target].reached = true;
            t->entries[item->target].by_cond |= does == DOES_JUMP_COND;
        }
    }
}

static struct mask_state join(struct mask_state a, struct mask_state b) {
    return erc_mask_same(a, b) ? a : (struct mask_state){MASK_UNKNOWN, 0};
}

static uint32_t later(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

/* A way to the item with the mask and T that are known now. */
static void add_way(struct translator *t, uint32_t target) {
    struct erc_entry *e = &t->entries[target];
    struct mask_state m = e->seen ? join(e->mask, t->mask) : t->mask;
    if (t->give_in)
        m = (struct mask_state){MASK_UNKNOWN, 0};
    uint32_t stale = later(e->stale, t->stale);
    if (!e->seen || !erc_mask_same(m, e->mask) || stale != e->stale)
        t->entries_changed = true;
    e->seen = true;
    e->mask = m;
    e->stale = stale;
}

static uint32_t label_of(struct translator *t, uint32_t item) {
    struct erc_entry *e = &t->entries[item];
    if (t->b && !e->label)
        e->label = builder_label(t->b, NULL) + 1;
    return e->label - 1;
}

/* A label in front of a header that a loop of its ensemble goes back to stands behind it. */
static bool before_header(const struct translator *t, uint32_t item) {
    const struct erc_unit *u = t->u;
    if (!t->entries[item].by_cond || t->entries[item].around || t->active.len || t->in_sub)
        return false;
    for (uint32_t i = item; u->items.data[i].kind != ITEM_END; i++) {
        const struct erc_item *next = &u->items.data[i];
        if (is_header(next))
            return true;
        if (next->kind != ITEM_LABEL &&
            !(next->kind == ITEM_INSN && next->insn->does == DOES_NOTHING))
            return false;
    }
    return false;
}

void erc_bind_label(struct translator *t, uint32_t item) {
    struct erc_entry *e = &t->entries[item];
    if (e->seen) {
        t->mask = t->dead ? e->mask : join(t->mask, e->mask);
        t->stale = t->dead ? e->stale : later(t->stale, e->stale);
    }
    e->region = t->region;
    e->inside = t->open;
    if (!erc_mask_same(e->there, t->mask))
        t->entries_changed = true;
    e->there = t->mask;
    bool restores = e->by_cond && !e->around;
    if (restores && t->mask.kind == MASK_UNKNOWN && !t->dead)
        erc_mask_keep(t, SCRATCH_KEEP);
    erc_put_label(t, label_of(t, item));
    if (restores)
        erc_mask_restore(t, t->mask);
    t->dead = false;
}

/* Masks between ensembles are known by the order of the text alone. */
static void check_masks_at_top(struct translator *t) {
    for (size_t i = 0; t->b && t->masked && i < (size_t)t->u->rfhs * 64; i++)
        if (t->masks[i].kind != MASK_NONE) {
            erc_translate_error(t,
                                "a jump between ensembles while VRF %zu of RFH %zu has a mask that "
                                "outlives its ensemble; UNMASK before COMPUTE_DONE is missing",
                                i % 64, i / 64);
            return;
        }
}

void erc_translate_label(struct translator *t) {
    uint32_t item = (uint32_t)(t->item - t->u->items.data);
    t->fresh = 0;
    if (!t->entries[item].reached) {
        /* A subroutine that nobody calls is one all the same. */
        t->behind_label |= t->dead && t->active.len == 0;
        return;
    }
    if (before_header(t, item)) {
        vec_push(&t->waiting, item);
        return;
    }
    if (t->active.len) {
        erc_enter(t);
    } else if (t->entries[item].around) {
        check_masks_at_top(t);
    } else if (!t->in_sub) {
        t->region = ++t->regions;
        t->behind_label = t->dead = true; /* no lane falls through to here */
    }
    if (t->transfer != TRANSFER_NONE)
        erc_translate_error(t, "a label that is jumped to stands in a transfer");
    erc_bind_label(t, item);
}

static void check_region(struct translator *t, bool call) {
    const struct erc_entry *e = &t->entries[t->item->target];
    bool lanes = t->open || t->in_sub;
    if (e->region == t->region || (!e->inside && (call || !lanes)))
        return;
    erc_translate_error(t, "this jump leads into or out of an ensemble or subroutine");
    if (t->b)
        diag_note(t->u->diag, erc_line_span(t->u, t->u->items.data[t->item->target].line),
                  "it leads here");
}

/* The flag that JUMP_ANY asks is one for all MPUs, each of which has its own text here. */
static void jump_around(struct translator *t) {
    const struct erc_entry *e = &t->entries[t->item->target];
    check_masks_at_top(t);
    add_way(t, t->item->target);
    if (!e->around || e->inside)
        erc_translate_error(t, "this jump leads into an ensemble");
    if (t->u->options->has_mpu)
        erc_translate_error(t,
                            "a loop of JUMP_COND around ensembles is not translated for programs "
                            "of several MPUs");
    if (!erc_put_question(t))
        erc_translate_error(t, "JUMP_COND has no ensemble before it whose lanes it could ask");
    erc_put_jump(t, OP_JUMP_ANY, label_of(t, t->item->target));
}

static void warn_forward(struct translator *t) {
    if (t->item->target <= (uint32_t)(t->item - t->u->items.data) || !t->b ||
        (t->active.len == 1 && !t->in_sub))
        return;
    diag_warning(t->u->diag, W_LANE_DEPENDENT, erc_line_span(t->u, t->item->line),
                 "a forward JUMP_COND is decided for all VRFs of a batch together");
}

static void jump_cond(struct translator *t) {
    const struct erc_entry *e = &t->entries[t->item->target];
    struct mask_state back = t->mask;
    if (t->entries[t->item - t->u->items.data].around) {
        jump_around(t);
        return;
    }
    warn_forward(t);
    if (!erc_enter(t)) {
        erc_translate_error(t, "JUMP_COND outside of an ensemble has no lanes to ask");
        return;
    }
    add_way(t, t->item->target);
    check_region(t, false);
    back = t->mask;
    if (back.kind == MASK_UNKNOWN || e->there.kind == MASK_UNKNOWN)
        erc_mask_keep(t, SCRATCH_KEEP);
    erc_put_plain(t, OP_ANDNMASK);
    erc_put_jump(t, OP_JUMP_COND, label_of(t, t->item->target));
    erc_mask_restore(t, back);
}

/* The text decides whether JUMP calls: what it leads to comes to RETURN, or to the end. */
static bool is_call(const struct translator *t) {
    const struct erc_entry *e = &t->entries[t->item->target];
    return t->open || t->in_sub ? e->returns_in_body : e->returns;
}

static void jump(struct translator *t) {
    const struct erc_entry *e = &t->entries[t->item->target];
    bool at_top = t->active.len == 0 && !t->in_sub && !t->behind_label;
    if (at_top)
        check_masks_at_top(t);
    else
        erc_enter(t);
    bool call = is_call(t);
    add_way(t, t->item->target);
    if (e->by_cond && e->there.kind == MASK_UNKNOWN && !at_top)
        erc_mask_keep(t, SCRATCH_KEEP);
    erc_put_jump(t, call ? OP_JUMP : OP_GOTO, label_of(t, t->item->target));
    check_region(t, call);
    t->dead = !call;
    if (call && t->subs_mask)
        t->mask = (struct mask_state){MASK_UNKNOWN, 0};
    if (!call)
        return;
    t->stale = line_number(t);
    t->written |= t->subs_write;
}

void erc_translate_jump(struct translator *t) {
    if (t->item->insn->does == DOES_JUMP_COND)
        jump_cond(t);
    else
        jump(t);
}

void erc_translate_return(struct translator *t) {
    if (t->active.len)
        erc_enter(t);
    erc_put_plain(t, OP_RETURN);
    t->dead = true;
    if (t->active.len)
        return;
    t->in_sub = t->behind_label = false;
    t->sub_set = 0;
    t->region = 0;
}
