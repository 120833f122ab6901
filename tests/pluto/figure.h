/* SPDX-License-Identifier: MIT
 * The published figures of pLUTo by each way that gives them. */
#ifndef TESTS_PLUTO_FIGURE_H
#define TESTS_PLUTO_FIGURE_H

#include "fact.h"
#include "formula.h"
#include "release.h"

extern const char *const figure_ways[WAYS]; /* headings */

/* NAN where the way does not give it. */
double figure_value(struct facts *all, const struct fact *f, enum way way);

/* Over the CPU: the geometric mean of the seven workloads that Fig. 7, 8, 10 and 14 have. */
double figure_speedup(const struct facts *all, const struct release_run *r);

#endif
