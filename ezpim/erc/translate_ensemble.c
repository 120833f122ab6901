/* SPDX-License-Identifier: MIT
 * Compute and transfer ensembles, messages.
 *
 * The prototype keeps a list of VRFs at work, to which COMPUTE adds and which COMPUTE_DONE empties,
 * whatever stands in between.  Our header must be whole and a transfer ensemble stands outside of
 * it; so headers are put out when the first instruction wants lanes, and again when the list grew
 * or a transfer came between. */
#include "ezpim/erc/translate.h"

static struct mask_state *mask_of(struct translator *t, struct erc_vrf v) {
    return &t->masks[(size_t)v.rfh * 64 + v.vrf];
}

static void put_header(struct translator *t, struct erc_vrf v) {
    erc_put_insn(t, &(struct insn){.op = OP_COMPUTE, .rfh = v.rfh, .vrf = v.vrf});
}

/* VRFs with different masks: each mask goes to the same register first. */
static struct mask_state join_masks(struct translator *t) {
    struct mask_state first = *mask_of(t, t->active.data[0]);
    size_t i = 1;
    while (i < t->active.len && erc_mask_same(first, *mask_of(t, t->active.data[i])))
        i++;
    if (i == t->active.len)
        return first;
    for (i = 0; i < t->active.len; i++) {
        struct mask_state m = *mask_of(t, t->active.data[i]);
        put_header(t, t->active.data[i]);
        if (m.kind == MASK_IN)
            erc_mask_restore(t, m);
        erc_mask_keep(t, SCRATCH_PARKED);
        erc_put_plain(t, OP_COMPUTE_DONE);
    }
    return (struct mask_state){MASK_IN, erc_scratch(t, SCRATCH_PARKED)};
}

static void open_ensemble(struct translator *t) {
    t->mask = join_masks(t);
    for (size_t i = 0; i < t->active.len; i++)
        put_header(t, t->active.data[i]);
    if (t->mask.kind == MASK_IN)
        erc_mask_restore(t, t->mask);
    t->open = true;
    t->region = ++t->regions;
    t->dead = false;
    for (size_t i = 0; i < t->waiting.len; i++)
        erc_bind_label(t, t->waiting.data[i]);
    t->waiting.len = 0;
}

static void pause_transfer(struct translator *t) {
    if (t->moving)
        erc_put_plain(t, OP_MOVE_DONE);
    t->moving = false;
}

bool erc_enter(struct translator *t) {
    if (t->open || t->in_sub)
        return true;
    if (t->active.len == 0 && !t->behind_label) {
        erc_translate_warn(t,
                           "outside of COMPUTE .. COMPUTE_DONE this has no VRF to work on and is "
                           "left out");
        return false;
    }
    if (t->transfer == TRANSFER_SEND) {
        erc_translate_error(t, "MPI_SEND .. MPI_SEND_DONE holds copies alone");
        return false;
    }
    pause_transfer(t);
    if (t->active.len)
        open_ensemble(t);
    else
        t->in_sub = true;
    return true;
}

void erc_leave(struct translator *t) {
    if (!t->open)
        return;
    if (t->mask.kind == MASK_UNKNOWN) {
        erc_mask_keep(t, SCRATCH_PARKED);
        t->mask = (struct mask_state){MASK_IN, erc_scratch(t, SCRATCH_PARKED)};
    }
    for (size_t i = 0; i < t->active.len; i++) {
        struct mask_state *m = mask_of(t, t->active.data[i]);
        t->masked -= m->kind != MASK_NONE;
        *m = t->mask;
        t->masked += m->kind != MASK_NONE;
    }
    erc_put_plain(t, OP_COMPUTE_DONE);
    t->open = false;
    t->region = 0;
    t->mask = (struct mask_state){MASK_NONE, 0};
}

void erc_settle(struct translator *t) {
    if (t->active.len && !t->open && t->waiting.len)
        erc_enter(t);
}

