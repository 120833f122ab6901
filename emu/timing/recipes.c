/* SPDX-License-Identifier: MIT */
#include "emu/timing/recipes.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

void timing_cache_open(struct recipe_cache *c, const struct target *t,
                       const struct machine_code *code) {
    *c = (struct recipe_cache){.templates = t->recipe_templates, .pointers = t->recipe_pointers};
    map_number(&c->contents, "", 0);
    if (code)
        machine_load(code, &c->load);
    c->marks = xcalloc((size_t)c->load.words + 1, 1);
}

void timing_cache_close(struct recipe_cache *c) {
    map_free(&c->contents);
    map_free(&c->uses);
    free(c->marks);
}

void timing_cache_forget(struct recipe_cache *c) {
    map_free(&c->contents);
    map_free(&c->uses);
    map_number(&c->contents, "", 0);
}

size_t timing_cache_bytes(const struct recipe_cache *c) {
    size_t entry = sizeof(struct map_entry) + 32, forms = c->pointers * sizeof(uint32_t);
    return c->contents.len * (entry + forms) + c->uses.len * (entry + 2 * sizeof(uint32_t));
}

/* ---- what recipes need together ---- */

struct need {
    uint32_t templates, leads_to, recipes;
};

static void mark(struct recipe_cache *c, uint32_t first, uint32_t count, struct need *n) {
    for (uint32_t i = first; i < first + count; i++) {
        n->templates += !c->marks[i];
        c->marks[i] = 1;
    }
}

/* Adds a recipe to those whose templates are marked. */
static void add_need(struct recipe_cache *c, uint32_t form, struct need *n) {
    const struct machine_part *f = &c->load.parts[form];
    mark(c, f->first, f->count, n);
    for (uint32_t i = 0; i < c->load.shared_count; i++)
        if (f->needs >> i & 1)
            mark(c, c->load.shared[i].first, c->load.shared[i].count, n);
    n->leads_to |= f->needs;
    n->recipes++;
}

static void clear(struct recipe_cache *c) {
    memset(c->marks, 0, c->load.words);
}

static bool fits(const struct recipe_cache *c, const struct need *n) {
    return n->templates <= c->templates &&
           n->recipes + (uint32_t)__builtin_popcount(n->leads_to) <= c->pointers;
}

/* As many of forms[0..count) as fit together, the first ones; 0 if not even one does. */
static uint32_t keep(struct recipe_cache *c, const uint32_t *forms, uint32_t count) {
    struct need n = {0};
    uint32_t kept = 0;
    clear(c);
    while (kept < count) {
        add_need(c, forms[kept], &n);
        if (!fits(c, &n))
            break;
        kept++;
    }
    return kept;
}

/* Templates of the first form that the others do not bring along. */
static uint32_t missing(struct recipe_cache *c, const uint32_t *forms, uint32_t count) {
    struct need n = {0};
    clear(c);
    for (uint32_t i = 1; i < count; i++)
        add_need(c, forms[i], &n);
    uint32_t there = n.templates;
    add_need(c, forms[0], &n);
    return n.templates - there;
}

/* Forms of some contents, the latest used first. */
static const uint32_t *forms_of(const struct recipe_cache *c, uint32_t contents, uint32_t *count) {
    const struct map_entry *e = &c->contents.entries[contents];
    *count = (uint32_t)(e->key_len / sizeof(uint32_t));
    return (const uint32_t *)(const void *)e->key;
}

static struct recipe_load use(struct recipe_cache *c, uint32_t contents, uint32_t form) {
    uint32_t old_count, count = 1;
    const uint32_t *old = forms_of(c, contents, &old_count);
    uint32_t *forms = xcalloc(old_count + 1, sizeof *forms), loads = 0;
    bool resident = false;
    forms[0] = form;
    for (uint32_t i = 0; i < old_count; i++)
        if (old[i] == form)
            resident = true;
        else
            forms[count++] = old[i];
    if (!resident) {
        uint32_t kept = keep(c, forms, count);
        loads = missing(c, forms, kept ? count : 1);
        count = kept;
    }
    uint32_t after = map_number(&c->contents, (const char *)forms, count * sizeof *forms);
    free(forms);
    return (struct recipe_load){after, loads};
}

struct recipe_load timing_cache_use(struct recipe_cache *c, uint32_t contents, uint32_t form) {
    const uint32_t key[] = {contents, form};
    if (form >= c->load.part_count)
        return (struct recipe_load){contents, 0};
    const uint64_t *known = map_get_n(&c->uses, (const char *)key, sizeof key);
    if (known)
        return (struct recipe_load){(uint32_t)(*known >> 32), (uint32_t)*known};
    struct recipe_load u = use(c, contents, form);
    map_put_n(&c->uses, (const char *)key, sizeof key, (uint64_t)u.contents << 32 | u.loads);
    return u;
}
