/* SPDX-License-Identifier: MIT */
#include "recipe/map.h"

struct recipe *recipe_map(struct recipe_set *s, const struct recipe *g, struct diag *d) {
    recipe_error(d, g->unit.file, g->choice_at, "generic recipes cannot be mapped to '%s' yet",
                 s->target->name);
    return NULL;
}