static void activate(struct translator *t, uint32_t rfh, int32_t vrf) {
    struct erc_vrf v = {(uint16_t)rfh, (uint16_t)vrf};
    uint32_t *named = &t->named[(size_t)v.rfh * 64 + v.vrf];
    if (*named == t->list)
        return;
    *named = t->list;
    erc_leave(t);
    t->epoch++;
    vec_push(&t->active, v);
}

static void finish_compute(struct translator *t) {
    if (t->active.len == 0)
        erc_translate_warn(t, "COMPUTE_DONE ends no ensemble");
    erc_settle(t);
    erc_leave(t);
    if (t->active.len)
        t->last.len = 0;
    for (size_t i = 0; i < t->active.len; i++)
        vec_push(&t->last, t->active.data[i]);
    erc_deactivate(t);
}

void erc_deactivate(struct translator *t) {
    t->active.len = 0;
    t->list++;
    t->epoch++;
}

bool erc_put_question(struct translator *t) {
    for (size_t i = 0; i < t->last.len; i++)
        put_header(t, t->last.data[i]);
    if (t->last.len == 0)
        return false;
    erc_put_plain(t, OP_ANDNMASK);
    erc_put_plain(t, OP_COMPUTE_DONE);
    return true;
}

void erc_translate_compute(struct translator *t) {
    const int32_t *operand = t->item->operand;
    t->in_sub = t->behind_label = false;
    switch (t->item->insn->does) {
    case DOES_COMPUTE:
        activate(t, (uint32_t)operand[0], operand[1]);
        break;
    case DOES_COMPUTE_ALL:
        for (uint32_t i = 0; i < t->u->rfhs; i++)
            activate(t, i, operand[0]);
        break;
    default:
        finish_compute(t);
        break;
    }
}

static void put_pair(struct translator *t, struct erc_pair p) {
    erc_put_insn(t, &(struct insn){.op = OP_MOVE, .rfh = p.from, .vrf = p.to});
}

/* The headers of the transfer ensemble, if they are not out. */
static void resume_transfer(struct translator *t) {
    erc_leave(t);
    if (t->moving)
        return;
    if (t->transfer == TRANSFER_SEND)
        erc_put_insn(t, &(struct insn){.op = OP_SEND, .imm = (int32_t)t->mpu});
    for (size_t i = 0; i < t->pairs.len; i++)
        put_pair(t, t->pairs.data[i]);
    t->moving = true;
}

static void put_copy(struct translator *t, int32_t from_vrf, unsigned rs, int32_t to_vrf,
                     unsigned rd) {
    static const enum mpu_op ops[] = {OP_MEMCPY_8, OP_MEMCPY_16, OP_MEMCPY_32, OP_MEMCPY_64};
    unsigned k = 0;
    while (8u << k < t->u->width)
        k++;
    erc_put_insn(t, &(struct insn){.op = ops[k],
                                   .width = (uint8_t)(8u << k),
                                   .vrf_src = (uint8_t)from_vrf,
                                   .rs = (uint8_t)rs,
                                   .vrf_dst = (uint8_t)to_vrf,
                                   .rd = (uint8_t)rd});
}

static void translate_copy(struct translator *t) {
    const int32_t *o = t->item->operand;
    resume_transfer(t);
    put_copy(t, o[0], (unsigned)o[1], o[2], (unsigned)o[3]);
}

static void translate_broadcast(struct translator *t) {
    const int32_t *o = t->item->operand;
    resume_transfer(t);
    erc_put_insn(t, &(struct insn){.op = OP_LANE, .mode = LANE_BROADCAST, .imm = o[2]});
    put_copy(t, o[0], (unsigned)o[1], o[3], (unsigned)o[4]);
    erc_put_insn(t, &(struct insn){.op = OP_LANE, .mode = LANE_IDENTITY});
}

/* Bits 0 to w-1-k of the destination become bits k to w-1 of the source; its others stay.  The
 * pairs take effect one after the other, so each goes the whole way alone. */
