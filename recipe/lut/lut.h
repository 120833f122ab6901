/* SPDX-License-Identifier: MIT
 * Tables as logic: the recipe of a LUT, which depends on its table.  docs/tables.md says how. */
#ifndef RECIPE_LUT_LUT_H
#define RECIPE_LUT_LUT_H

#include "isa-spec/lut.h"
#include "recipe/set/set.h"
#include "support/cache.h"

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

/* Reads the text of one recipe of a LUT, with its names resolved; in the set's arena.  NULL after
 * reporting. */
struct recipe *lut_parse(struct recipe_set *set, const char *text, size_t size, struct diag *diag);

/* Does the list, of r1 in r2 without a mask, leave in the insn->width bits of r2 what the table
 * says for each value of the bits of r1 that index it?  It must follow from these alone: a list
 * that reads anything else before it has written it, or writes anything else that is visible, does
 * not. */
bool lut_list_holds(const struct target *target, const struct insn *insn,
                    const struct uop_list *list);

/* Recipes of tables, each made once for a set: tables are the same if their contents are.  Not
 * while anybody else asks, since they lie in the set's arena. */
struct lut_recipes *lut_recipes_new(void);
void lut_recipes_free(struct lut_recipes *recipes);
/* Whether lut_recipe_of has been asked for it before. */
bool lut_recipe_is_known(const struct lut_recipes *recipes, const struct insn *insn);
/* That of a LUT, whose table must be there; NULL after reporting. */
const struct recipe *lut_recipe_of(struct recipe_set *set, const struct insn *insn,
                                   lut_expand_fn *expand, struct diag *diag);

/* How many of them lut_recipe_of has made: to find a table's logic takes long. */
size_t lut_recipes_made(const struct lut_recipes *recipes);

/* The recipe of a LUT as text, if it is one that was found and not written; of what
 * lut_recipe_of gave.  Appended. */
bool lut_recipe_print(const struct recipe_set *set, const struct insn *insn, struct str *out);
/* Takes such a text for a table that is not known yet, wherever it comes from: it has to be in the
 * form that lut_recipe_print gives it, and to hold for every index.  False, and nothing is taken,
 * of another one. */
bool lut_recipe_take(struct recipe_set *set, const struct insn *insn, lut_expand_fn *expand,
                     const char *text, size_t size);

/* Names all that a table's logic follows from, as an entry of the cache. */
struct cache_key lut_key(const struct recipe_set *set, const struct insn *insn);
/* lut_recipe_of that looks into the set's cache before it makes a recipe, and keeps it there
 * behind. */
const struct recipe *lut_recipe_kept(struct recipe_set *set, const struct insn *insn,
                                     lut_expand_fn *expand, struct diag *diag);

#endif
