/* SPDX-License-Identifier: MIT
 * --gc-sections: drops the subroutines that no path from an entry reaches.
 *
 * The text falls into units: the ranges of subroutines (ranges that overlap are one unit) and the
 * stretches between them.  A unit refers to those that its jumps name and, unless its last
 * instruction ends the flow, to the next one. */
#include "linker/join/link.h"

#include <string.h>

struct text_unit {
    uint32_t first, end;
    bool subroutine, live;
};

struct collector {
    struct link *l;
    VEC(struct text_unit) units;
    uint32_t *reloc_of; /* [text]: index into relocs + 1, 0 = none */
    VEC(uint32_t) todo; /* live units whose references have not been followed */
};

static int by_first(const void *left, const void *right) {
    const struct text_unit *x = left, *y = right;
    return (x->first > y->first) - (x->first < y->first);
}

static bool is_range(const struct symbol *symbol) {
    return symbol->defined && symbol->kind == SYMBOL_SUB && symbol->length > 0;
}

static size_t collect_ranges(const struct object *object, struct text_unit *ranges) {
    size_t n = 0;
    for (size_t i = 0; i < object->symbols.len; i++) {
        const struct symbol *s = &object->symbols.data[i];
        if (is_range(s))
            ranges[n++] =
                (struct text_unit){(uint32_t)s->value, (uint32_t)s->value + s->length, true, false};
    }
    if (n)
        qsort(ranges, n, sizeof *ranges, by_first);
    return n;
}

static void add_unit(struct collector *collector, uint32_t first, uint32_t end, bool subroutine) {
    struct text_unit u = {first, end, subroutine, false};
    if (first < end)
        vec_push(&collector->units, u);
}

static void make_units(struct collector *collector) {
    const struct object *o = collector->l->out;
    struct text_unit *ranges = ARENA_ARRAY(&collector->l->arena, o->symbols.len, struct text_unit);
    size_t n = collect_ranges(o, ranges);
    uint32_t end = 0;
    for (size_t i = 0; i < n; i++) {
        if (i && ranges[i].first < end) {
            struct text_unit *last = &vec_last(&collector->units);
            last->end = end = ranges[i].end > end ? ranges[i].end : end;
            continue;
        }
        add_unit(collector, end, ranges[i].first, false);
        add_unit(collector, ranges[i].first, ranges[i].end, true);
        end = ranges[i].end;
    }
    add_unit(collector, end, (uint32_t)o->text.len, false);
}

static uint32_t unit_at(const struct collector *collector, uint32_t index) {
    size_t low = 0, high = collector->units.len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (collector->units.data[middle].end <= index)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}

static void mark(struct collector *collector, uint64_t index) {
    if (index >= collector->l->out->text.len)
        return;
    uint32_t u = unit_at(collector, (uint32_t)index);
    if (collector->units.data[u].live)
        return;
    collector->units.data[u].live = true;
    vec_push(&collector->todo, u);
}

static void mark_target(struct collector *collector, uint32_t index, const struct insn *insn) {
    const struct object *o = collector->l->out;
    if (!collector->reloc_of[index]) {
        mark(collector, (uint64_t)insn->imm);
        return;
    }
    const struct reloc *r = &o->relocs.data[collector->reloc_of[index] - 1];
    const struct symbol *s = &o->symbols.data[r->target];
    if (!s->defined || s->kind == SYMBOL_ABS)
        return;
    mark(collector, (uint64_t)s->value); /* the relocation goes on naming it */
    mark(collector, (uint64_t)(s->value + r->addend));
}

/* The subroutine behind `else`. */
static void mark_otherwise(struct collector *collector, uint32_t index, const struct insn *insn) {
    const struct object *o = collector->l->out;
    uint32_t r = collector->reloc_of[index];
    const struct recipe_call *call =
        &o->calls.data[r ? o->relocs.data[r - 1].target : (uint32_t)insn->imm];
    if (call->otherwise == NO_INDEX)
        return;
    const struct symbol *s = &o->symbols.data[call->otherwise];
    if (s->defined && s->kind != SYMBOL_ABS)
        mark(collector, (uint64_t)s->value);
}

static bool ends_flow(enum isa_op op) {
    return op == OP_RETURN || op == OP_HALT || op == OP_GOTO;
}

