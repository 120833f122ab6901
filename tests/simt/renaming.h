/* SPDX-License-Identifier: MIT
 * A module with its registers as they are coloured: one for all that simt_colour gives the same
 * units of a class (and that have the same type, as PTX has no others).  It computes what it did
 * before if no two of them are wanted at once. */
#ifndef TESTS_SIMT_RENAMING_H
#define TESTS_SIMT_RENAMING_H

#include "ptx/ptx.h"

/* How many registers share another's. */
uint32_t simt_rename(struct ptx_module *module);

#endif
