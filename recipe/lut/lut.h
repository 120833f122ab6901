/* SPDX-License-Identifier: MIT
 * Tables as logic: the recipe of a LUT, which depends on its table.  docs/tables.md says how. */
#ifndef RECIPE_LUT_LUT_H
#define RECIPE_LUT_LUT_H

#include "isa-spec/lut.h"
#include "recipe/set.h"

/* What became of a table. */
struct lut_report {
    const char *way; /* "sums", "diagram" ... */
    uint64_t gates;  /* of the network that was chosen */
    uint64_t ands, xors, selects;
    uint64_t carried_out; /* gates, those that are made again for want of rows among them */
    uint32_t held;        /* values between gates at once */
    uint64_t micro_ops;   /* registers apart, no mask */
    uint64_t cost, unit;  /* their time, ps; and ps of one unit of mapping_function_cost */
};

/* recipe_expand_with, which stands above this folder. */
typedef bool lut_expand_fn(const struct recipe_set *set, const struct recipe *recipe,
                           const struct insn *insn, bool masked, struct uop_list *out,
                           struct diag *diag);

/* The gate-level recipe that gives the table's value for the low `inputs` bits of rs in bits
 * 0 .. outputs-1 of rd; in the set's arena, so that nobody else may use that at the time.  Of the
 * ways that there are it is the one that takes the target the least time.  NULL after reporting:
 * the target lacks a function, or no machine holds so much logic.  `report` may be NULL. */
const struct recipe *lut_map(struct recipe_set *set, const struct isa_lut *table, unsigned inputs,
                             unsigned outputs, lut_expand_fn *expand, struct lut_report *report,
                             struct diag *diag);

/* Recipes of tables, each made once for a set: tables are the same if their contents are.  Not
 * while anybody else asks, since they lie in the set's arena. */
struct lut_recipes *lut_recipes_new(void);
void lut_recipes_free(struct lut_recipes *recipes);
/* Whether lut_recipe_of has been asked for it before. */
bool lut_recipe_is_known(const struct lut_recipes *recipes, const struct insn *insn);
/* That of a LUT, whose table must be there; NULL after reporting. */
const struct recipe *lut_recipe_of(struct recipe_set *set, const struct insn *insn,
                                   lut_expand_fn *expand, struct diag *diag);

#endif
