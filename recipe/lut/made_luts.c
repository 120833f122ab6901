/* SPDX-License-Identifier: MIT
 * Recipes of tables that a set was asked for. */
#include "recipe/lut/lut.h"

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
