/* SPDX-License-Identifier: MIT
 * The effective file as a list of keys, and its printed forms. */
#include "target/load.h"

#include "isa-spec/builtin.h"

#include "support/str.h"
#include "support/vec.h"

#include <stdlib.h>
#include <string.h>

void target_leaves(struct arena *arena, struct yaml_node *map, const char *prefix,
                   leaf_visitor *visit, void *context) {
    for (struct yaml_node *n = map->first; n; n = n->next) {
        const char *quote = strcmp(prefix, "sets.") == 0 && strchr(n->key, '.') ? "\"" : "";
        const char *path = arena_printf(arena, "%s%s%s%s", prefix, quote, n->key, quote);
        if (n->kind == NODE_MAP)
            target_leaves(arena, n, arena_printf(arena, "%s.", path), visit, context);
        else
            visit(context, path, n);
    }
}

/* Words that YAML reads back as they are need no quotes. */
static bool is_plain(const char *text) {
    size_t n = strlen(text);
    return n && *text != '-' && *text != '.' && *text != ' ' && text[n - 1] != ' ' &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./ ") == n;
}

static void print_text(struct str *out, const char *value) {
    if (is_plain(value)) {
        str_append(out, value);
        return;
    }
    str_char(out, '"');
    for (; *value; value++) {
        unsigned char c = (unsigned char)*value;
        if (c == '"' || c == '\\')
            str_printf(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            str_printf(out, "\\x%02X", c);
        else
            str_char(out, (char)c);
    }
    str_char(out, '"');
}

static const char *leaf_text(struct arena *arena, const struct yaml_node *node) {
    if (node->kind == NODE_SCALAR)
        return node->text;
    struct str s = {0};
    str_char(&s, '[');
    for (const struct yaml_node *i = node->first; i; i = i->next) {
        str_append(&s, i == node->first ? "" : ", ");
        print_text(&s, i->text ? i->text : "...");
    }
    str_char(&s, ']');
    const char *text = arena_strdup(arena, str_text(&s));
    str_free(&s);
    return text;
}

const char *target_text_place(struct target_text *text, struct span at) {
    const char *name = diag_source_name(text->diag, at.source);
    uint32_t line, column;
    if (!name || isa_builtin_find(name))
        return NULL;
    diag_position(text->diag, at, &line, &column);
    return arena_printf(text->arena, "%s:%u:%u", name, line, column);
}

struct key_list {
    struct target_text *text;
    struct arena *arena;
    const struct target_kind *kind;
    VEC(struct target_key) keys;
    uint32_t assumed;
};

/* How a number goes by the sizes of the arrays: the number's source speaks for it. */
static bool is_per(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && strcmp(dot, ".per") == 0;
}

/* What a user chooses needs no source. */
static bool is_choice(const char *path) {
    return strcmp(path, "set") == 0 || strcmp(path, "arith") == 0 || is_per(path);
}

static void add_key(void *context, const char *path, struct yaml_node *leaf) {
    struct key_list *l = context;
    /* A number that names no source is taken for assumed. */
    bool settable = leaf->kind == NODE_SCALAR && target_key_settable(l->kind, path);
    bool number = settable && !is_choice(path);
    struct target_key key = {.path = path,
                             .value = leaf_text(l->arena, leaf),
                             .source = settable && is_per(path) ? ""
                                       : leaf->origin           ? leaf->origin
                                       : number                 ? "assumed"
                                                                : "",
                             .settable = settable,
                             .overridden = leaf->overridden,
                             .list = leaf->kind == NODE_LIST,
                             .place = leaf->overridden ? "--set"
                                                       : target_text_place(l->text, leaf->key_at),
                             .help = target_key_help(l->kind, path)};
    vec_push(&l->keys, key);
    l->assumed += number && strncmp(key.source, "assumed", 7) == 0;
}

void target_keys_fill(struct target_text *text, struct target *target) {
    struct key_list l = {.text = text, .arena = text->arena, .kind = text->kind};
    target_leaves(text->arena, text->root, "", add_key, &l);
    struct target_key *keys = ARENA_ARRAY(text->arena, l.keys.len + 1, struct target_key);
    if (l.keys.len)
        memcpy(keys, l.keys.data, l.keys.len * sizeof *keys);
    target->keys = keys;
    target->key_count = l.keys.len;
    target->assumed = l.assumed;
    vec_free(&l.keys);
}

/* The dot behind the first name of a path; NULL behind the last. */
static const char *next_dot(const char *path) {
    const char *behind = *path == '"' ? strchr(path + 1, '"') : NULL;
    return strchr(behind ? behind : path, '.');
}

/* Dots between names that `left` and `right` share as prefixes of blocks. */
static size_t common_blocks(const char *left, const char *right) {
    size_t blocks = 0;
    for (const char *dot; (dot = next_dot(left)); blocks++) {
        size_t size = (size_t)(dot - left) + 1;
        if (strncmp(left, right, size) != 0)
            break;
        left += size;
        right += size;
    }
    return blocks;
}

static void indent(struct str *out, size_t depth) {
    for (size_t i = 0; i < depth; i++)
        str_append(out, "  ");
}

/* Opens the blocks of `path` behind the first `depth`, which are open. */
static const char *open_blocks(struct str *out, const char *path, size_t depth) {
    size_t at = 0;
    for (const char *dot; (dot = next_dot(path)); path = dot + 1, at++) {
        if (at < depth)
            continue;
        indent(out, at);
        str_printf(out, "%.*s:\n", (int)(dot - path), path);
    }
    return path;
}

static size_t depth_of(const char *path) {
    size_t depth = 0;
    while ((path = next_dot(path))) {
        path++;
        depth++;
    }
    return depth;
}

/* A source that speaks for several keys in a row is printed at the first. */
void target_print(const struct target *target, struct str *out) {
    const char *before = "";
    for (size_t i = 0; i < target->key_count; i++) {
        const struct target_key *k = &target->keys[i];
        size_t open_at = common_blocks(before, k->path);
        const char *last = open_blocks(out, k->path, open_at);
        size_t line = out->len;
        indent(out, depth_of(k->path));
        str_printf(out, "%s: ", last);
        if (k->list)
            str_append(out, k->value);
        else
            print_text(out, k->value);
        bool repeated = i > 0 && open_at == depth_of(k->path) &&
                        strcmp(k->source, target->keys[i - 1].source) == 0;
        if (*k->source && !repeated) {
            while (out->len < line + 30)
                str_char(out, ' ');
            str_printf(out, " # %s", k->source);
        }
        str_char(out, '\n');
        before = k->path;
    }
}

/* A set with all that it changes. */
static size_t list_set(const struct target *target, size_t first, struct str *out) {
    const char *name = target->keys[first].path + strlen("sets.");
    size_t i = first, size = (size_t)(next_dot(name) - name), quotes = *name == '"';
    str_printf(out, "set=%-24.*s", (int)(size - 2 * quotes), name + quotes);
    for (; i < target->key_count &&
           common_blocks(target->keys[first].path, target->keys[i].path) >= 2;
         i++) {
        const struct target_key *k = &target->keys[i];
        str_printf(out, " %s=%s", k->path + strlen("sets..") + size, k->value);
    }
    if (*target->keys[first].source)
        str_printf(out, " (%s)", target->keys[first].source);
    str_char(out, '\n');
    return i;
}

static void list_key(const struct target_key *key, struct str *out) {
    str_printf(out, "%-28s %-14s %s", key->path, key->value, key->help);
    if (*key->source)
        str_printf(out, " (%s)", key->source);
    str_char(out, '\n');
}

void target_list_keys(const struct target *target, struct str *out) {
    for (size_t i = 0; i < target->key_count; i++)
        if (target->keys[i].settable)
            list_key(&target->keys[i], out);
    for (size_t i = 0; i < target->key_count;)
        i = strncmp(target->keys[i].path, "sets.", 5) == 0 ? list_set(target, i, out) : i + 1;
}
