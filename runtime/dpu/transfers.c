/* SPDX-License-Identifier: MIT
 * Transfers between the host and symbols of DPUs. */
#include "runtime/dpu/dpus.h"

#include <inttypes.h>
#include <stdlib.h>

/* Whether a transfer has somewhere to go; what is wrong with it is said, and the code is not
 * DPU_OK. */
static dpu_error_t check(struct dpu_symbol_t symbol, uint32_t offset, size_t length,
                         mpu_dpu_say *say) {
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
    return DPU_OK;
}
dpu_error_t mpu_dpu_prepare(struct dpu_set_t set, void *buffer, mpu_dpu_say *say) {
    (void)say;
    for (uint32_t i = set.first; i < set.first + set.count; i++)
        set.all->each[i].prepared = buffer;
    return DPU_OK;
}
/* Pieces of DPUs with one program after another's; DPU_OK, or what was said. */
static dpu_error_t move(struct dpu_set_t set, enum dpus_way way, struct dpu_symbol_t symbol,
                        uint32_t offset, size_t length, const struct device_piece *pieces,
                        size_t count, mpu_dpu_say *say) {
    dpu_error_t error = DPU_OK;
    for (size_t i = 0, next; i < count && !error; i = next) {
        struct dpu_program_t *program = set.all->each[pieces[i].unit].program;
        if (!program)
            return dpus_say(say, DPU_ERR_INVALID_DPU_SET, "no program is loaded into DPU %" PRIu32,
                            pieces[i].unit);
        for (next = i + 1; next < count && set.all->each[pieces[next].unit].program == program;)
            next++;
        error = dpus_move(set.all, program, way, symbol.address + offset, length, pieces + i,
                          next - i, say);
    }
    return error;
}
dpu_error_t mpu_dpu_push(struct dpu_set_t set, dpu_xfer_t way, struct dpu_symbol_t symbol,
                         uint32_t offset, size_t length, uint32_t flags, mpu_dpu_say *say) {
    struct device_piece *pieces = xcalloc(set.count + 1u, sizeof *pieces);
    size_t count = 0;
    dpu_error_t error = check(symbol, offset, length, say);
    if (way != DPU_XFER_TO_DPU && way != DPU_XFER_FROM_DPU)
        error = dpus_say(say, DPU_ERR_INVALID_MEMORY_TRANSFER, "there is no transfer %d", (int)way);
    for (uint32_t i = set.first; i < set.first + set.count; i++) {
        struct dpus_one *one = &set.all->each[i];
        if (one->prepared)
            pieces[count++] = (struct device_piece){i, one->prepared};
        if (!(flags & DPU_XFER_NO_RESET))
            one->prepared = NULL;
    }
    if (!error)
        error = move(set, way == DPU_XFER_TO_DPU ? DPUS_TO_MANY : DPUS_FROM_MANY, symbol, offset,
                     length, pieces, count, say);
    free(pieces);
    return error;
}
dpu_error_t mpu_dpu_copy_to(struct dpu_set_t set, struct dpu_symbol_t symbol, uint32_t offset,
                            const void *from, size_t length, mpu_dpu_say *say) {
    dpu_error_t error = check(symbol, offset, length, say);
    if (error)
        return error;
    struct device_piece *pieces = xcalloc(set.count + 1u, sizeof *pieces);
    for (uint32_t i = 0; i < set.count; i++)
        pieces[i] = (struct device_piece){set.first + i, (void *)(uintptr_t)from};
    error = move(set, set.count == 1 ? DPUS_TO_ONE : DPUS_TO_ALL, symbol, offset, length, pieces,
                 set.count, say);
    free(pieces);
    return error;
}
dpu_error_t mpu_dpu_copy_from(struct dpu_set_t set, struct dpu_symbol_t symbol, uint32_t offset,
                              void *to, size_t length, mpu_dpu_say *say) {
    const struct device_piece one = {set.first, to};
    if (set.count != 1)
        return dpus_say(say, DPU_ERR_INVALID_DPU_SET,
                        "bytes are copied from one DPU, and the set has %" PRIu32, set.count);
    dpu_error_t error = check(symbol, offset, length, say);
    return error ? error : move(set, DPUS_FROM_ONE, symbol, offset, length, &one, 1, say);
}
