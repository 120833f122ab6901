/* SPDX-License-Identifier: MIT */
#include "machines/datapath.h"
#include "support/bits.h"

/* Two steps of splitmix64: the first mixes the seed, the second the place, so that neighbouring
 * seeds and neighbouring lanes have nothing in common. */
uint64_t state_init_value(uint64_t seed, uint32_t v, unsigned reg, uint32_t lane) {
    uint64_t place = ((uint64_t)v << 32 | lane) * 0x9e3779b97f4a7c15u + reg;
    uint64_t state = splitmix64(&seed) ^ place;
    uint64_t value = splitmix64(&state);
    return reg == DP_INIT_C ? value & 1 : value;
}
