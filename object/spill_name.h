/* SPDX-License-Identifier: MIT
 * How moves are called that bring a variable from VRFs of its own, or take it back: with a number
 * behind it.  Statistics have what these cost apart. */
#ifndef OBJECT_SPILL_NAME_H
#define OBJECT_SPILL_NAME_H

#include <stdbool.h>
#include <string.h>

#define OBJECT_SPILL_MOVE "$spill"

static inline bool object_is_spill_move(const char *name) {
    return strncmp(name, OBJECT_SPILL_MOVE, sizeof OBJECT_SPILL_MOVE - 1) == 0;
}

#endif
