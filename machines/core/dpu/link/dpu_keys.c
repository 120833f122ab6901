/* SPDX-License-Identifier: MIT
 * The keys of targets of kind `core`. */
#include "machines/core/dpu/dpu.h"
#include "machines/core/dpu/link/dpu_link.h"

#define AT(member) ((ptrdiff_t)offsetof(struct dpu_keys, member))
#define U32(path, min, max, member, help)                                                          \
    { path, KEY_U32, NEED_ALL, min, max, 1, AT(member), NULL, help }
#define KEY(path, field, most, help) STORED_KEY(path, struct dpu_keys, field, most, help)
#define MOST_CYCLES                  1000000 /* thousandths */

static const struct target_key_spec keys[] = {
    {"dpu", KEY_BLOCK, NEED_ALL, 0, 0, 0, -1, NULL, "one DPU"},
    KEY("dpu.mram_bytes", stored.buffer_bytes, DPU_MRAM_BYTES, "MRAM, bytes"),
    U32("dpu.wram_bytes", 8, DPU_WRAM_BYTES, wram_bytes, "WRAM that programs may have, bytes"),
    U32("dpu.iram_instructions", 1, DPU_IRAM_WORDS, iram_instructions,
        "instructions that programs may have"),
    U32("dpu.tasklets", 1, DPU_TASKLETS, tasklets, "tasklets that programs may have"),
    {"dpu.run_tasklets", KEY_U32, NEED_NONE, 1, DPU_TASKLETS, 1, AT(run_tasklets), NULL,
     "tasklets of runs of MPU instructions"},
    U32("dpu.interval_cycles", 1, 1000, interval, "from an issue of a tasklet to its next, cycles"),
    U32("dpu.dma_busy_millicycles", 0, MOST_CYCLES, busy_milli,
        "that a transfer keeps the DMA engine, cycles / 1000"),
    U32("dpu.dma_busy_byte_millicycles", 0, MOST_CYCLES, busy_byte_milli, "and for each byte"),
    U32("dpu.dma_read_millicycles", 0, MOST_CYCLES, read_milli,
        "until a read from MRAM wakes its tasklet, cycles / 1000"),
    U32("dpu.dma_write_millicycles", 0, MOST_CYCLES, write_milli, "until a write to MRAM does"),
    U32("dpu.dma_byte_millicycles", 0, MOST_CYCLES, byte_milli, "and for each byte"),
    {"energy.instruction_fj", KEY_U64, NEED_ALL, 0, MAX_FJ, 1, AT(instruction_fj), NULL,
     "an instruction, fJ"},
    KEY("dpu.watchdog", stored.watchdog, UINT64_C(1) << 50,
        "instructions of a DPU in a launch until it is stopped"),
};

const struct target_kind dpu_target_kind = {.name = "core",
                                            .costs = true,
                                            .measured = true,
                                            .ariths = ARITH_BIT(ARITH_FLUSH),
                                            .keys = keys,
                                            .key_count = sizeof keys / sizeof *keys,
                                            .own_size = sizeof(struct dpu_keys)};
