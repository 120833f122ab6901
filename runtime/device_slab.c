/* SPDX-License-Identifier: MIT
 * Slabs: the VRFs of vectors of one length, and which bits of their lanes are taken.
 *
 * Where the host keeps a bit says nothing of the machine's rows: these are counted.  Wide vectors
 * have a bit between them that nobody has, so that bit j of two of them does not lie a multiple of
 * 4 kB apart on the host, which stalls loads behind stores. */
#include "runtime/device.h"

#include "linker/package/pack.h"
#include "support/alloc.h"
#include "support/bits.h"
#include "support/file.h"

#include <stdlib.h>
#include <string.h>

/* ---- bits of a lane ---- */

static unsigned piece(unsigned bits) {
    return bits + (bits >= 8);
}

static void mark(struct device_bank *bank, uint32_t first, unsigned count, bool taken) {
    for (uint32_t bit = first; bit < first + count; bit++)
        if (taken)
            bank->taken[bit / 64] |= UINT64_C(1) << bit % 64;
        else
            bank->taken[bit / 64] &= ~(UINT64_C(1) << bit % 64);
}

static void take_bits(struct device_bank *bank, uint32_t first, unsigned bits) {
    mark(bank, first, piece(bits), true);
    bank->rows += machine_room_rows(bank->room, bits);
}

/* Which of the 64 bits from `first` on some bank has given away. */
static uint64_t taken_word(const struct device_banks *banks, uint32_t first) {
    uint64_t word = 0;
    for (uint32_t i = 0; i < banks->count; i++)
        word |= banks->items[i]->taken[first / 64];
    return word;
}

uint32_t device_banks_take(const mpu_device *device, const struct device_banks *banks,
                           unsigned bits) {
    unsigned want = piece(bits), have = 0;
    uint64_t word = 0;
    for (uint32_t bit = 0; bit < device->bits; bit++) {
        word = bit % 64 == 0 ? taken_word(banks, bit) : word;
        if (bit % 64 == 0 && word == UINT64_MAX) {
            have = 0;
            bit += 63;
            continue;
        }
        have = word >> bit % 64 & 1 ? 0 : have + 1;
        if (have < want)
            continue;
        for (uint32_t i = 0; i < banks->count; i++)
            take_bits(banks->items[i], bit + 1 - want, bits);
        return bit + 1 - want;
    }
    return UINT32_MAX;
}

uint32_t device_bank_take(const mpu_device *device, struct device_bank *bank, unsigned bits) {
    return device_banks_take(device, &(struct device_banks){{bank}, 1}, bits);
}

void device_banks_give(const struct device_banks *banks, uint32_t first, unsigned bits) {
    for (uint32_t i = 0; i < banks->count; i++)
        device_bank_give(banks->items[i], first, bits);
}

struct device_banks device_place_banks(const struct device_place *place) {
    struct device_banks banks = {.count = 0};
    for (unsigned g = 0; g < DEVICE_GROUPS; g++) {
        struct device_bank *bank = place->slabs[g] ? place->slabs[g]->bank : NULL;
        uint32_t i = 0;
        while (i < banks.count && banks.items[i] != bank)
            i++;
        if (bank && i == banks.count)
            banks.items[banks.count++] = bank;
    }
    return banks;
}

void device_bank_give(struct device_bank *bank, uint32_t first, unsigned bits) {
    mark(bank, first, piece(bits), false);
    bank->rows -= machine_room_rows(bank->room, bits);
}

void device_bank_shrink(struct device_bank *bank, uint32_t first, unsigned from, unsigned to) {
    mark(bank, first + piece(to), piece(from) - piece(to), false);
    bank->rows -= machine_room_rows(bank->room, from) - machine_room_rows(bank->room, to);
}

bool device_bank_has(const struct device_bank *bank, uint64_t rows) {
    return bank->rows + rows <= bank->room->rows;
}

struct device_slab *device_slab_there(const mpu_device *device, uint64_t n, unsigned slot) {
    struct device_slab *best = NULL;
    for (size_t i = 0; i < device->slabs.len; i++) {
        struct device_slab *s = device->slabs.data[i];
        if (s->n == n && s->slot == slot && !s->apart &&
            (!best || s->bank->rows < best->bank->rows))
            best = s;
    }
    return best;
}

/* ---- VRF rows ---- */

static uint32_t free_rows(const mpu_device *device, uint32_t mpu) {
    uint64_t all = low_bits(device->target->vrf_per_rfh);
    return (uint32_t)__builtin_popcountll(all & ~device->row_used[mpu]);
}

uint64_t device_free_rows(const mpu_device *device) {
    uint64_t rows = 0;
    for (uint32_t m = 0; m < device->target->mpus; m++)
        rows += free_rows(device, m);
    return rows;
}

/* The next free rows of the MPU. */
static void take_rows(mpu_device *device, uint32_t mpu, uint32_t count, struct device_slab *slab) {
    for (uint32_t r = 0; r < device->target->vrf_per_rfh && count; r++) {
        if (device->row_used[mpu] >> r & 1)
            continue;
        device->row_used[mpu] |= UINT64_C(1) << r;
        slab->rows[slab->row_count++] = mpu * device->target->vrf_per_rfh + r;
        count--;
    }
}

