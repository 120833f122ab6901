/* SPDX-License-Identifier: MIT
 * Compute and transfer ensembles, messages.
 *
 * The prototype keeps a list of VRFs at work, to which COMPUTE adds and which COMPUTE_DONE empties,
 * whatever stands in between.  Our header must be whole and a transfer ensemble stands outside of
 * it; so headers are put out when the first instruction wants lanes, and again when the list grew
 * or a transfer came between. */
#include "ezpim/erc/translate.h"

static struct mask_state *mask_of(struct translator *translator, struct erc_vrf vrf) {
    return &translator->masks[(size_t)vrf.rfh * 64 + vrf.vrf];
}

static void put_header(struct translator *translator, struct erc_vrf vrf) {
    erc_put_insn(translator, &(struct insn){.op = OP_COMPUTE, .rfh = vrf.rfh, .vrf = vrf.vrf});
}

/* Where the pointers of the VRFs that come to work may lead. */
static struct mask_state pointers_of(struct translator *translator, const struct erc_vrf *vrfs,
                                     size_t count) {
    struct mask_state all = {0, false};
    for (size_t i = 0; i < count && !translator->loose; i++)
        all = erc_mask_join(all, *mask_of(translator, vrfs[i]));
    return translator->loose ? erc_mask_any(translator) : all;
}

static void open_ensemble(struct translator *translator) {
    translator->mask = pointers_of(translator, translator->active.data, translator->active.len);
    for (size_t i = 0; i < translator->active.len; i++)
        put_header(translator, translator->active.data[i]);
    if (translator->mask.registers)
        erc_mask_restore(translator, translator->mask);
    translator->open = true;
    translator->repointed = false;
    translator->region = ++translator->regions;
    translator->dead = false;
    for (size_t i = 0; i < translator->waiting.len; i++)
        erc_bind_label(translator, translator->waiting.data[i]);
    translator->waiting.len = 0;
}

static void pause_transfer(struct translator *translator) {
    if (translator->moving)
        erc_put_plain(translator, OP_MOVE_DONE);
    translator->moving = false;
}

bool erc_enter(struct translator *translator) {
    if (translator->open || translator->in_sub)
        return true;
    if (translator->active.len == 0 && !translator->behind_label) {
        if (!translator->said_no_lanes)
            erc_translate_warn(translator,
                               "outside of COMPUTE .. COMPUTE_DONE this has no VRF to work on and "
                               "is left out");
        translator->said_no_lanes = true;
        return false;
    }
    if (translator->transfer == TRANSFER_SEND) {
        erc_translate_error(translator, "MPI_SEND .. MPI_SEND_DONE holds copies alone");
        return false;
    }
    pause_transfer(translator);
    if (translator->active.len)
        open_ensemble(translator);
    else
        translator->in_sub = true;
    return true;
}

void erc_leave(struct translator *translator) {
    if (!translator->open)
        return;
    bool repointed = translator->repointed || translator->frames.len;
    for (size_t i = 0; i < translator->active.len && repointed; i++) {
        struct mask_state *m = mask_of(translator, translator->active.data[i]);
        translator->masked -= m->registers != 0;
        *m = translator->mask;
        translator->masked += m->registers != 0;
    }
    erc_put_plain(translator, OP_COMPUTE_DONE);
    translator->open = false;
    translator->region = 0;
    translator->mask = ERC_NO_MASK;
}

void erc_settle(struct translator *translator) {
    if (translator->active.len && !translator->open && translator->waiting.len)
        erc_enter(translator);
}

static void activate(struct translator *translator, uint32_t rfh, int32_t vrf) {
    struct erc_vrf v = {(uint16_t)rfh, (uint16_t)vrf};
    uint32_t *named = &translator->named[(size_t)v.rfh * 64 + v.vrf];
    if (*named == translator->list)
        return;
    *named = translator->list;
    erc_leave(translator);
    translator->epoch++;
    vec_push(&translator->active, v);
}

