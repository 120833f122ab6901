/* SPDX-License-Identifier: MIT
 * The keys of targets of kind `simt`. */
#include "machines/core/simt/link/simt_link.h"

#define AT(member) ((ptrdiff_t)offsetof(struct simt_keys, member))
#define U32(path, min, max, member, help)                                                          \
    { path, KEY_U32, NEED_ALL, min, max, 1, AT(member), NULL, help }
#define U64(path, min, max, member, help)                                                          \
    { path, KEY_U64, NEED_ALL, min, max, 1, AT(member), NULL, help }

static const struct target_key_spec keys[] = {
    {"simt", KEY_BLOCK, NEED_ALL, 0, 0, 0, -1, NULL, "one core"},
    U32("simt.banks", 1, 64, banks, "banks of a near-bank unit"),
    U64("simt.bank_bytes", 32768, UINT64_C(1) << 30, bank_bytes, "a bank, bytes"),
    U32("simt.far_rf_bytes", 128, 1 << 24, far_rf_bytes, "registers of a subcore, bytes"),
    U32("simt.near_rf_bytes", 128, 1 << 24, near_rf_bytes, "registers of a near-bank unit, bytes"),
    U32("simt.shared_bytes", 0, 1 << 24, shared_bytes, "shared memory of a core, bytes"),
    U32("simt.icache_bytes", 4, 1 << 24, icache_bytes, "instructions of a core, bytes"),
    U32("simt.warps", 1, 1024, warps, "warps of a subcore at most"),
    U32("simt.block_threads", 32, 1024, block_threads, "threads of a block at most"),
    U32("simt.registers", 8, 63, registers,
        "registers of 32 bits of a thread; what is beyond lies in local memory"),
    {"simt.near_shared", KEY_BOOL, NEED_ALL, 0, 0, 0, AT(near_shared), NULL,
     "whether shared memory lies beside the banks"},
    U64("simt.watchdog", 1, UINT64_C(1) << 50, watchdog,
        "instructions of a warp until it is stopped"),
};

const struct target_kind simt_target_kind = {
    .name = "simt",
    .sized = true,
    .ariths = ARITH_BIT(ARITH_FLUSH),
    .keys = keys,
    .key_count = sizeof keys / sizeof *keys,
    .own_size = sizeof(struct simt_keys),
};
