/* SPDX-License-Identifier: MIT
 * Which node has which function.  Looked for twenty times for each node, so that what lies together
 * counts: one table over all of a large graph would miss the caches each time. */
#include "machines/plane/run/functions.h"

#include <string.h>

static uint32_t hash_of(const struct plane_cut_key *key) {
    uint64_t leaves = (uint64_t)key->leaf[0] << 32 | key->leaf[1];
    uint64_t hash = (leaves * HASH_MULTIPLIER) ^ ((uint64_t)key->leaf[2] << 8 | key->truth);
    return (uint32_t)(hash * HASH_MULTIPLIER >> 32);
}

/* The key's own place: of its window's slots one of the first half. */
static size_t place_of(const struct plane_cut *cut, uint32_t hash) {
    return (size_t)PLANE_SEEN_SLOTS * cut->leaf[cut->count - 1] + hash % (PLANE_SEEN_WINDOW / 2);
}

static struct plane_cut_key key_of(const struct plane_cut *cut) {
    return (struct plane_cut_key){{cut->leaf[0], cut->leaf[1], cut->leaf[2]}, cut->truth};
}

/* The slot that has the key, or is free for it; NULL: all are taken. */
static uint64_t *find(const struct plane_seen *seen, const struct plane_cut *cut,
                      const struct plane_cut_key *key, uint32_t hash) {
    uint64_t *slot = seen->slots.data + place_of(cut, hash);
    for (unsigned k = 0; k < PLANE_SEEN_WINDOW / 2; k++, slot++)
        if (*slot == 0 || (*slot >> 32 == hash && memcmp(&seen->cuts.data[(uint32_t)*slot - 1].key,
                                                         key, sizeof *key) == 0))
            return slot;
    return NULL;
}

uint32_t plane_seen_node(const struct plane_seen *seen, const struct plane_cut *cut) {
    const struct plane_cut_key key = key_of(cut);
    const uint64_t *slot = find(seen, cut, &key, hash_of(&key));
    if (slot)
        return *slot ? seen->cuts.data[(uint32_t)*slot - 1].node : PLANE_VALUE_NONE;
    const uint32_t *far = hash_table_get(&seen->far, &key);
    return far ? *far : PLANE_VALUE_NONE;
}

void plane_seen_put(struct plane_seen *seen, const struct plane_cut *cut, uint32_t node) {
    const struct plane_cut_key key = key_of(cut);
    const uint32_t hash = hash_of(&key);
    uint64_t *slot = find(seen, cut, &key, hash);
    if (!slot) {
        *(uint32_t *)hash_table_put(&seen->far, &key) = node;
    } else if (*slot) {
        seen->cuts.data[(uint32_t)*slot - 1].node = node;
    } else {
        vec_push(&seen->cuts, ((struct plane_seen_cut){key, node}));
        *slot = (uint64_t)hash << 32 | seen->cuts.len;
    }
}

void plane_seen_grow(struct plane_seen *seen, size_t nodes) {
    size_t len = PLANE_SEEN_SLOTS * nodes + PLANE_SEEN_WINDOW;
    vec_reserve(&seen->slots, len);
    memset(seen->slots.data + seen->slots.len, 0,
           (len - seen->slots.len) * sizeof *seen->slots.data);
    seen->slots.len = len;
}

void plane_seen_clear(struct plane_seen *seen) {
    vec_clear(&seen->slots);
    vec_clear(&seen->cuts);
    hash_table_clear(&seen->far);
}

void plane_seen_free(struct plane_seen *seen) {
    vec_free(&seen->slots);
    vec_free(&seen->cuts);
    hash_table_free(&seen->far);
}