/* Packed: MPU after MPU.  Spread: as few rows of each as can be. */
static void place_rows(mpu_device *device, struct device_slab *slab, uint64_t rows) {
    uint32_t mpus = device->target->mpus, over = slab->mpus ? slab->mpus : mpus;
    uint8_t *room = xcalloc(mpus, 1), *taken = xcalloc(mpus, 1);
    for (uint32_t m = 0; m < mpus; m++)
        room[m] = (uint8_t)free_rows(device, m);
    slab->rows = xcalloc(rows, sizeof *slab->rows);
    if (slab->place == PLACE_PACKED || !package_spread_rows(room, over, rows, taken)) {
        uint64_t left = rows;
        for (uint32_t m = 0; m < mpus; m++) {
            taken[m] = left < room[m] ? (uint8_t)left : room[m];
            left -= taken[m];
        }
    }
    for (uint32_t m = 0; m < mpus; m++)
        take_rows(device, m, taken[m], slab);
    free(room);
    free(taken);
}

static struct device_bank *bank_new(const mpu_device *device, unsigned slot) {
    struct device_bank *bank = xcalloc(1, sizeof *bank);
    bank->room = &device->rooms[slot];
    bank->taken = xcalloc(device->bits / 64 + 1, sizeof *bank->taken);
    bank->refs = 1;
    return bank;
}

/* A slab with so many rows that others of the slot may lie on, too: the one with most room. */
static struct device_slab *find_host(const mpu_device *device, uint64_t rows, unsigned slot) {
    struct device_slab *best = NULL;
    for (size_t i = 0; i < device->slabs.len; i++) {
        struct device_slab *s = device->slabs.data[i];
        if (s->row_count >= rows && s->slot == slot && (!best || s->bank->rows < best->bank->rows))
            best = s;
    }
    return best;
}

/* As arrays of a kernel do, shorter vectors lie on VRFs of longer ones, as long as at least half of
 * the rows of these are free: what goes from one to the other then has the shortest way. */
static const struct device_slab *longer(const mpu_device *device, uint64_t n, unsigned slot) {
    const struct device_slab *best = NULL;
    for (size_t i = 0; i < device->slabs.len; i++) {
        const struct device_slab *s = device->slabs.data[i];
        if (s->n > (best ? best->n : n) && s->slot == slot && s->chunks == 1 && !s->apart &&
            s->bank->rows <= s->bank->room->rows / 2)
            best = s;
    }
    return best;
}

/* The first rows of another slab, and bits that it has not taken. */
static bool share(struct device_slab *slab, const struct device_slab *with, uint64_t rows) {
    if (!with)
        return false;
    slab->shares = true;
    slab->rows = xcalloc(rows, sizeof *slab->rows);
    memcpy(slab->rows, with->rows, rows * sizeof *slab->rows);
    slab->row_count = (uint32_t)rows;
    slab->bank = with->bank;
    slab->bank->refs++;
    return true;
}

/* Slabs of as many elements in the same lanes have one number, whether or not one of them was given
 * back before. */
static uint64_t number_of(mpu_device *device, const struct device_slab *slab) {
    uint64_t number, sizes[] = {slab->n, slab->row_count, slab->slot};
    struct str key = {0};
    char digest[65];
    str_append_n(&key, (const char *)sizes, sizeof sizes);
    str_append_n(&key, (const char *)slab->rows, slab->row_count * sizeof *slab->rows);
    sha256_hex(key.text, key.len, digest);
    str_free(&key);
    if (device_memo_get(&device->places, digest, sizeof digest, &number))
        return number;
    device_memo_put(&device->places, digest, sizeof digest, ++device->slab_numbers);
    return device->slab_numbers;
}

/* The machine is told of new lanes. */
static void shape(const mpu_device *device, const struct device_slab *slab) {
    uint32_t rfhs = device->target->rfh_per_mpu;
    if (!device->machine->slots || !device->dp->ops->shape)
        return;
    for (uint32_t i = 0; i < slab->row_count; i++) {
        const struct vrf_range row = {slab->rows[i] * rfhs, rfhs};
        device->dp->ops->shape(device->dp, (struct vrf_set){&row, 1}, slab->slot);
    }
}

static struct device_slab *slab_of(mpu_device *device, uint64_t n, unsigned slot, uint64_t rows,
                                   enum group_place place, uint32_t mpus, bool apart) {
    uint64_t row_lanes = device_row_lanes(device, slot);
    struct device_slab *s = xcalloc(1, sizeof *s);
    s->n = n;
    s->slot = slot;
    s->place = place;
    s->mpus = mpus;
    s->chunk = rows * row_lanes < n ? rows * row_lanes : n;
    s->chunks = (uint32_t)ceil_div(n, s->chunk);
    if (!apart && share(s, longer(device, n, slot), rows)) {
        /* on VRFs that are there */
    } else if (rows <= device_free_rows(device)) {
        place_rows(device, s, rows);
        s->bank = bank_new(device, slot);
        shape(device, s);
    } else if (!share(s, find_host(device, rows, slot), rows)) {
        free(s);
        return NULL;
    }
    s->number = number_of(device, s);
    vec_push(&device->slabs, s);
    return s;
}

