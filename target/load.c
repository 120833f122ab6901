/* SPDX-License-Identifier: MIT
 * A file, those that it extends, and what the command line overrides: the last one that sets a key
 * wins. */
#include "target/load.h"

#include "isa-spec/builtin.h"
#include "support/file.h"
#include "support/str.h"
#include "support/vec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_EXTENDS 8

/* --- the text of one file --- */

struct file_text {
    const char *path;
    const char *text;
    size_t size;
    uint32_t source;
    bool builtin;
};

bool target_is_path(const char *name) {
    size_t n = strlen(name);
    return strchr(name, '/') || (n > 5 && strcmp(name + n - 5, ".yaml") == 0) ||
           (n > 4 && strcmp(name + n - 4, ".yml") == 0);
}

static void unknown_target(struct target_text *text, const char *name, struct span at) {
    size_t count;
    const char *const *names = target_names(&count);
    diag_error(text->diag, at, "no target is called '%s'", name);
    diag_suggest(text->diag, at, name, names, count);
    struct str list = {0};
    for (size_t i = 0; i < count; i++)
        str_printf(&list, "%s%s", i ? ", " : "", names[i]);
    diag_note(text->diag, NO_SPAN, "there are: %s; or give the path of a YAML file",
              str_text(&list));
    str_free(&list);
}

/* For one that another file names nobody vouches. */
static bool open_path(struct target_text *target_text, const char *path, bool named, struct span at,
                      struct file_text *file_text) {
    char *text = named ? file_read_named_text(path, FILE_MAX_TARGET, &file_text->size)
                       : file_read_text(path, FILE_MAX_TARGET, &file_text->size);
    if (!text) {
        diag_error(target_text->diag, at, "cannot read target file '%s': %s", path,
                   file_problem(errno));
        return false;
    }
    file_text->path = arena_strdup(target_text->arena, path);
    file_text->text = arena_copy(target_text->arena, text, file_text->size);
    free(text);
    return true;
}

/* `from` is the file that names this one in `extends`, or NULL. */
static bool open_text(struct target_text *text, const char *name, const char *from, struct span at,
                      struct file_text *file_text) {
    const char *builtin = arena_printf(text->arena, "targets/%s.yaml", name);
    const struct builtin_file *b = target_is_path(name) ? NULL : isa_builtin_find(builtin);
    bool fine = true;
    if (b) {
        *file_text =
            (struct file_text){.path = b->path, .text = b->text, .size = b->size, .builtin = true};
    } else if (!target_is_path(name)) {
        unknown_target(text, name, at);
        return false;
    } else {
        const char *slash = from ? strrchr(from, '/') : NULL;
        bool beside = slash && name[0] != '/';
        fine = open_path(
            text,
            beside ? arena_printf(text->arena, "%.*s/%s", (int)(slash - from), from, name) : name,
            from != NULL, at, file_text);
    }
    if (fine)
        file_text->source =
            diag_source(text->diag, file_text->path, file_text->text, file_text->size);
    return fine;
}

/* --- sources --- */

/* What a `source` block says about `key`. */
static const char *source_for(const struct yaml_node *source, const char *key, const char *outer) {
    if (!source)
        return outer;
    if (source->kind == NODE_SCALAR)
        return source->text;
    const struct yaml_node *own = source->kind == NODE_MAP ? target_node_find(source, key) : NULL;
    return own && own->kind == NODE_SCALAR ? own->text : outer;
}

/* A source for something that is not there is a slip of the pen. */
static bool check_source(struct target_text *text, const struct yaml_node *map,
                         const struct yaml_node *source) {
    if (!source || source->kind == NODE_SCALAR)
        return true;
    if (source->kind == NODE_LIST) {
        diag_error(text->diag, source->at, "source is a text, or a map from keys to texts");
        return false;
    }
    for (const struct yaml_node *n = source->first; n; n = n->next)
        if (n->kind != NODE_SCALAR || !target_node_find(map, n->key)) {
            diag_error(text->diag, n->key_at,
                       "a source for '%s', which does not stand in this block", n->key);
            return false;
        }
    return true;
}

