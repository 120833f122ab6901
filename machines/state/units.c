/* SPDX-License-Identifier: MIT
 * What units read and write is known byte by byte, in blocks of memory that exist where they have
 * something to say. */
#include "machines/state/units.h"

#include "support/alloc.h"
#include "support/bits.h"
#include "support/saturate.h"

#include <stdlib.h>
#include <string.h>

/* Units at work together, for each thread: one that is done early takes another. */
#define UNITS_A_THREAD 4

/* ---- views ---- */

/* So many bytes from a multiple of it on; arrays and slices begin at such multiples. */
#define BLOCK 512u
#define WORDS (BLOCK / 64)
struct state_block {
    uint64_t number;                      /* address / BLOCK */
    uint64_t read[WORDS], written[WORDS]; /* a bit for each byte; read: before the unit wrote it */
    unsigned char bytes[BLOCK];           /* those that are written */
};

/* view->blocks: number -> struct state_block * */
static void clear(struct state_view *view) {
    for (size_t i = 0; i < view->blocks.len; i++)
        free((void *)(uintptr_t)view->blocks.entries[i].value);
    map_free(&view->blocks);
    memset(view->recent, 0, sizeof view->recent);
}

static struct state_block *known_block(const struct map *blocks, uint64_t number) {
    const uint64_t *at = map_get_n(blocks, (const char *)&number, sizeof number);
    return at ? (struct state_block *)(uintptr_t)*at : NULL;
}

static struct state_block *block_of(struct state_view *view, uint64_t address) {
    uint64_t number = address / BLOCK;
    struct state_block **recent = &view->recent[number % STATE_RECENT];
    if (*recent && (*recent)->number == number)
        return *recent;
    *recent = known_block(&view->blocks, number);
    if (!*recent) {
        *recent = xcalloc(1, sizeof **recent);
        (*recent)->number = number;
        map_put_n(&view->blocks, (const char *)&number, sizeof number,
                  (uint64_t)(uintptr_t)*recent);
    }
    return *recent;
}

/* Bytes from an address on that one word of a block's bits stands for. */
struct view_piece {
    struct state_block *block;
    uint32_t at, count; /* in the block */
    uint64_t mask;      /* of word at / 64 */
};
static struct view_piece piece_of(struct state_view *view, uint64_t address, uint64_t left) {
    struct view_piece p = {.block = block_of(view, address), .at = (uint32_t)(address % BLOCK)};
    p.count = 64 - p.at % 64;
    p.count = left < p.count ? (uint32_t)left : p.count;
    p.mask = low_bits(p.count) << p.at % 64;
    return p;
}

static void get_piece(const struct view_piece *p, const unsigned char *there, unsigned char *to) {
    struct state_block *b = p->block;
    uint64_t written = b->written[p->at / 64] & p->mask;
    b->read[p->at / 64] |= p->mask & ~written;
    memcpy(to, written == p->mask ? b->bytes + p->at : there, p->count);
    for (uint32_t i = 0; written && written != p->mask && i < p->count; i++)
        if (written >> (p->at % 64 + i) & 1)
            to[i] = b->bytes[p->at + i];
}

bool state_view_get(struct state_view *view, uint64_t address, void *bytes, uint64_t size) {
    const unsigned char *there = state_memory_at(view->memory, address, size);
    unsigned char *to = bytes;
    if (there && view->direct)
        memcpy(to, there, (size_t)size);
    for (uint64_t i = 0; there && !view->direct && i < size;) {
        const struct view_piece p = piece_of(view, address + i, size - i);
        get_piece(&p, there + i, to + i);
        i += p.count;
    }
    return there;
}

bool state_view_put(struct state_view *view, uint64_t address, const void *bytes, uint64_t size) {
    unsigned char *there = state_memory_at(view->memory, address, size);
    const unsigned char *from = bytes;
    if (there && view->direct)
        memcpy(there, from, (size_t)size);
    for (uint64_t i = 0; there && !view->direct && i < size;) {
        const struct view_piece p = piece_of(view, address + i, size - i);
        p.block->written[p.at / 64] |= p.mask;
        memcpy(p.block->bytes + p.at, from + i, p.count);
        i += p.count;
    }
    return there;
}

/* ---- taking effect ---- */

/* The unit read nothing that those before it wrote. */
static bool is_current(const struct state_view *view, const struct map *written) {
    for (size_t i = 0; i < view->blocks.len; i++) {
        const struct state_block *b =
            (const struct state_block *)(uintptr_t)view->blocks.entries[i].value;
        const struct state_block *w = known_block(written, b->number);
        for (unsigned k = 0; w && k < WORDS; k++)
            if (b->read[k] & w->written[k])
                return false;
    }
    return true;
}

