/* SPDX-License-Identifier: MIT
 * What row programs cost on a target. */
#include "machines/slot/link/link.h"

/* Ambit's sequences of activations, and DRISA's shifts by a bit or a byte. */
static const struct {
    uint8_t aaps, aps;
} sequences[ROW_COMMANDS] = {
    [ROW_COPY] = {1, 0},         [ROW_NOT] = {2, 0},         [ROW_AND] = {4, 0},
    [ROW_OR] = {4, 0},           [ROW_XOR] = {5, 2},         [ROW_XNOR] = {6, 2},
    [ROW_BIT_SHIFT_L] = {1, 0},  [ROW_BIT_SHIFT_R] = {1, 0}, [ROW_BYTE_SHIFT_L] = {1, 0},
    [ROW_BYTE_SHIFT_R] = {1, 0},
};

static bool is_shift(enum row_kind kind) {
    return kind >= ROW_BIT_SHIFT_L && kind <= ROW_BYTE_SHIFT_R;
}

struct slot_cost slot_price(const struct slot_step *step, enum row_kind kind, uint32_t count) {
    return slot_price_at(step, kind, count, SLOT_HOME_PAIR, NULL);
}

/* Pairs that hold a table while it is queried once: what lies in others stays, but where queries
 * bring back all that they need. */
static uint32_t pairs_of_query(const struct target *t, const struct slot_room *room) {
    uint64_t pairs = slot_keeps_copies(t) ? t->vrf_per_rfh : room->pairs + room->own;
    return pairs ? (uint32_t)pairs : 1;
}

struct slot_cost slot_price_at(const struct slot_step *step, enum row_kind kind, uint32_t count,
                               enum slot_home home, const struct slot_room *room) {
    if (kind == ROW_QUERY) {
        struct slot_table_shape shape = slot_table_shape(step->target, count);
        shape.loaded = home == SLOT_HOME_QUERY;
        shape.shared |= home == SLOT_HOME_BANK;
        shape.pairs = shape.loaded ? pairs_of_query(step->target, room) : 0;
        return slot_cost_query(step, &shape);
    }
    if (kind == ROW_MOVE)
        return slot_cost_move(step);
    uint64_t times = is_shift(kind) ? count : 1;
    return slot_cost_rows(step, times * sequences[kind].aaps, times * sequences[kind].aps);
}

static uint64_t price_ps(const void *ctx, enum row_kind kind, uint32_t count) {
    const struct slot_step alone = {ctx, 1};
    return slot_price(&alone, kind, count).ps;
}

bool slot_none_above(const struct insn *insn, const uint8_t reg_bits[64]) {
    uint32_t flags = isa_info(insn->op)->flags;
    unsigned most = 0;
    if (flags & WRITES_RS && reg_bits[insn->rs] > most)
        most = reg_bits[insn->rs];
    if (flags & WRITES_RT && reg_bits[insn->rt] > most)
        most = reg_bits[insn->rt];
    if (flags & WRITES_RD && reg_bits[insn->rd] > most)
        most = reg_bits[insn->rd];
    return most <= insn->width;
}

struct row_wanted slot_wanted(const struct target *target, const struct insn *insn, unsigned slot,
                              const uint8_t reg_bits[64], bool masked) {
    return (struct row_wanted){.slot = slot,
                               .none_above = slot_none_above(insn, reg_bits),
                               .masked = masked,
                               .table2 = slot_target_of(target)->logic == SLOT_LOGIC_TABLE2,
                               .match_bits = slot_target_of(target)->match_bits,
                               .max_rows = UINT32_C(1) << ISA_LUT_MAX_INDEX_BITS,
                               .costs = {price_ps, target}};
}

unsigned slot_width(const uint8_t reg_bits[64]) {
    return machine_slot_bits(&slot_kind_machine, reg_bits);
}

uint32_t slot_rows_each(const struct target *target, const struct machine_kin *kin) {
    uint64_t bits = (uint64_t)kin->lanes * kin->slot, row = slot_target_of(target)->row_bits;
    return bits > row ? (uint32_t)((bits + row - 1) / row) : 1;
}
