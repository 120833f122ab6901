/* SPDX-License-Identifier: MIT
 * What outlives a control path. */
#include "emu/control/state.h"
#include "support/alloc.h"

#include <stdlib.h>

struct control_keep {
    struct control_codes codes;
    struct control_moves moves;
};

struct control_keep *control_keep_new(void) {
    return xcalloc(1, sizeof(struct control_keep));
}

struct control_codes *control_keep_codes(struct control_keep *keep) {
    return &keep->codes;
}

struct control_moves *control_keep_moves(struct control_keep *keep) {
    return &keep->moves;
}

void control_keep_forget_moves(struct control_keep *keep) {
    control_moves_free(&keep->moves);
}

uint64_t control_keep_bytes(const struct control_keep *keep) {
    return keep->codes.bytes + keep->moves.bytes;
}

static struct shared_code *code_of(const struct map_entry *entry) {
    return (struct shared_code *)(uintptr_t)entry->value;
}

/* What is kept for code beside it. */
static uint64_t bytes_of(const struct shared_code *code, size_t key) {
    return code->about.host_bytes + sizeof *code + sizeof(struct map_entry) + key;
}

void control_codes_put(struct control_codes *codes, const char *key, size_t size,
                       struct shared_code *code) {
    map_put_n(&codes->by_words, key, size, (uint64_t)(uintptr_t)code);
    codes->bytes += bytes_of(code, size);
}

static int by_use(const void *left, const void *right) {
    uint64_t x = code_of(*(const struct map_entry *const *)left)->used;
    uint64_t y = code_of(*(const struct map_entry *const *)right)->used;
    return (x < y) - (x > y);
}

/* A copy of the code's description in other memory. */
static void move_code(struct control_codes *codes, const struct map_entry *entry) {
    struct shared_code *x = ARENA_NEW(&codes->memory, struct shared_code);
    *x = *code_of(entry);
    control_codes_put(codes, entry->key, entry->key_len, x);
}

void control_keep_trim(struct control_keep *keep, struct datapath *dp, uint64_t most) {
    const struct map *map = &keep->codes.by_words;
    if (control_keep_bytes(keep) > most)
        control_moves_free(&keep->moves);
    struct control_codes kept = {.used = keep->codes.used};
    if (keep->codes.bytes <= most)
        return;
    const struct map_entry **order = xcalloc(map->len + 1, sizeof *order);
    for (size_t i = 0; i < map->len; i++)
        order[i] = &map->entries[i];
    qsort(order, map->len, sizeof *order, by_use);
    for (size_t i = 0; i < map->len; i++) {
        if (kept.bytes + bytes_of(code_of(order[i]), order[i]->key_len) <= most) {
            move_code(&kept, order[i]);
            continue;
        }
        dp->ops->forget(dp, code_of(order[i])->code);
        most = kept.bytes; /* what is older goes, too */
    }
    free(order);
    map_free(&keep->codes.by_words);
    arena_free(&keep->codes.memory);
    keep->codes = kept;
}

void control_keep_free(struct control_keep *keep, struct datapath *dp) {
    if (!keep)
        return;
    control_moves_free(&keep->moves);
    for (size_t i = 0; i < keep->codes.by_words.len; i++)
        dp->ops->forget(dp, code_of(&keep->codes.by_words.entries[i])->code);
    map_free(&keep->codes.by_words);
    arena_free(&keep->codes.memory);
    free(keep);
}
