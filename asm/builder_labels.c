/* SPDX-License-Identifier: MIT
 * Labels, symbols, and the end of a build. */
#include "asm/builder_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t add_label(struct builder *builder, const char *name) {
    struct label l = {.name = name ? arena_strdup(&builder->o->arena, name) : NULL,
                      .place = builder->place,
                      .at = builder->at};
    vec_push(&builder->labels, l);
    return (uint32_t)builder->labels.len - 1;
}

uint32_t builder_label(struct builder *builder, const char *name) {
    if (!name)
        return add_label(builder, NULL);
    const uint64_t *known = map_get(&builder->names, name);
    if (known)
        return (uint32_t)*known;
    uint32_t label = add_label(builder, name);
    map_put(&builder->names, name, label);
    return label;
}

uint32_t builder_label_at(struct builder *builder, uint32_t index) {
    uint32_t label = add_label(builder, NULL);
    builder->labels.data[label].bound = builder->labels.data[label].used = true;
    builder->labels.data[label].value = index;
    return label;
}

void builder_use(struct builder *builder, uint32_t label) {
    builder->labels.data[label].used = true;
}

bool builder_find(const struct builder *builder, const char *name, uint32_t *label) {
    const uint64_t *known = map_get(&builder->names, name);
    if (known)
        *label = (uint32_t)*known;
    return known != NULL;
}

bool builder_bound(const struct builder *builder, uint32_t label, uint32_t *index) {
    const struct label *l = &builder->labels.data[label];
    *index = (uint32_t)l->value;
    return l->bound;
}

static void define(struct builder *builder, uint32_t label, enum symbol_kind kind, int64_t value) {
    struct label *l = &builder->labels.data[label];
    if (l->bound) {
        diag_error(builder->d, builder_here(builder), "label '%s' is defined twice",
                   l->name ? l->name : "");
        diag_note(builder->d, l->at, "it was first defined here");
        return;
    }
    l->bound = true;
    l->kind = kind;
    l->value = value;
    l->place = builder->place;
    l->at = builder->at;
}

void builder_bind(struct builder *builder, uint32_t label) {
    define(builder, label, SYMBOL_LABEL, (int64_t)builder->o->text.len);
}

void builder_end_sub(struct builder *builder) {
    if (builder->open_sub == NO_INDEX)
        return;
    struct label *l = &builder->labels.data[builder->open_sub];
    l->length = (uint32_t)(builder->o->text.len - (size_t)l->value);
    builder->open_sub = NO_INDEX;
}

void builder_symbol(struct builder *builder, const char *name, enum symbol_kind kind, bool global) {
    uint32_t label = builder_label(builder, name);
    bool again = builder->labels.data[label].bound;
    define(builder, label, kind, (int64_t)builder->o->text.len);
    builder->labels.data[label].global |= global;
    if (kind != SYMBOL_SUB || again)
        return;
    builder_end_sub(builder);
    builder->open_sub = label;
}

void builder_global(struct builder *builder, const char *name) {
    uint32_t label = builder_label(builder, name); /* may move the labels */
    builder->labels.data[label].global = true;
}

void builder_absolute(struct builder *builder, const char *name, int64_t value, bool global) {
    uint32_t label = builder_label(builder, name);
    define(builder, label, SYMBOL_ABS, value);
    builder->labels.data[label].global |= global;
}

void builder_entry(struct builder *builder, uint32_t first_mpu, uint32_t count, uint32_t label) {
    struct label_entry e = {first_mpu, count, label};
    if (label != NO_INDEX)
        builder->labels.data[label].used = true;
    vec_push(&builder->entries, e);
}

uint32_t builder_jump_to(struct builder *builder, enum isa_op op, uint32_t label, int64_t addend) {
    struct insn i = {.op = op};
    builder->labels.data[label].used = true;
    if (addend != 0) {
        struct jump_place place = {builder->o->relocs.len, builder_here(builder)};
        vec_push(&builder->jumps, place);
    }
    builder_reloc(builder, RELOC_J24, 0, label, addend);
    return builder_word(builder, &i);
}

uint32_t builder_jump(struct builder *builder, enum isa_op op, uint32_t label) {
    return builder_jump_to(builder, op, label, 0);
}

/* The end: labels to symbols. */

