/* SPDX-License-Identifier: MIT
 * The steps from a target's text to struct target; for the files of this folder, and for kinds that
 * read more than plain keys. */
#ifndef TARGET_LOAD_H
#define TARGET_LOAD_H

#include "target/kind.h"
#include "target/target.h"
#include "target/yaml_tree.h"

/* The merged tree of a target: its file over what it extends, front-end presets put in, sources
 * handed to the numbers they speak for, overrides applied. */
struct target_text {
    struct arena *arena;
    const struct target_kind *kind; /* NULL until the tree is read, and if there is no such kind */
    struct diag *diag;
    struct yaml_node *root;
    const char *name, *path;
    const char *builtin; /* the first built-in target among the file and what it extends, or NULL */
    struct str hashed;   /* every text that was read, for the hash */
    uint64_t lanes;      /* array.lanes of the file with all that it extends, before --set */
};

/* Whether `name` is the path of a file and not the name of a built-in target. */
bool target_is_path(const char *name);
/* Reads `name` (built in, or a path).  False after reporting. */
bool target_text_read(struct target_text *text, const char *name);
/* --set key=value.  If one of them chooses a set, that is put in before the others. */
bool target_text_override(struct target_text *text, const struct target_override *overrides,
                          size_t count);
void target_text_free(struct target_text *text);
/* "mine.yaml:7:3", for messages of those who no longer have the file; NULL in a file of the tools.
 */
const char *target_text_place(struct target_text *text, struct span at);

/* --- scale.c --- */
/* The sizes of a target's arrays that its numbers go by. */
struct target_sizes {
    uint64_t lanes, sections, rows, vrfs; /* vrfs: of an MPU; 1 for what a file does not say */
};
/* What a file states, it states of the sizes that it has with all that it extends: notes them at
 * its numbers, where an extended file has not done so. */
void target_sizes_note(struct target_text *text, struct yaml_node *root);
/* Where the target has other sizes than those, puts into the place of each number what it is at the
 * target's, as area.per, static.per, network.per and energy.per say.  Numbers that --set gives are
 * of the target's own sizes.  Warns of those that nothing is said about. */
void target_scale(struct target_text *text);

/* --- front_end.c --- */
/* Works out the front end's figures at the target's own sizes from those that its file states.
 * False after reporting shares that exceed the whole. */
bool target_front_end_fill(struct target_text *text, struct target *target);

/* --- area.c --- */
/* `machine.mpus: iso:400mm2`: counts as one MPU until the area of an MPU is known. */
struct target_iso {
    struct yaml_node *node; /* NULL: the file says a number */
    const char *area;       /* "400mm2" */
    uint64_t um2;
};
bool target_area_begin(struct target_text *text, struct target_iso *iso);
/* Called when everything is filled that an MPU's area follows from: sets the number of MPUs to what
 * that area holds. */
bool target_area_mpus(struct target_text *text, struct target *target,
                      const struct target_iso *iso);

/* --- sets.c --- */
/* The node of `set`, which is added where the file has sets and chooses none; NULL without sets. */
struct yaml_node *target_sets_key(struct target_text *text);
/* Checks all sets and puts the numbers of those that `set` chooses into their places. */
bool target_sets_use(struct target_text *text);

/* --- schema.c: plain keys --- */
/* The node at a path, or NULL. */
struct yaml_node *target_find(struct yaml_node *map, const char *path);
/* Whether a scalar would be a value of this key, which target_key_settable knows. */
bool target_check_value(struct target_text *text, const char *path, const struct yaml_node *node);
/* Checks every key of the tree against the schema, the kind's own keys among it, and fills the
 * plain fields of target and of what its kind keeps. */
bool target_schema_fill(struct target_text *text, struct target *target);
/* Whether --set may change the leaf at this path of a target of a kind, and what it means ("" if
 * unknown). */
bool target_key_settable(const struct target_kind *kind, const char *path);
const char *target_key_help(const struct target_kind *kind, const char *path);
/* A whole number in a range; reports at the value. */
bool target_number(struct target_text *text, const struct yaml_node *node, const char *path,
                   uint64_t min, uint64_t max, uint64_t *value);
/* true or false; without a node *flag stays as it is. */
bool target_flag(struct target_text *text, const struct yaml_node *node, const char *path,
                 bool *flag);
/* False after reporting a key of the block that is none of these; `what`: "a micro-op". */
bool target_check_keys(struct target_text *text, const struct yaml_node *map, const char *what,
                       const char *const *known, size_t count);
/* Reports at a node, or by name where the node was set by --set. */
void target_error(struct target_text *target_text, const struct yaml_node *node, const char *path,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));

/* --- keys.c --- */
void target_keys_fill(struct target_text *text, struct target *target);
/* Calls visit for every leaf (scalar or list) in the order of the file.  The name of a set
 * that has a dot stands in quotes in its path: sets."t12.5".time.t_act. */
typedef void leaf_visitor(void *context, const char *path, struct yaml_node *leaf);
void target_leaves(struct arena *arena, struct yaml_node *map, const char *prefix,
                   leaf_visitor *visit, void *context);

#endif
