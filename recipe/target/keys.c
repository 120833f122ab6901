/* SPDX-License-Identifier: MIT
 * The effective file as a list of keys, and its printed forms. */
#include "recipe/target/load.h"

#include "support/str.h"
#include "support/vec.h"

#include <stdlib.h>
#include <string.h>

void target_leaves(struct arena *a, struct node *map, const char *prefix, leaf_visitor *visit,
                   void *context) {
    for (struct node *n = map->first; n; n = n->next) {
        const char *path = arena_printf(a, "%s%s", prefix, n->key);
        if (n->kind == NODE_MAP)
            target_leaves(a, n, arena_printf(a, "%s.", path), visit, context);
        else
            visit(context, path, n);
    }
}

struct key_list {
    struct arena *arena;
    VEC(struct target_key) keys;
    uint32_t assumed;
};

static const char *leaf_text(struct arena *a, const struct node *n) {
    if (n->kind == NODE_SCALAR)
        return n->text;
    struct str s = {0};
    str_char(&s, '[');
    for (const struct node *i = n->first; i; i = i->next)
        str_printf(&s, "%s%s", i == n->first ? "" : ", ", i->text ? i->text : "...");
    str_char(&s, ']');
    const char *text = arena_strdup(a, str_text(&s));
    str_free(&s);
    return text;
}

static void add_key(void *context, const char *path, struct node *leaf) {
    struct key_list *l = context;
    /* A number that names no source is taken for assumed. */
    bool settable = leaf->kind == NODE_SCALAR && target_key_settable(path);
    struct target_key key = {.path = path,
                             .value = leaf_text(l->arena, leaf),
                             .source = leaf->origin ? leaf->origin
                                       : settable   ? "assumed"
                                                    : "",
                             .settable = settable,
                             .overridden = leaf->overridden,
                             .help = target_key_help(path)};
    vec_push(&l->keys, key);
    l->assumed += settable && strncmp(key.source, "assumed", 7) == 0;
}

void target_keys_fill(struct target_text *x, struct target *t) {
    struct key_list l = {.arena = x->arena};
    target_leaves(x->arena, x->root, "", add_key, &l);
    struct target_key *keys = ARENA_ARRAY(x->arena, l.keys.len + 1, struct target_key);
    if (l.keys.len)
        memcpy(keys, l.keys.data, l.keys.len * sizeof *keys);
    t->keys = keys;
    t->key_count = l.keys.len;
    t->assumed = l.assumed;
    vec_free(&l.keys);
}

/* Words that YAML reads back as they are need no quotes. */
static bool is_plain(const char *s) {
    return *s &&
           strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./[], ") ==
               strlen(s) &&
           *s != '-' && *s != ' ' && *s != ',' && (*s != '[' || s[strlen(s) - 1] == ']');
}

static void print_value(struct str *out, const char *value) {
    if (is_plain(value)) {
        str_append(out, value);
        return;
    }
    str_char(out, '"');
    for (; *value; value++) {
        unsigned char c = (unsigned char)*value;
        if (c == '"' || c == '\\')
            str_printf(out, "\\%c", c);
        else if (c < 0x20)
            str_printf(out, "\\x%02X", c);
        else
            str_char(out, (char)c);
    }
    str_char(out, '"');
}

/* Dots that `a` and `b` share as prefixes of blocks. */
static size_t common_blocks(const char *a, const char *b) {
    size_t blocks = 0;
    for (; *a && *a == *b; a++, b++)
        blocks += *a == '.';
    return blocks;
}

static void indent(struct str *out, size_t depth) {
    for (size_t i = 0; i < depth; i++)
        str_append(out, "  ");
}

/* Opens the blocks of `path` behind the first `depth`, which are open. */
static const char *open_blocks(struct str *out, const char *path, size_t depth) {
    size_t at = 0;
    for (const char *dot; (dot = strchr(path, '.')); path = dot + 1, at++) {
        if (at < depth)
            continue;
        indent(out, at);
        str_printf(out, "%.*s:\n", (int)(dot - path), path);
    }
    return path;
}

static size_t depth_of(const char *path) {
    size_t depth = 0;
    for (; *path; path++)
        depth += *path == '.';
    return depth;
}

/* A source that speaks for several keys in a row is printed at the first. */
void target_print(const struct target *t, struct str *out) {
    const char *before = "";
    for (size_t i = 0; i < t->key_count; i++) {
        const struct target_key *k = &t->keys[i];
        size_t open_at = common_blocks(before, k->path);
        const char *last = open_blocks(out, k->path, open_at);
        size_t line = out->len;
        indent(out, depth_of(k->path));
        str_printf(out, "%s: ", last);
        print_value(out, k->value);
        bool repeated =
            i > 0 && open_at == depth_of(k->path) && strcmp(k->source, t->keys[i - 1].source) == 0;
        if (*k->source && !repeated) {
            while (out->len < line + 30)
                str_char(out, ' ');
            str_printf(out, " # %s", k->source);
        }
        str_char(out, '\n');
        before = k->path;
    }
}

void target_list_keys(const struct target *t, struct str *out) {
    for (size_t i = 0; i < t->key_count; i++) {
        const struct target_key *k = &t->keys[i];
        if (k->settable)
            str_printf(out, "%-28s %-14s %s (%s)\n", k->path, k->value, k->help, k->source);
    }
}
