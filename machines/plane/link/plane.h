/* SPDX-License-Identifier: MIT
 * Plane machines at link time: a library is a set of recipes (recipe/recipe.h), code is a recipe
 * table (recipe/table/table.h). */
#ifndef MACHINES_PLANE_LINK_PLANE_H
#define MACHINES_PLANE_LINK_PLANE_H

#include "machines/machine.h"
#include "recipe/technology/plane_target.h"
#include "recipe/recipe.h"
#include "recipe/table/table.h"

extern const struct machine plane_machine;

struct plane_library {
    struct machine_library base;
    struct recipe_set *recipes;
};
static inline const struct recipe_set *plane_recipes(const struct machine_library *library) {
    return ((const struct plane_library *)(const void *)library)->recipes;
}

struct plane_code {
    struct machine_code base;
    struct recipe_table *table;
    /* For machine.load; made when the table is open. */
    struct machine_part *parts, *shared;
};
static inline const struct recipe_table *plane_table(const struct machine_code *code) {
    return ((const struct plane_code *)(const void *)code)->table;
}

/* --- print.c --- */
/* Each recipe of an open table: the instructions that it carries out, what one of them costs, and
 * its micro-ops in rolled form. */
void plane_print(const struct machine_code *code, const struct machine_library *library,
                 const struct machine_program *program, struct str *out);
void plane_print_map(const struct machine_code *code, const struct isa_users *users,
                     struct str *out);

#endif
