/* SPDX-License-Identifier: MIT
 * The link half of near-bank SIMT cores: they carry out kernels of form `ptx`, and no MPU
 * instructions. */
#ifndef MACHINES_CORE_SIMT_LINK_SIMT_LINK_H
#define MACHINES_CORE_SIMT_LINK_SIMT_LINK_H

#include "machines/machine.h"

/* Keys of the target file. */
struct simt_keys {
    uint32_t banks; /* of a near-bank unit, each of so many bytes */
    uint64_t bank_bytes;
    uint32_t far_rf_bytes, near_rf_bytes; /* registers of a subcore; of its near-bank unit */
    uint32_t shared_bytes, icache_bytes;  /* of a core */
    uint32_t warps;                       /* of a subcore at most */
    uint32_t block_threads;               /* at most */
    uint32_t registers;                   /* of 32 bits that a thread may have */
    bool near_shared;                     /* shared memory lies beside the banks */
    uint64_t watchdog;                    /* instructions of a warp */
};
static inline const struct simt_keys *simt_keys(const struct target *t) {
    return t->own;
}
/* Bytes of the whole machine's memory. */
uint64_t simt_memory(const struct target *t);

extern const struct target_kind simt_target_kind;
extern const struct machine simt_machine;
extern const struct machine_form simt_ptx_form;

#endif
