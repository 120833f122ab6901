/* SPDX-License-Identifier: MIT
 * Registers whose words nobody reads any more.
 *
 * A lane that is enabled stays so until pointers change, and takes one way through the list: into a
 * part of a block or past it, back to a label or on.  A register is dead there if on all these ways
 * it is written before it is read, since the lane is enabled where it is written.  Where masks, the
 * VRFs at work or the text change hands, all registers are alive: copies read lanes that are
 * disabled, and a write behind such a place may leave lanes that a scratch value has spoilt. */
#include "ezpim/erc/translate.h"

/* Rounds through the list: one more than loops lie in one another.  What takes more is taken as
 * alive where loops go back. */
enum { MOST_ROUNDS = 8 };

/* Registers that some of the operands `which` name. */
static uint64_t operand_registers(const struct erc_item *item, uint8_t which) {
    uint64_t registers = 0;
    for (unsigned k = 0; item->insn->operands[k]; k++)
        if (which >> k & 1)
            registers |= UINT64_C(1) << item->operand[k];
    return registers;
}

static uint64_t reads_of(const struct translator *translator, const struct erc_item *item) {
    if (item->kind != ITEM_INSN)
        return erc_item_registers(item);
    return item->insn->does == DOES_TEMPLATE
               ? operand_registers(item, translator->access[item->insn - erc_insns].reads)
               : 0;
}

uint64_t erc_item_writes(const struct translator *translator, const struct erc_item *item) {
    return item->kind == ITEM_INSN && item->insn->does == DOES_TEMPLATE
               ? operand_registers(item, translator->access[item->insn - erc_insns].writes)
               : 0;
}

/* The item itself, whatever stands around it. */
static bool keeps_lanes(const struct translator *translator, uint32_t index) {
    const struct erc_item *item = &translator->u->items.data[index];
    if (item->kind != ITEM_INSN)
        return item->kind != ITEM_END;
    switch (item->insn->does) {
    case DOES_TEMPLATE:
        return !(erc_item_writes(translator, item) & translator->followed);
    case DOES_NOTHING:
    case DOES_NOP:
        return true;
    case DOES_JUMP_COND:
        return !translator->entries[index].around;
    default:
        return false;
    }
}

/* Where a part of a block ends, the lanes of the block around come back; those of the part are
 * among them unless something inside changed pointers or what they lead to. */
static void survey_lanes(struct translator *translator) {
    VEC(uint32_t) open = {0};
    uint32_t lost = 0; /* behind the last item that loses lanes */
    for (uint32_t i = 0; i < translator->u->items.len; i++) {
        uint8_t kind = translator->u->items.data[i].kind;
        bool begins = kind == ITEM_IF || kind == ITEM_WHILE;
        bool ends = kind == ITEM_ENDIF || kind == ITEM_ENDWHILE;
        bool *loses = &translator->loses_lanes[i];
        *loses = !keeps_lanes(translator, i);
        if (ends || kind == ITEM_ELIF || kind == ITEM_ELSE)
            *loses = lost > vec_last(&open);
        if (*loses)
            lost = i + 1;
        if (begins)
            vec_push(&open, i);
        open.len -= ends;
    }
    vec_free(&open);
}

/* The other item that a lane may go to, or the one behind. */
static uint32_t other_way(const struct erc_unit *unit, uint32_t index) {
    const struct erc_item *item = &unit->items.data[index];
    switch ((enum item_kind)item->kind) {
    case ITEM_IF:
    case ITEM_ELIF:
    case ITEM_ELSE:
        return item->target;
    case ITEM_WHILE:
    case ITEM_ENDWHILE:
        return item->target + 1;
    case ITEM_INSN:
        return item->insn->does == DOES_JUMP_COND ? item->target : index + 1;
    default:
        return index + 1;
    }
}

uint64_t erc_live_behind(const struct translator *translator, uint32_t index) {
    if (translator->loses_lanes[index])
        return UINT64_MAX;
    return translator->live[index + 1] | translator->live[other_way(translator->u, index)];
}

/* True if the item has more live registers than before. */
static bool survey_item(struct translator *translator, uint32_t index, bool give_in) {
    const struct erc_item *item = &translator->u->items.data[index];
    uint64_t behind = erc_live_behind(translator, index), before = translator->live[index];
    if (give_in && behind != UINT64_MAX && other_way(translator->u, index) <= index)
        behind = UINT64_MAX;
    if (translator->loses_lanes[index])
        translator->live[index] = UINT64_MAX;
    else
        translator->live[index] |=
            (behind & ~erc_item_writes(translator, item)) | reads_of(translator, item);
    return translator->live[index] != before;
}

/* Invariant: what is found alive is alive; once a round finds nothing more, that is all. */
void erc_survey_lives(struct translator *translator) {
    bool again = true;
    survey_lanes(translator);
    for (unsigned round = 0; again; round++) {
        again = false;
        for (uint32_t i = (uint32_t)translator->u->items.len; i-- > 0;)
            again |= survey_item(translator, i, round >= MOST_ROUNDS);
    }
}
