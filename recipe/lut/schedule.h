/* SPDX-License-Identifier: MIT
 * An order for the gates of a network in which few values are held at once.  For the files of this
 * folder and the tests. */
#ifndef RECIPE_LUT_SCHEDULE_H
#define RECIPE_LUT_SCHEDULE_H

#include "recipe/lut/network.h"

/* A gate carried out, whose value has this name from then on; or an output that is ready. */
struct lut_step {
    uint32_t node;
    uint32_t name;
    uint32_t args[3]; /* names of what the gate reads; of inputs nothing */
    uint32_t output;  /* LUT_NO_OUTPUT of a gate */
};
#define LUT_NO_OUTPUT UINT32_MAX

struct lut_schedule {
    VEC(struct lut_step) steps;
    uint32_t names;        /* that there are */
    uint32_t most_held;    /* values at once */
    uint64_t gates, again; /* carried out; of which for a second time or more */
};

/* Gates for the outputs in `outputs` (numbers, in this order), with at most `limit` values held at
 * once: what there is no room for is forgotten and made again.  Names are used again once there are
 * `names` of them.  False if `limit` is too low, or if that takes more than `most` gates. */
bool lut_schedule_make(const struct lut_network *network, const uint32_t *outputs, size_t count,
                       uint32_t limit, uint32_t names, uint64_t most,
                       struct lut_schedule *schedule);
void lut_schedule_free(struct lut_schedule *schedule);

#endif
