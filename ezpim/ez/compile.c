/* SPDX-License-Identifier: MIT
 * From source text to an object. */
#include "ezpim/ezpim.h"
#include "ezpim/ez/include.h"
#include "ezpim/ez/lower.h"
#include "ezpim/ez/sharing.h"
#include "ezpim/ez/spill.h"
#include "ezpim/ir_clean.h"
#include "linker/package.h"

static void lower_program(struct unit *u, const struct ez_options *options, struct ir_program *p) {
    ez_lower(u, options->optimize, p);
    if (options->optimize > 0 && !u->shares_registers)
        ir_clean(p);
}

static struct object *emit_program(struct unit *u, const struct ez_options *options) {
    struct ir_program p = {.arena = &u->arena};
    struct object *o = NULL;
    ez_report_taken(u);
    lower_program(u, options, &p);
    if (options->emit == EZ_EMIT_IR) {
        for (size_t i = 0; i < p.codes.len; i++)
            ir_optimize(p.codes.data[i], options->optimize, IR_REACH_ALL);
        ir_print(&p, u->diag, options->emit_text);
    } else {
        o = ir_emit(&p, options->optimize, options->debug, u->diag);
        for (size_t i = 0; o && i < u->recipes.len; i++)
            program_add_recipes(o, u->recipes.data[i].name, u->recipes.data[i].text,
                                u->recipes.data[i].size, u->diag);
    }
    ir_free(&p);
    return o;
}

/* Whether what has no name finds registers beside the variables. */
static bool has_room(struct unit *u, const struct ez_options *options) {
    struct ir_program p = {.arena = &u->arena};
    lower_program(u, options, &p);
    bool fits = ir_fits(&p, options->optimize);
    ir_free(&p);
    return fits;
}

/* False if no number of registers for variables will do. */
static bool find_spills(struct unit *u, const struct ez_options *options) {
    static const unsigned limits[] = {64, 60, 56, 52, 48, 44, 40, 36, 32, 28, 24, 20, 16};
    if (options->registers && ez_spill(u, options->registers) && has_room(u, options))
        return true;
    for (size_t k = 0; k < sizeof limits / sizeof *limits && ez_spill(u, limits[k]); k++)
        if (has_room(u, options))
            return true;
    return false;
}

static struct object *report_too_few(struct unit *u, const struct ez_options *options) {
    struct object *o = NULL;
    if (ez_spill(u, IR_REGISTERS))
        o = emit_program(u, options);
    else
        ez_report_full(u);
    if (o) { /* with all that was moved on the way it goes */
        ez_report_spills(u);
        return o;
    }
    diag_note(u->diag, u->main->word,
              "-fspill does not help: it brings variables to their registers between the "
              "statements of main, and here one statement needs too many of them, or ones that "
              "cannot be moved (docs/ezpim.md), or the program has too many variables for it");
    return o;
}

/* As it is, if that goes; else with ever fewer registers for variables. */
static struct object *compile_spilling(struct unit *u, const struct ez_options *options) {
    if (ez_try_registers(u) && !options->registers && has_room(u, options))
        return emit_program(u, options);
    if (!find_spills(u, options))
        return report_too_few(u, options);
    ez_report_spills(u);
    return emit_program(u, options);
}

static struct object *compile_unit(struct unit *u, const struct ez_options *options) {
    if (options->emit == EZ_EMIT_AST) {
        ast_print(u->tree, u->diag, options->emit_text);
        return NULL;
    }
    if (!ez_check(u))
        return NULL;
    if (options->spill)
        return compile_spilling(u, options);
    return ez_assign_registers(u) ? emit_program(u, options) : NULL;
}

struct object *ez_compile_all(const struct ez_source *sources, size_t count,
                              const struct ez_options *options, struct diag *d) {
    struct unit u = {.diag = d,
                     .errors_before = diag_errors(d),
                     .whole = {diag_source(d, sources[0].name, NULL, 0), 0, 0},
                     .defines = options->defines,
                     .define_count = options->define_count};
    struct object *o = NULL;
    if (ez_load(&u, sources, count, options))
        o = compile_unit(&u, options);
    unit_free(&u);
    if (o && diag_errors(d) != u.errors_before) {
        object_free(o);
        o = NULL;
    }
    if (o && !o->source)
        o->source = arena_strdup(&o->arena, sources[0].name);
    return o;
}

struct object *ez_compile(const char *name, const char *text, size_t size,
                          const struct ez_options *options, struct diag *d) {
    const struct ez_source source = {name, text, size};
    return ez_compile_all(&source, 1, options, d);
}
