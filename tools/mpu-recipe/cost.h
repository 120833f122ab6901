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

/* Of a machine of another kind: calls visit with each slot in which the instruction is meant: those
 * of `slots` [count] that have room for it, or the least one. */
typedef void slot_visit(void *context, unsigned slot);
void cost_each_slot(const struct recipe_source *source, const struct insn *insn,
                    const uint8_t *slots, size_t count, slot_visit *visit, void *context);
/* What the machine says; false after reporting.  `text` may be NULL. */
bool cost_figures(const struct recipe_source *source, const struct insn *insn, unsigned slot,
                  bool masked, struct machine_figures *figures, struct str *text,
                  struct diag *diag);

#endif
