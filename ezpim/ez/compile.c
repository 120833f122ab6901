/* SPDX-License-Identifier: MIT
 * From source text to an object. */
#include "ezpim/compile.h"
#include "ezpim/ez/include.h"
#include "ezpim/ez/lower.h"

#include <string.h>

static void lower(void *unit, struct compile_lowering how, struct ir_program *program) {
    ez_lower(unit, how, program);
}

static struct object *compile_checked(struct ez_unit *unit, const struct ez_options *options) {
    const struct compile_front front = {
        .context = unit,
        .lower = lower,
        .arena = &unit->arena,
        .at = unit->main ? unit->main->word : unit->whole,
        .words = {.consumed = "`in consumed` says that this is meant",
                  .narrower = "what helps: narrower types, `in consumed` for inputs that are not "
                              "needed to the end",
                  .spill = ", or -fspill, which keeps variables in VRFs of their own",
                  .no_spill = "that variables lie in VRFs of their own does not help: they are "
                              "brought to registers where they are used, and here that needs too "
                              "many of them, or ones that cannot be moved (docs/ezpim.md), or the "
                              "program has too many variables for it"},
        .recipes = unit->recipes.data,
        .recipe_count = unit->recipes.len};
    return compile_program(&front, options, unit->diag);
}

static void put_passed(const struct ez_symbol *passed, bool named, struct str *out) {
    static const char *const words[] = {
        [VAR_IN] = "", [VAR_OUT] = "out ", [VAR_IN | VAR_OUT] = "inout "};
    char type[8];
    object_type_text(passed->type.type, type);
    if (named)
        str_printf(out, "%s%s: ", words[passed->var.direction & (VAR_IN | VAR_OUT)],
                   passed->name.text);
    str_append(out, type);
    if (passed->has_k)
        str_printf(out, "[%u]", (unsigned)passed->count);
    str_printf(out, " in r%u", (unsigned)passed->var.reg);
}

/* What is destroyed beside what comes out. */
static void put_clobbers(const struct object *object, const char *name, struct str *out) {
    const char *before = " clobbers ";
    for (size_t i = 0; i < object->signatures.len; i++) {
        const struct sub_signature *s = &object->signatures.data[i];
        uint64_t left = strcmp(s->name, name) == 0 ? s->writes : 0;
        for (uint32_t k = 0; left && k < s->out_count; k++)
            left &= ~((uint64_t)1 << s->out[k].reg);
        for (; left; left &= left - 1, before = ", ")
            str_printf(out, "%sr%d", before, __builtin_ctzll(left));
    }
}

static void put_extern(const struct ez_symbol *symbol, const struct object *object,
                       struct str *out) {
    str_printf(out, "extern sub %s(", symbol->name.text);
    for (uint32_t i = 0; i < symbol->sub.param_count; i++) {
        str_append(out, i ? ", " : "");
        put_passed(symbol->sub.params[i], true, out);
    }
    str_char(out, ')');
    if (symbol->sub.result) {
        str_append(out, ": ");
        put_passed(symbol->sub.result, false, out);
    }
    put_clobbers(object, symbol->name.text, out);
    str_append(out, ";\n");
}

/* How a program that calls the subroutines declares them. */
static void emit_externs(struct ez_unit *unit, const struct ez_options *options) {
    struct ez_options code = *options;
    code.emit = EZ_EMIT_NONE;
    struct object *object = compile_checked(unit, &code);
    for (size_t i = 0; object && i < unit->subs.items.len; i++)
        if (unit->subs.items.data[i]->sub.exported)
            put_extern(unit->subs.items.data[i], object, options->emit_text);
    if (object)
        object_free(object);
}

static struct object *compile_unit(struct ez_unit *unit, const struct ez_options *options) {
    if (options->emit == EZ_EMIT_AST) {
        ez_ast_print(unit->tree, unit->diag, options->emit_text);
        return NULL;
    }
    unit->parts = options->parts || options->emit == EZ_EMIT_SIGNATURE;
    if (!ez_check(unit))
        return NULL;
    if (options->emit != EZ_EMIT_SIGNATURE)
        return compile_checked(unit, options);
    if (unit->main)
        diag_error(unit->diag, NO_SPAN,
                   "--emit=signature is for kernels in Python, and for files without `main`, whose "
                   "subroutines others call");
    else
        emit_externs(unit, options);
    return NULL;
}

struct object *ez_compile_all(const struct ez_source *sources, size_t count,
                              const struct ez_options *options, struct diag *diag) {
    struct ez_unit u = {.diag = diag,
                        .errors_before = diag_errors(diag),
                        .whole = {diag_source(diag, sources[0].name, NULL, 0), 0, 0},
                        .no_fuse = options->no_fuse,
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
