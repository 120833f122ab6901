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

static bool set_error(struct target_set_reader *r, struct span at, const char *path,
                      const char *text) {
    diag_error(r->x->diag, at, "sets.%s: '%s' %s", r->set, path, text);
    r->failed = true;
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

static void no_such_key(struct target_set_reader *r, const struct number_change *c) {
    struct settable s = {.kind = r->x->kind};
    target_leaves(r->x->arena, r->x->root, "", list_settable, &s);
    set_error(r, c->node->key_at, c->path, "is no key of this target that a set may change");
    diag_suggest(r->x->diag, c->node->key_at, c->path, s.paths.data, s.paths.len);
    vec_free(&s.paths);
}

static void check_change(struct target_set_reader *r, const struct number_change *c) {
    const struct yaml_node *there = target_find(r->x->root, c->path);
    bool known = there && there->kind == NODE_SCALAR && target_key_settable(r->x->kind, c->path) &&
                 strcmp(c->path, "set") != 0;
    if (!known)
        no_such_key(r, c);
    else if (!target_check_value(r->x, c->path, c->node))
        r->failed = true;
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
static bool read_set(struct target_set_reader *r, struct yaml_node *set) {
    r->set = set->key;
    if (set->kind != NODE_MAP) {
        diag_error(r->x->diag, set->at, "sets.%s: expected a block of keys and their values",
                   set->key);
        return false;
    }
    target_leaves(r->x->arena, set, "", add_change, r);
    return !r->failed;
}

static bool check_set_name(struct target_text *x, const struct yaml_node *set) {
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                  "0123456789_-";
    if (*set->key && set->key[strspn(set->key, allowed)] == '\0' && strcmp(set->key, "none") != 0)
        return true;
    diag_error(x->diag, set->key_at,
               "'%s': the name of a set is made of letters, digits, - and _, and not 'none'",
               set->key);
    return false;
}

static bool check_sets(struct target_text *x, struct yaml_node *sets) {
    bool fine = true;
    for (struct yaml_node *n = sets->first; n; n = n->next) {
        struct target_set_reader r = {.x = x};
        fine &= check_set_name(x, n) && read_set(&r, n);
        vec_free(&r.changes);
    }
    return fine;
}

/* --- using --- */

static void unknown_set(struct target_text *x, const struct yaml_node *wanted, const char *name,
                        const struct yaml_node *sets) {
    const char *known[65] = {"none"};
    size_t count = 1;
    for (const struct yaml_node *n = sets->first; n && count < 65; n = n->next)
        known[count++] = n->key;
    target_error(x, wanted, "set", "this target has no set called '%s'", name);
    diag_suggest(x->diag, wanted->overridden ? NO_SPAN : wanted->at, name, known, count);
}

static bool use_set(struct target_set_reader *r, const struct yaml_node *wanted,
                    struct yaml_node *sets, const char *name) {
    struct yaml_node *set = target_node_find(sets, name);
    if (set)
        return read_set(r, set);
    unknown_set(r->x, wanted, name, sets);
    return false;
}

static void apply(struct target_text *x, const struct number_change *c) {
    struct yaml_node *n = target_find(x->root, c->path);
    const char *origin = c->node->origin ? c->node->origin : "assumed";
    n->text = c->node->text;
    n->at = c->node->at;
    n->exact = c->node->exact;
    n->origin = strncmp(origin, "assumed", 7) == 0
                    ? arena_printf(x->arena, "%s (set %s)", origin, c->set)
                    : arena_printf(x->arena, "set %s: %s", c->set, origin);
}

static bool use_sets(struct target_text *x, const struct yaml_node *wanted,
                     struct yaml_node *sets) {
    struct target_set_reader r = {.x = x};
    bool fine = true;
    for (const char *at = wanted->text; fine; at++) {
        size_t size = strcspn(at, "+");
        fine = use_set(&r, wanted, sets, arena_strndup(x->arena, at, size));
        at += size;
        if (!*at)
            break;
    }
    for (size_t i = 0; i < r.changes.len && fine; i++)
        apply(x, &r.changes.data[i]);
    vec_free(&r.changes);
    return fine;
}

struct yaml_node *target_sets_key(struct target_text *x) {
    struct yaml_node *set = target_node_find(x->root, "set"),
                     *sets = target_node_find(x->root, "sets");
    if (set || !sets)
        return set;
    set = ARENA_NEW(x->arena, struct yaml_node);
    *set =
        (struct yaml_node){.kind = NODE_SCALAR, .key = "set", .text = "none", .at = sets->key_at};
    set->key_at = sets->key_at;
    target_node_append(x->root, set);
    return set;
}

bool target_sets_use(struct target_text *x) {
    struct yaml_node *sets = target_node_find(x->root, "sets");
    const struct yaml_node *wanted = target_sets_key(x);
    if (!wanted)
        return true;
    if (!sets || sets->kind != NODE_MAP || wanted->kind != NODE_SCALAR) {
        diag_error(x->diag, sets ? sets->at : wanted->at,
                   sets ? "sets: expected blocks of keys, and set: their names joined by +"
                        : "set: this target has no sets");
        return false;
    }
    return check_sets(x, sets) && (strcmp(wanted->text, "none") == 0 || use_sets(x, wanted, sets));
}