uint64_t device_slab_rows(const mpu_device *device, uint64_t n, unsigned slot) {
    uint64_t row_lanes = device_row_lanes(device, slot);
    uint64_t rows = ceil_div(n, row_lanes);
    uint64_t all = (uint64_t)device->target->mpus * device->target->vrf_per_rfh;
    rows = rows < all ? rows : all;
    /* Each chunk takes a row at least. */
    return ceil_div(n, rows * row_lanes) > device->rooms[slot].rows ? 0 : rows;
}

struct device_slab *device_slab_new(mpu_device *device, uint64_t n, unsigned slot) {
    uint64_t rows = device_slab_rows(device, n, slot);
    return rows ? slab_of(device, n, slot, rows, device_vectors_place(device), 0, false) : NULL;
}

struct device_slab *device_slab_apart(mpu_device *device, uint64_t n, unsigned slot,
                                      enum group_place place, uint32_t mpus) {
    uint64_t rows = ceil_div(n, device_row_lanes(device, slot));
    for (size_t i = 0; i < device->slabs.len; i++) {
        struct device_slab *s = device->slabs.data[i];
        if (s->apart && s->n == n && s->slot == slot && s->place == place && s->mpus == mpus)
            return s;
    }
    if (rows > (uint64_t)device->target->mpus * device->target->vrf_per_rfh)
        return NULL;
    struct device_slab *slab = slab_of(device, n, slot, rows, place, mpus, true);
    if (slab)
        slab->apart = true;
    return slab;
}

void device_slab_free(mpu_device *device, struct device_slab *slab) {
    for (uint32_t i = 0; i < slab->row_count && !slab->shares && slab->bank->refs == 1; i++)
        device->row_used[slab->rows[i] / device->target->vrf_per_rfh] &=
            ~(UINT64_C(1) << slab->rows[i] % device->target->vrf_per_rfh);
    if (--slab->bank->refs == 0) {
        free(slab->bank->taken);
        free(slab->bank);
    }
    free(slab->rows);
    free(slab);
}

/* From the last one on: slabs that share VRFs are behind the one that took them, which goes when
 * they have gone. */
void device_slabs_trim(mpu_device *device) {
    size_t kept = device->slabs.len;
    for (size_t i = device->slabs.len; i-- > 0;) {
        struct device_slab *s = device->slabs.data[i];
        if (s->values || s->held || (!s->shares && s->bank->refs > 1))
            device->slabs.data[--kept] = s;
        else
            device_slab_free(device, s);
    }
    device->slabs.len -= kept;
    if (kept) /* else all stay where they are */
        memmove(device->slabs.data, device->slabs.data + kept,
                device->slabs.len * sizeof *device->slabs.data);
}

/* ---- elements ---- */

/* VRF `index` of the slab. */
static uint32_t vrf_of(const mpu_device *device, const struct device_slab *slab, uint64_t index) {
    uint32_t rfhs = device->target->rfh_per_mpu;
    return slab->rows[index / rfhs] * rfhs + (uint32_t)(index % rfhs);
}

/* Elements from `first` of the chunk on that lie in VRFs whose numbers follow one another. */
static void walk_row(const mpu_device *device, const struct device_slab *slab, uint32_t chunk,
                     uint64_t first, uint64_t count, device_visit *visit, void *context) {
    uint32_t lanes = slab->bank->room->lanes;
    uint64_t index = first / lanes, base = (uint64_t)chunk * slab->chunk;
    visit(context, slab, chunk, vrf_of(device, slab, index), (uint32_t)(first % lanes),
          base + first, count);
}

static void walk_chunk(const mpu_device *device, const struct device_slab *slab, uint32_t chunk,
                       uint64_t first, uint64_t count, device_visit *visit, void *context) {
    uint64_t row = device_row_lanes(device, slab->slot), lanes = slab->bank->room->lanes;
    for (uint64_t done = 0, n; done < count; done += n) {
        uint64_t at = first + done;
        uint64_t room = at % lanes ? lanes - at % lanes : row - at % row;
        n = count - done < room ? count - done : room;
        walk_row(device, slab, chunk, at, n, visit, context);
    }
}

void device_slab_walk(const mpu_device *device, const struct device_slab *slab, uint64_t first,
                      uint64_t count, device_visit *visit, void *context) {
    for (uint64_t done = 0, n; done < count; done += n) {
        uint64_t at = first + done, in_chunk = at % slab->chunk;
        n = count - done < slab->chunk - in_chunk ? count - done : slab->chunk - in_chunk;
        walk_chunk(device, slab, (uint32_t)(at / slab->chunk), in_chunk, n, visit, context);
    }
}
