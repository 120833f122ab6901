/* SPDX-License-Identifier: MIT
 * Arrays in a machine's memory, in the order of their addresses. */
#include "machines/state/array_memory.h"

#include "support/saturate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

#define BLOCK STATE_MEMORY_BLOCK
/* From here on bytes come from the system, page by page as they are touched. */
#define MAPPED ((uint64_t)1 << 20)

void state_memory_open(struct state_memory *memory, uint64_t limit) {
    memory->limit = limit;
}

/* ---- bytes of the host ---- */

static uint64_t host_bytes(const struct state_array *array) {
    return array->slices * array->pitch;
}

static unsigned char *host_zeros(uint64_t bytes) {
    if (bytes < MAPPED)
        return calloc(1, (size_t)bytes);
    void *p = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static void free_bytes(struct state_array *array) {
    if (host_bytes(array) < MAPPED)
        free(array->bytes);
    else
        munmap(array->bytes, (size_t)host_bytes(array));
}

void state_memory_close(struct state_memory *memory) {
    for (size_t i = 0; i < memory->arrays.len; i++)
        free_bytes(&memory->arrays.data[i]);
    vec_free(&memory->arrays);
}

/* ---- places ---- */

static uint64_t end_of(const struct state_array *array) {
    return array->address + array->slices * array->stride;
}

/* The first place between arrays that has so much room; how many lie before it. */
static size_t find_place(const struct state_memory *memory, uint64_t span, uint64_t *address) {
    size_t i = 0;
    *address = STATE_MEMORY_FIRST;
    while (i < memory->arrays.len && memory->arrays.data[i].address - *address < span)
        *address = end_of(&memory->arrays.data[i++]);
    return i;
}

static void insert(struct state_memory *memory, size_t at, struct state_array array) {
    vec_push(&memory->arrays, array);
    struct state_array *all = memory->arrays.data;
    memmove(&all[at + 1], &all[at], (memory->arrays.len - 1 - at) * sizeof *all);
    all[at] = array;
}

/* Bytes that arrays take of the limit. */
static uint64_t taken(const struct state_array *array) {
    return sat_mul((array->size + BLOCK - 1) / BLOCK * BLOCK, array->slices);
}

static bool no_memory(struct diag *diag, uint64_t bytes, const char *why) {
    diag_error(diag, NO_SPAN, "no memory for a buffer of %" PRIu64 " bytes%s", bytes, why);
    return false;
}

bool state_memory_alloc_slices(struct state_memory *memory, uint64_t bytes, uint32_t units,
                               uint64_t *address, uint64_t *stride, struct diag *diag) {
    uint64_t all = sat_mul(bytes, units), span;
    struct state_array a = {.size = bytes, .slices = units};
    if (!all || all > STATE_MEMORY_END)
        return no_memory(diag, all, "");
    a.stride = (bytes + BLOCK - 1) / BLOCK * BLOCK + BLOCK;
    a.pitch = (bytes + 7) / 8 * 8 + 8;
    span = sat_mul(a.stride, units);
    size_t at = find_place(memory, span, &a.address);
    if (memory->limit && taken(&a) > memory->limit - memory->taken)
        return no_memory(diag, all, ": the machine has not so many left");
    if (span > STATE_MEMORY_END - a.address)
        return no_memory(diag, all, "");
    a.bytes = host_zeros(host_bytes(&a));
    if (!a.bytes)
        return no_memory(diag, all, " on this computer");
    *address = a.address;
    *stride = a.stride;
    memory->taken += taken(&a);
    insert(memory, at, a);
    return true;
}

bool state_memory_alloc(struct state_memory *memory, uint64_t bytes, uint64_t *address,
                        struct diag *diag) {
    uint64_t stride;
    return state_memory_alloc_slices(memory, bytes, 1, address, &stride, diag);
}

static bool has(const struct state_array *array, uint64_t first, uint64_t size) {
    return first <= array->size && size <= array->size - first;
}

struct state_array *state_memory_before(const struct state_memory *memory, uint64_t address) {
    size_t low = 0, high = memory->arrays.len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (memory->arrays.data[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &memory->arrays.data[low - 1] : NULL;
}

/* The array of which one slice has all of it; NULL. */
static struct state_array *find(const struct state_memory *memory, uint64_t address,
                                uint64_t size) {
    struct state_array *a = state_memory_before(memory, address);
    return a && address < end_of(a) && has(a, (address - a->address) % a->stride, size) ? a : NULL;
}

static unsigned char *slice(const struct state_array *array, uint64_t number) {
    return array->bytes + number * array->pitch;
}

unsigned char *state_memory_at(const struct state_memory *memory, uint64_t address, uint64_t size) {
    const struct state_array *a = find(memory, address, size);
    uint64_t at = a ? address - a->address : 0;
    return a ? slice(a, at / a->stride) + at % a->stride : NULL;
}

static unsigned char *there(const struct state_memory *memory, uint64_t address, uint64_t size,
                            struct diag *diag) {
    unsigned char *bytes = state_memory_at(memory, address, size);
    if (!bytes)
        diag_error(diag, NO_SPAN, "no buffer has %" PRIu64 " bytes at 0x%" PRIx64, size, address);
    return bytes;
}

bool state_memory_free(struct state_memory *memory, uint64_t address, struct diag *diag) {
    struct state_array *a = find(memory, address, 0);
    if (!a || a->address != address) {
        diag_error(diag, NO_SPAN, "no buffer begins at 0x%" PRIx64, address);
        return false;
    }
    free_bytes(a);
    memory->taken -= taken(a);
    memory->arrays.len--;
    memmove(a, a + 1, (memory->arrays.len - (size_t)(a - memory->arrays.data)) * sizeof *a);
    return true;
}

bool state_memory_put(struct state_memory *memory, uint64_t address, const void *bytes,
                      uint64_t size, struct diag *diag) {
    unsigned char *to = there(memory, address, size, diag);
    if (to && size)
        memcpy(to, bytes, (size_t)size);
    return to;
}

bool state_memory_get(struct state_memory *memory, uint64_t address, void *bytes, uint64_t size,
                      struct diag *diag) {
    const unsigned char *from = there(memory, address, size, diag);
    if (from && size)
        memcpy(bytes, from, (size_t)size);
    return from;
}

/* ---- snapshots: a block is its head, address and size of each slice, their bytes, its length ----
 */

struct head {
    char magic[8];
    uint64_t slices;
};
#define PLACE (2 * sizeof(uint64_t))

static struct head head_of(const struct state_memory *memory) {
    struct head h = {"MPUMEMO", 0};
    for (size_t i = 0; i < memory->arrays.len; i++)
        h.slices += memory->arrays.data[i].slices;
    return h;
}

static uint64_t length_of(const struct state_memory *memory) {
    uint64_t length = sizeof(struct head);
    for (size_t i = 0; i < memory->arrays.len; i++)
        length += (PLACE + memory->arrays.data[i].size) * memory->arrays.data[i].slices;
    return length;
}

static void save_array(const struct state_array *array, struct str *state) {
    for (uint64_t n = 0; n < array->slices; n++) {
        const uint64_t place[] = {array->address + n * array->stride, array->size};
        str_append_n(state, (const char *)place, sizeof place);
        str_append_n(state, (const char *)slice(array, n), (size_t)array->size);
    }
}

void state_memory_save(const struct state_memory *memory, struct str *state) {
    const struct head h = head_of(memory);
    uint64_t length = length_of(memory);
    str_append_n(state, (const char *)&h, sizeof h);
    for (size_t i = 0; i < memory->arrays.len; i++)
        save_array(&memory->arrays.data[i], state);
    str_append_n(state, (const char *)&length, sizeof length);
}

/* The block is of these arrays, in their order. */
static bool is_of(const struct state_memory *memory, const char *block) {
    const struct head mine = head_of(memory);
    if (memcmp(block, &mine, sizeof mine) != 0)
        return false;
    block += sizeof mine;
    for (size_t i = 0; i < memory->arrays.len; i++) {
        const struct state_array *a = &memory->arrays.data[i];
        for (uint64_t n = 0; n < a->slices; n++, block += PLACE + a->size) {
            const uint64_t place[] = {a->address + n * a->stride, a->size};
            if (memcmp(block, place, sizeof place) != 0)
                return false;
        }
    }
    return true;
}

const char *state_memory_take(const struct state_memory *memory, struct str *state) {
    uint64_t length, mine = length_of(memory);
    if (state->len < sizeof length || state->len - sizeof length < mine)
        return NULL;
    size_t begin = state->len - sizeof length - (size_t)mine;
    memcpy(&length, state->text + begin + mine, sizeof length);
    if (length != mine || !is_of(memory, state->text + begin))
        return NULL;
    state->len = begin;
    state->text[begin] = '\0'; /* of the magic number, which restoring does not read */
    return state->text + begin;
}

void state_memory_restore(struct state_memory *memory, const char *block) {
    block += sizeof(struct head);
    for (size_t i = 0; i < memory->arrays.len; i++) {
        const struct state_array *a = &memory->arrays.data[i];
        for (uint64_t n = 0; n < a->slices; n++, block += PLACE + a->size)
            memcpy(slice(a, n), block + PLACE, (size_t)a->size);
    }
}
