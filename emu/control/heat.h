/* SPDX-License-Identifier: MIT
 * Power density of MPUs, and how many VRFs of an RFH it lets work at once.
 *
 * It is the power of the datapath alone over the area of an MPU with its front end.  The limit
 * (thermal.limit_mw_per_cm2) is for windows of at least thermal.window_ps: a die does not get hot
 * from one instruction. */
#ifndef EMU_CONTROL_HEAT_H
#define EMU_CONTROL_HEAT_H

#include "emu/control/ensemble.h"

#include <stdint.h>

struct control;
struct strand;
struct prepared_run;

/* What an MPU took since its window began; the window ends with the first compute ensemble that
 * makes it long enough. */
struct heat_window {
    bool open;
    uint64_t start_ps, energy_fj;
    uint64_t hot_fj;    /* of the run that took most */
    uint32_t hot_index; /* its first instruction */
};

/* Nothing is kept where the target gives no limit or no area. */
void control_heat_open(struct control *c);
void control_heat_close(struct control *c);
/* Before a compute ensemble of the stream at work, and behind it with its strands. */
void control_heat_before(struct control *c);
void control_heat_after(struct control *c, const struct ensemble *e, const struct strand *strands,
                        uint32_t count);
/* A run of a strand took so much energy in all of its VRFs. */
void control_heat_run(struct strand *s, uint32_t first, uint64_t energy_fj);

/* VRFs of an RFH that may work at once in the body at `body`; 0: all.  With control.cap power the
 * most with which the body's hungriest instruction, alone, stays under the limit, but at least
 * one. */
uint32_t control_heat_cap(struct control *c, uint32_t body);

#endif
