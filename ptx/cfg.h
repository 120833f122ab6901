/* SPDX-License-Identifier: MIT
 * Basic blocks of a function, and which of them every way to the end goes through. */
#ifndef PTX_CFG_H
#define PTX_CFG_H

#include "ptx/ptx.h"

struct ptx_block {
    uint32_t first, count; /* instructions */
    /* Blocks that follow: the one behind, the target of a branch; PTX_NONE: none.  The number of
     * blocks: the end of the function. */
    uint32_t next[2];
    uint32_t post_dominator; /* the nearest one; the number of blocks: only the end */
    /* Where lanes meet again that part behind it (reconverge.c); the number of blocks: nowhere. */
    uint32_t reconverge;
    bool reached; /* from the first one */
};
struct ptx_cfg {
    struct ptx_block *blocks; /* [count] */
    uint32_t count;
    uint32_t *block_of; /* [instructions] */
};

/* In time that grows with instructions, but for the depth of dominators. */
void ptx_cfg_make(const struct ptx_function *function, struct ptx_cfg *out);
/* Of ptx_cfg_make; sets `reconverge`. */
void ptx_cfg_reconverge(const struct ptx_function *function, struct ptx_cfg *cfg);
void ptx_cfg_free(struct ptx_cfg *cfg);

#endif
