/* SPDX-License-Identifier: MIT
 * A snapshot is a block at the end of a string: header, tiles (index, then the planes of registers,
 * C, M and valid), and the block's length, by which restore finds its beginning and takes it off.
 * Bytes are the host's: a snapshot is no file format. */
#include "emu/plane/plane.h"
#include "support/str.h"

#include <string.h>

struct snapshot_header {
    char magic[8];
    uint32_t tile_words, slots, vrfs, lanes;
    uint8_t reg_bits[64];
    uint64_t tiles;
};

_Static_assert(sizeof(struct snapshot_header) == 96, "headers are compared byte by byte");

static size_t tile_bytes(const struct plane_machine *m) {
    return (size_t)m->slots * PLANE_STRIDE;
}

static struct snapshot_header header_of(const struct plane_machine *m) {
    struct snapshot_header h = {
        .magic = "MPUPLANE",
        .tile_words = PLANE_TILE_WORDS,
        .slots = m->slots,
        .vrfs = m->vrfs,
        .lanes = m->target->lanes,
    };
    memcpy(h.reg_bits, m->reg_bits, sizeof h.reg_bits);
    for (size_t i = 0; i < m->tile_count; i++)
        h.tiles += atomic_load_explicit(&m->tiles[i], memory_order_acquire) != NULL;
    return h;
}

static void save(const struct plane_machine *m, struct str *state) {
    struct snapshot_header h = header_of(m);
    size_t begin = state->len;
    str_append_n(state, (const char *)&h, sizeof h);
    for (size_t i = 0; i < m->tile_count; i++) {
        const unsigned char *tile = atomic_load_explicit(&m->tiles[i], memory_order_acquire);
        uint64_t index = i;
        if (!tile)
            continue;
        str_append_n(state, (const char *)&index, sizeof index);
        str_append_n(state, (const char *)tile, tile_bytes(m));
    }
    uint64_t length = state->len - begin;
    str_append_n(state, (const char *)&length, sizeof length);
}

/* The tiles of the block at the end of the string and their number; NULL if it does not fit. */
static const char *find_tiles(const struct plane_machine *m, const struct str *state,
                              uint64_t *count, size_t *begin) {
    struct snapshot_header h, mine = header_of(m);
    uint64_t length;
    if (state->len < sizeof length + sizeof h)
        return NULL;
    size_t end = state->len - sizeof length;
    memcpy(&length, state->text + end, sizeof length);
    if (length < sizeof h || length > end)
        return NULL;
    *begin = end - (size_t)length;
    memcpy(&h, state->text + *begin, sizeof h);
    *count = h.tiles;
    mine.tiles = h.tiles;
    if (memcmp(&h, &mine, sizeof h) != 0 || h.tiles > m->tile_count ||
        length - sizeof h != h.tiles * (sizeof(uint64_t) + tile_bytes(m)))
        return NULL;
    return state->text + *begin + sizeof h;
}

static uint64_t index_at(const struct plane_machine *m, const char *tiles, uint64_t i) {
    uint64_t index;
    memcpy(&index, tiles + i * (sizeof index + tile_bytes(m)), sizeof index);
    return index;
}

static bool indices_fit(const struct plane_machine *m, const char *tiles, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        if (index_at(m, tiles, i) >= m->tile_count)
            return false;
    return true;
}

static bool take(struct plane_machine *m, struct str *state) {
    uint64_t count;
    size_t begin;
    const char *tiles = find_tiles(m, state, &count, &begin);
    if (!tiles || !indices_fit(m, tiles, count))
        return false;
    plane_tiles_reset(m);
    for (uint64_t i = 0; i < count; i++) {
        unsigned char *tile = plane_tile(m, (size_t)index_at(m, tiles, i));
        if (!tile)
            return false;
        memcpy(tile, tiles + i * (sizeof(uint64_t) + tile_bytes(m)) + sizeof(uint64_t),
               tile_bytes(m));
    }
    state->len = begin;
    state->text[begin] = '\0';
    return true;
}

bool plane_snapshot(struct datapath *dp, bool restore, struct str *state) {
    struct plane_machine *m = plane_of(dp);
    if (restore)
        return take(m, state);
    save(m, state);
    return true;
}
