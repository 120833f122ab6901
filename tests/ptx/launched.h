/* SPDX-License-Identifier: MIT
 * A launch of entry `k` of a text on one array: its address is the one parameter. */
#ifndef TESTS_PTX_LAUNCHED_H
#define TESTS_PTX_LAUNCHED_H

#include "portable/portable.h"

#define PTX_ARRAY_ADDRESS UINT64_C(0x10000)

struct ptx_launched {
    const char *text;
    size_t size; /* 0: up to the NUL */
    uint32_t grid, block;
    uint64_t shared; /* dynamic bytes */
    uint32_t *array; /* [elements] */
    size_t elements;
    bool descending;
    bool simt;           /* on near-bank SIMT cores instead of golden */
    uint64_t most_steps; /* 0: as many as it takes */
};
/* False with *fault set, and without where the steps were over. */
bool ptx_launched_run(const struct ptx_launched *launched, struct portable_fault *fault);

#endif
