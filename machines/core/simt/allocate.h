/* SPDX-License-Identifier: MIT
 * Hardware registers for a lowered kernel, as many as a thread may have. */
#ifndef MACHINES_CORE_SIMT_ALLOCATE_H
#define MACHINES_CORE_SIMT_ALLOCATE_H

#include "machines/core/simt/compile.h"
#include "machines/core/simt/lowered.h"

/* ---- allocate.c ---- */

struct simt_allocation {
    struct ptx_cfg cfg;
    struct simt_live live;
    uint8_t *at; /* [registers]: enum simt_location */
    struct simt_colours colours;
    uint32_t first[SIMT_LOCATIONS]; /* of each class in the machine's numbers, */
    uint32_t units[SIMT_LOCATIONS]; /* and how many it has, those that pairs leave out among them */
};
/* Where classes together have more than options->registers, all registers lie far if that is
 * enough; else what is beyond is spilled.  False with *fault set.  Freed by simt_allocation_free in
 * any case. */
bool simt_allocate(struct simt_lowered *l, const struct simt_options *options,
                   struct simt_allocation *out, struct portable_fault *fault);
void simt_allocation_free(struct simt_allocation *a);

/* ---- choose.c ---- */

/* Marks registers of a class, of which `most` units live at once, until about `units` are free
 * there; how many that are: 0, if none can leave. */
uint32_t simt_choose(const struct simt_lowered *l, const struct simt_live *live,
                     const uint8_t *class, unsigned wanted, uint32_t most, uint32_t units,
                     uint8_t *marked);

#endif
