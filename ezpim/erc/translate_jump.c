/* SPDX-License-Identifier: MIT
 * Labels and jumps.  A label's instructions set the mask that the pointers of all ways to it lead
 * to. */
#include "ezpim/erc/translate.h"

#include <stdlib.h>

static bool is_jump(const struct erc_item *item) {
    return item->kind == ITEM_INSN &&
           (item->insn->does == DOES_JUMP || item->insn->does == DOES_JUMP_COND);
}

static bool is_header(const struct erc_item *item) {
    return item->kind == ITEM_INSN &&
           (item->insn->does == DOES_COMPUTE || item->insn->does == DOES_COMPUTE_ALL);
}

/* A JUMP_COND that goes back, from behind COMPUTE_DONE, over a header. */
static void survey_loops(struct translator *translator) {
    uint32_t header = NO_INDEX; /* the last one */
    bool active = false;
    for (uint32_t i = 0; i < translator->u->items.len; i++) {
        const struct erc_item *item = &translator->u->items.data[i];
        if (item->kind != ITEM_INSN)
            continue;
        if (is_header(item)) {
            header = i;
            active = true;
        }
        active &= item->insn->does != DOES_COMPUTE_DONE && item->insn->does != DOES_EOF;
        if (item->insn->does == DOES_JUMP_COND && !active && header != NO_INDEX &&
            item->target < header)
            translator->entries[i].around = translator->entries[item->target].around = true;
    }
}

struct sub_walk {
    struct translator *t;
    bool *seen; /* [items] */
    VEC(uint32_t) waiting;
};

static void walk_to(struct sub_walk *walk, uint32_t item) {
    if (walk->seen[item])
        return;
    walk->seen[item] = true;
    vec_push(&walk->waiting, item);
}

/* What masks an item of a subroutine touches, and the items behind it. */
static void walk_item(struct sub_walk *walk, uint32_t index) {
    const struct erc_item *item = &walk->t->u->items.data[index];
    enum erc_does does = item->kind == ITEM_INSN ? item->insn->does : DOES_NOTHING;
    walk->t->subs_mask |= does == DOES_SETMASK || does == DOES_UNMASK;
    if (item->kind == ITEM_IF || item->kind == ITEM_WHILE)
        walk->t->subs_own |= UINT64_C(1) << item->operand[CONDITION_GM];
    if (item->kind == ITEM_IF || item->kind == ITEM_ELIF)
        walk->t->subs_own |= UINT64_C(1) << item->operand[CONDITION_M];
    walk->t->subs_change |= erc_item_registers(item);
    if (is_jump(item))
        walk_to(walk, item->target);
    if (does != DOES_RETURN && does != DOES_EOF && item->kind != ITEM_END)
        walk_to(walk, index + 1);
}

/* Whatever a jump that may be a call leads to. */
static void survey_subs(struct translator *translator) {
    const struct erc_unit *u = translator->u;
    struct sub_walk w = {.t = translator, .seen = xcalloc(u->items.len, sizeof *w.seen)};
    for (size_t i = 0; i < u->items.len; i++)
        if (is_jump(&u->items.data[i]) && u->items.data[i].insn->does == DOES_JUMP &&
            translator->entries[u->items.data[i].target].returns)
            walk_to(&w, u->items.data[i].target);
    while (w.waiting.len)
        walk_item(&w, w.waiting.data[--w.waiting.len]);
    free(w.seen);
    vec_free(&w.waiting);
}

void erc_survey_jumps(struct translator *translator) {
    survey_loops(translator);
    bool returns = false, in_body = false;
    for (size_t i = translator->u->items.len; i-- > 0;) {
        const struct erc_item *item = &translator->u->items.data[i];
        enum erc_does does = item->kind == ITEM_INSN ? item->insn->does : DOES_NOTHING;
        if (does == DOES_RETURN)
            returns = in_body = true;
        if (does == DOES_EOF || item->kind == ITEM_END)
            returns = in_body = false;
        if (does == DOES_COMPUTE_DONE)
            in_body = false;
        translator->entries[i].returns = returns;
        translator->entries[i].returns_in_body = in_body;
        if (is_jump(item)) {
            translator->entries[item->target].reached = true;
            translator->entries[item->target].by_cond |= does == DOES_JUMP_COND;
        }
    }
    survey_subs(translator);
}

