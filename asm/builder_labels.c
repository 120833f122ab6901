/* SPDX-License-Identifier: MIT
 * Labels, symbols, and the end of a build. */
#include "asm/builder_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t add_label(struct builder *b, const char *name) {
    struct label l = {
        .name = name ? arena_strdup(&b->o->arena, name) : NULL, .place = b->place, .at = b->at};
    vec_push(&b->labels, l);
    return (uint32_t)b->labels.len - 1;
}

uint32_t builder_label(struct builder *b, const char *name) {
    if (!name)
        return add_label(b, NULL);
    const uint64_t *known = map_get(&b->names, name);
    if (known)
        return (uint32_t)*known;
    uint32_t label = add_label(b, name);
    map_put(&b->names, name, label);
    return label;
}

uint32_t builder_label_at(struct builder *b, uint32_t index) {
    uint32_t label = add_label(b, NULL);
    b->labels.data[label].bound = b->labels.data[label].used = true;
    b->labels.data[label].value = index;
    return label;
}

void builder_use(struct builder *b, uint32_t label) {
    b->labels.data[label].used = true;
}

bool builder_find(const struct builder *b, const char *name, uint32_t *label) {
    const uint64_t *known = map_get(&b->names, name);
    if (known)
        *label = (uint32_t)*known;
    return known != NULL;
}

bool builder_bound(const struct builder *b, uint32_t label, uint32_t *index) {
    const struct label *l = &b->labels.data[label];
    *index = (uint32_t)l->value;
    return l->bound;
}

static void define(struct builder *b, uint32_t label, enum symbol_kind kind, int64_t value) {
    struct label *l = &b->labels.data[label];
    if (l->bound) {
        diag_error(b->d, builder_here(b), "label '%s' is defined twice", l->name ? l->name : "");
        diag_note(b->d, l->at, "it was first defined here");
        return;
    }
    l->bound = true;
    l->kind = kind;
    l->value = value;
    l->place = b->place;
    l->at = b->at;
}

void builder_bind(struct builder *b, uint32_t label) {
    define(b, label, SYMBOL_LABEL, (int64_t)b->o->text.len);
}

void builder_end_sub(struct builder *b) {
    if (b->open_sub == NO_INDEX)
        return;
    struct label *l = &b->labels.data[b->open_sub];
    l->length = (uint32_t)(b->o->text.len - (size_t)l->value);
    b->open_sub = NO_INDEX;
}

void builder_symbol(struct builder *b, const char *name, enum symbol_kind kind, bool global) {
    uint32_t label = builder_label(b, name);
    bool again = b->labels.data[label].bound;
    define(b, label, kind, (int64_t)b->o->text.len);
    b->labels.data[label].global |= global;
    if (kind != SYMBOL_SUB || again)
        return;
    builder_end_sub(b);
    b->open_sub = label;
}

void builder_global(struct builder *b, const char *name) {
    uint32_t label = builder_label(b, name); /* may move the labels */
    b->labels.data[label].global = true;
}

void builder_absolute(struct builder *b, const char *name, int64_t value, bool global) {
    uint32_t label = builder_label(b, name);
    define(b, label, SYMBOL_ABS, value);
    b->labels.data[label].global |= global;
}

void builder_entry(struct builder *b, uint32_t first_mpu, uint32_t count, uint32_t label) {
    struct label_entry e = {first_mpu, count, label};
    if (label != NO_INDEX)
        b->labels.data[label].used = true;
    vec_push(&b->entries, e);
}

uint32_t builder_jump_to(struct builder *b, enum mpu_op op, uint32_t label, int64_t addend) {
    struct insn i = {.op = op};
    b->labels.data[label].used = true;
    if (addend != 0) {
        struct jump_place place = {b->o->relocs.len, builder_here(b)};
        vec_push(&b->jumps, place);
    }
    builder_reloc(b, RELOC_J24, 0, label, addend);
    return builder_word(b, &i);
}

uint32_t builder_jump(struct builder *b, enum mpu_op op, uint32_t label) {
    return builder_jump_to(b, op, label, 0);
}

/* The end: labels to symbols. */

struct finish {
    struct builder *b;
    uint32_t *symbol; /* [labels]: symbol index, or NO_INDEX */
    uint32_t *at;     /* [text + 1]: symbol of the anonymous labels bound there, or NO_INDEX */
};

