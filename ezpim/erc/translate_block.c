/* SPDX-License-Identifier: MIT
 * Blocks whose masks are in the program's own registers all the time, so that they need none to
 * keep them in. */
#include "ezpim/erc/translate.h"

static uint64_t bit(int32_t reg) {
    return UINT64_C(1) << reg;
}

uint64_t erc_taken_for_masks(const struct erc_item *item) {
    switch ((enum item_kind)item->kind) {
    case ITEM_IF:
        return bit(item->operand[CONDITION_GM]) | bit(item->operand[CONDITION_M]);
    case ITEM_WHILE:
        return bit(item->operand[CONDITION_GM]);
    case ITEM_ELIF:
        return bit(item->operand[CONDITION_M]);
    default:
        return 0;
    }
}

static uint32_t index_of(const struct translator *translator, const struct erc_item *item) {
    return (uint32_t)(item - translator->u->items.data);
}

/* The item that closes the block of a part. */
static uint32_t end_of(const struct translator *translator, const struct erc_item *item) {
    const struct erc_item *items = translator->u->items.data;
    while (item->kind == ITEM_IF || item->kind == ITEM_ELIF || item->kind == ITEM_ELSE)
        item = &items[item->target];
    return item->kind == ITEM_WHILE ? item->target : index_of(translator, item);
}

/* Nothing behind the part, up to the end of its block, writes the register: no instruction, block,
 * copy or subroutine. */
static bool stays(const struct translator *translator, const struct erc_item *part, int32_t reg) {
    uint32_t begin = index_of(translator, part), end = end_of(translator, part);
    if (translator->copied & bit(reg))
        return false;
    for (uint32_t i = begin + 1; i < end; i++) {
        const struct erc_item *item = &translator->u->items.data[i];
        enum erc_does does = item->kind == ITEM_INSN ? item->insn->does : DOES_NOTHING;
        uint64_t written = erc_taken_for_masks(item) | erc_item_writes(translator, item);
        if (does == DOES_SETMASK)
            written |= bit(item->operand[0]);
        bool leaves = does == DOES_JUMP && (item->target <= begin || item->target > end);
        if (leaves)
            written |= translator->subs_change | translator->subs_own;
        if (written & bit(reg) || (leaves && !translator->entries[item->target].returns))
            return false;
    }
    return true;
}

bool erc_block_outer_stays(const struct translator *translator, struct mask_state outer) {
    return !erc_mask_open(outer) && !(erc_taken_for_masks(translator->item) & outer.registers) &&
           stays(translator, translator->item, __builtin_ctzll(outer.registers));
}

/* Each part has a register of its own, apart from gm where `elif` writes that. */
bool erc_block_parts_stay(const struct translator *translator, struct mask_state outer) {
    const struct erc_item *items = translator->u->items.data, *part = translator->item;
    int32_t gm = part->operand[CONDITION_GM];
    uint64_t before = outer.registers | (items[part->target].kind == ITEM_ELIF ? bit(gm) : 0);
    for (; part->kind == ITEM_IF || part->kind == ITEM_ELIF; part = &items[part->target]) {
        int32_t m = part->operand[CONDITION_M];
        bool compares_gm = part->kind == ITEM_ELIF &&
                           (part->operand[CONDITION_A] == gm || part->operand[CONDITION_B] == gm);
        if (before & bit(m) || compares_gm || !stays(translator, part, m))
            return false;
        before |= bit(m);
    }
    return true;
}
