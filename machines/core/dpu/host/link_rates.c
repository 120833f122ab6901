/* SPDX-License-Identifier: MIT
 * How fast bytes go between the host and DPUs. */
#include "machines/core/dpu/host/host.h"

#include <math.h>

/* GB/s by the number of DPUs; between them as a power of it, and beyond a rank as with a whole one
 * (assumed). */
#define RANKED 4
struct rates {
    double dpus[RANKED], rate[RANKED];
};
/* VA of PrIM on 1, 4, 16 and 64 DPUs: bytes over the times measured beside it. */
static const struct rates silicon_to = {{1, 4, 16, 64}, {0.56, 1.61, 2.32, 3.85}};
static const struct rates silicon_from = {{1, 4, 16, 64}, {0.109, 0.415, 0.755, 1.6}};
/* 1 and 64 DPUs of PrIM's paper, as recalled. */
static const struct rates recalled_to = {{1, 1, 1, 64}, {0.33, 0.33, 0.33, 6.68}};
static const struct rates recalled_from = {{1, 1, 1, 64}, {0.12, 0.12, 0.12, 4.74}};
static const struct rates recalled_all = {{1, 1, 1, 64}, {0.33, 0.33, 0.33, 16.88}};

static double rate_of(const struct rates *r, uint32_t dpus) {
    int i = 0;
    if (dpus >= r->dpus[RANKED - 1])
        return r->rate[RANKED - 1];
    while (r->dpus[i + 1] <= dpus)
        i++;
    double part = log(dpus / r->dpus[i]) / log(r->dpus[i + 1] / r->dpus[i]);
    return r->rate[i] * pow(r->rate[i + 1] / r->rate[i], part);
}
uint64_t dpu_link_ps(enum dpu_link link, enum dpu_way way, uint32_t dpus, uint64_t bytes) {
    bool recalled = link == DPU_LINK_RECALLED;
    bool to = way != DPU_FROM_ONE && way != DPU_FROM_MANY;
    /* Silicon's file has no broadcast: assumed as fast as bytes of their own. */
    const struct rates *r = recalled && way == DPU_TO_ALL ? &recalled_all
                            : recalled                    ? to ? &recalled_to : &recalled_from
                            : to                          ? &silicon_to
                                                          : &silicon_from;
    if (way == DPU_TO_ONE || way == DPU_FROM_ONE)
        dpus = 1;
    return (uint64_t)((double)bytes * 1000 / rate_of(r, dpus));
}
const char *dpu_way_name(enum dpu_way way) {
    static const char *const names[DPU_WAYS] = {"to_one", "from_one", "to_many", "from_many",
                                                "to_all"};
    return names[way];
}