static void finish_compute(struct translator *translator) {
    if (translator->active.len == 0)
        erc_translate_warn(translator, "COMPUTE_DONE ends no ensemble");
    erc_settle(translator);
    erc_leave(translator);
    if (translator->active.len)
        translator->last.len = 0;
    for (size_t i = 0; i < translator->active.len; i++)
        vec_push(&translator->last, translator->active.data[i]);
    erc_deactivate(translator);
}

void erc_deactivate(struct translator *translator) {
    translator->active.len = 0;
    translator->list++;
    translator->epoch++;
}

bool erc_put_question(struct translator *translator) {
    for (size_t i = 0; i < translator->last.len; i++)
        put_header(translator, translator->last.data[i]);
    if (translator->last.len == 0)
        return false;
    struct mask_state all = pointers_of(translator, translator->last.data, translator->last.len);
    if (all.registers)
        erc_mask_restore(translator, all);
    erc_put_plain(translator, OP_ANDNMASK);
    erc_put_plain(translator, OP_COMPUTE_DONE);
    return true;
}

void erc_translate_compute(struct translator *translator) {
    const int32_t *operand = translator->item->operand;
    translator->in_sub = translator->behind_label = translator->said_no_lanes = false;
    switch (translator->item->insn->does) {
    case DOES_COMPUTE:
        activate(translator, (uint32_t)operand[0], operand[1]);
        break;
    case DOES_COMPUTE_ALL:
        for (uint32_t i = 0; i < translator->u->rfhs; i++)
            activate(translator, i, operand[0]);
        break;
    default:
        finish_compute(translator);
        break;
    }
}

static void put_pair(struct translator *translator, struct erc_pair pair) {
    erc_put_insn(translator, &(struct insn){.op = OP_MOVE, .rfh = pair.from, .vrf = pair.to});
}

/* The headers of the transfer ensemble, if they are not out. */
static void resume_transfer(struct translator *translator) {
    erc_leave(translator);
    if (translator->moving)
        return;
    if (translator->transfer == TRANSFER_SEND)
        erc_put_insn(translator, &(struct insn){.op = OP_SEND, .imm = (int32_t)translator->mpu});
    for (size_t i = 0; i < translator->pairs.len; i++)
        put_pair(translator, translator->pairs.data[i]);
    translator->moving = true;
}

static void put_copy(struct translator *translator, int32_t from_vrf, unsigned rs, int32_t to_vrf,
                     unsigned rd) {
    unsigned bits = erc_container(translator);
    enum isa_op op = bits == 8    ? OP_MEMCPY_8
                     : bits == 16 ? OP_MEMCPY_16
                     : bits == 32 ? OP_MEMCPY_32
                                  : OP_MEMCPY_64;
    erc_put_insn(translator, &(struct insn){.op = op,
                                            .width = (uint8_t)bits,
                                            .vrf_src = (uint8_t)from_vrf,
                                            .rs = (uint8_t)rs,
                                            .vrf_dst = (uint8_t)to_vrf,
                                            .rd = (uint8_t)rd});
}

static void translate_copy(struct translator *translator) {
    const int32_t *o = translator->item->operand;
    resume_transfer(translator);
    put_copy(translator, o[0], (unsigned)o[1], o[2], (unsigned)o[3]);
}

static void translate_broadcast(struct translator *translator) {
    const int32_t *o = translator->item->operand;
    resume_transfer(translator);
    erc_put_insn(translator, &(struct insn){.op = OP_LANE, .mode = LANE_BROADCAST, .imm = o[2]});
    put_copy(translator, o[0], (unsigned)o[1], o[3], (unsigned)o[4]);
    erc_put_insn(translator, &(struct insn){.op = OP_LANE, .mode = LANE_IDENTITY});
}

/* The RFHs of the VRFs at work, each with itself. */
static void put_own_pairs(struct translator *translator) {
    for (size_t i = 0; i < translator->active.len; i++) {
        uint16_t rfh = translator->active.data[i].rfh;
        size_t before = 0;
        while (translator->active.data[before].rfh != rfh)
            before++;
        if (before == i)
            put_pair(translator, (struct erc_pair){rfh, rfh});
    }
}

static uint64_t active_rows(const struct translator *translator) {
    uint64_t rows = 0;
    for (size_t i = 0; i < translator->active.len; i++)
        rows |= UINT64_C(1) << translator->active.data[i].vrf;
    return rows;
}

