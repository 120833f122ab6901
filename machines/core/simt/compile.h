/* SPDX-License-Identifier: MIT
 * From an entry of a PTX module to a kernel's code. */
#ifndef MACHINES_CORE_SIMT_COMPILE_H
#define MACHINES_CORE_SIMT_COMPILE_H

#include "machines/core/simt/code.h"
#include "ptx/program.h"

struct simt_options {
    uint32_t registers; /* of 32 bits that a thread may have: 8 .. SIMT_REGISTERS */
    bool near_shared;   /* shared memory lies beside the banks */
    /* NULL, or who sees where Algorithm 1 puts the registers of what is to be compiled, enum
     * simt_location each, and may say otherwise of those that are not SIMT_UNKNOWN. */
    void (*locate)(void *context, const struct ptx_function *function, uint8_t *at);
    void *context;
};
/* NULL with *fault set: what calls itself or has no body, code beyond its memory. */
struct simt_kernel *simt_compile(const struct ptx_module *module, uint32_t entry,
                                 const struct simt_options *options, struct portable_fault *fault);

#endif
