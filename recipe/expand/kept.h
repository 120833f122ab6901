/* SPDX-License-Identifier: MIT
 * Lists of micro-ops that were made before.  A program names an instruction with many registers,
 * and a package is made from the same lists that were tried before; so what was expanded lately is
 * kept, for registers yet to be named and without the predicates of a mask. */
#ifndef RECIPE_EXPAND_KEPT_H
#define RECIPE_EXPAND_KEPT_H

#include "recipe/expand/allowed.h"

struct kept_lists;

struct kept_lists *expand_kept_new(void);
void expand_kept_free(struct kept_lists *lists);

/* What a list depends on besides the set: the recipe, the width, the constant, which of its
 * registers are the same, and whether it is one that only serves under a mask. */
struct kept_key {
    const struct recipe *recipe;
    int32_t imm;
    uint8_t width, alias;
    bool masked;
};
struct kept_key expand_kept_key_of(const struct recipe *recipe, const struct insn *insn,
                                   bool masked);

/* Appends the list with the registers of `insn` in place; false if it is not kept.  May be called
 * from any thread, as may expand_kept_put. */
bool expand_kept_get(struct kept_lists *lists, const struct kept_key *key, const struct insn *insn,
                     struct uop_list *out);
/* The same where some registers of `insn` are one: the list for distinct ones, if that is kept and
 * serves as it is. */
bool expand_kept_get_alike(struct kept_lists *lists, const struct target *target,
                           const struct kept_key *key, const struct insn *insn,
                           struct uop_list *out);
/* alike.c: is a list for distinct registers, which stand in it by field, the one that an expansion
 * for those of `insn` would give? */
bool expand_serves_alias(const struct target *target, const struct insn *insn,
                         const struct uop_list *list);
/* Takes the list.  In its register planes, field << 6 | bit stands for the number. */
void expand_kept_put(struct kept_lists *lists, const struct kept_key *key, struct uop_list *list);
/* Appends such a list with the registers of `insn` in place. */
void expand_kept_append(const struct uop *uops, size_t count, const struct insn *insn,
                        struct uop_list *out);

/* The same for what a body comes to before anything is made of aliases and masks: the few that were
 * made last.  Gets and keeps copies; a body depends on the recipe, the width, the constant, and on
 * in_order, copies_at_home and saves_carries as they were before: the last one is `saved_carries`.
 */
bool expand_kept_get_body(struct kept_lists *lists, struct expansion *expansion);
void expand_kept_put_body(struct kept_lists *lists, const struct expansion *expansion,
                          bool saved_carries);

/* What was answered about classes of rows: for one expansion alone, which gives it back. */
struct allowed_memo *expand_kept_take_answers(struct kept_lists *lists);
void expand_kept_give_answers(struct kept_lists *lists, struct allowed_memo *answers);

#endif
