/* SPDX-License-Identifier: MIT
 * Typed hash table for keys of a fixed size: HASH_TABLE(uint64_t, uint32_t) table = {0};
 * *(uint32_t *)hash_table_put(&table, &key) = 7; uint32_t *value = hash_table_get(&table, &key).
 * Keys are compared as bytes, so their padding must be zero.  There is no way to list what is in a
 * table, so no output depends on hashing; keys of any length, in order of insertion: support/map.h.
 *
 * Open addressing with key and value in the slot.  Invariant: at most three quarters of the slots
 * are taken, so every search ends.  A slot is taken if its round is the table's, so clearing takes
 * no time. */
#ifndef SUPPORT_HASH_TABLE_H
#define SUPPORT_HASH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* All zero is an empty table. */
struct hash_table {
    void *slots;
    size_t room, count; /* room: 0 or a power of two */
    uint32_t round;     /* from 1 on where there is room */
};

#define HASH_TABLE(key_type, value_type)                                                           \
    union {                                                                                        \
        struct hash_table table;                                                                   \
        struct {                                                                                   \
            key_type key;                                                                          \
            value_type value;                                                                      \
            uint32_t round;                                                                        \
        } * typed; /* the slots */                                                                 \
    }

/* Where the value of a key is, or NULL.  Valid until the next hash_table_put. */
#define hash_table_get(t, k)                                                                       \
    hash_table_slot_get(&(t)->table, HASH_TABLE_SLOT_OF(t), HASH_TABLE_KEY(t, k))
/* The same; a new key comes in with a value of zero bytes. */
#define hash_table_put(t, k)                                                                       \
    hash_table_slot_put(&(t)->table, HASH_TABLE_SLOT_OF(t), HASH_TABLE_KEY(t, k))
/* Nothing is in it then; its room is kept. */
#define hash_table_clear(t) hash_table_slots_clear(&(t)->table, sizeof *(t)->typed)
#define hash_table_free(t)  hash_table_slots_free(&(t)->table)

/* ---- what the macros are made of ---- */

/* Bytes of a slot and of its key, which comes first; where the rest of it lies. */
struct hash_table_slot {
    size_t size, key, value, round;
};
#define HASH_TABLE_SLOT_OF(t)                                                                      \
    ((struct hash_table_slot){sizeof *(t)->typed, sizeof(t)->typed->key,                           \
                              offsetof(__typeof__(*(t)->typed), value),                            \
                              offsetof(__typeof__(*(t)->typed), round)})
/* `k` as it is; the compiler compares its type. */
#define HASH_TABLE_KEY(t, k) (1 ? (k) : &(t)->typed->key)

void hash_table_slots_grow(struct hash_table *table, struct hash_table_slot slot);
void hash_table_slots_clear(struct hash_table *table, size_t slot_size);
void hash_table_slots_free(struct hash_table *table);

/* 2^64 divided by the golden ratio: odd, and with bits everywhere. */
#define HASH_MULTIPLIER UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t hash_step(uint64_t hash, uint64_t word) {
    return (hash ^ hash >> 32 ^ word) * HASH_MULTIPLIER;
}

/* A number whose high bits depend on all of the key: a product's do on all bits of its factors, and
 * are folded into the low ones before the next step.  By eight bytes at a time, then four, the rest
 * one by one: some keys are records of a thousand bytes. */
static inline uint64_t hash_bytes(const void *key, size_t n) {
    const unsigned char *bytes = key;
    uint64_t h = n, word;
    uint32_t half;
    for (; n >= sizeof word; n -= sizeof word, bytes += sizeof word) {
        memcpy(&word, bytes, sizeof word);
        h = hash_step(h, word);
    }
    if (n >= sizeof half) {
        memcpy(&half, bytes, sizeof half);
        h = hash_step(h, half);
        n -= sizeof half;
        bytes += sizeof half;
    }
    for (size_t i = 0; i < n; i++)
        h = hash_step(h, bytes[i]);
    return h;
}

/* Where to look first among `room` slots, a power of two: the hash's highest bits. */
static inline size_t hash_place(uint64_t hash, size_t room) {
    return (size_t)(hash >> 1 >> __builtin_clzll(room));
}

static inline char *hash_table_slot_at(const struct hash_table *table, struct hash_table_slot slot,
                                       size_t place) {
    return (char *)table->slots + (place & (table->room - 1)) * slot.size;
}

static inline bool hash_table_slot_is_free(const struct hash_table *table,
                                           struct hash_table_slot slot, const char *at) {
    uint32_t round;
    memcpy(&round, at + slot.round, sizeof round);
    return round != table->round;
}

static inline void *hash_table_slot_get(const struct hash_table *table, struct hash_table_slot slot,
                                        const void *key) {
    if (!table->count)
        return NULL;
    for (size_t i = hash_place(hash_bytes(key, slot.key), table->room);; i++) {
        char *at = hash_table_slot_at(table, slot, i);
        if (hash_table_slot_is_free(table, slot, at))
            return NULL;
        if (memcmp(at, key, slot.key) == 0)
            return at + slot.value;
    }
}

static inline void *hash_table_slot_put(struct hash_table *table, struct hash_table_slot slot,
                                        const void *key) {
    if (4 * table->count >= 3 * table->room)
        hash_table_slots_grow(table, slot);
    for (size_t i = hash_place(hash_bytes(key, slot.key), table->room);; i++) {
        char *at = hash_table_slot_at(table, slot, i);
        if (hash_table_slot_is_free(table, slot, at)) {
            memset(at, 0, slot.size);
            memcpy(at, key, slot.key);
            memcpy(at + slot.round, &table->round, sizeof table->round);
            table->count++;
            return at + slot.value;
        }
        if (memcmp(at, key, slot.key) == 0)
            return at + slot.value;
    }
}

#endif
