/* SPDX-License-Identifier: MIT
 * The stages in their order. */
#include "ezpim/erc/unit.h"

#include <stdlib.h>
#include <string.h>

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

/* To the flat list.  Later stages need what the earlier ones made whole. */
static bool flatten(struct erc_unit *unit) {
    erc_scan(unit);
    unit->told = xcalloc(unit->tokens.len + 1, 1);
    take_defines(unit);
    erc_parse(unit);
    if (!good(unit) && !unit->options->assembly)
        return false;
    erc_expand(unit);
    erc_resolve(unit);
    return good(unit);
}

static struct erc_unit unit_of(const char *name, const char *text, size_t size,
                               const struct erc_options *options, struct diag *diag) {
    return (struct erc_unit){.diag = diag,
                             .errors_before = diag_errors(diag),
                             .source = diag_source(diag, name, text, size),
                             .text = text,
                             .size = size,
                             .options = options,
                             .width = options->width ? options->width : ERC_DEFAULT_WIDTH,
                             .rfhs = options->rfhs ? options->rfhs : ERC_DEFAULT_RFHS};
}

struct object *erc_compile(const char *name, const char *text, size_t size,
                           const struct erc_options *options, struct diag *diag) {
    struct erc_unit u = unit_of(name, text, size, options, diag);
    struct object *o = NULL;
    if (size >= UINT32_MAX)
        diag_error(diag, (struct span){u.source, 0, 0}, "the text has 4 GiB or more");
    else if (flatten(&u))
        o = erc_translate(&u);
    free_unit(&u);
    if (o && !o->source)
        o->source = arena_strdup(&o->arena, name);
    return o;
}

/* The register that copies between MPI_SEND and its end write is their last operand. */
static uint64_t sent_by(const struct erc_unit *unit) {
    uint64_t registers = 0;
    bool sends = false;
    for (size_t i = 0; i < unit->items.len; i++) {
        const struct erc_item *item = &unit->items.data[i];
        enum erc_does does = item->kind == ITEM_INSN ? item->insn->does : DOES_NOTHING;
        sends = (sends || does == DOES_SEND) && does != DOES_SEND_DONE;
        if (sends && (does == DOES_COPY || does == DOES_COPY_BCAST))
            registers |= UINT64_C(1) << item->operand[strlen(item->insn->operands) - 1];
    }
    return registers;
}

uint64_t erc_sent(const char *text, size_t size, const struct erc_options *options) {
    if (size >= UINT32_MAX)
        return UINT64_MAX;
    struct diag *quiet = diag_new(NULL, NULL);
    struct erc_unit u = unit_of("", text, size, options, quiet);
    uint64_t registers = flatten(&u) ? sent_by(&u) : UINT64_MAX;
    free_unit(&u);
    diag_free(quiet);
    return registers;
}
