/* SPDX-License-Identifier: MIT */
#ifndef EZPIM_EZ_INCLUDE_H
#define EZPIM_EZ_INCLUDE_H

#include "ezpim/ez/parser.h"
#include "ezpim/ez/unit.h"
#include "ezpim/ezpim.h"

/* Parses a source and all that it includes into u->tree; reads its recipe files.  False if the
 * tree is not worth checking. */
bool ez_load(struct unit *u, const char *name, const char *text, size_t size,
             const struct ez_options *options);

#endif
