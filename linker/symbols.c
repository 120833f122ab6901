/* SPDX-License-Identifier: MIT
 * Symbols: one definition for each global name, locals kept apart. */
#include "linker/link.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

static struct symbol symbol_out(struct link *l, const struct link_input *in, const char *name,
                                struct symbol s) {
    if (s.defined && s.kind != SYMBOL_ABS)
        s.value += in->text_base;
    s.name = arena_strdup(&l->out->arena, name);
    s.place = link_place_out(in, s.place);
    return s;
}

static void defined_twice(struct link *l, const struct link_input *in, const struct symbol *s,
                          const struct symbol *old, const char *old_input) {
    diag_error(l->d, object_span(l->out, s->place, l->d), "symbol '%s' is defined in %s and in %s",
               s->name, old_input, link_input_name(in));
    diag_note(l->d, object_span(l->out, old->place, l->d), "'%s' is defined here first", s->name);
}

/* owner[output symbol]: the input that defines it. */
static void merge_global(struct link *l, struct link_input *in, struct map *names, uint32_t *owner,
                         uint32_t i) {
    const struct symbol s = symbol_out(l, in, in->o->symbols.data[i].name, in->o->symbols.data[i]);
    const uint64_t *at = map_get(names, s.name);
    uint32_t index = (uint32_t)(at ? *at : l->out->symbols.len);
    in->symbols[i] = index;
    if (!at) {
        map_put(names, s.name, index);
        vec_push(&l->out->symbols, s);
    } else if (s.defined && l->out->symbols.data[index].defined) {
        defined_twice(l, in, &s, &l->out->symbols.data[index],
                      link_input_name(&l->inputs[owner[index]]));
        return;
    } else if (s.defined) {
        l->out->symbols.data[index] = s;
    }
    if (s.defined)
        owner[index] = (uint32_t)(in - l->inputs);
}

/* Names in use, and the last number that was tried for each. */
struct used_names {
    struct map used, numbers;
};

/* A local name that another symbol has gets a number, so that all names of a program differ and
 * a disassembly can be assembled again.  Numeric labels become names. */
static const char *free_name(struct link *l, struct used_names *names, const char *name) {
    const char *prefix = isdigit((unsigned char)name[0]) ? "L" : "";
    const uint64_t *last = map_get(&names->numbers, name);
    uint64_t n = last ? *last : 0;
    const char *tried = name;
    while (map_get(&names->used, tried))
        tried = arena_printf(&l->arena, "%s%.*s.%" PRIu64, prefix, OBJECT_MAX_NAME - 24, name, ++n);
    if (tried != name)
        map_put(&names->numbers, name, n);
    return tried;
}

static void merge_local(struct link *l, struct link_input *in, struct used_names *names,
                        uint32_t i) {
    const struct symbol *s = &in->o->symbols.data[i];
    const char *name = free_name(l, names, s->name);
    in->symbols[i] = (uint32_t)l->out->symbols.len;
    map_put(&names->used, name, in->symbols[i]);
    vec_push(&l->out->symbols, symbol_out(l, in, name, *s));
}

static size_t assign_bases(struct link *l) {
    size_t symbols = 0;
    uint32_t base = 0;
    for (size_t k = 0; k < l->count; k++) {
        struct link_input *in = &l->inputs[k];
        in->text_base = base;
        base += (uint32_t)in->o->text.len;
        in->symbols = ARENA_ARRAY(&l->arena, in->o->symbols.len, uint32_t);
        symbols += in->o->symbols.len;
    }
    return symbols;
}

static void merge_input_symbols(struct link *l, struct link_input *in, bool global,
                                struct used_names *names, uint32_t *owner) {
    for (uint32_t i = 0; i < in->o->symbols.len; i++) {
        if (in->o->symbols.data[i].global != global)
            continue;
        if (global)
            merge_global(l, in, &names->used, owner, i);
        else
            merge_local(l, in, names, i);
    }
}

/* Globals first: they keep their names. */
void link_merge_symbols(struct link *l) {
    struct used_names names = {0};
    uint32_t *owner = ARENA_ARRAY(&l->arena, assign_bases(l), uint32_t);
    for (size_t k = 0; k < l->count; k++)
        merge_input_symbols(l, &l->inputs[k], true, &names, owner);
    for (size_t k = 0; k < l->count; k++)
        merge_input_symbols(l, &l->inputs[k], false, &names, owner);
    map_free(&names.used);
    map_free(&names.numbers);
}
