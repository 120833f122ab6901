/* SPDX-License-Identifier: MIT
 * Recipe tables between programs: most hold the same as their neighbours, so that lists of recipes
 * are kept once and have numbers. */
#include "emu/timing/recipe_tables.h"

#include "support/alloc.h"

#include <stdlib.h>

/* Lists that no table holds any more are forgotten when there are so many. */
enum { MOST_LISTS = 1024 };

struct timing_tables {
    struct map lists; /* resident_recipe[], the latest used first -> number; 0: none */
    uint32_t *held;   /* [count]: numbers */
    size_t count;
    /* While a program is there: the number of a list -> that of contents, and the other way. */
    struct map contents_of, list_of;
};

struct timing_tables *timing_tables_new(size_t tables) {
    struct timing_tables *t = xcalloc(1, sizeof *t);
    t->held = xcalloc(tables + 1, sizeof *t->held);
    t->count = tables;
    map_number(&t->lists, "", 0);
    return t;
}

void timing_tables_free(struct timing_tables *tables) {
    if (!tables)
        return;
    timing_tables_end(tables);
    map_free(&tables->lists);
    free(tables->held);
    free(tables);
}

static void forget_lists(struct timing_tables *tables) {
    struct map old = tables->lists;
    tables->lists = (struct map){0};
    map_number(&tables->lists, "", 0);
    for (size_t i = 0; i < tables->count; i++) {
        const struct map_entry *e = &old.entries[tables->held[i]];
        tables->held[i] = map_number(&tables->lists, e->key, e->key_len);
    }
    map_free(&old);
}

void timing_tables_begin(struct timing_tables *tables) {
    if (tables->lists.len > MOST_LISTS)
        forget_lists(tables);
}

void timing_tables_end(struct timing_tables *tables) {
    map_free(&tables->contents_of);
    map_free(&tables->list_of);
    tables->contents_of = tables->list_of = (struct map){0};
}

uint32_t timing_tables_get(struct timing_tables *tables, size_t table, struct recipe_cache *cache) {
    const uint32_t list = tables->held[table];
    const char *key = (const char *)&list;
    const uint64_t *known = map_get_n(&tables->contents_of, key, sizeof list);
    if (known)
        return (uint32_t)*known;
    const struct map_entry *e = &tables->lists.entries[list];
    uint32_t contents =
        timing_cache_hold(cache, (const struct resident_recipe *)(const void *)e->key,
                          (uint32_t)(e->key_len / sizeof(struct resident_recipe)));
    map_put_n(&tables->contents_of, key, sizeof list, contents);
    return contents;
}

void timing_tables_put(struct timing_tables *tables, size_t table, struct recipe_cache *cache,
                       uint32_t contents) {
    const char *key = (const char *)&contents;
    const uint64_t *known = map_get_n(&tables->list_of, key, sizeof contents);
    if (known) {
        tables->held[table] = (uint32_t)*known;
        return;
    }
    uint32_t count;
    struct resident_recipe *forms = timing_cache_held(cache, contents, &count);
    uint32_t list = map_number(&tables->lists, (const char *)forms, count * sizeof *forms);
    free(forms);
    map_put_n(&tables->list_of, key, sizeof contents, list);
    tables->held[table] = list;
}
