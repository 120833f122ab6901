/* SPDX-License-Identifier: MIT */
#include "linker/register_set.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

static struct register_entry *find(const struct register_set *s, uint64_t key) {
    size_t at = register_slot(key, s->room);
    while (s->list[at].round == s->round && s->list[at].key != key)
        at = (at + 1) & (s->room - 1);
    return &s->list[at];
}

/* Rounds begin at 1, so that no new entry is of any. */
static void grow(struct register_set *s) {
    struct register_set old = *s;
    s->room = old.room ? 2 * old.room : 64;
    s->round = 1;
    s->list = xcalloc(s->room, sizeof *s->list);
    for (size_t i = 0; i < old.room; i++)
        if (old.list[i].round == old.round) {
            struct register_entry *e = find(s, old.list[i].key);
            *e = old.list[i];
            e->round = s->round;
        }
    free(old.list);
}

void package_register_set_add(struct register_set *s, uint64_t key, enum register_use use) {
    static const uint8_t read = 1u << USE_DATA | 1u << USE_INDEX;
    if (2 * s->count >= s->room)
        grow(s);
    struct register_entry *e = find(s, key);
    if (e->round != s->round) {
        *e = (struct register_entry){key, s->round, 0};
        s->count++;
    }
    if (e->uses >> use & 1)
        return;
    e->uses |= (uint8_t)(1u << use);
    s->uses[use]++;
    s->both += use != USE_WRITTEN && (e->uses & read) == read;
}

void package_register_set_clear(struct register_set *s) {
    memset(s->uses, 0, sizeof s->uses);
    s->both = 0;
    s->count = 0;
    if (++s->round)
        return;
    if (s->room)
        memset(s->list, 0, s->room * sizeof *s->list);
    s->round = 1;
}

void package_register_set_free(struct register_set *s) {
    free(s->list);
}
