/* SPDX-License-Identifier: MIT
 * A recipe table as docs/control-path.md says, played use by use. */
#ifndef TESTS_ELASTIC_RECIPES_H
#define TESTS_ELASTIC_RECIPES_H

#include "machines/machine.h"
#include "support/vec.h"

struct ref_recipes {
    struct machine_load load; /* of the program's code; without parts nothing is ever loaded */
    uint32_t templates, pointers;
    VEC(uint32_t) held; /* parts, the latest used first */
};
void ref_recipes_open(struct ref_recipes *r, const struct target *target,
                      const struct machine_code *code);
void ref_recipes_close(struct ref_recipes *r);
/* Part `part` is used: how many templates have to be loaded. */
uint32_t ref_recipes_use(struct ref_recipes *r, uint32_t part);

#endif
