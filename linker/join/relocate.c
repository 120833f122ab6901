/* SPDX-License-Identifier: MIT
 * From relocations to words; what depends on a size keeps its relocation. */
#include "linker/join/link.h"
#include "support/alloc.h"

#include <inttypes.h>
#include <string.h>

uint32_t link_default_entry(const struct object *object) {
    uint32_t main_symbol = object_find_symbol(object, "main");
    if (main_symbol == NO_INDEX || object->symbols.data[main_symbol].kind == SYMBOL_ABS ||
        !object->symbols.data[main_symbol].defined)
        return 0;
    return (uint32_t)object->symbols.data[main_symbol].value;
}

/* did-you-mean over all names that are defined. */
static void suggest_symbol(struct link *link, struct span at, const char *name) {
    const struct object *o = link->out;
    const char **names = ARENA_ARRAY(&link->arena, o->symbols.len, const char *);
    size_t n = 0;
    for (size_t i = 0; i < o->symbols.len; i++)
        if (o->symbols.data[i].defined)
            names[n++] = o->symbols.data[i].name;
    diag_suggest(link->d, at, name, names, n);
}

/* All MPUs of the program that no entry names start there, too. */
static void fill_entries(struct object *object, uint32_t symbol) {
    uint32_t next, count, n = (uint32_t)object->entries.len;
    link_program_image(object, &next, &count);
    struct entry *named = xcalloc(n + 1, sizeof *named);
    for (uint32_t i = 0; i < n; i++)
        named[i] = object->entries.data[i];
    named[n] = (struct entry){next + count, 0, NO_INDEX};
    vec_clear(&object->entries);
    for (uint32_t i = 0; i <= n; i++) {
        struct entry gap = {next, named[i].first_mpu - next, symbol};
        if (gap.mpu_count)
            vec_push(&object->entries, gap);
        if (named[i].mpu_count)
            vec_push(&object->entries, named[i]);
        next = named[i].first_mpu + named[i].mpu_count;
    }
    free(named);
}

void link_choose_entry(struct link *link) {
    struct object *o = link->out;
    const char *name = link->options->entry;
    if (!name)
        return;
    uint32_t symbol = object_find_symbol(o, name);
    if (symbol == NO_INDEX || !o->symbols.data[symbol].defined ||
        o->symbols.data[symbol].kind == SYMBOL_ABS) {
        diag_error(link->d, NO_SPAN, "the entry '%s' is no label or subroutine of the program",
                   name);
        suggest_symbol(link, NO_SPAN, name);
        return;
    }
    for (size_t i = 0; i < o->entries.len; i++)
        if (o->entries.data[i].symbol == NO_INDEX)
            o->entries.data[i].symbol = symbol;
    if (o->entries.len == 0 || o->geometry.grid_dims)
        fill_entries(o, symbol);
}

/* A local symbol of another input cannot be meant, but its name is the likely reason. */
static bool note_local(struct link *link, const char *name) {
    for (size_t k = 0; k < link->count; k++) {
        const struct object *o = link->inputs[k].o;
        for (size_t i = 0; i < o->symbols.len; i++)
            if (!o->symbols.data[i].global && strcmp(o->symbols.data[i].name, name) == 0) {
                diag_note(link->d, object_span(o, o->symbols.data[i].place, link->d),
                          "'%s' in %s is local; '.global %s' makes it visible", name,
                          link_input_name(&link->inputs[k]), name);
                return true;
            }
    }
    return false;
}

/* The symbol by which an input refers to a name that it does not define, or NULL. */
static const struct symbol *reference(const struct link_input *in, const char *name) {
    uint32_t i = object_find_symbol(in->o, name);
    const struct symbol *s = i == NO_INDEX ? NULL : &in->o->symbols.data[i];
    return s && s->global && !s->defined ? s : NULL;
}

static size_t first_using(const struct link *link, const char *name) {
    size_t k = 0;
    while (k + 1 < link->count && !reference(&link->inputs[k], name))
        k++;
    return k;
}

/* One place for each further input; more than a few tell nothing new. */
static void note_other_uses(struct link *link, const char *name, size_t index) {
    for (unsigned shown = 0; index < link->count && shown < 3; index++) {
        const struct symbol *s = reference(&link->inputs[index], name);
        if (!s)
            continue;
        diag_note(link->d, object_span(link->inputs[index].o, s->place, link->d), "%s uses it too",
                  link_input_name(&link->inputs[index]));
        shown++;
    }
}

static void report_undefined(struct link *link, const struct reloc *reloc) {
    const struct symbol *s = &link->out->symbols.data[reloc->target];
    size_t first = first_using(link, s->name);
    struct span at = object_span(link->out, object_place(link->out, reloc->index), link->d);
    if (at.source == 0)
        at = object_span(link->out, s->place, link->d);
    if (at.source == 0)
        diag_error(link->d, at, "symbol '%s', used by %s, is not defined", s->name,
                   link_input_name(&link->inputs[first]));
    else
        diag_error(link->d, at, "symbol '%s' is not defined", s->name);
    note_other_uses(link, s->name, first + 1);
    if (!note_local(link, s->name))
        suggest_symbol(link, at, s->name);
}

