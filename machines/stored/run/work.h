/* SPDX-License-Identifier: MIT
 * What the files of the base share: units carry words out, and their work adds up. */
#ifndef MACHINES_STORED_RUN_WORK_H
#define MACHINES_STORED_RUN_WORK_H

#include "machines/stored/run/stored.h"

/* Carries words out from the first to an end, as many as the watchdog lets; the place where it must
 * stop, or STORED_NO_STOP. */
uint32_t stored_interpret(struct stored_core *c);
#define STORED_NO_STOP UINT32_MAX

/* Of an RFH while its units carry out one thing. */
struct stored_rfh {
    uint64_t longest, shared; /* cycles of a unit; of what they share */
};
/* A unit is done; its work joins that of all. */
void stored_join(const struct stored_dp *m, struct stored_rfh *rfh, struct stored_work *all,
                 const struct stored_work *one);
/* All are done: how long it took; counts what is counted. */
uint64_t stored_settle(struct stored_dp *m, const struct stored_rfh *rfhs, uint32_t count,
                       const struct stored_work *all);
/* Adds what was executed, and its energy, to sums (NULL: nobody asks); all of the energy. */
uint64_t stored_charge(const struct stored_dp *m, const struct stored_work *all, uint64_t *uops,
                       uint64_t *energy_fj);
/* "comes to no end (core.watchdog)"; appended. */
void stored_fault_text(const struct stored_core *c, struct str *out);

/* Code of runs. */
void stored_free_codes(struct stored_dp *m);

#endif
