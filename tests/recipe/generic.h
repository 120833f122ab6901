/* SPDX-License-Identifier: MIT
 * The generic recipes as the tests of them as logic open them. */
#ifndef TESTS_RECIPE_GENERIC_H
#define TESTS_RECIPE_GENERIC_H

#include "text.h"

struct generic {
    struct diag *diag;
    struct target *target;
    struct recipe_set *set;
};

/* The set of any target holds the generic recipes as they are read. */
static inline int open_generic(void **state) {
    struct generic *g = calloc(1, sizeof *g);
    g->diag = diag_new(NULL, NULL);
    g->target = open_racer(g->diag);
    g->set = recipe_set_open_mapped(g->target, g->diag);
    if (!g->set)
        print_error("%s\n", diag_first(g->diag));
    *state = g;
    return g->set ? 0 : -1;
}

static inline int close_generic(void **state) {
    struct generic *g = *state;
    recipe_set_free(g->set);
    target_free(g->target);
    diag_free(g->diag);
    free(g);
    return 0;
}

#endif