struct finish {
    struct builder *b;
    uint32_t *symbol; /* [labels]: symbol index, or NO_INDEX */
    uint32_t *at;     /* [text + 1]: symbol of the anonymous labels bound there, or NO_INDEX */
};

static void suggest_label(const struct builder *builder, const struct label *wanted) {
    const char **names = xcalloc(MAX_CANDIDATES, sizeof *names);
    size_t count = 0;
    for (size_t i = 0; i < builder->labels.len && count < MAX_CANDIDATES; i++)
        if (builder->labels.data[i].bound && builder->labels.data[i].name)
            names[count++] = builder->labels.data[i].name;
    diag_suggest(builder->d, wanted->at, wanted->name, names, count);
    free(names);
}

static void check_label(struct builder *builder, const struct label *label) {
    if (label->bound || label->global || !label->used || diag_full(builder->d))
        return;
    if (!label->name) {
        diag_error(builder->d, label->at, "a label is jumped to but never bound");
        return;
    }
    diag_error(builder->d, label->at, "label '%s' is not defined", label->name);
    suggest_label(builder, label);
}

/* "$L12", or with as many _ behind it as it takes to be unlike a named label. */
static const char *index_name(struct builder *builder, int64_t index) {
    struct str name = {0};
    str_printf(&name, "$L%lld", (long long)index);
    const uint64_t *known = map_get(&builder->names, name.text);
    while (known && builder->labels.data[*known].value != index) {
        str_char(&name, '_');
        known = map_get(&builder->names, name.text);
    }
    const char *kept = arena_strdup(&builder->o->arena, name.text);
    str_free(&name);
    return kept;
}

static uint32_t add_symbol(struct builder *builder, const struct label *label, const char *name) {
    struct symbol s = {.name = name,
                       .kind = label->kind,
                       .global = label->global,
                       .defined = label->bound,
                       .value = label->value,
                       .length = label->length,
                       .place = label->name ? label->place : (struct place){NO_INDEX, 0, 0}};
    vec_push(&builder->o->symbols, s);
    return (uint32_t)builder->o->symbols.len - 1;
}

static void add_named(struct finish *finish, size_t index) {
    struct builder *b = finish->b;
    const struct label *l = &b->labels.data[index];
    if (l->name && (l->bound || l->used))
        finish->symbol[index] = add_symbol(b, l, l->name);
}

/* Anonymous labels at one index share a symbol, with a named "$L..." there as well. */
static void add_anonymous(struct finish *finish, size_t index) {
    struct builder *b = finish->b;
    const struct label *l = &b->labels.data[index];
    if (l->name || !l->bound || !l->used)
        return;
    if ((uint64_t)l->value > b->o->text.len) {
        diag_error(b->d, l->at, "the jump goes to instruction %lld, but there are only %zu",
                   (long long)l->value, b->o->text.len);
        return;
    }
    uint32_t *at = &finish->at[l->value];
    if (*at == NO_INDEX) {
        const char *name = index_name(b, l->value);
        const uint64_t *named = map_get(&b->names, name);
        *at = named ? finish->symbol[*named] : add_symbol(b, l, name);
    }
    finish->symbol[index] = *at;
}

static int compare_u64(uint64_t left, uint64_t right) {
    return (left > right) - (left < right);
}

