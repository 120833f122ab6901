/* SPDX-License-Identifier: MIT
 * A hash map from strings to 64-bit values.  Keys are copied.  Iteration is in order of
 * insertion, so no output depends on hashing.  A zeroed struct map is empty. */
#ifndef SUPPORT_MAP_H
#define SUPPORT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_entry {
    char *key;
    size_t key_len;
    uint64_t hash;
    uint64_t value;
};

struct map {
    struct map_entry *entries; /* [len], in order of insertion */
    size_t len, cap;
    uint32_t *slots; /* open addressing: entry index + 1, 0 = empty */
    size_t slot_count;
};

/* The value's place, or NULL.  Valid until the next map_put.  A key of 0 bytes may be NULL. */
uint64_t *map_get(const struct map *map, const char *key);
uint64_t *map_get_n(const struct map *map, const char *key, size_t n);
/* Inserts or overwrites; true if the key was new. */
bool map_put(struct map *map, const char *key, uint64_t value);
bool map_put_n(struct map *map, const char *key, size_t n, uint64_t value);
/* The value's place; a new key is put in with that value.  Valid until the next one is. */
uint64_t *map_add_n(struct map *map, const char *key, size_t n, uint64_t value);
/* For maps that number what they hold: the number of a key, its place in order of insertion, which
 * is a new one for a new key.  entries[number].key is a copy, aligned for any type. */
uint32_t map_number(struct map *map, const char *key, size_t n);
void map_free(struct map *map);

#endif
