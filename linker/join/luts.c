/* SPDX-License-Identifier: MIT
 * Tables of LUTs: joined, and made for the widths at which the text names them. */
#include "linker/join/link.h"
#include "support/bits.h"

#include <inttypes.h>
#include <string.h>

static size_t entry_count(const struct isa_lut *table) {
    return (size_t)1 << table->index_bits;
}

/* ---- joining the inputs' tables ---- */

static const struct lut_fill *fills_out(struct link *link, const struct link_input *in,
                                        const struct lut_decl *lut) {
    struct lut_fill *fills = ARENA_ARRAY(&link->out->arena, lut->fill_count, struct lut_fill);
    for (uint32_t i = 0; i < lut->fill_count; i++) {
        fills[i] = lut->fills[i];
        fills[i].target =
            fills[i].source == LUT_SIZE ? in->sizes[fills[i].target] : in->values[fills[i].target];
    }
    return fills;
}

static uint32_t find_same(const struct object *object, const struct lut_decl *lut) {
    uint32_t i = 0;
    while (i < object->luts.len && !object_lut_same(&object->luts.data[i], lut))
        i++;
    return i;
}

/* The name, or with as many _ behind it as it takes to be that of no other table; its own from now
 * on. */
static const char *free_name(struct link *link, const char *name) {
    struct str text = {0};
    str_append(&text, name);
    while (!map_put(&link->lut_names, text.text, 1))
        str_char(&text, '_');
    const char *kept = arena_strdup(&link->out->arena, text.text);
    str_free(&text);
    return kept;
}

/* Names of tables are those of their inputs: only what the tables hold makes them one. */
void link_merge_luts(struct link *link, struct link_input *in) {
    struct object *out = link->out;
    in->luts = ARENA_ARRAY(&link->arena, in->o->luts.len, uint32_t);
    for (size_t i = 0; i < in->o->luts.len; i++) {
        struct lut_decl t = in->o->luts.data[i];
        t.fills = fills_out(link, in, &t);
        in->luts[i] = find_same(out, &t);
        if (in->luts[i] < out->luts.len)
            continue;
        size_t n = entry_count(&t.table);
        uint64_t *entries = ARENA_ARRAY(&out->arena, n, uint64_t);
        memcpy(entries, t.table.entries, n * sizeof *entries);
        t.table.entries = entries;
        t.name = free_name(link, t.name);
        t.place = link_place_out(in, t.place);
        vec_push(&out->luts, t);
    }
}

/* ---- the tables of a linked program ---- */

/* The tables that are made, and which of them each (table, width) is: its number + 1. */
struct lut_maker {
    struct link *l;
    VEC(struct lut_decl) made;
    uint32_t *number; /* [tables * 65] */
    uint64_t entries;
    bool full;
};

/* The first elements, as many as an index of `index_bits` names. */
static const struct lut_fill *cut_fills(struct arena *arena, const struct lut_decl *lut,
                                        uint32_t entries, uint32_t *count) {
    struct lut_fill *fills = ARENA_ARRAY(arena, lut->fill_count, struct lut_fill);
    for (*count = 0; *count < lut->fill_count && lut->fills[*count].first < entries; ++*count) {
        struct lut_fill f = lut->fills[*count];
        f.count = f.count < entries - f.first ? f.count : entries - f.first;
        fills[*count] = f;
    }
    return fills;
}

/* As an instruction of that width has it. */
static struct lut_decl at_width(struct arena *arena, const struct lut_decl *lut, uint8_t width) {
    struct lut_decl t = *lut;
    if (width == lut->table.width && lut->table.index_bits <= width)
        return t;
    t.table.width = width;
    t.table.index_bits = lut->table.index_bits < width ? lut->table.index_bits : width;
    uint64_t *entries = ARENA_ARRAY(arena, entry_count(&t.table), uint64_t);
    for (size_t i = 0; i < entry_count(&t.table); i++)
        entries[i] = lut->table.entries[i] & low_bits(width);
    t.table.entries = entries;
    t.fills = cut_fills(arena, lut, (uint32_t)entry_count(&t.table), &t.fill_count);
    if (!t.fill_count)
        t.element_bits = width;
    return t;
}

/* "t.16", or the name itself if it is of that kind: a listed program keeps its names when it is
 * linked again. */
static const char *width_name(struct arena *arena, const char *name, unsigned width) {
    char suffix[8];
    size_t length = strlen(name), n = (size_t)snprintf(suffix, sizeof suffix, ".%u", width);
    while (length && name[length - 1] == '_')
        length--;
    if (length > n && memcmp(name + length - n, suffix, n) == 0)
        return name;
    return arena_printf(arena, "%s%s", name, suffix);
}

static void too_many(struct lut_maker *maker, uint32_t index) {
    diag_error(maker->l->d, link_span_of(maker->l, index),
               "the program has more than %d tables, or tables of more than 2^22 elements together",
               OBJECT_MAX_LUTS);
    diag_note(
        maker->l->d, NO_SPAN,
        "a table counts once for each width of the LUTs that name it; those that are equal are one");
    maker->full = true;
}

static uint32_t make(struct lut_maker *maker, const struct reloc *reloc) {
    struct arena *arena = &maker->l->out->arena;
    const struct lut_decl *from = &maker->l->out->luts.data[reloc->target];
    struct lut_decl t = at_width(arena, from, reloc->piece);
    for (uint32_t i = 0; i < maker->made.len; i++)
        if (object_lut_same(&maker->made.data[i], &t))
            return i;
    maker->entries += entry_count(&t.table);
    if (maker->made.len == OBJECT_MAX_LUTS || maker->entries > OBJECT_MAX_LUT_ENTRIES) {
        too_many(maker, reloc->index);
        return 0;
    }
    t.name = free_name(maker->l, t.table.entries == from->table.entries
                                     ? from->name
                                     : width_name(arena, from->name, reloc->piece));
    vec_push(&maker->made, t);
    return (uint32_t)maker->made.len - 1;
}

void link_resolve_luts(struct link *link) {
    struct object *o = link->out;
    struct lut_maker m = {.l = link,
                          .number = ARENA_ARRAY(&link->arena, o->luts.len * 65, uint32_t)};
    size_t kept = 0;
    map_free(&link->lut_names);
    for (size_t i = 0; i < o->relocs.len && !m.full; i++) {
        const struct reloc r = o->relocs.data[i];
        if (r.type != RELOC_LUT12) {
            o->relocs.data[kept++] = r;
            continue;
        }
        uint32_t *number = &m.number[(size_t)r.target * 65 + r.piece];
        if (!*number)
            *number = make(&m, &r) + 1;
        o->text.data[r.index] = (o->text.data[r.index] & ~UINT32_C(0xfff)) | (*number - 1);
    }
    if (!m.full)
        o->relocs.len = kept;
    vec_clear(&o->luts);
    for (size_t i = 0; i < m.made.len; i++)
        vec_push(&o->luts, m.made.data[i]);
    vec_free(&m.made);
}
