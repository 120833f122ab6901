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
static uint32_t *find_slot(const struct map *map, const char *key, size_t n, uint64_t hash) {
    for (size_t i = hash_place(hash, map->slot_count);; i++) {
        uint32_t *slot = &map->slots[i & (map->slot_count - 1)];
        if (!*slot)
            return slot;
        const struct map_entry *e = &map->entries[*slot - 1];
        if (e->hash == hash && e->key_len == n && (n == 0 || memcmp(e->key, key, n) == 0))
            return slot;
    }
}

/* The empty slot where a key with that hash belongs that no slot holds. */
static uint32_t *empty_slot(const struct map *map, uint64_t hash) {
    size_t i = hash_place(hash, map->slot_count);
    while (map->slots[i & (map->slot_count - 1)])
        i++;
    return &map->slots[i & (map->slot_count - 1)];
}

static void grow_slots(struct map *map) {
    size_t count = map->slot_count ? map->slot_count * 2 : 16;
    uint32_t *slots = xcalloc(count, sizeof *slots);
    free(map->slots);
    map->slots = slots;
    map->slot_count = count;
    for (size_t i = 0; i < map->len; i++)
        *empty_slot(map, map->entries[i].hash) = (uint32_t)(i + 1);
}

uint64_t *map_get_n(const struct map *map, const char *key, size_t n) {
    uint32_t slot = map->slot_count ? *find_slot(map, key, n, hash_bytes(key, n)) : 0;
    return slot ? &map->entries[slot - 1].value : NULL;
}

uint64_t *map_get(const struct map *map, const char *key) {
    return map_get_n(map, key, strlen(key));
}

/* Keys may hold NUL bytes, so this is no xstrndup. */
static char *copy_key(const char *key, size_t n) {
    char *copy = xmalloc(n + 1);
    if (n)
        memcpy(copy, key, n);
    copy[n] = '\0';
    return copy;
}

uint64_t *map_add_n(struct map *map, const char *key, size_t n, uint64_t value) {
    uint64_t hash = hash_bytes(key, n);
    if ((map->len + 1) * 4 > map->slot_count * 3)
        grow_slots(map);
    uint32_t *slot = find_slot(map, key, n, hash);
    if (*slot)
        return &map->entries[*slot - 1].value;
    if (map->len + 1 > map->cap)
        map->entries = vec_grow(map->entries, &map->cap, map->len + 1, sizeof *map->entries);
    map->entries[map->len] = (struct map_entry){copy_key(key, n), n, hash, value};
    map->len++;
    *slot = (uint32_t)map->len;
    return &map->entries[map->len - 1].value;
}

bool map_put_n(struct map *map, const char *key, size_t n, uint64_t value) {
    size_t before = map->len;
    *map_add_n(map, key, n, value) = value;
    return map->len > before;
}

bool map_put(struct map *map, const char *key, uint64_t value) {
    return map_put_n(map, key, strlen(key), value);
}

uint32_t map_number(struct map *map, const char *key, size_t n) {
    return (uint32_t)*map_add_n(map, key, n, map->len);
}

void map_free(struct map *map) {
    for (size_t i = 0; i < map->len; i++)
        free(map->entries[i].key);
    free(map->entries);
    free(map->slots);
    *map = (struct map){0};
}
