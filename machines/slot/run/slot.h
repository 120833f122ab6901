/* SPDX-License-Identifier: MIT
 * The engine of kind `slot` (machines/datapaths.c). */
#ifndef MACHINES_SLOT_RUN_SLOT_H
#define MACHINES_SLOT_RUN_SLOT_H

#include "machines/datapath.h"

extern const struct datapath_ops slot_engine;

#endif
