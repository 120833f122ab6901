/* SPDX-License-Identifier: MIT
 * Arrays in a machine's memory, found by their addresses one after another: there are few. */
#include "machines/state/array_memory.h"

#include "support/saturate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PAGE UINT64_C(4096)

void state_memory_open(struct state_memory *memory) {
    memory->next = PAGE;
}

void state_memory_close(struct state_memory *memory) {
    for (size_t i = 0; i < memory->arrays.len; i++)
        free(memory->arrays.data[i].bytes);
    vec_free(&memory->arrays);
}

bool state_memory_alloc_slices(struct state_memory *memory, uint64_t bytes, uint32_t units,
                               uint64_t *address, uint64_t *stride, struct diag *diag) {
    uint64_t all = sat_mul(bytes, units), room = bytes < UINT64_MAX / 4 ? bytes : UINT64_MAX / 4;
    struct state_array a = {.address = memory->next, .size = bytes, .slices = units};
    a.stride = (room + PAGE - 1) / PAGE * PAGE + PAGE;
    a.pitch = (room + 7) / 8 * 8 + 8;
    bool fits = all && bytes == room && sat_mul(a.pitch, units) < SIZE_MAX / 2 &&
                sat_mul(a.stride, units) < UINT64_MAX - memory->next - PAGE;
    if (!fits || !(a.bytes = calloc((size_t)units, (size_t)a.pitch))) {
        diag_error(diag, NO_SPAN, "no memory for a buffer of %" PRIu64 " bytes", all);
        return false;
    }
    *address = a.address;
    *stride = a.stride;
    memory->next += a.stride * units;
    vec_push(&memory->arrays, a);
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

/* The array of which one slice has all of it; NULL. */
static struct state_array *find(const struct state_memory *memory, uint64_t address,
                                uint64_t size) {
    for (size_t i = 0; i < memory->arrays.len; i++) {
        struct state_array *a = &memory->arrays.data[i];
        if (address >= a->address && address - a->address < a->slices * a->stride &&
            has(a, (address - a->address) % a->stride, size))
            return a;
    }
    return NULL;
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
    free(a->bytes);
    *a = vec_last(&memory->arrays);
    memory->arrays.len--;
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
