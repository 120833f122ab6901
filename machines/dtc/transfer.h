/* SPDX-License-Identifier: MIT
 * What a transfer costs on a machine whose copies are the data-transfer controller's alone. */
#ifndef MACHINES_DTC_TRANSFER_H
#define MACHINES_DTC_TRANSFER_H

#include "machines/datapath.h"

/* Fills times and the controller's energy.  *dtc is made when it is first needed; the caller frees
 * it. */
void dtc_charge(struct dtc **dtc, const struct target *target, const struct dp_transfer *transfer,
                struct dp_cost *cost);

#endif