static void drop_child(struct yaml_node *map, const char *key) {
    for (struct yaml_node **link = &map->first; *link; link = &(*link)->next)
        if (strcmp((*link)->key, key) == 0) {
            *link = (*link)->next;
            return;
        }
}

/* Hands each scalar the source that speaks for it and takes the `source` keys away. */
static bool assign_sources(struct target_text *text, struct yaml_node *map, const char *outer) {
    const struct yaml_node *source = target_node_find(map, "source");
    if (!check_source(text, map, source))
        return false;
    for (struct yaml_node *n = map->first; n; n = n->next) {
        const char *origin = source_for(source, n->key, outer);
        if (n->kind == NODE_MAP && strcmp(n->key, "source") != 0) {
            if (!assign_sources(text, n, origin))
                return false;
        } else {
            n->origin = origin;
        }
    }
    drop_child(map, "source");
    return true;
}

/* --- presets and extends --- */

static bool read_tree(struct target_text *text, const struct file_text *file_text,
                      struct yaml_node **root) {
    *root = target_yaml_parse(text->arena, file_text->source, file_text->text, file_text->size,
                              text->diag);
    str_append_n(&text->hashed, file_text->text, file_text->size);
    str_char(&text->hashed, '\0');
    return *root && assign_sources(text, *root, NULL);
}

static void unknown_preset(struct target_text *text, const struct yaml_node *node) {
    static const char prefix[] = "targets/front-end/";
    const char *known[32];
    size_t count, found = 0;
    const struct builtin_file *files = isa_builtin_files(&count);
    for (size_t i = 0; i < count && found < 32; i++)
        if (strncmp(files[i].path, prefix, sizeof prefix - 1) == 0) {
            const char *base = files[i].path + sizeof prefix - 1;
            known[found++] = arena_strndup(text->arena, base, strcspn(base, "."));
        }
    diag_error(text->diag, node->at, "no front end is called '%s'", node->text);
    diag_suggest(text->diag, node->at, node->text, known, found);
}

/* `front_end: NAME` becomes the block of that name. */
static bool expand_front_end(struct target_text *text, struct yaml_node *root) {
    struct yaml_node *n = target_node_find(root, "front_end");
    if (!n || n->kind != NODE_SCALAR)
        return true;
    const char *path = arena_printf(text->arena, "targets/front-end/%s.yaml", n->text);
    const struct builtin_file *b = isa_builtin_find(path);
    if (!b) {
        unknown_preset(text, n);
        return false;
    }
    struct file_text f = {.path = b->path, .text = b->text, .size = b->size};
    f.source = diag_source(text->diag, f.path, f.text, f.size);
    struct yaml_node *block;
    if (!read_tree(text, &f, &block))
        return false;
    n->kind = NODE_MAP;
    n->first = block->first;
    n->text = NULL;
    return true;
}

/* A mask of another kind has nothing in common with the base's. */
static bool stands_alone(const struct yaml_node *block) {
    return strcmp(block->key, "mask") == 0 && target_node_find(block, "by");
}

/* Maps are merged, everything else is replaced; `key: null` takes away what the base has. */
static void merge(struct yaml_node *over, struct yaml_node *base) {
    struct yaml_node *next;
    for (struct yaml_node *n = base->first; n; n = next) {
        next = n->next;
        struct yaml_node *own = target_node_find(over, n->key);
        if (!own)
            target_node_append(over, n);
        else if (own->kind == NODE_SCALAR && strcmp(own->text, "null") == 0)
            drop_child(over, n->key);
        else if (own->kind == NODE_MAP && n->kind == NODE_MAP && !stands_alone(own))
            merge(own, n);
    }
}

/* Files that extend one another, as named and as the file system knows them. */
struct extends_chain {
    const char *paths[MAX_EXTENDS], *real[MAX_EXTENDS];
    unsigned length;
};

