/* SPDX-License-Identifier: MIT
 * One form for one program: what assembling a disassembly would give.  Symbols lie as the builder
 * sorts them (asm/builder.h): defined ones first, by value, then by name. */
#include "linker/join/link.h"

#include <stdlib.h>
#include <string.h>

struct ranked_symbol {
    struct symbol symbol;
    uint32_t was;
};

static int compare(const void *left, const void *right) {
    const struct symbol *a = &((const struct ranked_symbol *)left)->symbol;
    const struct symbol *b = &((const struct ranked_symbol *)right)->symbol;
    if (a->defined != b->defined)
        return a->defined ? -1 : 1;
    if (a->value != b->value)
        return (uint64_t)a->value < (uint64_t)b->value ? -1 : 1;
    return strcmp(a->name, b->name);
}

static void renumber(struct object *object, const uint32_t *now) {
    for (size_t i = 0; i < object->relocs.len; i++)
        if (object->relocs.data[i].type == RELOC_J24)
            object->relocs.data[i].target = now[object->relocs.data[i].target];
    for (size_t i = 0; i < object->entries.len; i++)
        if (object->entries.data[i].symbol != NO_INDEX)
            object->entries.data[i].symbol = now[object->entries.data[i].symbol];
    for (size_t i = 0; i < object_otherwise_count(object); i++) {
        uint32_t *symbol = object_otherwise(object, i);
        if (*symbol != NO_INDEX)
            *symbol = now[*symbol];
    }
}

static void sort_symbols(struct link *link) {
    struct object *o = link->out;
    size_t n = o->symbols.len;
    struct ranked_symbol *list = ARENA_ARRAY(&link->arena, n, struct ranked_symbol);
    uint32_t *now = ARENA_ARRAY(&link->arena, n, uint32_t);
    for (size_t i = 0; i < n; i++)
        list[i] = (struct ranked_symbol){o->symbols.data[i], (uint32_t)i};
    if (n)
        qsort(list, n, sizeof *list, compare);
    for (size_t i = 0; i < n; i++) {
        o->symbols.data[i] = list[i].symbol;
        now[list[i].was] = (uint32_t)i;
    }
    renumber(o, now);
}

static int by_variable(const void *left, const void *right) {
    const struct data_record *a = left, *b = right;
    return (a->variable > b->variable) - (a->variable < b->variable);
}

/* The sets that the text uses, which may be fewer than the inputs' after --gc-sections. */
static void count_sets(struct object *object) {
    struct insn i;
    object->sets = 0;
    for (size_t k = 0; k < object->text.len; k++)
        if (isa_decode(object->text.data[k], &i) == ISA_OK)
            object->sets |= UINT32_C(1) << isa_info(i.op)->set;
}

void link_order_calls(struct link *link) {
    struct object *o = link->out;
    struct recipe_call *old = ARENA_ARRAY(&link->arena, o->calls.len, struct recipe_call);
    struct insn i;
    size_t next = 0;
    if (o->calls.len)
        memcpy(old, o->calls.data, o->calls.len * sizeof *old);
    o->calls.len = 0;
    for (uint32_t k = 0; k < o->text.len; k++) {
        while (next < o->relocs.len && o->relocs.data[next].index < k)
            next++;
        if (!isa_may_be(o->text.data[k], OP_RECIPE) || isa_decode(o->text.data[k], &i) != ISA_OK)
            continue;
        bool named = next < o->relocs.len && o->relocs.data[next].index == k;
        struct recipe_call c = old[named ? o->relocs.data[next].target : (uint32_t)i.imm];
        i.imm = (int32_t)o->calls.len;
        if (named)
            o->relocs.data[next].target = (uint32_t)i.imm;
        isa_encode(&i, &o->text.data[k]);
        vec_push(&o->calls, c);
    }
}

/* Marks the moves that GMOVEs name, in their relocation or their word; with `now`, gives each
 * its new number too. */
static void each_gmove(struct object *object, bool *used, const uint32_t *now) {
    struct insn i;
    size_t next = 0;
    for (uint32_t k = 0; k < object->text.len; k++) {
        while (next < object->relocs.len && object->relocs.data[next].index < k)
            next++;
        if (!isa_may_be(object->text.data[k], OP_GMOVE) ||
            isa_decode(object->text.data[k], &i) != ISA_OK)
            continue;
        bool named = next < object->relocs.len && object->relocs.data[next].index == k;
        uint32_t move = named ? object->relocs.data[next].target : (uint32_t)i.imm;
        used[move] = true;
        if (!now)
            continue;
        i.imm = (int32_t)now[move];
        if (named)
            object->relocs.data[next].target = now[move];
        isa_encode(&i, &object->text.data[k]);
    }
}

void link_drop_moves(struct link *link) {
    struct object *o = link->out;
    bool *used = ARENA_ARRAY(&link->arena, o->moves.len, bool);
    uint32_t *now = ARENA_ARRAY(&link->arena, o->moves.len, uint32_t);
    uint32_t kept = 0;
    each_gmove(o, used, NULL);
    for (size_t m = 0; m < o->moves.len; m++) {
        struct move x = o->moves.data[m];
        now[m] = kept;
        if (!used[m])
            continue;
        if (strncmp(x.name, "$M", 2) == 0) /* it has its number for a name */
            x.name = arena_name(&o->arena, "$M", kept);
        o->moves.data[kept++] = x;
    }
    o->moves.len = kept;
    each_gmove(o, used, now);
}

void link_finish_tables(struct link *link) {
    sort_symbols(link);
    link_sort_finishes(link->out);
    count_sets(link->out);
    if (link->out->data.len)
        qsort(link->out->data.data, link->out->data.len, sizeof *link->out->data.data, by_variable);
}
