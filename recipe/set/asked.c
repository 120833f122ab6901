/* SPDX-License-Identifier: MIT
 * What is asked of a set: a recipe is read, looked at and mapped when it is first needed.  A start
 * needs few of them. */
#include "recipe/set/set.h"

#include "recipe/map/map.h"
#include "support/alloc.h"

#include <stdlib.h>

/* What is known of a recipe that was not written for this target. */
enum holding_state { HOLDS_UNKNOWN, HOLDS, HOLDS_NOT };

/* Recipes that the mapping has made so far. */
struct mapped_recipes {
    const struct recipe *recipes[RECIPE_OPS];
    bool failed[RECIPE_OPS];
    enum holding_state holding[RECIPE_OPS]; /* of borrowed recipes */
};

struct mapped_recipes *recipe_mapped_new(void) {
    return xcalloc(1, sizeof(struct mapped_recipes));
}

void recipe_mapped_free(struct mapped_recipes *mapped) {
    free(mapped);
}

const struct recipe *recipe_mapped(const struct recipe_set *set, enum isa_op op,
                                   struct diag *diag) {
    const struct recipe *c = recipe_generic(set, op);
    struct mapped_recipes *m = set->mapped;
    if (!c)
        return NULL;
    struct alloc_lock lock;
    recipe_set_lock(set, &lock);
    if (!m->recipes[op] && (diag || !m->failed[op])) {
        struct diag *quiet = diag ? diag : diag_new(NULL, NULL);
        m->recipes[op] = mapping_run((struct recipe_set *)(uintptr_t)set, c, quiet);
        m->failed[op] = !m->recipes[op];
        if (!diag)
            diag_free(quiet);
    }
    c = m->recipes[op];
    alloc_unlock(&lock);
    return c;
}

/* True if a recipe does here what it promises.  That is looked at once, when it is asked for. */
static bool holds(const struct recipe_set *set, const struct recipe *recipe) {
    struct mapped_recipes *m = set->mapped;
    if (!recipe->borrowed)
        return true;
    struct alloc_lock lock;
    recipe_set_lock(set, &lock);
    enum holding_state known = m->holding[recipe->op];
    alloc_unlock(&lock);
    if (known == HOLDS_UNKNOWN) {
        /* Another thread may do the same. */
        struct diag *quiet = diag_new(NULL, NULL);
        bool fine = recipe_check(set, recipe, recipe_user_widths, recipe_user_width_count, quiet);
        known = fine ? HOLDS : HOLDS_NOT;
        diag_free(quiet);
        recipe_set_lock(set, &lock);
        m->holding[recipe->op] = known;
        alloc_unlock(&lock);
    }
    return known == HOLDS;
}

/* The one that serves: the one chosen, or the generic one where that is borrowed and does not
 * hold.  Its body may not be read. */
static const struct recipe *serving(const struct recipe_set *set, enum isa_op op) {
    const struct recipe *c = (unsigned)op < RECIPE_OPS ? set->recipes[op] : NULL;
    return !c || holds(set, c) ? c : set->generic[op];
}

const struct recipe *recipe_of(const struct recipe_set *set, enum isa_op op, struct diag *diag) {
    const struct recipe *c = serving(set, op);
    return c && c->choice == CHOICE_GENERIC ? recipe_mapped(set, op, diag) : recipe_chosen(set, op);
}

const struct recipe *recipe_at_width(const struct recipe_set *set, const struct recipe *recipe,
                                     unsigned w, struct diag *diag) {
    if (!recipe->widest || w <= recipe->widest)
        return recipe;
    const struct recipe *wide = recipe_mapped(set, recipe->op, diag);
    if (!wide && !set->generic[recipe->op] && diag)
        diag_error(diag, recipe->unit.at, "%s serves widths up to %u, and no generic recipe more",
                   recipe->unit.name, recipe->widest);
    return wide;
}

bool recipe_looks_up(const struct recipe_set *set) {
    return recipe_mapped(set, OP_MUX, NULL) != NULL;
}

const char *recipe_origin(const struct recipe_set *set, enum isa_op op) {
    const struct recipe *c = serving(set, op);
    return c ? c->origin : NULL;
}