static uint32_t later(uint32_t left, uint32_t right) {
    return left > right ? left : right;
}

/* A way to the item with the mask and T that are known now. */
static void add_way(struct translator *translator, uint32_t target) {
    struct erc_entry *e = &translator->entries[target];
    struct mask_state m = erc_mask_join(e->mask, translator->mask);
    if (translator->give_in)
        m = erc_mask_any(translator);
    uint32_t stale = later(e->stale, translator->stale);
    if (!e->seen || !erc_mask_same(m, e->mask) || stale != e->stale)
        translator->entries_changed = true;
    e->seen = true;
    e->mask = m;
    e->stale = stale;
}

static uint32_t label_of(struct translator *translator, uint32_t item) {
    struct erc_entry *e = &translator->entries[item];
    if (translator->b && !e->label)
        e->label = builder_label(translator->b, NULL) + 1;
    return e->label - 1;
}

/* A label in front of a header that a loop of its ensemble goes back to stands behind it. */
static bool before_header(const struct translator *translator, uint32_t item) {
    const struct erc_unit *u = translator->u;
    if (!translator->entries[item].by_cond || translator->entries[item].around ||
        translator->active.len || translator->in_sub)
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

void erc_bind_label(struct translator *translator, uint32_t item) {
    struct erc_entry *e = &translator->entries[item];
    translator->mask = translator->dead ? e->mask : erc_mask_join(translator->mask, e->mask);
    translator->stale = translator->dead ? e->stale : later(translator->stale, e->stale);
    e->region = translator->region;
    e->inside = translator->open;
    erc_put_label(translator, label_of(translator, item));
    if (e->by_cond && !e->around)
        erc_mask_restore(translator, translator->mask);
    translator->dead = false;
}

/* Between ensembles, pointers are known by the order of the text as long as none leads to a
 * register where the text is left or entered. */
static void check_masks_at_top(struct translator *translator) {
    translator->loose |= translator->masked != 0;
}

void erc_translate_label(struct translator *translator) {
    uint32_t item = (uint32_t)(translator->item - translator->u->items.data);
    translator->fresh = 0;
    erc_frame_sets_t(translator);
    if (!translator->entries[item].reached) {
        /* A subroutine that nobody calls is one all the same. */
        translator->behind_label |= translator->dead && translator->active.len == 0;
        return;
    }
    if (before_header(translator, item)) {
        vec_push(&translator->waiting, item);
        return;
    }
    if (translator->active.len) {
        erc_enter(translator);
    } else if (translator->entries[item].around) {
        check_masks_at_top(translator);
    } else if (!translator->in_sub) {
        check_masks_at_top(translator);
        translator->region = ++translator->regions;
        translator->behind_label = translator->dead = true; /* no lane falls through to here */
    }
    if (translator->transfer != TRANSFER_NONE)
        erc_translate_error(translator, "a label that is jumped to stands in a transfer");
    erc_bind_label(translator, item);
}

static void check_region(struct translator *translator, bool call) {
    const struct erc_entry *e = &translator->entries[translator->item->target];
    bool lanes = translator->open || translator->in_sub;
    if (e->region == translator->region || (!e->inside && (call || !lanes)))
        return;
    uint32_t item = (uint32_t)(translator->item - translator->u->items.data);
    bool saved = translator->saved_at != NO_INDEX &&
                 translator->saved_at > translator->item->target && translator->saved_at < item;
    erc_translate_error(
        translator, saved
                        ? "this loop needs a register that the program does not name, and it names "
                          "all 64; none can be saved in a loop"
                        : "this jump leads into or out of an ensemble or subroutine");
    if (translator->b)
        diag_note(
            translator->u->diag,
            erc_line_span(translator->u, translator->u->items.data[translator->item->target].line),
            "it leads here");
}

/* The flag that JUMP_ANY asks is one for all MPUs, each of which has its own text here. */
static void jump_around(struct translator *translator) {
    const struct erc_entry *e = &translator->entries[translator->item->target];
    check_masks_at_top(translator);
    add_way(translator, translator->item->target);
    if (!e->around || e->inside)
        erc_translate_error(translator, "this jump leads into an ensemble");
    if (translator->u->options->has_mpu)
        erc_translate_error(translator,
                            "a loop of JUMP_COND around ensembles is not translated for programs "
                            "of several MPUs");
    if (!erc_put_question(translator))
        erc_translate_error(translator,
                            "JUMP_COND has no ensemble before it whose lanes it could ask");
    erc_put_jump(translator, OP_JUMP_ANY, label_of(translator, translator->item->target));
}

static void warn_forward(struct translator *translator) {
    if (translator->item->target <= (uint32_t)(translator->item - translator->u->items.data) ||
        !translator->b || (translator->active.len == 1 && !translator->in_sub) ||
        !erc_first_time(translator->u, translator->u->lines.data[translator->item->line].first,
                        SEVERITY_NOTE))
        return;
    diag_warning(translator->u->diag, W_LANE_DEPENDENT,
                 erc_line_span(translator->u, translator->item->line),
                 "a forward JUMP_COND is decided for all VRFs of a batch together");
}

static void jump_cond(struct translator *translator) {
    if (translator->entries[translator->item - translator->u->items.data].around) {
        jump_around(translator);
        return;
    }
    warn_forward(translator);
    if (!erc_enter(translator)) {
        erc_translate_error(translator, "JUMP_COND outside of an ensemble has no lanes to ask");
        return;
    }
    add_way(translator, translator->item->target);
    check_region(translator, false);
    erc_put_plain(translator, OP_ANDNMASK);
    erc_put_jump(translator, OP_JUMP_COND, label_of(translator, translator->item->target));
    erc_mask_restore(translator, translator->mask);
}

/* The text decides whether JUMP calls: what it leads to comes to RETURN, or to the end. */
static bool is_call(const struct translator *translator) {
    const struct erc_entry *e = &translator->entries[translator->item->target];
    return translator->open || translator->in_sub ? e->returns_in_body : e->returns;
}

/* Behind a call. */
static void come_back(struct translator *translator) {
    translator->stale = line_number(translator);
    erc_frame_sets_t(translator);
    if (translator->frames.len)
        vec_last(&translator->frames).own |= translator->subs_own;
    if (!translator->subs_mask)
        return;
    translator->mask = translator->returned;
    translator->repointed = true;
}

static void jump(struct translator *translator) {
    if (translator->active.len == 0 && !translator->in_sub)
        check_masks_at_top(translator);
    else
        erc_enter(translator);
    bool call = is_call(translator);
    add_way(translator, translator->item->target);
    erc_put_jump(translator, call ? OP_JUMP : OP_GOTO,
                 label_of(translator, translator->item->target));
    check_region(translator, call);
    translator->dead = !call;
    if (call)
        come_back(translator);
}

void erc_translate_jump(struct translator *translator) {
    if (translator->item->insn->does == DOES_JUMP_COND)
        jump_cond(translator);
    else
        jump(translator);
}

void erc_translate_return(struct translator *translator) {
    if (translator->active.len)
        erc_enter(translator);
    if (!translator->open && !translator->in_sub)
        check_masks_at_top(translator);
    translator->returned = erc_mask_join(translator->returned, translator->mask);
    erc_put_plain(translator, OP_RETURN);
    translator->dead = true;
    if (translator->active.len)
        return;
    translator->in_sub = translator->behind_label = false;
    translator->sub_set = 0;
    translator->region = 0;
}
