/* SPDX-License-Identifier: MIT
 * Forms of instructions with their templates, before they share sequences in one table.  They
 * depend on nothing but the set, the layout and the instruction, and rolling a list into loops is
 * most of the work on a table; so a set keeps those made with it.  For the files of this folder
 * alone. */
#ifndef RECIPE_TABLE_MADE_H
#define RECIPE_TABLE_MADE_H

#include "recipe/set.h"
#include "recipe/table/memory.h"
#include "recipe/table/parts.h"

struct made_form {
    struct recipe_form form; /* first and count are not set */
    struct insn insn;        /* that it was made for */
    struct entry_list entries;
    struct uop_list list; /* what the entries must give for it */
};

/* The forms that serve an instruction: one, or a masked and a plain one. */
struct made_forms {
    const struct made_form *forms[2]; /* the memory's */
    unsigned count;
};

/* Finds them in the memory, which is of this set and this layout, or makes them and puts them in.
 * May be called from any thread.  False after reporting. */
bool table_made_get(struct table_memory *memory, const struct table_layout *layout,
                    const struct recipe_set *set, const struct insn *insn, struct made_forms *out,
                    struct diag *diag);
/* True if nothing more should be put in. */
bool table_memory_full(struct table_memory *memory);

/* A form without its templates, as bytes. */
struct table_form_key {
    uint8_t bytes[9];
};
struct table_form_key table_form_key(const struct recipe_form *form);

bool table_same_list(const struct uop_list *left, const struct uop_list *right);

#endif
