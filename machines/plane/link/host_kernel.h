/* SPDX-License-Identifier: MIT
 * Kernels of words that a host streams (docs/assembly.md, "Words of PyPIM's host"): what a package
 * holds of one. */
#ifndef MACHINES_PLANE_LINK_HOST_KERNEL_H
#define MACHINES_PLANE_LINK_HOST_KERNEL_H

#include "machines/machine.h"

extern const struct machine_form plane_host_form;

/* Code is 8 bytes: how many an element of its buffer has, which gets what READ words return (0:
 * there are none, and it has no parameter); then words of 8 bytes, little-endian. */
enum { PLANE_KERNEL_HEAD = 8 };

#endif
