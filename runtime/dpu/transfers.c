/* SPDX-License-Identifier: MIT
 * Transfers between the host and symbols of DPUs. */
#include "runtime/dpu/dpus.h"

#include <inttypes.h>

/* Where a transfer goes; what is wrong with it is said, and the code is not DPU_OK. */
struct dpus_place {
    bool mram;
    uint32_t at;
};
static dpu_error_t find(struct dpu_symbol_t symbol, uint32_t offset, size_t length,
                        struct dpus_place *out, mpu_dpu_say *say) {
    bool mram = symbol.address >= DPU_AT_MRAM && symbol.address < DPU_AT_TEXT;
    uint64_t at = symbol.address - (mram ? DPU_AT_MRAM : 0u) + (uint64_t)offset;
    uint32_t unit = mram ? 8 : 4, most = mram ? DPU_MRAM_BYTES : DPU_WRAM_BYTES;
    const char *name = mram ? "MRAM" : "WRAM";
    dpu_error_t error = mram ? DPU_ERR_INVALID_MRAM_ACCESS : DPU_ERR_INVALID_WRAM_ACCESS;
    if (symbol.address >= DPU_AT_TEXT)
        return dpus_say(say, DPU_ERR_INVALID_SYMBOL_ACCESS,
                        "0x%" PRIx32 " is in no memory that the host can reach", symbol.address);
    if (symbol.size && (length > symbol.size || offset > symbol.size - length))
        return dpus_say(say, DPU_ERR_INVALID_SYMBOL_ACCESS,
                        "%zu bytes from %" PRIu32 " on go beyond the symbol, which has %" PRIu32,
                        length, offset, symbol.size);
    if (at % unit || length % unit)
        return dpus_say(say, error,
                        "%zu bytes at 0x%" PRIx64 " of %s: both must be multiples of %" PRIu32,
                        length, at, name, unit);
    if (at > most || length > most - at)
        return dpus_say(say, error, "%zu bytes at 0x%" PRIx64 " go beyond %s, which has %" PRIu32,
                        length, at, name, most);
    *out = (struct dpus_place){mram, (uint32_t)at};
    return DPU_OK;
}
static void put(struct dpu_set_t set, uint32_t dpu, struct dpus_place place, const void *from,
                size_t length) {
    struct dpu_core *core = dpu_host_core(set.all->host, dpu);
    if (place.mram)
        dpu_core_mram_put(core, place.at, from, (uint32_t)length);
    else
        dpu_core_wram_put(core, place.at, from, (uint32_t)length);
}
static void get(struct dpu_set_t set, uint32_t dpu, struct dpus_place place, void *to,
                size_t length) {
    struct dpu_core *core = dpu_host_core(set.all->host, dpu);
    if (place.mram)
        dpu_core_mram_get(core, place.at, to, (uint32_t)length);
    else
        dpu_core_wram_get(core, place.at, to, (uint32_t)length);
}

dpu_error_t mpu_dpu_prepare(struct dpu_set_t set, void *buffer, mpu_dpu_say *say) {
    (void)say;
    for (uint32_t i = set.first; i < set.first + set.count; i++)
        set.all->each[i].prepared = buffer;
    return DPU_OK;
}
dpu_error_t mpu_dpu_push(struct dpu_set_t set, dpu_xfer_t way, struct dpu_symbol_t symbol,
                         uint32_t offset, size_t length, uint32_t flags, mpu_dpu_say *say) {
    struct dpus_place place = {0};
    uint32_t count = 0;
    dpu_error_t error = find(symbol, offset, length, &place, say);
    if (way != DPU_XFER_TO_DPU && way != DPU_XFER_FROM_DPU)
        error = dpus_say(say, DPU_ERR_INVALID_MEMORY_TRANSFER, "there is no transfer %d", (int)way);
    for (uint32_t i = set.first; i < set.first + set.count && !error; i++) {
        void *buffer = set.all->each[i].prepared;
        if (!buffer)
            continue;
        count++;
        if (way == DPU_XFER_TO_DPU)
            put(set, i, place, buffer, length);
        else
            get(set, i, place, buffer, length);
    }
    for (uint32_t i = set.first; i < set.first + set.count && !(flags & DPU_XFER_NO_RESET); i++)
        set.all->each[i].prepared = NULL;
    if (count)
        dpu_host_moved(set.all->host, way == DPU_XFER_TO_DPU ? DPU_TO_MANY : DPU_FROM_MANY, count,
                       (uint64_t)length * count);
    return error;
}
dpu_error_t mpu_dpu_copy_to(struct dpu_set_t set, struct dpu_symbol_t symbol, uint32_t offset,
                            const void *from, size_t length, mpu_dpu_say *say) {
    struct dpus_place place = {0};
    dpu_error_t error = find(symbol, offset, length, &place, say);
    if (error)
        return error;
    for (uint32_t i = set.first; i < set.first + set.count; i++)
        put(set, i, place, from, length);
    dpu_host_moved(set.all->host, set.count == 1 ? DPU_TO_ONE : DPU_TO_ALL, set.count,
                   (uint64_t)length * set.count);
    return DPU_OK;
}
dpu_error_t mpu_dpu_copy_from(struct dpu_set_t set, struct dpu_symbol_t symbol, uint32_t offset,
                              void *to, size_t length, mpu_dpu_say *say) {
    struct dpus_place place = {0};
    if (set.count != 1)
        return dpus_say(say, DPU_ERR_INVALID_DPU_SET,
                        "bytes are copied from one DPU, and the set has %" PRIu32, set.count);
    dpu_error_t error = find(symbol, offset, length, &place, say);
    if (error)
        return error;
    get(set, set.first, place, to, length);
    dpu_host_moved(set.all->host, DPU_FROM_ONE, 1, length);
    return DPU_OK;
}
