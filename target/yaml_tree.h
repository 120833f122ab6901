/* SPDX-License-Identifier: MIT
 * A YAML file as a tree of maps, lists and scalars, every node with its place.  Anchors, aliases
 * and tags are refused: a target file has no use for them, and aliases can blow up a small file. */
#ifndef TARGET_YAML_TREE_H
#define TARGET_YAML_TREE_H

#include "support/arena.h"
#include "support/diag.h"

#include <stdbool.h>
#include <stddef.h>

enum yaml_node_kind { NODE_SCALAR, NODE_MAP, NODE_LIST };

struct target_sizes;
struct yaml_node {
    enum yaml_node_kind kind;
    const char *key;    /* inside a map */
    const char *text;   /* NODE_SCALAR */
    const char *origin; /* NODE_SCALAR: the `source:` that speaks for it, NULL if none does */
    struct span at, key_at;
    bool exact; /* the bytes at `at` are those of `text` */
    bool overridden;
    const struct target_sizes *of;  /* NODE_SCALAR of a target file: the sizes there (scale.c) */
    struct yaml_node *first, *next; /* children in the order of the file; siblings */
};

/* The one document of the text, a map; NULL after reporting. */
struct yaml_node *target_yaml_parse(struct arena *arena, uint32_t source, const char *text,
                                    size_t size, struct diag *diag);
/* The child of a map with that key, or NULL. */
struct yaml_node *target_node_find(const struct yaml_node *map, const char *key);
/* Adds a child at the end. */
void target_node_append(struct yaml_node *parent, struct yaml_node *child);

#endif
