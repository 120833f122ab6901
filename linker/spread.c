/* SPDX-License-Identifier: MIT
 * machine.spread: even (docs/linking.md, "Groups"): all VRFs hold at most the same number of
 * elements, the least multiple of the unit with which all kin have room; each kin is then divided
 * over all VRFs of the rows that this takes. */
#include "linker/pack.h"
#include "support/bits.h"

static uint32_t unit_of(const struct pack *k) {
    return k->t->lanes_unit ? k->t->lanes_unit : 1;
}

static uint64_t rows_of(const struct pack *k, const struct spread_kin *x, uint64_t lanes) {
    uint64_t each = lanes < x->most ? lanes : x->most;
    return ceil_div(ceil_div(x->elements, each), k->t->rfh_per_mpu);
}

static bool have_room(const struct pack *k, const struct spread_kin *kin, size_t count,
                      uint64_t lanes, struct row_demand *demands) {
    /* An MPU without a start of its own cannot join those that start at different places. */
    uint32_t mpus = starts_apart(k) ? k->p->image_count : k->mpu_limit - k->p->image_first;
    for (size_t i = 0; i < count; i++)
        demands[i] = (struct row_demand){rows_of(k, &kin[i], lanes), kin[i].per_mpu};
    return rows_fit(k, mpus, demands, count);
}

/* More elements in a VRF never need more rows, so the least number is found by halving. */
static uint64_t least_lanes(const struct pack *k, const struct spread_kin *kin, size_t count) {
    struct row_demand *demands = xcalloc(count + 1, sizeof *demands);
    uint64_t low = 1, high = 1, unit = unit_of(k);
    for (size_t i = 0; i < count; i++)
        high = ceil_div(kin[i].most, unit) > high ? ceil_div(kin[i].most, unit) : high;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (have_room(k, kin, count, middle * unit, demands))
            high = middle;
        else
            low = middle + 1;
    }
    free(demands);
    return high * unit;
}

void spread_evenly(const struct pack *k, struct spread_kin *kin, size_t count) {
    uint64_t lanes = least_lanes(k, kin, count), unit = unit_of(k);
    for (size_t i = 0; i < count; i++) {
        struct spread_kin *x = &kin[i];
        uint64_t vrfs = rows_of(k, x, lanes) * k->t->rfh_per_mpu;
        uint64_t each = ceil_div(ceil_div(x->elements, vrfs), unit) * unit;
        x->lanes = each < x->most ? (uint32_t)each : x->most;
    }
}
