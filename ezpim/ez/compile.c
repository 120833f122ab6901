/* SPDX-License-Identifier: MIT
 * From source text to an object. */
#include "ezpim/ezpim.h"
#include "ezpim/ez/include.h"
#include "ezpim/ez/lower.h"
#include "ezpim/ir_clean.h"
#include "linker/package.h"

static struct object *emit_program(struct unit *u, const struct ez_options *options) {
    struct ir_program p = {.arena = &u->arena};
    struct object *o = NULL;
    ez_lower(u, options->optimize, &p);
    if (options->optimize > 0 && !u->shares_registers)
        ir_clean(&p);
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

static struct object *compile_unit(struct unit *u, const struct ez_options *options) {
    if (options->emit == EZ_EMIT_AST) {
        ast_print(u->tree, u->diag, options->emit_text);
        return NULL;
    }
    if (!ez_check(u) || !ez_assign_registers(u))
        return NULL;
    return emit_program(u, options);
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
