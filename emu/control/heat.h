/* SPDX-License-Identifier: MIT
 * Power density of MPUs, and how many VRFs of an RFH its limit allows to work at once.
 *
 * Power density is the power of the datapath alone over the area of an MPU with its front end.  The
 * limit (thermal.limit_mw_per_cm2) is for windows of at least thermal.window_ps: a die does not get
 * hot from one instruction. */
#ifndef EMU_CONTROL_HEAT_H
#define EMU_CONTROL_HEAT_H

#include "emu/control/ensemble.h"

#include <stdint.h>

struct control;
struct strand;
struct prepared_run;

/* What an MPU took since its window began.  A window ends with the compute ensemble that brings it
 * to thermal.window_ps. */
struct heat_window {
    bool open;
    uint64_t start_ps, energy_fj;
    uint64_t hot_fj;    /* of the run that took most in it */
    uint32_t hot_index; /* its first instruction */
};

/* Nothing is kept where the target gives no limit or no area. */
void control_heat_open(struct control *control);
void control_heat_close(struct control *control);
/* Called before each compute ensemble of the stream at work, and after it with its strands. */
void control_heat_before(struct control *control);
void control_heat_after(struct control *control, const struct ensemble *ensemble,
                        const struct strand *strands, uint32_t count);
/* A run of a strand took so much energy in all of its VRFs. */
void control_heat_run(struct strand *strand, uint32_t first, uint64_t energy_fj);

/* VRFs of an RFH that may work at once in the body at `body`; 0: all.  With control.cap power it is
 * the largest number with which the instruction of the body that takes most power, running alone,
 * stays under the limit, but at least one. */
uint32_t control_heat_cap(struct control *control, uint32_t body);

#endif