static void follow(struct collector *collector, uint32_t u) {
    const struct text_unit unit = collector->units.data[u];
    struct insn i = {.op = OP_NOP};
    for (uint32_t k = unit.first; k < unit.end; k++) {
        if (isa_decode(collector->l->out->text.data[k], &i) != ISA_OK)
            continue;
        if (isa_info(i.op)->format == FORMAT_J)
            mark_target(collector, k, &i);
        else if (i.op == OP_RECIPE)
            mark_otherwise(collector, k, &i);
    }
    if (!ends_flow(i.op))
        mark(collector, unit.end);
}

/* Everything that is no subroutine is kept; so is, in a relocatable output, every global. */
static void mark_roots(struct collector *collector) {
    const struct object *o = collector->l->out;
    if (o->entries.len == 0 || o->geometry.grid_dims) /* MPUs that no entry names */
        mark(collector, link_default_entry(o));
    for (size_t i = 0; i < collector->units.len; i++)
        if (!collector->units.data[i].subroutine)
            mark(collector, collector->units.data[i].first);
    for (size_t i = 0; i < o->entries.len; i++) {
        uint32_t symbol = o->entries.data[i].symbol;
        if (symbol == NO_INDEX)
            mark(collector, link_default_entry(o));
        else if (o->symbols.data[symbol].defined)
            mark(collector, (uint64_t)o->symbols.data[symbol].value);
    }
    for (size_t i = 0; i < o->kernels.len; i++) { /* and kernels are kept */
        const struct symbol *s = o->kernels.data[i].otherwise == NO_INDEX
                                     ? NULL
                                     : &o->symbols.data[o->kernels.data[i].otherwise];
        if (s && s->defined && s->kind != SYMBOL_ABS)
            mark(collector, (uint64_t)s->value);
    }
    for (size_t i = 0; collector->l->options->relocatable && i < o->symbols.len; i++)
        if (o->symbols.data[i].global && o->symbols.data[i].defined &&
            o->symbols.data[i].kind != SYMBOL_ABS)
            mark(collector, (uint64_t)o->symbols.data[i].value);
}

/* moved[i]: where instruction i goes; that of the next live one if it is dropped. */
static uint32_t *plan_moves(struct collector *collector) {
    const struct object *o = collector->l->out;
    uint32_t *moved = ARENA_ARRAY(&collector->l->arena, o->text.len + 1, uint32_t);
    uint32_t to = 0;
    for (size_t u = 0; u < collector->units.len; u++)
        for (uint32_t i = collector->units.data[u].first; i < collector->units.data[u].end; i++) {
            moved[i] = to;
            to += collector->units.data[u].live;
        }
    moved[o->text.len] = to;
    return moved;
}

static bool live_at(const struct collector *collector, uint32_t index) {
    return index >= collector->l->out->text.len ||
           collector->units.data[unit_at(collector, index)].live;
}

static uint32_t moved_word(const struct collector *collector, const uint32_t *moved,
                           uint32_t index) {
    uint32_t word = collector->l->out->text.data[index];
    struct insn i;
    if (collector->reloc_of[index] || isa_decode(word, &i) != ISA_OK ||
        isa_info(i.op)->format != FORMAT_J)
        return word;
    return (word & 0xff000000) | moved[i.imm];
}

static void drop_words(struct collector *collector, const uint32_t *moved) {
    struct object *o = collector->l->out;
    for (uint32_t i = 0; i < o->text.len; i++)
        if (live_at(collector, i))
            o->text.data[moved[i]] = moved_word(collector, moved, i);
}

/* The distance between a symbol and what is jumped to beside it may shrink. */
static int64_t moved_addend(const struct collector *collector, const uint32_t *moved,
                            const struct reloc *reloc) {
    const struct object *o = collector->l->out;
    if (reloc->type != RELOC_J24 || !o->symbols.data[reloc->target].defined ||
        o->symbols.data[reloc->target].kind == SYMBOL_ABS)
        return reloc->addend;
    int64_t value = o->symbols.data[reloc->target].value, to = value + reloc->addend;
    if (to < 0 || to > (int64_t)o->text.len)
        return reloc->addend;
    return (int64_t)moved[to] - (int64_t)moved[value];
}