/* Row by row; of an RFH whose VRF of the row is not at work, the words come back as they went. */
static void copy_rows(struct translator *translator, unsigned reg, bool back) {
    uint64_t free = ~translator->rows;
    for (uint64_t rows = active_rows(translator); rows; rows &= rows - 1, free &= free - 1) {
        int row = __builtin_ctzll(rows), other = __builtin_ctzll(free);
        put_copy(translator, back ? other : row, reg, back ? row : other, reg);
    }
}

void erc_copy_words(struct translator *translator, uint64_t registers, bool back) {
    erc_leave(translator);
    pause_transfer(translator);
    put_own_pairs(translator);
    for (; registers; registers &= registers - 1)
        copy_rows(translator, (unsigned)__builtin_ctzll(registers), back);
    erc_put_plain(translator, OP_MOVE_DONE);
}

bool erc_has_room_beside(const struct translator *translator) {
    return translator->active.len &&
           __builtin_popcountll(~translator->rows) >= __builtin_popcountll(active_rows(translator));
}

bool erc_save_words(struct translator *translator, unsigned reg) {
    for (size_t i = 0; i < translator->frames.len; i++)
        if (translator->frames.data[i].item->kind == ITEM_WHILE)
            return false;
    if (!translator->open || !erc_has_room_beside(translator))
        return false;
    erc_copy_words(translator, UINT64_C(1) << reg, false);
    erc_enter(translator);
    translator->saved_at = (uint32_t)(translator->item - translator->u->items.data);
    return true;
}

void erc_load_words(struct translator *translator, unsigned reg) {
    erc_copy_words(translator, UINT64_C(1) << reg, true);
    erc_enter(translator);
}

static void put_one_copy(struct translator *translator, struct erc_vrf from, unsigned rs,
                         struct erc_vrf to, unsigned rd) {
    put_pair(translator, (struct erc_pair){from.rfh, to.rfh});
    put_copy(translator, from.vrf, rs, to.vrf, rd);
    erc_put_plain(translator, OP_MOVE_DONE);
}

static void put_shifted_move(struct translator *translator, unsigned from, unsigned to) {
    unsigned width = translator->u->width, k = (unsigned)translator->item->operand[2];
    erc_put_insn(translator, &(struct insn){.op = OP_SHRI,
                                            .width = (uint8_t)width,
                                            .rs = (uint8_t)from,
                                            .rd = (uint8_t)from,
                                            .imm = (int32_t)k});
    erc_put(translator, OP_MOV, width - k, from, 0, to);
}

/* Source and destination meet in a VRF of the row, which the program does not name. */
static void put_by_row(struct translator *translator, struct erc_pair pair, uint16_t row) {
    const int32_t *o = translator->item->operand;
    struct erc_vrf from = {pair.from, (uint16_t)o[0]}, to = {pair.to, (uint16_t)o[3]},
                   meeting = {pair.to, row};
    put_one_copy(translator, from, (unsigned)o[1], meeting, 0);
    put_one_copy(translator, to, (unsigned)o[4], meeting, 1);
    put_header(translator, meeting);
    put_shifted_move(translator, 0, 1);
    erc_put_plain(translator, OP_COMPUTE_DONE);
    put_one_copy(translator, meeting, 1, to, (unsigned)o[4]);
}

/* The scratch register that the copy comes to, in its VRF. */
static unsigned scratch_there(struct translator *translator, struct erc_vrf there) {
    if (!erc_scratch_is_lent(translator, SCRATCH_X))
        return erc_scratch(translator, SCRATCH_X);
    put_header(translator, there);
    unsigned x = erc_scratch(translator, SCRATCH_X);
    erc_put_plain(translator, OP_COMPUTE_DONE);
    return x;
}

