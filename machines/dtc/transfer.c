/* SPDX-License-Identifier: MIT */
#include "machines/dtc/transfer.h"

#include "support/saturate.h"

/* When the pairs of a MEMCPY have moved a register each; energy is of those that reach the other
 * end. */
static void charge_pairs(struct dtc **dtc, const struct target *t, const struct dp_transfer *x,
                         struct dp_cost *cost) {
    const struct dtc_cost each = {0, x->set_up ? 0 : dtc_setup_ps(t), dtc_copy_ps(t, x->width)};
    uint64_t registers = 0;
    for (size_t i = 0; i < x->pair_count; i++)
        registers += x->pair_copies[i] != 0;
    if (!*dtc)
        *dtc = dtc_new(t);
    cost->ps = dtc_schedule(*dtc, x->pairs, x->pair_count, &each, NULL);
    cost->transfer_fj = sat_mul(dtc_copy_fj(t, x->width), registers);
}

static void charge_shares(const struct target *t, const struct dp_transfer *x,
                          struct dp_cost *cost) {
    bool counts = x->count && x->copies[0].source == DP_FROM_COUNT;
    uint64_t fj = counts ? dtc_numbers_fj(t, x->width) : dtc_copy_fj(t, x->width), registers = 0;
    uint64_t index_fj = 0;
    for (size_t i = 0; i < x->share_count; i++) {
        const struct dp_share *s = &x->shares[i];
        uint64_t ps = counts ? sat_add(dtc_setup_ps(t), dtc_numbers_ps(t, x->width))
                             : dtc_in_a_row_ps(t, x->width, s->in_a_row);
        if (s->index_registers) {
            ps = sat_add(ps, dtc_in_a_row_ps(t, x->index_width, s->index_in_a_row));
            index_fj =
                sat_add(index_fj, sat_mul(dtc_copy_fj(t, x->index_width), s->index_registers));
        }
        registers = sat_add(registers, s->registers);
        cost->ps = ps > cost->ps ? ps : cost->ps;
        if (cost->share_ps)
            cost->share_ps[i] = ps;
    }
    cost->transfer_fj = sat_add(sat_mul(fj, registers), index_fj);
}

void dtc_charge(struct dtc **dtc, const struct target *t, const struct dp_transfer *x,
                struct dp_cost *cost) {
    cost->known = true;
    cost->ps = cost->transfer_fj = 0;
    if (x->pair_count)
        charge_pairs(dtc, t, x, cost);
    else
        charge_shares(t, x, cost);
}
