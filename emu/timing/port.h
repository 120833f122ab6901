/* SPDX-License-Identifier: MIT
 * The issue port of an MPU: one micro-op or instruction slot in each front-end cycle, whichever
 * controller it is for.  Ensembles that are older in program order have taken their cycles already;
 * later ones take what is free between these. */
#ifndef EMU_TIMING_PORT_H
#define EMU_TIMING_PORT_H

#include "support/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct busy_time {
    uint64_t start_ps, end_ps;
};
struct issue_port {
    VEC(struct busy_time) busy; /* ascending, apart from each other */
};

/* The earliest time from `ready_ps` on at which the port is free for `length_ps`. */
uint64_t timing_port_find(const struct issue_port *port, uint64_t ready_ps, uint64_t length_ps);
/* Takes it at a time that timing_port_find has found. */
void timing_port_take(struct issue_port *port, uint64_t start_ps, uint64_t length_ps);
/* Nothing will ask for a time before `ps` any more: what was taken before it is forgotten. */
void timing_port_forget(struct issue_port *port, uint64_t ps);

#endif
