/* SPDX-License-Identifier: MIT
 * Lane by lane: forms that have no function of rows, by ptx/alu. */
#include "machines/core/simt/run/core.h"
#include "ptx/run.h"

#include "support/bits.h"

#include <string.h>

/* ---- operands ---- */

static uint32_t *unit_of(const struct simt_warp *w, uint32_t number) {
    return (uint32_t *)(void *)(w->base[SIMT_FROM_UNITS] + number * SIMT_ROW_BYTES);
}
static uint64_t *pair_of(const struct simt_warp *w, uint32_t number) {
    return (uint64_t *)(void *)(w->base[SIMT_FROM_PAIRS] + number * SIMT_ROW_BYTES);
}

uint64_t simt_value(const struct simt_run *run, const struct simt_warp *w,
                    const struct simt_insn *insn, unsigned source, unsigned lane) {
    const uint8_t number = insn->source[source];
    uint64_t value = 0;
    (void)run;
    switch ((enum simt_operand)insn->source_kind[source]) {
    case SIMT_OPERAND_UNIT:
        value = number == SIMT_RZ ? 0 : unit_of(w, number)[lane];
        break;
    case SIMT_OPERAND_PAIR:
        value = number == SIMT_RZ ? 0 : pair_of(w, number)[lane];
        break;
    case SIMT_OPERAND_PREDICATE:
        return (w->predicate[number] >> lane ^ (uint32_t)(insn->negated >> source)) & 1;
    case SIMT_OPERAND_NUMBER:
        value = insn->number[source];
        break;
    case SIMT_OPERAND_SPECIAL:
    case SIMT_OPERAND_NONE:
        break;
    }
    return value & low_bits(insn->source_bits[source]);
}

static void put_predicate(struct simt_warp *w, uint32_t number, unsigned lane, bool value) {
    uint32_t *p = &w->predicate[number == SIMT_PT ? SIMT_DROPPED : number];
    *p = (*p & ~((uint32_t)1 << lane)) | (uint32_t)value << lane;
}

void simt_put(struct simt_warp *w, const struct simt_insn *insn, unsigned i, unsigned lane,
              uint64_t value) {
    const uint8_t number = insn->result[i];
    if (insn->result_kind[i] == SIMT_OPERAND_PREDICATE)
        put_predicate(w, number, lane, value & 1);
    else if (number == SIMT_RZ)
        return;
    else if (insn->result_kind[i] == SIMT_OPERAND_UNIT)
        unit_of(w, number)[lane] = (uint32_t)value;
    else if (insn->result_kind[i] == SIMT_OPERAND_PAIR)
        pair_of(w, number)[lane] = value;
}

void simt_put_typed(struct simt_warp *w, const struct simt_insn *insn, unsigned i, unsigned lane,
                    enum ptx_type type, uint64_t value) {
    unsigned bits = ptx_type_bits(type);
    if (ptx_type_signed(type))
        value = (uint64_t)sign_extend(value & low_bits(bits), bits);
    simt_put(w, insn, i, lane, value);
}

/* ---- what computes ---- */

void simt_lanes(struct simt_run *run, struct simt_warp *w, const struct simt_step *s,
                uint32_t mask) {
    const struct simt_insn *x = s->insn;
    const unsigned sources = x->source_count < 4 ? x->source_count : 4;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        struct ptx_alu alu = {
            .m = &x->m, .op = simt_ptx_op((enum simt_op)x->op), .carry = w->carry >> lane & 1};
        for (unsigned i = 0; i < sources; i++)
            alu.in[i] = simt_value(run, w, x, i, lane);
        s->compute(&alu);
        w->carry = (w->carry & ~((uint32_t)1 << lane)) | (uint32_t)alu.carry << lane;
        if (x->second != SIMT_PT)
            put_predicate(w, x->second, lane, alu.second & 1);
        if (x->op == SIMT_CVT)
            simt_put_typed(w, x, 0, lane, (enum ptx_type)x->m.type[0], alu.out);
        else if (x->result_count)
            simt_put(w, x, 0, lane, alu.out);
    }
}

/* Parts of a vector lie one behind the other, the first one lowest. */
void simt_move(struct simt_run *run, struct simt_warp *w, const struct simt_step *s,
               uint32_t mask) {
    const struct simt_insn *x = s->insn;
    const unsigned each =
        x->result_count ? ptx_type_bits((enum ptx_type)x->m.type[0]) / x->result_count : 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        uint64_t value = 0;
        for (unsigned i = 0, at = 0; i < x->source_count && at < 64; i++) {
            value |= simt_value(run, w, x, i, lane) << at;
            at += x->source_bits[i];
        }
        for (unsigned i = 0; i < x->result_count; i++)
            simt_put(w, x, i, lane, (i * each < 64 ? value >> i * each : 0) & low_bits(each));
    }
}

