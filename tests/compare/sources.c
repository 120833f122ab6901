/* SPDX-License-Identifier: MIT
 * Writes random programs as source files, from the tests' own generators: the same seed, the same
 * file.  run.sh gives them to two builds.
 *   random-sources FIRST COUNT DIR
 * writes DIR/SEED.ez or DIR/SEED.s for COUNT seeds from FIRST on, four kinds in turn: two of
 * ezpim, ensembles of any instruction in assembly, MPUs that exchange messages in assembly. */
#include "disasm/disasm.h"
#include "recipe/set/recipe.h"
#include "support/file.h"
#include "tests/control/random_messages.h"
#include "tests/control/random_program.h"
#include "tests/ezpim/program_gen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORK = 60, SHOWN_REGISTERS = 8, GROUP_ELEMENTS = 51, VARIABLE_BITS = 16 };

/* Instructions that racer has recipes for: those that the generator may draw. */
static bool find_allowed(bool allowed[OP_COUNT]) {
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = target_open("racer", NULL, 0, d);
    struct recipe_set *recipes = t ? recipe_set_open(t, d) : NULL;
    for (unsigned op = 0; recipes && op < OP_COUNT; op++)
        allowed[op] = recipe_exists(recipes, (enum isa_op)op);
    bool good = recipes != NULL;
    if (!good)
        fprintf(stderr, "random-sources: %s\n", diag_first(d));
    recipe_set_free(recipes);
    target_free(t);
    diag_free(d);
    return good;
}

static void add_variable(struct object *o, uint32_t group, unsigned reg) {
    struct variable v = {.name = arena_printf(&o->arena, "v%u_%u", group, reg),
                         .direction = VAR_IN | VAR_OUT,
                         .type = {TYPE_UINT, VARIABLE_BITS},
                         .count = 1,
                         .group = group,
                         .reg = (uint8_t)reg,
                         .place = {NO_INDEX, 0, 0}};
    vec_push(&o->vars, v);
}

/* The generator leaves groups to the package; a source file has to declare them. */
static void add_group(struct object *o, const char *name, uint64_t elements) {
    struct group g = {.name = name,
                      .ndim = 1,
                      .extent = {{NO_INDEX, elements}},
                      .like = NO_INDEX,
                      .at_rfh = NO_INDEX,
                      .at_vrf = NO_INDEX,
                      .place = {NO_INDEX, 0, 0}};
    vec_push(&o->groups, g);
}

static void make_ensembles(uint64_t seed, const bool allowed[OP_COUNT], struct object *o) {
    static const char *const names[BENCH_GROUPS] = {"g", "h", "k"};
    random_program(seed, allowed, o);
    for (unsigned i = 0; i < BENCH_GROUPS; i++)
        add_group(o, names[i], i ? BENCH_FIXED_LANES : GROUP_ELEMENTS);
    o->linked = true;
}

static void make_assembly(uint64_t seed, const bool allowed[OP_COUNT], struct str *text) {
    struct object *o = object_new();
    if (seed % 4 == 2)
        make_ensembles(seed, allowed, o);
    else
        random_messages(seed, o);
    unsigned registers = seed % 4 == 2 ? SHOWN_REGISTERS : NET_REGS;
    for (uint32_t g = 0; g < o->groups.len; g++)
        for (unsigned reg = 0; reg < registers; reg++)
            add_variable(o, g, reg);
    str_clear(text);
    disasm_reassemble(o, text);
    object_free(o);
}

static bool write_one(uint64_t seed, const bool allowed[OP_COUNT], const char *folder) {
    const struct program_options options = {.all_operations = seed % 4 == 0, .work = WORK};
    bool assembly = seed % 4 >= 2;
    struct str text = {0}, path = {0};
    if (assembly)
        make_assembly(seed, allowed, &text);
    else
        program_random(seed, &options, &text);
    str_printf(&path, "%s/%llu.%s", folder, (unsigned long long)seed, assembly ? "s" : "ez");
    bool good = file_write(str_text(&path), text.text, text.len);
    if (!good)
        fprintf(stderr, "random-sources: '%s' cannot be written\n", str_text(&path));
    str_free(&text);
    str_free(&path);
    return good;
}

int main(int argc, char **argv) {
    bool allowed[OP_COUNT] = {false};
    if (argc != 4) {
        fputs("usage: random-sources FIRST COUNT DIR\n", stderr);
        return 2;
    }
    uint64_t first = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10);
    bool good = find_allowed(allowed);
    for (uint64_t i = 0; good && i < count; i++)
        good = write_one(first + i, allowed, argv[3]);
    return good ? 0 : 3;
}