static void suggest_label(const struct builder *b, const struct label *wanted) {
    const char **names = xcalloc(MAX_CANDIDATES, sizeof *names);
    size_t count = 0;
    for (size_t i = 0; i < b->labels.len && count < MAX_CANDIDATES; i++)
        if (b->labels.data[i].bound && b->labels.data[i].name)
            names[count++] = b->labels.data[i].name;
    diag_suggest(b->d, wanted->at, wanted->name, names, count);
    free(names);
}

static void check_label(struct builder *b, const struct label *l) {
    if (l->bound || l->global || !l->used || diag_full(b->d))
        return;
    if (!l->name) {
        diag_error(b->d, l->at, "a label is jumped to but never bound");
        return;
    }
    diag_error(b->d, l->at, "label '%s' is not defined", l->name);
    suggest_label(b, l);
}

/* "$L12", or with as many _ behind it as it takes to be unlike a named label. */
static const char *index_name(struct builder *b, int64_t index) {
    struct str name = {0};
    str_printf(&name, "$L%lld", (long long)index);
    const uint64_t *known = map_get(&b->names, name.text);
    while (known && b->labels.data[*known].value != index) {
        str_char(&name, '_');
        known = map_get(&b->names, name.text);
    }
    const char *kept = arena_strdup(&b->o->arena, name.text);
    str_free(&name);
    return kept;
}

static uint32_t add_symbol(struct builder *b, const struct label *l, const char *name) {
    struct symbol s = {.name = name,
                       .kind = l->kind,
                       .global = l->global,
                       .defined = l->bound,
                       .value = l->value,
                       .length = l->length,
                       .place = l->name ? l->place : (struct place){NO_INDEX, 0, 0}};
    vec_push(&b->o->symbols, s);
    return (uint32_t)b->o->symbols.len - 1;
}

static void add_named(struct finish *f, size_t i) {
    struct builder *b = f->b;
    const struct label *l = &b->labels.data[i];
    if (l->name && (l->bound || l->used))
        f->symbol[i] = add_symbol(b, l, l->name);
}

/* Anonymous labels at one index share a symbol, with a named "$L..." there as well. */
static void add_anonymous(struct finish *f, size_t i) {
    struct builder *b = f->b;
    const struct label *l = &b->labels.data[i];
    if (l->name || !l->bound || !l->used)
        return;
    if ((uint64_t)l->value > b->o->text.len) {
        diag_error(b->d, l->at, "the jump goes to instruction %lld, but there are only %zu",
                   (long long)l->value, b->o->text.len);
        return;
    }
    uint32_t *at = &f->at[l->value];
    if (*at == NO_INDEX) {
        const char *name = index_name(b, l->value);
        const uint64_t *named = map_get(&b->names, name);
        *at = named ? f->symbol[*named] : add_symbol(b, l, name);
    }
    f->symbol[i] = *at;
}

