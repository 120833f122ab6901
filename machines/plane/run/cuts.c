/* SPDX-License-Identifier: MIT
 * Functions of up to three leaves by their truth tables. */
#include "machines/plane/run/functions.h"

#include <string.h>

/* Truth tables of the three leaves themselves. */
static const uint8_t leaf_truth[3] = {0xaa, 0xcc, 0xf0};

uint8_t plane_truth_apply(uint8_t f, uint8_t x, uint8_t y, uint8_t z) {
    uint8_t pair[4];
    for (unsigned i = 0; i < 4; i++)
        pair[i] = (uint8_t)((f >> (2 * i) & 1 ? ~x : 0) | (f >> (2 * i + 1) & 1 ? x : 0));
    uint8_t low = (uint8_t)((pair[0] & ~y) | (pair[1] & y));
    uint8_t high = (uint8_t)((pair[2] & ~y) | (pair[3] & y));
    return (uint8_t)((low & ~z) | (high & z));
}

uint8_t plane_truth_flip(uint8_t truth, unsigned k) {
    unsigned by = 1u << k;
    return (uint8_t)((truth & leaf_truth[k]) >> by | (truth & (uint8_t)~leaf_truth[k]) << by);
}

static bool depends(uint8_t f, unsigned k) {
    return plane_truth_flip(f, k) != f;
}

void plane_cut_shrink(struct plane_cut *cut) {
    unsigned kept = 0;
    uint8_t at[3] = {0};
    uint32_t leaf[3] = {0};
    for (unsigned k = 0; k < cut->count; k++)
        if (depends(cut->truth, k)) {
            leaf[kept] = cut->leaf[k];
            at[k] = leaf_truth[kept++];
        }
    if (kept == cut->count)
        return;
    cut->truth = plane_truth_apply(cut->truth, at[0], at[1], at[2]);
    cut->count = (uint8_t)kept;
    memcpy(cut->leaf, leaf, sizeof leaf);
}

static void swap_leaves(struct plane_cut *cut, unsigned k) {
    uint8_t at[3] = {leaf_truth[0], leaf_truth[1], leaf_truth[2]};
    uint32_t leaf = cut->leaf[k];
    at[k] = leaf_truth[k + 1];
    at[k + 1] = leaf_truth[k];
    cut->truth = plane_truth_apply(cut->truth, at[0], at[1], at[2]);
    cut->leaf[k] = cut->leaf[k + 1];
    cut->leaf[k + 1] = leaf;
}

void plane_cut_sort(struct plane_cut *cut) {
    if (cut->count > 1 && cut->leaf[0] > cut->leaf[1])
        swap_leaves(cut, 0);
    if (cut->count > 2 && cut->leaf[1] > cut->leaf[2])
        swap_leaves(cut, 1);
    if (cut->count > 1 && cut->leaf[0] > cut->leaf[1])
        swap_leaves(cut, 0);
}

/* Puts the leaves of `from` among those of `to`; both are sorted.  False where there would be more
 * than three. */
static bool join(struct plane_cut *to, const struct plane_cut *from) {
    for (unsigned k = 0; k < from->count; k++) {
        uint32_t leaf = from->leaf[k];
        unsigned i = to->count;
        while (i > 0 && to->leaf[i - 1] > leaf)
            i--;
        if (i > 0 && to->leaf[i - 1] == leaf)
            continue;
        if (to->count == 3)
            return false;
        for (unsigned m = to->count++; m > i; m--)
            to->leaf[m] = to->leaf[m - 1];
        to->leaf[i] = leaf;
    }
    return true;
}

/* The function's table over the leaves of `all`, which has those of `part`. */
static uint8_t widen(const struct plane_cut *part, const struct plane_cut *all) {
    uint8_t at[3] = {0};
    bool same = true;
    for (unsigned k = 0, i = 0; k < part->count; k++, i++) {
        while (all->leaf[i] != part->leaf[k])
            i++;
        at[k] = leaf_truth[i];
        same &= i == k;
    }
    return same ? part->truth : plane_truth_apply(part->truth, at[0], at[1], at[2]);
}

bool plane_cut_compose(const struct plane_cut *direct, const struct plane_cut *const part[3],
                       struct plane_cut *out) {
    uint8_t truth[3] = {0};
    *out = (struct plane_cut){.count = 0};
    for (unsigned k = 0; k < direct->count; k++)
        if (!join(out, part[k]))
            return false;
    for (unsigned k = 0; k < direct->count; k++)
        truth[k] = widen(part[k], out);
    out->truth = plane_truth_apply(direct->truth, truth[0], truth[1], truth[2]);
    plane_cut_shrink(out);
    return true;
}
