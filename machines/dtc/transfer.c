/* SPDX-License-Identifier: MIT
 * Charges a transfer for its copies, and nothing else. */
#include "machines/dtc/transfer.h"

#include "support/saturate.h"

/* When the pairs of a MEMCPY have moved a register each; energy is of those that reach the other
 * end. */
static void charge_pairs(struct dtc **dtc, const struct target *target,
                         const struct dp_transfer *transfer, struct dp_cost *cost) {
    const struct dtc_cost each = {0, transfer->set_up ? 0 : dtc_setup_ps(target),
                                  dtc_copy_ps(target, transfer->width)};
    uint64_t registers = 0;
    for (size_t i = 0; i < transfer->pair_count; i++)
        registers += transfer->pair_copies[i] != 0;
    if (!*dtc)
        *dtc = dtc_new(target);
    cost->ps = dtc_schedule(*dtc, transfer->pairs, transfer->pair_count, &each, NULL);
    cost->transfer_fj = sat_mul(dtc_copy_fj(target, transfer->width), registers);
}

static void charge_shares(const struct target *target, const struct dp_transfer *transfer,
                          struct dp_cost *cost) {
    bool counts = transfer->count && transfer->copies[0].source == DP_FROM_COUNT;
    uint64_t fj = counts ? dtc_numbers_fj(target, transfer->width)
                         : dtc_copy_fj(target, transfer->width),
             registers = 0;
    uint64_t index_fj = 0;
    for (size_t i = 0; i < transfer->share_count; i++) {
        const struct dp_share *s = &transfer->shares[i];
        uint64_t ps = counts
                          ? sat_add(dtc_setup_ps(target), dtc_numbers_ps(target, transfer->width))
                          : dtc_in_a_row_ps(target, transfer->width, s->in_a_row);
        if (s->index_registers) {
            ps = sat_add(ps, dtc_in_a_row_ps(target, transfer->index_width, s->index_in_a_row));
            index_fj = sat_add(
                index_fj, sat_mul(dtc_copy_fj(target, transfer->index_width), s->index_registers));
        }
        registers = sat_add(registers, s->registers);
        cost->ps = ps > cost->ps ? ps : cost->ps;
        if (cost->share_ps)
            cost->share_ps[i] = ps;
    }
    cost->transfer_fj = sat_add(sat_mul(fj, registers), index_fj);
}

void dtc_charge(struct dtc **dtc, const struct target *target, const struct dp_transfer *transfer,
                struct dp_cost *cost) {
    cost->known = true;
    cost->ps = cost->transfer_fj = 0;
    if (transfer->pair_count)
        charge_pairs(dtc, target, transfer, cost);
    else
        charge_shares(target, transfer, cost);
}
