/* SPDX-License-Identifier: MIT
 * Recipes of tables that a set was asked for. */
#include "recipe/lut/lut.h"

#include "recipe/verify/computes.h"
#include "recipe/map/map.h"
#include "support/alloc.h"
#include "support/hash_table.h"

#include <stdlib.h>
#include <string.h>

/* In the set's arena. */
struct lut_recipe {
    uint64_t hash;
    unsigned inputs, width;
    const uint64_t *entries;     /* [1 << inputs] */
    const struct recipe *recipe; /* NULL: there is none */
    const char *problem;         /* why */
};

struct lut_recipes {
    VEC(struct lut_recipe) list;
    size_t made;
};

struct lut_recipes *lut_recipes_new(void) {
    return xcalloc(1, sizeof(struct lut_recipes));
}

void lut_recipes_free(struct lut_recipes *recipes) {
    if (!recipes)
        return;
    vec_free(&recipes->list);
    free(recipes);
}

static struct lut_recipe *find(const struct lut_recipes *recipes, const struct insn *insn) {
    const struct isa_lut *table = insn->table;
    unsigned inputs = table->index_bits < insn->width ? table->index_bits : insn->width;
    size_t size = sizeof(uint64_t) << inputs;
    uint64_t hash = hash_bytes(table->entries, size);
    for (size_t i = 0; i < recipes->list.len; i++) {
        struct lut_recipe *r = &recipes->list.data[i];
        if (r->hash == hash && r->inputs == inputs && r->width == insn->width &&
            memcmp(r->entries, table->entries, size) == 0)
            return r;
    }
    return NULL;
}

static struct lut_recipe *add(struct recipe_set *set, const struct insn *insn) {
    const struct isa_lut *table = insn->table;
    struct lut_recipe r = {.width = insn->width};
    r.inputs = table->index_bits < insn->width ? table->index_bits : insn->width;
    size_t size = sizeof(uint64_t) << r.inputs;
    uint64_t *entries = arena_alloc(&set->arena, size);
    r.hash = hash_bytes(table->entries, size);
    r.entries = memcpy(entries, table->entries, size);
    vec_push(&set->luts->list, r);
    return &vec_last(&set->luts->list);
}

bool lut_recipe_is_known(const struct lut_recipes *recipes, const struct insn *insn) {
    return insn->table && find(recipes, insn);
}

/* Makes it, or notes why there is none. */
static void make(struct recipe_set *set, const struct isa_lut *table, lut_expand_fn *expand,
                 struct lut_recipe *wanted) {
    struct diag *quiet = diag_new(NULL, NULL);
    set->luts->made++;
    wanted->recipe = lut_map(set, table, wanted->inputs, wanted->width, expand, NULL, quiet);
    diag_flush(quiet);
    if (!wanted->recipe)
        wanted->problem = arena_strdup(&set->arena, diag_first(quiet));
    diag_free(quiet);
}

const struct recipe *lut_recipe_of(struct recipe_set *set, const struct insn *insn,
                                   lut_expand_fn *expand, struct diag *diag) {
    if (!insn->table) {
        if (diag)
            diag_error(diag, NO_SPAN, "%s without a table has no recipe",
                       recipe_info(insn->op)->name);
        return NULL;
    }
    struct lut_recipe *r = find(set->luts, insn);
    if (!r) {
        r = add(set, insn);
        make(set, insn->table, expand, r);
    }
    if (!r->recipe && diag)
        diag_error(diag, NO_SPAN, "%s", r->problem);
    return r->recipe;
}

size_t lut_recipes_made(const struct lut_recipes *recipes) {
    return recipes->made;
}

/* --- as text --- */

bool lut_recipe_print(const struct recipe_set *set, const struct insn *insn, struct str *out) {
    const struct lut_recipe *r = find(set->luts, insn);
    bool found = r && r->recipe && r->recipe->unit.mapped;
    if (found)
        notation_print(set, r->recipe, out);
    return found;
}

/* Nothing but a body of micro-ops, as the mapping leaves it. */
static bool is_bare(const struct recipe *recipe) {
    const struct recipe_unit *u = &recipe->unit;
    return u->mapped && !u->generic && u->in_count == 1 && u->out_count == 1 && !recipe->widest &&
           !recipe->in_sections && !recipe->ariths && !recipe->computes_count &&
           !recipe->unlike_count && !recipe->expect_count && !recipe->gain_count;
}

static const struct recipe *read_bare(struct recipe_set *set, const char *text, size_t size) {
    struct diag *quiet = diag_new(NULL, NULL);
    struct str again = {0};
    struct recipe *read = lut_parse(set, text, size, quiet);
    if (read && is_bare(read)) {
        read->choice = CHOICE_GENERIC;
        read->needs_count = 0;
        notation_print(set, read, &again);
    }
    bool fine = again.len == size && memcmp(str_text(&again), text, size) == 0;
    str_free(&again);
    diag_free(quiet);
    return fine ? read : NULL;
}

/* Form 0: registers apart, no mask; bit 0: one register, bit 1: under a mask. */
static bool form_holds(const struct recipe_set *set, const struct recipe *recipe,
                       const struct insn *insn, lut_expand_fn *expand, unsigned form) {
    struct insn named = *insn;
    struct uop_list list = {0};
    struct diag *quiet = diag_new(NULL, NULL);
    named.rs = 1;
    named.rd = form & 1 ? 1 : 2;
    bool fine = expand(set, recipe, &named, form >> 1, &list, quiet) &&
                (form || lut_list_holds(set->target, &named, &list)) &&
                recipe_verify(set, recipe, &named, form >> 1, RECIPE_ONCE, &list, quiet);
    vec_free(&list);
    diag_free(quiet);
    return fine;
}

bool lut_recipe_take(struct recipe_set *set, const struct insn *insn, lut_expand_fn *expand,
                     const char *text, size_t size) {
    const struct recipe *recipe = read_bare(set, text, size);
    bool fine = recipe;
    for (unsigned form = 0; form < 4 && fine; form++)
        fine = form_holds(set, recipe, insn, expand, form);
    if (fine)
        add(set, insn)->recipe = recipe;
    return fine;
}
