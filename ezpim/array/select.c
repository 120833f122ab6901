/* SPDX-License-Identifier: MIT
 * Constants chosen by an index: a tree of selections.  Under a node stand 2^k entries, and bits
 * k and above of the index led there. */
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

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* Selections cost by the bit. */
static struct mpu_type narrowest(const struct array_table *t) {
    struct mpu_type type = {t->type.kind, t->type.kind == TYPE_INT ? 2 : 1};
    for (uint32_t i = 0; i < t->count && type.bits < t->type.bits; i++) {
        unsigned bits = ir_constant_bits(t->entries[i], t->type);
        type.bits = (uint8_t)(bits > type.bits ? bits : type.bits);
    }
    return type;
}

/* A signed index of fewer bits than choose is extended by entry_of instead. */
static struct tree make_tree(const struct array_table *t, struct array_index x) {
    unsigned levels = levels_of(t->count);
    struct tree tree = {.table = t, .x = x, .type = narrowest(t), .index = IR_NONE};
    tree.levels = levels < x.type.bits ? levels : x.type.bits;
    tree.last = least(x.last, low_bits(tree.levels ? tree.levels : 1));
    for (unsigned k = 0; k < MOST_LEVELS; k++)
        tree.bits[k] = IR_NONE;
    return tree;
}

/* Of the pattern p of the index. */
static uint64_t entry_of(const struct tree *t, uint64_t p) {
    if (t->x.type.kind == TYPE_INT && t->levels == t->x.type.bits)
        p = (uint64_t)sign_extend(p, t->levels) & low_bits(levels_of(t->table->count));
    return p < t->table->count ? t->table->entries[p] & low_bits(t->type.bits) : 0;
}

/* True if the 2^k entries from `first` on and those behind them are the same, as far as the index
 * can name both. */
static bool halves_agree(const struct tree *t, uint64_t first, unsigned k) {
    uint64_t half = (uint64_t)1 << k;
    for (uint64_t p = first; p < first + half && p + half <= t->last; p++)
        if (entry_of(t, p) != entry_of(t, p + half))
            return false;
    return true;
}

/* Of the part with `levels` levels from entry `first` on. */
static uint32_t count_part(const struct tree *t, uint64_t first, unsigned levels) {
    while (levels > 0 && halves_agree(t, first, levels - 1))
        levels--;
    if (levels == 0)
        return 0;
    uint64_t half = (uint64_t)1 << (levels - 1);
    return 1 + count_part(t, first, levels - 1) + count_part(t, first + half, levels - 1);
}

uint32_t array_select_size(const struct array_table *t, struct array_index x) {
    struct tree tree = make_tree(t, x);
    return count_part(&tree, 0, tree.levels);
}

/* Bit k is made where it is needed first: that of the root is not kept meanwhile. */
static uint32_t index_bit(struct tree *t, unsigned k) {
    static const struct mpu_type bit = {TYPE_BOOL, 1};
    struct mpu_type part = {TYPE_UINT, (uint8_t)(k + 1)};
    uint32_t v = t->index;
    if (t->bits[k] != IR_NONE)
        return t->bits[k];
    if (k)
        v = ir_operation(t->b, IR_SHR, part, IR_NONE, v, IR_NONE, IR_NONE, k, t->at);
    t->bits[k] = ir_operation(t->b, IR_COPY, bit, IR_NONE, v, IR_NONE, IR_NONE, 0, t->at);
    return t->bits[k];
}

/* Parts are made one after the other, so that no more values are kept than there are levels; equal
 * parts apart from one another are found when values are numbered. */
static uint32_t make_part(struct tree *t, uint64_t first, unsigned levels, uint32_t dst) {
    while (levels > 0 && halves_agree(t, first, levels - 1))
        levels--;
    if (levels == 0)
        return ir_constant(t->b, t->type, entry_of(t, first), dst, t->at);
    uint64_t half = (uint64_t)1 << (levels - 1);
    uint32_t low = make_part(t, first, levels - 1, IR_NONE);
    uint32_t high = make_part(t, first + half, levels - 1, IR_NONE);
    uint32_t chosen = index_bit(t, levels - 1);
    return ir_operation(t->b, IR_SELECT, t->type, dst, chosen, high, low, 0, t->at);
}

uint32_t array_select(struct ir_builder *b, const struct array_table *t, struct array_index x,
                      uint32_t index, uint32_t dst, struct span at) {
    struct tree tree = make_tree(t, x);
    tree.b = b;
    tree.index = index;
    tree.at = at;
    if (tree.type.bits == t->type.bits)
        return make_part(&tree, 0, tree.levels, dst);
    uint32_t narrow = make_part(&tree, 0, tree.levels, IR_NONE);
    return ir_convert(b, narrow, tree.type, t->type, dst, at);
}
