/* SPDX-License-Identifier: MIT
 * Entries of tables: what the index can name of a table becomes the table of a LUT. */
#include "ezpim/array/entries.h"
#include "ezpim/ir/narrow.h"
#include "support/bits.h"

/* A table as an index sees it. */
struct seen_table {
    const struct array_table *table;
    struct array_index x;
    unsigned levels;       /* bits of the index that choose */
    uint64_t last;         /* the largest pattern of so many bits */
    struct lane_type type; /* the narrowest of which all entries are values */
};

static unsigned levels_of(uint32_t count) {
    return count > 1 ? 32 - (unsigned)__builtin_clz(count - 1) : 0;
}

static uint64_t least(uint64_t left, uint64_t right) {
    return left < right ? left : right;
}

/* LUTs cost by the bit. */
static struct lane_type narrowest(const struct array_table *table) {
    struct lane_type type = {table->type.kind, table->type.kind == TYPE_INT ? 2 : 1};
    if (!table->entries)
        return table->type;
    for (uint32_t i = 0; i < table->count && type.bits < table->type.bits; i++) {
        unsigned bits = ir_constant_bits(table->entries[i], table->type);
        type.bits = (uint8_t)(bits > type.bits ? bits : type.bits);
    }
    return type;
}

/* The number of the entry that pattern p of the index names: a signed index of fewer bits than
 * choose is extended by its sign. */
static uint64_t number_of(const struct seen_table *seen, uint64_t p) {
    if (seen->x.type.kind == TYPE_INT && seen->levels == seen->x.type.bits)
        p = (uint64_t)sign_extend(p, seen->levels) & low_bits(levels_of(seen->table->count));
    return p;
}

/* An entry as a value of the narrowest type, its sign extended to 64 bits. */
static uint64_t entry_of(const struct seen_table *seen, uint64_t p) {
    uint64_t number = number_of(seen, p);
    if (number >= seen->table->count)
        return 0;
    uint64_t entry = seen->table->entries[number] & low_bits(seen->type.bits);
    return seen->type.kind == TYPE_INT ? (uint64_t)sign_extend(entry, seen->type.bits) : entry;
}

/* True if the entries whose numbers differ in the top bit are the same, as far as the index can
 * name both. */
static bool halves_agree(const struct seen_table *seen, unsigned level) {
    uint64_t half = (uint64_t)1 << level;
    for (uint64_t p = 0; p < half && p + half <= seen->last; p++)
        if (entry_of(seen, p) != entry_of(seen, p + half))
            return false;
    return true;
}

static struct seen_table see(const struct array_table *table, struct array_index index) {
    unsigned levels = levels_of(table->count);
    struct seen_table seen = {.table = table, .x = index, .type = narrowest(table)};
    seen.levels = levels < index.type.bits ? levels : index.type.bits;
    seen.last = least(index.last, low_bits(seen.levels ? seen.levels : 1));
    return seen;
}

/* Without the bits at the top that do not matter; entries that are not known yet all matter. */
static unsigned choosing_bits(const struct seen_table *seen) {
    unsigned bits = seen->levels;
    while (seen->table->entries && bits > 0 && halves_agree(seen, bits - 1))
        bits--;
    return bits;
}

unsigned array_entry_bits(const struct array_table *table, struct array_index index) {
    const struct seen_table seen = see(table, index);
    return choosing_bits(&seen);
}

/* What the index cannot name is as what stands half of the table before, which costs least. */
static uint64_t *list_entries(const struct seen_table *seen, unsigned k, unsigned width,
                              struct arena *arena) {
    uint64_t *list = ARENA_ARRAY(arena, (size_t)1 << k, uint64_t);
    for (uint64_t p = 0; p < (uint64_t)1 << k; p++) {
        unsigned top = p ? 63 - (unsigned)__builtin_clzll(p) : 0;
        list[p] =
            p <= seen->last ? entry_of(seen, p) & low_bits(width) : list[p & ~((uint64_t)1 << top)];
    }
    return list;
}

/* Of a link-time value: runs of patterns that name one element after the other. */
static const struct lut_fill *list_fills(const struct seen_table *seen, unsigned k,
                                         struct arena *arena, uint32_t *count) {
    struct lut_fill *list = ARENA_ARRAY(arena, 2, struct lut_fill);
    *count = 0;
    for (uint64_t p = 0; p < (uint64_t)1 << k; p++) {
        uint64_t number = number_of(seen, p);
        if (number >= seen->table->count)
            continue;
        struct lut_fill *last = *count ? &list[*count - 1] : NULL;
        if (last && last->first + last->count == p &&
            (uint64_t)last->addend + last->count == number)
            last->count++;
        else
            list[(*count)++] = (struct lut_fill){.source = LUT_VALUE,
                                                 .first = (uint32_t)p,
                                                 .count = 1,
                                                 .target = seen->table->link,
                                                 .addend = (int64_t)number};
    }
    return list;
}

static uint32_t only_entry(struct ir_builder *builder, const struct seen_table *seen, uint32_t dst,
                           struct span at) {
    const struct array_table *t = seen->table;
    if (t->entries)
        return ir_constant(builder, t->type, entry_of(seen, 0) & low_bits(t->type.bits), dst, at);
    dst = ir_operation(builder, IR_VALUE, t->type, dst, IR_NONE, IR_NONE, IR_NONE, 0, at);
    vec_last(&builder->code->insns).size = t->link;
    return dst;
}

/* The LUT has at least as many bits as choose; those above a link-time value's are 0, those above
 * constants extend them. */
static uint32_t put_lookup(struct ir_builder *builder, const struct seen_table *seen, unsigned k,
                           struct lane_type type, uint32_t index, uint32_t dst, struct span at) {
    bool known = seen->table->entries;
    unsigned width = known ? type.bits : seen->type.bits;
    struct arena *arena = builder->p->arena;
    struct lut_decl t = {.table = {.index_bits = (uint8_t)k, .width = (uint8_t)width},
                         .element_bits = (uint8_t)width};
    if (known)
        t.table.entries = list_entries(seen, k, width, arena);
    else {
        t.table.entries = ARENA_ARRAY(arena, (size_t)1 << k, uint64_t);
        t.fills = list_fills(seen, k, arena, &t.fill_count);
    }
    return ir_lookup(builder, &t, type, index, dst, at);
}

uint32_t array_entry(struct ir_builder *builder, const struct array_table *table,
                     struct array_index array_index, uint32_t index, uint32_t dst, struct span at) {
    const struct seen_table seen = see(table, array_index);
    unsigned k = choosing_bits(&seen);
    struct lane_type type = seen.type;
    if (k == 0)
        return only_entry(builder, &seen, dst, at);
    if (type.bits < k) {
        type.kind = type.kind == TYPE_INT && table->entries ? TYPE_INT : TYPE_UINT;
        type.bits = (uint8_t)k;
    }
    if (ir_same_type(type, table->type))
        return put_lookup(builder, &seen, k, type, index, dst, at);
    uint32_t other = put_lookup(builder, &seen, k, type, index, IR_NONE, at);
    return ir_convert(builder, other, type, table->type, dst, at);
}
