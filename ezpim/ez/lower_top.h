/* SPDX-License-Identifier: MIT
 * Inside lowering: statements at top level. */
#ifndef EZPIM_EZ_LOWER_TOP_H
#define EZPIM_EZ_LOWER_TOP_H

#include "ezpim/array/fold.h"
#include "ezpim/ez/lower.h"
#include "ezpim/ez/move.h"

#include <stdlib.h>

/* A node behind the last one. */
struct ir_node *ez_lower_node(struct lowering *l, enum ir_node_kind kind, struct span at);
/* The node's code, empty, over a group. */
void ez_lower_begin_code(struct lowering *l, struct ir_node *n, const struct ez_symbol *group);
/* An ensemble over the group: a new one, or the last one where that is over the same group. */
void ez_lower_begin_ensemble(struct lowering *l, const struct ez_symbol *group, struct span at);
void ez_lower_top(struct lowering *l, const struct stmt *s);
struct ir_node *ez_lower_gmove(struct lowering *l, const struct ez_move *m, struct span at);
void ez_lower_reduction(struct lowering *l, const struct stmt *s);
/* c = product(a, b), y = sort(x) */
void ez_lower_product(struct lowering *l, const struct stmt *s);
void ez_lower_sort(struct lowering *l, const struct stmt *s);
void ez_lower_compact(struct lowering *l, const struct stmt *s);
/* Lengths that are asked for before `compact` gave them: they start as the number of elements. */
void ez_lower_late_lengths(struct lowering *l);
/* Bools. */
uint32_t ez_lower_not(struct lowering *l, uint32_t a, struct span at);
uint32_t ez_lower_and(struct lowering *l, uint32_t a, uint32_t b, struct span at);
void ez_lower_message(struct lowering *l, const struct stmt *s);
void ez_lower_collective(struct lowering *l, const struct stmt *s);
/* The fold that a reduction is. */
enum array_fold_kind ez_lower_fold_kind(enum reduction_kind kind);
/* The texts of all MPUs. */
void ez_lower_images(struct lowering *l);

#endif
