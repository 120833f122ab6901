/* SPDX-License-Identifier: MIT
 * Bodies of built-in recipes are read when they are first asked for: a start needs few of them.
 * The set is const to its users, for what they get does not change with what was asked. */
#include "recipe/set/set.h"

#include "support/alloc.h"

#include <stdatomic.h>

/* The recipe of a LUT is made under the lock, and asks for others: it may be taken again. */
void recipe_set_init_lock(struct recipe_set *set) {
    pthread_mutexattr_t again;
    pthread_mutexattr_init(&again);
    pthread_mutexattr_settype(&again, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&set->lock, &again);
    pthread_mutexattr_destroy(&again);
}

void recipe_set_lock(const struct recipe_set *set, struct alloc_lock *lock) {
    alloc_lock(lock, &((struct recipe_set *)(uintptr_t)set)->lock);
}

/* The recipe with its body and its contract, which are read at its first use; NULL if it has an
 * error. */
static const struct recipe *read_recipe(const struct recipe_set *set, const struct recipe *recipe,
                                        _Atomic bool *read) {
    if (!recipe || atomic_load_explicit(read, memory_order_acquire))
        return recipe && !recipe->unit.broken ? recipe : NULL;
    struct alloc_lock lock;
    recipe_set_lock(set, &lock);
    struct diag *quiet = diag_new(NULL, NULL);
    notation_resolve_unit((struct recipe_set *)(uintptr_t)set,
                          &((struct recipe *)(uintptr_t)recipe)->unit, quiet);
    diag_free(quiet);
    atomic_store_explicit(read, true, memory_order_release);
    alloc_unlock(&lock);
    return recipe->unit.broken ? NULL : recipe;
}

const struct recipe *recipe_chosen(const struct recipe_set *set, enum isa_op op) {
    return (unsigned)op < RECIPE_OPS
               ? read_recipe(set, set->recipes[op],
                             &((struct recipe_set *)(uintptr_t)set)->read[op][0])
               : NULL;
}

const struct recipe *recipe_generic(const struct recipe_set *set, enum isa_op op) {
    return (unsigned)op < RECIPE_OPS
               ? read_recipe(set, set->generic[op],
                             &((struct recipe_set *)(uintptr_t)set)->read[op][1])
               : NULL;
}
