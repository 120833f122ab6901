/* SPDX-License-Identifier: MIT
 * Every inner node names the earlier of the two below it; after a change only the nodes on the way
 * from that leaf to the root are compared again. */
#include "emu/timing/turns.h"

#include "support/alloc.h"

#include <stdlib.h>

static uint32_t winner(const struct turn_tree *tree, uint32_t node) {
    uint32_t a = tree->first[2 * node], b = tree->first[2 * node + 1];
    return tree->ps[b] < tree->ps[a] ? b : a;
}

void timing_turns_open(struct turn_tree *tree, uint32_t count) {
    *tree = (struct turn_tree){.leaves = 2};
    while (tree->leaves < count)
        tree->leaves *= 2;
    tree->ps = xcalloc(tree->leaves, sizeof *tree->ps);
    tree->first = xcalloc(2 * (size_t)tree->leaves, sizeof *tree->first);
    for (uint32_t i = 0; i < tree->leaves; i++) {
        tree->ps[i] = TURN_NEVER;
        tree->first[tree->leaves + i] = i;
    }
    for (uint32_t node = tree->leaves - 1; node; node--)
        tree->first[node] = winner(tree, node);
}

void timing_turns_close(struct turn_tree *tree) {
    free(tree->ps);
    free(tree->first);
}

void timing_turns_set(struct turn_tree *tree, uint32_t number, uint64_t ps) {
    if (tree->ps[number] == ps)
        return;
    tree->ps[number] = ps;
    for (uint32_t node = (tree->leaves + number) / 2; node; node /= 2) {
        uint32_t before = tree->first[node];
        tree->first[node] = winner(tree, node);
        if (before == tree->first[node] && before != number)
            return;
    }
}