static void set_field(struct object *object, uint32_t index, uint32_t mask, uint64_t value) {
    uint32_t *word = &object->text.data[index];
    *word = (*word & ~mask) | ((uint32_t)value & mask);
}

/* reported[symbol] keeps an undefined symbol from being reported at each use. */
static void resolve_jump(struct link *link, const struct reloc *reloc, bool *reported) {
    const struct symbol *s = &link->out->symbols.data[reloc->target];
    int64_t to = s->value + reloc->addend;
    if (!s->defined) {
        if (!reported[reloc->target])
            report_undefined(link, reloc);
        reported[reloc->target] = true;
    } else if (s->kind == SYMBOL_ABS) {
        diag_error(link->d, link_span_of(link, reloc->index),
                   "'%s' is a constant, not a place to jump to", s->name);
        diag_note(link->d, object_span(link->out, s->place, link->d), "'%s' is defined here",
                  s->name);
    } else if (to < 0 || (uint64_t)to > link->out->text.len) {
        diag_error(link->d, link_span_of(link, reloc->index),
                   "the jump to '%s' %+" PRId64 " leaves the text of %zu instructions", s->name,
                   reloc->addend, link->out->text.len);
    } else {
        set_field(link->out, reloc->index, 0xffffff, (uint64_t)to);
    }
}

static void resolve_relocs(struct link *link) {
    struct object *o = link->out;
    bool *reported = ARENA_ARRAY(&link->arena, o->symbols.len, bool);
    size_t kept = 0;
    for (size_t i = 0; i < o->relocs.len && !diag_full(link->d); i++) {
        const struct reloc r = o->relocs.data[i];
        if (r.type == RELOC_J24)
            resolve_jump(link, &r, reported);
        else if (r.type == RELOC_GROUP || r.type == RELOC_DEBUG || r.type == RELOC_CALL ||
                 r.type == RELOC_MOVE)
            set_field(o, r.index, 0x3fffff, r.target);
        else
            o->relocs.data[kept++] = r;
    }
    if (!diag_full(link->d))
        o->relocs.len = kept;
}

/* What stands behind `else` must be there, wherever the RECIPE is. */
static void check_call_symbols(struct link *link) {
    struct object *o = link->out;
    for (size_t i = 0; i < object_otherwise_count(o) && !diag_full(link->d); i++) {
        uint32_t symbol = *object_otherwise(o, i);
        if (symbol == NO_INDEX ||
            (i < o->calls.len && object_call_kernel(o, &o->calls.data[i]))) /* the kernel's */
            continue;
        const struct symbol *s = &o->symbols.data[symbol];
        if (s->defined && s->kind != SYMBOL_ABS)
            continue;
        diag_error(link->d, object_span(o, s->place, link->d),
                   "'%s', which stands behind 'else', is %s", s->name,
                   s->defined ? "a constant" : "not defined");
        if (!s->defined && !note_local(link, s->name))
            suggest_symbol(link, object_span(o, s->place, link->d), s->name);
    }
}

/* Declared but not used by any jump: nothing is missing. */
static void drop_undefined(struct link *link) {
    struct object *o = link->out;
    uint32_t *moved = ARENA_ARRAY(&link->arena, o->symbols.len, uint32_t);
    uint32_t kept = 0;
    for (size_t i = 0; i < o->symbols.len; i++) {
        moved[i] = kept;
        if (o->symbols.data[i].defined)
            o->symbols.data[kept++] = o->symbols.data[i];
    }
    o->symbols.len = kept;
    for (size_t i = 0; i < o->entries.len; i++)
        if (o->entries.data[i].symbol != NO_INDEX)
            o->entries.data[i].symbol = moved[o->entries.data[i].symbol];
    for (size_t i = 0; i < object_otherwise_count(o); i++) {
        uint32_t *symbol = object_otherwise(o, i);
        if (*symbol != NO_INDEX)
            *symbol = moved[*symbol];
    }
}

static void check_entry_symbols(struct link *link) {
    const struct object *o = link->out;
    for (size_t i = 0; i < o->entries.len; i++) {
        if (o->entries.data[i].symbol == NO_INDEX)
            continue;
        const struct symbol *s = &o->symbols.data[o->entries.data[i].symbol];
        if (!s->defined)
            diag_error(link->d, object_span(o, s->place, link->d),
                       "'%s', where MPU %u starts, is not defined", s->name,
                       (unsigned)o->entries.data[i].first_mpu);
        else if (s->kind == SYMBOL_ABS)
            diag_error(link->d, object_span(o, s->place, link->d),
                       "'%s', where MPU %u starts, is a constant", s->name,
                       (unsigned)o->entries.data[i].first_mpu);
    }
}

void link_resolve(struct link *link) {
    uint32_t before = diag_errors(link->d);
    check_entry_symbols(link);
    check_call_symbols(link);
    resolve_relocs(link);
    link_resolve_luts(link);
    if (diag_errors(link->d) != before)
        return;
    drop_undefined(link);
    link->out->linked = true;
}
