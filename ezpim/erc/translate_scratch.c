/* SPDX-License-Identifier: MIT
 * Scratch registers.
 *
 * One that the program does not name is scratch for good.  Where all 64 are named, one of the
 * program's is: for an instruction, one that is written before it is read again, or else one whose
 * word is put aside and taken back; for longer, one whose word stays aside from the begin to the
 * end, and comes to its place where an instruction names it.  A word is put aside in the bits above
 * it: no instruction of the program's width and no copy reaches them, and the two steps of it work
 * on the same lanes, since the mask does not change between.  Words of more than 32 bits have no
 * room above them, and go to VRFs that the program does not name, by copies between two ensembles.
 */
#include "ezpim/erc/translate.h"

#include <string.h>

enum { REGISTERS = 64 };

static bool has(uint64_t registers, unsigned reg) {
    return registers >> reg & 1;
}

unsigned erc_container(const struct translator *translator) {
    unsigned bits = 8;
    while (bits < translator->u->width)
        bits *= 2;
    return bits;
}

/* Where a word lies that was put aside: above what copies take, and above the scratch. */
static unsigned aside(const struct translator *translator) {
    unsigned bits = erc_container(translator), pointer = erc_pointer_width(translator);
    return translator->pointers && pointer > bits ? pointer : bits;
}

static bool words_have_room(const struct translator *translator) {
    return aside(translator) + erc_container(translator) <= 64;
}

static void put_shift(struct translator *translator, enum isa_op op, unsigned reg) {
    unsigned bits = aside(translator);
    erc_put_insn(translator, &(struct insn){.op = op,
                                            .width = (uint8_t)(bits + erc_container(translator)),
                                            .rs = (uint8_t)reg,
                                            .rd = (uint8_t)reg,
                                            .imm = (int32_t)bits});
}

static void put_aside(struct translator *translator, unsigned reg) {
    put_shift(translator, OP_SHLI, reg);
}

static void take_back(struct translator *translator, unsigned reg) {
    put_shift(translator, OP_SHRI, reg);
}

uint64_t erc_lent(const struct translator *translator) {
    uint64_t registers = 0;
    for (unsigned k = 0; k < MOST_LOANS; k++)
        if (translator->loans[k].kind)
            registers |= UINT64_C(1) << translator->loans[k].reg;
    return registers;
}

/* What an instruction may borrow: nothing that it names, that a mask follows, or that is scratch
 * for longer. */
static uint64_t lendable(const struct translator *translator) {
    return translator->u->used & ~translator->followed & ~translator->displaced &
           ~translator->displacing & ~erc_lent_by_stretch(translator) &
           ~erc_item_registers(translator->item) & ~erc_lent(translator);
}

/* The highest one, or -1. */
static int highest(uint64_t registers) {
    return registers ? 63 - __builtin_clzll(registers) : -1;
}

/* Once: what stands behind the first such place lacks it for the same reason. */
static void say_none(struct translator *translator) {
    if (translator->said_none)
        return;
    translator->said_none = translator->b != NULL;
    erc_translate_error(translator,
                        "this needs a register that the program does not name, and it names all 64"
                        "%s",
                        words_have_room(translator)
                            ? ""
                            : "; words of more than 32 bits leave no room to put one aside, and "
                              "here it cannot be saved in another VRF");
}

/* Puts the word of a register away for a while; LOAN_NONE if it cannot be. */
static enum erc_loan_kind put_away(struct translator *translator, unsigned reg) {
    if (words_have_room(translator)) {
        put_aside(translator, reg);
        return LOAN_ASIDE;
    }
    return !translator->all_lanes && erc_save_words(translator, reg) ? LOAN_SAVED : LOAN_NONE;
}

static uint64_t live_behind(const struct translator *translator) {
    return erc_live_behind(translator, (uint32_t)(translator->item - translator->u->items.data));
}

bool erc_is_cramped(const struct translator *translator, const struct erc_insn *insn) {
    int wanted = (strchr(insn->becomes, 'x') != NULL) + (strchr(insn->becomes, 'y') != NULL);
    return wanted && erc_scratch_is_lent(translator, SCRATCH_X) && !words_have_room(translator) &&
           __builtin_popcountll(lendable(translator) & ~live_behind(translator)) < wanted;
}

