/* SPDX-License-Identifier: MIT
 * Places of lanes in banks. */
#include "machines/core/simt/runs/lane_layout.h"

#define ROW_BYTES 128u /* of words */

static uint32_t power_above(uint32_t n) {
    uint32_t p = 1;
    while (p < n)
        p *= 2;
    return p;
}

/* Larger rows first, so that none crosses a granule. */
static uint32_t place_rows(struct simt_layout *l) {
    uint32_t at = 0;
    for (unsigned bytes = 8; bytes; bytes /= 2)
        for (unsigned r = 0; r < SCALAR_ARRAYS; r++) {
            if (l->bytes[r] != bytes)
                continue;
            const uint32_t row = SIMT_RECORD_LANES * (bytes > 4 ? 4 : bytes);
            l->low[r] = at;
            l->high[r] = bytes > 4 ? at + row : at;
            at = l->high[r] + row;
        }
    return at;
}

void simt_layout_make(const struct simt_banks *b, const uint8_t reg_bits[64],
                      struct simt_layout *l) {
    *l = (struct simt_layout){.units = power_above(b->units), .cores = b->cores};
    l->granule = b->granule > ROW_BYTES ? (uint32_t)b->granule : ROW_BYTES;
    l->chunk = b->chunk > l->granule ? b->chunk : l->granule;
    for (unsigned r = 0; r < SCALAR_ARRAYS; r++) {
        const unsigned bits = r < SCALAR_C ? reg_bits[r] : 1;
        l->bytes[r] = bits ? (uint8_t)scalar_bytes(bits) : 0;
    }
    const uint32_t all = l->units * l->granule;
    l->in_chunk = l->chunk > all ? (uint32_t)(l->chunk / all) : 1;
    l->record = (place_rows(l) + l->granule - 1) / l->granule;
    l->record = l->record < l->in_chunk ? power_above(l->record)
                                        : (l->record + l->in_chunk - 1) / l->in_chunk * l->in_chunk;
}

uint64_t simt_layout_record_bytes(const struct simt_layout *l) {
    return (uint64_t)l->record * l->granule;
}

/* Of a core's memory, all units together, as one core after the other has a chunk of it. */
static uint64_t spread(const struct simt_layout *l, uint64_t inner) {
    return inner / l->chunk * l->chunk * l->cores + inner % l->chunk;
}

uint64_t simt_layout_bytes(const struct simt_layout *l, uint32_t records) {
    const uint64_t inner = records * simt_layout_record_bytes(l) * l->units;
    return (inner + l->chunk - 1) / l->chunk * l->chunk * l->cores;
}

uint64_t simt_layout_vrf(const struct simt_layout *l, uint32_t core, uint32_t unit) {
    return (uint64_t)core * l->chunk + spread(l, (uint64_t)unit * l->granule);
}

uint64_t simt_layout_to_record(const struct simt_layout *l, uint32_t record) {
    return spread(l, record * simt_layout_record_bytes(l) * l->units);
}

uint64_t simt_layout_to_row(const struct simt_layout *l, uint32_t row) {
    return spread(l, (uint64_t)(row / l->granule) * l->granule * l->units) + row % l->granule;
}
