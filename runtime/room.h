/* SPDX-License-Identifier: MIT
 * How much memory arrays and machines may take. */
#ifndef RUNTIME_ROOM_H
#define RUNTIME_ROOM_H

#include "support/diag.h"

/* Bytes that the state of a machine, or the data of a run, may take: beyond it they are refused,
 * not swapped. */
uint64_t room_limit(void);
/* False after reporting that `bytes` for `what` beside `held` are more than that; UINT64_MAX: more
 * than can be counted. */
bool room_for(const char *what, uint64_t bytes, uint64_t held, struct diag *diag);
/* The same for an array of elements of `bits`. */
bool room_for_array(const char *name, unsigned bits, uint32_t ndim, const uint64_t *shape,
                    uint64_t held, struct diag *diag);

#endif
