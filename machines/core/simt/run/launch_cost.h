/* SPDX-License-Identifier: MIT
 * What launches cost, as datapath.h has it: micro-ops are what takes energy, parts Fig. 10's
 * groups. */
#ifndef MACHINES_CORE_SIMT_RUN_LAUNCH_COST_H
#define MACHINES_CORE_SIMT_RUN_LAUNCH_COST_H

#include "machines/core/simt/run/simt_engine.h"

/* Kinds, parts, counters and tracks of the machine. */
void simt_cost_open(struct simt_machine_state *m);
/* Carries a launch out and fills in what it takes; false after reporting. */
bool simt_cost_launch(struct simt_machine_state *m, struct simt_run *run, struct dp_cost *cost);
void simt_cost_counters(const struct datapath *dp, uint64_t *values);
void simt_cost_format(const struct datapath *dp, const struct dp_event *e, unsigned format,
                      struct str *out);

#endif
