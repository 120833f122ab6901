/* SPDX-License-Identifier: MIT
 * Golden at link time: it carries out every instruction of the ISA, and those that a program
 * declares by their contracts, in host arithmetic; there is nothing to place and nothing to load.
 */
#ifndef MACHINES_GOLDEN_LINK_GOLDEN_H
#define MACHINES_GOLDEN_LINK_GOLDEN_H

#include "machines/machine.h"

extern const struct target_kind golden_target_kind;
extern const struct machine golden_machine;

#endif
