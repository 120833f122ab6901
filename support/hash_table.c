/* SPDX-License-Identifier: MIT
 * Room for a hash table: what its header does not do in line. */
#include "support/hash_table.h"

#include "support/alloc.h"

#include <stdlib.h>

/* Rounds begin at 1, so that no fresh slot is taken. */
void hash_table_slots_grow(struct hash_table *table, struct hash_table_slot slot) {
    struct hash_table old = *table;
    size_t room = old.room ? 2 * old.room : 32;
    void *slots = xcalloc(room, slot.size);
    *table = (struct hash_table){.slots = slots, .room = room, .round = 1};
    for (size_t i = 0; i < old.room; i++) {
        const char *from = hash_table_slot_at(&old, slot, i);
        if (!hash_table_slot_is_free(&old, slot, from))
            memcpy(hash_table_slot_put(table, slot, from), from + slot.value,
                   slot.round - slot.value);
    }
    free(old.slots);
}

void hash_table_slots_clear(struct hash_table *table, size_t slot_size) {
    table->count = 0;
    if (++table->round)
        return;
    if (table->room)
        memset(table->slots, 0, table->room * slot_size);
    table->round = 1;
}

void hash_table_slots_free(struct hash_table *table) {
    free(table->slots);
    *table = (struct hash_table){0};
}
