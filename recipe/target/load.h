/* SPDX-License-Identifier: MIT
 * The steps from a target's text to struct target; for the files of this folder alone. */
#ifndef RECIPE_TARGET_LOAD_H
#define RECIPE_TARGET_LOAD_H

#include "recipe/target/target.h"
#include "recipe/target/yaml_tree.h"

/* The merged tree of a target: its file over what it extends, front-end presets put in, sources
 * handed to the numbers they speak for, overrides applied. */
struct target_text {
    struct arena *arena;
    struct diag *diag;
    struct node *root;
    const char *name, *path;
    struct str hashed; /* every text that took part */
};

/* Whether `name` is the path of a file and not the name of a built-in target. */
bool target_is_path(const char *name);
/* Reads `name` (built in, or a path).  False after reporting. */
bool target_text_read(struct target_text *x, const char *name);
/* --set key=value.  A set that one of them asks for is put in before the others. */
bool target_text_override(struct target_text *x, const struct target_override *overrides,
                          size_t count);
void target_text_free(struct target_text *x);

/* --- area.c --- */
/* `machine.mpus: iso:400mm2` becomes the number of MPUs that so much area holds. */
bool target_area_mpus(struct target_text *x);

/* --- sets.c --- */
/* The node of `set`, put in where there are sets and none is asked for; NULL without sets. */
struct node *target_sets_key(struct target_text *x);
/* Checks all sets and puts those that `set` asks for into their places. */
bool target_sets_use(struct target_text *x);

/* --- schema.c: plain keys --- */
/* The node at a path, or NULL. */
struct node *target_find(struct node *map, const char *path);
/* Whether a scalar would be a value of this key, which target_key_settable knows. */
bool target_check_value(struct target_text *x, const char *path, const struct node *n);
/* Checks every key of the tree against the schema and fills the plain fields of t. */
bool target_schema_fill(struct target_text *x, struct target *t);
/* Whether --set may change the leaf at this path, and what it means ("" if unknown). */
bool target_key_settable(const char *path);
const char *target_key_help(const char *path);
/* A whole number in a range; reports at the value. */
bool target_number(struct target_text *x, const struct node *n, const char *path, uint64_t min,
                   uint64_t max, uint64_t *value);
/* true or false; a node that is not there leaves *flag. */
bool target_flag(struct target_text *x, const struct node *n, const char *path, bool *flag);
/* False after reporting a key of the block that is none of these; `what`: "a micro-op". */
bool target_check_keys(struct target_text *x, const struct node *map, const char *what,
                       const char *const *known, size_t count);
/* A name that expressions may use. */
bool target_is_word(const char *s);
/* The same of a key, which also must not be a name that conditions know. */
bool target_check_name(struct target_text *x, const struct node *n, const char *what);
/* Reports at a node, or by name where the node was set by --set. */
void target_error(struct target_text *x, const struct node *n, const char *path, const char *format,
                  ...) __attribute__((format(printf, 4, 5)));

/* --- rows.c, groups.c, ops.c, activate.c, possible.c, mask.c, in this order --- */
bool target_rows_fill(struct target_text *x, struct target *t);
/* When it is known where C, M and valid lie: is a row left for registers? */
bool target_check_capacity(struct target_text *x, const struct target *t);
bool target_groups_fill(struct target_text *x, struct target *t);
bool target_ops_fill(struct target_text *x, struct target *t);
/* Writes the variants of a command that activates rows behind the ops that `list` has; `like`
 * holds what they share.  False after reporting. */
bool target_activate(struct target_text *x, struct target *t, struct target_op *list,
                     const struct node *node, const struct target_op *like);
/* False if no places of its operands satisfy the op's `where`. */
bool target_op_is_possible(const struct target *t, const struct target_op *op);
bool target_mask_fill(struct target_text *x, struct target *t);
/* The class of one row of that name, or -1. */
int target_row_named(const struct target *t, const char *name);
/* Rows of a class. */
static inline uint32_t row_class_rows(const struct row_class *c) {
    return (c->last - c->first) / c->step + 1;
}

/* --- keys.c --- */
void target_keys_fill(struct target_text *x, struct target *t);
/* Calls visit for every leaf (scalar or list) in the order of the file. */
typedef void leaf_visitor(void *context, const char *path, struct node *leaf);
void target_leaves(struct arena *a, struct node *map, const char *prefix, leaf_visitor *visit,
                   void *context);

#endif
