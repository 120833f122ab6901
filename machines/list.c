/* SPDX-License-Identifier: MIT
 * The kinds of machines that there are: their link halves.  The list of run halves is datapaths.c.
 * A program that links other lists in front of these has other kinds. */
#include "machines/golden/link/kind.h"
#include "recipe/plane/plane.h"

const struct target_kind *const target_kinds[] = {&plane_target_kind, &golden_target_kind, NULL};
