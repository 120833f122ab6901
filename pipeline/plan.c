/* SPDX-License-Identifier: MIT
 * Element counts of a pipeline, by the rules of DaPPA's paper. */
#include "pipeline/plan.h"
#include "support/bits.h"
#include "support/common_divisor.h"
#include "support/saturate.h"

static uint64_t up(uint64_t bytes) {
    return ceil_div(bytes, PIPELINE_ALIGN) * PIPELINE_ALIGN;
}

uint64_t pipeline_multiple(uint64_t a, uint64_t b) {
    return sat_mul(a / common_divisor(a, b), b);
}

uint64_t pipeline_item_bytes(const struct pipeline_item *item, uint64_t n) {
    return up((n / item->divide + item->more) * item->bytes);
}

uint64_t pipeline_alignment(const struct pipeline_item *items, size_t count, uint64_t group) {
    uint64_t u = group;
    for (size_t i = 0; i < count; i++)
        u = pipeline_multiple(
            u, items[i].divide * (PIPELINE_ALIGN / common_divisor(PIPELINE_ALIGN, items[i].bytes)));
    return u;
}

static uint64_t all_bytes(const struct pipeline_item *items, size_t count, uint64_t n) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += pipeline_item_bytes(&items[i], n);
    return sum;
}

uint64_t pipeline_elements(const struct pipeline_item *items, size_t count, uint64_t bytes,
                           uint64_t unit) {
    uint64_t fixed = 0, of_unit = 0;
    for (size_t i = 0; i < count; i++) {
        fixed += items[i].more * items[i].bytes;
        /* In units, since n / divide is whole for each. */
        of_unit += unit / items[i].divide * items[i].bytes;
    }
    if (fixed > bytes || !of_unit)
        return 0;
    uint64_t units = (bytes - fixed) / of_unit;
    if (units > PIPELINE_MAX_LENGTH / unit)
        units = PIPELINE_MAX_LENGTH / unit;
    /* Padding takes what is left at most a few times. */
    while (units && all_bytes(items, count, units * unit) > bytes)
        units--;
    return units * unit;
}

void pipeline_offsets(const struct pipeline_item *items, size_t count, uint64_t n,
                      uint64_t *offsets) {
    offsets[0] = 0;
    for (size_t i = 0; i < count; i++)
        offsets[i + 1] = offsets[i] + pipeline_item_bytes(&items[i], n);
}

uint64_t pipeline_wram(uint64_t wram, uint32_t tasklets, uint64_t shared, uint64_t own) {
    uint64_t taken =
        PIPELINE_RUNTIME_BYTES + (uint64_t)tasklets * PIPELINE_STACK_BYTES + up(shared);
    if (taken >= wram)
        return 0;
    uint64_t each = (wram - taken) / tasklets / PIPELINE_ALIGN * PIPELINE_ALIGN;
    return each > up(own) ? each - up(own) : 0;
}

uint64_t pipeline_transfers(uint64_t bytes) {
    return ceil_div(bytes, PIPELINE_DMA_MOST);
}

bool pipeline_count(uint64_t length, uint32_t units, uint64_t most, uint64_t alignment,
                    uint64_t cpu_asked, struct pipeline_counts *out) {
    const uint64_t here = cpu_asked < length ? length - cpu_asked : 0;
    *out = (struct pipeline_counts){.cpu_elements = length};
    if (here < alignment)
        return true;
    if (most < alignment)
        return false;
    const uint64_t of_all = most > UINT64_MAX / units ? UINT64_MAX : most * units;
    out->rounds = ceil_div(here, of_all);
    out->units = units;
    /* Too few for all units: one slice of the least size in as many as there are. */
    if (here / alignment < units)
        out->units = (uint32_t)(here / alignment);
    out->per_unit = here / (out->rounds * out->units) / alignment * alignment;
    /* A unit has room for one aligned slice alone, and not all slices of the last round are full.
     */
    if (!out->per_unit) {
        out->rounds = here / of_all;
        out->per_unit = most;
    }
    out->elements_per_round = out->per_unit * out->units;
    out->cpu_elements = length - out->elements_per_round * out->rounds;
    return true;
}

struct pipeline_slice pipeline_unit_slice(const struct pipeline_counts *counts, uint64_t round,
                                          uint32_t unit) {
    return (struct pipeline_slice){round * counts->elements_per_round + unit * counts->per_unit,
                                   counts->per_unit};
}

struct pipeline_slice pipeline_cpu_slice(const struct pipeline_counts *counts) {
    return (struct pipeline_slice){counts->rounds * counts->elements_per_round,
                                   counts->cpu_elements};
}

struct pipeline_slice pipeline_tasklet_slice(uint64_t count, uint32_t tasklets, uint64_t alignment,
                                             uint32_t tasklet) {
    const uint64_t each = count / tasklets / alignment * alignment;
    const uint64_t first = each * tasklet;
    return (struct pipeline_slice){first, tasklet + 1 == tasklets ? count - first : each};
}

struct pipeline_carry pipeline_filter_block(uint32_t held, uint64_t kept, uint32_t element_bytes) {
    const uint64_t bytes = (held + kept) * element_bytes;
    const uint64_t advance = bytes / PIPELINE_ALIGN * PIPELINE_ALIGN;
    return (struct pipeline_carry){up(bytes), advance,
                                   (uint32_t)((bytes - advance) / element_bytes)};
}
