/* SPDX-License-Identifier: MIT
 * Open addressing; entries stay in order of insertion and slots hold their numbers.  At most three
 * quarters of the slots are used, so every search ends. */
#include "support/map.h"

#include "support/alloc.h"
#include "support/hash_table.h"
#include "support/vec.h"

#include <stdlib.h>
#include <string.h>

/* The slot that holds the key, or the empty one where it belongs.  The table is never full. */
static uint32_t *find_slot(const struct map *map, const char *key, size_t n) {
    for (size_t i = hash_place(hash_bytes(key, n), map->slot_count);; i++) {
        uint32_t *slot = &map->slots[i & (map->slot_count - 1)];
        if (!*slot)
            return slot;
        const struct map_entry *e = &map->entries[*slot - 1];
        if (e->key_len == n && memcmp(e->key, key, n) == 0)
            return slot;
    }
}

static void grow_slots(struct map *map) {
    free(map->slots);
    map->slot_count = map->slot_count ? map->slot_count * 2 : 16;
    map->slots = xcalloc(map->slot_count, sizeof *map->slots);
    for (size_t i = 0; i < map->len; i++)
        *find_slot(map, map->entries[i].key, map->entries[i].key_len) = (uint32_t)(i + 1);
}

uint64_t *map_get_n(const struct map *map, const char *key, size_t n) {
    uint32_t slot = map->slot_count ? *find_slot(map, key, n) : 0;
    return slot ? &map->entries[slot - 1].value : NULL;
}

uint64_t *map_get(const struct map *map, const char *key) {
    return map_get_n(map, key, strlen(key));
}

/* Keys may hold NUL bytes, so this is no xstrndup. */
static char *copy_key(const char *key, size_t n) {
    char *copy = xmalloc(n + 1);
    memcpy(copy, key, n);
    copy[n] = '\0';
    return copy;
}

bool map_put_n(struct map *map, const char *key, size_t n, uint64_t value) {
    if ((map->len + 1) * 4 > map->slot_count * 3)
        grow_slots(map);
    uint32_t *slot = find_slot(map, key, n);
    if (*slot) {
        map->entries[*slot - 1].value = value;
        return false;
    }
    if (map->len + 1 > map->cap)
        map->entries = vec_grow(map->entries, &map->cap, map->len + 1, sizeof *map->entries);
    map->entries[map->len++] = (struct map_entry){copy_key(key, n), n, value};
    *slot = (uint32_t)map->len;
    return true;
}

bool map_put(struct map *map, const char *key, uint64_t value) {
    return map_put_n(map, key, strlen(key), value);
}

uint32_t map_number(struct map *map, const char *key, size_t n) {
    const uint64_t *known = map_get_n(map, key, n);
    if (known)
        return (uint32_t)*known;
    map_put_n(map, key, n, map->len);
    return (uint32_t)map->len - 1;
}

void map_free(struct map *map) {
    for (size_t i = 0; i < map->len; i++)
        free(map->entries[i].key);
    free(map->entries);
    free(map->slots);
    *map = (struct map){0};
}
