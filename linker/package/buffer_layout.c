/* SPDX-License-Identifier: MIT
 * Buffers in slices: pure functions of sizes. */
#include "linker/package/buffer_layout.h"

#include "support/saturate.h"

static uint64_t quotient_up(uint64_t left, uint64_t right) {
    return left / right + (left % right != 0);
}

static uint64_t round_up(uint64_t bytes, uint64_t unit) {
    return sat_mul(quotient_up(bytes, unit), unit);
}

static uint64_t own_bytes(const struct machine_buffer *buffer, uint64_t total, uint64_t rows,
                          uint64_t units) {
    switch (buffer->layout) {
    case LAYOUT_SPLIT:
        return round_up(quotient_up(total, units), buffer->unit);
    case LAYOUT_EACH:
    case LAYOUT_OWN:
        return total / rows;
    default:
        return total;
    }
}

struct package_layout package_layout_of(const struct machine_buffer *buffer, uint64_t total,
                                        uint64_t rows, uint32_t units, uint64_t rounds) {
    bool flat = buffer->layout == LAYOUT_FLAT;
    uint64_t turns = sat_mul(units, rounds);
    turns = turns < UINT32_MAX ? turns : UINT32_MAX;
    uint64_t own = own_bytes(buffer, total, rows, turns),
             halo = buffer->layout == LAYOUT_SPLIT ? buffer->halo : 0, lead = round_up(halo, 8);
    return (struct package_layout){
        .layout = buffer->layout,
        .total = total,
        .own = own,
        .halo = halo,
        .lead = lead,
        .room = flat ? own : round_up(sat_add(sat_add(lead, own), halo), 8),
        .slices = flat                            ? 1
                  : buffer->layout == LAYOUT_SAME ? units
                                                  : (uint32_t)quotient_up(total, own),
        .units = units,
    };
}

struct package_part package_layout_part(const struct package_layout *layout, uint64_t round) {
    uint64_t first = sat_mul(round, layout->units), slices = layout->slices;
    if (layout->layout != LAYOUT_SPLIT)
        return (struct package_part){0, layout->slices};
    if (first >= slices)
        return (struct package_part){layout->slices, 0};
    uint64_t left = slices - first;
    return (struct package_part){(uint32_t)first,
                                 left < layout->units ? (uint32_t)left : layout->units};
}

struct package_slice package_layout_slice(const struct package_layout *layout, uint32_t number) {
    bool whole = layout->layout == LAYOUT_FLAT || layout->layout == LAYOUT_SAME;
    uint64_t first = whole ? 0 : number * layout->own, left = layout->total - first;
    struct package_slice s = {.first = first, .own = left < layout->own ? left : layout->own};
    uint64_t before = first < layout->halo ? first : layout->halo, behind = left - s.own;
    s.zeros = layout->halo - before;
    s.from = first - before;
    s.bytes = before + s.own + (behind < layout->halo ? behind : layout->halo);
    return s;
}
