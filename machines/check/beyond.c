/* SPDX-License-Identifier: MIT
 * Lanes beyond the valid ones.  Instructions without a mask write all lanes on golden, and where a
 * datapath says valid_alone the valid ones and perhaps some behind them: what they leave in the
 * others is no program's to rely on, but these lanes are compared when a body with more valid lanes
 * comes to the VRF.  So golden takes over what strict has there, of the registers that were
 * written; copies and puts that come later are compared again. */
#include "machines/check/check.h"
#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

struct check_beyond {
    uint64_t registers; /* that instructions without a mask wrote */
    bool c;             /* they wrote C */
    uint32_t valid;     /* lanes, as bound */
    uint32_t settled;   /* lanes that are alike but for faults */
};

void check_beyond_open(struct check_machine *x, uint32_t vrfs) {
    x->beyond_count = x->strict->valid_alone ? vrfs : 0;
    x->beyond = xcalloc((size_t)x->beyond_count + 1, sizeof *x->beyond);
}

struct check_writes check_find_writes(const struct dp_run *run) {
    struct check_writes w = {.c = false};
    bool masked = run->masked;
    for (size_t i = 0; i < run->count; i++) {
        const struct insn *x = &run->insns[i];
        uint32_t flags = isa_info(x->op)->flags;
        if (!masked || (flags & ISA_UNMASKED)) {
            w.registers |= (uint64_t)((flags & WRITES_RD) != 0) << (x->rd & 63) |
                           (uint64_t)((flags & WRITES_RS) != 0) << (x->rs & 63) |
                           (uint64_t)((flags & WRITES_RT) != 0) << (x->rt & 63);
            w.c |= (flags & WRITES_C) != 0;
        }
        masked = (masked || (flags & ISA_PREDICATE_ON)) && !(flags & ISA_PREDICATE_OFF);
    }
    return w;
}

static void take_over(struct check_machine *x, uint32_t v, uint32_t first, uint32_t end,
                      struct check_writes w) {
    for (unsigned r = 0; r < 64 && first < end; r++)
        if (w.registers >> r & 1 && x->reg_bits[r])
            check_take_over(x, v, DP_REGISTER, r, x->reg_bits[r], first, end);
    if (w.c && first < end)
        check_take_over(x, v, DP_C, 0, 1, first, end);
}

void check_beyond_settle(struct check_machine *x, uint32_t v, uint64_t end) {
    struct check_beyond *b = &x->beyond[v < x->beyond_count ? v : 0];
    uint32_t last = end < x->lanes ? (uint32_t)end : x->lanes;
    if (v >= x->beyond_count || last <= b->settled)
        return;
    take_over(x, v, b->settled, last, (struct check_writes){b->registers, b->c});
    b->settled = last;
}

void check_beyond_bind(struct check_machine *x, uint32_t v, uint32_t valid) {
    check_beyond_settle(x, v, valid);
    if (v < x->beyond_count)
        x->beyond[v].valid = valid;
}

void check_beyond_elements(struct check_machine *x, const struct dp_elements *e) {
    uint64_t vrfs = x->beyond_count ? (e->count + e->lanes - 1) / e->lanes : 0;
    for (uint64_t i = 0; i < vrfs; i++)
        check_beyond_settle(x, e->vrf + (uint32_t)i, e->lanes);
}

static uint64_t end_of(uint32_t first, int32_t step, uint32_t count) {
    int64_t last = (int64_t)first + ((int64_t)count - 1) * step;
    return count ? (uint64_t)(last > (int64_t)first ? last : (int64_t)first) + 1 : 0;
}

static void settle_copies(struct check_machine *x, const struct dp_copy *copies, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct dp_copy *c = &copies[i];
        if (c->source == DP_FROM_REGISTER)
            check_beyond_settle(x, c->src_vrf, end_of(c->src_first, c->src_step, c->count));
        check_beyond_settle(x, c->dst_vrf, end_of(c->dst_first, c->dst_step, c->count));
    }
}

void check_beyond_copy(struct check_machine *x, const struct dp_transfer *transfer) {
    const struct dp_copy *copies = transfer->copies;
    size_t count = transfer->count;
    if (!x->beyond_count)
        return;
    while (transfer->next && transfer->next(transfer->context, &copies, &count))
        settle_copies(x, copies, count);
    if (transfer->next)
        return;
    for (size_t i = 0; i < transfer->pair_count; copies += transfer->pair_copies[i++])
        settle_copies(x, copies, transfer->pair_copies[i]);
    if (!transfer->pair_count)
        settle_copies(x, copies, count);
}

void check_beyond_execute(struct check_machine *x, struct vrf_set set, struct check_writes w) {
    for (size_t i = 0; x->beyond_count && i < set.count; i++)
        for (uint32_t k = 0; k < set.ranges[i].count; k++) {
            uint32_t v = set.ranges[i].first + k;
            struct check_beyond *b = &x->beyond[v];
            b->registers |= w.registers;
            b->c |= w.c;
            take_over(x, v, b->valid, b->settled, w);
        }
}

void check_beyond_save(const struct check_machine *x, struct str *state) {
    if (x->beyond_count)
        str_append_n(state, (const char *)x->beyond, x->beyond_count * sizeof *x->beyond);
}

bool check_beyond_restore(struct check_machine *x, struct str *state) {
    size_t bytes = x->beyond_count * sizeof *x->beyond;
    if (state->len < bytes)
        return false;
    if (bytes)
        memcpy(x->beyond, state->text + (state->len - bytes), bytes);
    state->len -= bytes;
    if (bytes)
        state->text[state->len] = '\0';
    return true;
}
