/* SPDX-License-Identifier: MIT
 * Open addressing by VRF and register; entries of older rounds count as empty, so that clearing
 * takes no time. */
#include "linker/register_set.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

static struct register_entry *find(const struct register_set *set, uint64_t key) {
    size_t at = register_slot(key, set->room);
    while (set->list[at].round == set->round && set->list[at].key != key)
        at = (at + 1) & (set->room - 1);
    return &set->list[at];
}

/* Rounds begin at 1, so that no new entry is of any. */
static void grow(struct register_set *set) {
    struct register_set old = *set;
    set->room = old.room ? 2 * old.room : 64;
    set->round = 1;
    set->list = xcalloc(set->room, sizeof *set->list);
    for (size_t i = 0; i < old.room; i++)
        if (old.list[i].round == old.round) {
            struct register_entry *e = find(set, old.list[i].key);
            *e = old.list[i];
            e->round = set->round;
        }
    free(old.list);
}

void package_register_set_add(struct register_set *set, uint64_t key, enum register_use use) {
    static const uint8_t read = 1u << USE_DATA | 1u << USE_INDEX;
    if (2 * set->count >= set->room)
        grow(set);
    struct register_entry *e = find(set, key);
    if (e->round != set->round) {
        *e = (struct register_entry){key, set->round, 0};
        set->count++;
    }
    if (e->uses >> use & 1)
        return;
    e->uses |= (uint8_t)(1u << use);
    set->uses[use]++;
    set->both += use != USE_WRITTEN && (e->uses & read) == read;
}

void package_register_set_clear(struct register_set *set) {
    memset(set->uses, 0, sizeof set->uses);
    set->both = 0;
    set->count = 0;
    if (++set->round)
        return;
    if (set->room)
        memset(set->list, 0, set->room * sizeof *set->list);
    set->round = 1;
}

void package_register_set_free(struct register_set *set) {
    free(set->list);
}
