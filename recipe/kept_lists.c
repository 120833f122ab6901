/* SPDX-License-Identifier: MIT
 * Lists of tables that were made before, by this process or another: a table's logic takes long to
 * find, and its micro-ops are short.
 *
 * An entry of the cache is a recipe table with the forms of one LUT, of table number 0: registers
 * apart and the same, with a mask and without.  Such a table is checked against the lists when it
 * is built, and tried when it is opened. */
#include "recipe/lut/lut.h"
#include "recipe/set.h"
#include "recipe/table/table.h"
#include "support/alloc.h"
#include "support/cache.h"

#include "recipe_sources.h" /* generated: RECIPE_SOURCES_HASH */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct kept_table {
    struct cache_key key;
    struct recipe_table *lists; /* open */
};

struct cache_keeper {
    struct list_keeper base;
    struct cache *cache;
    VEC(struct kept_table) tables; /* that were found in the cache */
};

static struct cache_keeper *keeper_of(const struct recipe_set *set) {
    return (struct cache_keeper *)(void *)set->keeper;
}

/* All that the lists follow from; whatever changes what the mapping makes is in its sources. */
static struct cache_key key_of(const struct recipe_set *set, const struct insn *insn) {
    const struct isa_lut *table = insn->table;
    unsigned inputs = table->index_bits < insn->width ? table->index_bits : insn->width;
    struct str text = {0};
    str_printf(&text, "%s %s %s %u %u ", RECIPE_SOURCES_HASH, set->target->hash,
               recipe_set_hash(set), inputs, (unsigned)insn->width);
    for (size_t i = 0; i < (size_t)1 << inputs; i++)
        str_printf(&text, "%" PRIx64 " ", table->entries[i]);
    struct cache_key key = cache_key_of("table", text.text, text.len);
    str_free(&text);
    return key;
}

/* Two instructions: registers apart, and one register. */
static void forms_of(const struct insn *insn, struct insn forms[2]) {
    forms[0] = *insn;
    forms[0].lut = 0;
    forms[0].rs = 0;
    forms[0].rd = 1;
    forms[1] = forms[0];
    forms[1].rd = 0;
}

/* An open table with all forms, or NULL. */
static struct recipe_table *read_lists(const struct recipe_set *set, const struct insn *insn,
                                       const struct str *bytes) {
    const char *problem = NULL;
    struct recipe_table *table = recipe_table_read(bytes->text, bytes->len, &problem);
    struct insn forms[2];
    bool fine = table && recipe_table_open(table, set->target, &problem);
    forms_of(insn, forms);
    for (unsigned i = 0; i < 4; i++)
        fine = fine && recipe_table_find(table, &forms[i / 2], i % 2);
    if (fine)
        return table;
    recipe_table_free(table);
    return NULL;
}

/* Of those that were found before, or from the cache.  What is found stays where it is until the
 * set is freed. */
static const struct recipe_table *find(const struct recipe_set *set, const struct insn *insn) {
    struct cache_keeper *k = keeper_of(set);
    struct kept_table found = {.key = key_of(set, insn)};
    struct str bytes = {0};
    for (size_t i = 0; i < k->tables.len; i++)
        if (strcmp(k->tables.data[i].key.hash, found.key.hash) == 0)
            return k->tables.data[i].lists;
    if (cache_get(k->cache, &found.key, &bytes))
        found.lists = read_lists(set, insn, &bytes);
    if (found.lists)
        vec_push(&k->tables, found);
    str_free(&bytes);
    return found.lists;
}

/* What this process has made needs no looking up. */
static bool expand(const struct recipe_set *set, const struct insn *insn, bool masked,
                   struct uop_list *out) {
    struct insn first = *insn;
    struct alloc_lock lock;
    recipe_set_lock(set, &lock);
    const struct recipe_table *lists =
        lut_recipe_is_known(set->luts, insn) ? NULL : find(set, insn);
    alloc_unlock(&lock);
    first.lut = 0;
    return lists && recipe_table_expand(lists, &first, masked, out, NULL);
}

static void keep(const struct recipe_set *set, const struct insn *insn) {
    struct insn forms[2];
    struct str bytes = {0};
    struct diag *quiet = diag_new(NULL, NULL);
    forms_of(insn, forms);
    struct recipe_table *table = recipe_table_build(set->target, set, forms, 2, quiet);
    if (table) {
        const struct cache_key key = key_of(set, insn);
        recipe_table_write(table, &bytes);
        cache_put(keeper_of(set)->cache, &key, bytes.text, bytes.len);
    }
    recipe_table_free(table);
    str_free(&bytes);
    diag_free(quiet);
}

static void close_keeper(struct list_keeper *keeper) {
    struct cache_keeper *k = (struct cache_keeper *)(void *)keeper;
    for (size_t i = 0; i < k->tables.len; i++)
        recipe_table_free(k->tables.data[i].lists);
    vec_free(&k->tables);
    cache_close(k->cache);
    free(k);
}

void recipe_set_keep(struct recipe_set *set, const char *folder) {
    struct alloc_lock lock;
    recipe_set_lock(set, &lock);
    if (!set->keeper) {
        struct cache_keeper *k = xcalloc(1, sizeof *k);
        k->cache = cache_open(folder, CACHE_MOST_BYTES);
        k->base = (struct list_keeper){k->cache, expand, keep, close_keeper};
        set->keeper = &k->base;
    }
    alloc_unlock(&lock);
}
