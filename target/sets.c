/* SPDX-License-Identifier: MIT
 * Named sets: alternative numbers that `set: NAME` (or --set set=NAME+NAME) puts in the place of
 * those that the blocks give. */
#include "target/load.h"

#include "support/str.h"
#include "support/vec.h"

#include <string.h>

/* One number of a set. */
struct number_change {
    const char *path;
    const struct yaml_node *node;
    const char *set;
};

struct target_set_reader {
    struct target_text *x;
    const char *set;
    bool failed;
    VEC(struct number_change) changes;
};

static bool set_error(struct target_set_reader *reader, struct span at, const char *path,
                      const char *text) {
    diag_error(reader->x->diag, at, "sets.%s: '%s' %s", reader->set, path, text);
    reader->failed = true;
    return false;
}

/* --- what can be changed --- */

struct settable {
    const struct target_kind *kind;
    VEC(const char *) paths;
};

static void list_settable(void *context, const char *path, struct yaml_node *leaf) {
    struct settable *s = context;
    if (leaf->kind == NODE_SCALAR && target_key_settable(s->kind, path) && strcmp(path, "set") != 0)
        vec_push(&s->paths, path);
}

static void no_such_key(struct target_set_reader *reader, const struct number_change *change) {
    struct settable s = {.kind = reader->x->kind};
    target_leaves(reader->x->arena, reader->x->root, "", list_settable, &s);
    set_error(reader, change->node->key_at, change->path,
              "is no key of this target that a set may change");
    diag_suggest(reader->x->diag, change->node->key_at, change->path, s.paths.data, s.paths.len);
    vec_free(&s.paths);
}

static void check_change(struct target_set_reader *reader, const struct number_change *change) {
    const struct yaml_node *there = target_find(reader->x->root, change->path);
    bool known = there && there->kind == NODE_SCALAR &&
                 target_key_settable(reader->x->kind, change->path) &&
                 strcmp(change->path, "set") != 0;
    if (!known)
        no_such_key(reader, change);
    else if (!target_check_value(reader->x, change->path, change->node))
        reader->failed = true;
}

/* --- reading --- */

static void add_change(void *context, const char *path, struct yaml_node *leaf) {
    struct target_set_reader *r = context;
    struct number_change c = {path, leaf, r->set};
    if (strcmp(path, "summary") == 0 || r->failed)
        return;
    for (size_t i = 0; i < r->changes.len; i++)
        if (strcmp(r->changes.data[i].path, path) == 0) {
            bool own = strcmp(r->changes.data[i].set, r->set) == 0;
            set_error(r, leaf->key_at, path,
                      own ? "stands here twice" : "is also given by another set in use");
            diag_note(r->x->diag, r->changes.data[i].node->key_at, "the other one");
            return;
        }
    check_change(r, &c);
    vec_push(&r->changes, c);
}

/* Keys are paths ("energy.e_read") or blocks of them. */
static bool read_set(struct target_set_reader *reader, struct yaml_node *set) {
    reader->set = set->key;
    if (set->kind != NODE_MAP) {
        diag_error(reader->x->diag, set->at, "sets.%s: expected a block of keys and their values",
                   set->key);
        return false;
    }
    target_leaves(reader->x->arena, set, "", add_change, reader);
    return !reader->failed;
}

static bool check_set_name(struct target_text *text, const struct yaml_node *set) {
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                  "0123456789_-.";
    if (*set->key && set->key[strspn(set->key, allowed)] == '\0' && strcmp(set->key, "none") != 0)
        return true;
    diag_error(text->diag, set->key_at,
               "'%s': the name of a set is made of letters, digits, -, _ and ., and not 'none'",
               set->key);
    return false;
}

static bool check_sets(struct target_text *text, struct yaml_node *sets) {
    bool fine = true;
    for (struct yaml_node *n = sets->first; n; n = n->next) {
        struct target_set_reader r = {.x = text};
        fine &= check_set_name(text, n) && read_set(&r, n);
        vec_free(&r.changes);
    }
    return fine;
}

/* --- using --- */

static void unknown_set(struct target_text *text, const struct yaml_node *wanted, const char *name,
                        const struct yaml_node *sets) {
    const char *known[65] = {"none"};
    size_t count = 1;
    for (const struct yaml_node *n = sets->first; n && count < 65; n = n->next)
        known[count++] = n->key;
    target_error(text, wanted, "set", "this target has no set called '%s'", name);
    diag_suggest(text->diag, wanted->overridden ? NO_SPAN : wanted->at, name, known, count);
}

static bool use_set(struct target_set_reader *reader, const struct yaml_node *wanted,
                    struct yaml_node *sets, const char *name) {
    struct yaml_node *set = target_node_find(sets, name);
    if (set)
        return read_set(reader, set);
    unknown_set(reader->x, wanted, name, sets);
    return false;
}

static void apply(struct target_text *text, const struct number_change *change) {
    struct yaml_node *n = target_find(text->root, change->path);
    const char *origin = change->node->origin ? change->node->origin : "assumed";
    n->text = change->node->text;
    n->at = change->node->at;
    n->exact = change->node->exact;
    n->of = change->node->of;
    n->origin = strncmp(origin, "assumed", 7) == 0
                    ? arena_printf(text->arena, "%s (set %s)", origin, change->set)
                    : arena_printf(text->arena, "set %s: %s", change->set, origin);
}

static bool use_sets(struct target_text *text, const struct yaml_node *wanted,
                     struct yaml_node *sets) {
    struct target_set_reader r = {.x = text};
    bool fine = true;
    for (const char *at = wanted->text; fine; at++) {
        size_t size = strcspn(at, "+");
        fine = use_set(&r, wanted, sets, arena_strndup(text->arena, at, size));
        at += size;
        if (!*at)
            break;
    }
    for (size_t i = 0; i < r.changes.len && fine; i++)
        apply(text, &r.changes.data[i]);
    vec_free(&r.changes);
    return fine;
}

struct yaml_node *target_sets_key(struct target_text *text) {
    struct yaml_node *set = target_node_find(text->root, "set"),
                     *sets = target_node_find(text->root, "sets");
    if (set || !sets)
        return set;
    set = ARENA_NEW(text->arena, struct yaml_node);
    *set =
        (struct yaml_node){.kind = NODE_SCALAR, .key = "set", .text = "none", .at = sets->key_at};
    set->key_at = sets->key_at;
    target_node_append(text->root, set);
    return set;
}

bool target_sets_use(struct target_text *text) {
    struct yaml_node *sets = target_node_find(text->root, "sets");
    const struct yaml_node *wanted = target_sets_key(text);
    if (!wanted)
        return true;
    if (!sets || sets->kind != NODE_MAP || wanted->kind != NODE_SCALAR) {
        diag_error(text->diag, sets ? sets->at : wanted->at,
                   sets ? "sets: expected blocks of keys, and set: their names joined by +"
                        : "set: this target has no sets");
        return false;
    }
    return check_sets(text, sets) &&
           (strcmp(wanted->text, "none") == 0 || use_sets(text, wanted, sets));
}
