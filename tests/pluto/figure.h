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

/* Geometric mean over the seven workloads that Fig. 7, 8, 10 and 14 have, of time (ns) or energy
 * (nJ, of a packet or an image). */
double figure_mean_ns(const struct release_run *r);
double figure_mean_nj(const struct release_run *r);
double figure_speedup(const struct facts *all, const struct release_run *r); /* over the CPU */

/* A defect's bit by its name in settings. */
unsigned figure_mend_of(const char *name);

#endif
