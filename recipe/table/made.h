/* SPDX-License-Identifier: MIT
 * From an instruction to the templates of its forms.  For the files of this folder alone. */
#ifndef RECIPE_TABLE_MADE_H
#define RECIPE_TABLE_MADE_H

#include "recipe/set/set.h"
#include "recipe/table/made_before.h"

/* Finds the forms that serve an instruction in the memory, which is of this set and this layout,
 * or makes them and puts them in; what serves all constants is in `lasting`.  May be called from
 * any thread.  False after reporting. */
bool table_made_get(struct table_memory *memory, struct table_memory *lasting,
                    const struct table_layout *layout, const struct recipe_set *set,
                    const struct insn *insn, struct table_made_forms *out, struct diag *diag);

bool table_same_list(const struct uop_list *left, const struct uop_list *right);

#endif
