/* SPDX-License-Identifier: MIT */
#include "emu/timing/turns.h"

#include "support/alloc.h"

#include <stdlib.h>

static uint32_t winner(const struct turn_tree *t, uint32_t node) {
    uint32_t a = t->first[2 * node], b = t->first[2 * node + 1];
    return t->ps[b] < t->ps[a] ? b : a;
}

void timing_turns_open(struct turn_tree *t, uint32_t count) {
    *t = (struct turn_tree){.leaves = 2};
    while (t->leaves < count)
        t->leaves *= 2;
    t->ps = xcalloc(t->leaves, sizeof *t->ps);
    t->first = xcalloc(2 * (size_t)t->leaves, sizeof *t->first);
    for (uint32_t i = 0; i < t->leaves; i++) {
        t->ps[i] = TURN_NEVER;
        t->first[t->leaves + i] = i;
    }
    for (uint32_t node = t->leaves - 1; node; node--)
        t->first[node] = winner(t, node);
}

void timing_turns_close(struct turn_tree *t) {
    free(t->ps);
    free(t->first);
}

void timing_turns_set(struct turn_tree *t, uint32_t number, uint64_t ps) {
    if (t->ps[number] == ps)
        return;
    t->ps[number] = ps;
    for (uint32_t node = (t->leaves + number) / 2; node; node /= 2) {
        uint32_t before = t->first[node];
        t->first[node] = winner(t, node);
        if (before == t->first[node] && before != number)
            return;
    }
}