/* The one path of a file, so that a/../b.yaml is b.yaml. */
static const char *real_path(struct target_text *text, const struct file_text *file_text) {
    char *found = file_text->builtin ? NULL : realpath(file_text->path, NULL);
    const char *real = found ? arena_strdup(text->arena, found) : file_text->path;
    free(found);
    return real;
}

static void report_cycle(struct target_text *text, const struct extends_chain *chain,
                         unsigned first, struct span at) {
    struct str s = {0};
    for (unsigned i = first; i < chain->length; i++)
        str_printf(&s, "%s extends ", chain->paths[i]);
    diag_error(text->diag, at, "a target cannot extend itself: %s%s", str_text(&s),
               chain->paths[first]);
    str_free(&s);
}

static bool enter_chain(struct target_text *text, struct extends_chain *chain,
                        const struct file_text *file_text, struct span at) {
    const char *real = real_path(text, file_text);
    for (unsigned i = 0; i < chain->length; i++)
        if (strcmp(chain->real[i], real) == 0) {
            report_cycle(text, chain, i, at);
            return false;
        }
    if (chain->length == MAX_EXTENDS) {
        diag_error(text->diag, at, "more than %d files extend one another", MAX_EXTENDS);
        return false;
    }
    chain->real[chain->length] = real;
    chain->paths[chain->length++] = file_text->path;
    return true;
}

/* The tree of one file over what it extends. */
static struct yaml_node *read_merged(struct target_text *text, const char *name, const char *from,
                                     struct span at, struct extends_chain *chain) {
    struct file_text f = {0};
    struct yaml_node *root;
    if (!open_text(text, name, from, at, &f) || !enter_chain(text, chain, &f, at) ||
        !read_tree(text, &f, &root))
        return NULL;
    if (chain->length == 1)
        text->path = f.path;
    if (f.builtin && !text->builtin)
        text->builtin = name;
    struct yaml_node *extends = target_node_find(root, "extends");
    if (extends && extends->kind != NODE_SCALAR) {
        diag_error(text->diag, extends->at, "extends names one target");
        return NULL;
    }
    if (!expand_front_end(text, root))
        return NULL;
    if (extends) {
        struct yaml_node *base = read_merged(text, extends->text, f.path, extends->at, chain);
        if (!base)
            return NULL;
        drop_child(base, "name");
        drop_child(base, "summary");
        drop_child(root, "extends");
        merge(root, base);
    }
    target_sizes_note(text, root);
    return root;
}

/* `null` for what no extended target has. */
static bool check_nulls(struct target_text *text, const struct yaml_node *map) {
    for (const struct yaml_node *n = map->first; n; n = n->next) {
        bool none = n->kind == NODE_SCALAR && strcmp(n->text, "null") == 0;
        if (none && strcmp(n->key, "summary") != 0) {
            diag_error(text->diag, n->at,
                       "null takes away what an extended target has; none has '%s'", n->key);
            return false;
        }
        if (n->kind == NODE_MAP && !check_nulls(text, n))
            return false;
    }
    return true;
}

static const struct target_kind *kind_of(const struct yaml_node *root) {
    const struct yaml_node *n = target_node_find(root, "kind");
    for (size_t i = 0; n && n->kind == NODE_SCALAR && machine_target_kinds[i]; i++)
        if (strcmp(machine_target_kinds[i]->name, n->text) == 0)
            return machine_target_kinds[i];
    return NULL;
}

/* A target gets what all of its kind have.  A block that every file must give is only completed, so
 * that it is still missed where it is not there. */
static bool merge_common(struct target_text *text) {
    const struct builtin_file *b =
        text->kind && text->kind->common ? isa_builtin_find(text->kind->common) : NULL;
    if (!b)
        return true;
    struct file_text f = {.path = b->path, .text = b->text, .size = b->size};
    f.source = diag_source(text->diag, f.path, f.text, f.size);
    struct yaml_node *common;
    if (!read_tree(text, &f, &common))
        return false;
    if (!target_node_find(text->root, "host"))
        drop_child(common, "host");
    merge(text->root, common);
    return true;
}

