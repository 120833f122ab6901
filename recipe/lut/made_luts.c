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

static const struct lut_recipe *find(const struct lut_recipes *recipes,
                                     const struct lut_recipe *wanted) {
    for (size_t i = 0; i < recipes->list.len; i++) {
        const struct lut_recipe *r = &recipes->list.data[i];
        if (r->hash == wanted->hash && r->inputs == wanted->inputs && r->width == wanted->width &&
            memcmp(r->entries, wanted->entries, sizeof(uint64_t) << wanted->inputs) == 0)
            return r;
    }
    return NULL;
}

/* Makes it, or notes why there is none. */
static const struct lut_recipe *make(struct recipe_set *set, const struct isa_lut *table,
                                     lut_expand_fn *expand, struct lut_recipe *wanted) {
    size_t size = sizeof(uint64_t) << wanted->inputs;
    uint64_t *entries = arena_alloc(&set->arena, size);
    struct diag *quiet = diag_new(NULL, NULL);
    memcpy(entries, wanted->entries, size);
    wanted->entries = entries;
    wanted->recipe = lut_map(set, table, wanted->inputs, wanted->width, expand, NULL, quiet);
    diag_flush(quiet);
    if (!wanted->recipe)
        wanted->problem = arena_strdup(&set->arena, diag_first(quiet));
    diag_free(quiet);
    vec_push(&set->luts->list, *wanted);
    return &vec_last(&set->luts->list);
}

const struct recipe *lut_recipe_of(struct recipe_set *set, const struct insn *insn,
                                   lut_expand_fn *expand, struct diag *diag) {
    const struct isa_lut *table = insn->table;
    if (!table) {
        if (diag)
            diag_error(diag, NO_SPAN, "%s without a table has no recipe",
                       recipe_info(insn->op)->name);
        return NULL;
    }
    struct lut_recipe wanted = {.width = insn->width, .entries = table->entries};
    wanted.inputs = table->index_bits < insn->width ? table->index_bits : insn->width;
    wanted.hash = hash_bytes(table->entries, sizeof(uint64_t) << wanted.inputs);
    const struct lut_recipe *r = find(set->luts, &wanted);
    if (!r)
        r = make(set, table, expand, &wanted);
    if (!r->recipe && diag)
        diag_error(diag, NO_SPAN, "%s", r->problem);
    return r->recipe;
}
