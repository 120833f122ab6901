/* SPDX-License-Identifier: MIT
 * What test_damage damages, and how: recipes' texts in damage_texts.c and
 * damage_arrays.c, lists of micro-ops in damage_list.c. */
#ifndef TESTS_RECIPE_DAMAGE_H
#define TESTS_RECIPE_DAMAGE_H

#include "recipe/set/recipe.h"

#include <stddef.h>

/* The first `from` in the recipe's text, or in the target's if that has it, becomes `to`. */
struct damage {
    const char *what, *from, *to;
};

struct damaged_kind {
    const char *name;
    enum isa_op op;
    int32_t imm;        /* for the list */
    const char *target; /* text of a target file; NULL: racer */
    const char *text;
    const struct damage *damages;
    size_t count;
};
extern const struct damaged_kind damaged_kinds[];
extern const size_t damaged_kind_count;
extern const struct damaged_kind damaged_array_kinds[];
extern const size_t damaged_array_kind_count;

/* A damage to an expanded list: `fits` where it can be done, `apply` there. */
struct list_case {
    const struct target *target;
    const struct insn *insn;
};
struct list_damage {
    const char *what;
    bool (*fits)(const struct list_case *c, const struct uop_list *list, size_t i);
    void (*apply)(const struct list_case *c, struct uop_list *list, size_t i);
    bool shows; /* in the bits: running alone must tell, too */
    bool hides; /* at a place where the other operands decide: refused at one place at least */
};
extern const struct list_damage list_damages[];
extern const size_t list_damage_count;

#endif