static int compare_u64(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

/* Defined ones first, by value and name: an order that does not depend on the order of uses. */
static int compare_symbols(const void *x, const void *y) {
    const struct symbol *a = x, *b = y;
    int order = (int)b->defined - (int)a->defined;
    if (!order)
        order = compare_u64((uint64_t)a->value, (uint64_t)b->value);
    if (!order)
        order = strcmp(a->name, b->name);
    return order;
}

struct ranked_label {
    struct symbol symbol;
    uint32_t was;
};

static int compare_ranked(const void *x, const void *y) {
    return compare_symbols(&((const struct ranked_label *)x)->symbol,
                           &((const struct ranked_label *)y)->symbol);
}

static void sort_symbols(struct finish *f) {
    struct object *o = f->b->o;
    size_t n = o->symbols.len;
    struct ranked_label *list = xcalloc(n + 1, sizeof *list);
    uint32_t *now = xcalloc(n + 1, sizeof *now);
    for (size_t i = 0; i < n; i++)
        list[i] = (struct ranked_label){o->symbols.data[i], (uint32_t)i};
    qsort(list, n, sizeof *list, compare_ranked);
    for (size_t i = 0; i < n; i++) {
        o->symbols.data[i] = list[i].symbol;
        now[list[i].was] = (uint32_t)i;
    }
    for (size_t i = 0; i < f->b->labels.len; i++)
        if (f->symbol[i] != NO_INDEX)
            f->symbol[i] = now[f->symbol[i]];
    free(list);
    free(now);
}

static struct span jump_span(const struct builder *b, const struct reloc *r) {
    for (size_t i = 0; i < b->jumps.len; i++)
        if (&b->o->relocs.data[b->jumps.data[i].reloc] == r)
            return b->jumps.data[i].at;
    return object_span(b->o, object_place(b->o, r->index), b->d);
}

/* The word of a jump carries its target within this object until a linker replaces it. */
static void patch_jump(struct builder *b, const struct reloc *r) {
    const struct symbol *s = &b->o->symbols.data[r->target];
    int64_t to = s->value + r->addend;
    if (!s->defined)
        return;
    if (s->kind == SYMBOL_ABS || to < 0 || (uint64_t)to > b->o->text.len) {
        diag_error(b->d, jump_span(b, r), "the jump to '%s' leads out of the text", s->name);
        return;
    }
    struct insn i;
    if (isa_decode(b->o->text.data[r->index], &i) == ISA_OK) {
        i.imm = (int32_t)to;
        isa_encode(&i, &b->o->text.data[r->index]);
    }
}

static void resolve_jumps(struct finish *f) {
    struct object *o = f->b->o;
    for (size_t i = 0; i < o->relocs.len && !diag_full(f->b->d); i++) {
        struct reloc *r = &o->relocs.data[i];
        if (r->type != RELOC_J24)
            continue;
        r->target = f->symbol[r->target];
        patch_jump(f->b, r);
    }
}

static void resolve_entries(struct finish *f) {
    struct builder *b = f->b;
    for (size_t i = 0; i < b->entries.len; i++) {
        const struct label_entry *l = &b->entries.data[i];
        struct entry e = {l->first_mpu, l->count,
                          l->label == NO_INDEX ? NO_INDEX : f->symbol[l->label]};
        vec_push(&b->o->entries, e);
    }
}

static void resolve_calls(struct finish *f) {
    struct object *o = f->b->o;
    for (size_t i = 0; i < o->calls.len; i++) {
        struct recipe_call *c = &o->calls.data[i];
        if (c->otherwise == NO_INDEX)
            continue;
        c->otherwise = f->symbol[c->otherwise];
        const struct symbol *s = &o->symbols.data[c->otherwise];
        if (s->kind == SYMBOL_ABS)
            diag_error(f->b->d, object_span(o, s->place, f->b->d),
                       "'%s' stands behind 'else' but is a constant", s->name);
    }
}

static bool clean(const struct builder *b) {
    return diag_errors(b->d) == b->errors_before;
}

static void make_symbols(struct finish *f) {
    struct builder *b = f->b;
    for (size_t i = 0; i < b->labels.len; i++)
        f->symbol[i] = NO_INDEX;
    for (size_t i = 0; i <= b->o->text.len; i++)
        f->at[i] = NO_INDEX;
    for (size_t i = 0; i < b->labels.len; i++)
        check_label(b, &b->labels.data[i]);
    for (size_t i = 0; i < b->labels.len; i++)
        add_named(f, i);
    for (size_t i = 0; i < b->labels.len && !diag_full(b->d); i++)
        add_anonymous(f, i);
    sort_symbols(f);
}

static void finish(struct builder *b) {
    struct finish f = {.b = b,
                       .symbol = xcalloc(b->labels.len + 1, sizeof *f.symbol),
                       .at = xcalloc(b->o->text.len + 1, sizeof *f.at)};
    make_symbols(&f);
    if (clean(b)) {
        resolve_jumps(&f);
        resolve_entries(&f);
        resolve_calls(&f);
    }
    if (clean(b))
        object_check(b->o, b->d, NO_SPAN);
    free(f.symbol);
    free(f.at);
}

struct object *builder_finish(struct builder *b) {
    struct object *o = b->o;
    builder_end_sub(b);
    finish(b);
    if (!clean(b)) {
        object_free(o);
        o = NULL;
    }
    map_free(&b->names);
    vec_free(&b->labels);
    vec_free(&b->entries);
    vec_free(&b->jumps);
    free(b);
    return o;
}