static void put_shifted_copy(struct translator *translator, struct erc_pair pair) {
    const int32_t *o = translator->item->operand;
    struct erc_vrf to = {pair.to, (uint16_t)o[3]};
    uint64_t free = ~translator->rows;
    if (free && erc_is_cramped(translator, translator->item->insn)) {
        put_by_row(translator, pair, (uint16_t)__builtin_ctzll(free));
        return;
    }
    unsigned x = scratch_there(translator, to);
    put_pair(translator, pair);
    put_copy(translator, o[0], (unsigned)o[1], o[3], x);
    erc_put_plain(translator, OP_MOVE_DONE);
    put_header(translator, to);
    put_shifted_move(translator, x, (unsigned)o[4]);
    erc_return_loans(translator);
    erc_put_plain(translator, OP_COMPUTE_DONE);
}

/* Bits 0 to w-1-k of the destination become bits k to w-1 of the source; its others stay.  The
 * pairs take effect one after the other, so each goes the whole way alone. */
static void translate_shifted_copy(struct translator *translator) {
    if (translator->transfer == TRANSFER_SEND) {
        erc_translate_error(translator,
                            "MEM_COPY_RSHIFT into another MPU is not translated: its upper bits "
                            "would have to be known there");
        return;
    }
    erc_leave(translator);
    pause_transfer(translator);
    for (size_t i = 0; i < translator->pairs.len; i++)
        if ((unsigned)translator->item->operand[2] < translator->u->width)
            put_shifted_copy(translator, translator->pairs.data[i]);
}

static void begin_transfer(struct translator *translator) {
    const int32_t *o = translator->item->operand;
    bool send = translator->item->insn->does == DOES_SEND;
    struct erc_pair p = {(uint16_t)o[send], (uint16_t)o[send + 1]};
    if (translator->transfer == TRANSFER_SEND || (send && translator->transfer != TRANSFER_NONE)) {
        erc_translate_error(translator, "%s stands in a transfer that has not ended",
                            translator->item->insn->name);
        return;
    }
    erc_leave(translator);
    pause_transfer(translator);
    translator->transfer = send ? TRANSFER_SEND : TRANSFER_MOVE;
    translator->said_no_copies = false;
    translator->mpu = (uint32_t)o[0];
    vec_push(&translator->pairs, p);
}

/* A message without a copy is a message. */
void erc_end_transfer(struct translator *translator) {
    if (translator->transfer == TRANSFER_SEND)
        resume_transfer(translator);
    pause_transfer(translator);
    if (translator->transfer == TRANSFER_SEND)
        erc_put_plain(translator, OP_SEND_DONE);
    translator->transfer = TRANSFER_NONE;
    translator->pairs.len = 0;
}

static void finish_transfer(struct translator *translator) {
    bool send = translator->item->insn->does == DOES_SEND_DONE;
    if (translator->transfer != (send ? TRANSFER_SEND : TRANSFER_MOVE))
        erc_translate_error(translator, "%s without %s", translator->item->insn->name,
                            send ? "MPI_SEND" : "MOVE");
    else
        erc_end_transfer(translator);
}

static void receive(struct translator *translator) {
    if (translator->transfer != TRANSFER_NONE)
        erc_translate_error(translator, "MPI_RECV stands in a transfer that has not ended");
    erc_leave(translator);
    erc_put_insn(translator, &(struct insn){.op = OP_RECV, .imm = translator->item->operand[0]});
}

static void copy(struct translator *translator) {
    if (translator->transfer == TRANSFER_NONE) {
        if (!translator->said_no_copies)
            erc_translate_warn(translator,
                               "outside of MOVE .. MOVE_DONE this has no RFHs to copy between and "
                               "is left out");
        translator->said_no_copies = true;
    } else if (translator->item->insn->does == DOES_COPY) {
        translate_copy(translator);
    } else if (translator->item->insn->does == DOES_COPY_BCAST) {
        translate_broadcast(translator);
    } else {
        translate_shifted_copy(translator);
    }
}

void erc_translate_transfer(struct translator *translator) {
    switch (translator->item->insn->does) {
    case DOES_MOVE:
    case DOES_SEND:
        begin_transfer(translator);
        break;
    case DOES_MOVE_DONE:
    case DOES_SEND_DONE:
        finish_transfer(translator);
        break;
    case DOES_RECV:
        receive(translator);
        break;
    default:
        copy(translator);
        break;
    }
}
