/* SPDX-License-Identifier: MIT
 * Stretches of the list that lend registers.
 *
 * In words of more than 32 bits, where all 64 registers are named and wanted, scratch is what a
 * stretch does not name itself.  Inside of it an ensemble must not end, since its loops and blocks
 * lie in one; before and behind it, it may. */
#include "ezpim/erc/translate.h"

#include <stdlib.h>

struct stretch_survey {
    struct translator *t;
    int32_t *depth; /* [items + 1] intervals that begin, less those that end, there */
};

static enum erc_does does_of(const struct erc_item *item) {
    return item->kind == ITEM_INSN ? item->insn->does : DOES_NOTHING;
}

static bool is_header(const struct erc_item *item) {
    return does_of(item) == DOES_COMPUTE || does_of(item) == DOES_COMPUTE_ALL;
}

/* Ensembles do not go on behind it, or their VRFs are others. */
static bool divides(const struct erc_item *item) {
    switch (does_of(item)) {
    case DOES_TEMPLATE:
    case DOES_JUMP:
    case DOES_JUMP_COND:
    case DOES_SETMASK:
    case DOES_UNMASK:
    case DOES_NOTHING:
    case DOES_NOP:
        return item->kind == ITEM_END;
    default:
        return true;
    }
}

static void add_interval(struct stretch_survey *survey, uint32_t begin, uint32_t end) {
    survey->depth[begin]++;
    survey->depth[end]--;
}

/* Jumps that go on in their ensemble. */
static void add_jumps(struct stretch_survey *survey) {
    const struct translator *t = survey->t;
    const struct erc_item *items = t->u->items.data;
    uint32_t *segment = xcalloc(t->u->items.len, sizeof *segment), number = 0;
    for (uint32_t i = 0; i < t->u->items.len; i++)
        segment[i] = number += divides(&items[i]) && !is_header(&items[i]);
    for (uint32_t i = 0; i < t->u->items.len; i++) {
        enum erc_does does = does_of(&items[i]);
        uint32_t to = items[i].target;
        if ((does == DOES_JUMP || does == DOES_JUMP_COND) && segment[i] == segment[to])
            add_interval(survey, to < i ? to : i, to < i ? i : to);
    }
    free(segment);
}

static void add_blocks(struct stretch_survey *survey) {
    uint32_t depth = 0, begin = 0;
    for (uint32_t i = 0; i < survey->t->u->items.len; i++) {
        uint8_t kind = survey->t->u->items.data[i].kind;
        if ((kind == ITEM_IF || kind == ITEM_WHILE) && depth++ == 0)
            begin = i;
        if ((kind == ITEM_ENDIF || kind == ITEM_ENDWHILE) && --depth == 0)
            add_interval(survey, begin, i);
    }
}

static bool is_transfer(const struct erc_item *item) {
    enum erc_does does = does_of(item);
    return does == DOES_MOVE || does == DOES_MOVE_DONE || does == DOES_COPY ||
           does == DOES_COPY_RSHIFT || does == DOES_COPY_BCAST || does == DOES_SEND ||
           does == DOES_SEND_DONE || does == DOES_RECV;
}

/* Copies that shift meet in these registers of a VRF that the program does not name. */
#define MEETING UINT64_C(3)

/* A label before the headers of its ensemble stands behind them. */
static struct erc_stretch stretch_of(const struct translator *t, uint32_t begin, uint32_t end) {
    struct erc_stretch s = {.begin = begin, .end = end, .free = ~t->followed};
    for (uint32_t i = begin; i <= end; i++) {
        const struct erc_item *item = &t->u->items.data[i];
        s.free &= ~(erc_item_registers(item) | erc_taken_for_masks(item));
        if (does_of(item) == DOES_JUMP)
            s.free &= ~(t->subs_change | t->subs_own);
        if (is_header(item))
            s.begin = i + 1;
        else if (is_transfer(item))
            s.free &= ~(t->copied | MEETING);
        else if (divides(item))
            s.free = 0;
    }
    return s;
}

void erc_survey_stretches(struct translator *translator) {
    struct stretch_survey survey = {translator,
                                    xcalloc(translator->u->items.len + 1, sizeof(int32_t))};
    int32_t depth = 0;
    uint32_t begin = 0;
    add_jumps(&survey);
    add_blocks(&survey);
    for (uint32_t i = 0; i < translator->u->items.len; i++) {
        if (depth == 0)
            begin = i;
        depth += survey.depth[i];
        struct erc_stretch s = {0};
        if (depth == 0 && begin < i)
            s = stretch_of(translator, begin, i);
        if (s.free && s.begin < s.end)
            vec_push(&translator->stretches, s);
    }
    free(survey.depth);
}

static struct erc_stretch *at_hand(const struct translator *translator) {
    return translator->stretch < translator->stretches.len
               ? &translator->stretches.data[translator->stretch]
               : NULL;
}

/* So many registers, the highest ones. */
static uint64_t lent_by(const struct erc_stretch *stretch) {
    uint64_t registers = 0, left = stretch->free;
    for (unsigned k = 0; k < stretch->wanted && left; k++) {
        uint64_t highest = UINT64_C(1) << (63 - __builtin_clzll(left));
        registers |= highest;
        left &= ~highest;
    }
    return registers;
}

uint64_t erc_lent_by_stretch(const struct translator *translator) {
    const struct erc_stretch *s = at_hand(translator);
    uint32_t index = (uint32_t)(translator->item - translator->u->items.data);
    return s && s->usable && index >= s->begin ? lent_by(s) : 0;
}

void erc_begin_stretch(struct translator *translator, uint32_t index) {
    struct erc_stretch *s = at_hand(translator);
    if (!s || s->begin != index)
        return;
    s->usable = !translator->in_sub && !translator->dead && erc_has_room_beside(translator) &&
                translator->transfer != TRANSFER_SEND;
    if (s->usable && s->wanted)
        erc_copy_words(translator, lent_by(s), false);
}

static bool is_scratch(const struct translator *translator, unsigned reg) {
    for (size_t i = 0; i < translator->scratch.len; i++)
        if (translator->scratch.data[i] == (int8_t)reg)
            return true;
    return false;
}

int erc_take_from_stretch(struct translator *translator) {
    struct erc_stretch *s = at_hand(translator);
    uint32_t index = (uint32_t)(translator->item - translator->u->items.data);
    if (!s || !s->usable || index < s->begin)
        return -1;
    for (uint64_t left = lent_by(s); left; left &= left - 1) {
        unsigned reg = (unsigned)__builtin_ctzll(left);
        if (!is_scratch(translator, reg) && !(erc_lent(translator) >> reg & 1))
            return (int)reg;
    }
    uint64_t before = lent_by(s);
    s->wanted++;
    uint64_t more = lent_by(s) & ~before;
    translator->stretches_grew |= more != 0;
    return more ? __builtin_ctzll(more) : -1;
}

void erc_end_stretch(struct translator *translator, uint32_t index) {
    struct erc_stretch *s = at_hand(translator);
    if (!s || s->end != index)
        return;
    uint64_t lent = lent_by(s);
    translator->stretch++;
    if (!s->usable || !lent)
        return;
    for (size_t i = 0; i < translator->scratch.len; i++)
        if (translator->scratch.data[i] >= 0 && lent >> translator->scratch.data[i] & 1)
            translator->scratch.data[i] = -1;
    erc_copy_words(translator, lent, true);
}
