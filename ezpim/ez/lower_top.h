/* SPDX-License-Identifier: MIT
 * Inside lowering: statements at top level. */
#ifndef EZPIM_EZ_LOWER_TOP_H
#define EZPIM_EZ_LOWER_TOP_H

#include "ezpim/array/fold.h"
#include "ezpim/ez/lower.h"
#include "ezpim/ez/move.h"

#include <stdlib.h>

/* A node behind the last one. */
struct ir_node *ez_lower_node(struct lowering *lowering, enum ir_node_kind kind, struct span at);
/* An ensemble over the group: a new one, or the last one where that is over the same group. */
void ez_lower_begin_ensemble(struct lowering *lowering, const struct ez_symbol *group,
                             struct span at);
void ez_lower_reduction(struct lowering *lowering, const struct stmt *stmt);
/* c = product(a, b), y = sort(x) */
void ez_lower_product(struct lowering *lowering, const struct stmt *stmt);
void ez_lower_sort(struct lowering *lowering, const struct stmt *stmt);
void ez_lower_compact(struct lowering *lowering, const struct stmt *stmt);
/* Lengths that are asked for before `compact` gave them: they start as the number of elements. */
void ez_lower_late_lengths(struct lowering *lowering);
/* Bools. */
uint32_t ez_lower_not(struct lowering *lowering, uint32_t a, struct span at);
uint32_t ez_lower_and(struct lowering *lowering, uint32_t left, uint32_t right, struct span at);
void ez_lower_message(struct lowering *lowering, const struct stmt *stmt);
void ez_lower_collective(struct lowering *lowering, const struct stmt *stmt);
/* The fold that a reduction is. */
enum array_fold_kind ez_lower_fold_kind(enum reduction_kind kind);
/* The texts of all MPUs. */
void ez_lower_images(struct lowering *lowering);

#endif
