/* SPDX-License-Identifier: MIT
 * The stages in their order. */
#include "ezpim/erc/unit.h"

#include <stdlib.h>

static bool good(const struct erc_unit *unit) {
    return diag_errors(unit->diag) == unit->errors_before;
}

static void take_defines(struct erc_unit *unit) {
    for (size_t i = 0; i < unit->options->define_count; i++)
        map_put(&unit->macros, unit->options->defines[i].name,
                (uint64_t)unit->options->defines[i].value);
}

static void free_unit(struct erc_unit *unit) {
    arena_free(&unit->arena);
    vec_free(&unit->tokens);
    vec_free(&unit->lines);
    vec_free(&unit->funcs);
    vec_free(&unit->items);
    map_free(&unit->macros);
    map_free(&unit->func_names);
    free(unit->told);
}

/* Later stages need what the earlier ones made whole. */
static struct object *compile(struct erc_unit *unit) {
    erc_scan(unit);
    unit->told = xcalloc(unit->tokens.len + 1, 1);
    take_defines(unit);
    erc_parse(unit);
    if (!good(unit) && !unit->options->assembly)
        return NULL;
    erc_expand(unit);
    erc_resolve(unit);
    return good(unit) ? erc_translate(unit) : NULL;
}

struct object *erc_compile(const char *name, const char *text, size_t size,
                           const struct erc_options *options, struct diag *diag) {
    struct erc_unit u = {.diag = diag,
                         .errors_before = diag_errors(diag),
                         .source = diag_source(diag, name, text, size),
                         .text = text,
                         .size = size,
                         .options = options,
                         .width = options->width ? options->width : ERC_DEFAULT_WIDTH,
                         .rfhs = options->rfhs ? options->rfhs : ERC_DEFAULT_RFHS};
    struct object *o = NULL;
    if (size >= UINT32_MAX)
        diag_error(diag, (struct span){u.source, 0, 0}, "the text has 4 GiB or more");
    else
        o = compile(&u);
    free_unit(&u);
    if (o && !o->source)
        o->source = arena_strdup(&o->arena, name);
    return o;
}
