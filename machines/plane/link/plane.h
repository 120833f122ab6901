/* SPDX-License-Identifier: MIT
 * Plane machines at link time: a library is a set of recipes (recipe/set/recipe.h), code is a
 * recipe table (recipe/table/table.h). */
#ifndef MACHINES_PLANE_LINK_PLANE_H
#define MACHINES_PLANE_LINK_PLANE_H

#include "machines/machine.h"
#include "recipe/technology/plane_target.h"
#include "recipe/set/recipe.h"
#include "recipe/table/table.h"
#include "support/str.h"

extern const struct machine plane_machine;

struct plane_library {
    struct machine_library base;
    struct recipe_set *recipes;
    /* What machines know of instructions (machines/plane/run/insn_forms.h); NULL before the first
     * one opens, and where nothing is kept. */
    bool keeps_forms;
    struct plane_forms *_Atomic forms;
    void (*_Atomic free_forms)(struct plane_forms *forms);
};
static inline struct recipe_set *plane_recipes(const struct machine_library *library) {
    return ((const struct plane_library *)(const void *)library)->recipes;
}

/* The logic of a table as a package keeps it (recipe_logic_print). */
struct plane_logic {
    struct recipe_logic_name name;
    struct str text;
};
struct plane_logic_list {
    struct plane_logic *data;
    size_t len, cap; /* works with vec_push and vec_free */
};

struct plane_code {
    struct machine_code base;
    struct recipe_table *table;
    struct plane_logic_list logic; /* of tables that the program has; in its order, each once */
    /* For machine.load; made when the table is open. */
    struct machine_part *parts, *shared;
};
static inline const struct recipe_table *plane_table(const struct machine_code *code) {
    return ((const struct plane_code *)(const void *)code)->table;
}

/* --- logic.c --- */
/* Logic is found once, when a package is made: who checks the package later, which is made again
 * for that, takes it from there. */
/* Adds that of the LUTs among the instructions. */
void plane_logic_add(struct plane_logic_list *list, struct recipe_set *recipes,
                     const struct insn *insns, size_t count);
/* Gives the recipes what the list has for these LUTs.  What is wrong, or was made by another
 * version, is passed over: the recipes then find it themselves. */
void plane_logic_take(struct plane_logic_list *list, struct recipe_set *recipes,
                      const struct insn *insns, size_t count);
void plane_logic_free(struct plane_logic_list *list);
/* Its bytes behind those of the recipe table, none of an empty list; and back.  False with a
 * message in *problem. */
void plane_logic_write(const struct plane_logic_list *list, struct str *out);
bool plane_logic_read(struct plane_logic_list *list, const void *bytes, size_t size,
                      const char **problem);

/* --- print.c --- */
/* Each recipe of an open table: the instructions that it carries out, what one of them costs, and
 * its micro-ops in rolled form. */
void plane_print(const struct machine_code *code, const struct machine_library *library,
                 const struct machine_program *program, struct str *out);
void plane_print_map(const struct machine_code *code, const struct isa_users *users,
                     struct str *out);

#endif
