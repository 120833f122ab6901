/* SPDX-License-Identifier: MIT
 * Sources with all that they include, each file once. */
#ifndef EZPIM_EZ_INCLUDE_H
#define EZPIM_EZ_INCLUDE_H

#include "ezpim/ez/parser.h"
#include "ezpim/ez/unit.h"
#include "ezpim/ezpim.h"

/* Parses sources and all that they include into unit->tree; reads their recipe files.  False if the
 * tree is not worth checking. */
bool ez_load(struct ez_unit *unit, const struct ez_source *sources, size_t count,
             const struct ez_options *options);

/* A file of the library that comes with the compiler; NULL: there is none of that name. */
const char *ez_library_text(const char *name, size_t *size);

#endif
