/* SPDX-License-Identifier: MIT
 * A snapshot is a block at the end of a string: header, blocks of state (index, then the words of
 * registers, C, M and valid), and its length, by which restore finds its beginning and takes it
 * off.  Bytes are the host's: a snapshot is no file format. */
#include "machines/plane/run/plane.h"
#include "support/str.h"

#include <string.h>

struct plane_snapshot_header {
    char magic[8];
    uint32_t block_words, slots, vrfs, lanes;
    uint8_t reg_bits[64];
    uint64_t blocks;
};

_Static_assert(sizeof(struct plane_snapshot_header) == 96, "headers are compared byte by byte");

/* Bytes of one plane of a block. */
#define ROW_BYTES ((size_t)8 * PLANE_BLOCK_WORDS)

/* In the snapshot, its index included. */
static size_t block_bytes(const struct plane_machine *machine) {
    return sizeof(uint64_t) + machine->slots * ROW_BYTES;
}

static struct plane_snapshot_header header_of(const struct plane_machine *machine) {
    struct plane_snapshot_header h = {
        .magic = "MPUPLANE",
        .block_words = PLANE_BLOCK_WORDS,
        .slots = machine->slots,
        .vrfs = machine->vrfs,
        .lanes = machine->target->lanes,
    };
    memcpy(h.reg_bits, machine->reg_bits, sizeof h.reg_bits);
    for (size_t i = 0; i < machine->block_count; i++)
        h.blocks += plane_peek(machine, i) != NULL;
    return h;
}

static void save(const struct plane_machine *machine, struct str *state) {
    struct plane_snapshot_header h = header_of(machine);
    size_t begin = state->len;
    str_append_n(state, (const char *)&h, sizeof h);
    for (size_t i = 0; i < machine->block_count; i++) {
        const unsigned char *block = plane_peek(machine, i);
        uint64_t index = i;
        if (!block)
            continue;
        str_append_n(state, (const char *)&index, sizeof index);
        for (uint32_t slot = 0; slot < machine->slots; slot++)
            str_append_n(state, (const char *)block + (size_t)slot * PLANE_STRIDE, ROW_BYTES);
    }
    uint64_t length = state->len - begin;
    str_append_n(state, (const char *)&length, sizeof length);
}

/* The blocks at the end of the string and their number; NULL if they do not fit. */
static const char *find_blocks(const struct plane_machine *machine, const struct str *state,
                               uint64_t *count, size_t *begin) {
    struct plane_snapshot_header h, mine = header_of(machine);
    uint64_t length;
    if (state->len < sizeof length + sizeof h)
        return NULL;
    size_t end = state->len - sizeof length;
    memcpy(&length, state->text + end, sizeof length);
    if (length < sizeof h || length > end)
        return NULL;
    *begin = end - (size_t)length;
    memcpy(&h, state->text + *begin, sizeof h);
    *count = h.blocks;
    mine.blocks = h.blocks;
    if (memcmp(&h, &mine, sizeof h) != 0 || h.blocks > machine->block_count ||
        length - sizeof h != h.blocks * block_bytes(machine))
        return NULL;
    return state->text + *begin + sizeof h;
}

static uint64_t index_at(const struct plane_machine *machine, const char *blocks, uint64_t number) {
    uint64_t index;
    memcpy(&index, blocks + number * block_bytes(machine), sizeof index);
    return index;
}

static bool indices_fit(const struct plane_machine *machine, const char *blocks, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        if (index_at(machine, blocks, i) >= machine->block_count)
            return false;
    return true;
}

static bool take_block(struct plane_machine *machine, const char *from) {
    uint64_t index;
    memcpy(&index, from, sizeof index);
    unsigned char *block = plane_block(machine, (size_t)index);
    for (uint32_t slot = 0; block && slot < machine->slots; slot++)
        memcpy(block + (size_t)slot * PLANE_STRIDE, from + sizeof index + slot * ROW_BYTES,
               ROW_BYTES);
    return block != NULL;
}

static bool take(struct plane_machine *machine, struct str *state) {
    uint64_t count;
    size_t begin;
    const char *blocks = find_blocks(machine, state, &count, &begin);
    if (!blocks || !indices_fit(machine, blocks, count))
        return false;
    plane_tiles_reset(machine);
    for (uint64_t i = 0; i < count; i++)
        if (!take_block(machine, blocks + i * block_bytes(machine)))
            return false;
    state->len = begin;
    state->text[begin] = '\0';
    return true;
}

bool plane_snapshot(struct datapath *dp, bool restore, struct str *state) {
    struct plane_machine *m = plane_of(dp);
    bool kernels = m->setup.kernels;
    if (restore) {
        const char *memory = kernels ? state_memory_take(&m->memory, state) : NULL;
        if ((kernels && !memory) || !take(m, state))
            return false;
        if (kernels)
            state_memory_restore(&m->memory, memory);
        return true;
    }
    save(m, state);
    if (kernels) /* others have no memory beside their planes */
        state_memory_save(&m->memory, state);
    return true;
}
