/* SPDX-License-Identifier: MIT
 * What one instruction costs, with a reason where it has no cost. */
#ifndef TOOLS_MPU_RECIPE_COST_H
#define TOOLS_MPU_RECIPE_COST_H

#include "tools/mpu-recipe/source.h"

/* Micro-ops and counts of one instruction; false after reporting: no recipe, or no schedule. */
bool cost_of(const struct recipe_source *s, const struct insn *insn, bool masked,
             struct uop_list *list, struct recipe_count *n, struct diag *d);
bool cost_count(const struct recipe_source *source, const struct insn *insn, bool masked,
                struct recipe_count *count, struct diag *diag);
/* The width that tables show; 1 for an instruction without one, which works on single bits. */
unsigned cost_shown_width(const struct insn *insn);

#endif
