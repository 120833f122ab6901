/* SPDX-License-Identifier: MIT
 * The linker: objects to one program, and one program to a package per target.  Text is final
 * after linking; nothing here rewrites an instruction. */
#ifndef LINKER_LINKER_H
#define LINKER_LINKER_H

#include "object/object.h"

struct link_options {
    const char *entry; /* --entry; NULL: main, else index 0 */
    bool relocatable;  /* -r */
    bool gc_sections;  /* --gc-sections: drop subroutines that nothing refers to */
};

/* Joins objects (not consumed): concatenates text, merges symbols, groups, sizes, variables,
 * records; resolves everything but sizes.  The words that depend on a size keep their relocation.
 * NULL after reporting (undefined and duplicate symbols with both places, different geometries,
 * control-flow checks of docs/isa: jumps into REPEAT, targets outside ...). */
struct object *link_objects(const struct object *const *inputs, size_t count,
                            const struct link_options *options, struct diag *d);

/* False after naming each instruction that this release runs on no target, with its place.
 * package_build says the same for each target; who builds several packages asks once, before. */
bool package_program_runnable(const struct object *program, struct diag *d);

/* The MPUs of a linked program: those of its grid from the first that the entry table names, else
 * those of the entry table, else MPU 0. */
void link_program_image(const struct object *program, uint32_t *first, uint32_t *count);

/* -Map: what is the same for every target, text for people, appended. */
void link_print_map(const struct object *program, struct str *out);

#endif
