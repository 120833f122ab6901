/* SPDX-License-Identifier: MIT
 * From a kernel in Python to an object. */
#include "ezpim/compile.h"
#include "ezpim/np/np.h"
#include "ezpim/np/promotion.h"
#include "ezpim/np/unit.h"

static void lower(void *unit, struct compile_lowering how, struct ir_program *program) {
    np_walk(unit, how, program);
}

/* A walk of which what it makes is not used. */
static void walk(struct np_unit *unit) {
    struct ir_program p = {.arena = &unit->arena, .consumed = IR_NONE};
    struct compile_lowering how = {.level = 1, .folded = 16};
    np_walk(unit, how, &p);
    ir_free(&p);
}

/* The walk that finds mistakes, and where arrays lie; then how many lanes that takes. */
static bool check(struct np_unit *unit) {
    np_find_wishes(unit);
    do {
        unit->again = false;
        vec_clear(&unit->params);
        vec_clear(&unit->results);
        vec_clear(&unit->promotions);
        array_choices_clear(&unit->arrays);
        walk(unit);
    } while (unit->again);
    np_report_promotions(unit);
    if (!np_failed(unit))
        np_check_wishes(unit);
    if (!np_failed(unit) && array_choose(&unit->arrays)) {
        unit->arrays.most = 0;
        walk(unit);
    }
    return !np_failed(unit);
}

static struct object *compile(struct np_unit *unit) {
    const struct compile_front front = {
        .context = unit,
        .lower = lower,
        .arena = &unit->arena,
        .at = unit->entry->name_at,
        .roomy = true,
        .spills = true,
        .words = {.consumed = "parameters that are not changed may always be",
                  .no_spill = "what helps: narrower types, and axes in lanes, not in registers"}};
    return compile_program(&front, unit->options, unit->diag);
}

/* Which extents of parameters are constants alone, for messages about arrays of other shapes. */
static void note_constants(const struct np_unit *unit, struct object *object) {
    for (size_t i = 0; i < unit->params.len; i++)
        for (uint32_t d = 0; d < unit->params.data[i].own.ndim; d++) {
            const struct np_port *p = &unit->params.data[i];
            if (p->extents[d])
                object_add_constant(object, p->own.name, d, p->extents[d]);
        }
}

struct object *np_compile(const char *name, const char *text, size_t size,
                          const struct ez_options *options, struct diag *diag) {
    struct np_unit u = {.diag = diag, .options = options, .errors_before = diag_errors(diag)};
    struct object *o = NULL;
    u.source = diag_source(diag, name, text, size);
    u.text = diag_source_text(diag, u.source, &u.size);
    u.numpy = "np";
    u.arrays.arena = &u.arena;
    u.module = np_parse(&u.arena, diag, u.source);
    if (options->emit == EZ_EMIT_AST)
        np_error(&u, NO_SPAN,
                 "--emit=ast is for ezpim; `python3 -m ast` prints the tree of a kernel");
    else if (u.module && check(&u) && options->emit == EZ_EMIT_SIGNATURE)
        np_print_signature(&u, options->emit_text);
    else if (u.module && !np_failed(&u))
        o = compile(&u);
    if (o && !o->source)
        o->source = arena_strdup(&o->arena, name);
    if (o)
        note_constants(&u, o);
    arrays_free(&u.arrays);
    vec_free(&u.wishes);
    vec_free(&u.entangled);
    vec_free(&u.unrolled);
    vec_free(&u.promotions);
    vec_free(&u.params);
    vec_free(&u.results);
    vec_free(&u.file.names);
    map_free(&u.file.numbers);
    arena_free(&u.arena);
    return o;
}