void simt_logic(struct simt_warp *w, const struct simt_step *s, uint32_t mask) {
    const struct simt_insn *x = s->insn;
    uint32_t in[2] = {0, 0}, value;
    for (unsigned i = 0; i < x->source_count && i < 2; i++) {
        in[i] = x->source_kind[i] == SIMT_OPERAND_PREDICATE ? w->predicate[x->source[i]]
                : x->number[i] & 1                          ? UINT32_MAX
                                                            : 0;
        in[i] ^= x->negated >> i & 1 ? UINT32_MAX : 0;
    }
    value = x->op == SIMT_AND   ? in[0] & in[1]
            : x->op == SIMT_OR  ? in[0] | in[1]
            : x->op == SIMT_XOR ? in[0] ^ in[1]
            : x->op == SIMT_NOT ? ~in[0]
                                : in[0];
    uint32_t *p = &w->predicate[x->result[0] == SIMT_PT ? SIMT_DROPPED : x->result[0]];
    *p = (*p & ~mask) | (value & mask);
}

/* ---- what a thread knows of itself ---- */

static uint64_t special(const struct simt_run *run, const struct simt_warp *w,
                        enum ptx_special which, unsigned lane) {
    const struct ptx_where where = {.blocks = run->blocks,
                                    .threads_of = run->threads_of,
                                    .block = run->block,
                                    .threads = run->threads,
                                    .thread = w->number * SIMT_LANES + lane,
                                    .clock = w->steps,
                                    .dynamic_bytes = run->launch->bytes,
                                    .shared_bytes = run->shared_bytes};
    return ptx_special_value(&where, which);
}

/* The row of a warp's own, or one number for all lanes. */
static bool is_of_lanes(enum ptx_special which) {
    return which <= PTX_SPECIAL_TID_Z || which == PTX_SPECIAL_LANEID ||
           (which >= PTX_SPECIAL_LANEMASK_EQ && which <= PTX_SPECIAL_LANEMASK_GT);
}

static void copy_tid(const struct simt_run *run, struct simt_warp *w, const struct simt_insn *x,
                     uint32_t mask) {
    const uint32_t *row =
        (const uint32_t *)(const void *)(run->specials +
                                         (w->number * 3u + x->source[0]) * SIMT_ROW_BYTES);
    uint32_t *to = unit_of(w, x->result[0]);
    if (mask == w->live)
        memcpy(to, row, SIMT_ROW_BYTES);
    else
        run->program->rows->blend_32(to, row, mask);
}

void simt_special(struct simt_run *run, struct simt_warp *w, const struct simt_step *s,
                  uint32_t mask) {
    const struct simt_insn *x = s->insn;
    const enum ptx_special which = (enum ptx_special)x->source[0];
    const bool unit = x->result_kind[0] == SIMT_OPERAND_UNIT && x->result[0] != SIMT_RZ;
    if (which <= PTX_SPECIAL_TID_Z && unit) {
        copy_tid(run, w, x, mask);
        return;
    }
    if (is_of_lanes(which)) {
        for (uint32_t rest = mask; rest; rest &= rest - 1)
            simt_put(w, x, 0, (unsigned)__builtin_ctz(rest),
                     special(run, w, which, (unsigned)__builtin_ctz(rest)));
        return;
    }
    const uint64_t value = special(run, w, which, 0);
    if (unit && mask == w->live)
        for (unsigned i = 0; i < SIMT_LANES; i++)
            unit_of(w, x->result[0])[i] = (uint32_t)value;
    else
        for (uint32_t rest = mask; rest; rest &= rest - 1)
            simt_put(w, x, 0, (unsigned)__builtin_ctz(rest), value);
}

void simt_ask_space(struct simt_run *run, struct simt_warp *w, const struct simt_step *s,
                    uint32_t mask) {
    const struct simt_insn *x = s->insn;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        uint64_t address = simt_value(run, w, x, 0, lane);
        const enum ptx_space asked = (enum ptx_space)x->m.space;
        bool is = ptx_space_of(&address) == asked && asked != PTX_CONST;
        if (x->result_count)
            simt_put(w, x, 0, lane, is);
    }
}
