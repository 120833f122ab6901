/* SPDX-License-Identifier: MIT
 * The steps from a target's text to what its file says of a plane machine; for the files of this
 * folder alone. */
#ifndef RECIPE_TECHNOLOGY_READ_PLANE_H
#define RECIPE_TECHNOLOGY_READ_PLANE_H

#include "recipe/technology/plane_target.h"
#include "target/load.h"

/* What is being filled in. */
static inline struct plane_target *plane_own(struct target *target) {
    return target->own;
}

/* A name that expressions may use. */
bool technology_is_word(const char *text);
/* The same of a key, which also must not be a name that conditions know. */
bool technology_check_name(struct target_text *text, const struct yaml_node *node,
                           const char *what);
/* --- rows.c, groups.c, ops.c, activate.c, possible.c, mask.c, in this order --- */
bool technology_rows_fill(struct target_text *text, struct target *target);
/* When it is known where C, M and valid lie: is a row left for registers? */
bool technology_check_capacity(struct target_text *text, const struct target *target);
bool technology_groups_fill(struct target_text *text, struct target *target);
bool technology_ops_fill(struct target_text *text, struct target *target);
/* Writes the variants of a command that activates rows, the block `op`, behind the ops that `list`
 * has; `like` holds what they share.  False after reporting. */
bool technology_activate(struct target_text *text, struct target *target, struct target_op *list,
                         const struct yaml_node *op, const struct target_op *like);
/* False if no places of its operands satisfy the op's `where`. */
bool technology_op_is_possible(const struct target *target, const struct target_op *op);
bool technology_mask_fill(struct target_text *text, struct target *target);
/* The class of one row of that name, or -1. */
int technology_row_named(const struct target *target, const char *name);
#endif
