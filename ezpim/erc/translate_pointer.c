/* SPDX-License-Identifier: MIT
 * Where masks come from: a register that the text knows, or the one of a few that a VRF's own
 * pointer leads to. */
#include "ezpim/erc/translate.h"

bool erc_mask_same(struct mask_state left, struct mask_state right) {
    return left.registers == right.registers && left.none == right.none;
}

struct mask_state erc_mask_join(struct mask_state left, struct mask_state right) {
    return (struct mask_state){left.registers | right.registers, left.none || right.none};
}

struct mask_state erc_mask_any(const struct translator *translator) {
    return (struct mask_state){translator->followed, true};
}

/* The bit of the pointer that stands for a register; bit 0 for none. */
static unsigned pointer_bit(const struct translator *translator, unsigned reg) {
    uint64_t below = translator->followed & ((UINT64_C(1) << reg) - 1);
    return (unsigned)__builtin_popcountll(below) + 1;
}

unsigned erc_pointer_width(const struct translator *translator) {
    return (unsigned)__builtin_popcountll(translator->followed) + 1;
}

static uint8_t pointer_register(struct translator *translator) {
    uint8_t reg = erc_scratch(translator, SCRATCH_POINTER);
    unsigned most = translator->u->used >> reg & 1 ? 64 - erc_container(translator) : 64;
    translator->pointers = true;
    if (erc_pointer_width(translator) > most)
        erc_translate_error(translator,
                            "masks follow %u registers, and the text does not say which one here; "
                            "there is room for %u",
                            erc_pointer_width(translator) - 1, most - 1);
    return reg;
}

static void put_shift(struct translator *translator, enum isa_op op, unsigned width, unsigned rs,
                      unsigned count, unsigned rd) {
    erc_put_insn(translator, &(struct insn){.op = op,
                                            .width = (uint8_t)width,
                                            .rs = (uint8_t)rs,
                                            .rd = (uint8_t)rd,
                                            .imm = (int32_t)count});
}

void erc_mask_chosen(struct translator *translator, unsigned reg, unsigned to) {
    unsigned bit = pointer_bit(translator, reg);
    put_shift(translator, OP_SHRI, bit + 1, pointer_register(translator), bit, to);
}

/* Invariant: the mask so far is 1 where the pointer leads nowhere, or to one of the registers
 * before whose bit 0 is 1. */
static void restore_open(struct translator *translator, struct mask_state state) {
    uint8_t pointer = pointer_register(translator), mask = erc_scratch(translator, SCRATCH_MASK);
    erc_put_plain(translator, OP_UNMASK);
    translator->all_lanes = true;
    if (state.none)
        erc_put(translator, OP_MOV, 1, pointer, 0, mask);
    else
        erc_put(translator, OP_INIT0, 1, 0, 0, mask);
    uint8_t y = erc_scratch(translator, SCRATCH_Y);
    for (uint64_t left = state.registers; left; left &= left - 1) {
        unsigned reg = (unsigned)__builtin_ctzll(left);
        erc_mask_chosen(translator, reg, y);
        erc_put(translator, OP_AND, 1, y, reg, y);
        erc_put(translator, OP_OR, 1, mask, y, mask);
    }
    erc_return_loan(translator, SCRATCH_Y);
    translator->all_lanes = false;
    erc_put(translator, OP_SETMASK, 0, mask, 0, 0);
}

void erc_mask_restore(struct translator *translator, struct mask_state state) {
    if (!state.registers)
        erc_put_plain(translator, OP_UNMASK);
    else if (erc_mask_open(state))
        restore_open(translator, state);
    else
        erc_put(translator, OP_SETMASK, 0, (unsigned)__builtin_ctzll(state.registers), 0, 0);
}

void erc_mask_point(struct translator *translator, struct mask_state state) {
    unsigned width = erc_pointer_width(translator);
    translator->mask = state;
    if (!translator->pointers)
        return;
    uint8_t pointer = pointer_register(translator);
    erc_put_plain(translator, OP_UNMASK);
    erc_put(translator, OP_INIT1, width, 0, 0, pointer);
    if (state.registers)
        put_shift(translator, OP_SHLI, width, pointer,
                  pointer_bit(translator, (unsigned)__builtin_ctzll(state.registers)), pointer);
}

void erc_mask_follow(struct translator *translator) {
    uint64_t registers = translator->mask.registers & translator->written;
    if (!registers)
        return;
    unsigned reg = (unsigned)__builtin_ctzll(registers);
    if (!(translator->said_followed & registers))
        erc_translate_warn(translator,
                           "this writes register %u, which the mask follows; the lanes whose bit 0 "
                           "it clears are disabled",
                           reg);
    translator->said_followed |= registers;
    erc_mask_restore(translator, translator->mask);
}
