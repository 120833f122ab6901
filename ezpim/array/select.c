/* SPDX-License-Identifier: MIT
 * Constants chosen by an index: a tree of selections.  A node has 2^k entries below it: those whose
 * numbers have the bits k and above that led to the node. */
#include "ezpim/array/select.h"
#include "ezpim/ir_narrow.h"
#include "support/bits.h"

/* No table has as many entries as 2^32. */
enum { MOST_LEVELS = 32 };

struct tree {
    const struct array_table *table;
    struct array_index x;
    unsigned levels;      /* bits of the index that choose */
    uint64_t last;        /* the largest pattern of so many bits */
    struct mpu_type type; /* the narrowest of which all entries are values */
    /* While it is made. */
    struct ir_builder *b;
    uint32_t index;
    struct span at;
    uint32_t bits[MOST_LEVELS]; /* virtual registers of the index's bits, or IR_NONE: not yet */
};

static unsigned levels_of(uint32_t count) {
    return count > 1 ? 32 - (unsigned)__builtin_clz(count - 1) : 0;
}

static uint64_t least(uint64_t left, uint64_t right) {
    return left < right ? left : right;
}

/* Selections cost by the bit. */
static struct mpu_type narrowest(const struct array_table *table) {
    struct mpu_type type = {table->type.kind, table->type.kind == TYPE_INT ? 2 : 1};
    for (uint32_t i = 0; i < table->count && type.bits < table->type.bits; i++) {
        unsigned bits = ir_constant_bits(table->entries[i], table->type);
        type.bits = (uint8_t)(bits > type.bits ? bits : type.bits);
    }
    return type;
}

/* A signed index of fewer bits than choose is extended by entry_of instead. */
static struct tree make_tree(const struct array_table *table, struct array_index index) {
    unsigned levels = levels_of(table->count);
    struct tree tree = {.table = table, .x = index, .type = narrowest(table), .index = IR_NONE};
    tree.levels = levels < index.type.bits ? levels : index.type.bits;
    tree.last = least(index.last, low_bits(tree.levels ? tree.levels : 1));
    for (unsigned k = 0; k < MOST_LEVELS; k++)
        tree.bits[k] = IR_NONE;
    return tree;
}

/* Of the pattern p of the index. */
static uint64_t entry_of(const struct tree *tree, uint64_t p) {
    if (tree->x.type.kind == TYPE_INT && tree->levels == tree->x.type.bits)
        p = (uint64_t)sign_extend(p, tree->levels) & low_bits(levels_of(tree->table->count));
    return p < tree->table->count ? tree->table->entries[p] & low_bits(tree->type.bits) : 0;
}

/* True if the 2^`level` entries from `first` on and those behind them are the same, as far as the
 * index can name both. */
static bool halves_agree(const struct tree *tree, uint64_t first, unsigned level) {
    uint64_t half = (uint64_t)1 << level;
    for (uint64_t p = first; p < first + half && p + half <= tree->last; p++)
        if (entry_of(tree, p) != entry_of(tree, p + half))
            return false;
    return true;
}

/* Of the part with `levels` levels from entry `first` on. */
static uint32_t count_part(const struct tree *tree, uint64_t first, unsigned levels) {
    while (levels > 0 && halves_agree(tree, first, levels - 1))
        levels--;
    if (levels == 0)
        return 0;
    uint64_t half = (uint64_t)1 << (levels - 1);
    return 1 + count_part(tree, first, levels - 1) + count_part(tree, first + half, levels - 1);
}

uint32_t array_select_size(const struct array_table *table, struct array_index index) {
    struct tree tree = make_tree(table, index);
    return count_part(&tree, 0, tree.levels);
}

/* Bit `level` is made where it is needed first: that of the root is not kept meanwhile. */
static uint32_t index_bit(struct tree *tree, unsigned level) {
    static const struct mpu_type bit = {TYPE_BOOL, 1};
    struct mpu_type part = {TYPE_UINT, (uint8_t)(level + 1)};
    uint32_t v = tree->index;
    if (tree->bits[level] != IR_NONE)
        return tree->bits[level];
    if (level)
        v = ir_operation(tree->b, IR_SHR, part, IR_NONE, v, IR_NONE, IR_NONE, level, tree->at);
    tree->bits[level] =
        ir_operation(tree->b, IR_COPY, bit, IR_NONE, v, IR_NONE, IR_NONE, 0, tree->at);
    return tree->bits[level];
}

/* Parts are made one after the other, so that no more values are kept than there are levels; equal
 * parts apart from one another are found when values are numbered. */
static uint32_t make_part(struct tree *tree, uint64_t first, unsigned levels, uint32_t dst) {
    while (levels > 0 && halves_agree(tree, first, levels - 1))
        levels--;
    if (levels == 0)
        return ir_constant(tree->b, tree->type, entry_of(tree, first), dst, tree->at);
    uint64_t half = (uint64_t)1 << (levels - 1);
    uint32_t low = make_part(tree, first, levels - 1, IR_NONE);
    uint32_t high = make_part(tree, first + half, levels - 1, IR_NONE);
    uint32_t chosen = index_bit(tree, levels - 1);
    return ir_operation(tree->b, IR_SELECT, tree->type, dst, chosen, high, low, 0, tree->at);
}

uint32_t array_select(struct ir_builder *builder, const struct array_table *table,
                      struct array_index array_index, uint32_t index, uint32_t dst,
                      struct span at) {
    struct tree tree = make_tree(table, array_index);
    tree.b = builder;
    tree.index = index;
    tree.at = at;
    if (tree.type.bits == table->type.bits)
        return make_part(&tree, 0, tree.levels, dst);
    uint32_t narrow = make_part(&tree, 0, tree.levels, IR_NONE);
    return ir_convert(builder, narrow, tree.type, table->type, dst, at);
}
