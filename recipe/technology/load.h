/* SPDX-License-Identifier: MIT
 * The steps from a target's text to what its file says of a plane machine; for the files of this
 * folder alone. */
#ifndef RECIPE_PLANE_LOAD_H
#define RECIPE_PLANE_LOAD_H

#include "recipe/technology/plane.h"
#include "target/load.h"

/* What is being filled in. */
static inline struct plane_target *plane_own(struct target *t) {
    return t->own;
}

/* A name that expressions may use. */
bool technology_is_word(const char *s);
/* The same of a key, which also must not be a name that conditions know. */
bool technology_check_name(struct target_text *x, const struct yaml_node *n, const char *what);
/* --- rows.c, groups.c, ops.c, activate.c, possible.c, mask.c, in this order --- */
bool technology_rows_fill(struct target_text *x, struct target *t);
/* When it is known where C, M and valid lie: is a row left for registers? */
bool technology_check_capacity(struct target_text *x, const struct target *t);
bool technology_groups_fill(struct target_text *x, struct target *t);
bool technology_ops_fill(struct target_text *x, struct target *t);
/* Writes the variants of a command that activates rows behind the ops that `list` has; `like`
 * holds what they share.  False after reporting. */
bool technology_activate(struct target_text *x, struct target *t, struct target_op *list,
                         const struct yaml_node *node, const struct target_op *like);
/* False if no places of its operands satisfy the op's `where`. */
bool technology_op_is_possible(const struct target *t, const struct target_op *op);
bool technology_mask_fill(struct target_text *x, struct target *t);
/* The class of one row of that name, or -1. */
int technology_row_named(const struct target *t, const char *name);
#endif
