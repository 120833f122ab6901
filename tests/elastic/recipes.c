/* SPDX-License-Identifier: MIT */
#include "tests/elastic/recipes.h"

#include <string.h>

void ref_recipes_open(struct ref_recipes *r, const struct target *target,
                      const struct machine_code *code) {
    *r = (struct ref_recipes){.templates = target->recipe_templates,
                              .pointers = target->recipe_pointers};
    if (code)
        machine_load(code, &r->load);
}

void ref_recipes_close(struct ref_recipes *r) {
    vec_free(&r->held);
}

/* Templates of a part, and of the sequences that its pointers lead to. */
static void mark(const struct ref_recipes *r, uint32_t part, uint8_t *marks) {
    const struct machine_part *p = &r->load.parts[part];
    memset(marks + p->first, 1, p->count);
    for (uint32_t i = 0; i < r->load.shared_count; i++)
        if (p->needs >> i & 1)
            memset(marks + r->load.shared[i].first, 1, r->load.shared[i].count);
}

/* Whether parts[0 .. count) have room together. */
static bool fits(const struct ref_recipes *r, const uint32_t *parts, size_t count) {
    uint8_t *marks = xcalloc((size_t)r->load.words + 1, 1);
    uint32_t templates = 0, pointers = (uint32_t)count, needs = 0;
    for (size_t i = 0; i < count; i++) {
        mark(r, parts[i], marks);
        needs |= r->load.parts[parts[i]].needs;
    }
    for (uint32_t i = 0; i < r->load.words; i++)
        templates += marks[i];
    for (; needs; needs &= needs - 1)
        pointers++;
    free(marks);
    return templates <= r->templates && pointers <= r->pointers;
}

/* Templates of the part that parts[0 .. count) do not bring along. */
static uint32_t missing(const struct ref_recipes *r, uint32_t part, const uint32_t *parts,
                        size_t count) {
    uint8_t *there = xcalloc((size_t)r->load.words + 1, 1);
    uint8_t *needed = xcalloc((size_t)r->load.words + 1, 1);
    uint32_t n = 0;
    for (size_t i = 0; i < count; i++)
        mark(r, parts[i], there);
    mark(r, part, needed);
    for (uint32_t i = 0; i < r->load.words; i++)
        n += needed[i] && !there[i];
    free(there);
    free(needed);
    return n;
}

static void put_first(struct ref_recipes *r, size_t at, uint32_t part) {
    memmove(r->held.data + 1, r->held.data, at * sizeof *r->held.data);
    r->held.data[0] = part;
}

uint32_t ref_recipes_use(struct ref_recipes *r, uint32_t part) {
    if (part >= r->load.part_count)
        return 0;
    for (size_t i = 0; i < r->held.len; i++)
        if (r->held.data[i] == part) {
            put_first(r, i, part);
            return 0;
        }
    bool alone = fits(r, &part, 1);
    uint32_t loads = missing(r, part, r->held.data, alone ? r->held.len : 0);
    vec_push(&r->held, part);
    put_first(r, r->held.len - 1, part);
    while (r->held.len && !fits(r, r->held.data, r->held.len))
        r->held.len--;
    return loads;
}
