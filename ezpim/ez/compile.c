/* SPDX-License-Identifier: MIT
 * From source text to an object. */
#include "ezpim/compile.h"
#include "ezpim/ez/include.h"
#include "ezpim/ez/lower.h"

static void lower(void *unit, struct compile_lowering how, struct ir_program *program) {
    ez_lower(unit, how, program);
}

static struct object *compile_checked(struct ez_unit *unit, const struct ez_options *options) {
    const struct compile_front front = {
        .context = unit,
        .lower = lower,
        .arena = &unit->arena,
        .at = unit->main->word,
        .words = {.consumed = "`in consumed` says that this is meant",
                  .narrower = "what helps: narrower types, `in consumed` for inputs that are not "
                              "needed to the end, or -fspill, which keeps variables in VRFs of "
                              "their own",
                  .no_spill = "-fspill does not help: it brings variables to their registers "
                              "between the statements of main, and here one statement needs too "
                              "many of them, or ones that cannot be moved (docs/ezpim.md), or the "
                              "program has too many variables for it"},
        .recipes = unit->recipes.data,
        .recipe_count = unit->recipes.len};
    return compile_program(&front, options, unit->diag);
}

static struct object *compile_unit(struct ez_unit *unit, const struct ez_options *options) {
    if (options->emit == EZ_EMIT_AST) {
        ez_ast_print(unit->tree, unit->diag, options->emit_text);
        return NULL;
    }
    if (options->emit == EZ_EMIT_SIGNATURE) {
        diag_error(unit->diag, NO_SPAN, "--emit=signature is for kernels in Python");
        return NULL;
    }
    if (!ez_check(unit))
        return NULL;
    return compile_checked(unit, options);
}

struct object *ez_compile_all(const struct ez_source *sources, size_t count,
                              const struct ez_options *options, struct diag *diag) {
    struct ez_unit u = {.diag = diag,
                        .errors_before = diag_errors(diag),
                        .whole = {diag_source(diag, sources[0].name, NULL, 0), 0, 0},
                        .defines = options->defines,
                        .define_count = options->define_count};
    struct object *o = NULL;
    if (ez_load(&u, sources, count, options))
        o = compile_unit(&u, options);
    ez_unit_free(&u);
    if (o && diag_errors(diag) != u.errors_before) {
        object_free(o);
        o = NULL;
    }
    if (o && !o->source)
        o->source = arena_strdup(&o->arena, sources[0].name);
    return o;
}

struct object *ez_compile(const char *name, const char *text, size_t size,
                          const struct ez_options *options, struct diag *diag) {
    const struct ez_source source = {name, text, size};
    return ez_compile_all(&source, 1, options, diag);
}
