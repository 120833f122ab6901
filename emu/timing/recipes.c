/* SPDX-License-Identifier: MIT
 * The recipe table as a cache: what was used longest ago makes room. */
#include "emu/timing/recipes.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

void timing_cache_open(struct recipe_cache *cache, const struct target *target,
                       const struct machine_code *code) {
    *cache = (struct recipe_cache){.templates = target->recipe_templates,
                                   .pointers = target->recipe_pointers};
    map_number(&cache->contents, "", 0);
    if (code)
        machine_load(code, &cache->load);
    cache->marks = xcalloc((size_t)cache->load.words + 1, 1);
}

void timing_cache_close(struct recipe_cache *cache) {
    map_free(&cache->contents);
    map_free(&cache->uses);
    vec_free(&cache->others);
    free(cache->marks);
}

void timing_cache_forget(struct recipe_cache *cache) {
    map_free(&cache->contents);
    map_free(&cache->uses);
    map_number(&cache->contents, "", 0);
}

size_t timing_cache_bytes(const struct recipe_cache *cache) {
    size_t entry = sizeof(struct map_entry) + 32, forms = cache->pointers * sizeof(uint32_t);
    return cache->contents.len * (entry + forms) + cache->uses.len * (entry + 2 * sizeof(uint32_t));
}

/* ---- what recipes need together ---- */

struct need {
    uint32_t templates, leads_to, recipes;
};

static void mark(struct recipe_cache *cache, uint32_t first, uint32_t count, struct need *need) {
    for (uint32_t i = first; i < first + count; i++) {
        need->templates += !cache->marks[i];
        cache->marks[i] = 1;
    }
}

/* Adds a recipe to those whose templates are marked. */
static void add_need(struct recipe_cache *cache, uint32_t form, struct need *need) {
    if (form >= cache->load.part_count) {
        const struct resident_recipe *other = &cache->others.data[form - cache->load.part_count];
        need->templates += other->templates;
        need->recipes += other->pointers;
        return;
    }
    const struct machine_part *f = &cache->load.parts[form];
    mark(cache, f->first, f->count, need);
    for (uint32_t i = 0; i < cache->load.shared_count; i++)
        if (f->needs >> i & 1)
            mark(cache, cache->load.shared[i].first, cache->load.shared[i].count, need);
    need->leads_to |= f->needs;
    need->recipes++;
}

static void clear(struct recipe_cache *cache) {
    memset(cache->marks, 0, cache->load.words);
}

static bool fits(const struct recipe_cache *cache, const struct need *need) {
    return need->templates <= cache->templates &&
           need->recipes + (uint32_t)__builtin_popcount(need->leads_to) <= cache->pointers;
}

/* As many of forms[0..count) as fit together, the first ones; 0 if not even one does. */
static uint32_t keep(struct recipe_cache *cache, const uint32_t *forms, uint32_t count) {
    struct need n = {0};
    uint32_t kept = 0;
    clear(cache);
    while (kept < count) {
        add_need(cache, forms[kept], &n);
        if (!fits(cache, &n))
            break;
        kept++;
    }
    return kept;
}

/* Templates of the first form that the others do not bring along. */
static uint32_t missing(struct recipe_cache *cache, const uint32_t *forms, uint32_t count) {
    struct need n = {0};
    clear(cache);
    for (uint32_t i = 1; i < count; i++)
        add_need(cache, forms[i], &n);
    uint32_t there = n.templates;
    add_need(cache, forms[0], &n);
    return n.templates - there;
}

/* Forms of some contents, the latest used first. */
static const uint32_t *forms_of(const struct recipe_cache *cache, uint32_t contents,
                                uint32_t *count) {
    const struct map_entry *e = &cache->contents.entries[contents];
    *count = (uint32_t)(e->key_len / sizeof(uint32_t));
    return (const uint32_t *)(const void *)e->key;
}

static struct recipe_load use(struct recipe_cache *cache, uint32_t contents, uint32_t form) {
    uint32_t old_count, count = 1;
    const uint32_t *old = forms_of(cache, contents, &old_count);
    uint32_t *forms = xcalloc(old_count + 1, sizeof *forms), loads = 0;
    bool resident = false;
    forms[0] = form;
    for (uint32_t i = 0; i < old_count; i++)
        if (old[i] == form)
            resident = true;
        else
            forms[count++] = old[i];
    if (!resident) {
        uint32_t kept = keep(cache, forms, count);
        loads = missing(cache, forms, kept ? count : 1);
        count = kept;
    }
    uint32_t after = map_number(&cache->contents, (const char *)forms, count * sizeof *forms);
    free(forms);
    return (struct recipe_load){after, loads};
}

struct recipe_load timing_cache_use(struct recipe_cache *cache, uint32_t contents, uint32_t form) {
    const uint32_t key[] = {contents, form};
    if (form >= cache->load.part_count)
        return (struct recipe_load){contents, 0};
    const uint64_t *known = map_get_n(&cache->uses, (const char *)key, sizeof key);
    if (known)
        return (struct recipe_load){(uint32_t)(*known >> 32), (uint32_t)*known};
    struct recipe_load u = use(cache, contents, form);
    map_put_n(&cache->uses, (const char *)key, sizeof key, (uint64_t)u.contents << 32 | u.loads);
    return u;
}

/* ---- what stays from program to program ---- */

static uint32_t form_of(struct recipe_cache *cache, const struct resident_recipe *form) {
    for (uint32_t i = 0; i < cache->load.part_count; i++)
        if (cache->load.parts[i].key == form->key)
            return i;
    for (uint32_t i = 0; i < cache->others.len; i++)
        if (cache->others.data[i].key == form->key)
            return cache->load.part_count + i;
    vec_push(&cache->others, *form);
    return cache->load.part_count + (uint32_t)cache->others.len - 1;
}

uint32_t timing_cache_hold(struct recipe_cache *cache, const struct resident_recipe *forms,
                           uint32_t count) {
    uint32_t *numbers = xcalloc((size_t)count + 1, sizeof *numbers);
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = form_of(cache, &forms[i]);
    uint32_t contents =
        map_number(&cache->contents, (const char *)numbers, count * sizeof *numbers);
    free(numbers);
    return contents;
}

/* All that it needs, whoever else needs it. */
static struct resident_recipe describe(struct recipe_cache *cache, uint32_t form) {
    struct need n = {0};
    if (form >= cache->load.part_count)
        return cache->others.data[form - cache->load.part_count];
    clear(cache);
    add_need(cache, form, &n);
    return (struct resident_recipe){cache->load.parts[form].key, n.templates,
                                    1 + (uint32_t)__builtin_popcount(n.leads_to)};
}

struct resident_recipe *timing_cache_held(struct recipe_cache *cache, uint32_t contents,
                                          uint32_t *count) {
    const uint32_t *numbers = forms_of(cache, contents, count);
    struct resident_recipe *forms = xcalloc((size_t)*count + 1, sizeof *forms);
    for (uint32_t i = 0; i < *count; i++)
        forms[i] = describe(cache, numbers[i]);
    return forms;
}