static void translate_shifted_copy(struct translator *t) {
    const int32_t *o = t->item->operand;
    unsigned width = t->u->width, k = (unsigned)o[2], x = erc_scratch(t, SCRATCH_X);
    if (t->transfer == TRANSFER_SEND) {
        erc_translate_error(t, "MEM_COPY_RSHIFT into another MPU is not translated: its upper bits "
                               "would have to be known there");
        return;
    }
    erc_leave(t);
    pause_transfer(t);
    for (size_t i = 0; i < t->pairs.len && k < width; i++) {
        struct erc_vrf to = {t->pairs.data[i].to, (uint16_t)o[3]};
        put_pair(t, t->pairs.data[i]);
        put_copy(t, o[0], (unsigned)o[1], o[3], x);
        erc_put_plain(t, OP_MOVE_DONE);
        put_header(t, to);
        erc_put_insn(t, &(struct insn){.op = OP_SHRI,
                                       .width = (uint8_t)width,
                                       .rs = (uint8_t)x,
                                       .rd = (uint8_t)x,
                                       .imm = o[2]});
        erc_put(t, OP_MOV, width - k, x, 0, (unsigned)o[4]);
        erc_put_plain(t, OP_COMPUTE_DONE);
    }
}

static void begin_transfer(struct translator *t) {
    const int32_t *o = t->item->operand;
    bool send = t->item->insn->does == DOES_SEND;
    struct erc_pair p = {(uint16_t)o[send], (uint16_t)o[send + 1]};
    if (t->transfer == TRANSFER_SEND || (send && t->transfer != TRANSFER_NONE)) {
        erc_translate_error(t, "%s stands in a transfer that has not ended", t->item->insn->name);
        return;
    }
    erc_leave(t);
    pause_transfer(t);
    t->transfer = send ? TRANSFER_SEND : TRANSFER_MOVE;
    t->mpu = (uint32_t)o[0];
    vec_push(&t->pairs, p);
}

/* A message without a copy is a message. */
void erc_end_transfer(struct translator *t) {
    if (t->transfer == TRANSFER_SEND)
        resume_transfer(t);
    pause_transfer(t);
    if (t->transfer == TRANSFER_SEND)
        erc_put_plain(t, OP_SEND_DONE);
    t->transfer = TRANSFER_NONE;
    t->pairs.len = 0;
}

static void finish_transfer(struct translator *t) {
    bool send = t->item->insn->does == DOES_SEND_DONE;
    if (t->transfer != (send ? TRANSFER_SEND : TRANSFER_MOVE))
        erc_translate_error(t, "%s without %s", t->item->insn->name, send ? "MPI_SEND" : "MOVE");
    else
        erc_end_transfer(t);
}

static void receive(struct translator *t) {
    if (t->transfer != TRANSFER_NONE)
        erc_translate_error(t, "MPI_RECV stands in a transfer that has not ended");
    erc_leave(t);
    erc_put_insn(t, &(struct insn){.op = OP_RECV, .imm = t->item->operand[0]});
}

static void copy(struct translator *t) {
    if (t->transfer == TRANSFER_NONE)
        erc_translate_warn(t,
                           "outside of MOVE .. MOVE_DONE this has no RFHs to copy between and is "
                           "left out");
    else if (t->item->insn->does == DOES_COPY)
        translate_copy(t);
    else if (t->item->insn->does == DOES_COPY_BCAST)
        translate_broadcast(t);
    else
        translate_shifted_copy(t);
}

void erc_translate_transfer(struct translator *t) {
    switch (t->item->insn->does) {
    case DOES_MOVE:
    case DOES_SEND:
        begin_transfer(t);
        break;
    case DOES_MOVE_DONE:
    case DOES_SEND_DONE:
        finish_transfer(t);
        break;
    case DOES_RECV:
        receive(t);
        break;
    default:
        copy(t);
        break;
    }
}
