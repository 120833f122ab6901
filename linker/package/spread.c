/* SPDX-License-Identifier: MIT
 * How far elements are spread: over MPUs (--place), and over the VRFs of rows.
 *
 * machine.spread: even (docs/linking.md, "Groups"): all VRFs hold at most the same number of
 * elements, the least multiple of the unit with which all kin have room; each kin is then divided
 * over all VRFs of the rows that this takes. */
#include "linker/package/pack.h"
#include "support/bits.h"

static uint32_t unit_of(const struct pack *pack) {
    return pack->t->lanes_unit ? pack->t->lanes_unit : 1;
}

static uint64_t rows_of(const struct pack *pack, const struct spread_kin *kin, uint64_t lanes) {
    uint64_t each = lanes < kin->most ? lanes : kin->most;
    return ceil_div(ceil_div(kin->elements, each), pack->t->rfh_per_mpu);
}

static bool have_room(const struct pack *pack, const struct spread_kin *kin, size_t count,
                      uint64_t lanes, struct row_demand *demands) {
    /* An MPU without a start of its own cannot join those that start at different places. */
    uint32_t mpus =
        package_starts_apart(pack) ? pack->p->image_count : pack->mpu_limit - pack->p->image_first;
    for (size_t i = 0; i < count; i++)
        demands[i] = (struct row_demand){rows_of(pack, &kin[i], lanes), kin[i].per_mpu};
    return package_rows_fit(pack, mpus, demands, count);
}

/* More elements in a VRF never need more rows, so the least number is found by halving. */
static uint64_t least_lanes(const struct pack *pack, const struct spread_kin *kin, size_t count) {
    struct row_demand *demands = xcalloc(count + 1, sizeof *demands);
    uint64_t low = 1, high = 1, unit = unit_of(pack);
    for (size_t i = 0; i < count; i++)
        high = ceil_div(kin[i].most, unit) > high ? ceil_div(kin[i].most, unit) : high;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (have_room(pack, kin, count, middle * unit, demands))
            high = middle;
        else
            low = middle + 1;
    }
    free(demands);
    return high * unit;
}

void package_spread_evenly(const struct pack *pack, struct spread_kin *kin, size_t count) {
    uint64_t lanes = least_lanes(pack, kin, count), unit = unit_of(pack);
    for (size_t i = 0; i < count; i++) {
        struct spread_kin *x = &kin[i];
        uint64_t vrfs = rows_of(pack, x, lanes) * pack->t->rfh_per_mpu;
        uint64_t each = ceil_div(ceil_div(x->elements, vrfs), unit) * unit;
        x->lanes = each < x->most ? (uint32_t)each : x->most;
    }
}

/* ---- over MPUs ---- */

/* Rows that MPUs have together, `most` of each at most. */
static uint64_t rows_under(const uint8_t *free, uint32_t mpus, uint32_t most) {
    uint64_t sum = 0;
    for (uint32_t m = 0; m < mpus; m++)
        sum += free[m] < most ? free[m] : most;
    return sum;
}

/* What is too much is taken from the last MPUs, a row each. */
static void take_alike(const uint8_t *free, uint32_t mpus, uint64_t surplus, uint32_t most,
                       uint8_t *taken) {
    for (uint32_t m = mpus; m-- > 0;) {
        taken[m] = free[m] < most ? free[m] : (uint8_t)most;
        if (surplus && taken[m] == most) {
            taken[m]--;
            surplus--;
        }
    }
}

bool package_spread_rows(const uint8_t *free, uint32_t mpus, uint64_t rows, uint8_t *taken) {
    uint32_t most = 1;
    while (most < MAX_VRFS && rows_under(free, mpus, most) < rows)
        most++;
    uint64_t all = rows_under(free, mpus, most);
    if (all < rows)
        return false;
    take_alike(free, mpus, all - rows, most, taken);
    return true;
}

bool package_starts_apart(const struct pack *pack) {
    const struct object *o = pack->program;
    uint32_t named = 0;
    bool apart = false;
    for (size_t i = 0; i < o->entries.len; i++) {
        named += o->entries.data[i].mpu_count;
        apart |= o->entries.data[i].symbol != o->entries.data[0].symbol;
    }
    return apart ||
           (named && named < pack->p->image_count && o->entries.data[0].symbol != NO_INDEX);
}
