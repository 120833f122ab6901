/* SPDX-License-Identifier: MIT
 * The stages in their order, and what all of them use. */
#include "ezpim/erc/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *erc_token_text(const struct erc_unit *u, uint32_t token, size_t *size) {
    const struct erc_token *t = &u->tokens.data[token];
    *size = t->end - t->begin;
    return u->text + t->begin;
}

bool erc_token_is(const struct erc_unit *u, uint32_t token, const char *text) {
    size_t size;
    const char *found = erc_token_text(u, token, &size);
    return strlen(text) == size && memcmp(found, text, size) == 0;
}

char *erc_token_name(struct erc_unit *u, uint32_t token) {
    size_t size;
    const char *text = erc_token_text(u, token, &size);
    return arena_strndup(&u->arena, text, size);
}

struct span erc_token_span(const struct erc_unit *u, uint32_t token) {
    const struct erc_token *t = &u->tokens.data[token];
    return (struct span){u->source, t->begin, t->end};
}

struct span erc_line_span(const struct erc_unit *u, uint32_t line) {
    const struct erc_line *l = &u->lines.data[line];
    return (struct span){u->source, u->tokens.data[l->first].begin,
                         u->tokens.data[l->first + l->count - 1].end};
}

/* Loops say the same thing over and over. */
static bool first_time(struct erc_unit *u, uint32_t token, uint8_t severity) {
    bool first = !(u->told[token] & 1 << severity);
    u->told[token] |= (uint8_t)(1 << severity);
    return first;
}

bool erc_error(struct erc_unit *u, uint32_t token, const char *format, ...) {
    if (!first_time(u, token, SEVERITY_ERROR))
        return false;
    va_list args;
    va_start(args, format);
    diag_verror(u->diag, erc_token_span(u, token), format, args);
    va_end(args);
    return true;
}

bool erc_warn(struct erc_unit *u, uint32_t line, const char *format, ...) {
    char text[400];
    if (!first_time(u, u->lines.data[line].first, SEVERITY_WARNING))
        return false;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    diag_warning(u->diag, W_DIALECT, erc_line_span(u, line), "%s", text);
    return true;
}

bool erc_give_up(const struct erc_unit *u) {
    return diag_full(u->diag) || u->too_long;
}

static bool good(const struct erc_unit *u) {
    return diag_errors(u->diag) == u->errors_before;
}

static void take_defines(struct erc_unit *u) {
    for (size_t i = 0; i < u->options->define_count; i++)
        map_put(&u->macros, u->options->defines[i].name, (uint64_t)u->options->defines[i].value);
}

static void free_unit(struct erc_unit *u) {
    arena_free(&u->arena);
    vec_free(&u->tokens);
    vec_free(&u->lines);
    vec_free(&u->funcs);
    vec_free(&u->items);
    map_free(&u->macros);
    map_free(&u->func_names);
    free(u->told);
}

/* Later stages need what the earlier ones made whole. */
static struct object *compile(struct erc_unit *u) {
    erc_scan(u);
    u->told = xcalloc(u->tokens.len + 1, 1);
    take_defines(u);
    erc_parse(u);
    if (!good(u) && !u->options->assembly)
        return NULL;
    erc_expand(u);
    erc_resolve(u);
    return good(u) ? erc_translate(u) : NULL;
}

struct object *erc_compile(const char *name, const char *text, size_t size,
                           const struct erc_options *options, struct diag *d) {
    struct erc_unit u = {.diag = d,
                         .errors_before = diag_errors(d),
                         .source = diag_source(d, name, text, size),
                         .text = text,
                         .size = size,
                         .options = options,
                         .width = options->width ? options->width : ERC_DEFAULT_WIDTH,
                         .rfhs = options->rfhs ? options->rfhs : ERC_DEFAULT_RFHS};
    struct object *o = NULL;
    if (size >= UINT32_MAX)
        diag_error(d, (struct span){u.source, 0, 0}, "the text has 4 GiB or more");
    else
        o = compile(&u);
    free_unit(&u);
    if (o && !o->source)
        o->source = arena_strdup(&o->arena, name);
    return o;
}
