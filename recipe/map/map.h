/* SPDX-License-Identifier: MIT
 * The mapping: from a generic recipe, which is logic, to one in a target's own micro-ops.
 *
 * The result is a recipe like a hand-written one: width-parametric, in the same syntax tree, so
 * that checks, aliases, rows, timing and the recipe table treat both alike, and notation_print
 * shows what a hand-written override has to beat. */
#ifndef RECIPE_MAP_MAP_H
#define RECIPE_MAP_MAP_H

#include "recipe/set/set.h"

/* Maps a generic recipe (resolved) to the set's target; in the set's arena.  NULL after
 * reporting: the gate set lacks a function, or the notation is misused. */
struct recipe *mapping_run(struct recipe_set *set, const struct recipe *recipe, struct diag *diag);

struct op_frame;
struct step_template;
/* Where no micro-op copies a row: the index-th of the cheapest sequences that do, or that invert;
 * in temporaries alone, or by way of rows for computing or latches, which then hold something else.
 * NULL if there are not so many.  The places that they speak of. */
const struct step_template *mapping_copy_sequence(const struct recipe_set *set, bool inverting,
                                                  bool rows, unsigned index);
const struct op_frame *mapping_frame(const struct recipe_set *set);
/* The index-th of the cheapest sequences that copy a row of one class to one of another, with what
 * they take and the places that they speak of; NULL if there are not so many.  Any thread may ask.
 */
const struct step_template *mapping_copy_between(const struct recipe_set *set, unsigned from,
                                                 unsigned to, unsigned index, uint32_t *cost,
                                                 const struct op_frame **frame);
/* frame.c: the class of rows in which values lie between gates, and scratch where it can. */
int mapping_home(const struct target *target);
/* Must what comes into a section be copied to a row before gates of mapped recipes read it? */
bool mapping_keeps_incoming(const struct recipe_set *set);
/* Once for a set that is opened: finds what the two give. */
void mapping_prepare(struct recipe_set *set);
/* What the set keeps beside its arena; NULL is nothing. */
void mapping_memo_free(struct search_memo *memo);

/* Cost of the least program for a function of up to three rows in a row, in the mapping's units;
 * UINT32_MAX if there is none.  Not while another thread asks for recipes. */
uint64_t mapping_function_cost(struct recipe_set *set, uint8_t truth);

/* The recipe in the notation, as it could stand in a file. */
void notation_print(const struct recipe_set *set, const struct recipe *recipe, struct str *out);

#endif
