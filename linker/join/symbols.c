/* SPDX-License-Identifier: MIT
 * Symbols: one definition for each global name, locals kept apart. */
#include "linker/join/link.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

static struct symbol symbol_out(struct link *link, const struct link_input *in, const char *name,
                                struct symbol symbol) {
    if (symbol.defined && symbol.kind != SYMBOL_ABS)
        symbol.value += in->text_base;
    symbol.name = arena_strdup(&link->out->arena, name);
    symbol.place = link_place_out(in, symbol.place);
    return symbol;
}

static void defined_twice(struct link *link, const struct link_input *in,
                          const struct symbol *symbol, const struct symbol *old,
                          const char *old_input) {
    diag_error(link->d, object_span(link->out, symbol->place, link->d),
               "symbol '%s' is defined in %s and in %s", symbol->name, old_input,
               link_input_name(in));
    diag_note(link->d, object_span(link->out, old->place, link->d), "'%s' is defined here first",
              symbol->name);
}

/* owner[output symbol]: the input that defines it. */
static void merge_global(struct link *link, struct link_input *in, struct map *names,
                         uint32_t *owner, uint32_t number) {
    const struct symbol s =
        symbol_out(link, in, in->o->symbols.data[number].name, in->o->symbols.data[number]);
    const uint64_t *at = map_get(names, s.name);
    uint32_t index = (uint32_t)(at ? *at : link->out->symbols.len);
    in->symbols[number] = index;
    if (!at) {
        map_put(names, s.name, index);
        vec_push(&link->out->symbols, s);
    } else if (s.defined && link->out->symbols.data[index].defined) {
        defined_twice(link, in, &s, &link->out->symbols.data[index],
                      link_input_name(&link->inputs[owner[index]]));
        return;
    } else if (s.defined) {
        link->out->symbols.data[index] = s;
    }
    if (s.defined)
        owner[index] = (uint32_t)(in - link->inputs);
}

/* Names in use, and the last number that was tried for each. */
struct used_names {
    struct map used, numbers;
};

/* A local name that another symbol has gets a number, so that all names of a program differ and
 * a disassembly can be assembled again.  Numeric labels become names. */
static const char *free_name(struct link *link, struct used_names *names, const char *name) {
    const char *prefix = isdigit((unsigned char)name[0]) ? "L" : "";
    const uint64_t *last = map_get(&names->numbers, name);
    uint64_t n = last ? *last : 0;
    const char *tried = name;
    while (map_get(&names->used, tried))
        tried =
            arena_printf(&link->arena, "%s%.*s.%" PRIu64, prefix, OBJECT_MAX_NAME - 24, name, ++n);
    if (tried != name)
        map_put(&names->numbers, name, n);
    return tried;
}

static void merge_local(struct link *link, struct link_input *in, struct used_names *names,
                        uint32_t index) {
    const struct symbol *s = &in->o->symbols.data[index];
    const char *name = free_name(link, names, s->name);
    in->symbols[index] = (uint32_t)link->out->symbols.len;
    map_put(&names->used, name, in->symbols[index]);
    vec_push(&link->out->symbols, symbol_out(link, in, name, *s));
}

static size_t assign_bases(struct link *link) {
    size_t symbols = 0;
    uint32_t base = 0;
    for (size_t k = 0; k < link->count; k++) {
        struct link_input *in = &link->inputs[k];
        in->text_base = base;
        base += (uint32_t)in->o->text.len;
        in->symbols = ARENA_ARRAY(&link->arena, in->o->symbols.len, uint32_t);
        symbols += in->o->symbols.len;
    }
    return symbols;
}

static void merge_input_symbols(struct link *link, struct link_input *in, bool global,
                                struct used_names *names, uint32_t *owner) {
    for (uint32_t i = 0; i < in->o->symbols.len; i++) {
        if (in->o->symbols.data[i].global != global)
            continue;
        if (global)
            merge_global(link, in, &names->used, owner, i);
        else
            merge_local(link, in, names, i);
    }
}

/* Globals first: they keep their names. */
void link_merge_symbols(struct link *link) {
    struct used_names names = {0};
    uint32_t *owner = ARENA_ARRAY(&link->arena, assign_bases(link), uint32_t);
    for (size_t k = 0; k < link->count; k++)
        merge_input_symbols(link, &link->inputs[k], true, &names, owner);
    for (size_t k = 0; k < link->count; k++)
        merge_input_symbols(link, &link->inputs[k], false, &names, owner);
    map_free(&names.used);
    map_free(&names.numbers);
}