/* Those of bytes k .. k + 63 that are written. */
static void write_word(const struct state_memory *memory, const struct state_block *b, uint32_t k) {
    const uint64_t written = b->written[k / 64], address = b->number * BLOCK + k;
    if (written == UINT64_MAX)
        memcpy(state_memory_at(memory, address, 64), b->bytes + k, 64);
    for (uint32_t i = 0; written && written != UINT64_MAX && i < 64; i++)
        if (written >> i & 1)
            *state_memory_at(memory, address + i, 1) = b->bytes[k + i];
}

/* What it wrote goes to memory; the view is as at its begin.  `written` has the blocks that were
 * written since the units at work began, and takes them over. */
static void take_effect(struct state_view *view, struct map *written) {
    for (size_t i = 0; i < view->blocks.len; i++) {
        struct state_block *b = (struct state_block *)(uintptr_t)view->blocks.entries[i].value;
        struct state_block *w = known_block(written, b->number);
        for (uint32_t k = 0; k < BLOCK; k += 64)
            write_word(view->memory, b, k);
        for (unsigned k = 0; w && k < WORDS; k++)
            w->written[k] |= b->written[k];
        if (w)
            continue;
        map_put_n(written, (const char *)&b->number, sizeof b->number, (uint64_t)(uintptr_t)b);
        view->blocks.entries[i].value = 0;
    }
    clear(view);
}

/* ---- units ---- */

/* Units at work together. */
struct wave {
    const struct state_units *units;
    struct state_view *views; /* [state_units_slots] */
    bool *fine;               /* likewise */
    uint32_t first;
};

static void work(void *context, size_t index) {
    const struct wave *w = context;
    const struct state_units *u = w->units;
    uint32_t slot = (uint32_t)index;
    w->fine[slot] = u->work(u->context, slot, w->first + slot, &w->views[slot]);
}

/* In their order; false where it ends. */
static bool finish(struct wave *wave, uint32_t count, struct map *written, uint64_t *host_ps) {
    const struct state_units *u = wave->units;
    bool go_on = true;
    for (uint32_t i = 0; i < count; i++) {
        if (go_on && !is_current(&wave->views[i], written)) {
            clear(&wave->views[i]);
            work(wave, i);
        }
        if (go_on)
            take_effect(&wave->views[i], written);
        clear(&wave->views[i]);
        go_on = go_on && u->done(u->context, i, wave->first + i, wave->fine[i], host_ps) &&
                wave->fine[i];
    }
    return go_on;
}

static bool run_wave(struct wave *wave, uint32_t count, uint64_t *host_ps) {
    struct map written = {0};
    for (uint32_t i = 0; i < count; i++)
        wave->views[i] = (struct state_view){.memory = wave->units->memory, .direct = count == 1};
    if (count > 1)
        pool_run(wave->units->pool, count, work, wave);
    else
        work(wave, 0);
    bool fine = finish(wave, count, &written, host_ps);
    for (size_t i = 0; i < written.len; i++)
        free((void *)(uintptr_t)written.entries[i].value);
    map_free(&written);
    return fine;
}

uint32_t state_units_slots(const struct pool *pool) {
    return pool ? UNITS_A_THREAD * pool_threads(pool) : 1;
}

/* How many units pay that work together, if each takes as long as those before it did. */
static uint32_t together(const struct state_units *units, uint32_t before, uint64_t host_ps) {
    uint32_t left = units->count - before, most = state_units_slots(units->pool);
    uint32_t count = left < most ? left : most;
    uint64_t each = before ? host_ps / before : 0;
    return sat_mul(each, left) < sat_mul(2, units->part_ps) ? 1 : count;
}

bool state_units_run(const struct state_units *units) {
    uint32_t slots = state_units_slots(units->pool);
    struct wave w = {units, xcalloc(slots, sizeof *w.views), xcalloc(slots, sizeof *w.fine), 0};
    uint64_t all_ps = 0;
    bool fine = true;
    while (fine && w.first < units->count) {
        uint64_t host_ps = 0;
        uint32_t count = together(units, w.first, all_ps);
        fine = run_wave(&w, count, &host_ps);
        all_ps = sat_add(all_ps, host_ps);
        w.first += count;
    }
    free(w.views);
    free(w.fine);
    return fine;
}