bool target_text_read(struct target_text *text, const char *name) {
    struct extends_chain c = {0};
    text->root = read_merged(text, name, NULL, NO_SPAN, &c);
    text->kind = text->root ? kind_of(text->root) : NULL;
    return text->root && merge_common(text) && check_nulls(text, text->root);
}

void target_text_free(struct target_text *text) {
    str_free(&text->hashed);
}

/* --- overrides --- */

struct key_search {
    const struct target_kind *kind;
    const char *key;
    struct yaml_node *found;
    const char *path;
    bool several;
    VEC(const char *) known;
};

/* A key is given by its path, or by its last part where that is unique. */
static void search_leaf(void *context, const char *path, struct yaml_node *leaf) {
    struct key_search *s = context;
    if (!target_key_settable(s->kind, path))
        return;
    const char *dot = strrchr(path, '.');
    vec_push(&s->known, path);
    if (dot)
        vec_push(&s->known, dot + 1);
    bool whole = strcmp(path, s->key) == 0, last = dot && strcmp(dot + 1, s->key) == 0;
    if (!whole && !last)
        return;
    s->several = s->found && !whole;
    s->found = leaf;
    s->path = path;
}

static bool is_set(const struct target_override *override) {
    return strcmp(override->key, "set") == 0;
}

/* `control=host` is short for the one choice of the block. */
static const char *full_key(const char *key) {
    return strcmp(key, "control") == 0 ? "control.front_end" : key;
}

/* Keys one of whose words begins so: `clock` of `clocks.datapath_ps`; else the nearest one. */
static void suggest_key(struct target_text *text, const char *key,
                        const struct key_search *search) {
    struct str list = {0};
    size_t n = strlen(key);
    bool near = nearest_name(key, search->known.data, search->known.len);
    for (size_t i = 0; i < search->known.len && !near; i++) {
        const char *known = search->known.data[i];
        bool begins = false;
        for (const char *p = known; p && n > 2 && !begins; p = strpbrk(p, "._"), p += p != NULL)
            begins = strncmp(p, key, n) == 0;
        if (begins)
            str_printf(&list, "%s%s", list.len ? ", " : "", known);
    }
    if (list.len)
        diag_note(text->diag, NO_SPAN, "there are: %s", list.text);
    else
        diag_suggest(text->diag, NO_SPAN, key, search->known.data, search->known.len);
    str_free(&list);
}

static bool override_one(struct target_text *text, const struct target_override *override) {
    struct key_search s = {.kind = text->kind, .key = full_key(override->key)};
    target_leaves(text->arena, text->root, "", search_leaf, &s);
    bool fine = s.found && !s.several;
    if (fine) {
        s.found->text = arena_strdup(text->arena, override->value);
        s.found->origin = "--set";
        s.found->overridden = true;
        s.found->exact = false;
        str_printf(&text->hashed, "%s=%s", s.path, override->value);
        str_char(&text->hashed, '\0');
    } else if (s.several) {
        diag_error(text->diag, NO_SPAN, "--set %s: several keys end in that; give the whole path",
                   override->key);
    } else {
        diag_error(text->diag, NO_SPAN, "target '%s' has no key '%s' that --set may change",
                   text->name, override->key);
        suggest_key(text, override->key, &s);
    }
    vec_free(&s.known);
    return fine;
}

bool target_text_override(struct target_text *text, const struct target_override *overrides,
                          size_t count) {
    bool fine = true, has_sets = target_sets_key(text) != NULL;
    for (size_t i = 0; i < count && has_sets; i++)
        if (is_set(&overrides[i]))
            fine &= override_one(text, &overrides[i]);
    fine = fine && target_sets_use(text);
    for (size_t i = 0; i < count && fine; i++)
        if (!has_sets || !is_set(&overrides[i]))
            fine &= override_one(text, &overrides[i]);
    return fine;
}