/* Defined ones first, by value and name: an order that does not depend on the order of uses. */
static int compare_symbols(const void *left, const void *right) {
    const struct symbol *a = left, *b = right;
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

static int compare_ranked(const void *left, const void *right) {
    return compare_symbols(&((const struct ranked_label *)left)->symbol,
                           &((const struct ranked_label *)right)->symbol);
}

static void sort_symbols(struct finish *finish) {
    struct object *o = finish->b->o;
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
    for (size_t i = 0; i < finish->b->labels.len; i++)
        if (finish->symbol[i] != NO_INDEX)
            finish->symbol[i] = now[finish->symbol[i]];
    free(list);
    free(now);
}

static struct span jump_span(const struct builder *builder, const struct reloc *reloc) {
    for (size_t i = 0; i < builder->jumps.len; i++)
        if (&builder->o->relocs.data[builder->jumps.data[i].reloc] == reloc)
            return builder->jumps.data[i].at;
    return object_span(builder->o, object_place(builder->o, reloc->index), builder->d);
}

/* The word of a jump carries its target within this object until a linker replaces it. */
static void patch_jump(struct builder *builder, const struct reloc *reloc) {
    const struct symbol *s = &builder->o->symbols.data[reloc->target];
    int64_t to = s->value + reloc->addend;
    if (!s->defined)
        return;
    if (s->kind == SYMBOL_ABS || to < 0 || (uint64_t)to > builder->o->text.len) {
        diag_error(builder->d, jump_span(builder, reloc), "the jump to '%s' leads out of the text",
                   s->name);
        return;
    }
    struct insn i;
    if (isa_decode(builder->o->text.data[reloc->index], &i) == ISA_OK) {
        i.imm = (int32_t)to;
        isa_encode(&i, &builder->o->text.data[reloc->index]);
    }
}

static void resolve_jumps(struct finish *finish) {
    struct object *o = finish->b->o;
    for (size_t i = 0; i < o->relocs.len && !diag_full(finish->b->d); i++) {
        struct reloc *r = &o->relocs.data[i];
        if (r->type != RELOC_J24)
            continue;
        r->target = finish->symbol[r->target];
        patch_jump(finish->b, r);
    }
}

static void resolve_entries(struct finish *finish) {
    struct builder *b = finish->b;
    for (size_t i = 0; i < b->entries.len; i++) {
        const struct label_entry *l = &b->entries.data[i];
        struct entry e = {l->first_mpu, l->count,
                          l->label == NO_INDEX ? NO_INDEX : finish->symbol[l->label]};
        vec_push(&b->o->entries, e);
    }
}

/* What stands behind an 'else'. */
static void resolve_otherwise(struct finish *finish, uint32_t *otherwise) {
    struct object *o = finish->b->o;
    if (*otherwise == NO_INDEX)
        return;
    *otherwise = finish->symbol[*otherwise];
    const struct symbol *s = &o->symbols.data[*otherwise];
    if (s->kind == SYMBOL_ABS)
        diag_error(finish->b->d, object_span(o, s->place, finish->b->d),
                   "'%s' stands behind 'else' but is a constant", s->name);
}

static void resolve_calls(struct finish *finish) {
    struct object *o = finish->b->o;
    for (size_t i = 0; i < o->calls.len; i++)
        resolve_otherwise(finish, &o->calls.data[i].otherwise);
    for (size_t i = 0; i < o->kernels.len; i++)
        resolve_otherwise(finish, &o->kernels.data[i].otherwise);
}

static bool clean(const struct builder *builder) {
    return diag_errors(builder->d) == builder->errors_before;
}

static void make_symbols(struct finish *finish) {
    struct builder *b = finish->b;
    for (size_t i = 0; i < b->labels.len; i++)
        finish->symbol[i] = NO_INDEX;
    for (size_t i = 0; i <= b->o->text.len; i++)
        finish->at[i] = NO_INDEX;
    for (size_t i = 0; i < b->labels.len; i++)
        check_label(b, &b->labels.data[i]);
    for (size_t i = 0; i < b->labels.len; i++)
        add_named(finish, i);
    for (size_t i = 0; i < b->labels.len && !diag_full(b->d); i++)
        add_anonymous(finish, i);
    sort_symbols(finish);
}

static void finish(struct builder *builder) {
    struct finish f = {.b = builder,
                       .symbol = xcalloc(builder->labels.len + 1, sizeof *f.symbol),
                       .at = xcalloc(builder->o->text.len + 1, sizeof *f.at)};
    make_symbols(&f);
    if (clean(builder)) {
        resolve_jumps(&f);
        resolve_entries(&f);
        resolve_calls(&f);
    }
    if (clean(builder))
        object_check(builder->o, builder->d, NO_SPAN);
    free(f.symbol);
    free(f.at);
}

/* All but the object. */
static void release(struct builder *builder) {
    map_free(&builder->names);
    vec_free(&builder->labels);
    vec_free(&builder->entries);
    vec_free(&builder->jumps);
    free(builder);
}

struct object *builder_finish(struct builder *builder) {
    struct object *o = builder->o;
    builder_end_sub(builder);
    finish(builder);
    if (!clean(builder)) {
        object_free(o);
        o = NULL;
    }
    release(builder);
    return o;
}

void builder_give_up(struct builder *builder) {
    object_free(builder->o);
    release(builder);
}