static uint8_t borrow(struct translator *translator, unsigned slot) {
    struct erc_loan *loan = &translator->loans[slot];
    uint64_t registers = lendable(translator);
    uint64_t live = translator->all_lanes ? UINT64_MAX : live_behind(translator);
    bool dead = registers & ~live;
    int reg = highest(dead ? registers & ~live : registers);
    bool busy =
        loan->kind && translator->all_lanes; /* an instruction's, while its mask is set anew */
    if (loan->kind && !busy)
        return loan->reg;
    int other =
        dead || busy || words_have_room(translator) ? -1 : erc_take_from_stretch(translator);
    if (other >= 0)
        reg = other;
    enum erc_loan_kind kind = reg < 0 || busy      ? LOAN_NONE
                              : dead || other >= 0 ? LOAN_DEAD
                                                   : put_away(translator, (unsigned)reg);
    if (!kind) {
        say_none(translator);
        return 0;
    }
    *loan = (struct erc_loan){kind, (uint8_t)reg};
    return loan->reg;
}

/* The one that the fewest lines name.  A word cannot stay aside where copies come. */
static int pick_displaced(const struct translator *translator) {
    uint64_t out =
        ~translator->u->used | translator->followed | translator->copied | translator->displacing;
    int best = -1;
    if (!words_have_room(translator))
        return -1;
    for (int r = 0; r < REGISTERS; r++)
        if (!has(out, (unsigned)r) &&
            (best < 0 || translator->named_times[r] < translator->named_times[best]))
            best = r;
    return best;
}

bool erc_scratch_is_lent(const struct translator *translator, unsigned which) {
    bool have = translator->scratch.len > which && translator->scratch.data[which] >= 0;
    return !have && translator->taken == UINT64_MAX;
}

bool erc_scratch_lacks(const struct translator *translator, unsigned which) {
    return erc_scratch_is_lent(translator, which) && !words_have_room(translator);
}

uint8_t erc_scratch(struct translator *translator, unsigned which) {
    if (erc_scratch_is_lent(translator, which) && which <= SCRATCH_Y)
        return borrow(translator, which);
    while (translator->scratch.len <= which)
        vec_push(&translator->scratch, -1);
    int8_t *reg = &translator->scratch.data[which];
    if (*reg < 0 && which >= SCRATCH_FRAMES && translator->taken == UINT64_MAX &&
        !words_have_room(translator))
        *reg = (int8_t)erc_take_from_stretch(translator);
    if (*reg >= 0)
        return (uint8_t)*reg;
    *reg = (int8_t)(translator->taken == UINT64_MAX ? pick_displaced(translator)
                                                    : highest(~translator->taken));
    if (*reg < 0) {
        say_none(translator);
        return 0;
    }
    if (has(translator->u->used, (unsigned)*reg))
        translator->displacing |= UINT64_C(1) << *reg;
    translator->taken |= UINT64_C(1) << *reg;
    return (uint8_t)*reg;
}

/* The loan has ended when its word comes back: the ensemble that begins for that may want scratch
 * of its own. */
static void give_back(struct translator *translator, struct erc_loan *loan) {
    enum erc_loan_kind kind = loan->kind;
    loan->kind = LOAN_NONE;
    if (kind == LOAN_ASIDE)
        take_back(translator, loan->reg);
    if (kind == LOAN_SAVED)
        erc_load_words(translator, loan->reg);
}

void erc_return_loan(struct translator *translator, unsigned which) {
    give_back(translator, &translator->loans[which]);
}

void erc_return_loans(struct translator *translator) {
    give_back(translator, &translator->loans[SCRATCH_X]);
    give_back(translator, &translator->loans[SCRATCH_Y]);
}

/* The scratch in a displaced register waits in a borrowed one. */
void erc_expose(struct translator *translator, uint64_t registers) {
    unsigned bits = aside(translator), slot = SCRATCH_Y + 1;
    for (registers &= translator->displaced; registers; registers &= registers - 1, slot++) {
        unsigned reg = (unsigned)__builtin_ctzll(registers);
        uint8_t other = borrow(translator, slot);
        erc_put(translator, OP_MOV, bits, reg, 0, other);
        take_back(translator, reg);
    }
}

