/* SPDX-License-Identifier: MIT
 * PTX modules as kernels of target golden. */
#ifndef MACHINES_GOLDEN_LINK_PTX_KERNELS_H
#define MACHINES_GOLDEN_LINK_PTX_KERNELS_H

#include "machines/machine.h"

extern const struct machine_form golden_ptx_form;

#endif