static void drop_relocs(struct collector *collector, const uint32_t *moved) {
    struct object *o = collector->l->out;
    size_t kept = 0;
    for (size_t i = 0; i < o->relocs.len; i++) {
        struct reloc r = o->relocs.data[i];
        if (!live_at(collector, r.index))
            continue;
        r.addend = moved_addend(collector, moved, &r);
        r.index = moved[r.index];
        o->relocs.data[kept++] = r;
    }
    o->relocs.len = kept;
}

static bool same_place(struct place left, struct place right) {
    return left.file == right.file && left.line == right.line && left.column == right.column;
}

/* Runs of lines that end where live text goes on must end there. */
static void drop_lines(struct collector *collector, const uint32_t *moved) {
    struct object *o = collector->l->out;
    size_t kept = 0;
    for (size_t i = 0; i < o->lines.len; i++) {
        struct line_entry e = o->lines.data[i];
        e.index = moved[e.index];
        if (kept && o->lines.data[kept - 1].index == e.index)
            kept--;
        if (e.index < moved[o->text.len] &&
            (!kept || !same_place(o->lines.data[kept - 1].place, e.place)))
            o->lines.data[kept++] = e;
    }
    o->lines.len = kept;
}

static bool keeps_symbol(const struct collector *collector, const struct symbol *symbol) {
    return !symbol->defined || symbol->kind == SYMBOL_ABS ||
           live_at(collector, (uint32_t)symbol->value);
}

/* Relocations of live text name live symbols: a jump to a symbol keeps its unit. */
static void drop_symbols(struct collector *collector, const uint32_t *moved) {
    struct object *o = collector->l->out;
    uint32_t *renumbered = ARENA_ARRAY(&collector->l->arena, o->symbols.len, uint32_t);
    uint32_t kept = 0;
    for (size_t i = 0; i < o->symbols.len; i++) {
        struct symbol s = o->symbols.data[i];
        renumbered[i] = kept;
        if (!keeps_symbol(collector, &s))
            continue;
        if (s.defined && s.kind != SYMBOL_ABS) {
            uint32_t end = moved[(uint32_t)s.value + s.length];
            s.value = moved[s.value];
            s.length = s.length ? end - (uint32_t)s.value : 0;
        }
        o->symbols.data[kept++] = s;
    }
    o->symbols.len = kept;
    for (size_t i = 0; i < o->relocs.len; i++)
        if (o->relocs.data[i].type == RELOC_J24)
            o->relocs.data[i].target = renumbered[o->relocs.data[i].target];
    for (size_t i = 0; i < o->entries.len; i++)
        if (o->entries.data[i].symbol != NO_INDEX)
            o->entries.data[i].symbol = renumbered[o->entries.data[i].symbol];
    for (size_t i = 0; i < object_otherwise_count(o); i++) { /* dropped text's are dropped later */
        uint32_t *symbol = object_otherwise(o, i);
        if (*symbol != NO_INDEX)
            *symbol = renumbered[*symbol];
    }
}

/* live_at looks at the old text, whose length is therefore cut last. */
static void drop_dead(struct collector *collector) {
    const uint32_t *moved = plan_moves(collector);
    struct object *o = collector->l->out;
    drop_words(collector, moved);
    drop_relocs(collector, moved);
    drop_symbols(collector, moved);
    drop_lines(collector, moved);
    link_drop_finishes(o, moved);
    link_drop_numbers(o, moved);
    o->text.len = moved[o->text.len];
}

void link_collect_subroutines(struct link *link) {
    struct collector c = {.l = link};
    const struct object *o = link->out;
    c.reloc_of = ARENA_ARRAY(&link->arena, o->text.len, uint32_t);
    for (size_t i = 0; i < o->relocs.len; i++)
        if (o->relocs.data[i].type == RELOC_J24 || o->relocs.data[i].type == RELOC_CALL)
            c.reloc_of[o->relocs.data[i].index] = (uint32_t)i + 1;
    make_units(&c);
    mark_roots(&c);
    while (c.todo.len)
        follow(&c, c.todo.data[--c.todo.len]);
    drop_dead(&c);
    vec_free(&c.units);
    vec_free(&c.todo);
}