void erc_hide(struct translator *translator, uint64_t registers) {
    unsigned bits = aside(translator), slot = SCRATCH_Y + 1;
    for (registers &= translator->displaced; registers; registers &= registers - 1, slot++) {
        unsigned reg = (unsigned)__builtin_ctzll(registers);
        put_aside(translator, reg);
        erc_put(translator, OP_MOV, bits, translator->loans[slot].reg, 0, reg);
        give_back(translator, &translator->loans[slot]);
    }
}

/* Headers of all VRFs that the program names; false if there are none. */
static bool put_all_headers(struct translator *translator) {
    bool any = false;
    for (uint32_t i = 0; i < translator->u->rfhs * 64; i++)
        if (translator->vrfs[i]) {
            erc_put_insn(translator, &(struct insn){.op = OP_COMPUTE,
                                                    .rfh = (uint16_t)(i / 64),
                                                    .vrf = (uint16_t)(i % 64)});
            any = true;
        }
    return any;
}

void erc_put_prologue(struct translator *translator) {
    if ((!translator->pointers && !translator->displaced) || !put_all_headers(translator))
        return;
    for (unsigned r = 0; r < REGISTERS; r++)
        if (has(translator->displaced, r))
            put_aside(translator, r);
    erc_mask_point(translator, ERC_NO_MASK);
    erc_put_plain(translator, OP_COMPUTE_DONE);
}

void erc_put_epilogue(struct translator *translator) {
    if (!translator->displaced || !put_all_headers(translator))
        return;
    for (unsigned r = 0; r < REGISTERS; r++)
        if (has(translator->displaced, r))
            take_back(translator, r);
    erc_put_plain(translator, OP_COMPUTE_DONE);
}

static uint64_t item_rows(const struct erc_item *item) {
    uint64_t rows = 0;
    const char *letters = item->kind == ITEM_INSN ? item->insn->operands : "";
    for (unsigned k = 0; letters[k]; k++)
        if (letters[k] == 'v' || letters[k] == 'w')
            rows |= UINT64_C(1) << item->operand[k];
    return rows;
}

static void survey_item(struct translator *translator, const struct erc_item *item) {
    uint64_t registers = erc_item_registers(item);
    enum erc_does does = item->kind == ITEM_INSN ? item->insn->does : DOES_NOTHING;
    for (uint64_t left = registers; left; left &= left - 1)
        translator->named_times[__builtin_ctzll(left)]++;
    if (does == DOES_COPY || does == DOES_COPY_RSHIFT || does == DOES_COPY_BCAST)
        translator->copied |= registers;
    if (does == DOES_RECV)
        translator->copied |=
            translator->u->options->knows_sent ? translator->u->options->sent : UINT64_MAX;
    if (does == DOES_SETMASK)
        translator->followed |= registers;
    if (item->kind == ITEM_IF || item->kind == ITEM_ELIF)
        translator->followed |= UINT64_C(1) << item->operand[CONDITION_M];
    if (item->kind == ITEM_IF || item->kind == ITEM_WHILE)
        translator->followed |= UINT64_C(1) << item->operand[CONDITION_GM];
    translator->rows |= item_rows(item);
    if (does == DOES_COMPUTE)
        translator->vrfs[item->operand[0] * 64 + item->operand[1]] = true;
    for (uint32_t i = 0; does == DOES_COMPUTE_ALL && i < translator->u->rfhs; i++)
        translator->vrfs[i * 64 + (uint32_t)item->operand[0]] = true;
}

void erc_survey_registers(struct translator *translator) {
    const struct erc_unit *u = translator->u;
    for (size_t i = 0; i < u->items.len; i++)
        survey_item(translator, &u->items.data[i]);
    for (size_t i = 0; i < erc_insn_count; i++)
        if (erc_insns[i].does == DOES_TEMPLATE)
            translator->access[i] = erc_template_access(&erc_insns[i], u->width);
    erc_survey_lives(translator);
    erc_survey_stretches(translator);
}
