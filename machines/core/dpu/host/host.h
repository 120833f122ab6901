/* SPDX-License-Identifier: MIT
 * DPUs as a host program has them: loaded, launched and read, with the time that it takes.
 *
 * Launches: `launch_ps`, and the cycles of the DPU that takes longest.  Transfers: bytes over a
 * rate that depends on direction and on how many DPUs take part (link_rates.c). */
#ifndef MACHINES_CORE_DPU_HOST_HOST_H
#define MACHINES_CORE_DPU_HOST_HOST_H

#include "machines/core/dpu/run/core.h"

#define DPU_RANK_DPUS 64u
#define DPU_MOST_DPUS 2560u

enum dpu_link {
    DPU_LINK_SILICON,  /* measured beside PrIM's programs */
    DPU_LINK_RECALLED, /* as PrIM's paper is recalled */
};
enum dpu_way {
    DPU_TO_ONE, /* one after another */
    DPU_FROM_ONE,
    DPU_TO_MANY, /* bytes of their own for each, at once */
    DPU_FROM_MANY,
    DPU_TO_ALL, /* the same bytes for each */
    DPU_WAYS
};
const char *dpu_way_name(enum dpu_way way);
/* Of `bytes` in all DPUs together. */
uint64_t dpu_link_ps(enum dpu_link link, enum dpu_way way, uint32_t dpus, uint64_t bytes);

struct dpu_host_config {
    uint32_t dpus, mhz;
    enum dpu_link link;
    unsigned threads; /* 0: one a processor */
    uint64_t launch_ps;
    uint64_t most_instructions; /* of a DPU in one launch */
    struct dpu_time time;
};
#define DPU_HOST_DEFAULT                                                                           \
    ((struct dpu_host_config){.dpus = 1,                                                           \
                              .mhz = 350,                                                          \
                              .launch_ps = UINT64_C(150000000),                                    \
                              .most_instructions = UINT64_C(1) << 36,                              \
                              .time = DPU_TIME_MEASURED})
struct dpu_host_spent {
    uint64_t launches, launch_ps;  /* launches alone, without instructions */
    uint64_t kernel_ps;            /* of the DPUs that took longest, without launches */
    uint64_t instructions, cycles; /* of all DPUs */
    struct {
        uint64_t transfers, bytes, ps;
    } ways[DPU_WAYS];
};

struct dpu_host;
struct dpu_host *dpu_host_new(const struct dpu_host_config *config);
void dpu_host_free(struct dpu_host *h);
struct dpu_core *dpu_host_core(struct dpu_host *h, uint32_t dpu);
/* Loads DPUs first .. first + count - 1; MRAM stays. */
void dpu_host_load(struct dpu_host *h, uint32_t first, uint32_t count,
                   const struct dpu_program *program);
/* Runs them; false if something is wrong in one, of which *bad is the first. */
bool dpu_host_launch(struct dpu_host *h, uint32_t first, uint32_t count, uint32_t *bad);
/* Counts a transfer. */
void dpu_host_moved(struct dpu_host *h, enum dpu_way way, uint32_t dpus, uint64_t bytes);
const struct dpu_host_spent *dpu_host_spent(const struct dpu_host *h);

#endif
